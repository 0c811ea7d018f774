//! The match runner: plays engines against each other at any game of this crate and enforces the rules itself.
//!
//! Reading order: [`engine_spec`] (an engine and its limits), [`option_check`] (whether it starts, its options),
//! [`pairings`] and [`opening_list`] (which games are played), [`plan`] (what is written before the first one),
//! [`game_clock`], [`engine_process`] and [`engine_session`] (a running engine), [`match_game`] (one game),
//! [`search_check`] (what engines report), [`termination`] (how games end), [`runner`] (a tournament), [`ply_journal`],
//! [`game_record`] and [`record_files`] (its record), [`game_range`] (a part of one), [`elo`],
//! [`distinct_games`], [`standings`] and [`summary`] (what the results mean), [`replay`] (a move once more).

pub mod abort;
pub mod adjudicate;
pub mod arguments;
pub mod command;
pub mod compliance;
pub mod config;
pub mod distinct_games;
pub mod elo;
pub mod engine_log;
pub mod engine_move;
pub mod engine_process;
pub mod engine_session;
pub mod engine_slot;
pub mod engine_spec;
pub mod export;
pub mod game_clock;
pub mod game_diagnostics;
pub mod game_end;
pub mod game_log;
pub mod game_range;
pub mod game_record;
pub mod game_worker;
pub mod html_report;
pub mod late_move;
mod line_reader;
pub mod lowest_clock;
pub mod match_game;
pub mod match_rules;
pub mod opening_list;
pub mod option_check;
pub mod pairings;
pub mod plan;
pub mod ply_journal;
pub mod preparation;
mod progress;
pub mod random_openings;
pub mod record_files;
pub mod replay;
pub mod report_fault;
pub mod runner;
pub mod search_check;
pub mod side_label;
pub mod standings;
pub mod standings_text;
pub mod start_failure;
pub mod summary;
pub mod termination;
pub mod timeouts;
pub mod watchdog;
