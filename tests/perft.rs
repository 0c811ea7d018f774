//! Perft counts compared with the known counts in `tests/data/perft` and with slow reference rules.
//! `.ci/run` checks counts above [`QUICK`] with `nullwindow perft --check` on the release build.

use crate::common::plain_loops::{PlainLoops, PlainOthello};
use nullwindow::game::Game;
use nullwindow::games::any::{NAMES, by_name};
use nullwindow::games::perft::known::{KnownCount, parse};
use nullwindow::games::perft::{Count, divide_any, perft, perft_any};
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::{DiamondParallel, Four, Reversi, Shape, Six};

/// The largest count of a test run: Othello to depth 9.
const QUICK: u64 = 5_000_000;

/// The known counts of all games; a game may have none.
fn entries() -> Vec<KnownCount> {
    let mut entries = Vec::new();
    for name in NAMES {
        let path = format!("{}/tests/data/perft/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        entries.extend(
            parse(&by_name(name).unwrap(), &text).unwrap_or_else(|error| panic!("{path}: {error}")),
        );
    }
    entries
}

#[test]
fn perft_equals_the_known_counts() {
    let known: Vec<_> = entries()
        .into_iter()
        .filter(|known| known.leaves <= QUICK)
        .collect();
    assert!(known.len() > 100);
    known
        .iter()
        .for_each(|known| assert!(known.holds(), "{known}"));
}

/// A wrong count sets the exit status.
#[test]
fn the_command_checks_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("perft");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tictactoe.txt");
    let file = file.to_str().unwrap();
    for (text, code, expected) in [
        (
            "1 9\n2 72\n9 255168\n",
            0,
            "perft: 2 correct, 0 wrong, 1 skipped (above the limit)\n",
        ),
        (
            "1 9\n2 71\n",
            1,
            "wrong: tictactoe depth 2 leaves 71 3/3/3 x\nperft: 1 correct, 1 wrong, 0 skipped (above the limit)\n",
        ),
    ] {
        std::fs::write(file, text).unwrap();
        let output = crate::common::nullwindow(&["perft", "--check", file, "--limit", "1000"], "");
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
    for unusable in ["1 9 x\n", "# no counts\n"] {
        std::fs::write(file, unusable).unwrap();
        let output = crate::common::nullwindow(&["perft", "--check", file], "");
        assert_eq!(output.status.code(), Some(2), "{unusable}");
    }
}

fn slow_agrees<S: Shape>(depth: u32) {
    let (fast, slow) = (Reversi::<S>::start(), Reversi::<PlainLoops<S>>::start());
    for depth in 0..=depth {
        assert_eq!(perft(&fast, depth), perft(&slow, depth));
    }
}

#[test]
fn perft_equals_that_of_the_plain_loops() {
    assert_eq!(
        perft(&Othello::start(), 8),
        perft(&PlainOthello::start(), 8)
    );
    slow_agrees::<Six>(7);
    slow_agrees::<Four>(11);
    slow_agrees::<DiamondParallel>(7);
}

/// Othello on a board of characters.
fn naive(board: &[[char; 8]; 8], mover: char, depth: u32) -> Count {
    if depth == 0 {
        return Count {
            leaves: 1,
            ended: 0,
        };
    }
    let other = if mover == 'x' { 'o' } else { 'x' };
    let play = |board: &[[char; 8]; 8], mover: char, other: char, row: i32, column: i32| {
        let mut next = *board;
        for (down, right) in [
            (-1, -1),
            (-1, 0),
            (-1, 1),
            (0, -1),
            (0, 1),
            (1, -1),
            (1, 0),
            (1, 1),
        ] {
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
                (0..=run).for_each(|n| {
                    next[(row + n * down) as usize][(column + n * right) as usize] = mover
                });
            }
        }
        (board[row as usize][column as usize] == '.' && next != *board).then_some(next)
    };
    let nexts = |mover, other| -> Vec<_> {
        (0..64)
            .filter_map(|n| play(board, mover, other, n / 8, n % 8))
            .collect()
    };
    let mut count = Count::default();
    let moves = nexts(mover, other);
    if moves.is_empty() {
        let may_pass = !nexts(other, mover).is_empty();
        return if may_pass {
            naive(board, other, depth - 1)
        } else {
            Count {
                leaves: 0,
                ended: 1,
            }
        };
    }
    for next in moves {
        count += naive(&next, other, depth - 1);
    }
    count
}

#[test]
fn perft_equals_that_of_a_board_of_characters() {
    let mut checked = 0;
    for entry in entries().iter().filter(|entry| entry.leaves <= 10_000) {
        let Some(discs) = entry.game.discs() else {
            continue;
        };
        let piece = |row: u8, column: u8| {
            if row.max(column) < discs.grid.size {
                discs.piece(row, column)
            } else {
                '*'
            }
        };
        let board =
            std::array::from_fn(|row| std::array::from_fn(|column| piece(row as u8, column as u8)));
        let mover = if discs.to_move == nullwindow::game::Player::First {
            'x'
        } else {
            'o'
        };
        assert_eq!(
            naive(&board, mover, entry.depth),
            perft_any(&entry.game, entry.depth),
            "{}",
            discs.write()
        );
        checked += 1;
    }
    assert!(checked > 100);
}

/// Score Four on pegs of stones, wins found along all lines from every cell.
fn naive_four(pegs: &mut [Vec<u8>; 16], stones: u8, depth: u32) -> u64 {
    let at = |pegs: &[Vec<u8>; 16], x: i32, y: i32, z: i32| -> Option<u8> {
        ((0..4).contains(&x) && (0..4).contains(&y)).then(|| {
            pegs[(4 * y + x) as usize]
                .get(usize::try_from(z).ok()?)
                .copied()
        })?
    };
    let won = |pegs: &[Vec<u8>; 16], side: u8| {
        (0..64).any(|cell| {
            (0..27).filter(|&d| d != 13).any(|d| {
                let (dx, dy, dz) = (d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
                (0..4).all(|n| {
                    at(
                        pegs,
                        cell % 4 + n * dx,
                        cell / 4 % 4 + n * dy,
                        cell / 16 + n * dz,
                    ) == Some(side)
                })
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
fn perft_equals_that_of_pegs_of_stones() {
    let mut checked = 0;
    for entry in entries()
        .iter()
        .filter(|entry| entry.game.name() == "scorefour" && entry.leaves <= 5000)
    {
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
        assert_eq!(
            naive_four(&mut pegs, stones, entry.depth),
            entry.leaves,
            "{text}"
        );
        checked += 1;
    }
    assert!(checked > 10);
}

#[test]
fn divide_sums_to_the_total() {
    let start = Othello::start();
    let parts = divide_any(&by_name("othello").unwrap(), 6);
    assert_eq!(
        parts.iter().map(|&(m, _)| m).collect::<Vec<_>>(),
        start.moves().to_vec()
    );
    assert_eq!(
        parts.iter().map(|(_, count)| count.leaves).sum::<u64>(),
        8200
    );
    assert_eq!(
        perft(&start, 0),
        Count {
            leaves: 1,
            ended: 0
        }
    );
    let over = by_name("othello4").unwrap();
    let mut over = over.clone();
    over.set_position("4/1xx1/1xx1/4 o").unwrap();
    assert_eq!(
        perft_any(&over, 3),
        Count {
            leaves: 0,
            ended: 1
        }
    );
    assert!(divide_any(&over, 3).is_empty());
}
