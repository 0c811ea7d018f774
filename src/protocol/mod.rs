//! Text only: the protocols, spoken by the engine and, in [`client`], to engines.

pub mod client;
