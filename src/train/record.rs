//! Records of self-play: a header, then 20 bytes for each position, game after game in the order of their numbers.
//!
//! Files are only ever appended to, whole games at a time, so whatever ends the process leaves at most the last game
//! incomplete; who goes on cuts that one off and plays it again.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::game::{Game, Player};
use crate::games::reversi::Othello;
use crate::games::score_four::ScoreFour;

const MAGIC: &[u8; 8] = b"NWGAMES1";
const HEADER: usize = 32;
const SIZE: usize = 20;

/// A game that is learnt from records.
pub trait Recorded: Game {
    /// Its number in the header.
    const NUMBER: u8;

    /// The position of two sets of stones, of the side to move and of the other.
    fn of_words(own: u64, other: u64, side: Player) -> Self;
}

impl Recorded for Othello {
    const NUMBER: u8 = 0;

    fn of_words(own: u64, other: u64, side: Player) -> Othello {
        Othello::new(own, other, side)
    }
}

impl Recorded for ScoreFour {
    const NUMBER: u8 = 1;

    fn of_words(own: u64, other: u64, _side: Player) -> ScoreFour {
        ScoreFour::of_stones(own, other)
    }
}

/// What all games of a file have in common: a file goes on only with the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Which game ([`Recorded::NUMBER`]).
    pub game: u8,
    /// The seed of all random choices.
    pub seed: u64,
    /// Checksum of the weights that the players think with; 0: mobility.
    pub weights: u64,
    /// Plies that they search.
    pub depth: u8,
}

/// A position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<G> {
    /// The position.
    pub position: G,
    /// What a search found for the side to move, in score units (hundredths of a disc).
    pub score: i16,
    /// The result for the side to move, in discs, or 1, 0, -1 in Score Four: of the game played on, of perfect play where
    /// `exact`.
    pub result: i8,
    /// Whether this position begins a game.
    pub first: bool,
    /// Whether score and result are those of perfect play from here.
    pub exact: bool,
}

impl Source {
    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.weights.to_le_bytes());
        bytes[24] = self.depth;
        bytes[25] = self.game;
        bytes
    }

    fn read(bytes: &[u8; HEADER]) -> Result<Source> {
        ensure!(bytes.starts_with(MAGIC), "no record of self-play");
        let word = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        let (seed, weights) = (u64::from_le_bytes(word(8)), u64::from_le_bytes(word(16)));
        Ok(Source { seed, weights, depth: bytes[24], game: bytes[25] })
    }
}

impl<G: Recorded> Record<G> {
    /// The record as it stands in a file.
    pub fn bytes(&self) -> [u8; SIZE] {
        let second = self.position.to_move() == Player::Second;
        let [own, other] = self.position.packed();
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&own.to_le_bytes());
        bytes[8..16].copy_from_slice(&other.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.score.to_le_bytes());
        bytes[18] = self.result as u8;
        bytes[19] = u8::from(self.first) | u8::from(second) << 1 | u8::from(self.exact) << 2;
        bytes
    }

    fn read(bytes: &[u8; SIZE]) -> Result<Record<G>> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let (own, other, flags) = (word(0), word(8), bytes[19]);
        ensure!(own & other == 0 && flags < 8, "damaged");
        let side = if flags & 2 == 0 { Player::First } else { Player::Second };
        Ok(Record {
            position: G::of_words(own, other, side),
            score: i16::from_le_bytes([bytes[16], bytes[17]]),
            result: bytes[18] as i8,
            first: flags & 1 != 0,
            exact: flags & 4 != 0,
        })
    }
}

/// Calls `take` with each record of a file.
pub fn read<G: Recorded>(path: &Path, mut take: impl FnMut(Record<G>)) -> Result<Source> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).with_context(|| path.display().to_string())?);
    let mut header = [0; HEADER];
    file.read_exact(&mut header).with_context(|| format!("{}: too short", path.display()))?;
    let source = Source::read(&header).with_context(|| path.display().to_string())?;
    ensure!(source.game == G::NUMBER, "{}: records of another game than {}", path.display(), G::NAME);
    let mut bytes = [0; SIZE];
    for number in 0u64.. {
        match file.read_exact(&mut bytes) {
            Ok(()) => take(Record::read(&bytes).with_context(|| format!("{}: record {number}", path.display()))?),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break, // a torn last record
            Err(error) => bail!("{}: {error}", path.display()),
        }
    }
    Ok(source)
}

/// A file that takes games in the order of their numbers.
pub struct Writer<G> {
    file: File,
    game: PhantomData<fn(G)>,
    /// Games that it holds.
    pub games: u64,
    /// Positions that it holds.
    pub positions: u64,
}

impl<G: Recorded> Writer<G> {
    /// Begins a file, or goes on with one of the same source.
    pub fn open(path: &Path, source: Source) -> Result<Writer<G>> {
        let name = || path.display().to_string();
        if path.metadata().is_ok_and(|data| data.len() >= HEADER as u64) {
            return Writer::resume(path, source).with_context(name);
        }
        let mut file = File::create(path).with_context(name)?;
        file.write_all(&source.bytes()).with_context(name)?;
        Ok(Writer { file, game: PhantomData, games: 0, positions: 0 })
    }

    /// Cuts the last game off, since it may be incomplete, and stands behind the others.
    fn resume(path: &Path, source: Source) -> Result<Writer<G>> {
        let (mut games, mut positions, mut last) = (0, 0, 0);
        let found = read(path, |record: Record<G>| {
            if record.first {
                games += 1;
                last = positions;
            }
            positions += 1;
        })?;
        ensure!(found == source, "holds games of {found:?}, not of {source:?}");
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(HEADER as u64 + last * SIZE as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Writer { file, game: PhantomData, games: u64::saturating_sub(games, 1), positions: last })
    }

    /// Appends the next game.
    pub fn append(&mut self, game: &[Record<G>]) -> Result<()> {
        let bytes: Vec<u8> = game.iter().flat_map(Record::bytes).collect();
        self.file.write_all(&bytes)?;
        self.games += 1;
        self.positions += game.len() as u64;
        Ok(())
    }
}
