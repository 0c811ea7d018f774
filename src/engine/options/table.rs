//! The table of options: name, type, default, range, help. The listings of all protocols and the table in protocol.md
//! are generated from it.

use crate::engine::strength::{ELO_MAX, ELO_MIN, STRENGTH_MAX};
use crate::games::any::{GAMES, NAMES};
use crate::search::Algorithm;
use crate::search::isa::IsaChoice;
use crate::search::levels::LEVELS;

/// Identifies an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "described in the table")]
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
    ExactNodes,
    ShowAccuracy,
    Strength,
    LimitStrength,
    Elo,
    Ponder,
    PassMove,
    Kernel,
    Selectivity,
    EvalFile,
    DebugLogFile,
}

/// The type of an option's value, as in UCI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// An integer.
    Spin {
        /// The default.
        default: u32,
        /// The minimum.
        min: u32,
        /// The maximum.
        max: u32,
    },
    /// One of a list of words; the first is the default.
    Combo(&'static [&'static str]),
    /// A file name; the word is the default, empty for no file.
    File(&'static str),
    /// No value.
    Button,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The option.
    pub id: OptionId,
    /// Its name, case-insensitive.
    pub name: &'static str,
    /// The type of its value.
    pub kind: OptionKind,
    /// Its description, one line.
    pub help: &'static str,
}

pub(super) const ALGORITHMS: [&str; Algorithm::ALL.len()] = {
    let mut names = [""; Algorithm::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Algorithm::ALL[i].name();
        i += 1;
    }
    names
};

/// The selectivity levels in percent; a game without a model of the statistical cut searches full width at each.
pub(super) const SELECTIVITIES: [&str; LEVELS.len() + 1] = ["auto", "50", "73", "87", "95", "98", "99", "100"];

pub(super) const KERNELS: [&str; IsaChoice::ALL.len()] = {
    let mut names = [""; IsaChoice::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = IsaChoice::ALL[i].name();
        i += 1;
    }
    names
};

/// The values of `UCI_Variant`: nullwindow's names, then the different names that UCI clients use.
const VARIANTS: [&str; NAMES.len() + OTHER_NAMES] = {
    let mut names = [""; NAMES.len() + OTHER_NAMES];
    let (mut i, mut free) = (0, NAMES.len());
    while i < NAMES.len() {
        names[i] = NAMES[i];
        if let Some(name) = other_name(i) {
            names[free] = name;
            free += 1;
        }
        i += 1;
    }
    names
};

const OTHER_NAMES: usize = {
    let (mut i, mut count) = (0, 0);
    while i < NAMES.len() {
        count += other_name(i).is_some() as usize;
        i += 1;
    }
    count
};

/// The name that UCI clients use for a game, if it differs.
const fn other_name(game: usize) -> Option<&'static str> {
    match GAMES[game].uci {
        Some(name) if !same(name, GAMES[game].name) => Some(name),
        _ => None,
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The game that a value of `UCI_Variant` names, and whether it selects the UCI notation of moves: true for the names
/// that UCI clients define.
pub(super) fn variant(name: &'static str) -> (&'static str, bool) {
    match GAMES.iter().find(|game| game.uci == Some(name)) {
        Some(game) => (game.name, true),
        None => (name, false),
    }
}

/// The table, in the order of the listing.
pub const OPTIONS: [OptionSpec; 22] = [
    OptionSpec {
        id: OptionId::Game,
        name: "Game",
        kind: OptionKind::Combo(&NAMES),
        help: "game; also sets up its starting position",
    },
    OptionSpec {
        id: OptionId::UciVariant,
        name: "UCI_Variant",
        kind: OptionKind::Combo(&VARIANTS),
        help: "alias of `Game` with the names that UCI clients use (UCI only)",
    },
    OptionSpec {
        id: OptionId::Algorithm,
        name: "Algorithm",
        kind: OptionKind::Combo(&ALGORITHMS),
        help: "search algorithm; all but `auto` search full width to the given depth",
    },
    OptionSpec {
        id: OptionId::Table,
        name: "Table",
        kind: OptionKind::Check { default: true },
        help: "use the transposition table",
    },
    OptionSpec {
        id: OptionId::Deepening,
        name: "Deepening",
        kind: OptionKind::Check { default: true },
        help: "use iterative deepening",
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
        help: "clear the transposition table",
    },
    OptionSpec {
        id: OptionId::Threads,
        name: "Threads",
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        help: "number of search threads; with one, searches are reproducible",
    },
    OptionSpec {
        id: OptionId::MultiPv,
        name: "MultiPV",
        kind: OptionKind::Spin { default: 1, min: 1, max: 64 },
        help: "number of best moves to search and print",
    },
    OptionSpec {
        id: OptionId::MoveOverhead,
        name: "Move Overhead",
        kind: OptionKind::Spin { default: 10, min: 0, max: 10_000 },
        help: "milliseconds subtracted from every time limit",
    },
    OptionSpec {
        id: OptionId::Depth,
        name: "Depth",
        kind: OptionKind::Spin { default: 0, min: 0, max: 60 },
        help: "search depth of GTP's `genmove` and `reg_genmove`; 0: use the clock",
    },
    OptionSpec {
        id: OptionId::ExactNodes,
        name: "Exact Nodes",
        kind: OptionKind::Check { default: false },
        help: "make `nodes` the only limit of `go nodes N`",
    },
    OptionSpec {
        id: OptionId::ShowAccuracy,
        name: "Show Accuracy",
        kind: OptionKind::Check { default: false },
        help: "print the measured error of scores (`othello` only)",
    },
    OptionSpec {
        id: OptionId::Strength,
        name: "Strength",
        kind: OptionKind::Spin { default: 0, min: 0, max: STRENGTH_MAX },
        help: "expected loss in discs per game; 0: full strength (disc games only)",
    },
    OptionSpec {
        id: OptionId::LimitStrength,
        name: "UCI_LimitStrength",
        kind: OptionKind::Check { default: false },
        help: "use `UCI_Elo` in place of `Strength` (UCI only)",
    },
    OptionSpec {
        id: OptionId::Elo,
        name: "UCI_Elo",
        kind: OptionKind::Spin { default: ELO_MAX, min: ELO_MIN, max: ELO_MAX },
        help: "strength in Elo; the maximum is full strength (UCI only)",
    },
    OptionSpec {
        id: OptionId::Ponder,
        name: "Ponder",
        kind: OptionKind::Check { default: false },
        help: "ignored: `go ponder` always works (UCI only)",
    },
    OptionSpec {
        id: OptionId::PassMove,
        name: "PassMove",
        kind: OptionKind::Combo(&["pass", "0000", "implicit"]),
        help: "notation of passes; `implicit`: forced passes are played automatically and not printed",
    },
    OptionSpec {
        id: OptionId::Kernel,
        name: "Kernel",
        kind: OptionKind::Combo(&KERNELS),
        help: "instruction set; `auto`: the best available; never changes results",
    },
    OptionSpec {
        id: OptionId::Selectivity,
        name: "Selectivity",
        kind: OptionKind::Combo(&SELECTIVITIES),
        help: "accuracy of the selective search in percent; 100: full width; `auto`: by game and depth",
    },
    OptionSpec {
        id: OptionId::EvalFile,
        name: "EvalFile",
        kind: OptionKind::File(BUILT_IN),
        help: "weights for Othello or Score Four, written by `nullwindow train eval`",
    },
    OptionSpec {
        id: OptionId::DebugLogFile,
        name: "Debug Log File",
        kind: OptionKind::File(""),
        help: "append all input, output and log messages to this file; empty: off",
    },
];

/// The value of `EvalFile` that selects the embedded weights.
pub(super) const BUILT_IN: &str = "built-in";

/// An empty value in UCI.
pub const EMPTY: &str = "<empty>";

/// The table row of an option.
pub fn spec(id: OptionId) -> &'static OptionSpec {
    // The fallback is unreachable: a test checks that every id has its row.
    OPTIONS.iter().find(|option| option.id == id).unwrap_or(&OPTIONS[0])
}

impl OptionSpec {
    /// Whether only UCI lists it.
    pub fn is_uci_only(&self) -> bool {
        matches!(self.id, OptionId::UciVariant | OptionId::Ponder | OptionId::LimitStrength | OptionId::Elo)
    }

    /// Whether an empty value is valid.
    pub fn may_be_empty(&self) -> bool {
        self.kind == OptionKind::File("")
    }

    /// The accepted values as text.
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Check { .. } => "true or false".into(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Combo(words) => format!("one of {}", words.join(", ")),
            OptionKind::File("") => "a file or nothing".into(),
            OptionKind::File(default) => format!("a file or {default}"),
            OptionKind::Button => "nothing".into(),
        }
    }
}
