//! The state of the engine ([`State`]), and its part that decides which request can be handled next ([`Activity`]).

use std::sync::Arc;
use std::time::Instant;

use super::active_search::ActiveSearch;
use super::event::{Event, Player};
pub use super::purpose::EndsBy;
use crate::games::any::AnyGame;
use crate::search::stop::SearchControl;

/// The current job of the search thread.
pub enum State {
    /// None.
    Idle,
    /// A job on the transposition table, or `isready`, which waits for it; the event is sent at its end.
    Preparing(Event),
    /// A search.
    Searching(Box<ActiveSearch>),
    /// A perft.
    Perft(ActivePerft),
    /// The bench.
    Bench {
        /// Its stop signal.
        control: Arc<SearchControl>,
    },
}

impl State {
    /// Signals the search thread to stop, if its job can be stopped.
    pub fn stop(&self) {
        match self {
            State::Idle | State::Preparing(_) => {}
            State::Searching(search) => search.stop(),
            State::Perft(ActivePerft { control, .. }) | State::Bench { control } => control.stop(),
        }
    }

    /// Whether a job is running that was not stopped and can be.
    pub fn can_stop(&self) -> bool {
        match self {
            State::Idle | State::Preparing(_) => false,
            State::Searching(search) => !search.control.stopped(),
            State::Perft(ActivePerft { control, .. }) | State::Bench { control } => !control.stopped(),
        }
    }

    /// The activity for the request queue.
    pub fn activity(&self) -> Activity {
        match self {
            State::Idle => Activity::Idle,
            State::Preparing(_) => Activity::Preparing,
            State::Searching(search) => Activity::Searching(search.ends_by()),
            State::Perft(_) | State::Bench { .. } => Activity::Searching(EndsBy::Itself),
        }
    }
}

/// A running perft.
pub struct ActivePerft {
    /// The root position.
    pub root: AnyGame,
    /// Depth in plies.
    pub depth: u32,
    /// When the command arrived.
    pub started: Instant,
    /// Its stop signal.
    pub control: Arc<SearchControl>,
}

/// A request for a move of a given player.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveRequest {
    pub player: Player,
    /// Whether the move is played on the board.
    pub play: bool,
    pub arrived: Instant,
}

/// The activity of the engine, which decides which request is handled next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// None: any request.
    Idle,
    /// A job on the table: no request.
    Preparing,
    /// A job that `stop` ends: urgent requests.
    Searching(EndsBy),
}
