//! The JSON of a shard, and the engine that it names.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::commands::bench::documented_total;
use crate::engine::setup::Setup;
use crate::platform::files;

/// An engine, as far as results depend on it.
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
        let bench = documented_total().context("this engine does not know its bench total")?;
        Ok(EngineIdentity { engine: env!("CARGO_PKG_VERSION").into(), bench })
    }
}

/// A shard.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    engine: String,
    bench: u64,
    /// The game (default: othello).
    game: Option<String>,
    /// The options of the engine.
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The random seed of games.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// What to do.
    pub job: ShardJob,
}

fn first_seed() -> u64 {
    1
}

/// What a shard does.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ShardJob {
    /// Divide a problem file into its entries.
    Entries(EntriesShard),
    /// Solve positions.
    Solve(SolveShard),
    /// Take positions to the positions below them.
    Expand(ExpandShard),
    /// Play games to learn from.
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
    /// Ask only whether the value is at least this, in discs.
    pub reaches: Option<i32>,
}

/// A job that divides the text of a problem file, so that the makers of shards need not know its formats.
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
    /// Win, loss or draw only.
    #[serde(default)]
    pub wld: bool,
}

/// A job that takes positions apart: into the positions so many plies below, or those that are small enough.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ExpandShard {
    /// The positions.
    pub problems: Vec<ShardProblem>,
    /// Expand no deeper than this.
    #[serde(default)]
    pub plies: u8,
    /// Expand no position whose solution is estimated at so many nodes or fewer.
    #[serde(default)]
    pub nodes: f64,
    /// The nodes of the search that guesses the score of each position; 0: no guess.
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
    /// The words behind `nullwindow tournament` that describe the whole tournament.
    pub arguments: Vec<String>,
}

impl ShardFile {
    /// Reads a shard that is for this engine.
    pub fn load(path: &Path) -> Result<ShardFile> {
        let text = files::read_text(path).with_context(|| path.display().to_string())?;
        let shard: ShardFile = serde_json::from_str(&text).with_context(|| format!("{}: no shard", path.display()))?;
        let own = EngineIdentity::own()?;
        let named = shard.identity();
        ensure!(
            named == own,
            "{}: the shard is for version {}, bench total {}; this engine is version {}, bench total {}",
            path.display(),
            named.engine,
            named.bench,
            own.engine,
            own.bench
        );
        Ok(shard)
    }

    /// The engine that it names.
    pub fn identity(&self) -> EngineIdentity {
        EngineIdentity { engine: self.engine.clone(), bench: self.bench }
    }

    /// Its game and options.
    pub fn setup(&self) -> Result<Setup> {
        let options = self.options.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let setup = Setup { game: self.game.clone(), options };
        setup.options()?;
        Ok(setup)
    }
}
