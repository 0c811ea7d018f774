//! The file of a book, read by block; documented in src/storage/formats.md. A changed book is written
//! as a new file that replaces the old one, so that readers keep the one that they opened.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{Key, Leaf, LeafKind, Record};
use crate::game::Move;
use crate::game::score::Score;
use crate::games::any::{self, AnyGame};
use crate::platform::files;

/// The first bytes of the file.
pub const MAGIC: [u8; 8] = *b"nwbook\r\n";
/// The version of the format.
pub const VERSION: u32 = 1;
/// The bytes of the header, of a record, and of a checksum.
pub const HEADER: usize = 64;
pub const RECORD: usize = 32;
pub const CHECKSUM: usize = 4;
/// The number of records of a full block.
pub const BLOCK: usize = 128;
/// The value of a position without one.
const NO_VALUE: i16 = i16::MIN;

/// The header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The name of the game.
    pub game: &'static str,
    /// The depth or the nodes to which `extend` searches leaves; 0: none.
    pub depth: u32,
    pub nodes: u64,
    /// The number of positions.
    pub count: u64,
    /// The number of entries in the section of imported data.
    pub extras: u64,
}

/// The number in little-endian order at a place; 0 beyond the end.
pub fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let bytes = bytes.get(at..at + size).unwrap_or_default();
    let digits = bytes.iter().rev();
    digits.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The first words of some bytes.
pub fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    std::array::from_fn(|index| number(bytes, 8 * index, 8))
}

/// The bytes of words.
pub fn bytes<const N: usize>(words: [u64; N]) -> Vec<u8> {
    words.map(u64::to_le_bytes).concat()
}

impl Header {
    /// Its bytes.
    pub fn encode(&self) -> Vec<u8> {
        let version = u64::from(VERSION) | u64::from(self.depth) << 32;
        let magic = u64::from_le_bytes(MAGIC);
        let mut head = bytes([magic, version, self.nodes, self.count, self.extras]);
        head.extend(self.game.as_bytes());
        head.resize(HEADER, 0);
        head
    }

    /// The inverse of [`Header::encode`]. The numbers of records are not checked.
    fn decode(head: &[u8; HEADER]) -> Result<Header, String> {
        let [magic, version, nodes, count, extras] = words(head);
        if magic != u64::from_le_bytes(MAGIC) {
            return Err("not a book (byte 0)".into());
        }
        if version as u32 != VERSION {
            let version = version as u32;
            return Err(format!(
                "a book of version {version} (byte 8), expected {VERSION}"
            ));
        }
        let name = String::from_utf8_lossy(&head[40..]);
        let game = any::entry(name.trim_end_matches('\0')).ok_or("unknown game (byte 40)")?;
        Ok(Header {
            game: game.name,
            depth: (version >> 32) as u32,
            nodes,
            count,
            extras,
        })
    }
}

impl Record {
    /// Its bytes.
    pub fn encode(&self, [player, other]: Key) -> Vec<u8> {
        let score = |score: i32| u64::from(score as u16);
        let (value, level) = self.scored.unwrap_or((Score(NO_VALUE.into()), 0));
        let leaf = self.leaf.map_or(0, |leaf| {
            let numbers = u64::from(leaf.level) << 40 | u64::from(leaf.m.square()) << 48;
            score(leaf.score.0) << 16 | numbers | (leaf.kind as u64) << 56
        });
        let games = u64::from(self.games) | u64::from(self.half_points) << 32;
        bytes([
            player,
            other,
            score(value.0) | u64::from(level) << 32 | leaf,
            games,
        ])
    }

    /// The inverse of [`Record::encode`].
    fn decode(record: &[u8]) -> Option<(Key, Record)> {
        let [player, other, scores, games] = words(record);
        let score = |shift: u32| i32::from((scores >> shift) as i16);
        let leaf = |kind| {
            let m = match (scores >> 48) as u8 {
                u8::MAX => Move::NONE,
                square => Some(Move::to(square)).filter(|m| m.is_square(64))?,
            };
            Some(Leaf {
                m,
                score: Score(score(16)),
                level: (scores >> 40) as u8,
                kind,
            })
        };
        let record = Record {
            scored: Some((Score(score(0)), (scores >> 32) as u8))
                .filter(|(value, _)| value.0 != i32::from(NO_VALUE)),
            leaf: match scores >> 56 {
                0 => None,
                1 => Some(leaf(LeafKind::Other)?),
                2 => Some(leaf(LeafKind::Current)?),
                3 => Some(leaf(LeafKind::Fixed)?),
                _ => return None,
            },
            games: games as u32,
            half_points: (games >> 32) as u32,
        };
        Some(([player, other], record))
    }
}

/// An open book. Holds one key of each block in memory.
#[derive(Debug)]
pub struct BookFile {
    /// Its path.
    pub path: PathBuf,
    file: Mutex<File>,
    /// The header.
    pub header: Header,
    index: Vec<Key>,
}

impl BookFile {
    /// Opens a book.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<BookFile, String> {
        let open = || -> io::Result<(File, u64, [u8; HEADER])> {
            let mut file = files::open_regular(path)?;
            let (length, mut head) = (file.metadata()?.len(), [0; HEADER]);
            if length >= HEADER as u64 {
                file.read_exact(&mut head)?;
            }
            Ok((file, length, head))
        };
        let (mut file, length, head) = open().map_err(|error| error.to_string())?;
        let header = Header::decode(&head)?;
        let most = length / RECORD as u64;
        let expected = (header.count <= most && header.extras <= most)
            .then(|| header.start() + length_of(header.count) + length_of(header.extras));
        if expected != Some(length) {
            return Err(format!(
                "the file has {length} bytes, but its header promises {} positions and {} other entries: it is \
                 damaged (byte 24), restore it from a backup",
                header.count, header.extras
            ));
        }
        // Fits: the file has as many bytes.
        let mut index = vec![0; header.start() as usize - HEADER];
        file.read_exact(&mut index)
            .map_err(|error| error.to_string())?;
        let (index, stated) = index.split_at(index.len() - CHECKSUM);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&head);
        checksum.update(index);
        if number(stated, 0, CHECKSUM) != u64::from(checksum.finalize()) {
            return Err(damage("header or index", 0));
        }
        Ok(BookFile {
            path: path.into(),
            file: Mutex::new(file),
            header,
            index: index.chunks(size_of::<Key>()).map(words).collect(),
        })
    }

    /// The game of the book at its start.
    pub fn game(&self) -> AnyGame {
        any::by_name(self.header.game).unwrap_or_default()
    }

    /// The record of a key.
    ///
    /// # Errors
    /// If the file cannot be read or the block of the key is damaged.
    pub fn find(&self, key: Key) -> Result<Option<Record>, String> {
        let block = self.index.partition_point(|first| *first <= key);
        let Some(block) = block.checked_sub(1) else {
            return Ok(None);
        };
        let block = block as u64;
        let (bytes, at) = self.read(self.header.start(), self.header.count, block)?;
        // One record is decoded, not the block: measurements.md#the-file.
        let records: Vec<&[u8]> = bytes.chunks(RECORD).collect();
        let Ok(found) = records.binary_search_by_key(&key, |record| words(record)) else {
            return Ok(None);
        };
        let record = Record::decode(records[found]).map(|(_, record)| Some(record));
        record.ok_or_else(|| block_damage(block, at))
    }

    /// The number of blocks of records.
    pub fn blocks(&self) -> u64 {
        self.index.len() as u64
    }

    /// The records of a block, in the order of their keys.
    ///
    /// # Errors
    /// If the file cannot be read or the block is damaged.
    pub fn block(&self, block: u64) -> Result<Vec<(Key, Record)>, String> {
        let start = self.header.start();
        let (bytes, at) = self.read(start, self.header.count, block)?;
        let records: Option<Vec<_>> = bytes.chunks(RECORD).map(Record::decode).collect();
        let is_valid = |records: &Vec<(Key, Record)>| {
            let first = records.first().map(|(key, _)| key);
            self.index.get(block as usize) == first && records.is_sorted_by(|a, b| a.0 < b.0)
        };
        let valid = records.filter(is_valid);
        valid.ok_or_else(|| block_damage(block, at))
    }

    /// The bytes of a block of the section of imported data.
    ///
    /// # Errors
    /// If the file cannot be read or the block is damaged.
    pub fn extra_block(&self, block: u64) -> Result<Vec<u8>, String> {
        let start = self.header.start() + length_of(self.header.count);
        Ok(self.read(start, self.header.extras, block)?.0)
    }

    /// Reads a block of a section of `count` records, checked, and its place in the file.
    fn read(&self, start: u64, count: u64, block: u64) -> Result<(Vec<u8>, u64), String> {
        let at = start + block * length_of(BLOCK as u64);
        let number_of = (count - block * BLOCK as u64).min(BLOCK as u64);
        let mut bytes = vec![0; length_of(number_of) as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| format!("byte {at}: {error}"))?;
        let stated = bytes.split_off(bytes.len() - CHECKSUM);
        if number(&stated, 0, CHECKSUM) == u64::from(crc32fast::hash(&bytes)) {
            Ok((bytes, at))
        } else {
            Err(block_damage(block, at))
        }
    }
}

impl Header {
    /// The place of the first block.
    pub fn start(&self) -> u64 {
        let index = self.count.div_ceil(BLOCK as u64) * size_of::<Key>() as u64;
        HEADER as u64 + index + CHECKSUM as u64
    }
}

/// The length of the blocks of `count` records.
fn length_of(count: u64) -> u64 {
    count * RECORD as u64 + count.div_ceil(BLOCK as u64) * CHECKSUM as u64
}

fn block_damage(block: u64, at: u64) -> String {
    damage(&format!("block {}", block + 1), at)
}

fn damage(place: &str, at: u64) -> String {
    format!("{place} (byte {at}) is damaged: restore the file from a backup")
}
