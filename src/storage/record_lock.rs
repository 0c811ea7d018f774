//! The lock of a record: `FILE.lock` in the same folder is locked while a process writes the
//! record, and contains the id of that process.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::logging::date;
use crate::logging::progress::print_line;
use crate::platform::file_lock::{FileLock, held_text, host_name};
use crate::platform::files::{FileIdentity, folder_of, with_suffix};

/// The lock of a record; released on drop or at the end of the process.
pub struct RecordLock {
    /// `None` if the file system has no locks.
    _lock: Option<FileLock>,
}

impl RecordLock {
    /// Locks a record, which need not exist. Prints a warning if the system cannot lock.
    ///
    /// # Errors
    /// If another process writes the record or its folder does not exist.
    pub fn acquire(record: &Path) -> Result<RecordLock> {
        RecordLock::acquire_within(record, Duration::ZERO)
    }

    /// Like [`RecordLock::acquire`], but waits up to `patience` for another process.
    ///
    /// # Errors
    /// If another process still writes the record after `patience`.
    pub fn acquire_within(record: &Path, patience: Duration) -> Result<RecordLock> {
        let path = lock_path(record)?;
        let host = host_name().map_or_else(String::new, |name| format!(" on {name}"));
        let text = format!(
            "process {}{host} since {}\n",
            std::process::id(),
            date::now()
        );
        let deadline = Instant::now() + patience;
        loop {
            match FileLock::acquire(&path, &text) {
                Ok(None) if Instant::now() < deadline => sleep(Duration::from_millis(10)),
                Ok(None) => {
                    let text = held_text(&path);
                    let holder = match text.trim() {
                        "" => "another process",
                        holder => holder,
                    };
                    bail!(
                        "{} is being written by {holder}: wait until it ends, or stop it",
                        record.display()
                    )
                }
                Ok(lock) => return Ok(RecordLock { _lock: lock }),
                Err(error) => {
                    // A closed standard error is not an error.
                    print_line(format!(
                        "warning: cannot lock {} ({error}): make sure that no other process writes it",
                        record.display()
                    ));
                    return Ok(RecordLock { _lock: None });
                }
            }
        }
    }

    /// Checks that no other process writes the record, without creating a file.
    ///
    /// # Errors
    /// See [`RecordLock::acquire`].
    pub fn check(record: &Path) -> Result<()> {
        match lock_path(record) {
            Ok(path) if path.exists() => RecordLock::acquire(record).map(drop),
            _ => Ok(()),
        }
    }
}

/// The lock file, in the folder of the record with links resolved.
fn lock_path(record: &Path) -> Result<PathBuf> {
    let identity = FileIdentity::of(record);
    let folder = folder_of(identity.path());
    ensure!(folder.is_dir(), "cannot open folder {}", folder.display());
    Ok(with_suffix(identity.path(), ".lock"))
}
