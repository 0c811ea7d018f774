//! The indices of a position: for each instance of a pattern its contents as a number, updated
//! incrementally.
//!
//! For the side to move, a square's digit is 0 (the opponent's disc), 1 (empty) or 2 (own disc): a
//! balanced ternary number plus that of the empty board. The other side's index is the complement
//! of the index X, so nothing is kept beside it: with M the index of a board full of own discs, a
//! move needs one addition of place values for each flip:
//!
//! ```text
//! X' = M - (X + place(square) + 2 sum of place(flipped))
//! ```
//!
//! All 64 indices are u16 side by side and change together: four AVX2 registers, or two of AVX-512.

#![allow(
    clippy::needless_range_loop,
    reason = "several vectors side by side, one lane after the other"
)]

use super::patterns::{INSTANCES, PLACES, SIZES, placed};
use crate::game::squares;
use crate::games::reversi::Othello;

/// A number for each instance.
type InstanceValues = [u16; INSTANCES];

/// The place value of each square's digit in every index: a power of three, or zero; the last entry
/// is that of no square.
static PLACE: [InstanceValues; 65] = {
    let mut all = [[0; INSTANCES]; 65];
    let placed = placed();
    let mut instance = 0;
    while instance < INSTANCES {
        let mut i = 0;
        while i < placed[instance].count {
            all[placed[instance].squares[i] as usize][instance] =
                3u16.pow(placed[instance].digits[i] as u32);
            i += 1;
        }
        instance += 1;
    }
    all
};

/// The indices of a board with the same digit on every square.
const fn uniform(digit: usize) -> InstanceValues {
    let mut all = [0; INSTANCES];
    let mut instance = 0;
    while instance < INSTANCES {
        all[instance] = (SIZES[instance / PLACES] / 2 * digit) as u16;
        instance += 1;
    }
    all
}

/// The indices of a board full of own discs.
static OWN_BOARD: InstanceValues = uniform(2);
/// The indices of the empty board.
static EMPTY_BOARD: InstanceValues = uniform(1);

/// The indices of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(32))]
pub struct Indices {
    /// The index of each instance.
    pub own: InstanceValues,
}

impl Indices {
    /// The indices of a position, disc by disc.
    #[inline(always)]
    pub fn fresh(position: &Othello) -> Indices {
        let mut indices = Indices { own: EMPTY_BOARD };
        for (set, sign) in [(position.player, 1), (position.opponent, u16::MAX)] {
            for square in squares(set) {
                let place = &PLACE[square as usize & 63];
                for k in 0..INSTANCES {
                    indices.own[k] = indices.own[k].wrapping_add(place[k].wrapping_mul(sign));
                }
            }
        }
        indices
    }

    /// The indices of the same board with the other side to move.
    #[inline(always)]
    pub fn passed(&self) -> Indices {
        let mut next = *self;
        for k in 0..INSTANCES {
            next.own[k] = OWN_BOARD[k].wrapping_sub(self.own[k]);
        }
        next
    }

    /// The indices after a move to `square` that flips `turned`. Intermediate values wrap modulo
    /// 2^16; indices fit.
    #[inline(always)]
    pub fn played(&self, square: u8, mut turned: u64) -> Indices {
        // The number of flips is unpredictable, but rarely above three: the first three are added
        // without a branch.
        let mut flipped = [0u16; INSTANCES];
        let mut add = |turned: u64| {
            let place = &PLACE[turned.trailing_zeros() as usize];
            for k in 0..INSTANCES {
                flipped[k] = flipped[k].wrapping_add(place[k]);
            }
            turned & turned.wrapping_sub(1)
        };
        for _ in 0..3 {
            turned = add(turned);
        }
        while turned != 0 {
            turned = add(turned);
        }
        let mut next = *self;
        let place = &PLACE[square as usize & 63];
        for k in 0..INSTANCES {
            let twice = flipped[k].wrapping_add(flipped[k]);
            let sum = self.own[k].wrapping_add(place[k]).wrapping_add(twice);
            next.own[k] = OWN_BOARD[k].wrapping_sub(sum);
        }
        next
    }

    /// The oracle: digit by digit, by definition.
    #[cfg(test)]
    pub fn by_definition(position: &Othello) -> InstanceValues {
        use super::patterns::{Instance, PLACED};

        std::array::from_fn(|instance| {
            let Instance {
                squares,
                digits,
                count,
            } = &PLACED[instance];
            let counts = squares[..*count]
                .iter()
                .zip(digits)
                .map(|(&square, &digit)| {
                    let (own, other) = (
                        position.player >> square & 1,
                        position.opponent >> square & 1,
                    );
                    (1 + own - other) as u16 * 3u16.pow(u32::from(digit))
                });
            counts.sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;

    /// Incremental and disc by disc: both agree with the definition.
    #[test]
    fn indices_agree_with_the_definition() {
        let mut rng = Rng::new(5);
        for _ in 0..40 {
            let mut position = Othello::start();
            let mut indices = Indices::fresh(&position);
            loop {
                assert_eq!(indices.own, Indices::by_definition(&position));
                assert_eq!(indices, Indices::fresh(&position));
                let Some(&m) = rng.choose(&position.moves()) else {
                    break;
                };
                let next = position.play(m);
                indices = match m.is_pass() {
                    true => indices.passed(),
                    false => indices.played(m.square(), position.opponent & next.opponent),
                };
                position = next;
            }
        }
    }
}
