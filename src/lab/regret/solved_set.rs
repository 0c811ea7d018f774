//! The solved positions: positions of games as `nullwindow problems` plays them, each with the
//! exact score of every legal move. Each has two or more legal moves; no two are symmetric images.
//!
//! Several versions of the engine can be measured on the same file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::commands::problems::{MAX_FAILED_GAMES, ProblemGenerator};
use crate::engine::options::Options;
use crate::game::Game;
use crate::game::rng::Rng;
use crate::games::any::AnyGame;
use crate::lab::job_record::JobRecord;
use crate::search::Answer;

/// The conditions that all positions of a file share.
#[derive(Debug, Serialize, Deserialize)]
struct SolvedConditions {
    game: String,
    seed: u64,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SolvedPosition {
    pub empties: u8,
    /// The index among the positions with this number of empties, from 0.
    pub number: u32,
    pub position: String,
    /// The exact score of each legal move for the side to move, in discs.
    pub scores: BTreeMap<String, i32>,
}

impl SolvedPosition {
    /// The loss of a move relative to the best one, in discs; `None` if it is illegal.
    pub fn loss(&self, word: &str) -> Option<i32> {
        Some(self.scores.values().max()? - self.scores.get(word)?)
    }

    /// Parses and validates the position.
    fn board(&self, start: &AnyGame) -> Result<AnyGame> {
        let mut board = start.clone();
        board.set_position(&self.position)?;
        let words = BTreeSet::from_iter(board.write_moves(&board.moves()));
        ensure!(
            board.plies_left() == self.empties,
            "the position has {} empties",
            board.plies_left()
        );
        ensure!(
            self.scores.keys().eq(words.iter()),
            "the scored moves are not the legal moves"
        );
        Ok(board)
    }
}

/// The file of solved positions.
pub(super) struct SolvedSet<'g> {
    path: PathBuf,
    record: JobRecord<(u8, u32), SolvedPosition>,
    start: &'g AnyGame,
    seed: u64,
}

impl<'g> SolvedSet<'g> {
    /// Opens or creates the file.
    pub fn open(path: &Path, start: &'g AnyGame, seed: u64) -> Result<SolvedSet<'g>> {
        let conditions = SolvedConditions {
            game: start.name().into(),
            seed,
        };
        let record = JobRecord::open(path, &conditions, |line: &SolvedPosition| {
            (line.empties, line.number)
        })?;
        Ok(SolvedSet {
            path: path.into(),
            record,
            start,
            seed,
        })
    }

    /// The first positions of these numbers of empties: validates the recorded ones, then generates
    /// and solves the missing ones. Returns `None` if interrupted.
    pub fn complete(
        &mut self,
        empties: &RangeInclusive<u8>,
        count: u32,
        threads: u16,
    ) -> Result<Option<Vec<&SolvedPosition>>> {
        let options = Options::default(); // so that the positions depend on the seed alone
        let mut missing = Vec::new();
        for empties in empties.clone() {
            missing.extend(self.make_missing(empties, count, &options)?);
        }
        let worker = || {
            let mut generator = ProblemGenerator::new(&options);
            move |(number, board): (u32, AnyGame)| {
                solve(number, &board, generator.solve_all_moves(&board))
            }
        };
        if !self.record.run(missing, threads, worker)? {
            return Ok(None);
        }
        let wanted =
            |line: &&SolvedPosition| empties.contains(&line.empties) && line.number < count;
        Ok(Some(self.record.results.values().filter(wanted).collect()))
    }

    /// Generates the missing positions with this number of empties. The recorded positions come
    /// from the same games and are skipped.
    fn make_missing(
        &self,
        empties: u8,
        count: u32,
        options: &Options,
    ) -> Result<Vec<(u32, AnyGame)>> {
        let mut seen = HashSet::new();
        for line in self
            .record
            .results
            .values()
            .filter(|line| line.empties == empties)
        {
            let name = || {
                format!(
                    "{}: {empties} empties, number {}",
                    self.path.display(),
                    line.number
                )
            };
            let board = line.board(self.start).with_context(name)?;
            let is_new = seen.insert(board.position().canonical().packed());
            ensure!(is_new, "{}: duplicate position", name());
        }
        let most_failed = MAX_FAILED_GAMES + seen.len() as u64;
        let missing = self
            .record
            .missing((0..count).map(|number| (empties, number)));
        let mut made = Vec::new();
        let mut generator = ProblemGenerator::new(options);
        let mut failed = 0;
        for game in 0.. {
            // Games that lead to recorded positions fail too.
            if made.len() == missing.len() || failed >= most_failed {
                break;
            }
            let mut rng = Rng::for_stream(self.seed, u64::from(empties) << 32 | game);
            let board = generator.play_game(self.start, empties, &mut rng);
            failed += 1;
            if let Some(board) =
                board.filter(|board| seen.insert(board.position().canonical().packed()))
            {
                failed = 0;
                made.push((missing[made.len()].1, board));
            }
        }
        Ok(made)
    }
}

fn solve(number: u32, board: &AnyGame, answer: Answer) -> Result<SolvedPosition> {
    let solved = SolvedPosition {
        empties: board.plies_left(),
        number,
        position: board.write_position(),
        scores: answer
            .best
            .iter()
            .map(|root| (board.write_move(root.m), root.score.0 / 100))
            .collect(),
    };
    solved.board(board).context(solved.position.clone())?;
    Ok(solved)
}
