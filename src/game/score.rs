//! Scores, bounds and windows.
//!
//! A [`Score`] is an integer from the point of view of the side to move, in centipoints, as
//! protocols print it: 100 is one disc in Reversi; tic-tac-toe and Score Four use plain evaluation
//! units. Scores are integers because MTD(f) converges in unit steps and a null window must contain
//! no value (document 002).

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A value for the side to move, in centipoints (100 = one disc in Reversi).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Score(pub i32);

impl Score {
    /// The draw.
    pub const ZERO: Score = Score(0);
    /// Greater than every value of a game or an evaluation. Fits an `i16`, for table entries.
    pub const INFINITE: Score = Score(32_000);
    /// A win at ply 0; a game decided after `n` plies is worth `DECIDED - n` to the winner
    /// (tic-tac-toe, Score Four).
    pub const DECIDED: Score = Score(10_000);
    /// Upper limit of the plies of a game with decided scores; heuristics stay within
    /// `±(DECIDED - LONGEST)`.
    pub const LONGEST: i32 = 64;

    /// The score for the loser of a game that was won by the `stones`-th stone.
    ///
    /// It counts plies from the start of the *game*, not from the root. So a position has the same
    /// value at every ply of the search, and scores need no adjustment in the transposition table.
    #[inline(always)]
    pub const fn lost_at(stones: i32) -> Score {
        Score(stones - Self::DECIDED.0)
    }

    /// Whether the score is a proven win or loss (tic-tac-toe, Score Four).
    #[inline(always)]
    pub const fn is_decided(self) -> bool {
        self.0.abs() >= Self::DECIDED.0 - Self::LONGEST
    }

    /// The score as protocols print it at a root with `stones` stones: a win or loss as
    /// `±(10000 - plies to the end)`, any other score unchanged.
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

/// The relation of a returned score to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bound {
    /// The score is the value.
    Exact,
    /// The value is at least the score (the search failed high).
    Lower,
    /// The value is at most the score (the search failed low).
    Upper,
}

/// An open interval of scores, the window of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Window {
    /// The search returns only an upper bound for values at or below this.
    pub alpha: Score,
    /// The search returns only a lower bound for values at or above this.
    pub beta: Score,
}

impl Window {
    /// The window that holds every value.
    pub const FULL: Window = Window {
        alpha: Score(-Score::INFINITE.0),
        beta: Score::INFINITE,
    };

    /// The null window that tests whether the value is at least `beta`, if scores are multiples of
    /// `step`.
    #[inline(always)]
    pub fn null(beta: Score, step: i32) -> Window {
        Window {
            alpha: beta - step,
            beta,
        }
    }

    /// Whether no score lies inside, if scores are multiples of `step`.
    #[inline(always)]
    pub fn is_null(self, step: i32) -> bool {
        self.beta <= self.alpha + step
    }

    /// The window from the point of view of the other side.
    #[inline(always)]
    pub fn flipped(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// The bound type of a fail-soft score for this window.
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
        // The opponent completed a line with the 9th stone of the game; a root at 6 stones sees it
        // 3 plies away.
        let lost = Score::lost_at(9);
        assert!(lost.is_decided());
        assert_eq!(lost.seen_from(6), Score(-9_997));
        assert_eq!((-lost).seen_from(6), Score(9_997));
        assert_eq!(Score(-6_400).seen_from(6), Score(-6_400));
    }

    #[test]
    fn windows_classify_fail_soft_scores() {
        let window = Window::null(Score(200), 200);
        assert_eq!(window.classify(Score(200)), Bound::Lower);
        assert_eq!(window.classify(Score(0)), Bound::Upper);
        assert_eq!(
            window.flipped(),
            Window {
                alpha: Score(-200),
                beta: Score(0)
            }
        );
        assert_eq!(Window::FULL.classify(Score(12)), Bound::Exact);
    }
}
