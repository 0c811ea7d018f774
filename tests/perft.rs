//! Perft: the number of lines of play of each length, against the figures in `tests/data/perft` and the slow rules.
//!
//! A data file is named after its game. A line `position TEXT` names a position (`startpos`, or any spelling the game reads),
//! and the lines after it say `DEPTH LINES` or `DEPTH LINES WITH_ENDED`, the second number being the lines with the games
//! that ended earlier counted as one each. `#` begins a comment. Counts above [`QUICK`] are left to
//! `cargo test --release --test perft -- --ignored`.

mod common;

use common::plain_loops::{PlainLoops, PlainOthello};
use nullwindow::game::Game;
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use nullwindow::games::othello::Othello;
use nullwindow::games::reversi::{DiamondParallel, Four, Reversi, Shape, Six};
use nullwindow::perft::{Count, divide, divide_any, perft, perft_any};

/// The most lines that are counted in an ordinary test run: Othello to depth 9.
const QUICK: u64 = 5_000_000;

/// A line of a data file: a position, a depth, the figures.
struct Entry {
    game: Box<dyn AnyGame>,
    depth: u32,
    lines: u64,
    with_ended: Option<u64>,
}

fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for name in NAMES {
        let path = format!("{}/tests/data/perft/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut game = by_name(name).unwrap();
        for line in text.lines().map(|line| line.split('#').next().unwrap().trim()).filter(|line| !line.is_empty()) {
            if let Some(position) = line.strip_prefix("position ") {
                game.set_position(position).unwrap_or_else(|error| panic!("{path}: {line}: {error}"));
                continue;
            }
            let numbers: Vec<u64> = line.split_whitespace().map(|number| number.parse().expect(line)).collect();
            let (depth, lines, with_ended) = match numbers[..] {
                [depth, lines] => (depth as u32, lines, None),
                [depth, lines, with_ended] => (depth as u32, lines, Some(with_ended)),
                _ => panic!("{path}: {line}"),
            };
            entries.push(Entry { game: game.boxed_clone(), depth, lines, with_ended });
        }
    }
    entries
}

fn check(wanted: impl Fn(&Entry) -> bool) -> usize {
    let mut checked = 0;
    for entry in entries().iter().filter(|entry| wanted(entry)) {
        let count = perft_any(&*entry.game, entry.depth);
        let what = format!("{} {} depth {}", entry.game.name(), entry.game.write_position(), entry.depth);
        assert_eq!(count.lines, entry.lines, "{what}");
        if let Some(with_ended) = entry.with_ended {
            assert_eq!(count.with_ended(), with_ended, "{what}, ended games counted");
        }
        checked += 1;
    }
    checked
}

#[test]
fn figures_hold() {
    assert!(check(|entry| entry.lines <= QUICK) > 100);
}

#[test]
#[ignore = "minutes: run on the release build"]
fn large_figures_hold() {
    assert!(check(|entry| entry.lines > QUICK) >= 9);
}

fn slow_agrees<S: Shape>(depth: u32) {
    let (fast, slow) = (Reversi::<S>::start(), Reversi::<PlainLoops<S>>::start());
    for depth in 0..=depth {
        assert_eq!(perft(&fast, depth), perft(&slow, depth));
    }
}

#[test]
fn the_plain_loops_count_the_same() {
    assert_eq!(perft(&Othello::start(), 8), perft(&PlainOthello::start(), 8));
    slow_agrees::<Six>(7);
    slow_agrees::<Four>(11);
    slow_agrees::<DiamondParallel>(7);
}

/// Othello again, as one would write it in an afternoon: a board of characters.
fn naive(board: &[[char; 8]; 8], mover: char, depth: u32) -> Count {
    if depth == 0 {
        return Count { lines: 1, ended: 0 };
    }
    let other = if mover == 'x' { 'o' } else { 'x' };
    let play = |board: &[[char; 8]; 8], mover: char, other: char, row: i32, column: i32| {
        let mut next = *board;
        for (down, right) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let at = |n: i32| {
                let (row, column) = (row + n * down, column + n * right);
                if (0..8).contains(&row) && (0..8).contains(&column) {
                    board[row as usize][column as usize]
                } else {
                    '#'
                }
            };
            let run = (1..).take_while(|&n| at(n) == other).count() as i32;
            if run > 0 && at(run + 1) == mover {
                (0..=run).for_each(|n| next[(row + n * down) as usize][(column + n * right) as usize] = mover);
            }
        }
        (board[row as usize][column as usize] == '.' && next != *board).then_some(next)
    };
    let nexts = |mover, other| -> Vec<_> { (0..64).filter_map(|n| play(board, mover, other, n / 8, n % 8)).collect() };
    let mut count = Count::default();
    let moves = nexts(mover, other);
    if moves.is_empty() {
        let may_pass = !nexts(other, mover).is_empty();
        return if may_pass { naive(board, other, depth - 1) } else { Count { lines: 0, ended: 1 } };
    }
    for next in moves {
        count += naive(&next, other, depth - 1);
    }
    count
}

#[test]
fn a_board_of_characters_counts_the_same() {
    let mut checked = 0;
    for entry in entries().iter().filter(|entry| entry.lines <= 10_000) {
        let Some(discs) = entry.game.discs() else { continue };
        let piece =
            |row: u8, column: u8| if row.max(column) < discs.grid.size { discs.piece(row, column) } else { '*' };
        let board = std::array::from_fn(|row| std::array::from_fn(|column| piece(row as u8, column as u8)));
        let mover = if discs.to_move == nullwindow::game::Player::First { 'x' } else { 'o' };
        assert_eq!(naive(&board, mover, entry.depth), perft_any(&*entry.game, entry.depth), "{}", discs.write());
        checked += 1;
    }
    assert!(checked > 100);
}

/// Score Four on pegs of characters, wins found along all lines from every cell.
fn naive_four(pegs: &mut [Vec<u8>; 16], stones: u8, depth: u32) -> u64 {
    let at = |pegs: &[Vec<u8>; 16], x: i32, y: i32, z: i32| -> Option<u8> {
        ((0..4).contains(&x) && (0..4).contains(&y))
            .then(|| pegs[(4 * y + x) as usize].get(usize::try_from(z).ok()?).copied())?
    };
    let won = |pegs: &[Vec<u8>; 16], side: u8| {
        (0..64).any(|cell| {
            (0..27).filter(|&d| d != 13).any(|d| {
                let (dx, dy, dz) = (d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
                (0..4).all(|n| at(pegs, cell % 4 + n * dx, cell / 4 % 4 + n * dy, cell / 16 + n * dz) == Some(side))
            })
        })
    };
    if depth == 0 {
        return 1;
    }
    if won(pegs, 1 - stones % 2) {
        return 0;
    }
    let mut count = 0;
    for peg in 0..16 {
        if pegs[peg].len() < 4 {
            pegs[peg].push(stones % 2);
            count += naive_four(pegs, stones + 1, depth - 1);
            pegs[peg].pop();
        }
    }
    count
}

#[test]
fn pegs_of_stones_count_the_same() {
    let mut checked = 0;
    for entry in entries().iter().filter(|entry| entry.game.name() == "scorefour" && entry.lines <= 5000) {
        let text = entry.game.write_position();
        let mut pegs: [Vec<u8>; 16] = Default::default();
        // Layers lowest first, rows in order: read so, the stones of each peg come from below.
        let mut cell = 0;
        for c in text.split_whitespace().next().unwrap().chars() {
            match c {
                'x' | 'o' => pegs[cell % 16].push(u8::from(c == 'o')),
                '/' | '|' => continue,
                run => cell += run.to_digit(10).unwrap() as usize - 1,
            }
            cell += 1;
        }
        let stones = pegs.iter().map(Vec::len).sum::<usize>() as u8;
        assert_eq!(naive_four(&mut pegs, stones, entry.depth), entry.lines, "{text}");
        checked += 1;
    }
    assert!(checked > 10);
}

#[test]
fn divide_adds_up() {
    let start = Othello::start();
    let parts = divide(&start, 6);
    assert_eq!(parts.iter().map(|&(m, _)| m).collect::<Vec<_>>(), start.moves().to_vec());
    assert_eq!(parts.iter().map(|(_, count)| count.lines).sum::<u64>(), 8200);
    let game = by_name("othello").unwrap();
    assert_eq!(divide_any(&*game, 6), parts);
    assert_eq!(perft(&start, 0), Count { lines: 1, ended: 0 });
    let over = by_name("othello4").unwrap();
    let mut over = over.boxed_clone();
    over.set_position("4/1xx1/1xx1/4 o").unwrap();
    assert_eq!(perft_any(&*over, 3), Count { lines: 0, ended: 1 });
    assert!(divide_any(&*over, 3).is_empty());
}
