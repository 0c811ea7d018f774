//! MTD(f): converges to the minimax value by null-window searches alone. Each search raises the
//! lower bound or lowers the upper bound.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms",
//! 1996. With value `s` and first guess `f`, in steps of the grain, it takes at least 2 searches: 2
//! for `f = s`, at most `s - f + 2` for `f < s`, at most `f - s + 1` for `f > s` (document 002).
//! Larger steps do not pay: measurements.md#mtdf.

use crate::game::Move;
use crate::game::score::{Score, Window};

use super::stop::Stopped;

/// Returns the value, starting at `first_guess`.
///
/// * `step`: the grain; all values are multiples of it.
/// * `bounds`: known bounds of the value, [`Window::FULL`] if none. If the value lies outside, a
///   bound is returned.
/// * `search`: a fail-soft null-window search; its arguments are the window and the current bounds.
pub fn mtdf(
    first_guess: Score,
    step: i32,
    bounds: Window,
    mut search: impl FnMut(Window, Window) -> Result<Score, Stopped>,
) -> Result<Score, Stopped> {
    let Window {
        alpha: mut lower,
        beta: mut upper,
    } = bounds;
    let mut guess = Score(first_guess.0.div_euclid(step) * step).clamp(lower, upper);
    while lower < upper {
        let beta = if guess == lower { guess + step } else { guess };
        guess = search(
            Window::null(beta, step),
            Window {
                alpha: lower,
                beta: upper,
            },
        )?;
        if guess >= beta {
            lower = guess;
        } else {
            upper = guess;
        }
    }
    Ok(guess)
}

/// Rebuilds a principal variation, which null windows do not return: the move `first`, which leads to
/// `node`, then the moves of `next`. Returns the last node, too. `score` is exact inside `bounds`.
///
/// `next` takes a node, its value and the bounds there. It returns a move with its child and, if the
/// move does not keep the value, the value of the child; `None` at the end.
pub fn variation<N>(
    first: Move,
    mut node: N,
    score: Score,
    mut bounds: Window,
    mut next: impl FnMut(&N, Score, Window) -> Option<(Move, N, Option<Score>)>,
) -> (Vec<Move>, N) {
    let (mut pv, mut value) = (vec![first], -score);
    loop {
        bounds = bounds.flipped();
        value = value.clamp(bounds.alpha, bounds.beta);
        let Some((m, child, other)) = next(&node, value, bounds) else {
            return (pv, node);
        };
        pv.push(m);
        (node, value) = (child, other.unwrap_or(-value));
    }
}
