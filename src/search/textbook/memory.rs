//! The optional transposition table of the textbook algorithms: probe and store.
//!
//! An entry causes a cutoff only if its draft equals the remaining depth, so that every algorithm
//! returns the minimax value of exactly that depth. The production search also accepts deeper
//! entries.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, to_front};
use crate::search::table::{Draft, Entry, Key};

use super::context::TextbookContext;

/// The result of a table probe; empty without a table or an entry.
#[derive(Clone, Copy, Debug)]
pub struct TableProbe {
    entry: Option<Entry>,
    draft: Draft,
}

impl TableProbe {
    /// The score of a table cutoff, if a search of exactly this depth has stored one for the
    /// window.
    pub fn cutoff(&self, window: Window) -> Option<Score> {
        self.entry
            .filter(|entry| entry.draft == self.draft)?
            .cutoff(window)
    }

    /// The best move of the last search, whatever its depth, or [`Move::NONE`].
    pub fn best_move(&self) -> Move {
        self.entry.map_or(Move::NONE, |entry| entry.moves[0])
    }

    /// The best move, if the table holds the exact value at this depth.
    pub fn exact_move(&self) -> Option<Move> {
        let entry = self
            .entry
            .filter(|entry| entry.draft == self.draft && entry.lower == entry.upper)?;
        (self.draft.depth > 0).then_some(entry.moves[0])
    }

    /// Moves the best move to the front.
    pub fn order(&self, mut moves: MoveList) -> MoveList {
        to_front(&mut moves, self.best_move());
        moves
    }

    /// Moves the best move to the front and the second move after it.
    pub fn order_two(&self, mut moves: MoveList) -> MoveList {
        let [best, second] = self.entry.map_or([Move::NONE; 2], |entry| entry.moves);
        to_front(&mut moves, second);
        to_front(&mut moves, best);
        moves
    }
}

/// The draft of a full-width search; clamped, since no search is deeper than one to the end of the
/// game.
pub fn draft<G: Game>(position: &G, depth: u8) -> Draft {
    Draft::full(depth.min(position.plies_left()))
}

impl<B> TextbookContext<'_, B> {
    /// Probes the table for a search of `depth` plies.
    pub fn probe_table<G: Game>(&self, position: &G, depth: u8) -> TableProbe {
        let entry = self
            .table
            .and_then(|table| table.probe(&Key::of(position.packed())));
        TableProbe {
            entry,
            draft: draft(position, depth),
        }
    }

    /// Stores the result of a search of `window`.
    pub fn store_result<G: Game>(
        &mut self,
        position: &G,
        depth: u8,
        window: Window,
        score: Score,
        best: Move,
    ) {
        if let Some(table) = self.table {
            let key = Key::of(position.packed());
            let is_new = table.store(&key, draft(position, depth), window, score, best);
            self.count_stored(is_new);
        }
    }
}
