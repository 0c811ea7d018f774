//! A book in memory: adds games, leaves and imported positions, updates the values, and writes the
//! file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, ensure};

use super::file::{BLOCK, BookFile, Header, RECORD, bytes, words};
use super::{
    Allowances, BookMove, Key, Leaf, LeafKind, Record, after_pass, good_moves, key, moves, value,
};
use crate::game::{Game, Outcome};
use crate::games::any::{AnyGame, AnyPosition};
use crate::storage::record_lock::RecordLock;
use crate::storage::whole_file::replace_file_by;

/// The plies of a game whose positions are added by default.
pub const PLIES: usize = 20;

/// The program whose book was imported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    Edax = 1,
    Egaroucid,
}

impl Source {
    /// The name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Source::Edax => "Edax",
            Source::Egaroucid => "Egaroucid",
        }
    }
}

/// The data of an imported position that a [`Record`] does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Imported {
    pub level: u8,
    /// Value, lower and upper bound in discs.
    pub values: [i16; 3],
    /// Wins, draws, losses, and lines to be searched (Edax) or below (Egaroucid).
    pub counts: [u32; 4],
}

impl Imported {
    fn encode(&self, source: Source, record: u64) -> Vec<u8> {
        let [value, low, high] = self.values.map(|value| u64::from(value as u16));
        let [wins, draws, losses, lines] = self.counts.map(u64::from);
        bytes([
            record | (source as u64) << 32 | u64::from(self.level) << 40,
            value | low << 16 | high << 32,
            wins | draws << 32,
            losses | lines << 32,
        ])
    }

    /// The inverse: also the number of the record.
    fn decode(entry: &[u8]) -> Option<(usize, Source, Imported)> {
        let [head, values, games, others] = words(entry);
        let source = match (head >> 32) as u8 {
            1 => Source::Edax,
            2 => Source::Egaroucid,
            _ => return None,
        };
        let imported = Imported {
            level: (head >> 40) as u8,
            values: [0, 16, 32].map(|shift| (values >> shift) as i16),
            counts: [games, games >> 32, others, others >> 32].map(|count| count as u32),
        };
        Some((head as u32 as usize, source, imported))
    }
}

/// Adds a game to a book, and opens it again.
///
/// # Errors
/// If another process writes it, or it cannot be written.
pub fn learn(path: &Path, game: &AnyGame) -> Result<BookFile> {
    let mut book = Builder::open(path, Some(game))?;
    book.add(game, game.outcome(), PLIES);
    book.save()?;
    BookFile::open(path).map_err(Error::msg)
}

/// A book that is open for writing.
pub struct Builder {
    path: PathBuf,
    /// The game at its start.
    pub game: AnyGame,
    /// The depth or the nodes of the leaves, as in [`Header`].
    pub depth: u32,
    pub nodes: u64,
    /// In the order of the file.
    pub records: BTreeMap<Key, Record>,
    pub imported: BTreeMap<(Key, Source), Imported>,
    _lock: Option<RecordLock>,
}

impl Builder {
    /// Opens a book to change it: one of this game, a new one if there is no file, or an existing one
    /// of any game.
    ///
    /// # Errors
    /// If another process writes it, or it is damaged, or it is a book of another game.
    pub fn open(path: &Path, game: Option<&AnyGame>) -> Result<Builder> {
        let lock = RecordLock::acquire(path)?;
        let mut book = match game.filter(|_| !path.exists()) {
            None => Builder::read(path)?,
            Some(game) => Builder::empty(path, game.start().into()),
        };
        let (own, name) = (book.game.name(), path.display());
        let other = game.map_or(own, |game| game.name());
        ensure!(own == other, "{name}: a book of {own}, not of {other}");
        ensure!(
            book.game.discs().is_some(),
            "no book of {own}: books support games of discs only"
        );
        book._lock = Some(lock);
        Ok(book)
    }

    fn empty(path: &Path, game: AnyGame) -> Builder {
        Builder {
            path: path.into(),
            game,
            depth: 0,
            nodes: 0,
            records: BTreeMap::new(),
            imported: BTreeMap::new(),
            _lock: None,
        }
    }

    /// Reads a whole book.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Builder> {
        let name = || path.display().to_string();
        let file = BookFile::open(path)
            .map_err(Error::msg)
            .with_context(name)?;
        let mut book = Builder::empty(path, file.game());
        (book.depth, book.nodes) = (file.header.depth, file.header.nodes);
        let mut keys = Vec::new();
        for block in 0..file.blocks() {
            for (key, record) in file.block(block).map_err(Error::msg).with_context(name)? {
                keys.push(key);
                let position = book.game.with_discs(key);
                ensure!(
                    position.is_some_and(|position| super::key(position) == key
                        && !after_pass(position).1
                        && position.final_score().is_none()),
                    "{}: position {} is impossible: restore the file from a backup",
                    name(),
                    keys.len()
                );
                book.records.insert(key, record);
            }
        }
        for block in 0..file.header.extras.div_ceil(BLOCK as u64) {
            let entries = file
                .extra_block(block)
                .map_err(Error::msg)
                .with_context(name)?;
            for entry in entries.chunks(RECORD) {
                let (record, source, imported) = Imported::decode(entry)
                    .filter(|(record, ..)| *record < keys.len())
                    .with_context(|| format!("{}: invalid imported data", name()))?;
                book.imported.insert((keys[record], source), imported);
            }
        }
        Ok(book)
    }

    /// The legal moves of a position with their scores.
    pub fn moves(&self, position: AnyPosition) -> (Option<Record>, Vec<BookMove>) {
        let find = |key| Ok(self.records.get(&key).copied());
        moves(position, &find).unwrap_or_default() // `find` has no errors
    }

    /// The position of a key.
    pub fn position(&self, key: Key) -> AnyPosition {
        let position = self.game.with_discs(key);
        position.unwrap_or(self.game.position()) // keys are possible positions
    }

    /// Adds the positions of a game after up to `plies` plies. A game without a result counts as
    /// drawn.
    pub fn add(&mut self, game: &AnyGame, outcome: Option<Outcome>, plies: usize) {
        let positions = game.plies().map(|(position, _)| position);
        for position in positions
            .chain([game.position()])
            .take(plies.saturating_add(1))
        {
            if position.final_score().is_none() && !after_pass(position).1 {
                let mover = outcome.map_or(1, |outcome| outcome.half_points(position.to_move()));
                let record = self.records.entry(key(position)).or_default();
                record.games = record.games.saturating_add(1);
                record.half_points = record.half_points.saturating_add(mover.into());
            }
        }
    }

    /// Sets the leaf of a position that is in the book; its move is one of the position.
    pub fn set_leaf(&mut self, position: AnyPosition, leaf: Leaf) {
        let (image, symmetry) = position.canonical_image();
        if let Some(record) = self.records.get_mut(&image.packed()) {
            let m = position.move_image(leaf.m, symmetry);
            record.leaf = Some(Leaf { m, ..leaf });
        }
    }

    /// The level of the searches from now on: leaves of another one are no longer current.
    pub fn set_level(&mut self, depth: u32, nodes: u64) {
        if (self.depth, self.nodes) == (depth, nodes) {
            return;
        }
        (self.depth, self.nodes) = (depth, nodes);
        let leaves = self.records.values_mut();
        for leaf in leaves.filter_map(|record| record.leaf.as_mut()) {
            if leaf.kind == LeafKind::Current {
                leaf.kind = LeafKind::Other;
            }
        }
    }

    /// Adds every position after a leaf that [`choose`](super::choose) may play with this variety, from
    /// the start of the game on. Returns whether there was one. The values must be up to date.
    pub fn widen(&mut self, variety: u32) -> bool {
        let before = self.records.len();
        let mut seen: HashMap<Key, Vec<Allowances>> = HashMap::new();
        let mut open = vec![(self.game.start(), [100 * variety as i32; 2])];
        while let Some((position, left)) = open.pop() {
            let position = after_pass(position).0;
            let covers = |other: &Allowances| left[0] <= other[0] && left[1] <= other[1];
            let seen = seen.entry(key(position)).or_default();
            if position.final_score().is_some() || seen.iter().any(covers) {
                continue;
            }
            seen.push(left);
            let (record, moves) = self.moves(position);
            if record.is_none() {
                self.records.insert(key(position), Record::default());
            }
            let mover = position.to_move() as usize;
            for (found, cost) in good_moves(&moves, left[mover]) {
                let mut left = left;
                left[mover] -= cost;
                open.push((position.play(found.m), left));
            }
        }
        self.records.len() > before
    }

    /// Computes the values from the last positions to the first.
    pub fn update(&mut self) {
        let mut keys: Vec<Key> = self.records.keys().copied().collect();
        keys.sort_unstable_by_key(|[player, other]| Reverse((player | other).count_ones()));
        for key in keys {
            let moves = self.moves(self.position(key)).1;
            if let Some(record) = self.records.get_mut(&key) {
                record.scored = value(record, &moves);
            }
        }
    }

    /// Updates the values and replaces the file.
    ///
    /// # Errors
    /// If it cannot be written; the old file is unchanged.
    pub fn save(&mut self) -> Result<()> {
        self.update();
        let keys: Vec<Key> = self.records.keys().copied().collect();
        let header = Header {
            game: self.game.name(),
            depth: self.depth,
            nodes: self.nodes,
            count: keys.len() as u64,
            extras: self.imported.len() as u64,
        };
        let mut head = header.encode();
        head.extend(keys.iter().step_by(BLOCK).flat_map(|&key| bytes(key)));
        let records = self.records.iter();
        let records: Vec<_> = records.map(|(key, record)| record.encode(*key)).collect();
        let place_of = |key| keys.binary_search(key).unwrap_or_default() as u64; // it is there
        let imported = self.imported.iter();
        let extras: Vec<_> = imported
            .map(|((key, source), data)| data.encode(*source, place_of(key)))
            .collect();
        let blocks = records.chunks(BLOCK).chain(extras.chunks(BLOCK));
        let blocks = blocks.map(<[_]>::concat);
        replace_file_by(&self.path, |file| {
            for block in [head].into_iter().chain(blocks) {
                file.write_all(&block)
                    .and_then(|()| file.write_all(&crc32fast::hash(&block).to_le_bytes()))
                    .with_context(|| format!("cannot write {}", self.path.display()))?;
            }
            Ok(())
        })
    }
}
