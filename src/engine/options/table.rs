//! The table of options: name, type, default, range, help. The listings of all protocols and the table in protocol.md
//! are generated from it.

use crate::engine::strength::{ELO_MAX, ELO_MIN, STRENGTH_MAX};
use crate::games::any::{GAMES, NAMES};
use crate::search::Algorithm;
use crate::search::isa::IsaChoice;
use crate::search::levels::LEVELS;

/// Identifies an option.
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
    /// A file name; the word is the default, an empty one stands for no file.
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
    /// Its purpose, in one sentence.
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

/// The values of `UCI_Variant`: our names, then the others under which UCI clients know our games.
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

/// The name among UCI clients of a game that has another one here.
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

/// The game that a value of `UCI_Variant` names, and whether its moves are written as UCI clients do: true for the
/// names that they define themselves.
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
        help: "the game; setting it puts that game's starting position on the board",
    },
    OptionSpec {
        id: OptionId::UciVariant,
        name: "UCI_Variant",
        kind: OptionKind::Combo(&VARIANTS),
        help: "the game as clients of UCI name it (listed in UCI alone); it and `Game` are one, and the last one said \
               wins",
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
        help: "size of the transposition table in MiB; the solver of Score Four takes as much again, as far as there \
               is memory",
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
        kind: OptionKind::Spin { default: 1, min: 1, max: 256 },
        help: "how many threads search; with one, the same search visits the same nodes",
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
        help: "plies that GTP's `genmove` and `reg_genmove` search, in place of the clock and of the one second; 0: \
               by the clock; the other protocols say their own limits",
    },
    OptionSpec {
        id: OptionId::ExactNodes,
        name: "Exact Nodes",
        kind: OptionKind::Check { default: false },
        help: "whether `go nodes N` ends at N nodes and nowhere else: clocks and `movetime` beside it end no search; \
               so the searches of a game can be repeated with one thread, node for node",
    },
    OptionSpec {
        id: OptionId::ShowAccuracy,
        name: "Show Accuracy",
        kind: OptionKind::Check { default: false },
        help: "whether a search of Othello 8x8 says before its move how far such scores were from the truth; other \
               games and weights of `EvalFile` were not measured, which is said once",
    },
    OptionSpec {
        id: OptionId::Strength,
        name: "Strength",
        kind: OptionKind::Spin { default: 0, min: 0, max: STRENGTH_MAX },
        help: "how many discs the engine loses per game, expected against itself at full strength; 0: full strength; \
               for boards of discs, on smaller boards than 8x8 in proportion to their moves; the other games are \
               played at full strength",
    },
    OptionSpec {
        id: OptionId::LimitStrength,
        name: "UCI_LimitStrength",
        kind: OptionKind::Check { default: false },
        help: "whether `UCI_Elo` says the strength, in place of `Strength` (listed in UCI alone)",
    },
    OptionSpec {
        id: OptionId::Elo,
        name: "UCI_Elo",
        kind: OptionKind::Spin { default: ELO_MAX, min: ELO_MIN, max: ELO_MAX },
        help: "the strength in Elo if `UCI_LimitStrength` is set (listed in UCI alone); its maximum is full strength",
    },
    OptionSpec {
        id: OptionId::Ponder,
        name: "Ponder",
        kind: OptionKind::Check { default: false },
        help: "whether the user may let the engine ponder (listed in UCI alone); changes nothing: `go ponder` is \
               always read",
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
        help: "the instruction set to search with; `auto`: the best that the processor has; results \
               never differ; games solved at once (`othello4`, `diamond`, `diamond2`, `tictactoe`) have only portable \
               searches",
    },
    OptionSpec {
        id: OptionId::Selectivity,
        name: "Selectivity",
        kind: OptionKind::Combo(&SELECTIVITIES),
        help: "in how many of 100 positions a search has the score of a full-width search of the same depth, at \
               every depth that `Algorithm` `auto` finishes; measured on Othello by `nullwindow train levels` \
               (8 to 12 plies with 20 to 44 empties, to the end from 14 to 24; shallower searches have it more \
               often, deeper ones less: `73` in 62 of 100 at 14 plies); in Score Four how sure each single cut is, \
               in percent; `100`: full width; `auto`: Othello has 73 from depth 4 on, 6x6 Othello 100, both 100 at \
               last where the search reaches the end of the game, all other games have 100 at every depth; \
               `go exact` and `go wld` are proven whatever stands here",
    },
    OptionSpec {
        id: OptionId::EvalFile,
        name: "EvalFile",
        kind: OptionKind::File(BUILT_IN),
        help: "the weights of Othello's evaluation or of Score Four's, a file that `nullwindow train eval` wrote; the \
               other game keeps its own; a bad file changes nothing",
    },
    OptionSpec {
        id: OptionId::DebugLogFile,
        name: "Debug Log File",
        kind: OptionKind::File(""),
        help: "a file to which every line in and out and the log are appended, with the time; empty: none",
    },
];

/// The value of `EvalFile` that selects the embedded weights.
pub(super) const BUILT_IN: &str = "built-in";

/// An empty value as UCI writes it.
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

    /// Whether an empty value is one, and not a missing one.
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
