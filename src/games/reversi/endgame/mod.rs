//! The endgame kernel: the last dozen empties by null windows, without the production loop.
//!
//! [`last`] are kernels for the last four empties, [`shallow`] orders by parity, [`middle`] by mobility with a private
//! table ([`cache`]). Above it the production loop searches, with the policy in [`super::policy`].

pub mod cache;
pub mod last;
pub mod middle;
pub mod shallow;
