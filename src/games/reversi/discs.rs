//! A Reversi position by color on a grid: the common representation of all text formats.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::{Reversi, Shape};
use crate::game::{Game, Player};
use crate::games::notation::Placed;

/// The squares of a board, within the `size` x `size` corner at a1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The side of the box that holds the board, at most 8.
    pub size: u8,
    /// The squares that exist (bit `8 * row + column`).
    pub squares: u64,
}

impl Grid {
    /// Whether every square of the box exists.
    pub fn is_square(self) -> bool {
        self.squares.count_ones() == u32::from(self.size) * u32::from(self.size)
    }
}

/// A position of any Reversi game, by colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Discs {
    /// The board.
    pub grid: Grid,
    /// The first player's discs.
    pub black: u64,
    /// The second player's discs.
    pub white: u64,
    /// The side to move.
    pub to_move: Player,
}

impl Discs {
    /// The empty board with the first player to move.
    pub fn empty(grid: Grid) -> Self {
        Discs {
            grid,
            black: 0,
            white: 0,
            to_move: Player::First,
        }
    }

    /// The discs of the side to move and of the other.
    pub fn player_and_opponent(&self) -> (u64, u64) {
        self.to_move.ordered(self.black, self.white)
    }

    /// The content of a square: `x`, `o`, `.` if it is empty, `*` if the board does not have it.
    pub fn piece(&self, row: u8, column: u8) -> char {
        match 1u64 << (8 * (row & 7) + (column & 7)) {
            square if self.black & square != 0 => 'x',
            square if self.white & square != 0 => 'o',
            square if self.grid.squares & square != 0 => '.',
            _ => '*',
        }
    }

    /// Puts a piece, as [`piece`](Self::piece) names it, on a square.
    pub fn place(&mut self, row: u8, column: u8, piece: char) -> Placed {
        let square = 1u64 << (8 * (row & 7) + (column & 7));
        match (piece, self.grid.squares & square != 0) {
            ('x' | 'o' | '.', false) => return Placed::NoSquare,
            ('*', true) => return Placed::Square,
            ('x', true) => self.black |= square,
            ('o', true) => self.white |= square,
            ('.', true) | ('*', false) => {}
            _ => return Placed::UnknownPiece,
        }
        Placed::Done
    }
}

impl<S: Shape> Reversi<S> {
    /// The board.
    pub const GRID: Grid = Grid {
        size: S::SIZE as u8,
        squares: S::SQUARES,
    };

    /// The position with these discs, which lie on the board.
    pub fn of(discs: &Discs) -> Self {
        let (player, opponent) = discs.player_and_opponent();
        Reversi::new(player, opponent, discs.to_move)
    }

    /// The position by colors.
    pub fn discs(&self) -> Discs {
        let to_move = self.to_move();
        let (black, white) = to_move.ordered(self.player, self.opponent);
        Discs {
            grid: Self::GRID,
            black,
            white,
            to_move,
        }
    }
}
