//! The options, in one table: name, kind, default, range, help. The listing of every protocol, the reading of values and
//! protocol.md's table come from it.

use std::sync::Arc;

use thiserror::Error;

use super::roster::Kernel;
use crate::game::quoted;
use crate::games::any;
use crate::othello::eval::Learnt;
use crate::scorefour::eval as scorefour;
use crate::search::prob_cut::{LEVELS, level};
use crate::search::{Algorithm, Settings, Weights};

/// Which option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the table says what each one is")]
pub enum OptionId {
    Game,
    UciVariant,
    Algorithm,
    Table,
    Deepening,
    Hash,
    ClearHash,
    Threads,
    MultiPv,
    MoveOverhead,
    Depth,
    Ponder,
    PassMove,
    Kernel,
    Selectivity,
    EvalFile,
}

/// What values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The value at the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The value at the start.
        default: u32,
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
    },
    /// One of a list of words; the first is the value at the start.
    Combo(&'static [&'static str]),
    /// A file; the word is the value at the start.
    File(&'static str),
    /// No value: it is pressed.
    Button,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Which option.
    pub id: OptionId,
    /// Its name; any case is read.
    pub name: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// What it is for, in one sentence.
    pub help: &'static str,
}

const ALGORITHMS: [&str; Algorithm::ALL.len()] = {
    let mut names = [""; Algorithm::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Algorithm::ALL[i].name();
        i += 1;
    }
    names
};

/// The percentages of the levels; a game without a model searches full width at each.
const SELECTIVITIES: [&str; LEVELS.len() + 1] = ["auto", "73", "87", "95", "98", "99", "100"];

const KERNELS: [&str; Kernel::ALL.len()] = {
    let mut names = [""; Kernel::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Kernel::ALL[i].name();
        i += 1;
    }
    names
};

/// The names under which clients of UCI know the disc boards; they move by drops (`P@e3`).
const FLIPELLO: [(&str, &str); 3] = [("flipello", "othello"), ("flipello6", "othello6"), ("flipello4", "othello4")];

const VARIANTS: [&str; any::NAMES.len() + FLIPELLO.len()] = {
    let mut names = [""; any::NAMES.len() + FLIPELLO.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = if i < any::NAMES.len() { any::NAMES[i] } else { FLIPELLO[i - any::NAMES.len()].0 };
        i += 1;
    }
    names
};

/// The game that a value of `UCI_Variant` names, and whether its moves are drops: such are the names that the clients of
/// UCI brought along, tic-tac-toe's among them.
fn variant(name: &'static str) -> (&'static str, bool) {
    match FLIPELLO.iter().find(|(theirs, _)| *theirs == name) {
        Some(&(_, game)) => (game, true),
        None => (name, name == "tictactoe"),
    }
}

/// The table, in the order of the listing.
pub const OPTIONS: [OptionSpec; 16] = [
    OptionSpec {
        id: OptionId::Game,
        name: "Game",
        kind: OptionKind::Combo(&any::NAMES),
        help: "the game; setting it puts that game's starting position on the board",
    },
    OptionSpec {
        id: OptionId::UciVariant,
        name: "UCI_Variant",
        kind: OptionKind::Combo(&VARIANTS),
        help: "the game as clients of UCI name it (listed in UCI alone); it and `Game` are one, and the last one said wins",
    },
    OptionSpec {
        id: OptionId::Algorithm,
        name: "Algorithm",
        kind: OptionKind::Combo(&ALGORITHMS),
        help: "how to search; all but `auto` search full width to exactly the depth asked",
    },
    OptionSpec {
        id: OptionId::Table,
        name: "Table",
        kind: OptionKind::Check { default: true },
        help: "whether the search has a transposition table",
    },
    OptionSpec {
        id: OptionId::Deepening,
        name: "Deepening",
        kind: OptionKind::Check { default: true },
        help: "whether the search deepens iteratively",
    },
    OptionSpec {
        id: OptionId::Hash,
        name: "Hash",
        kind: OptionKind::Spin { default: 64, min: 1, max: 65_536 },
        help: "size of the transposition table in MiB",
    },
    OptionSpec {
        id: OptionId::ClearHash,
        name: "Clear Hash",
        kind: OptionKind::Button,
        help: "forgets all that the transposition table holds",
    },
    OptionSpec {
        id: OptionId::Threads,
        name: "Threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: 1 },
        help: "how many threads search",
    },
    OptionSpec {
        id: OptionId::MultiPv,
        name: "MultiPV",
        kind: OptionKind::Spin { default: 1, min: 1, max: 64 },
        help: "how many best moves are found, each with a score and a line of its own, at one depth and selectivity",
    },
    OptionSpec {
        id: OptionId::MoveOverhead,
        name: "Move Overhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 10_000 },
        help: "milliseconds kept back from every time limit for the way to the user",
    },
    OptionSpec {
        id: OptionId::Depth,
        name: "Depth",
        kind: OptionKind::Spin { default: 0, min: 0, max: 60 },
        help: "plies that GTP's `genmove` and `reg_genmove` search, in place of the clock and of the one second; 0: by the clock; the \
               other protocols say their own limits",
    },
    OptionSpec {
        id: OptionId::Ponder,
        name: "Ponder",
        kind: OptionKind::Check { default: false },
        help: "whether the user may let the engine ponder (listed in UCI alone); changes nothing: `go ponder` is always read",
    },
    OptionSpec {
        id: OptionId::PassMove,
        name: "PassMove",
        kind: OptionKind::Combo(&["pass", "0000", "implicit"]),
        help: "how a pass is written; `implicit`: forced passes are played by the engine itself and never shown",
    },
    OptionSpec {
        id: OptionId::Kernel,
        name: "Kernel",
        kind: OptionKind::Combo(&KERNELS),
        help: "the instruction set to search with; `auto`: the best that the processor has; results never differ",
    },
    OptionSpec {
        id: OptionId::Selectivity,
        name: "Selectivity",
        kind: OptionKind::Combo(&SELECTIVITIES),
        help: "how sure statistical cuts are, in percent, at every depth that `Algorithm` `auto` finishes; `100`: full width; `auto`: \
               Othello 8x8 has 73 from depth 4 on, and 100 at last where the search reaches the end of the game, all other games have \
               100 at every depth; `go exact` and `go wld` are proven whatever stands here",
    },
    OptionSpec {
        id: OptionId::EvalFile,
        name: "EvalFile",
        kind: OptionKind::File(BUILT_IN),
        help: "the weights of Othello's evaluation or of Score Four's, a file that `nullwindow train eval` wrote; the other game \
               keeps its own; a bad file changes nothing",
    },
];

/// The evaluation that the binary carries.
const BUILT_IN: &str = "built-in";

/// How passes are written and shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PassMove {
    /// As `pass`.
    #[default]
    Pass,
    /// As `0000`.
    Zeros,
    /// Never: the engine plays forced passes itself.
    Implicit,
}

/// What all options stand at.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the game.
    pub game: &'static str,
    /// Whether it was chosen by a name of UCI's whose moves are drops.
    pub drops: bool,
    /// Algorithm, table, deepening.
    pub settings: Settings,
    /// Size of the table in MiB.
    pub hash: u32,
    /// How many threads search.
    pub threads: u32,
    /// How many best moves are found.
    pub multi_pv: u32,
    /// Milliseconds kept back from time limits.
    pub move_overhead: u32,
    /// Plies to search where the engine keeps its time itself; 0: as long as its clock says.
    pub depth: u32,
    /// How passes are written.
    pub pass_move: PassMove,
    /// The instruction set.
    pub kernel: Kernel,
}

impl Default for Options {
    fn default() -> Self {
        let spin = |id| match spec(id).kind {
            OptionKind::Spin { default, .. } => default,
            _ => 0,
        };
        Options {
            game: any::NAMES[0],
            drops: false,
            settings: Settings::default(),
            hash: spin(OptionId::Hash),
            threads: spin(OptionId::Threads),
            multi_pv: spin(OptionId::MultiPv),
            move_overhead: spin(OptionId::MoveOverhead),
            depth: spin(OptionId::Depth),
            pass_move: PassMove::default(),
            kernel: Kernel::default(),
        }
    }
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is no option of that name.
    #[error("unknown option \"{}\", expected one of {}", quoted(.0), OPTIONS.map(|option| option.name).join(", "))]
    Unknown(String),
    /// The option needs a value and none was given.
    #[error("{name}: no value, expected {expected}")]
    NoValue {
        /// The option.
        name: &'static str,
        /// What values it takes.
        expected: String,
    },
    /// The option does not take this value.
    #[error("{name}: bad value \"{}\", expected {expected}", quoted(.value))]
    BadValue {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What values it takes.
        expected: String,
    },
    /// The processor cannot run this kernel.
    #[error("Kernel: this processor has no {0}")]
    NoKernel(&'static str),
    /// The file holds no evaluation.
    #[error("EvalFile: \"{}\": {reason}", quoted(.file))]
    BadFile {
        /// What was given.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The table would not fit the memory.
    #[error("Hash: {wanted} MiB asked for, {free} MiB free")]
    NoMemory {
        /// MiB asked for.
        wanted: u32,
        /// MiB that the system could give.
        free: u64,
    },
}

/// The row of an option.
pub fn spec(id: OptionId) -> &'static OptionSpec {
    // Every id has its row (a test holds it); the first one is never reached as a stand-in.
    OPTIONS.iter().find(|option| option.id == id).unwrap_or(&OPTIONS[0])
}

impl OptionSpec {
    /// Whether only UCI's listing has it.
    pub fn is_for_uci(&self) -> bool {
        matches!(self.id, OptionId::UciVariant | OptionId::Ponder)
    }

    /// What values the option takes, in words.
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Check { .. } => "true or false".into(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Combo(words) => format!("one of {}", words.join(", ")),
            OptionKind::File(default) => format!("a file or {default}"),
            OptionKind::Button => "nothing".into(),
        }
    }

    fn bad(&self, value: &str) -> OptionError {
        OptionError::BadValue { name: self.name, value: value.into(), expected: self.expected() }
    }

    fn check(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.bad(value)),
        }
    }

    fn spin(&self, value: &str) -> Result<u32, OptionError> {
        let OptionKind::Spin { min, max, .. } = self.kind else { return Err(self.bad(value)) };
        value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| self.bad(value))
    }

    /// The word of a combo, as the table spells it.
    fn word(&self, value: &str) -> Result<&'static str, OptionError> {
        let OptionKind::Combo(words) = self.kind else { return Err(self.bad(value)) };
        words.iter().copied().find(|word| word.eq_ignore_ascii_case(value)).ok_or_else(|| self.bad(value))
    }
}

impl Options {
    /// Sets an option by its name and says which one it was; on an error nothing changes. What follows from it (a new
    /// board, a new table) is the caller's.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<OptionId, OptionError> {
        let spec = OPTIONS
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.into()))?;
        if spec.kind == OptionKind::Button {
            return Ok(spec.id);
        }
        let no_value = || OptionError::NoValue { name: spec.name, expected: spec.expected() };
        let value = value.filter(|value| !value.is_empty()).ok_or_else(no_value)?;
        match spec.id {
            OptionId::Game => (self.game, self.drops) = (spec.word(value)?, false),
            OptionId::UciVariant => (self.game, self.drops) = variant(spec.word(value)?),
            OptionId::Algorithm => {
                self.settings.algorithm = Algorithm::by_name(value).ok_or_else(|| spec.bad(value))?;
            }
            OptionId::Table => self.settings.table = spec.check(value)?,
            OptionId::Deepening => self.settings.deepening = spec.check(value)?,
            OptionId::Hash => self.hash = affordable(spec.spin(value)?, self.hash)?,
            OptionId::ClearHash => {}
            OptionId::Threads => self.threads = spec.spin(value)?,
            OptionId::MultiPv => self.multi_pv = spec.spin(value)?,
            OptionId::MoveOverhead => self.move_overhead = spec.spin(value)?,
            OptionId::Depth => self.depth = spec.spin(value)?,
            OptionId::Ponder => _ = spec.check(value)?,
            OptionId::PassMove => {
                self.pass_move = match spec.word(value)? {
                    "0000" => PassMove::Zeros,
                    "implicit" => PassMove::Implicit,
                    _ => PassMove::Pass,
                }
            }
            OptionId::Selectivity => {
                let word = spec.word(value)?;
                self.settings.selectivity = word.parse().ok().and_then(level);
            }
            OptionId::EvalFile => self.settings.weights = weights(value)?,
            OptionId::Kernel => {
                let kernel = Kernel::by_name(value).ok_or_else(|| spec.bad(value))?;
                self.kernel = Some(kernel).filter(|k| k.available()).ok_or(OptionError::NoKernel(kernel.name()))?;
            }
        }
        Ok(spec.id)
    }
}

/// The weights that a file holds; none for those that the binary carries.
fn weights(file: &str) -> Result<Option<Weights>, OptionError> {
    if file.eq_ignore_ascii_case(BUILT_IN) {
        return Ok(None);
    }
    let bad = |reason: String| OptionError::BadFile { file: file.into(), reason };
    let bytes = std::fs::read(file).map_err(|error| bad(error.to_string()))?;
    // Score Four's weights are text that says so, Othello's a file with a header of its own.
    Ok(Some(match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with(scorefour::weights::TITLE) => {
            Arc::new(scorefour::Learnt::from_text(text).map_err(|error| bad(error.to_string()))?)
        }
        _ => Arc::new(Learnt::from_file(&bytes).map_err(|error| bad(error.to_string()))?),
    }))
}

/// The size, if the memory can hold a table of it in place of the present one. Where the system does not tell, any size
/// passes: allocation itself would end the process, which a wrong value never may.
fn affordable(wanted: u32, present: u32) -> Result<u32, OptionError> {
    match free_mebibytes() {
        Some(free) if u64::from(wanted) > free + u64::from(present) => Err(OptionError::NoMemory { wanted, free }),
        _ => Ok(wanted),
    }
}

/// `MemAvailable` of Linux.
fn free_mebibytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_its_row_and_its_name_sets_it() {
        for option in OPTIONS {
            assert_eq!(spec(option.id).name, option.name);
            let value = match option.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo(words) => words[0].into(),
                OptionKind::File(default) => default.into(),
                OptionKind::Button => String::new(),
            };
            assert_eq!(Options::default().set(&option.name.to_uppercase(), Some(&value)), Ok(option.id));
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_table() {
        let options = Options::default();
        assert_eq!(spec(OptionId::Table).kind, OptionKind::Check { default: options.settings.table });
        assert_eq!(spec(OptionId::Deepening).kind, OptionKind::Check { default: options.settings.deepening });
        assert_eq!(ALGORITHMS[0], options.settings.algorithm.name());
        assert_eq!(KERNELS[0], options.kernel.name());
        assert_eq!(SELECTIVITIES[1..], LEVELS.map(|level| level.percent.to_string()));
        assert_eq!(options.settings.selectivity, None);
    }

    #[test]
    fn a_variant_is_a_game_and_a_spelling_and_the_last_word_counts() {
        let mut options = Options::default();
        for (name, value, game, drops) in [
            ("UCI_Variant", "flipello6", "othello6", true),
            ("uci_variant", "Othello6", "othello6", false),
            ("UCI_Variant", "tictactoe", "tictactoe", true),
            ("Game", "tictactoe", "tictactoe", false),
            ("UCI_Variant", "scorefour", "scorefour", false),
            ("UCI_Variant", "flipello", "othello", true),
        ] {
            options.set(name, Some(value)).unwrap();
            assert_eq!((options.game, options.drops), (game, drops), "{name} {value}");
        }
        assert!(options.set("UCI_Variant", Some("chess")).is_err());
    }

    #[test]
    fn bad_values_teach_and_change_nothing() {
        let mut options = Options::default();
        let mut error = |name, value| options.set(name, value).unwrap_err().to_string();
        assert_eq!(error("hash", Some("abc")), "Hash: bad value \"abc\", expected a whole number from 1 to 65536");
        assert_eq!(error("Hash", Some("0")), "Hash: bad value \"0\", expected a whole number from 1 to 65536");
        assert_eq!(error("table", Some("yes")), "Table: bad value \"yes\", expected true or false");
        assert_eq!(error("table", None), "Table: no value, expected true or false");
        assert_eq!(
            error("game", Some("chess")),
            format!("Game: bad value \"chess\", expected one of {}", any::NAMES.join(", "))
        );
        assert!(error("Book", None).starts_with("unknown option \"Book\", expected one of Game, UCI_Variant,"));
        assert_eq!(options.hash, 64);
    }
}
