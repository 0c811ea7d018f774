//! How each Reversi board is listed, evaluated and searched.

use crate::games::spec::{AutoJob, GameSpec};
use crate::search::isa::with_isa;
use crate::search::{Answer, AnyWeights};

use super::discs::{DiscGame, Discs};
use super::eval::OthelloEvaluator;
use super::eval::mobility::Mobility;
use super::kernel::Kernels;
use super::policy::ReversiPolicy;
use super::{Diamond, Diamond2, DiamondCrossed, DiamondParallel, Eight, Four, Othello, Othello4, Othello6, Six};

impl GameSpec for Othello {
    const ABOUT: &'static str = "Othello, 8x8";
    const UCI_VARIANT: Option<&'static str> = Some("flipello");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello.txt"));
    const BENCH: &'static [(usize, u8)] =
        &[(0, 12), (7, 11), (16, 11), (25, 11), (32, 11), (39, 12), (44, 16), (47, 13)];

    type Evaluator = OthelloEvaluator;
    type Policy<I: Kernels> = ReversiPolicy<Eight, OthelloEvaluator, I>;

    fn evaluator(weights: Option<&AnyWeights>) -> OthelloEvaluator {
        OthelloEvaluator::chosen(weights)
    }

    fn policy<I: Kernels>(evaluator: OthelloEvaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        with_isa!(job.isa, isa => job.run(isa))
    }

    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }
}

impl GameSpec for Othello6 {
    const ABOUT: &'static str = "Othello on 6x6";
    const UCI_VARIANT: Option<&'static str> = Some("flipello6");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello6.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 12), (7, 12), (14, 18), (17, 15)];

    type Evaluator = Mobility;
    type Policy<I: Kernels> = ReversiPolicy<Six, Mobility, I>;

    fn policy<I: Kernels>(evaluator: Mobility, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        with_isa!(job.isa, isa => job.run(isa))
    }

    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }
}

impl GameSpec for Othello4 {
    const ABOUT: &'static str = "Othello on 4x4, only discs count";
    const UCI_VARIANT: Option<&'static str> = Some("flipello4");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello4.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 12)];

    type Evaluator = Mobility;
    type Policy<I: Kernels> = ReversiPolicy<Four, Mobility, I>;

    fn policy<I: Kernels>(evaluator: Mobility, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }
}

impl GameSpec for Diamond {
    const ABOUT: &'static str = "Reversi on a 24-square diamond";
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/diamond.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 14), (3, 17), (8, 12)];

    type Evaluator = Mobility;
    type Policy<I: Kernels> = ReversiPolicy<DiamondCrossed, Mobility, I>;

    fn policy<I: Kernels>(evaluator: Mobility, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }
}

impl GameSpec for Diamond2 {
    const ABOUT: &'static str = "the same from the other starting position";
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/diamond2.txt"));
    const BENCH: &'static [(usize, u8)] = Diamond::BENCH;

    type Evaluator = Mobility;
    type Policy<I: Kernels> = ReversiPolicy<DiamondParallel, Mobility, I>;

    fn policy<I: Kernels>(evaluator: Mobility, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    /// The positions are those of the other diamond: one compiled search serves both.
    fn search(job: AutoJob<'_, '_, Self>) -> Answer {
        let position = job.position.crossed();
        Diamond::search(job.with_position(position))
    }

    fn discs(&self) -> Option<Discs> {
        Some(DiscGame::discs(self))
    }
}
