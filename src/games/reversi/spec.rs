//! How each Reversi board is listed, evaluated and searched.

use crate::games::spec::{GameSpec, SearchJob};
use crate::search::isa::{Portable, with_isa};
use crate::search::{Answer, AnyWeights};

use super::discs::Discs;
use super::eval::mobility::Mobility;
use super::eval::{OthelloEvaluator, ReversiEvaluator};
use super::kernel::Kernels;
use super::policy::ReversiPolicy;
use super::{DiamondCrossed, DiamondParallel, Eight, Four, Reversi, Shape, Six};

/// What a board adds to its [`Shape`]; the rest of its [`GameSpec`] is common to all boards.
pub trait Board: Shape {
    /// See [`GameSpec::ABOUT`].
    const ABOUT: &'static str;
    /// See [`GameSpec::UCI_VARIANT`].
    const UCI_VARIANT: Option<&'static str> = None;
    /// See [`GameSpec::OPENINGS`].
    const OPENINGS: Option<&'static str> = None;
    /// See [`GameSpec::BENCH`].
    const BENCH: &'static [(usize, u8)] = &[];

    /// The static evaluation.
    type Evaluator: ReversiEvaluator<Self> + Default;

    /// See [`GameSpec::evaluator`].
    fn evaluator(_weights: Option<&AnyWeights>) -> Self::Evaluator {
        Self::Evaluator::default()
    }

    /// See [`GameSpec::search`].
    fn search(position: Reversi<Self>, job: SearchJob<'_, '_>) -> Answer {
        job.run(position, Portable::token())
    }
}

impl Board for Eight {
    const ABOUT: &'static str = "Othello, 8x8";
    const UCI_VARIANT: Option<&'static str> = Some("flipello");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello.txt"));
    const BENCH: &'static [(usize, u8)] =
        &[(0, 12), (7, 11), (16, 11), (25, 11), (32, 11), (39, 12), (44, 16), (47, 13)];

    type Evaluator = OthelloEvaluator;

    fn evaluator(weights: Option<&AnyWeights>) -> OthelloEvaluator {
        OthelloEvaluator::chosen(weights)
    }

    fn search(position: Reversi<Self>, job: SearchJob<'_, '_>) -> Answer {
        with_isa!(job.isa, isa => job.run(position, isa))
    }
}

impl Board for Six {
    const ABOUT: &'static str = "Othello on 6x6";
    const UCI_VARIANT: Option<&'static str> = Some("flipello6");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello6.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 12), (7, 12), (14, 18), (17, 15)];

    type Evaluator = Mobility;

    fn search(position: Reversi<Self>, job: SearchJob<'_, '_>) -> Answer {
        with_isa!(job.isa, isa => job.run(position, isa))
    }
}

impl Board for Four {
    const ABOUT: &'static str = "Othello on 4x4, only discs count";
    const UCI_VARIANT: Option<&'static str> = Some("flipello4");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/othello4.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 12)];

    type Evaluator = Mobility;
}

impl Board for DiamondCrossed {
    const ABOUT: &'static str = "Reversi on a 24-square diamond";
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/diamond.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 14), (3, 17), (8, 12)];

    type Evaluator = Mobility;
}

impl Board for DiamondParallel {
    const ABOUT: &'static str = "the same from the other starting position";
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/diamond2.txt"));
    const BENCH: &'static [(usize, u8)] = DiamondCrossed::BENCH;

    type Evaluator = Mobility;

    /// The positions are those of the other diamond: one compiled search serves both.
    fn search(position: Reversi<Self>, job: SearchJob<'_, '_>) -> Answer {
        position.crossed().search(job)
    }
}

impl<B: Board> GameSpec for Reversi<B> {
    const ABOUT: &'static str = B::ABOUT;
    const UCI_VARIANT: Option<&'static str> = B::UCI_VARIANT;
    const OPENINGS: Option<&'static str> = B::OPENINGS;
    const BENCH: &'static [(usize, u8)] = B::BENCH;

    type Evaluator = B::Evaluator;
    type Policy<I: Kernels> = ReversiPolicy<B, B::Evaluator, I>;

    fn evaluator(weights: Option<&AnyWeights>) -> B::Evaluator {
        B::evaluator(weights)
    }

    fn policy<I: Kernels>(evaluator: B::Evaluator, isa: I, selectivity: Option<u8>) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn search(self, job: SearchJob<'_, '_>) -> Answer {
        B::search(self, job)
    }

    fn discs(&self) -> Option<Discs> {
        Some(self.discs())
    }
}
