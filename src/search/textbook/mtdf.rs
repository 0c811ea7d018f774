//! MTD(f): the value by null windows alone, each of which moves one of its two bounds ([`mtdf`]), over the table that
//! remembers what the windows before have proved.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms", 1996; document 002. Inside
//! the null windows [`nega_scout`] is their "alpha-beta with memory".

use crate::game::{Game, Move};
use crate::score::{Score, Window};
use crate::search::context::{Context, Stopped};
use crate::search::deepening::{BOUNDS_TOLD_FROM, BoundReport};
use crate::search::mtdf::mtdf;
use crate::search::policy::Evaluate;

use super::nega_scout::{nega_scout, search_root};

/// The minimax value among these moves of the root and a move that has it, from a first guess; a bound of it outside
/// `bounds`. `told` hears of each window's answer once the search is large.
pub fn mtd_f<G: Game, E: Evaluate<G>>(
    cx: &mut Context<'_, E>,
    position: &G,
    moves: &mut [Move],
    depth: u8,
    first_guess: Score,
    bounds: Window,
    told: &mut BoundReport<'_>,
) -> Result<(Score, Move), Stopped> {
    let mut best = moves[0];
    let score = mtdf(first_guess, cx.step, bounds, |window, _| {
        cx.counters.null_windows += 1;
        let (score, m) = search_root(cx, position, moves, depth, window)?;
        if score >= window.beta {
            best = m; // where the window fails low, every move does
        }
        if cx.counters.nodes >= BOUNDS_TOLD_FROM {
            told(&cx.reading(), score, window.classify(score), best);
        }
        Ok(score)
    })?;
    Ok((score, best))
}

/// The principal variation behind a root move of this score. Null windows keep no line: at each position it is a move that is
/// proven to keep the value. Ends early if the search is stopped.
pub fn variation<G: Game, E: Evaluate<G>>(
    cx: &mut Context<'_, E>,
    position: &G,
    depth: u8,
    first: Move,
    score: Score,
) -> Vec<Move> {
    let mut pv = vec![first];
    let (mut position, mut left, mut value) = (position.play(first), depth - G::cost(first), -score);
    while left > 0 && position.final_score().is_none() {
        let ply = pv.len() as u8;
        let Ok((m, keeps)) = keeping_move(cx, &position, left, ply, value) else { break };
        pv.push(m);
        (position, left, value) = (position.play(m), left - G::cost(m), -value);
        if !keeps {
            // The score was a bound, and the value is another.
            let found =
                mtdf(value, cx.step, Window::FULL, |window, _| nega_scout(cx, &position, left, ply + 1, window));
            value = found.unwrap_or(value);
        }
    }
    pv
}

/// A move that keeps the value of a position, and `true`: one that the table proves to, or else the first that a null window
/// proves to. Where none does, the first move and `false`.
fn keeping_move<G: Game, E: Evaluate<G>>(
    cx: &mut Context<'_, E>,
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
