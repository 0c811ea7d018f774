//! The engine: requests in, events out; no text and no standard streams.

pub mod roster;
