//! Up to five empties: no table, moves ordered by parity (quadrants with an odd number of empties
//! first), corners before other squares of the same parity.

use crate::games::reversi::Shape;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::stability;

use super::last::{Leaf, NONE, last_1, last_2, last_3, last_4};

/// The most empties that are searched here. Tuned: measurements.md#limits.
pub const SHALLOW: u32 = 5;

/// Up to [`SHALLOW`] empties by the null window above `alpha`. `odd`: the quadrants with an odd
/// number of empties; `moves`: the legal moves.
#[inline(always)]
pub fn shallow<K: Kernels, B: Shape>(
    kernel: K,
    player: u64,
    opponent: u64,
    alpha: i32,
    odd: u64,
    moves: u64,
) -> Leaf {
    kernel.call(
        #[inline(always)]
        move || {
            let empty = B::empty(player, opponent);
            let empties = empty.count_ones();
            if empties <= 4 {
                return few::<K, B>(kernel, player, opponent, alpha, odd);
            }
            if let Some(most) = stability::bound::<K, B>(kernel, player, opponent, alpha, empties) {
                return Leaf {
                    score: most,
                    nodes: 1,
                };
            }
            if moves == 0 {
                let moves = kernel.legal(opponent, player) & B::SQUARES;
                if moves == 0 {
                    return Leaf {
                        score: B::count(player, opponent),
                        nodes: 2,
                    };
                }
                let leaf = shallow::<K, B>(kernel, opponent, player, -alpha - 1, odd, moves);
                return Leaf {
                    score: -leaf.score,
                    nodes: leaf.nodes + 1,
                };
            }
            let mut best = NONE;
            let mut nodes = 1;
            let three = three_beside::<B>(empty, odd);
            for mut set in [moves & odd & !three, moves & three, moves & !odd] {
                while set != 0 {
                    let corners = set & B::CORNERS;
                    let square = if corners != 0 { corners } else { set }.trailing_zeros();
                    set &= !(1 << square);
                    let flips = kernel.flips(player, opponent, square);
                    let (own, other) = (opponent ^ flips, player | flips | 1 << square);
                    let odd = odd ^ B::QUADRANTS[square as usize & 63];
                    let leaf = last_4::<K, B>(kernel, own, other, -alpha - 1, odd);
                    nodes += leaf.nodes;
                    best = best.max(-leaf.score);
                    if best > alpha {
                        return Leaf { score: best, nodes };
                    }
                }
            }
            Leaf { score: best, nodes }
        },
    )
}

/// The three of five empties that share a quadrant while the other two are alone in theirs, or all
/// five in one.
#[inline(always)]
fn three_beside<B: Shape>(empty: u64, odd: u64) -> u64 {
    if empty & !odd != 0 {
        return 0;
    }
    let quadrant = |set: u64| set & B::QUADRANTS[set.trailing_zeros() as usize & 63];
    let alone = |set: u64| set & (set - 1) == 0;
    let first = quadrant(empty);
    if !alone(first) {
        return first;
    }
    let second = quadrant(empty & !first);
    if alone(second) {
        empty & !first & !second
    } else {
        second
    }
}

/// Roots with up to four empties.
#[inline(always)]
fn few<K: Kernels, B: Shape>(kernel: K, player: u64, opponent: u64, alpha: i32, odd: u64) -> Leaf {
    let mut empty = B::empty(player, opponent);
    let count = empty.count_ones();
    let mut squares = [0; 3];
    for square in &mut squares {
        *square = empty.trailing_zeros() & 63;
        empty &= empty.wrapping_sub(1);
    }
    let [a, b, _] = squares;
    match count {
        0 => Leaf {
            score: B::count(player, opponent),
            nodes: 0,
        },
        1 => Leaf {
            score: last_1::<K, B>(kernel, player, alpha, a),
            nodes: 1,
        },
        2 => last_2::<K, B>(kernel, player, opponent, alpha, [a, b]),
        3 => last_3::<K, B>(kernel, player, opponent, alpha, squares),
        _ => last_4::<K, B>(kernel, player, opponent, alpha, odd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::game::squares;
    use crate::games::reversi::Eight;

    #[test]
    fn three_empties_in_a_quadrant_beside_two_single_ones_are_found() {
        let mut rng = Rng::new(12);
        let mut found = 0;
        for _ in 0..20_000 {
            let mut empty = 0u64;
            while empty.count_ones() < 5 {
                empty |= 1 << (rng.next_u64() & 63);
            }
            let mates = |square: u8| (Eight::QUADRANTS[usize::from(square)] & empty).count_ones();
            let several: u64 = squares(empty)
                .filter(|&square| mates(square) >= 3)
                .map(|square| 1 << square)
                .sum();
            let all_odd = squares(empty).all(|square| mates(square) % 2 == 1);
            let expected = if all_odd { several } else { 0 };
            assert_eq!(
                three_beside::<Eight>(empty, Eight::odd_quadrants(empty)),
                expected,
                "{empty:x}"
            );
            found += u32::from(expected != 0);
        }
        assert!(found > 100, "{found}");
    }
}
