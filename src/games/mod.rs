//! The games: rules, notation, board printing. No search and no evaluation in here.
//!
//! [`any`] hides a game's type for those who only need its rules (perft, match runner, the engine's front).

pub mod any;
pub mod discs;
pub mod drawn_tree;
pub mod flipello;
pub mod ggf;
pub mod notation;
pub mod obf;
pub mod othello;
pub mod reversi;
pub mod score_four;
pub mod tictactoe;
pub mod transcript;
