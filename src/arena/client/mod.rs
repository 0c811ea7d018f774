//! The client side of the protocols: sends commands to an engine and parses its replies, for the match runner.
//!
//! Lines are sent and received through a [`Link`] (a process, or a script in a test). A [`Client`] sends `go` and
//! parses lines; the caller measures time. The rules come from the [`GameHistory`].
//!
//! Only the UCI client ponders. Not supported: analysis (`hint`, MultiPV).

mod client_error;
mod exchange;
mod game_history;
mod go_limits;
mod gtp_client;
mod identity;
mod interface;
mod link;
mod nboard_client;
mod search_info;
#[cfg(test)]
mod testing;
mod uci_client;
mod ugi_client;
mod ugi_uci;

pub use client_error::ClientError;
pub use game_history::GameHistory;
pub use go_limits::{ClockView, GoLimits};
pub use gtp_client::GtpClient;
#[cfg(test)]
pub use identity::DeclaredOption;
pub use identity::Identity;
pub use interface::{Client, EngineReply, PassNotation};
pub use link::{Link, LinkError, ReceivedLine};
pub use nboard_client::NBoardClient;
pub use search_info::{ReportedScore, SearchInfo};
pub use uci_client::UciClient;
pub use ugi_client::UgiClient;
