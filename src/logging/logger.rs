//! The logger: writes the records selected by `RUST_LOG` to standard error and all records up to level
//! debug to the file of option `Debug Log File`.

use std::fs::File;
use std::io::Write;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use log::{LevelFilter, Log, Metadata, Record};

use super::PROTOCOL;
use super::date;
use crate::game::printable_lines;

/// The maximum level of records in the file.
const FILE_LEVEL: LevelFilter = LevelFilter::Debug;

static LOGGER: OnceLock<Logger> = OnceLock::new();

/// The open file of option `Debug Log File`.
static FILE: Mutex<Option<Arc<File>>> = Mutex::new(None);

/// The logger of the binary: env_logger, and the file.
struct Logger(env_logger::Logger);

/// Installs the logger; without `RUST_LOG` nothing goes to standard error.
pub fn start() {
    let filter = env_logger::Env::default().default_filter_or("off");
    let stderr = env_logger::Builder::from_env(filter).build();
    // fails only if one is already installed
    let _ = log::set_logger(LOGGER.get_or_init(|| Logger(stderr)));
    set_file(None);
}

/// Whether the logger is installed.
pub fn is_started() -> bool {
    LOGGER.get().is_some()
}

/// The most bytes of a line of the file before its message.
pub const LONGEST_HEAD: u64 = 100;

/// Sets the log file, opened for appending; `None`: no file.
pub fn set_file(file: Option<Arc<File>>) {
    let of_stderr = LOGGER
        .get()
        .map_or(LevelFilter::Off, |logger| logger.0.filter());
    let opened = file.is_some();
    *open_file() = file;
    log::set_max_level(if opened {
        of_stderr.max(FILE_LEVEL)
    } else {
        of_stderr
    });
    if opened {
        log::debug!(target: PROTOCOL, "log of {} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    }
}

/// Whether this is the beginning of a log, at least [`LONGEST_HEAD`] bytes if there are as many.
pub fn begins_log(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    let words: Vec<&str> = start.split_ascii_whitespace().take(4).collect();
    let is_head = |words: &[&str; 4]| {
        words[1].parse::<u32>().is_ok() && words[3].starts_with(env!("CARGO_PKG_NAME"))
    };
    start.is_empty() || words.first_chunk().is_some_and(is_head)
}

fn open_file() -> MutexGuard<'static, Option<Arc<File>>> {
    FILE.lock().unwrap_or_else(PoisonError::into_inner) // nothing panics while it is locked
}

/// Whether such records go to the file.
fn is_for_file(metadata: &Metadata<'_>) -> bool {
    metadata.level() <= FILE_LEVEL && metadata.target().starts_with(env!("CARGO_PKG_NAME"))
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.enabled(metadata) || (is_for_file(metadata) && open_file().is_some())
    }

    fn log(&self, record: &Record<'_>) {
        if self.0.matches(record) {
            let text = printable_lines(&record.args().to_string());
            let metadata = record.metadata().clone();
            self.0.log(
                &Record::builder()
                    .metadata(metadata)
                    .args(format_args!("{text}"))
                    .build(),
            );
        }
        if !is_for_file(record.metadata()) {
            return;
        }
        // Formatted before locking: formatting an argument could log or panic.
        let text = lines(&date::stamp(SystemTime::now(), 3), record);
        if let Some(file) = open_file().as_ref() {
            // One unbuffered write: a crash loses no line, and lines of several engines do not mix.
            // A full disk must not end the session.
            let _ = file.as_ref().write_all(text.as_bytes());
        }
    }

    fn flush(&self) {
        self.0.flush();
    }
}

/// The lines of a record in the file: each line of its message with time, process, level and
/// target.
fn lines(time: &str, record: &Record<'_>) -> String {
    let message = record.args().to_string();
    let head = format!(
        "{time} {} {:<5} {}",
        process::id(),
        record.level(),
        record.target()
    );
    message
        .split('\n')
        .map(|line| format!("{head} {line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use log::Level;

    use super::*;
    use crate::logging::{SEARCH, TABLE, TIME};

    #[test]
    fn each_line_of_a_message_is_a_line_of_the_file() {
        let record = |target| Record::builder().level(Level::Warn).target(target).build();
        let named = Record::builder()
            .level(Level::Debug)
            .target(TIME)
            .args(format_args!("one\ntwo"))
            .build();
        let head = format!("now {} DEBUG nullwindow::time", process::id());
        assert_eq!(lines("now", &named), format!("{head} one\n{head} two\n"));
        assert!(is_for_file(record(TABLE).metadata()));
        assert!(
            !is_for_file(record("polling").metadata()),
            "records of other crates are excluded"
        );
        assert!(!is_for_file(
            &Metadata::builder()
                .level(Level::Trace)
                .target(SEARCH)
                .build()
        ));
    }
}
