//! Score Four: four in a line on 4x4x4, with gravity. Document 003 plays it.
//!
//! Sixteen pegs hold four stones each; a move drops a stone on a peg, and the first to own one of the 76 straight lines of
//! four wins; with all 64 stones down and no line it is a draw. Pegs are `a1` to `d4` (letter: column, digit: row). A
//! position is written as four layers, lowest first, each as its four rows, row 1 first: `4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x`.
//!
//! Cells are bits, layer by layer: `16 * level + 4 * row + column`. So gravity is a shift by 16. A win is seen when it
//! happens, from the few lines through the stone just played.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod bitboard;
pub mod eval;
pub mod line_counts;
pub mod policy;
pub mod solved_tail;
pub mod solver;

use std::fmt::Write;

use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Notation, NotationError, Player};
use crate::games::notation::{
    Cursor, Placed, read_rows, square_name, strip_pass, strip_square, unreadable_move, whole_word, write_rows,
};

/// The lowest layer; also one bit for each peg.
pub const LAYER: u64 = 0xffff;

/// The 76 lines as sets of four cells.
pub const LINES: [u64; 76] = lines();

/// The lines through a cell: 4 or 7.
#[inline(always)]
pub fn lines_through(cell: u8) -> &'static [u64] {
    let cell = usize::from(cell & 63);
    &LINES_THROUGH[cell][..HOW_MANY[cell]]
}

/// For each cell the lines through it; the rest of the row is empty sets.
static LINES_THROUGH: [[u64; 7]; 64] = all_lines_through();

/// How many lines go through each cell.
static HOW_MANY: [usize; 64] = how_many();

const fn how_many() -> [usize; 64] {
    let through = all_lines_through();
    let mut count = [0; 64];
    let mut cell = 0;
    while cell < 64 {
        while count[cell] < 7 && through[cell][count[cell]] != 0 {
            count[cell] += 1;
        }
        cell += 1;
    }
    count
}

const fn lines() -> [u64; 76] {
    let mut lines = [0; 76];
    let mut count = 0;
    // Of each direction and its opposite only the one whose first step that is not 0 is positive.
    let mut direction = 14;
    while direction < 27 {
        let step = [direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1];
        let mut cell = 0;
        while cell < 64 {
            let start = [cell / 16, cell / 4 % 4, cell % 4];
            let line = line(start, step);
            if line != 0 {
                lines[count] = line;
                count += 1;
            }
            cell += 1;
        }
        direction += 1;
    }
    assert!(count == 76);
    lines
}

/// The four cells from `start` on, or nothing if they leave the cube.
const fn line(start: [i32; 3], step: [i32; 3]) -> u64 {
    let mut line = 0;
    let mut n = 0;
    while n < 4 {
        let [level, row, column] = [start[0] + n * step[0], start[1] + n * step[1], start[2] + n * step[2]];
        if level < 0 || level > 3 || row < 0 || row > 3 || column < 0 || column > 3 {
            return 0;
        }
        line |= 1 << (16 * level + 4 * row + column);
        n += 1;
    }
    line
}

const fn all_lines_through() -> [[u64; 7]; 64] {
    let mut through = [[0; 7]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut count = 0;
        let mut line = 0;
        while line < 76 {
            if LINES[line] >> cell & 1 != 0 {
                through[cell][count] = LINES[line];
                count += 1;
            }
            line += 1;
        }
        cell += 1;
    }
    through
}

/// A position, seen from the side to move.
///
/// ```
/// use nullwindow::game::{Game, Move, Notation};
/// use nullwindow::games::score_four::ScoreFour;
///
/// // Three stones on a1 carry the first player to a fourth.
/// let mut position = ScoreFour::start();
/// for word in ["a1", "b1", "a1", "b1", "a1", "b1", "a1"] {
///     assert_eq!(position.final_score(), None);
///     position = position.play(ScoreFour::parse_move(word).unwrap());
/// }
/// assert_eq!(position.final_score().unwrap().seen_from(0).0, -(10_000 - 7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScoreFour {
    own: u64,
    other: u64,
    /// Whether the other side owns a line.
    lost: bool,
}

fn has_line(stones: u64) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}

/// Where a symmetry takes a peg: bit 2 of `symmetry` mirrors in the diagonal a1-d4, then bits 0 and 1 columns and rows.
fn peg_image(peg: u8, symmetry: usize) -> u8 {
    let (mut column, mut row) = (peg % 4, peg / 4);
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    if symmetry & 1 != 0 {
        column = 3 - column;
    }
    if symmetry & 2 != 0 {
        row = 3 - row;
    }
    4 * row + column
}

/// The image of a set of cells: the same symmetry in each layer, all four layers at once.
pub const fn cells_image(mut cells: u64, symmetry: usize) -> u64 {
    if symmetry & 4 != 0 {
        cells = exchanged(cells, 0x0a0a_0a0a_0a0a_0a0a, 3);
        cells = exchanged(cells, 0x00cc_00cc_00cc_00cc, 6);
    }
    if symmetry & 1 != 0 {
        cells = exchanged(cells, 0x5555_5555_5555_5555, 1);
        cells = exchanged(cells, 0x3333_3333_3333_3333, 2);
    }
    if symmetry & 2 != 0 {
        cells = exchanged(cells, 0x0f0f_0f0f_0f0f_0f0f, 4);
        cells = exchanged(cells, 0x00ff_00ff_00ff_00ff, 8);
    }
    cells
}

/// Exchanges the bits of `mask` with those `distance` above them.
const fn exchanged(cells: u64, mask: u64, distance: u32) -> u64 {
    let differ = (cells ^ (cells >> distance)) & mask;
    cells ^ differ ^ (differ << distance)
}

impl ScoreFour {
    /// The position with these stones of the side to move and of the other, as play has led to it: nothing is checked.
    pub fn of_stones(own: u64, other: u64) -> ScoreFour {
        ScoreFour { own, other, lost: has_line(other) }
    }

    /// The position after a stone of the side to move on a playable cell by one who knows whether it completes a line.
    #[inline(always)]
    pub const fn played(&self, cell: u8, wins: bool) -> ScoreFour {
        ScoreFour { own: self.other, other: self.own | 1 << (cell & 63), lost: wins }
    }

    /// The stones of the side to move.
    #[inline(always)]
    pub const fn own(&self) -> u64 {
        self.own
    }

    /// The stones of the other side.
    #[inline(always)]
    pub const fn other(&self) -> u64 {
        self.other
    }

    /// The cells in which the next stone can come to rest.
    #[inline(always)]
    pub const fn playable(&self) -> u64 {
        let stones = self.own | self.other;
        !stones & (stones << 16 | LAYER)
    }

    /// The cell in which a stone on this peg (one that is not full) comes to rest.
    #[inline(always)]
    pub const fn landing(&self, peg: u8) -> u8 {
        let stones = (self.own | self.other) >> (peg & 15);
        // A peg fills from below, so the number of its stones is the level of the next.
        let level = (stones & 1) + (stones >> 16 & 1) + (stones >> 32 & 1) + (stones >> 48 & 1);
        16 * level as u8 + (peg & 15)
    }

    /// The stones of the first player and of the second.
    fn first_and_second(&self) -> (u64, u64) {
        match self.to_move() {
            Player::First => (self.own, self.other),
            Player::Second => (self.other, self.own),
        }
    }

    fn piece(&self, level: u8, row: u8, column: u8) -> char {
        let cell = 1 << (16 * level + 4 * row + column);
        let (first, second) = self.first_and_second();
        match (first & cell != 0, second & cell != 0) {
            (true, _) => 'x',
            (_, true) => 'o',
            _ => '.',
        }
    }
}

impl Game for ScoreFour {
    const NAME: &'static str = "scorefour";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        ScoreFour { own: 0, other: 0, lost: false }
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        if self.stones() % 2 == 0 { Player::First } else { Player::Second }
    }

    #[inline(always)]
    fn moves(&self) -> MoveList {
        if self.lost {
            return MoveList::new();
        }
        let mut open = !(self.own | self.other) >> 48; // pegs whose top cell is empty
        let mut moves = MoveList::new();
        while open != 0 {
            moves.push(Move::to(open.trailing_zeros() as u8));
            open &= open - 1;
        }
        moves
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        debug_assert!(self.moves().contains(&m), "illegal move {m:?}: {self:x?}");
        let cell = self.landing(m.square()) & 63;
        let stones = self.own | 1 << cell;
        let mut wins = false;
        for &line in lines_through(cell) {
            wins |= stones & line == line;
        }
        ScoreFour { own: self.other, other: stones, lost: wins }
    }

    #[inline(always)]
    fn final_score(&self) -> Option<Score> {
        if self.lost {
            Some(Score::lost_at(self.stones()))
        } else {
            (self.own | self.other == u64::MAX).then_some(Score::ZERO)
        }
    }

    #[inline(always)]
    fn plies_left(&self) -> u8 {
        64 - self.stones() as u8
    }

    #[inline(always)]
    fn stones(&self) -> i32 {
        (self.own | self.other).count_ones() as i32
    }

    #[inline(always)]
    fn packed(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    fn image(&self, symmetry: usize) -> Self {
        ScoreFour { own: cells_image(self.own, symmetry), other: cells_image(self.other, symmetry), lost: self.lost }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if m.is_square(16) { Move::to(peg_image(m.square(), symmetry)) } else { m }
    }
}

/// Steps over the level that some programs write behind a column, `a1-2`, `a1z2` or `a1z` (the next free one): the stone falls where it
/// falls. A digit alone would be no level but a typing error.
fn strip_level(rest: &str) -> &str {
    let Some(marked) = rest.strip_prefix(['-', 'z', 'Z']) else { return rest };
    let level = |c: char| ('1'..='4').contains(&c);
    match marked.strip_prefix(level) {
        Some(left) => left,
        None if rest.starts_with('-') => rest,
        None => marked,
    }
}

impl Notation for ScoreFour {
    const MOVE_SYNTAX: &'static str = "a1 to d4";

    fn parse_move(word: &str) -> Result<Move, NotationError> {
        whole_word(word, Self::MOVE_SYNTAX, Self::parse_glued)
    }

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        if let Some(rest) = strip_pass(word) {
            return Ok((Move::PASS, rest));
        }
        match strip_square(word, 4) {
            Some((column, row, rest)) => Ok((Move::to(4 * row + column), strip_level(rest))),
            None => Err(unreadable_move(word, Self::MOVE_SYNTAX)),
        }
    }

    fn write_move(m: Move) -> String {
        if m.is_pass() { "pass".into() } else { square_name(m.square() % 4, m.square() / 4) }
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::new(text);
        cursor.skip_blanks();
        let (mut first, mut second) = (0u64, 0u64);
        for level in 0..4 {
            if level > 0 {
                cursor.require('|', "| and the next layer")?;
            }
            read_rows(&mut cursor, 4, "x, o, a digit or /", |row, column, piece| {
                let cell = 1 << (16 * level + 4 * row + column);
                match piece {
                    'x' | 'X' => first |= cell,
                    'o' | 'O' => second |= cell,
                    '.' | '-' => {}
                    _ => return Placed::UnknownPiece,
                }
                Placed::Done
            })?;
        }
        if cursor.peek().is_some_and(|c| !c.is_whitespace()) {
            return Err(cursor.unexpected("a blank and the side to move: x or o"));
        }
        let side = cursor.side()?;
        cursor.end()?;
        from_stones(first, second, side).map_err(NotationError::ImpossiblePosition)
    }

    fn write_position(&self) -> String {
        let layers: Vec<_> = (0..4).map(|level| write_rows(4, |row, column| self.piece(level, row, column))).collect();
        let side = if self.to_move() == Player::First { 'x' } else { 'o' };
        format!("{} {side}", layers.join("|"))
    }

    fn diagram(&self) -> String {
        let mut text = String::from("  level 1      level 2      level 3      level 4\n");
        text.push_str(&["  a b c d"; 4].join("    "));
        text.push('\n');
        for row in 0..4 {
            let layers: Vec<_> = (0..4).map(|level| self.diagram_row(level, row)).collect();
            let _ = writeln!(text, "{}", layers.join("    "));
        }
        let side = if self.to_move() == Player::First { 'x' } else { 'o' };
        let _ = writeln!(text, "{side} to move, {} stones", self.stones());
        text
    }
}

impl ScoreFour {
    /// One row of one layer, cells that can be played as `+`.
    fn diagram_row(&self, level: u8, row: u8) -> String {
        let mut text = (row + 1).to_string();
        for column in 0..4 {
            let playable = !self.lost && self.playable() >> (16 * level + 4 * row + column) & 1 != 0;
            let piece = self.piece(level, row, column);
            text.push(' ');
            text.push(if playable { '+' } else { piece });
        }
        text
    }
}

/// The position with these stones, if play can lead to it: counts, gravity, and at most one side with a line.
fn from_stones(first: u64, second: u64, side: Player) -> Result<ScoreFour, String> {
    let stones = first | second;
    let (x, o) = (first.count_ones(), second.count_ones());
    let expected = match x.checked_sub(o) {
        Some(0) => Player::First,
        Some(1) => Player::Second,
        _ => return Err(format!("{x} x and {o} o: x has as many stones as o, or one more")),
    };
    if side != expected {
        return Err(format!("the wrong side to move: {x} x and {o} o"));
    }
    let hanging = stones & !(stones << 16 | LAYER);
    if hanging != 0 {
        let cell = hanging.trailing_zeros() as u8;
        return Err(format!(
            "the stone on {} of level {} hangs in the air",
            square_name(cell % 4, cell / 4 % 4),
            cell / 16 + 1
        ));
    }
    let (own, other) = if side == Player::First { (first, second) } else { (second, first) };
    if has_line(own) {
        return Err("the side to move has a line of four already".into());
    }
    Ok(ScoreFour { own, other, lost: has_line(other) })
}
