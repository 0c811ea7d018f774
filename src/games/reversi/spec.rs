//! How each Reversi board is listed, evaluated and searched.

use crate::games::spec::{GameEntry, GameSpec, SearchJob};
use crate::search::core::isa::{Portable, with_isa};

use super::discs::Discs;
use super::eval::mobility::Mobility;
use super::eval::{OthelloEvaluator, ReversiEvaluator};
use super::kernel::Kernels;
use super::policy::ReversiPolicy;
use super::{DiamondCrossed, DiamondParallel, Eight, Four, Reversi, Shape, Six};

/// What a board adds to its [`Shape`]; the rest of its [`GameSpec`] is common to all boards.
pub trait ReversiBoard: Shape {
    /// See [`GameSpec::ENTRY`].
    const ENTRY: GameEntry;

    /// The static evaluation.
    type Evaluator: ReversiEvaluator<Self> + Default;

    /// See [`GameSpec::run`].
    fn run<J: SearchJob>(position: Reversi<Self>, job: J) -> J::Output {
        job.run(position, Portable::token())
    }
}

impl ReversiBoard for Eight {
    const ENTRY: GameEntry = GameEntry {
        uci: Some("flipello"),
        openings: Some(include_str!("../opening_lists/othello.txt")),
        opening_names: Some(include_str!("opening_names.txt")),
        bench: &[
            (0, 12),
            (7, 11),
            (16, 11),
            (25, 11),
            (32, 11),
            (39, 12),
            (44, 16),
            (47, 13),
        ],
        ..GameEntry::new(Self::NAME, "Othello, 8x8")
    };

    type Evaluator = OthelloEvaluator;

    fn run<J: SearchJob>(position: Reversi<Self>, job: J) -> J::Output {
        with_isa!(job.settings().isa, isa => job.run(position, isa))
    }
}

impl ReversiBoard for Six {
    const ENTRY: GameEntry = GameEntry {
        uci: Some("flipello6"),
        openings: Some(include_str!("../opening_lists/othello6.txt")),
        bench: &[(0, 12), (7, 12), (14, 18), (17, 15)],
        ..GameEntry::new(Self::NAME, "Othello on 6x6")
    };

    type Evaluator = Mobility;

    fn run<J: SearchJob>(position: Reversi<Self>, job: J) -> J::Output {
        with_isa!(job.settings().isa, isa => job.run(position, isa))
    }
}

impl ReversiBoard for Four {
    const ENTRY: GameEntry = GameEntry {
        uci: Some("flipello4"),
        openings: Some(include_str!("../opening_lists/othello4.txt")),
        bench: &[(0, 12)],
        ..GameEntry::new(Self::NAME, "Othello on 4x4, only discs count")
    };

    type Evaluator = Mobility;
}

impl ReversiBoard for DiamondCrossed {
    const ENTRY: GameEntry = GameEntry {
        openings: Some(include_str!("../opening_lists/diamond.txt")),
        bench: &[(0, 14), (3, 17), (8, 12)],
        ..GameEntry::new(Self::NAME, "Reversi on a 24-square diamond")
    };

    type Evaluator = Mobility;
}

impl ReversiBoard for DiamondParallel {
    const ENTRY: GameEntry = GameEntry {
        openings: Some(include_str!("../opening_lists/diamond2.txt")),
        bench: DiamondCrossed::ENTRY.bench,
        ..GameEntry::new(Self::NAME, "the same from the other starting position")
    };

    type Evaluator = Mobility;

    /// The positions are those of the other diamond: one compiled search serves both.
    fn run<J: SearchJob>(position: Reversi<Self>, job: J) -> J::Output {
        position.crossed().run(job)
    }
}

impl<B: ReversiBoard> GameSpec for Reversi<B> {
    const ENTRY: GameEntry = B::ENTRY;

    type Evaluator = B::Evaluator;
    type Policy<I: Kernels> = ReversiPolicy<B, B::Evaluator, I>;

    fn policy<I: Kernels>(
        evaluator: B::Evaluator,
        isa: I,
        selectivity: Option<u8>,
    ) -> Self::Policy<I> {
        ReversiPolicy::new(evaluator, isa, selectivity)
    }

    fn run<J: SearchJob>(self, job: J) -> J::Output {
        B::run(self, job)
    }

    fn is_selective(evaluator: &B::Evaluator) -> bool {
        evaluator.prob_cut().is_some()
    }

    fn discs(&self) -> Option<Discs> {
        Some(self.discs())
    }

    fn of_discs(discs: &Discs) -> Option<Self> {
        let (all, both) = (discs.black | discs.white, discs.black & discs.white);
        (both == 0 && all & !B::SQUARES == 0).then(|| Self::of(discs))
    }

    const BOARD: [u8; 3] = [1, Self::GRID.size, Self::GRID.size];

    fn square_of(cell: u8) -> u8 {
        8 * (cell / Self::GRID.size) + cell % Self::GRID.size
    }
}
