//! The options: their table ([`table`]), the parsing of their values ([`value`]), and the current values ([`Options`]).

mod table;
mod value;

use std::fs::File;
use std::sync::Arc;

use super::strength::Strength;
use crate::games::any::{self, AnyPosition, GAMES};
use crate::games::dispatch;
use crate::search::isa::IsaChoice;
use crate::search::levels::level;
use crate::search::table::Table;
use crate::search::{Algorithm, Answer, Limits, Observer, Settings};

pub use table::{EMPTY, OPTIONS, OptionId, OptionKind, spec};
pub use value::OptionError;

use table::variant;
use value::{affordable, log_file, weights};

/// The names and descriptions of the games.
pub fn games_with_descriptions() -> impl Iterator<Item = (&'static str, &'static str)> {
    GAMES.into_iter().map(|game| (game.name, game.about))
}

/// The notation of passes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PassMove {
    /// As `pass`.
    #[default]
    Pass,
    /// As `0000`.
    Zeros,
    /// Not at all: forced passes are played automatically.
    Implicit,
}

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the game.
    pub game: &'static str,
    /// Whether moves are written as drops (selected by a UCI name of the game).
    pub drops: bool,
    /// Algorithm, table, deepening.
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
    pub pass_move: PassMove,
    /// The instruction set.
    pub kernel: IsaChoice,
    /// The open file of the log, if there is one.
    pub log_file: Option<Arc<File>>,
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
            multi_pv: spin(OptionId::MultiPv),
            move_overhead: spin(OptionId::MoveOverhead),
            depth: spin(OptionId::Depth),
            exact_nodes: false,
            show_accuracy: false,
            strength: spin(OptionId::Strength),
            limit_strength: false,
            elo: spin(OptionId::Elo),
            pass_move: PassMove::default(),
            kernel: IsaChoice::default(),
            log_file: None,
        }
    }
}

impl Options {
    /// Searches a position with these settings, without reports. The caller clears the table.
    pub fn search(&self, position: AnyPosition, table: &Table, limits: &Limits) -> Answer {
        let mut observer = Observer { control: Arc::default(), report: &mut |_| () };
        dispatch::think(position, &self.settings, self.kernel, table, limits, &mut observer)
    }

    /// Sets an option by name and returns its id; on an error nothing changes. The effects (a new board, a new table)
    /// are up to the caller.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<OptionId, OptionError> {
        let spec = OPTIONS
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.into()))?;
        if spec.kind == OptionKind::Button {
            return Ok(spec.id);
        }
        let value = value.unwrap_or_default();
        if value.is_empty() && !spec.may_be_empty() {
            return Err(OptionError::NoValue { name: spec.name, expected: spec.expected() });
        }
        match spec.id {
            OptionId::Game => (self.game, self.drops) = (spec.word(value)?, false),
            OptionId::UciVariant => (self.game, self.drops) = variant(spec.word(value)?),
            OptionId::Algorithm => {
                self.settings.algorithm = Algorithm::by_name(value).ok_or_else(|| spec.bad_value(value))?;
            }
            OptionId::Table => self.settings.table = spec.check(value)?,
            OptionId::Deepening => self.settings.deepening = spec.check(value)?,
            OptionId::Hash => self.hash = affordable(spec.spin(value)?, self.hash)?,
            OptionId::ClearHash => {}
            OptionId::Threads => self.settings.threads = spec.spin(value)? as usize,
            OptionId::MultiPv => self.multi_pv = spec.spin(value)?,
            OptionId::MoveOverhead => self.move_overhead = spec.spin(value)?,
            OptionId::Depth => self.depth = spec.spin(value)?,
            OptionId::ExactNodes => self.exact_nodes = spec.check(value)?,
            OptionId::ShowAccuracy => self.show_accuracy = spec.check(value)?,
            OptionId::Strength => self.strength = spec.spin(value)?,
            OptionId::LimitStrength => self.limit_strength = spec.check(value)?,
            OptionId::Elo => self.elo = spec.spin(value)?,
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
            OptionId::EvalFile => self.settings.weights = weights(spec, value)?,
            OptionId::DebugLogFile => self.log_file = log_file(spec, value)?,
            OptionId::Kernel => {
                let kernel = IsaChoice::by_name(value).ok_or_else(|| spec.bad_value(value))?;
                self.kernel =
                    Some(kernel).filter(|kernel| kernel.is_available()).ok_or(OptionError::NoKernel(kernel.name()))?;
            }
        }
        Ok(spec.id)
    }

    /// The strength; `None`: full.
    pub fn strength(&self) -> Option<Strength> {
        match self.limit_strength {
            true => Strength::by_elo(self.elo),
            false => Strength::by_discs(self.strength.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::table::{ALGORITHMS, KERNELS, SELECTIVITIES};
    use super::*;
    use crate::search::levels::LEVELS;

    #[test]
    fn every_id_has_its_row_and_is_set_by_its_name() {
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
        assert_eq!(spec(OptionId::LimitStrength).kind, OptionKind::Check { default: options.limit_strength });
        assert_eq!(options.strength(), None);
        assert_eq!(spec(OptionId::Deepening).kind, OptionKind::Check { default: options.settings.deepening });
        assert_eq!(ALGORITHMS[0], options.settings.algorithm.name());
        assert_eq!(KERNELS[0], options.kernel.name());
        assert_eq!(SELECTIVITIES[1..], LEVELS.map(|level| level.percent.to_string()));
        assert_eq!(options.settings.selectivity, None);
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
            assert_eq!((options.game, options.drops), (game, drops), "{name} {value}");
        }
        assert!(options.set("UCI_Variant", Some("chess")).is_err());
    }

    #[test]
    fn invalid_values_are_explained_and_change_nothing() {
        let mut options = Options::default();
        let mut error = |name, value| options.set(name, value).unwrap_err().to_string();
        assert_eq!(error("hash", Some("abc")), "Hash: invalid value \"abc\", expected a whole number from 1 to 65536");
        assert_eq!(error("Hash", Some("0")), "Hash: invalid value \"0\", expected a whole number from 1 to 65536");
        assert_eq!(error("table", Some("yes")), "Table: invalid value \"yes\", expected true or false");
        assert_eq!(error("table", None), "Table: missing value, expected true or false");
        assert_eq!(
            error("game", Some("chess")),
            format!("Game: invalid value \"chess\", expected one of {}", any::NAMES.join(", "))
        );
        assert!(error("Book", None).starts_with("unknown option \"Book\", expected one of Game, UCI_Variant,"));
        assert_eq!(options.hash, 64);
    }
}
