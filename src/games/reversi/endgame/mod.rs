//! The endgame kernel: the last dozen empties by null windows, without the production loop.
//!
//! [`last`] has kernels for the last four empties. Move ordering is by parity in [`shallow`] and by
//! mobility and the corners in [`middle`], which has a private table ([`super::cache`]). Above, the
//! production search runs with [`super::policy`].

pub mod last;
pub mod middle;
pub mod shallow;
