//! MTD(f): a value from null-window searches alone, each of which moves one of its two bounds.
//!
//! A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin, "Best-first fixed-depth minimax algorithms", 1996; document 002 derives how
//! many searches it takes: at least 2, at most `s - f + 2` for a first guess `f` below the value `s`, 2 for `f = s`,
//! `f - s + 1` above, in steps of the grain. Growing strides after several answers on the same side were tried (from the
//! second, third and fourth on, doubling): within 0.1 % on Score Four, up to 6 % more nodes on Othello; so each search
//! starts where the last one ended.

use crate::game::score::{Score, Window};

use super::stop::Stopped;

/// Closes in on a value from `first_guess` by the null-window searches that `search` makes.
///
/// `step` is the grain: all values are multiples of it. `bounds` is what is known beforehand, [`Window::FULL`] if nothing
/// (a range too narrow would give a wrong value in silence). `search` gets a null window and the bounds so far.
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
