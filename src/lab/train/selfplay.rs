//! `nullwindow selfplay`: plays Othello or Score Four from random openings at a fixed depth and writes a record per
//! position.
//!
//! Games are numbered and written in order, so the file is resumable and independent of the number of threads.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::engine::setup::{FAILED, Setup, check_output};
use crate::game::Game as _;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::search::isa::Portable;
use crate::search::isa::with_isa;

use super::game_file::{GameFileHeader, GameFileWriter, PositionRecord, RecordedGame};
use super::othello_selfplay::OthelloSelfPlayer;
use super::score_four_selfplay::ScoreFourSelfPlayer;
use super::self_player::SelfPlayer;
use crate::lab::jobs::JobRunner;

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

/// A generic computation with the players of the selected game.
pub trait SelfPlayVisitor {
    /// The result.
    type Output;
    /// Runs the computation; `weights` is the checksum of the evaluation ([`GameFileHeader::weights`]), and `player`
    /// makes the player of a thread.
    fn visit<P: SelfPlayer>(self, weights: u64, player: impl Fn() -> P + Sync) -> Self::Output;
}

/// Calls the visitor with the players of the selected game, which search to this depth.
///
/// # Errors
/// If the game has no trainable evaluation.
pub fn with_players<V: SelfPlayVisitor>(depth: u8, mobility: bool, setup: &Setup, visitor: V) -> Result<V::Output> {
    let options = setup.options()?;
    let weights = options.settings.weights.as_ref();
    Ok(match options.game {
        // Only the first generation plays by mobility: one copy of the search, the portable one, is enough.
        Othello::NAME if mobility => visitor.visit(0, || OthelloSelfPlayer::new(Mobility, Portable::token(), depth)),
        Othello::NAME => {
            let evaluator = OthelloEvaluator::chosen(weights);
            with_isa!(options.kernel, isa => {
                visitor.visit(evaluator.id(), || OthelloSelfPlayer::new(evaluator.clone(), isa, depth))
            })
        }
        ScoreFour::NAME => {
            ensure!(
                !mobility,
                "--mobility does not apply to Score Four: use --option EvalFile=src/games/score_four/eval/plain.txt"
            );
            let evaluator = scorefour::eval::ScoreFourEvaluator::chosen(weights);
            with_isa!(options.kernel, isa => {
                visitor.visit(evaluator.id(), || ScoreFourSelfPlayer::new(evaluator.clone(), isa, depth))
            })
        }
        other => bail!("{other} has no trainable evaluation: expected {} or {}", Othello::NAME, ScoreFour::NAME),
    })
}

pub fn run(args: &SelfplayArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    with_players(args.depth, args.mobility, setup, SelfplayJob { args, out })?
}

struct SelfplayJob<'a> {
    args: &'a SelfplayArgs,
    out: &'a mut dyn Write,
}

impl SelfPlayVisitor for SelfplayJob<'_> {
    type Output = Result<ExitCode>;

    /// Plays on all threads, with one player each, and writes the games.
    fn visit<P: SelfPlayer>(self, weights: u64, player: impl Fn() -> P + Sync) -> Result<ExitCode> {
        let SelfplayJob { args, out } = self;
        let header = GameFileHeader { game: P::Game::NUMBER, seed: args.seed, weights, depth: args.depth };
        check_output("--out", &args.out, [])?;
        let writer = GameFileWriter::<P::Game>::open(&args.out, header, args.games)?;
        let mut collector = GameCollector::new(writer, args, out);
        let first = collector.writer.games;
        let interrupt = interrupt::channel()?;
        let worker = |_| {
            let mut player = player();
            move |number| player.play_game(args.seed, number)
        };
        let runner = JobRunner { threads: args.threads.into(), in_order: true, interrupt: &interrupt };
        runner.run(first..args.games, worker, || (), |game| game.map_or(Ok(()), |game| collector.add(game)))?;
        collector.finish()
    }
}

/// Writes games in the order of their numbers.
struct GameCollector<'a, G> {
    writer: GameFileWriter<G>,
    args: &'a SelfplayArgs,
    out: &'a mut dyn Write,
    bar: ProgressLine,
    started: Instant,
    last_progress: Instant,
    /// Games and positions in the file before this run.
    before: (u64, u64),
    /// Nodes of the search and of the solver.
    nodes: [u64; 2],
}

impl<'a, G: RecordedGame> GameCollector<'a, G> {
    fn new(writer: GameFileWriter<G>, args: &'a SelfplayArgs, out: &'a mut dyn Write) -> Self {
        let bar = ProgressLine::bar(args.games, "games");
        bar.begin_at(writer.games);
        let before = (writer.games, writer.positions);
        let now = Instant::now();
        GameCollector { writer, args, out, bar, started: now, last_progress: now, before, nodes: [0; 2] }
    }

    /// Adds a game with its node counts.
    fn add(&mut self, (game, visited): (Vec<PositionRecord<G>>, [u64; 2])) -> Result<()> {
        self.writer.append(&game)?;
        self.bar.inc();
        for (sum, visited) in self.nodes.iter_mut().zip(visited) {
            *sum += visited;
        }
        if self.bar.is_hidden() && self.last_progress.elapsed() >= PROGRESS_INTERVAL {
            self.last_progress = Instant::now();
            self.write_progress()?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ExitCode> {
        self.write_progress()?;
        if self.writer.games < self.args.games {
            writeln!(self.out, "interrupted: run the same command to resume")?;
            return Ok(ExitCode::from(FAILED));
        }
        let games = (self.writer.games - self.before.0).max(1) as f64;
        let [search, solver] = self.nodes.map(|nodes| nodes as f64 / games / 1e3);
        writeln!(self.out, "per game: {search:.1} k search nodes, {solver:.1} k solver nodes")?;
        Ok(ExitCode::SUCCESS)
    }

    fn write_progress(&mut self) -> Result<()> {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let (games, positions) = (self.writer.games - self.before.0, self.writer.positions - self.before.1);
        writeln!(
            self.out,
            "{} of {} games, {} positions; {:.0} games/s, {:.0} positions/s",
            self.writer.games,
            self.args.games,
            self.writer.positions,
            games as f64 / seconds,
            positions as f64 / seconds
        )?;
        Ok(self.out.flush()?)
    }
}
