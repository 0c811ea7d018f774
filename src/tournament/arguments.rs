//! The command line of `nullwindow tournament`, modelled on fastchess.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::adjudicate::MAX_EXACT_EMPTIES;
use super::pairings::PairingFormat;
use super::report_fault::ReportFault;

/// Arguments of `tournament`.
#[derive(Args, Clone, Debug)]
#[command(after_help = after_help())]
pub struct TournamentArgs {
    #[command(flatten)]
    pub(super) engines: EngineArgs,

    /// Settings of all engines, as --engine takes them; an engine's own win
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) each: Vec<String>,

    /// Rounds: each pairing plays a pair of games, with swapped colours from the same opening; default: 1, with --sprt
    /// as many as its decision needs
    #[arg(long, value_name = "N")]
    pub(super) rounds: Option<u64>,

    /// Games at the same time
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,

    /// The pairings
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: PairingFormat,

    /// Gauntlet: the number of engines, the first ones, that play all others
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seeds: usize,

    /// Openings: file=PATH (positions or lists of moves, a line each, or games in GGF, PGN or games.jsonl), builtin
    /// (default), random or startpos; order=random|sequential, plies=N (the first N of each), start=N
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) openings: Vec<String>,

    /// Play a sequential test and stop when it is decided: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized|logistic
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) sprt: Vec<String>,

    /// Play on with options that an engine does not list, with a warning; by default they are an error
    #[arg(long)]
    pub(super) lenient: bool,

    /// Exit status 1 if there was any fault, late move or warning
    #[arg(long)]
    pub(super) strict: bool,

    /// Print one JSON object with the results on standard output, and all else on standard error
    #[arg(long, conflicts_with_all = ["report", "compliance", "stats", "replay"])]
    pub(super) json: bool,

    /// Restart an engine that dies or stalls (once per game) and continue, instead of losing the game
    #[arg(long)]
    pub(super) recover: bool,

    /// Adjudicate games as lost by a side's own scores: score=N (hundredths of a point) movecount=3 twosided=false
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) resign: Vec<String>,

    /// Adjudicate games as drawn by both sides' scores: score=N (hundredths of a point) movecount=8 movenumber=0
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) draw: Vec<String>,

    /// Adjudicate Reversi games with N or fewer empties by their exact score: the rest is solved, not played
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_EXACT_EMPTIES)))]
    pub(super) exact: Option<u8>,

    /// The random seed; by default a random one, which is printed and recorded
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// The folder of the record (default: a new one, named by the date)
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Seconds an engine may take to start, and to answer a command or a stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub(super) stall_timeout: f64,

    /// Seconds a search without a clock may send no info line before it is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub(super) think_timeout: f64,

    /// Give each game its own cores (default: with --concurrency, if there are enough cores)
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub(super) affinity: Option<bool>,

    /// Resume the interrupted tournament of a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_MATCH)]
    pub(super) resume: Option<PathBuf>,

    /// Write the report of a folder's tournament, finished or not: one HTML file that opens from disk
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) report: Option<PathBuf>,

    /// Repeat a move of a folder's tournament node for node: the engine's searches of that game by their recorded node
    /// counts, up to this ply (from 1, the opening counts); exit status 1 if the results differ
    #[arg(long, num_args = 2, value_names = ["DIR", "GAME:PLY"], conflicts_with = "report")]
    #[arg(conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) replay: Vec<String>,

    /// With --replay: draw the search, as the command explain does
    #[arg(long, requires = "replay", conflicts_with_all = ["engine", "resume", "report", "compliance", "stats"])]
    pub(super) explain: bool,

    /// Check that an engine complies with its protocol: its command, then settings as for --engine (proto=uci)
    #[arg(long, num_args = 1.., value_name = "COMMAND", conflicts_with_all = ["report", "replay"])]
    #[arg(conflicts_with_all = NEW_MATCH, conflicts_with_all = PLAYING)]
    pub(super) compliance: Vec<String>,

    /// Only compute Elo and LOS from wins, losses, draws, or from pairs LL LD WL DD WD WW; --sprt may be added. Below
    /// five games or pairs there is no estimate
    #[arg(long, num_args = 3..=6, value_name = "COUNT", conflicts_with_all = ["report", "replay", "compliance"])]
    #[arg(conflicts_with_all = &NEW_MATCH[..NEW_MATCH.len() - 1], conflicts_with_all = PLAYING)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000_000))]
    pub(super) stats: Vec<u64>,
}

/// The options that describe a new match, last what may be added to `--stats`.
const NEW_MATCH: [&str; 17] = [
    "engine",
    "each",
    "rounds",
    "format",
    "seeds",
    "openings",
    "lenient",
    "recover",
    "resign",
    "draw",
    "exact",
    "seed",
    "out",
    "stall_timeout",
    "think_timeout",
    "affinity",
    "sprt",
];
/// The options that have an effect where games are played.
const PLAYING: [&str; 4] = ["resume", "concurrency", "strict", "json"];

/// The text behind the list of options.
fn after_help() -> String {
    let width = ReportFault::ALL.iter().map(|fault| fault.name().len()).max().unwrap_or_default();
    let warnings = ReportFault::ALL.map(|fault| format!("  {:width$}  {}\n", fault.name(), fault.explanation()));
    format!("{ENGINE_SETTINGS}\n\n{WARNINGS}\n{}\n{OTHER_WARNINGS}\n\n{EXAMPLE}", warnings.concat())
}

const WARNINGS: &str = "\
Warnings: the runner checks every info line of every search of UGI and UCI engines. A fault there does not change the \
result of the game. It is recorded in games.jsonl, counted below the standings and listed by --report, as one of:";

const OTHER_WARNINGS: &str = "\
Other warnings: \"late within the margin\" (a move came after its time, but within timemargin), \"not as planned\" \
(the resumed tournament differs from the one that began), with --lenient an engine option that an engine does not \
list, and more searching threads than CPU cores. With --strict the exit status is 1 after any of these or a fault.";

const ENGINE_SETTINGS: &str = "\
Engine settings: cmd=COMMAND (in shell syntax) args=ARGUMENTS dir=DIR name=NAME proto=ugi|uci|gtp|nboard \
initstr=LINE option.NAME=VALUE, and limits: tc=[MOVES/][MINUTES:]SECONDS[+INCREMENT] st=SECONDS depth=N nodes=N \
timemargin=MS; restart=on|off (a new process for every game), ponder=on|off (UCI: thinking on \
the opponent's time), pass=WORD|implicit (the pass notation).

UGI and UCI engines list their options: before the first game, a name that an engine does not list, or a value that \
the option cannot have, ends the run with status 2 (see --lenient). GTP and NBoard engines list none.

GTP has times in whole seconds, and neither depth nor nodes; NBoard's protocol has a depth limit only. Limits that a \
protocol cannot express are noted before the first game and in the report; the runner enforces its clock nevertheless.


All engines are started once before anything is written. One process at a time runs the tournament of a folder; \
--report and --replay read it meanwhile. Engines end with the runner; after a SIGKILL of the runner on other systems \
than Linux and Windows, an engine that ignores the end of its input goes on.";

const EXAMPLE: &str = "\
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
pub(super) struct EngineArgs(pub(super) Vec<Vec<String>>);

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
