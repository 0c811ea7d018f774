//! The JSON format of a shard.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::engine::setup::Setup;
use crate::lab::bench::documented_total;
use crate::platform::files;

/// The identity of an engine: two engines with the same identity return the same results.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct EngineIdentity {
    /// The version.
    pub engine: String,
    /// The node total of `bench`.
    pub bench: u64,
}

impl EngineIdentity {
    /// This engine.
    pub fn own() -> Result<EngineIdentity> {
        let bench = documented_total().context("README.md has no bench total")?;
        Ok(EngineIdentity { engine: env!("CARGO_PKG_VERSION").into(), bench })
    }
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    engine: String,
    bench: u64,
    /// The game (default: othello).
    game: Option<String>,
    /// The engine options.
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The random seed of games.
    #[serde(default = "first_seed")]
    pub seed: u64,
    pub job: ShardJob,
}

fn first_seed() -> u64 {
    1
}

/// The job of a shard.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ShardJob {
    /// Split a problem file into its entries.
    Entries(EntriesShard),
    /// Solve positions.
    Solve(SolveShard),
    /// Expand positions into their successors.
    Expand(ExpandShard),
    /// Play self-play games for training.
    Selfplay(SelfplayShard),
    /// Play games of a tournament.
    Tournament(TournamentShard),
}

/// A position of a shard.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ShardProblem {
    /// Its number, returned with the result.
    pub n: usize,
    /// An entry of a problem file.
    pub text: String,
    /// Search only the null window below this score, in discs.
    pub reaches: Option<i32>,
}

/// A job that splits the text of a problem file into entries, so that the creator of shards need not parse it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct EntriesShard {
    /// The text.
    pub text: String,
}

/// A job of `solve`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SolveShard {
    /// The positions; their numbers differ.
    pub problems: Vec<ShardProblem>,
    /// Solve for win, draw or loss only.
    #[serde(default)]
    pub wld: bool,
}

/// A job that expands positions to a number of plies, or until they are small enough.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ExpandShard {
    /// The positions.
    pub problems: Vec<ShardProblem>,
    /// Expand no deeper than this.
    #[serde(default)]
    pub plies: u8,
    /// Do not expand a position whose estimated solution takes this many nodes or fewer.
    #[serde(default)]
    pub nodes: f64,
    /// The node limit of the search that estimates the score of each position; 0: no estimate.
    #[serde(default)]
    pub guess: u64,
}

/// Games of self-play, numbered from 0.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SelfplayShard {
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub count: u64,
    /// The search depth of both sides, 1 to 20.
    pub depth: u8,
    /// Evaluate by mobility.
    #[serde(default)]
    pub mobility: bool,
}

/// Games of a tournament, numbered from 1.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TournamentShard {
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub count: u64,
    /// The arguments of `nullwindow tournament` for the complete tournament.
    pub arguments: Vec<String>,
}

impl ShardFile {
    /// Reads a shard and checks that it is for this engine.
    pub fn load(path: &Path) -> Result<ShardFile> {
        let text = files::read_text(path).with_context(|| path.display().to_string())?;
        let shard: ShardFile =
            serde_json::from_str(&text).with_context(|| format!("{}: not a shard", path.display()))?;
        let own = EngineIdentity::own()?;
        let named = shard.identity();
        ensure!(
            named == own,
            "{}: the shard requires version {} with bench total {}; this engine is version {} with bench total {}",
            path.display(),
            named.engine,
            named.bench,
            own.engine,
            own.bench
        );
        Ok(shard)
    }

    /// The required engine.
    pub fn identity(&self) -> EngineIdentity {
        EngineIdentity { engine: self.engine.clone(), bench: self.bench }
    }

    pub fn setup(&self) -> Result<Setup> {
        let options = self.options.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let setup = Setup { game: self.game.clone(), options };
        setup.options()?;
        Ok(setup)
    }
}
