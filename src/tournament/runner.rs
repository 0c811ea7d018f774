//! A tournament: worker threads play the scheduled games; the runner records the results and stops when a sequential
//! test is decided or the user interrupts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};
use crossbeam_channel::{Receiver, Sender, select, unbounded};

use super::config::{CONFIG, SavedConfig, TournamentConfig};
use super::elo::SprtVerdict;
use super::engine_session::Abort;
use super::engine_spec::EngineSpec;
use super::game_worker::{GameWorker, WorkerMessage};
use super::match_game::FinishedGame;
use super::opening_list::Opening;
use super::option_check::option_problems;
use super::pairings::GameSchedule;
use super::progress::{ProgressDisplay, RunnerTimes};
use super::record_files::{GAMES, RecordFiles, replace_file};
use super::standings::Standings;
use super::standings_text::write_standings;
use crate::platform::affinity::available_cores;

/// How a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games were played.
    Complete,
    /// The sequential test was decided.
    Decided,
    /// The user interrupted it.
    Interrupted,
}

/// Checks a configuration and its engines, and loads its openings; `None` if that is interrupted.
///
/// # Errors
/// If the configuration is inconsistent, an engine cannot start or does not list an option that is set, or the openings
/// cannot be read.
pub fn prepare(mut config: TournamentConfig, interrupt: &Receiver<()>) -> Result<Option<SavedConfig>> {
    config.check()?;
    let openings = config.openings.load(&config.game, config.seed, config.rounds)?;
    let problems = match option_problems(&config.engines, config.timeouts(), interrupt) {
        Ok(problems) => problems,
        Err(Abort::Interrupted) => return Ok(None),
        Err(Abort::CannotStart(error)) => return Err(error.into()),
    };
    if config.lenient {
        config.option_warnings = problems.iter().map(|problem| format!("warning: {problem}")).collect();
        // A closed standard error does not stop the tournament.
        config.option_warnings.iter().for_each(|warning| drop(writeln!(io::stderr(), "{warning}")));
    } else if !problems.is_empty() {
        bail!("{}\n(with --lenient this is a warning)", problems.join("\n"));
    }
    Ok(Some(SavedConfig { config, openings }))
}

/// A tournament with its record files open.
pub struct Tournament {
    config: TournamentConfig,
    schedule: GameSchedule,
    openings: Vec<Opening>,
    files: RecordFiles,
    standings: Standings,
    done: Vec<u64>,
}

impl Tournament {
    /// Starts a tournament in a folder without one; `None` if it is interrupted before that.
    ///
    /// # Errors
    /// If the folder has a tournament, the configuration is inconsistent, an engine cannot start or does not list an
    /// option that is set, or files cannot be read or written.
    pub fn begin(config: TournamentConfig, folder: &Path, interrupt: &Receiver<()>) -> Result<Option<Tournament>> {
        ensure!(
            !folder.join(CONFIG).exists() && !folder.join(GAMES).exists(),
            "{} already contains a tournament: continue it with --resume {0}, or choose another --out",
            folder.display()
        );
        let Some(saved) = prepare(config, interrupt)? else { return Ok(None) };
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        replace_file(&folder.join(CONFIG), [serde_json::to_string_pretty(&saved)? + "\n"].into_iter())?;
        Tournament::open(saved, folder).map(Some)
    }

    /// Resumes the tournament in a folder.
    ///
    /// # Errors
    /// If there is none, or its files cannot be read or written.
    pub fn resume(folder: &Path, concurrency: Option<usize>) -> Result<Tournament> {
        let mut saved = SavedConfig::load(folder)?;
        if let Some(concurrency) = concurrency {
            saved.config.concurrency = concurrency;
        }
        if std::env::current_dir().is_ok_and(|here| here != saved.config.directory) {
            for engine in &mut saved.config.engines {
                engine.directory = Some(match &engine.directory {
                    Some(directory) => saved.config.directory.join(directory),
                    None => saved.config.directory.clone(),
                });
            }
        }
        Tournament::open(saved, folder)
    }

    fn open(saved: SavedConfig, folder: &Path) -> Result<Tournament> {
        let SavedConfig { config, openings } = saved;
        config.check()?;
        ensure!(!openings.is_empty(), "there are no openings");
        let schedule = config.schedule();
        let (files, games) = RecordFiles::open(folder, &config.game)?;
        let mut standings = Standings::new(config.engines.iter().map(|engine| engine.name.clone()).collect());
        games.iter().for_each(|game| standings.add(game));
        let done = games.iter().map(|game| game.game).collect();
        Ok(Tournament { config, schedule, openings, files, standings, done })
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        self.files.folder()
    }

    fn is_decided(&self) -> bool {
        self.config
            .sprt
            .is_some_and(|sprt| sprt.test(&self.standings.match_score(0, 1).pairs.sample()).1 != SprtVerdict::Continue)
    }

    /// Plays the remaining games and writes the results to `out`.
    ///
    /// # Errors
    /// If an engine cannot start, or the record cannot be written.
    pub fn run(&mut self, interrupt: &Receiver<()>, out: &mut dyn Write) -> Result<Ending> {
        let mut left: Vec<u64> = (1..=self.schedule.games()).filter(|game| !self.done.contains(game)).collect();
        left.reverse();
        self.write_heading(left.len() as u64, out)?;
        let mut times = RunnerTimes::default();
        let decided = self.is_decided();
        let ending = if decided || left.is_empty() {
            if decided { Ending::Decided } else { Ending::Complete }
        } else {
            self.play_all(left, interrupt, &mut times)?
        };
        writeln!(out)?;
        write_standings(&self.standings, self.config.sprt.as_ref(), out)?;
        self.config.notes().try_for_each(|note| writeln!(out, "{note}"))?;
        times.write(out)?;
        out.flush()?;
        Ok(ending)
    }

    fn write_heading(&self, left: u64, out: &mut dyn Write) -> Result<()> {
        let config = &self.config;
        writeln!(out, "{}: {} games, {left} to play, seed {}", config.game, self.schedule.games(), config.seed)?;
        for engine in &config.engines {
            writeln!(
                out,
                "  {} ({}, {}): {}",
                engine.name,
                engine.protocol.name(),
                engine.limits(),
                engine.command_line()
            )?;
        }
        config.engines.iter().filter_map(EngineSpec::note).try_for_each(|note| writeln!(out, "{note}"))?;
        writeln!(out, "record: {}", self.files.folder().join(GAMES).display())?;
        let rounds = config.rounds;
        if (self.openings.len() as u64) < rounds {
            writeln!(out, "note: {} openings for {rounds} rounds, so openings are repeated", self.openings.len())?;
        }
        if available_cores().is_none() && config.affinity == Some(true) {
            writeln!(out, "note: --affinity has no effect, this system cannot bind processes to cores")?;
        } else if self.cores(0).is_none() && config.concurrency > 1 && config.affinity != Some(false) {
            writeln!(out, "note: not enough cores to give each game its own")?;
        }
        Ok(out.flush()?)
    }

    /// The cores of the two engines of a worker, if each game is to have its own and there are enough.
    fn cores(&self, worker: usize) -> Option<[Vec<usize>; 2]> {
        let wanted = self.config.affinity.unwrap_or(self.config.concurrency > 1);
        let ponders = self.config.engines.iter().any(|engine| engine.ponder);
        let threads = self.config.engines.iter().map(EngineSpec::threads).max().unwrap_or(1);
        let cores = available_cores()?;
        let games = self.config.concurrency;
        let apart = cores.len() >= 2 * games * threads;
        if !wanted || cores.len() < games * threads || ponders && !apart {
            return None;
        }
        // Without pondering the two engines of a game never search at the same time: they may share cores if there are
        // few.
        let each = if apart { 2 * threads } else { threads };
        let own = cores.get(worker * each..(worker + 1) * each)?;
        Some([own[..threads].to_vec(), own[each - threads..].to_vec()])
    }

    fn play_all(&mut self, left: Vec<u64>, interrupt: &Receiver<()>, times: &mut RunnerTimes) -> Result<Ending> {
        let progress = ProgressDisplay::new(self.schedule.games(), self.done.len() as u64);
        let (messages, inbox) = unbounded();
        let (stopper, stop) = crossbeam_channel::bounded::<()>(0);
        let queue = Mutex::new(left);
        let config = self.config.clone();
        let rules = config.rules();
        let (schedule, openings) = (self.schedule.clone(), self.openings.clone());
        let workers = config.concurrency.min(queue.lock().map_or(1, |queue| queue.len())).max(1);
        thread::scope(|scope| {
            for index in 0..workers {
                let worker = GameWorker {
                    rules: &rules,
                    schedule: &schedule,
                    openings: &openings,
                    queue: &queue,
                    stop: stop.clone(),
                    messages: messages.clone(),
                };
                let cores = self.cores(index);
                let engines = &config.engines;
                thread::Builder::new()
                    .name(format!("worker {index}"))
                    .spawn_scoped(scope, move || worker.run(engines, cores))
                    .context("a worker thread")?;
            }
            drop(messages);
            self.collect(&inbox, interrupt, stopper, &progress, times)
        })
    }

    /// Receives the workers' results until all workers have ended.
    fn collect(
        &mut self,
        inbox: &Receiver<WorkerMessage>,
        interrupt: &Receiver<()>,
        stopper: Sender<()>,
        progress: &ProgressDisplay,
        times: &mut RunnerTimes,
    ) -> Result<Ending> {
        let mut stopper = Some(stopper);
        let mut ending = Ending::Complete;
        let mut failure = None;
        let never = crossbeam_channel::never();
        loop {
            // Once the tournament stops, further interrupts are ignored.
            let interrupt = if stopper.is_some() { interrupt } else { &never };
            select! {
                recv(inbox) -> message => match message {
                    Err(_) => break,
                    Ok(WorkerMessage::Finished(game)) => {
                        if let Err(error) = self.record(*game, times) {
                            failure.get_or_insert(error);
                            stopper = None;
                            continue;
                        }
                        progress.show(&self.standings, self.config.sprt.as_ref());
                        if self.is_decided() && stopper.take().is_some() {
                            ending = Ending::Decided;
                        }
                    }
                    Ok(WorkerMessage::CannotStart(error)) => {
                        failure.get_or_insert(anyhow!(error));
                        stopper = None;
                    }
                },
                recv(interrupt) -> _ => {
                    stopper = None;
                    ending = Ending::Interrupted;
                }
            }
        }
        progress.finish();
        // The test or the interrupt may coincide with the end of the last game.
        if self.done.len() as u64 == self.schedule.games() {
            ending = Ending::Complete;
        }
        failure.map_or(Ok(ending), Err)
    }

    fn record(&mut self, game: FinishedGame, times: &mut RunnerTimes) -> Result<()> {
        let FinishedGame { mut record, log, overheads, lateness } = game;
        self.files.write(&mut record, log.as_deref())?;
        self.standings.add(&record);
        self.done.push(record.game);
        times.add(&overheads, &lateness);
        Ok(())
    }
}
