//! `nullwindow tournament`: validates the arguments and runs the mode that they select; for
//! `nullwindow lab shard`, plays some games of a tournament without a folder.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::parser::ValueSource;
use clap::{Args, Command, FromArgMatches, Id};
use crossbeam_channel::Receiver;

use super::arguments::{PlayingArgs, TournamentArgs, playing};
use super::compliance;
use super::config::engine_spec::{BOOK_FILE, EngineSpec, assign_names};
use super::config::engines_file;
use super::config::pairings::NumberSet;
use super::config::pgn::MatchTags;
use super::config::usage_error::UsageError;
use super::config::{SavedConfig, TournamentConfig};
use super::elo::{Pentanomial, Sprt, Trinomial};
use super::output_files;
use super::play::game::FinishedGame;
use super::play::match_log::MatchLog;
use super::play::replay::{ReplayedSearch, replay};
use super::play::session::RunContext;
use super::play::worker::play_games;
use super::report::html;
use super::report::json::summary;
use super::report::text::{score_text, sprt_text};
use super::results::files::PlyJournal;
use super::results::match_plan::EventKind;
use super::results::standings::MatchScore;
use super::rules::fault::is_interrupt;
use super::runner::{Reporting, Tournament, prepare};
use crate::book::file::BookFile;
use crate::engine::options::Options;
use crate::logging::progress::{TerminalWriter, UntilClosed, print_line};
use crate::platform::command_line;
use crate::platform::interrupt::{self, EXIT_INTERRUPTED};
use crate::protocol::Protocol;
use crate::setup::{GAME, Setup, exit_code, is_game};

/// Draws the tree of a replayed search.
pub type DrawSearch<'a> = &'a dyn Fn(&ReplayedSearch, &mut dyn Write) -> Result<()>;

/// Runs the mode that the arguments select.
///
/// # Errors
/// Invalid arguments, files that cannot be read or written, engines that cannot start; all mean
/// exit status 2.
pub fn run(
    args: &TournamentArgs,
    setup: &Setup,
    draw: DrawSearch<'_>,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    match run_mode(args, setup, draw, out) {
        Err(error) if is_interrupt(&error) => Ok(ExitCode::from(EXIT_INTERRUPTED)),
        done => done.map_err(|error| args.translation.restore(error)),
    }
}

fn run_mode(
    args: &TournamentArgs,
    setup: &Setup,
    draw: DrawSearch<'_>,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    if args.engines.0.0.is_empty() {
        print_notes(&args.translation.notes);
    }
    let without_match = [
        ("--stats", !args.stats.is_empty()),
        ("--report", args.report.is_some()),
        ("--replay", !args.replay.is_empty()),
        ("--resume", args.resume.is_some()),
    ];
    if let Some((mode, _)) = without_match.into_iter().find(|(_, is_given)| *is_given) {
        ensure!(
            setup.game.is_none(),
            UsageError(format!("--game has no effect with {mode}"))
        );
        ensure!(
            setup.determining_options(&[]).is_empty(),
            "--option has no effect with {mode}"
        );
    }
    if !args.stats.is_empty() {
        return write_statistics(&args.stats, *args.config.sprt, out);
    }
    if let Some(folder) = &args.report {
        writeln!(out, "{}", html::write_report(folder)?.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    let interrupt = interrupt::channel().context("cannot install the signal handler")?;
    if let [folder, place] = args.replay.as_slice() {
        let Some(search) = replay(Path::new(folder), place, &interrupt, out)? else {
            return Ok(ExitCode::SUCCESS);
        };
        if args.explain {
            writeln!(out)?;
            draw(&search, out)?;
        }
        return Ok(exit_code(search.is_same));
    }
    if let [command, settings @ ..] = args.compliance.as_slice() {
        let cmd = format!("cmd={command}");
        let mut spec = EngineSpec::parse(&[cmd], settings)?;
        assign_names(std::slice::from_mut(&mut spec))?;
        add_options(&mut spec, setup);
        let game = game_of(setup)?;
        check_game_options(&spec, &game)?;
        return Ok(exit_code(compliance::check(&spec, &game, &interrupt, out)?));
    }
    let (tournament, reporting) = open_match(args, setup, interrupt)?;
    play(args, tournament, &reporting, out)
}

/// The match to play or to resume, with its engines started.
fn open_match(
    args: &TournamentArgs,
    setup: &Setup,
    interrupt: Receiver<()>,
) -> Result<(Tournament, Reporting)> {
    let resumed = match &args.resume {
        Some(folder) => Some((SavedConfig::load(folder)?, folder)),
        None => None,
    };
    let config = match &resumed {
        Some((saved, _)) => saved.config.clone(),
        None => config(args, setup)?,
    };
    let playing = &args.playing;
    let folder = args.resume.as_deref().or(args.out.as_deref());
    let log = playing.log.as_ref();
    output_files::check(&config, folder, log.map(|log| log.file.as_path()))?;
    let reporting = Reporting {
        interrupt,
        log: log.map(MatchLog::open).transpose()?,
        rating_interval: playing.ratinginterval,
        shows_latency: playing.show_latency,
    };
    let tournament = match resumed {
        Some((saved, folder)) => Tournament::resume(saved, folder, playing.concurrency, &reporting),
        None => {
            print_notes(&config.notes);
            Tournament::begin(config, folder, &reporting)
        }
    };
    // An engine that does not start is in the log.
    reporting.log.iter().for_each(MatchLog::flush);
    Ok((tournament?, reporting))
}

/// Plays a match to its end, or until it is interrupted.
fn play(
    args: &TournamentArgs,
    mut tournament: Tournament,
    reporting: &Reporting,
    out: &mut dyn Write,
) -> Result<ExitCode> {
    let mut errors = UntilClosed::new(io::LineWriter::new(TerminalWriter::new(io::stderr())));
    let mut out = UntilClosed::new(out);
    let text: &mut dyn Write = if args.playing.json {
        &mut errors
    } else {
        &mut out
    };
    let line = &args.translation.words;
    let program = line
        .first()
        .map_or("nullwindow".into(), |program| program.to_string_lossy());
    let folder = tournament.files.folder.to_string_lossy();
    let mut words = vec![program, "tournament".into(), "--resume".into(), folder];
    words.extend(PlayingArgs::words_of(line).map(Cow::from));
    let resume = command_line::join(&words);
    let ending = tournament.run(reporting, text);
    reporting.log.iter().for_each(MatchLog::flush);
    let ending = ending.with_context(|| {
        format!(
            "the tournament cannot continue (finished games are recorded; resume with: {resume})"
        )
    })?;
    if ending == EventKind::Interrupted {
        writeln!(text, "\ninterrupted; resume with:\n  {resume}")?;
    }
    if args.playing.json {
        writeln!(out, "{}", summary(&tournament.results(), ending))?;
    }
    Ok(match ending {
        EventKind::Interrupted => ExitCode::from(EXIT_INTERRUPTED),
        _ => exit_code(!args.playing.strict || tournament.results().is_clean()),
    })
}

/// Prints notes to standard error; if it is closed, the tournament continues.
fn print_notes(notes: &[String]) {
    notes.iter().for_each(print_line);
}

/// The game, which this crate may lack.
fn game_of(setup: &Setup) -> Result<String> {
    let known = setup.of_known_game().options()?.game;
    let game = setup
        .game
        .as_deref()
        .filter(|_| setup.known_game().is_none());
    Ok(game.unwrap_or(known).into())
}

/// Checks that the options of an engine select no other known game than that of the match, which the
/// client sets, and no book or weights of another game, which the engine would not use.
fn check_game_options(engine: &EngineSpec, game: &str) -> Result<()> {
    if !matches!(engine.protocol, Protocol::Ugi | Protocol::Uci) {
        return Ok(());
    }
    let check = |name: &str, value: &str, of: &str| {
        let error = || {
            UsageError(format!(
                "option.{name}={value} is for {of}, but the match plays {game}: use --game {of}"
            ))
        };
        if of == game { Ok(()) } else { Err(error()) }
    };
    let mut options = Options::default();
    for name in GAME {
        if let Some(value) = engine.option(name)
            && options.set(name, Some(value)).is_ok()
        {
            check(name, value, options.game)?;
        }
    }
    let folder = engine.folder(Path::new(""));
    let weights = "EvalFile";
    if let Some(file) = engine.option(weights)
        && options.set(weights, folder.join(file).to_str()).is_ok()
        && let Some(of) = options.weights_game()
    {
        check(weights, file, of)?;
    }
    if let Some(file) = engine.option(BOOK_FILE)
        && let Ok(book) = BookFile::open(&folder.join(file))
    {
        check(BOOK_FILE, file, book.header.game)?;
    }
    Ok(())
}

/// Adds the options of all engines: the client sets the game, and the engine's own settings are more
/// specific.
fn add_options(engine: &mut EngineSpec, setup: &Setup) {
    for (name, value) in &setup.options {
        if !is_game(name) && engine.option(name).is_none() {
            engine.set_option(name, Some(value));
        }
    }
}

/// The configuration that the arguments describe.
fn config(args: &TournamentArgs, setup: &Setup) -> Result<TournamentConfig> {
    let mut notes = args.translation.notes.clone();
    let mut parse = |own: &[String], each: &[String]| {
        let (saved, own) = engines_file::resolve(own, &mut notes)?;
        EngineSpec::parse(&[&saved, each].concat(), &own)
    };
    let engines = args.engines.0.0.iter().map(|own| parse(own, &args.each));
    let mut engines = engines.collect::<Result<Vec<_>>>()?;
    let referee = Some(&args.referee).filter(|own| !own.is_empty());
    let referee = referee.map(|own| parse(own, &["name=referee".into()]));
    let referee = referee.transpose()?;
    assign_names(&mut engines)?;
    let game = game_of(setup)?;
    for engine in &mut engines {
        add_options(engine, setup);
    }
    for engine in engines.iter().chain(&referee) {
        check_game_options(engine, &game)?;
    }
    for engine in &engines {
        ensure!(
            !engine.lacks_limit(),
            UsageError(format!(
                "engine \"{}\" has no search limit: add tc=, st=, depth= or nodes= to its settings or to --each",
                engine.name
            ))
        );
    }
    let mut config = TournamentConfig {
        game,
        engines,
        referee,
        concurrency: args.playing.concurrency.unwrap_or(1),
        notes,
        directory: std::env::current_dir().context("cannot determine the current folder")?,
        ..args.config.clone()
    };
    if config.sprt.is_none() {
        config.rounds.get_or_insert(1);
    }
    config.check()?;
    Ok(config)
}

/// The tournament that `nullwindow tournament` would play with these arguments.
///
/// # Errors
/// As [`prepare`]; if the arguments are invalid, or the games depend on each other (`--sprt`).
pub fn tournament_of(
    words: &[String],
    setup: &Setup,
    seed: u64,
    interrupt: &Receiver<()>,
) -> Result<SavedConfig> {
    let line = TournamentArgs::augment_args(Command::new("tournament").no_binary_name(true));
    let matches = line
        .try_get_matches_from(words)
        .map_err(|error| anyhow!("{}", error.render()))?;
    let args = TournamentArgs::from_arg_matches(&matches)?;
    let mut config = config(&args, setup)?;
    // The shard has a seed, and the record no folder.
    let unused = [playing(), vec!["out".into(), "seed".into()]].concat();
    let is_given = |id: &&Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    if let Some(id) = matches
        .ids()
        .filter(is_given)
        .find(|id| unused.contains(id))
    {
        let name = id.as_str().trim_start_matches('-').replace('_', "-");
        bail!("--{name} has no effect in a shard");
    }
    ensure!(
        config.pgn.is_none() && config.tags == MatchTags::default(),
        "--pgnout, --event and --site have no effect in a shard, whose record is in JSON"
    );
    ensure!(
        config.sprt.is_none(),
        "--sprt cannot be used in a shard: the test needs the games of the whole tournament"
    );
    config.seed = seed;
    let context = RunContext::of(&config, interrupt);
    prepare(config, &context)
}

/// Plays the games of a tournament that are not done in order and passes each to `take`. Returns
/// whether it was interrupted.
///
/// # Errors
/// If an engine cannot start, or `take` fails.
pub fn play_range(
    saved: &SavedConfig,
    games: RangeInclusive<u64>,
    done: &NumberSet,
    interrupt: &Receiver<()>,
    mut take: impl FnMut(FinishedGame) -> Result<()>,
) -> Result<bool> {
    let openings = saved.round_openings()?;
    let left = games.clone().count() as u64 - done.count();
    let journal = PlyJournal::discarding();
    let context = RunContext::of(&saved.config, interrupt);
    play_games(
        &saved.config,
        &openings,
        &journal,
        games.filter(|&game| !done.contains(game)),
        &context,
        vec![None],
        |inbox| {
            let mut played = 0;
            for game in inbox {
                take(game?)?;
                played += 1;
            }
            Ok(played < left)
        },
    )
}

/// `--stats`: Elo and SPRT of given counts.
fn write_statistics(counts: &[u64], sprt: Option<Sprt>, out: &mut dyn Write) -> Result<ExitCode> {
    let mut score = MatchScore::default();
    match *counts {
        [wins, losses, draws] => {
            score.games = Trinomial {
                wins,
                losses,
                draws,
            }
        }
        [ll, ld, wl, dd, wd, ww] => {
            score.pairs = Pentanomial::from_counts([ll, ld, wl, dd, wd, ww]);
        }
        _ => bail!(
            "--stats expects three counts (wins, losses, draws) or six (pairs LL LD WL DD WD WW)"
        ),
    }
    let test = sprt.map(|sprt| sprt_text(&sprt, &score.sample(), None));
    write!(out, "{}{}", score_text(&score), test.unwrap_or_default())?;
    Ok(ExitCode::SUCCESS)
}
