//! The file of `--pgnout`: each game in PGN, appended as it ends. The file may contain games of
//! other matches; only one match writes it at a time. A match that is resumed adds the games that
//! a kill has lost.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::export::{ExportFile, pgn};
use super::record::GameRecord;
use crate::arena::config::pgn::{MatchTags, PgnFile};
use crate::arena::config::usage_error::UsageError;
use crate::platform::files;
use crate::storage::record_lock::RecordLock;

impl PgnFile {
    /// Opens the file and adds those of `games`, the games of the tournament, that it lacks.
    ///
    /// # Errors
    /// If another process writes it, or it cannot be read or written.
    pub fn open(
        &self,
        directory: &Path,
        tags: &MatchTags,
        games: impl Iterator<Item = Result<GameRecord>>,
    ) -> Result<ExportFile> {
        let path = self.path(directory);
        let lock = RecordLock::acquire(&path)?;
        let (tags, style) = (tags.clone(), self.style);
        let text = Box::new(move |game: &GameRecord| pgn(game, &tags, &style));
        let open = || -> Result<ExportFile> {
            let mut file = files::append_regular(&path)?;
            let mut games = games.peekable();
            if games.peek().is_none() && !self.append {
                files::truncate(&path, 0)?;
            }
            let content = Content::read(&path)?;
            let mut missing = Vec::new();
            for game in games {
                let Some(text) = text(&game?) else {
                    continue;
                };
                let own = hash(text.trim_ascii_end().as_bytes());
                if !content.games.contains(&own) {
                    missing.push(text);
                }
            }
            let is_cut_off = |text: &String| text.as_bytes().starts_with(&content.last);
            // A blank line ends a game.
            match content.last.as_slice() {
                [] => {}
                _ if missing.iter().any(is_cut_off) => files::truncate(&path, content.last_at)?,
                text if text.ends_with(b"\n\n") || text.ends_with(b"\n\r\n") => {}
                text if text.ends_with(b"\n") => file.write_all(b"\n")?,
                _ => file.write_all(b"\n\n")?,
            }
            for text in missing {
                file.write_all(text.as_bytes())?;
            }
            Ok(ExportFile {
                file,
                name: format!("file {}", path.display()),
                text,
                _lock: Some(lock),
            })
        };
        open().with_context(|| UsageError(format!("--pgnout {}", path.display())))
    }
}

/// The beginning of a game.
const TAG: &[u8] = b"[Event ";

/// What a file contains.
#[derive(Default)]
struct Content {
    /// The hashes of its games.
    games: HashSet<u64>,
    /// The text of the last game, and its place in the file.
    last: Vec<u8>,
    last_at: u64,
}

impl Content {
    fn read(path: &Path) -> Result<Content> {
        let mut content = Content::default();
        let mut reader = BufReader::new(files::open_regular(path)?);
        let mut at = 0;
        loop {
            let mut line = Vec::new();
            let length = reader.read_until(b'\n', &mut line)?;
            // Also the beginning of the tag, where a kill has cut the file off.
            let begins = line.starts_with(TAG) || TAG.starts_with(&line);
            if begins {
                content.games.insert(hash(content.last.trim_ascii_end()));
            }
            if length == 0 {
                return Ok(content);
            }
            if begins {
                (content.last, content.last_at) = (Vec::new(), at);
            }
            content.last.extend(line);
            at += length as u64;
        }
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::arena::config::pgn::PgnStyle;
    use crate::arena::results::record::tests::sample_record;

    fn style() -> PgnStyle {
        PgnStyle {
            nodes: true,
            ..PgnStyle::default()
        }
    }

    #[test]
    fn games_are_appended_and_lost_ones_are_added() {
        let folder = std::env::temp_dir().join(format!("nullwindow-pgn-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let tags = MatchTags::default();
        let games: Vec<GameRecord> = (1..=3).map(sample_record).collect();
        let texts: Vec<String> = games
            .iter()
            .filter_map(|game| pgn(game, &tags, &style()))
            .collect();
        let file = PgnFile {
            file: "all.pgn".into(),
            append: true,
            style: style(),
        };
        let path = folder.join("all.pgn");
        let read = || fs::read_to_string(&path).unwrap();
        // A game of another program without an end of line.
        let other = "[Event \"x\"]\n[Result \"*\"]\n\n1. f5 *";
        fs::write(&path, other).unwrap();
        let open = |file: &PgnFile, games: &[GameRecord]| {
            file.open(&folder, &tags, games.iter().cloned().map(Ok))
        };
        let mut writer = open(&file, &[]).unwrap();
        assert!(file.check(&folder).is_err() && open(&file, &[]).is_err());
        writer.write(&games[0]).unwrap();
        writer.write(&games[1]).unwrap();
        drop(writer);
        let two = format!("{other}\n\n{}{}", texts[0], texts[1]);
        assert_eq!(read(), two);
        // A kill within the second game; the third is in the record only.
        for cut in [1, 2, 3, 100, texts[1].len() - 1] {
            fs::write(&path, &two[..two.len() - cut]).unwrap();
            drop(open(&file, &games).unwrap());
            assert_eq!(read(), two.clone() + &texts[2], "{cut}");
        }
        drop(open(&file, &games).unwrap());
        assert_eq!(read(), two.clone() + &texts[2], "no game twice");
        let fresh = PgnFile {
            append: false,
            ..file.clone()
        };
        drop(open(&fresh, &[]).unwrap());
        assert_eq!(read(), "");
        assert!(fresh.check(&folder).is_ok() && fresh.check(&folder.join("none")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
