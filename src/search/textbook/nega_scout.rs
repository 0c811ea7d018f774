//! NegaScout, also known as principal variation search: the first move is searched with the full window, every other
//! move with a null window that asks only whether it is better, and again with an open window if it is.
//!
//! A. Reinefeld, "An improvement to the scout tree search algorithm", 1983; document 001. In a null window there is
//! nothing to search again, and NegaScout is fail-soft alpha-beta ([`fail_soft`](super::fail_soft())).

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, to_front};
use crate::search::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::Why;

use super::context::TextbookContext;

/// The minimax value of a position `depth` plies deep, or a bound of it ([`Window::classify`]).
pub fn nega_scout<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    window: Window,
) -> Result<Score, Stopped> {
    cx.enter(ply)?;
    cx.trace_enter(window, depth);
    if let Some(score) = position.final_score() {
        cx.trace_leave(score, Why::Finished);
        return Ok(cx.leaf(score));
    }
    if depth == 0 {
        let score = cx.evaluator.evaluate(position);
        cx.trace_leave(score, Why::Static);
        return Ok(cx.leaf(score));
    }
    let known = cx.recall(position, depth);
    if let Some(score) = known.answer(window) {
        cx.counters.table_hits += 1;
        cx.trace_leave(score, Why::Table);
        return Ok(score);
    }
    let moves = known.first_two(position.moves());
    if moves[0].is_pass() {
        cx.trace.next(Move::PASS, false);
        let score = -nega_scout(cx, &position.play(Move::PASS), depth, ply + 1, window.flipped())?;
        cx.trace_leave(score, Why::Searched);
        return Ok(score);
    }
    let (best, best_move) = search_moves(cx, position, &moves, depth, ply, window)?;
    cx.remember(position, depth, window, best, if best > window.alpha { best_move } else { Move::NONE });
    Ok(best)
}

/// Searches these moves in this order: the fail-soft score and the first move that has it.
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
    let mut why = Why::Searched;
    for (index, &m) in moves.iter().enumerate() {
        let child = position.play(m);
        let (depth, ply) = (depth - G::cost(m), ply + 1);
        let low = alpha.max(best);
        cx.trace.next(m, false);
        let score = if index == 0 || window.is_null(cx.step) {
            -nega_scout(cx, &child, depth, ply, Window { alpha: low, beta }.flipped())?
        } else {
            cx.counters.null_windows += 1;
            let scout = -nega_scout(cx, &child, depth, ply, Window::null(low + cx.step, cx.step).flipped())?;
            if low < scout && scout < beta {
                cx.counters.re_searches += 1;
                cx.trace.next(m, true);
                // Fail-soft: the null window has proven `scout` as a lower bound.
                let above = Window { alpha: scout - cx.step, beta };
                -nega_scout(cx, &child, depth, ply, above.flipped())?
            } else {
                scout
            }
        };
        if score > best {
            (best, best_move) = (score, m);
            if best >= beta {
                why = Why::Cut;
                cx.trace.skip(moves[index + 1..].iter().copied());
                break;
            }
        }
    }
    cx.trace_leave(best, why);
    Ok((best, best_move))
}

/// Searches the given moves of the root in this order: the fail-soft score and the first move that has it. If it raises
/// alpha, it goes to the front of the list, for the next search.
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
