//! The games: rules, notation, board printing. No search and no evaluation in here.
//!
//! Read [`tictactoe`] first, then [`othello`] (its board is [`othello::board`]), [`reversi`] (small boards, and the plain rules
//! that are the oracle of the fast ones) and [`score_four`]. [`discs`] is how all Reversi boards are written; [`flipello`],
//! [`obf`] and [`ggf`] are foreign formats that it reads as well, [`transcript`] reads lists of moves, and [`notation`] has
//! what they share. [`any`] hides a game's type for those who only need its rules (perft, match runner, the engine's
//! front).

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
