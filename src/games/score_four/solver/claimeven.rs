//! Claimeven: the cells that a side is guaranteed by answering every move in the cell above it.
//!
//! The rule is that of Connect Four (L. V. Allis, "A knowledge-based approach of Connect-Four",
//! 1988), applied to all columns at once. The follower answers above the leader's stone in columns
//! with an even number of cells left, and in another column with an odd number where no cell is
//! above. So the leader gets at most the lower cell of each pair and the single cells, and
//! completes no line that needs more.
//!
//! The follower also chooses which odd columns belong together: if the leader takes the single cell
//! of one, the follower takes that of the other. So the leader gets only one of the two, and lines
//! through both are broken.
//!
//! A threat of the follower closes its column from the cell below it: the leader loses by playing
//! there, and must do so when no other move is left (zugzwang). So the first player can be the
//! follower too. The follower chooses which of its threats close their columns.

use crate::game::squares;
use crate::games::score_four::bitboard::{Side, above, contains_line, count_lines, odd_columns};
use crate::games::score_four::{LAYER, LINES};

/// Lines that can be broken by pairs of single cells; with more lines nothing is proven.
const MAX_LINES: usize = 16;

/// What claimeven proves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Claimeven {
    /// Nothing is proven.
    Unknown,
    /// The leader completes no line.
    Holds,
    /// The leader completes no line, and the follower completes one.
    Wins,
}

/// What claimeven proves for `follower` against `leader` (its stones), neither of which has an
/// immediate win. The threats of the follower close their columns and are empty cells. `odd`: the
/// follower begins with the single cell that has no partner; otherwise the leader is to move.
#[inline(always)]
fn claimeven(leader: u64, follower: Side, odd: bool) -> Claimeven {
    let Some(cells) = LeaderCells::new(leader, follower, odd) else {
        return Claimeven::Unknown;
    };
    // Most lines that the leader may complete do not depend on pairs.
    if contains_line(cells.sure()) || contains_line(cells.all) && !pairs_break_lines(&cells, odd) {
        Claimeven::Unknown
    } else if follower.threats != 0 || contains_line(follower.stones | cells.of_follower) {
        Claimeven::Wins
    } else {
        Claimeven::Holds
    }
}

/// The cells that the leader may get while the follower plays claimeven.
struct LeaderCells {
    /// All of them, the stones included.
    all: u64,
    /// The single cells of odd columns.
    single: u64,
    /// The lowest cells below threats: the leader can play only one of them, as its last move.
    below: u64,
    /// The cells that the follower gets in any case.
    of_follower: u64,
}

impl LeaderCells {
    /// The cells if the follower's threats close their columns; nothing if the wrong side would be
    /// to move.
    #[inline(always)]
    fn new(leader: u64, follower: Side, odd: bool) -> Option<LeaderCells> {
        let stones = leader | follower.stones;
        let empty = !stones;
        let below = (follower.threats & empty) >> 16 & empty;
        let left = empty & !(below | above(below));
        if left.count_ones() % 2 != u32::from(odd) {
            return None;
        }
        let lowest = left & (stones << 16 | LAYER);
        let odd_columns = odd_columns(left);
        let odd_columns = odd_columns | above(odd_columns);
        // In an odd column the lowest cell is single and the next is the lower one of a pair.
        let lower = lowest | left & (lowest << 32 & !odd_columns | lowest << 16 & odd_columns);
        let below = below & !above(below);
        Some(LeaderCells {
            all: leader | lower | below,
            single: lowest & odd_columns,
            below,
            of_follower: left & !lower,
        })
    }

    /// The cells that the leader can get whatever the follower pairs.
    #[inline(always)]
    const fn sure(&self) -> u64 {
        self.all & !self.single & !self.below
    }
}

/// The lines that the leader may complete while the follower plays claimeven: those whose cells it
/// can get in any case, and the others. The more there are, the farther is a proof. All threats of
/// the follower close their columns, or, if the wrong side would be to move, none.
#[inline(always)]
pub fn leader_lines(leader: u64, follower: Side, odd: bool) -> (u32, u32) {
    let none = Side {
        threats: 0,
        ..follower
    };
    match LeaderCells::new(leader, follower, odd).or_else(|| LeaderCells::new(leader, none, odd)) {
        None => (0, 0),
        Some(cells) => {
            let sure = count_lines(cells.sure());
            (sure, count_lines(cells.all) - sure)
        }
    }
}

/// Whether the follower can pair the single cells so that the leader completes no line.
#[inline(never)]
fn pairs_break_lines(cells: &LeaderCells, odd: bool) -> bool {
    let single = cells.single;
    let (mut lines, mut count) = ([0; MAX_LINES], 0);
    for line in LINES {
        if line & !cells.all != 0 || (line & cells.below).count_ones() > 1 {
            continue;
        }
        if count == MAX_LINES || (line & single).count_ones() < if odd { 1 } else { 2 } {
            return false;
        }
        lines[count] = line & single;
        count += 1;
    }
    can_break(&lines[..count], single, odd)
}

/// Whether disjoint pairs of `free` cells, and a single one first if `odd`, break all lines: a line
/// is broken if it contains both cells of a pair or the cell taken first.
fn can_break(lines: &[u64], free: u64, odd: bool) -> bool {
    let Some((line, others)) = lines.split_first() else {
        return true;
    };
    let line = line & free;
    let breaks = |taken: u64, odd: bool| {
        let (mut open, mut count) = ([0; MAX_LINES], 0);
        for other in others.iter().filter(|&other| other & taken != taken) {
            open[count] = *other;
            count += 1;
        }
        can_break(&open[..count], free & !taken, odd)
    };
    let pair = |one, other| one < other && breaks(1_u64 << one | 1_u64 << other, odd);
    odd && squares(line).any(|cell| breaks(1 << cell, false))
        || squares(line).any(|one| squares(line).any(|other| pair(one, other)))
}

/// Whether [`claimeven`] proves `goal` if the follower closes columns with some of its threats.
#[inline(always)]
pub fn claimeven_proves(goal: Claimeven, leader: u64, follower: Side, odd: bool) -> bool {
    let stones = follower.stones;
    let all = follower.threats & !(leader | stones);
    let mut threats = all;
    loop {
        if claimeven(leader, Side { stones, threats }, odd) >= goal {
            return true;
        }
        if threats == 0 {
            return false;
        }
        threats = (threats - 1) & all; // the next subset
    }
}
