//! How a game ended.

use super::game_record::GameResult;
use super::termination::{Fault, Termination};
use crate::game::Player;
use crate::game::score::Score;

/// How a game ended.
pub struct GameEnd {
    /// The result.
    pub result: GameResult,
    /// Why it ended.
    pub reason: Termination,
    /// The side at fault.
    pub fault_by: Option<Player>,
    /// Details for the user.
    pub detail: Option<String>,
    /// The final score of the side to move, if played out or solved.
    pub score: Option<Score>,
}

impl GameEnd {
    /// An end without a fault.
    pub fn new(result: GameResult, reason: Termination) -> GameEnd {
        GameEnd { result, reason, fault_by: None, detail: None, score: None }
    }

    /// An end by a fault of a side.
    pub fn by_fault(by: Player, fault: Fault) -> GameEnd {
        GameEnd {
            fault_by: Some(by),
            detail: Some(fault.detail),
            ..GameEnd::new(GameResult::win(by.other()), fault.reason)
        }
    }
}
