//! The library's entry points: search any [`Game`] with any evaluator by the production search.

use std::sync::Arc;

use crate::game::Game;

use super::core::context::Context;
use super::core::isa::{IsaChoice, with_isa};
use super::core::policy::Evaluate;
use super::deepening::think;
use super::generic_policy::GenericPolicy;
use super::production::{Mtdf, Production};
use super::stop::SearchControl;
use super::table::Table;
use super::{Answer, Limits, Observer};

/// MiB of the table of [`best_move`].
const TABLE_MIB: usize = 16;

/// Searches a position within the limits by iterative deepening and MTD(f). Returns the best move with its score and
/// principal variation. Without limits, the search runs to the end of the game. A finished game has no best move.
///
/// Allocates a transposition table for this search; see [`search_game`] to reuse one.
pub fn best_move<G: Game, E: Evaluate<G>>(position: &G, evaluator: &E, limits: &Limits) -> Answer {
    let mut observer = Observer { control: Arc::new(SearchControl::default()), report: &mut |_| {} };
    search_game(position, evaluator, limits, &Table::new(TABLE_MIB), &mut observer)
}

/// [`best_move`] with a table that is reused between searches (calls [`Table::new_search`]), a control to stop the
/// search, and a report after each iteration.
pub fn search_game<G: Game, E: Evaluate<G>>(
    position: &G,
    evaluator: &E,
    limits: &Limits,
    table: &Table,
    observer: &mut Observer<'_>,
) -> Answer {
    table.new_search();
    let control = observer.control.clone();
    with_isa!(IsaChoice::Auto, isa => {
        let policy = GenericPolicy::new(evaluator.clone(), isa);
        let mut search = Production::<Mtdf, _>::new(*position, Context::new(&policy, Some(table), &control));
        think(&mut search, limits, true, observer)
    })
}
