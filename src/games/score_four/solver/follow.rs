//! Answering on top: what the side that has just moved gets for certain by following the other's every move.
//!
//! It is the "follow-up" or "claimeven" of Connect Four (L. V. Allis, "A knowledge-based approach of Connect-Four", 1988) on
//! all columns at once. The follower answers on top of the other's stone in columns with an even number of cells left, and
//! in another column with an odd number where there is none on top. So the other side, the leader, gets at most the lower
//! cell of each pair and the single cells, and a line that needs more never comes about.
//!
//! A cell that completes a line for the follower closes its column one below: the leader loses by playing there, and has to
//! in the end, when nothing else is left. So it is not only the second player who can follow.

use super::shape::above;
use crate::games::score_four::LAYER;
use crate::games::score_four::bitboard::holds_line;

/// What following comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Following {
    /// Nothing certain.
    Open,
    /// The leader completes no line.
    Holds,
    /// The leader completes no line, and the follower does.
    Wins,
}

/// What following brings to `follower` against `leader`, whose stones these are; nobody has a win in sight. `closing` are the
/// cells that complete a line for the follower and shall close their columns. `odd`: the follower begins with the single cell
/// that has no partner; else the leader is to move.
#[inline(always)]
pub fn following(leader: u64, follower: u64, closing: u64, odd: bool) -> Following {
    let stones = leader | follower;
    let empty = !stones;
    let wins = closing & empty;
    let doors = wins >> 16 & empty;
    let left = empty & !(doors | above(doors));
    if left.count_ones() % 2 != u32::from(odd) {
        return Following::Open;
    }
    let lowest = left & (stones << 16 | LAYER);
    let halves = left ^ left >> 32;
    let odd_columns = (halves ^ halves >> 16) & LAYER;
    let odd_columns = odd_columns | above(odd_columns);
    // In an odd column the lowest cell is single and the next the lower one of a pair.
    let lower = lowest | left & (lowest << 32 & !odd_columns | lowest << 16 & odd_columns);
    let doors = doors & !above(doors);
    if holds_line(leader | lower | doors) {
        Following::Open
    } else if wins != 0 || holds_line(follower | left & !lower) {
        Following::Wins
    } else {
        Following::Holds
    }
}
