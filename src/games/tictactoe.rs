//! Tic-tac-toe: the smallest game of the crate, an example of the traits `Game` and `Notation`.
//!
//! Three in a row wins, a full board is a draw. Document 002 solves it with MTD(f). Squares are
//! named as in UCI clients: `a1` is the bottom left corner, files `a` to `c`, ranks `1` to `3`. A
//! position is written top row first: `x1o/3/3 x` (pieces `x` and `o`, digits for runs of empty
//! squares, then the side to move). The FEN and the drops of UCI clients,
//! `3/3/3[PPPPPpppp] w - - 0 1` and `P@a1`, are parsed as well.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod spec;

use super::notation::{
    Cursor, Placed, diagram_row, move_name, piece, read_rows, strip_pass, strip_square,
    unreadable_move, write_rows,
};
use crate::game::score::Score;
use crate::game::{
    Game, Move, MoveList, Notation, NotationError, Player, moves_to, square_image, squares,
};

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

fn squares_image(taken: u16, symmetry: usize) -> u16 {
    squares(taken.into()).fold(0, |image, square| {
        image | 1 << square_image(square, 3, symmetry)
    })
}

impl Game for TicTacToe {
    const NAME: &'static str = "tictactoe";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        TicTacToe { own: 0, other: 0 }
    }

    fn to_move(&self) -> Player {
        if self.stones() % 2 == 0 {
            Player::First
        } else {
            Player::Second
        }
    }

    fn moves(&self) -> MoveList {
        if has_line(self.other) {
            return MoveList::new();
        }
        moves_to(u64::from(FULL & !(self.own | self.other)))
    }

    #[inline]
    fn play(&self, m: Move) -> Self {
        debug_assert!(self.moves().contains(&m));
        TicTacToe {
            own: self.other,
            other: self.own | 1 << m.square(),
        }
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
        TicTacToe {
            own: squares_image(self.own, symmetry),
            other: squares_image(self.other, symmetry),
        }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.is_square(9) {
            Move::to(square_image(m.square(), 3, symmetry))
        } else {
            m
        }
    }
}

impl Notation for TicTacToe {
    const MOVE_SYNTAX: &'static str = "a1 to c3";

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        if let Some(rest) = strip_pass(word) {
            return Ok((Move::PASS, rest));
        }
        // UCI clients place pieces as drops, `P@a1`.
        let square = word
            .strip_prefix("P@")
            .or_else(|| word.strip_prefix("p@"))
            .unwrap_or(word);
        match strip_square(square, 3, 3) {
            Some((square, rest)) => Ok((Move::to(square), rest)),
            None => Err(unreadable_move(word, Self::MOVE_SYNTAX)),
        }
    }

    fn write_move(m: Move) -> String {
        move_name(m, 3, "pass")
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::of_position(text);
        let (mut x, mut o) = (0, 0);
        read_rows(&mut cursor, 3, "x, o, a digit or /", |row, file, c| {
            let square = 1 << (3 * (2 - row) + file);
            match c {
                'x' | 'X' | '*' | 'P' => x |= square,
                'o' | 'O' | '0' | 'p' => o |= square,
                '.' | '-' | '_' => {}
                _ => return Placed::UnknownPiece,
            }
            Placed::Done
        })?;
        cursor.hands()?;
        cursor.skip_blanks();
        let here = cursor.clone();
        let side = match cursor.word() {
            "x" | "X" | "*" | "w" => Player::First,
            "o" | "O" | "0" | "b" => Player::Second,
            _ => return Err(here.unexpected("the side to move: x or o")),
        };
        cursor.counters_and_end()?;
        from_x_and_o(x, o, side).map_err(|reason| NotationError::ImpossiblePosition(reason.into()))
    }

    fn write_position(&self) -> String {
        let rows = write_rows(3, |row, file| piece(self, 3 * (2 - row) + file));
        format!("{rows} {}", self.to_move().letter())
    }

    fn diagram(&self) -> String {
        let mut text = String::new();
        for rank in (0..3).rev() {
            let square = |file| match 3 * rank + file {
                square if self.moves().contains(&Move::to(square)) => '+',
                square => piece(self, square),
            };
            text.push_str(&diagram_row(rank, (0..3).map(square)));
            text.push('\n');
        }
        text.push_str(&format!("  a b c\n{} to move\n", self.to_move().letter()));
        text
    }
}

/// The position with these squares taken, if the counts of x and o and the side to move agree.
fn from_x_and_o(x: u16, o: u16, side: Player) -> Result<TicTacToe, &'static str> {
    let (own, other) = side.ordered(x, o);
    let excess = x.count_ones() as i32 - o.count_ones() as i32;
    if excess != i32::from(side == Player::Second) {
        Err("x begins: with x to move there are as many x as o, with o to move one more")
    } else if has_line(own) {
        Err("the side to move has three in a row already")
    } else {
        Ok(TicTacToe { own, other })
    }
}

impl TicTacToe {
    /// The FEN of UCI clients: `P` for x (their White), and the pieces in hand.
    pub fn write_fen(&self) -> String {
        let (x, o) = self.to_move().ordered(self.own, self.other);
        let board = write_rows(3, |row, file| match piece(self, 3 * (2 - row) + file) {
            'x' => 'P',
            'o' => 'p',
            c => c,
        });
        let hand =
            "P".repeat(5 - x.count_ones() as usize) + &"p".repeat(4 - o.count_ones() as usize);
        let (side, _) = self.to_move().ordered('w', 'b');
        format!("{board}[{hand}] {side} - - 0 {}", self.stones() / 2 + 1)
    }
}
