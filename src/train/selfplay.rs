//! `nullwindow selfplay`: plays Othello or Score Four from random openings at a fixed depth and writes a record per
//! position.
//!
//! Games are numbered and written in order, so the file is resumable and independent of the number of threads.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use crossbeam_channel::{Sender, TryRecvError, bounded};

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

/// The maximum number of finished games in the queue of the writer.
const QUEUED_GAMES: usize = 1_000;
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
        let next = AtomicU64::new(writer.games);
        let stop = AtomicBool::new(false);
        let nodes = [const { AtomicU64::new(0) }; 2];
        let (sender, games) = bounded(QUEUED_GAMES);
        std::thread::scope(|scope| {
            for _ in 0..args.threads {
                let sender = sender.clone();
                let (next, stop, nodes, player) = (&next, &stop, &nodes, &player);
                scope.spawn(move || play_games(player(), args, next, stop, nodes, &sender));
            }
            drop(sender);
            let result = GameCollector::new(writer, args, out).and_then(|collector| collector.run(&games, &nodes));
            stop.store(true, Ordering::Relaxed);
            drop(games);
            result
        })
    }
}

/// A game and its number.
type NumberedGame<G> = (u64, Vec<PositionRecord<G>>);

/// Plays games on one thread until all games are taken or the receiver is dropped.
fn play_games<P: SelfPlayer>(
    mut player: P,
    args: &SelfplayArgs,
    next: &AtomicU64,
    stop: &AtomicBool,
    nodes: &[AtomicU64; 2],
    games: &Sender<NumberedGame<P::Game>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= args.games {
            return;
        }
        let (game, visited) = player.play_game(args.seed, number);
        for (sum, visited) in nodes.iter().zip(visited) {
            sum.fetch_add(visited, Ordering::Relaxed);
        }
        if games.send((number, game)).is_err() {
            return;
        }
    }
}

/// Receives games in any order and writes them in the order of their numbers.
struct GameCollector<'a, G> {
    writer: GameFileWriter<G>,
    args: &'a SelfplayArgs,
    out: &'a mut dyn Write,
    bar: ProgressLine,
    started: Instant,
    /// Games and positions in the file before this run.
    before: (u64, u64),
}

impl<'a, G: RecordedGame> GameCollector<'a, G> {
    fn new(writer: GameFileWriter<G>, args: &'a SelfplayArgs, out: &'a mut dyn Write) -> Result<Self> {
        let bar = ProgressLine::bar(args.games, "games");
        bar.begin_at(writer.games);
        let before = (writer.games, writer.positions);
        Ok(GameCollector { writer, args, out, bar, started: Instant::now(), before })
    }

    fn run(mut self, games: &crossbeam_channel::Receiver<NumberedGame<G>>, nodes: &[AtomicU64; 2]) -> Result<ExitCode> {
        let interrupted = interrupt::channel()?;
        let mut waiting = BTreeMap::new();
        let mut last_progress = Instant::now();
        for (finished, game) in games {
            waiting.insert(finished, game);
            while let Some(game) = waiting.remove(&self.writer.games) {
                self.writer.append(&game)?;
                self.bar.inc();
            }
            if interrupted.try_recv() == Err(TryRecvError::Disconnected) {
                self.write_progress()?;
                writeln!(self.out, "interrupted: run the same command to resume")?;
                return Ok(ExitCode::from(FAILED));
            }
            if self.bar.is_hidden() && last_progress.elapsed() >= PROGRESS_INTERVAL {
                last_progress = Instant::now();
                self.write_progress()?;
            }
        }
        self.write_progress()?;
        let games = (self.writer.games - self.before.0).max(1) as f64;
        let [search, solver] = [0, 1].map(|i| nodes[i].load(Ordering::Relaxed) as f64 / games / 1e3);
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
