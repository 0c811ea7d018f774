//! The laboratory: solving, self-play and training, and everything that measures or explains searches.
//!
//! Each subcommand has a struct of clap arguments and `run(&args, &setup, out) -> anyhow::Result<ExitCode>`.

pub mod ablation;
pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod explain;
pub mod frontier;
mod jobs;
mod move_ordering;
pub mod openings;
pub mod problems;
pub mod regret;
pub mod reproduce;
pub mod shard;
pub mod solve;
pub mod strength;
pub mod train;
