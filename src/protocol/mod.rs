//! Text only: the protocols, spoken by the engine and, in [`client`], to engines.
//!
//! [`driver`] connects standard input and output with the engine. A [`Dialect`](dialect::Dialect) turns each line into requests and each of
//! the engine's events into text; it knows no game and no search. [`words`] holds the leaves of every grammar.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod client;
pub mod dialect;
pub mod driver;
pub mod gtp;
pub mod line;
pub mod nboard;
pub mod queue;
pub mod uci;
pub mod ugi;
pub mod words;
pub mod writer;
