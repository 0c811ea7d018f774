//! The optional transposition table of the textbook algorithms: one call to probe, one to store.
//!
//! An entry is used only if its draft is exactly the remaining depth, so that every algorithm returns minimax's value
//! at every depth. The production loop also uses deeper entries.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, to_front};
use crate::search::table::{Draft, Entry, Key};

use super::context::TextbookContext;

/// The table's knowledge about a position.
#[derive(Clone, Copy, Debug)]
pub struct TableKnowledge {
    entry: Option<Entry>,
    draft: Draft,
}

impl TableKnowledge {
    /// A score that answers the window, if a search of exactly this depth has stored one.
    #[inline(always)]
    pub fn answer(&self, window: Window) -> Option<Score> {
        self.entry.filter(|entry| entry.draft == self.draft)?.answer(window)
    }

    /// The best move of the last search of any depth, or [`Move::NONE`].
    pub fn best(&self) -> Move {
        self.entry.map_or(Move::NONE, |entry| entry.moves[0])
    }

    /// The best move if the exact value at this depth is known.
    pub fn exact_best(&self) -> Option<Move> {
        let entry = self.entry.filter(|entry| entry.draft == self.draft && entry.lower == entry.upper)?;
        (self.draft.depth > 0).then_some(entry.moves[0])
    }

    /// The moves, the table's best move first.
    pub fn first(&self, mut moves: MoveList) -> MoveList {
        to_front(&mut moves, self.best());
        moves
    }

    /// The moves, the table's best move first and its second move behind it.
    pub fn first_two(&self, mut moves: MoveList) -> MoveList {
        let [best, second] = self.entry.map_or([Move::NONE; 2], |entry| entry.moves);
        to_front(&mut moves, second);
        to_front(&mut moves, best);
        moves
    }
}

/// The draft of a full-width search. A search beyond the end of the game is no deeper than one to the end.
#[inline(always)]
pub fn draft<G: Game>(position: &G, depth: u8) -> Draft {
    Draft::full(depth.min(position.plies_left()))
}

fn key<G: Game>(position: &G) -> Key {
    Key { hash: Game::hash(position), words: position.packed(), symmetry: 0 }
}

impl<B> TextbookContext<'_, B> {
    /// Probes the table for a search of `depth` plies; knows nothing without a table.
    #[inline(always)]
    pub fn recall<G: Game>(&self, position: &G, depth: u8) -> TableKnowledge {
        let entry = self.table.and_then(|table| table.probe(&key(position)));
        TableKnowledge { entry, draft: draft(position, depth) }
    }

    /// Stores the result of a search of `window`.
    #[inline(always)]
    pub fn remember<G: Game>(&mut self, position: &G, depth: u8, window: Window, score: Score, best: Move) {
        if let Some(table) = self.table {
            let is_new = table.store(&key(position), draft(position, depth), window, score, best);
            self.count_stored(is_new);
        }
    }
}
