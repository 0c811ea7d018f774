//! Atomic replacement of files: a kill or a full disk leaves the old file unchanged, and an interrupt
//! leaves no other file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::platform::files::{FileIdentity, with_suffix};
use crate::platform::interrupt::UnfinishedFile;

/// Replaces or creates a file. Writes directly to a device or pipe.
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
/// Writes directly to a device or pipe.
///
/// # Errors
/// If the function fails or the file cannot be written; the old file is unchanged.
pub fn replace_file_by<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T>,
) -> Result<T> {
    let cannot = || format!("cannot write {}", path.display());
    let fill = |file: File| -> Result<(File, T)> {
        let mut file = BufWriter::new(file);
        let done = fill(&mut file)?;
        let file = file.into_inner().map_err(|error| error.into_error());
        Ok((file.with_context(cannot)?, done))
    };
    if is_stream(path) {
        return Ok(fill(File::create(path).with_context(cannot)?)?.1);
    }
    // Follow a link and replace its target.
    let identity = FileIdentity::of(path);
    let path = identity.path();
    check_writable(path).with_context(cannot)?;
    let before = fs::metadata(path).ok();
    let (file, new) = UnfinishedFile::create(temporary(path)).with_context(cannot)?;
    let (file, done) = fill(file)?;
    let finish = || {
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        drop(file);
        fs::rename(new.path(), path)
    };
    finish().with_context(cannot)?;
    Ok(done)
}

/// Whether [`replace_file`] writes a file directly: a device, a pipe, or a file without a path, such as
/// `/dev/stdout` after its file was removed.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file() || path.canonicalize().is_err())
}

/// Checks that [`replace_file`] can write a file: its folder must accept a new file, and an old one
/// must not be read-only.
///
/// # Errors
/// If it does not.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    if is_stream(path) {
        return Ok(());
    }
    check_writable(path)?;
    UnfinishedFile::create(temporary(FileIdentity::of(path).path()))?;
    Ok(())
}

/// A new file in its place would evade the permissions of a read-only file.
fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(file) if file.permissions().readonly() => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the file is read-only",
        )),
        _ => Ok(()),
    }
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
        let before = fs::metadata(&path).unwrap().permissions();
        let mut read_only = before.clone();
        read_only.set_readonly(true);
        fs::set_permissions(&path, read_only).unwrap();
        assert!(check_replaceable(&path).is_err() && replace_file(&path, ["four"]).is_err());
        assert_eq!(content(), "three");
        fs::set_permissions(&path, before).unwrap();
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
