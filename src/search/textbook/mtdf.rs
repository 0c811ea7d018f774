//! MTD(f): null-window searches only. Each one raises the lower bound or lowers the upper bound of
//! the value until the bounds meet ([`mtdf()`]). The transposition table keeps the bounds that
//! earlier windows have proven.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms",
//! 1996; document 002. [`nega_scout`] with a null window and the table is their
//! `AlphaBetaWithMemory`.

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::search::core::policy::Evaluate;
use crate::search::mtdf::{self, mtdf};
use crate::search::searcher::{BoundReport, RootBound};
use crate::search::stop::Stopped;

use super::context::TextbookContext;
use super::nega_scout::{nega_scout, search_root};

/// Returns the value of the best root move of `moves` and that move; a bound if the value lies
/// outside `bounds`. Leaves the list in the order of the last window. Calls `report` with the
/// result of each window.
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
            best = m; // a search that fails low has no best move
        }
        let nodes = cx.counters.nodes;
        report(
            RootBound {
                score,
                bound: window.classify(score),
                m: best,
                nodes,
            },
            &|| cx.stats(),
        );
        Ok(score)
    })?;
    Ok((score, best))
}

/// Returns the principal variation that starts with the root move `first`; `score` is exact inside
/// `bounds`.
///
/// Null-window searches return no PV, so it is reconstructed: at each position, the next PV move is
/// one that provably keeps the value. Where the value is at most the lower bound, any move will do.
/// Ends early if the search is stopped.
pub fn variation<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    first: Move,
    score: Score,
    bounds: Window,
) -> Vec<Move> {
    let root = (position.play(first), depth - G::cost(first), 1);
    let step = cx.step;
    let next = |&(position, depth, ply): &(G, u8, u8), value: Score, bounds: Window| {
        if depth == 0 || position.final_score().is_some() {
            return None;
        }
        let (m, is_proven) = match value <= bounds.alpha {
            true => (position.moves()[0], true),
            false => pv_move(cx, &position, depth, ply, value).ok()?,
        };
        let child = (position.play(m), depth - G::cost(m), ply + 1);
        // The score was only a bound: find the exact value of the child.
        let search = |window, _| nega_scout(cx, &child.0, child.1, child.2, window);
        let other = match is_proven {
            true => None,
            false => mtdf(-value, step, bounds.flipped(), search).ok(),
        };
        Some((m, child, other))
    };
    mtdf::variation(first, root, score, bounds, next).0
}

/// Returns a move that keeps the value of the position, and `true`. Tries the table first, then
/// null-window searches. If no move keeps the value, returns the first move and `false`.
fn pv_move<G: Game, E: Evaluate<G>>(
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
    value: Score,
) -> Result<(Move, bool), Stopped> {
    let moves = cx.probe_table(position, depth).order(position.moves());
    if moves[0].is_pass() {
        return Ok((Move::PASS, true));
    }
    let window = Window::null(-value + cx.step, cx.step);
    let is_known = |m: &&Move| {
        let child = position.play(**m);
        let known = || cx.probe_table(&child, depth - G::cost(**m)).cutoff(window);
        child
            .final_score()
            .or_else(known)
            .is_some_and(|score| score <= -value)
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
