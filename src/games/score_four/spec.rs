//! How Score Four is listed, evaluated and searched.

use crate::games::reversi::kernel::Kernels;
use crate::games::spec::{AutoJob, GameSpec, SolverContext};
use crate::search::endgame_searcher::EndgameSearcher;
use crate::search::isa::with_isa;
use crate::search::searcher::Searcher;
use crate::search::{Answer, AnyWeights};

use super::eval::ScoreFourEvaluator;
use super::policy::ScoreFourPolicy;
use super::{ScoreFour, endgame_adapter, solver};

impl GameSpec for ScoreFour {
    const ABOUT: &'static str = "Score Four: four in a row in a 4x4x4 cube, with gravity";
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/scorefour.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 10), (5, 9), (12, 9), (19, 9), (30, 9)];

    type Evaluator = ScoreFourEvaluator;
    type Policy<I: Kernels> = ScoreFourPolicy<I>;

    fn evaluator(weights: Option<&AnyWeights>) -> ScoreFourEvaluator {
        ScoreFourEvaluator::chosen(weights)
    }

    fn policy<I: Kernels>(evaluator: ScoreFourEvaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ScoreFourPolicy::new(evaluator, isa, selectivity)
    }

    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        Some(endgame_adapter::nodes_to_solve(plies_left))
    }

    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        with_isa!(job.isa, isa => job.run(isa))
    }

    fn with_endgame_solver<'a, S: Searcher + 'a>(
        self,
        searcher: S,
        solver: SolverContext<'a>,
    ) -> Box<dyn Searcher + 'a> {
        let searcher = Box::new(searcher);
        let mebibytes = solver::table::affordable(solver.table.mebibytes());
        with_isa!(solver.isa, isa => {
            let adapter = endgame_adapter::EndgameAdapter { isa, mebibytes, threads: solver.threads };
            Box::new(EndgameSearcher::new(searcher, self, adapter, solver.control))
        })
    }
}
