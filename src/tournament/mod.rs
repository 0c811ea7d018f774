//! The match runner: any engines against each other, at any game here, by the runner's own rules.
//!
//! Reading order: [`spec`] (an engine and its limits), [`schedule`] and [`openings`] (what is played), [`clock`],
//! [`fault`] (how games end), [`process`] (a child process and its lines), [`statistics`] (what results mean).

pub mod adjudicate;
pub mod cli;
pub mod clock;
pub mod compliance;
pub mod date;
pub mod export;
pub mod fault;
pub mod openings;
pub mod play;
pub mod player;
pub mod process;
pub mod record;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod spec;
pub mod standings;
pub mod statistics;
pub mod watch;
