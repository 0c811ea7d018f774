//! Shards of games to analyze: a line for each game, with the fields of `analyze --json`.

use std::collections::BTreeMap;

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
        let order = match self.result_order {
            Some(order) => format!("{order:?} ").to_lowercase(),
            None => String::new(),
        };
        let (mut missing, mut keys) = (Vec::new(), BTreeMap::new());
        for &ShardGame { n, ref text } in &self.games {
            ensure!(n > 0, "games are numbered from 1");
            let (name, suffix) = (start.name(), &run.suffix);
            let key = format!("analyze {name} {limits} {order}{}{suffix}", text.trim());
            if !run.lines.has(&key, Some(n as u64)) {
                match record::parse_with(&start, text, self.result_order) {
                    Ok(entry) => missing.push(AnalysisJob {
                        source: SourceGame {
                            file: self.file.clone(),
                            number: n,
                            entry,
                        },
                        known: None,
                    }),
                    Err(error) => {
                        let error = format!("{error:#}");
                        run.lines.add(&key, &json!({"n": n, "error": error}))?;
                    }
                }
            }
            ensure!(
                keys.insert(n, key).is_none(),
                "two games have the number {n}"
            );
        }
        parallel::analyze(
            missing,
            &options,
            &plan,
            None,
            &run.interrupt,
            |analysis, _| match analysis {
                Some(analysis) => {
                    let n = analysis.number;
                    run.lines.add(&keys[&n], &AnalyzedLine { n, analysis })
                }
                None => Ok(()),
            },
        )
    }
}
