//! Strength by the disc (options `Strength`, `UCI_LimitStrength`, `UCI_Elo`): the engine gives discs away, so many per
//! game against itself at full strength.
//!
//! A game has a budget of discs and a move a limit ([`Strength`]). [`loss_record`] tells what the moves of the game at
//! hand have cost, and so what this move may cost ([`allowance`]). A shallow search scores all legal moves before the
//! search proper ([`search`]), and one of them is drawn, likely if it looks good at depth 1 ([`draw`]). The search
//! scores it in every iteration beside the best move; it is played if it then costs no more than allowed. Results:
//! measurements.md.

pub mod allowance;
mod draw;
mod level;
pub mod loss_record;
pub mod search;

pub use allowance::Allowance;
pub use level::{ELO_MAX, ELO_MIN, STRENGTH_MAX, Strength};
pub use loss_record::LossRecord;
