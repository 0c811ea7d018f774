//! Six to twelve empties or more, sixteen at most: moves ordered by mobility, parity and the
//! corners, transpositions from a private table.

use crate::games::reversi::Shape;
use crate::games::reversi::cache::Cache;
use crate::games::reversi::kernel::{Kernels, spread};
use crate::games::reversi::stability;

use super::last::NONE;
use super::shallow::{SHALLOW, shallow};

/// The most empties that are searched here, unless the evaluation sets another limit
/// ([`crate::games::reversi::eval::ReversiEvaluator::kernel_empties`] and `kernel_margin`). Tuned:
/// measurements.md#limits.
pub const MIDDLE: u8 = 12;

// The terms of the move ordering. Tuned: measurements.md#corners-by-the-square.

/// The penalty for each legal move of the opponent.
const MOBILITY: i32 = 16;
/// A further penalty for each of these moves into a corner.
const CORNER_REPLY: i32 = 8;
/// The bonus for a square in a quadrant with an odd number of empties.
const PARITY: i32 = 2;
/// A further bonus for the only empty square of its quadrant.
const ALONE: i32 = 8;
/// The bonus for a corner.
const CORNER: i32 = 6;
/// The penalty for a square beside a corner.
const BESIDE_CORNER: i32 = 8;
/// The bonus for a square beside a corner of one's own, instead of that penalty.
const BESIDE_OWN_CORNER: i32 = 4;

/// The fewest empties of a position in the private table: every position searched here.
const CACHED: u32 = SHALLOW + 1;

/// Below every rank: a move that was searched, or none.
const TAKEN: i32 = i32::MIN;

/// The private table: 256 KiB. Tuned: measurements.md#private-table.
pub type PrivateTable = Cache<13>;

/// The state of the search.
pub struct EndgameContext<'a> {
    /// Node count.
    pub nodes: u64,
    /// The node limit. Beyond it, the search unwinds immediately and its score is meaningless
    /// ([`EndgameContext::exhausted`]).
    pub limit: u64,
    /// Maps the node count to the next limit; 0, from then on, if the search has to stop.
    pub next_limit: &'a mut dyn FnMut(u64) -> u64,
    /// The private table.
    pub cache: &'a mut PrivateTable,
}

impl EndgameContext<'_> {
    /// Whether the search has to stop: scores returned since then must be discarded.
    #[inline(always)]
    pub fn exhausted(&mut self) -> bool {
        self.nodes > self.limit && self.stops()
    }

    /// Gets the next limit.
    #[cold]
    #[inline(never)]
    fn stops(&mut self) -> bool {
        self.limit = (self.next_limit)(self.nodes);
        self.nodes > self.limit
    }
}

/// A move of this search: the position after it and the opponent's legal moves there.
#[derive(Clone, Copy)]
struct EndgameMove {
    square: u32,
    own: u64,
    other: u64,
    replies: u64,
}

impl EndgameMove {
    /// No move.
    const NONE: EndgameMove = EndgameMove {
        square: 0,
        own: 0,
        other: 0,
        replies: 0,
    };
}

/// What a move's square adds to its rank, whatever the position.
const fn square_ranks<B: Shape>() -> [i8; 64] {
    let beside = spread(B::CORNERS);
    let mut ranks = [0; 64];
    let mut square = 0;
    while square < 64 {
        ranks[square] = if B::CORNERS >> square & 1 != 0 {
            CORNER as i8
        } else if beside >> square & 1 != 0 {
            -BESIDE_CORNER as i8
        } else {
            0
        };
        square += 1;
    }
    ranks
}

/// The highest of the ranks, branchless.
#[inline(always)]
fn highest(ranks: &[i32; 16]) -> i32 {
    ranks.iter().copied().fold(TAKEN, i32::max)
}

/// A null-window search of 6 to 16 empties above `alpha`; it does not check the stop flag. `odd`:
/// the quadrants with an odd number of empties; `moves`: the legal moves, known from the parent's
/// move ordering.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "all of it travels in registers")]
#[expect(clippy::too_many_lines, reason = "one node, in the order of its steps")]
fn middle<K: Kernels, B: Shape>(
    kernel: K,
    cx: &mut EndgameContext<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    odd: u64,
    mut moves: u64,
) -> i32 {
    kernel.call(
        #[inline(always)]
        move || {
            cx.nodes += 1;
            if cx.exhausted() {
                return alpha; // a cut-off for the parent: all nodes unwind at once
            }
            let empty = B::empty(player, opponent);
            let empties = empty.count_ones();
            debug_assert!(empties <= 16, "the list has room for 16 moves");
            if let Some(most) = stability::bound::<K, B>(kernel, player, opponent, alpha, empties) {
                return most;
            }
            let known = cx.cache.probe(player, opponent);
            if let Some(score) = known.and_then(|known| known.cutoff(alpha, alpha + 1)) {
                return score;
            }
            if moves == 0 {
                let moves = kernel.legal(opponent, player) & B::SQUARES;
                if moves == 0 {
                    cx.nodes += 1;
                    return B::count(player, opponent);
                }
                return -middle::<K, B>(kernel, cx, opponent, player, -alpha - 1, odd, moves);
            }
            let mut best = NONE;
            let mut best_square = 64;
            // The table move first: if it fails high, the others are never generated.
            if let Some(square) = known
                .map(|known| u32::from(known.best))
                .filter(|&square| square < 64)
            {
                moves &= !(1 << square);
                let flips = kernel.flips(player, opponent, square);
                let (own, other) = (opponent ^ flips, player | flips | 1 << square);
                let odd = odd ^ B::QUADRANTS[square as usize & 63];
                (best, best_square) = (
                    -descend::<K, B>(kernel, cx, own, other, -alpha - 1, empties - 1, odd),
                    square,
                );
            }
            if best <= alpha {
                // Not an `ArrayVec`, whose `push` the compiler calls instead of inlining it.
                let mut list = [EndgameMove::NONE; 16];
                let mut count = 0;
                // Each move's rank and place in the list in one number; `top` is the highest.
                let mut ranks = [TAKEN; 16];
                let mut top = TAKEN;
                // Two loops, not one: all flips are independent of each other, then all move
                // generations, and the CPU's reorder window is limited.
                while moves != 0 {
                    let square = moves.trailing_zeros();
                    moves &= moves - 1;
                    let flips = kernel.flips(player, opponent, square);
                    let (own, other) = (opponent ^ flips, player | flips | 1 << square);
                    // Enhanced transposition cutoff: the move is known to fail high.
                    if empties > CACHED
                        && let Some(upper) = cx.cache.refuted(own, other, -alpha - 1)
                    {
                        cx.cache
                            .store([player, opponent], 0, [alpha, alpha + 1], -upper, square);
                        return -upper;
                    }
                    list[count & 15] = EndgameMove {
                        square,
                        own,
                        other,
                        replies: 0,
                    };
                    count += 1;
                }
                let beside_own = spread(player & B::CORNERS);
                for (
                    at,
                    EndgameMove {
                        square,
                        own,
                        other,
                        replies,
                    },
                ) in list.iter_mut().take(count).enumerate()
                {
                    *replies = kernel.legal(*own, *other) & B::SQUARES;
                    let at_square = *square as usize & 63;
                    let alone = empty & B::QUADRANTS[at_square] == 1 << *square;
                    let rank = i32::from(const { square_ranks::<B>() }[at_square])
                        + (BESIDE_CORNER + BESIDE_OWN_CORNER) * (beside_own >> *square & 1) as i32
                        + PARITY * (odd >> *square & 1) as i32
                        + ALONE * i32::from(alone)
                        - MOBILITY * replies.count_ones() as i32
                        - CORNER_REPLY * (*replies & B::CORNERS).count_ones() as i32;
                    ranks[at & 15] = rank << 4 | at as i32;
                    top = top.max(ranks[at & 15]);
                }
                for _ in 0..count {
                    let at = (top & 15) as usize;
                    ranks[at] = TAKEN;
                    let EndgameMove {
                        square,
                        own,
                        other,
                        replies,
                    } = list[at];
                    let odd = odd ^ B::QUADRANTS[square as usize & 63];
                    let score = -below::<K, B>(
                        kernel,
                        cx,
                        own,
                        other,
                        -alpha - 1,
                        empties - 1,
                        odd,
                        replies,
                    );
                    if score > alpha {
                        (best, best_square) = (score, square);
                        break;
                    }
                    // Which of the moves that fail low is the best is unpredictable.
                    best_square =
                        std::hint::select_unpredictable(score > best, square, best_square);
                    best = best.max(score);
                    top = highest(&ranks);
                }
            }
            if !cx.exhausted() {
                cx.cache
                    .store([player, opponent], 0, [alpha, alpha + 1], best, best_square);
            }
            best
        },
    )
}

/// The kernel for the number of empties.
#[inline(always)]
pub fn descend<K: Kernels, B: Shape>(
    kernel: K,
    cx: &mut EndgameContext<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
    odd: u64,
) -> i32 {
    let moves = kernel.call(
        #[inline(always)]
        move || kernel.legal(player, opponent),
    ) & B::SQUARES;
    below::<K, B>(kernel, cx, player, opponent, alpha, empties, odd, moves)
}

/// [`descend`] with the legal moves precomputed.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "all of it travels in registers")]
fn below<K: Kernels, B: Shape>(
    kernel: K,
    cx: &mut EndgameContext<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
    odd: u64,
    moves: u64,
) -> i32 {
    if empties > SHALLOW {
        return middle::<K, B>(kernel, cx, player, opponent, alpha, odd, moves);
    }
    let leaf = shallow::<K, B>(kernel, player, opponent, alpha, odd, moves);
    cx.nodes += u64::from(leaf.nodes);
    leaf.score
}
