//! Why games end and what engines do wrong: terminations (the names are those of the record) and
//! faults.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a game ended.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// By the rules of the game.
    #[default]
    Normal,
    /// An engine played an illegal move, or a word that is not a move.
    IllegalMove,
    /// An engine replied to a query about the position incorrectly, or not at all.
    WrongQuery,
    /// A move exceeded the clock or the time per move.
    TimeForfeit,
    /// An engine's process ended by a signal or with a nonzero exit status.
    Crash,
    /// An engine's process exited with status zero.
    EarlyExit,
    /// An engine closed its standard output but is still running.
    ClosedOutput,
    /// An engine is running but does not reply, or does not read its input.
    Stall,
    /// An engine replies to `isready`, but its search returned no move.
    MissingBestmove,
    /// An engine rejected a command of its protocol.
    ProtocolError,
    /// The players, who judge the game, answered a query differently.
    Disagreement,
    /// A third engine, which judges the game, failed or contradicted both players.
    RefereeFault,
    /// An engine resigned.
    Resign,
    /// Adjudicated: lost for one side by the engines' scores.
    AdjudicatedResign,
    /// Adjudicated: drawn by the engines' scores or by its number of moves.
    AdjudicatedDraw,
    /// Adjudicated: the position was solved.
    AdjudicatedExact,
}

impl Termination {
    /// Whether a fault ended the game; such a game gets a log file.
    pub fn is_abnormal(self) -> bool {
        use Termination::*;
        !matches!(
            self,
            Normal | Resign | AdjudicatedResign | AdjudicatedDraw | AdjudicatedExact
        )
    }

    /// Whether the game can continue with a new process (`--recover`); time forfeits and illegal
    /// moves are final.
    pub fn can_be_recovered(self) -> bool {
        use Termination::*;
        matches!(
            self,
            Crash | EarlyExit | ClosedOutput | Stall | MissingBestmove
        )
    }

    /// Whether the game has no result, and no player lost it.
    pub fn is_unjudged(self) -> bool {
        matches!(self, Termination::Disagreement | Termination::RefereeFault)
    }

    /// Whether the engine's process is unusable for further games.
    pub fn ends_process(self) -> bool {
        self.can_be_recovered() || self == Termination::ProtocolError
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f) // the name in the record
    }
}

/// A fault of one engine. Other errors of an exchange with an engine end the tournament: it was
/// interrupted, an engine cannot start, a ply cannot be recorded, or the like.
#[derive(Clone, PartialEq, Eq, Debug, Error, Serialize, Deserialize)]
#[error("{reason}: {detail}")]
pub struct Fault {
    /// The termination that it causes.
    pub reason: Termination,
    /// Details for the user.
    pub detail: String,
}

impl Fault {
    /// A fault with its detail.
    pub fn new(reason: Termination, detail: impl Into<String>) -> Fault {
        Fault {
            reason,
            detail: detail.into(),
        }
    }
}

/// The tournament was interrupted.
#[derive(Debug, Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Whether the user interrupted what failed.
pub fn is_interrupt(error: &anyhow::Error) -> bool {
    error.is::<Interrupted>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_names_are_those_of_the_record() {
        assert_eq!(Termination::IllegalMove.to_string(), "illegal-move");
        assert_eq!(
            serde_json::to_string(&Termination::TimeForfeit).unwrap(),
            "\"time-forfeit\""
        );
        assert!(!Termination::Normal.is_abnormal() && Termination::Stall.is_abnormal());
    }
}
