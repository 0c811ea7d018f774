//! The context of the textbook searches: evaluator, triangular PV table and the search state
//! ([`SearchState`]).

use std::ops::{Deref, DerefMut};

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::search::core::policy::Evaluate;
use crate::search::state::SearchState;
use crate::search::stop::{SearchControl, Stopped};
use crate::search::table::Table;
use crate::search::trace::ReturnReason;

/// The context of a textbook search.
pub struct TextbookContext<'a, E> {
    /// Evaluates leaves.
    pub evaluator: &'a E,
    /// The PV from each ply.
    pub pv: PvTable,
    search: SearchState<'a>,
}

impl<'a, E> TextbookContext<'a, E> {
    /// A context without trace and limits; only the stop flag ends the search.
    pub fn new(evaluator: &'a E, table: Option<&'a Table>, control: &'a SearchControl) -> Self {
        TextbookContext {
            evaluator,
            pv: PvTable::default(),
            search: SearchState::new(table, control),
        }
    }
}

impl<E> TextbookContext<'_, E> {
    /// Counts a node. Returns the score of a leaf: the final score if the game is over, the static
    /// evaluation at depth 0; `None` for an inner node.
    pub fn enter_node<G: Game>(
        &mut self,
        position: &G,
        depth: u8,
        ply: u8,
        window: Window,
    ) -> Result<Option<Score>, Stopped>
    where
        E: Evaluate<G>,
    {
        self.enter(ply)?;
        self.trace_enter(window, depth);
        let (score, reason) = match position.final_score() {
            Some(score) => (score, ReturnReason::Finished),
            None if depth == 0 => (self.evaluator.evaluate(position), ReturnReason::Static),
            None => return Ok(None),
        };
        self.trace_leave(score, reason);
        Ok(Some(self.leaf(score)))
    }
}

impl<'a, E> Deref for TextbookContext<'a, E> {
    type Target = SearchState<'a>;

    fn deref(&self) -> &SearchState<'a> {
        &self.search
    }
}

impl<E> DerefMut for TextbookContext<'_, E> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.search
    }
}

/// Triangular PV table: row `ply` holds the PV from that ply. A new best move at `ply` is followed
/// by a copy of row `ply + 1`.
#[derive(Clone, Debug)]
pub struct PvTable {
    rows: Vec<Vec<Move>>,
}

/// The longest game in plies, passes included, plus one.
const ROWS: usize = 130;

impl Default for PvTable {
    fn default() -> Self {
        PvTable {
            rows: vec![Vec::new(); ROWS],
        }
    }
}

impl PvTable {
    /// Clears the PV at `ply`.
    pub fn clear(&mut self, ply: u8) {
        self.rows[usize::from(ply)].clear();
    }

    /// Sets the PV at `ply` to `m` followed by the PV at `ply + 1`.
    pub fn update(&mut self, ply: u8, m: Move) {
        let (head, tail) = self.rows.split_at_mut(usize::from(ply) + 1);
        let row = &mut head[usize::from(ply)];
        row.clear();
        row.push(m);
        row.extend_from_slice(&tail[0]);
    }

    /// The PV from the root.
    pub fn root(&self) -> &[Move] {
        &self.rows[0]
    }
}
