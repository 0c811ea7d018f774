//! The opening book: values against minimax, the file and its damage, imports from files of our own
//! writers, the choice of moves, the commands, and the engine in every dialect.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use nullwindow::book::builder::{Builder, Imported, Source};
use nullwindow::book::file::{BLOCK, BookFile};
use nullwindow::book::{EXACT, Key, Leaf, LeafKind, Record, key};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::game::{Game, Move, mix};
use nullwindow::games::any::{AnyPosition, by_name};

/// A folder for the files of a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("nullwindow-book-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The position that has a record for this one: after a forced pass; and whether it was one.
fn without_pass(position: AnyPosition) -> (AnyPosition, bool) {
    match position.moves().as_slice() {
        [Move::PASS] => (position.play(Move::PASS), true),
        _ => (position, false),
    }
}

/// The positions after at most `plies` placed discs, passes resolved, finished games left out.
fn reachable(game: &str, plies: i32) -> Vec<AnyPosition> {
    let start = by_name(game).unwrap().position();
    let (mut seen, mut found, mut open) = (HashSet::from([key(start)]), Vec::new(), vec![start]);
    while let Some(position) = open.pop() {
        found.push(position);
        for m in position.moves() {
            let next = without_pass(position.play(m)).0;
            if next.final_score().is_none()
                && next.stones() <= start.stones() + plies
                && seen.insert(key(next))
            {
                open.push(next);
            }
        }
    }
    found
}

/// A made-up score of a position for the side to move, the same for symmetric ones.
fn made_up(position: AnyPosition, seed: u64) -> Score {
    let bits = mix([mix(key(position)), seed]);
    Score((bits % 41) as i32 * 100 - 2_000)
}

/// Minimax over the positions of a book: positions outside have made-up scores.
struct Oracle<'a> {
    book: &'a HashSet<Key>,
    seed: u64,
    /// By position, without symmetries.
    values: HashMap<[u64; 2], Score>,
}

impl Oracle<'_> {
    /// The score of a move for its player.
    fn score(&mut self, position: AnyPosition, m: Move) -> Score {
        let (next, passed) = without_pass(position.play(m));
        let value = match next.final_score() {
            Some(score) => score,
            None if self.book.contains(&key(next)) => self.value(next),
            None => made_up(next, self.seed),
        };
        if passed { value } else { -value }
    }

    fn value(&mut self, position: AnyPosition) -> Score {
        if let Some(&value) = self.values.get(&position.packed()) {
            return value;
        }
        let moves = position.moves().into_iter();
        let value = moves.map(|m| self.score(position, m)).max().unwrap();
        self.values.insert(position.packed(), value);
        value
    }

    /// The best move that leads neither into the book nor to the end of the game.
    fn leaf(&mut self, position: AnyPosition) -> Option<Leaf> {
        let outside = position.moves().into_iter().filter(|&m| {
            let next = without_pass(position.play(m)).0;
            next.final_score().is_none() && !self.book.contains(&key(next))
        });
        let scored: Vec<_> = outside.map(|m| (self.score(position, m), m)).collect();
        scored.into_iter().max().map(|(score, m)| Leaf {
            m,
            score,
            level: 7,
            kind: LeafKind::Current,
        })
    }
}

/// A new book with these positions and their leaves by the oracle.
fn book_of(path: &str, game: &str, positions: &[AnyPosition], seed: u64) -> Builder {
    let mut book = Builder::open(Path::new(path), &by_name(game).unwrap()).unwrap();
    let keys: HashSet<Key> = positions.iter().map(|&position| key(position)).collect();
    let mut oracle = Oracle {
        book: &keys,
        seed,
        values: HashMap::new(),
    };
    for &position in positions {
        book.records.insert(key(position), Record::default());
        if let Some(leaf) = oracle.leaf(position) {
            book.set_leaf(position, leaf);
        }
    }
    book
}

/// Compares the values of a book with the oracle's.
fn check_values(book: &Builder, positions: &[AnyPosition], seed: u64) {
    let keys: HashSet<Key> = book.records.keys().copied().collect();
    let mut oracle = Oracle {
        book: &keys,
        seed,
        values: HashMap::new(),
    };
    for &position in positions {
        let found = book.records[&key(position)].value;
        assert_eq!(found, Some(oracle.value(position)), "{position:?}");
    }
}

#[test]
fn the_values_of_complete_books_are_those_of_minimax() {
    let folder = Folder::new("minimax");
    for (game, plies) in [("othello4", 12), ("othello6", 8), ("diamond", 6)] {
        let positions = reachable(game, plies);
        let mut book = book_of(&folder.path(game), game, &positions, 1);
        book.save().unwrap();
        check_values(&book, &positions, 1);
        let start = by_name(game).unwrap().position();
        let root = book.records[&key(start)];
        if game == "othello4" {
            // White wins by 8 discs; all is proven.
            assert_eq!((root.value, root.level), (Some(Score(-800)), EXACT));
        } else {
            assert_eq!(root.level, 7);
        }
        // The file has the same records.
        let file = BookFile::open(Path::new(&folder.path(game))).unwrap();
        assert_eq!(file.header.count as usize, book.records.len());
        for (&key, record) in book.records.iter().step_by(7) {
            assert_eq!(file.find(key).unwrap().as_ref(), Some(record));
            let other = [key[0], key[1] ^ 1];
            assert_eq!(file.find(other).unwrap(), book.records.get(&other).copied());
        }
    }
}

#[test]
fn the_values_of_incomplete_books_are_those_of_minimax_after_every_change() {
    let folder = Folder::new("incomplete");
    let all = reachable("othello6", 6);
    let mut rng = Rng::new(7);
    for round in 0..6 {
        let kept = |_: &AnyPosition| rng.below(4) > 0;
        let positions: Vec<_> = all.iter().copied().filter(kept).collect();
        let path = folder.path(&format!("{round}.book"));
        let mut book = book_of(&path, "othello6", &positions, 1);
        book.update();
        check_values(&book, &positions, 1);
        // New leaves change the values of all positions before them.
        let mut other = book_of(&folder.path("other"), "othello6", &positions, 2);
        for (key, record) in &other.records {
            book.records.get_mut(key).unwrap().leaf = record.leaf;
        }
        book.update();
        check_values(&book, &positions, 2);
        other.update();
        assert_eq!(book.records, other.records);
    }
}

#[test]
fn a_leaf_that_leads_into_the_book_by_now_counts_only_until_its_position_has_a_value() {
    let folder = Folder::new("stale");
    let mut game = by_name("othello").unwrap();
    let mut book = Builder::open(Path::new(&folder.path("book")), &game).unwrap();
    let leaf = |m, score, kind| Leaf {
        m,
        score: Score(score),
        level: 8,
        kind,
    };
    let root = game.position();
    book.add(&game, None, 20);
    let f5 = game.parse_move("f5").unwrap();
    book.set_leaf(root, leaf(f5, 300, LeafKind::Current));
    // All first moves are symmetric: each has the score of the leaf.
    book.update();
    assert!(book.moves(root).1.iter().all(|found| found.is_leaf));
    game.play(f5).unwrap();
    book.add(&game, None, 20);
    book.update();
    assert_eq!(book.records[&key(root)].value, Some(Score(300)));
    assert_eq!(book.records[&key(game.position())].value, None);
    book.set_leaf(game.position(), leaf(Move::NONE, 500, LeafKind::Other));
    book.update();
    assert_eq!(book.records[&key(root)].value, Some(Score(-500)));
    book.set_leaf(root, leaf(f5, 700, LeafKind::Fixed));
    book.update();
    assert_eq!(book.records[&key(root)].value, Some(Score(700)));
}

#[test]
fn damage_is_an_error_with_its_place() {
    let folder = Folder::new("damage");
    let path = folder.path("book");
    let positions = reachable("othello6", 5);
    let mut book = book_of(&path, "othello6", &positions, 3);
    for &key in book.keys().iter().take(2 * BLOCK) {
        let data = Imported {
            level: 9,
            values: [1, -2, 3],
            counts: [4, 5, 6, 7],
        };
        book.imported.insert((key, Source::Edax), data);
    }
    book.save().unwrap();
    let whole = fs::read(&path).unwrap();
    let again = Builder::read(Path::new(&path)).unwrap();
    assert_eq!(
        (&again.records, &again.imported),
        (&book.records, &book.imported)
    );
    let read_all = |path: &str| -> Result<(), String> {
        let file = BookFile::open(Path::new(path))?;
        (0..file.blocks()).try_for_each(|block| file.block(block).map(drop))?;
        let extras = file.header.extras.div_ceil(BLOCK as u64);
        (0..extras).try_for_each(|block| file.extra_block(block).map(drop))
    };
    assert_eq!(read_all(&path), Ok(()));
    let mut rng = Rng::new(5);
    let mut damaged = 0;
    while damaged < 10_000 {
        let mut bytes = whole.clone();
        let at = rng.below(bytes.len() as u64) as usize;
        let head = rng.below(110) as usize;
        match rng.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.extend(&whole[at..]),
            2 => bytes[head] ^= 1 << rng.below(8),
            3 => bytes[at..]
                .iter_mut()
                .take(1 + head)
                .for_each(|byte| *byte = 0),
            4 => drop(bytes.drain(at..(at + 1 + head).min(whole.len()))),
            _ => bytes[at] ^= 1 << rng.below(8),
        }
        if bytes == whole {
            continue;
        }
        damaged += 1;
        let file = folder.file("damaged", &bytes);
        let error = read_all(&file).expect_err("damage is found");
        assert!(error.contains("byte "), "{error}");
        let command = Builder::read(Path::new(&file)).err().unwrap();
        assert!(format!("{command:#}").starts_with(&file), "{command:#}");
    }
}
