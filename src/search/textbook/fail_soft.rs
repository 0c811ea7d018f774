//! Alpha-beta, fail-soft: a score outside the window is the tightest bound that the search has
//! proven.
//!
//! J. Fishburn, "Analysis of speedup in distributed algorithms", 1981; document 000's `nega-alpha`.

use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::search::core::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::ReturnReason;

use super::context::TextbookContext;

/// Returns the minimax value at `depth` plies, or a bound on it if it lies outside the window
/// ([`Window::classify`]).
pub fn fail_soft<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<Score, Stopped> {
    cx.pv.clear(ply);
    if let Some(score) = cx.enter_node(position, depth, ply, window)? {
        return Ok(score);
    }
    let probe = cx.probe_table(position, depth);
    if let Some(score) = probe.cutoff(window) {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, ReturnReason::Table);
        return Ok(score);
    }
    let mut best = -Score::INFINITE;
    let mut best_move = probe.best_move();
    let mut reason = ReturnReason::Searched;
    let moves = probe.order(position.moves());
    for (index, &m) in moves.iter().enumerate() {
        cx.trace_next(m, false);
        let child = Window {
            alpha: window.alpha.max(best),
            beta: window.beta,
        }
        .flipped();
        let score = -fail_soft(cx, &position.play(m), depth - G::cost(m), ply + 1, child)?;
        if score > best {
            best = score;
            cx.pv.update(ply, m);
            if best > window.alpha {
                best_move = m;
            }
            if best >= window.beta {
                reason = ReturnReason::Cut;
                cx.trace_skip(moves[index + 1..].iter().copied());
                break;
            }
        }
    }
    cx.store_result(position, depth, window, best, best_move);
    cx.trace_leave(best, reason);
    Ok(best)
}
