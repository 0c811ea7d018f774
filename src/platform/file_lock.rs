//! A file lock held by one process at a time. The system releases it when the process ends, even
//! after a kill. The text of the lock file names the owner, and other processes can read it. The
//! file is removed with the lock; after a kill it stays, and the next process locks it again.
//! `scripts/cluster` locks the same files in the same way.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An acquired lock.
pub struct FileLock {
    file: Option<File>,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock, without waiting, and writes `text` to its file; `None` if another process holds
    /// it.
    ///
    /// # Errors
    /// If the file system has no locks, or the file cannot be written.
    pub fn acquire(path: &Path, text: &str) -> io::Result<Option<FileLock>> {
        let Some(mut file) = lock(path)? else {
            return Ok(None);
        };
        // The text is for display only; writing may fail if the file belongs to another user.
        let _ = file
            .set_len(0)
            .and_then(|()| file.write_all(text.as_bytes()));
        Ok(Some(FileLock {
            file: Some(file),
            path: path.into(),
        }))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if cfg!(windows) {
            // an open file cannot be removed, nor can one that another process has locked by then
            self.file = None;
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// The text of a file that another process has locked; empty if it cannot be read, or is not written
/// yet.
pub fn held_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The name of this machine, since processes on others may use the same files; `None` if unknown.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_str()
        .ok()
        .map(String::from);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options
}

/// The locked file (`flock`); `None` if another process has locked it.
#[cfg(unix)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use std::fs::TryLockError;
    use std::os::unix::fs::MetadataExt;

    loop {
        let file = match options().open(path) {
            // The file of another user.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.exists() => {
                File::open(path)?
            }
            file => file?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The previous owner may have removed the file in the meantime.
        let own = file.metadata()?;
        if fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (own.dev(), own.ino())) {
            return Ok(Some(file));
        }
    }
}

/// A file opened for writing that others may only read: a region locked by `LockFileEx` could not
/// be read, and the text names the process.
#[cfg(windows)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;

    /// FILE_SHARE_READ.
    const OTHERS_MAY_READ: u32 = 1;
    /// ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION.
    const HELD: [i32; 2] = [32, 33];

    match options().share_mode(OTHERS_MAY_READ).open(path) {
        Err(error)
            if error
                .raw_os_error()
                .is_some_and(|code| HELD.contains(&code)) =>
        {
            Ok(None)
        }
        file => file.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_lock_has_one_holder_and_its_release_removes_the_file() {
        let path = std::env::temp_dir().join(format!("nullwindow-lock-{}", std::process::id()));
        let lock = FileLock::acquire(&path, "first").unwrap();
        assert!(lock.is_some());
        assert!(FileLock::acquire(&path, "second").unwrap().is_none());
        assert_eq!(held_text(&path), "first");
        drop(lock);
        assert!(!path.exists());
        // As a killed process leaves it.
        fs::write(&path, "a longer text of a process that was killed").unwrap();
        let lock = FileLock::acquire(&path, "third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
        drop(lock);
        let nowhere = path.join("no").join("folder");
        assert!(FileLock::acquire(&nowhere, "").is_err());
    }
}
