//! The rules of all games of a tournament.

use super::adjudicate::{DrawRule, ResignRule};
use super::timeouts::Timeouts;

/// The rules of all games of a tournament.
#[derive(Clone, Debug)]
pub struct MatchRules {
    /// The game's name.
    pub game: String,
    /// Whether an engine that crashes or stalls is restarted (once per game) instead of losing.
    pub recover: bool,
    /// Resign adjudication.
    pub resign: Option<ResignRule>,
    /// Draw adjudication.
    pub draw: Option<DrawRule>,
    /// In Reversi: the number of empties from which the game is solved instead of played.
    pub exact: Option<u8>,
    /// How long the runner waits for engines.
    pub timeouts: Timeouts,
}
