//! The evaluation of document 003: counts of open lines.
//!
//! Each of the 76 lines that only one side has stones on counts 4, 16 or 64 for one, two or three of them; four are a
//! win. Updated incrementally: a stone changes only the four or seven lines through its cell.

use crate::game::Move;
use crate::game::score::Score;
use crate::games::score_four::{LINES, ScoreFour, lines_through};
use crate::search::policy::Evaluate;

/// The value of a line, by the stones of a side and of the other side on it.
const WORTH: [[i32; 5]; 5] = worth();

const fn worth() -> [[i32; 5]; 5] {
    let mut table = [[0; 5]; 5];
    let mut stones = 1;
    while stones < 5 {
        // Four in a row end the game; the entry is only met on the way to a finished position.
        let value = [0, 4, 16, 64, 10_000][stones];
        table[stones][0] = value;
        table[0][stones] = -value;
        stones += 1;
    }
    table
}

/// What a stone adds to its owner's side of a line, by own and other stones that are there already: at most three in
/// all, since its cell is empty.
pub const GAIN: [[i32; 4]; 4] = gain();

const fn gain() -> [[i32; 4]; 4] {
    let mut table = [[0; 4]; 4];
    let mut own = 0;
    while own < 4 {
        let mut other = 0;
        while own + other < 4 {
            table[own][other] = WORTH[own + 1][other] - WORTH[own][other];
            other += 1;
        }
        own += 1;
    }
    table
}

/// What a stone on an empty cell adds for its owner: if it is of the side of `own`, and if it is of the other side.
#[inline(always)]
pub fn gains(cell: u8, own: u64, other: u64) -> [i32; 2] {
    let mut gains = [0; 2];
    for &line in lines_through(cell) {
        let [own, other] = [own, other].map(|stones| (line & stones).count_ones() as usize & 3);
        gains[0] += GAIN[own][other];
        gains[1] += GAIN[other][own];
    }
    gains
}

#[inline(always)]
fn line_worth(line: u64, own: u64, other: u64) -> i32 {
    WORTH[(line & own).count_ones() as usize][(line & other).count_ones() as usize]
}

/// The evaluation by lines, 4/16/64.
#[derive(Clone, Copy, Default, Debug)]
pub struct LineCounts;

impl Evaluate<ScoreFour> for LineCounts {
    /// The value for the side to move.
    type Data = i32;
    /// Decided games are a unit apart, though evaluations are multiples of four.
    const GRAIN: i32 = 1;

    #[inline(always)]
    fn fresh(&self, position: &ScoreFour) -> i32 {
        LINES.iter().map(|&line| line_worth(line, position.own(), position.other())).sum()
    }

    #[inline(always)]
    fn update(&self, parent: &ScoreFour, data: i32, m: Move, _child: &ScoreFour) -> i32 {
        -(data + gains(parent.landing(m.square()), parent.own(), parent.other())[0])
    }

    #[inline(always)]
    fn score(&self, _position: &ScoreFour, data: i32) -> Score {
        Score(data)
    }
}
