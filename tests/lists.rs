//! Lists of games (CSV): which columns are read, by heading or content, and the result of several
//! statements of it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::nullwindow;

/// An unfinished game of Othello, and a finished one: 13 to 0 discs on the board, +64 with the empties.
const MOVES: &str = "f5d6c3d3";
const OVER: &str = "e6f4e3f6g5d6e7f5c5";

/// What `convert` reads: exit status, the games without moves, and standard error.
fn read(game: &str, text: &str) -> (i32, Vec<Value>, String) {
    let words = ["convert", "-", "--to", "jsonl", "--game", game];
    let output = nullwindow(&words, text);
    let games = String::from_utf8_lossy(&output.stdout);
    let games = games.lines().map(|line| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        let fields = game.as_object_mut().unwrap();
        for name in ["game", "variant", "moves", "reason"] {
            fields.remove(name);
        }
        game
    });
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), games.collect(), errors)
}

/// Checks texts, in which `|` separates lines, `MOVES` and `OVER` are moves: the games, and a part of
/// standard error, which is empty if nothing is expected there.
fn check(game: &str, cases: &[(&str, Value, &str)]) {
    for (text, games, told) in cases {
        let text = text.replace('|', "\n").replace("MOVES", MOVES);
        let text = text.replace("OVER", OVER) + "\n";
        let (status, found, errors) = read(game, &text);
        assert_eq!(&Value::from(found), games, "{text}: {errors}");
        assert!(errors.contains(told), "{text}: {errors}");
        assert_eq!(errors.is_empty(), told.is_empty(), "{text}: {errors}");
        let is_accepted = told.is_empty() || *told == UNKNOWN;
        assert_eq!(status == 0, is_accepted, "{text}: {errors}");
    }
}

const UNKNOWN: &str = "1 unknown (of unfinished games; see --result-order), 0 contradicted";
const CONTRADICTED: &str = ", 1 contradicted";

#[test]
fn all_statements_of_a_result_are_read() {
    let unknown = || json!([{"p1": "A", "p2": "B"}]);
    let first = || json!([{"p1": "A", "p2": "B", "result": "p1win"}]);
    let second = || json!([{"p1": "A", "p2": "B", "result": "p2win"}]);
    let draw = || json!([{"p1": "A", "p2": "B", "result": "draw"}]);
    let discs = |discs: i32| {
        let result = ["p2win", "draw", "p1win"][(discs.signum() + 1) as usize];
        json!([{"p1": "A", "p2": "B", "result": result, "discs": discs}])
    };
    let cases = [
        // Columns between the names and the moves, and their fields.
        ("winner", "A", MOVES, first(), ""),
        ("winner", "B", MOVES, second(), ""), // the player, not Black
        ("winner", "White", MOVES, second(), ""),
        ("winner", "1", MOVES, unknown(), UNKNOWN),
        ("winner", "0", MOVES, draw(), ""),
        ("result", "1-0", MOVES, unknown(), UNKNOWN),
        ("result", "Black wins", MOVES, first(), ""),
        ("result", "p2win", MOVES, second(), ""),
        ("result", "B+4", MOVES, discs(4), ""),
        ("result", "soon", MOVES, unknown(), UNKNOWN),
        ("result", "*", MOVES, unknown(), ""),
        ("result", "?", MOVES, unknown(), ""),
        // Numbers without signs have no defined meaning.
        ("result", "0", MOVES, unknown(), UNKNOWN),
        ("score", "16", MOVES, unknown(), UNKNOWN),
        ("score", "16", OVER, discs(64), ""),
        ("score,winner", "40-24,black", MOVES, discs(16), ""),
        ("winner,score", "white,40-24", MOVES, discs(-16), ""),
        ("winner,result", "A,1-0", MOVES, first(), ""),
        ("winner,result", "B,1-0", MOVES, second(), ""),
        ("winner,result", "A,soon", MOVES, first(), ""),
        ("winner,result", "B,1/2-1/2", MOVES, second(), CONTRADICTED),
        ("result,score", "1-0,40-24", MOVES, unknown(), UNKNOWN),
        ("result,score", "draw,32-32", MOVES, discs(0), ""),
        ("result,score", "draw,40-24", MOVES, draw(), CONTRADICTED),
        (
            "result,black_discs,white_discs",
            "1-0,40,24",
            MOVES,
            discs(16),
            "",
        ),
        (
            "winner,black_discs,white_discs",
            "A,40,24",
            MOVES,
            discs(16),
            "",
        ),
        (
            "winner,black_discs,white_discs",
            "A,40.0,24.0",
            MOVES,
            discs(16),
            "",
        ),
        (
            "winner,black_discs,white_discs",
            "A,20,44",
            MOVES,
            first(),
            CONTRADICTED,
        ),
        (
            "score,black_discs,white_discs",
            "40-24,36,28",
            MOVES,
            unknown(),
            CONTRADICTED,
        ),
        (
            "number of black discs,white disc count",
            "24,40",
            MOVES,
            discs(-16),
            "",
        ),
        ("white_score,black_score", "0,1", MOVES, first(), ""),
        ("white_score,black_score", "0.5,0.5", MOVES, draw(), ""),
        (
            "white_score,black_score",
            "loss,win",
            MOVES,
            unknown(),
            UNKNOWN,
        ),
        (
            "white_score,black_score",
            "40,30",
            MOVES,
            json!([]),
            "the score is 30-40",
        ),
        // The discs of one player decide a finished game only.
        ("black_discs", "36", MOVES, unknown(), UNKNOWN),
        ("white_discs", "36", MOVES, unknown(), UNKNOWN),
        ("black_score", "36", MOVES, unknown(), UNKNOWN),
        ("winner,black_score", "A,36", MOVES, first(), ""),
        ("black_discs", "13", OVER, discs(64), ""),
        ("black_discs", "64", OVER, discs(64), ""),
        ("black_discs", "12", OVER, discs(64), CONTRADICTED),
        ("white_discs", "0", OVER, discs(64), ""),
        ("white_discs", "2", OVER, discs(64), CONTRADICTED),
        ("winner,score", "A,13-0", OVER, discs(64), ""),
        ("winner,score", "B,13-0", OVER, discs(64), CONTRADICTED),
    ];
    for (columns, fields, moves, games, told) in cases {
        let list = format!("black,white,{columns},moves|A,B,{fields},{moves}");
        check("othello", &[(&list, games.clone(), told)]);
        let other = format!("moves,{columns},White,Black|{moves},{fields},B,A");
        for separator in ["\t", ";"] {
            let text = other.replace(',', separator).replace('|', "\r\n");
            check("othello", &[(&text, games.clone(), told)]);
        }
    }
}

#[test]
fn headings_are_read_by_their_words() {
    let ab = || json!([{"p1": "A", "p2": "B"}]);
    let won = || json!([{"p1": "A", "p2": "B", "result": "p1win"}]);
    let began = |date: &str| json!([{"p1": "A", "p2": "B", "began": date}]);
    let twice = "mean the same; rename one";
    check(
        "othello",
        &[
            ("Player 1,Player 2,Moves|A,B,MOVES", ab(), ""),
            ("player1,player2,moves|A,B,MOVES", ab(), ""),
            ("p2,p1,moves|B,A,MOVES", ab(), ""),
            ("x,o,moves|A,B,MOVES", ab(), ""),
            ("second,first,moves|B,A,MOVES", ab(), ""),
            ("1st player,2nd player,moves|A,B,MOVES", ab(), ""),
            (
                "BlackPlayer,WhitePlayer,game_moves|A,B,OVER",
                json!([{"p1": "A", "p2": "B", "result": "p1win", "discs": 64}]),
                "",
            ),
            ("name_of_black,name_of_white,moves|A,B,MOVES", ab(), ""),
            (
                "Black (rating),White (rating),moves|A (1),B (2),MOVES",
                json!([{"p1": "A (1)", "p2": "B (2)"}]),
                "",
            ),
            (
                "Black (rating),White (rating),White,Black,moves|1,2,B,A,MOVES",
                ab(),
                "",
            ),
            // Other columns do not become players.
            ("id,seconds,black,white,moves|1,300,A,B,MOVES", ab(), ""),
            (
                "duration_seconds,first_move,max_depth,video_url,black_club,black_rank,blackid,black_won,\
                 black_id,black_rating,black_country,black,white,moves|300,f5,7,u,c,r,1,1,2,1500,FR,A,B,MOVES",
                ab(),
                "",
            ),
            // Letters that distinguish columns are not colors.
            ("Player A,Player B,moves|A,B,MOVES", json!([{}]), ""),
            ("nameA,nameB,black,white,moves|C,D,A,B,MOVES", ab(), ""),
            (
                "black,white,score_a,score_b,moves|A,B,40,24,MOVES",
                ab(),
                "",
            ),
            (
                "Player A (black),Player B (white),moves|A,B,MOVES",
                json!([{}]),
                "",
            ),
            ("b,w,Player X,Player Y,moves|A,B,C,D,MOVES", ab(), ""),
            ("b,w,a,moves|A,B,1,MOVES", ab(), ""),
            ("Player A (1),Player_B,moves|A,B,MOVES", json!([{}]), ""),
            ("player1,player2,black,moves|A,B,A,MOVES", json!([]), twice),
            (
                "black,white,black_score,black_discs,moves|A,B,40,24,MOVES",
                json!([]),
                twice,
            ),
            // Excel's separator before the heading.
            ("sep=,|White,Black,moves|B,A,MOVES", ab(), ""),
            ("sep=;||White;Black;moves|B;A;MOVES", ab(), ""),
            ("\"SEP=;\";;|White;Black;moves|B;A;MOVES", ab(), ""),
            (
                "datetime,black,white,moves|2020-01-02 03:04,A,B,MOVES",
                began("2020-01-02T03:04:00"),
                "",
            ),
            (
                "start_time,black,white,moves|2020-01-02T03:04:05Z,A,B,MOVES",
                began("2020-01-02T03:04:05Z"),
                "",
            ),
            (
                "date,black,white,moves|1/2/2020,A,B,MOVES",
                began("2020"),
                "",
            ),
            (
                "start,date,black,white,moves|now,2020.1.2,A,B,MOVES",
                began("2020-01-02"),
                "",
            ),
            (
                "event name,location,round number,black,white,moves|E,S,3,A,B,MOVES",
                json!([{"event": "E", "site": "S", "round": 3, "p1": "A", "p2": "B"}]),
                "",
            ),
            // Columns without a heading, and with other signs.
            (",black,white,winner,moves|0,A,B,black,MOVES", won(), ""),
            (
                ",black,white,winner,moves|0,A,B,black,MOVES|1,C,D,white,MOVES",
                json!([{"p1": "A", "p2": "B", "result": "p1win"}, {"p1": "C", "p2": "D", "result": "p2win"}]),
                "",
            ),
            ("black,white,moves,|A,B,MOVES,", ab(), ""),
            ("#,black,white,winner,moves|1,A,B,black,MOVES", won(), ""),
            (",moves|0,MOVES", json!([{}]), ""),
            // A list of moves alone.
            ("Moves|MOVES|f5 d6|\"f5,d6\"", json!([{}, {}, {}]), ""),
            ("opening|MOVES", json!([{}]), "line 1: "),
            (
                "\tblack\twhite\tmoves\tdate|\tA\tB\tMOVES\t|2\tA\tB\tMOVES\t2003",
                json!([{"p1": "A", "p2": "B"}, {"p1": "A", "p2": "B", "began": "2003"}]),
                "",
            ),
            ("#,black,white,moves,Black|1,A,B,MOVES,C", json!([]), twice),
            (
                "moves,black,white|MOVES,42,22|OVER,13,0|MOVES,20,44",
                json!([
                    {"result": "p1win", "discs": 20},
                    {"result": "p1win", "discs": 64},
                    {"result": "p2win", "discs": -24}
                ]),
                "",
            ),
            // Numbers of players.
            (
                "moves,black,white|MOVES,3,5",
                json!([{"p1": "3", "p2": "5"}]),
                "",
            ),
            (
                "moves,black,white|MOVES,100234,64",
                json!([{"p1": "100234", "p2": "64"}]),
                "",
            ),
            (
                "\u{feff}\"black\";\"white\";\"moves\"|\"A\";\"B\";\"MOVES\"",
                ab(),
                "",
            ),
        ],
    );
    // The start position, in any of these columns, and the komi.
    let start = "8/8/8/3ox3/3xxx2/8/8/8 o";
    let list = |heading: &str, fields: &str| {
        let text = format!("black,white,{heading},moves|A,B,{fields},d6c3d3|");
        (text.replace("START", start), start.to_owned())
    };
    for (heading, fields, is_read) in [
        ("start", "START", true),
        ("Position", "START", true),
        ("start_fen", "START", true),
        ("date,start", "2020,START", true),
        (
            "fen,final position",
            "START,8/8/2xo4/2xoo3/3oxx2/3o4/8/8 x",
            false,
        ),
        ("board", "START", false),
        ("event", "START", false),
        ("fen", "8/8", false),
    ] {
        let (text, start) = list(heading, fields);
        let began = if heading.starts_with("date") {
            ",\"began\":\"2020\""
        } else {
            ""
        };
        let games = format!("[{{\"p1\":\"A\",\"p2\":\"B\",\"start\":\"{start}\"{began}}}]");
        let games = if is_read { games.as_str() } else { "[]" };
        let told = if is_read {
            ""
        } else {
            "1 of 1 entries have errors"
        };
        check(
            "othello",
            &[(&text, serde_json::from_str(games).unwrap(), told)],
        );
    }
    check(
        "othello",
        &[
            (
                "black,white,komi,winner,moves|A,B,0.5,A,MOVES",
                json!([{"p1": "A", "p2": "B", "komi": 0.5, "result": "p1win"}]),
                "",
            ),
            ("komi,moves|65,MOVES", json!([]), "the komi is \"65\""),
            ("moves,moves|MOVES,f5f6", json!([]), twice),
            (
                "moves,final position|f5d6,8/8/8/3ox3/3oxx2/3o4/8/8 x",
                json!([{}]),
                "",
            ),
        ],
    );
    // The winner by numbers, and disc differences.
    check(
        "othello",
        &[
            (
                "winner,moves|-1,MOVES|0,MOVES|1,OVER",
                json!([{}, {"result": "draw"}, {"result": "p1win", "discs": 64}]),
                UNKNOWN,
            ),
            (
                "score,moves|-4,MOVES|0,MOVES|64,OVER",
                json!([{}, {"result": "draw", "discs": 0}, {"result": "p1win", "discs": 64}]),
                UNKNOWN,
            ),
        ],
    );
    // In games of lines, White begins, as in PGN.
    check(
        "scorefour",
        &[
            ("white,black,winner,moves|A,B,A,a1b2c3", won(), ""),
            ("x,o,winner,moves|A,B,x,a1b2c3", won(), ""),
            ("x,o,x_score,o_score,moves|A,B,1,0,a1b2c3", won(), ""),
        ],
    );
    check(
        "othello6",
        &[
            (
                "black,white,black_discs,white_discs,moves|A,B,20,16,b3b4b5",
                json!([{"p1": "A", "p2": "B", "result": "p1win", "discs": 4}]),
                "",
            ),
            (
                "black,white,black_discs,white_discs,moves|A,B,40,0,b3b4b5",
                json!([]),
                "expected a difference of -36 to 36",
            ),
        ],
    );
}

#[test]
fn a_list_without_a_heading_has_two_columns_of_text() {
    let ab = || json!([{"p1": "A", "p2": "B"}]);
    let refused = |count| format!("two columns of text, the players, but it has {count};");
    let (one, three) = (refused(1), refused(3));
    for separator in [",", "\t"] {
        let separated = |text: &str| text.replace(',', separator);
        for (text, games, told) in [
            ("A,B,MOVES", ab(), ""),
            ("A,B,MOVES,,", ab(), ""),
            // One long list of moves shows which column has them.
            (
                "A,B,f5d6c3|A,B,MOVES|A,B,f5f6",
                json!([{"p1": "A", "p2": "B"}, {"p1": "A", "p2": "B"}, {"p1": "A", "p2": "B"}]),
                "",
            ),
            (
                ",A,B,MOVES,|,A,B,MOVES,",
                json!([{"p1": "A", "p2": "B"}, {"p1": "A", "p2": "B"}]),
                "",
            ),
            (",A,B,MOVES", ab(), ""),
            ("A,?,MOVES", json!([{"p1": "A"}]), ""),
            ("0,A,B,MOVES", ab(), ""),
            (
                "A,B,B+4,MOVES",
                json!([{"p1": "A", "p2": "B", "result": "p1win", "discs": 4}]),
                "",
            ),
            ("A,B,0,MOVES", ab(), ""),
            (
                "01/02/2020,A,B,MOVES",
                json!([{"p1": "A", "p2": "B", "began": "2020"}]),
                "",
            ),
            (
                "01.02.2020,A,B,MOVES",
                json!([{"p1": "A", "p2": "B", "began": "2020"}]),
                "",
            ),
            (
                "1 Jan 2020,A,B,MOVES",
                json!([{"p1": "A", "p2": "B", "began": "2020"}]),
                "",
            ),
            ("A,MOVES", json!([]), one.as_str()),
            ("A,MOVES,", json!([]), &one),
            ("World Cup,A,B,MOVES", json!([]), &three),
            ("G123,A,B,MOVES", json!([]), &three),
            ("A,B,black,MOVES", json!([]), &three),
            ("MOVES,A,B,World Cup", json!([]), &three),
        ] {
            check("othello", &[(&separated(text), games, told)]);
        }
    }
    // Lists of moves with commas are not a list of games, whatever follows them.
    for (text, count) in [
        ("f5d6c3d3, c4, f4e3 37-27\n", 1),
        ("f5d6,c3d3\nf5d6c3d3,c4f4e3f6\n", 2),
    ] {
        let (status, games, errors) = read("othello", text);
        assert_eq!((status, games), (0, vec![json!({}); count]), "{errors}");
    }
}

/// Lines that have other fields than the list are comments, as are those without a number.
#[test]
fn rows_may_begin_like_comments_and_may_be_empty() {
    let players = |names: [&str; 3]| json!(names.map(|name| json!({"p1": name, "p2": "B"})));
    let numbers =
        "no,black,white,moves|#1,A,B,MOVES|# comment|,,,|\"\",,,|%2,C,B,MOVES|3,E,B,MOVES|,,,";
    check(
        "othello",
        &[
            (numbers, players(["A", "C", "E"]), ""),
            (
                "#1,B,MOVES|# comment|#A,B,MOVES|%2,B,MOVES|,,|E,B,MOVES",
                players(["#1", "%2", "E"]),
                "",
            ),
            (
                "#1\tB\tMOVES|%2\tB\tMOVES|\t\t|E\tB\tMOVES",
                players(["#1", "%2", "E"]),
                "",
            ),
            ("moves|MOVES|#MOVES|%", json!([{}]), ""),
            ("black,moves|#1,MOVES|,|,", json!([{"p1": "#1"}]), ""),
            // A list that cannot be read.
            (
                "#1,MOVES|#2,MOVES|,|%3,MOVES",
                json!([]),
                "1 of 1 entries have errors",
            ),
        ],
    );
}

/// Stray quotes make an error of their own row only.
#[test]
fn stray_quotes_hide_no_rows() {
    let text = "black,white,moves\n\"Ann,Bob,MOVES\nX,Y,MOVES\n\"Cat,Dan,MOVES\n\"Joe\" A,F,MOVES\n\
                \"G\nH, the \"\"first\"\"\" ,I,MOVES\n";
    let (status, games, errors) = read("othello", &text.replace("MOVES", MOVES));
    let expected = json!([
        {"p1": "X", "p2": "Y"},
        {"p1": "Joe A", "p2": "F"},
        {"p1": "G\nH, the \"first\"", "p2": "I"},
    ]);
    assert_eq!((status, Value::from(games)), (1, expected), "{errors}");
    for line in [2, 4] {
        let error = format!("line {line}: a quoted field is not closed");
        assert!(errors.contains(&error), "{errors}");
    }
}

/// A list that cannot be read is one error; damaged moves in it and other lines have their own.
#[test]
fn a_list_that_cannot_be_read_is_one_error() {
    let mut text = "Alice,f5d6c3d3c4f4\n".repeat(2_000);
    text += "f5d6c3\nf5d6c3d3, x4f4\n1,A,B,f5d6c3d3\n";
    let start = Instant::now();
    let (status, games, errors) = read("othello", &text);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(games, [json!({}), json!({"p1": "A", "p2": "B"})]);
    assert_eq!(status, 1);
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 3, "{errors}");
    assert!(
        lines[0].contains("line 1: the list is skipped: without a heading"),
        "{errors}"
    );
    assert!(
        lines[1].contains("line 2002: cannot read \"x4f4\""),
        "{errors}"
    );
    assert_eq!(lines[2], "error: 2 of 4 entries have errors");
}

/// Lines of which few are games are searched for a list once, not each.
#[test]
fn lines_that_are_not_a_list_are_read_one_by_one() {
    let text = "1,f5d6c3d3\nx,yyyyy\nz,wwwww\n".repeat(500);
    let start = Instant::now();
    let (status, games, errors) = read("othello", &text);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!((status, games.len()), (1, 500));
    assert!(
        errors.ends_with("error: 1000 of 1500 entries have errors\n"),
        "{errors}"
    );
}

/// An array of JSON on one line is not searched for its end for each game.
#[test]
fn a_long_line_of_json_is_read_once() {
    let games = vec![r#"{"moves":"f5"}"#; 30_000].join(",");
    let text = format!("[{games}]{}\n", " ".repeat(15_000_000));
    let start = Instant::now();
    let output = nullwindow(&["convert", "-", "--to", "transcript"], &text);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(output.stdout, b"f5\n".repeat(30_000));
}

/// Columns whose headings have a meaning, with other things in them.
#[test]
fn fields_that_a_column_may_have_besides_are_ignored() {
    let board = "--------------------X------XXX----XXXXX----XXX------X-----------";
    for text in [
        "black,white,end,moves\nA,B,8/8/2xo4/2xxxo2/3oox2/3o4/8/8 x,f5d6c3d3c4f4\n".to_owned(),
        format!("black,white,final position,moves\nA,B,{board} X,e6f4e3f6g5d6e7f5c5\n"),
        "black,white,after 2,moves\nA,B,8/8/8/3ox3/3oxx2/3o4/8/8 x,f5d6c3d3c4f4\n".into(),
        "black,white,position,moves\nA,B,1,f5d6c3d3\n".into(),
        "black,white,fen,moves\nA,B,standard,f5d6c3d3\n".into(),
        "black,white,start position,moves\nA,B,XOT 123,f5d6c3d3\n".into(),
        "black,white,komi,moves\nA,B,none,f5d6c3d3\n".into(),
        "black;white;komi;moves\nA;B;6,0;f5d6c3d3\n".into(),
        "black,white,variant,moves\nA,B,rated,f5d6c3d3\n".into(),
        "black,white,fen,start position,moves\nA,B,,,f5d6c3d3\n".into(),
        "start,black,white,fen,moves\n2020-01-02,A,B,8/8/8/3ox3/3xo3/8/8/8 x,f5d6c3d3\n".into(),
        "start,black,white,moves\n1583298367000,A,B,f5d6c3d3\n".into(),
        "start,black,white,moves\n1/2/20 10:00,A,B,f5d6c3d3\n".into(),
        "position,black,white,moves\ntable 3/board 2,A,B,f5d6c3d3\n".into(),
        "variant,black,white,moves\nOthello 10 min,A,B,f5d6c3d3\n".into(),
        "black,white,moves\n# C,D,f5d6c3d3\nA,B,f5d6c3d3\n".into(),
        "black,white,moves\n#C,D,f5d6c3d3\nA,B,f5d6c3d3\n".into(),
        "black,white,event,moves\nA,B,\"good, very \"good\" game\",f5d6c3d3\n".into(),
    ] {
        let (status, games, errors) = read("othello", &text);
        let [game] = games.as_slice() else {
            panic!("{text}{errors}")
        };
        let players = [&game["p1"], &game["p2"]];
        assert_eq!(
            (status, players),
            (0, [&json!("A"), &json!("B")]),
            "{text}{errors}"
        );
    }
    // The discs stand beside the numbers of the players.
    let text = "game,black,white,black discs,white discs,moves\n1,12,52,40,24,f5d6c3d3c4f4\n";
    let (status, games, errors) = read("othello", text);
    assert_eq!((status, &games[0]["p1"]), (0, &json!("12")), "{errors}");
}
