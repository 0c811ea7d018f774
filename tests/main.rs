//! The tests of the program and of the library's public interface, in one binary: Cargo runs
//! binaries one after another, and one test that waits would leave a core idle.
//!
//! `cargo test docs::` runs those of one file. Unit tests are beside the code; `tests/loom` is a
//! package of its own.

#![allow(
    clippy::too_many_lines,
    reason = "lists of cases stand in the test of them"
)]

mod ablation;
mod accuracy;
mod add_a_game;
mod algorithms;
mod analysis;
mod analyze;
mod analyze_page;
mod bad_input;
mod book;
mod claims;
mod command_line;
mod common;
mod convert;
mod docs;
mod endgame;
mod exact_lines;
mod explain;
mod formats;
mod fuzz;
mod game_engine;
mod gtp;
mod kernels;
mod learning;
mod links;
mod lists;
mod log;
mod midgame;
mod nboard;
mod notation;
mod openings;
mod parallel;
mod perft;
mod pipelined;
mod play;
mod prove;
mod random_sessions;
mod records;
mod regret;
mod rules;
mod score_four;
mod session;
mod shard;
mod small_games;
mod solve;
mod solve_report;
mod stable;
mod strength;
mod tidy;
mod tournament;
mod uci;
mod web_page;
