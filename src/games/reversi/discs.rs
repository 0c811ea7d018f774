//! How the Reversi boards are written: one position, many spellings.
//!
//! The own text has the rows from row 1 down and the side to move, `8/8/8/3ox3/3xo3/8/8/8 x`: `x` Black, `o` White, digits for
//! runs of empty squares, `*` where a board has no square. Read as well: `b`/`w` as pieces and sides, the 64 characters of
//! [`obf`], a game in [`ggf`] (its last position), the FEN of [`flipello`]. Moves are read in any case, with every
//! spelling of a pass, glued, and as flipello's `P@e3`, which counts rows from below: that is Othello's e6.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use std::fmt::Write;

use super::{Reversi, Shape, bitboard};
use super::{flipello, ggf, obf};
use crate::game::{Game, Move, Notation, NotationError, Player};
use crate::games::notation::{
    Cursor, Placed, read_rows, square_name, strip_pass, strip_square, unreadable_move, whole_word, write_rows,
};

/// Which squares a board has: those of `squares` in the `size` x `size` corner at a1 (bit `8 * row + column`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The side of the box that holds the board, at most 8.
    pub size: u8,
    /// The squares that exist.
    pub squares: u64,
}

impl Grid {
    /// Whether every square of the box exists.
    pub fn is_square(self) -> bool {
        self.squares.count_ones() == u32::from(self.size) * u32::from(self.size)
    }
}

/// A position of any Reversi game, by colours: what the notations read and write.
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
        Discs { grid, black: 0, white: 0, to_move: Player::First }
    }

    /// The discs of the side to move and of the other.
    pub fn player_and_opponent(&self) -> (u64, u64) {
        match self.to_move {
            Player::First => (self.black, self.white),
            Player::Second => (self.white, self.black),
        }
    }

    /// What stands on a square: `x`, `o`, `.` for nothing, `*` where the board has no square.
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

    /// Whether nobody can move any more.
    pub fn is_over(&self) -> bool {
        let moves = |player, opponent| bitboard::legal(player, opponent) & self.grid.squares;
        moves(self.black, self.white) == 0 && moves(self.white, self.black) == 0
    }

    /// The position after a move of the side to move, if it is legal.
    pub fn played(&self, m: Move) -> Option<Self> {
        let (player, opponent) = self.player_and_opponent();
        let (player, opponent) = if m.is_pass() {
            let moves = |player, opponent| bitboard::legal(player, opponent) & self.grid.squares;
            (moves(player, opponent) == 0 && moves(opponent, player) != 0).then_some((player, opponent))?
        } else {
            let square = 1u64.checked_shl(u32::from(m.square()))?;
            let legal = bitboard::legal(player, opponent) & self.grid.squares & square != 0;
            let flips = legal.then(|| bitboard::flips(player, opponent, m.square()))?;
            (player | flips | square, opponent & !flips)
        };
        let (black, white) = if self.to_move == Player::First { (player, opponent) } else { (opponent, player) };
        Some(Discs { black, white, to_move: self.to_move.other(), ..*self })
    }

    /// Reads any spelling of a position on this board.
    pub fn read(grid: Grid, text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::new(text);
        cursor.skip_blanks();
        let word = cursor.clone().word();
        if ggf::is_game(cursor.rest()) {
            ggf::read_position(grid, text)
        } else if !word.contains('/') {
            obf::read_position(grid, &mut cursor)
        } else if word.contains(['P', 'p']) {
            flipello::read_fen(grid, &mut cursor)
        } else {
            let discs = Self::read_own(grid, &mut cursor)?;
            cursor.end()?;
            Ok(discs)
        }
    }

    fn read_own(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Self, NotationError> {
        let mut discs = Self::empty(grid);
        read_rows(cursor, grid.size, "x, o, a digit or /", |row, column, c| {
            let piece = match c {
                'x' | 'X' | 'b' | 'B' => 'x',
                'o' | 'O' | 'w' | 'W' => 'o',
                '.' | '-' => '.',
                '*' | '?' => '*',
                _ => return Placed::UnknownPiece,
            };
            discs.place(row, column, piece)
        })?;
        if cursor.peek().is_some_and(|c| !c.is_whitespace()) {
            return Err(cursor.unexpected("a blank and the side to move: x or o"));
        }
        discs.to_move = cursor.side()?;
        Ok(discs)
    }

    /// The position in the own text.
    pub fn write(&self) -> String {
        let side = if self.to_move == Player::First { 'x' } else { 'o' };
        format!("{} {side}", write_rows(self.grid.size, |row, column| self.piece(row, column)))
    }

    /// The board for human eyes, the squares of `marked` (the legal moves) as `+`, squares that do not exist as `?`.
    pub fn diagram(&self, marked: u64) -> String {
        let mut text = String::from(" ");
        for column in 0..self.grid.size {
            let _ = write!(text, " {}", char::from(b'a' + column));
        }
        text.push('\n');
        for row in 0..self.grid.size {
            let _ = write!(text, "{}", row + 1);
            for column in 0..self.grid.size {
                let piece = match self.piece(row, column) {
                    '*' => '?',
                    '.' if marked >> (8 * row + column) & 1 != 0 => '+',
                    piece => piece,
                };
                let _ = write!(text, " {piece}");
            }
            text.push('\n');
        }
        let side = if self.to_move == Player::First { 'x' } else { 'o' };
        let _ = writeln!(text, "{side} to move, x {}, o {}", self.black.count_ones(), self.white.count_ones());
        text
    }
}

/// A game on a board of discs: how it becomes [`Discs`] and comes from them. All of its notation follows.
pub trait DiscGame: Game {
    /// The board.
    const GRID: Grid;
    /// The position with these discs; they lie on the board and do not overlap.
    fn from_discs(player: u64, opponent: u64, to_move: Player) -> Self;
    /// The discs of the side to move and of the other.
    fn player_and_opponent(&self) -> (u64, u64);

    /// The position by colours.
    fn discs(&self) -> Discs {
        let (player, opponent) = self.player_and_opponent();
        let (black, white) = match self.to_move() {
            Player::First => (player, opponent),
            Player::Second => (opponent, player),
        };
        Discs { grid: Self::GRID, black, white, to_move: self.to_move() }
    }
}

impl<S: Shape> DiscGame for Reversi<S> {
    const GRID: Grid = Grid { size: S::SIZE as u8, squares: S::SQUARES };

    fn from_discs(player: u64, opponent: u64, to_move: Player) -> Self {
        Reversi::new(player, opponent, to_move)
    }

    fn player_and_opponent(&self) -> (u64, u64) {
        (self.player, self.opponent)
    }
}

impl<G: DiscGame> Notation for G {
    const MOVE_SYNTAX: &'static str = match G::GRID.size {
        8 => "a1 to h8 or pass",
        6 => "a1 to f6 or pass",
        4 => "a1 to d4 or pass",
        _ => "a square or pass",
    };

    fn parse_move(word: &str) -> Result<Move, NotationError> {
        whole_word(word, Self::MOVE_SYNTAX, Self::parse_glued)
    }

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        let size = G::GRID.size;
        if let Some(rest) = strip_pass(word) {
            return Ok((Move::PASS, rest));
        }
        if let Some(read) = flipello::strip_drop(word, size) {
            return Ok(read);
        }
        let Some((column, row, rest)) = strip_square(word, size) else {
            return Err(unreadable_move(word, Self::MOVE_SYNTAX));
        };
        // No square is played twice: one written twice is flipello's pass.
        match strip_square(rest, size) {
            Some((again, twice, rest)) if (again, twice) == (column, row) => Ok((Move::PASS, rest)),
            _ => Ok((Move::to(8 * row + column), rest)),
        }
    }

    fn write_move(m: Move) -> String {
        if m.is_pass() { "pass".into() } else { square_name(m.square() % 8, m.square() / 8) }
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        let discs = Discs::read(G::GRID, text)?;
        let (player, opponent) = discs.player_and_opponent();
        Ok(G::from_discs(player, opponent, discs.to_move))
    }

    fn write_position(&self) -> String {
        self.discs().write()
    }

    fn diagram(&self) -> String {
        let legal = self.moves().iter().filter(|m| !m.is_pass()).fold(0, |set, m| set | 1 << m.square());
        self.discs().diagram(legal)
    }
}
