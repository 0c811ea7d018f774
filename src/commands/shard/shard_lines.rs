//! The results of a shard: a file of JSON lines, each with its key and the engine, appended at once.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::Value;

use super::shard_file::EngineIdentity;
use crate::tournament::record_files::replace_file;

/// What a line answers: its key, and the number of the problem, if it has one.
type LineKey = (String, Option<u64>);

/// An open file of results.
pub struct ShardLines {
    file: File,
    path: PathBuf,
    identity: EngineIdentity,
    /// The lines of this engine.
    known: HashMap<LineKey, Value>,
}

/// A line as it is written.
#[derive(Serialize)]
struct ShardLine<'a, R> {
    key: &'a str,
    #[serde(flatten)]
    identity: &'a EngineIdentity,
    #[serde(flatten)]
    result: &'a R,
}

impl ShardLines {
    /// Opens or creates a file. Half a line at its end is dropped.
    ///
    /// # Errors
    /// If it cannot be read or written, or another line of it is no result: it may be a file of something else.
    pub fn open(path: &Path, identity: EngineIdentity) -> Result<ShardLines> {
        let name = || path.display().to_string();
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(name)?;
        let bytes = std::fs::read(path).with_context(name)?;
        let (mut known, mut whole) = (HashMap::new(), Vec::new());
        let mut parts = bytes.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
        while let Some((number, part)) = parts.next() {
            let line = serde_json::from_slice::<Value>(part).ok().filter(|line| line["key"].is_string());
            let Some(line) = line.filter(|_| part.ends_with(b"\n")) else {
                ensure!(parts.peek().is_none(), "{}, line {}: no result of a shard", path.display(), number + 1);
                break;
            };
            whole.push(part);
            if line["engine"] == *identity.engine && line["bench"] == identity.bench {
                known.insert((line["key"].as_str().unwrap_or_default().to_owned(), line["n"].as_u64()), line);
            }
        }
        let length: usize = whole.iter().map(|part| part.len()).sum();
        if length < bytes.len() {
            replace_file(path, whole.iter().map(|part| String::from_utf8_lossy(part).into_owned()))?;
            file = OpenOptions::new().append(true).open(path).with_context(name)?;
        }
        Ok(ShardLines { file, path: path.into(), identity, known })
    }

    /// The line with this key and number, if it is in the file.
    pub fn find(&self, key: &str, n: Option<u64>) -> Option<&Value> {
        self.known.get(&(key.to_owned(), n))
    }

    /// Appends a line, unless there is one with its key and number.
    pub fn add(&mut self, key: &str, result: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(&ShardLine { key, identity: &self.identity, result })?;
        let line: Value = serde_json::from_str(&text)?;
        let known = (key.to_owned(), line["n"].as_u64());
        if self.known.contains_key(&known) {
            return Ok(());
        }
        let written = self.file.write_all(format!("{text}\n").as_bytes());
        written.with_context(|| format!("{}: a result is not recorded", self.path.display()))?;
        self.known.insert(known, line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn identity(bench: u64) -> EngineIdentity {
        EngineIdentity { engine: "1.0".into(), bench }
    }

    #[test]
    fn half_a_line_is_dropped_and_results_of_another_engine_do_not_count() {
        let path = std::env::temp_dir().join(format!("nullwindow-shard-lines-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut lines = ShardLines::open(&path, identity(7)).unwrap();
        lines.add("a", &json!({"n": 1, "score": 2})).unwrap();
        lines.add("a", &json!({"n": 2, "score": 2})).unwrap();
        lines.add("a", &json!({"n": 2, "score": 9})).unwrap();
        drop(lines);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        for half in ["{\"key\":\"a\",", "{\"key\":\"b\",\"engine\":\"1.0\",\"bench\":7}"] {
            std::fs::write(&path, format!("{text}{half}")).unwrap();
            let lines = ShardLines::open(&path, identity(7)).unwrap();
            assert_eq!((lines.find("a", Some(2)).unwrap()["score"].as_i64(), lines.find("b", None)), (Some(2), None));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert!(ShardLines::open(&path, identity(8)).unwrap().find("a", Some(1)).is_none());
        std::fs::write(&path, format!("something else\n{text}")).unwrap();
        let error = ShardLines::open(&path, identity(7)).err().unwrap();
        assert!(error.to_string().ends_with("line 1: no result of a shard"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
