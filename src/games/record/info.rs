//! What a record states about a game besides its moves: players, event, date, result, times and
//! evaluations; and the check of the stated result against the moves.

use std::fmt;

use crate::game::score::Score;
use crate::game::{Outcome, Player};
use crate::games::any::AnyGame;
use crate::games::notation::disc_difference;

/// What a record states about a game besides its moves.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct GameInfo {
    /// The names of the first and the second player.
    pub players: [Option<String>; 2],
    /// The event or tournament.
    pub event: Option<String>,
    /// The place or server.
    pub site: Option<String>,
    /// The round.
    pub round: Option<String>,
    /// The date as [`iso_date`] writes it: `2003`, `2003-12`, `2003-12-15` or with the time,
    /// `2003-12-15T12:33:18Z`.
    pub date: Option<String>,
    /// The stated result; `None` if it is unknown whose it is, or if it is not understood.
    pub result: Option<StatedResult>,
    /// Discs that the second player gets in addition to those on the board.
    pub komi: Option<f64>,
    /// What is stated about each move of the game's history; empty if nothing is.
    pub moves: Vec<MoveInfo>,
    /// Further tags of PGN, in the order of the record.
    pub tags: Vec<(String, String)>,
}

/// The stated result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatedResult {
    /// The winner.
    pub outcome: Outcome,
    /// The discs of the first player minus those of the second.
    pub discs: Option<i32>,
    /// How the game ended.
    pub ending: Ending,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ending {
    /// Played to the end, or unknown.
    #[default]
    Normal,
    /// A player resigned.
    Resignation,
    /// A player ran out of time.
    Time,
    /// The players agreed on the result.
    Agreement,
    /// Somebody else decided the game.
    Adjudication,
    /// A player broke the rules.
    RulesInfraction,
    /// A player did not play on.
    Abandoned,
}

/// What a record states about a move.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct MoveInfo {
    /// The time used.
    pub seconds: Option<f64>,
    /// The evaluation by the player of the move.
    pub score: Option<ReportedScore>,
    /// The search depth of the evaluation.
    pub depth: Option<u32>,
    /// Whether the move is part of the opening that the players were given.
    pub is_book: bool,
}

/// A score as an engine reported it, from the point of view of the searching side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "cli",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum ReportedScore {
    /// Hundredths of a point (of a disc in Reversi).
    Cp(i64),
    /// Moves to the end of a decided game, negative if lost.
    Mate(i64),
}

impl ReportedScore {
    /// The score of points (discs in Reversi), rounded.
    pub fn of_points(points: f64) -> ReportedScore {
        ReportedScore::Cp((100.0 * points).round() as i64)
    }
}

impl MoveInfo {
    /// The largest time in seconds, and the largest evaluation in points.
    const LARGEST: f64 = 1e9;

    /// What it states, and what another statement about the move adds.
    pub(super) fn or(self, other: MoveInfo) -> MoveInfo {
        MoveInfo {
            seconds: self.seconds.or(other.seconds),
            score: self.score.or(other.score),
            depth: self.depth.or(other.depth),
            is_book: self.is_book || other.is_book,
        }
    }

    /// Without a time or an evaluation that no move has.
    pub(super) fn possible(self) -> MoveInfo {
        let times = 0.0..=MoveInfo::LARGEST;
        MoveInfo {
            seconds: self.seconds.filter(|seconds| times.contains(seconds)),
            score: self.score.filter(|score| match score {
                ReportedScore::Cp(cp) => cp.unsigned_abs() as f64 <= 100.0 * MoveInfo::LARGEST,
                ReportedScore::Mate(_) => true,
            }),
            ..self
        }
    }
}

impl Ending {
    /// The ending that a reason names: of `games.jsonl`, or of PGN's tag `Termination`. `None` if it
    /// is unknown.
    pub fn parse(reason: &str) -> Option<Ending> {
        let reason = reason.trim().to_ascii_lowercase().replace('-', " ");
        Some(match reason.as_str() {
            "normal" | "unterminated" => Ending::Normal,
            "agreement" => Ending::Agreement,
            "rules infraction" | "illegal move" | "wrong query" | "protocol error" => {
                Ending::RulesInfraction
            }
            "abandoned" | "crash" | "early exit" | "closed output" | "stall"
            | "missing bestmove" => Ending::Abandoned,
            reason if reason.starts_with("adjudicat") => Ending::Adjudication,
            // `resignation`, `won by resignation`; `time forfeit`, `out of time`, `timeout`.
            reason if reason.contains("resign") => Ending::Resignation,
            reason if reason.contains("time") => Ending::Time,
            _ => return None,
        })
    }

    /// Its name as a reason, which [`Ending::parse`] reads.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Normal => "normal",
            Ending::Resignation => "resign",
            Ending::Time => "time-forfeit",
            Ending::Agreement => "agreement",
            Ending::Adjudication => "adjudication",
            Ending::RulesInfraction => "rules-infraction",
            Ending::Abandoned => "abandoned",
        }
    }
}

impl StatedResult {
    /// A result without discs.
    pub fn of(outcome: Outcome) -> StatedResult {
        StatedResult {
            outcome,
            discs: None,
            ending: Ending::Normal,
        }
    }

    /// A disc difference from the first player's point of view.
    pub fn of_discs(discs: i32) -> StatedResult {
        StatedResult::with_komi(discs, 0.0)
    }

    /// A disc difference of which the outcome is decided after the second player's komi.
    pub fn with_komi(discs: i32, komi: f64) -> StatedResult {
        let difference = f64::from(discs) - komi;
        StatedResult {
            discs: Some(discs),
            ..StatedResult::of(match difference {
                _ if difference > 0.0 => Outcome::FirstWins,
                _ if difference < 0.0 => Outcome::SecondWins,
                _ => Outcome::Draw,
            })
        }
    }

    /// The result for which this player is the first one.
    pub fn seen_from(self, player: Player) -> StatedResult {
        StatedResult {
            outcome: Outcome::of_score(Score(points(self.outcome)), player),
            discs: self.discs.map(|discs| player.signed(discs)),
            ..self
        }
    }

    /// What both results state; `None` if they contradict each other.
    pub(super) fn and(self, other: StatedResult) -> Option<StatedResult> {
        let discs = self.discs.or(other.discs);
        let agrees =
            other.outcome == self.outcome && other.discs.is_none_or(|_| other.discs == discs);
        let is_normal = self.ending == Ending::Normal;
        agrees.then_some(StatedResult {
            discs,
            ending: if is_normal { other.ending } else { self.ending },
            ..self
        })
    }

    /// Parses a result, for the player whose result comes first: `1-0`, `0-1`, `1/2-1/2`, discs such
    /// as `37-27`, or a disc difference such as `+10`.
    pub fn parse(word: &str) -> Option<StatedResult> {
        Some(StatedResult::of(match word {
            "1-0" => Outcome::FirstWins,
            "0-1" => Outcome::SecondWins,
            "1/2-1/2" | "½-½" => Outcome::Draw,
            _ => return disc_difference(word).map(StatedResult::of_discs),
        }))
    }

    /// Whether it is the result of a finished game: the outcome, and the score with the empties for
    /// the winner or without.
    pub(super) fn is_of(&self, game: &AnyGame, played: &StatedResult) -> bool {
        let on_board = game
            .discs()
            .map(|discs| discs.black.count_ones() as i32 - discs.white.count_ones() as i32);
        let is_score = |_| [played.discs, on_board].contains(&self.discs);
        self.outcome == played.outcome && self.discs.is_none_or(is_score)
    }
}

/// Whose result a result such as `1-0` states first, for records that do not define it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum, serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum ResultOrder {
    /// The player who moves first
    First,
    /// The player called White: the second one in Reversi
    White,
}

/// A result as a record states it.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The text of the record.
    pub text: String,
    /// The result for the player whose result comes first; `None` if it is not understood.
    pub result: Option<StatedResult>,
    /// The player whose result comes first; `None` if neither the format nor the record defines it.
    pub first: Option<Player>,
}

impl Statement {
    /// A result of a format that gives it for the first player.
    pub fn for_first(text: impl Into<String>, result: Option<StatedResult>) -> Statement {
        Statement {
            text: text.into(),
            result,
            first: Some(Player::First),
        }
    }

    /// A result whose order nothing defines; `None` for texts that state no result.
    pub fn ambiguous(text: &str) -> Option<Statement> {
        (text != "*" && known(text).is_some()).then(|| Statement {
            text: text.into(),
            result: StatedResult::parse(text),
            first: None,
        })
    }

    /// What the result can mean from the first player's point of view.
    pub(super) fn readings(&self, game: &AnyGame, order: Option<ResultOrder>) -> Vec<StatedResult> {
        let by_order = match (game.discs(), order) {
            (Some(_), None) => None,
            (Some(_), Some(ResultOrder::White)) => Some(Player::Second),
            _ => Some(Player::First), // in these games White begins
        };
        let of = |player| Some(self.result?.seen_from(player));
        match self.first.or(by_order) {
            Some(player) => of(player).into_iter().collect(),
            None => Player::BOTH.into_iter().filter_map(of).collect(),
        }
    }
}

/// The result of the moves of a finished game, in which the second player has `komi` discs more
/// than on the board; `None` if it is not over.
pub fn played_result(game: &AnyGame, komi: f64) -> Option<StatedResult> {
    let score = game.to_move().signed(game.final_score()?.0);
    Some(match game.discs() {
        Some(_) => StatedResult::with_komi(score / 100, komi),
        None => StatedResult::of(game.outcome()?),
    })
}

/// The result of the moves in points for the first player: discs, or 1, 0 and -1. `None` if the game
/// is not over.
pub fn played_points(game: &AnyGame) -> Option<i32> {
    let played = played_result(game, 0.0)?;
    Some(played.discs.unwrap_or(points(played.outcome)))
}

/// The result, if all of these are one.
pub(super) fn only(results: &[StatedResult]) -> Option<StatedResult> {
    let (&first, others) = results.split_first()?;
    others.iter().all(|&other| other == first).then_some(first)
}

/// 1, 0 or -1 for the first player.
pub(super) fn points(outcome: Outcome) -> i32 {
    i32::from(outcome.half_points(Player::First)) - 1
}

/// `+10 discs for the first player`, `a win of the second player`, `a draw`.
impl fmt::Display for StatedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.discs, self.outcome) {
            (Some(discs), _) => write!(f, "{discs:+} discs for the first player"),
            (None, Outcome::FirstWins) => f.write_str("a win of the first player"),
            (None, Outcome::SecondWins) => f.write_str("a win of the second player"),
            (None, Outcome::Draw) => f.write_str("a draw"),
        }
    }
}

/// The date in a text of any order-preserving format (`2003.12.15_12:33:18.MST`, `2003-1-??`,
/// `2026-11-25T04:30:00Z`), as far as it is known: `2003-12-15T12:33:18`, with `Z` if it is in UTC.
/// `None` without a year of four digits.
pub fn iso_date(text: &str) -> Option<String> {
    let mut rest = text.trim();
    let year = number(&mut rest, 4, "");
    let year = year.filter(|&year| year > 0 && text.trim().len() - rest.len() == 4)?;
    let mut date = format!("{year:04}");
    for highest in [12, 31] {
        match number(&mut rest, 2, ".-/").filter(|part| (1..=highest).contains(part)) {
            Some(part) => date += &format!("-{part:02}"),
            None => return Some(date),
        }
    }
    let hour = number(&mut rest, 2, "T_ ").filter(|&hour| hour < 24);
    let minute = number(&mut rest, 2, ":").filter(|&minute| minute < 60);
    if let (Some(hour), Some(minute)) = (hour, minute) {
        let second = number(&mut rest, 2, ":").filter(|&second| second < 60);
        let is_digit = |c: char| c.is_ascii_digit();
        if let Some(fraction) = rest
            .strip_prefix(['.', ','])
            .filter(|rest| rest.starts_with(is_digit))
        {
            rest = fraction.trim_start_matches(is_digit);
        }
        let zone = rest.strip_prefix(['.', ' ']).unwrap_or(rest);
        let is_utc = ["Z", "UTC", "GMT", "+00:00", "+0000", "+00"].contains(&zone);
        let zone = if is_utc { "Z" } else { "" };
        let second = second.unwrap_or_default();
        date += &format!("T{hour:02}:{minute:02}:{second:02}{zone}");
    }
    Some(date)
}

/// Takes a number of at most `longest` digits off the beginning of a text, after one of these
/// separators, if there are any. Further digits make it no number.
fn number(rest: &mut &str, longest: usize, separators: &str) -> Option<u32> {
    let text = match separators {
        "" => rest,
        _ => rest.strip_prefix(|c| separators.contains(c))?,
    };
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text
        .strip_suffix(behind)
        .filter(|digits| digits.len() <= longest)?;
    *rest = behind;
    digits.parse().ok()
}

/// A text of a record; `None` if it is empty or means "unknown".
pub(super) fn known(text: &str) -> Option<String> {
    let text = text.trim();
    let is_unknown = text.is_empty() || text == "-" || text.chars().all(|c| c == '?');
    (!is_unknown).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn dates_are_written_as_far_as_they_are_known() {
        for (text, date) in [
            ("2003.12.15_12:33:18.MST", Some("2003-12-15T12:33:18")),
            ("2026.11.25_04:30:00.UTC", Some("2026-11-25T04:30:00Z")),
            ("2026-11-25T04:30:00Z", Some("2026-11-25T04:30:00Z")),
            ("2020-03-04T05:06:07.123Z", Some("2020-03-04T05:06:07Z")),
            ("2020-03-04T05:06:07,1+00:00", Some("2020-03-04T05:06:07Z")),
            ("2020-03-04 05:06:07 +0000", Some("2020-03-04T05:06:07Z")),
            ("2020-03-04 05:06 GMT", Some("2020-03-04T05:06:00Z")),
            ("2020.03.04_05:06:07.GMT", Some("2020-03-04T05:06:07Z")),
            ("2020-03-04T05:06:07.5+01:00", Some("2020-03-04T05:06:07")),
            ("2003-12-15", Some("2003-12-15")),
            ("2003/12/15 07:05", Some("2003-12-15T07:05:00")),
            ("2003.12.??", Some("2003-12")),
            ("2003.13.01", Some("2003")),
            ("2003", Some("2003")),
            ("????.??.??", None),
            ("15.12.2003", None),
            ("", None),
            ("2003.1é", Some("2003-01")),
            ("2000-4-16 11:13 EST", Some("2000-04-16T11:13:00")),
            ("2021.3.4", Some("2021-03-04")),
            ("2021.3.4 1:02:03 UTC", Some("2021-03-04T01:02:03Z")),
            ("2003.012.1", Some("2003")),
            ("20031215", None),
        ] {
            assert_eq!(iso_date(text).as_deref(), date, "{text}");
        }
    }

    #[test]
    fn results_are_read_and_compared_with_the_moves() {
        assert_eq!(
            StatedResult::parse("37-27"),
            Some(StatedResult::of_discs(10))
        );
        assert_eq!(StatedResult::parse("-4"), Some(StatedResult::of_discs(-4)));
        for text in [
            "*", "", "65-0", "40-30", "+65", "1", "a-b", "+-3", "--3", "1-+2",
        ] {
            assert_eq!(StatedResult::parse(text), None, "{text}");
        }
        // Black has wiped White out after nine moves: +64 with the empties, 13 discs on the board.
        let mut game = by_name("othello").unwrap();
        for word in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            game.play_legal(word).unwrap();
        }
        let played = played_result(&game, 0.0).unwrap();
        assert_eq!(played, StatedResult::of_discs(64));
        for (text, is_of) in [
            ("64-0", true),
            ("13-0", true),
            ("1-0", true),
            ("0-1", false),
            ("+12", false),
            ("1/2-1/2", false),
        ] {
            let stated = StatedResult::parse(text).unwrap();
            assert_eq!(stated.is_of(&game, &played), is_of, "{text}");
        }
        let with_komi = played_result(&game, 64.5).unwrap();
        assert_eq!(
            (with_komi.outcome, with_komi.discs),
            (Outcome::SecondWins, Some(64))
        );
    }

    #[test]
    fn only_an_order_decides_whose_result_comes_first() {
        let othello = by_name("othello").unwrap();
        let readings = |text: &str, game: &AnyGame, order| {
            let readings = Statement::ambiguous(text).unwrap().readings(game, order);
            let outcomes = readings.into_iter().map(|result| result.outcome);
            outcomes.collect::<Vec<_>>()
        };
        let (first, second) = (Outcome::FirstWins, Outcome::SecondWins);
        assert_eq!(readings("1-0", &othello, None), [first, second]);
        assert_eq!(readings("1-0", &othello, Some(ResultOrder::First)), [first]);
        assert_eq!(
            readings("30-34", &othello, Some(ResultOrder::White)),
            [first]
        );
        let tictactoe = by_name("tictactoe").unwrap();
        assert_eq!(readings("1-0", &tictactoe, None), [first]);
        assert_eq!(readings("soon", &othello, None), []);
        assert!(
            ["*", "?", "", "-"]
                .map(Statement::ambiguous)
                .iter()
                .all(Option::is_none)
        );
    }
}
