//! Shards of games to analyze: a line for each game, with the fields of `analyze --json`.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ShardJob, ShardRun};
use crate::commands::analyze::parallel;
use crate::commands::analyze::plan::LimitArgs;
use crate::commands::analyze::result::GameAnalysis;
use crate::commands::analyze::source::{AnalysisJob, SourceGame};
use crate::games::record::{self, ResultOrder};

/// A job that analyzes games.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeShard {
    /// The name of the file, returned with the results.
    file: String,
    /// The games; their numbers differ.
    games: Vec<ShardGame>,
    /// How to search every position.
    #[serde(default)]
    limits: LimitArgs,
    /// Whose result comes first where the game does not define it.
    result_order: Option<ResultOrder>,
}

/// A game of a shard.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct ShardGame {
    /// Its number in the file, from 1.
    n: usize,
    /// Its text, in any format.
    text: String,
}

/// A result line of [`AnalyzeShard`].
#[derive(Serialize)]
struct AnalyzedLine {
    n: usize,
    #[serde(flatten)]
    analysis: GameAnalysis,
}

impl ShardJob for AnalyzeShard {
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let (options, start) = (run.setup.options()?, run.setup.board(None)?);
        let plan = self.limits.plan(&start)?;
        let limits = serde_json::to_string(&self.limits)?;
        let (suffix, name) = (run.suffix.clone(), start.name());
        let order = match self.result_order {
            Some(order) => format!("{order:?} ").to_lowercase(),
            None => String::new(),
        };
        let key = |text: &str| format!("analyze {name} {limits} {order}{}{suffix}", text.trim());
        let (mut missing, mut keys) = (Vec::new(), BTreeSet::new());
        for ShardGame { n, text } in &self.games {
            ensure!(*n > 0, "games are numbered from 1");
            ensure!(keys.insert(*n), "two games have the number {n}");
            if run.lines.has(&key(text), Some(*n as u64)) {
                continue;
            }
            match record::parse_with(&start, text, self.result_order) {
                Ok(entry) => missing.push(AnalysisJob {
                    source: SourceGame {
                        file: self.file.clone(),
                        number: *n,
                        entry,
                    },
                    known: None,
                }),
                Err(error) => {
                    let error = format!("{error:#}");
                    run.lines
                        .add(&key(text), &json!({"n": n, "error": error}))?;
                }
            }
        }
        let lines = &mut run.lines;
        let text_of = |n: usize| self.games.iter().find(|game| game.n == n);
        parallel::analyze(
            missing,
            &options,
            &plan,
            None,
            &run.interrupt,
            |analysis, _| {
                if let Some(analysis) = analysis
                    && let Some(game) = text_of(analysis.number)
                {
                    let n = game.n;
                    lines.add(&key(&game.text), &AnalyzedLine { n, analysis })?;
                }
                Ok(())
            },
        )
    }
}
