//! Opens files named by the user without blocking on a FIFO, and reads them up to a size limit.
//!
//! Options of the protocol accept regular files only, so that the engine stays responsive. Batch
//! commands also read pipes (`<(...)` of a shell, `-` or `/dev/stdin` for standard input). Both
//! reject folders and devices such as `/dev/zero`. The type of a file is checked after it is
//! opened, to avoid a race.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Size limit of texts: positions, games, openings, configurations.
pub const TEXT_LIMIT: u64 = 1 << 30;
/// Size limit of weight files.
pub const WEIGHTS_LIMIT: u64 = 1 << 28;

/// Opens a regular file for reading.
///
/// # Errors
/// If it cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

/// Opens a regular file for appending; creates it if it does not exist.
///
/// # Errors
/// If it cannot be opened or created, or is not a regular file.
pub fn append_regular(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().append(true).create(true))
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// If it cannot be read, is not a regular file or has more bytes.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    read_up_to(file, length, limit)
}

/// Reads a regular file, a pipe or, for the path `-`, standard input, at most `limit` bytes.
///
/// # Errors
/// If it cannot be read, is a folder or a device, or has more bytes.
pub fn read_stream(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let input = open_stream(path)?;
    let length = match std::fs::metadata(path) {
        Ok(file) if !is_standard_input(path) => file.len(),
        _ => 0,
    };
    read_up_to(input, length, limit)
}

/// Opens a regular file, a pipe or, for the path `-`, standard input.
///
/// # Errors
/// If it cannot be opened, or is a folder or a device.
pub fn open_stream(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_standard_input(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let is_pipe = |file: Metadata| pipe_kind(file.file_type()).is_some();
    Ok(Box::new(if std::fs::metadata(path).is_ok_and(is_pipe) {
        File::open(path)?
    } else {
        open_regular(path)?
    }))
}

/// Reads a text in UTF-8 from a regular file of at most [`TEXT_LIMIT`] bytes, without its
/// byte-order mark.
///
/// # Errors
/// If it cannot be read, is not a regular file, is too long or is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_regular(path, TEXT_LIMIT)?);
    text.map(without_mark)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a text as [`read_stream`] does. Bytes that are not UTF-8 (comments in older encodings)
/// become `U+FFFD`.
///
/// # Errors
/// If it cannot be read, has more than [`TEXT_LIMIT`] bytes, or is not text: a binary file, UTF-16.
pub fn read_stream_text(path: &Path) -> io::Result<String> {
    text_of(read_stream(path, TEXT_LIMIT)?, 0)
}

/// Decodes a part of a text, of which the first `offset` bytes were decoded before, without the
/// byte-order mark of the text. Bytes that are not valid UTF-8 are read as ISO 8859-1, the encoding
/// of PGN.
///
/// # Errors
/// If it is a binary file or UTF-16.
pub fn text_of(bytes: Vec<u8>, offset: usize) -> io::Result<String> {
    let is_start = offset == 0;
    if is_start && (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])) {
        return Err(invalid("UTF-16 text, expected UTF-8"));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(invalid(format!(
            "binary data (a NUL at byte {}), expected text",
            offset + at + 1
        )));
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().copied().map(char::from));
        }
        text
    });
    Ok(if is_start { without_mark(text) } else { text })
}

/// What distinguishes a file, which need not exist, from others: its path with all links resolved
/// and, for an existing regular file on Unix, its number, which hard links share.
pub struct FileIdentity {
    path: PathBuf,
    number: Option<[u64; 2]>,
}

impl FileIdentity {
    /// The identity of the file with a path.
    pub fn of(path: &Path) -> FileIdentity {
        let path = resolved(path);
        let number = std::fs::metadata(&path)
            .ok()
            .and_then(|file| file_number(&file));
        FileIdentity { path, number }
    }

    /// Its path with all links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether both are one file.
    pub fn is_same(&self, other: &FileIdentity) -> bool {
        self.path == other.path || self.number.is_some() && self.number == other.number
    }

    /// Whether the file is in a folder or one of its folders.
    pub fn is_in(&self, folder: &Path) -> bool {
        self.path.starts_with(resolved(folder))
    }
}

/// An absolute path without links; what does not exist is kept as it is.
fn resolved(path: &Path) -> PathBuf {
    const LONGEST_CHAIN: usize = 40;
    let mut path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    for _ in 0..LONGEST_CHAIN {
        if let Ok(path) = path.canonicalize() {
            return path;
        }
        // A link to a file that does not exist.
        match std::fs::read_link(&path) {
            Ok(target) => path = path.with_file_name(target),
            Err(_) => break,
        }
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => path,
    }
}

/// Creates a folder and those above it, unless it exists.
///
/// # Errors
/// If it cannot be created, or is not a folder.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let kind = match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(found) => kind_name(found.file_type()),
        Err(_) if folder.is_symlink() => "a link without a target",
        Err(_) => return std::fs::create_dir_all(folder),
    };
    let error = format!("not a folder but {kind}");
    Err(io::Error::new(io::ErrorKind::NotADirectory, error))
}

/// The name of standard output in messages.
pub const STANDARD_OUTPUT: &str = "standard output";

/// An error of a stream, with its name.
pub fn in_stream(stream: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{stream}: {error}"))
}

/// Standard output and standard error, if they are regular files.
pub fn standard_streams() -> impl Iterator<Item = (&'static str, FileIdentity)> {
    #[cfg(unix)]
    let streams = {
        use std::os::fd::AsFd;

        let number = |stream: std::os::fd::BorrowedFd| {
            let file = File::from(stream.try_clone_to_owned().ok()?);
            file_number(&file.metadata().ok()?)
        };
        [
            (STANDARD_OUTPUT, number(io::stdout().as_fd())),
            ("standard error", number(io::stderr().as_fd())),
        ]
    };
    #[cfg(not(unix))]
    let streams: [(&str, Option<[u64; 2]>); 0] = [];
    streams.into_iter().filter_map(|(name, number)| {
        let path = PathBuf::from(name);
        number.map(|_| (name, FileIdentity { path, number }))
    })
}

/// The number of a regular file.
#[cfg(unix)]
fn file_number(file: &Metadata) -> Option<[u64; 2]> {
    use std::os::unix::fs::MetadataExt;

    file.is_file().then(|| [file.dev(), file.ino()])
}

/// The number of a regular file: unknown here.
#[cfg(not(unix))]
fn file_number(_: &Metadata) -> Option<[u64; 2]> {
    None
}

/// The folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The path of a file that belongs to another one: with a suffix to its name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Truncates a file. Opens it again because not every system can truncate a file open for
/// appending.
///
/// # Errors
/// If it cannot be written.
pub fn truncate(path: &Path, length: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_len(length)
}

/// The name of a file in error messages.
pub fn display_name(path: &Path) -> String {
    if is_standard_input(path) {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

/// Whether a path names standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdin")
}

/// The text without a byte-order mark at its start.
fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}')
        .map(String::from)
        .unwrap_or(text)
}

/// Reads an input of about `length` bytes.
fn read_up_to(input: impl Read, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if length <= limit {
        input.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) <= limit {
        return Ok(bytes);
    }
    Err(io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("more than {} MiB", limit >> 20),
    ))
}

/// Opens a file without blocking and checks that it is a regular one.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let opened = without_blocking(options).open(path);
    // A folder or a FIFO without a reader cannot be opened for writing: the kind explains it
    // better.
    let metadata = opened
        .as_ref()
        .map_or_else(|_| std::fs::metadata(path), File::metadata);
    match metadata {
        Ok(file) if !file.is_file() => {
            let kind = kind_name(file.file_type());
            Err(invalid(format!("not a regular file but {kind}")))
        }
        _ => opened,
    }
}

/// The kind of a file in messages.
fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_file() {
        "a file"
    } else {
        pipe_kind(kind).unwrap_or("a device")
    }
}

fn invalid(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text.into())
}

/// The kind of pipe; `None` if it is another kind of file.
#[cfg(unix)]
fn pipe_kind(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;

    if kind.is_fifo() {
        Some("a FIFO")
    } else {
        kind.is_socket().then_some("a socket")
    }
}

#[cfg(not(unix))]
fn pipe_kind(_: FileType) -> Option<&'static str> {
    None
}

/// Opening returns at once, and a terminal does not become the controlling one. Neither changes
/// regular files.
#[cfg(unix)]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;

    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32)
}

#[cfg(not(unix))]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporary(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("nullwindow-files-{name}-{}", std::process::id()))
    }

    #[test]
    fn regular_files_are_read_up_to_a_limit() {
        let path = temporary("limit");
        std::fs::write(&path, "\u{feff}five").unwrap();
        assert_eq!(read_text(&path).unwrap(), "five");
        assert_eq!(read_stream_text(&path).unwrap(), "five");
        assert_eq!(read_regular(&path, 7).unwrap().len(), 7);
        for error in [read_regular(&path, 6), read_stream(&path, 6)] {
            assert_eq!(error.unwrap_err().to_string(), "more than 0 MiB");
        }
        io::Write::write_all(&mut append_regular(&path).unwrap(), b"!").unwrap();
        assert_eq!(read_text(&path).unwrap(), "five!");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            open_regular(&path).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        append_regular(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn folders_and_binary_data_are_refused() {
        let folder = std::env::temp_dir();
        for error in [
            open_regular(&folder).err(),
            append_regular(&folder).err(),
            read_stream(&folder, 9).err(),
        ] {
            let error = error.unwrap().to_string();
            assert!(error.contains("a folder") || cfg!(windows), "{error}");
        }
        let text = |bytes: &[u8]| text_of(bytes.to_vec(), 0).map_err(|error| error.to_string());
        assert_eq!(text(b"J\xf6rg \xc3\xa9"), Ok("Jörg é".into()));
        assert_eq!(text(b"\xef\xbb\xbfa\xe9"), Ok("aé".into()));
        assert_eq!(
            text(b"a\0"),
            Err("binary data (a NUL at byte 2), expected text".into())
        );
        assert_eq!(
            text(b"\xff\xfea\0"),
            Err("UTF-16 text, expected UTF-8".into())
        );
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_do_not_block() {
        let zero = Path::new("/dev/zero");
        for error in [
            open_regular(zero).err(),
            append_regular(zero).err(),
            read_stream(zero, 9).err(),
        ] {
            assert_eq!(
                error.unwrap().to_string(),
                "not a regular file but a device"
            );
        }
    }
}
