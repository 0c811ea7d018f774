//! Result files. Records of JSON lines are resumable after a kill ([`json_lines`]) and have one
//! writer at a time ([`record_lock`]). Other files are replaced atomically ([`whole_file`]).
//! [`checksum`] identifies the content of a file.

pub mod checksum;
pub mod json_lines;
pub mod record_lock;
pub mod whole_file;
