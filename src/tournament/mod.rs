//! The match runner: any engines against each other, at any game here, by the runner's own rules.

pub mod statistics;
