//! Session settings: the notation of moves and positions, and the effect of an illegal move. They derive from the rules
//! of the dialect ([`DialectRules`]) and the options.

use super::options::{Options, PassMove};
use crate::game::Move;
use crate::games::any::AnyGame;

/// The effect of an illegal move in a move list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnIllegal {
    /// The moves before it are played, and its player loses the game (UGI).
    #[default]
    Forfeit,
    /// The whole list is rejected (UCI).
    Reject,
}

/// The notation of moves and positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MoveFormat {
    /// The game's own notation, passes by option `PassMove`.
    #[default]
    Native,
    /// The notation of UCI clients: drops (`P@e3`, `e3e3`).
    Uci,
}

/// The part of the session settings that a dialect fixes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DialectRules {
    /// The effect of an illegal move.
    pub on_illegal: OnIllegal,
    /// Whether moves are written as drops if option `UCI_Variant` asks for it.
    pub uses_drops: bool,
    /// Whether the dialect has its own notation of passes, so that option `PassMove` has no effect.
    pub has_own_passes: bool,
}

impl DialectRules {
    /// The session settings under these options.
    pub fn settings(self, options: &Options) -> SessionSettings {
        SessionSettings {
            format: if self.uses_drops && options.drops { MoveFormat::Uci } else { MoveFormat::Native },
            on_illegal: self.on_illegal,
            pass_move: if self.has_own_passes { PassMove::Pass } else { options.pass_move },
        }
    }
}

/// The current session settings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SessionSettings {
    /// The notation of moves and positions.
    pub format: MoveFormat,
    /// The effect of an illegal move.
    pub on_illegal: OnIllegal,
    /// The notation of passes (with [`MoveFormat::Native`]).
    pub pass_move: PassMove,
}

impl SessionSettings {
    /// Whether forced passes are played automatically and never written.
    pub fn hides_passes(self) -> bool {
        self.pass_move == PassMove::Implicit && self.format == MoveFormat::Native
    }

    /// A legal move of the position as text.
    pub fn write_move(self, game: &AnyGame, m: Move) -> String {
        match (self.format, self.pass_move) {
            (MoveFormat::Uci, _) => game.write_uci_move(m),
            (MoveFormat::Native, PassMove::Zeros) if m.is_pass() => "0000".into(),
            (MoveFormat::Native, _) => game.write_move(m),
        }
    }

    /// A move sequence from the position as text, without hidden passes.
    pub fn write_line(self, game: &AnyGame, line: &[Move]) -> Vec<String> {
        let mut game = game.clone();
        let mut words = Vec::with_capacity(line.len());
        for &m in line {
            if !(m.is_pass() && self.hides_passes()) {
                words.push(self.write_move(&game, m));
            }
            if game.play(m).is_err() {
                break;
            }
        }
        words
    }

    /// The position as text.
    pub fn write_position(self, game: &AnyGame) -> String {
        match self.format {
            MoveFormat::Native => game.write_position(),
            MoveFormat::Uci => game.write_uci_position(),
        }
    }
}
