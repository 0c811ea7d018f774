//! The command line of `nullwindow tournament`, modeled on fastchess.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Arg, Args, Command, Id, ValueEnum as _};

use super::config::TournamentConfig;
use super::config::key_values::{OfWords, Words};
use super::play::match_log::LogOptions;
use super::rules::warning::ReportFault;
use super::translation::{Translation, migration_table};

/// Arguments of `tournament`.
#[derive(Args, Clone, Debug)]
#[command(version, after_help = after_help())]
pub struct TournamentArgs {
    #[command(flatten)]
    pub(super) engines: Words<EngineList>,

    /// Set defaults for all engines, in the syntax of --engine; the settings of an engine take
    /// precedence
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) each: Vec<String>,

    /// Let a third UGI engine judge the game by queries (settings as for --engine), instead of the
    /// rules of this program or, where it lacks them, both players
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    pub(super) referee: Vec<String>,

    #[command(flatten)]
    pub(super) config: TournamentConfig,

    /// Write the record to this folder [default: a new one, named by the date]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) playing: PlayingArgs,

    /// Resume the interrupted tournament in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = new_match())]
    pub(super) resume: Option<PathBuf>,

    /// Write DIR/report.html, the report of the tournament in DIR, finished or not: one
    /// self-contained file
    #[arg(long, value_name = "DIR", conflicts_with_all = new_match(), conflicts_with_all = playing())]
    pub(super) report: Option<PathBuf>,

    /// Replay a move of the tournament in DIR node for node: the engine repeats its searches of the
    /// game up to PLY with their recorded node counts (GAME and PLY from 1, opening plies
    /// included); exit with status 1 if a result differs
    #[arg(long, num_args = 2, value_names = ["DIR", "GAME:PLY"], conflicts_with = "report")]
    #[arg(conflicts_with_all = new_match(), conflicts_with_all = playing())]
    pub(super) replay: Vec<String>,

    /// With --replay: draw the search tree, as the command explain does
    #[arg(long, requires = "replay", conflicts_with_all = ["--engine", "resume", "report", "compliance", "stats"])]
    pub(super) explain: bool,

    /// Check that an engine complies with UGI or UCI: its command, then settings as for --engine
    #[arg(long, num_args = 1.., value_name = "COMMAND", conflicts_with_all = ["report", "replay"])]
    #[arg(conflicts_with_all = new_match(), conflicts_with_all = playing())]
    pub(super) compliance: Vec<String>,

    /// Print Elo and LOS of a result, given as wins, losses and draws or as the pair counts LL LD
    /// WL DD WD WW (at least five games or pairs); may be combined with --sprt
    #[arg(long, num_args = 3..=6, value_name = "COUNT", conflicts_with_all = ["report", "replay", "compliance"])]
    #[arg(conflicts_with_all = new_match().into_iter().filter(|id| id != "--sprt"), conflicts_with_all = playing())]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000_000))]
    pub(super) stats: Vec<u64>,

    /// What the flags of other match runners became.
    #[arg(skip)]
    pub translation: Translation,
}

/// The options of a match that is new or resumed.
#[derive(Args, Clone, Debug)]
pub(super) struct PlayingArgs {
    /// Number of games to play in parallel [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,

    /// Exit with status 1 if there was any fault, late move or warning
    #[arg(long)]
    pub(super) strict: bool,

    /// Print the results as one JSON object on standard output, and everything else on standard
    /// error
    #[arg(long)]
    pub(super) json: bool,

    /// Print the standings after every N games; 0: at the end only
    #[arg(long, value_name = "N")]
    pub(super) ratinginterval: Option<u64>,

    /// Print also the runner's own times and the latencies of the engines, the checksum of the plan
    /// and the number of interim looks
    #[arg(long)]
    pub(super) show_latency: bool,

    #[command(flatten)]
    pub(super) log: Words<Option<LogOptions>>,
}

impl PlayingArgs {
    /// The words of a command line that belong to these options.
    pub(super) fn words_of(line: &[OsString]) -> impl Iterator<Item = String> {
        let command = PlayingArgs::augment_args(Command::new("options"));
        let mut is_own = false;
        line.iter().filter_map(move |word| {
            let word = word.to_string_lossy();
            if let Some(option) = word.strip_prefix("--") {
                let option = option.split('=').next();
                is_own = command.get_arguments().any(|own| own.get_long() == option);
            }
            is_own.then(|| word.into_owned())
        })
    }
}

/// The options of a struct.
fn options_of<T: Args>() -> Vec<Id> {
    let command = T::augment_args(Command::new("options"));
    let options = command.get_arguments().map(Arg::get_id);
    options.cloned().collect()
}

/// The options of a new match.
fn new_match() -> Vec<Id> {
    let others = ["--engine", "each", "referee", "out"].map(Id::from);
    [options_of::<TournamentConfig>(), others.into()].concat()
}

/// The options that apply only when games are played.
pub(super) fn playing() -> Vec<Id> {
    [options_of::<PlayingArgs>(), vec!["resume".into()]].concat()
}

/// The help text after the list of options.
fn after_help() -> String {
    let warnings = ReportFault::value_variants()
        .iter()
        .map(|fault| format!("  {fault:16}  {}\n", fault.explanation()));
    format!(
        "{ENGINE_SETTINGS}\n\n{JUDGING}\n\n{WARNINGS}\n{}\n{OTHER_WARNINGS}\n\n{REPORTING}\n\n{EXAMPLE}\n\n\
         {MIGRATION}\n{}",
        warnings.collect::<String>(),
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
  option.NAME=VALUE   engine option; GTP and NBoard have none: the commands NAME VALUE and set NAME VALUE
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
  book=FILE           option Book File (ugi, uci); option Book Seed is the number of the game unless it is set

UGI and UCI engines list their options. An option that the engine does not list, or a value that the option does not \
accept, is an error before the first game (see --lenient). So is a setting that an engine refuses: by \
\"info string error\", in GTP by \"?\", in NBoard by \"status error\".

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

const JUDGING: &str = "\
Other games: --game accepts the name of any game of two players without chance. If this program lacks its rules, both \
players answer the UGI queries gameover, result, p1turn and islegal MOVE at every move, and must agree; no clock runs \
meanwhile. With --referee a third engine decides, unless both players contradict it. A disagreement and a fault of the \
referee leave the game without a result. All engines must speak UGI. Openings are startpos or a file of lines such as \
startpos moves M... and fen POSITION moves M...; games without end need --maxmoves.";

const REPORTING: &str = "\
While games are played, each finished game is a line on standard output, with the path of its log if it has a fault; \
with --json all lines go to standard error. A line of --log has the time, the number of the game (0 before the first), \
the engine, the direction (< sent to the engine, > received from it, ! its standard error) and the text. Lines are in \
the file as soon as they arrive, in order of arrival. If the disk is too slow for the output of the engines, the \
engines wait.

With --show-latency the runner prints at the end its own times and those of each engine: the round trip of a reply \
(from sending the position until the engine is ready; includes its queries), and the excess of a move (from go to \
bestmove, beyond the time that the engine reported last, in whole milliseconds).

Standings: column vs1 has the games won, drawn and lost against the engine of rank 1 (--stats takes wins, losses, \
draws); +- and [] are 95 % intervals. Discs per pair is the mean difference of discs over a pair of games, with its \
standard error. If both engines start from the same opening with colors swapped, it is the discs that the other engine \
lost by its errors against exact play, less those that this one lost, whatever the exact score of the opening.";

const EXAMPLE: &str = "\
Example:
  nullwindow tournament --engine cmd=./nullwindow name=new --engine cmd=./old name=old \\
    --each tc=1+0.01 option.Hash=16 --game othello --rounds 100 --concurrency 2 --out match";

const MIGRATION: &str = "\
Command lines of fastchess and cutechess-cli: flags with one dash are theirs. Notes, which the record keeps, name what \
has no effect and which default applies. Scores are in hundredths of a point, in Othello of a disc.";

/// The words of each `--engine`.
#[derive(Clone, Debug)]
pub(super) struct EngineList(pub(super) Vec<Vec<String>>);

impl OfWords for EngineList {
    const OPTION: &'static str = "--engine";
    const HELP: &'static str = "Add an engine (settings: see below); once per engine";

    fn of_words(occurrences: &[Vec<String>]) -> Result<Self> {
        Ok(EngineList(occurrences.into()))
    }
}
