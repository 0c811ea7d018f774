//! MTD(f): null-window searches only. Each moves the lower or the upper bound of the value until the two meet
//! ([`mtdf`]); the transposition table keeps what the previous windows have proven.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms", 1996; document 002. In a
//! null window, [`nega_scout`] with the table is their `AlphaBetaWithMemory`.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::search::mtdf::mtdf;
use crate::search::policy::Evaluate;
use crate::search::searcher::{BoundReport, RootBound};
use crate::search::stop::Stopped;

use super::context::TextbookContext;
use super::nega_scout::{nega_scout, search_root};

/// The value of the best of the root's `moves` and a move that has it; a bound if the value lies outside `bounds`. The
/// list is left in the order of the last window. `report` gets each window's result.
pub fn mtd_f<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    moves: &mut [Move],
    depth: u8,
    first_guess: Score,
    bounds: Window,
    report: &mut BoundReport<'_>,
) -> Result<(Score, Move), Stopped> {
    let mut best = moves[0];
    let score = mtdf(first_guess, cx.step, bounds, |window, _| {
        cx.counters.null_windows += 1;
        let (score, m) = search_root(cx, position, moves, depth, window)?;
        if score >= window.beta {
            best = m; // a window that fails low has no best move
        }
        let nodes = cx.counters.nodes;
        report(RootBound { score, bound: window.classify(score), m: best, nodes }, &|| cx.stats());
        Ok(score)
    })?;
    Ok((score, best))
}

/// The principal variation that starts with the root move `first` of this score, exact inside `bounds`. Null-window
/// searches return no line, so it is found afterwards: at each position a move that is proven to keep the value; any
/// move where the value is known to be at most the lower bound. Ends early if the search is stopped.
pub fn variation<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    first: Move,
    score: Score,
    bounds: Window,
) -> Vec<Move> {
    let mut pv = vec![first];
    let (mut position, mut left, mut bounds) = (position.play(first), depth - G::cost(first), bounds.flipped());
    let mut value = (-score).clamp(bounds.alpha, bounds.beta);
    while left > 0 && position.final_score().is_none() {
        let ply = pv.len() as u8;
        let found = match value <= bounds.alpha {
            true => Ok((position.moves()[0], true)),
            false => keeping_move(cx, &position, left, ply, value),
        };
        let Ok((m, keeps)) = found else { break };
        pv.push(m);
        (position, left) = (position.play(m), left - G::cost(m));
        (value, bounds) = (-value, bounds.flipped());
        if !keeps {
            // The score was only a bound: search the value that the line goes on with.
            let found = mtdf(value, cx.step, bounds, |window, _| nega_scout(cx, &position, left, ply + 1, window));
            value = found.unwrap_or(value).clamp(bounds.alpha, bounds.beta);
        }
    }
    pv
}

/// A move that keeps the value of a position, and `true`: by the table if it can prove one, else by null-window
/// searches. If no move does, the first one and `false`.
fn keeping_move<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    value: Score,
) -> Result<(Move, bool), Stopped> {
    let moves = cx.recall(position, depth).first(position.moves());
    if moves[0].is_pass() {
        return Ok((Move::PASS, true));
    }
    let window = Window::null(-value + cx.step, cx.step);
    let is_known = |m: &&Move| {
        let child = position.play(**m);
        let known = || cx.recall(&child, depth - G::cost(**m)).answer(window);
        child.final_score().or_else(known).is_some_and(|score| score <= -value)
    };
    if let Some(&m) = moves.iter().find(is_known) {
        return Ok((m, true));
    }
    for &m in &moves {
        if nega_scout(cx, &position.play(m), depth - G::cost(m), ply + 1, window)? <= -value {
            return Ok((m, true));
        }
    }
    Ok((moves[0], false))
}
