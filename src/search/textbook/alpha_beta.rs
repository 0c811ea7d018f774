//! Alpha-beta, fail-hard: the returned score is clamped to the window.
//!
//! D. Knuth and R. Moore, "An analysis of alpha-beta pruning", 1975; document 004.

use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::search::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::Why;

use super::context::TextbookContext;

/// The minimax value of a position `depth` plies deep, clamped to the window.
pub fn alpha_beta<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<Score, Stopped> {
    cx.enter(ply)?;
    cx.trace_enter(window, depth);
    cx.lines.clear(ply);
    let Window { mut alpha, beta } = window;
    if let Some(score) = position.final_score() {
        cx.trace_leave(score, Why::Finished);
        return Ok(cx.leaf(score.clamp(alpha, beta)));
    }
    if depth == 0 {
        let score = cx.evaluator.evaluate(position);
        cx.trace_leave(score, Why::Static);
        return Ok(cx.leaf(score.clamp(alpha, beta)));
    }
    let known = cx.recall(position, depth);
    if let Some(score) = known.answer(window) {
        let score = score.clamp(alpha, beta);
        cx.counters.table_hits += 1;
        cx.trace_leave(score, Why::Table);
        return Ok(score);
    }
    let mut best = known.best();
    let mut why = Why::Searched;
    let moves = known.first(position.moves());
    for (index, &m) in moves.iter().enumerate() {
        cx.trace.next(m, false);
        let child = Window { alpha, beta }.flipped();
        let score = -alpha_beta(cx, &position.play(m), depth - G::cost(m), ply + 1, child)?;
        if score > alpha {
            alpha = score;
            best = m;
            cx.lines.improve(ply, m);
            if alpha >= beta {
                why = Why::Cut;
                cx.trace.skip(moves[index + 1..].iter().copied());
                break;
            }
        }
    }
    cx.remember(position, depth, window, alpha, best);
    cx.trace_leave(alpha, why);
    Ok(alpha)
}
