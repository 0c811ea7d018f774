//! Files of self-play games: a header, then a record of 20 bytes per position, in the order of the
//! game numbers.
//!
//! One process at a time appends complete games, so at most the last game is incomplete after a
//! kill; a resumed run truncates the last game and plays it again. A file shorter than a header is
//! resumed if it is a prefix of the header. Anything else is an error with the byte offset, and the
//! file is unchanged.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::training_game::TrainingGame;
use crate::game::score::Score;
use crate::game::{Game, Player};
use crate::games::reversi::Othello;
use crate::games::score_four::ScoreFour;
use crate::platform::files;
use crate::storage::json_lines::check_conditions;
use crate::storage::record_lock::RecordLock;
use crate::storage::whole_file::replace_file;

const MAGIC: &[u8; 8] = b"NWGAMES1";
const HEADER_BYTES: usize = 32;
const RECORD_BYTES: usize = 20;

/// The header of a file: the parameters of its games. A file is resumed only with the same
/// parameters.
#[derive(Debug)]
pub struct GameFileHeader {
    /// The game ([`TrainingGame::NUMBER`]).
    pub game: u8,
    /// The random seed.
    pub seed: u64,
    /// The checksum of the evaluation's weights; 0: mobility.
    pub weights: u64,
    /// The search depth.
    pub depth: u8,
}

/// The record of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionRecord {
    /// The stones of the side to move and of the opponent.
    pub stones: [u64; 2],
    /// The side to move.
    pub side: Player,
    /// The search score for the side to move (Othello: hundredths of a disc).
    pub score: i16,
    /// The result for the side to move, of the game or, if `exact`, of perfect play: in discs; in
    /// Score Four 1, 0 or -1.
    pub result: i8,
    /// Whether this is the first position of a game.
    pub first: bool,
    /// Whether score and result are exact.
    pub exact: bool,
}

/// The little-endian word at this offset.
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

impl GameFileHeader {
    /// The conditions that the user chose; [`read`] checks the game.
    fn conditions(self) -> serde_json::Value {
        let weights = format!("{:016x}", self.weights);
        serde_json::json!({ "seed": self.seed, "depth": self.depth, "weights": weights })
    }

    /// The header as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let [seed, weights] = [self.seed, self.weights].map(u64::to_le_bytes);
        [
            MAGIC.as_slice(),
            &seed,
            &weights,
            &[self.depth, self.game, 0, 0, 0, 0, 0, 0],
        ]
        .concat()
    }

    fn read(bytes: &[u8]) -> Result<GameFileHeader> {
        ensure!(
            bytes.len() == HEADER_BYTES && bytes.starts_with(MAGIC),
            "not a self-play file, which nullwindow lab selfplay writes"
        );
        Ok(GameFileHeader {
            seed: word(bytes, 8),
            weights: word(bytes, 16),
            depth: bytes[24],
            game: bytes[25],
        })
    }
}

impl PositionRecord {
    /// The record of a position; its score is the result for now.
    pub fn new<G: TrainingGame>(
        position: &G,
        score: Score,
        exact: bool,
        first: bool,
    ) -> PositionRecord {
        let (stones, side, result) = (position.packed(), position.to_move(), G::result(score));
        PositionRecord {
            stones,
            side,
            score: score.0 as i16,
            result,
            first,
            exact,
        }
    }

    /// The position.
    pub fn position<G: TrainingGame>(&self) -> G {
        G::from_stones(self.stones[0], self.stones[1], self.side)
    }

    /// The record as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let is_second = self.side == Player::Second;
        let flags = u8::from(self.first) | u8::from(is_second) << 1 | u8::from(self.exact) << 2;
        let [own, other] = self.stones.map(u64::to_le_bytes);
        [
            own.as_slice(),
            &other,
            &self.score.to_le_bytes(),
            &[self.result as u8, flags],
        ]
        .concat()
    }

    fn read(bytes: &[u8; RECORD_BYTES]) -> Result<PositionRecord> {
        let (own, other, flags) = (word(bytes, 0), word(bytes, 8), bytes[19]);
        ensure!(own & other == 0, "two stones on a square");
        ensure!(flags < 8, "flags {flags}, expected at most 7");
        ensure!(
            own | other != 0 || flags & 1 != 0,
            "an empty board within a game"
        );
        Ok(PositionRecord {
            stones: [own, other],
            side: if flags & 2 == 0 {
                Player::First
            } else {
                Player::Second
            },
            score: i16::from_le_bytes([bytes[16], bytes[17]]),
            result: bytes[18] as i8,
            first: flags & 1 != 0,
            exact: flags & 4 != 0,
        })
    }
}

/// Calls `take` with each record of a file of this game.
///
/// # Errors
/// If it cannot be read, is not a self-play file of this game, or is corrupt.
pub fn read(path: &Path, game: u8, mut take: impl FnMut(PositionRecord)) -> Result<GameFileHeader> {
    let name = || path.display().to_string();
    let mut file = BufReader::with_capacity(1 << 20, files::open_regular(path).with_context(name)?);
    let mut header = Vec::new();
    let mut beginning = file.by_ref().take(HEADER_BYTES as u64);
    beginning.read_to_end(&mut header).with_context(name)?;
    let header = GameFileHeader::read(&header).with_context(name)?;
    let expected = if game == Othello::NUMBER {
        Othello::NAME
    } else {
        ScoreFour::NAME
    };
    ensure!(
        header.game == game,
        "{}: the file is not of game {expected}",
        name()
    );
    // The first position follows from none.
    let (mut bytes, mut stones) = ([0; RECORD_BYTES], u32::MAX);
    for offset in (HEADER_BYTES..).step_by(RECORD_BYTES) {
        match file.read_exact(&mut bytes) {
            Ok(()) => {
                let record = PositionRecord::read(&bytes).and_then(|record| {
                    let before = stones;
                    stones = (record.stones[0] | record.stones[1]).count_ones();
                    ensure!(
                        record.first || stones >= before,
                        "the position does not follow from the previous one"
                    );
                    Ok(record)
                });
                let damage = "the file is corrupt; restore it from a backup, or truncate it there and resume";
                take(record.with_context(|| format!("{}, byte {offset}: {damage}", name()))?);
            }
            // a truncated last record
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            Err(error) => bail!("{}: {error}", name()),
        }
    }
    Ok(header)
}

/// Calls `take` with the records of each game of some files.
///
/// # Errors
/// As [`read`].
pub fn read_games(
    paths: &[PathBuf],
    game: u8,
    mut take: impl FnMut(&[PositionRecord]),
) -> Result<()> {
    for path in paths {
        let mut records = Vec::new();
        read(path, game, |record| {
            if record.first && !records.is_empty() {
                take(&records);
                records.clear();
            }
            records.push(record);
        })?;
        if !records.is_empty() {
            take(&records);
        }
    }
    Ok(())
}

/// A file to which games are appended in the order of their numbers.
pub struct GameFileWriter {
    file: File,
    path: PathBuf,
    _lock: RecordLock,
    /// The number of games in the file.
    pub games: u64,
    /// The number of positions in the file.
    pub positions: u64,
}

impl GameFileWriter {
    /// Creates a file for this many games, or resumes one with the same header: truncates the last
    /// game, which may be incomplete.
    ///
    /// # Errors
    /// If another process writes the file, or it has more games or a different header, or is
    /// corrupt, or cannot be read or written.
    pub fn open(path: &Path, header: GameFileHeader, wanted: u64) -> Result<GameFileWriter> {
        let lock = RecordLock::acquire(path)?;
        let bytes = header.bytes();
        let name = || path.display().to_string();
        let mut found = Vec::new();
        if path.exists() {
            let head = files::open_regular(path)
                .with_context(name)?
                .take(HEADER_BYTES as u64)
                .read_to_end(&mut found);
            head.with_context(name)?;
        }
        if found.len() < HEADER_BYTES {
            let differs = |(found, own): (&u8, &u8)| found != own;
            if let Some(offset) = found.iter().zip(&bytes).position(differs) {
                bail!(
                    "{}, byte {offset}: neither a record of self-play nor the beginning of one with these parameters; \
                     it is left as it is: choose another --out, or delete it",
                    name()
                );
            }
            replace_file(path, [&bytes])?;
        }
        let (mut games, mut positions, mut last) = (0u64, 0, 0);
        let found = read(path, header.game, |record| {
            if record.first {
                games += 1;
                last = positions;
            }
            positions += 1;
        })?;
        check_conditions(path, &found.conditions(), &header.conditions())?;
        ensure!(
            games <= wanted,
            "--games {wanted}: {} already has {games} games, expected at least as many",
            name()
        );
        let file = files::truncate(path, HEADER_BYTES as u64 + last * RECORD_BYTES as u64)
            .and_then(|()| files::append_regular(path))
            .with_context(|| format!("cannot write {}", name()))?;
        Ok(GameFileWriter {
            file,
            path: path.into(),
            _lock: lock,
            games: games.saturating_sub(1),
            positions: last,
        })
    }

    /// Appends the next game. After a failed write the file ends with an incomplete game and can be
    /// resumed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, game: &[PositionRecord]) -> Result<()> {
        let bytes: Vec<u8> = game.iter().flat_map(PositionRecord::bytes).collect();
        let written = self.file.write_all(&bytes);
        written.with_context(|| {
            format!(
                "cannot write {}: run the command again to resume",
                self.path.display()
            )
        })?;
        self.games += 1;
        self.positions += game.len() as u64;
        Ok(())
    }
}
