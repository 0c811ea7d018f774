//! The production search: NegaScout with a transposition table and a [`Policy`].
//!
//! A. Reinefeld, "An improvement to the scout tree search algorithm", 1983; document 001. At a PV
//! node, the first move is searched with the full window and every other move with a null window. A
//! move that fails high is re-searched with an open window. MTD(f) calls the same function with
//! null windows only.
//!
//! [`body`] never calls itself. It recurses through [`Isa::search`], so that each ISA has its own
//! compiled copy. Speed compared with a hand-written search:
//! measurements.md#the-generic-loop-against-a-hand-written-one.

use crate::game::score::{Score, Window};
use crate::game::{Game, MAX_MOVES, Move};

use super::context::Context;
use super::isa::Isa;
use super::parallel::search_rest;
use super::policy::{
    Candidate, Candidates, GENERATION_ORDER, Policy, SECOND_TABLE_MOVE, SearchParams, TABLE_MOVE,
};
use crate::search::stop::Stopped;
use crate::search::table::{Draft, Entry, Key, Table};
use crate::search::trace::ReturnReason;

/// The node type, known at compile time.
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

/// Searches a node. Returns the fail-soft score for the window `(alpha, beta)`. Inlined into the
/// `dispatch` function of each ISA.
#[inline(always)]
#[expect(clippy::too_many_lines, reason = "one node, in the order of its steps")]
pub fn body<K: NodeKind, P: Policy>(
    cx: &mut Context<'_, P>,
    node: &P::Node,
    alpha: Score,
    beta: Score,
    params: SearchParams,
) -> Result<Score, Stopped> {
    let window = Window { alpha, beta };
    let policy = cx.policy;
    let position = policy.position(node);

    // 1. Count the node; return if the search is stopped.
    cx.enter(params.ply)?;
    cx.trace_enter(window, params.depth);

    // 2. Return the final score if the game is over, the static evaluation at depth 0.
    if let Some(score) = position.final_score() {
        cx.trace_leave(score, ReturnReason::Finished);
        return Ok(cx.leaf(score));
    }
    if params.depth == 0 {
        let score = policy.evaluate(node);
        cx.trace_leave(score, ReturnReason::Static);
        return Ok(cx.leaf(score));
    }

    // 3. Leaf kernel: near the leaves, a game's own code searches the whole subtree without the
    //    overhead of this loop.
    if let Some((score, reason)) = P::solve_leaf(cx, node, window, params)? {
        cx.trace_leave(score, reason);
        return Ok(score);
    }

    // 4. Forced move: it costs no depth (an extension), since it has no alternative.
    if let Some(m) = policy.forced(node) {
        cx.trace_next(m, false);
        let child = policy.child(node, m);
        let score = -policy
            .isa()
            .search::<K, P>(cx, &child, -beta, -alpha, params.child(0))?;
        cx.trace_leave(score, ReturnReason::Searched);
        return Ok(score);
    }

    // 5. Transposition table: cut off if an entry of sufficient draft has a bound for this window.
    let draft = Draft {
        depth: params.depth.min(position.plies_left()),
        selectivity: params.selectivity,
    };
    let slot = cx
        .table
        .filter(|_| params.depth >= P::TABLE_DEPTH)
        .map(|table| (table, policy.key(node, params.depth)));
    let known = slot.and_then(|(table, key)| table.probe(&key));
    if let Some(score) = known
        .filter(|entry| is_sufficient(entry, draft, window))
        .and_then(|entry| entry.cutoff(window))
    {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, ReturnReason::Table);
        return Ok(score);
    }

    // 6. Pruning by the policy, at non-PV nodes: a proven bound or a statistical cut (ProbCut).
    if !K::PV
        && let Some((score, reason)) = P::prune(cx, node, window, params)?
    {
        if let Some((table, key)) = slot.filter(|_| params.selectivity != Draft::FULL) {
            cx.count_stored(table.store(&key, draft, window, score, Move::NONE));
        }
        cx.trace_leave(score, reason);
        return Ok(score);
    }

    // 7. Generate the moves and make the children. A pass costs no depth.
    let moves = policy.moves(node);
    if moves.first().is_some_and(|m| m.is_pass()) {
        cx.trace_next(Move::PASS, false);
        let child = policy.child(node, Move::PASS);
        let score = -policy
            .isa()
            .search::<K, P>(cx, &child, -beta, -alpha, params.child(0))?;
        cx.trace_leave(score, ReturnReason::Searched);
        return Ok(score);
    }
    let etc = slot.filter(|_| !K::PV && params.depth >= P::ETC_DEPTH);
    // A plain loop: `collect` is a separate function and would lack the target features of this
    // copy.
    let mut candidates = Candidates::<P::Node>::new();
    for &m in &moves {
        let child = policy.child(node, m);
        if let Some((table, _)) = etc {
            table.prefetch(policy.key(&child, params.depth - P::Game::cost(m)).hash);
        }
        // Not `push`: its result can hold the candidate, so the compiler would copy it three times.
        candidates.extend(Some(Candidate {
            m,
            rank: 0,
            node: child,
        }));
    }

    // 8. Enhanced transposition cutoff: the table entry of a child may prove a beta cutoff without
    //    any search.
    if let Some((table, _)) = etc
        && let Some(score) = enhanced_cutoff(policy, table, &candidates, window, params, draft)
    {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, ReturnReason::ChildTable);
        return Ok(score);
    }

    // 9. Move ordering: table moves first. With a table move, the policy ranks the others only
    //    after it has been searched, since it usually causes a cutoff.
    if let (Some(entry), Some((_, key))) = (known, slot) {
        rank_table_moves::<P>(&mut candidates, &entry, &key);
    }
    let mut picker = MovePicker::new(candidates.len());
    let mut ordered = candidates.len() == 1;
    if !ordered && !has_table_move(&candidates) {
        P::order(cx, node, &mut candidates, window, params)?;
        ordered = true;
    }

    // 10. Search the moves in order until one causes a beta cutoff. In a large node the threads
    //     share the moves; the table may predict that none causes a cutoff.
    let split_team = cx
        .team
        .filter(|_| !K::PV && can_split::<P>(params, position));
    let predicts_all_node = known.is_some_and(|entry| entry.upper <= alpha);
    let mut best = -Score::INFINITE;
    let mut best_move = Move::NONE;
    let mut reason = ReturnReason::Searched;
    for index in 0..candidates.len() {
        let team = split_team.filter(|_| splits_at(index, candidates.len(), predicts_all_node));
        if !ordered && (index > 0 || team.is_some()) {
            P::order(cx, node, &mut candidates, window, params)?;
            ordered = true;
        }
        if let Some(team) = team {
            let rest = picker.drain(&candidates, index);
            let first = (index > 0).then_some(best);
            let (score, m) = search_rest(cx, team, rest, first, window, params)?;
            (best, best_move) = (score, if score > alpha { m } else { Move::NONE });
            break;
        }
        let Candidate {
            m, node: ref child, ..
        } = candidates[picker.next(&candidates, index)];
        let below = params.child(P::Game::cost(m));
        let raised = Window {
            alpha: alpha.max(best), // by the moves already searched
            beta,
        };
        cx.trace_next(m, false);
        let score = if K::PV {
            pv_window(cx, m, child, raised, below, index == 0)?
        } else {
            let reduction = policy.reduction(child, below, index);
            null_window(cx, m, child, raised, below, reduction)?
        };
        if score > best {
            best = score;
            if score > alpha {
                best_move = m;
            }
            if score >= beta {
                reason = ReturnReason::Cut;
                cx.trace_skip(
                    picker
                        .rest(index)
                        .iter()
                        .map(|&at| candidates[usize::from(at)].m),
                );
                break;
            }
        }
    }

    // 11. Store the result. A shallow verification search (ProbCut) does not overwrite an entry of
    //     greater draft.
    let is_better =
        |entry: Entry| params.probe > 0 && entry.draft != draft && entry.draft.covers(draft);
    if let Some((table, key)) = slot.filter(|_| !known.is_some_and(is_better)) {
        if best_move != Move::NONE {
            best_move = P::Game::move_image(best_move, usize::from(key.symmetry));
        }
        cx.count_stored(table.store(&key, draft, window, best, best_move));
    }
    cx.trace_leave(best, reason);
    Ok(best)
}

/// Returns the score of a move of a PV node: the first is searched with the full window, every other
/// one with a null window, and again with an open window if its score lies inside.
#[inline(always)]
pub fn pv_window<P: Policy>(
    cx: &mut Context<'_, P>,
    m: Move,
    child: &P::Node,
    Window { alpha, beta }: Window,
    below: SearchParams,
    is_first: bool,
) -> Result<Score, Stopped> {
    let isa = cx.policy.isa();
    let mut floor = alpha;
    if !is_first {
        cx.counters.null_windows += 1;
        let scout = -isa.search::<NonPvNode, P>(cx, child, -(alpha + cx.step), -alpha, below)?;
        if scout <= alpha || scout >= beta {
            return Ok(scout);
        }
        cx.counters.re_searches += 1;
        cx.trace_next(m, true);
        floor = scout - cx.step; // fail-soft: `scout` is a proven lower bound
    }
    Ok(-isa.search::<PvNode, P>(cx, child, -beta, -floor, below)?)
}

/// Returns the score of a move of a non-PV node. With a `reduction` (late-move reduction), the move
/// is first searched `reduction` plies shallower, and at full depth only if that search does not
/// fail low.
#[inline(always)]
pub fn null_window<P: Policy>(
    cx: &mut Context<'_, P>,
    m: Move,
    child: &P::Node,
    window: Window,
    below: SearchParams,
    reduction: u8,
) -> Result<Score, Stopped> {
    let (isa, Window { alpha, beta }) = (cx.policy.isa(), window.flipped());
    if reduction > 0 {
        let reduced = SearchParams {
            depth: below.depth - reduction,
            ..below
        };
        let score = -isa.search::<NonPvNode, P>(cx, child, alpha, beta, reduced)?;
        if score <= window.alpha {
            return Ok(score);
        }
        cx.trace_next(m, true);
    }
    Ok(-isa.search::<NonPvNode, P>(cx, child, alpha, beta, below)?)
}

/// Whether a node is large enough for a split point.
#[inline(always)]
pub fn can_split<P: Policy>(params: SearchParams, position: &P::Game) -> bool {
    let plies_left = position.plies_left();
    if params.depth >= plies_left {
        plies_left >= P::SPLIT_PLIES_LEFT
    } else {
        params.depth >= P::SPLIT_DEPTH
    }
}

/// Whether the threads share the moves from this one on: all but the first (young brothers wait),
/// or all of a predicted all-node, if there are at least two.
#[inline(always)]
pub const fn splits_at(index: usize, moves: usize, predicts_all_node: bool) -> bool {
    index == !predicts_all_node as usize && index + 1 < moves
}

/// Whether an entry's bounds are valid for this draft. A proven win or loss is valid at every
/// depth.
#[inline(always)]
fn is_sufficient(entry: &Entry, draft: Draft, window: Window) -> bool {
    entry.draft.covers(draft)
        || (entry.lower.is_decided() && entry.lower.0 > 0 && entry.lower >= window.beta)
        || (entry.upper.is_decided() && entry.upper.0 < 0 && entry.upper <= window.alpha)
}

/// Returns a lower bound of at least beta, if the table entry of a child proves one.
#[inline(always)]
fn enhanced_cutoff<P: Policy>(
    policy: &P,
    table: &Table,
    candidates: &Candidates<P::Node>,
    window: Window,
    params: SearchParams,
    draft: Draft,
) -> Option<Score> {
    for candidate in candidates {
        let cost = P::Game::cost(candidate.m);
        let draft = Draft {
            depth: draft.depth - cost,
            ..draft
        };
        if let Some(entry) = table.probe(&policy.key(&candidate.node, params.depth - cost))
            && -entry.upper >= window.beta
            && is_sufficient(&entry, draft, window.flipped())
        {
            return Some(-entry.upper);
        }
    }
    None
}

/// Ranks the table moves. They are stored as symmetry images (see [`Key::symmetry`]).
#[inline(always)]
fn rank_table_moves<P: Policy>(candidates: &mut Candidates<P::Node>, entry: &Entry, key: &Key) {
    for candidate in candidates {
        let image = P::Game::move_image(candidate.m, usize::from(key.symmetry));
        if image == entry.moves[0] {
            candidate.rank = TABLE_MOVE;
        } else if image == entry.moves[1] {
            candidate.rank = SECOND_TABLE_MOVE;
        }
    }
}

/// Whether the table's best move is among the candidates.
#[inline(always)]
fn has_table_move<N>(candidates: &Candidates<N>) -> bool {
    for candidate in candidates {
        if candidate.rank == TABLE_MOVE {
            return true;
        }
    }
    false
}

/// Picks the moves in order by incremental selection sort: most cutoffs come from the first or
/// second move. Candidates may be large, so only their indices are moved.
struct MovePicker {
    indices: [u8; MAX_MOVES],
    count: usize,
}

impl MovePicker {
    #[inline(always)]
    fn new(count: usize) -> MovePicker {
        MovePicker {
            indices: GENERATION_ORDER,
            count,
        }
    }

    /// Returns the best candidate that was not picked yet; the first `index` ones were. Stable for
    /// equal ranks.
    #[inline(always)]
    fn next<N>(&mut self, candidates: &Candidates<N>, index: usize) -> usize {
        let rank = |at: u8| candidates[usize::from(at)].rank;
        let mut best = index;
        for other in index + 1..self.count {
            if rank(self.indices[other]) > rank(self.indices[best]) {
                best = other;
            }
        }
        let picked = self.indices[best];
        self.indices.copy_within(index..best, index + 1);
        self.indices[index] = picked;
        usize::from(picked)
    }

    /// The candidates that were not picked yet, in order.
    #[inline(never)]
    fn drain<N: Copy>(&mut self, candidates: &Candidates<N>, index: usize) -> Vec<(Move, N)> {
        let order = (index..self.count).map(|index| self.next(candidates, index));
        order
            .map(|at| (candidates[at].m, candidates[at].node))
            .collect()
    }

    /// The indices of the candidates after the first `index + 1` picked ones, unordered.
    fn rest(&self, index: usize) -> &[u8] {
        &self.indices[index + 1..self.count]
    }
}
