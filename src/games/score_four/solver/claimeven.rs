//! Claimeven: the cells that a side is guaranteed by answering every move in the cell above it.
//!
//! The rule is that of Connect Four (L. V. Allis, "A knowledge-based approach of Connect-Four",
//! 1988), applied to all columns at once. The follower answers above the leader's stone in columns
//! with an even number of cells left, and in another column with an odd number where no cell is
//! above. So the leader gets at most the lower cell of each pair and the single cells, and
//! completes no line that needs more.
//!
//! A threat of the follower closes its column from the cell below it: the leader loses by playing
//! there, and must do so when no other move is left (zugzwang). So the first player can be the
//! follower too.

use crate::games::score_four::LAYER;
use crate::games::score_four::bitboard::{above, contains_line, odd_columns};

/// What claimeven proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claimeven {
    /// Nothing is proven.
    Unknown,
    /// The leader completes no line.
    Holds,
    /// The leader completes no line, and the follower completes one.
    Wins,
}

/// What claimeven proves for `follower` against `leader` (their stones), neither of which has an
/// immediate win. `threats`: those of the follower that close their columns. `odd`: the follower
/// begins with the single cell that has no partner; otherwise the leader is to move.
#[inline(always)]
pub fn claimeven(leader: u64, follower: u64, threats: u64, odd: bool) -> Claimeven {
    let stones = leader | follower;
    let empty = !stones;
    let threats = threats & empty;
    let below = threats >> 16 & empty;
    let left = empty & !(below | above(below));
    if left.count_ones() % 2 != u32::from(odd) {
        return Claimeven::Unknown;
    }
    let lowest = left & (stones << 16 | LAYER);
    let odd_columns = odd_columns(left);
    let odd_columns = odd_columns | above(odd_columns);
    // In an odd column the lowest cell is single and the next is the lower one of a pair.
    let lower = lowest | left & (lowest << 32 & !odd_columns | lowest << 16 & odd_columns);
    let below = below & !above(below);
    if contains_line(leader | lower | below) {
        Claimeven::Unknown
    } else if threats != 0 || contains_line(follower | left & !lower) {
        Claimeven::Wins
    } else {
        Claimeven::Holds
    }
}
