//! The results of a shard: a file of JSON lines, each with its key and the engine.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::lab::bench::documented_total;
use crate::storage::json_lines::JsonLines;

/// The identity of an engine: two engines with the same identity return the same results.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct EngineIdentity {
    /// The version.
    pub engine: String,
    /// The node total of `bench`.
    pub bench: u64,
}

impl EngineIdentity {
    /// This engine.
    pub fn own() -> Result<EngineIdentity> {
        let bench = documented_total().context("README.md has no bench total")?;
        Ok(EngineIdentity { engine: env!("CARGO_PKG_VERSION").into(), bench })
    }
}

/// Identifies a result: its key, and the number of the problem if it has one.
type LineKey = (String, Option<u64>);

/// An open file of results.
pub struct ShardLines {
    lines: JsonLines<KnownLine>,
    identity: EngineIdentity,
    /// The lines of this engine.
    known: HashSet<LineKey>,
}

/// A line to write.
#[derive(Serialize)]
struct ShardLine<'a, R> {
    key: &'a str,
    #[serde(flatten)]
    identity: &'a EngineIdentity,
    #[serde(flatten)]
    result: &'a R,
}

/// The parsed part of a line.
#[derive(Deserialize)]
struct KnownLine {
    key: String,
    #[serde(flatten)]
    identity: EngineIdentity,
    n: Option<u64>,
}

impl ShardLines {
    /// Opens or creates a file.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(path: &Path, identity: EngineIdentity) -> Result<ShardLines> {
        let mut known = HashSet::new();
        // A file merged from several shards may contain duplicates.
        let lines = JsonLines::open(path, |line: KnownLine| {
            if line.identity == identity {
                known.insert((line.key, line.n));
            }
            Ok(())
        })?;
        Ok(ShardLines { lines, identity, known })
    }

    /// Whether the file has a line with this key and number.
    pub fn has(&self, key: &str, n: Option<u64>) -> bool {
        self.known.contains(&(key.to_owned(), n))
    }

    /// Appends a line unless the file has one with this key and number.
    pub fn add(&mut self, key: &str, result: &impl Serialize) -> Result<()> {
        let n = serde_json::to_value(result)?["n"].as_u64();
        if self.known.insert((key.to_owned(), n)) {
            self.lines.append(&ShardLine { key, identity: &self.identity, result })?;
        }
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
            let is_whole = half.ends_with('}');
            assert_eq!((lines.has("a", Some(2)), lines.has("b", None)), (true, is_whole));
            let end = if is_whole { format!("{half}\n") } else { String::new() };
            assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{text}{end}"));
        }
        assert!(!ShardLines::open(&path, identity(8)).unwrap().has("a", Some(1)));
        std::fs::write(&path, text.repeat(2)).unwrap();
        assert!(ShardLines::open(&path, identity(7)).unwrap().has("a", Some(1)));
        std::fs::write(&path, format!("something else\n{text}")).unwrap();
        let error = ShardLines::open(&path, identity(7)).err().unwrap().to_string();
        assert!(error.contains("line 1: invalid line of this record"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
