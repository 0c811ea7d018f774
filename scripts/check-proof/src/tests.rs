//! The rules, the solver and the checksum against published numbers and plain minimax.

use crate::leaf::LeafSolver;
use crate::rules::{GAMES, Game, Position, Scoring, squares};
use crate::sha256::digest;

/// The number of move sequences of this many plies; a pass is a ply, a finished game has none.
fn perft(game: &Game, position: Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if game.outcome(position).is_some() {
        return 0;
    }
    match game.moves(position) {
        0 => perft(game, position.passed(), depth - 1),
        moves => squares(moves)
            .map(|square| perft(game, game.play(position, square), depth - 1))
            .sum(),
    }
}

#[test]
fn move_sequences_are_as_many_as_published() {
    for (name, own, other, depth, count) in [
        ("othello", 1 << 28 | 1 << 35, 1 << 27 | 1 << 36, 7, 55092),
        ("othello6", 1 << 19 | 1 << 26, 1 << 18 | 1 << 27, 8, 308_716),
        ("othello4", 1 << 10 | 1 << 17, 1 << 9 | 1 << 18, 8, 9112),
        ("diamond", 1 << 19 | 1 << 26, 1 << 18 | 1 << 27, 8, 65580),
        ("diamond2", 1 << 19 | 1 << 27, 1 << 18 | 1 << 26, 8, 72246),
        ("tictactoe", 0, 0, 9, 127_872),
    ] {
        let game = GAMES.iter().find(|game| game.name == name).unwrap();
        assert_eq!(perft(game, Position { own, other }, depth), count, "{name}");
    }
}

#[test]
fn images_keep_the_board() {
    for game in &GAMES {
        let corner = game.squares & game.squares.wrapping_neg();
        let mut images = 0;
        for symmetry in 0..8 {
            assert_eq!(game.image(game.squares, symmetry), game.squares);
            images |= game.image(corner, symmetry);
        }
        let corners = if game.name.starts_with("diamond") {
            8
        } else {
            4
        };
        assert_eq!(images.count_ones(), corners, "{}", game.name);
    }
}

/// The value by plain minimax.
fn value(game: &Game, position: Position) -> i32 {
    if let Some(value) = game.outcome(position) {
        return value;
    }
    match game.moves(position) {
        0 => -value(game, position.passed()),
        moves => {
            let values = squares(moves).map(|square| -value(game, game.play(position, square)));
            values.max().unwrap()
        }
    }
}

#[test]
fn solved_leaves_agree_with_minimax() {
    let mut state = 52_u64;
    let mut random = |below: u32| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as u32 % below
    };
    for game in &GAMES {
        let mut solver = LeafSolver::new(game);
        let is_line = game.scoring == Scoring::Line;
        for _ in 0..100 {
            let empties = random(if is_line { 10 } else { 8 });
            let mut position = Position { own: 0, other: 0 };
            while game.empty(position).count_ones() > empties {
                let square = random(64);
                if game.empty(position) >> square & 1 != 0 {
                    position.other |= 1 << square;
                    if is_line || random(2) == 0 {
                        position = position.passed();
                    }
                }
            }
            let value = value(game, position);
            for bound in [value - 1, value, value + 1, 0] {
                assert_eq!(
                    solver.reaches(position, bound),
                    value >= bound,
                    "{}",
                    game.name
                );
            }
        }
    }
}

#[test]
fn digests_are_those_of_the_standard() {
    let hex = |message: &[u8]| -> String {
        let bytes = digest(message);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(b"abc"), abc);
    let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    assert_eq!(
        hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        long
    );
    let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    assert_eq!(hex(&[b'a'; 1_000_000]), million);
}
