//! The rules of the games: Reversi on five boards, and tic-tac-toe.
//!
//! A set of squares is a 64-bit word; the square in row `r` and column `c`, from 0, is bit
//! `8 * r + c`. A position is seen from the side to move.

pub struct Game {
    pub name: &'static str,
    /// The side of the square box that holds the board.
    pub size: u32,
    /// The squares of the board.
    pub squares: u64,
    pub scoring: Scoring,
}

/// How a finished game is scored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// The difference of discs.
    Discs,
    /// The difference of discs; the winner gets the empty squares.
    DiscsAndEmpties,
    /// Tic-tac-toe: 1 for three in a row, -1 for the other side, 0 for neither.
    Line,
}

const DIAMOND: u64 = 0x0c_1e_3f_3f_1e_0c;

pub const GAMES: [Game; 6] = [
    Game::new("othello", 8, u64::MAX, Scoring::DiscsAndEmpties),
    Game::new("othello6", 6, 0x3f_3f_3f_3f_3f_3f, Scoring::DiscsAndEmpties),
    Game::new("othello4", 4, 0x0f_0f_0f_0f, Scoring::Discs),
    Game::new("diamond", 6, DIAMOND, Scoring::Discs),
    Game::new("diamond2", 6, DIAMOND, Scoring::Discs),
    Game::new("tictactoe", 3, 0x07_07_07, Scoring::Line),
];

/// The lines of tic-tac-toe: rows, columns, diagonals.
const LINES: [u64; 8] = [
    0x07, 0x07_00, 0x07_00_00, 0x01_01_01, 0x02_02_02, 0x04_04_04, 0x04_02_01, 0x01_02_04,
];

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: u64 = FIRST_COLUMN << 7;

/// A position: the squares of the side to move and those of the other side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub own: u64,
    pub other: u64,
}

impl Position {
    /// The same with the other side to move.
    pub fn passed(self) -> Position {
        Position {
            own: self.other,
            other: self.own,
        }
    }
}

/// Moves all squares of a set one step in one of eight directions; those that leave the 8x8 board
/// vanish.
#[inline(always)]
fn step(set: u64, direction: u32) -> u64 {
    match direction {
        0 => set << 8,
        1 => set >> 8,
        2 => (set & !LAST_COLUMN) << 1,
        3 => (set & !FIRST_COLUMN) >> 1,
        4 => (set & !LAST_COLUMN) << 9,
        5 => (set & !FIRST_COLUMN) >> 9,
        6 => (set & !FIRST_COLUMN) << 7,
        _ => (set & !LAST_COLUMN) >> 7,
    }
}

/// The discs that a disc on an empty square turns; none if the side to move may not play there.
pub fn flips(position: Position, square: u32) -> u64 {
    let mut flips = 0;
    for direction in 0..8 {
        let mut run = 0;
        let mut next = step(1 << square, direction);
        while next & position.other != 0 {
            run |= next;
            next = step(next, direction);
        }
        if next & position.own != 0 {
            flips |= run;
        }
    }
    flips
}

/// The position after a disc is placed on a square and turns `flips`.
pub fn placed(position: Position, square: u32, flips: u64) -> Position {
    Position {
        own: position.other & !flips,
        other: position.own | flips | 1 << square,
    }
}

/// The squares of a set.
pub fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

impl Game {
    const fn new(name: &'static str, size: u32, squares: u64, scoring: Scoring) -> Game {
        Game {
            name,
            size,
            squares,
            scoring,
        }
    }

    pub fn empty(&self, position: Position) -> u64 {
        self.squares & !(position.own | position.other)
    }

    /// The squares of the legal moves; none if the side must pass or the game is over.
    pub fn moves(&self, position: Position) -> u64 {
        if self.scoring == Scoring::Line {
            let is_over = has_line(position.other);
            return if is_over { 0 } else { self.empty(position) };
        }
        let mut moves = 0;
        for direction in 0..8 {
            // The discs of the other side in a run next to an own disc, at most six.
            let mut run = step(position.own, direction) & position.other;
            for _ in 0..5 {
                run |= step(run, direction) & position.other;
            }
            moves |= step(run, direction);
        }
        moves & self.empty(position)
    }

    /// The position after a legal move.
    pub fn play(&self, position: Position, square: u32) -> Position {
        let flips = match self.scoring {
            Scoring::Line => 0,
            _ => flips(position, square),
        };
        placed(position, square, flips)
    }

    /// The value of a finished game for the side to move; `None` if it is not over.
    pub fn outcome(&self, position: Position) -> Option<i32> {
        if self.scoring == Scoring::Line {
            let is_lost = has_line(position.other);
            return (is_lost || self.empty(position) == 0).then_some(-i32::from(is_lost));
        }
        let is_over = self.moves(position) == 0 && self.moves(position.passed()) == 0;
        is_over.then(|| self.count(position))
    }

    /// The score of a finished game of Reversi for the side to move.
    pub fn count(&self, position: Position) -> i32 {
        let difference = position.own.count_ones() as i32 - position.other.count_ones() as i32;
        let empties = self.empty(position).count_ones() as i32;
        match self.scoring {
            Scoring::DiscsAndEmpties => difference + difference.signum() * empties,
            _ => difference,
        }
    }

    /// Whether the discs lie on the board and do not overlap, and x and o alternate in tic-tac-toe.
    pub fn is_possible(&self, Position { own, other }: Position) -> bool {
        let surplus = other.count_ones().wrapping_sub(own.count_ones());
        let alternates = self.scoring != Scoring::Line || surplus <= 1;
        own & other == 0 && (own | other) & !self.squares == 0 && alternates
    }

    /// The smallest of the eight images of a position under the symmetries of the board.
    pub fn canonical(&self, position: Position) -> Position {
        let images = (0..8).map(|symmetry| Position {
            own: self.image(position.own, symmetry),
            other: self.image(position.other, symmetry),
        });
        images.min().unwrap_or(position)
    }

    /// The image of a set: bit 2 of `symmetry` turns rows into columns, then bit 0 mirrors the
    /// columns and bit 1 the rows.
    pub fn image(&self, mut set: u64, symmetry: u32) -> u64 {
        let margin = 8 - self.size;
        if symmetry & 4 != 0 {
            let turned = squares(set).map(|square| 1 << (square % 8 * 8 + square / 8));
            set = turned.fold(0, |image, bit: u64| image | bit);
        }
        if symmetry & 1 != 0 {
            set = set.swap_bytes().reverse_bits() >> margin;
        }
        if symmetry & 2 != 0 {
            set = set.swap_bytes() >> (8 * margin);
        }
        set
    }

    /// The rows of a position: `x` the side to move, `o` the other one, `.` empty, `?` no square.
    pub fn text(&self, position: Position) -> String {
        let cell = |square: u32| match 1 << square {
            bit if position.own & bit != 0 => 'x',
            bit if position.other & bit != 0 => 'o',
            bit if self.squares & bit != 0 => '.',
            _ => '?',
        };
        let row = |row: u32| (8 * row..8 * row + self.size).map(cell).collect();
        (0..self.size).map(row).collect::<Vec<String>>().join("/")
    }
}

fn has_line(squares: u64) -> bool {
    LINES.iter().any(|line| squares & line == *line)
}

/// The name of a square: `a1` is row 0, column 0.
pub fn name(square: u32) -> String {
    let column = char::from(b'a' + (square % 8) as u8);
    format!("{column}{}", square / 8 + 1)
}
