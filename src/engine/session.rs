//! Session settings: how moves and positions are written, and what an illegal move means. A dialect fixes part of this
//! ([`DialectRules`]), options decide the rest ([`SessionSettings`]).

use super::options::{Options, PassMove};
use crate::game::Move;
use crate::games::any::AnyGame;

/// The effect of an illegal move in a move list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnIllegal {
    /// The position before it stays on the board and the game counts as lost by its player (UGI).
    #[default]
    Forfeit,
    /// The whole list is rejected (UCI).
    Reject,
}

/// How moves and positions are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Spelling {
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
            spelling: if self.uses_drops && options.drops { Spelling::Uci } else { Spelling::Native },
            on_illegal: self.on_illegal,
            pass_move: if self.has_own_passes { PassMove::Pass } else { options.pass_move },
        }
    }
}

/// The settings in force.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SessionSettings {
    /// How moves and positions are written.
    pub spelling: Spelling,
    /// The effect of an illegal move.
    pub on_illegal: OnIllegal,
    /// How passes are written (with [`Spelling::Native`]).
    pub pass_move: PassMove,
}

impl SessionSettings {
    /// Whether forced passes are played automatically and never written.
    pub fn hides_passes(self) -> bool {
        self.pass_move == PassMove::Implicit && self.spelling == Spelling::Native
    }

    /// A legal move of the position as text.
    pub fn write_move(self, game: &AnyGame, m: Move) -> String {
        match (self.spelling, self.pass_move) {
            (Spelling::Uci, _) => game.write_uci_move(m),
            (Spelling::Native, PassMove::Zeros) if m.is_pass() => "0000".into(),
            (Spelling::Native, _) => game.write_move(m),
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
        match self.spelling {
            Spelling::Native => game.write_position(),
            Spelling::Uci => game.write_uci_position(),
        }
    }
}
