//! The size of the full tree below a position: the nodes that minimax visits, and that a cut saves.

use std::collections::HashMap;

use crate::game::Game;

/// The size of a full tree, as minimax visits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FullTree {
    /// All nodes, root and leaves included.
    pub nodes: u64,
    /// Finished games and positions at depth 0.
    pub leaves: u64,
}

/// The maximum number of positions that one counter visits in total.
const WORK: u64 = 400_000;

/// Counts full trees; equal positions are counted once.
pub struct SizeCounter<G> {
    known: HashMap<(G, u8), FullTree>,
    /// The remaining budget of positions.
    left: u64,
}

impl<G: Game> Default for SizeCounter<G> {
    fn default() -> Self {
        SizeCounter {
            known: HashMap::new(),
            left: WORK,
        }
    }
}

impl<G: Game> SizeCounter<G> {
    /// The size of the tree to this depth; `None` if it is too large to count.
    pub fn count(&mut self, position: &G, depth: u8) -> Option<FullTree> {
        let moves = position.moves();
        if moves.is_empty() || depth == 0 {
            return Some(FullTree {
                nodes: 1,
                leaves: 1,
            });
        }
        let is_pass = moves[0].is_pass();
        if depth == 1 && !is_pass {
            let leaves = moves.len() as u64;
            return Some(FullTree {
                nodes: 1 + leaves,
                leaves,
            });
        }
        if let Some(&known) = self.known.get(&(*position, depth)) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        let mut full = FullTree {
            nodes: 1,
            leaves: 0,
        };
        for m in moves {
            let below = self.count(&position.play(m), depth - G::cost(m))?;
            full.nodes = full.nodes.checked_add(below.nodes)?;
            full.leaves += below.leaves;
        }
        self.known.insert((*position, depth), full);
        Some(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::Othello;
    use crate::games::tictactoe::TicTacToe;

    #[test]
    fn sizes_are_those_of_the_game_trees() {
        let mut counter = SizeCounter::default();
        assert_eq!(
            counter.count(&TicTacToe::start(), 9),
            Some(FullTree {
                nodes: 549_946,
                leaves: 255_168
            })
        );
        let mut counter = SizeCounter::default();
        assert_eq!(
            counter.count(&Othello::start(), 3),
            Some(FullTree {
                nodes: 1 + 4 + 12 + 56,
                leaves: 56
            })
        );
        assert_eq!(counter.count(&Othello::start(), 40), None, "too large");
    }
}
