//! `nullwindow selfplay`: games of Othello or Score Four from random openings at a fixed depth, one record per position.
//!
//! Games are numbered; threads take the next number, and the file gets them in order, so it is the same for any number of
//! threads and goes on where it stopped.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use crossbeam_channel::{Sender, TryRecvError, bounded};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::setup::{FAILED, Setup};
use crate::game::Game as _;
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::eval::{EvaluateOn, Learnt};
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::{Eight, Othello};
use crate::games::score_four as scorefour;
use crate::games::score_four::ScoreFour;
use crate::platform::interrupt;
use crate::search::isa::with_isa;
use crate::search::isa::{Isa, Portable};

use super::play::{Player, Plays};
use super::record::{Record, Recorded, Source, Writer};
use super::score_four;

/// Games that may be finished before an earlier one is.
const AHEAD: usize = 1_000;
/// Between two lines of progress where there is no terminal to draw a bar on.
const TELL_EVERY: Duration = Duration::from_secs(30);

/// Arguments of `selfplay`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file of records: begun, or gone on with
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Games that the file shall hold in the end
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    games: u64,

    /// Plies that both sides search
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    depth: u8,

    /// The seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Threads that play
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Play by mobility, as if nothing were learnt yet (default: by the evaluation, see option EvalFile)
    #[arg(long)]
    mobility: bool,
}

/// Plays and writes games until the file holds as many as asked for.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let options = setup.options()?;
    let weights = options.settings.weights.as_ref();
    let job = Job { args, id: 0, out, evaluator: () };
    match options.game {
        // The first player of all plays in the first generation alone: one copy of the loop is enough.
        Othello::NAME if args.mobility => job.by(Mobility, 0).run(Portable::token()),
        Othello::NAME => {
            let evaluator = Learnt::chosen(weights);
            let id = evaluator.id();
            with_isa!(options.kernel, isa => job.by(evaluator, id).run(isa))
        }
        ScoreFour::NAME => {
            ensure!(
                !args.mobility,
                "--mobility: Score Four begins with the weights in src/games/score_four/eval/plain.txt"
            );
            let evaluator = scorefour::eval::Learnt::chosen(weights);
            let id = evaluator.id();
            with_isa!(options.kernel, isa => job.by(evaluator, id).run_score_four(isa))
        }
        other => bail!("{other}: only {} and {} have an evaluation to learn", Othello::NAME, ScoreFour::NAME),
    }
}

/// All that is to be done, to be told its instruction set.
struct Job<'a, E> {
    args: &'a Args,
    /// See [`Source::weights`].
    id: u64,
    out: &'a mut dyn Write,
    evaluator: E,
}

impl<'a, E> Job<'a, E> {
    /// The same with an evaluation and its number.
    fn by<F>(self, evaluator: F, id: u64) -> Job<'a, F> {
        Job { args: self.args, id, out: self.out, evaluator }
    }

    /// Plays, by as many players as there shall be threads, and writes.
    fn play<P: Plays>(self, player: impl Fn(E) -> P + Sync) -> Result<ExitCode>
    where
        E: Clone + Send,
    {
        let Job { args, id: weights, out, evaluator, .. } = self;
        let source = Source { game: P::Game::NUMBER, seed: args.seed, weights, depth: args.depth };
        let writer = Writer::<P::Game>::open(&args.out, source)?;
        let next = AtomicU64::new(writer.games);
        let stop = AtomicBool::new(false);
        let nodes = [const { AtomicU64::new(0) }; 2];
        let (sender, games) = bounded(AHEAD);
        std::thread::scope(|scope| {
            for _ in 0..args.threads {
                let (evaluator, sender) = (evaluator.clone(), sender.clone());
                let (next, stop, nodes, player) = (&next, &stop, &nodes, &player);
                scope.spawn(move || play(player(evaluator), args, next, stop, nodes, &sender));
            }
            drop(sender);
            let result = Keeper::new(writer, args, out).and_then(|keeper| keeper.keep(&games, &nodes));
            stop.store(true, Ordering::Relaxed);
            drop(games);
            result
        })
    }
}

impl<E: EvaluateOn<Eight>> Job<'_, E> {
    /// Plays Othello with these kernels.
    fn run<K: Kernels>(self, kernel: K) -> Result<ExitCode> {
        let depth = self.args.depth;
        self.play(|evaluator| Player::new(evaluator, kernel, depth))
    }
}

impl Job<'_, scorefour::eval::Learnt> {
    /// Plays Score Four on this instruction set.
    fn run_score_four<I: Isa>(self, isa: I) -> Result<ExitCode> {
        let depth = self.args.depth;
        self.play(|evaluator| score_four::play::Player::new(evaluator, isa, depth))
    }
}

/// A numbered game.
type Numbered<G> = (u64, Vec<Record<G>>);

/// Plays one game after the other until there are enough or nobody wants them any more.
fn play<P: Plays>(
    mut player: P,
    args: &Args,
    next: &AtomicU64,
    stop: &AtomicBool,
    nodes: &[AtomicU64; 2],
    games: &Sender<Numbered<P::Game>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= args.games {
            return;
        }
        let (game, visited) = player.game(args.seed, number);
        for (sum, visited) in nodes.iter().zip(visited) {
            sum.fetch_add(visited, Ordering::Relaxed);
        }
        if games.send((number, game)).is_err() {
            return;
        }
    }
}

/// Takes games as they come and writes them in order.
struct Keeper<'a, G> {
    writer: Writer<G>,
    args: &'a Args,
    out: &'a mut dyn Write,
    bar: ProgressBar,
    started: Instant,
    /// Games and positions that the file held before.
    before: (u64, u64),
}

impl<'a, G: Recorded> Keeper<'a, G> {
    fn new(writer: Writer<G>, args: &'a Args, out: &'a mut dyn Write) -> Result<Self> {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {eta}")?;
        let bar = ProgressBar::with_draw_target(Some(args.games), target).with_style(style);
        bar.set_position(writer.games);
        bar.reset_eta();
        let before = (writer.games, writer.positions);
        Ok(Keeper { writer, args, out, bar, started: Instant::now(), before })
    }

    fn keep(mut self, games: &crossbeam_channel::Receiver<Numbered<G>>, nodes: &[AtomicU64; 2]) -> Result<ExitCode> {
        let interrupted = interrupt::channel()?;
        let mut waiting = BTreeMap::new();
        let mut told = Instant::now();
        for (finished, game) in games {
            waiting.insert(finished, game);
            while let Some(game) = waiting.remove(&self.writer.games) {
                self.writer.append(&game)?;
                self.bar.inc(1);
            }
            if interrupted.try_recv() == Err(TryRecvError::Disconnected) {
                self.tell()?;
                writeln!(self.out, "interrupted: the same command goes on")?;
                return Ok(ExitCode::from(FAILED));
            }
            if self.bar.is_hidden() && told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                self.tell()?;
            }
        }
        self.bar.finish_and_clear();
        self.tell()?;
        let games = (self.writer.games - self.before.0).max(1) as f64;
        let [search, solver] = [0, 1].map(|i| nodes[i].load(Ordering::Relaxed) as f64 / games / 1e3);
        writeln!(self.out, "{search:.1} k nodes a game searched, {solver:.1} k solved")?;
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&mut self) -> Result<()> {
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
