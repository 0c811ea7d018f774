//! The rules of document 000's program: the diamond and the 4x4 board, with its move ordering and its test for the end
//! of the game.
//!
//! The program does not test whether a side can move before it passes. The first pass is a node; if the other side has
//! no move either, the second pass is another node, which ends the game. A full board ends the game at once. Scores are
//! disc differences.

use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Player};
use crate::games::reversi::bitboard;
use crate::games::reversi::{DiamondCrossed, Four, Reversi, Shape};

/// A board with the program's move ordering.
pub trait Ordered: Shape {
    /// The squares that are empty at the start, in search order.
    const ORDER: &'static [u8];
}

/// The article's square numbers are ours plus this offset: it stores the board in a vector with a border.
pub const RIM: u8 = 9;

/// The article's ordering: the eight corners, the four short edges, the rest.
const CORNERS_FIRST: [u8; 20] = {
    let mut order = [11, 12, 25, 30, 33, 38, 51, 52, 18, 21, 42, 45, 19, 20, 26, 29, 34, 37, 43, 44];
    let mut index = 0;
    while index < order.len() {
        order[index] -= RIM;
        index += 1;
    }
    order
};

impl Ordered for DiamondCrossed {
    const ORDER: &'static [u8] = &CORNERS_FIRST;
}

impl Ordered for Four {
    const ORDER: &'static [u8] = &[0, 1, 2, 3, 8, 11, 16, 19, 24, 25, 26, 27];
}

/// A position of the article's game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Article<S: Shape> {
    board: Reversi<S>,
    /// Whether the other side has just passed.
    passed: bool,
}

impl<S: Shape> Article<S> {
    /// A position after a move other than a pass.
    pub fn new(board: Reversi<S>) -> Self {
        Article { board, passed: false }
    }
}

impl<S: Ordered> Game for Article<S> {
    const NAME: &'static str = S::NAME;
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        Article::new(Reversi::start())
    }

    fn to_move(&self) -> Player {
        self.board.to_move()
    }

    fn moves(&self) -> MoveList {
        let legal = self.board.legal();
        if legal != 0 {
            S::ORDER.iter().filter(|&square| legal >> square & 1 != 0).map(|&square| Move::to(square)).collect()
        } else if self.passed || self.board.empty() == 0 {
            MoveList::new()
        } else {
            MoveList::from_iter([Move::PASS])
        }
    }

    fn play(&self, m: Move) -> Self {
        let board = if m.is_pass() {
            Reversi::new(self.board.opponent, self.board.player, self.board.to_move().other())
        } else {
            self.board.play(m)
        };
        Article { board, passed: m.is_pass() }
    }

    fn final_score(&self) -> Option<Score> {
        let over = self.board.empty() == 0 || (self.passed && self.board.legal() == 0);
        let lead = |own: u64, other: u64| own.count_ones() as i32 - other.count_ones() as i32;
        over.then(|| Score(lead(self.board.player, self.board.opponent)))
    }

    fn plies_left(&self) -> u8 {
        self.board.plies_left()
    }

    fn stones(&self) -> i32 {
        self.board.stones()
    }

    fn packed(&self) -> [u64; 2] {
        // Bit 63 is not a square of these boards.
        [self.board.player | u64::from(self.passed) << 63, self.board.opponent]
    }

    fn image(&self, symmetry: usize) -> Self {
        Article { board: self.board.image(symmetry), ..*self }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.is_square(64) { Move::to(bitboard::square_image(m.square(), S::SIZE, symmetry)) } else { m }
    }
}
