//! `nullwindow lab calibrate`: measures the error of 8x8 Othello scores and prints the table of option
//! `Show Accuracy` (`src/games/reversi/accuracy/table.txt`).
//!
//! A job is a self-play game from a random opening; positions at given numbers of empties are
//! searched to several depths ([`sampling`]). The run is resumable.

mod sampling;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::job_record::{JobRecord, RecordArgs};
use crate::commands::report_resumable;
use crate::games::reversi::Othello;
use crate::games::reversi::accuracy::{AccuracyRow, AccuracyTable, ErrorSummary, fits_id};
use crate::games::spec::GameSpec;
use crate::setup::{EVAL, Setup, check_record, positive, uses};
use sampling::{GameSampler, STAGES, SampledGame};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[EVAL]))]
#[command(
    after_help = "Example: nullwindow lab calibrate --out accuracy.jsonl --threads 2 >table.txt\n\
    Run the same command again to resume. To use the table, replace src/games/reversi/accuracy/table.txt and rebuild."
)]
pub struct Args {
    #[command(flatten)]
    record: RecordArgs,

    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = positive::<u32>)]
    games: u32,

    /// Random seed of the openings
    #[arg(long, value_name = "S", default_value_t = 2_026)]
    seed: u64,
}

/// The conditions that all games of a record share.
#[derive(Debug, Serialize, Deserialize)]
struct CalibrationConditions {
    version: String,
    /// The checksum of the weights, hexadecimal.
    weights: String,
    /// The checksum of the other fitted parameters ([`fits_id`]), hexadecimal.
    fits: String,
    seed: u64,
}

/// Plays the missing games and prints the table. If interrupted, prints no table and returns exit
/// status 1.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let RecordArgs { out: path, threads } = &args.record;
    check_record("--out", path, [])?;
    let options = setup.options()?;
    let weights = Othello::evaluator(options.settings.weights.as_ref()).id();
    let version = env!("CARGO_PKG_VERSION");
    let conditions = CalibrationConditions {
        version: version.into(),
        weights: format!("{weights:016x}"),
        fits: format!("{:016x}", fits_id()),
        seed: args.seed,
    };
    let mut record = JobRecord::open(path, &conditions, |line: &SampledGame| line.game)?;
    let missing = record.missing(0..args.games);
    let worker = || {
        let mut sampler = GameSampler::new(&options, args.seed);
        move |game: u32| sampler.sample(game)
    };
    if !record.run(missing, *threads, worker)? {
        report_resumable(None);
        return Ok(false);
    }
    let games = record.results.range(..args.games).map(|(_, game)| game);
    let made_by = format!(
        "nullwindow {version}: calibrate --games {} --seed {}",
        args.games, args.seed
    );
    write!(out, "{}", table(games, weights, made_by))?;
    Ok(true)
}

/// The table of these games.
fn table<'g>(
    games: impl Iterator<Item = &'g SampledGame> + Clone,
    weights: u64,
    made_by: String,
) -> AccuracyTable {
    let mut rows = Vec::new();
    for stage in &STAGES {
        let (least, most) = stage.empties;
        // By depth (the end of the game last) and selectivity.
        let mut errors: BTreeMap<(u8, u8), Vec<i32>> = BTreeMap::new();
        let measured = games.clone().filter(|game| stage.is_measured_in(game.game));
        let positions = measured.flat_map(|game| &game.positions);
        for position in positions.filter(|position| (least..=most).contains(&position.empties)) {
            for score in &position.scores {
                let depth = if score.depth == position.empties {
                    u8::MAX
                } else {
                    score.depth
                };
                errors
                    .entry((depth, score.selectivity))
                    .or_default()
                    .push(score.score - position.reference);
            }
        }
        for ((depth, selectivity), errors) in errors {
            rows.extend(ErrorSummary::of(&errors).map(|errors| AccuracyRow {
                empties: stage.empties,
                reference: stage.reference,
                depth: (depth != u8::MAX).then_some(depth),
                selectivity,
                errors,
            }));
        }
    }
    AccuracyTable {
        weights,
        fits: fits_id(),
        made_by,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::sampling::{SampledPosition, SampledScore};
    use super::*;

    #[test]
    fn errors_are_gathered_by_stage_depth_and_level() {
        let score = |depth, selectivity, score| SampledScore {
            depth,
            selectivity,
            score,
        };
        let position = |empties, reference, scores| SampledPosition {
            empties,
            reference,
            scores,
        };
        let games = [
            SampledGame {
                game: 0,
                positions: vec![position(18, 4, vec![score(6, 73, 8), score(18, 73, 5)])],
            },
            SampledGame {
                game: 1,
                positions: vec![
                    position(20, -2, vec![score(6, 73, -4), score(20, 73, -2)]),
                    position(50, 0, vec![score(6, 73, 20)]), // in no measured game
                ],
            },
            SampledGame {
                game: 4,
                positions: vec![position(50, 0, vec![score(6, 73, 10)])],
            },
        ];
        let table = table(games.iter(), 7, "test".into());
        let text: Vec<String> = table.rows.iter().map(|row| row.to_string()).collect();
        assert_eq!(
            text,
            [
                "17-20 solved   6  73     2  +1.00   3.00   0.0  50.0 100.0 100.0",
                "17-20 solved end  73     2  +0.50   0.50 100.0 100.0 100.0 100.0",
                "49-52 played   6  73     1 +10.00  10.00   0.0   0.0   0.0   0.0",
            ]
        );
        assert_eq!(table.to_string().parse(), Ok(table));
    }
}
