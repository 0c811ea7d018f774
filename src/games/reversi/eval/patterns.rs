//! Patterns: what the evaluation sees of a board. Sixteen shapes of at most ten squares lie on it in four places each; what
//! stands on a shape in one place is one number, its *index*.
//!
//! Shapes as features are M. Buro's ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello",
//! 1997). Every straight line of five or more squares is part of a shape, and corners and edges, where games are decided,
//! are covered several times. Each shape is its own image under one reflection, so that it has four images and no more, and
//! an index and its mirror image share one weight.
//!
//! Seen from the side to move, a square's digit is 0 (empty), 1 (own disc) or 2 (the opponent's). The lowest digits are those of the
//! squares that change most while a search looks ahead (`QUIET` below), so that the weights it asks for lie close together. With P the
//! sum of the digits' places over the own discs and O over the opponent's, the index is P + 2 O, and the other side's index O + 2 P. So
//! with the *filled* number T = P + O kept beside the index X, the other side's view is 3 T - X, and a move needs one addition of places
//! for each disc that turns:
//!
//! ```text
//! X' = 3 T - X + 2 place(square) + sum of place(turned)        T' = T + place(square)
//! ```
//!
//! All 64 indices are u16 side by side and change together; in a copy stamped for AVX2 that is four registers, for AVX-512 two.

#![allow(clippy::needless_range_loop, reason = "several vectors side by side, one lane after the other")]

use std::sync::OnceLock;

use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::bitboard::{square_image, squares};

/// How many shapes there are.
pub const SHAPES: usize = 16;
/// In how many places each lies.
pub const PLACES: usize = 4;
/// How many indices a position has.
pub const INSTANCES: usize = SHAPES * PLACES;

/// The squares of each shape in its first place, in the order in which weight files number what stands on it.
const SQUARES: [&str; SHAPES] = [
    // Edges: with both X squares, with the inner neighbours of the middle, without C squares but two rows deep.
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "a1 b1 c1 d1 e1 f1 g1 h1 c2 f2",
    "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    // The second to fourth rows, and the middle behind an edge.
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "d1 e1 c2 d2 e2 f2 c3 d3 e3 f3",
    // Diagonals of eight (with two C squares), seven (with both corners), six (with C and X squares), five and four.
    "a1 b2 c3 d4 e5 f6 g7 h8 b1 a2",
    "b1 c2 d3 e4 f5 g6 h7 a1 h8",
    "c1 d2 e3 f4 g5 h6 b1 h7 b2 g7",
    "d1 e2 f3 g4 h5 e1 f2 g3 h4 g2",
    // Corners: the square of nine, the triangle, both edges, three short diagonals, the square behind the corner.
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "a1 b2 c3 d4 b1 c2 d3 a2 b3 c4",
    "a1 b2 c2 d2 b3 c3 d3 b4 c4 d4",
];

/// A square of each of the ten kinds, the quietest first: corners and X squares, which stay empty, and the middle, which stays full. Chosen
/// for few misses in simulated caches (32 and 512 KiB, 56 pages of 4 KiB) when searches of eleven plies, after 8 to 29, look their rows up.
/// Against digits in the order of `SQUARES` the first has 11 to 27 % fewer, the second 21 to 51 %, the pages 38 to 58 %.
const QUIET: [&str; 10] = ["a1", "b2", "d4", "b1", "c3", "c1", "d3", "d1", "d2", "c2"];

/// A shape in one place: its squares, and the number of each one's digit, the lowest being 0.
#[derive(Clone, Copy, Debug)]
struct Shape {
    squares: [u8; 10],
    digits: [u8; 10],
    count: usize,
}

impl Shape {
    const fn read(text: &str) -> Shape {
        let bytes = text.as_bytes();
        let mut shape = Shape { squares: [0; 10], digits: [0; 10], count: 0 };
        let mut at = 0;
        while at < bytes.len() {
            shape.squares[shape.count] = square(bytes[at], bytes[at + 1]);
            shape.count += 1;
            at += 3;
        }
        let mut i = 0;
        while i < shape.count {
            let (mut j, own) = (0, kind(shape.squares[i]));
            while j < shape.count {
                let other = kind(shape.squares[j]);
                shape.digits[i] += (other > own || other == own && j < i) as u8;
                j += 1;
            }
            i += 1;
        }
        shape
    }

    const fn set(&self) -> u64 {
        let (mut set, mut i) = (0, 0);
        while i < self.count {
            set |= 1u64 << self.squares[i];
            i += 1;
        }
        set
    }

    const fn image(&self, symmetry: usize) -> Shape {
        let (mut image, mut i) = (*self, 0);
        while i < self.count {
            image.squares[i] = square_image(self.squares[i], 8, symmetry);
            i += 1;
        }
        image
    }
}

const fn square(file: u8, row: u8) -> u8 {
    (file - b'a') + 8 * (row - b'1')
}

/// The place in [`QUIET`] of the kind of a square.
const fn kind(square: u8) -> usize {
    let mut kind = 0;
    loop {
        let name = QUIET[kind].as_bytes();
        let first = self::square(name[0], name[1]);
        let mut symmetry = 0;
        while symmetry < 8 {
            if square_image(first, 8, symmetry) == square {
                return kind;
            }
            symmetry += 1;
        }
        kind += 1;
    }
}

/// Every shape in every place: instance `PLACES * shape + place`.
static PLACED: [Shape; INSTANCES] = placed();

const fn placed() -> [Shape; INSTANCES] {
    let mut all = [Shape::read(SQUARES[0]); INSTANCES];
    let mut shape = 0;
    while shape < SHAPES {
        let first = Shape::read(SQUARES[shape]);
        let (mut place, mut symmetry) = (0, 0);
        while symmetry < 8 {
            let image = first.image(symmetry);
            let (mut known, mut other) = (false, 0);
            while other < place {
                known |= all[PLACES * shape + other].set() == image.set();
                other += 1;
            }
            if !known {
                all[PLACES * shape + place] = image;
                place += 1;
            }
            symmetry += 1;
        }
        assert!(place == PLACES, "a shape has four images");
        shape += 1;
    }
    all
}

/// How many indices each shape can have.
pub const SIZES: [usize; SHAPES] = {
    let (mut sizes, mut shape) = ([0; SHAPES], 0);
    while shape < SHAPES {
        sizes[shape] = 3usize.pow(Shape::read(SQUARES[shape]).count as u32);
        shape += 1;
    }
    sizes
};

/// Where each shape's indices begin when those of all shapes stand in one row.
pub const OFFSETS: [usize; SHAPES] = {
    let (mut offsets, mut shape) = ([0; SHAPES], 1);
    while shape < SHAPES {
        offsets[shape] = offsets[shape - 1] + SIZES[shape - 1];
        shape += 1;
    }
    offsets
};

/// The indices of all shapes together.
pub const ROWS: usize = OFFSETS[SHAPES - 1] + SIZES[SHAPES - 1];

/// A number for each instance.
type Vector = [u16; INSTANCES];

/// For each square what its digit counts in every index: a power of three, or zero; and the same for none.
static PLACE: [Vector; 65] = {
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

/// The indices of a position, seen from the side to move, and their filled numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Indices {
    /// The index of each instance.
    pub own: Vector,
    filled: Vector,
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

    /// The indices after a move: `square` is filled and `turned` are turned. Modulo 2^16 on the way; indices fit.
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
        // Nobody can foretell how many turn, but it is seldom more than three: so many are added without asking.
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

    /// The indices of a position row by row from a table, for those who need many positions that have nothing in common.
    #[inline(always)]
    pub fn by_rows(position: &Othello) -> Indices {
        static TABLE: OnceLock<Vec<[Vector; 256]>> = OnceLock::new();
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

    /// The oracle of all others: digit by digit, as the definition says.
    pub fn by_definition(position: &Othello) -> Vector {
        std::array::from_fn(|instance| {
            let Shape { squares, digits, count } = &PLACED[instance];
            let counts = squares[..*count].iter().zip(digits).map(|(&square, &digit)| {
                let disc =
                    u16::from(position.player >> square & 1 != 0) + 2 * u16::from(position.opponent >> square & 1 != 0);
                disc * 3u16.pow(u32::from(digit))
            });
            counts.sum()
        })
    }
}

/// The squares of an instance, in the order of `SQUARES`.
pub fn instance(number: usize) -> &'static [u8] {
    let shape = &PLACED[number];
    &shape.squares[..shape.count]
}

/// A shape's possible contents are numbered with the digits in the order of `SQUARES`; for each number the one that has them in these
/// places instead.
fn moved(places: &[u8]) -> Vec<usize> {
    let mut images = vec![0; 3usize.pow(places.len() as u32)];
    let mut power = 1;
    for &place in places {
        // Each number with this as its highest digit is a smaller one and the digit.
        let image = 3usize.pow(u32::from(place));
        for number in power..3 * power {
            images[number] = images[number - power] + image;
        }
        power *= 3;
    }
    images
}

/// For each square of a shape the place of its image under the reflection that maps the shape to itself.
fn mirror_order(shape: &Shape) -> Vec<u8> {
    let squares = &shape.squares[..shape.count];
    let own = |&symmetry: &usize| shape.image(symmetry).set() == shape.set();
    let symmetry = (1..Othello::SYMMETRIES).find(own).unwrap_or(0);
    let image = |&square| square_image(square, 8, symmetry);
    let place = |square| squares.iter().position(|&other| other == image(square)).unwrap_or(0) as u8;
    squares.iter().map(place).collect()
}

/// For each index of all shapes in one row the place of the weights that it shares with its mirror image. Weights stand in the order of
/// `SQUARES`, whichever digits the squares have.
pub fn shared_rows() -> &'static [u32] {
    static SHARED: OnceLock<Vec<u32>> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mut shared = vec![0; ROWS];
        let mut count = 0;
        for shape in 0..SHAPES {
            let first = Shape::read(SQUARES[shape]);
            let (mirrors, indices) = (moved(&mirror_order(&first)), moved(&first.digits[..first.count]));
            let own = &mut shared[OFFSETS[shape]..][..SIZES[shape]];
            for (number, &mirror) in mirrors.iter().enumerate() {
                own[indices[number]] = if mirror < number {
                    own[indices[mirror]]
                } else {
                    count += 1;
                    count - 1
                };
            }
        }
        shared
    })
}

/// How many rows of weights there are: indices of all shapes, each counted once with its mirror image.
pub fn shared_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| shared_rows().iter().max().map_or(0, |&last| last as usize + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    #[test]
    fn every_line_of_five_or_more_squares_lies_in_a_shape() {
        let mut lines = Vec::new();
        for (down, right) in [(0i32, 1i32), (1, 0), (1, 1), (1, -1)] {
            for start in 0..64i32 {
                let inside =
                    |n: i32| (0..8).contains(&(start / 8 + n * down)) && (0..8).contains(&(start % 8 + n * right));
                if inside(-1) {
                    continue;
                }
                let line: Vec<i32> = (0..8).filter(|&n| inside(n)).map(|n| start + n * (8 * down + right)).collect();
                if line.len() >= 5 {
                    lines.push(line.iter().fold(0u64, |set, &square| set | 1 << square));
                }
            }
        }
        assert_eq!(lines.len(), 8 + 8 + 7 + 7);
        for line in lines {
            assert!(PLACED.iter().any(|shape| shape.set() & line == line), "{line:x}");
        }
        assert!(SIZES.iter().all(|&size| size <= 1 << 16));
    }

    /// Incremental, by rows, disc by disc: all as the definition says.
    #[test]
    fn indices_agree_with_the_definition() {
        let mut rng = Rng::new(5);
        for _ in 0..40 {
            let mut position = Othello::start();
            let mut indices = Indices::fresh(&position);
            loop {
                assert_eq!(indices.own, Indices::by_definition(&position));
                assert_eq!(indices, Indices::fresh(&position));
                assert_eq!(indices, Indices::by_rows(&position));
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

    /// What a weight file has in its n-th place does not depend on the digits of the indices.
    #[test]
    fn weights_stand_in_the_order_of_squares() {
        let mut next = 0;
        for shape in 0..SHAPES {
            let first = Shape::read(SQUARES[shape]);
            for number in 0..SIZES[shape] {
                let digit = |place: usize| number / 3usize.pow(place as u32) % 3;
                let index: usize = (0..first.count).map(|at| digit(at) * 3usize.pow(u32::from(first.digits[at]))).sum();
                let row = shared_rows()[OFFSETS[shape] + index];
                assert!(row <= next, "shape {shape}, number {number}: row {row}, where {next} is the next");
                next += u32::from(row == next);
            }
        }
        assert_eq!(next as usize, shared_count());
    }

    #[test]
    fn images_of_a_position_have_the_same_shared_rows() {
        let (shared, count) = (shared_rows(), shared_count());
        assert!(count < ROWS * 53 / 100, "{count} of {ROWS}");
        let rows = |position: &Othello| {
            let own = Indices::by_definition(position);
            let mut rows: Vec<u32> =
                (0..INSTANCES).map(|k| shared[OFFSETS[k / PLACES] + usize::from(own[k])]).collect();
            rows.sort_unstable();
            rows
        };
        let mut rng = Rng::new(6);
        for _ in 0..20 {
            let mut position = Othello::start();
            for _ in 0..30 {
                let Some(&m) = rng.choose(&position.moves()) else { break };
                position = position.play(m);
            }
            for symmetry in 1..8 {
                assert_eq!(rows(&position), rows(&position.image(symmetry)));
            }
        }
    }
}
