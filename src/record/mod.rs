//! Files that hold results. Records grow line by line and resume after a kill ([`json_lines`]); one process at a time
//! writes one ([`record_lock`]); other files are written whole or not at all ([`whole_file`]).

pub mod json_lines;
pub mod record_lock;
pub mod whole_file;
