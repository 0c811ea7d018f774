//! The hand-made evaluation of every Reversi board: mobility, corners, frontier and edges.
//!
//! Linear in features that are cheap to count. It plays the boards that have no learned evaluation,
//! and orders moves there. Its weights are a least-squares fit to results of self-play, in tenths
//! of a disc; values are whole discs.

use std::sync::LazyLock;

use crate::game::score::Score;
use crate::games::reversi::kernel::{Kernels, spread};
use crate::games::reversi::policy::cuts;
use crate::games::reversi::stability::{edge_balance, on_edges};
use crate::games::reversi::{Reversi, Shape};
use crate::search::core::isa::Portable;
use crate::search::core::policy::{Evaluate, SolvingCost};
use crate::search::prob_cut::ProbCut;
use crate::search::table::Draft;

use super::evaluator::{OrderingPenalties, ReversiEvaluator};
use super::scale::{DISC, LIMIT};

/// The weight of each feature, in tenths of a disc.
struct MobilityWeights {
    /// A legal move of the side to move, and of the other side.
    moves: (i32, i32),
    /// A legal move into a corner.
    corner_moves: (i32, i32),
    /// A disc beside an empty square.
    frontier: (i32, i32),
    /// A stable disc on an edge.
    stable: i32,
    /// A corner (counted on both of its edges).
    corner: i32,
}

/// With a table of the stable discs on edges.
const WITH_EDGES: MobilityWeights = MobilityWeights {
    moves: (15, 13),
    corner_moves: (48, 40),
    frontier: (10, 11),
    stable: 15,
    corner: 15,
};
/// Without one: the fit without stable discs.
const WITHOUT_EDGES: MobilityWeights = MobilityWeights {
    moves: (22, 19),
    corner_moves: (45, 36),
    frontier: (8, 9),
    stable: 0,
    corner: 51,
};

/// Edge terms of a line of eight squares, by `player << 8 | opponent`.
static EDGE_TERMS: [i16; 1 << 16] = {
    let mut all = [0; 1 << 16];
    let mut player = 0;
    while player < 256 {
        let mut opponent = 0;
        while opponent < 256 {
            if player & opponent == 0 {
                let (stable, corners) = edge_balance(player, opponent);
                all[player << 8 | opponent] =
                    (WITH_EDGES.stable * stable + WITH_EDGES.corner * corners) as i16;
            }
            opponent += 1;
        }
        player += 1;
    }
    all
};

/// The model of the statistical cut on the 6x6 board.
static PROB_CUT_SIX: LazyLock<ProbCut> = LazyLock::new(|| cuts::SIX.read());

/// The evaluation by mobility, corners, frontier and edges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Mobility;

/// The value for `player`, who is to move, in tenths of a disc.
#[inline(always)]
pub fn tenths<K: Kernels, B: Shape>(kernel: K, player: u64, opponent: u64) -> i32 {
    let weights = const {
        if B::EDGE == 8 {
            WITH_EDGES
        } else {
            WITHOUT_EDGES
        }
    };
    let moves = kernel.legal(player, opponent) & B::SQUARES;
    let replies = kernel.legal(opponent, player) & B::SQUARES;
    let frontier = spread(B::empty(player, opponent));
    let count = |set: u64| set.count_ones() as i32;
    let edges = if B::EDGE == 8 {
        on_edges(player, opponent, &EDGE_TERMS)
    } else {
        2 * weights.corner * (count(player & B::CORNERS) - count(opponent & B::CORNERS))
    };
    weights.moves.0 * count(moves) - weights.moves.1 * count(replies)
        + weights.corner_moves.0 * count(moves & B::CORNERS)
        - weights.corner_moves.1 * count(replies & B::CORNERS)
        - weights.frontier.0 * count(frontier & player)
        + weights.frontier.1 * count(frontier & opponent)
        + edges
}

impl<S: Shape> Evaluate<Reversi<S>> for Mobility {
    type Data = ();
    const GRAIN: i32 = DISC; // measured: see ../policy/measurements.md#whole-discs

    #[inline(always)]
    fn fresh(&self, _position: &Reversi<S>) {}

    #[inline(always)]
    fn score(&self, position: &Reversi<S>, data: ()) -> Score {
        self.score_on(Portable::token(), position, data)
    }
}

impl<S: Shape> ReversiEvaluator<S> for Mobility {
    #[inline(always)]
    fn score_on<K: Kernels>(&self, kernel: K, position: &Reversi<S>, _data: ()) -> Score {
        let discs = tenths::<K, S>(kernel, position.player, position.opponent) / 10;
        Score((DISC * discs).clamp(-LIMIT * DISC, LIMIT * DISC))
    }

    // Fitted: see src/search/measurements.md.
    const SOLVING_COST: SolvingCost = SolvingCost {
        nodes: 1.4e5,
        plies_left: 20,
        growth: 1.9,
    };
    const PRESORTED: bool = true;
    const MIDGAME_LEVEL: u8 = Draft::FULL; // measured: see ../policy/measurements.md#small-boards

    fn prob_cut(&self) -> Option<&'static ProbCut> {
        (S::COUNT == 36).then(|| &*PROB_CUT_SIX)
    }

    #[inline(always)]
    fn ordering(_empties: u8, _to_end: bool) -> OrderingPenalties {
        OrderingPenalties {
            mobility: 200,
            potential_mobility: 75,
        }
    }

    #[inline(always)]
    fn shallow_depth(empties: u8, _margin: i32) -> u8 {
        match empties {
            0..=15 => 1,
            16..=19 => 2,
            _ => 3,
        }
    }
}
