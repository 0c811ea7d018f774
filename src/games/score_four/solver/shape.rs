//! The shape of a position: the features that determine its value. The table's keys are hashes of
//! shapes.
//!
//! - The color of a stone does not matter if none of the lines through it can still be completed by
//!   its side. Nor do stones on lines one of whose empty cells is a threat already: the side that
//!   gets that cell has won.
//! - Cells above a threat of both sides are never played: the side that plays below it loses.
//! - Cells at the top of a column that no open line needs are interchangeable spare moves: two of
//!   them cancel out, since the second answers the first. All columns without other cells come to
//!   one spare move, or none. (True for who wins, not for how soon.)
//! - Shortly after a root with symmetries, images of a position under these share a key.
//!
//! Keys have 128 bits, 64 of which are compared: among ten billion positions the odds of a
//! collision are one to some hundred million.

use crate::games::score_four::bitboard::{Bitboards, above, odd_columns, union_of_lines};
use crate::games::score_four::cells_image;
use crate::search::table::{BUCKET_MASK, REGION_BITS};

/// The hash of a shape in two halves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct ShapeKey {
    /// Selects the bucket: the low [`REGION_BITS`] its place in a region, the others the region.
    pub place: u64,
    /// Compared with the entries.
    pub check: u64,
}

/// The cells that select the region of a table, the columns of a diagonal: a move elsewhere stays
/// in its region, so that most probes of a subtree find their page in the TLB.
// tuned: see measurements.md#regions-of-the-solvers-table
const REGION_CELLS: u64 = 0x8421_8421_8421_8421;

/// Marks a spare move in the hash.
const SPARE_MOVE: u64 = 0x2127_599b_f432_5c37;

/// The shape of a position.
#[derive(Clone, Copy, Debug)]
pub struct CanonicalShape {
    /// Its key.
    pub key: ShapeKey,
    /// The playable cells of columns that an open line needs.
    pub moves: u64,
    /// The cell of a spare move, if there is one.
    pub spare: u64,
    /// Whether the side to move can still complete a line.
    pub own_can_win: bool,
    /// Whether the other side can.
    pub other_can_win: bool,
}

/// Which positions share a key.
#[derive(Clone, Copy, Debug)]
pub struct Equivalence {
    /// Whether spare moves cancel out: only if the question is who wins.
    pub spare_moves: bool,
    /// The symmetries of the root, a bit each, without the identity.
    pub symmetries: u8,
    /// The most stones with which images under these are looked for.
    pub symmetric_until: u32,
}

/// Symmetry images share keys up to this many stones more than the root has.
const SYMMETRIC_STONES: u32 = 40; // tuned: see measurements.md#symmetries

impl Equivalence {
    /// The equivalence for a root and the positions below it.
    pub fn of(board: &Bitboards, spare_moves: bool) -> Equivalence {
        let same = |symmetry: &usize| {
            cells_image(board.own, *symmetry) == board.own
                && cells_image(board.other, *symmetry) == board.other
        };
        let symmetries = (1..8)
            .filter(same)
            .fold(0, |all, symmetry| all | 1 << symmetry);
        Equivalence {
            spare_moves,
            symmetries,
            symmetric_until: board.stones() + SYMMETRIC_STONES,
        }
    }
}

/// Computes the shape of a position.
#[inline(always)]
pub fn shape(board: &Bitboards, equivalence: Equivalence) -> CanonicalShape {
    let stones = board.own | board.other;
    let out_of_reach = above(board.own_threats & board.other_threats & !stones);
    let empty = !stones & !out_of_reach;
    let (own_threats, other_threats) = (board.own_threats & empty, board.other_threats & empty);
    let (own_lines, other_lines) = union_of_lines(
        board.own | empty & !own_threats,
        board.other | empty & !other_threats,
    );

    // The cells at the tops of columns that no open line needs.
    let live = (own_lines | other_lines | own_threats | other_threats) & empty;
    let idle = if equivalence.spare_moves {
        empty & !(live | live >> 16 | live >> 32 | live >> 48)
    } else {
        0
    };
    let playable = board.playable();
    let spare = playable & idle;
    let spare_cells = (spare | above(spare)) & empty;
    let odd = u64::from(spare_cells.count_ones() & 1);
    // Of an odd number of idle cells above others the lowest counts.
    let odd_columns = odd_columns(idle);
    let kept = idle & !(idle << 16) & (odd_columns | above(odd_columns)) & !spare_cells;
    let filled = stones | out_of_reach | idle & !kept;

    let (own, other) = (board.own & own_lines, board.other & other_lines);
    let sets = [own, other, filled, own_threats, other_threats];
    let mark = odd * SPARE_MOVE;
    let with_images =
        equivalence.symmetries != 0 && stones.count_ones() <= equivalence.symmetric_until;
    CanonicalShape {
        key: if with_images {
            ShapeKey::of_images(sets, mark, equivalence.symmetries)
        } else {
            ShapeKey::of(sets, mark)
        },
        moves: playable & !idle,
        spare: if odd != 0 {
            spare & spare.wrapping_neg()
        } else {
            0
        },
        own_can_win: own_lines | own_threats != 0,
        other_can_win: other_lines | other_threats != 0,
    }
}

impl ShapeKey {
    /// The canonical key of some sets of cells: the least one of their images.
    #[cold]
    #[inline(never)]
    fn of_images(sets: [u64; 5], mark: u64, symmetries: u8) -> ShapeKey {
        let images = (1..8).filter(|symmetry| symmetries >> symmetry & 1 != 0);
        let keys = images
            .map(|symmetry| ShapeKey::of(sets.map(|cells| cells_image(cells, symmetry)), mark));
        keys.fold(ShapeKey::of(sets, mark), ShapeKey::min)
    }

    /// Hashes five words by 128-bit products; the region depends on the stones and filled cells of
    /// [`REGION_CELLS`] alone.
    #[inline(always)]
    const fn of([own, other, filled, own_threats, other_threats]: [u64; 5], mark: u64) -> ShapeKey {
        let other_threats = other_threats ^ mark;
        let (x, xs) = product(own ^ 0x9e37_79b9_7f4a_7c15, other ^ 0xd6e8_feb8_6659_fd93);
        let (y, ys) = product(
            filled ^ 0xa076_1d64_78bd_642f,
            own_threats ^ 0xe703_7ed1_a0b4_28db,
        );
        let sum = own.wrapping_add(other.rotate_left(32)) ^ filled;
        let (z, zs) = product(
            other_threats ^ 0x8ebc_6af0_9c88_c6e3,
            sum ^ 0x5899_65cc_7537_4cc3,
        );
        let line = ((x ^ ys ^ z.rotate_left(32)).wrapping_mul(0x9fb2_1c65_1e98_df25) ^ xs ^ zs)
            >> (64 - REGION_BITS);
        let rest = (other & REGION_CELLS).rotate_left(32) ^ filled & REGION_CELLS;
        let (low, high) = product(
            own & REGION_CELLS ^ 0x9e37_79b9_7f4a_7c15,
            rest ^ 0xd6e8_feb8_6659_fd93,
        );
        let region = (low ^ high).wrapping_mul(0x9fb2_1c65_1e98_df25) & !BUCKET_MASK;
        ShapeKey {
            place: region | line,
            check: xs ^ y.rotate_left(20) ^ zs.wrapping_add(z ^ x),
        }
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
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_move_outside_the_region_cells_stays_in_the_region() {
        let region =
            |own, other, filled| ShapeKey::of([own, other, filled, 0, 0], 0).place >> REGION_BITS;
        let root = region(1, 4, 5);
        for cell in 3..64 {
            let played = 1 << cell;
            let same = REGION_CELLS & played == 0;
            assert_eq!(region(1 | played, 4, 5 | played) == root, same, "{cell}");
            assert_eq!(region(1, 4 | played, 5 | played) == root, same, "{cell}");
            assert_eq!(region(1, 4, 5 | played) == root, same, "{cell}");
        }
        let lines =
            (3..64).map(|cell| ShapeKey::of([1 | 1 << cell, 4, 5, 0, 0], 0).place & BUCKET_MASK);
        let lines: HashSet<u64> = lines.collect();
        assert!(
            lines.len() > 50,
            "61 positions spread over the 1,024 buckets of a region: {}",
            lines.len()
        );
    }

    #[test]
    fn images_under_the_symmetries_of_the_root_share_a_key() {
        // Each side has two stones on one diagonal: four symmetries of the square keep them.
        let root = Bitboards::new(1 | 1 << 15, 1 << 3 | 1 << 12);
        let equivalence = Equivalence::of(&root, true);
        assert_eq!(
            equivalence.symmetries.count_ones(),
            3,
            "without the identity"
        );
        let key = |cell: u32, equivalence| shape(&root.play(cell), equivalence).key;
        assert_eq!(key(5, equivalence), key(10, equivalence));
        assert_ne!(
            key(5, equivalence),
            key(6, equivalence),
            "the diagonals belong to different sides"
        );
        let without = Equivalence {
            symmetries: 0,
            ..equivalence
        };
        assert_ne!(key(5, without), key(10, without));
        assert_eq!(Equivalence::of(&root.play(1), true).symmetries, 0);
    }
}
