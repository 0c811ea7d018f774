//! The names of the sides in the record.

use serde::{Deserialize, Serialize};

use crate::game::Player;

/// A side in the record: `p1` or `p2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideLabel {
    /// The first player.
    P1,
    /// The second player.
    P2,
}

impl From<Player> for SideLabel {
    fn from(player: Player) -> Self {
        if player == Player::First { SideLabel::P1 } else { SideLabel::P2 }
    }
}

impl SideLabel {
    /// The name in the record.
    pub fn name(self) -> &'static str {
        if self == SideLabel::P1 { "p1" } else { "p2" }
    }
}

impl From<SideLabel> for Player {
    fn from(side: SideLabel) -> Self {
        if side == SideLabel::P1 { Player::First } else { Player::Second }
    }
}
