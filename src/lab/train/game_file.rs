//! Files of self-play games: a header, then a record of 20 bytes per position, in the order of the game numbers.
//!
//! One process at a time appends complete games, so at most the last game is incomplete after a kill; a resumed run
//! truncates the last game and plays it again. A file shorter than a header is resumed if it is a prefix of the header.
//! Anything else is an error with the byte offset, and the file is unchanged.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::game::{Game, Player};
use crate::games::reversi::Othello;
use crate::games::score_four::ScoreFour;
use crate::platform::files;
use crate::storage::record_lock::RecordLock;
use crate::storage::whole_file::replace_file;

const MAGIC: &[u8; 8] = b"NWGAMES1";
const HEADER_BYTES: usize = 32;
const RECORD_BYTES: usize = 20;

/// A game that can be recorded.
pub trait RecordedGame: Game {
    /// The identifier in the header.
    const NUMBER: u8;

    /// The position with these stones.
    fn from_stones(own: u64, other: u64, side: Player) -> Self;
}

impl RecordedGame for Othello {
    const NUMBER: u8 = 0;

    fn from_stones(own: u64, other: u64, side: Player) -> Othello {
        Othello::new(own, other, side)
    }
}

impl RecordedGame for ScoreFour {
    const NUMBER: u8 = 1;

    fn from_stones(own: u64, other: u64, _side: Player) -> ScoreFour {
        ScoreFour::of_stones(own, other)
    }
}

/// The header of a file: the parameters of its games. A file is resumed only with the same parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFileHeader {
    /// The game ([`RecordedGame::NUMBER`]).
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
pub struct PositionRecord<G> {
    /// The position.
    pub position: G,
    /// The search score for the side to move (Othello: hundredths of a disc).
    pub score: i16,
    /// The result for the side to move, of the game or, if `exact`, of perfect play: in discs; in Score Four 1, 0 or
    /// -1.
    pub result: i8,
    /// Whether this is the first position of a game.
    pub first: bool,
    /// Whether score and result are exact.
    pub exact: bool,
}

impl GameFileHeader {
    /// The header as bytes.
    pub fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.weights.to_le_bytes());
        bytes[24] = self.depth;
        bytes[25] = self.game;
        bytes
    }

    fn read(bytes: &[u8; HEADER_BYTES]) -> Result<GameFileHeader> {
        ensure!(bytes.starts_with(MAGIC), "not a self-play file");
        let word = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        let (seed, weights) = (u64::from_le_bytes(word(8)), u64::from_le_bytes(word(16)));
        Ok(GameFileHeader { seed, weights, depth: bytes[24], game: bytes[25] })
    }
}

impl<G: RecordedGame> PositionRecord<G> {
    /// The record as bytes.
    pub fn bytes(&self) -> [u8; RECORD_BYTES] {
        let second = self.position.to_move() == Player::Second;
        let [own, other] = self.position.packed();
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&own.to_le_bytes());
        bytes[8..16].copy_from_slice(&other.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.score.to_le_bytes());
        bytes[18] = self.result as u8;
        bytes[19] = u8::from(self.first) | u8::from(second) << 1 | u8::from(self.exact) << 2;
        bytes
    }

    fn read(bytes: &[u8; RECORD_BYTES]) -> Result<PositionRecord<G>> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let (own, other, flags) = (word(0), word(8), bytes[19]);
        ensure!(own & other == 0, "two stones on a square");
        ensure!(flags < 8, "flags {flags}, expected at most 7");
        ensure!(own | other != 0 || flags & 1 != 0, "an empty board within a game");
        let side = if flags & 2 == 0 { Player::First } else { Player::Second };
        Ok(PositionRecord {
            position: G::from_stones(own, other, side),
            score: i16::from_le_bytes([bytes[16], bytes[17]]),
            result: bytes[18] as i8,
            first: flags & 1 != 0,
            exact: flags & 4 != 0,
        })
    }
}

/// Calls `take` with each record of a file.
///
/// # Errors
/// If it cannot be read, is not a self-play file of this game, or is corrupt.
pub fn read<G: RecordedGame>(path: &Path, mut take: impl FnMut(PositionRecord<G>)) -> Result<GameFileHeader> {
    let mut file =
        BufReader::with_capacity(1 << 20, files::open_regular(path).with_context(|| path.display().to_string())?);
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header).with_context(|| format!("{}: too short", path.display()))?;
    let header = GameFileHeader::read(&header).with_context(|| path.display().to_string())?;
    ensure!(header.game == G::NUMBER, "{}: the file is not of game {}", path.display(), G::NAME);
    let (mut bytes, mut stones) = ([0; RECORD_BYTES], None);
    for number in 0u64.. {
        let offset = HEADER_BYTES as u64 + number * RECORD_BYTES as u64;
        match file.read_exact(&mut bytes) {
            Ok(()) => {
                let record = PositionRecord::read(&bytes).and_then(|record: PositionRecord<G>| {
                    let now = record.position.packed().map(u64::count_ones).iter().sum::<u32>();
                    let follows = record.first || stones.is_some_and(|before| now >= before);
                    stones = Some(now);
                    ensure!(follows, "the position does not follow from the previous one");
                    Ok(record)
                });
                take(record.with_context(|| damage(path, offset))?);
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break, // a truncated last record
            Err(error) => bail!("{}: {error}", path.display()),
        }
    }
    Ok(header)
}

/// The error text of a corrupt file.
fn damage(path: &Path, offset: u64) -> String {
    format!(
        "{}, byte {offset}: the file is corrupt; restore it from a backup, or truncate it there and resume",
        path.display()
    )
}

/// A file to which games are appended in the order of their numbers.
pub struct GameFileWriter<G> {
    file: File,
    path: PathBuf,
    game: PhantomData<fn(G)>,
    _lock: RecordLock,
    /// The number of games in the file.
    pub games: u64,
    /// The number of positions in the file.
    pub positions: u64,
}

impl<G: RecordedGame> GameFileWriter<G> {
    /// Creates a file for this many games, or resumes one with the same header.
    ///
    /// # Errors
    /// If another process writes the file, or it has more games or a different header, or is corrupt, or cannot be read
    /// or written.
    pub fn open(path: &Path, header: GameFileHeader, wanted: u64) -> Result<GameFileWriter<G>> {
        let lock = RecordLock::acquire(path)?;
        let bytes = header.bytes();
        if !path.exists() {
            replace_file(path, [&bytes])?;
        }
        let name = || path.display().to_string();
        let data = path.metadata().with_context(name)?;
        ensure!(data.is_file(), "{}: not a regular file", path.display());
        if data.len() < HEADER_BYTES as u64 {
            let found = std::fs::read(path).with_context(name)?;
            let differs = found.iter().zip(&bytes).position(|(found, own)| found != own);
            if let Some(offset) = differs {
                bail!(
                    "{}, byte {offset}: neither a record of self-play nor the beginning of one with these parameters; \
                     it is left as it is: choose another --out, or delete it",
                    path.display()
                );
            }
            replace_file(path, [&bytes])?;
        }
        GameFileWriter::resume(path, lock, header, wanted)
    }

    /// Truncates the last game, which may be incomplete.
    fn resume(path: &Path, lock: RecordLock, header: GameFileHeader, wanted: u64) -> Result<GameFileWriter<G>> {
        let (mut games, mut positions, mut last) = (0, 0, 0);
        let found = read(path, |record: PositionRecord<G>| {
            if record.first {
                games += 1;
                last = positions;
            }
            positions += 1;
        })?;
        ensure!(found == header, "{}: the file has the parameters {found:?}, expected {header:?}", path.display());
        ensure!(
            games <= wanted,
            "--games {wanted}: {} already has {games} games, expected at least as many",
            path.display()
        );
        let open = || -> std::io::Result<File> {
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.set_len(HEADER_BYTES as u64 + last * RECORD_BYTES as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().with_context(|| format!("cannot write {}", path.display()))?;
        let (path, game, games) = (path.into(), PhantomData, u64::saturating_sub(games, 1));
        Ok(GameFileWriter { file, path, game, _lock: lock, games, positions: last })
    }

    /// Appends the next game. After a failed write the file ends with an incomplete game and can be resumed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, game: &[PositionRecord<G>]) -> Result<()> {
        let bytes: Vec<u8> = game.iter().flat_map(PositionRecord::bytes).collect();
        let written = self.file.write_all(&bytes);
        written.with_context(|| format!("cannot write {}: run the command again to resume", self.path.display()))?;
        self.games += 1;
        self.positions += game.len() as u64;
        Ok(())
    }
}
