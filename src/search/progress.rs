//! What a running search reports, and to whom.

use std::sync::Arc;
use std::time::Duration;

use crate::game::Move;
use crate::game::score::{Bound, Score};

use super::stats::Counters;
use super::stop::Watch;

/// What a search says while it runs, at the end of an iteration or when a bound of one moved.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Depth of the iteration, in plies that cost depth.
    pub depth: u8,
    /// The largest distance from the root reached, in moves.
    pub seldepth: u8,
    /// Selectivity in percent; 100 is full width.
    pub selectivity: u8,
    /// Which of several lines this is, from 1.
    pub multi_pv: usize,
    /// How many lines are searched.
    pub lines: usize,
    /// The score for the side to move at the root.
    pub score: Score,
    /// What the score is; an iteration is finished when it is [`Bound::Exact`].
    pub bound: Bound,
    /// Counted since the search began.
    pub counters: Counters,
    /// Since the command arrived.
    pub elapsed: Duration,
    /// Share of the table filled by this search, in permille.
    pub hashfull: u32,
    /// The principal variation; where the score is a bound, the best move so far.
    pub pv: Vec<Move>,
}

/// What a search is given by those who start it: how to stop it, and whom to tell.
pub struct Observer<'o> {
    /// Shared with whoever may stop the search.
    pub watch: Arc<Watch>,
    /// Called with every progress.
    pub report: &'o mut dyn FnMut(&Progress),
}
