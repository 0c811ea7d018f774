//! The patterns of the evaluation: sixteen shapes of at most ten squares, each in four places
//! (*instances*).
//!
//! The contents of an instance are one number, its *index* ([`super::indices`]). An index and its
//! mirror image are one *feature* and share their weights. Patterns as features are M. Buro's
//! ("Experiments with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997).
//! Every straight line of five or more squares is part of a shape, and corners and edges are
//! covered several times. Each shape is its own image under one reflection, so that it has exactly
//! four images.

use std::sync::LazyLock;

use crate::game::{Game, square_image};
use crate::games::reversi::Othello;
use crate::platform::memory::on_large_pages;

/// Number of shapes.
pub const SHAPES: usize = 16;
/// Number of instances of each shape.
pub const PLACES: usize = 4;
/// Number of indices of a position.
pub const INSTANCES: usize = SHAPES * PLACES;

/// The squares of each shape in its first place, in the order in which weight files number its
/// contents.
const SQUARES: [&str; SHAPES] = [
    // Edges: with both X squares, with the inner neighbors of the middle, without C squares but two
    // rows deep.
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "a1 b1 c1 d1 e1 f1 g1 h1 c2 f2",
    "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    // The second to fourth rows, and the middle behind an edge.
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "d1 e1 c2 d2 e2 f2 c3 d3 e3 f3",
    // Diagonals of eight (with two C squares), seven (with both corners), six (with C and X
    // squares), five and four.
    "a1 b2 c3 d4 e5 f6 g7 h8 b1 a2",
    "b1 c2 d3 e4 f5 g6 h7 a1 h8",
    "c1 d2 e3 f4 g5 h6 b1 h7 b2 g7",
    "d1 e2 f3 g4 h5 e1 f2 g3 h4 g2",
    // Corners: the square of nine, the triangle, both edges, three short diagonals, the square
    // behind the corner.
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "a1 b2 c3 d4 b1 c2 d3 a2 b3 c4",
    "a1 b2 c2 d2 b3 c3 d3 b4 c4 d4",
];

/// A square of each of the ten classes under symmetry, the most stable during a search first:
/// corners and X squares, which stay empty, and the center, which stays full. Their digits are the
/// highest of an index, so that the look-ups of a search lie close together
/// (measurements.md#order-of-digits).
const BY_STABILITY: [&str; 10] = ["a1", "b2", "d4", "b1", "c3", "c1", "d3", "d1", "d2", "c2"];

/// A shape in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// Its squares, in the order of `SQUARES`.
    pub squares: [u8; 10],
    /// For each square the position of its digit in the index, the lowest being 0.
    pub digits: [u8; 10],
    /// Number of used entries.
    pub count: usize,
}

impl Instance {
    const fn read(text: &str) -> Instance {
        let bytes = text.as_bytes();
        let mut shape = Instance {
            squares: [0; 10],
            digits: [0; 10],
            count: 0,
        };
        let mut at = 0;
        while at < bytes.len() {
            shape.squares[shape.count] = square(bytes[at], bytes[at + 1]);
            shape.count += 1;
            at += 3;
        }
        let mut i = 0;
        while i < shape.count {
            let (mut j, own) = (0, class_of(shape.squares[i]));
            while j < shape.count {
                let other = class_of(shape.squares[j]);
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

    const fn image(&self, symmetry: usize) -> Instance {
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

/// The place in [`BY_STABILITY`] of the class of a square.
const fn class_of(square: u8) -> usize {
    let mut class = 0;
    loop {
        let name = BY_STABILITY[class].as_bytes();
        let first = self::square(name[0], name[1]);
        let mut symmetry = 0;
        while symmetry < 8 {
            if square_image(first, 8, symmetry) == square {
                return class;
            }
            symmetry += 1;
        }
        class += 1;
    }
}

/// Every shape in every place: instance `PLACES * shape + place`.
pub(super) static PLACED: [Instance; INSTANCES] = placed();

pub(super) const fn placed() -> [Instance; INSTANCES] {
    let mut all = [Instance::read(SQUARES[0]); INSTANCES];
    let mut shape = 0;
    while shape < SHAPES {
        let first = Instance::read(SQUARES[shape]);
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

/// Number of possible indices of each shape.
pub const SIZES: [usize; SHAPES] = {
    let (mut sizes, mut shape) = ([0; SHAPES], 0);
    while shape < SHAPES {
        sizes[shape] = 3usize.pow(Instance::read(SQUARES[shape]).count as u32);
        shape += 1;
    }
    sizes
};

/// The first index of each shape when the indices of all shapes are numbered consecutively.
pub const OFFSETS: [usize; SHAPES] = {
    let (mut offsets, mut shape) = ([0; SHAPES], 1);
    while shape < SHAPES {
        offsets[shape] = offsets[shape - 1] + SIZES[shape - 1];
        shape += 1;
    }
    offsets
};

/// The number of indices of all shapes.
pub const INDEX_COUNT: usize = OFFSETS[SHAPES - 1] + SIZES[SHAPES - 1];

/// The squares of an instance, in the order of `SQUARES`.
pub fn instance(number: usize) -> &'static [u8] {
    let shape = &PLACED[number];
    &shape.squares[..shape.count]
}

/// The digits of an empty square, an own disc and the opponent's in weight files.
const FILE_DIGITS: [u16; 3] = [0, 1, 2];
/// The same in indices.
const INDEX_DIGITS: [u16; 3] = [1, 2, 0];

/// For each number of a weight file with as many digits as there are `places`, the number with
/// these digits moved to these places and replaced by `digits`.
fn permuted(places: &[u8], digits: [u16; 3]) -> Vec<u16> {
    let mut images = vec![0];
    for &place in places {
        let power = 3u16.pow(u32::from(place));
        let mut longer = Vec::with_capacity(3 * images.len());
        for digit in digits {
            longer.extend(images.iter().map(|image| image + digit * power));
        }
        images = longer;
    }
    images
}

/// For each square of a shape the place of its image under the reflection that maps the shape to
/// itself.
fn mirror_order(shape: &Instance) -> Vec<u8> {
    let squares = &shape.squares[..shape.count];
    let own = |&symmetry: &usize| shape.image(symmetry).set() == shape.set();
    let symmetry = (1..Othello::SYMMETRIES).find(own).unwrap_or(0);
    let image = |&square| square_image(square, 8, symmetry);
    let place = |square| {
        squares
            .iter()
            .position(|&other| other == image(square))
            .unwrap_or(0) as u8
    };
    squares.iter().map(place).collect()
}

/// The feature of each index, by [`OFFSETS`]: an index has that of its mirror image. Features are
/// numbered with digits in the order of `SQUARES`, as in weight files, independently of the order
/// of digits in indices.
pub fn feature_ids() -> &'static [u32] {
    static IDS: LazyLock<Vec<u32>> = LazyLock::new(|| {
        let mut ids = on_large_pages((0..INDEX_COUNT).map(|_| 0));
        let mut count = 0;
        for shape in 0..SHAPES {
            let first = Instance::read(SQUARES[shape]);
            let mirrors = permuted(&mirror_order(&first), FILE_DIGITS);
            let indices = permuted(&first.digits[..first.count], INDEX_DIGITS);
            let own = &mut ids[OFFSETS[shape]..][..SIZES[shape]];
            for (number, &mirror) in mirrors.iter().enumerate() {
                let mirror = usize::from(mirror);
                own[usize::from(indices[number])] = if mirror < number {
                    own[usize::from(indices[mirror])]
                } else {
                    count += 1;
                    count - 1
                };
            }
        }
        ids
    });
    &IDS
}

/// The number of features: indices of all shapes, each counted once with its mirror image.
pub fn feature_count() -> usize {
    let last = feature_ids().iter().max();
    last.map_or(0, |&last| last as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::games::reversi::eval::indices::Indices;

    #[test]
    fn every_line_of_five_or_more_squares_lies_in_a_shape() {
        let mut lines = Vec::new();
        for (down, right) in [(0i32, 1i32), (1, 0), (1, 1), (1, -1)] {
            for start in 0..64i32 {
                let inside = |n: i32| {
                    (0..8).contains(&(start / 8 + n * down))
                        && (0..8).contains(&(start % 8 + n * right))
                };
                if inside(-1) {
                    continue;
                }
                let line: Vec<i32> = (0..8)
                    .filter(|&n| inside(n))
                    .map(|n| start + n * (8 * down + right))
                    .collect();
                if line.len() >= 5 {
                    lines.push(line.iter().fold(0u64, |set, &square| set | 1 << square));
                }
            }
        }
        assert_eq!(lines.len(), 8 + 8 + 7 + 7);
        for line in lines {
            assert!(
                PLACED.iter().any(|shape| shape.set() & line == line),
                "{line:x}"
            );
        }
        assert!(SIZES.iter().all(|&size| size <= 1 << 16));
    }

    /// The n-th feature of a weight file does not depend on the order of digits in indices.
    #[test]
    fn features_are_numbered_in_the_order_of_squares() {
        let mut next = 0;
        for shape in 0..SHAPES {
            let first = Instance::read(SQUARES[shape]);
            for number in 0..SIZES[shape] {
                let digit =
                    |place: usize| usize::from(INDEX_DIGITS[number / 3usize.pow(place as u32) % 3]);
                let index: usize = (0..first.count)
                    .map(|at| digit(at) * 3usize.pow(u32::from(first.digits[at])))
                    .sum();
                let id = feature_ids()[OFFSETS[shape] + index];
                assert!(
                    id <= next,
                    "shape {shape}, number {number}: feature {id}, where {next} is the next"
                );
                next += u32::from(id == next);
            }
        }
        assert_eq!(next as usize, feature_count());
    }

    #[test]
    fn images_of_a_position_have_the_same_features() {
        let (ids, count) = (feature_ids(), feature_count());
        assert!(count < INDEX_COUNT * 53 / 100, "{count} of {INDEX_COUNT}");
        let features = |position: &Othello| {
            let own = Indices::by_definition(position);
            let mut features: Vec<u32> = (0..INSTANCES)
                .map(|k| ids[OFFSETS[k / PLACES] + usize::from(own[k])])
                .collect();
            features.sort_unstable();
            features
        };
        let mut rng = Rng::new(6);
        for _ in 0..20 {
            let mut position = Othello::start();
            for _ in 0..30 {
                let Some(&m) = rng.choose(&position.moves()) else {
                    break;
                };
                position = position.play(m);
            }
            for symmetry in 1..8 {
                assert_eq!(features(&position), features(&position.image(symmetry)));
            }
        }
    }
}
