//! The search of document 003: its evaluation, figure 1 (alpha-beta) and figure 2 (alpha-beta with
//! the cut).
//!
//! Both figures are one search with a [`Hook`] that may cut and receives the value of every node.
//! Values are fail-soft; clamped to the window they are the document's fail-hard values. The
//! visited nodes are the same.

use super::line_counts::{gain, gains};
use crate::game::{Game, squares};
use crate::games::score_four::{ScoreFour, lines_through};

/// Above every value of the evaluation.
pub const INFINITE: i32 = 1_000_000;
/// Values beyond this are won games.
pub const WON: i32 = 5_000;

/// The document's `M_m`: the mean value of positions by ply, subtracted from every evaluation.
pub type Means = [i32; 65];
/// No `M_m`.
pub const UNCORRECTED: Means = [0; 65];

/// A position of the document, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreePosition {
    /// The position as the game plays it.
    pub game: ScoreFour,
    /// The evaluation `t`, not yet corrected by `M_m`.
    pub t: i32,
}

impl TreePosition {
    /// The empty board.
    pub fn start() -> TreePosition {
        TreePosition {
            game: ScoreFour::start(),
            t: 0,
        }
    }

    /// The number of stones: the document's `m`.
    #[inline]
    pub fn ply(&self) -> usize {
        self.game.stones() as usize
    }

    /// The cells that can be played.
    #[inline]
    pub fn playable(&self) -> u64 {
        if self.game.lost {
            0
        } else {
            self.game.playable()
        }
    }

    /// The gain of a stone on this cell, for the side to move and for the other side.
    #[inline]
    fn gains(&self, cell: u32) -> [i32; 2] {
        gains(cell as u8, self.game.own, self.game.other)
    }

    /// The position after a stone on a playable cell.
    #[inline]
    pub fn play(&self, cell: u32) -> TreePosition {
        self.play_for(cell, self.gains(cell)[0])
    }

    #[inline]
    fn play_for(&self, cell: u32, gain: i32) -> TreePosition {
        // Only a completed line has a gain above WON.
        TreePosition {
            game: self.game.played(cell as u8, gain > WON),
            t: -(self.t + gain),
        }
    }

    /// The corrected evaluation.
    #[inline]
    pub fn value(&self, means: &Means) -> i32 {
        self.t - means[self.ply() & 63]
    }
}

/// The gain of a full column: below all others.
const FULL: i32 = -(1 << 24);

/// A position with the gain of each move, updated incrementally: a stone changes the gains of the
/// playable cells that share a line with it. No two cells share more than one line.
struct Ready {
    position: TreePosition,
    playable: u64,
    /// By column, for the side to move and for the other side.
    gains: [[i32; 16]; 2],
}

impl Ready {
    /// From scratch.
    #[inline]
    fn new(position: &TreePosition) -> Ready {
        let mut ready = Ready {
            position: *position,
            playable: position.playable(),
            gains: [[FULL; 16]; 2],
        };
        for cell in squares(ready.playable) {
            ready.measure(cell.into());
        }
        ready
    }

    #[inline]
    fn measure(&mut self, cell: u32) {
        let [own, other] = self.position.gains(cell);
        self.gains[0][cell as usize & 15] = own;
        self.gains[1][cell as usize & 15] = other;
    }

    /// The position after a move.
    #[inline]
    fn play(&self, cell: u32) -> Ready {
        let game = self.position.game;
        let position = self
            .position
            .play_for(cell, self.gains[0][cell as usize & 15]);
        let mut gains = [self.gains[1], self.gains[0]];
        if position.game.lost {
            return Ready {
                position,
                playable: 0,
                gains,
            };
        }
        let column = cell as usize & 15;
        (gains[0][column], gains[1][column]) = (FULL, FULL);
        for line in lines_through(cell as u8) {
            let near = line & self.playable & !(1 << cell);
            if near == 0 {
                continue;
            }
            let [own, other] =
                [game.own, game.other].map(|stones| (line & stones).count_ones() & 3);
            let mine = gain((own + 1) & 3, other) - gain(own, other);
            let theirs = gain(other, (own + 1) & 3) - gain(other, own);
            for column in squares(near).map(|cell| usize::from(cell) & 15) {
                gains[0][column] += theirs;
                gains[1][column] += mine;
            }
        }
        let above = (1u64 << cell) << 16;
        let mut ready = Ready {
            position,
            playable: self.playable & !(1 << cell) | above,
            gains,
        };
        if above != 0 {
            ready.measure(cell + 16);
        }
        ready
    }

    /// Sort keys of the moves: by gain, then by column; full columns come last.
    #[inline]
    fn keys(&self) -> [i32; 16] {
        let mut keys = [0; 16];
        for (column, key) in keys.iter_mut().enumerate() {
            *key = self.gains[0][column] * 16 + 15 - column as i32;
        }
        keys
    }
}

/// Removes the best of the remaining moves: its cell.
#[inline]
fn take(keys: &mut [i32; 16], playable: u64) -> u32 {
    let best = keys.iter().fold(i32::MIN, |best, &key| best.max(key));
    let column = 15 - (best & 15) as u32;
    keys[column as usize & 15] = i32::MIN;
    // A column has one playable cell.
    (playable & COLUMN << column).trailing_zeros()
}

/// The cells of the first column.
const COLUMN: u64 = 0x0001_0001_0001_0001;

/// A node, as passed to a [`Hook`].
#[derive(Debug)]
pub struct NodeVisit {
    /// The position.
    pub position: TreePosition,
    /// Its corrected evaluation.
    pub t: i32,
    /// Plies from the root.
    pub k: u8,
    /// The lower bound of the window.
    pub alpha: i32,
    /// The upper bound of the window.
    pub beta: i32,
}

/// Called at each node between the root and the leaves.
pub trait Hook: Sized {
    /// The value of a node that is cut.
    fn cut(_search: &mut Figure<'_, Self>, _visit: &NodeVisit) -> Option<i32> {
        None
    }

    /// Receives the fail-soft value of each searched node.
    fn searched(&mut self, _visit: &NodeVisit, _value: i32) {}
}

/// Figure 1: no cut, nothing recorded.
pub struct Plain;

impl Hook for Plain {}

/// A search by figure 1 or, with a cutting hook, figure 2.
pub struct Figure<'m, H> {
    /// Called at the nodes.
    pub hook: H,
    /// `M_m`.
    pub means: &'m Means,
    /// Nodes visited, leaves among them.
    pub nodes: u64,
}

/// The value of a position at `depth` plies, by a full window without cuts.
pub fn exact_value(position: &TreePosition, depth: u8, means: &Means) -> i32 {
    Figure::new(Plain, means).value(position, 0, depth, -INFINITE, INFINITE)
}

/// The search result at a root.
#[derive(Clone, Copy, Debug)]
pub struct RootValue {
    /// The value.
    pub value: i32,
    /// The cell of the first move with this value.
    pub cell: u32,
}

impl<'m, H: Hook> Figure<'m, H> {
    /// A search that has visited nothing yet.
    pub fn new(hook: H, means: &'m Means) -> Self {
        Figure {
            hook,
            means,
            nodes: 0,
        }
    }

    /// The fail-soft value of an inner node.
    pub fn value(
        &mut self,
        position: &TreePosition,
        k: u8,
        depth: u8,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        self.node(&Ready::new(position), k, depth, alpha, beta)
    }

    fn node(&mut self, ready: &Ready, k: u8, depth: u8, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let Ready {
            position, playable, ..
        } = ready;
        let t = position.value(self.means);
        if depth == 0 || *playable == 0 {
            return t;
        }
        let visit = NodeVisit {
            position: *position,
            t,
            k,
            alpha,
            beta,
        };
        if k > 0
            && let Some(bound) = H::cut(self, &visit)
        {
            return bound;
        }
        let mut best = -INFINITE;
        if depth == 1 {
            // The best leaf comes first: a cutoff visits one leaf, otherwise all are visited.
            let gain = ready.gains[0]
                .iter()
                .fold(FULL, |best, &gain| best.max(gain));
            best = position.t + gain + self.means[(position.ply() + 1) & 63];
            self.nodes += if best >= beta {
                1
            } else {
                u64::from(playable.count_ones())
            };
        } else {
            let mut keys = ready.keys();
            for _ in 0..playable.count_ones() {
                let child = ready.play(take(&mut keys, *playable));
                best = best.max(-self.node(&child, k + 1, depth - 1, -beta, -alpha.max(best)));
                if best >= beta {
                    break;
                }
            }
        }
        self.hook.searched(&visit, best);
        best
    }

    /// The move that the figure chooses.
    pub fn choose(&mut self, position: &TreePosition, depth: u8) -> RootValue {
        self.nodes += 1;
        let ready = Ready::new(position);
        let mut keys = ready.keys();
        let mut best: Option<RootValue> = None;
        for _ in 0..ready.playable.count_ones() {
            let cell = take(&mut keys, ready.playable);
            let beta = best.map_or(INFINITE, |best| -best.value);
            let value = -self.value(&position.play(cell), 1, depth - 1, -INFINITE, beta);
            if best.is_none_or(|best| value > best.value) {
                best = Some(RootValue { value, cell });
            }
        }
        best.unwrap_or(RootValue {
            value: position.value(self.means),
            cell: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    #[test]
    fn incremental_gains_equal_those_from_scratch() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let mut ready = Ready::new(&TreePosition::start());
            while ready.playable != 0 {
                let fresh = Ready::new(&ready.position);
                assert_eq!((ready.playable, ready.gains), (fresh.playable, fresh.gains));
                let cells: Vec<u32> = (0..64)
                    .filter(|cell| ready.playable >> cell & 1 != 0)
                    .collect();
                ready = ready.play(cells[rng.below(cells.len() as u64) as usize]);
            }
        }
    }
}
