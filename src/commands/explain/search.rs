//! The searches that `explain` records.

use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::games::dispatch::{GameSpec, GameSpecVisitor};
use crate::search::context::Context;
use crate::search::isa::Portable;
use crate::search::policy::{Evaluate, Policy};
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::stop::{Budget, SearchControl, Stopped};
use crate::search::table::Table;
use crate::search::textbook::{Textbook, TextbookContext, TextbookSearch};

use super::record::TreeRecorder;

/// A recorded search and its counters, unless it exceeded the node limit.
pub type Recorded = Result<(TreeRecorder, Counters), Stopped>;

/// A search to be recorded. As a visitor it is the production search of a game, in its portable copy.
#[derive(Clone, Copy)]
pub struct Recording<'a> {
    /// Plies to search.
    pub depth: u8,
    /// The table, if the search has one.
    pub table: Option<&'a Table>,
    /// The most nodes to visit.
    pub limit: u64,
}

impl Recording<'_> {
    /// A search by a textbook algorithm.
    pub fn textbook<G: Game, E: Evaluate<G>>(self, textbook: Textbook, position: G, evaluator: &E) -> Recorded {
        let (control, mut record) = (SearchControl::default(), TreeRecorder::default());
        let mut cx = TextbookContext::new(evaluator, self.table, &control);
        cx.record(&mut record);
        cx.set_budget(self.budget());
        let mut search = TextbookSearch::new(textbook, position, cx);
        search.value(self.depth, Score::ZERO, Window::FULL, &position.moves(), &mut |_, _, _, _| {})?;
        let counters = search.cx.counters;
        Ok((record, counters))
    }

    /// A search of the production loop.
    pub fn production<P: Policy>(self, position: P::Game, policy: &P) -> Recorded {
        let (control, mut record) = (SearchControl::default(), TreeRecorder::default());
        let mut cx = Context::new(policy, self.table, &control);
        cx.record(&mut record);
        cx.set_budget(self.budget());
        let mut search = Production::<Mtdf, P>::new(position, cx);
        let iteration = Iteration::full(self.depth);
        search.value(iteration, Score::ZERO, Window::FULL, &position.moves(), &mut |_, _, _, _| {})?;
        let counters = search.cx.counters;
        Ok((record, counters))
    }

    fn budget(self) -> Budget {
        Budget { nodes: Some(self.limit), ..Budget::default() }
    }
}

impl GameSpecVisitor for Recording<'_> {
    type Output = Recorded;

    fn visit<G: GameSpec>(self, position: G) -> Recorded {
        self.production(position, &G::policy(G::Evaluator::default(), Portable::token(), None))
    }
}
