//! How the production loop plays Othello: evaluation carried from node to node, statistical cuts, kernels for the last
//! plies, and the exact endgame behind the same loop.
//!
//! One policy serves every stage. Where fewer plies are searched than squares are empty, [`leaves`] finishes the last three
//! and the statistical cut of [`prob_cut`] stands above them. Where the search reaches the end of the game it is the endgame
//! solver: stability bounds, moves ordered by evaluation and a shallow search, the solver's `middle` from [`MIDDLE`] empty
//! squares on; and below full width the same statistical cuts, so that the value and the best line are mostly known before
//! the exact search begins.
//!
//! # What was measured
//!
//! One thread, AVX2. FFO #40-#49 with a table of 1 GiB, `nullwindow solve --hash 1024 FILE --only 1-10`: all right with the
//! network in 461 M nodes and 17.2 to 21.2 s of processor (the version before: 527 M, 19.0 to 22.0 s in the same minutes), #20-#39 in
//! 69 M and 3.3 s, a third of it #39. Earlier versions: #50-#59 with 2 GiB in 11.4 G and 651 s (loaded, when the ten took 562 M); the
//! 2,000 positions of 24 empty squares from WTHOR all right, 98.8 G nodes, 3,752 s (loaded). The solver without evaluation takes
//! 1.55 G for #40-#49. What brought the time down, by nodes of eight of the ten and by processor time on a loaded machine, so only
//! the large steps mean something (quick builds, single runs; the first rows with the weights before the present ones):
//!
//! | step | nodes, M | of the time before |
//! |---|---|---|
//! | `middle` from 11 empty squares, rows added four to a word | 204 | |
//! | `middle` from 12: a static value costs as much as the ninety nodes below it | 198 | 0.74 |
//! | looking ahead from 17 empty squares on, not 15 | 197 | 0.88 |
//! | and rows added by kernels: all of these on #48 | | 0.55 of the first row |
//! | legal moves handed down | 197 | 0.98 of the instructions of an endgame of 19 |
//! | a bolder search of each null window before the exact one, at 73 % or 95 % | -0.2 %, -2 % of all ten | |
//! | in `middle`: potential mobility, kinds of squares, the children's cached bounds | -0.6 %, +3 %, -2 % | 1 |
//! | a quarter less for a reply, three plies of looking ahead from 21 empty squares on | -3 %, -3 % | |
//! | large pages under the table and the network's rows, `middle` without unforeseeable branches (all ten, quiet machine) | 562 | 0.88 |
//! | flips and replies found side by side in `middle` and below (#40-#42, table of 32 MiB, thirty paired runs) | 0 | 0.90 |
//! | what `middle` finds from 12 empty squares kept in the table, and looked up from 13 on (#40-#44, table of 32 MiB) | -6 % | 0.94 |
//! | both (all ten, table of 1 GiB, quiet machine, paired) | 527 | 0.93 |
//! | after that `middle` from 13, or 13 ordered by replies alone (own twelve problems) | +4 %, +9 % | 1.0, 1.0 |
//! | a private table of 2 MiB for ten empty squares and more (#40-#44) | -2 % | 1.07 |
//! | children looked up from 15, 16, 18 empty squares on, not 14 (#40-#44) | +0.7 %, +4 %, +8 % | 1 |
//! | `middle` from 13, 14 (#46-#48) | +21 %, +54 % | 1.1, 1.1 |
//! | moves of expected all-nodes ranked by replies alone (own twelve problems) | +20 % | 1.1 |
//! | moves with three replies more than the fewest not evaluated (#47) | +0.5 % | 0.99 of the instructions |
//! | order: replies by their number, potential mobility, both weighed against trees ([`order`]; all ten, table of 256 MiB) | 513 | |
//! | before the end of the game no look ahead to order moves | 491 | |
//! | looking ahead from 17 empty squares one ply, from 18 two, from 20 three | 482 | |
//! | 73 % and 95 % before the exact search, before them to nine plies from the end ([`schedule`]) | 461 | 0.95 for the last four |
//! | up to 16 empty squares, moves not evaluated where the node's own value, known from its parent, says that none cuts | +0.4 % | 1 |
//! | in `middle`, killer moves with few replies before all others are made; moves made only until one has few replies | +3 %, +2 % | 1.0, 1.07 |
//!
//! With the linear sum, four midgame positions of the bench to depth 12: 0.87 M nodes at 73 %, 4.1 M at 95 %, 16.0 M at full
//! width. The model in `prob_cut.txt` is fitted to the network. MTD(f) and NegaScout with aspiration
//! (`cargo test --release --test drivers -- --ignored --nocapture`) to equal depth on fifty positions of our own, millions of nodes and
//! seconds of processor:
//!
//! | depth | MTD(f) | NegaScout |
//! |---|---|---|
//! | 8 | **2.56, 0.35** | 2.59, 0.38 |
//! | 10 | **18.9, 2.64** | 19.2, 2.53 |
//! | 12 at 73 % | 5.49, 0.67 | **5.41, 0.56** |
//! | 14 at 73 % | **12.7, 1.62** | 13.1, 1.76 |
//!
//! (Loaded.) Moves are ordered there by the evaluation and the replies alone. A look ahead of one to three plies, from depth 6, 10 and
//! 14 on, paid with the linear sum; with the network, a third of the weight of a reply and none of potential ones it took 21.4, 6.26
//! and 14.4 M nodes for the depths 10, 12 and 14. What that is worth: 199-50-151 at 30 ms a move (+42 +- 30 Elo), 192-35-173 at 20,000 nodes (+17 +- 24), 400 games
//! each of the version with the new order and schedule against the one before.
//!
//! They differ by a few percent; MTD(f) is the default. Full width runs at 7 M nodes/s there. After `f5 d6 c3 d3 c4 f4 f6 b4`, depth 13
//! takes 4.07 M nodes at 6.9 M nodes/s, where the version that looked ahead took 4.73 M at 7.4 M (medians of seven paired runs on a
//! shared machine): its other nodes were cheap ones. What brought that version to its speed, by `valgrind --tool=cachegrind
//! --branch-sim=yes` with caches of 32 and 512 KiB (depth 12 there, 1.5 M nodes; in millions, reading the weights included) and by
//! time of thirty paired runs:
//!
//! | step | instructions | misses of the first cache, the second | mispredicted | nodes/s |
//! |---|---|---|---|---|
//! | before | 1108 | 28.5, 3.1 | 4.9 | 1 |
//! | what changes most has the lowest digits, tables apart by no power of two ([`super::eval::patterns`]) | 1091 | 21.0, 2.4 | 4.9 | 1.08 |
//! | legal moves handed down, best reply and turned discs without unforeseeable branches ([`leaves`]) | 1019 | 20.5, 2.4 | 2.7 | 1.20 |
//! | all 64 rows in a straight line of code | 1072 | | 1.6 | 1.15 |
//!
//! (The last was undone: the compiler takes the indices out of registers one by one; and the processor foretells the end of a loop of
//! sixteen better than cachegrind.)
//!
//! The levels of the cut in play, 150 games at 30 ms a move from the built-in openings, ends of 14 empty squares adjudicated: the
//! default (73 % before the end of the game) against full width 102-16-32 (+176 +- 57 Elo), against 95 % 84-3-63 (+49 +- 50). At equal
//! depth the bold level pays for it: see the ladder in the README.
//!
//! The other boards have no evaluation of this kind; they play by the sorting policy and end by [`super::endgame`].

use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::game::{Game, Move, mix};
use crate::games::othello::Othello;
use crate::games::reversi::Eight;
use crate::score::{Score, Window};
use crate::search::context::{Context, Stopped};
use crate::search::deepening::{Pace, Stage};
use crate::search::mtdf::mtdf;
use crate::search::plain;
use crate::search::policy::{Candidates, Mode, Policy};
use crate::search::prob_cut::{self, ProbCut, Scale};
use crate::search::sorted::folded;
use crate::search::table::{Draft, Key};
use crate::search::trace::Trace;

use super::board::Board;
use super::endgame::cache::Cache;
use super::endgame::middle::{MIDDLE, Private, descend};
use super::eval::EvaluateOn;
use super::kernel::Stamped;
use super::stability;

pub mod leaves;
pub mod order;
pub mod schedule;

use leaves::{LEAVES, Leaves, played};

/// A disc, in score units.
const DISC: i32 = 100;
/// Table keys are shared over the symmetries of the board while it holds at most so many discs: an opening of twelve
/// plies.
const FOLD_STONES: i32 = 16;
/// The first depth at which a statistical cut is tried. Against 4, at 20,000 nodes a move and in 400 games each, 5 is worth -33 +- 32
/// Elo, 6 -41 +- 32 and 8 -96 +- 34.
pub const CUT_DEPTH: u8 = 4;

/// The model of the statistical cut, fitted by `nullwindow train prob-cut` to searches of our own.
static MODEL: LazyLock<ProbCut> = LazyLock::new(|| {
    let text = include_str!("prob_cut.txt");
    ProbCut::read(text).unwrap_or_default() // a test sees that it can be read
});

/// The phase of the model's rows for searches to the end of the game; those before it count in sixes of empty squares.
pub const ENDGAME_PHASE: usize = 10;

/// The phase of a position with so many empty squares, before the endgame.
#[inline(always)]
pub const fn phase(empties: u8) -> usize {
    let phase = empties as usize / 6;
    if phase < ENDGAME_PHASE { phase } else { ENDGAME_PHASE - 1 }
}

/// A position with its evaluator's data.
#[derive(Clone, Copy, Debug)]
pub struct Node<D> {
    position: Othello,
    data: D,
}

/// The policy of Othello with an evaluation.
pub struct Midgame<E, I> {
    evaluator: E,
    isa: I,
    /// The level of selectivity to come to; `None`: the boldest, and full width at the end of the game.
    selectivity: Option<u8>,
    model: &'static ProbCut,
    /// The private table of the endgame below [`MIDDLE`]; one search thread uses it, so the lock is always free.
    cache: Mutex<Cache>,
    game: PhantomData<fn() -> Othello>,
}

impl<E: EvaluateOn, I: Stamped> Midgame<E, I> {
    /// The policy with this evaluation, to come to this level of selectivity.
    pub fn new(evaluator: E, isa: I, selectivity: Option<u8>) -> Self {
        let cache = Mutex::new(Cache::default());
        Midgame { evaluator, isa, selectivity, model: &MODEL, cache, game: PhantomData }
    }

    /// The static value of a position that is not finished.
    pub fn static_value(&self, position: &Othello) -> Score {
        self.evaluator.evaluate(position)
    }

    #[inline(always)]
    fn empties(node: &Node<E::Data>) -> u8 {
        node.position.empty().count_ones() as u8
    }

    /// Whether a search of this depth reaches the end of the game.
    #[inline(always)]
    fn ends(node: &Node<E::Data>, depth: u8) -> bool {
        depth >= Self::empties(node)
    }

    /// A search of a few plies, by who knows the legal moves.
    #[inline(always)]
    fn leaves<T: Trace>(
        cx: &mut Context<'_, Self, T>,
        node: &Node<E::Data>,
        moves: u64,
        window: Window,
        depth: u8,
    ) -> Score {
        let policy = cx.brain;
        let Node { position, ref data } = *node;
        let (kernel, evaluator, counters) = (policy.isa, &policy.evaluator, &mut cx.counters);
        kernel.call(Leaves { kernel, evaluator, counters, position, data, moves, window, depth })
    }

    /// [`Self::solve`] with the table around it: positions come again by other ways and with the next window, and the node above sees
    /// there which of its moves are good enough.
    #[inline(always)]
    fn solve_once<T: Trace>(
        cx: &mut Context<'_, Self, T>,
        node: &Node<E::Data>,
        window: Window,
    ) -> Result<Score, Stopped> {
        let Some(table) = cx.table else { return Self::solve(cx, node, window) };
        let draft = Draft::full(Self::empties(node));
        let key = cx.brain.key(node, draft.depth);
        let known = table.probe(&key).filter(|entry| entry.draft.covers(draft));
        if let Some(score) = known.and_then(|entry| entry.answer(window)) {
            cx.counters.table_hits += 1;
            return Ok(score);
        }
        let score = Self::solve(cx, node, window)?;
        table.store(&key, draft, window, score, Move::NONE);
        Ok(score)
    }

    /// The exact value of a position with at most [`MIDDLE`] empty squares, or a bound of it outside the window.
    #[inline(always)]
    fn solve<T: Trace>(cx: &mut Context<'_, Self, T>, node: &Node<E::Data>, window: Window) -> Result<Score, Stopped> {
        let Node { position: Othello { player, opponent, .. }, .. } = *node;
        let policy = cx.brain;
        let empty = node.position.empty();
        let (empties, odd) = (empty.count_ones(), Eight::odd_quadrants(empty));
        let mut cache = policy.cache.lock().unwrap_or_else(PoisonError::into_inner);
        // The node itself is counted twice, here and by the loop.
        let mut private = Private { nodes: 0, limit: cx.nodes_left().saturating_add(1), cache: &mut cache };
        let mut ask = |alpha: i32| -> Score {
            let alpha = alpha.div_euclid(DISC);
            Score(DISC * descend::<I, Eight>(policy.isa, &mut private, player, opponent, alpha, empties, odd))
        };
        let score = if window.beta.0 - window.alpha.0 <= Othello::GRAIN {
            ask(window.alpha.0)
        } else {
            // An open window: closed in on by null windows.
            let guess = policy.evaluate(node);
            let bounds = Window {
                alpha: Score(window.alpha.0.max(-64 * DISC).div_euclid(Othello::GRAIN) * Othello::GRAIN),
                beta: Score(-((-window.beta.0.min(64 * DISC)).div_euclid(Othello::GRAIN) * Othello::GRAIN)),
            };
            mtdf(guess, Othello::GRAIN, bounds, |window, _| Ok(ask(window.alpha.0)))?
        };
        let nodes = private.nodes;
        drop(cache);
        cx.counters.leaves += 1;
        cx.enter_many(nodes.saturating_sub(1))?;
        Ok(score)
    }
}

impl<E: EvaluateOn, I: Stamped> Policy for Midgame<E, I> {
    type Game = Othello;
    type Isa = I;
    type Node = Node<E::Data>;
    const TABLE_DEPTH: u8 = LEAVES + 1;
    const ETC_DEPTH: u8 = LEAVES + 2;
    const ASPIRATION: Option<i32> = Some(2 * DISC);

    fn step(&self, position: &Othello, depth: u8) -> i32 {
        plain::step::<Othello, E>(position, depth)
    }

    fn schedule(&self, position: &Othello, depth: u8, pace: Pace) -> Vec<Stage> {
        schedule::stages(position.plies_left(), depth, pace, self.selectivity)
    }

    fn nodes_to_solve(plies_left: u8) -> Option<f64> {
        Some(schedule::nodes_to_solve(plies_left))
    }

    #[inline(always)]
    fn isa(&self) -> I {
        self.isa
    }

    #[inline(always)]
    fn root(&self, position: &Othello) -> Self::Node {
        Node { position: *position, data: self.evaluator.fresh(position) }
    }

    #[inline(always)]
    fn position<'n>(&self, node: &'n Self::Node) -> &'n Othello {
        &node.position
    }

    #[inline(always)]
    fn child(&self, node: &Self::Node, m: Move) -> Self::Node {
        let position = if m.is_pass() { node.position.passed() } else { played(self.isa, &node.position, m.0) };
        let data = self.evaluator.update(&node.position, node.data, m, &position);
        Node { position, data }
    }

    #[inline(always)]
    fn key(&self, node: &Self::Node, _depth: u8) -> Key {
        if node.position.stones() <= FOLD_STONES {
            return folded(&node.position);
        }
        let words = node.position.packed();
        Key { hash: mix(words), words, symmetry: 0 }
    }

    #[inline(always)]
    fn evaluate(&self, node: &Self::Node) -> Score {
        self.evaluator.score_on(self.isa, &node.position, node.data)
    }

    #[inline(always)]
    fn order<T: Trace>(
        cx: &mut Context<'_, Self, T>,
        node: &Self::Node,
        candidates: &mut Candidates<Self::Node>,
        mode: Mode,
    ) -> Result<(), Stopped> {
        order::rank(cx, node, candidates, mode);
        Ok(())
    }

    #[inline(always)]
    fn prune<T: Trace>(
        cx: &mut Context<'_, Self, T>,
        node: &Self::Node,
        window: Window,
        mode: Mode,
    ) -> Result<Option<Score>, Stopped> {
        let empties = Self::empties(node);
        let ends = mode.depth >= empties;
        if ends {
            let (alpha, Othello { player, opponent, .. }) = (window.alpha.0.div_euclid(DISC), node.position);
            let most = stability::bound::<I, Eight>(cx.brain.isa, player, opponent, alpha, u32::from(empties));
            if let Some(most) = most {
                return Ok(Some(Score(DISC * most)));
            }
        }
        if mode.selectivity == Draft::FULL || mode.depth < CUT_DEPTH {
            return Ok(None);
        }
        let policy = cx.brain;
        let phase = if ends { ENDGAME_PHASE } else { phase(empties) };
        let checks = policy.model.checks(phase, mode.depth.min(empties));
        let value = policy.evaluate(node);
        let value = cx.leaf(value);
        prob_cut::cut(cx, node, window, mode, checks, value, Scale { step: E::GRAIN, reach: Score(64 * DISC) })
    }

    #[inline(always)]
    fn settle<T: Trace>(
        cx: &mut Context<'_, Self, T>,
        node: &Self::Node,
        window: Window,
        mode: Mode,
    ) -> Result<Option<Score>, Stopped> {
        let empties = Self::empties(node);
        if mode.depth >= empties {
            if u32::from(empties) <= MIDDLE {
                return Self::solve_once(cx, node, window).map(Some);
            }
        } else if mode.depth <= LEAVES {
            let Othello { player, opponent, .. } = node.position;
            let moves = cx.brain.isa.legal(player, opponent);
            let score = Self::leaves(cx, node, moves, window, mode.depth);
            cx.enter_many(0)?;
            return Ok(Some(score));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_can_be_read() {
        let rows = prob_cut::read_rows(include_str!("prob_cut.txt")).unwrap();
        assert!(rows.iter().all(|row| row.depth >= CUT_DEPTH && row.relation.sigma > 0.0));
        assert!((2..=ENDGAME_PHASE).all(|phase| rows.iter().any(|row| usize::from(row.phase) == phase)));
    }
}
