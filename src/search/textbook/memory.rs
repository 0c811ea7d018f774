//! The table as the textbook algorithms use it: an optional part, asked and told in one line each.
//!
//! Here an entry counts only where it gives what a search of exactly the remaining depth would give, so that every
//! algorithm equals minimax at every depth.

use crate::game::{Game, Move, MoveList};
use crate::score::{Score, Window};
use crate::search::context::Context;
use crate::search::table::{Draft, Entry, Key};

/// What the table said about a position.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    entry: Option<Entry>,
    draft: Draft,
}

impl Known {
    /// A score that already answers the window, from a search of exactly this depth.
    #[inline(always)]
    pub fn answer(&self, window: Window) -> Option<Score> {
        self.entry.filter(|entry| entry.draft == self.draft)?.answer(window)
    }

    /// The best move of an earlier search of any depth, or [`Move::NONE`].
    pub fn best(&self) -> Move {
        self.entry.map_or(Move::NONE, |entry| entry.moves[0])
    }

    /// The best move if the value is known exactly at this depth.
    pub fn exact_best(&self) -> Option<Move> {
        let entry = self.entry.filter(|entry| entry.draft == self.draft && entry.lower == entry.upper)?;
        (self.draft.depth > 0).then_some(entry.moves[0])
    }

    /// The moves with that best move in front.
    pub fn first(&self, mut moves: MoveList) -> MoveList {
        to_front(&mut moves, self.best());
        moves
    }

    /// The moves with that best move in front, and behind it the one that was best before.
    pub fn first_two(&self, mut moves: MoveList) -> MoveList {
        let [best, second] = self.entry.map_or([Move::NONE; 2], |entry| entry.moves);
        to_front(&mut moves, second);
        to_front(&mut moves, best);
        moves
    }
}

/// Brings a move to the front of a list if it is there; the others keep their order.
pub fn to_front(moves: &mut [Move], m: Move) {
    if let Some(index) = moves.iter().position(|&other| other == m) {
        moves[..=index].rotate_right(1);
    }
}

/// The draft of a full-width search: deeper than the game is not deeper than its end.
#[inline(always)]
pub fn draft<G: Game>(position: &G, depth: u8) -> Draft {
    Draft::full(depth.min(position.plies_left()))
}

fn key<G: Game>(position: &G) -> Key {
    Key { hash: Game::hash(position), words: position.packed(), symmetry: 0 }
}

impl<B> Context<'_, B> {
    /// What the table knows of a position to be searched `depth` plies deep; nothing without a table.
    #[inline(always)]
    pub fn recall<G: Game>(&self, position: &G, depth: u8) -> Known {
        let entry = self.table.and_then(|table| table.probe(&key(position)));
        Known { entry, draft: draft(position, depth) }
    }

    /// Tells the table what a search of `window` found.
    #[inline(always)]
    pub fn remember<G: Game>(&self, position: &G, depth: u8, window: Window, score: Score, best: Move) {
        if let Some(table) = self.table {
            table.store(&key(position), draft(position, depth), window, score, best);
        }
    }
}
