//! The evaluation of Othello: patterns ([`patterns`]) that are worth what our own games taught, as a linear sum ([`linear`]) or by a
//! small network ([`network`]); which of the two is the weight file's choice ([`weights`]).
//!
//! Values are expected final disc differences for the side to move. The search gets them in whole discs (MTD(f) pays for every
//! needless step), always short of a wipe-out.
//!
//! # How it came about
//!
//! Every generation learnt from games that the one before played (`scripts/train-othello.sh`); the first players went by mobility.
//! Targets are TD(0.8) but for the first rows (the result alone); error is the mean absolute one on 2,000 positions of 24 empty squares
//! from games of people, which nothing was learnt from. Their exact scores have a standard deviation of 24 discs.
//!
//! | evaluation | positions, depth of their games | error |
//! |---|---|---|
//! | linear, of games by mobility | 3.2 M, 3 | 9.67 |
//! | linear, and half a million by the first | 3.6 M, 3 | 8.30 |
//! | linear, and more | 4.9 M, 3 | 7.83 |
//! | linear, without the games by mobility, TD(0.8) | 1.7 M, 3 | 6.95 |
//! | network, 4 epochs, first steps of 0.02 | 3.3 M, 3 and 4 | 6.44 |
//! | network, 5 epochs, first steps of 0.012 | 4.0 M, 3 and 4 | 6.25 |
//! | network, 6 epochs, first steps of 0.006 | 4.3 M, 3 and 4 | 6.15 |
//! | **the same, of games by that network** | 20.4 M, 4 | **5.49** |
//! | not in the binary: of games by the row above | 61.7 M, 4 | 5.23 |
//! | not in the binary: of these and those before | 80.5 M, 4 | 5.19 |
//!
//! By matches from the built-in openings, colours swapped:
//!
//! | | won, drawn, lost | Elo | discs a game |
//! |---|---|---|---|
//! | second row against mobility, depth 6 | 65, 4, 11 | +285 +- 92 | +25.9 |
//! | sixth against the fourth (linear), depth 6 | 256, 16, 128 | +115 +- 33 | +8.0 |
//! | the same, 30 ms a move | 97, 10, 53 | +98 +- 48 | +4.8 |
//! | seventh against the fourth (linear), depth 6 | 272, 17, 111 | +148 +- 36 | +9.1 |
//! | seventh against the sixth, depth 6 | 205, 11, 184 | +18 +- 31 | +0.5 |
//! | **eighth against the seventh, depth 6** | 241, 21, 138 | **+92 +- 34** | +4.8 |
//! | **the same, 30 ms a move** | 113, 19, 68 | **+80 +- 41** | +3.0 |
//! | 61.7 M positions against 20.4 M, depth 6 | 398, 55, 347 | +22 +- 23 | +1.6 |
//! | 80.5 M positions against 20.4 M, depth 6 | 407, 52, 341 | +29 +- 23 | +1.2 |
//! | the same, 30 ms a move | 99, 34, 67 | +56 +- 43 | +1.2 |
//!
//! What its moves lose, on 1,000 positions of 16 empty squares from self-play whose every move is solved (`nullwindow problems
//! --empties 16 --count 1000 --seed 7`, then `nullwindow train judge`):
//!
//! | | error | depth 1 loses | depth 6 loses |
//! |---|---|---|---|
//! | linear sum (fourth row) | 6.80 | 3.48 | 1.34 |
//! | network of 4.3 M positions | 5.64 | 3.08 | 1.21 |
//! | **network of 20.4 M positions** | **4.86** | **2.96** | **1.15** |
//! | network of 61.7 M positions | 4.85 | 2.75 | 1.08 |
//! | network of 80.5 M positions | 4.79 | 2.69 | 1.08 |
//!
//! With that of 80.5 M FFO #40-#49 take 410 M nodes instead of 461 M; before moves were ordered anew it was 446 M instead of 527 M, in
//! 0.85 of the time. The repository keeps every weight file that was ever in it, so these two stay out; two files of `nullwindow
//! selfplay --depth 4 --games 780000`, seeds 601 and 701, both by the built-in network, and `nullwindow train eval` make the one of
//! 61.7 M positions in an hour and a half of one free core and nine minutes, for `EvalFile`.
//!
//! A search of the network took 1.4 times the processor time of one of the linear sum, node for node, before the rows were added by
//! kernels ([`Kernels::add_row`]). In a loop of nothing else, not kept here, these took half to four fifths of the time of adding them four
//! to a word, least where the rows do not fit the first cache.

use std::sync::{Arc, LazyLock, OnceLock};

pub mod linear;
pub mod mobility;
pub mod network;
pub mod patterns;
pub mod reasons;
pub mod weights;

use crate::game::score::Score;
use crate::game::{Game, Move};
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::{Eight, Othello, Reversi, Shape};
use crate::search;
use crate::search::isa::Portable;
use crate::search::policy::{Evaluate, SolvingCost};
use crate::search::prob_cut::ProbCut;
use crate::search::table::large_pages;

use linear::Linear;
use network::Network;
use patterns::{Indices, OFFSETS, SHAPES, SIZES, shared_rows};
use weights::{PLIES, Weights, WeightsError, checksum};

/// A disc, in score units.
const DISC: i32 = 100;
/// Values stay within this many discs: below every wipe-out.
const LIMIT: i32 = 63;
/// A disc, in the units of the weights.
const UNIT: i32 = 128;

/// Learnt weights, ready to use.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them, behind a pointer")]
pub enum Model {
    /// A sum of one number per pattern.
    Linear(Linear),
    /// The pattern-sum network.
    Network(Network),
}

impl Model {
    /// The value for the side to move after `ply` plies, in 128ths of a disc.
    #[inline(always)]
    pub fn value<K: Kernels>(&self, kernel: K, ply: usize, indices: &Indices) -> i32 {
        match self {
            Model::Linear(linear) => linear.value(ply, indices),
            Model::Network(network) => network.value(kernel, ply, indices),
        }
    }
}

impl From<Weights> for Model {
    fn from(weights: Weights) -> Model {
        match weights {
            Weights::Linear(weights) => Model::Linear(Linear::new(&weights)),
            Weights::Network(weights) => Model::Network(Network::new(&weights)),
        }
    }
}

/// The learnt evaluation; a handle that costs nothing to copy.
#[derive(Clone, Debug)]
pub struct Learnt {
    model: Arc<Model>,
    /// The checksum of its file: who it is.
    id: u64,
}

/// The model of the statistical cut, fitted by `nullwindow train prob-cut` to searches of our own.
static PROB_CUT: LazyLock<ProbCut> = LazyLock::new(|| {
    let text = include_str!("../policy/prob_cut.txt");
    ProbCut::read(text).unwrap_or_default() // a test sees that it can be read
});

/// The weights that the binary carries.
static BUILT_IN: &[u8] = include_bytes!("weights.bin");

impl Default for Learnt {
    /// The evaluation that the binary carries, made ready when it is first asked for.
    fn default() -> Learnt {
        static LEARNT: OnceLock<Learnt> = OnceLock::new();
        let built_in =
            || Learnt::from_file(BUILT_IN).unwrap_or_else(|error| unreachable!("the built-in weights: {error}"));
        LEARNT.get_or_init(built_in).clone()
    }
}

impl Learnt {
    /// The evaluation that a weight file holds.
    pub fn from_file(bytes: &[u8]) -> Result<Learnt, WeightsError> {
        Ok(Learnt { id: checksum(bytes), ..Weights::read(bytes)?.into() })
    }

    /// What it thinks with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A number that tells the evaluation from others.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The evaluation with the weights that a user chose, or the built-in one.
    pub fn chosen(weights: Option<&search::Weights>) -> Learnt {
        weights.and_then(|weights| weights.downcast_ref::<Learnt>().cloned()).unwrap_or_default()
    }

    /// The value of a position for the side to move, in discs and not rounded.
    pub fn discs(&self, position: &Othello) -> f64 {
        f64::from(self.model.value(Portable::token(), ply(position), &Indices::by_rows(position))) / f64::from(UNIT)
    }
}

impl From<Weights> for Learnt {
    fn from(weights: Weights) -> Learnt {
        Learnt { model: Arc::new(weights.into()), id: 0 }
    }
}

/// What a move loses in the ordering, in score units.
#[derive(Clone, Copy)]
pub struct OrderingWeights {
    /// By a legal reply of the opponent (mobility); one into a corner counts twice.
    pub reply: i32,
    /// By an empty square beside a disc of the mover's (potential mobility).
    pub potential: i32,
}

/// An evaluation that kernels make quicker (the values are those of [`Evaluate::score`]), and what its use in move
/// ordering, selective search and time management needs to know of it.
pub trait EvaluateOn<S: Shape>: Evaluate<Reversi<S>> {
    /// What solving costs with moves ordered by this evaluation.
    const SOLVING_COST: SolvingCost;
    /// Whether moves are sorted by mobility before a shallow search tells their values: the margin to the best then prunes more.
    const PRESORTED: bool = false;

    /// The value of a position that is not finished, from its data.
    fn score_on<K: Kernels>(&self, kernel: K, position: &Reversi<S>, data: Self::Data) -> Score;

    /// The statistical cuts that its values allow; `None`: it plays at full width.
    fn prob_cut(&self) -> Option<&'static ProbCut> {
        None
    }

    /// The ordering's weights beside the value, at a node of so many empties, `to_end` where the search reaches the end of
    /// the game.
    fn ordering(empties: u8, to_end: bool) -> OrderingWeights;

    /// The plies of the shallow search that orders moves at a node of so many empties where the search reaches the end of the
    /// game; 0: the static value alone.
    fn shallow_depth(empties: u8) -> u8;
}

/// How many plies led to a position.
#[inline(always)]
pub fn ply(position: &Othello) -> usize {
    (position.stones() as usize).saturating_sub(4).min(PLIES - 1)
}

impl Evaluate<Othello> for Learnt {
    type Data = Indices;
    const GRAIN: i32 = DISC;

    #[inline(always)]
    fn fresh(&self, position: &Othello) -> Indices {
        Indices::fresh(position)
    }

    #[inline(always)]
    fn update(&self, parent: &Othello, data: Indices, m: Move, child: &Othello) -> Indices {
        if m.is_pass() { data.passed() } else { data.played(m.square(), parent.opponent & child.opponent) }
    }

    #[inline(always)]
    fn score(&self, position: &Othello, data: Indices) -> Score {
        self.score_on(Portable::token(), position, data)
    }
}

impl EvaluateOn<Eight> for Learnt {
    // Fitted: see src/search/measurements.md.
    const SOLVING_COST: SolvingCost = SolvingCost { nodes: 2.4e6, plies_left: 22, growth: 2.2 };

    fn prob_cut(&self) -> Option<&'static ProbCut> {
        Some(&PROB_CUT)
    }

    #[inline(always)]
    fn ordering(empties: u8, to_end: bool) -> OrderingWeights {
        if !to_end {
            return OrderingWeights { reply: 60, potential: 20 };
        }
        let reply = match empties {
            0..=14 => 400,
            15..=16 => 250,
            _ => 200,
        };
        OrderingWeights { reply, potential: 75 }
    }

    #[inline(always)]
    fn shallow_depth(empties: u8) -> u8 {
        match empties {
            0..=16 => 0,
            17 => 1,
            18..=19 => 2,
            _ => 3,
        }
    }

    #[inline(always)]
    fn score_on<K: Kernels>(&self, kernel: K, position: &Othello, data: Indices) -> Score {
        // Rounded to whole discs, halves away from zero.
        let value = self.model.value(kernel, ply(position), &data);
        let discs = (value + if value < 0 { -UNIT / 2 } else { UNIT / 2 }) / UNIT;
        Score(DISC * discs.clamp(-LIMIT, LIMIT))
    }
}

/// Something for each index that a u16 can name, shape by shape, so that no look-up needs a check. What no index reaches stays an untouched
/// page.
#[derive(Debug)]
struct Tables<T>(Vec<T>);

/// The places of a shape. Of a power of two, like indices of all shapes would share a set of each cache: early in the game that was most of
/// the second one's misses.
const TABLE: usize = (1 << 16) + 528;

impl<T: Copy> Tables<T> {
    /// Each index of each shape gets what its shared row holds.
    fn expand(zero: T, rows: &[T]) -> Tables<T> {
        let mut tables = Vec::with_capacity(SHAPES * TABLE);
        large_pages(tables.spare_capacity_mut());
        tables.resize(SHAPES * TABLE, zero);
        for (shape, table) in tables.chunks_exact_mut(TABLE).enumerate() {
            let shared = &shared_rows()[OFFSETS[shape]..][..SIZES[shape]];
            for (place, &row) in table.iter_mut().zip(shared) {
                *place = rows[row as usize];
            }
        }
        Tables(tables)
    }

    /// One table for each shape.
    #[inline(always)]
    fn shapes(&self) -> &[[T; TABLE]; SHAPES] {
        match self.0.as_chunks().0.first_chunk() {
            Some(shapes) => shapes,
            None => unreachable!("as many as there are shapes"),
        }
    }
}
