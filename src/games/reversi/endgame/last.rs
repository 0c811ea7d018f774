//! The last four empties: one kernel for each number.
//!
//! Null windows in discs: a score above `alpha` is a lower bound of the value, one at or below it
//! an upper bound.
//!
//! The flips of all empties are computed first, even those that a cut-off would have saved: they
//! are independent of each other, and the unpredictable branch on a move's legality is resolved
//! early (measurements.md#flips-first).

use std::ops::Neg;

use crate::games::reversi::Shape;
use crate::games::reversi::kernel::Kernels;

/// The result of a kernel: a fail-soft score in discs, and the nodes visited, its own included.
///
/// Counts travel in a register beside the score: a counter in memory would cost a store and a load
/// at every node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The fail-soft score for the side to move.
    pub score: i32,
    /// Positions with at least one empty square that were played or scored.
    pub nodes: u32,
}

impl Leaf {
    /// The result of an illegal move.
    const ILLEGAL: Leaf = Leaf {
        score: NONE,
        nodes: 0,
    };

    /// The best of the moves so far and this one.
    #[inline(always)]
    fn or(self, other: Leaf) -> Leaf {
        Leaf {
            score: self.score.max(other.score),
            nodes: self.nodes + other.nodes,
        }
    }
}

/// The same for the other side.
impl Neg for Leaf {
    type Output = Leaf;

    #[inline(always)]
    fn neg(self) -> Leaf {
        Leaf {
            score: -self.score,
            ..self
        }
    }
}

/// Below every score: no move yet.
pub const NONE: i32 = -100;

/// The value of a position whose only empty is `square`; a score at or below `alpha` may be an
/// upper bound only.
#[inline(always)]
pub fn last_1<K: Kernels, B: Shape>(kernel: K, player: u64, alpha: i32, square: u32) -> i32 {
    let discs = player.count_ones() as i32;
    let turned = kernel.last_flips(player, square);
    if turned != 0 {
        return 2 * discs + turned + 2 - B::COUNT;
    }
    // If the opponent cannot play there either the game is over; its flips can only lower that
    // score.
    let difference = 2 * discs - (B::COUNT - 1);
    let over = if B::EMPTIES_TO_WINNER {
        difference + difference.signum()
    } else {
        difference
    };
    if over <= alpha {
        return over;
    }
    let opponent = B::SQUARES & !player & !(1 << square);
    match kernel.last_flips(opponent, square) {
        0 => over,
        turned => 2 * discs - turned - B::COUNT,
    }
}

/// Two empties, in the order in which to try them.
#[inline(always)]
pub fn last_2<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    squares: [u32; 2],
) -> Leaf {
    let [first, second] = squares;
    let mut best = NONE;
    let mut nodes = 1;
    let flips = [
        kernel.flips(player, opponent, first),
        kernel.flips(player, opponent, second),
    ];
    if flips[0] != 0 {
        nodes += 1;
        best = -last_1::<K, B>(kernel, opponent ^ flips[0], -alpha - 1, second);
        if best > alpha {
            return Leaf { score: best, nodes };
        }
    }
    if flips[1] != 0 {
        nodes += 1;
        best = best.max(-last_1::<K, B>(
            kernel,
            opponent ^ flips[1],
            -alpha - 1,
            first,
        ));
    }
    if best != NONE {
        return Leaf { score: best, nodes };
    }
    // A pass: the opponent keeps the score low.
    let mut worst = -NONE;
    let flips = kernel.flips(opponent, player, first);
    if flips != 0 {
        nodes += 2;
        worst = last_1::<K, B>(kernel, player ^ flips, alpha, second);
        if worst <= alpha {
            return Leaf {
                score: worst,
                nodes,
            };
        }
    }
    let flips = kernel.flips(opponent, player, second);
    if flips != 0 {
        nodes += 1 + (worst == -NONE) as u32;
        worst = worst.min(last_1::<K, B>(kernel, player ^ flips, alpha, first));
    }
    if worst == -NONE {
        worst = B::count(player, opponent);
        nodes += 1;
    }
    Leaf {
        score: worst,
        nodes,
    }
}

/// Plays `square` with three empties, which flips `flips`; the score for the mover, `NONE` if it is
/// illegal.
#[inline(always)]
fn play_3<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    square: u32,
    flips: u64,
    rest: [u32; 2],
) -> Leaf {
    if flips == 0 {
        Leaf::ILLEGAL
    } else {
        -last_2::<K, B>(
            kernel,
            opponent ^ flips,
            player | flips | 1 << square,
            -alpha - 1,
            rest,
        )
    }
}

/// Three empties, in the order in which to try them.
#[inline(always)]
pub fn last_3<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    squares: [u32; 3],
) -> Leaf {
    kernel.call(
        #[inline(always)]
        move || {
            let [a, b, c] = squares;
            let flips = [
                kernel.flips(player, opponent, a),
                kernel.flips(player, opponent, b),
                kernel.flips(player, opponent, c),
            ];
            let mut best = play_3::<K, B>(kernel, player, opponent, alpha, a, flips[0], [b, c]);
            best.nodes += 1;
            if best.score > alpha {
                return best;
            }
            best = best.or(play_3::<K, B>(
                kernel,
                player,
                opponent,
                alpha,
                b,
                flips[1],
                [a, c],
            ));
            if best.score > alpha {
                return best;
            }
            best = best.or(play_3::<K, B>(
                kernel,
                player,
                opponent,
                alpha,
                c,
                flips[2],
                [a, b],
            ));
            if best.score != NONE {
                return best;
            }
            if kernel.legal(opponent, player) & B::SQUARES == 0 {
                return best.or(Leaf {
                    score: B::count(player, opponent),
                    nodes: 1,
                });
            }
            best.or(-last_3::<K, B>(
                kernel,
                opponent,
                player,
                -alpha - 1,
                squares,
            ))
        },
    )
}

/// Four empties in the order in which to try them, and whether no quadrant is odd: squares alone in
/// their quadrant come first, and squares of one quadrant are neighbors.
#[inline(always)]
fn by_parity<B: Shape>(empty: u64, odd: u64) -> ([u32; 4], bool) {
    let beside = empty & B::QUADRANTS[empty.trailing_zeros() as usize & 63];
    let several = beside & (beside - 1) != 0;
    let first = match empty & odd {
        0 => beside,                                       // two pairs, or all in one quadrant
        all if all == empty && several => empty & !beside, // three in a quadrant, and one alone
        alone => alone,
    };
    let a = first.trailing_zeros();
    let second = first & (first - 1);
    let second = if second == 0 { empty & !first } else { second };
    let b = second.trailing_zeros();
    let rest = empty & !(1 << a) & !(1 << b);
    (
        [
            a,
            b,
            rest.trailing_zeros(),
            (rest & (rest - 1)).trailing_zeros(),
        ],
        empty & odd == 0,
    )
}

/// Plays `square` with four empties, which flips `flips`.
#[inline(always)]
fn play_4<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    square: u32,
    flips: u64,
    rest: [u32; 3],
) -> Leaf {
    if flips == 0 {
        Leaf::ILLEGAL
    } else {
        -last_3::<K, B>(
            kernel,
            opponent ^ flips,
            player | flips | 1 << square,
            -alpha - 1,
            rest,
        )
    }
}

/// Four empties. `odd`: the quadrants with an odd number of empties.
#[inline(always)]
pub fn last_4<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    odd: u64,
) -> Leaf {
    kernel.call(
        #[inline(always)]
        move || {
            let empty = B::empty(player, opponent);
            let (squares, pairs) = by_parity::<B>(empty, odd);
            let [a, b, c, d] = squares;
            let flips = [
                kernel.flips(player, opponent, a),
                kernel.flips(player, opponent, b),
                kernel.flips(player, opponent, c),
                kernel.flips(player, opponent, d),
            ];
            let mut best = play_4::<K, B>(kernel, player, opponent, alpha, a, flips[0], [b, c, d]);
            best.nodes += 1;
            if best.score > alpha {
                return best;
            }
            best = best.or(play_4::<K, B>(
                kernel,
                player,
                opponent,
                alpha,
                b,
                flips[1],
                [a, c, d],
            ));
            if best.score > alpha {
                return best;
            }
            // After a move into one of two pairs, the other square of that pair is the odd one.
            let rest = if pairs { [d, a, b] } else { [a, b, d] };
            best = best.or(play_4::<K, B>(
                kernel, player, opponent, alpha, c, flips[2], rest,
            ));
            if best.score > alpha {
                return best;
            }
            let rest = if pairs { [c, a, b] } else { [a, b, c] };
            best = best.or(play_4::<K, B>(
                kernel, player, opponent, alpha, d, flips[3], rest,
            ));
            if best.score != NONE {
                return best;
            }
            if kernel.legal(opponent, player) & B::SQUARES == 0 {
                return best.or(Leaf {
                    score: B::count(player, opponent),
                    nodes: 1,
                });
            }
            best.or(-last_4::<K, B>(kernel, opponent, player, -alpha - 1, odd))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::games::reversi::Eight;

    /// The squares are the empties; one that is alone in its quadrant is first, and two pairs are
    /// not torn apart.
    #[test]
    fn four_empties_are_ordered_by_parity() {
        let mut rng = Rng::new(11);
        let quadrant = |square: u32| Eight::QUADRANTS[square as usize & 63];
        let (mut two_pairs, mut one_alone) = (0, 0);
        for _ in 0..5000 {
            let mut empty = 0u64;
            while empty.count_ones() < 4 {
                empty |= 1 << (rng.next_u64() & 63);
            }
            let ([a, b, c, d], pairs) = by_parity::<Eight>(empty, Eight::odd_quadrants(empty));
            assert_eq!(1 << a | 1 << b | 1 << c | 1 << d, empty);
            let mates = |square: u32| (quadrant(square) & empty).count_ones();
            assert_eq!(
                pairs,
                [a, b, c, d].iter().all(|&square| mates(square) % 2 == 0)
            );
            assert!(
                mates(a) == 1 || [b, c, d].iter().all(|&square| mates(square) > 1),
                "{empty:x}"
            );
            assert!(
                !pairs || quadrant(a) == quadrant(b) && quadrant(c) == quadrant(d),
                "{empty:x}"
            );
            two_pairs += u32::from(pairs);
            one_alone += u32::from(mates(d) == 3);
        }
        assert!(
            two_pairs > 100 && one_alone > 100,
            "{two_pairs} {one_alone}"
        );
    }
}
