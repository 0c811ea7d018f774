//! The opening book: values against minimax, the file and its damage, imports from files of our own
//! writers, the choice of moves, the commands, and the engine in every dialect.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::{self, Engine, Folder, nullwindow};
use nullwindow::book::builder::{Builder, Imported, Source};
use nullwindow::book::file::{BLOCK, BookFile};
use nullwindow::book::{BookMove, EXACT, Key, Leaf, LeafKind, Record, choose, key};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::game::{Game, Move, mix};
use nullwindow::games::any::{AnyGame, AnyPosition, by_name};
use nullwindow::games::record::play_all;
use nullwindow::games::record::transcript;

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
    let mut book = Builder::open(Path::new(path), Some(&by_name(game).unwrap())).unwrap();
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

fn value_of(record: &Record) -> Option<Score> {
    record.scored.map(|(value, _)| value)
}

fn level_of(record: &Record) -> u8 {
    record.scored.map_or(0, |(_, level)| level)
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
        let found = value_of(&book.records[&key(position)]);
        assert_eq!(found, Some(oracle.value(position)), "{position:?}");
    }
}

#[test]
fn the_values_of_complete_books_are_those_of_minimax() {
    let folder = Folder::new("book-minimax");
    for (game, plies) in [("othello4", 12), ("othello6", 8), ("diamond", 6)] {
        let positions = reachable(game, plies);
        let mut book = book_of(&folder.path(game), game, &positions, 1);
        book.save().unwrap();
        check_values(&book, &positions, 1);
        let start = by_name(game).unwrap().position();
        let root = book.records[&key(start)];
        if game == "othello4" {
            // White wins by 8 discs; all is proven.
            assert_eq!(root.scored, Some((Score(-800), EXACT)));
        } else {
            assert_eq!(level_of(&root), 7);
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
    let folder = Folder::new("book-incomplete");
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
fn a_leaf_score_counts_until_the_position_after_it_has_a_value() {
    let folder = Folder::new("book-stale");
    let mut game = by_name("othello").unwrap();
    let mut book = Builder::open(Path::new(&folder.path("book")), Some(&game)).unwrap();
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
    assert_eq!(value_of(&book.records[&key(root)]), Some(Score(300)));
    assert_eq!(value_of(&book.records[&key(game.position())]), None);
    book.set_leaf(game.position(), leaf(Move::NONE, 500, LeafKind::Other));
    book.update();
    assert_eq!(value_of(&book.records[&key(root)]), Some(Score(-500)));
    book.set_leaf(root, leaf(f5, 700, LeafKind::Fixed));
    book.update();
    assert_eq!(value_of(&book.records[&key(root)]), Some(Score(700)));
}

#[test]
fn unscored_moves_have_the_level_of_the_leaf_that_was_better() {
    let folder = Folder::new("book-level");
    let mut game = game("f5");
    let mut book = Builder::open(Path::new(&folder.path("book")), Some(&game)).unwrap();
    let leaf = |m, level| Leaf {
        m,
        score: Score(100),
        level,
        kind: LeafKind::Current,
    };
    let before = game.position();
    let d6 = game.parse_move("d6").unwrap();
    game.play(d6).unwrap();
    book.add(&game, None, 20);
    book.set_leaf(before, leaf(d6, 8));
    book.set_leaf(game.position(), leaf(Move::NONE, 20));
    book.update();
    // Black's f4 and f6 were worse than d6 at level 8.
    assert_eq!(level_of(&book.records[&key(game.position())]), 20);
    assert_eq!(level_of(&book.records[&key(before)]), 8);
}

#[test]
fn damage_is_an_error_with_its_place() {
    let folder = Folder::new("book-damage");
    let path = folder.path("book");
    let positions = reachable("othello6", 5);
    let mut book = book_of(&path, "othello6", &positions, 3);
    for &key in book.records.keys().take(2 * BLOCK) {
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

/// Exit status, standard output and standard error of `book` with these words.
fn book(words: &[&str], input: &str) -> (i32, String, String) {
    let output = nullwindow(&[&["book"], words].concat(), input);
    (
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn game(moves: &str) -> AnyGame {
    let mut game = by_name("othello").unwrap();
    play_all(&mut game, moves).unwrap();
    game
}

/// A random game of Othello of at most this many plies.
fn random_game(rng: &mut Rng, plies: usize) -> AnyGame {
    let mut game = by_name("othello").unwrap();
    while game.history().len() < plies
        && let Some(&m) = rng.choose(&game.moves())
    {
        game.play(m).unwrap();
    }
    game
}

/// A book of the first plies of Othello with made-up leaves.
fn small_book(path: &str) -> Builder {
    let mut book = book_of(path, "othello", &reachable("othello", 4), 4);
    for record in book.records.values_mut() {
        record.games = 12;
    }
    book.save().unwrap();
    book
}

/// The scored moves of a position, with the centidiscs that each is worse than the best.
fn costs(book: &Builder, position: AnyPosition) -> HashMap<Move, i32> {
    let moves = book.moves(position).1.into_iter();
    let scores: HashMap<Move, i32> = moves
        .filter_map(|found| Some((found.m, found.scored?.0.0)))
        .collect();
    let best = scores.values().max().copied().unwrap_or(0);
    let costs = scores.into_iter().map(|(m, score)| (m, best - score));
    costs.collect()
}

/// The loss that is left to the side to move after the moves that it has played.
fn left_of(book: &Builder, game: &AnyGame, variety: u32) -> i32 {
    let own = game
        .plies()
        .filter(|(position, _)| position.to_move() == game.to_move());
    let spent: i32 = own
        .map(|(position, m)| costs(book, position).get(&m).copied().unwrap_or(0))
        .sum();
    (100 * variety as i32 - spent).max(0)
}

#[test]
fn a_choice_is_within_the_variety_and_depends_on_seed_and_moves_alone() {
    let folder = Folder::new("book-choice");
    let book = small_book(&folder.path("book"));
    let find = |key: Key| Ok(book.records.get(&key).copied());
    let mut rng = Rng::new(3);
    for seed in 0..400 {
        let plies = rng.below(4) as usize;
        let game = random_game(&mut rng, plies);
        let moves = book.moves(game.position()).1;
        let costs = costs(&book, game.position());
        for variety in [0, 2, 8, 30] {
            let choice = choose(&game, variety, seed, &find).unwrap().unwrap();
            let again = choose(&game, variety, seed, &find).unwrap().unwrap();
            assert_eq!(format!("{again:?}"), format!("{choice:?}"));
            let most = left_of(&book, &game, variety);
            let chosen = moves.iter().find(|found| found.m == choice.root.m).unwrap();
            assert_eq!(chosen.scored, Some((choice.root.score, choice.level)));
            assert!(costs[&chosen.m] <= most, "{choice:?}");
            // A move inside the book is preferred.
            let inside = |found: &BookMove| !found.is_leaf && costs[&found.m] <= most;
            assert!(!chosen.is_leaf || !moves.iter().any(inside));
            // The line is legal, and its last move is a leaf.
            let mut line = game.clone();
            choice.root.pv.iter().for_each(|&m| line.play(m).unwrap());
            assert!(!book.records.contains_key(&key(line.position())));
            // A symmetric game has the same records.
            assert_eq!((choice.level, choice.games), (7, 12));
        }
    }
    // All moves inside the book and within the variety are chosen at times.
    let costs = costs(&book, game("f5").position());
    let moves = book.moves(game("f5").position()).1.into_iter();
    let near: HashSet<Move> = moves
        .filter(|found| !found.is_leaf && costs[&found.m] <= 800)
        .map(|found| found.m)
        .collect();
    let chosen: HashSet<Move> = (0..400)
        .map(|seed| choose(&game("f5"), 8, seed, &find).unwrap().unwrap().root.m)
        .collect();
    assert_eq!(chosen, near);
    assert!(near.len() > 1, "{near:?}");
    let unknown = choose(&game("f5d6c3d3c4"), 2, 1, &find);
    assert!(unknown.unwrap().is_none());
    let damaged = |_: Key| Err("damaged".to_owned());
    assert_eq!(choose(&game(""), 0, 1, &damaged).unwrap_err(), "damaged");
}

#[test]
fn the_choices_of_a_game_cost_each_side_at_most_the_variety() {
    let folder = Folder::new("book-sum");
    let path = folder.path("book");
    let mut book = book_of(&path, "othello", &reachable("othello", 6), 4);
    book.update();
    let find = |key: Key| Ok(book.records.get(&key).copied());
    let mut largest = [0; 2];
    for seed in 0..300 {
        let (mut game, mut spent) = (game(""), [0; 2]);
        while let Some(choice) = choose(&game, 20, seed, &find).unwrap() {
            let m = choice.root.m;
            spent[game.to_move() as usize] += costs(&book, game.position())[&m];
            game.play(m).unwrap();
        }
        assert!(spent.iter().all(|&spent| spent <= 2_000), "{spent:?}");
        largest = [0, 1].map(|side| largest[side].max(spent[side]));
    }
    assert!(
        largest.iter().all(|&largest| largest > 1_000),
        "{largest:?}"
    );
}

/// The lines of the book of this many plies; those that end before count too.
fn lines(book: &Builder, position: AnyPosition, plies: u32) -> u32 {
    let inside = |m: &Move| book.records.contains_key(&key(position.play(*m)));
    let moves = position.moves().into_iter().filter(inside);
    let lines = moves.map(|m| match plies {
        1 => 1,
        _ => lines(book, position.play(m), plies - 1).max(1),
    });
    lines.sum()
}

#[test]
fn equal_lines_of_four_plies_are_equally_probable() {
    let folder = Folder::new("book-lines");
    let path = folder.path("book");
    let mut book = book_of(&path, "othello", &reachable("othello", 6), 4);
    for record in book.records.values_mut() {
        record.leaf = record.leaf.map(|leaf| Leaf {
            score: Score(0),
            ..leaf
        });
    }
    book.update();
    let find = |key: Key| Ok(book.records.get(&key).copied());
    let before = game("f5");
    let mut counts: HashMap<Move, u32> = HashMap::new();
    let seeds = 6_000;
    for seed in 0..seeds {
        let choice = choose(&before, 0, seed, &find).unwrap().unwrap();
        *counts.entry(choice.root.m).or_default() += 1;
    }
    let moves = before.moves().into_iter();
    let expected: HashMap<Move, u32> = moves
        .map(|m| (m, lines(&book, before.position().play(m), 3)))
        .collect();
    let sum: u32 = expected.values().sum();
    for (m, lines) in &expected {
        let share = f64::from(*lines) / f64::from(sum);
        let found = f64::from(counts[m]) / seeds as f64;
        // Four standard deviations.
        assert!((found - share).abs() < 0.026, "{counts:?} {expected:?}");
    }
    let most = expected.values().max();
    assert!(expected.values().min() < most, "{expected:?}");
}

#[test]
fn only_searches_for_a_move_use_the_book() {
    let folder = Folder::new("book-engine");
    let path = folder.path("my book");
    small_book(&path);
    let set = format!("setoption name Book File value {path}");
    let mut engine = Engine::start(&[]);
    for line in ["uci", &set] {
        engine.send(line);
    }
    let mut ask = |before: &str, go: &str| {
        for line in before.split(';') {
            engine.send(line);
        }
        engine.send(go);
        if go.contains("infinite") || go.contains("ponder") {
            engine.send("stop");
        }
        let lines = engine.until("bestmove");
        let book = lines
            .iter()
            .position(|line| line.starts_with("info string book "));
        if let Some(book) = book {
            // The note, the line, the move.
            let [note, info, best] = &lines[lines.len() - 3..] else {
                panic!("{lines:?}")
            };
            assert_eq!(
                (book, note.as_str()),
                (lines.len() - 3, "info string book level 7 games 12")
            );
            assert!(
                info.starts_with("info depth 0 seldepth 0 score cp "),
                "{info}"
            );
            let pv = info.split_once(" pv ").unwrap().1;
            let best: Vec<_> = best.split(' ').collect();
            let pv: Vec<_> = pv.split(' ').collect();
            assert_eq!((best[1], best.get(3)), (pv[0], pv.get(1)), "{lines:?}");
        }
        book.is_some()
    };
    for go in [
        "go movetime 50",
        "go wtime 1000 btime 1000 winc 10 binc 10",
        "go nodes 100",
        "go depth 3",
    ] {
        assert!(ask("position startpos moves f5 d6", go), "{go}");
    }
    for go in [
        "go infinite",
        "go ponder wtime 1000 btime 1000",
        "go mate 1",
        "go depth 2 searchmoves c3 d3",
        "go nodes 100 exact",
        "go depth 1 wld",
    ] {
        let position = "position startpos moves f5 d6";
        let end = "position fen 8/8/8/8/8/8/8/x1o5 o";
        let position = if go.contains("exact") || go.contains("wld") {
            end
        } else {
            position
        };
        assert!(!ask(position, go), "{go}");
    }
    let unused = "position startpos;setoption name ";
    for (option, back) in [
        ("MultiPV value 2", "MultiPV value 1"),
        ("Strength value 5", "Strength value 0"),
        ("OwnBook value false", "OwnBook value true"),
        (
            "UCI_LimitStrength value true;setoption name UCI_Elo value 1800",
            "UCI_LimitStrength value false",
        ),
        ("Game value othello6", "Game value othello"),
        ("Book File value", &set["setoption name ".len()..]),
    ] {
        assert!(!ask(&format!("{unused}{option}"), "go depth 1"), "{option}");
        assert!(ask(&format!("{unused}{back}"), "go depth 1"), "{option}");
    }
    assert!(
        !ask("position startpos moves f5 d6 c3 d3 c4", "go depth 1"),
        "out of the book"
    );
}

#[test]
fn every_dialect_plays_from_the_book() {
    let folder = Folder::new("book-dialects");
    let path = folder.path("book");
    small_book(&path);
    let option = format!("Book File={path}");
    let start = &["--option", &option];
    let mut engine = Engine::start(start);
    assert_eq!(engine.ask("1 komi 0", "=1"), "=1");
    let moves = ["C4", "D3", "E6", "F5"];
    let word = |line: String| line.split(' ').nth(1).unwrap().to_owned();
    let found = word(engine.ask("2 reg_genmove b", "=2"));
    assert!(moves.contains(&found.as_str()), "{found}");
    assert_eq!(
        word(engine.ask("3 genmove b", "=3")),
        found,
        "the same seed"
    );
    assert_eq!(engine.ask("4 name", "=4"), "=4 nullwindow");
    let (lines, _) = common::converse(start, b"go depth 1\nmoves depth 1\n");
    assert!(lines[0].starts_with("info string book level"), "{lines:?}");
    assert_eq!(
        lines.iter().filter(|line| line.contains(" book ")).count(),
        1,
        "{lines:?}"
    );

    let mut engine = Engine::start(start);
    engine.send("nboard 2");
    let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
    engine.send(&format!(
        "set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5]TY[8]{board};)"
    ));
    engine.send("set depth 1");
    engine.send("go");
    assert!(
        engine
            .until("===")
            .iter()
            .any(|line| line.starts_with("status book level 7"))
    );
    engine.send("hint 1");
    let hint = engine.until_line("status");
    assert!(hint.iter().all(|line| !line.contains("book")), "{hint:?}");
    // `learn` adds the game.
    let all = "f5 d6 c3 d3 c4 f4 f6 f3";
    for m in all.split(' ') {
        engine.send(&format!("move {m}"));
    }
    assert_eq!(engine.ask("learn", ""), "learned");
    let learned = Builder::read(Path::new(&path)).unwrap();
    let record = learned.records[&key(game(all).position())];
    assert_eq!((record.games, record.scored), (1, None));
    assert_eq!(learned.records[&key(game("").position())].games, 13);
    // Not while another process writes the book.
    let lock = Builder::open(Path::new(&path), None).unwrap();
    let error = engine.ask("learn", "status error: learn: ");
    assert!(error.contains("is being written by process"), "{error}");
    assert_eq!(engine.line(), "learned");
    drop(lock);
    assert_eq!(engine.ask("learn", ""), "learned");
}

#[test]
fn damage_in_a_block_is_reported_and_the_engine_searches() {
    let folder = Folder::new("book-probe");
    let path = folder.path("book");
    small_book(&path);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - 100;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let option = format!("Book File={path}");
    let input = b"go depth 1\nposition startpos moves f5\ngo depth 1\nposition startpos moves f5 d6\ngo depth 1\n";
    let (lines, status) = common::converse(&["--option", &option], input);
    assert!(status.success());
    assert!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count()
            == 3
    );
    let error = lines.iter().find(|line| line.contains("error")).unwrap();
    assert!(
        error.contains(&path) && error.contains("(byte ") && error.contains("damaged"),
        "{error}"
    );
    folder.file("book", "text");
    let (lines, _) = common::converse(
        &[],
        format!("setoption name Book File value {path}\n").as_bytes(),
    );
    assert!(lines[0].contains("not a book"), "{lines:?}");
}

#[test]
fn games_are_added_with_their_results_and_extended() {
    let folder = Folder::new("book-commands");
    let path = folder.path("book");
    let games = folder.file("games", "f5d6c3d3c4\nf5d6c4\nf5 f5\n");
    let (status, out, err) = book(&["add", &path, &games, "--plies", "3"], "");
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("line 3: illegal move"), "{err}");
    assert_eq!(
        out,
        "2 games added, 2 without a result counted as drawn; 5 positions, 0 with a score\n"
    );
    let pgn =
        "[Black \"A\"]\n[White \"B\"]\n[FirstPlayer \"A\"]\n[Result \"1-0\"]\n\n1. f5 d6 1-0\n";
    let most = usize::MAX.to_string();
    let (status, out, err) = book(&["add", &path, "-", "--plies", &most], pgn);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let read = || Builder::read(Path::new(&path)).unwrap();
    let record = read().records[&key(game("f5").position())];
    assert_eq!(record.games, 3);
    // Without a score the engine does not use it.
    let option = format!("Book File={path}");
    let (lines, _) = common::converse(&["--option", &option], b"go depth 1\n");
    assert!(lines.iter().all(|line| !line.contains("book")), "{lines:?}");

    let (status, out, err) = book(
        &[
            "extend",
            &path,
            "--depth",
            "2",
            "--positions",
            "1",
            "--threads",
            "1",
        ],
        "",
    );
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.starts_with("1 position searched, 3 to search; 5 positions, 2 with a score"),
        "{out}"
    );
    let (status, out, _) = book(&["extend", &path, "--depth", "2"], "");
    assert!(
        status == 0 && out.contains(" 0 to search; 5 positions, 5 with a score"),
        "{out}"
    );
    let (_, out, _) = book(&["extend", &path, "--depth", "2"], "");
    assert!(out.starts_with("0 positions searched"), "{out}");
    assert!(read().records.values().all(|record| level_of(record) == 2));
    let full = [
        "extend",
        &path,
        "--depth",
        "2",
        "--option",
        "Selectivity=100",
    ];
    let (_, out, err) = book(&full, "");
    assert!(out.starts_with("0 positions searched"), "{out}");
    assert!(
        err.contains("4 positions were searched at this level before"),
        "{err}"
    );
    let (_, out, _) = book(&["extend", &path, "--nodes", "50"], "");
    assert!(
        !out.starts_with("0 positions searched"),
        "another level: {out}"
    );

    let (status, out, _) = book(&["check", &path], "");
    assert_eq!(
        (status, out),
        (0, format!("{path}: othello, 5 positions, 5 with a score\n"))
    );
    let (_, out, _) = book(&["show", &path, "f5d6"], "");
    assert!(out.contains("(leaf)") && out.contains("3 games"), "{out}");
    let (_, out, _) = book(&["show", &path, "f5d6c3d3c4"], "");
    assert!(out.contains("not in the book"), "{out}");
    let lower = "---------------------------ox------xo---------------------------x";
    assert_eq!(
        book(&["show", &path, lower], "").1,
        book(&["show", &path], "").1
    );
    for flag in ["--position", "--json"] {
        let (status, _, errors) = book(&["show", &path, flag, "f5d6"], "");
        assert_eq!(status, 2);
        assert!(
            errors.contains("expected a position or moves, not an option"),
            "{errors}"
        );
    }
    let (_, out, _) = book(&["export", &path], "");
    assert_eq!(out.lines().count(), 6, "{out}");
    assert!(
        out.lines().all(|line| line.split('\t').count() == 9),
        "{out}"
    );
    let kinds = out
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').nth(8));
    let kinds: Vec<&str> = kinds.filter(|kind| !kind.is_empty()).collect();
    assert!(
        !kinds.is_empty() && kinds.iter().all(|&kind| kind == "searched"),
        "{out}"
    );

    // A wrong value is found.
    let mut wrong = fs::read(&path).unwrap();
    let at = wrong.len() - 4 - 32 + 16;
    wrong[at] ^= 4;
    let block = wrong.len() - 4 - 5 * 32;
    let end = wrong.len() - 4;
    let checksum = crc32(&wrong[block..end]);
    wrong[end..].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, wrong).unwrap();
    let (status, _, err) = book(&["check", &path], "");
    assert!(status == 1 && err.contains(" with wrong values"), "{err}");
    let values = err.lines().next().unwrap().matches(" level ").count();
    assert!(values == 2 && !err.contains("Some("), "{err}");
    for (words, what) in [
        (vec!["extend", "missing", "--depth", "2"], "missing"),
        (vec!["extend", &path], "--depth"),
        (
            vec!["extend", &path, "--depth", "9", "--threads", "257"],
            "257 is not in 1..=256",
        ),
        (
            vec!["add", &path, &games, "--game", "othello6"],
            "a book of othello, not of othello6",
        ),
        (
            vec!["add", "new", &games, "--game", "tictactoe"],
            "games of discs only",
        ),
        (vec!["add", &path, &path], "this file is also an input"),
        (vec!["import", &path, &games], "not a book of Edax"),
    ] {
        let (status, _, err) = book(&words, "");
        assert!(status == 2 && err.contains(what), "{words:?}: {err}");
    }
}

#[test]
fn every_file_of_games_has_one_and_a_doubtful_result_is_unknown() {
    let folder = Folder::new("book-add");
    let [good, empty] =
        [("good", "f5d6\n"), ("empty", "")].map(|(name, text)| folder.file(name, text));
    let path = folder.path("book");
    let (status, _, err) = book(&["add", &path, &good, &empty], "");
    assert!(status == 2 && err.contains("empty: no game found"), "{err}");
    assert!(!fs::exists(&path).unwrap());
    let doubtful = r#"{"moves":"f5d6","result":"p1win","discs":-4}"#;
    let (status, out, err) = book(&["add", &path, "-"], doubtful);
    assert!(
        status == 1 && err.contains("the stated score is -4"),
        "{err}"
    );
    assert!(
        out.starts_with("1 game added, 1 without a result counted as drawn"),
        "{out}"
    );
    assert!(err.contains("1 game has errors"), "{err}");
}

/// The CRC-32 of zlib.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes
        .iter()
        .fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[test]
fn a_killed_extension_resumes_and_ends_with_the_book_of_an_undisturbed_one() {
    let folder = Folder::new("book-kill");
    let mut rng = Rng::new(9);
    let games: Vec<String> = (0..8)
        .map(|_| transcript(&random_game(&mut rng, 10)))
        .collect();
    let games = folder.file("games", games.join("\n"));
    let path = folder.path("book");
    assert_eq!(book(&["add", &path, &games], "").0, 0);
    let new = fs::read(&path).unwrap();
    let words = ["extend", &path, "--depth", "3", "--threads", "2"];
    let journal = format!("{path}.extend.jsonl");
    let lines = |file: &str| fs::read_to_string(file).map_or(0, |text| text.lines().count());
    let end = Instant::now() + common::PATIENCE;
    loop {
        let mut child = common::command().arg("book").args(words).spawn().unwrap();
        while lines(&journal) < 5 && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "no leaf is recorded");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        if !child.wait().unwrap().success() {
            break;
        }
        fs::write(&path, &new).unwrap(); // it ended before it was killed
    }
    let recorded = lines(&journal);
    assert!(recorded >= 5, "{recorded} leaves");
    let text = fs::read_to_string(&journal).unwrap();
    let header = text.split_inclusive('\n').next().unwrap();
    let (status, _, err) = book(&["extend", &path, "--depth", "4"], "");
    assert!(
        status == 2 && err.contains("depth 3 (expected 4)") && err.contains("delete this file"),
        "{err}"
    );
    let (status, out, _) = book(&words, "");
    assert_eq!(status, 0);
    assert!(!Path::new(&journal).exists());
    let again: usize = out.split(' ').next().unwrap().parse().unwrap();

    // An undisturbed run; the link keeps its journal.
    let resumed = fs::read(&path).unwrap();
    fs::write(&path, &new).unwrap();
    fs::write(&journal, header).unwrap();
    let whole = folder.path("journal");
    fs::hard_link(&journal, &whole).unwrap();
    assert_eq!(book(&words, "").0, 0);
    let expected = fs::read(&path).unwrap();
    assert!(resumed == expected);
    let searches = lines(&whole) - 1;
    assert_eq!(again + recorded - 1, searches);

    // A kill after any line.
    let whole = fs::read_to_string(&whole).unwrap();
    let resumes = |words: &[&str], whole: &str, count: usize, searches: usize, expected: &[u8]| {
        let kept: String = whole.split_inclusive('\n').take(1 + count).collect();
        fs::write(&path, &new).unwrap();
        fs::write(&journal, kept).unwrap();
        let (status, out, err) = book(words, "");
        let rest = format!("{} position", searches - count);
        assert!(status == 0 && out.starts_with(&rest), "{out}{err}");
        assert!(fs::read(&path).unwrap() == expected, "after {count} leaves");
    };
    for count in (1..=searches).step_by(5).chain([searches]) {
        resumes(&words, &whole, count, searches, &expected);
    }
    // The positions of the killed run count.
    let most = searches / 2;
    let limit = most.to_string();
    let words = [&words[..], &["--positions", &limit]].concat();
    fs::write(&path, &new).unwrap();
    fs::write(&journal, header).unwrap();
    let half = folder.path("half");
    fs::hard_link(&journal, &half).unwrap();
    assert_eq!(book(&words, "").0, 0);
    let expected = fs::read(&path).unwrap();
    let half = fs::read_to_string(&half).unwrap();
    for count in [1, most / 2, most] {
        resumes(&words, &half, count, most, &expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_extension_that_cannot_start_leaves_no_journal() {
    let folder = Folder::new("book-memory");
    let path = folder.path("book");
    assert_eq!(book(&["add", &path, "-"], "f5d6").0, 0);
    let script = "ulimit -v 400000; exec \"$0\" book extend \"$1\" --depth 4 --threads 256";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]);
    let output = shell
        .arg(common::command().get_program())
        .arg(&path)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(!Path::new(&format!("{path}.extend.jsonl")).exists());
}

#[test]
fn an_extended_book_of_a_solved_game_has_its_value() {
    let folder = Folder::new("book-solved");
    let path = folder.path("book");
    let mut rng = Rng::new(2);
    let mut games = String::new();
    for _ in 0..20 {
        let mut game = by_name("othello4").unwrap();
        while let Some(&m) = rng.choose(&game.moves()) {
            game.play(m).unwrap();
        }
        games += &(transcript(&game) + "\n");
    }
    let (status, out, _) = book(&["add", &path, "-", "--game", "othello4"], &games);
    assert!(status == 0 && !out.contains("without a result"), "{out}");
    assert_eq!(book(&["extend", &path, "--depth", "12"], "").0, 0);
    let solved = Builder::read(Path::new(&path)).unwrap();
    let root = solved.records[&key(solved.game.position())];
    assert_eq!(
        (value_of(&root), level_of(&root), root.games),
        (Some(Score(-800)), EXACT, 20)
    );
    // Every position of a solved game has its exact value.
    let keys = HashSet::new();
    let mut oracle = Oracle {
        book: &keys,
        seed: 0,
        values: HashMap::new(),
    };
    let all = reachable("othello4", 12);
    let keys: HashSet<Key> = all.iter().map(|&position| key(position)).collect();
    oracle.book = &keys;
    for (&key, record) in &solved.records {
        assert_eq!(value_of(record), Some(oracle.value(solved.position(key))));
        assert!(record.half_points <= 2 * record.games);
    }
    assert_eq!(book(&["check", &path], "").0, 0);
}

#[test]
fn a_widened_book_has_every_position_that_its_variety_reaches() {
    let folder = Folder::new("book-wide");
    let sizes = [0, 8].map(|variety| {
        let path = folder.path(&format!("book{variety}"));
        let mut game = by_name("othello4").unwrap();
        let first = game.moves()[0];
        game.play(first).unwrap();
        let game = transcript(&game);
        assert_eq!(book(&["add", &path, "-", "--game", "othello4"], &game).0, 0);
        let discs = variety.to_string();
        let words = ["extend", &path, "--depth", "12", "--widen", &discs];
        let (status, out, err) = book(&[&words[..], &["--positions", "100000"]].concat(), "");
        assert!(status == 0 && out.contains(", 0 to search"), "{out}{err}");
        assert_eq!(book(&["check", &path], "").0, 0);
        let book = Builder::read(Path::new(&path)).unwrap();
        let mut seen = HashSet::new();
        let mut open = vec![(book.game.position(), [100 * variety; 2])];
        while let Some((position, left)) = open.pop() {
            if position.final_score().is_some() || !seen.insert((position, left)) {
                continue;
            }
            let moves = position.moves();
            if moves.as_slice() == [Move::PASS] {
                open.push((position.play(Move::PASS), left));
                continue;
            }
            assert!(book.records.contains_key(&key(position)), "{position:?}");
            let mover = position.to_move() as usize;
            for (m, cost) in costs(&book, position) {
                let mut left = left;
                left[mover] -= cost;
                if left[mover] >= 0 {
                    open.push((position.play(m), left));
                }
            }
        }
        let positions: HashSet<_> = seen.iter().map(|(position, _)| position).collect();
        positions.len()
    });
    assert!(30 < sizes[0] && 4 * sizes[0] < sizes[1], "{sizes:?}");
    let (status, _, err) = book(&["extend", "book", "--depth", "3", "--widen", "1"], "");
    assert!(status == 2 && err.contains("--minutes"), "{err}");
}

/// The eight symmetric boards, by plain coordinates.
fn images([player, other]: [u64; 2]) -> [[u64; 2]; 8] {
    std::array::from_fn(|symmetry| [player, other].map(|set| moved(set, symmetry)))
}

fn moved(set: u64, symmetry: usize) -> u64 {
    let square = |square| (set >> square & 1) << image_of(square, symmetry);
    (0..64u8).map(square).sum()
}

fn image_of(square: u8, symmetry: usize) -> u8 {
    let (mut x, mut y) = (square % 8, square / 8);
    if symmetry & 1 != 0 {
        x = 7 - x;
    }
    if symmetry & 2 != 0 {
        y = 7 - y;
    }
    if symmetry & 4 != 0 {
        (x, y) = (y, x);
    }
    8 * y + x
}

/// A position of another program's book: its smallest board.
struct Foreign {
    position: AnyPosition,
    value: i32,
    leaf: Option<(Move, i32)>,
    links: Vec<(Move, i32)>,
    level: u8,
    /// Whether the value was entered by hand.
    is_fixed: bool,
}

/// Random positions of games with negamax values.
fn foreign_book(rng: &mut Rng, has_fixed: bool) -> HashMap<[u64; 2], Foreign> {
    let othello = by_name("othello").unwrap().position();
    let smallest = |position: AnyPosition| {
        let board = images(position.packed()).into_iter().min().unwrap();
        othello.with_discs(board).unwrap()
    };
    let mut positions = HashSet::new();
    for _ in 0..60 {
        let played = random_game(rng, 50);
        let from = rng.below(30) as usize;
        for (position, m) in played.plies().skip(from).take(25) {
            if !m.is_pass() {
                positions.insert(smallest(position));
            }
        }
    }
    let mut positions: Vec<_> = positions.into_iter().collect();
    positions.sort_by_key(|position| (-position.stones(), position.packed()));
    let mut book = HashMap::<[u64; 2], Foreign>::new();
    for position in positions {
        let (mut links, mut leaf) = (Vec::new(), None);
        for m in position.moves() {
            let next = position.play(m);
            let (at, passed) = without_pass(next);
            let sign = if passed { 1 } else { -1 };
            let linked = match next.final_score() {
                Some(score) => Some(-score.0 / 100),
                None => book.get(&smallest(at).packed()).map(|to| sign * to.value),
            };
            match linked {
                Some(score) => links.push((m, score)),
                None => {
                    leaf = Some((m, rng.below(30) as i32 - 15))
                        .filter(|_| rng.below(2) > 0)
                        .or(leaf)
                        .or(Some((m, 0)))
                }
            }
        }
        let scores = links.iter().chain(&leaf).map(|(_, score)| *score);
        let is_fixed = has_fixed && rng.below(20) == 0;
        let value = if is_fixed { 9 } else { scores.max().unwrap() };
        let level = 10 + rng.below(20) as u8;
        book.insert(
            position.packed(),
            Foreign {
                position,
                value,
                leaf,
                links,
                level,
                is_fixed,
            },
        );
    }
    book
}

/// A book as Edax writes it.
fn edax(book: &HashMap<[u64; 2], Foreign>) -> Vec<u8> {
    let mut bytes = b"XADEKOOB".to_vec();
    bytes.extend([4, 4]);
    bytes.extend(2_026i16.to_le_bytes());
    bytes.extend([11, 28, 12, 0, 0, 0]);
    for number in [21i32, 36, 0, 0, 1, book.len() as i32] {
        bytes.extend(number.to_le_bytes());
    }
    for entry in book.values() {
        let discs = entry.position.packed();
        bytes.extend(discs.iter().flat_map(|discs| discs.to_le_bytes()));
        bytes.extend([5u32, 3, 2, 7].iter().flat_map(|count| count.to_le_bytes()));
        let values = [entry.value as i16, -20, 30];
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend([entry.links.len() as u8, entry.level]);
        for (m, score) in &entry.links {
            bytes.extend([*score as i8 as u8, m.square()]);
        }
        let (square, score) = entry
            .leaf
            .map_or((65, -127), |(m, score)| (m.square(), score));
        bytes.extend([score as i8 as u8, square]);
    }
    bytes
}

/// A book as Egaroucid writes it, with boards in any orientation.
fn egaroucid(book: &HashMap<[u64; 2], Foreign>, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = b"DICUORAGE\x03".to_vec();
    bytes.extend((book.len() as i32).to_le_bytes());
    for entry in book.values() {
        let symmetry = rng.below(8) as usize;
        for set in images(entry.position.packed())[symmetry] {
            // The highest bit is a1.
            let turned = (0..64)
                .map(|square| (set >> square & 1) << (63 - square))
                .sum::<u64>();
            bytes.extend(turned.to_le_bytes());
        }
        let level = if entry.is_fixed { 70 } else { entry.level };
        bytes.extend([entry.value as i8 as u8, level]);
        bytes.extend(99u32.to_le_bytes());
        // Without a leaf only the value is known.
        match entry.leaf.filter(|_| rng.below(3) > 0) {
            Some((m, score)) => {
                let bit = 63 - image_of(m.square(), symmetry);
                bytes.extend([score as i8 as u8, bit, entry.level]);
            }
            None => bytes.extend([0, [65, 64, 200][rng.below(3) as usize], 0]),
        }
    }
    bytes
}

#[test]
fn books_of_edax_and_egaroucid_are_imported() {
    let folder = Folder::new("book-import");
    let mut rng = Rng::new(11);
    let foreign = foreign_book(&mut rng, true);
    assert!(foreign.len() > 500);
    let path = folder.path("egaroucid.book");
    let file = folder.file("book.egbk3", egaroucid(&foreign, &mut rng));
    let (status, out, err) = book(&["import", &path, &file], "");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(
        out.starts_with(&format!(
            "{} imported; {} positions",
            foreign.len(),
            foreign.len()
        )),
        "{out}"
    );
    let imported = Builder::read(Path::new(&path)).unwrap();
    for (board, entry) in &foreign {
        let record = imported.records[&key(entry.position)];
        assert_eq!(
            value_of(&record),
            Some(Score(100 * entry.value)),
            "{board:x?}"
        );
        let data = imported.imported[&(key(entry.position), Source::Egaroucid)];
        assert_eq!((data.values[0], data.counts[3]), (entry.value as i16, 99));
    }
    let plain = foreign_book(&mut rng, false);
    let bytes = edax(&plain);
    let file = folder.file("book.dat", &bytes);
    let path = folder.path("edax.book");
    assert_eq!(book(&["import", &path, &file], "").0, 0);
    let imported = Builder::read(Path::new(&path)).unwrap();
    for entry in plain.values() {
        let record = imported.records[&key(entry.position)];
        assert_eq!(value_of(&record), Some(Score(100 * entry.value)));
        assert_eq!((record.games, record.half_points), (10, 13));
        let data = imported.imported[&(key(entry.position), Source::Edax)];
        assert_eq!(
            (data.values, data.counts),
            ([entry.value as i16, -20, 30], [5, 3, 2, 7])
        );
        if let Some((m, score)) = entry.leaf {
            let leaf = record.leaf.unwrap();
            assert_eq!((leaf.score, leaf.level), (Score(100 * score), entry.level));
            let next = entry.position.canonical().play(leaf.m);
            assert_eq!(key(next), key(entry.position.play(m)));
        }
    }
    assert_eq!(book(&["check", &path], "").0, 0);
    // A truncated or impossible file is an error with its place, and changes nothing.
    let before = fs::read(&path).unwrap();
    for _ in 0..40 {
        let cut = rng.below(bytes.len() as u64) as usize;
        let file = folder.file("cut", &bytes[..cut]);
        let (status, _, err) = book(&["import", &path, &file], "");
        assert!(status == 2 && err.contains(&file), "{err}");
    }
    let mut double = bytes.clone();
    double[42..58].fill(0xff);
    let mut lowest = bytes.clone();
    lowest[74..76].copy_from_slice(&i16::MIN.to_le_bytes());
    let more = [&bytes[..], b"x"].concat();
    for (bytes, what) in [
        (
            double,
            "position 1 of ".to_owned()
                + &format!("{} (byte 42): a square has two discs", plain.len()),
        ),
        (lowest, "score -32768, expected -64 to 64".into()),
        (
            more,
            format!("1 bytes after the last position (byte {})", bytes.len()),
        ),
    ] {
        let file = folder.file("bad", bytes);
        let (status, _, err) = book(&["import", &path, &file], "");
        assert!(status == 2 && err.contains(&what), "{err}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_match_seeds_the_books_and_records_their_moves() {
    let folder = Folder::new("book-match");
    let file = folder.path("book");
    small_book(&file);
    let out = folder.path("match");
    let engine = |name: &str| {
        let program = env!("CARGO_BIN_EXE_nullwindow");
        let program = nullwindow::platform::command_line::join(&[program]);
        [
            "--engine".to_owned(),
            format!("cmd={program}"),
            format!("name={name}"),
            "nodes=40".into(),
        ]
    };
    let book_of = format!("book={file}");
    let mut words: Vec<String> = vec!["tournament".into()];
    words.extend(engine("A"));
    words.extend([book_of.clone(), "option.Book Variety=8".into()]);
    words.extend(engine("B"));
    let more = ["--rounds", "2", "--openings", "startpos", "--out", &out];
    words.extend(more.map(String::from));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let run = |words: &[&str]| {
        let output = nullwindow(words, "");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code(),
            text,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (status, text, err) = run(&words);
    assert_eq!(status, Some(0), "{text}{err}");
    let games = fs::read_to_string(PathBuf::from(&out).join("games.jsonl")).unwrap();
    let games: Vec<serde_json::Value> = games
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), 4);
    for game in &games {
        assert_eq!(game["book_seed"], game["game"]);
        let first = usize::from(game["p1"] != "A");
        let moves = game["moves"].as_array().unwrap();
        for (ply, played) in moves.iter().enumerate() {
            let is_book = played.get("origin").is_some_and(|origin| origin == "book");
            // The book has the positions of the first four plies.
            assert_eq!(is_book, ply < 5 && ply % 2 == first, "{game}");
        }
    }
    let saved = fs::read_to_string(PathBuf::from(&out).join("tournament.json")).unwrap();
    assert!(
        saved.contains("Book File") && saved.matches("sha256").count() == 2,
        "{saved}"
    );
    let first = usize::from(games[0]["p1"] != "A") + 1;
    let place = |ply: usize| format!("1:{ply}");
    let (status, text, _) = run(&["tournament", "--replay", &out, &place(first)]);
    assert!(
        status == Some(0) && text.contains("a move of its book"),
        "{text}"
    );
    let (status, text, err) = run(&["tournament", "--replay", &out, &place(first + 6)]);
    assert!(
        status == Some(0) && text.contains("identical"),
        "{text}{err}"
    );
    // A record whose moves are not those of the engines is found.
    let (status, _, err) = run(&["tournament", "--resume", &out]);
    assert_eq!(status, Some(0), "{err}");
    for (words, what) in [
        (
            [book_of.as_str(), "proto=gtp"],
            "book=FILE needs proto=ugi or proto=uci",
        ),
        (["book=no such file", "proto=ugi"], "no such file"),
    ] {
        let words = [
            &["tournament", "--engine", "cmd=x"],
            &words[..],
            &["--engine", "cmd=y"],
        ]
        .concat();
        let (status, _, err) = run(&words);
        assert!(status == Some(2) && err.contains(what), "{err}");
    }
}

/// The figures of src/book/measurements.md.
#[test]
#[ignore = "takes a minute: cargo test million -- --ignored --nocapture"]
#[allow(clippy::print_stdout, reason = "prints what it measures")]
fn a_million_positions_are_opened_and_probed() {
    let folder = Folder::new("book-million");
    let path = folder.path("book");
    let mut book = Builder::open(Path::new(&path), Some(&game(""))).unwrap();
    let (mut rng, mut played) = (Rng::new(1), Vec::new());
    while book.records.len() < 1_000_000 {
        let game = random_game(&mut rng, 40);
        book.add(&game, None, 40);
        played.push(game);
    }
    for record in book.records.values_mut() {
        record.leaf = Some(Leaf {
            m: Move::NONE,
            score: Score(rng.below(40) as i32 * 100 - 2_000),
            level: 8,
            kind: LeafKind::Other,
        });
    }
    let began = Instant::now();
    book.save().unwrap();
    let saved = began.elapsed();
    let began = Instant::now();
    let file = BookFile::open(Path::new(&path)).unwrap();
    let opened = began.elapsed();
    let find = |key: Key| file.find(key);
    let plies = played.iter().take(500).flat_map(AnyGame::plies);
    let positions: Vec<AnyPosition> = plies.map(|(position, _)| position).collect();
    let began = Instant::now();
    let found = positions
        .iter()
        .filter(|&&position| find(key(position)).unwrap().is_some());
    let found = found.count();
    let probed = began.elapsed() / positions.len() as u32;
    let began = Instant::now();
    for &position in &positions[..2_000] {
        choose(&AnyGame::from(position), 2, 1, &find).unwrap();
    }
    let chosen = began.elapsed() / 2_000;
    println!(
        "{} positions: saved in {saved:?}, opened in {opened:?}; {found} of {} probes found, {probed:?} each; a move \
         with its line {chosen:?}",
        book.records.len(),
        positions.len()
    );
    assert!(found > 0);
}
