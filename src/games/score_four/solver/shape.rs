//! What matters of a position: two positions of one shape have one value, and the table keeps shapes.
//!
//! - A stone on no line that its side can still complete only blocks; whose it is does not matter. Nor do a line's stones once
//!   another line is completed by one of its empty cells: whoever gets that cell has won.
//! - Above a cell that completes a line for both sides nobody ever plays: whoever plays below it loses.
//! - Where nothing is left to decide at the top of a column, two cells are as good as none: whoever plays the first of them is
//!   answered by the second. Columns without anything left to decide come to one spare move, or none. (This holds for who
//!   wins, not for how soon.)
//! - Where the position asked about has symmetries of its own, positions soon after it are taken for their images under these.
//!
//! The hash is of 128 bits and stands for the shape: among ten billion positions two shapes meet with odds of one to some
//! hundred million.

use crate::games::score_four::bitboard::{Board, covered};
use crate::games::score_four::{LAYER, cells_image};

/// Where a shape stands in the table: a hash for the place, a hash that tells it from others there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Key {
    /// For the place.
    pub place: u64,
    /// For the comparison.
    pub check: u64,
}

/// Marks a spare move in the hash; no set of cells that matters differs from another by this.
const ODD: u64 = 0x2127_599b_f432_5c37;

/// What matters of a position.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The shape's hashes.
    pub key: Key,
    /// The cells worth playing on: playable ones of columns in which something is left to decide.
    pub moves: u64,
    /// A cell for a spare move, if there is one to have; else nothing.
    pub spare: u64,
    /// Whether the side to move can still complete a line.
    pub own_lives: bool,
    /// Whether the other side can.
    pub other_lives: bool,
}

/// The cells of the same columns on higher levels.
#[inline(always)]
pub const fn above(cells: u64) -> u64 {
    cells << 16 | cells << 32 | cells << 48
}

/// Which positions are taken for one.
#[derive(Clone, Copy, Debug)]
pub struct Folding {
    /// Who wins is all that matters, so that spare moves may be paired off.
    pub spare: bool,
    /// The symmetries of the position asked about, a bit for each but the first, which changes nothing.
    pub symmetries: u8,
    /// Positions with at most so many stones are taken for their images under these.
    pub until: u32,
}

/// Positions are taken for images while they have at most so many stones more than the one asked about.
///
/// Nodes for two positions of 24 and 22 stones with a symmetry each, by this number (play hardly ever leads to such): the search refutes by one move
/// and seldom comes to its image, so there is little to fold.
///
/// | 0 | 2 | 4 | 8 | 40 |
/// |---|---|---|---|---|
/// | 6,501,348 | 6,501,348 | 6,501,348 | 6,501,348 | 6,244,588 |
/// | 777,896 | 777,896 | 770,877 | 770,877 | 766,600 |
const IMAGES: u32 = 40;

impl Folding {
    /// The folding for questions about a position and what follows.
    pub fn of(board: &Board, spare: bool) -> Folding {
        let same = |symmetry: &usize| {
            cells_image(board.own, *symmetry) == board.own && cells_image(board.other, *symmetry) == board.other
        };
        let symmetries = (1..8).filter(same).fold(0, |all, symmetry| all | 1 << symmetry);
        Folding { spare, symmetries, until: board.stones() + IMAGES }
    }
}

/// The shape of a position.
#[inline(always)]
pub fn shape(board: &Board, folding: Folding) -> Shape {
    let stones = board.own | board.other;
    let out_of_reach = above(board.own_wins & board.other_wins & !stones);
    let empty = !stones & !out_of_reach;
    let (own_wins, other_wins) = (board.own_wins & empty, board.other_wins & empty);
    let (own_lines, other_lines) = covered(board.own | empty & !own_wins, board.other | empty & !other_wins);

    // The cells in columns' tops without anything left to decide.
    let live = (own_lines | other_lines | own_wins | other_wins) & empty;
    let idle = if folding.spare { empty & !(live | live >> 16 | live >> 32 | live >> 48) } else { 0 };
    let playable = board.playable();
    let spare = playable & idle;
    let spare_cells = (spare | above(spare)) & empty;
    let odd = u64::from(spare_cells.count_ones() & 1);
    // Of an odd number of idle cells above others the lowest counts.
    let halves = idle ^ idle >> 32;
    let odd_columns = (halves ^ halves >> 16) & LAYER;
    let kept = idle & !(idle << 16) & (odd_columns | above(odd_columns)) & !spare_cells;
    let filled = stones | out_of_reach | idle & !kept;

    let (own, other) = (board.own & own_lines, board.other & other_lines);
    let sets = [own, other, filled, own_wins, other_wins];
    let mark = odd * ODD;
    let with_images = folding.symmetries != 0 && stones.count_ones() <= folding.until;
    Shape {
        key: if with_images { Key::of_images(sets, mark, folding.symmetries) } else { Key::of(sets, mark) },
        moves: playable & !idle,
        spare: if odd != 0 { spare & spare.wrapping_neg() } else { 0 },
        own_lives: own_lines | own_wins != 0,
        other_lives: other_lines | other_wins != 0,
    }
}

impl Key {
    /// The least key of some sets of cells and their images under these symmetries.
    #[cold]
    #[inline(never)]
    fn of_images(sets: [u64; 5], mark: u64, symmetries: u8) -> Key {
        let images = (1..8).filter(|symmetry| symmetries >> symmetry & 1 != 0);
        let keys = images.map(|symmetry| Key::of(sets.map(|cells| cells_image(cells, symmetry)), mark));
        keys.fold(Key::of(sets, mark), Key::min)
    }

    /// Mixes five words by products of 128 bits.
    #[inline(always)]
    const fn of([own, other, filled, own_wins, other_wins]: [u64; 5], mark: u64) -> Key {
        let other_wins = other_wins ^ mark;
        let (x, xs) = product(own ^ 0x9e37_79b9_7f4a_7c15, other ^ 0xd6e8_feb8_6659_fd93);
        let (y, ys) = product(filled ^ 0xa076_1d64_78bd_642f, own_wins ^ 0xe703_7ed1_a0b4_28db);
        let sum = own.wrapping_add(other.rotate_left(32)) ^ filled;
        let (z, zs) = product(other_wins ^ 0x8ebc_6af0_9c88_c6e3, sum ^ 0x5899_65cc_7537_4cc3);
        let place = (x ^ ys ^ z.rotate_left(32)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        Key { place: place ^ xs ^ zs, check: xs ^ y.rotate_left(20) ^ zs.wrapping_add(z ^ x) }
    }
}

/// The low and the high half of a product.
#[inline(always)]
const fn product(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    (product as u64, (product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_under_the_symmetries_of_the_position_asked_about_are_one() {
        // Two stones on a diagonal, the other side's on the other: four symmetries of the square leave them where they are.
        let root = Board::new(1 | 1 << 15, 1 << 3 | 1 << 12);
        let folding = Folding::of(&root, true);
        assert_eq!(folding.symmetries.count_ones(), 3, "beside the one that changes nothing");
        let key = |cell: u32, folding| shape(&root.play(cell), folding).key;
        assert_eq!(key(5, folding), key(10, folding));
        assert_ne!(key(5, folding), key(6, folding), "the diagonals belong to different sides");
        let apart = Folding { symmetries: 0, ..folding };
        assert_ne!(key(5, apart), key(10, apart));
        assert_eq!(Folding::of(&root.play(1), true).symmetries, 0);
    }
}
