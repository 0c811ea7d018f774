//! The last plies of a midgame search: one function without table, trace or lists of nodes, for each instruction set.
//!
//! Most nodes of a search are here. Moves are sorted by what costs little: at the last ply corners first and the squares
//! beside them last, above it by the number of the opponent's replies. A position after which nobody can move is seen as
//! finished where it is entered, not where it is only evaluated.

use arrayvec::ArrayVec;

use crate::game::{Game, Move};
use crate::games::othello::Othello;
use crate::games::reversi::Eight;
use crate::othello::board::Board;
use crate::othello::eval::EvaluateOn;
use crate::othello::kernel::Kernel;
use crate::score::{Score, Window};
use crate::search::context::Counters;
use crate::search::isa::Task;

/// How many plies this search is made for.
pub const LEAVES: u8 = 3;

/// The squares diagonally beside the corners, which give them away.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// A fail-soft search of at least one ply from a node; its descendants are counted, the node is not.
pub struct Leaves<'c, E: EvaluateOn, K> {
    /// The instruction set.
    pub kernel: K,
    /// The evaluation.
    pub evaluator: &'c E,
    /// Where to count.
    pub counters: &'c mut Counters,
    /// The position, not finished.
    pub position: Othello,
    /// Its data.
    pub data: E::Data,
    /// What is asked.
    pub window: Window,
    /// Plies, 1 to [`LEAVES`].
    pub depth: u8,
}

/// A move with the position behind it.
struct Reply {
    rank: i32,
    square: u8,
    position: Othello,
}

impl<E: EvaluateOn, K: Kernel> Task for Leaves<'_, E, K> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        let Leaves { kernel, position, data, window, .. } = self;
        let moves = kernel.legal(position.player, position.opponent);
        if moves == 0 {
            let passed = position.passed();
            self.counters.nodes += 1;
            if kernel.legal(passed.player, passed.opponent) == 0 {
                self.counters.leaves += 1;
                return position.count();
            }
            let data = self.evaluator.update(&position, data, Move::PASS, &passed);
            return -kernel.call(Leaves { position: passed, data, window: window.flipped(), ..self });
        }
        if self.depth == 1 { self.last_ply(moves) } else { self.deeper(moves) }
    }
}

impl<E: EvaluateOn, K: Kernel> Leaves<'_, E, K> {
    #[inline(always)]
    fn last_ply(self, moves: u64) -> Score {
        let Leaves { kernel, evaluator, position, data, window, .. } = self;
        let mut best = -Score::INFINITE;
        let mut seen = 0;
        'moves: for mut set in [moves & Eight::CORNERS, moves & !(Eight::CORNERS | X_SQUARES), moves & X_SQUARES] {
            while set != 0 {
                let square = set.trailing_zeros() as u8;
                set &= set - 1;
                let child = played(kernel, &position, square);
                seen += 1;
                let score = if child.player == 0 {
                    child.count()
                } else {
                    let data = evaluator.update(&position, data, Move(square), &child);
                    evaluator.score_on(kernel, &child, data)
                };
                best = best.max(-score);
                if best >= window.beta {
                    break 'moves;
                }
            }
        }
        self.counters.nodes += seen;
        self.counters.leaves += seen;
        best
    }

    #[inline(always)]
    fn deeper(self, mut moves: u64) -> Score {
        let Leaves { kernel, evaluator, counters, position, data, mut window, depth } = self;
        let mut replies = ArrayVec::<Reply, 40>::new();
        // Two loops, not one: see the endgame's `middle`.
        while moves != 0 {
            let square = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            replies.push(Reply { rank: 0, square, position: played(kernel, &position, square) });
        }
        for reply in &mut replies {
            let theirs = kernel.legal(reply.position.player, reply.position.opponent);
            reply.rank = -(Eight::mobility(theirs) as i32);
        }
        let mut best = -Score::INFINITE;
        while !replies.is_empty() {
            let mut top = 0;
            for at in 1..replies.len() {
                if replies[at].rank > replies[top].rank {
                    top = at;
                }
            }
            let Reply { square, position: child, .. } = replies.swap_remove(top);
            counters.nodes += 1;
            let score = if child.player == 0 {
                counters.leaves += 1;
                -child.count()
            } else {
                let data = evaluator.update(&position, data, Move(square), &child);
                let window = window.flipped();
                -kernel.call(Leaves { kernel, evaluator, counters, position: child, data, window, depth: depth - 1 })
            };
            best = best.max(score);
            window.alpha = window.alpha.max(best);
            if best >= window.beta {
                break;
            }
        }
        best
    }
}

/// The position after a legal move to a square.
#[inline(always)]
pub fn played<K: Kernel>(kernel: K, position: &Othello, square: u8) -> Othello {
    let flips = kernel.flips(position.player, position.opponent, u32::from(square));
    let side = position.to_move().other();
    Othello::new(position.opponent ^ flips, position.player | flips | 1 << square, side)
}
