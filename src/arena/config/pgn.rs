//! What is written of games in PGN: the value of `--pgnout`, and the names of the match.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{ArgAction, Parser};
use serde::{Deserialize, Serialize};

use super::usage_error::UsageError;
use crate::setup::check_record;
use crate::storage::record_lock::RecordLock;

/// The names of a match in its game files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::Args)]
pub struct MatchTags {
    /// Name of the event in PGN and GGF [default: nullwindow tournament]
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Name of the site in PGN and GGF
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
}

/// What is written of a game in PGN; by default all tags and the scores, depths and times of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::Args)]
pub struct PgnStyle {
    /// Only the mandatory tags, those of the start position, and the moves.
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub min: bool,
    /// The number of nodes of each move (`n=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub nodes: bool,
    /// The selective depth (`sd=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub seldepth: bool,
    /// The nodes per second (`nps=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub nps: bool,
    /// The time left on the clock after the move (`tl=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub timeleft: bool,
}

/// The value of `--pgnout`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Parser)]
#[command(args_override_self = true)]
pub struct PgnFile {
    /// The file.
    #[arg(long)]
    pub file: PathBuf,
    /// Whether the games that it contains when the match begins are kept.
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    pub append: bool,
    /// What is written of a game.
    #[command(flatten)]
    #[serde(flatten)]
    pub style: PgnStyle,
}

impl PgnFile {
    /// Its path in a tournament that was started in `directory`.
    pub fn path(&self, directory: &Path) -> PathBuf {
        directory.join(&self.file)
    }

    /// Checks that the file can be written, without creating it.
    ///
    /// # Errors
    /// If its folder does not exist, it is not a regular file, or another process writes it.
    pub fn check(&self, directory: &Path) -> Result<()> {
        let path = self.path(directory);
        check_record("--pgnout", &path, []).map_err(|error| UsageError(format!("{error:#}")))?;
        RecordLock::check(&path)
    }
}
