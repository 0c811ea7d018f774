//! Perft with the board's kernels: the speed of the board alone, without any search.
//!
//! [`crate::games::perft`] plays every move sequence to its last ply and checks the rules; here the
//! moves of the last ply are only counted ("bulk counting").

use super::kernel::Kernels;
use crate::games::reversi::Othello;
use crate::search::core::isa::{IsaChoice, with_isa};

/// The leaf nodes of exactly `plies` plies from a position; a pass is a ply, a finished game has no
/// further one.
pub fn perft_in_bulk(position: &Othello, plies: u32, choice: IsaChoice) -> u64 {
    let Othello {
        player, opponent, ..
    } = *position;
    match plies {
        0 => 1,
        _ => with_isa!(choice, kernel => count_leaves(kernel, player, opponent, plies)),
    }
}

/// The leaf nodes of `plies` plies, at least one.
#[inline(always)]
fn count_leaves<K: Kernels>(kernel: K, player: u64, opponent: u64, plies: u32) -> u64 {
    kernel.call(
        #[inline(always)]
        move || {
            let mut moves = kernel.legal(player, opponent);
            if moves == 0 {
                return match kernel.legal(opponent, player) {
                    0 => 0,
                    _ if plies == 1 => 1,
                    _ => count_leaves(kernel, opponent, player, plies - 1),
                };
            }
            if plies == 1 {
                return u64::from(moves.count_ones());
            }
            let mut count = 0;
            while moves != 0 {
                let square = moves.trailing_zeros();
                moves &= moves - 1;
                let flips = kernel.flips(player, opponent, square);
                let (player, opponent) = (opponent ^ flips, player | flips | 1 << square);
                count += count_leaves(kernel, player, opponent, plies - 1);
            }
            count
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::perft::perft;

    #[test]
    fn bulk_counts_equal_played_sequences_on_every_instruction_set() {
        let mut late = Othello::start();
        while late.plies_left() > 6 && !late.moves().is_empty() {
            late = late.play(late.moves()[0]); // passes and finished games come by here
        }
        for choice in IsaChoice::available() {
            for plies in 0..=6 {
                for position in [Othello::start(), late] {
                    assert_eq!(
                        perft_in_bulk(&position, plies, choice),
                        perft(&position, plies).leaves,
                        "{choice:?} {plies}"
                    );
                }
            }
        }
    }
}
