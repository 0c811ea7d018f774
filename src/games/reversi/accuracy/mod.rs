//! The accuracy of scores in 8x8 Othello (option `Show Accuracy`): the table measured by
//! `nullwindow lab calibrate` ([`AccuracyTable`]), and the note printed before `bestmove` ([`note`]).
//!
//! The table is valid only for the weights and fitted cuts that it was measured with; it has their
//! checksums. Method: measurements.md.

mod note;
mod table;

pub use table::{AccuracyRow, AccuracyTable, CLOSE, ErrorSummary, Reference, WITHIN, fits_id};
