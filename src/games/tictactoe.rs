//! Tic-tac-toe: the smallest game here, and the one to read first.
//!
//! Three in a row wins, a full board is a draw. Document 002 solves it with MTD(f). Squares are named as UCI clients have
//! them: `a1` is the bottom left corner, files `a` to `c`, ranks `1` to `3`. A position is written top row first:
//! `x1o/3/3 x` (pieces `x` and `o`, digits for runs of empty squares, then the side to move).

use crate::game::{Game, Move, MoveList, Notation, NotationError, Player};
use crate::score::Score;

/// The nine squares as bits: square `3 * rank + file`, rank 0 at the bottom.
const FULL: u16 = 0o777;

/// The eight lines: three ranks, three files, two diagonals.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// A position of tic-tac-toe, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TicTacToe {
    /// Squares of the side to move.
    own: u16,
    /// Squares of its opponent.
    other: u16,
}

fn has_line(squares: u16) -> bool {
    LINES.iter().any(|line| squares & line == *line)
}

/// Where a symmetry takes a square: bit 2 of `symmetry` mirrors in the main diagonal, bits 0 and 1 mirror files and ranks.
fn square_image(square: u8, symmetry: usize) -> u8 {
    let (mut file, mut rank) = (square % 3, square / 3);
    if symmetry & 4 != 0 {
        (file, rank) = (rank, file);
    }
    if symmetry & 1 != 0 {
        file = 2 - file;
    }
    if symmetry & 2 != 0 {
        rank = 2 - rank;
    }
    3 * rank + file
}

fn squares_image(squares: u16, symmetry: usize) -> u16 {
    (0..9).filter(|&s| squares >> s & 1 != 0).fold(0, |image, s| image | 1 << square_image(s, symmetry))
}

impl TicTacToe {
    /// Squares of X (the first player) and of O.
    fn x_and_o(&self) -> (u16, u16) {
        match self.to_move() {
            Player::First => (self.own, self.other),
            Player::Second => (self.other, self.own),
        }
    }
}

impl Game for TicTacToe {
    const NAME: &'static str = "tictactoe";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        TicTacToe { own: 0, other: 0 }
    }

    fn to_move(&self) -> Player {
        if self.stones() % 2 == 0 { Player::First } else { Player::Second }
    }

    fn moves(&self) -> MoveList {
        if has_line(self.other) {
            return MoveList::new();
        }
        let empty = FULL & !(self.own | self.other);
        (0..9).filter(|&square| empty >> square & 1 != 0).map(Move).collect()
    }

    #[inline]
    fn play(&self, m: Move) -> Self {
        debug_assert!(self.moves().contains(&m));
        TicTacToe { own: self.other, other: self.own | 1 << m.0 }
    }

    fn final_score(&self) -> Option<Score> {
        // Only the side that just moved can have completed a line.
        if has_line(self.other) {
            Some(Score::lost_at(self.stones()))
        } else {
            (self.own | self.other == FULL).then_some(Score::ZERO)
        }
    }

    fn plies_left(&self) -> u8 {
        9 - self.stones() as u8
    }

    fn stones(&self) -> i32 {
        (self.own | self.other).count_ones() as i32
    }

    fn packed(&self) -> [u64; 2] {
        [u64::from(self.own), u64::from(self.other)]
    }

    fn image(&self, symmetry: usize) -> Self {
        TicTacToe { own: squares_image(self.own, symmetry), other: squares_image(self.other, symmetry) }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.0 < 9 { Move(square_image(m.0, symmetry)) } else { m }
    }
}

impl Notation for TicTacToe {
    const MOVE_SYNTAX: &'static str = "a1 to c3";

    fn parse_move(word: &str) -> Result<Move, NotationError> {
        match Self::parse_glued(word)? {
            (m, "") => Ok(m),
            _ => Err(unreadable_move(word)),
        }
    }

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        let mut chars = word.chars();
        match (chars.next().map(|c| c.to_ascii_lowercase()), chars.next()) {
            (Some(file @ 'a'..='c'), Some(rank @ '1'..='3')) => {
                Ok((Move(3 * (rank as u8 - b'1') + (file as u8 - b'a')), chars.as_str()))
            }
            _ => Err(unreadable_move(word)),
        }
    }

    fn write_move(m: Move) -> String {
        if m.is_pass() {
            return "pass".into();
        }
        let (file, rank) = (m.0 % 3, m.0 / 3);
        format!("{}{}", char::from(b'a' + file), rank + 1)
    }

    fn parse_position(_text: &str) -> Result<Self, NotationError> {
        Err(NotationError::ImpossiblePosition("not yet readable".into()))
    }

    fn write_position(&self) -> String {
        let (x, o) = self.x_and_o();
        format!("{x}/{o}")
    }

    fn diagram(&self) -> String {
        self.write_position()
    }
}

fn unreadable_move(word: &str) -> NotationError {
    NotationError::UnreadableMove { word: word.into(), expected: TicTacToe::MOVE_SYNTAX }
}
