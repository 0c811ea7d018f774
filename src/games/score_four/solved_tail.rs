//! When the solver finishes a position for another searcher ([`crate::search::finishing`]).

use crate::game::Game;
use crate::game::score::Score;
use crate::games::score_four::ScoreFour;
use crate::search::deepening::Pace;
use crate::search::finishing::{Finish, Finished};
use crate::search::isa::Isa;
use crate::search::stop::{Budget, Stopped, Watch};

use super::solver::{Goal, solve};

/// Against a clock positions are solved from so many stones on: with fewer the time is better spent on depth.
const SOLVED_IN_TIME: i32 = 26;
/// Without a clock from so many on: with fewer it takes hours.
const SOLVED: i32 = 18;
/// Before solving, the other searcher goes so deep.
const BEFORE: u8 = 8;

/// The solver with an instruction set and room for its tables.
pub struct Finisher<I> {
    /// The instruction set's token.
    pub isa: I,
    /// MiB of the tables.
    pub mebibytes: usize,
}

impl<I: Isa> Finish<ScoreFour> for Finisher<I> {
    fn begins_after(&self, position: &ScoreFour, pace: Pace) -> Option<u8> {
        let (from, before) = match pace {
            Pace::AtOnce => (0, 0),
            Pace::ByTwos => (SOLVED, BEFORE),
            Pace::Clock | Pace::EveryDepth => (SOLVED_IN_TIME, BEFORE),
        };
        (position.stones() >= from).then(|| before.min(position.plies_left() / 2))
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        let stones = 64 - i32::from(plies_left);
        (stones >= SOLVED_IN_TIME).then(|| 6e6 * 1.75_f64.powi(26 - stones)) // see measurements.md of search
    }

    fn finish(
        &mut self,
        position: &ScoreFour,
        win_loss_draw: bool,
        watch: &Watch,
        budget: Budget,
        before: u64,
    ) -> Result<Finished, Stopped> {
        let goal = if win_loss_draw { Goal::WinLossDraw } else { Goal::Distance };
        let solution = solve(self.isa, position, goal, self.mebibytes, watch, budget, before)?;
        let score = match solution.plies {
            Some(plies) => Score(-solution.value * Score::lost_at(position.stones() + i32::from(plies)).0),
            None => Score(solution.value * ScoreFour::GRAIN),
        };
        Ok(Finished { score, line: solution.line, nodes: solution.nodes })
    }
}
