//! The match runner: plays matches between engines at any game of this crate, and enforces the
//! rules itself.
//!
//! Reading order: [`engine_spec`] (an engine and its limits), [`engines_file`] and [`presets`]
//! (saved settings), [`config`], [`pairings`] and [`openings`] (the games to play), [`output_files`], [`client`] (the
//! clients), [`play`] (a running engine, one game), [`runner`] (a tournament), [`results`] (records
//! and statistics), [`report`] (text, JSON and HTML), [`compliance`] (checks of an engine),
//! [`translation`] (command lines of other runners).

pub mod arguments;
pub mod client;
pub mod command;
pub mod compliance;
pub mod config;
pub mod engine_spec;
pub mod engines_file;
pub mod openings;
pub mod output_files;
pub mod pairings;
pub mod play;
pub mod presets;
pub mod report;
pub mod results;
pub mod runner;
pub mod translation;
