//! `strength calibrate`: plays each level against full strength, records the games, and prints for each
//! level the discs lost per game, the score, and the mistakes of the level by its own searches. The
//! number of threads affects only the order of the lines of the record.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::LevelArgs;
use super::level_games::{LevelGame, LevelPlayer, opening, play};
use crate::arena::elo::Pentanomial;
use crate::commands::{mean, report_resumable};
use crate::engine::options::Options;
use crate::engine::strength::allowance::MOVES_OF_A_GAME;
use crate::game::Player;
use crate::games::any::AnyGame;
use crate::lab::job_record::{JobRecord, RecordArgs};
use crate::lab::mean_and_error;
use crate::setup::{EVAL, GAME, SEARCH, Setup, check_record, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCH, EVAL]), after_help = "Games: all with discs.")]
pub struct Args {
    #[command(flatten)]
    record: RecordArgs,

    #[command(flatten)]
    players: LevelArgs,

    /// Games per level, in pairs with colors swapped
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(2..))]
    games: u32,

    /// Number of random opening plies
    #[arg(long, value_name = "N", default_value_t = 6)]
    plies: usize,

    /// Random seed of the openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// The conditions that all games of a record share.
#[derive(Debug, Serialize, Deserialize)]
struct Conditions {
    version: String,
    game: String,
    options: Vec<(String, String)>,
    /// Nodes per move.
    nodes: u64,
    /// Random plies of the openings, and their seed.
    plies: usize,
    seed: u64,
}

/// Identifies a pair of games against full strength from one opening, with colors swapped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct PairKey {
    level: u32,
    pair: u32,
}

/// A line of the record.
#[derive(Debug, Serialize, Deserialize)]
struct PlayedPair {
    #[serde(flatten)]
    key: PairKey,
    games: [LevelGame; 2],
}

/// Plays the missing games and prints the table. Exit status 1 if a loss is outside the tolerance
/// or the run was interrupted.
pub(super) fn run(
    args: &Args,
    setup: &Setup,
    options: &Options,
    start: &AnyGame,
    out: &mut dyn Write,
) -> Result<bool> {
    ensure!(
        args.games.is_multiple_of(2),
        "--games {}: expected an even number, of pairs with colors swapped",
        args.games
    );
    let most = usize::from(start.plies_left()) - 1;
    ensure!(
        args.plies <= most,
        "--plies {}: expected 0 to {most}",
        args.plies
    );
    let RecordArgs { out: path, threads } = &args.record;
    check_record("--out", path, [])?;
    let conditions = Conditions {
        version: env!("CARGO_PKG_VERSION").into(),
        game: start.name().into(),
        options: setup.determining_options(&[]),
        nodes: args.players.nodes,
        plies: args.plies,
        seed: args.seed,
    };
    let mut record = JobRecord::open(path, &conditions, |pair: &PlayedPair| pair.key)?;
    let levels: BTreeSet<u32> = args.players.levels.iter().copied().collect();
    let pairs = args.games / 2;
    let wanted =
        (0..pairs).flat_map(|pair| levels.iter().map(move |&level| PairKey { level, pair }));
    let missing = record.missing(wanted);
    if !record.run(missing, *threads, || {
        |key| play_pair(key, args, options, start)
    })? {
        report_resumable(None);
        return Ok(false);
    }
    record
        .results
        .retain(|key, _| levels.contains(&key.level) && key.pair < pairs);
    write_table(record.results.values(), start.plies_left(), out)
}

fn play_pair(key: PairKey, args: &Args, options: &Options, start: &AnyGame) -> Result<PlayedPair> {
    let opening = opening(start, args.plies, args.seed, key.pair, options)?;
    let mut level = LevelPlayer::new(options, key.level, args.players.nodes);
    let mut full_strength = LevelPlayer::new(options, 0, args.players.nodes);
    let first = play(&opening, Player::First, &mut level, &mut full_strength)?;
    let second = play(&opening, Player::Second, &mut level, &mut full_strength)?;
    Ok(PlayedPair {
        key,
        games: [first, second],
    })
}

/// The tolerance of a loss, as a share of the level.
const TOLERANCE: f64 = 0.2;

/// The columns of a match after its level; `loss`: the discs lost per game, and the standard error
/// over pairs.
fn columns(pairs: &[[LevelGame; 2]], (loss, error): (f64, f64)) -> String {
    let games = || pairs.iter().flatten();
    let mean = |of: fn(&LevelGame) -> f64| mean(games().map(of));
    let points = |game: &LevelGame| (game.discs.signum() + 1) as u8;
    let mut counts = Pentanomial::default();
    pairs
        .iter()
        .for_each(|[a, b]| counts.add(points(a), points(b)));
    let score = counts.sample();
    let elo = score
        .elo()
        .map_or("-".into(), |elo| format!("{:+.0}", elo.value));
    let interval = if pairs.len() > 1 {
        format!("{:.2}", 1.96 * error)
    } else {
        "-".into()
    };
    format!(
        "{:>6} {loss:>6.2} ± {interval:<5} {:>6.1} {elo:>6} {:>8.1} {:>6.2} {:>7.2}",
        2 * pairs.len(),
        100.0 * score.mean().unwrap_or(0.0),
        mean(|game| game.mistakes.into()),
        mean(|game| f64::from(game.cost) / 100.0),
        games()
            .map(|game| f64::from(game.max_cost) / 100.0)
            .fold(0.0, f64::max),
    )
}

/// Writes the table, and a line for each level whose loss is outside the tolerance or not above the
/// loss of the level below. Returns whether there is no such level. `plies`: the length of a game,
/// to which losses are proportional.
fn write_table<'p>(
    played: impl Iterator<Item = &'p PlayedPair>,
    plies: u8,
    out: &mut dyn Write,
) -> Result<bool> {
    let mut matches: BTreeMap<u32, Vec<[LevelGame; 2]>> = BTreeMap::new();
    for PlayedPair { key, games } in played {
        matches.entry(key.level).or_default().push(*games);
    }
    writeln!(
        out,
        "level  games  discs lost      score    Elo mistakes   cost    max"
    )?;
    let mut calibrated: Vec<(u32, f64)> = Vec::new();
    for (level, pairs) in matches {
        let losses: Vec<f64> = pairs
            .iter()
            .map(|[a, b]| f64::from(-a.discs - b.discs) / 2.0)
            .collect();
        let loss = mean_and_error(&losses, losses.len() - 1);
        writeln!(out, "{level:>5} {}", columns(&pairs, loss))?;
        calibrated.push((level, loss.0));
    }
    let mut wrong = Vec::new();
    for &(level, loss) in &calibrated {
        let expected = f64::from(level) * f64::from(plies.div_ceil(2)) / MOVES_OF_A_GAME;
        if (loss - expected).abs() > TOLERANCE * expected {
            wrong.push(format!(
                "level {level}: loses {loss:.2} discs, expected {expected:.2} within 20 %"
            ));
        }
    }
    for pair in calibrated.windows(2) {
        let [(lower, less), (level, loss)] = [pair[0], pair[1]];
        if less >= loss {
            wrong.push(format!(
                "level {level} does not lose more than level {lower}"
            ));
        }
    }
    wrong.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(wrong.is_empty())
}
