//! When the endgame solver finishes a position for another searcher ([`crate::search::finishing`]).

use crate::game::Game;
use crate::games::discs::DiscGame;
use crate::score::Score;
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::deepening::Pace;
use crate::search::finishing::{Finish, Finished};

use super::endgame::{Endgame, Goal};

/// Positions with more empty squares than this are left to the other searcher to the end.
const SOLVABLE: u8 = 32;
/// Against a clock the stages in between go up to so many plies before the end: solving takes about as long as they do.
const HEAD_START: u8 = 8;
/// Without a clock they go so deep and no deeper: enough for something to look at.
const FOR_SHOW: u8 = 12;

/// Whether the solver is the one to finish a position.
pub fn solvable<G: Game>(position: &G) -> bool {
    position.plies_left() <= SOLVABLE
}

impl<G: DiscGame> Finish<G> for Endgame<'_> {
    fn begins_after(&self, position: &G, pace: Pace) -> Option<u8> {
        let plies_left = position.plies_left();
        Some(match pace {
            Pace::AtOnce => 0,
            Pace::ByTwos => FOR_SHOW.min(plies_left / 2),
            Pace::Clock | Pace::EveryDepth => plies_left.saturating_sub(HEAD_START),
        })
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        Some(1.4e5 * 1.9_f64.powi(i32::from(plies_left) - 20)) // tuned: see measurements.md of search
    }

    fn finish(
        &mut self,
        position: &G,
        win_loss_draw: bool,
        watch: &Watch,
        budget: Budget,
        before: u64,
    ) -> Result<Finished, Stopped> {
        let (player, opponent) = position.player_and_opponent();
        let (goal, unit) = if win_loss_draw { (Goal::WinLossDraw, G::GRAIN) } else { (Goal::Exact, 100) };
        let solution = self.solve(player, opponent, goal, watch, budget, before)?;
        Ok(Finished { score: Score(unit * solution.score), line: solution.line, nodes: solution.nodes })
    }
}
