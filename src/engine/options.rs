//! The options. A row of [`OPTIONS`] is all there is about an option: its name, the kind, default
//! and range of its values, how it is set, its effect on the engine, and its help. [`Options`], the
//! listings of all protocols and the table in protocol.md are generated from it.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use thiserror::Error;

use super::strength::{ELO_MAX, ELO_MIN, STRENGTH_MAX, Strength};
use crate::book::file::BookFile;
use crate::book::{self, BookChoice, VARIETY_MAX};
use crate::game::{Game as _, quoted};
use crate::games::any::{AnyGame, AnyPosition, GAMES, NAMES};
use crate::games::dispatch;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::eval as scorefour;
use crate::logging::logger;
use crate::platform::clock::HAS_THREADS;
use crate::platform::files;
use crate::platform::memory::free_mebibytes;
use crate::search::core::isa::IsaChoice;
use crate::search::levels::level;
use crate::search::table::Table;
use crate::search::{Algorithm, Answer, AnyWeights, Goal, Limits, Observer, Settings};

/// The kind of an option's values, as in UCI: its default and range, and the function that sets it.
pub enum Kind {
    /// `true` or `false`.
    Check(bool, fn(&mut Options, bool)),
    /// A whole number.
    Spin(u32, RangeInclusive<u32>, fn(&mut Options, u32)),
    /// One of these words; the first is the default. `None`: this CPU does not support it.
    Combo(
        Vec<&'static str>,
        fn(&mut Options, &'static str) -> Option<()>,
    ),
    /// The name of a file. `None`: the default; an error is the reason why the file cannot be used.
    File(
        &'static str,
        fn(&mut Options, Option<&str>) -> Result<(), String>,
    ),
    /// No value.
    Button,
}

/// What the engine does after an option was set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// It sets up the game and allocates a new transposition table.
    NewGame,
    /// It clears the table, whose scores come from the old weights, and measures the node rate
    /// again.
    NewWeights,
    /// It measures the node rate again.
    NewSpeed,
    /// It allocates a new table.
    Resize,
    /// It clears the table.
    Clear,
    /// It prints the next accuracy note, even if it is a known reason.
    NewNote,
    /// It logs to the new file.
    NewLog,
}

/// A row of the table.
pub struct OptionSpec {
    /// Its name, case-insensitive.
    pub name: &'static str,
    /// Its values.
    pub kind: Kind,
    /// Its effect, besides the new value.
    pub effect: Effect,
    /// Its description, one line.
    pub help: &'static str,
}

/// An empty value in UCI.
pub const EMPTY: &str = "<empty>";

/// The largest number of search threads.
const MAX_THREADS: u32 = if HAS_THREADS { 256 } else { 1 };
/// The largest `Book Seed`.
pub const SEED_MAX: u32 = i32::MAX as u32;

/// The seed of `Book Seed` 0.
static PROCESS_SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// The table, in the order of the listing.
pub static OPTIONS: LazyLock<[OptionSpec; 26]> = LazyLock::new(|| {
    use Effect::{Clear, NewGame, NewLog, NewNote, NewSpeed, NewWeights, Nothing, Resize};
    use Kind::{Button, Check, Combo, File, Spin};
    let row = |name, kind, effect, help| OptionSpec {
        name,
        kind,
        effect,
        help,
    };
    let variants = GAMES
        .iter()
        .filter_map(|game| game.uci)
        .filter(|name| !NAMES.contains(name));
    let levels = ["auto", "50", "73", "87", "95", "98", "99", "100"];
    [
        row(
            "Game",
            Combo(NAMES.into(), |o, game| {
                (o.game, o.drops) = (game, false);
                Some(())
            }),
            NewGame,
            "game; also sets up its starting position",
        ),
        row(
            "UCI_Variant",
            Combo(NAMES.into_iter().chain(variants).collect(), |o, name| {
                // The names that UCI clients define select their notation of moves, too.
                let game = GAMES.iter().find(|game| game.uci == Some(name));
                (o.game, o.drops) = game.map_or((name, false), |game| (game.name, true));
                Some(())
            }),
            NewGame,
            "alias of `Game` with the names that UCI clients use (UCI only)",
        ),
        row(
            "Algorithm",
            Combo(Algorithm::ALL.map(Algorithm::name).into(), |o, name| {
                Algorithm::by_name(name).map(|algorithm| o.settings.algorithm = algorithm)
            }),
            NewSpeed,
            "search algorithm; all but `auto` search full width to the given depth",
        ),
        row(
            "Table",
            Check(true, |o, on| o.settings.table = on),
            Nothing,
            "use the transposition table",
        ),
        row(
            "Deepening",
            Check(true, |o, on| o.settings.deepening = on),
            Nothing,
            "use iterative deepening",
        ),
        row(
            HASH,
            Spin(64, 1..=65_536, |o, size| o.hash = size),
            Resize,
            "size of the transposition table in MiB",
        ),
        row("Clear Hash", Button, Clear, "clear the transposition table"),
        row(
            "Threads",
            Spin(1, 1..=MAX_THREADS, |o, number| {
                o.settings.threads = number as usize
            }),
            NewSpeed,
            "number of search threads; with one, searches are reproducible",
        ),
        row(
            "MultiPV",
            Spin(1, 1..=64, |o, lines| o.multi_pv = lines),
            Nothing,
            "number of best moves to search and print",
        ),
        row(
            "Move Overhead",
            Spin(10, 0..=10_000, |o, time| o.move_overhead = time),
            Nothing,
            "milliseconds subtracted from every time limit",
        ),
        row(
            "Depth",
            Spin(0, 0..=60, |o, depth| o.depth = depth),
            Nothing,
            "search depth of GTP's `genmove` and `reg_genmove`; 0: use the clock",
        ),
        row(
            "Exact Nodes",
            Check(false, |o, on| o.exact_nodes = on),
            Nothing,
            "make `nodes` the only limit of `go nodes N`",
        ),
        row(
            "Show Accuracy",
            Check(false, |o, on| o.show_accuracy = on),
            NewNote,
            "print the measured error of scores (`othello` only)",
        ),
        row(
            "Strength",
            Spin(0, 0..=STRENGTH_MAX, |o, discs| o.strength = discs),
            Nothing,
            "expected loss in discs per game on 8x8; 0: full strength (disc games only)",
        ),
        row(
            "UCI_LimitStrength",
            Check(false, |o, on| o.limit_strength = on),
            Nothing,
            "use `UCI_Elo` in place of `Strength` (UCI only)",
        ),
        row(
            "UCI_Elo",
            Spin(ELO_MAX, ELO_MIN..=ELO_MAX, |o, elo| o.elo = elo),
            Nothing,
            "strength in Elo; the maximum is full strength (UCI only)",
        ),
        row(
            "Ponder",
            Check(false, |_, _| {}),
            Nothing,
            "ignored: `go ponder` always works (UCI only)",
        ),
        row(
            "PassMove",
            Combo(vec!["pass", "0000", "implicit"], |o, word| {
                o.pass_move = match word {
                    "0000" => MoveFormat::ZeroPass,
                    "implicit" => MoveFormat::ImplicitPass,
                    _ => MoveFormat::Native,
                };
                Some(())
            }),
            Nothing,
            "notation of passes; `implicit`: forced passes are played automatically and not printed",
        ),
        row(
            "Kernel",
            Combo(IsaChoice::ALL.map(IsaChoice::name).into(), |o, name| {
                let mut usable = IsaChoice::ALL
                    .into_iter()
                    .filter(|kernel| kernel.is_available());
                let kernel = usable.find(|kernel| kernel.name() == name);
                kernel.map(|kernel| o.settings.isa = kernel)
            }),
            NewSpeed,
            "instruction set; `auto`: the best available; never changes results",
        ),
        row(
            "Selectivity",
            Combo(levels.into(), |o, percent| {
                o.settings.selectivity = percent.parse().ok().and_then(level);
                Some(())
            }),
            Nothing,
            "accuracy of the selective search in percent; 100: full width; `auto`: by game and depth",
        ),
        row(
            "EvalFile",
            File("built-in", |o, file| {
                file.map(read_weights)
                    .transpose()
                    .map(|weights| o.settings.weights = weights)
            }),
            NewWeights,
            "weights for Othello or Score Four, written by `nullwindow lab train eval`",
        ),
        row(
            "Book File",
            File(EMPTY, |o, file| {
                let opened = file.map(|file| BookFile::open(Path::new(file))).transpose();
                opened.map(|book| o.book = book.map(Arc::new))
            }),
            Nothing,
            "opening book, written by `nullwindow book`; empty: none",
        ),
        row(
            "OwnBook",
            Check(true, |o, on| o.own_book = on),
            Nothing,
            "play the moves of the book in `Book File`",
        ),
        row(
            "Book Variety",
            Spin(0, 0..=VARIETY_MAX, |o, discs| o.book_variety = discs),
            Nothing,
            "discs that the moves of the book in a game may be worse than the best ones",
        ),
        row(
            "Book Seed",
            Spin(1, 0..=SEED_MAX, |o, seed| o.book_seed = seed),
            Nothing,
            "random seed of the choice among moves of the book; 0: new for each process",
        ),
        row(
            "Debug Log File",
            File(EMPTY, |o, file| {
                if file.is_some() && !logger::is_started() {
                    return Err("this program has its own log".into());
                }
                let opened = file.map(|file| open_log(Path::new(file))).transpose();
                opened
                    .map(|file| o.log_file = file.map(Arc::new))
                    .map_err(|error| error.to_string())
            }),
            NewLog,
            "append all input, output and log messages to this file, which is a log or new; empty: off",
        ),
    ]
});

impl OptionSpec {
    /// The option of that name.
    pub fn by_name(name: &str) -> Option<&'static OptionSpec> {
        OPTIONS
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether only UCI lists it.
    pub fn is_uci_only(&self) -> bool {
        self.name.starts_with("UCI_") || self.name == "Ponder"
    }

    /// The default as text; a button has none.
    pub fn default(&self) -> Option<String> {
        match &self.kind {
            Kind::Check(default, _) => Some(default.to_string()),
            Kind::Spin(default, ..) => Some(default.to_string()),
            Kind::Combo(words, _) => words.first().map(|&word| word.into()),
            Kind::File(default, _) => Some((*default).into()),
            Kind::Button => None,
        }
    }

    /// The accepted values as text.
    pub fn expected(&self) -> String {
        match &self.kind {
            Kind::Check(..) => "true or false".into(),
            Kind::Spin(_, range, _) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            Kind::Combo(words, _) => format!("one of {}", words.join(", ")),
            Kind::File(EMPTY, _) => "a file or nothing".into(),
            Kind::File(default, _) => format!("a file or {default}"),
            Kind::Button => "no value".into(),
        }
    }
}

/// The notation of moves and positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MoveFormat {
    /// The game's own notation.
    #[default]
    Native,
    /// The same, but passes are written as `0000`.
    ZeroPass,
    /// The same, but forced passes are played automatically and never written.
    ImplicitPass,
    /// The notation of UCI clients: drops (`P@e3`, `e3e3`).
    Uci,
}

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the game.
    pub game: &'static str,
    /// Whether moves are written as drops (selected by a UCI name of the game).
    pub drops: bool,
    /// Algorithm, table, deepening, instruction set and others.
    pub settings: Settings,
    /// Size of the transposition table in MiB.
    pub hash: u32,
    /// MultiPV.
    pub multi_pv: u32,
    /// Milliseconds subtracted from time limits.
    pub move_overhead: u32,
    /// Depth of GTP's searches; 0: by the clock.
    pub depth: u32,
    /// Whether a node limit is the only limit.
    pub exact_nodes: bool,
    /// Whether the accuracy of scores is printed.
    pub show_accuracy: bool,
    /// Discs to lose per game; 0: full strength.
    pub strength: u32,
    /// Whether `elo` sets the strength.
    pub limit_strength: bool,
    /// The strength in Elo.
    pub elo: u32,
    /// The notation of passes.
    pub pass_move: MoveFormat,
    /// The opening book.
    pub book: Option<Arc<BookFile>>,
    /// Whether its moves are played.
    pub own_book: bool,
    /// Discs that its moves may be worse than the best one.
    pub book_variety: u32,
    /// The seed of the choice; 0: new for each process.
    pub book_seed: u32,
    /// The open file of the log, if there is one.
    pub log_file: Option<Arc<File>>,
}

impl Default for Options {
    /// The defaults of the table.
    fn default() -> Self {
        let mut options = Options {
            game: NAMES[0],
            drops: false,
            settings: Settings::default(),
            hash: 0,
            multi_pv: 0,
            move_overhead: 0,
            depth: 0,
            exact_nodes: false,
            show_accuracy: false,
            strength: 0,
            limit_strength: false,
            elo: 0,
            pass_move: MoveFormat::default(),
            book: None,
            own_book: false,
            book_variety: 0,
            book_seed: 0,
            log_file: None,
        };
        for option in OPTIONS.iter() {
            match option.kind {
                Kind::Check(default, set) => set(&mut options, default),
                Kind::Spin(default, _, set) => set(&mut options, default),
                Kind::Combo(..) | Kind::File(..) | Kind::Button => {} // as above
            }
        }
        options
    }
}

impl Options {
    /// Searches a position with these settings, without reports. The caller clears the table.
    pub fn search(&self, position: AnyPosition, table: &Table, limits: &Limits) -> Answer {
        let observer = &mut Observer::default();
        dispatch::think(position, &self.settings, table, limits, observer)
    }

    /// Sets an option by name and returns the effect, which is up to the caller; on an error
    /// nothing changes.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let spec = OptionSpec::by_name(name).ok_or_else(|| OptionError::Unknown(name.into()))?;
        let value = value.filter(|value| !value.eq_ignore_ascii_case(EMPTY));
        let (name, value) = (spec.name, value.unwrap_or_default());
        if value.is_empty() && !matches!(spec.kind, Kind::Button | Kind::File(EMPTY, _)) {
            return Err(OptionError::NoValue {
                name,
                expected: spec.expected(),
            });
        }
        let bad_value = || OptionError::BadValue {
            name,
            value: value.into(),
            expected: spec.expected(),
        };
        let unusable = |reason| OptionError::Unusable { name, reason };
        match &spec.kind {
            Kind::Check(_, set) => set(
                self,
                value
                    .to_ascii_lowercase()
                    .parse()
                    .map_err(|_| bad_value())?,
            ),
            Kind::Spin(_, range, set) => {
                let number = value
                    .parse()
                    .ok()
                    .filter(|number| range.contains(number))
                    .ok_or_else(bad_value)?;
                if spec.effect == Effect::Resize {
                    check_memory(number, self.hash).map_err(unusable)?;
                }
                set(self, number);
            }
            Kind::Combo(words, set) => {
                let word = words
                    .iter()
                    .find(|word| word.eq_ignore_ascii_case(value))
                    .ok_or_else(bad_value)?;
                set(self, word)
                    .ok_or_else(|| unusable(format!("this CPU does not support {word}")))?;
            }
            Kind::File(default, set) => {
                let file = Some(value)
                    .filter(|file| !file.is_empty() && !file.eq_ignore_ascii_case(default));
                set(self, file)
                    .map_err(|reason| unusable(format!("\"{}\": {reason}", quoted(value))))?;
            }
            // variantfishtest presses buttons by `true`.
            Kind::Button if !["", "true"].contains(&value) => return Err(bad_value()),
            Kind::Button => {}
        }
        Ok(spec.effect)
    }

    /// The strength; `None`: full.
    pub fn strength(&self) -> Option<Strength> {
        if self.limit_strength {
            Strength::by_elo(self.elo)
        } else {
            Strength::by_discs(self.strength.into())
        }
    }

    /// The game of the weights of `EvalFile`.
    pub fn weights_game(&self) -> Option<&'static str> {
        let weights = self.settings.weights.as_ref()?;
        Some(if weights.is::<scorefour::ScoreFourEvaluator>() {
            ScoreFour::NAME
        } else {
            Othello::NAME
        })
    }

    /// The move of the book, if a search under these limits would only find a move to play.
    ///
    /// # Errors
    /// A note: the book belongs to another game or is damaged, and a search is needed.
    pub fn book_choice(
        &self,
        root: &AnyGame,
        limits: &Limits,
    ) -> Result<Option<BookChoice>, String> {
        let is_usual = limits.goal == Goal::BestMove
            && limits.multi_pv == 1
            && limits.moves.is_empty()
            && self.strength().is_none();
        let Some(book) = self.book.as_ref().filter(|_| self.own_book && is_usual) else {
            return Ok(None);
        };
        let (game, name) = (book.header.game, root.name());
        if game != name {
            return Err(format!("Book File is a book of {game}: not used in {name}"));
        }
        let seed = match self.book_seed {
            0 => *PROCESS_SEED,
            seed => seed.into(),
        };
        book::choose(root, self.book_variety, seed, &|key| book.find(key))
            .map_err(|error| format!("error: Book File: {}: {error}", book.path.display()))
    }
}

/// The error of an option that cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option of that name.
    #[error(
        "unknown option \"{}\", expected one of {}",
        quoted(.0),
        OPTIONS.each_ref().map(|option| option.name).join(", ")
    )]
    Unknown(String),
    /// The value is missing.
    #[error("{name}: missing value, expected {expected}")]
    NoValue {
        /// The option.
        name: &'static str,
        /// The accepted values.
        expected: String,
    },
    /// The value is not accepted.
    #[error("{name}: invalid value \"{}\", expected {expected}", quoted(.value))]
    BadValue {
        /// The option.
        name: &'static str,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// The value cannot be used on this machine.
    #[error("{name}: {reason}")]
    Unusable {
        /// The option.
        name: &'static str,
        /// The reason.
        reason: String,
    },
}

/// Reads the weights in a file.
fn read_weights(file: &str) -> Result<AnyWeights, String> {
    let bytes = files::read_regular(Path::new(file), files::WEIGHTS_LIMIT)
        .map_err(|error| error.to_string())?;
    // Score Four's weights are text with a title or a comment first, Othello's a binary file with
    // its own header.
    Ok(match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with("title: ") || text.starts_with('#') => Arc::new(
            scorefour::ScoreFourEvaluator::from_text(text).map_err(|error| error.to_string())?,
        ),
        _ => Arc::new(OthelloEvaluator::from_file(&bytes).map_err(|error| error.to_string())?),
    })
}

/// The name of the option of the table's size.
pub const HASH: &str = "Hash";

/// The memory in MiB that the program needs beside the table: weights, stacks, the allocator's
/// reserves.
const BESIDE_TABLE: u64 = 256;

/// The memory in MiB that a larger table leaves to the rest of a running program.
const SPARE: u64 = 16;

/// The largest table of at most `wanted` MiB for which there is memory beside everything else; at
/// least 1 MiB. All of it if the system does not report its free memory.
pub fn affordable_hash(wanted: u32) -> u32 {
    let free = free_mebibytes(0).unwrap_or(u64::MAX);
    let most = free.saturating_sub(BESIDE_TABLE).max(1);
    wanted.min(u32::try_from(most).unwrap_or(u32::MAX))
}

/// The largest table in MiB with 32-bit addresses: a second one (the solver of Score Four has its
/// own) must fit beside it.
const MOST_IN_32_BITS: u32 = 1_024;

/// Checks that a table of `wanted` MiB fits into memory in place of the current one. With 64-bit
/// addresses, any size passes if the system does not report its free memory.
///
/// # Errors
/// With both sizes.
fn check_memory(wanted: u32, present: u32) -> Result<(), String> {
    if usize::BITS < 64 && wanted > MOST_IN_32_BITS {
        return Err(format!(
            "cannot allocate {wanted} MiB, at most {MOST_IN_32_BITS} MiB with 32-bit addresses"
        ));
    }
    match free_mebibytes(present.into()) {
        Some(free) if wanted > present && u64::from(wanted) + SPARE > free => Err(format!(
            "cannot allocate {wanted} MiB, {free} MiB available"
        )),
        _ => Ok(()),
    }
}

/// Opens a new file, or one that is a log, for appending.
fn open_log(path: &Path) -> io::Result<File> {
    let file = files::append_regular(path)?;
    let mut start = Vec::new();
    let reader = files::open_regular(path)?;
    reader.take(logger::LONGEST_HEAD).read_to_end(&mut start)?;
    if !logger::begins_log(&start) {
        return Err(io::Error::other("the file exists and is not a log"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::levels::LEVELS;

    #[test]
    fn every_option_is_set_by_its_name_and_its_default_changes_nothing() {
        let defaults = format!("{:?}", Options::default());
        for option in OPTIONS.iter() {
            let mut options = Options::default();
            assert_eq!(
                options.set(&option.name.to_uppercase(), option.default().as_deref()),
                Ok(option.effect)
            );
            assert_eq!(format!("{options:?}"), defaults, "{}", option.name);
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_search_and_full_strength() {
        let options = Options::default();
        assert_eq!(
            format!("{:?}", options.settings),
            format!("{:?}", Settings::default())
        );
        assert_eq!(options.strength(), None);
        let Some(OptionSpec {
            kind: Kind::Combo(levels, _),
            ..
        }) = OptionSpec::by_name("Selectivity")
        else {
            panic!()
        };
        assert_eq!(levels[1..], LEVELS.map(|level| level.percent.to_string()));
    }

    #[test]
    fn a_variant_is_a_game_and_a_spelling_and_the_last_one_set_counts() {
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
            assert_eq!(
                (options.game, options.drops),
                (game, drops),
                "{name} {value}"
            );
        }
        assert!(options.set("UCI_Variant", Some("chess")).is_err());
    }

    #[test]
    fn invalid_values_are_explained_and_change_nothing() {
        let mut options = Options::default();
        let mut error = |name, value| options.set(name, value).unwrap_err().to_string();
        assert_eq!(
            error("hash", Some("abc")),
            "Hash: invalid value \"abc\", expected a whole number from 1 to 65536"
        );
        assert_eq!(
            error("Hash", Some("0")),
            "Hash: invalid value \"0\", expected a whole number from 1 to 65536"
        );
        assert_eq!(
            error("table", Some("yes")),
            "Table: invalid value \"yes\", expected true or false"
        );
        assert_eq!(
            error("clear hash", Some("3")),
            "Clear Hash: invalid value \"3\", expected no value"
        );
        assert_eq!(
            error("table", None),
            "Table: missing value, expected true or false"
        );
        for empty in ["", "<empty>"] {
            assert_eq!(
                error("EvalFile", Some(empty)),
                "EvalFile: missing value, expected a file or built-in"
            );
        }
        assert_eq!(
            error("game", Some("chess")),
            format!(
                "Game: invalid value \"chess\", expected one of {}",
                NAMES.join(", ")
            )
        );
        assert!(
            error("Book", None)
                .starts_with("unknown option \"Book\", expected one of Game, UCI_Variant,")
        );
        assert_eq!(options.hash, 64);
    }
}
