//! Perft: the number of leaf nodes of the game tree at a given depth, the standard test of move
//! generators.
//!
//! A pass is a ply; a finished game has no moves. Some programs also count games that ended earlier
//! as leaves: [`Count::with_ended`]. There is no bulk counting: every move sequence is played to
//! its last ply.

use std::fmt;
use std::ops::AddAssign;

use crate::game::{Game, Move};
use crate::games::any::{AnyGame, with_position};

pub mod known;

/// The result of perft.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Leaf nodes at exactly this depth.
    pub leaves: u64,
    /// Games that ended earlier.
    pub ended: u64,
}

impl Count {
    /// Leaf nodes including the games that ended earlier.
    pub fn with_ended(self) -> u64 {
        self.leaves + self.ended
    }
}

/// The leaf nodes, and the count with ended games if it differs.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.leaves)?;
        if self.ended == 0 {
            Ok(())
        } else {
            write!(f, " with ended games {}", self.with_ended())
        }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.leaves += other.leaves;
        self.ended += other.ended;
    }
}

/// Counts the leaf nodes at `depth` plies from a position.
///
/// ```
/// use nullwindow::game::Game;
/// use nullwindow::games::reversi::Othello;
/// use nullwindow::games::perft::perft;
///
/// assert_eq!(perft(&Othello::start(), 5).leaves, 1396);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> Count {
    perft_until(position, depth, &|| false).unwrap_or_default()
}

/// The least depth at which a stop is checked: a few hundred thousand leaves, some milliseconds.
const CHECKED_DEPTH: u32 = 5;

/// [`divide_until`] without reports, of one type at every depth.
fn perft_until<G: Game>(position: &G, depth: u32, stopped: &dyn Fn() -> bool) -> Option<Count> {
    divide_until(position, depth, stopped, |_, _| {})
}

/// [`perft`] that reports the count of each root move and returns `None` soon after `stopped` becomes
/// true.
pub fn divide_until<G: Game>(
    position: &G,
    depth: u32,
    stopped: &dyn Fn() -> bool,
    mut report: impl FnMut(Move, Count),
) -> Option<Count> {
    if depth == 0 {
        return Some(Count {
            leaves: 1,
            ended: 0,
        });
    }
    if depth >= CHECKED_DEPTH && stopped() {
        return None;
    }
    let moves = position.moves();
    let mut total = Count {
        leaves: 0,
        ended: u64::from(moves.is_empty()),
    };
    for m in moves {
        let count = perft_until(&position.play(m), depth - 1, stopped)?;
        report(m, count);
        total += count;
    }
    Some(total)
}

/// [`perft`] of any game, at the speed of its type.
pub fn perft_any(game: &AnyGame, depth: u32) -> Count {
    with_position!(game.position(), position => perft(&position, depth))
}

/// [`perft_any`] for each move (`divide`); without moves at depth 0 and in a finished game.
pub fn divide_any(game: &AnyGame, depth: u32) -> Vec<(Move, Count)> {
    let mut counts = Vec::new();
    let report = |m, count| counts.push((m, count));
    with_position!(game.position(), position => divide_until(&position, depth, &|| false, report));
    counts
}
