//! The weights of the evaluation and the rows of their file ([`fitted`](crate::search::fitted)):
//! one weight a row, zeros omitted.
//!
//! | row | fields |
//! |---|---|
//! | `line` | player (1, 2), class, pattern of its stones (the opponent has none on the line), early, late |
//! | `column` | stones on the peg, threats of player 1, of player 2 (sums of 2, 4, 8 for levels 2, 3, 4), early, late |
//! | `zugzwang` | the player that it favors, early, late |
//! | `move` | stones on the board, value of being to move |
//!
//! `early` is the weight on the empty board, `late` on the full board, interpolated by the number
//! of stones. `line` and `zugzwang` weights count for their player, `column` weights for player 1,
//! `move` weights for the side to move.

use std::collections::HashMap;

use super::lines::{ALL, CLASSES, PATTERNS};
use crate::search::fitted::{Fitted, FittedError};

/// The title of a file.
pub const TITLE: &str = "Score Four weights";

/// The weight on the empty board and on the full board.
pub type Phases = [i16; 2];

/// Number of line terms: by player, class, pattern.
pub const LINES: usize = 2 * CLASSES * PATTERNS;
/// Number of column terms: by stones (0 to 3), and three bits for the threats of each player.
const COLUMNS: usize = 4 * 64;
/// The first term of zugzwang.
const ZUGZWANG: usize = LINES + COLUMNS;
/// Number of terms with two phases: lines, columns, and zugzwang for each player.
pub const TERMS: usize = ZUGZWANG + 2;

/// Upper limit of a weight's magnitude: the sum over all lines then fits an `i16`, and so does the
/// sum over all columns.
pub const LARGEST: i16 = 400;

/// The term of a line.
#[inline(always)]
pub const fn line_term(side: usize, class: usize, pattern: usize) -> usize {
    (side * CLASSES + class) * PATTERNS + pattern
}

/// The term of a column: number of stones, and the future threats of each player (three bits each).
#[inline(always)]
pub const fn column_term(stones: usize, first: usize, second: usize) -> usize {
    LINES + stones * 64 + first * 8 + second
}

/// The term of a zugzwang.
#[inline(always)]
pub const fn zugzwang_term(side: usize) -> usize {
    ZUGZWANG + side
}

/// The term whose weight a term shares: patterns of lines in one level can be read from either end.
pub fn shared(term: usize) -> usize {
    if term >= LINES {
        return term;
    }
    let (row, pattern) = (term - term % PATTERNS, term % PATTERNS);
    let class = term / PATTERNS % CLASSES;
    let level = ALL
        .iter()
        .any(|line| usize::from(line.class) == class && line.level);
    let reverse = (pattern as u8).reverse_bits() >> 4;
    row + if level {
        pattern.min(usize::from(reverse))
    } else {
        pattern
    }
}

/// All weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreFourWeights {
    /// By term.
    pub terms: Vec<Phases>,
    /// By stones on the board: the value of being to move.
    pub moves: [i16; 65],
}

impl Default for ScoreFourWeights {
    /// All zero.
    fn default() -> ScoreFourWeights {
        ScoreFourWeights {
            terms: vec![[0; 2]; TERMS],
            moves: [0; 65],
        }
    }
}

/// The beginning of a term's row.
fn name(term: usize) -> String {
    match term {
        0..LINES => {
            let (row, pattern) = (term / PATTERNS, term % PATTERNS);
            format!("line {} {} {pattern}", row / CLASSES + 1, row % CLASSES)
        }
        LINES..ZUGZWANG => {
            let column = term - LINES;
            // Levels 2 to 4 are bits 1 to 3 in the file and 0 to 2 in the term.
            format!(
                "column {} {} {}",
                column / 64,
                column / 8 % 8 * 2,
                column % 8 * 2
            )
        }
        _ => format!("zugzwang {}", term - ZUGZWANG + 1),
    }
}

impl ScoreFourWeights {
    /// Reads a file.
    pub fn read(text: &str) -> Result<ScoreFourWeights, FittedError> {
        let mut weights = ScoreFourWeights::default();
        // A line without stones or with four has no weight.
        let has_weight =
            |term: &usize| *term >= LINES || (1..PATTERNS - 1).contains(&(term % PATTERNS));
        let terms: HashMap<String, usize> = (0..TERMS)
            .filter(has_weight)
            .map(|term| (name(term), term))
            .collect();
        let file = Fitted::read(text, TITLE)?;
        let rows = file.rows("a weight of Score Four", |words| {
            match words {
                ["move", stones, value] => {
                    *weights.moves.get_mut(stones.parse::<usize>().ok()?)? = value.parse().ok()?;
                }
                [name @ .., early, late] => {
                    let values: Phases = [early.parse().ok()?, late.parse().ok()?];
                    let within = values
                        .iter()
                        .all(|value| (-LARGEST..=LARGEST).contains(value));
                    weights.terms[shared(*terms.get(&name.join(" "))?)] =
                        Some(values).filter(|_| within)?;
                }
                _ => return None,
            }
            Some(())
        })?;
        if rows.is_empty() {
            return Err(file.end_error("no rows found"));
        }
        weights.terms = (0..TERMS).map(|term| weights.terms[shared(term)]).collect();
        Ok(weights)
    }

    /// The rows of a file.
    pub fn rows(&self) -> Vec<String> {
        let terms = (0..TERMS)
            .filter(|&term| shared(term) == term && self.terms[term] != [0; 2])
            .map(|term| {
                let [early, late] = self.terms[term];
                format!("{} {early} {late}", name(term))
            });
        let moves = self
            .moves
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != 0);
        terms
            .chain(moves.map(|(stones, value)| format!("move {stones} {value}")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::fitted;

    #[test]
    fn weights_round_trip_and_bad_rows_are_refused() {
        let text = "title: Score Four weights\nline 1 3 5 10 -20\n\ncolumn 1 4 10 7 8\n\
                    zugzwang 2 100 400\nmove 13 -9\n";
        let weights = ScoreFourWeights::read(text).unwrap();
        assert_eq!(weights.terms[zugzwang_term(1)], [100, 400]);
        assert_eq!(weights.terms[column_term(1, 2, 5)], [7, 8]);
        assert_eq!(weights.moves[13], -9);
        assert_eq!(
            ScoreFourWeights::read(&fitted::write(TITLE, "a test", &[], "-", weights.rows())),
            Ok(weights)
        );
        for bad in [
            "line 1 3 5 10",
            "line 3 3 5 10 1",
            "line 1 18 5 10 1",
            "line 1 3 15 10 1",
            "line 1 3 0 10 1",
            "line 1 3 5 10 401",
            "column 1 3 0 1 1",
            "column 4 2 0 1 1",
            "zugzwang 0 1 1",
            "move 65 1",
            "move 6 1 1",
            "other 1 1",
        ] {
            let error = ScoreFourWeights::read(&fitted::write(
                TITLE,
                "a test",
                &[],
                "-",
                ["move 1 1", bad],
            ))
            .unwrap_err();
            assert_eq!(error.line, 5, "{bad}");
        }
        assert!(ScoreFourWeights::read("title: Score Four weights").is_err());
    }
}
