//! The games: rules, notation, evaluation and search policy.
//!
//! Read [`tictactoe`] first, then [`reversi`] and [`score_four`]. [`notation`] is shared by the
//! notations; [`record`] reads positions and games in every format;
//! [`opening_names`] names openings. [`spec`] is the trait that each game implements in its folder;
//! [`any`] lists the games and has the position and game whose rules are known only at run time;
//! [`dispatch`] searches such a position.

pub mod any;
pub mod dispatch;
pub mod notation;
pub mod opening_names;
pub mod perft;
pub mod record;
pub mod reversi;
pub mod score_four;
pub mod spec;
pub mod tictactoe;
