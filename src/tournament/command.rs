//! `nullwindow tournament`: its command line, modelled on fastchess, and its modes.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::adjudicate::{DrawRule, MAX_EXACT_EMPTIES, ResignRule};
use super::compliance;
use super::config::TournamentConfig;
use super::elo::{EloModel, Pentanomial, Sprt, Trinomial};
use super::engine_spec::{EngineSpec, assign_names};
use super::html_report;
use super::opening_list::OpeningSelection;
use super::pairings::PairingFormat;
use super::runner::{Ending, Tournament};
use super::standings::MatchScore;
use super::standings_text::{write_match_score, write_sprt};
use crate::engine::setup::{FAILED, Setup};
use crate::logging::date::Date;
use crate::platform::command_line;
use crate::platform::interrupt::{self, EXIT_INTERRUPTED};

/// Arguments of `tournament`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TournamentArgs {
    #[command(flatten)]
    engines: EngineArgs,

    /// Settings of all engines, as --engine takes them; an engine's own win
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,

    /// Rounds: each pairing plays a pair of games, with swapped colours from the same opening
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,

    /// Games at the same time
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,

    /// The pairings
    #[arg(long, value_enum, default_value_t)]
    format: PairingFormat,

    /// Gauntlet: the number of engines, the first ones, that play all others
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: usize,

    /// Openings: file=PATH (one move list, transcript, position or GGF game per line), builtin (default), random or
    /// startpos; order=random|sequential, plies=N, start=N
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,

    /// Stop when decided: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized|logistic
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,

    /// Play on with options that an engine does not list, with a warning; by default they are an error
    #[arg(long)]
    lenient: bool,

    /// Restart an engine that dies or stalls (once per game) and continue, instead of losing the game
    #[arg(long)]
    recover: bool,

    /// Adjudicate games as lost by a side's own scores: score=N (hundredths of a point) movecount=3 twosided=false
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,

    /// Adjudicate games as drawn by both sides' scores: score=N (hundredths of a point) movecount=8 movenumber=0
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    draw: Vec<String>,

    /// Adjudicate Reversi games with N or fewer empties by their exact score: the rest is solved, not played
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_EXACT_EMPTIES)))]
    exact: Option<u8>,

    /// The random seed; by default a random one, which is printed and recorded
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The folder of the record (default: a new one, named by the date)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Seconds an engine may take to start, and to answer a command or a stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    stall_timeout: f64,

    /// Seconds a search without a clock may send no info line before it is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    think_timeout: f64,

    /// Give each game its own cores (default: with --concurrency, if there are enough cores)
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    affinity: Option<bool>,

    /// Resume the interrupted tournament of a folder
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["engine", "each", "rounds", "openings", "sprt", "out", "seed"]
    )]
    resume: Option<PathBuf>,

    /// Write the report of a folder's tournament, finished or not: one HTML file that opens from disk
    #[arg(long, value_name = "DIR", conflicts_with_all = ["engine", "resume"])]
    report: Option<PathBuf>,

    /// Check that an engine complies with its protocol: its command, then settings as for --engine (proto=uci)
    #[arg(long, num_args = 1.., value_name = "COMMAND", conflicts_with_all = ["engine", "resume", "report"])]
    compliance: Vec<String>,

    /// Only compute Elo and LOS from wins, losses, draws, or from pairs LL LD WL DD WD WW; --sprt may be added. Below
    /// five games or pairs there is no estimate
    #[arg(long, num_args = 3..=6, value_name = "COUNT", conflicts_with_all = ["engine", "resume"])]
    stats: Vec<u64>,
}

const EXAMPLES: &str = "\
Engine settings: cmd=COMMAND (in shell syntax) args=ARGUMENTS dir=DIR name=NAME proto=ugi|uci|gtp|nboard \
initstr=LINE option.NAME=VALUE, and limits: tc=[MOVES/][MINUTES:]SECONDS[+INCREMENT] st=SECONDS depth=N nodes=N \
timemargin=MS; restart=on|off (a new process for every game), ponder=on|off (UCI: thinking on \
the opponent's time), pass=WORD|implicit (the pass notation).

UGI and UCI engines list their options: before the first game, a name that an engine does not list, or a value that \
the option cannot have, ends the run with status 2 (see --lenient). GTP and NBoard engines list none.

GTP has times in whole seconds, and neither depth nor nodes; NBoard's protocol has a depth limit only. Limits that a \
protocol cannot express are noted before the first game and in the report; the runner enforces its clock nevertheless.

Example:
  nullwindow tournament --engine cmd=./nullwindow name=new --engine cmd=./old name=old \\
    --each tc=1+0.01 option.Hash=16 --game othello --rounds 100 --concurrency 2 --out match";

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off".into()),
    }
}

/// The words of each `--engine`, kept separate (clap's derive would concatenate them).
#[derive(Clone, Debug, Default)]
struct EngineArgs(Vec<Vec<String>>);

impl FromArgMatches for EngineArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engines = matches.get_occurrences::<String>("engine");
        Ok(EngineArgs(engines.map_or_else(Vec::new, |all| all.map(|words| words.cloned().collect()).collect())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for EngineArgs {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .num_args(1..)
                .action(ArgAction::Append)
                .value_name("KEY=VALUE")
                .help("An engine and its settings; once for each engine"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Runs the mode that the arguments select.
///
/// # Errors
/// Invalid arguments, files that cannot be read or written, engines that cannot start; all mean exit status 2.
pub fn run(args: &TournamentArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    if !args.stats.is_empty() {
        return write_statistics(&args.stats, parse_sprt(&args.sprt)?, out);
    }
    if let Some(folder) = &args.report {
        writeln!(out, "{}", html_report::write_report(folder)?.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [command, settings @ ..] = args.compliance.as_slice() {
        let cmd = format!("cmd={command}");
        let mut spec = EngineSpec::parse(&[cmd], settings)?;
        setup.options.iter().for_each(|(name, value)| spec.set_option(name, Some(value)));
        let passed = compliance::check(&spec, setup.options()?.game, out)?;
        return Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) });
    }
    let interrupt = || interrupt::channel().context("cannot catch signals");
    let (mut tournament, interrupt) = match &args.resume {
        Some(folder) => (Tournament::resume(folder, args.concurrency)?, interrupt()?),
        None => {
            let (config, interrupt) = (config(args, setup)?, interrupt()?);
            match Tournament::begin(config, &new_folder(args), &interrupt)? {
                Some(tournament) => (tournament, interrupt),
                None => return Ok(ExitCode::from(EXIT_INTERRUPTED)),
            }
        }
    };
    let folder = args.resume.clone().unwrap_or_else(|| tournament.folder().into());
    let ending = tournament.run(&interrupt, out).with_context(|| {
        format!("the tournament cannot continue (finished games are recorded; to resume: {})", resume_command(&folder))
    })?;
    match ending {
        Ending::Complete | Ending::Decided => Ok(ExitCode::SUCCESS),
        Ending::Interrupted => {
            writeln!(out, "\ninterrupted; to resume:\n  {}", resume_command(&folder))?;
            Ok(ExitCode::from(EXIT_INTERRUPTED))
        }
    }
}

/// The folder of a new tournament.
fn new_folder(args: &TournamentArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| format!("tournament-{}", Date::now().compact()).into())
}

/// The command that resumes the tournament of a folder, in shell syntax.
fn resume_command(folder: &Path) -> String {
    let program = std::env::args().next().unwrap_or_else(|| "nullwindow".into());
    let folder = folder.to_string_lossy();
    let words = [program.as_str(), "tournament", "--resume", &folder];
    command_line::join(&words)
}

/// The configuration that the arguments describe.
pub(super) fn config(args: &TournamentArgs, setup: &Setup) -> Result<TournamentConfig> {
    ensure!(
        args.engines.0.len() >= 2,
        "a tournament needs two engines at least: --engine cmd=COMMAND ... (see tournament --help)"
    );
    let game = setup.options()?.game.to_string();
    let mut engines =
        args.engines.0.iter().map(|own| EngineSpec::parse(&args.each, own)).collect::<Result<Vec<EngineSpec>>>()?;
    assign_names(&mut engines)?;
    for engine in &mut engines {
        for (name, value) in &setup.options {
            engine.set_option(name, Some(value));
        }
        ensure!(
            !engine.lacks_limit(),
            "engine \"{}\" has no limit: give it (or --each) tc=, st=, depth= or nodes=",
            engine.name
        );
    }
    let rounds = args.rounds.unwrap_or(1);
    let concurrency = args.concurrency.unwrap_or(1);
    ensure!(rounds > 0, "--rounds must be 1 or more");
    ensure!(
        args.format != PairingFormat::HeadToHead || engines.len() % 2 == 0,
        "head to head needs an even number of engines"
    );
    ensure!((1..engines.len()).contains(&args.seeds), "--seeds must be at least 1 and below the number of engines");
    for timeout in [args.stall_timeout, args.think_timeout] {
        ensure!((0.001..=1e6).contains(&timeout), "--stall-timeout and --think-timeout must be above 0");
    }
    Ok(TournamentConfig {
        game,
        engines,
        format: args.format,
        seeds: args.seeds,
        rounds,
        concurrency,
        openings: OpeningSelection::parse(&args.openings)?,
        seed: args.seed.unwrap_or_else(random_seed),
        sprt: parse_sprt(&args.sprt)?,
        recover: args.recover,
        resign: if args.resign.is_empty() { None } else { Some(ResignRule::parse(&args.resign)?) },
        draw: if args.draw.is_empty() { None } else { Some(DrawRule::parse(&args.draw)?) },
        exact: args.exact,
        stall_ms: (args.stall_timeout * 1000.0) as u64,
        think_ms: (args.think_timeout * 1000.0) as u64,
        lenient: args.lenient,
        option_warnings: Vec::new(),
        affinity: args.affinity,
        directory: std::env::current_dir().context("the current folder")?,
    })
}

/// A random seed of 32 bits.
fn random_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) >> 32
}

/// Parses the words after `--sprt`.
fn parse_sprt(words: &[String]) -> Result<Option<Sprt>> {
    if words.is_empty() {
        return Ok(None);
    }
    let mut sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalised };
    for word in words {
        let (key, value) = word.split_once('=').with_context(|| format!("--sprt: \"{word}\" is not key=value"))?;
        let number = || value.parse::<f64>().with_context(|| format!("--sprt: \"{word}\": expected a number"));
        match key {
            "elo0" => sprt.elo0 = number()?,
            "elo1" => sprt.elo1 = number()?,
            "alpha" => sprt.alpha = number()?,
            "beta" => sprt.beta = number()?,
            "model" => {
                sprt.model = match value {
                    "normalized" | "normalised" => EloModel::Normalised,
                    "logistic" => EloModel::Logistic,
                    _ => bail!("--sprt: model must be normalized or logistic"),
                }
            }
            _ => bail!("--sprt: unknown key \"{key}\", expected elo0, elo1, alpha, beta or model"),
        }
    }
    ensure!(sprt.elo0.is_finite() && sprt.elo1.is_finite() && sprt.elo0 < sprt.elo1, "--sprt: elo0 must be below elo1");
    ensure!(
        [sprt.alpha, sprt.beta].iter().all(|error| (1e-9..0.5).contains(error)),
        "--sprt: alpha and beta must lie between 0 and 0.5"
    );
    Ok(Some(sprt))
}

/// `--stats`: Elo and SPRT of given counts.
fn write_statistics(counts: &[u64], sprt: Option<Sprt>, out: &mut dyn Write) -> Result<ExitCode> {
    let mut score = MatchScore::default();
    match *counts {
        [wins, losses, draws] => score.games = Trinomial { wins, losses, draws },
        [ll, ld, wl, dd, wd, ww] => score.pairs = Pentanomial::from_counts([ll, ld, wl, dd, wd, ww]),
        _ => bail!("--stats takes three counts (wins, losses, draws) or six (pairs LL LD WL DD WD WW)"),
    }
    write_match_score(out, &score)?;
    if let Some(sprt) = sprt {
        write_sprt(out, &sprt, &score.sample())?;
    }
    Ok(ExitCode::SUCCESS)
}
