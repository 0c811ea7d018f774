//! Without feature `cli`: the program that contains the engine has its own logger.

use std::fs::File;
use std::sync::Arc;

/// No.
pub fn is_started() -> bool {
    false
}

/// Nothing is read to see whether it is a log.
pub const LONGEST_HEAD: u64 = 0;

/// Every file may become one.
pub fn begins_log(_: &[u8]) -> bool {
    true
}

/// Does nothing.
pub fn set_file(_: Option<Arc<File>>) {}
