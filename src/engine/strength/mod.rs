//! Reduced strength (options `Strength`, `UCI_LimitStrength`, `UCI_Elo`): the engine is expected to
//! lose a number of discs per game against itself at full strength.
//!
//! Each game has a budget of discs and each move a limit ([`Strength`]). [`loss_record`] records
//! the cost of the moves played, from which [`allowance`] derives the allowed cost of the next one.
//! Before the search, a shallow search scores all legal moves ([`search`]), and one of them is
//! drawn, with a higher probability if it looks good at depth 1 ([`draw`]). The search scores it in
//! every iteration beside the best move, and it is played if its cost is allowed. Results:
//! measurements.md.

pub mod allowance;
mod draw;
mod level;
pub mod loss_record;
pub mod search;

pub use allowance::Allowance;
pub use level::{ELO_MAX, ELO_MIN, STRENGTH_MAX, Strength};
pub use loss_record::LossRecord;
