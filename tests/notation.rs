//! All accepted notations of positions and moves, and the errors of malformed text. No text causes
//! a panic.

use nullwindow::game::{Game, Move, Notation};
use nullwindow::games::any::{NAMES, by_name};
use nullwindow::games::notation::Cursor;
use nullwindow::games::record;
use nullwindow::games::record::play_all;
use nullwindow::games::reversi::Othello;
use nullwindow::games::reversi::flipello;
use nullwindow::games::reversi::{Diamond, Othello4, Othello6};
use nullwindow::games::reversi::{ggf, obf};
use nullwindow::games::score_four::ScoreFour;
use nullwindow::games::tictactoe::TicTacToe;
use proptest::prelude::*;

#[test]
fn one_othello_position_is_read_in_all_spellings() {
    // After f5 d6: Black to move.
    let mut game = by_name("othello").unwrap();
    play_all(&mut game, "f5d6").unwrap();
    let expected = game.write_position();
    assert_eq!(expected, "8/8/8/3ox3/3oxx2/3o4/8/8 x");
    for text in [
        "8/8/8/3ox3/3oxx2/3o4/8/8 x",
        "8/8/8/3OX3/3OXX2/3O4/8/8 X",
        "  8/8/8/3ox3/3oxx2/3o4/8/8   b ",
        "8/8/8/3wb3/3wbb2/3w4/8/8 black",
        "......../8/44/...ox3/3oxx2/3o1111/8/8 x",
        "--------/--------/--------/---OX---/---OXX--/---O----/--------/-------- X",
        "8/8/8/3pP3/3pPP2/3p4/8/8 w - - 0 2",
        "8/8/8/3pP3/3pPP2/3p4/8/8[PPPPPPPPpppppppp] w 0 2",
        "8/8/8/3pP3/3pPP2/3p4/8/8[] w",
        "---------------------------OX------OXX-----O-------------------- X",
        "---------------------------OX------OXX-----O-------------------- X; f4:+2; score:+9",
        "---------------------------O*------O**-----O-------------------- *",
        "...........................ox......oxx.....o.................... b",
        "(;GM[Othello]PB[a]BO[8 ---------------------------O*------O**-----O-------------------- *];)",
        "1 (;GM[Othello]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6/1/2];)",
    ] {
        let position =
            Othello::parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(position.write_position(), expected, "{text}");
    }
    let white = Othello::parse_position("8/8/8/3pP3/3pPP2/3p4/8/8 b - - 0 2").unwrap();
    assert_eq!(white.write_position(), expected.replace(" x", " o"));
}

#[test]
fn flipello_counts_rows_from_the_bottom() {
    let start = Othello::start();
    let words: Vec<_> = start
        .moves()
        .iter()
        .map(|&m| flipello::write_move(&start.discs(), m))
        .collect();
    assert_eq!(words, ["P@d6", "P@c5", "P@f4", "P@e3"]);
    assert_eq!(Othello::parse_move("P@e3"), Othello::parse_move("e6"));
    assert_eq!(Othello6::parse_move("p@a1"), Othello6::parse_move("a6"));
    assert_eq!(Othello4::parse_move("P@D4"), Othello4::parse_move("d1"));
    let hands = |n| "P".repeat(n) + &"p".repeat(n);
    assert_eq!(
        flipello::write_fen(&start.discs(), 0),
        format!("8/8/8/3pP3/3Pp3/8/8/8[{}] w - - 0 1", hands(60))
    );
    let diamond = Diamond::start().discs();
    assert_eq!(
        flipello::write_fen(&diamond, 0),
        format!("**2**/*4*/2pP2/2Pp2/*4*/**2**[{}] w - - 0 1", hands(20))
    );
    // The pass is the own disc on the lowest square, as flipello counts: c1, Othello's c8.
    let pass = Othello::parse_position("8/8/8/8/8/8/8/o1xxo3 o")
        .unwrap()
        .discs();
    assert_eq!(flipello::write_move(&pass, Move::PASS), "a1a1");
    let pass = Othello::parse_position("8/8/8/8/8/4ox2/8/8 x")
        .unwrap()
        .discs();
    assert_eq!(flipello::write_move(&pass, Move::PASS), "f3f3");
}

#[test]
fn tic_tac_toe_has_the_uci_notation() {
    let start = TicTacToe::parse_position("3/3/3[PPPPPpppp] w - - 0 1").unwrap();
    assert_eq!(start, TicTacToe::start());
    let next = start.play(TicTacToe::parse_move("P@a1").unwrap());
    assert_eq!(next.write_position(), "3/3/x2 o");
    assert_eq!(next.write_fen(), "3/3/P2[PPPPpppp] b - - 0 1");
}

#[test]
fn moves_of_every_game_are_parsed_and_other_words_rejected() {
    assert_eq!(Othello::parse_move("H8"), Ok(Move::to(63)));
    assert_eq!(Othello6::parse_move("f6"), Ok(Move::to(45)));
    assert_eq!(TicTacToe::parse_move("B3"), Ok(Move::to(7)));
    assert_eq!(ScoreFour::parse_move("d4"), Ok(Move::to(15)));
    for word in [
        "pass", "PASS", "Pass", "pa", "PA", "ps", "--", "@@@@", "0000", "null", "e3e3", "E3e3",
    ] {
        assert_eq!(Othello::parse_move(word), Ok(Move::PASS), "{word}");
    }
    for word in [
        "", "e", "e9", "i1", "e3d", "e3d4", "P@", "P@i1", "pas", "e3e", "é3", "e３", "\0\0",
        "passe",
    ] {
        assert!(Othello::parse_move(word).is_err(), "{word}");
    }
    let message = Othello6::parse_move("g7\u{7}").unwrap_err().to_string();
    assert_eq!(
        message,
        "cannot read \"g7\\u{7}\" as a move, expected a1 to f6 or pass"
    );
}

#[test]
fn errors_name_the_column_and_what_is_expected() {
    let table = [
        (
            "othello",
            "8/8/8/3okx2/8/8/8/8 x",
            "unknown piece \"k\", column 9, expected x, o, a digit or /",
        ),
        (
            "othello",
            "8/8/8/3ox4/8/8/8/8 x",
            "row 4 has more than 8 squares at \"4\", column 10, expected at most 3",
        ),
        (
            "othello",
            "8/8/8/3ox/8/8/8/8 x",
            "row 4 has only 5 of 8 squares, column 10, expected x, o, a digit or /",
        ),
        (
            "othello",
            "8/8/8/3ox3 x",
            "unexpected blank, column 11, expected / and the next row",
        ),
        (
            "othello",
            "8/8/8/3ox3/8/8/8/8/8 x",
            "unexpected \"/8\", column 19, expected a blank and the side to move: x or o",
        ),
        (
            "othello",
            "8/8/8/3ox3/8/8/8/8",
            "nothing states which side is to move, column 19, expected x or o after the board",
        ),
        (
            "othello",
            "8/8/8/3ox3/8/8/8/8 k",
            "unexpected \"k\", column 20, expected the side to move: x or o",
        ),
        (
            "othello",
            "8/8/8/3ox3/8/8/8/8 x moves",
            "unexpected \"moves\", column 22, expected the end",
        ),
        (
            "othello",
            "8/8/8/3*x3/8/8/8/8 x",
            "\"*\" marks a square of the board as missing, column 8, expected x, o, a digit or /",
        ),
        (
            "othello",
            "8/8/8/8/8/8/8/8x8 x",
            "unexpected \"x8\", column 16, expected a blank and the side to move: x or o",
        ),
        (
            "othello",
            "8/8/8/3pP3/3Kp3/8/8/8 w 0 1",
            "unknown piece \"K\", column 13, expected P, p, a digit or /",
        ),
        (
            "othello",
            "8/8/8/3pP3/3Pp3/8/8/8 x",
            "unexpected \"x\", column 23, expected the side to move: w or b",
        ),
        (
            "othello",
            "",
            "the board has only 0 of 64 squares, column 1, expected X, O, -, or rows separated by /",
        ),
        (
            "diamond",
            "**2**/*4*/2ox2/2xo2/*4*/**3* x",
            "\"3\" on a missing square, column 27, expected *",
        ),
        (
            "tictactoe",
            "x1o/3/3 o",
            "x begins: with x to move there are as many x as o, with o to move one more",
        ),
        (
            "tictactoe",
            "xxx/oo1/3 x",
            "x begins: with x to move there are as many x as o, with o to move one more",
        ),
        (
            "tictactoe",
            "xx1/ooo/x2 o",
            "x begins: with x to move there are as many x as o, with o to move one more",
        ),
        (
            "tictactoe",
            "xxx/oo1/o2 x",
            "the side to move has three in a row already",
        ),
        (
            "scorefour",
            "4/4/4/4|4/4/4/4|4/4/4/4 x",
            "unexpected blank, column 24, expected | and the next layer",
        ),
        (
            "scorefour",
            "4/4/4/4|x3/4/4/4|4/4/4/4|4/4/4/4 o",
            "the stone on a1 of level 2 hangs in the air",
        ),
        (
            "scorefour",
            "x3/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "the wrong side to move: 1 x and 0 o",
        ),
        (
            "scorefour",
            "xx2/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "2 x and 0 o: x has as many stones as o, or one more",
        ),
        (
            "scorefour",
            "xxxx/ooo1/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "the wrong side to move: 4 x and 3 o",
        ),
        (
            "scorefour",
            "xxxx/oooo/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x",
            "the side to move has a line of four already",
        ),
    ];
    for (game, text, expected) in table {
        let error = by_name(game).unwrap().set_position(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{game} {text}");
    }
    // Long text is cut, control characters are escaped.
    let error = Othello::parse_position(&format!("8/8/8/8/8/8/8/8 \u{1b}{}", "y".repeat(1000)))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("unexpected \"\\u{1b}yyyy") && error.len() < 120,
        "{error}"
    );
}

#[test]
fn x_to_move_may_be_written_with_a_line_of_o() {
    // A finished game is a position too.
    let lost = TicTacToe::parse_position("xx1/ooo/x2 x").unwrap();
    assert!(lost.final_score().is_some());
    let lost = ScoreFour::parse_position("xxx1/oooo/x3/4|4/4/4/4|4/4/4/4|4/4/4/4 x").unwrap();
    assert!(lost.final_score().is_some() && lost.moves().is_empty());
}

#[test]
fn diagrams_show_the_pieces_and_the_legal_moves() {
    let othello = "  a b c d e f g h\n1 . . . . . . . .\n2 . . . . . . . .\n3 . . . + . . . .\n4 . . + o x . . .\n\
        5 . . . x o + . .\n6 . . . . + . . .\n7 . . . . . . . .\n8 . . . . . . . .\nx to move, x 2, o 2\n";
    assert_eq!(Othello::start().diagram(), othello);
    let diamond = "  a b c d e f\n1 ? ? . . ? ?\n2 ? . + . . ?\n3 . + o x . .\n4 . . x o + .\n5 ? . . + . ?\n6 ? ? . . ? ?\n\
        x to move, x 2, o 2\n";
    assert_eq!(Diamond::start().diagram(), diamond);
    assert_eq!(
        TicTacToe::parse_position("x1o/1x1/3 o").unwrap().diagram(),
        "3 x + o\n2 + x +\n1 + + +\n  a b c\no to move\n"
    );
    let mut game = by_name("scorefour").unwrap();
    play_all(&mut game, "a1 b2 a1").unwrap();
    let four = "  level 1      level 2      level 3      level 4\n\
        \x20 a b c d      a b c d      a b c d      a b c d\n\
        1 x + + +    1 x . . .    1 + . . .    1 . . . .\n\
        2 + o + +    2 . + . .    2 . . . .    2 . . . .\n\
        3 + + + +    3 . . . .    3 . . . .    3 . . . .\n\
        4 + + + +    4 . . . .    4 . . . .    4 . . . .\n\
        o to move, 3 stones\n";
    assert_eq!(game.diagram(), four);
}

#[test]
fn published_problems_are_read_whole() {
    for (file, count) in [
        ("fforum-1-19.obf", 19),
        ("fforum-20-39.obf", 20),
        ("fforum-40-59.obf", 20),
    ] {
        let Some(text) = crate::common::shared_data(&format!("othello/{file}")) else {
            continue;
        };
        let mut problems = 0;
        let othello = by_name("othello").unwrap();
        for record in record::RecordReader::new(text.as_bytes(), file, &othello) {
            let record = record.unwrap();
            let problem = record.entry.unwrap_or_else(|error| panic!("{error}"));
            problems += 1;
            let position = Othello::parse_position(&record.text).unwrap();
            assert_eq!(problem.game.discs(), Some(position.discs()));
            assert!(problem.value.is_some() && !problem.moves.is_empty());
            for (m, _) in &problem.moves {
                assert!(position.moves().contains(m), "{}", record.text);
            }
        }
        assert_eq!(problems, count, "{file}");
    }
}

/// Everything that reads text, on one text.
fn read_with_everything(text: &str) {
    for name in NAMES {
        let mut game = by_name(name).unwrap();
        let before = game.write_position();
        if game.set_position(text).is_err() {
            assert_eq!(game.write_position(), before);
        } else {
            // What could be read can be played, drawn and written.
            let written = game.write_position();
            assert!(game.diagram().len() > 10);
            game.write_uci_position();
            for m in game.moves() {
                game.write_uci_move(m);
                game.play(m).unwrap();
                game.undo();
            }
            game.set_position(&written).unwrap();
            assert_eq!(game.write_position(), written);
        }
        let _ = game.parse_move(text);
        if let Ok((_, rest)) = game.parse_glued(text) {
            assert!(rest.len() < text.len());
        }
        game.set_start();
        let _ = play_all(&mut game, text);
    }
    for name in NAMES {
        let game = by_name(name).unwrap();
        for entry in record::RecordReader::new(text.as_bytes(), "text", &game) {
            let Ok(Ok(read)) = entry.map(|record| record.entry) else {
                continue;
            };
            let written = read.game.write_position();
            assert_eq!(
                record::parse(&game, &written)
                    .unwrap()
                    .game
                    .write_position(),
                written
            );
            if let Some(problem) = read.problem() {
                let line = obf::write_line(&problem);
                assert_eq!(
                    record::parse(&game, &line).unwrap().problem(),
                    Some(problem),
                    "{line}"
                );
            }
        }
    }
    let mut cursor = Cursor::new(text);
    while let Ok(record) = ggf::read(Othello::GRID, &mut cursor) {
        let _ = record::parse(&by_name("othello").unwrap(), &record.write());
        let again = ggf::read(Othello::GRID, &mut Cursor::new(&record.write())).unwrap();
        assert_eq!(again.start, record.start);
        assert_eq!(again.moves.len(), record.moves.len());
    }
}

const GOOD: [&str; 11] = [
    "8/8/8/3ox3/3xo3/8/8/8 x",
    "8/8/8/3pP3/3Pp3/8/8/8[PPpp] w - - 0 1",
    "---------------------------OX------XO--------------------------- X; E6:+0; f5:-2; score:+4;",
    "(;GM[Othello]PC[x]RE[+2.000:r]BO[8 ---------------------------O*------*O--------------------------- *]B[d3//0.01]W[c5/2/0.1]B[PA];)",
    "**2**/*4*/2ox2/2xo2/*4*/**2** x",
    "x1o/3/1x1 o",
    "xo2/4/4/4|x3/4/4/4|4/4/4/4|4/4/4/4 o",
    "1. f5d6 P@e3 2... pass a1a1 e3e3 0000 --",
    "[Event \"x\"]\n[FEN \"8/8/8/3ox3/3xo3/8/8/8 x\"]\n\n1. f5 {book} (e6 (d3)) d6! $1 2. c3 ; end\nd3 37-27\nb2 a1 0-1",
    "{\"variant\":\"othello\",\"start\":\"8/8/8/3ox3/3xo3/8/8/8 x\",\"moves\":[{\"move\":\"f5\"},\"d6\"]}",
    "-------- -------- -------- ---0*--- ---*0--- -------- -------- -------- x f5:+2; +18; % comment",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        read_with_everything(&text);
    }

    #[test]
    fn no_text_of_notation_characters_panics(text in "[xoXOPpbw0-9/|\\-.*?\\[\\]() ;:+@,BWGMRE\\n\\ta-h]{0,150}") {
        read_with_everything(&text);
    }

    #[test]
    fn no_damaged_text_panics(which in 0..GOOD.len(), at in 0usize..150, cut in 0usize..4, put in "[xoPp0-9/|\\-*\\]; é\\x00]{0,3}") {
        let text: Vec<char> = GOOD[which].chars().collect();
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        let damaged: String = text[..at].iter().copied().chain(put.chars()).chain(text[end..].iter().copied()).collect();
        read_with_everything(&damaged);
    }
}

#[test]
fn no_very_long_text_panics() {
    for text in [
        "f5".repeat(200_000),
        "8/".repeat(200_000),
        "(;".repeat(200_000),
        "é".repeat(300_000),
        "1.".repeat(200_000),
        format!("{} X; {}", "-".repeat(64), "f5:+2;".repeat(60_000)),
    ] {
        read_with_everything(&text);
    }
}
