//! The evaluation of document 003: counts of open lines.
//!
//! Each of the 76 lines that only one side has stones on counts 4, 16 or 64 for one, two or three
//! of them; four are a win. Updated incrementally: a stone changes only the four or seven lines
//! through its cell.

use crate::game::Move;
use crate::game::score::Score;
use crate::games::score_four::{LINES, ScoreFour, lines_through};
use crate::search::core::policy::Evaluate;

/// The value of a line by the stones on it, if only one side has any. Four in a row end the game;
/// their value is only met on the way to a finished position.
const VALUES: [i32; 5] = [0, 4, 16, 64, 10_000];

/// What a further stone on a line adds for its owner, by own and other stones on it: at most three
/// in all.
#[inline(always)]
pub const fn gain(own: u32, other: u32) -> i32 {
    line_value(own + 1, other) - line_value(own, other)
}

/// What a stone on an empty cell adds for its owner: if it is of the side of `own`, and if it is of
/// the other side.
#[inline(always)]
pub fn gains(cell: u8, own: u64, other: u64) -> [i32; 2] {
    lines_through(cell).fold([0; 2], |[mine, theirs], line| {
        let (own, other) = ((line & own).count_ones(), (line & other).count_ones());
        [mine + gain(own, other), theirs + gain(other, own)]
    })
}

/// The value of a line for a side with `own` stones on it, `other` being those of the other side.
#[inline(always)]
const fn line_value(own: u32, other: u32) -> i32 {
    match (own, other) {
        (own, 0) => VALUES[own as usize],
        (0, other) => -VALUES[other as usize],
        _ => 0,
    }
}

/// The evaluation by lines, 4/16/64.
#[derive(Clone, Default, Debug)]
pub struct LineCounts;

impl Evaluate<ScoreFour> for LineCounts {
    /// The value for the side to move.
    type Data = i32;
    /// Decided games are a unit apart, though evaluations are multiples of four.
    const GRAIN: i32 = 1;

    #[inline(always)]
    fn fresh(&self, position: &ScoreFour) -> i32 {
        let count = |line: u64, stones: u64| (line & stones).count_ones();
        LINES
            .iter()
            .map(|&line| line_value(count(line, position.own), count(line, position.other)))
            .sum()
    }

    #[inline(always)]
    fn update(&self, parent: &ScoreFour, data: i32, m: Move, _child: &ScoreFour) -> i32 {
        -(data + gains(parent.landing(m.square()), parent.own, parent.other)[0])
    }

    #[inline(always)]
    fn score(&self, _position: &ScoreFour, data: i32) -> Score {
        Score(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::games::score_four::bitboard::Bitboards;
    use crate::games::score_four::eval::{ROUND, ScoreFourEvaluator, Tactics, tactics};

    #[test]
    fn plain_weights_equal_line_counts_up_to_rounding() {
        let text = include_str!("../../../games/score_four/eval/plain.txt");
        let plain = ScoreFourEvaluator::from_text(text).unwrap();
        let mut quiet = 0;
        for game in 0..40 {
            let mut rng = Rng::for_stream(5, game);
            let mut position = ScoreFour::start();
            while let Some(&m) = rng.choose(&position.moves()) {
                if tactics(&Bitboards::of(&position), position.stones()) == Tactics::Quiet {
                    let (value, lines) =
                        (plain.evaluate(&position), LineCounts.evaluate(&position));
                    assert!(
                        (value.0 - lines.0).abs() <= ROUND / 2,
                        "{position:?}: {value:?}, by lines {lines:?}"
                    );
                    quiet += 1;
                }
                position = position.play(m);
            }
        }
        assert!(quiet > 200, "{quiet}");
    }
}
