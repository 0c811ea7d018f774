//! The match runner: plays engines against each other at any game of this crate and enforces the rules itself.
//!
//! Reading order: [`engine_spec`] (an engine and its limits), [`option_check`] (its options), [`pairings`] and
//! [`opening_list`] (which games are played), [`game_clock`], [`engine_process`] and [`engine_session`] (a running
//! engine), [`match_game`] (one game), [`termination`] (how games end), [`runner`] (a tournament), [`game_record`] and
//! [`record_files`] (its results), [`game_range`] (a part of one), [`elo`] and [`standings`] (what the results mean).

pub mod adjudicate;
pub mod command;
pub mod compliance;
pub mod config;
pub mod elo;
pub mod engine_log;
pub mod engine_process;
pub mod engine_session;
pub mod engine_slot;
pub mod engine_spec;
pub mod export;
pub mod game_clock;
pub mod game_log;
pub mod game_range;
pub mod game_record;
pub mod game_worker;
pub mod html_report;
mod line_reader;
pub mod match_game;
pub mod opening_list;
pub mod option_check;
pub mod pairings;
mod progress;
pub mod record_files;
pub mod runner;
pub mod standings;
pub mod standings_text;
pub mod termination;
pub mod timeouts;
pub mod watchdog;
