//! The record of a long job: a file of JSON lines. Each result is appended with one write.
//!
//! - One process writes a record ([`RecordLock`]); any number of processes can read it at the same
//!   time.
//! - The first line of a record may be its conditions. The file is created with this line.
//! - The last line may be incomplete after a kill or on a full disk: writers drop it, readers
//!   ignore it. A complete last line without a newline is valid.
//! - Any other invalid line is an error with file and line. An empty file is an error if the record
//!   has conditions, and an empty record otherwise.
//! - Reading holds one line in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::record_lock::RecordLock;
use super::whole_file::{replace_file, replace_file_by};
use crate::game::printable;
use crate::platform::files::{append_regular, open_regular, truncate};

/// The longest line, in bytes.
const LONGEST_LINE: u64 = 256 << 20;
/// The maximum time that [`append_once`] waits for other processes.
const PATIENCE: Duration = Duration::from_secs(10);
/// The remedy for a corrupt line, at the end of its error.
pub const REMEDY: &str = "restore the file from a backup, or delete this line to compute it again";

/// A record that is open for writing, with lines of type `T`.
pub struct JsonLines<T> {
    file: File,
    path: PathBuf,
    /// The file length in bytes.
    length: u64,
    /// The number of lines of conditions.
    head: usize,
    line: PhantomData<fn(&T)>,
    _lock: RecordLock,
}

impl<T: DeserializeOwned> JsonLines<T> {
    /// Opens or creates a record without conditions and calls `take` with each line. A line for
    /// which `take` returns an error is corrupt.
    ///
    /// # Errors
    /// If another process writes the record, or it cannot be read or written, or it is corrupt.
    pub fn open(path: &Path, take: impl FnMut(T) -> Result<(), String>) -> Result<JsonLines<T>> {
        Self::open_despite(path, &|_| false, take)
    }

    /// Like [`JsonLines::open`]; corrupt lines for which `ignore` returns `true` are skipped.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open_despite(
        path: &Path,
        ignore: &dyn Fn(&[u8]) -> bool,
        take: impl FnMut(T) -> Result<(), String>,
    ) -> Result<JsonLines<T>> {
        Self::open_locked(path, RecordLock::acquire(path)?, ignore, take)
    }

    fn open_locked(
        path: &Path,
        lock: RecordLock,
        ignore: &dyn Fn(&[u8]) -> bool,
        take: impl FnMut(T) -> Result<(), String>,
    ) -> Result<JsonLines<T>> {
        append_regular(path).with_context(|| format!("cannot write {}", path.display()))?;
        Self::resume(path, lock, 0, ignore, take)
    }

    /// Like [`JsonLines::open`], for a record whose first line is its conditions.
    ///
    /// # Errors
    /// Also if the record has different conditions.
    pub fn open_with<C>(
        path: &Path,
        conditions: &C,
        take: impl FnMut(T) -> Result<(), String>,
    ) -> Result<JsonLines<T>>
    where
        C: Serialize + DeserializeOwned,
    {
        let lock = RecordLock::acquire(path)?;
        let header = encode(conditions)?;
        if !path.exists() {
            replace_file(path, [&header])?;
        }
        let first = first_line(path)?;
        if first.is_empty() {
            bail!(
                "{}, line 1: the file is empty, expected the conditions of the record; restore it from a backup, or \
                 delete it to start over",
                path.display()
            );
        }
        if first.len() < header.len() && header.starts_with(&first) {
            replace_file(path, [&header])?; // the first line is incomplete
        } else {
            check_conditions(path, &parse_conditions::<C>(path, &first)?, conditions)?;
        }
        Self::resume(path, lock, 1, &|_| false, take)
    }

    /// Opens an existing record after its last complete line.
    fn resume(
        path: &Path,
        lock: RecordLock,
        skip: usize,
        ignore: &dyn Fn(&[u8]) -> bool,
        take: impl FnMut(T) -> Result<(), String>,
    ) -> Result<JsonLines<T>> {
        let (length, ends_line) = scan(path, skip, ignore, take)?;
        let context = || format!("cannot write {}", path.display());
        let file = append_to(path)?;
        if file.metadata().with_context(context)?.len() > length {
            truncate(path, length).with_context(context)?; // drops an incomplete line
        }
        let mut record = JsonLines {
            file,
            path: path.into(),
            length,
            head: skip,
            line: PhantomData,
            _lock: lock,
        };
        if !ends_line {
            record.write(b"\n")?;
        }
        Ok(record)
    }

    /// Removes the lines for which `keep` returns false. A kill leaves the old or the new record.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) -> Result<()> {
        let name = || self.path.display().to_string();
        self.length = replace_file_by(&self.path, |target| {
            let mut length = 0;
            each_line(&self.path, |number, line| {
                let parsed =
                    || parse(line).map_err(|error| anyhow!("{}, line {number}: {error}", name()));
                if number <= self.head || keep(&parsed()?) {
                    target.write_all(line).with_context(name)?;
                    length += line.len() as u64;
                }
                Ok(true)
            })?;
            Ok(length)
        })?;
        self.file = append_to(&self.path)?;
        Ok(())
    }

    /// Appends a line, which must have the JSON form of a `T`. After a failed write the record is
    /// unchanged or ends with an incomplete line.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn append(&mut self, line: &impl Serialize) -> Result<()> {
        self.write(&encode(line)?)
    }

    /// Appends a line in its form by [`encode`].
    ///
    /// # Errors
    /// As [`JsonLines::append`].
    pub fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = self.file.write_all(text);
        if written.is_ok() {
            self.length += text.len() as u64;
        } else if let Ok(now) = self.file.metadata()
            && (self.length..self.length + text.len() as u64).contains(&now.len())
        {
            let _ = truncate(&self.path, self.length);
        }
        written.with_context(|| {
            format!(
                "cannot write {}: the last result is lost; remove the cause to resume",
                self.path.display()
            )
        })
    }
}

/// A line of a record with its newline. Encoding a line before the record is locked shortens the
/// lock.
///
/// # Errors
/// If it has no JSON form.
pub fn encode(line: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

/// Reads a record and calls `take` with each line.
///
/// # Errors
/// If it cannot be read or is corrupt.
pub fn read<T: DeserializeOwned>(
    path: &Path,
    take: impl FnMut(T) -> Result<(), String>,
) -> Result<()> {
    scan(path, 0, &|_| false, take).map(drop)
}

/// Like [`read`], for a record whose first line is its conditions, which it returns.
///
/// # Errors
/// Also if the record has no conditions of this kind.
pub fn read_with<C: DeserializeOwned, T: DeserializeOwned>(
    path: &Path,
    take: impl FnMut(T) -> Result<(), String>,
) -> Result<C> {
    let conditions = parse_conditions(path, &first_line(path)?)?;
    scan(path, 1, &|_| false, take)?;
    Ok(conditions)
}

/// Checks that a record was made with the conditions of a run.
///
/// # Errors
/// If they differ: names each one that does, with both values.
pub fn check_conditions(
    path: &Path,
    recorded: &impl Serialize,
    wanted: &impl Serialize,
) -> Result<()> {
    let [recorded, wanted] = [
        serde_json::to_value(recorded)?,
        serde_json::to_value(wanted)?,
    ]
    .map(|conditions| {
        let mut named = BTreeMap::new();
        name_conditions(String::new(), conditions, &mut named);
        named
    });
    let names: BTreeSet<&String> = recorded.keys().chain(wanted.keys()).collect();
    let text = |value: Option<&String>| value.cloned().unwrap_or_else(|| "default".into());
    let differences: Vec<String> = names
        .into_iter()
        .map(|name| (name, recorded.get(name), wanted.get(name)))
        .filter(|(_, recorded, wanted)| recorded != wanted)
        .map(|(name, recorded, wanted)| {
            format!("{name} {} (expected {})", text(recorded), text(wanted))
        })
        .collect();
    ensure!(
        differences.is_empty(),
        "{}: the record has the conditions {}: repeat its options, or start over: delete this file or \
         choose another one",
        path.display(),
        differences.join(", ")
    );
    Ok(())
}

/// Adds conditions by name, those of an object by its keys and those of pairs by their first texts.
fn name_conditions(name: String, value: Value, named: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                name_conditions(key.replace('_', "-"), value, named);
            }
        }
        Value::Array(items) if items.iter().all(|item| pair(item).is_some()) => {
            for (key, value) in items.iter().filter_map(pair) {
                name_conditions(format!("option {key}"), value.clone(), named);
            }
        }
        Value::Null => {}
        Value::String(text) => drop(named.insert(name, printable(&text))),
        value => drop(named.insert(name, value.to_string())),
    }
}

/// A text and a value in an array.
fn pair(value: &Value) -> Option<(&String, &Value)> {
    match value.as_array()?.as_slice() {
        [Value::String(key), value] => Some((key, value)),
        _ => None,
    }
}

/// Appends a line to a record that several processes write.
///
/// # Errors
/// See [`JsonLines::open`].
pub fn append_once<T: Serialize + DeserializeOwned>(path: &Path, line: &T) -> Result<()> {
    let lock = RecordLock::acquire_within(path, PATIENCE)?;
    JsonLines::<T>::open_locked(path, lock, &|_| false, |_| Ok(()))?.append(line)
}

/// Reads a record after its first `skip` lines, without corrupt lines to `ignore`; returns the length
/// of its complete lines in bytes, and whether the last of them has a newline.
fn scan<T: DeserializeOwned>(
    path: &Path,
    skip: usize,
    ignore: &dyn Fn(&[u8]) -> bool,
    mut take: impl FnMut(T) -> Result<(), String>,
) -> Result<(u64, bool)> {
    let (mut length, mut ends_line) = (0, true);
    each_line(path, |number, line| {
        let has_newline = line.ends_with(b"\n");
        if number > skip {
            if !has_newline && is_cut_off(line) {
                return Ok(false);
            }
            let taken = match parse(line) {
                Err(_) if ignore(line) => Ok(()),
                Err(_) if number == 1 && is_other_object(line) => return Err(not_a_record(path)),
                parsed => parsed.and_then(&mut take),
            };
            taken
                .map_err(|error| anyhow!("{}, line {number}: {error}; {REMEDY}", path.display()))?;
        }
        length += line.len() as u64;
        ends_line = has_newline;
        Ok(true)
    })?;
    Ok((length, ends_line))
}

/// Calls `take` with each line, with its number from 1 and its newline, if it has one, up to
/// [`LONGEST_LINE`], until `take` returns `false`.
fn each_line(path: &Path, mut take: impl FnMut(usize, &[u8]) -> Result<bool>) -> Result<()> {
    let file = open_regular(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.with_context(|| path.display().to_string())? == 0 || !take(number, &line)? {
            break;
        }
    }
    Ok(())
}

fn append_to(path: &Path) -> Result<File> {
    let file = OpenOptions::new().append(true).open(path);
    file.with_context(|| format!("cannot write {}", path.display()))
}

/// The first line of a record; empty if the file is.
fn first_line(path: &Path) -> Result<Vec<u8>> {
    let mut first = Vec::new();
    each_line(path, |_, line| {
        first = line.to_vec();
        Ok(false)
    })?;
    Ok(first)
}

/// The conditions in the first line of a record.
fn parse_conditions<C: DeserializeOwned>(path: &Path, line: &[u8]) -> Result<C> {
    serde_json::from_slice(line).map_err(|_| not_a_record(path))
}

/// Whether a line that is not one of the record is an undamaged JSON object.
fn is_other_object(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|value: Value| value.is_object())
}

fn not_a_record(path: &Path) -> anyhow::Error {
    anyhow!("{}, line 1: not a record of this command", path.display())
}

/// Whether a line without a newline is the start of a JSON object, as after a kill.
fn is_cut_off(line: &[u8]) -> bool {
    let cut_off = |error: serde_json::Error| error.is_eof();
    line.starts_with(b"{") && serde_json::from_slice::<serde_json::Value>(line).is_err_and(cut_off)
}

/// Parses a line, or describes its error.
fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    let parsed = serde_json::from_slice(line);
    parsed.map_err(|error| {
        if line.len() as u64 >= LONGEST_LINE {
            return "the line is too long".into();
        }
        if line.trim_ascii().is_empty() {
            return "the line is empty".into();
        }
        let zeros = line.iter().filter(|&&byte| byte == 0).count();
        if zeros > 0 {
            return format!("the line contains {zeros} NUL bytes, as after a system crash");
        }
        if let Err(error) = std::str::from_utf8(line) {
            return format!(
                "not valid UTF-8 at byte {} of the line",
                error.valid_up_to() + 1
            );
        }
        let text = error.to_string();
        let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
        format!(
            "invalid line of this record: {what} (column {})",
            error.column()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde::Deserialize;

    use super::*;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Line {
        n: i32,
        text: String,
        share: f64,
    }

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Head {
        seed: u64,
    }

    fn line(n: i32) -> Line {
        Line {
            n,
            text: format!("position \"{n}\"\n\u{e9}\u{4e2d}"),
            share: -1.5e-9 * f64::from(n),
        }
    }

    /// A path in an empty folder.
    fn place(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("nullwindow-lines-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder.join("record.jsonl")
    }

    fn open(path: &Path, head: Option<&Head>) -> Result<(JsonLines<Line>, Vec<Line>)> {
        let mut lines = Vec::new();
        let take = |line| {
            lines.push(line);
            Ok(())
        };
        let record = match head {
            Some(head) => JsonLines::open_with(path, head, take)?,
            None => JsonLines::open(path, take)?,
        };
        Ok((record, lines))
    }

    fn error(path: &Path, head: Option<&Head>) -> String {
        open(path, head)
            .err()
            .map_or_else(|| panic!("no error"), |error| format!("{error:#}"))
    }

    #[test]
    fn a_record_resumes_after_a_cut_at_every_byte() {
        for head in [None, Some(&Head { seed: 7 })] {
            let path = place(if head.is_some() { "cut-head" } else { "cut" });
            let (mut record, _) = open(&path, head).unwrap();
            (1..=3).for_each(|n| record.append(&line(n)).unwrap());
            drop(record);
            let whole = fs::read(&path).unwrap();
            let first = if head.is_some() { 1 } else { 0 };
            for cut in first..whole.len() {
                fs::write(&path, &whole[..cut]).unwrap();
                let mut seen = 0;
                if head.is_none() {
                    read::<Line>(&path, |_| {
                        seen += 1;
                        Ok(())
                    })
                    .unwrap();
                    assert_eq!(
                        fs::read(&path).unwrap(),
                        whole[..cut],
                        "a reader changes nothing"
                    );
                }
                let (mut record, found) = open(&path, head).unwrap();
                assert!(head.is_some() || found.len() == seen);
                (found.len() as i32 + 1..=3).for_each(|n| record.append(&line(n)).unwrap());
                drop(record);
                assert!(fs::read(&path).unwrap() == whole, "cut at {cut}");
            }
            assert_eq!(
                fs::read_dir(path.parent().unwrap()).unwrap().count(),
                1,
                "a file is left"
            );
            fs::remove_dir_all(path.parent().unwrap()).unwrap();
        }
    }

    #[test]
    fn damage_is_named_and_the_file_is_left_alone() {
        let path = place("damage");
        let text = |n| serde_json::to_string(&line(n)).unwrap() + "\n";
        let (one, two) = (text(1), text(2));
        let cases: [(Vec<u8>, usize, &str); 10] = [
            (b"garbage\n".to_vec(), 1, "expected value"),
            ([one.as_bytes(), b"garbage"].concat(), 2, "expected value"),
            (b"notes without a newline".to_vec(), 1, "invalid line"),
            (
                format!("{one}{}\n{two}", &two[..20]).into(),
                2,
                "control character",
            ),
            ([one.as_bytes(), &[0; 30]].concat(), 2, "30 NUL bytes"),
            (
                [one.as_bytes(), &[0; 30], two.as_bytes()].concat(),
                2,
                "30 NUL bytes",
            ),
            (
                [
                    one.as_bytes(),
                    b"{\"n\":1,\"text\":\"\xff\"}\n",
                    two.as_bytes(),
                ]
                .concat(),
                2,
                "UTF-8",
            ),
            (format!("{one}\n{two}").into(), 2, "the line is empty"),
            (format!("{one}{{\"m\":3}}\n").into(), 2, "missing field"),
            (format!("{one}{two}[1]").into(), 3, "invalid line"),
        ];
        for (content, number, what) in cases {
            fs::write(&path, &content).unwrap();
            let error = error(&path, None);
            let place = format!("{}, line {number}: ", path.display());
            assert!(
                error.starts_with(&place) && error.contains(what) && error.contains(REMEDY),
                "{error}"
            );
            let reading = format!("{:#}", read::<Line>(&path, |_| Ok(())).unwrap_err());
            assert_eq!(reading, error);
            assert!(fs::read(&path).unwrap() == content, "{error}");
        }
        fs::write(&path, "{\"name\": \"a foreign file\"}").unwrap();
        let foreign = error(&path, None);
        assert!(foreign.ends_with(", line 1: not a record of this command"));
        fs::write(&path, format!("{one}{two}")).unwrap();
        let refused = JsonLines::<Line>::open(&path, |line| {
            if line.n < 2 {
                Ok(())
            } else {
                Err("twice".into())
            }
        });
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains("line 2: twice"), "{refused}");
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_record_keeps_its_conditions() {
        let path = place("conditions");
        let (head, other) = (Head { seed: 7 }, Head { seed: 8 });
        drop(open(&path, Some(&head)).unwrap());
        assert!(
            error(&path, Some(&other))
                .contains("the record has the conditions seed 7 (expected 8): ")
        );
        for (content, what) in [
            ("", "the file is empty"),
            ("{\"seed\":9", "not a record"),
            ("text\n", "not a record"),
        ] {
            fs::write(&path, content).unwrap();
            let error = error(&path, Some(&head));
            assert!(
                error.contains("line 1: ") && error.contains(what),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        fs::write(&path, "").unwrap();
        assert!(
            open(&path, None).unwrap().1.is_empty(),
            "an empty record without conditions"
        );
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn one_writer_at_a_time_and_any_number_of_readers() {
        let path = place("writers");
        let (mut record, _) = open(&path, None).unwrap();
        record.append(&line(1)).unwrap();
        let held = error(&path, None);
        assert!(
            held.contains("is being written by process") && held.contains(" since "),
            "{held}"
        );
        let mut seen = Vec::new();
        let take = |line: Line| {
            seen.push(line.n);
            Ok(())
        };
        read(&path, take).unwrap();
        record.append(&line(2)).unwrap();
        drop(record);
        let threads: Vec<_> = (3..7)
            .map(|n| {
                let path = path.clone();
                std::thread::spawn(move || append_once(&path, &line(n)).unwrap())
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert_eq!((seen, open(&path, None).unwrap().1.len()), (vec![1], 6));
        fs::remove_file(&path).unwrap(); // only files are records
        fs::create_dir(&path).unwrap();
        assert!(error(&path, None).contains("not a regular file but a folder"));
        let nowhere = path.join("no").join("record");
        assert!(error(&nowhere, None).contains("folder"));
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
