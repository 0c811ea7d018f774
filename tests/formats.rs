//! Positions and games in files: one reader for all commands and protocols, errors that name the
//! place, and files that are not regular files.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{Engine, Folder};
use nullwindow::arena::config::key_values::OfWords;
use nullwindow::arena::config::openings::OpeningSelection;
use nullwindow::game::rng::Rng;
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use nullwindow::games::record::{self, RecordReader};
use nullwindow::games::reversi::{flipello, ggf, obf};
use nullwindow::setup::Setup;

/// The position that a text is in a game.
fn read(game: &str, text: &str) -> Result<String, String> {
    let read = record::parse(&by_name(game).unwrap(), text);
    read.map(|entry| entry.game.write_position())
        .map_err(|error| error.to_string())
}

const AFTER_F5_D6: &str = "8/8/8/3ox3/3oxx2/3o4/8/8 x";

/// Texts of one line that are Othello's position after f5 d6.
const SPELLINGS: &[&str] = &[
    // OBF as Edax reads and writes it.
    "---------------------------OX------OXX-----O-------------------- X",
    "---------------------------OX------OXX-----O-------------------- X;",
    "---------------------------OX------OXX-----O-------------------- X; C3:+2; c4:-4; % FFO #1",
    "---------------------------OX------OXX-----O-------------------- X +18;",
    "---------------------------OX------OXX-----O-------------------- X; +18;",
    "---------------------------OX------OXX-----O-------------------- X;+18; % a comment; with: signs",
    "---------------------------OX------OXX-----O-------------------- X C3:+2;",
    "---------------------------OX------OXX-----O-------------------- X; C3:+2; --:-127;",
    "---------------------------OX------OXX-----O-------------------- X % comment",
    "---------------------------OX------OXX-----O-------------------- X # comment",
    "---------------------------OX------OXX-----O--------------------X",
    "---------------------------ox------oxx-----o--------------------x;",
    "---------------------------0X------0XX-----0-------------------- X",
    "---------------------------0*------0**-----0--------------------*",
    "...........................wb......wbb.....w.................... b",
    "___________________________WB______WBB_____W____________________ B",
    "\t---------------------------OX------OXX-----O--------------------\tX\t;\r",
    "\u{feff}---------------------------OX------OXX-----O-------------------- X",
    // Rows with separators.
    "-------- -------- -------- ---OX--- ---OXX-- ---O---- -------- -------- X",
    "-------- -------- -------- ---OX--- ---OXX-- ---O---- -------- --------X",
    "--------/--------/--------/---OX---/---OXX--/---O----/--------/--------/ X",
    "--------/--------/--------/---O*---/---O**--/---O----/--------/-------- *",
    "-------- / -------- / -------- / ---OX--- / ---OXX-- / ---O---- / -------- / -------- X",
    "8 8 8 3ox3 3oxx2 3o4 8 8 x",
    "8/8/8/3ox3/3oxx2/3o4/8/8x",
    "8/8/8/3ox3/3oxx2/3o4/8/8 x - - 0 2",
    "position fen 8/8/8/3ox3/3oxx2/3o4/8/8 x",
    "fen 8/8/8/3ox3/3xxx2/8/8/8 o moves d6",
    // Flipello's FEN.
    "8/8/8/3pP3/3pPP2/3p4/8/8[PPPPpppp] w - - 0 2",
    // Lists of moves.
    "f5d6",
    "F5D6",
    "F5 d6",
    "1. f5 d6",
    "1. f5 1... d6",
    "1.f5 d6 37-27",
    "f5 d6 1-0",
    "f5d6 0-1",
    "f5 d6 1/2-1/2",
    "f5 d6 *",
    "f5 d6 +10",
    "f5! d6?! 64-0",
    "f5 {a comment} d6 (c4 (e3) {no) good}) $1",
    "f5, d6; +2;",
    "f5d6;",
    "f5 d6 % comment",
    "P@f4 p@d3",
    "startpos moves f5 d6",
    "startpos f5d6",
    "startpos F5; D6",
    "startpos moves F5, D6;",
    "startpos moves f5-d6",
    "startpos moves f5 d6 1-0",
    "startpos moves ｆ５ｄ６",
    "startpos moves 1. f5 {book} d6 (c4) 1/2-1/2",
    "position startpos moves f5 moves d6",
    "moves f5d6",
    "moves f5 moves d6",
    "  F5\t,d6 , \r",
    "P@f4P@d3",
    "fen startpos moves f5 d6",
    "8/8/8/3ox3/3xo3/8/8/8 x moves f5 d6",
    "8/8/8/3ox3/3xxx2/8/8/8 o moves d6",
    // Whole games.
    "(;GM[Othello]PC[x]TY[8]BO[8 \
     -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5//1]W[d6/0.5];)",
    "1 (;GM[Othello]PC[x]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)",
    "(;GM[Othello]BO[8 ---------------------------OX------OXX-----O-------------------- X];)",
    "(;FF[4]GM[2]SZ[8];B[fe];W[df])",
    "(;FF[4]GM[2]AP[GoGui:1.6.0];B[fd](;W[dc])(;W[fc]))",
    r#"[Event "x"] [Variant "othello"] 1. f5 {+0.10/8 0.1s} d6 *"#,
    r#"[FEN "8/8/8/3ox3/3xxx2/8/8/8 o"] 1... d6 1-0"#,
    r#"[FEN "startpos"] 1. P@f4 P@d3"#,
    concat!(
        r#"{"game":1,"variant":"othello","p1":"a","result":"p1win","#,
        r#""moves":[{"move":"f5","origin":"opening"},{"move":"d6"}]}"#,
    ),
    r#"{"variant":"othello","start":"8/8/8/3ox3/3xxx2/8/8/8 o","moves":[{"move":"d6"}]}"#,
    r#"{"position":"8/8/8/3ox3/3oxx2/3o4/8/8 x","score":4}"#,
];

#[test]
fn one_position_is_read_in_all_spellings() {
    for text in SPELLINGS {
        assert_eq!(read("othello", text), Ok(AFTER_F5_D6.into()), "{text}");
    }
    for (game, text, position) in [
        ("tictactoe", "b2 a1", "3/1x1/o2 x"),
        ("tictactoe", "P@b2P@a1 1/2-1/2", "3/1x1/o2 x"),
        ("tictactoe", "1. B2 A1 *", "3/1x1/o2 x"),
        ("tictactoe", "----X-O-- X", "3/1x1/o2 x"),
        ("tictactoe", "--- -X- 0-- x", "3/1x1/o2 x"),
        ("tictactoe", "3/1P1/p2[PPPPppp] w - - 0 2", "3/1x1/o2 x"),
        ("tictactoe", "b2a1; draw", "3/1x1/o2 x"),
        ("tictactoe", "; draw", "3/3/3 x"),
        (
            "scorefour",
            "a1a1 0-1",
            "x3/4/4/4|o3/4/4/4|4/4/4/4|4/4/4/4 x",
        ),
        (
            "scorefour",
            "1. A1 a1-2",
            "x3/4/4/4|o3/4/4/4|4/4/4/4|4/4/4/4 x",
        ),
        (
            "scorefour",
            "a1a1 ; win ; 5 ; 2 ; 0.1",
            "x3/4/4/4|o3/4/4/4|4/4/4/4|4/4/4/4 x",
        ),
        (
            "scorefour",
            "x3/4/4/4 | o3/4/4/4 | 4/4/4/4 | 4/4/4/4 x",
            "x3/4/4/4|o3/4/4/4|4/4/4/4|4/4/4/4 x",
        ),
        (
            "scorefour",
            "x--------------- o--------------- ---------------- ---------------- x",
            "x3/4/4/4|o3/4/4/4|4/4/4/4|4/4/4/4 x",
        ),
        ("othello4", "0000 0xx0 0x00 ---- x", "oooo/oxxo/oxoo/4 x"),
        (
            "diamond",
            "??--?? ?----? --OX-- --XO-- ?----? ??--?? X;",
            "**2**/*4*/2ox2/2xo2/*4*/**2** x",
        ),
        (
            "diamond",
            "**--** *----* --O*-- --*O-- *----* **--** *",
            "**2**/*4*/2ox2/2xo2/*4*/**2** x",
        ),
        (
            "othello",
            "2o5/8/8/8/8/8/ox6/7x x moves -- c7",
            "2o5/8/8/8/8/8/ooo5/7x x",
        ),
    ] {
        assert_eq!(
            read(game, text).map_err(|error| format!("{game} {text}: {error}")),
            Ok(position.into()),
            "{text}"
        );
    }
}

#[test]
fn stated_scores_moves_and_results_are_read() {
    let othello = by_name("othello").unwrap();
    let board = "---------------------------OX------OXX-----O-------------------- X";
    let entry = |text: &str| record::parse(&othello, &format!("{board}{text}")).unwrap();
    for (text, value, moves) in [
        ("", None, 0),
        (" +18;", Some(1800), 0),
        ("; -4; % c", Some(-400), 0),
        ("; c3:+2; c4:-4;", Some(200), 2),
        ("; c3:+2; score:+4", Some(400), 1),
        (" c3:+2; c4:-4", Some(200), 2),
    ] {
        let read = entry(text);
        assert_eq!(
            (read.value.map(|value| value.0), read.moves.len()),
            (value, moves),
            "{text}"
        );
    }
    // The result of a game ends its moves.
    for (text, moves) in [
        ("f5d6", 2),
        ("f5d6 37-27", 2),
        ("f5 1/2-1/2", 1),
        ("[Result \"1-0\"]\n\n1. f5 0-1", 1),
        ("[Result \"1-0\"]\n\n1. f5", 1),
        (
            "(;GM[Othello]RE[+2.000]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)",
            1,
        ),
    ] {
        assert_eq!(
            record::parse(&othello, text).unwrap().game.history().len(),
            moves,
            "{text}"
        );
    }
    let line = record::parse(&by_name("scorefour").unwrap(), "a1a1; loss ; 12 ; 2").unwrap();
    assert_eq!(
        (line.value.map(|value| value.0), line.plies),
        (Some(-1), Some(12))
    );
}

#[test]
fn an_object_with_two_moves_is_an_error() {
    let game = |item: &str| format!("{{\"variant\":\"othello\",\"moves\":[{item}]}}");
    let one = game(r#"{"by":"a","square":"f5"},{"by":"b","square":"d6"}"#);
    assert_eq!(read("othello", &one), Ok(AFTER_F5_D6.into()));
    let error = read("othello", &game(r#"{"from":"f5","to":"e6"}"#)).unwrap_err();
    assert!(error.contains("an object with one move"), "{error}");
}

#[test]
fn a_text_is_divided_into_lines_and_games() {
    let text = "\u{feff}# comment\r\n\r\nf5d6\r\n   % comment\r\n\
                2 (;GM[Othello]PB[a)b]BO[8 ...]B[F5]\r\nW[D6];)(;GM[Othello]BO[8 ...];)\r\n\
                [Event \"a\"]\r\n[White \"[x\"]\r\n\r\n1. f5 {a comment\r\n[Event \"b\"]\r\n} \
                d6 (1... c4\r\n2. e3) 1-0\r\n\
                [Event \"c\"]\n\n1. f5\nd6\n\n[Event \"d\"]\n*\nf5\n{\"moves\":[\"f5\"]}\n";
    let game = by_name("othello").unwrap();
    let entries: Vec<(usize, String)> = RecordReader::new(text.as_bytes(), "text", &game)
        .map(|record| record.unwrap())
        .map(|record| (record.number(), record.text.chars().take(4).collect()))
        .collect();
    let expected = [
        (3, "f5d6"),
        (5, "2 (;"),
        (6, "(;GM"),
        (7, "[Eve"),
        (14, "[Eve"),
        (19, "[Eve"),
        (21, "f5"),
        (22, "{\"mo"),
    ];
    assert_eq!(entries.len(), expected.len(), "{entries:?}");
    for (found, expected) in entries.iter().zip(expected) {
        assert_eq!((found.0, found.1.trim_end()), expected);
    }
}

#[test]
fn errors_name_the_move_the_ply_and_the_line() {
    for (game, text, error) in [
        (
            "othello",
            "moves",
            "the board has only 0 of 64 squares, column 1, expected X, O, -, or rows separated by /",
        ),
        ("othello", "f5d7", "illegal move \"d7\" at ply 2"),
        ("othello", "1. f5 d6 2. a1", "illegal move \"a1\" at ply 3"),
        (
            "othello",
            "f5 d6 xyz",
            "cannot read \"xyz\" as a move, expected a1 to h8 or pass (ply 3)",
        ),
        (
            "othello",
            "f5 d6 1-0 c3",
            "cannot read \"1-0\" as a move, expected a1 to h8 or pass (ply 3)",
        ),
        (
            "othello",
            "i9 f5",
            "cannot read \"i9\" as a move, expected a1 to h8 or pass (ply 1)",
        ),
        ("othello", "pass f5", "illegal move \"pass\" at ply 1"),
        ("othello", "f5 {d6", "\"{d6\" is not closed"),
        ("othello6", "b3 a1", "illegal move \"a1\" at ply 2"),
        ("tictactoe", "a1 a1", "illegal move \"a1\" at ply 2"),
        (
            "tictactoe",
            "a1 d4",
            "cannot read \"d4\" as a move, expected a1 to c3 (ply 2)",
        ),
        (
            "tictactoe",
            "d4",
            "cannot read \"d4\" as a move, expected a1 to c3 (ply 1)",
        ),
        ("scorefour", "a1a1a1a1a1", "illegal move \"a1\" at ply 5"),
        (
            "scorefour",
            "a1 e5",
            "cannot read \"e5\" as a move, expected a1 to d4 (ply 2)",
        ),
        (
            "othello",
            "hello",
            "cannot read \"hello\" as a position or a game",
        ),
        (
            "othello",
            "[Event \"x\"]\n\n1. f5 d6 * {comment} junk",
            "\"junk\" follows the game",
        ),
        (
            "othello",
            "[Event \"x\"]\n\n1. f5 *\n\n[Event \"y\"]\n\n1. f5 *",
            "\"[Event \\\"y\\\"]\\n\\n1. f5 *\" follows the game",
        ),
        (
            "othello",
            "(;FF[4]GM[2]SZ[8];B[f5];W[d6]) junk",
            "\"junk\" follows the game",
        ),
        (
            "othello",
            "(;GM[Othello]BO[8 ---------------------------OX------XO--------------------------- *]B[F5];) junk",
            "\"junk\" follows the game",
        ),
        (
            "othello",
            "fen 8/8/8/3ok3/3xo3/8/8/8 x",
            "unknown piece \"k\", column 13, expected x, o, a digit or /",
        ),
        (
            "othello",
            "8/8/8/3ox3/3xo3/8/8/8 x; f5:abc",
            "unexpected \"abc\", column 29, expected a number of discs from -64 to +64",
        ),
        (
            "othello",
            "8/8/8/3ox3/3xo3/8/8/8 x; a1:+2",
            "the scored move a1 is illegal",
        ),
        (
            "scorefour",
            "a1; won",
            "unexpected \"won\", column 5, expected win, draw or loss",
        ),
        (
            "scorefour",
            "a1; win; x",
            "unexpected \"x\", column 10, expected the number of plies to the end, or -",
        ),
        (
            "tictactoe",
            "(;GM[Othello]BO[8 ];)",
            "GGF is not supported for tictactoe",
        ),
        (
            "tictactoe",
            "[Variant \"othello\"]\n1. f5",
            "the game is othello, expected tictactoe",
        ),
        (
            "othello",
            "{\"variant\":\"tictactoe\",\"moves\":[]}",
            "the game is tictactoe, expected othello",
        ),
        (
            "othello",
            "{\"n\":1}",
            "expected \"position\" or \"moves\" in the JSON object",
        ),
    ] {
        assert_eq!(read(game, text), Err(error.into()), "{game} {text}");
    }
    let long = read("othello", &format!("f5 {}", "\u{7}y".repeat(500))).unwrap_err();
    assert!(
        long.starts_with("cannot read \"\\u{7}y") && long.chars().count() < 120,
        "{long}"
    );

    let error = |text: &str| {
        let game = by_name("othello").unwrap();
        let mut records = RecordReader::new(text.as_bytes(), "games.txt", &game);
        let failed = records.find_map(|record| record.unwrap().entry.err());
        failed.map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(
        error("f5\r\n\r\nf5d7\r\n"),
        "games.txt, line 3: illegal move \"d7\" at ply 2"
    );
    assert_eq!(
        error("[Event \"x\"]\n\n1. f5 {a\nb} d6\n2. a1 *\n"),
        "games.txt, game 1, line 5: illegal move \"a1\" at ply 3"
    );
    assert_eq!(
        error("f5\n[Event \"x\"]\n[FEN \"8/8 x\"]\n\n1. f5\n"),
        "games.txt, game 2, line 3: unexpected blank, column 4, expected / and the next row"
    );
}

/// A random position of a game, by random moves.
fn random_position(game: &str, rng: &mut Rng) -> AnyGame {
    let mut board = by_name(game).unwrap();
    let plies = rng.below(u64::from(board.plies_left())) as usize;
    while board.history().len() < plies
        && let Some(&m) = rng.choose(&board.moves())
    {
        board.play(m).unwrap();
    }
    board
}

#[test]
fn positions_and_moves_round_trip_in_every_format() {
    let mut rng = Rng::new(7);
    for game in NAMES {
        let is_square = by_name(game)
            .unwrap()
            .discs()
            .is_some_and(|discs| discs.grid.is_square());
        for _ in 0..200 {
            let board = random_position(game, &mut rng);
            let moves: Vec<String> = board
                .history()
                .iter()
                .map(|&m| board.write_move(m))
                .collect();
            let mut texts = vec![board.write_position(), board.write_uci_position()];
            if !moves.is_empty() {
                texts.extend([
                    moves.join(" "),
                    moves.concat().to_uppercase(),
                    format!("{} 1-0", moves.join(", ")),
                ]);
                let numbered: Vec<String> = moves
                    .chunks(2)
                    .zip(1..)
                    .map(|(pair, n)| format!("{n}. {}", pair.join(" ")))
                    .collect();
                texts.push(format!("[Variant \"{game}\"]\n\n{} *", numbered.join("\n")));
                let json: Vec<String> = moves
                    .iter()
                    .map(|word| format!("{{\"move\":\"{word}\"}}"))
                    .collect();
                texts.push(format!(
                    "{{\"variant\":\"{game}\",\"moves\":[{}]}}",
                    json.join(",")
                ));
            }
            if let Some(discs) = board.discs() {
                let line = obf::write_line(&obf::Problem {
                    discs,
                    value: None,
                    moves: Vec::new(),
                });
                let size = usize::from(discs.grid.size);
                let (cells, side) = line.split_at(size * size);
                let rows: Vec<&str> = (0..size)
                    .map(|row| &cells[row * size..(row + 1) * size])
                    .collect();
                texts.extend([
                    rows.join(" ") + side,
                    rows.join("/") + side,
                    line.replace(' ', ""),
                    line.to_lowercase(),
                ]);
                texts.extend([
                    line.replace('O', "0"),
                    line.replace('X', "*"),
                    flipello::write_fen(&discs, 0),
                    line,
                ]);
                if is_square {
                    texts.push(ggf::GgfGame::new(discs).write());
                }
            }
            for text in texts {
                assert_eq!(
                    read(game, &text),
                    Ok(board.write_position()),
                    "{game}: {text}"
                );
            }
        }
    }
}

/// Runs a command with this standard input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = crate::common::command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input); // a command may refuse before it reads
    child.wait_with_output().unwrap()
}

#[test]
fn every_user_of_the_reader_gives_the_same_position() {
    let folder = Folder::new("formats-users");
    let expected = "4/1ox1/1xxx/4 o";
    let texts = [
        "d3",
        "1. D3 1-0",
        "startpos moves d3",
        "startpos moves 1) D3 {a comment} (c1) 1-0",
        "-----OX--XXX---- O",
        "-----0X--XXX----0;",
        "---- -OX- -XXX ---- O % comment",
        "4/1ox1/1xxx/4 o",
        "4/1pP1/1PPP/4[PPPPPPPPPPPPpppppppppppp] b - - 0 1",
        "(;GM[Othello]TY[4]BO[4 ---- -O*- -*O- ---- *]B[d3];)",
        "[Variant \"othello4\"] 1. d3 {book} *",
        "{\"variant\":\"othello4\",\"moves\":[{\"move\":\"d3\"}]}",
    ];
    let setup = Setup {
        game: Some("othello4".into()),
        ..Setup::default()
    };
    let perft = run(
        &[
            "--game",
            "othello4",
            "perft",
            "--divide",
            "--position",
            expected,
            "2",
        ],
        b"",
    )
    .stdout;
    let mut engine = Engine::start(&["--game", "othello4"]);
    let file = folder.file("all.txt", (texts.join("\r\n") + "\r\n").as_bytes());
    let solved = run(&["--game", "othello4", "solve", &file, "--obf"], b"");
    let solved = String::from_utf8(solved.stdout).unwrap();
    let boards: Vec<&str> = solved
        .lines()
        .filter(|line| !line.starts_with(['#', '%']))
        .collect();
    assert_eq!(boards.len(), texts.len(), "{solved}");
    assert!(
        boards
            .iter()
            .all(|line| line.starts_with("-----OX--XXX---- O;")),
        "{solved}"
    );
    let openings = OpeningSelection::of_words(&[vec![format!("file={file}")]])
        .unwrap()
        .load("othello4", 1, Some(99))
        .unwrap();
    assert_eq!(openings.listed.len(), texts.len());
    for (text, opening) in texts.into_iter().zip(openings.listed) {
        assert_eq!(
            setup.board(Some(text)).unwrap().write_position(),
            expected,
            "{text}"
        );
        assert_eq!(
            opening.game("othello4").unwrap().write_position(),
            expected,
            "{text}"
        );
        engine.send("position startpos");
        engine.send(&format!("position fen {text}"));
        assert_eq!(
            engine.ask("query fen", "response"),
            format!("response {expected}"),
            "{text}"
        );
        if let Some(moves) = text.strip_prefix("startpos") {
            engine.send(&format!("position startpos{moves}"));
            assert_eq!(
                engine.ask("query fen", "response"),
                format!("response {expected}"),
                "{text}"
            );
        }
        let divided = run(
            &[
                "--game",
                "othello4",
                "perft",
                "--divide",
                "--position",
                text,
                "2",
            ],
            b"",
        );
        assert_eq!(divided.stdout, perft, "{text}");
    }
    let compared = run(
        &[
            "--game",
            "othello4",
            "compare",
            "--positions",
            &file,
            "--depth",
            "2",
        ],
        b"",
    );
    assert!(
        String::from_utf8_lossy(&compared.stdout).starts_with("othello4, 12 positions, depth 2\n"),
        "{compared:?}"
    );
    let file = folder.file("finished", b"4/1ox1/1xo1/4 x\nxxxx/xxxx/xxxx/xxxx x\n");
    let words = ["compare", "--positions", &file, "--depth", "1"];
    let compared = run(&[&["--game", "othello4"][..], &words].concat(), b"");
    let printed = String::from_utf8_lossy(&compared.stdout);
    let noted = String::from_utf8_lossy(&compared.stderr);
    assert!(
        printed.starts_with("othello4, 1 position, depth 1\n")
            && noted.ends_with("1 finished position left out\n"),
        "{compared:?}"
    );
}

#[test]
fn files_that_cannot_be_used_are_errors_that_name_them() {
    let folder = Folder::new("formats-bad");
    let (empty, comments) = (
        folder.file("empty", b""),
        folder.file("comments", b"# nothing\n\n% here\n"),
    );
    let (binary, wide) = (
        folder.file("binary", b"f5\0d6\n"),
        folder.file("utf16", b"\xff\xfef\x005\x00"),
    );
    let (missing, bad) = (
        folder.0.join("nothere").display().to_string(),
        folder.file("bad", b"\n\nf5 d7\n"),
    );
    let path = folder.0.display().to_string();
    let openings = |file: &str| format!("file={file}");
    for (file, what) in [
        (empty.as_str(), "no "),
        (comments.as_str(), "no "),
        (
            binary.as_str(),
            "binary data (a NUL at byte 3), expected text",
        ),
        (wide.as_str(), "UTF-16 text, expected UTF-8"),
        (missing.as_str(), "(os error 2)"),
        (path.as_str(), "a folder"),
        (bad.as_str(), "bad, line 3: illegal move \"d7\" at ply 2"),
    ] {
        let tournament = [
            "tournament",
            "--engine",
            "cmd=x",
            "--engine",
            "cmd=y",
            "--openings",
            &openings(file),
            "--each",
            "nodes=1",
        ];
        for words in [
            &["solve", file][..],
            &["compare", "--depth", "1", "--positions", file],
            &["lab", "strength", "agreement", file],
            &tournament,
        ] {
            let output = run(words, b"");
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
            // The tournament may first miss its engines.
            let is_named = error.contains(what)
                && error.contains(Path::new(file).file_name().unwrap().to_str().unwrap());
            let is_empty_games = words.contains(&"strength") && what == "no ";
            assert!(
                is_named || is_empty_games || words[0] == "tournament" && error.contains("cmd"),
                "{words:?}: {error}"
            );
        }
    }
    let output = run(&["solve", "-"], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_byte_order_mark_is_ignored_in_every_text() {
    let folder = Folder::new("formats-mark");
    let perft = folder.file("tictactoe.txt", "\u{feff}1 9\n2 72\n".as_bytes());
    let output = run(&["perft", "--check", &perft], b"");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "perft: 2 correct, 0 wrong, 0 skipped (above the limit)\n"
    );
    let output = run(
        &["--game", "tictactoe", "solve", "-"],
        "\u{feff}a1b2c3a3c1\r\n".as_bytes(),
    );
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_file_in_place_of_a_folder_is_named_as_such() {
    let folder = Folder::new("formats-formats-no-folder");
    let file = folder.file("a.txt", b"f5\n");
    let engine = format!("cmd=\"{}\"", env!("CARGO_BIN_EXE_nullwindow"));
    let each = [
        "--engine", &engine, "--engine", &engine, "--each", "depth=1",
    ];
    for words in [
        &[&["tournament"], &each[..], &["--out", &file]].concat()[..],
        &["solve", "--game", "tictactoe", "--proof", &file],
    ] {
        let output = run(words, b"");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("a.txt: not a folder but a file"), "{error}");
    }
}

#[cfg(unix)]
mod special_files {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    fn fifo(folder: &Folder) -> String {
        let path = folder.0.join("fifo").display().to_string();
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path
    }

    #[test]
    fn the_options_of_the_protocol_take_regular_files_only_and_do_not_block() {
        let folder = Folder::new("formats-options");
        let fifo = fifo(&folder);
        let path = folder.0.display().to_string();
        let mut engine = Engine::start(&[]);
        for (file, kind) in [
            (fifo.as_str(), "a FIFO"),
            ("/dev/zero", "a device"),
            (&path, "a folder"),
        ] {
            for option in ["EvalFile", "Debug Log File"] {
                engine.send(&format!("setoption name {option} value {file}"));
                let said = engine
                    .line_within(Duration::from_secs(5))
                    .expect("an answer");
                assert!(
                    said.contains(option)
                        && said.ends_with(&format!("not a regular file but {kind}")),
                    "{said}"
                );
            }
        }
        assert_eq!(engine.ask("isready", ""), "readyok");
        for (option, file) in [("EvalFile", fifo.as_str()), ("Debug Log File", "/dev/zero")] {
            let output = run(&["--option", &format!("{option}={file}"), "bench"], b"");
            assert_eq!(output.status.code(), Some(2), "{output:?}");
        }
        // A huge sparse file is not read.
        let sparse = folder.0.join("sparse");
        std::fs::File::create(&sparse)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let said = engine.ask(
            &format!("setoption name EvalFile value {}", sparse.display()),
            "",
        );
        assert!(said.ends_with("more than 256 MiB"), "{said}");
        // A log file may be new or exist.
        let log = folder.0.join("log").display().to_string();
        for _ in 0..2 {
            engine.send(&format!("setoption name Debug Log File value {log}"));
            assert_eq!(engine.ask("isready", ""), "readyok");
            engine.send("setoption name Debug Log File value <empty>");
        }
        assert_eq!(engine.ask("isready", ""), "readyok");
        assert!(std::fs::read_to_string(&log).unwrap().contains("isready"));
    }

    #[test]
    fn batch_commands_read_pipes_and_refuse_devices() {
        let folder = Folder::new("formats-pipes");
        let fifo = fifo(&folder);
        let path = fifo.clone();
        let writer = std::thread::spawn(move || std::fs::write(path, "a1b2c3a3c1\n"));
        let output = run(&["--game", "tictactoe", "solve", &fifo], b"");
        assert!(output.status.success(), "{output:?}");
        writer.join().unwrap().unwrap();
        for file in ["-", "/dev/stdin"] {
            let output = run(&["--game", "tictactoe", "solve", file], b"a1b2c3a3c1\n");
            assert!(output.status.success(), "{output:?}");
        }
        for words in [
            &["solve", "/dev/zero"][..],
            &["compare", "--depth", "1", "--positions", "/dev/zero"],
            &["lab", "strength", "agreement", "/dev/zero"],
            &["perft", "--check", &fifo],
            &["explain", "--tree", &fifo],
            &["lab", "shard", &fifo, "--out", "/dev/null"],
            &["lab", "train", "eval", &fifo, "--out", "/dev/null"],
        ] {
            let begun = Instant::now();
            let output = run(words, b"");
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
            assert!(!error.contains("Usage"), "{words:?}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    }

    #[test]
    fn an_output_that_cannot_be_written_is_reported_before_the_work() {
        if !cfg!(target_os = "linux") {
            return crate::common::skip("no folder here refuses files even of root");
        }
        let folder = Folder::new("formats-unwritable");
        let games = folder.file("games.txt", b"f5d6\n");
        let link = folder.0.join("link").display().to_string();
        std::os::unix::fs::symlink("/proc/new", &link).unwrap();
        for (words, named) in [
            (
                &["convert", &games, "--to", "pgn", "--out", "/proc/new"][..],
                "--out /proc/new: ",
            ),
            (
                &["convert", &games, "--to", "pgn", "--out", &link],
                "--out ",
            ),
            (
                &["analyze", &games, "--depth", "1", "--html", "/proc/new"],
                "--html /proc/new: ",
            ),
            (
                &["explain", "--depth", "1", "--html", "/proc/new"],
                "--html /proc/new: ",
            ),
            (
                &["prove", "--game", "tictactoe", "--out", "/proc/new"],
                "--out /proc/new: ",
            ),
            (
                &["solve", "--game", "tictactoe", "--proof", "/proc"],
                "--proof /proc: ",
            ),
            (&["book", "add", "/proc/new", &games], "FILE /proc/new: "),
        ] {
            let output = run(words, b"");
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
            assert!(
                error.contains(named) && output.stdout.is_empty(),
                "{words:?}: {error}"
            );
        }
        // The file that standard output is redirected to would be replaced.
        let out = folder.file("out", b"old\n");
        let output = crate::common::command()
            .args(["convert", &games, "--to", "pgn", "--out", &out])
            .stdout(std::fs::OpenOptions::new().append(true).open(&out).unwrap())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            error.contains("this file is also standard output"),
            "{error}"
        );
        assert_eq!(std::fs::read(&out).unwrap(), b"old\n");
    }

    #[test]
    fn a_file_without_permission_is_an_error() {
        use std::os::unix::fs::PermissionsExt;

        let folder = Folder::new("formats-permission");
        let file = folder.file("secret", b"f5\n");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
        if std::fs::read(&file).is_ok() {
            crate::common::skip("root may read every file");
            return;
        }
        let output = run(&["solve", &file], b"");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("secret"),
            "{output:?}"
        );
    }
}
