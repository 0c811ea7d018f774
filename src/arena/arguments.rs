//! The command line of `nullwindow tournament`, modeled on fastchess.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Parser};

use super::config::Affinity;
use super::pairings::PairingFormat;
use super::play::adjudicate::MAX_EXACT_EMPTIES;
use super::play::clock::milliseconds;
use super::play::search_check::ReportFault;
use super::translation::{Translation, migration_table};

/// Arguments of `tournament`.
#[derive(Args, Clone, Debug)]
#[command(version, after_help = after_help())]
pub struct TournamentArgs {
    #[command(flatten)]
    pub(super) engines: EngineArgs,

    /// Set defaults for all engines, in the syntax of --engine; the settings of an engine take
    /// precedence
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) each: Vec<String>,

    /// Number of rounds; in a round each pairing plays two games from the same opening, with colors
    /// swapped (see --games) [default: 1; with --sprt: until the test is decided]
    #[arg(long, value_name = "N")]
    pub(super) rounds: Option<u64>,

    /// Number of games that a pairing plays in a round from the same opening, 1 or 2; with 1, colors
    /// are swapped from round to round
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=2))]
    pub(super) games: u64,

    /// Never swap colors: the first engine of a pairing is always the first player
    #[arg(long)]
    pub(super) noswap: bool,

    /// Begin with the second engine of each pairing as the first player
    #[arg(long)]
    pub(super) reverse: bool,

    /// Number of games to play in parallel [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,

    /// Tournament format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: PairingFormat,

    /// Gauntlet: number of seed engines; the first N engines each play all other engines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seeds: usize,

    /// Select the openings: file=PATH (positions or move lists, one per line, or games in GGF, PGN
    /// or games.jsonl format), builtin, random or startpos; order=random|sequential, plies=N (play
    /// the first N plies of each), start=N (begin with opening N) [default: builtin]
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) openings: Vec<String>,

    /// Run a sequential probability ratio test and stop when it is decided: elo0=0 elo1=5
    /// alpha=0.05 beta=0.05 model=normalized|logistic
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) sprt: Option<Vec<String>>,

    /// Warn about options that an engine does not list, instead of exiting with an error
    #[arg(long)]
    pub(super) lenient: bool,

    /// Exit with status 1 if there was any fault, late move or warning
    #[arg(long)]
    pub(super) strict: bool,

    /// Print the results as one JSON object on standard output, and everything else on standard
    /// error
    #[arg(long, conflicts_with_all = ["report", "compliance", "stats", "replay"])]
    pub(super) json: bool,

    /// Restart an engine that crashes or stalls (once per game) and continue, instead of scoring a
    /// loss
    #[arg(long)]
    pub(super) recover: bool,

    /// Adjudicate a loss when a side's own score is -N or lower for movecount moves: score=N
    /// (hundredths of a point) movecount=3 twosided=false
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) resign: Option<Vec<String>>,

    /// Adjudicate a draw when both scores are within N of zero for movecount moves: score=N
    /// (hundredths of a point) movecount=8 movenumber=0
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) draw: Option<Vec<String>>,

    /// Adjudicate a draw after N full moves, opening moves included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) maxmoves: Option<u64>,

    /// Adjudicate Reversi games with at most N empties by their exact score, which the runner
    /// computes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_EXACT_EMPTIES)))]
    pub(super) exact: Option<u8>,

    /// Set the random seed [default: random; printed and recorded]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Write the record to this folder [default: a new one, named by the date]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Also write each game to a PGN file as it ends: file=PATH, append=true|false [default: true],
    /// min=true (tags and moves only), comments on moves with nodes=true, seldepth=true, nps=true,
    /// timeleft=true
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) pgnout: Option<Vec<String>>,

    /// Name of the event in PGN and GGF [default: nullwindow tournament]
    #[arg(long, value_name = "NAME")]
    pub(super) event: Option<String>,

    /// Name of the site in PGN and GGF
    #[arg(long, value_name = "NAME")]
    pub(super) site: Option<String>,

    /// Wait at most this long for the reply to a command such as isready; also the default of the
    /// next three timeouts
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = timeout_ms)]
    pub(super) stall_timeout: u64,

    /// Wait at most this long for an engine to start and to be ready with its options
    #[arg(long, value_name = "SECONDS", value_parser = timeout_ms)]
    pub(super) start_timeout: Option<u64>,

    /// Wait at most this long for an engine to be ready for a new game
    #[arg(long, value_name = "SECONDS", value_parser = timeout_ms)]
    pub(super) new_game_timeout: Option<u64>,

    /// Wait at most this long for the move of an engine that was stopped, because its time is up or
    /// it is silent
    #[arg(long, value_name = "SECONDS", value_parser = timeout_ms)]
    pub(super) move_timeout: Option<u64>,

    /// Stop a search without a clock that sends no info line for this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = timeout_ms)]
    pub(super) think_timeout: u64,

    /// Pin each game to its own CPU cores, or to its own of a list such as 0-3,6 (to the whole list
    /// if it is too short) [default: on if games run in parallel and there are enough cores]
    #[arg(long, visible_alias = "use-affinity", value_name = "on|off|CORES")]
    pub(super) affinity: Option<Affinity>,

    /// Print the standings after every N games; 0: at the end only
    #[arg(long, value_name = "N")]
    pub(super) ratinginterval: Option<u64>,

    /// Append a log to a file: file=PATH, level=warn|info (warn: faults and warnings; info: also
    /// starts and ends of games) [default: info], engine=on|off (every line to and from the engines)
    /// [default: on]
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) log: Option<Vec<String>>,

    /// Resume the interrupted tournament in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_MATCH)]
    pub(super) resume: Option<PathBuf>,

    /// Write DIR/report.html, the report of the tournament in DIR, finished or not: one
    /// self-contained file
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) report: Option<PathBuf>,

    /// Replay a move of the tournament in DIR node for node: the engine repeats its searches of the
    /// game up to PLY with their recorded node counts (GAME and PLY from 1, opening plies
    /// included); exit with status 1 if a result differs
    #[arg(long, num_args = 2, value_names = ["DIR", "GAME:PLY"], conflicts_with = "report")]
    #[arg(conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) replay: Vec<String>,

    /// With --replay: draw the search tree, as the command explain does
    #[arg(long, requires = "replay", conflicts_with_all = ["engine", "resume", "report", "compliance", "stats"])]
    pub(super) explain: bool,

    /// Check that an engine complies with UGI or UCI: its command, then settings as for --engine
    #[arg(long, num_args = 1.., value_name = "COMMAND", conflicts_with_all = ["report", "replay"])]
    #[arg(conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) compliance: Vec<String>,

    /// Print Elo and LOS of a result, given as wins, losses and draws or as the pair counts LL LD
    /// WL DD WD WW (at least five games or pairs); may be combined with --sprt
    #[arg(long, num_args = 3..=6, value_name = "COUNT", conflicts_with_all = ["report", "replay", "compliance"])]
    #[arg(conflicts_with_all = &NEW_MATCH[..NEW_MATCH.len() - 1], conflicts_with_all = PLAYING)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000_000))]
    pub(super) stats: Vec<u64>,

    /// What the flags of other match runners became.
    #[arg(skip)]
    pub translation: Translation,
}

/// The options of a new match; the last one may be combined with `--stats`.
const NEW_MATCH: [&str; 27] = [
    "engine",
    "each",
    "rounds",
    "games",
    "noswap",
    "reverse",
    "format",
    "seeds",
    "openings",
    "lenient",
    "recover",
    "resign",
    "draw",
    "maxmoves",
    "exact",
    "seed",
    "out",
    "pgnout",
    "event",
    "site",
    "stall_timeout",
    "start_timeout",
    "new_game_timeout",
    "move_timeout",
    "think_timeout",
    "affinity",
    "sprt",
];
/// The options that apply only when games are played.
const PLAYING: [&str; 6] = [
    "resume",
    "concurrency",
    "strict",
    "json",
    "ratinginterval",
    "log",
];

/// The help text after the list of options.
fn after_help() -> String {
    let width = ReportFault::ALL
        .iter()
        .map(|(fault, _)| fault.to_string().len())
        .max()
        .unwrap_or_default();
    let warnings =
        ReportFault::ALL.map(|(fault, meaning)| format!("  {fault:width$}  {meaning}\n"));
    format!(
        "{ENGINE_SETTINGS}\n\n{WARNINGS}\n{}\n{OTHER_WARNINGS}\n\n{REPORTING}\n\n{EXAMPLE}\n\n{MIGRATION}\n{}",
        warnings.concat(),
        migration_table()
    )
}

const WARNINGS: &str = "\
Warnings: the runner checks every info line of UGI and UCI engines. A warning does not change the result of a game. \
It is recorded in games.jsonl, counted below the standings and listed by --report:";

const OTHER_WARNINGS: &str = "\
The runner also warns about moves that are late within timemargin, deviations of a resumed tournament from its plan, \
unknown engine options (with --lenient), repeated games, and more search threads than CPU cores. With --strict any \
warning or fault makes the exit status 1.";

const ENGINE_SETTINGS: &str = "\
Engine settings:
  cmd=COMMAND         command line, in shell syntax
  conf=NAME           settings of this name from engines.json in the working directory, or the preset gtp-rhino or
                      fairy-stockfish, instead of cmd
  args=ARGUMENTS      further arguments, in shell syntax
  arg=ARGUMENT        one further argument; may be repeated
  dir=DIR             working directory
  name=NAME           name in tables and records [default: the program's]
  proto=PROTOCOL      ugi, uci, gtp or nboard [default: ugi]
  option.NAME=VALUE   engine option
  initstr=LINE        line to send unchanged before the options
  tc=[MOVES/][MINUTES:]SECONDS[+INCREMENT]
                      clock
  tc=MOVES/SECONDS[+INCREMENT]:...
                      clock of several stages, as in PGN: 40/60:20/30
  st=SECONDS          fixed time per move
  depth=N             depth limit
  nodes=N             node limit
  timemargin=MS       how late a move may be [default: 0; with st: 100]
  restart=on|off      start a new process for every game
  ponder=on|off       search on the opponent's time (uci)
  pass=WORD|implicit  how passes are written
  stderr=FILE         file to which its standard error is appended

UGI and UCI engines list their options. An option that the engine does not list, or a value that the option does not \
accept, is an error before the first game (see --lenient).

The time of a stage is added when it begins. The last stage repeats, or covers the rest of the game without MOVES/. \
A:B is in minutes and seconds if A is a whole number and B is below 60: write 40/60+0:30 for 40 moves in 60 seconds, \
then 30 seconds for the rest.

GTP transmits times in whole seconds, the later stages of a clock only by time_left, and has no depth or node limit. \
NBoard has a depth limit only. A note before the first game and in the report lists the limits that an engine does \
not receive; the runner enforces the clock anyway.

Every engine is started once before anything is written. Only one process can run the tournament of a folder; \
--report and --replay can read it at the same time. Engines exit with the runner, and so do the processes that they \
start, on Linux also in sessions of their own (unless they clear their environment: the variable NULLWINDOW_RUN marks \
them). If the runner is killed by SIGKILL on a system other than Linux and Windows, engines that ignore the end of \
their input keep running.";

const REPORTING: &str = "\
While games are played, each finished game is a line on standard output, with the path of its log if it has a fault; \
with --json all lines go to standard error. A line of --log has the time, the number of the game (0 before the first), \
the engine, the direction (< sent to the engine, > received from it, ! its standard error) and the text. Lines are in \
the file as soon as they arrive, in order of arrival. If the disk is too slow for the output of the engines, the \
engines wait.

At the end the runner prints its own times and those of each engine: the round trip of a reply (from sending the \
position until the engine is ready; includes its queries), and the excess of a move (from go to bestmove, beyond the \
time that the engine reported last, in whole milliseconds).

Discs per pair is the mean difference of discs over a pair of games, with its standard error. If both engines start \
from the same opening with colors swapped, it is the discs that the other engine lost by its errors against exact \
play, less those that this one lost, whatever the exact score of the opening.";

const EXAMPLE: &str = "\
Example:
  nullwindow tournament --engine cmd=./nullwindow name=new --engine cmd=./old name=old \\
    --each tc=1+0.01 option.Hash=16 --game othello --rounds 100 --concurrency 2 --out match";

const MIGRATION: &str = "\
Command lines of fastchess and cutechess-cli: flags with one dash are theirs. Notes, which the record keeps, name what \
has no effect and which default applies. Scores are in hundredths of a point, in Othello of a disc.";

fn timeout_ms(seconds: &str) -> Result<u64> {
    milliseconds(seconds)
        .filter(|ms| (1..=1_000_000_000).contains(ms))
        .context("expected 0.001 to 1000000 seconds")
}

/// Parses the `key=value` words of an option, whose keys are the options of `T`.
///
/// # Errors
/// If a key is unknown or missing, or a value is invalid.
pub fn parse_key_values<T: Parser>(option: &str, words: &[String]) -> Result<T> {
    let words = words.iter().map(|word| format!("--{word}"));
    T::try_parse_from([option.to_owned()].into_iter().chain(words)).map_err(|error| {
        let text = error.to_string().replace("--", "");
        let (what, _) = text
            .trim_start_matches("error: ")
            .split_once("\n\n")
            .unwrap_or((&text, ""));
        anyhow!("{option}: {}", what.replace('\n', " "))
    })
}

/// The words of each `--engine` (clap's derive would concatenate them).
#[derive(Clone, Debug, Default)]
pub(super) struct EngineArgs(pub(super) Vec<Vec<String>>);

impl FromArgMatches for EngineArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engines = matches.get_occurrences::<String>("engine");
        Ok(EngineArgs(engines.map_or_else(Vec::new, |all| {
            all.map(|words| words.cloned().collect()).collect()
        })))
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
                .help("Add an engine (settings: see below); once per engine"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
