//! Six to twelve empty squares: mobility and parity order the moves, a private cache answers what comes again.

use std::marker::PhantomData;

use arrayvec::ArrayVec;

use crate::games::reversi::board::Board;
use crate::games::reversi::kernel::{Kernels, Legal};
use crate::games::reversi::stability;
use crate::search::isa::Task;

use super::cache::Cache;
use super::last::NONE;
use super::shallow::{SHALLOW, Shallow};

/// The most empty squares that are searched here. Fewer cost time (the order of the deep search is dearer), more cost
/// nodes: 12 saved a quarter of the time of 11 on eight of FFO #40-#49 where an evaluation orders above, and 3 % of the nodes;
/// 13 cost 11 % more nodes in the same time.
pub const MIDDLE: u32 = 12;

/// What a legal reply of the opponent costs in the order of moves, a reply in a corner twice that.
const REPLY: i32 = 16;
/// What a quadrant with an odd number of empty squares is worth.
const ODD: i32 = 8;

/// Below every rank: a move that was searched, or none.
const TAKEN: i32 = i32::MIN;

/// What the search carries.
pub struct Private<'a> {
    /// Nodes so far.
    pub nodes: u64,
    /// With more nodes than this the search comes to its end at once, and its answer means nothing ([`Private::exhausted`]).
    pub limit: u64,
    /// The private table.
    pub cache: &'a mut Cache,
}

impl Private<'_> {
    /// Whether the limit was passed: whatever came back since then is to be thrown away.
    #[inline(always)]
    pub fn exhausted(&self) -> bool {
        self.nodes > self.limit
    }
}

/// A move of this search: the position behind it and the replies there.
#[derive(Clone, Copy)]
struct Move {
    square: u32,
    own: u64,
    other: u64,
    replies: u64,
}

/// The highest of the ranks, without branches that nobody can foretell.
#[inline(always)]
fn highest(ranks: &[i32; 16]) -> i32 {
    ranks.iter().copied().fold(TAKEN, i32::max)
}

/// A null-window search of [`MIDDLE`] empties or fewer that does not look at the stop flag.
pub struct Middle<'m, 'c, K, B> {
    /// The kernels.
    pub kernel: K,
    /// The board.
    pub board: PhantomData<B>,
    /// What the search carries.
    pub cx: &'m mut Private<'c>,
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
    /// The null window lies above it, in discs.
    pub alpha: i32,
    /// The quadrants with an odd number of empties.
    pub odd: u64,
    /// The legal moves: they were counted to order the position.
    pub moves: u64,
}

impl<K: Kernels, B: Board> Task for Middle<'_, '_, K, B> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Middle { kernel, board, cx, player, opponent, alpha, odd, mut moves } = self;
        cx.nodes += 1;
        if cx.exhausted() {
            return alpha; // for who asked this is a move that cuts: all end at once
        }
        let empties = B::empty(player, opponent).count_ones();
        if let Some(most) = stability::bound::<K, B>(kernel, player, opponent, alpha, empties) {
            return most;
        }
        let known = cx.cache.probe(player, opponent);
        if let Some(score) = known.and_then(|known| known.answer(alpha)) {
            return score;
        }
        if moves == 0 {
            let moves = kernel.legal(opponent, player) & B::SQUARES;
            if moves == 0 {
                cx.nodes += 1;
                return B::count(player, opponent);
            }
            let (player, opponent) = (opponent, player);
            return -kernel.call(Middle { kernel, board, cx, player, opponent, alpha: -alpha - 1, odd, moves });
        }
        let mut best = NONE;
        let mut best_square = 64;
        // The cached move first: if it is enough, the others are never generated.
        if let Some(square) = known.map(|known| u32::from(known.best)).filter(|&square| square < 64) {
            moves &= !(1 << square);
            let flips = kernel.flips(player, opponent, square);
            let (own, other) = (opponent ^ flips, player | flips | 1 << square);
            let odd = odd ^ B::QUADRANTS[square as usize & 63];
            (best, best_square) = (-descend::<K, B>(kernel, cx, own, other, -alpha - 1, empties - 1, odd), square);
        }
        if best <= alpha {
            let mut list = ArrayVec::<Move, 16>::new();
            // A move's rank and its place in the list, in one number; `top` is the highest.
            let mut ranks = [TAKEN; 16];
            let mut top = TAKEN;
            // Two loops, not one: flips do not wait for each other, nor do replies, and the processor looks only so far ahead.
            while moves != 0 {
                let square = moves.trailing_zeros();
                moves &= moves - 1;
                let flips = kernel.flips(player, opponent, square);
                list.push(Move { square, own: opponent ^ flips, other: player | flips | 1 << square, replies: 0 });
            }
            for (at, Move { square, own, other, replies }) in list.iter_mut().enumerate() {
                *replies = kernel.legal(*own, *other) & B::SQUARES;
                let rank = ODD * (odd >> *square & 1) as i32 - REPLY * B::mobility(*replies) as i32;
                ranks[at & 15] = rank << 4 | at as i32;
                top = top.max(ranks[at & 15]);
            }
            for _ in 0..list.len() {
                let at = (top & 15) as usize;
                ranks[at] = TAKEN;
                let Move { square, own, other, replies } = list[at];
                let odd = odd ^ B::QUADRANTS[square as usize & 63];
                let score = -below::<K, B>(kernel, cx, own, other, -alpha - 1, empties - 1, odd, replies);
                if score > alpha {
                    (best, best_square) = (score, square);
                    break;
                }
                // Nobody foretells which of the moves that are not enough is the best.
                best_square = std::hint::select_unpredictable(score > best, square, best_square);
                best = best.max(score);
                top = highest(&ranks);
            }
        }
        if !cx.exhausted() {
            cx.cache.store(player, opponent, alpha, best, best_square);
        }
        best
    }
}

/// The search that fits the number of empty squares.
#[inline(always)]
pub fn descend<K: Kernels, B: Board>(
    kernel: K,
    cx: &mut Private<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
    odd: u64,
) -> i32 {
    let moves = kernel.call(Legal { kernel, player, opponent }) & B::SQUARES;
    below::<K, B>(kernel, cx, player, opponent, alpha, empties, odd, moves)
}

/// The same, by who knows the legal moves.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "all of it travels in registers")]
fn below<K: Kernels, B: Board>(
    kernel: K,
    cx: &mut Private<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
    odd: u64,
    moves: u64,
) -> i32 {
    let board = PhantomData::<B>;
    if empties > SHALLOW {
        return kernel.call(Middle { kernel, board, cx, player, opponent, alpha, odd, moves });
    }
    let leaf = kernel.call(Shallow { kernel, board, player, opponent, alpha, odd, moves });
    cx.nodes += u64::from(leaf.nodes);
    leaf.score
}
