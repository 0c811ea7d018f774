//! The openings of a tournament: a file, random plies, a built-in balanced list, or the start
//! position. Random openings have distinct final positions and are determined by game, plies and
//! seed. They are generated one by one, since a tournament may have more rounds than fit in memory.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::key_values::OfWords;
use super::usage_error::UsageError;
use crate::game::rng::Rng;
use crate::game::{counted, is_unprintable};
use crate::games::any;
use crate::games::any::{AnyGame, by_name};
use crate::games::record::{RecordReader, split_at_moves};
use crate::platform::files;

/// Default plies of a random opening.
const RANDOM_PLIES: usize = 6;
/// The version of the random stream ([`OpeningList::random`]).
const RANDOM_STREAM: u32 = 1;

/// The source of openings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningSource {
    /// The built-in list for the game; random plies if it has none.
    Builtin,
    /// A file of positions, lists of moves or games ([`record`](crate::games::record)).
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
    /// Whether they are shuffled with the seed.
    pub shuffled: bool,
    /// The number of plies to play of each; `None` for all.
    pub plies: Option<usize>,
    /// The number of the first opening, from 1.
    pub from: usize,
}

/// The maximum of `plies=N`.
const MAX_PLIES: usize = 60;

impl OfWords for OpeningSelection {
    const OPTION: &'static str = "--openings";
    const HELP: &'static str = "\
        Select the openings: file=PATH (positions or games in any format), builtin, random or startpos; \
        order=random|sequential, plies=N (play the first N plies of each), start=N (begin with opening N) \
        [default: builtin]";

    fn of_words(occurrences: &[Vec<String>]) -> Result<Self> {
        let (mut source, mut order) = (OpeningSource::Builtin, None);
        let (mut plies, mut from) = (None, 1);
        let mut given = HashSet::new();
        for word in occurrences.iter().flatten() {
            let (key, value) = word.split_once('=').unwrap_or(("source", word));
            let kind = if key == "file" { "source" } else { key };
            ensure!(given.insert(kind), "\"{word}\": {kind} is given twice");
            match (key, value) {
                ("file", _) => source = OpeningSource::File(value.into()),
                ("source", "builtin") => source = OpeningSource::Builtin,
                ("source", "random") => source = OpeningSource::Random,
                ("source", "startpos" | "start" | "none") => source = OpeningSource::Start,
                ("order", "random") => order = Some(true),
                ("order", "sequential") => order = Some(false),
                ("plies", _) => {
                    plies = value.parse().ok();
                    ensure!(
                        plies.is_some_and(|plies| (1..=MAX_PLIES).contains(&plies)),
                        "\"{word}\": expected 1 to {MAX_PLIES}"
                    );
                }
                ("start", _) => {
                    from = value.parse().unwrap_or(0);
                    ensure!(from > 0, "expected start=1 or more");
                }
                _ => bail!(
                    "invalid \"{word}\", expected file=PATH, builtin, random, startpos, \
                     order=random|sequential, plies=N or start=N"
                ),
            }
        }
        ensure!(
            source != OpeningSource::Start || order.is_none() && plies.is_none() && from == 1,
            "order, plies and start have no effect with startpos"
        );
        // Files are played in order by default, as in other match runners.
        let shuffled = order.unwrap_or(source == OpeningSource::Builtin);
        Ok(OpeningSelection {
            source,
            shuffled,
            plies,
            from,
        })
    }
}

impl OpeningSelection {
    /// The first `count` openings of a game, one per round (`None`: without end; a shorter list
    /// repeats). Without rules for this name, a file has texts, and the start position is the
    /// default. More than [`LISTED`] random openings are generated on demand.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not an opening, or there is none.
    pub fn load(&self, game: &str, seed: u64, count: Option<u64>) -> Result<OpeningList> {
        let rules = by_name(game);
        let mut list = match (&self.source, &rules, builtin(game)) {
            (OpeningSource::Builtin, None, _) if self.plies.is_some() || !self.shuffled => {
                bail!(UsageError(
                    "--openings: order and plies have no effect: queries judge this game, which begins at \
                     startpos; use file=PATH"
                        .into()
                ))
            }
            (OpeningSource::Start, ..) | (OpeningSource::Builtin, None, _) => {
                vec![Opening::default()]
            }
            (OpeningSource::Builtin, Some(start), Some(text)) => {
                let name = format!("the built-in list of {game}");
                self.read(RecordReader::new(text.as_bytes(), &name, start), &name)?
            }
            (OpeningSource::File(path), rules, _) => {
                let name = format!("openings file {}", files::display_name(path));
                let list = match rules {
                    Some(start) => {
                        let reader = RecordReader::open(path, start);
                        self.read(reader.with_context(|| name.clone())?, &name)?
                    }
                    None => self.read_text(path, &name)?,
                };
                ensure!(!list.is_empty(), "{name} contains no opening");
                list
            }
            (OpeningSource::Random | OpeningSource::Builtin, ..) => {
                let mut random = self.random(game, seed)?;
                let last = count
                    .unwrap_or(u64::MAX)
                    .saturating_add(self.from as u64 - 1);
                let wanted = last.min(LISTED + 1);
                let list: Vec<Opening> = random.by_ref().take(wanted as usize).collect();
                if list.len() as u64 > LISTED {
                    ensure!(
                        self.from as u64 <= LISTED,
                        UsageError(format!(
                            "--openings: start={}: expected at most {LISTED}",
                            self.from
                        ))
                    );
                    return Ok(OpeningList {
                        random: Some(RANDOM_STREAM),
                        ..OpeningList::default()
                    });
                }
                ensure!(
                    !list.is_empty(),
                    UsageError(format!(
                        "--openings: {} random plies always end the game",
                        random.plies
                    ))
                );
                list
            }
        };
        if self.shuffled {
            Rng::for_stream(seed, 1).shuffle(&mut list);
        }
        ensure!(
            self.from <= list.len(),
            UsageError(format!(
                "--openings: start={} exceeds the number of openings ({})",
                self.from,
                list.len()
            ))
        );
        list.rotate_left(self.from - 1);
        if let Some(Ok(count)) = count.map(usize::try_from) {
            list.truncate(count);
        }
        Ok(OpeningList {
            listed: list,
            random: None,
        })
    }

    fn random(&self, game: &str, seed: u64) -> Result<RandomOpenings> {
        Ok(RandomOpenings {
            start: game_named(game)?,
            plies: self.plies.unwrap_or(RANDOM_PLIES),
            rng: Rng::for_stream(seed, 0),
            seen: HashSet::new(),
            made: Vec::new(),
            is_complete: false,
        })
    }

    /// The openings in a file of texts.
    fn read_text(&self, path: &Path, name: &str) -> Result<Vec<Opening>> {
        let text = files::read_text(path).with_context(|| name.to_owned())?;
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let openings = lines.map(|(number, line)| {
            Opening::of_text(line, self.plies).with_context(|| format!("{name}, line {number}"))
        });
        openings.collect()
    }

    /// The openings of records; errors name where they are.
    fn read(&self, reader: RecordReader<impl BufRead>, name: &str) -> Result<Vec<Opening>> {
        let openings = reader.map(|record| {
            let record = record.with_context(|| name.to_owned())?;
            let opening = Opening::of(&record.entry?.game, self.plies);
            opening.with_context(|| record.place.to_string())
        });
        openings.collect()
    }
}

/// The opening of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Opening {
    /// The start position, unless it is the standard one.
    pub position: Option<String>,
    /// The moves from there, in the game's own notation.
    pub moves: Vec<String>,
}

impl Opening {
    /// Parses an opening: a position, a list of moves or a game in any notation
    /// ([`parse`](crate::games::record::parse)), truncated to `plies`.
    ///
    /// # Errors
    /// If it is none of these, contains an illegal move, or ends the game.
    #[cfg(test)]
    pub fn read(name: &str, text: &str, plies: Option<usize>) -> Result<Opening> {
        let game = game_named(name)?;
        Opening::of(&crate::games::record::parse(&game, text)?.game, plies)
    }

    /// The opening in a line of a game without rules, truncated to `plies`.
    fn of_text(line: &str, plies: Option<usize>) -> Result<Opening> {
        ensure!(
            !line.contains(is_unprintable) && !line.starts_with(['{', '[', '(']),
            "expected startpos or fen POSITION, then moves M..."
        );
        let line = line.strip_prefix("position ").unwrap_or(line);
        let (start, moves) = split_at_moves(line);
        let position = start.strip_prefix("fen ").unwrap_or(start).trim();
        let moves = moves
            .unwrap_or_default()
            .split_whitespace()
            .map(String::from);
        Ok(Opening {
            position: (!["", "startpos"].contains(&position)).then(|| position.into()),
            moves: moves.take(plies.unwrap_or(usize::MAX)).collect(),
        })
    }

    /// The opening whose moves led to a position, truncated to `plies`.
    ///
    /// # Errors
    /// If the game is over there.
    fn of(game: &AnyGame, plies: Option<usize>) -> Result<Opening> {
        let moves = game.history();
        let opening = Opening {
            position: (!game.is_from_start()).then(|| game.start().write_position()),
            moves: game.write_moves(&moves[..moves.len().min(plies.unwrap_or(usize::MAX))]),
        };
        if opening.game(game.name())?.outcome().is_some() {
            match opening.moves.len() {
                0 => bail!("the game is over in this position: no move can be played"),
                played => bail!(
                    "the game ends after {}; use plies=N to play only the first N",
                    counted(played, "ply", "plies")
                ),
            }
        }
        Ok(opening)
    }

    /// The opening of all moves of a game from the standard start position.
    fn of_moves(game: &AnyGame) -> Opening {
        Opening {
            position: None,
            moves: game.write_moves(game.history()),
        }
    }

    /// The game after the opening.
    ///
    /// # Errors
    /// If the opening is invalid in that game.
    pub fn game(&self, name: &str) -> Result<AnyGame> {
        let mut game = game_named(name)?;
        game.set_position(self.position.as_deref().unwrap_or("startpos"))?;
        for word in &self.moves {
            game.play_legal(word)
                .with_context(|| format!("illegal move \"{word}\" in an opening"))?;
        }
        Ok(game)
    }
}

/// The openings of a tournament, as saved in `tournament.json`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OpeningList {
    /// The openings, one per round; empty if they are generated on demand.
    #[serde(rename = "openings")]
    pub listed: Vec<Opening>,
    /// The version of the random stream from which openings are generated on demand: 1 is the order
    /// of [`RandomOpenings`], from `start` on, not shuffled.
    #[serde(
        rename = "random_openings",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub random: Option<u32>,
}

impl OpeningList {
    /// The openings of the rounds of a tournament.
    ///
    /// # Errors
    /// If there are none, or the version of the random stream is not supported.
    pub fn rounds(
        &self,
        selection: &OpeningSelection,
        game: &str,
        seed: u64,
    ) -> Result<RoundOpenings> {
        match self.random {
            None => {
                ensure!(!self.listed.is_empty(), "the list of openings is empty");
                Ok(RoundOpenings::Listed(self.listed.clone()))
            }
            Some(RANDOM_STREAM) => {
                let made = Mutex::new(selection.random(game, seed)?);
                Ok(RoundOpenings::Random {
                    made,
                    first: selection.from as u64 - 1,
                })
            }
            Some(version) => {
                bail!("unsupported version {version} of the random openings, expected version 1")
            }
        }
    }
}

/// The openings of rounds, shared by the workers.
pub enum RoundOpenings {
    /// A list, which repeats.
    Listed(Vec<Opening>),
    /// Openings generated on demand.
    Random {
        /// The generator.
        made: Mutex<RandomOpenings>,
        /// The index of the first round's opening.
        first: u64,
    },
}

impl RoundOpenings {
    /// The opening of a round, from 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_round(&self, round: u64) -> Result<Opening> {
        let index = round.saturating_sub(1);
        match self {
            RoundOpenings::Listed(list) => Ok(list[(index % list.len() as u64) as usize].clone()),
            RoundOpenings::Random { made, first } => made
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(index.saturating_add(*first)),
        }
    }

    /// Checks that the runner does not end a game before the first move of an engine.
    ///
    /// # Errors
    /// If `--maxmoves` or `--exact` would do so; the error has the number of the opening.
    pub fn check(&self, game: &str, max_moves: Option<u64>, exact: Option<u8>) -> Result<()> {
        let openings = match self {
            RoundOpenings::Listed(list) => list,
            // All have the same number of plies.
            RoundOpenings::Random { .. } => &vec![self.of_round(1)?],
        };
        for (number, opening) in (1..).zip(openings) {
            let plies = opening.moves.len() as u64;
            if let Some(moves) = max_moves.filter(|moves| moves.saturating_mul(2) <= plies) {
                bail!(UsageError(format!(
                    "--maxmoves {moves}: opening {number} has {plies} plies, so that the engines play no move; \
                     expected at least {}",
                    plies / 2 + 1
                )));
            }
            if let Some(empties) = exact
                && let left = opening.game(game)?.plies_left()
                && left <= empties
            {
                bail!(UsageError(format!(
                    "--exact {empties}: opening {number} has {left} empties, so that the engines play no move"
                )));
            }
        }
        Ok(())
    }

    /// The number of distinct openings; `None` if they are generated on demand.
    pub fn number(&self) -> Option<usize> {
        match self {
            RoundOpenings::Listed(list) => Some(list.len()),
            RoundOpenings::Random { .. } => None,
        }
    }
}

/// The built-in balanced openings of a game, if any. The comment at the top of the list has the
/// `nullwindow openings` command that made it.
pub fn builtin(game: &str) -> Option<&'static str> {
    any::entry(game)?.openings
}

/// The maximum number of openings in `tournament.json`; more random openings are generated on
/// demand.
pub const LISTED: u64 = 10_000;
/// The number of consecutive duplicates after which the list counts as complete.
const MAX_DUPLICATES: u32 = 1_000;

fn game_named(name: &str) -> Result<AnyGame> {
    by_name(name).with_context(|| format!("no such game: {name}"))
}

/// Random openings with distinct final positions, generated on demand.
pub struct RandomOpenings {
    start: AnyGame,
    plies: usize,
    rng: Rng,
    /// The hashes of the final positions.
    seen: HashSet<u64>,
    /// The generator before each opening, which repeats it.
    made: Vec<Rng>,
    /// Whether the list counts as complete.
    is_complete: bool,
}

impl RandomOpenings {
    /// The opening at an index, from 0; the list repeats after its end.
    ///
    /// # Errors
    /// If there is none.
    fn get(&mut self, index: u64) -> Result<Opening> {
        while self.made.len() as u64 <= index && self.next().is_some() {}
        let index = index.checked_rem(self.made.len() as u64);
        let index = index.context("the list of openings is empty")?;
        let game = random_game(
            &self.start,
            self.plies,
            &mut self.made[index as usize].clone(),
        );
        Ok(Opening::of_moves(&game))
    }
}

impl Iterator for RandomOpenings {
    type Item = Opening;

    /// The next opening; `None` if the list counts as complete.
    fn next(&mut self) -> Option<Opening> {
        for _ in 0..if self.is_complete { 0 } else { MAX_DUPLICATES } {
            let before = self.rng.clone();
            let game = random_game(&self.start, self.plies, &mut self.rng);
            if game.outcome().is_none() && self.seen.insert(game.hash()) {
                self.made.push(before);
                return Some(Opening::of_moves(&game));
            }
        }
        self.is_complete = true;
        None
    }
}

/// A game of random moves, of `plies` plies unless it ends before.
fn random_game(start: &AnyGame, plies: usize, rng: &mut Rng) -> AnyGame {
    let mut game = start.clone();
    while game.history().len() < plies
        && let Some(&played) = rng.choose(&game.moves())
    {
        let _ = game.play(played); // cannot fail
    }
    game
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::games::any::NAMES;

    fn spec(words: &str) -> Result<OpeningSelection> {
        OpeningSelection::of_words(&[words.split_whitespace().map(String::from).collect()])
    }

    #[test]
    fn every_line_format_is_parsed() {
        let moves = |line: &str| {
            Opening::read("othello", line, None)
                .unwrap()
                .moves
                .join(" ")
        };
        for line in [
            "f5 d6 c3",
            "f5d6c3",
            "1. f5 d6 2. c3",
            "startpos moves f5 d6 c3",
            "position startpos moves F5D6C3",
        ] {
            assert_eq!(moves(line), "f5 d6 c3", "{line}");
        }
        let opening = Opening::read("othello", "8/8/8/3ox3/3xxx2/8/8/8 o moves d6", None).unwrap();
        assert_eq!(
            opening.position.as_deref(),
            Some("8/8/8/3ox3/3xxx2/8/8/8 o")
        );
        assert_eq!(opening.moves, ["d6"]);
        assert_eq!(opening.game("othello").unwrap().history().len(), 1);
        let obf = format!("{}OX------XXX{} O; D6:+0;", "-".repeat(27), "-".repeat(26));
        assert_eq!(
            Opening::read("othello", &obf, None).unwrap().position,
            opening.position
        );
        let board = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
        assert_eq!(
            moves(&format!(
                "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 {board} *]B[F5]W[D6];)"
            )),
            "f5 d6"
        );
        assert_eq!(
            Opening::read("othello", "f5d6c3d3c4", Some(3))
                .unwrap()
                .moves
                .len(),
            3
        );
    }

    #[test]
    fn errors_name_the_line() {
        for line in [
            "f5 f5",
            "hello",
            "8/8 x",
            "startpos moves a1",
            "xx6/8/8/8/8/8/8/8 x",
        ] {
            assert!(Opening::read("othello", line, None).is_err(), "{line}");
        }
        let path =
            std::env::temp_dir().join(format!("nullwindow-openings-{}.txt", std::process::id()));
        std::fs::write(&path, "# three\nf5d6\n\nf5d7\n").unwrap();
        let error = spec(&format!("file={}", path.display()))
            .unwrap()
            .load("othello", 1, Some(10))
            .unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(format!("{error:#}").contains("line 4"), "{error:#}");
        assert!(
            spec("file=/nonexistent/x")
                .unwrap()
                .load("othello", 1, Some(1))
                .is_err()
        );
        assert!(spec("order=up").is_err() && spec("plies=x").is_err() && spec("start=0").is_err());
    }

    #[test]
    fn random_openings_depend_on_the_seed_and_are_distinct() {
        let load = |seed| {
            spec("random plies=8")
                .unwrap()
                .load("othello", seed, Some(200))
                .unwrap()
                .listed
        };
        assert_eq!(load(1), load(1));
        assert_ne!(load(1), load(2));
        assert_eq!(load(1).len(), 200);
        // One ply of tic-tac-toe: nine squares, nine openings.
        assert_eq!(
            spec("random plies=1")
                .unwrap()
                .load("tictactoe", 1, Some(100))
                .unwrap()
                .listed
                .len(),
            9
        );
        assert!(
            spec("random plies=20")
                .unwrap()
                .load("tictactoe", 1, Some(100))
                .is_err()
        );
    }

    #[test]
    fn random_openings_begin_with_any_number() {
        let load = |text: &str, count| {
            spec(text)
                .unwrap()
                .load("othello", 4, Some(count))
                .unwrap()
                .listed
        };
        let all = load("random plies=8", 20);
        for (from, count) in [(1, 20), (5, 2), (11, 10), (20, 1)] {
            let part = load(&format!("random plies=8 start={from}"), count);
            assert_eq!(part, all[from - 1..][..count as usize], "start={from}");
        }
    }

    #[test]
    fn openings_made_when_needed_are_those_of_a_list() {
        let spec = spec("random plies=10 start=3").unwrap();
        let list = |count| spec.load("othello", 4, count).unwrap();
        let most = LISTED - 2; // from the third on
        let listed = list(Some(most));
        assert_eq!((listed.random, listed.listed.len() as u64), (None, most));
        let listed = listed.rounds(&spec, "othello", 4).unwrap();
        for count in [Some(LISTED + 1), Some(u64::MAX / 2), None] {
            let made = list(count);
            assert_eq!((made.random, made.listed.len()), (Some(1), 0));
            let made = made.rounds(&spec, "othello", 4).unwrap();
            assert_eq!(made.number(), None);
            for round in [1, 2, 900, 5, most, 3, LISTED * 2, 1] {
                let opening = made.of_round(round).unwrap();
                assert_eq!(opening.moves.len(), 10);
                assert!(
                    round > most || opening == listed.of_round(round).unwrap(),
                    "round {round}"
                );
            }
        }
        let saved = OpeningList {
            random: Some(2),
            ..OpeningList::default()
        };
        assert!(
            saved.rounds(&spec, "othello", 4).is_err()
                && OpeningList::default().rounds(&spec, "othello", 4).is_err()
        );
        // A short list repeats.
        let few = super::tests::spec("random plies=1").unwrap();
        let few = few
            .load("tictactoe", 1, None)
            .unwrap()
            .rounds(&few, "tictactoe", 1)
            .unwrap();
        assert_eq!(
            (few.number(), few.of_round(1).unwrap()),
            (Some(9), few.of_round(1_000_000_000_000_000_000).unwrap())
        );
    }

    #[test]
    fn order_and_start_select_from_a_file() {
        let path = std::env::temp_dir().join(format!(
            "nullwindow-openings-order-{}.txt",
            std::process::id()
        ));
        std::fs::write(&path, "f5\ne6\nd3\nc4\n").unwrap();
        let load = |words: &str| -> Vec<String> {
            let list = spec(&format!("file={} {words}", path.display()))
                .unwrap()
                .load("othello", 5, Some(4))
                .unwrap()
                .listed;
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
            let list = spec("").unwrap().load(game, 1, Some(100)).unwrap().listed;
            let ends: HashSet<u64> = list
                .iter()
                .map(|opening| opening.game(game).unwrap().hash())
                .collect();
            assert_eq!(ends.len(), list.len(), "{game}: duplicate openings");
        }
    }
}
