//! Positions and games in every format, used by all commands, protocols and files.
//!
//! [`entries`] divides a text into entries: games in GGF, SGF and PGN, which may span lines, and
//! lines of every other format. [`parse()`] reads one entry, [`RecordReader`] the entries of a file
//! one by one in constant memory. The content decides the format, in this order: WTHOR, SGF and GGF
//! (`(;`), PGN (`[Tag "value"]`), a record of `games.jsonl` (`{`, feature `cli`), else a line (a
//! position with scores, or moves). GGF, SGF, WTHOR and the scores of OBF are for disc games only.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod entry;
pub mod info;
#[cfg(feature = "cli")]
mod json;
mod line;
mod movetext;
mod parse;
mod pgn;
mod reader;
mod sgf;
mod split;
#[cfg(feature = "cli")]
mod write;
#[cfg(feature = "cli")]
mod write_wthor;
mod wthor;

#[cfg(feature = "cli")]
pub use json::json_line;
#[cfg(feature = "cli")]
pub use write::{ggf, pgn, pgn_with, transcript};
#[cfg(feature = "cli")]
pub use write_wthor::WthorEncoder;

pub use entry::{EntryErrorAt, RecordEntry};
pub use info::{Ending, Eval, MoveInfo, StatedResult, iso_date, played_score};
pub use parse::{parse, set_position};
pub use pgn::white;
pub use reader::{Record, RecordReader};
pub use split::{EntryText, entries};
