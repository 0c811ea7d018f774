//! NegaScout (principal variation search): searches the first move with the full window and every
//! other move with a null window. A move that fails high is re-searched with an open window.
//!
//! A. Reinefeld, "An improvement to the scout tree search algorithm", 1983; document 001. With a
//! null window there are no re-searches, and NegaScout is fail-soft alpha-beta
//! ([`fail_soft`](super::fail_soft())).

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, to_front};
use crate::search::core::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::ReturnReason;

use super::context::TextbookContext;

/// Returns the minimax value at `depth` plies, or a bound on it if it lies outside the window
/// ([`Window::classify`]).
pub fn nega_scout<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<Score, Stopped> {
    if let Some(score) = cx.enter_node(position, depth, ply, window)? {
        return Ok(score);
    }
    let probe = cx.probe_table(position, depth);
    if let Some(score) = probe.cutoff(window) {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, ReturnReason::Table);
        return Ok(score);
    }
    let moves = probe.order_two(position.moves());
    if moves[0].is_pass() {
        cx.trace_next(Move::PASS, false);
        let score = -nega_scout(
            cx,
            &position.play(Move::PASS),
            depth,
            ply + 1,
            window.flipped(),
        )?;
        cx.trace_leave(score, ReturnReason::Searched);
        return Ok(score);
    }
    let (best, best_move) = search_moves(cx, position, &moves, depth, ply, window)?;
    let raises_alpha = best > window.alpha;
    let best_move = if raises_alpha { best_move } else { Move::NONE };
    cx.store_result(position, depth, window, best, best_move);
    Ok(best)
}

/// Searches the moves in the given order. Returns the fail-soft score and the first move that
/// reaches it.
fn search_moves<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    moves: &[Move],
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<(Score, Move), Stopped> {
    let Window { alpha, beta } = window;
    let mut best = -Score::INFINITE;
    let mut best_move = Move::NONE;
    let mut reason = ReturnReason::Searched;
    for (index, &m) in moves.iter().enumerate() {
        let child = position.play(m);
        let (depth, ply) = (depth - G::cost(m), ply + 1);
        let low = alpha.max(best);
        let is_scout = index > 0 && !window.is_null(cx.step);
        let first = if is_scout {
            cx.counters.null_windows += 1;
            Window::null(low + cx.step, cx.step)
        } else {
            Window { alpha: low, beta }
        };
        cx.trace_next(m, false);
        let mut score = -nega_scout(cx, &child, depth, ply, first.flipped())?;
        if is_scout && low < score && score < beta {
            cx.counters.re_searches += 1;
            cx.trace_next(m, true);
            // Fail-soft: `score` is a proven lower bound.
            let above = Window {
                alpha: score - cx.step,
                beta,
            };
            score = -nega_scout(cx, &child, depth, ply, above.flipped())?;
        }
        if score > best {
            (best, best_move) = (score, m);
            if best >= beta {
                reason = ReturnReason::Cut;
                cx.trace_skip(moves[index + 1..].iter().copied());
                break;
            }
        }
    }
    cx.trace_leave(best, reason);
    Ok((best, best_move))
}

/// Searches the root moves in the given order. Returns the fail-soft score and the first move that
/// reaches it. A move that raises alpha is moved to the front of the list, for the next search.
pub fn search_root<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    moves: &mut [Move],
    depth: u8,
    window: Window,
) -> Result<(Score, Move), Stopped> {
    cx.enter(0)?;
    cx.trace_enter(window, depth);
    let (score, best) = search_moves(cx, position, moves, depth, 0, window)?;
    if score > window.alpha {
        to_front(moves, best);
    }
    Ok((score, best))
}
