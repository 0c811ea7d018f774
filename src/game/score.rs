//! Scores, bounds and windows: the numbers a search passes around.
//!
//! A [`Score`] is an integer from the point of view of the side to move. Its unit is the centipoint that the protocol
//! prints: 100 is one disc in Reversi; tic-tac-toe and Score Four use plain evaluation units. Integers, because MTD(f)
//! closes in by unit steps and a null window must hold no value (document 002). No game reaches [`Score::INFINITE`].

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A value for the side to move, in centipoints (100 = one disc in Reversi).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub i32);

impl Score {
    /// The draw.
    pub const ZERO: Score = Score(0);
    /// Above every value a game or an evaluation can have; fits an `i16`, so that a table entry can hold it.
    pub const INFINITE: Score = Score(32_000);
    /// A win at ply 0; a game decided after `n` plies is worth `DECIDED - n` to the winner (tic-tac-toe, Score Four).
    pub const DECIDED: Score = Score(10_000);
    /// More plies than any game here lasts; heuristic values stay inside `±(DECIDED - LONGEST)`.
    pub const LONGEST: i32 = 64;

    /// The score of having just lost a win-or-lose game whose last stone was the `stones`-th of the game.
    ///
    /// It names the ply of the *game*, not the distance from the root, so the same position has the same value
    /// wherever the search meets it and the transposition table needs no correction.
    #[inline(always)]
    pub const fn lost_at(stones: i32) -> Score {
        Score(stones - Self::DECIDED.0)
    }

    /// Whether a win-or-lose game is decided at this score.
    #[inline(always)]
    pub const fn is_decided(self) -> bool {
        self.0.abs() >= Self::DECIDED.0 - Self::LONGEST
    }

    /// The score as the protocol prints it at a root that `stones` plies led to: a decided game as
    /// `±(10000 - plies to the end)`, everything else unchanged.
    pub const fn seen_from(self, stones: i32) -> Score {
        if !self.is_decided() {
            self
        } else if self.0 > 0 {
            Score(self.0 + stones)
        } else {
            Score(self.0 - stones)
        }
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline(always)]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline(always)]
    fn add(self, units: i32) -> Score {
        Score(self.0 + units)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline(always)]
    fn sub(self, units: i32) -> Score {
        Score(self.0 - units)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What a returned score says about the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bound {
    /// The score is the value.
    Exact,
    /// The value is at least the score (the search failed high).
    Lower,
    /// The value is at most the score (the search failed low).
    Upper,
}

/// An open interval of scores: a search is asked where the value lies relative to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Values at or below this are only told as an upper bound.
    pub alpha: Score,
    /// Values at or above this are only told as a lower bound.
    pub beta: Score,
}

impl Window {
    /// The window that holds every value.
    pub const FULL: Window = Window { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The null window just below `beta`: it asks whether the value reaches `beta`, scores being `step` apart.
    #[inline(always)]
    pub fn null(beta: Score, step: i32) -> Window {
        Window { alpha: beta - step, beta }
    }

    /// Whether no score lies inside, scores being `step` apart.
    #[inline(always)]
    pub fn is_null(self, step: i32) -> bool {
        self.beta <= self.alpha + step
    }

    /// The same window seen by the other side.
    #[inline(always)]
    pub fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// What a fail-soft answer to this window is.
    #[inline(always)]
    pub fn classify(self, score: Score) -> Bound {
        if score <= self.alpha {
            Bound::Upper
        } else if score >= self.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decided_scores_count_plies_from_the_root() {
        // The opponent completed a line with the 9th stone of the game; a root at 6 stones sees it 3 plies away.
        let lost = Score::lost_at(9);
        assert!(lost.is_decided());
        assert_eq!(lost.seen_from(6), Score(-9_997));
        assert_eq!((-lost).seen_from(6), Score(9_997));
        assert_eq!(Score(-6_400).seen_from(6), Score(-6_400));
    }

    #[test]
    fn windows_classify_fail_soft_answers() {
        let window = Window::null(Score(200), 200);
        assert_eq!(window.classify(Score(200)), Bound::Lower);
        assert_eq!(window.classify(Score(0)), Bound::Upper);
        assert_eq!(window.flipped(), Window { alpha: Score(-200), beta: Score(0) });
        assert_eq!(Window::FULL.classify(Score(12)), Bound::Exact);
    }
}
