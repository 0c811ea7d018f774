//! Where games begin: lines of a file, random plies, the project's own balanced lists, or the start.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::games::any::{AnyGame, by_name};
use crate::games::ggf;
use crate::games::transcript::play_all;
use crate::protocol::client::Course;
use crate::rng::Rng;

/// Plies of a random opening, if not told.
const RANDOM_PLIES: usize = 6;
/// How often in a row a random opening may be one that is there already, before all are taken as found.
const PATIENCE: usize = 1_000;

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The project's own list for the game.
    Builtin,
    /// A file, one opening a line.
    File(PathBuf),
    /// Random plies from the start.
    Random,
    /// The start itself.
    Start,
}

/// What `--openings` says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningsSpec {
    /// Where they come from.
    pub source: Source,
    /// Whether they are shuffled by the seed.
    pub shuffled: bool,
    /// How many plies of each are played; all if none.
    pub plies: Option<usize>,
    /// The first to be played, from 1.
    pub from: usize,
}

impl Default for OpeningsSpec {
    fn default() -> Self {
        OpeningsSpec { source: Source::Builtin, shuffled: true, plies: None, from: 1 }
    }
}

impl OpeningsSpec {
    /// Reads the words behind `--openings`.
    ///
    /// # Errors
    /// If a word is no `key=value`, a key is unknown or a value cannot be read.
    pub fn parse(words: &[String]) -> Result<OpeningsSpec> {
        let mut spec = OpeningsSpec::default();
        let mut order = None;
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or(("source", word));
            match (key, value) {
                ("file", _) => spec.source = Source::File(value.into()),
                ("source", "builtin") => spec.source = Source::Builtin,
                ("source", "random") => spec.source = Source::Random,
                ("source", "startpos" | "start" | "none") => spec.source = Source::Start,
                ("order", "random") => order = Some(true),
                ("order", "sequential") => order = Some(false),
                ("plies", _) => spec.plies = Some(value.parse().context("plies: expected a whole number")?),
                ("start", _) => {
                    spec.from = value.parse().ok().filter(|&from| from > 0).context("start: expected 1 or more")?
                }
                _ => bail!(
                    "openings: \"{word}\" is not file=PATH, builtin, random, startpos, order=random|sequential, plies=N or start=N"
                ),
            }
        }
        // A file is played as it stands unless told otherwise, like everywhere.
        spec.shuffled = order.unwrap_or(spec.source == Source::Builtin);
        Ok(spec)
    }

    /// The first `count` openings of a game (each round takes the next; a short list begins again).
    ///
    /// # Errors
    /// If the file cannot be read, a line is no opening, or there is none.
    pub fn load(&self, game: &str, seed: u64, count: u64) -> Result<Vec<Opening>> {
        let mut list = match &self.source {
            Source::Start => vec![Opening::start()],
            Source::Random => random(game, self.plies.unwrap_or(RANDOM_PLIES), seed, count)?,
            Source::Builtin => self.read(game, builtin(game), &format!("the built-in list of {game}"))?,
            Source::File(path) => {
                let bytes = std::fs::read(path).with_context(|| format!("openings file {}", path.display()))?;
                self.read(game, &String::from_utf8_lossy(&bytes), &path.display().to_string())?
            }
        };
        ensure!(!list.is_empty(), "there are no openings");
        if self.shuffled {
            Rng::for_stream(seed, 1).shuffle(&mut list);
        }
        let first = (self.from - 1) % list.len();
        list.rotate_left(first);
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

/// Where one game begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// The position, unless it is the usual start.
    pub position: Option<String>,
    /// The moves from there, in the game's own spelling.
    pub moves: Vec<String>,
}

impl Opening {
    /// The start of the game.
    pub fn start() -> Opening {
        Opening { position: None, moves: Vec::new() }
    }

    /// Reads a move list (in any form), a position text, a position followed by `moves` and a list, or a game in GGF; cut
    /// to so many plies.
    ///
    /// # Errors
    /// If it is none of these, holds an illegal move, or leaves nothing to play.
    pub fn read(name: &str, line: &str, plies: Option<usize>) -> Result<Opening> {
        let mut game = by_name(name).with_context(|| format!("no such game: {name}"))?;
        let mut position = None;
        let text = line.strip_prefix("position ").unwrap_or(line).trim();
        let text = text.strip_prefix("fen ").unwrap_or(text).trim();
        if let Some(discs) = game.discs().filter(|_| ggf::is_game(text)) {
            let first = ggf::games(discs.grid, text).next().context("no game")??;
            first.replay(&mut *game)?;
            let mut start = game.boxed_clone();
            while start.undo() {}
            let usual = by_name(name).context("no such game")?;
            position = (start.hash() != usual.hash()).then(|| start.write_position());
        } else {
            let (place, moves) = match text.split_once("moves") {
                Some((place, moves)) => (place.trim(), moves),
                None if play_all(&mut *game.boxed_clone(), text).is_ok() => ("", text),
                None => (text, ""),
            };
            if !place.is_empty() && place != "startpos" {
                game.set_position(place)?;
                position = Some(game.write_position());
            }
            play_all(&mut *game, moves)?;
        }
        let moves = words(&*game, plies.unwrap_or(usize::MAX));
        let opening = Opening { position, moves };
        ensure!(opening.course(name)?.outcome().is_none(), "the game is over there");
        Ok(opening)
    }

    /// The opening played out on a board.
    ///
    /// # Errors
    /// If it does not belong to that game.
    pub fn course(&self, name: &str) -> Result<Course> {
        let game = by_name(name).with_context(|| format!("no such game: {name}"))?;
        let mut course = match &self.position {
            Some(text) => Course::from_position(game, text)?,
            None => Course::from_start(game),
        };
        for word in &self.moves {
            let played = course.legal_move(word).with_context(|| format!("illegal move \"{word}\" in an opening"))?;
            course.play(played);
        }
        Ok(course)
    }
}

/// The moves that led to a position, the first few of them.
fn words(game: &dyn AnyGame, plies: usize) -> Vec<String> {
    game.history().iter().take(plies).map(|&played| game.write_move(played)).collect()
}

/// Different random openings (by their final position), as many as wanted or as there seem to be.
fn random(name: &str, plies: usize, seed: u64, count: u64) -> Result<Vec<Opening>> {
    let start = by_name(name).with_context(|| format!("no such game: {name}"))?;
    let mut rng = Rng::for_stream(seed, 0);
    let (mut list, mut seen, mut failed) = (Vec::new(), HashSet::new(), 0);
    while (list.len() as u64) < count.max(1) && failed < PATIENCE {
        let mut game = start.boxed_clone();
        while game.history().len() < plies
            && let Some(&played) = rng.choose(&game.moves())
        {
            game.play(played)?;
        }
        if game.outcome().is_none() && seen.insert(game.hash()) {
            list.push(Opening { position: None, moves: words(&*game, plies) });
            failed = 0;
        } else {
            failed += 1;
        }
    }
    ensure!(!list.is_empty(), "{plies} random plies always end the game");
    Ok(list)
}

/// The project's own balanced openings of a game: made by `nullwindow openings`, whose comment heads each list.
pub fn builtin(game: &str) -> &'static str {
    match game {
        "othello" => include_str!("openings/othello.txt"),
        "othello6" => include_str!("openings/othello6.txt"),
        "othello4" => include_str!("openings/othello4.txt"),
        "diamond" => include_str!("openings/diamond.txt"),
        "diamond2" => include_str!("openings/diamond2.txt"),
        "tictactoe" => include_str!("openings/tictactoe.txt"),
        "scorefour" => include_str!("openings/scorefour.txt"),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::NAMES;

    fn spec(words: &str) -> Result<OpeningsSpec> {
        OpeningsSpec::parse(&words.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let moves = |line: &str| Opening::read("othello", line, None).unwrap().moves.join(" ");
        for line in
            ["f5 d6 c3", "f5d6c3", "1. f5 d6 2. c3", "startpos moves f5 d6 c3", "position startpos moves F5D6C3"]
        {
            assert_eq!(moves(line), "f5 d6 c3", "{line}");
        }
        let opening = Opening::read("othello", "8/8/8/3ox3/3xxx2/8/8/8 o moves d6", None).unwrap();
        assert_eq!(opening.position.as_deref(), Some("8/8/8/3ox3/3xxx2/8/8/8 o"));
        assert_eq!(opening.moves, ["d6"]);
        assert_eq!(opening.course("othello").unwrap().plies().len(), 1);
        let obf = format!("{}OX------XXX{} O; D6:+0;", "-".repeat(27), "-".repeat(26));
        assert_eq!(Opening::read("othello", &obf, None).unwrap().position, opening.position);
        let ggf = "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[D6];)";
        assert_eq!(moves(ggf), "f5 d6");
        assert_eq!(Opening::read("othello", "f5d6c3d3c4", Some(3)).unwrap().moves.len(), 3);
    }

    #[test]
    fn bad_lines_are_named() {
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
    fn random_openings_follow_the_seed_and_do_not_repeat() {
        let load = |seed| spec("random plies=8").unwrap().load("othello", seed, 200).unwrap();
        assert_eq!(load(1), load(1));
        assert_ne!(load(1), load(2));
        assert_eq!(load(1).len(), 200);
        // One ply of tic-tac-toe: nine squares, nine openings.
        assert_eq!(spec("random plies=1").unwrap().load("tictactoe", 1, 100).unwrap().len(), 9);
        assert!(spec("random plies=20").unwrap().load("tictactoe", 1, 100).is_err());
    }

    #[test]
    fn a_list_is_cut_and_begun_elsewhere() {
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
    fn every_game_has_its_own_list() {
        for game in NAMES {
            let list = OpeningsSpec::default().load(game, 1, u64::MAX).unwrap();
            let ends: HashSet<u64> = list.iter().map(|opening| opening.course(game).unwrap().game().hash()).collect();
            assert_eq!(ends.len(), list.len(), "{game}: an opening stands there twice");
        }
    }
}
