//! The indices of a position: for each instance of a pattern its contents as a number, updated incrementally.
//!
//! For the side to move, a square's digit is 0 (empty), 1 (own disc) or 2 (the opponent's). With P the sum of the
//! digits' place values over the own discs and O over the opponent's, the index is P + 2 O, and the other side's index
//! O + 2 P. With the *filled* number T = P + O kept beside the index X, the other side's index is 3 T - X, and a move
//! needs one addition of place values for each flip:
//!
//! ```text
//! X' = 3 T - X + 2 place(square) + sum of place(flipped)        T' = T + place(square)
//! ```
//!
//! All 64 indices are u16 side by side and change together: four AVX2 registers, or two of AVX-512.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side, one lane after the other")]

use std::sync::OnceLock;

use super::patterns::{INSTANCES, Instance, PLACED, placed};
use crate::games::reversi::Othello;
use crate::games::reversi::bitboard::squares;

/// A number for each instance.
type InstanceValues = [u16; INSTANCES];

/// The place value of each square's digit in every index: a power of three, or zero; the last entry is that of no
/// square.
static PLACE: [InstanceValues; 65] = {
    let mut all = [[0; INSTANCES]; 65];
    let placed = placed();
    let mut instance = 0;
    while instance < INSTANCES {
        let mut i = 0;
        while i < placed[instance].count {
            all[placed[instance].squares[i] as usize][instance] = 3u16.pow(placed[instance].digits[i] as u32);
            i += 1;
        }
        instance += 1;
    }
    all
};

/// The indices of a position for the side to move, and their filled numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Indices {
    /// The index of each instance.
    pub own: InstanceValues,
    filled: InstanceValues,
}

impl Indices {
    /// The indices of a position, disc by disc.
    #[inline(always)]
    pub fn fresh(position: &Othello) -> Indices {
        let mut indices = Indices { own: [0; INSTANCES], filled: [0; INSTANCES] };
        for (set, digit) in [(position.player, 1), (position.opponent, 2)] {
            for square in squares(set) {
                let place = &PLACE[square as usize & 63];
                for k in 0..INSTANCES {
                    indices.own[k] = indices.own[k].wrapping_add(digit * place[k]);
                    indices.filled[k] = indices.filled[k].wrapping_add(place[k]);
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
            next.own[k] = self.filled[k].wrapping_mul(3).wrapping_sub(self.own[k]);
        }
        next
    }

    /// The indices after a move to `square` that flips `turned`. Intermediate values wrap modulo 2^16; indices fit.
    #[inline(always)]
    pub fn played(&self, square: u8, mut turned: u64) -> Indices {
        let mut next = *self;
        let place = &PLACE[square as usize & 63];
        for k in 0..INSTANCES {
            let twice = place[k].wrapping_add(place[k]);
            let other = self.filled[k].wrapping_mul(3).wrapping_sub(self.own[k]);
            next.own[k] = other.wrapping_add(twice);
            next.filled[k] = self.filled[k].wrapping_add(place[k]);
        }
        // The number of flips is unpredictable, but rarely above three: the first three are added without a branch.
        let mut add = |turned: u64| {
            let place = &PLACE[turned.trailing_zeros() as usize];
            for k in 0..INSTANCES {
                next.own[k] = next.own[k].wrapping_add(place[k]);
            }
            turned & turned.wrapping_sub(1)
        };
        for _ in 0..3 {
            turned = add(turned);
        }
        while turned != 0 {
            turned = add(turned);
        }
        next
    }

    /// The indices of a position by a table of the contents of each row: for positions that are not reached by moves.
    #[inline(always)]
    pub fn of(position: &Othello) -> Indices {
        static TABLE: OnceLock<Vec<[InstanceValues; 256]>> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let row = |row: usize| {
                let mut all = [[0; INSTANCES]; 256];
                for (discs, vector) in all.iter_mut().enumerate() {
                    for square in squares((discs as u64) << (8 * row)) {
                        for k in 0..INSTANCES {
                            vector[k] += PLACE[square as usize][k];
                        }
                    }
                }
                all
            };
            (0..8).map(row).collect()
        });
        let mut indices = Indices { own: [0; INSTANCES], filled: [0; INSTANCES] };
        for (row, table) in table.iter().enumerate() {
            let player = &table[(position.player >> (8 * row)) as usize & 0xff];
            let opponent = &table[(position.opponent >> (8 * row)) as usize & 0xff];
            for k in 0..INSTANCES {
                indices.own[k] =
                    indices.own[k].wrapping_add(player[k]).wrapping_add(opponent[k]).wrapping_add(opponent[k]);
                indices.filled[k] = indices.filled[k].wrapping_add(player[k]).wrapping_add(opponent[k]);
            }
        }
        indices
    }

    /// The oracle of the other constructors: digit by digit, by definition.
    pub fn by_definition(position: &Othello) -> InstanceValues {
        std::array::from_fn(|instance| {
            let Instance { squares, digits, count } = &PLACED[instance];
            let counts = squares[..*count].iter().zip(digits).map(|(&square, &digit)| {
                let disc =
                    u16::from(position.player >> square & 1 != 0) + 2 * u16::from(position.opponent >> square & 1 != 0);
                disc * 3u16.pow(u32::from(digit))
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

    /// Incremental, by rows, disc by disc: all agree with the definition.
    #[test]
    fn indices_agree_with_the_definition() {
        let mut rng = Rng::new(5);
        for _ in 0..40 {
            let mut position = Othello::start();
            let mut indices = Indices::fresh(&position);
            loop {
                assert_eq!(indices.own, Indices::by_definition(&position));
                assert_eq!(indices, Indices::fresh(&position));
                assert_eq!(indices, Indices::of(&position));
                let Some(&m) = rng.choose(&position.moves()) else { break };
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
