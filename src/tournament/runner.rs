//! A whole tournament: workers that play the games of the schedule, one record of what they bring, a stop when a test is
//! decided or the user wants it.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::adjudicate::{DrawRule, ResignRule};
use super::openings::{Opening, OpeningsSpec};
use super::play::{Played, Rules, Seat, play};
use super::player::{Abort, Patience, StartError};
use super::process::available_cores;
use super::record::{GAMES, Recorder, rewrite};
use super::schedule::{Format, Schedule};
use super::spec::EngineSpec;
use super::standings::Standings;
use super::statistics::{Sprt, Verdict};

/// The name of the file that holds the configuration.
pub const CONFIG: &str = "tournament.json";

/// Everything that decides what is played: saved, so that a tournament can be resumed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game's name.
    pub game: String,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Which pairings a round has.
    pub format: Format,
    /// How many engines a gauntlet has at its head.
    pub seeds: usize,
    /// Rounds: pairs of games per pairing.
    pub rounds: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// Where games begin.
    pub openings: OpeningsSpec,
    /// What chance decides, decides this.
    pub seed: u64,
    /// A test that may end the tournament.
    pub sprt: Option<Sprt>,
    /// Whether engines that die are started again.
    pub recover: bool,
    /// Resigning for the engines.
    pub resign: Option<ResignRule>,
    /// Agreeing draws for the engines.
    pub draw: Option<DrawRule>,
    /// From how many empty squares on games of discs are solved.
    #[serde(default)]
    pub exact: Option<u8>,
    /// How long an answer may take, in milliseconds.
    pub stall_ms: u64,
    /// How long a search without a clock may be silent, in milliseconds.
    pub think_ms: u64,
    /// Whether games are kept on cores of their own; `None`: where there are enough for several games at once.
    pub affinity: Option<bool>,
    /// The folder the tournament was started in: commands are meant from there.
    pub directory: PathBuf,
}

impl Config {
    /// Reads the configuration of a folder.
    ///
    /// # Errors
    /// If there is none that can be read.
    pub fn load(folder: &Path) -> Result<Config> {
        let path = folder.join(CONFIG);
        let text = fs::read_to_string(&path).with_context(|| format!("no tournament in {}", folder.display()))?;
        let saved: Saved = serde_json::from_str(&text).with_context(|| format!("file {}", path.display()))?;
        Ok(saved.config)
    }

    /// All games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.format, self.engines.len(), self.seeds, self.rounds)
    }

    fn check(&self) -> Result<()> {
        ensure!(self.sprt.is_none() || self.engines.len() == 2, "--sprt needs exactly two engines");
        ensure!(self.concurrency > 0, "--concurrency must be 1 or more");
        ensure!(self.schedule().games() > 0, "a tournament needs two engines and one round at least");
        Ok(())
    }
}

/// The configuration as saved: with the openings themselves, for their file may change.
#[derive(Serialize, Deserialize)]
struct Saved {
    config: Config,
    openings: Vec<Opening>,
}

/// How a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games are played.
    Complete,
    /// The sequential test is decided.
    Decided,
    /// The user stopped it.
    Interrupted,
}

/// A tournament with its record open.
pub struct Tournament {
    config: Config,
    schedule: Schedule,
    openings: Vec<Opening>,
    recorder: Recorder,
    standings: Standings,
    done: Vec<u64>,
}

/// The runner's own times, in microseconds.
#[derive(Default)]
struct OwnTimes {
    overheads: Vec<u64>,
    lateness: Vec<u64>,
}

enum Message {
    Finished(Box<Played>),
    CannotStart(StartError),
}

impl Tournament {
    /// Begins a tournament in a folder that holds none yet.
    ///
    /// # Errors
    /// If there is one already, the configuration makes no sense, or files cannot be read or written.
    pub fn begin(config: Config, folder: &Path) -> Result<Tournament> {
        ensure!(
            !folder.join(CONFIG).exists() && !folder.join(GAMES).exists(),
            "{} holds a tournament already: go on with --resume {0}, or choose another --out",
            folder.display()
        );
        config.check()?;
        let openings = config.openings.load(&config.game, config.seed, config.rounds)?;
        fs::create_dir_all(folder).with_context(|| format!("folder {}", folder.display()))?;
        let saved = Saved { config, openings };
        rewrite(&folder.join(CONFIG), [serde_json::to_string_pretty(&saved)? + "\n"].into_iter())?;
        Tournament::open(saved, folder)
    }

    /// Goes on with the tournament of a folder.
    ///
    /// # Errors
    /// If there is none, or its files cannot be read or written.
    pub fn resume(folder: &Path, concurrency: Option<usize>) -> Result<Tournament> {
        let path = folder.join(CONFIG);
        let text = fs::read_to_string(&path).with_context(|| format!("no tournament in {}", folder.display()))?;
        let mut saved: Saved = serde_json::from_str(&text).with_context(|| format!("file {}", path.display()))?;
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

    fn open(saved: Saved, folder: &Path) -> Result<Tournament> {
        let Saved { config, openings } = saved;
        config.check()?;
        ensure!(!openings.is_empty(), "there are no openings");
        let schedule = config.schedule();
        let (recorder, games) = Recorder::open(folder, &config.game)?;
        let mut standings = Standings::new(config.engines.iter().map(|engine| engine.name.clone()).collect());
        games.iter().for_each(|game| standings.add(game));
        let done = games.iter().map(|game| game.game).collect();
        Ok(Tournament { config, schedule, openings, recorder, standings, done })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where its record lies.
    pub fn folder(&self) -> &Path {
        self.recorder.folder()
    }

    /// The table.
    pub fn standings(&self) -> &Standings {
        &self.standings
    }

    fn is_decided(&self) -> bool {
        self.config
            .sprt
            .is_some_and(|sprt| sprt.judge(&self.standings.meeting(0, 1).pairs.sample()).1 != Verdict::Continue)
    }

    /// Plays what is left to be played, and writes the results to `out`.
    ///
    /// # Errors
    /// If an engine cannot start, or the record cannot be written.
    pub fn run(&mut self, interrupt: &Receiver<()>, out: &mut dyn Write) -> Result<Ending> {
        let mut left: Vec<u64> = (1..=self.schedule.games()).filter(|game| !self.done.contains(game)).collect();
        left.reverse();
        self.write_heading(left.len() as u64, out)?;
        let mut times = OwnTimes::default();
        let decided = self.is_decided();
        let ending = if decided || left.is_empty() {
            if decided { Ending::Decided } else { Ending::Complete }
        } else {
            self.play_all(left, interrupt, &mut times)?
        };
        writeln!(out)?;
        self.standings.write(out, self.config.sprt.as_ref())?;
        self.write_notes(out)?;
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
        self.write_notes(out)?;
        writeln!(out, "record: {}", self.recorder.folder().join(GAMES).display())?;
        let rounds = config.rounds;
        if (self.openings.len() as u64) < rounds {
            writeln!(out, "note: {} openings for {rounds} rounds, so openings come again", self.openings.len())?;
        }
        if self.cores(0).is_none() && config.concurrency > 1 && config.affinity != Some(false) {
            writeln!(out, "note: not enough cores to keep every game on its own")?;
        }
        Ok(out.flush()?)
    }

    /// Which limits engines are not told, a line for each engine.
    fn write_notes(&self, out: &mut dyn Write) -> io::Result<()> {
        self.config.engines.iter().filter_map(EngineSpec::note).try_for_each(|note| writeln!(out, "{note}"))
    }

    /// The cores of the two engines of a worker, if games are to be kept apart and there are enough.
    fn cores(&self, worker: usize) -> Option<[Vec<usize>; 2]> {
        let wanted = self.config.affinity.unwrap_or(self.config.concurrency > 1);
        let threads = self.config.engines.iter().map(EngineSpec::threads).max().unwrap_or(1);
        let cores = available_cores();
        let games = self.config.concurrency;
        if !wanted || cores.len() < games * threads {
            return None;
        }
        // Engines never think at once, so the two of a game may share; they need not where there are enough.
        let each = if cores.len() >= 2 * games * threads { 2 * threads } else { threads };
        let own = cores.get(worker * each..(worker + 1) * each)?;
        Some([own[..threads].to_vec(), own[each - threads..].to_vec()])
    }

    fn play_all(&mut self, left: Vec<u64>, interrupt: &Receiver<()>, times: &mut OwnTimes) -> Result<Ending> {
        let progress = Progress::new(self.schedule.games(), self.done.len() as u64);
        let (messages, inbox) = unbounded();
        let (stopper, stop) = crossbeam_channel::bounded::<()>(0);
        let queue = Mutex::new(left);
        let config = self.config.clone();
        let rules = Rules {
            game: config.game.clone(),
            recover: config.recover,
            resign: config.resign,
            draw: config.draw,
            exact: config.exact,
            patience: Patience::new(Duration::from_millis(config.stall_ms), Duration::from_millis(config.think_ms)),
        };
        let (schedule, openings) = (self.schedule.clone(), self.openings.clone());
        let workers = config.concurrency.min(queue.lock().map_or(1, |queue| queue.len())).max(1);
        thread::scope(|scope| {
            for index in 0..workers {
                let worker = Worker {
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

    /// Takes what the workers bring until they are all gone.
    fn collect(
        &mut self,
        inbox: &Receiver<Message>,
        interrupt: &Receiver<()>,
        stopper: Sender<()>,
        progress: &Progress,
        times: &mut OwnTimes,
    ) -> Result<Ending> {
        let mut stopper = Some(stopper);
        let mut ending = Ending::Complete;
        let mut failure = None;
        let never = crossbeam_channel::never();
        loop {
            // Once everything stops, an interrupt has nothing more to say.
            let interrupt = if stopper.is_some() { interrupt } else { &never };
            select! {
                recv(inbox) -> message => match message {
                    Err(_) => break,
                    Ok(Message::Finished(played)) => {
                        if let Err(error) = self.take(*played, times) {
                            failure.get_or_insert(error);
                            stopper = None;
                            continue;
                        }
                        progress.show(&self.standings, self.config.sprt.as_ref());
                        if self.is_decided() && stopper.take().is_some() {
                            ending = Ending::Decided;
                        }
                    }
                    Ok(Message::CannotStart(error)) => {
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
        // A test may have been decided while the last games ran, and the last game may have ended when the user stopped.
        if self.done.len() as u64 == self.schedule.games() {
            ending = Ending::Complete;
        }
        failure.map_or(Ok(ending), Err)
    }

    fn take(&mut self, played: Played, times: &mut OwnTimes) -> Result<()> {
        let Played { mut record, log, overheads, lateness } = played;
        self.recorder.write(&mut record, log.as_deref())?;
        self.standings.add(&record);
        self.done.push(record.game);
        times.overheads.extend(overheads.iter().map(|time| time.as_micros() as u64));
        times.lateness.extend(lateness.iter().map(|time| time.as_micros() as u64));
        Ok(())
    }
}

/// One thread that plays games one after the other.
struct Worker<'a> {
    rules: &'a Rules,
    schedule: &'a Schedule,
    openings: &'a [Opening],
    /// The numbers of the games to play, the next one last.
    queue: &'a Mutex<Vec<u64>>,
    stop: Receiver<()>,
    messages: Sender<Message>,
}

impl Worker<'_> {
    fn run(self, engines: &[EngineSpec], cores: Option<[Vec<usize>; 2]>) {
        let mut seats: Vec<Option<Seat>> = engines.iter().map(|_| None).collect();
        while let Some(game) = self.next() {
            let Some(assignment) = self.schedule.assignment(game) else { continue };
            let (first, second) = (assignment.first, assignment.second);
            // Engines that do not play now give back their memory.
            for (index, seat) in seats.iter_mut().enumerate() {
                if index != first
                    && index != second
                    && let Some(mut seat) = seat.take()
                {
                    seat.vacate();
                }
            }
            let seat_of = |engine: usize, place: usize| {
                let own = cores.as_ref().map(|cores| cores[place].clone());
                Seat::new(engines[engine].clone(), own, self.stop.clone())
            };
            let mut a = seats[first].take().unwrap_or_else(|| seat_of(first, usize::from(first > second)));
            let mut b = seats[second].take().unwrap_or_else(|| seat_of(second, usize::from(second > first)));
            let opening = &self.openings[((assignment.round - 1) % self.openings.len() as u64) as usize];
            let message = match play(self.rules, &assignment, opening, &mut a, &mut b) {
                Ok(played) => Message::Finished(Box::new(played)),
                Err(Abort::CannotStart(error)) => Message::CannotStart(error),
                Err(Abort::Interrupted) => return,
            };
            (seats[first], seats[second]) = (Some(a), Some(b));
            if self.messages.send(message).is_err() {
                return;
            }
        }
        seats.iter_mut().flatten().for_each(Seat::vacate);
    }

    /// The next game, unless everything stops.
    fn next(&self) -> Option<u64> {
        if matches!(self.stop.try_recv(), Err(crossbeam_channel::TryRecvError::Disconnected)) {
            return None;
        }
        self.queue.lock().ok()?.pop()
    }
}

impl OwnTimes {
    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for (name, times) in [
            ("runner's own time per move", &mut self.overheads),
            ("runner's lateness in looking at an answer", &mut self.lateness),
        ] {
            times.sort_unstable();
            let Some(&greatest) = times.last() else { continue };
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] as f64 / 1e3;
            writeln!(
                out,
                "{name}: median {:.3} ms, 99 % below {:.3} ms, greatest {:.3} ms ({} moves)",
                at(0.5),
                at(0.99),
                greatest as f64 / 1e3,
                times.len()
            )?;
        }
        Ok(())
    }
}

/// One live line on a terminal; now and then a line elsewhere.
struct Progress {
    bar: ProgressBar,
    total: u64,
    terminal: bool,
}

impl Progress {
    fn new(total: u64, done: u64) -> Progress {
        let terminal = io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new(total) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{elapsed_precise}, {eta} left] {msg}") {
            bar.set_style(style);
        }
        bar.set_position(done);
        bar.reset_eta();
        Progress { bar, total, terminal }
    }

    fn show(&self, standings: &Standings, sprt: Option<&Sprt>) {
        let games = standings.games();
        if self.terminal {
            self.bar.set_message(standings.line(sprt));
            self.bar.set_position(games);
        } else if games.is_multiple_of((self.total / 20).max(1)) {
            // A reader that is gone is no reason to stop.
            let _ = writeln!(io::stderr(), "{games}/{} {}", self.total, standings.line(sprt));
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
