//! Positions and games in every format, used by all commands, protocols and files.
//!
//! [`parse()`] reads one entry, `RecordReader` the entries of a file one by one in constant memory:
//! games in GGF, SGF, PGN and JSON, which may span lines, rows of a list of games, and lines of every
//! other format. The content decides the format, in this order: WTHOR, SGF and GGF (`(;`), PGN
//! (`[Tag "value"]`), JSON (`{"`, feature `cli`), else a line (a position with scores, or moves). GGF,
//! SGF, WTHOR and the scores of OBF are for disc games only.
//!
//! An element that is not understood is an error, so that no game is read as an empty or shorter one.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[cfg(feature = "cli")]
mod columns;
mod entry;
mod format;
pub mod info;
#[cfg(feature = "cli")]
mod json;
mod line;
mod movetext;
mod parse;
mod pgn;
#[cfg(feature = "cli")]
mod reader;
mod sgf;
#[cfg(feature = "cli")]
mod split;
#[cfg(feature = "cli")]
mod table;
#[cfg(feature = "cli")]
mod write;
#[cfg(feature = "cli")]
mod write_wthor;
#[cfg(feature = "cli")]
mod wthor;

#[cfg(feature = "cli")]
pub use json::{JsonGame, LateMove, MoveOrigin, MoveRecord, json_line};
#[cfg(feature = "cli")]
pub use line::split_at_moves;
#[cfg(feature = "cli")]
pub use write::{PgnGame, ggf, pgn, pgn_with, transcript};
#[cfg(feature = "cli")]
pub use write_wthor::WthorEncoder;

pub use entry::{EntryError, EntryErrorAt, RecordEntry, TranscriptError};
pub use info::{
    Ending, GameInfo, MoveInfo, ReportedScore, ResultOrder, StatedResult, played_points,
};
pub use movetext::{narrow, play, play_all};
pub use parse::{parse, parse_with};
pub use pgn::white;
#[cfg(feature = "cli")]
pub use reader::{Record, RecordReader, names_files};
