//! Searching a game of one's own: any rules, any evaluation, the production loop with its generic policy.

use std::sync::Arc;

use crate::game::Game;

use super::context::Context;
use super::deepening::think;
use super::generic_policy::GenericPolicy;
use super::isa::{IsaChoice, with_isa};
use super::policy::Evaluate;
use super::production::{Mtdf, Production};
use super::stop::SearchControl;
use super::table::Table;
use super::{Answer, Limits, Observer};

/// MiB of the table of [`best_move`].
const TABLE_MIB: usize = 16;

/// The best move of a position, with its score and principal variation, within the limits: iterative deepening by
/// MTD(f) with a table of its own. Without limits the search ends with the game; a finished game has no best move.
pub fn best_move<G: Game, E: Evaluate<G>>(position: &G, evaluator: &E, limits: &Limits) -> Answer {
    let mut observer = Observer { control: Arc::new(SearchControl::default()), report: &mut |_| {} };
    search_game(position, evaluator, limits, &Table::new(TABLE_MIB), &mut observer)
}

/// The same with a table to keep from one search to the next ([`Table::new_search`] is called), a control to stop the
/// search by, and reports of each iteration.
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
