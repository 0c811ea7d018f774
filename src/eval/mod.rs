//! Cheap evaluators of the small games: integers, documented, the opposite under a change of colours, equal on symmetric
//! images.
//!
//! Tic-tac-toe needs none ([`Zero`](crate::search::policy::Zero)): it is searched to the end.

pub mod lines;
