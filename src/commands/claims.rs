//! Claims: bounds of the value of a position. Parses claims on the lines of a problem file and the
//! rows of two published CSV files of S. Takizawa, "Othello is Solved" (2023).

use std::fmt::{self, Display};
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::game::score::Score;
use crate::game::{Game, quoted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::notation::{BOM, before_comment};

/// The largest score in discs, used as the open end of a search window.
const MOST_DISCS: i8 = 64;

/// A bound of a position's value for the side to move: in discs, or 1, 0 and -1 for win, draw and
/// loss in games won by a line. Its text is `>= 2` or `<= -4`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Claim {
    /// The value is at least this score.
    AtLeast(i8),
    /// The value is at most this score.
    AtMost(i8),
}

/// Checks that bounds are scores of a game.
///
/// # Errors
/// If one is beyond a win or loss in a game won by a line.
pub fn check_bounds(game: &AnyGame, bounds: impl IntoIterator<Item = i8>) -> Result<()> {
    let has_scores = game.discs().is_some();
    ensure!(
        has_scores || bounds.into_iter().all(|bound| bound.abs() <= 1),
        "a bound in {} is 1 (win), 0 (draw) or -1 (loss)",
        game.name()
    );
    Ok(())
}

impl Claim {
    /// The score.
    pub fn bound(self) -> i8 {
        let (Claim::AtLeast(bound) | Claim::AtMost(bound)) = self;
        bound
    }

    /// The same claim about a score that is a multiple of `step`.
    pub fn rounded(self, step: i8) -> Claim {
        match self {
            Claim::AtLeast(score) => Claim::AtLeast(-((-score).div_euclid(step) * step)),
            Claim::AtMost(score) => Claim::AtMost(score.div_euclid(step) * step),
        }
    }

    /// The claim holds if the value reaches this score, the claim `AtMost` if it does not. Scores
    /// are multiples of `step`.
    pub fn threshold(self, step: i8) -> i32 {
        match self.rounded(step) {
            Claim::AtLeast(score) => i32::from(score),
            Claim::AtMost(score) => i32::from(score) + i32::from(step),
        }
    }

    /// Whether this value satisfies the claim.
    pub fn holds(self, value: i32) -> bool {
        match self {
            Claim::AtLeast(bound) => value >= i32::from(bound),
            Claim::AtMost(bound) => value <= i32::from(bound),
        }
    }

    /// The claim that a move to a position must have there.
    pub fn flipped(self) -> Claim {
        match self {
            Claim::AtLeast(bound) => Claim::AtMost(-bound),
            Claim::AtMost(bound) => Claim::AtLeast(-bound),
        }
    }

    /// The claims of a lower and an upper bound.
    pub fn of_bounds(lower: Option<i8>, upper: Option<i8>) -> Vec<Claim> {
        let lower = lower.map(Claim::AtLeast);
        lower.into_iter().chain(upper.map(Claim::AtMost)).collect()
    }
}

impl Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::AtLeast(score) => write!(f, ">= {score}"),
            Claim::AtMost(score) => write!(f, "<= {score}"),
        }
    }
}

impl From<Claim> for String {
    fn from(claim: Claim) -> String {
        claim.to_string()
    }
}

impl TryFrom<String> for Claim {
    type Error = Error;

    fn try_from(text: String) -> Result<Claim> {
        text.parse()
    }
}

impl FromStr for Claim {
    type Err = Error;

    fn from_str(text: &str) -> Result<Claim> {
        let (make, score): (fn(i8) -> Claim, _) = match text.trim().split_at_checked(2) {
            Some((">=", score)) => (Claim::AtLeast, score),
            Some(("<=", score)) => (Claim::AtMost, score),
            _ => bail!("\"{}\" is not a claim, expected >= S or <= S", quoted(text)),
        };
        Ok(make(parse_score(score.trim())?))
    }
}

/// A score in the unit of claims.
pub fn points(position: &AnyPosition, score: Score) -> i32 {
    if position.discs().is_some() {
        score.0 / 100
    } else {
        score.0.signum()
    }
}

/// The least score of at least `bound` in the unit of claims: a disc; in games won by a line, where
/// claims are about 1, 0 and -1, every score is at least -1, and one above a draw is at least 1.
pub fn least_score(position: &AnyPosition, bound: i32) -> Score {
    match position.discs() {
        Some(_) => Score(100 * bound),
        None if bound < 0 => -Score::INFINITE,
        None => Score(bound),
    }
}

/// The least difference of two values of a position, in the unit of claims.
pub fn step(position: &AnyPosition) -> i8 {
    points(position, Score(position.grain())) as i8
}

/// Parses a score of -64 to 64.
pub fn parse_score(text: &str) -> Result<i8> {
    let score = text.parse().ok();
    score
        .filter(|score| (-MOST_DISCS..=MOST_DISCS).contains(score))
        .with_context(|| {
            format!(
                "\"{}\" is not a score, expected a number from -64 to 64",
                quoted(text)
            )
        })
}

/// Splits the claims from a line of a problem file; returns the rest of the line and the claims.
///
/// - `OBF; >= 2; <= 4;`: a claim is a field, beside the scores of OBF.
/// - `OBF;,count,score,alpha,beta`: the window of a search that has proven a bound: `-64,B` claims
///   `>= B`, `A,64` claims `<= A`, and `-64,64` both bounds of the score.
/// - `OBF;,depth,strength,lower,upper,nodes`: bounds; those at -64 and 64 claim nothing. Lower and
///   upper may be exchanged.
///
/// # Errors
/// A claim or row is invalid.
pub fn split_claims(line: &str) -> Result<(String, Vec<Claim>)> {
    let line = line.trim_end();
    let end = before_comment(line).len();
    let (text, comment) = line.split_at(line.find('%').map_or(end, |at| at.min(end)));
    if let Some((position, row)) = text.split_once(";,") {
        return Ok((format!("{position};"), parse_row(row)?));
    }
    let (claims, rest): (Vec<&str>, Vec<&str>) = text
        .split(';')
        .partition(|field| field.trim_start().starts_with(['<', '>']));
    let claims = claims.into_iter().map(str::parse).collect::<Result<_>>()?;
    Ok((rest.join(";") + comment, claims))
}

/// Whether a line is the heading of a CSV file of positions.
pub fn is_heading(line: &str) -> bool {
    line.trim_start_matches(BOM).starts_with("obf,")
}

/// The claims of the fields of a CSV row after its position.
fn parse_row(row: &str) -> Result<Vec<Claim>> {
    let fields: Vec<&str> = row.split(',').map(str::trim).collect();
    let (lower, upper) = match *fields {
        [_count, score, alpha, beta] => {
            let (score, alpha, beta) =
                (parse_score(score)?, parse_score(alpha)?, parse_score(beta)?);
            ensure!(alpha < beta, "the window {alpha},{beta} is empty");
            match (alpha == -MOST_DISCS, beta == MOST_DISCS) {
                (true, true) => (score, score),
                (true, false) => (beta, MOST_DISCS),
                (false, true) => (-MOST_DISCS, alpha),
                _ => bail!("the window {alpha},{beta} has neither alpha -64 nor beta 64"),
            }
        }
        [_depth, _strength, lower, upper, _nodes] => {
            let (one, other) = (parse_score(lower)?, parse_score(upper)?);
            (one.min(other), one.max(other))
        }
        _ => bail!(
            "the row has {} fields after the position, expected count,score,alpha,beta or \
             depth,strength,lower,upper,nodes",
            fields.len()
        ),
    };
    // Bounds at the ends of the range claim nothing.
    let claims = Claim::of_bounds(
        Some(lower).filter(|&lower| lower > -MOST_DISCS),
        Some(upper).filter(|&upper| upper < MOST_DISCS),
    );
    ensure!(!claims.is_empty(), "the row has no bound");
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Result<(String, String), String> {
        let (rest, claims) = split_claims(line).map_err(|error| error.to_string())?;
        let claims: Vec<String> = claims.iter().map(Claim::to_string).collect();
        Ok((rest, claims.join(" ")))
    }

    #[test]
    fn claims_are_read_from_lines_and_rows() {
        for (line, rest, claims) in [
            ("XO X; >= 2;", "XO X;", ">= 2"),
            ("XO X; a1:+2; <=-4; % >= 8", "XO X; a1:+2; % >= 8", "<= -4"),
            ("XO X; +4; # f5; <= 10", "XO X; +4; # f5; <= 10", ""),
            ("XO X; +4; % A;,B", "XO X; +4; % A;,B", ""),
            ("XO X;,96,4,-64,0 # f5", "XO X;", ">= 0"),
            ("XO X; >= -2; <= 2", "XO X", ">= -2 <= 2"),
            ("XO X; score:+4;", "XO X; score:+4;", ""),
            ("f5d6", "f5d6", ""),
            ("XO X;,96,4,-64,0", "XO X;", ">= 0"),
            ("XO X;,96,-4,0,64", "XO X;", "<= 0"),
            ("XO X;,6397,0,-64,64", "XO X;", ">= 0 <= 0"),
            ("XO X;,36,100,3,64,12345", "XO X;", ">= 3"),
            ("XO X;,36,100,64,3,12345", "XO X;", ">= 3"),
            ("XO X;,36,100,-64,-3,1", "XO X;", "<= -3"),
            ("XO X;,36,100,2,2,1", "XO X;", ">= 2 <= 2"),
        ] {
            assert_eq!(split(line), Ok((rest.into(), claims.into())), "{line}");
        }
        for (line, error) in [
            (
                "XO X; > 2;",
                "\" > 2\" is not a claim, expected >= S or <= S",
            ),
            (
                "XO X; >= 65;",
                "\"65\" is not a score, expected a number from -64 to 64",
            ),
            (
                "XO X;,1,2,3",
                "the row has 3 fields after the position, expected count,score,alpha,beta or \
                 depth,strength,lower,upper,nodes",
            ),
            ("XO X;,1,2,4,3", "the window 4,3 is empty"),
            (
                "XO X;,1,2,-3,3",
                "the window -3,3 has neither alpha -64 nor beta 64",
            ),
            ("XO X;,36,100,-64,64,1", "the row has no bound"),
            (
                "XO X;,36,100,a,64,1",
                "\"a\" is not a score, expected a number from -64 to 64",
            ),
        ] {
            assert_eq!(split(line), Err(error.into()), "{line}");
        }
        assert!(is_heading("obf,count,score,alpha,beta") && !is_heading("XO X;"));
    }

    #[test]
    fn thresholds_are_scores_of_the_game() {
        for (claim, step, threshold) in [
            (Claim::AtLeast(3), 2, 4),
            (Claim::AtLeast(-3), 2, -2),
            (Claim::AtLeast(2), 2, 2),
            (Claim::AtMost(3), 2, 4),
            (Claim::AtMost(-3), 2, -2),
            (Claim::AtMost(2), 2, 4),
            (Claim::AtLeast(3), 1, 3),
            (Claim::AtMost(3), 1, 4),
        ] {
            assert_eq!(claim.threshold(step), threshold, "{claim} step {step}");
            for value in (-64..=64).step_by(step as usize) {
                let holds = (value >= threshold) == matches!(claim, Claim::AtLeast(_));
                assert_eq!(claim.holds(value), holds, "{claim} {value}");
            }
        }
    }
}
