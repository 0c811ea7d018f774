//! The client side of the protocols: sends commands to an engine and parses its replies, for the
//! match runner.
//!
//! A [`Client`] sends commands over a [`Link`] (a process, or a script in a test) and parses the
//! lines that arrive; the caller measures time. Positions and rules come from the crate's games.
//!
//! Only the UCI client ponders. Not supported: analysis (`hint`, MultiPV).

mod gtp;
mod history;
mod interface;
mod link;
mod nboard;
mod search_info;
mod uci;

pub use gtp::GtpClient;
pub use history::GameHistory;
pub use interface::{Client, ClockView, DeclaredOption, EngineReply, GoLimits, Identity, seconds};
pub use link::{ClientError, Exchange, Link, LinkError, ReceivedLine, Result};
pub use nboard::NBoardClient;
pub use search_info::SearchInfo;
pub use uci::{REPORTED_ERROR, UciClient};
