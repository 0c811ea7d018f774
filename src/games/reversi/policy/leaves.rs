//! The last plies of a midgame search: one multiversioned function with a private table, without
//! trace or node lists.
//!
//! Most nodes of a search are here. Move ordering is cheap: the move of the table, then at the last
//! ply corners first and X squares last, above it by the opponent's mobility. The end of the game is
//! detected when a node is searched, not when it is only evaluated.

use arrayvec::ArrayVec;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::cache::Cache;
use crate::games::reversi::eval::evaluator::ReversiEvaluator;
use crate::games::reversi::eval::scale::DISC;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::{Reversi, Shape};
use crate::search::stats::Counters;

/// The greatest depth of this search.
pub const LEAVES: u8 = 3;

/// The private table: 512 KiB. Tuned: measurements.md#private-table-of-the-last-plies.
pub type LeafTable = Cache<14>;

/// The squares diagonally beside the corners, which give them away; none on boards without
/// [`Shape::EDGE`].
const fn x_squares<S: Shape>() -> u64 {
    let last = S::SIZE - 2;
    if S::EDGE == 0 {
        0
    } else {
        1 << 9 | 1 << (8 + last) | 1 << (8 * last + 1) | 1 << (9 * last)
    }
}

/// Above every rank: a move that was searched, or none.
const TAKEN: u16 = u16::MAX;

/// A fail-soft search of at least one ply from a node; its descendants are counted, the node is
/// not.
pub struct Leaves<'c, S: Shape, E: ReversiEvaluator<S>, K> {
    /// The ISA.
    pub kernel: K,
    /// The evaluation.
    pub evaluator: &'c E,
    /// Where to count.
    pub counters: &'c mut Counters,
    /// The private table.
    pub table: &'c mut LeafTable,
    /// The position, not finished.
    pub position: Reversi<S>,
    /// Its data.
    pub data: &'c E::Data,
    /// Its legal moves, known from the parent's move ordering.
    pub moves: u64,
    /// The search window.
    pub window: Window,
    /// Plies, 1 to [`LEAVES`].
    pub depth: u8,
}

/// A move, the position after it and the opponent's legal moves there.
struct LeafMove<S: Shape> {
    square: u8,
    position: Reversi<S>,
    moves: u64,
}

impl<S: Shape, E: ReversiEvaluator<S>, K: Kernels> Leaves<'_, S, E, K> {
    /// Runs the search.
    #[inline(always)]
    pub fn search(self) -> Score {
        self.kernel.call(
            #[inline(always)]
            move || {
                let Leaves {
                    position,
                    window,
                    depth,
                    ..
                } = self;
                if self.moves == 0 {
                    return self.pass();
                }
                // In discs, as in the table: all values are whole discs.
                let bounds = [
                    window.alpha.0.div_euclid(DISC),
                    (window.beta.0 + DISC - 1).div_euclid(DISC),
                ];
                let known = self.table.probe(position.player, position.opponent);
                if let Some(score) = known
                    .filter(|known| known.depth == depth)
                    .and_then(|known| known.cutoff(bounds[0], bounds[1]))
                {
                    return Score(score * DISC);
                }
                let table_move = known.map_or(0, |known| 1u64.unbounded_shl(known.best.into()));
                let table = self.table;
                let search = Leaves {
                    table: &mut *table,
                    ..self
                };
                let (best, square) = if depth == 1 {
                    search.last_ply(table_move)
                } else {
                    search.deeper(table_move)
                };
                table.store(
                    [position.player, position.opponent],
                    depth,
                    bounds,
                    best.0 / DISC,
                    square,
                );
                best
            },
        )
    }

    #[inline(always)]
    fn pass(self) -> Score {
        let Leaves {
            kernel,
            evaluator,
            position,
            data,
            window,
            ..
        } = self;
        let passed = position.passed();
        let moves = kernel.legal(passed.player, passed.opponent) & S::SQUARES;
        self.counters.nodes += 1;
        if moves == 0 {
            self.counters.leaves += 1;
            return position.count();
        }
        let data = &evaluator.update(&position, *data, Move::PASS, &passed);
        -Leaves {
            position: passed,
            data,
            moves,
            window: window.flipped(),
            ..self
        }
        .search()
    }

    /// The score of depth 1 and the best move's square. `table_move`: the square of the move to
    /// search first, as a set.
    #[inline(always)]
    fn last_ply(self, table_move: u64) -> (Score, u32) {
        let Leaves {
            kernel,
            evaluator,
            position,
            data,
            moves,
            window,
            ..
        } = self;
        let (mut best, mut best_square) = (-Score::INFINITE, 64);
        let mut seen = 0;
        let x_squares = const { x_squares::<S>() };
        let others = moves & !table_move;
        'moves: for mut set in [
            moves & table_move,
            others & S::CORNERS,
            others & !(S::CORNERS | x_squares),
            others & x_squares,
        ] {
            while set != 0 {
                let square = set.trailing_zeros();
                set &= set - 1;
                let child = played(kernel, &position, square as u8);
                seen += 1;
                let score = if child.player == 0 {
                    child.count()
                } else {
                    let data = evaluator.update(&position, *data, Move::to(square as u8), &child);
                    evaluator.score_on(kernel, &child, data)
                };
                if -score > best {
                    (best, best_square) = (-score, square);
                }
                if best >= window.beta {
                    break 'moves;
                }
            }
        }
        self.counters.nodes += seen;
        self.counters.leaves += seen;
        (best, best_square)
    }

    /// The same of depth 2 or more.
    #[inline(always)]
    fn deeper(self, table_move: u64) -> (Score, u32) {
        let Leaves {
            kernel,
            evaluator,
            counters,
            table,
            position,
            data,
            mut moves,
            mut window,
            depth,
        } = self;
        let mut replies = ArrayVec::<LeafMove<S>, 64>::new();
        // Two loops, not one: see the endgame's `middle`.
        while moves != 0 {
            let square = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            replies.push(LeafMove {
                square,
                position: played(kernel, &position, square),
                moves: 0,
            });
        }
        // A reply's rank, the lowest first, and its place in the list, in one number.
        let mut ranks = [TAKEN; 64];
        for (
            at,
            LeafMove {
                square,
                position,
                moves,
            },
        ) in replies.iter_mut().enumerate()
        {
            *moves = kernel.legal(position.player, position.opponent) & S::SQUARES;
            let is_first = table_move >> *square & 1 != 0;
            let rank = if is_first { 0 } else { S::mobility(*moves) };
            ranks[at & 63] = (rank << 6) as u16 | at as u16;
        }
        let (mut best, mut best_square) = (-Score::INFINITE, 64);
        for _ in 0..replies.len() {
            // Branchless selection.
            let first = ranks.iter().copied().fold(TAKEN, u16::min);
            let at = usize::from(first & 63);
            ranks[at] = TAKEN;
            let LeafMove {
                square,
                position: child,
                moves,
            } = replies[at];
            counters.nodes += 1;
            let score = if child.player == 0 {
                counters.leaves += 1;
                -child.count()
            } else {
                let data = &evaluator.update(&position, *data, Move::to(square), &child);
                let (position, window, depth) = (child, window.flipped(), depth - 1);
                -Leaves {
                    kernel,
                    evaluator,
                    counters,
                    table,
                    position,
                    data,
                    moves,
                    window,
                    depth,
                }
                .search()
            };
            if score > best {
                (best, best_square) = (score, u32::from(square));
            }
            window.alpha = window.alpha.max(best);
            if best >= window.beta {
                break;
            }
        }
        (best, best_square)
    }
}

/// The position after a legal move to a square.
#[inline(always)]
pub fn played<S: Shape, K: Kernels>(kernel: K, position: &Reversi<S>, square: u8) -> Reversi<S> {
    let flips = kernel.flips(position.player, position.opponent, u32::from(square));
    let side = position.to_move().other();
    Reversi::new(
        position.opponent ^ flips,
        position.player | flips | 1 << square,
        side,
    )
}
