//! `nullwindow selfplay`: plays Othello or Score Four from random openings at a fixed depth and writes a record per
//! position.
//!
//! Games are numbered and written in order, so the file is resumable and independent of the number of threads.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::engine::setup::{Setup, check_output};
use crate::game::Game as _;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::policy::ReversiPolicy;
use crate::games::reversi::{Eight, Othello};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::eval::ScoreFourEvaluator;
use crate::games::score_four::policy::ScoreFourPolicy;
use crate::lab::interrupted;
use crate::lab::jobs::JobRunner;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::search::isa::{Portable, with_isa};
use crate::search::policy::Policy;
use crate::search::table::Draft;

use super::game_file::{GameFileHeader, GameFileWriter};
use super::self_player::{PlayedGame, SelfPlayer, TrainingGame};

/// The interval between two progress lines without a terminal.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

#[derive(clap::Args, Debug)]
pub struct SelfplayArgs {
    /// Self-play file to create or resume
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Total number of games in the file
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,

    /// Search depth in plies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    depth: u8,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Use the mobility evaluation, for the first generation (default: option EvalFile)
    #[arg(long)]
    mobility: bool,
}

/// Plays the game of a number.
type Play = Box<dyn FnMut(u64) -> PlayedGame>;

/// The players of a game.
pub struct Players {
    /// The name of the game.
    pub game: &'static str,
    /// The header of their files.
    pub header: GameFileHeader,
    /// Makes the player of a thread.
    pub player: Box<dyn Fn() -> Play + Sync>,
}

impl Players {
    /// The players of the selected game, which search to this depth.
    ///
    /// # Errors
    /// If the game has no trainable evaluation.
    pub fn new(depth: u8, seed: u64, mobility: bool, setup: &Setup) -> Result<Players> {
        let options = setup.options()?;
        let weights = options.settings.weights.as_ref();
        Ok(match options.game {
            // Only the first generation plays by mobility: one copy of the search, the portable one, is enough.
            Othello::NAME if mobility => Players::of(depth, seed, 0, || {
                ReversiPolicy::<Eight, _, _>::new(Mobility, Portable::token(), Some(Draft::FULL))
            }),
            Othello::NAME => {
                let evaluator = OthelloEvaluator::chosen(weights);
                with_isa!(options.kernel, isa => Players::of(depth, seed, evaluator.id(), move || {
                    ReversiPolicy::<Eight, _, _>::new(evaluator.clone(), isa, Some(Draft::FULL))
                }))
            }
            ScoreFour::NAME => {
                ensure!(
                    !mobility,
                    "--mobility does not apply to Score Four: use --option \
                     EvalFile=src/games/score_four/eval/plain.txt"
                );
                let evaluator = ScoreFourEvaluator::chosen(weights);
                with_isa!(options.kernel, isa => Players::of(depth, seed, evaluator.id(), move || {
                    ScoreFourPolicy::new(evaluator.clone(), isa, None)
                }))
            }
            other => bail!("{other} has no trainable evaluation: expected {} or {}", Othello::NAME, ScoreFour::NAME),
        })
    }

    /// The players with this policy; `weights` is the checksum of its evaluation.
    fn of<P: Policy<Game: TrainingGame> + 'static>(
        depth: u8,
        seed: u64,
        weights: u64,
        policy: impl Fn() -> P + Sync + 'static,
    ) -> Players {
        let player = move || -> Play {
            let mut player = SelfPlayer::new(policy(), depth);
            Box::new(move |number| player.play_game(seed, number))
        };
        let header = GameFileHeader { game: P::Game::NUMBER, seed, weights, depth };
        Players { game: P::Game::NAME, header, player: Box::new(player) }
    }
}

/// Plays on all threads, with one player each, and writes the games.
pub fn run(args: &SelfplayArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let players = Players::new(args.depth, args.seed, args.mobility, setup)?;
    check_output("--out", &args.out, [])?;
    let mut writer = GameFileWriter::open(&args.out, players.header, args.games)?;
    let bar = ProgressLine::bar(args.games, "games");
    bar.begin_at(writer.games);
    let (first, first_position, started) = (writer.games, writer.positions, Instant::now());
    let progress = |writer: &GameFileWriter, out: &mut dyn Write| -> Result<()> {
        let rate = |now: u64, before: u64| (now - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
        let GameFileWriter { games, positions, .. } = *writer;
        writeln!(
            out,
            "{games} of {} games, {positions} positions; {:.0} games/s, {:.0} positions/s",
            args.games,
            rate(games, first),
            rate(positions, first_position)
        )?;
        Ok(out.flush()?)
    };
    let (mut nodes, mut last_progress) = ([0; 2], started);
    let interrupt = interrupt::channel()?;
    let runner = JobRunner { threads: args.threads.into(), in_order: true, interrupt: &interrupt };
    runner.run(
        first..args.games,
        |_| (players.player)(),
        || (),
        |game| {
            let Some(game) = game else { return Ok(()) };
            writer.append(&game.records)?;
            bar.inc();
            nodes = [nodes[0] + game.nodes[0], nodes[1] + game.nodes[1]];
            if bar.is_hidden() && last_progress.elapsed() >= PROGRESS_INTERVAL {
                last_progress = Instant::now();
                progress(&writer, out)?;
            }
            Ok(())
        },
    )?;
    progress(&writer, out)?;
    if writer.games < args.games {
        return interrupted(out);
    }
    let games = (writer.games - first).max(1) as f64;
    let [search, solver] = nodes.map(|nodes| nodes as f64 / games / 1e3);
    writeln!(out, "per game: {search:.1} k search nodes, {solver:.1} k solver nodes")?;
    Ok(ExitCode::SUCCESS)
}
