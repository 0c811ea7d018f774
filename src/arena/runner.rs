//! Runs a tournament: validates it and starts each engine once before anything is written, so that
//! a mistake leaves no folder behind; workers play the scheduled games; the runner records them and
//! stops when the SPRT is decided.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, thread};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::config::engine_spec::EngineSpec;
use super::config::openings::RoundOpenings;
use super::config::usage_error::UsageError;
use super::config::{Affinity, CONFIG, SavedConfig, TournamentConfig};
use super::play::game::FinishedGame;
use super::play::match_log::{LogLevel, MatchLog};
use super::play::option_check::check_engines;
use super::play::runner_times::RunTimes;
use super::play::session::RunContext;
use super::play::start_error::StartError;
use super::play::worker::{WorkerCores, play_games};
use super::report::json::Results;
use super::report::text::{ProgressDisplay, game_line, settings_text, standings_text};
use super::results::files::{EarlierAttempts, GAMES, PlyJournal, RecordFiles, recorded};
use super::results::match_plan::{
    EventKind, HISTORY, HistoryEvent, PlanReview, changed_files, hash_files,
};
use super::results::record::{AtPly, GameRecord};
use super::results::record_check;
use super::results::standings::Standings;
use super::rules::clock::TimeControl;
use crate::game::{counted, printable};
use crate::logging::date;
use crate::logging::progress::print_line;
use crate::platform::child_process::available_cores;
use crate::platform::files;
use crate::storage::checksum;
use crate::storage::json_lines::REMEDY;
use crate::storage::record_lock::RecordLock;
use crate::storage::whole_file::replace_file;

/// What is reported while a tournament runs, and what interrupts it.
pub struct Reporting {
    /// Interrupts by the user.
    pub interrupt: Receiver<()>,
    /// The log (`--log`).
    pub log: Option<MatchLog>,
    /// The number of games between two standings (`--ratinginterval`).
    pub rating_interval: Option<u64>,
    /// Whether the runner's own times, latencies and the history of the plan are printed
    /// (`--show-latency`).
    pub shows_latency: bool,
}

impl Reporting {
    /// The context of engines; disconnecting `stop` ends their run.
    fn context(&self, config: &TournamentConfig, stop: &Receiver<()>) -> RunContext {
        RunContext {
            log: self.log.clone(),
            ..RunContext::of(config, stop)
        }
    }

    /// Logs the result of a game, and the warnings about it.
    fn log_game(&self, record: &GameRecord, line: &str) {
        let Some(log) = &self.log else { return };
        for AtPly { ply, by, what } in &record.own.warnings {
            let (game, name) = (record.own.game, record.name(*by));
            log.event(
                LogLevel::Warn,
                &format!(
                    "game {game} warning: {name}, ply {ply}: {}: {}",
                    what.fault, what.detail
                ),
            );
        }
        let level = if record.is_abnormal() {
            LogLevel::Warn
        } else {
            LogLevel::Info
        };
        log.event(level, line);
    }
}

/// A tournament with its record files open.
pub struct Tournament {
    config: TournamentConfig,
    openings: RoundOpenings,
    /// The files.
    pub files: RecordFiles,
    journal: PlyJournal,
    standings: Standings,
    times: RunTimes,
    review: PlanReview,
    /// The warnings about the results; each begins with `warning: `.
    warnings: Vec<String>,
}

impl Tournament {
    /// Starts a tournament in a folder without one, by default in a new folder.
    ///
    /// # Errors
    /// If the folder has a tournament, the configuration is inconsistent, an engine cannot start or
    /// rejects an option, or files cannot be read or written.
    pub fn begin(
        config: TournamentConfig,
        out: Option<&Path>,
        reporting: &Reporting,
    ) -> Result<Tournament> {
        let check_free = |folder: &Path| -> Result<()> {
            RecordLock::check(&folder.join(GAMES))?;
            ensure!(
                !folder.join(CONFIG).exists() && !folder.join(GAMES).exists(),
                "{} already contains a tournament: resume it with --resume {0}, or choose another --out",
                folder.display()
            );
            Ok(())
        };
        if let Some(folder) = out {
            check_free(folder)?;
        }
        if let Some(pgn) = &*config.pgn {
            pgn.check(&config.directory)?;
        }
        let context = reporting.context(&config, &reporting.interrupt);
        let saved = prepare(config, &context)?;
        let text = serde_json::to_string_pretty(&saved)
            .with_context(|| format!("folder {}", saved.config.directory.display()))?;
        let folder = &match out {
            Some(folder) => {
                files::create_folder(folder)
                    .with_context(|| format!("folder {}", folder.display()))?;
                folder.into()
            }
            None => create_folder()?,
        };
        // Another process may have begun one in the meantime.
        let _lock = RecordLock::acquire(&folder.join(CONFIG))?;
        check_free(folder)?;
        let text = text + "\n";
        let plan = Some(checksum::of_text(&text));
        replace_file(&folder.join(CONFIG), [text])?;
        HistoryEvent {
            plan,
            ..HistoryEvent::now(EventKind::Planned, 0)
        }
        .note(folder)?;
        Tournament::open(saved, folder, Vec::new())
    }

    /// Resumes the tournament with this configuration, read from the folder.
    ///
    /// # Errors
    /// If its files cannot be read or written, or an engine cannot start.
    pub fn resume(
        mut saved: SavedConfig,
        folder: &Path,
        concurrency: Option<usize>,
        reporting: &Reporting,
    ) -> Result<Tournament> {
        RecordLock::check(&folder.join(GAMES))?;
        let mut changes = changed_files(&saved.files);
        let planned = &mut saved.config.concurrency;
        if let Some(concurrency) = concurrency.filter(|concurrency| concurrency != planned) {
            changes.push(format!("concurrency {concurrency} instead of {planned}"));
            *planned = concurrency;
        }
        // It may be resumed from another folder.
        let config = &mut saved.config;
        for engine in config.engines.iter_mut().chain(&mut config.referee) {
            engine.directory = Some(engine.folder(&config.directory));
        }
        let mut tournament = Tournament::open(saved, folder, changes.clone())?;
        let games = tournament.standings.games;
        tournament.review.check_games(folder, games)?;
        if tournament.end().is_none() {
            let context = reporting.context(&tournament.config, &reporting.interrupt);
            let checked = check_engines(&tournament.config, &tournament.openings, &context)
                .and_then(|problems| option_warnings(&tournament.config, &problems, ""));
            let mut warnings = checked.with_context(|| {
                format!(
                    "no game was played; the engine commands are in {}",
                    folder.join(CONFIG).display()
                )
            })?;
            let known = &tournament.config.option_warnings;
            warnings.retain(|warning| !known.contains(warning));
            tournament.warnings.extend(warnings);
        }
        if tournament.review.end.is_none() {
            HistoryEvent {
                changes,
                ..HistoryEvent::now(EventKind::Resumed, games)
            }
            .note(folder)?;
        }
        Ok(tournament)
    }

    fn open(saved: SavedConfig, folder: &Path, changes: Vec<String>) -> Result<Tournament> {
        let openings = saved.round_openings()?;
        let config = saved.config;
        config.check()?;
        let mut standings = Standings::new(config.names(), *config.sprt, &[]);
        let mut files = RecordFiles::open(folder, &config.game, &config.tags, |game| {
            record_check::check(&game, &config, &openings)?;
            standings.add(&game);
            Ok(())
        })
        .map_err(|error| with_history(error, folder))?;
        if let Some(pgn) = &*config.pgn {
            let path = folder.join(GAMES);
            let games = recorded(&path)?;
            let export = pgn.open(&config.directory, &config.tags, games)?;
            files.exports.push(export);
        }
        let mut warnings = config.option_warnings.clone();
        warnings.extend(
            changes
                .iter()
                .map(|change| format!("warning: deviation from the plan: {change}")),
        );
        warnings.extend(too_many_games(&config));
        let times = RunTimes::new(config.engines.len());
        let mut tournament = Tournament {
            review: PlanReview::of(folder, config.sprt.is_some())?,
            config,
            openings,
            files,
            journal: PlyJournal::discarding(),
            standings,
            times,
            warnings,
        };
        if tournament.end().is_none() {
            let is_done = |game| tournament.files.done.contains(game);
            tournament.journal = PlyJournal::open(folder, is_done)?;
        }
        Ok(tournament)
    }

    /// The results.
    pub fn results(&self) -> Results<'_> {
        let warnings = self.warnings.iter().cloned();
        Results {
            folder: &self.files.folder,
            config: &self.config,
            standings: &self.standings,
            times: &self.times,
            review: &self.review,
            warnings: warnings.chain(self.standings.duplicate_warning()).collect(),
        }
    }

    /// The number of games that are left to play; `None`: without end.
    fn left(&self) -> Option<u64> {
        let games = self.config.schedule().games()?;
        Some(games - self.files.done.count())
    }

    /// The end, if no game is left to play.
    fn end(&self) -> Option<EventKind> {
        match self.standings.decision {
            Some(_) => Some(EventKind::Decided),
            None => (self.left() == Some(0)).then_some(EventKind::Complete),
        }
    }

    /// Plays the remaining games and writes the results to `out`.
    ///
    /// # Errors
    /// If an engine cannot start, or the record cannot be written.
    pub fn run(&mut self, reporting: &Reporting, out: &mut dyn Write) -> Result<EventKind> {
        self.write_heading(out)?;
        let ending = match self.end() {
            Some(end) => end,
            None => self.play_all(reporting, out)?,
        };
        let folder = &self.files.folder;
        // Games in progress when the test was decided are recorded, but do not count for it.
        let decided = self
            .standings
            .decision
            .filter(|_| ending == EventKind::Decided);
        let games = decided.map_or(self.standings.games, |decision| decision.games);
        // Other processes may have written reports in the meantime.
        self.review = PlanReview::of(folder, self.config.sprt.is_some())?;
        self.review.note_end(folder, ending, games)?;
        write!(out, "\n{}", standings_text(&self.standings))?;
        let mut lines: Vec<String> = self.standings.duplicate_warning().into_iter().collect();
        lines.extend(self.config.engine_notes());
        lines.extend_from_slice(&self.warnings);
        if reporting.shows_latency {
            lines.extend(self.times.lines(&self.config.names()));
            lines.extend(self.review.history());
        }
        lines.extend(self.review.verdict());
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(ending)
    }

    fn write_heading(&self, out: &mut dyn Write) -> Result<()> {
        let config = &self.config;
        let left = self
            .left()
            .map_or_else(String::new, |left| format!(", {left} to play"));
        writeln!(
            out,
            "{}: {}{left}, seed {}",
            config.game,
            config.length(),
            config.seed
        )?;
        for (engine, differing) in config.engines.iter().zip(config.differing_settings()) {
            writeln!(
                out,
                "  {} ({}, {}{}): {}",
                engine.name,
                engine.protocol.name(),
                engine.limits(),
                settings_text(&differing, ", "),
                printable(&engine.command_line())
            )?;
        }
        config
            .engine_notes()
            .try_for_each(|note| writeln!(out, "{note}"))?;
        self.warnings
            .iter()
            .try_for_each(|warning| writeln!(out, "{warning}"))?;
        writeln!(out, "record: {}", self.files.folder.join(GAMES).display())?;
        // Games that have plies but no result.
        for (&game, EarlierAttempts { plies, .. }) in &self.journal.earlier {
            let Some(scheduled) = config.schedule().game(game) else {
                continue;
            };
            let [first, second] = scheduled.players.map(|engine| &config.engines[engine].name);
            writeln!(
                out,
                "note: game {game} ({first} against {second}) was interrupted after {}; it is played again from the \
                 same opening with the same colors",
                counted(*plies, "ply", "plies")
            )?;
        }
        let repeats = |number: &usize| config.rounds.is_none_or(|all| all > *number as u64);
        if let Some(number) = self.openings.number().filter(repeats) {
            let rounds = config.rounds.map(|rounds| rounds.to_string());
            let rounds = rounds.unwrap_or("unlimited".into());
            let openings = counted(number, "opening", "openings");
            writeln!(
                out,
                "note: {openings} for {}; openings repeat",
                counted(rounds, "round", "rounds")
            )?;
        }
        if let (_, Some(note)) = assign_cores(config) {
            writeln!(out, "note: {note}")?;
        }
        Ok(out.flush()?)
    }

    fn play_all(&mut self, reporting: &Reporting, out: &mut dyn Write) -> Result<EventKind> {
        let of = self.config.schedule().games();
        let progress = ProgressDisplay::new(of, self.files.done.count());
        let done = self.files.done.clone();
        let queue = (1..=of.unwrap_or(u64::MAX)).filter(move |&game| !done.contains(game));
        let (mut cores, _) = assign_cores(&self.config);
        if let Some(left) = self.left() {
            cores.truncate(left as usize);
        }
        let (stopper, stop) = bounded(0);
        let Tournament {
            config,
            openings,
            files,
            journal,
            standings,
            times,
            ..
        } = self;
        let record = |FinishedGame {
                          mut record,
                          log,
                          times: own,
                      }|
         -> Result<bool> {
            files.write(&mut record, log.as_deref())?;
            let line = game_line(&record, of, &files.folder);
            reporting.log_game(&record, &line);
            standings.add(&record);
            let players = [&record.p1, &record.p2].map(|name| standings.engine(name));
            times.add(&own, players);
            // A closed output does not stop the tournament before its end.
            let _ = writeln!(out, "{line}");
            if reporting
                .rating_interval
                .is_some_and(|interval| interval > 0 && standings.games.is_multiple_of(interval))
            {
                let _ = writeln!(out, "\n{}", standings_text(standings));
            }
            let _ = out.flush();
            progress.show(standings);
            Ok(standings.decision.is_some())
        };
        let context = reporting.context(config, &stop);
        let ending = play_games(config, openings, journal, queue, &context, cores, |inbox| {
            collect(&inbox, &reporting.interrupt, stopper, record)
        })?;
        // Also if the user interrupts at the last game.
        Ok(self.end().unwrap_or(ending))
    }
}

/// Records the games that arrive, until no worker is left. Drops `stopper`, which stops the workers,
/// at an interrupt, at an error, and when `record` returns that the test is decided. An engine that
/// fails to start later is not an error.
fn collect<T>(
    inbox: &Receiver<Result<T>>,
    interrupt: &Receiver<()>,
    stopper: Sender<()>,
    mut record: impl FnMut(T) -> Result<bool>,
) -> Result<EventKind> {
    let mut stopper = Some(stopper);
    let mut ending = Ok(EventKind::Complete);
    let never = crossbeam_channel::never();
    loop {
        // Once the tournament stops, further interrupts are ignored.
        let interrupt = if stopper.is_some() { interrupt } else { &never };
        select! {
            recv(inbox) -> played => {
                let recorded = match played {
                    Err(_) => return ending,
                    Ok(Err(error)) if stopper.is_none() && error.is::<StartError>() => continue,
                    Ok(played) => played.and_then(&mut record),
                };
                if !matches!(recorded, Ok(false)) {
                    stopper = None;
                    ending = ending.and(recorded.map(|_| EventKind::Decided));
                }
            }
            recv(interrupt) -> _ => {
                stopper = None;
                ending = Ok(EventKind::Interrupted);
            }
        }
    }
}

/// Creates a folder that is named by the date; tournaments that start in the same second get their
/// own.
fn create_folder() -> Result<PathBuf> {
    let name = format!("tournament-{}", date::compact_now());
    let mut folder = PathBuf::from(&name);
    for n in 2.. {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                folder = format!("{name}-{n}").into();
            }
            done => {
                done.with_context(|| format!("folder {}", folder.display()))?;
                break;
            }
        }
    }
    Ok(folder)
}

/// The error of a damaged line of the games, whose remedy may need more: without the line, the
/// history must not count its game.
fn with_history(error: Error, folder: &Path) -> Error {
    let text = format!("{error:#}");
    if !text.ends_with(REMEDY) {
        return error;
    }
    let record = fs::read(folder.join(GAMES)).unwrap_or_default();
    let lines = record.split_inclusive(|&byte| byte == b'\n').count() as u64;
    let in_history = PlanReview::of(folder, false).map_or(0, |review| review.games);
    if lines <= in_history {
        anyhow!("{text}; then also delete {HISTORY}, which counts its game")
    } else {
        error
    }
}

/// The cores on which the engines may run; `None` where the system cannot bind processes to cores.
fn usable_cores(config: &TournamentConfig) -> Option<Vec<usize>> {
    let mut cores = available_cores()?;
    if let Some(Affinity::Cores(list)) = &config.affinity {
        cores.retain(|core| list.contains(core));
    }
    Some(cores)
}

/// The cores of each worker, and a note if games are not pinned as wanted.
fn assign_cores(config: &TournamentConfig) -> (Vec<WorkerCores>, Option<&'static str>) {
    let (games, threads) = (config.concurrency, config.threads().max(1));
    let unpinned = vec![None; games];
    let is_on = match config.affinity {
        None => games > 1,
        Some(Affinity::Switch(on)) => on,
        Some(Affinity::Cores(_)) => true,
    };
    if !is_on {
        return (unpinned, None);
    }
    let Some(cores) = usable_cores(config) else {
        let is_wanted = config.affinity.is_some();
        let note = "this system cannot pin processes to cores";
        return (unpinned, is_wanted.then_some(note));
    };
    let needed = games.saturating_mul(threads);
    let apart = cores.len() >= needed.saturating_mul(2);
    // Without pondering, the two engines of a game never search at the same time and may share
    // cores.
    if apart || cores.len() >= needed && !config.ponders() {
        let each = if apart { 2 * threads } else { threads };
        let own = cores
            .chunks(each)
            .map(|own| Some([own[..threads].to_vec(), own[each - threads..].to_vec()]));
        return (own.take(games).collect(), None);
    }
    if matches!(config.affinity, Some(Affinity::Cores(_))) && !cores.is_empty() {
        let note = "not enough CPU cores to pin each game to its own; all games share the list";
        let shared = vec![Some([cores.clone(), cores]); games];
        return (shared, (games > 1).then_some(note));
    }
    let note = "not enough CPU cores to pin each game to its own";
    let is_news = games > 1 && too_many_games(config).is_none();
    (unpinned, is_news.then_some(note))
}

/// The warning about more search threads than CPU cores in a match with clocks: they wait for each
/// other and lose on time.
fn too_many_games(config: &TournamentConfig) -> Option<String> {
    let has_clock = |engine: &EngineSpec| engine.control != TimeControl::Unlimited;
    if !config.engines.iter().any(has_clock) {
        return None;
    }
    let cores = match (&config.affinity, usable_cores(config)) {
        (Some(Affinity::Cores(_)), Some(cores)) => cores.len(),
        _ => thread::available_parallelism().ok()?.get(),
    };
    let searches = config
        .concurrency
        .saturating_mul(config.threads())
        .saturating_mul(if config.ponders() { 2 } else { 1 });
    (searches > cores).then(|| {
        let cores = counted(cores, "CPU core", "CPU cores");
        format!("warning: {searches} search threads on {cores}: engines may lose on time")
    })
}

/// The warnings about problems of engines' options, printed.
///
/// # Errors
/// If there are problems and the match is not lenient.
fn option_warnings(
    config: &TournamentConfig,
    problems: &[String],
    advice: &str,
) -> Result<Vec<String>> {
    ensure!(
        config.lenient || problems.is_empty(),
        "{}{advice}",
        problems.join("\n")
    );
    let warnings = problems.iter().map(|problem| format!("warning: {problem}"));
    // A closed standard error does not stop the tournament.
    Ok(warnings.inspect(|warning| print_line(warning)).collect())
}

/// Validates a configuration, loads its openings and starts each engine once. Writes nothing.
///
/// # Errors
/// If the configuration is inconsistent, an engine cannot start or rejects an option, or the
/// openings cannot be read.
pub fn prepare(config: TournamentConfig, context: &RunContext) -> Result<SavedConfig> {
    config.check()?;
    if let (Some(Affinity::Cores(list)), Some(available)) = (&config.affinity, available_cores())
        && let Some(core) = list.iter().find(|core| !available.contains(core))
    {
        bail!(UsageError(format!(
            "--affinity: CPU core {core} is not available to this process"
        )));
    }
    // Queries that judge a game have no name for its rules.
    let rules = if config.is_judged() { "" } else { &config.game };
    let openings = config.openings.load(rules, config.seed, config.rounds)?;
    let mut saved = SavedConfig {
        openings,
        files: Vec::new(),
        config,
    };
    let rounds = saved.round_openings()?;
    let config = &mut saved.config;
    rounds.check(&config.game, config.max_moves, config.exact)?;
    let problems = check_engines(config, &rounds, context)?;
    let advice = "\n(use --lenient to turn this into a warning)";
    config.option_warnings = option_warnings(config, &problems, advice)?;
    saved.files = hash_files(config);
    Ok(saved)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    /// The ending of a run whose workers report these results after it has stopped, if at all; each
    /// game decides the test.
    fn ending(is_interrupted: bool, results: Vec<Result<()>>) -> Result<EventKind> {
        let (user, interrupt) = bounded(0);
        let _user = Some(user).filter(|_| !is_interrupted);
        let (worker, inbox) = bounded(0);
        let (stopper, stop) = bounded(0);
        thread::scope(|scope| {
            scope.spawn(move || {
                for (number, result) in results.into_iter().enumerate() {
                    if is_interrupted || number > 0 {
                        let _ = stop.recv();
                    }
                    worker.send(result).unwrap();
                }
            });
            collect(&inbox, &interrupt, stopper, |()| Ok(true))
        })
    }

    #[test]
    fn a_decided_test_ends_the_match_whatever_happens_besides() {
        let failed = || Err(StartError::default().into());
        for (is_interrupted, results) in [
            (false, vec![Ok(())]),
            (false, vec![Ok(()), failed()]),
            (true, vec![Ok(())]),
            (true, vec![failed(), Ok(())]),
        ] {
            let ending = ending(is_interrupted, results).unwrap();
            assert_eq!(ending, EventKind::Decided);
        }
        assert!(ending(false, vec![failed(), Ok(())]).is_err());
        assert!(ending(true, vec![Err(anyhow!("a full disk"))]).is_err());
        let interrupted = ending(true, vec![failed()]).unwrap();
        assert_eq!(interrupted, EventKind::Interrupted);
    }
}
