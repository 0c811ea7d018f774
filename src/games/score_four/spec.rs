//! How Score Four is listed, evaluated and searched.

use crate::game::Game;
use crate::games::reversi::kernel::Kernels;
use crate::games::spec::{GameEntry, GameSpec, SearchJob};
use crate::search::core::isa::with_isa;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::searcher::Searcher;
use crate::search::stop::SearchControl;

use super::endgame_searcher::{self, EndgameSearcher};
use super::eval::ScoreFourEvaluator;
use super::policy::ScoreFourPolicy;
use super::{LINES, ScoreFour, solver};

impl GameSpec for ScoreFour {
    const ENTRY: GameEntry = GameEntry {
        openings: Some(include_str!("../opening_lists/scorefour.txt")),
        bench: &[(0, 10), (5, 9), (12, 9), (19, 9), (30, 9)],
        ..GameEntry::new(
            Self::NAME,
            "Score Four: four in a row in a 4x4x4 cube, with gravity",
        )
    };

    type Evaluator = ScoreFourEvaluator;
    type Policy<I: Kernels> = ScoreFourPolicy<I>;

    fn policy<I: Kernels>(
        evaluator: ScoreFourEvaluator,
        isa: I,
        selectivity: Option<u8>,
    ) -> Self::Policy<I> {
        ScoreFourPolicy::new(evaluator, isa, selectivity)
    }

    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        Some(endgame_searcher::nodes_to_solve(plies_left))
    }

    fn run<J: SearchJob>(self, job: J) -> J::Output {
        with_isa!(job.settings().isa, isa => job.run(self, isa))
    }

    fn with_endgame_solver<'a, I: Kernels>(
        self,
        searcher: Box<dyn Searcher + 'a>,
        isa: I,
        mebibytes: usize,
        control: &'a SearchControl,
        threads: &'a ThreadBudget,
    ) -> Box<dyn Searcher + 'a> {
        let mebibytes = solver::table::affordable(mebibytes);
        Box::new(EndgameSearcher::new(
            searcher, self, isa, mebibytes, control, threads,
        ))
    }

    const BOARD: [u8; 3] = [4, 4, 4];

    fn square_of(cell: u8) -> u8 {
        cell
    }

    fn winning_line(&self) -> Option<u64> {
        LINES.into_iter().find(|line| self.other & line == *line)
    }
}
