//! Parsing of option values, and the errors.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::table::{BUILT_IN, EMPTY, OPTIONS, OptionKind, OptionSpec};
use crate::game::quoted;
use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::score_four::eval as scorefour;
use crate::platform::files;
use crate::platform::memory::free_mebibytes;
use crate::search::AnyWeights;

/// The error of an option that cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is no option of that name.
    #[error("unknown option \"{}\", expected one of {}", quoted(.0), OPTIONS.map(|option| option.name).join(", "))]
    Unknown(String),
    /// The value is missing.
    #[error("{name}: missing value, expected {expected}")]
    NoValue {
        /// The option.
        name: &'static str,
        /// The accepted values.
        expected: String,
    },
    /// The value is not accepted.
    #[error("{name}: invalid value \"{}\", expected {expected}", quoted(.value))]
    BadValue {
        /// The option.
        name: &'static str,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// The CPU does not support this instruction set.
    #[error("Kernel: this CPU does not support {0}")]
    NoKernel(&'static str),
    /// The file cannot be opened, or its content is invalid.
    #[error("{name}: \"{}\": {reason}", quoted(.file))]
    BadFile {
        /// The option.
        name: &'static str,
        /// The given value.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The table does not fit into memory.
    #[error("Hash: cannot allocate {wanted} MiB, {free} MiB available")]
    NoMemory {
        /// MiB requested.
        wanted: u32,
        /// MiB available.
        free: u64,
    },
}

impl OptionSpec {
    /// The error of a value that is not accepted.
    pub(super) fn bad_value(&self, value: &str) -> OptionError {
        OptionError::BadValue { name: self.name, value: value.into(), expected: self.expected() }
    }

    /// The error of a file that cannot be used.
    fn bad_file(&self, file: &str, reason: String) -> OptionError {
        OptionError::BadFile { name: self.name, file: file.into(), reason }
    }

    pub(super) fn check(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.bad_value(value)),
        }
    }

    pub(super) fn spin(&self, value: &str) -> Result<u32, OptionError> {
        let OptionKind::Spin { min, max, .. } = self.kind else { return Err(self.bad_value(value)) };
        value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| self.bad_value(value))
    }

    /// A word of a combo in the table's spelling.
    pub(super) fn word(&self, value: &str) -> Result<&'static str, OptionError> {
        let OptionKind::Combo(words) = self.kind else { return Err(self.bad_value(value)) };
        words.iter().copied().find(|word| word.eq_ignore_ascii_case(value)).ok_or_else(|| self.bad_value(value))
    }
}

/// The log file, opened for appending; `None` for an empty value, which UCI clients also write `<empty>`.
pub(super) fn log_file(spec: &OptionSpec, file: &str) -> Result<Option<Arc<File>>, OptionError> {
    if file.is_empty() || file.eq_ignore_ascii_case(EMPTY) {
        return Ok(None);
    }
    files::append_regular(Path::new(file))
        .map(|file| Some(Arc::new(file)))
        .map_err(|error| spec.bad_file(file, error.to_string()))
}

/// The weights in a file; `None` for the embedded ones.
pub(super) fn weights(spec: &OptionSpec, file: &str) -> Result<Option<AnyWeights>, OptionError> {
    if file.eq_ignore_ascii_case(BUILT_IN) {
        return Ok(None);
    }
    let bad = |reason: String| spec.bad_file(file, reason);
    let bytes = files::read_regular(Path::new(file), files::WEIGHTS_LIMIT).map_err(|error| bad(error.to_string()))?;
    // Score Four's weights are text with a title or a comment first, Othello's a binary file with its own header.
    Ok(Some(match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with("title: ") || text.starts_with('#') => {
            Arc::new(scorefour::ScoreFourEvaluator::from_text(text).map_err(|error| bad(error.to_string()))?)
        }
        _ => Arc::new(OthelloEvaluator::from_file(&bytes).map_err(|error| bad(error.to_string()))?),
    }))
}

/// The size in MiB, if such a table fits into memory in place of the current one. A failed allocation would abort the
/// process. Any size passes if the system does not report its free memory.
pub(super) fn affordable(wanted: u32, present: u32) -> Result<u32, OptionError> {
    match free_mebibytes() {
        Some(free) if u64::from(wanted) > free + u64::from(present) => Err(OptionError::NoMemory { wanted, free }),
        _ => Ok(wanted),
    }
}
