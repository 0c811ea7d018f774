//! Minimax: visits the whole tree. Defines the value that all other algorithms compute.

use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::search::core::policy::Evaluate;
use crate::search::stop::Stopped;
use crate::search::trace::ReturnReason;

use super::context::TextbookContext;

/// Returns the minimax value at `depth` plies.
pub fn minimax<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
) -> Result<Score, Stopped> {
    cx.pv.clear(ply);
    if let Some(score) = cx.enter_node(position, depth, ply, Window::FULL)? {
        return Ok(score);
    }
    let mut best = -Score::INFINITE;
    for m in position.moves() {
        cx.trace_next(m, false);
        let score = -minimax(cx, &position.play(m), depth - G::cost(m), ply + 1)?;
        if score > best {
            best = score;
            cx.pv.update(ply, m);
        }
    }
    cx.trace_leave(best, ReturnReason::Searched);
    Ok(best)
}
