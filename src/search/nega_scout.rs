//! The production search: NegaScout with a transposition table and a [`Policy`].
//!
//! A. Reinefeld, "An improvement to the scout tree search algorithm", 1983; document 001. The first move of a PV node
//! is searched with the full window, the others with a null window, and again with the full window if they fail high.
//! MTD(f) drives the same function with null windows only.
//!
//! The function never calls itself: it recurses through [`Isa::search`], so that each ISA has its own compiled copy.
//! Compared with a hand-written search: measurements.md#the-generic-loop-against-a-hand-written-one.

use crate::game::score::{Score, Window};
use crate::game::{Game, MAX_MOVES, Move};

use super::context::Context;
use super::isa::Isa;
use super::parallel::search_rest;
use super::policy::{Candidate, Candidates, FIRST, IN_TURN, Mode, Policy, SECOND};
use super::stop::Stopped;
use super::table::{Draft, Entry, Key, Table};
use super::trace::Why;

/// The kind of a node as a type, so that it is known at compile time.
pub trait NodeKind {
    /// Whether the window may be wider than a null window.
    const PV: bool;
}

/// A PV node: its window may be wider than a null window.
pub struct PvNode;

/// A non-PV (null-window) node.
pub struct NonPvNode;

impl NodeKind for PvNode {
    const PV: bool = true;
}

impl NodeKind for NonPvNode {
    const PV: bool = false;
}

/// Searches a node: the fail-soft value for the window `(alpha, beta)`. Inlined into each ISA's `dispatch` function.
#[inline(always)]
pub fn body<K: NodeKind, P: Policy>(
    cx: &mut Context<'_, P>,
    node: &P::Node,
    alpha: Score,
    beta: Score,
    mode: Mode,
) -> Result<Score, Stopped> {
    let window = Window { alpha, beta };
    let policy = cx.policy;
    let position = policy.position(node);

    // 1. Count the node; return if the search was stopped.
    cx.enter(mode.ply)?;
    cx.trace_enter(window, mode.depth);

    // 2. Finished game or depth 0: score or static evaluation.
    if let Some(score) = position.final_score() {
        cx.trace_leave(score, Why::Finished);
        return Ok(cx.leaf(score));
    }
    if mode.depth == 0 {
        let score = policy.evaluate(node);
        cx.trace_leave(score, Why::Static);
        return Ok(cx.leaf(score));
    }

    // 3. Leaf kernel: the policy may finish the whole subtree.
    if let Some((score, why)) = P::solve_leaf(cx, node, window, mode)? {
        cx.trace_leave(score, why);
        return Ok(score);
    }

    // 4. Forced reply: extended by its cost in depth.
    if let Some(m) = policy.forced(node) {
        cx.trace.next(m, false);
        let child = policy.child(node, m);
        let score = -policy.isa().search::<K, P>(cx, &child, -beta, -alpha, mode.child(0))?;
        cx.trace_leave(score, Why::Searched);
        return Ok(score);
    }

    // 5. Probe the transposition table.
    let draft = Draft { depth: mode.depth.min(position.plies_left()), selectivity: mode.selectivity };
    let place = cx.table.filter(|_| mode.depth >= P::TABLE_DEPTH).map(|table| (table, policy.key(node, mode.depth)));
    let known = place.and_then(|(table, key)| table.probe(&key));
    if let Some(score) = known.filter(|entry| serves(entry, draft, window)).and_then(|entry| entry.answer(window)) {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, Why::Table);
        return Ok(score);
    }

    // 6. Pruning by the policy (non-PV nodes only).
    if !K::PV
        && let Some((score, why)) = P::prune(cx, node, window, mode)?
    {
        if let Some((table, key)) = place.filter(|_| mode.selectivity != Draft::FULL) {
            cx.count_stored(table.store(&key, draft, window, score, Move::NONE));
        }
        cx.trace_leave(score, why);
        return Ok(score);
    }

    // 7. Generate the moves; a pass costs no depth.
    let moves = policy.moves(node);
    if moves.first().is_some_and(|m| m.is_pass()) {
        cx.trace.next(Move::PASS, false);
        let child = policy.child(node, Move::PASS);
        let score = -policy.isa().search::<K, P>(cx, &child, -beta, -alpha, mode.child(0))?;
        cx.trace_leave(score, Why::Searched);
        return Ok(score);
    }
    let ask = place.filter(|_| !K::PV && mode.depth >= P::ETC_DEPTH);
    // A plain loop: `collect` would be a function of its own, without this copy's target features.
    let mut candidates = Candidates::<P::Node>::new();
    for &m in &moves {
        let child = policy.child(node, m);
        if let Some((table, _)) = ask {
            table.prefetch(policy.key(&child, mode.depth - P::Game::cost(m)).hash);
        }
        // Not `push`, whose result can hold the candidate: the compiler would copy it three times.
        candidates.extend(Some(Candidate { m, rank: 0, node: child }));
    }

    // 8. Enhanced transposition cutoff: a child's table entry may cause a beta cutoff.
    if let Some((table, _)) = ask
        && let Some(score) = known_child(policy, table, &candidates, window, mode, draft)
    {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, Why::ChildTable);
        return Ok(score);
    }

    // 9. Move ordering: table moves first; the policy ranks the rest only if the table's best move does not cut.
    if let (Some(entry), Some((_, key))) = (known, place) {
        rank_known::<P>(&mut candidates, &entry, &key);
    }
    let mut queue = MovePicker::new(candidates.len());
    let mut ordered = candidates.len() == 1;
    if !ordered && !has_first(&candidates) {
        P::order(cx, node, &mut candidates, mode)?;
        ordered = true;
    }

    // 10. Search the moves in order.
    let mut best = -Score::INFINITE;
    let mut best_move = Move::NONE;
    let mut why = Why::Searched;
    for index in 0..candidates.len() {
        if index > 0 && !ordered {
            P::order(cx, node, &mut candidates, mode)?;
            ordered = true;
        }
        // Several threads search the moves behind the first one of a large null-window node.
        if !K::PV
            && index == 1
            && let Some(team) = cx.team
            && splits::<P>(mode, position)
        {
            let rest = queue.drain(&candidates, index);
            let (score, m) = search_rest(cx, team, rest, best, window, mode)?;
            (best, best_move) = (score, if score > alpha { m } else { Move::NONE });
            break;
        }
        let Candidate { m, node: ref child, .. } = candidates[queue.next(&candidates, index)];
        let below = mode.child(P::Game::cost(m));
        let low = alpha.max(best);
        cx.trace.next(m, false);
        let score = if !K::PV {
            let reduction = policy.reduction(child, below, index);
            null_window(cx, m, child, Window { alpha: low, beta }, below, reduction)?
        } else if index == 0 {
            -policy.isa().search::<PvNode, P>(cx, child, -beta, -low, below)?
        } else {
            cx.counters.null_windows += 1;
            let scout = -policy.isa().search::<NonPvNode, P>(cx, child, -(low + cx.step), -low, below)?;
            if scout > low && scout < beta {
                cx.counters.re_searches += 1;
                cx.trace.next(m, true);
                // Fail-soft: `scout` is a proven lower bound.
                let floor = scout - cx.step;
                -policy.isa().search::<PvNode, P>(cx, child, -beta, -floor, below)?
            } else {
                scout
            }
        };
        if score > best {
            best = score;
            if score > alpha {
                best_move = m;
            }
            if score >= beta {
                why = Why::Cut;
                cx.trace.skip(queue.rest(index).iter().map(|&at| candidates[usize::from(at)].m));
                break;
            }
        }
    }

    // 11. Store, unless this is a verification search and the known entry is more thorough.
    let better = |entry: Entry| mode.probe > 0 && entry.draft != draft && entry.draft.covers(draft);
    if let Some((table, key)) = place.filter(|_| !known.is_some_and(better)) {
        let best_move = P::Game::move_image(best_move, usize::from(key.symmetry));
        cx.count_stored(table.store(&key, draft, window, best, best_move));
    }
    cx.trace_leave(best, why);
    Ok(best)
}

/// The score of a move of a null-window node. A late move is searched at a depth reduced by `reduction` plies, and then
/// at full depth only if it did not fail low.
#[inline(always)]
pub(super) fn null_window<P: Policy>(
    cx: &mut Context<'_, P>,
    m: Move,
    child: &P::Node,
    window: Window,
    below: Mode,
    reduction: u8,
) -> Result<Score, Stopped> {
    let (isa, Window { alpha, beta }) = (cx.policy.isa(), window.flipped());
    if reduction > 0 {
        let reduced = Mode { depth: below.depth - reduction, ..below };
        let score = -isa.search::<NonPvNode, P>(cx, child, alpha, beta, reduced)?;
        if score <= window.alpha {
            return Ok(score);
        }
        cx.trace.next(m, true);
    }
    Ok(-isa.search::<NonPvNode, P>(cx, child, alpha, beta, below)?)
}

/// Whether a node is large enough to be split.
#[inline(always)]
pub(super) fn splits<P: Policy>(mode: Mode, position: &P::Game) -> bool {
    let plies_left = position.plies_left();
    if mode.depth >= plies_left { plies_left >= P::SPLIT_PLIES_LEFT } else { mode.depth >= P::SPLIT_DEPTH }
}

/// Whether an entry's bounds hold for this draft. A decided score holds at every depth.
#[inline(always)]
fn serves(entry: &Entry, draft: Draft, window: Window) -> bool {
    entry.draft.covers(draft)
        || (entry.lower.is_decided() && entry.lower.0 > 0 && entry.lower >= window.beta)
        || (entry.upper.is_decided() && entry.upper.0 < 0 && entry.upper <= window.alpha)
}

/// A lower bound of at least beta from a child's table entry.
#[inline(always)]
fn known_child<P: Policy>(
    policy: &P,
    table: &Table,
    candidates: &Candidates<P::Node>,
    window: Window,
    mode: Mode,
    draft: Draft,
) -> Option<Score> {
    for candidate in candidates {
        let cost = P::Game::cost(candidate.m);
        let draft = Draft { depth: draft.depth - cost, ..draft };
        if let Some(entry) = table.probe(&policy.key(&candidate.node, mode.depth - cost))
            && -entry.upper >= window.beta
            && serves(&entry, draft, window.flipped())
        {
            return Some(-entry.upper);
        }
    }
    None
}

/// Ranks the table moves, which are stored as images under the key's symmetry.
#[inline(always)]
fn rank_known<P: Policy>(candidates: &mut Candidates<P::Node>, entry: &Entry, key: &Key) {
    for candidate in candidates {
        let image = P::Game::move_image(candidate.m, usize::from(key.symmetry));
        if image == entry.moves[0] {
            candidate.rank = FIRST;
        } else if image == entry.moves[1] {
            candidate.rank = SECOND;
        }
    }
}

/// Whether the table's best move is among the candidates.
#[inline(always)]
fn has_first<N>(candidates: &Candidates<N>) -> bool {
    for candidate in candidates {
        if candidate.rank == FIRST {
            return true;
        }
    }
    false
}

/// Incremental selection sort of the candidates: most nodes are cut after one or two moves. Candidates may be large, so
/// only their indices move.
pub(super) struct MovePicker {
    numbers: [u8; MAX_MOVES],
    count: usize,
}

impl MovePicker {
    #[inline(always)]
    pub(super) fn new(count: usize) -> MovePicker {
        MovePicker { numbers: IN_TURN, count }
    }

    /// The index of the best candidate after the first `index` ones are taken; stable for equal ranks.
    #[inline(always)]
    pub(super) fn next<N>(&mut self, candidates: &Candidates<N>, index: usize) -> usize {
        let rank = |number: u8| candidates[usize::from(number)].rank;
        let mut best = index;
        for other in index + 1..self.count {
            if rank(self.numbers[other]) > rank(self.numbers[best]) {
                best = other;
            }
        }
        let number = self.numbers[best];
        self.numbers.copy_within(index..best, index + 1);
        self.numbers[index] = number;
        usize::from(number)
    }

    /// The candidates after the first `index` ones, in order.
    #[inline(never)]
    pub(super) fn drain<N: Copy>(&mut self, candidates: &Candidates<N>, index: usize) -> Vec<(Move, N)> {
        let numbers = (index..self.count).map(|index| self.next(candidates, index));
        numbers.map(|at| (candidates[at].m, candidates[at].node)).collect()
    }

    /// The indices of the candidates after the one at `index`.
    fn rest(&self, index: usize) -> &[u8] {
        &self.numbers[index + 1..self.count]
    }
}
