//! Atomic replacement of files: a kill or a full disk leaves the old file unchanged.
//!
//! Devices, pipes and open files of a process (`/dev/stdout`) are written directly: the file behind a
//! redirection has other readers and writers, which a replacement would leave with the old file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Stderr, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::platform::files::{FileIdentity, folder_of, standard_streams, with_suffix};

/// Replaces or creates a file. Writes directly to a [stream](is_stream).
///
/// # Errors
/// If it cannot be written; the old file is unchanged.
pub fn replace_file<P: AsRef<[u8]>>(path: &Path, parts: impl IntoIterator<Item = P>) -> Result<()> {
    replace_file_by(path, |file| {
        for part in parts {
            file.write_all(part.as_ref())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    })
}

/// Replaces or creates a file with the output of a function, and returns what the function returns.
/// Writes directly to a [stream](is_stream).
///
/// # Errors
/// If the function fails or the file cannot be written; the old file is unchanged.
pub fn replace_file_by<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<Target>) -> Result<T>,
) -> Result<T> {
    let cannot = || format!("cannot write {}", path.display());
    let fill = |target: io::Result<Target>| -> Result<(Target, T)> {
        let mut target = BufWriter::new(target.with_context(cannot)?);
        let done = fill(&mut target)?;
        target.flush().with_context(cannot)?;
        let target = target.into_inner().map_err(|error| error.into_error());
        Ok((target.with_context(cannot)?, done))
    };
    if is_stream(path) {
        return Ok(fill(open_stream(path))?.1);
    }
    // Follow a link and replace its target.
    let identity = FileIdentity::of(path);
    let path = identity.path();
    let before = fs::metadata(path).ok();
    let new = temporary(path);
    let replaced = fill(File::create(&new).map(Target::File)).and_then(|(target, done)| {
        let finish = || {
            if let Target::File(file) = &target {
                if let Some(before) = before {
                    file.set_permissions(before.permissions())?;
                }
                file.sync_all()?;
            }
            drop(target);
            fs::rename(&new, path)
        };
        finish().with_context(cannot)?;
        Ok(done)
    });
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
    }
    replaced
}

/// Checks that [`replace_file`] can write a file: its folder must accept a new file.
///
/// # Errors
/// If it does not.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    if is_stream(path) {
        return Ok(());
    }
    let new = temporary(FileIdentity::of(path).path());
    File::create(&new)?;
    fs::remove_file(new)
}

/// What is written: a file, or a standard stream of this process, whose position its other output
/// continues.
pub enum Target {
    File(File),
    Output(Stdout),
    Errors(Stderr),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Output(stream) => stream.write(bytes),
            Target::Errors(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Output(stream) => stream.flush(),
            Target::Errors(stream) => stream.flush(),
        }
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Target::File(file) => file.seek(to),
            _ => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

/// Whether an existing file is written directly: a device, a pipe, or an open file of a process.
pub fn is_stream(path: &Path) -> bool {
    let is_other = |file: fs::Metadata| !file.is_file();
    fs::metadata(path).is_ok_and(is_other) || names_open_file(path)
}

/// Opens a stream; a regular file for appending.
fn open_stream(path: &Path) -> io::Result<Target> {
    let identity = FileIdentity::of(path);
    let mut streams = standard_streams().filter(|(_, stream)| stream.is_same(&identity));
    Ok(match streams.next() {
        Some(("standard output", _)) => Target::Output(io::stdout()),
        Some(_) => Target::Errors(io::stderr()),
        None if path.is_file() => Target::File(OpenOptions::new().append(true).open(path)?),
        None => Target::File(File::create(path)?),
    })
}

/// Whether a path is that of an open file: `/dev/stdout`, `/dev/fd/N`, `/proc/PID/fd/N`, or a
/// symbolic link to one. Resolving it completely would return the file.
fn names_open_file(path: &Path) -> bool {
    const LONGEST_CHAIN: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LONGEST_CHAIN {
        let Ok(folder) = folder_of(&path).canonicalize() else {
            return false;
        };
        if folder.ends_with("fd") && (folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
        {
            return true;
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return false,
        }
    }
    false
}

/// The temporary file for the new content; the process id makes its name unique.
fn temporary(path: &Path) -> PathBuf {
    with_suffix(path, &format!(".{}.new", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("nullwindow-whole-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("page.html");
        let content = || fs::read_to_string(&path).unwrap();
        replace_file(&path, ["one ", "two"]).unwrap();
        assert_eq!(content(), "one two");
        replace_file(&path, ["three"]).unwrap();
        assert_eq!(content(), "three");
        // A folder where the new content would be collected: writing fails.
        fs::create_dir(temporary(&path)).unwrap();
        let error = replace_file(&path, ["four"]).unwrap_err();
        assert!(error.to_string().contains("page.html"), "{error}");
        assert_eq!(content(), "three");
        fs::remove_dir(temporary(&path)).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert!(replace_file(&folder.join("no").join("folder"), ["x"]).is_err());
        assert!(replace_file(&folder, ["x"]).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
