//! The games: rules, notation, evaluation and search policy.
//!
//! Read [`tictactoe`] first, then [`reversi`] and [`score_four`]. All notations use [`notation`] and [`transcript`];
//! [`record`] reads positions and games in every format. [`any`] erases the type of a game where only the rules are
//! needed (perft, match runner, the engine's board). [`registry`] lists the games. [`dispatch`] maps a position to the
//! search with its game's evaluator, policy and instruction set.

pub mod any;
pub mod canonical;
pub mod dispatch;
pub mod drawn_tree;
pub mod notation;
pub mod perft;
pub mod record;
pub mod registry;
pub mod reversi;
pub mod score_four;
pub mod tictactoe;
pub mod transcript;
