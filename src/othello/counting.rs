//! Lines of play counted with the board's kernels: what the board alone is good for, without any search.
//!
//! [`crate::perft`] plays every line to its last ply and checks the rules; here the moves of the last ply are counted by
//! their number ("bulk counting"), and the recursion is stamped for an instruction set as the endgame's is.

use super::kernel::{InstructionSet, OnSet, Stamped};
use crate::games::othello::Othello;

/// The lines of exactly `plies` plies from a position; a pass is a ply, a finished game has no further line.
pub fn perft_in_bulk(position: &Othello, plies: u32, set: InstructionSet) -> u64 {
    struct Count(u64, u64, u32);
    impl OnSet for Count {
        type Output = u64;
        fn run<K: Stamped>(self, kernel: K) -> u64 {
            kernel.count(self.0, self.1, self.2)
        }
    }
    if plies == 0 { 1 } else { set.run(Count(position.player, position.opponent, plies)) }
}

/// The lines of `plies` plies, at least one. Inlined into each instruction set's copy, through which it recurses.
#[inline(always)]
pub fn count<K: Stamped>(kernel: K, player: u64, opponent: u64, plies: u32) -> u64 {
    let mut moves = kernel.legal(player, opponent);
    if moves == 0 {
        return match kernel.legal(opponent, player) {
            0 => 0,
            _ if plies == 1 => 1,
            _ => kernel.count(opponent, player, plies - 1),
        };
    }
    if plies == 1 {
        return u64::from(moves.count_ones());
    }
    let mut lines = 0;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = kernel.flips(player, opponent, square);
        lines += kernel.count(opponent ^ flips, player | flips | 1 << square, plies - 1);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::perft::perft;

    #[test]
    fn bulk_counts_are_those_of_lines_played_out_on_every_set() {
        let mut late = Othello::start();
        while late.plies_left() > 6 && !late.moves().is_empty() {
            late = late.play(late.moves()[0]); // passes and finished games come by here
        }
        for set in InstructionSet::available() {
            for plies in 0..=6 {
                for position in [Othello::start(), late] {
                    assert_eq!(perft_in_bulk(&position, plies, set), perft(&position, plies).lines, "{set:?} {plies}");
                }
            }
        }
    }
}
