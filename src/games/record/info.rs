//! What a record states about a game besides its moves: players, event, date, result, times and
//! evaluations; and the check of the stated result against the moves.

use std::fmt;

use crate::game::score::Score;
use crate::game::{Outcome, Player};
use crate::games::any::AnyGame;

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
    /// The result.
    pub result: Option<StatedResult>,
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
    /// The evaluation from the point of view of the player of the move.
    pub eval: Option<Eval>,
    /// The search depth of the evaluation.
    pub depth: Option<u32>,
    /// Whether the move is part of the opening that the players were given.
    pub is_book: bool,
}

/// An evaluation of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Eval {
    /// A hundredth of `score cp`: discs in games of discs.
    Score(f64),
    /// Moves to the end of a won (positive) or lost game.
    Mate(i64),
}

impl Ending {
    /// The ending that a reason names: of `games.jsonl`, or of PGN's tag `Termination`. `None` if it
    /// is unknown.
    pub fn parse(reason: &str) -> Option<Ending> {
        let reason = reason.trim().to_ascii_lowercase().replace('-', " ");
        Some(match reason.as_str() {
            "normal" | "unterminated" => Ending::Normal,
            "resign" => Ending::Resignation,
            "time forfeit" | "out of time" => Ending::Time,
            "agreement" => Ending::Agreement,
            "rules infraction" | "illegal move" | "wrong query" | "protocol error" => {
                Ending::RulesInfraction
            }
            "abandoned" | "crash" | "early exit" | "closed output" | "stall"
            | "missing bestmove" => Ending::Abandoned,
            reason if reason.starts_with("adjudicat") => Ending::Adjudication,
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
        StatedResult {
            discs: Some(discs),
            ..StatedResult::of(Outcome::of_score(Score(discs), Player::First))
        }
    }

    /// The result for which this player is the first one.
    pub fn seen_from(self, player: Player) -> StatedResult {
        if player == Player::First {
            return self;
        }
        StatedResult {
            outcome: match self.outcome {
                Outcome::Draw => Outcome::Draw,
                Outcome::FirstWins => Outcome::SecondWins,
                Outcome::SecondWins => Outcome::FirstWins,
            },
            discs: self.discs.map(|discs| -discs),
            ..self
        }
    }

    /// Parses the result after a list of moves, from the point of view of the player named first:
    /// `1-0`, `0-1`, `1/2-1/2`, discs such as `37-27`, or a disc difference such as `+10`.
    pub fn parse(word: &str) -> Option<StatedResult> {
        let outcome = match word {
            "1-0" => Outcome::FirstWins,
            "0-1" => Outcome::SecondWins,
            "1/2-1/2" | "½-½" => Outcome::Draw,
            _ => {
                let discs = |text: &str| {
                    let is_number =
                        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                    let number = text.parse::<i32>().ok().filter(|_| is_number);
                    number.filter(|number| (0..=64).contains(number))
                };
                let difference = if let Some(ahead) = word.strip_prefix('+') {
                    discs(ahead)?
                } else if let Some(behind) = word.strip_prefix('-') {
                    -discs(behind)?
                } else {
                    let (first, second) = word.split_once('-')?;
                    let (first, second) = (discs(first)?, discs(second)?);
                    (first + second <= 64).then_some(first - second)?
                };
                return Some(StatedResult::of_discs(difference));
            }
        };
        Some(StatedResult::of(outcome))
    }

    /// Why the result contradicts the moves; `None` if it does not, if the game is unfinished, or
    /// if its end was not decided on the board. A difference of discs may count the empties for
    /// the winner or not.
    pub fn contradiction(&self, game: &AnyGame) -> Option<String> {
        let played = game.outcome()?;
        match self.ending {
            Ending::Normal | Ending::Agreement | Ending::Adjudication => {}
            _ => return None,
        }
        let score = played_score(game);
        let on_board = discs_on_board(game);
        let is_stated = match (self.discs, score) {
            (Some(stated), Some(_)) => [score, on_board].contains(&Some(stated)),
            _ => self.outcome == played,
        };
        let of_moves = StatedResult {
            discs: score,
            ..StatedResult::of(played)
        };
        (!is_stated).then(|| format!("the stated result is {self}, but the moves give {of_moves}"))
    }
}

/// The final score in discs from the first player's point of view, if the game is over and one of
/// discs.
pub fn played_score(game: &AnyGame) -> Option<i32> {
    game.discs()?;
    let score = game.final_score()?.0 / 100;
    Some(if game.to_move() == Player::First {
        score
    } else {
        -score
    })
}

/// The discs of the first player on the board minus those of the second.
fn discs_on_board(game: &AnyGame) -> Option<i32> {
    let discs = game.discs()?;
    Some(discs.black.count_ones() as i32 - discs.white.count_ones() as i32)
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

/// The date in a text of any order-preserving format (`2003.12.15_12:33:18.MST`, `2003-12-??`,
/// `2026-11-25T04:30:00Z`), as far as it is known: `2003-12-15T12:33:18`, with `Z` if it is in UTC.
/// `None` without a year.
pub fn iso_date(text: &str) -> Option<String> {
    let text = text.trim();
    let number = |text: &str, from: usize, digits: usize| {
        let part = text.get(from..from + digits)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| is_number)
    };
    let is_separator = |at: usize| matches!(text.as_bytes().get(at), Some(b'.' | b'-' | b'/'));
    let year = number(text, 0, 4)?;
    let mut date = format!("{year:04}");
    for (at, highest) in [(4, 12), (7, 31)] {
        match number(text, at + 1, 2).filter(|part| (1..=highest).contains(part)) {
            Some(part) if is_separator(at) => date.push_str(&format!("-{part:02}")),
            _ => return Some(date),
        }
    }
    let time = text.get(11..).unwrap_or_default();
    let is_time = matches!(text.as_bytes().get(10), Some(b'T' | b'_' | b' '));
    if let (Some(hour), Some(minute)) = (number(time, 0, 2), number(time, 3, 2))
        && is_time
        && hour < 24
        && minute < 60
    {
        let second = number(time, 6, 2).filter(|&second| second < 60);
        let zone = time.get(if second.is_some() { 8 } else { 5 }..);
        let is_utc = zone.is_some_and(|zone| zone == "Z" || zone == ".UTC" || zone == " UTC");
        let zone = if is_utc { "Z" } else { "" };
        let second = second.unwrap_or_default();
        date.push_str(&format!("T{hour:02}:{minute:02}:{second:02}{zone}"));
    }
    Some(date)
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
            ("2003-12-15", Some("2003-12-15")),
            ("2003/12/15 07:05", Some("2003-12-15T07:05:00")),
            ("2003.12.??", Some("2003-12")),
            ("2003.13.01", Some("2003")),
            ("2003", Some("2003")),
            ("????.??.??", None),
            ("15.12.2003", None),
            ("", None),
            ("2003.1é", Some("2003")),
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
        for text in ["*", "", "65-0", "40-30", "+65", "1", "a-b", "+-3"] {
            assert_eq!(StatedResult::parse(text), None, "{text}");
        }
        // Black has wiped White out after nine moves: +64 with the empties, 13 discs on the board.
        let mut game = by_name("othello").unwrap();
        for word in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            game.play_legal(word).unwrap();
        }
        assert_eq!(played_score(&game), Some(64));
        let found = |word: &str| StatedResult::parse(word).unwrap().contradiction(&game);
        assert_eq!(
            [found("64-0"), found("13-0"), found("1-0")],
            [None, None, None]
        );
        assert_eq!(
            found("0-1").as_deref(),
            Some(
                "the stated result is a win of the second player, but the moves give +64 discs for the first player"
            )
        );
        assert!(found("+12").is_some());
        let on_time = StatedResult {
            ending: Ending::Time,
            ..StatedResult::of(Outcome::SecondWins)
        };
        assert_eq!(on_time.contradiction(&game), None);
        game.undo();
        assert_eq!(
            StatedResult::of(Outcome::SecondWins).contradiction(&game),
            None
        );
    }
}
