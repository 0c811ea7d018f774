//! The text protocols, on the engine's side; `arena/client` is the side that drives other engines.
//!
//! [`driver`] connects the input and output streams with the engine. A [`Dialect`](dialect::Dialect) parses each line
//! into requests and formats the engine's events as text, independent of games and searches. Each dialect is a table of
//! [`command`]s; [`tokens`] has the lexical parsers that their arguments share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod command;
pub mod dialect;
pub mod driver;
pub mod gtp;
pub mod line;
pub mod nboard;
pub mod queue;
pub mod tokens;
pub mod uci;
pub mod ugi;
pub mod writer;

pub use dialect::Protocol;
