//! The openings of a tournament: from a file, random plies, the built-in balanced lists, or the start position.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::game::rng::Rng;
use crate::games::any::{AnyGame, by_name};
use crate::games::registry;
use crate::games::reversi::ggf;
use crate::games::transcript::{self, play_all};
use crate::protocol::client::GameHistory;

/// Default plies of a random opening.
const RANDOM_PLIES: usize = 6;
/// After this many consecutive duplicates the list of random openings is taken to be complete.
const MAX_DUPLICATES: usize = 1_000;

/// The source of openings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningSource {
    /// The built-in list for the game; random plies if it has none.
    Builtin,
    /// A file with one opening per line.
    File(PathBuf),
    /// Random plies from the start position.
    Random,
    /// The start position.
    Start,
}

/// The value of `--openings`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningSelection {
    /// The source.
    pub source: OpeningSource,
    /// Whether they are shuffled by the seed.
    pub shuffled: bool,
    /// The number of plies of each that are played; `None` for all.
    pub plies: Option<usize>,
    /// The first opening, from 1.
    pub from: usize,
}

impl Default for OpeningSelection {
    fn default() -> Self {
        OpeningSelection { source: OpeningSource::Builtin, shuffled: true, plies: None, from: 1 }
    }
}

/// The most plies of an opening.
const MAX_PLIES: usize = 60;

impl OpeningSelection {
    /// Parses the words after `--openings`.
    ///
    /// # Errors
    /// If a key is unknown or a value is invalid.
    pub fn parse(words: &[String]) -> Result<OpeningSelection> {
        let mut spec = OpeningSelection::default();
        let mut order = None;
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or(("source", word));
            match (key, value) {
                ("file", _) => spec.source = OpeningSource::File(value.into()),
                ("source", "builtin") => spec.source = OpeningSource::Builtin,
                ("source", "random") => spec.source = OpeningSource::Random,
                ("source", "startpos" | "start" | "none") => spec.source = OpeningSource::Start,
                ("order", "random") => order = Some(true),
                ("order", "sequential") => order = Some(false),
                ("plies", _) => {
                    let plies = value.parse().ok().filter(|plies| (1..=MAX_PLIES).contains(plies));
                    spec.plies = Some(plies.with_context(|| format!("plies: expected 1 to {MAX_PLIES}"))?);
                }
                ("start", _) => {
                    spec.from = value.parse().ok().filter(|&from| from > 0).context("start: expected 1 or more")?
                }
                _ => bail!(
                    "openings: \"{word}\" is not file=PATH, builtin, random, startpos, order=random|sequential, \
                     plies=N or start=N"
                ),
            }
        }
        ensure!(
            spec.source != OpeningSource::Start || order.is_none() && spec.plies.is_none() && spec.from == 1,
            "openings: order, plies and start have no effect on startpos"
        );
        // Files are played in order by default, as in other match runners.
        spec.shuffled = order.unwrap_or(spec.source == OpeningSource::Builtin);
        Ok(spec)
    }

    /// The first `count` openings of a game (one per round; a shorter list is repeated).
    ///
    /// # Errors
    /// If the file cannot be read, a line is not an opening, or there is none.
    pub fn load(&self, game: &str, seed: u64, count: u64) -> Result<Vec<Opening>> {
        let mut list = match &self.source {
            OpeningSource::Start => vec![Opening::start()],
            OpeningSource::Random => random(game, self.plies.unwrap_or(RANDOM_PLIES), seed, count)?,
            OpeningSource::Builtin => match builtin(game) {
                Some(text) => self.read(game, text, &format!("the built-in list of {game}"))?,
                None => random(game, self.plies.unwrap_or(RANDOM_PLIES), seed, count)?,
            },
            OpeningSource::File(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("openings file {}", path.display()))?;
                self.read(game, &String::from_utf8_lossy(&bytes), &path.display().to_string())?
            }
        };
        ensure!(!list.is_empty(), "there are no openings");
        if self.shuffled {
            Rng::for_stream(seed, 1).shuffle(&mut list);
        }
        ensure!(self.from <= list.len(), "openings: start={}: there are {} openings", self.from, list.len());
        list.rotate_left(self.from - 1);
        list.truncate(usize::try_from(count.max(1)).unwrap_or(usize::MAX));
        Ok(list)
    }

    fn read(&self, game: &str, text: &str, place: &str) -> Result<Vec<Opening>> {
        let mut list = Vec::new();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.split(" #").next().unwrap_or("").trim();
            if !line.is_empty() && !line.starts_with('#') {
                let opening = Opening::read(game, line, self.plies);
                list.push(opening.with_context(|| format!("{place}, line {}", number + 1))?);
            }
        }
        Ok(list)
    }
}

/// The opening of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// The start position, unless it is the standard one.
    pub position: Option<String>,
    /// The moves from there, in the game's own notation.
    pub moves: Vec<String>,
}

impl Opening {
    /// The standard start position without moves.
    pub fn start() -> Opening {
        Opening { position: None, moves: Vec::new() }
    }

    /// Parses a move list (in any notation), a position, a position followed by `moves` and a move list, or a game in
    /// GGF, truncated to `plies`.
    ///
    /// # Errors
    /// If it is none of these, contains an illegal move, or ends the game.
    pub fn read(name: &str, line: &str, plies: Option<usize>) -> Result<Opening> {
        let mut game = by_name(name).with_context(|| format!("no such game: {name}"))?;
        let mut position = None;
        let text = line.strip_prefix("position ").unwrap_or(line).trim();
        let text = text.strip_prefix("fen ").unwrap_or(text).trim();
        if let Some(discs) = game.discs().filter(|_| ggf::is_game(text)) {
            let first = ggf::games(discs.grid, text).next().context("no game")??;
            transcript::replay(&mut *game, &first)?;
            let mut start = game.boxed_clone();
            while start.undo() {}
            let standard = by_name(name).context("no such game")?;
            position = (start.hash() != standard.hash()).then(|| start.write_position());
        } else {
            let (start, moves) = match text.split_once("moves") {
                Some((start, moves)) => (start.trim(), moves),
                None if play_all(&mut *game.boxed_clone(), text).is_ok() => ("", text),
                None => (text, ""),
            };
            if !start.is_empty() && start != "startpos" {
                game.set_position(start)?;
                position = Some(game.write_position());
            }
            play_all(&mut *game, moves)?;
        }
        let moves = first_moves(&*game, plies.unwrap_or(usize::MAX));
        let opening = Opening { position, moves };
        ensure!(opening.history(name)?.outcome().is_none(), "the game is over there");
        Ok(opening)
    }

    /// The game history after the opening.
    ///
    /// # Errors
    /// If the opening is not one of that game.
    pub fn history(&self, name: &str) -> Result<GameHistory> {
        let game = by_name(name).with_context(|| format!("no such game: {name}"))?;
        let mut history = match &self.position {
            Some(text) => GameHistory::from_position(game, text)?,
            None => GameHistory::from_start(game),
        };
        for word in &self.moves {
            let played = history.legal_move(word).with_context(|| format!("illegal move \"{word}\" in an opening"))?;
            history.play(played);
        }
        Ok(history)
    }
}

/// The first moves of a game, at most `plies`.
fn first_moves(game: &dyn AnyGame, plies: usize) -> Vec<String> {
    game.history().iter().take(plies).map(|&played| game.write_move(played)).collect()
}

/// Up to `count` random openings with distinct final positions.
fn random(name: &str, plies: usize, seed: u64, count: u64) -> Result<Vec<Opening>> {
    let start = by_name(name).with_context(|| format!("no such game: {name}"))?;
    let mut rng = Rng::for_stream(seed, 0);
    let (mut list, mut seen, mut duplicates) = (Vec::new(), HashSet::new(), 0);
    while (list.len() as u64) < count.max(1) && duplicates < MAX_DUPLICATES {
        let mut game = start.boxed_clone();
        while game.history().len() < plies
            && let Some(&played) = rng.choose(&game.moves())
        {
            game.play(played)?;
        }
        if game.outcome().is_none() && seen.insert(game.hash()) {
            list.push(Opening { position: None, moves: first_moves(&*game, plies) });
            duplicates = 0;
        } else {
            duplicates += 1;
        }
    }
    ensure!(!list.is_empty(), "{plies} random plies always end the game");
    Ok(list)
}

/// The built-in balanced openings of a game, if it has some: made by `nullwindow openings` as the comment at the top
/// says.
pub fn builtin(game: &str) -> Option<&'static str> {
    registry::entry(game)?.openings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::NAMES;

    fn spec(words: &str) -> Result<OpeningSelection> {
        OpeningSelection::parse(&words.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn every_line_format_is_parsed() {
        let moves = |line: &str| Opening::read("othello", line, None).unwrap().moves.join(" ");
        for line in
            ["f5 d6 c3", "f5d6c3", "1. f5 d6 2. c3", "startpos moves f5 d6 c3", "position startpos moves F5D6C3"]
        {
            assert_eq!(moves(line), "f5 d6 c3", "{line}");
        }
        let opening = Opening::read("othello", "8/8/8/3ox3/3xxx2/8/8/8 o moves d6", None).unwrap();
        assert_eq!(opening.position.as_deref(), Some("8/8/8/3ox3/3xxx2/8/8/8 o"));
        assert_eq!(opening.moves, ["d6"]);
        assert_eq!(opening.history("othello").unwrap().plies().len(), 1);
        let obf = format!("{}OX------XXX{} O; D6:+0;", "-".repeat(27), "-".repeat(26));
        assert_eq!(Opening::read("othello", &obf, None).unwrap().position, opening.position);
        let board = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
        assert_eq!(moves(&format!("(;GM[Othello]PB[a]PW[b]TY[8]BO[8 {board} *]B[F5]W[D6];)")), "f5 d6");
        assert_eq!(Opening::read("othello", "f5d6c3d3c4", Some(3)).unwrap().moves.len(), 3);
    }

    #[test]
    fn errors_name_the_line() {
        for line in ["f5 f5", "hello", "8/8 x", "startpos moves a1", "xx6/8/8/8/8/8/8/8 x"] {
            assert!(Opening::read("othello", line, None).is_err(), "{line}");
        }
        let path = std::env::temp_dir().join(format!("nullwindow-openings-{}.txt", std::process::id()));
        std::fs::write(&path, "# three\nf5d6\n\nf5d7\n").unwrap();
        let error = spec(&format!("file={}", path.display())).unwrap().load("othello", 1, 10).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(format!("{error:#}").contains("line 4"), "{error:#}");
        assert!(spec("file=/nonexistent/x").unwrap().load("othello", 1, 1).is_err());
        assert!(spec("order=up").is_err() && spec("plies=x").is_err() && spec("start=0").is_err());
    }

    #[test]
    fn random_openings_depend_on_the_seed_and_are_distinct() {
        let load = |seed| spec("random plies=8").unwrap().load("othello", seed, 200).unwrap();
        assert_eq!(load(1), load(1));
        assert_ne!(load(1), load(2));
        assert_eq!(load(1).len(), 200);
        // One ply of tic-tac-toe: nine squares, nine openings.
        assert_eq!(spec("random plies=1").unwrap().load("tictactoe", 1, 100).unwrap().len(), 9);
        assert!(spec("random plies=20").unwrap().load("tictactoe", 1, 100).is_err());
    }

    #[test]
    fn order_and_start_select_from_a_file() {
        let path = std::env::temp_dir().join(format!("nullwindow-openings-order-{}.txt", std::process::id()));
        std::fs::write(&path, "f5\ne6\nd3\nc4\n").unwrap();
        let load = |words: &str| -> Vec<String> {
            let list = spec(&format!("file={} {words}", path.display())).unwrap().load("othello", 5, 4).unwrap();
            list.iter().map(|opening| opening.moves.join(" ")).collect()
        };
        assert_eq!(load(""), ["f5", "e6", "d3", "c4"]);
        assert_eq!(load("start=3"), ["d3", "c4", "f5", "e6"]);
        let mut shuffled = load("order=random");
        shuffled.sort();
        assert_eq!(shuffled, ["c4", "d3", "e6", "f5"]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn every_game_has_openings() {
        for game in NAMES {
            let list = OpeningSelection::default().load(game, 1, 100).unwrap();
            let ends: HashSet<u64> = list.iter().map(|opening| opening.history(game).unwrap().game().hash()).collect();
            assert_eq!(ends.len(), list.len(), "{game}: duplicate openings");
        }
    }
}
