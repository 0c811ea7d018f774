//! Perft ("performance test"): how many lines of play of a given length there are. Numbers that anyone can compare, the
//! check of every move generator.
//!
//! A pass is a ply, a finished game has no further line. Some count each game that ended before the last ply as one leaf
//! more; [`Count::with_ended`] is their number. Every line is played to its last ply: nothing is counted in bulk.

use std::fmt;
use std::ops::AddAssign;

use crate::game::{Game, Move, Notation};
use crate::games::any::{AnyGame, Visitor};

pub mod known;

/// The lines of play from a position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Lines of exactly the depth asked for.
    pub lines: u64,
    /// Games that were over after fewer plies.
    pub ended: u64,
}

impl Count {
    /// The lines, each game that ended earlier counted as one.
    pub fn with_ended(self) -> u64 {
        self.lines + self.ended
    }
}

/// The lines, and behind them the other number where the two differ.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.lines)?;
        if self.ended == 0 { Ok(()) } else { write!(f, " with ended games {}", self.with_ended()) }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.lines += other.lines;
        self.ended += other.ended;
    }
}

/// Counts the lines of `depth` plies from a position.
///
/// ```
/// use nullwindow::game::Game;
/// use nullwindow::games::reversi::Othello;
/// use nullwindow::games::perft::perft;
///
/// assert_eq!(perft(&Othello::start(), 5).lines, 1396);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> Count {
    if depth == 0 {
        return Count { lines: 1, ended: 0 };
    }
    let moves = position.moves();
    let mut count = Count { lines: 0, ended: u64::from(moves.is_empty()) };
    for m in moves {
        count += perft(&position.play(m), depth - 1);
    }
    count
}

/// The same, for each move by itself; `depth` 0 counts as 1, and a finished game has no moves to list.
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(Move, Count)> {
    position.moves().into_iter().map(|m| (m, perft(&position.play(m), depth.saturating_sub(1)))).collect()
}

/// Below this depth a count is not interrupted: a few hundred thousand lines, some milliseconds.
const UNINTERRUPTED: u32 = 5;

/// [`perft`] that ends with `None` soon after `stopped` holds.
pub fn perft_until<G: Game>(position: &G, depth: u32, stopped: &dyn Fn() -> bool) -> Option<Count> {
    if stopped() {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(position, depth));
    }
    let moves = position.moves();
    let mut count = Count { lines: 0, ended: u64::from(moves.is_empty()) };
    for m in moves {
        count += perft_until(&position.play(m), depth - 1, stopped)?;
    }
    Some(count)
}

/// [`perft`] of a game whose type is not known, at its usual speed.
pub fn perft_any(game: &dyn AnyGame, depth: u32) -> Count {
    struct Perft(u32);
    impl Visitor for Perft {
        type Output = Count;
        fn visit<G: Notation>(self, position: &G) -> Count {
            perft(position, self.0)
        }
    }
    game.position().visit(Perft(depth))
}

/// [`divide`] of a game whose type is not known.
pub fn divide_any(game: &dyn AnyGame, depth: u32) -> Vec<(Move, Count)> {
    struct Divide(u32);
    impl Visitor for Divide {
        type Output = Vec<(Move, Count)>;
        fn visit<G: Notation>(self, position: &G) -> Self::Output {
            divide(position, self.0)
        }
    }
    game.position().visit(Divide(depth))
}
