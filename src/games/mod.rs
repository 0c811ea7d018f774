//! The games: rules and notation, and what makes each of them strong.
//!
//! Read [`tictactoe`] first, then [`reversi`] and [`score_four`]. [`notation`] and [`transcript`] are shared by the
//! notations; [`record`] reads positions and games in every format. [`any`] hides a game's type where only its rules
//! are needed (perft, match runner, the engine's board); [`registry`] has a row per game, from which everything that
//! lists games follows; [`dispatch`] is the only place where games, evaluators, policies and instruction sets meet.

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
