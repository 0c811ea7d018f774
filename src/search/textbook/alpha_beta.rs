//! Alpha-beta, fail-hard: the returned score is clamped to the window.
//!
//! D. Knuth and R. Moore, "An analysis of alpha-beta pruning", 1975; document 004.

use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::search::core::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::ReturnReason;

use super::context::TextbookContext;

/// Returns the minimax value at `depth` plies, clamped to the window.
pub fn alpha_beta<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<Score, Stopped> {
    cx.pv.clear(ply);
    let Window { mut alpha, beta } = window;
    if let Some(score) = cx.enter_node(position, depth, ply, window)? {
        return Ok(score.clamp(alpha, beta));
    }
    let probe = cx.probe_table(position, depth);
    if let Some(score) = probe.cutoff(window) {
        let score = score.clamp(alpha, beta);
        cx.counters.table_hits += 1;
        cx.trace_leave(score, ReturnReason::Table);
        return Ok(score);
    }
    let mut best = probe.best_move();
    let mut reason = ReturnReason::Searched;
    let moves = probe.order(position.moves());
    for (index, &m) in moves.iter().enumerate() {
        cx.trace_next(m, false);
        let child = Window { alpha, beta }.flipped();
        let score = -alpha_beta(cx, &position.play(m), depth - G::cost(m), ply + 1, child)?;
        if score > alpha {
            alpha = score;
            best = m;
            cx.pv.update(ply, m);
            if alpha >= beta {
                reason = ReturnReason::Cut;
                cx.trace_skip(moves[index + 1..].iter().copied());
                break;
            }
        }
    }
    cx.store_result(position, depth, window, alpha, best);
    cx.trace_leave(alpha, reason);
    Ok(alpha)
}
