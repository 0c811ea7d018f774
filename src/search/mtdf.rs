//! MTD(f): finds a value by null-window searches alone, each of which moves its lower or its upper bound.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms", 1996. Document 002
//! derives the number of searches, in steps of the grain, for a value `s` and a first guess `f`: at least 2, at most `s
//! - f + 2` for
//! `f < s`, 2 for `f = s`, `f - s + 1` for `f > s`. Larger steps do not pay: measurements.md#mtdf.

use crate::game::score::{Score, Window};

use super::stop::Stopped;

/// The value, found from `first_guess` by null-window searches with `search`.
///
/// `step` is the grain: all values are multiples of it. `bounds` must contain the value, else one of the bounds is
/// returned; [`Window::FULL`] if nothing is known. `search` gets a null window and the bounds so far.
pub fn mtdf(
    first_guess: Score,
    step: i32,
    bounds: Window,
    mut search: impl FnMut(Window, Window) -> Result<Score, Stopped>,
) -> Result<Score, Stopped> {
    let Window { alpha: mut lower, beta: mut upper } = bounds;
    let mut guess = Score(first_guess.0.div_euclid(step) * step).clamp(lower, upper);
    while lower < upper {
        let beta = if guess == lower { guess + step } else { guess };
        guess = search(Window::null(beta, step), Window { alpha: lower, beta: upper })?;
        if guess >= beta {
            lower = guess;
        } else {
            upper = guess;
        }
    }
    Ok(guess)
}
