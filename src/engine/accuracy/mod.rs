//! How far scores of 8x8 Othello are from the truth (option `Show Accuracy`): the table that `nullwindow calibrate`
//! measured ([`AccuracyTable`]), and what is said of a score before `bestmove` ([`ShownAccuracy`]).
//!
//! A row is valid for the weights and fitted cuts that it was measured with, so the table names their checksums. How
//! the table is made and what it means: measurements.md.

mod shown;
mod table;

pub use shown::ShownAccuracy;
pub use table::{AccuracyRow, AccuracyTable, CLOSE, ErrorSummary, Reference, WITHIN, fits_id};
