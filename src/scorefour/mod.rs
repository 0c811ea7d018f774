//! The strong Score Four engine over the rules in [`crate::games::score_four`].

pub mod board;
pub mod eval;
pub mod finishing;
pub mod player;
pub mod solver;
