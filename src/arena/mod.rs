//! The match runner: plays matches between engines at any game of this crate, and enforces the
//! rules itself.
//!
//! Each folder uses only those before it (checked by `tests/tidy.rs`): [`client`] (the other side of
//! the protocols), [`elo`] (Elo and SPRT), [`rules`] (clocks, faults, adjudication), [`config`]
//! (engines, openings, pairings and the options of a match), [`results`] (records and standings),
//! [`play`] (a running engine, one game), [`report`] (text, JSON and HTML), [`compliance`] (checks of
//! an engine). Above them are [`runner`] (a tournament), [`output_files`], [`arguments`],
//! [`command`], and [`translation`] (command lines of other runners).

pub mod arguments;
pub mod client;
pub mod command;
pub mod compliance;
pub mod config;
pub mod elo;
pub mod output_files;
pub mod play;
pub mod report;
pub mod results;
pub mod rules;
pub mod runner;
pub mod translation;
