//! Bad input of every kind: the engine replies with one line that names what was expected, keeps
//! its state, and continues a running search.

use crate::common::{Engine, converse};
use clap::ValueEnum;
use nullwindow::engine::request::Request;
use nullwindow::protocol::Protocol;
use nullwindow::protocol::dialect::Dialect;
use nullwindow::protocol::ugi::Ugi;
use proptest::prelude::*;

/// Sends one line in the middle of a game and returns the reply; the position must not change.
fn answer_to(line: &[u8]) -> Vec<String> {
    let mut engine = Engine::start(&[]);
    engine.send("position startpos moves f5 d6");
    let before = engine.ask("query fen", "response");
    engine.send_bytes(line);
    engine.send_bytes(b"\nisready\n");
    let mut lines = engine.until("readyok");
    lines.pop();
    assert_eq!(engine.ask("query fen", "response"), before, "{lines:?}");
    lines
}

#[test]
fn each_kind_of_error_is_explained_in_one_line() {
    let error = |text: &str| vec![format!("info string error: {text}")];
    for (line, expected) in [
        (
            "foo bar",
            "unknown command \"foo\", column 1, expected a command that `help` lists",
        ),
        (
            "  goo",
            "unknown command \"goo\", column 3, expected a command that `help` lists",
        ),
        (
            "a\0b",
            "unknown command \"a\\0b\", column 1, expected a command that `help` lists",
        ),
        (
            "position",
            "position: unexpected end of line, column 9, expected startpos or fen TEXT",
        ),
        (
            "position start",
            "position: unexpected \"start\", column 10, expected startpos or fen TEXT",
        ),
        (
            "position fen",
            "position: unexpected end of line, column 13, expected the text of a position",
        ),
        (
            "position startpos f5",
            "position: unexpected \"f5\", column 19, expected moves or the end of the line",
        ),
        (
            "setoption Hash 5",
            "setoption: unexpected \"Hash\", column 11, expected name",
        ),
        (
            "setoption name",
            "setoption: unexpected end of line, column 15, expected the option's name",
        ),
        (
            "setoption name Hash value abc",
            "setoption: Hash: invalid value \"abc\", expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Hash value 99999999999999999999",
            "setoption: Hash: invalid value \"99999999999999999999\", expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Hash value -1",
            "setoption: Hash: invalid value \"-1\", expected a whole number from 1 to 65536",
        ),
        (
            "setoption name Hash",
            "setoption: Hash: missing value, expected a whole number from 1 to 65536",
        ),
        (
            "setoption name table value maybe",
            "setoption: Table: invalid value \"maybe\", expected true or false",
        ),
        (
            "setoption name Threads value 0",
            "setoption: Threads: invalid value \"0\", expected a whole number from 1 to 256",
        ),
        (
            "setoption name Threads value 257",
            "setoption: Threads: invalid value \"257\", expected a whole number from 1 to 256",
        ),
        (
            "help me",
            "help: unknown topic \"me\", expected a command, options or games",
        ),
    ] {
        assert_eq!(answer_to(line.as_bytes()), error(expected), "{line}");
    }
    let position = |text: &str| answer_to(format!("position fen {text}").as_bytes());
    assert_eq!(
        position("8/8/8/3ok3/3xo3/8/8/8 x"),
        error("position: unknown piece \"k\", column 22, expected x, o, a digit or /")
    );
    for text in [
        "8/8",
        "9/8/8/8/8/8/8/8 x",
        "8/8/8/3ox3/3xo3/8/8/8",
        "8/8/8/3ox3/3xo3/8/8/8 z",
        "-",
        "(;GM[Othello]",
    ] {
        let lines = position(text);
        assert_eq!(lines.len(), 1, "{text}: {lines:?}");
        assert!(
            lines[0].starts_with("info string error: position: "),
            "{lines:?}"
        );
    }
}

#[test]
fn an_invalid_search_still_prints_its_last_line() {
    let tictactoe = "setoption name Game value tictactoe";
    for (line, error, end) in [
        (
            "go perft",
            "go: unexpected end of line, column 9, expected a whole number",
            "info string perft 1 total 9",
        ),
        (
            "go perft x",
            "go: unexpected \"x\", column 10, expected a whole number",
            "info string perft 1 total 9",
        ),
        (
            "go perft x 3",
            "go: unexpected \"x\", column 10, expected a whole number; unexpected \"3\", column 12,",
            "info string perft 1 total 9",
        ),
        (
            "go perft -1",
            "go: unexpected \"-1\", column 10, expected a whole number from 0 on",
            "info string perft 1 total 9",
        ),
        ("go perft 0", "", "info string perft 0 total 1"),
        (
            "go perft 99999999999",
            "",
            "info string perft 4294967295 total 0",
        ),
        (
            "go perft 2 x",
            "go: unexpected \"x\", column 12, expected",
            "info string perft 2 total 72",
        ),
        (
            "go mate x",
            "go: unexpected \"x\", column 9, expected a whole number",
            "bestmove ",
        ),
        (
            "go mate",
            "go: unexpected end of line, column 8, expected a whole number",
            "bestmove ",
        ),
        (
            "go perft x depth 2",
            "go: unexpected \"x\", column 10, expected a whole number; unexpected \"depth\", column 12,",
            "info string perft 1 total 9",
        ),
        (
            "moves depth",
            "moves: unexpected end of line, column 12, expected a whole number",
            "moves 9 depth 1",
        ),
        (
            "moves depth x",
            "moves: unexpected \"x\", column 13, expected a whole number",
            "moves 9 depth 1",
        ),
        (
            "moves depth 2 x",
            "moves: unexpected \"x\", column 15, expected the end of the line",
            "moves 9 depth 2",
        ),
        (
            "moves depth -7",
            "moves: unexpected \"-7\", column 13, expected a whole number from 1 on",
            "moves 9 depth 1",
        ),
        ("query", "", "response unknown"),
        ("query nonsense", "", "response unknown"),
        ("query islegal", "", "response unknown"),
        (
            "isready now",
            "isready: unexpected \"now\", column 9, expected the end of the line",
            "readyok",
        ),
        (
            "ugi now",
            "ugi: unexpected \"now\", column 5, expected the end of the line",
            "ugiok",
        ),
        (
            "uci now",
            "uci: unexpected \"now\", column 5, expected the end of the line",
            "uciok",
        ),
        (
            "eval 3",
            "eval: unexpected \"3\", column 6, expected the end of the line",
            "eval score cp 0",
        ),
        (
            "d all",
            "d: unexpected \"all\", column 3, expected the end of the line",
            "hash: ",
        ),
    ] {
        let mut engine = Engine::start(&["--protocol", "ugi"]);
        engine.send(tictactoe);
        engine.send(line);
        if !error.is_empty() {
            let said = engine.line();
            assert!(
                said.starts_with(&format!("info string error: {error}")),
                "{line}: {said}"
            );
        }
        engine.until(end);
        engine.send("query p1turn");
        assert_eq!(engine.line(), "response true", "{line}");
    }
    // Signals, too.
    let mut engine = Engine::start(&[]);
    engine.send("go infinite\nstop it");
    engine.until("bestmove");
    engine.send("bench it\nstop");
    let lines = engine.until("info string bench stopped");
    assert!(
        !lines.iter().any(|line| line.starts_with("nodes ")),
        "{lines:?}"
    );
    engine.send("quit it");
    assert!(engine.wait().success());
    // NBoard's commands that have an answer.
    let mut engine = Engine::start(&["--protocol", "nboard"]);
    engine.send("set depth 1");
    for (line, end) in [
        ("go 5", "==="),
        ("hint", "status"),
        ("hint x", "status"),
        ("hint -1", "status"),
        ("learn it", "learned"),
        ("analyze 1", "status"),
        ("ping", "pong"),
    ] {
        engine.send(line);
        assert!(
            engine.line().starts_with("status error: expected "),
            "{line}"
        );
        engine.until(end);
    }
    // Every line with a command of GTP has an answer.
    let mut engine = Engine::start(&[]);
    for (number, line) in [
        "boardsize",
        "boardsize x",
        "komi",
        "komi x",
        "play",
        "play b",
        "play x d3",
        "genmove",
        "genmove x",
        "reg_genmove",
        "undo",
        "undo 1",
        "time_settings",
        "time_settings a b c",
        "time_left",
        "time_left b",
        "known_command",
        "set_game",
        "loadsgf x.sgf",
        "fixed_handicap 2",
        "final_status_list dead",
        "nullwindow-option",
        "nullwindow-hint depth",
        "nullwindow-hint x",
        "quit now",
        "name it",
    ]
    .iter()
    .enumerate()
    {
        engine.send(&format!("{number} {line}"));
        let said = engine.line();
        assert!(said.starts_with(&format!("?{number} ")), "{line}: {said}");
        assert_eq!(engine.line(), "");
    }
}

#[test]
fn a_byte_order_mark_at_the_start_is_ignored() {
    for (first, answer) in [
        ("ugi", "ugiok"),
        ("uci", "uciok"),
        ("nboard 2", "set myname nullwindow"),
        ("1 name", "=1 nullwindow"),
    ] {
        let (lines, _) = converse(&[], format!("\u{feff}{first}\r\n").as_bytes());
        assert!(lines.contains(&answer.to_owned()), "{lines:?}");
    }
    let (lines, _) = converse(&[], "\u{feff}\n\u{feff}# comment\nisready\n".as_bytes());
    assert_eq!(lines.last().unwrap(), "readyok");
    assert!(
        lines[0].starts_with("info string error: unknown command"),
        "only the first line may have one: {lines:?}"
    );
}

#[test]
fn invalid_utf_8_and_too_long_lines_are_skipped() {
    assert_eq!(
        answer_to(b"position \xff startpos"),
        ["info string error: invalid UTF-8, column 10"]
    );
    let long = vec![b'x'; (1 << 20) + 1];
    assert_eq!(
        answer_to(&long),
        ["info string error: line ignored: longer than 1048576 bytes"]
    );
    // A line of a mebibyte is read, and quoted only in part.
    let long = vec![b'x'; 1 << 20];
    let quoted = "x".repeat(40);
    assert_eq!(
        answer_to(&long),
        [format!(
            "info string error: unknown command \"{quoted}…\", column 1, expected a command that `help` lists"
        )]
    );
    // An overlong first line selects no protocol.
    let (lines, _) = converse(
        &[],
        &[vec![b'y'; 1 << 21], b"\r\nisready\r\n".to_vec()].concat(),
    );
    assert_eq!(lines.last().unwrap(), "readyok");
}

/// The length of the reply is limited.
#[test]
fn a_line_with_many_errors_has_a_short_reply() {
    for line in [
        "go depth 1 ",
        "go depth 1 searchmoves ",
        "go depth 1 depth ",
    ] {
        for word in ["f4 ", "pass ", "x "] {
            let answer = answer_to(format!("{line}{}", word.repeat(100_000)).as_bytes());
            assert!(answer.iter().all(|line| line.len() < 4_000), "{line}{word}");
        }
    }
}

#[test]
fn blanks_tabs_comments_and_line_ends_of_every_kind_are_read() {
    let input =
        b"\n\r\n   \t\n# a comment\nisready\r\n\t isready \t\nposition\tstartpos  moves\t f5\nquery fen\nisready";
    let (lines, status) = converse(&[], input);
    assert!(status.success());
    assert_eq!(
        lines,
        [
            "readyok",
            "readyok",
            "response 8/8/8/3ox3/3xxx2/8/8/8 o",
            "readyok"
        ]
    );
}

#[test]
fn each_word_of_go_without_effect_is_an_error() {
    const GOALS: &str = "expected only one of exact, wld and mate";
    const CLOCK: &str = "no p1time, the time of the player to move: the clock is ignored";
    const PERFT: &str = "expected no other word with perft";
    let mut engine = Engine::start(&["--game", "tictactoe"]);
    for (go, error, end) in [
        ("exact wld", GOALS, "info string exact"),
        ("wld exact depth 9", GOALS, "info string wld"),
        ("mate 1 exact depth 9", GOALS, "bestmove"),
        ("exact mate 1", GOALS, "info string exact"),
        ("exact exact", "", "info string exact"),
        ("exact depth 1", "", "bestmove"),
        ("mate 3 mate 1 depth 9", "", "bestmove"),
        ("p2time 1000", CLOCK, "info depth 1 "),
        ("btime 1000 depth 2", CLOCK, "info depth 2 "),
        ("p1inc 1000", CLOCK, "info depth 1 "),
        ("movestogo 3 nodes 50", CLOCK, "bestmove"),
        ("p1time 1000", "", "bestmove"),
        ("movetime 50", "", "bestmove"),
        ("perft 1 depth 3", PERFT, "info string perft 1 "),
        ("exact perft 1", PERFT, "info string perft 1 "),
        ("searchmoves a1 perft 1", PERFT, "info string perft 1 "),
        ("perft 1 zz", PERFT, "info string perft 1 "),
        ("zz perft 1", PERFT, "info string perft 1 "),
    ] {
        engine.send(&format!("go {go}"));
        let last = if go.contains("perft") {
            end
        } else {
            "bestmove"
        };
        let lines = engine.until(last);
        let errors = lines
            .iter()
            .filter_map(|line| line.strip_prefix("info string error: go: "));
        let errors: Vec<&str> = errors.collect();
        assert_eq!(
            errors.len(),
            usize::from(!error.is_empty()),
            "{go}: {errors:?}"
        );
        assert!(
            errors.iter().all(|found| found.ends_with(error)),
            "{errors:?}"
        );
        assert!(
            lines.iter().any(|line| line.starts_with(end)),
            "{go}: {lines:?}"
        );
    }
    engine.send("position startpos moves a1");
    engine.send("go p2time 1000");
    let lines = engine.until("bestmove");
    assert!(
        !lines.iter().any(|line| line.contains("error")),
        "{lines:?}"
    );
}

#[test]
fn an_invalid_go_still_searches() {
    let mut engine = Engine::start(&[]);
    for (go, complaint) in [
        (
            "go depth",
            Some("go: unexpected end of line, column 9, expected a whole number"),
        ),
        (
            "go depth x",
            Some("go: unexpected \"x\", column 10, expected a whole number"),
        ),
        (
            "go depth -3",
            Some("go: unexpected \"-3\", column 10, expected a whole number from 0 on"),
        ),
        (
            "go depth 1.5",
            Some("go: unexpected \"1.5\", column 10, expected a whole number"),
        ),
        (
            "go nodes -1",
            Some("go: unexpected \"-1\", column 10, expected a whole number from 0 on"),
        ),
        (
            "go movestogo -1",
            Some("go: unexpected \"-1\", column 14, expected a whole number from 0 on"),
        ),
        (
            "go mate 0",
            Some("go: unexpected \"0\", column 9, expected a whole number from 1 on"),
        ),
        (
            "go movetime depth",
            Some(
                "go: unexpected \"depth\", column 13, expected a whole number; unexpected end of line, column 18, \
                 expected a whole number",
            ),
        ),
    ] {
        engine.send(go);
        let lines = engine.until("bestmove");
        let errors: Vec<_> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("info string error: "))
            .collect();
        assert_eq!(errors, complaint.as_slice(), "{go}");
        assert!(
            lines.iter().any(|line| line.starts_with("info depth 1 ")),
            "{go}: {lines:?}"
        );
        assert!(
            !lines.iter().any(|line| line.starts_with("info depth 2 ")),
            "{go}: {lines:?}"
        );
    }
    for go in [
        "go depth 0",
        "go depth 2 depth 3",
        "go movetime 0",
        "go movetime -100",
        "go p1time 0 p2time 0",
        "go wtime -5 btime -5 winc -1 binc -1 movestogo -1",
        "go p1time 50 p1inc 0 movestogo 0",
        "go nodes 0",
        "go nodes 99999999999999999999 depth 2",
        "go depth 99999999999999999999 movetime 20",
        "go winc 10 depth 3 searchmoves f5 zz e6 btime 99999999999999999999 wtime 99999999999999999999",
        "go searchmoves a1 depth 2",
        "go ponder mate 3 depth 2",
    ] {
        let best = engine.best_move(go);
        assert!(
            ["d3", "c4", "f5", "e6"].contains(&best.as_str()),
            "{go}: {best}"
        );
    }
    assert_eq!(engine.best_move("go depth 4 searchmoves c4"), "c4");
    engine.send("go depth 0");
    let lines = engine.until("bestmove");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("info depth 0 ") && lines[0].contains(" pv "),
        "{lines:?}"
    );
}

#[test]
fn an_illegal_move_in_a_list_loses_the_game_for_its_player() {
    let mut engine = Engine::start(&[]);
    for (list, result) in [
        ("f5 a1", "p1win"),
        ("zz", "p2win"),
        ("f5 d6 f5d6", "p2win"),
        ("e6 f4 pass", "p2win"),
    ] {
        engine.send(&format!("position startpos moves {list}"));
        assert!(engine.line().starts_with("info string error: position: "));
        assert_eq!(engine.ask("query gameover", ""), "response true", "{list}");
        assert_eq!(
            engine.ask("query result", ""),
            format!("response {result}"),
            "{list}"
        );
        assert_eq!(engine.ask("query legalmoves", ""), "response none");
        for command in ["d", "eval"] {
            engine.send(&format!("{command}\nisready"));
            let shown = engine.until("readyok");
            let marks = shown.iter().filter(|line| line.contains(" +"));
            assert_eq!(marks.count(), 0, "{list}: {shown:?}");
        }
        assert_eq!(engine.best_move("go depth 3"), "0000");
        assert_eq!(engine.best_move("go infinite"), "0000");
        engine.send("position startpos");
        assert_eq!(engine.ask("query gameover", ""), "response false");
    }
    // A malformed position keeps the old one, a lost one included.
    engine.send("position startpos moves a1");
    engine.line();
    engine.send("position fen rubbish");
    engine.line();
    assert_eq!(engine.ask("query result", ""), "response p2win");
    // Nothing can be played in a lost game.
    engine.send("moves f5");
    assert_eq!(
        engine.line(),
        "info string error: moves: illegal move \"f5\""
    );
    assert_eq!(engine.ask("query result", ""), "response p2win");
    let counted = engine.ask("go perft 2", "info string perft");
    assert_eq!(counted, "info string perft 2 total 0 with ended games 1");
    engine.send("undo");
    assert_eq!(engine.ask("query result", ""), "response none");
    assert_eq!(engine.ask("query history", ""), "response none");
    // It is lost at this ply in games won by a line.
    for game in ["tictactoe", "scorefour"] {
        engine.send(&format!(
            "setoption name Game value {game}\nposition startpos moves a1 b1 zz"
        ));
        engine.line();
        engine.send("go depth 3");
        let lines = engine.until("bestmove");
        assert!(lines[0].contains("score cp -10000 "), "{game}: {lines:?}");
    }
}

#[test]
fn only_kernels_that_the_cpu_supports_are_accepted() {
    let mut engine = Engine::start(&[]);
    for kernel in ["portable", "avx2", "avx512", "auto"] {
        engine.send(&format!("setoption name Kernel value {kernel}"));
        let said = engine.ask("isready", "");
        if said != "readyok" {
            assert_eq!(
                said,
                format!("info string error: setoption: Kernel: this CPU does not support {kernel}")
            );
            crate::common::skip(&format!("this processor has no {kernel}"));
            engine.until("readyok");
        }
        engine.best_move("go depth 4");
    }
}

/// Words that lead deep into the grammar.
fn word() -> impl Strategy<Value = String> {
    let known = "ugi uci isready uginewgame setoption name value position startpos fen moves depth go nodes movetime \
        infinite perft searchmoves p1time query islegal legalmoves help d eval undo stop f5 d6 pass 0000 3/3/3 x \
        8/8/8/3ox3/3xo3/8/8/8 1. 99999999999999999999 -1 Hash Game tictactoe Clear";
    let known: Vec<String> = known.split_whitespace().map(String::from).collect();
    prop_oneof![4 => proptest::sample::select(known), 1 => "\\PC{0,6}", 1 => "[ -~\\t]{0,8}"]
}

/// Words that lead deep into the other dialects.
fn word_of_dialects() -> impl Strategy<Value = String> {
    let known = "nboard 2 set depth game contempt move hint go ping learn analyze option searchmoves (;GM[Othello] \
                 BO[8 ---------------------------O*------*O---------------------------] B[F5//2.4]W[D6];) F5 PA \
                 f5/1.5/0.1 d6 protocol_version name known_command list_commands set_game Othello boardsize 8 6 4 19 \
                 clear_board komi play genmove reg_genmove undo showboard final_score time_settings time_left b White \
                 black w 0 1 -1 99999999999999999999 1e300 nan gogui-rules_board gogui-rules_legal_moves \
                 nullwindow-option nullwindow-hint Hash=1 MultiPV=3 Clear # uci position startpos moves P@e3 e3e3 \
                 setoption value UCI_Variant flipello4 ponder stop ponderhit infinite";
    let known: Vec<String> = known.split_whitespace().map(String::from).collect();
    prop_oneof![6 => proptest::sample::select(known), 1 => "\\PC{0,6}", 1 => "[ -~\\t]{0,8}"]
}

/// `cases` runs; failures are printed, not written to a file.
fn runs(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(runs(1_000))]

    #[test]
    fn no_line_panics_the_grammar(line in "\\PC*") {
        let _ = Ugi::default().parse(&line);
    }

    #[test]
    fn no_words_panic_the_grammar_and_every_line_has_a_request(words in prop::collection::vec(word(), 0..8)) {
        let line = words.join(" ");
        let (_, requests) = Ugi::default().parse(&line);
        let skipped = line.trim().is_empty() || line.trim().starts_with('#');
        prop_assert_eq!(requests.is_empty(), skipped);
        // At most one error, and its quotation is truncated.
        let errors: Vec<_> = requests.iter().filter_map(|request| match request {
            Request::Error(text) => Some(text),
            _ => None,
        }).collect();
        prop_assert!(errors.len() <= 1);
    }
}

proptest! {
    #![proptest_config(runs(1_000))]

    #[test]
    fn no_line_panics_a_dialect(
        line in "\\PC*",
        words in prop::collection::vec(word_of_dialects(), 0..8),
        protocol in proptest::sample::select(Protocol::value_variants().to_vec()),
    ) {
        let mut dialect = protocol.dialect(false);
        for line in [line, words.join(" ")] {
            let (_, requests) = dialect.parse(&line);
            // A line yields one request, optionally after an error; NBoard's ping yields two requests.
            prop_assert!(requests.len() <= 3, "{}: {:?}", line, requests);
        }
    }
}

proptest! {
    #![proptest_config(runs(12))]

    /// Whole sessions of such lines in every dialect: each is answered completely, and the process
    /// exits with status 0.
    #[test]
    fn every_random_session_of_a_dialect_is_answered(
        lines in prop::collection::vec(prop::collection::vec(word_of_dialects(), 1..6), 1..40),
        protocol in proptest::sample::select(vec![Protocol::Uci, Protocol::Gtp, Protocol::NBoard]),
    ) {
        let (quick, last, answer) = match protocol {
            Protocol::Gtp => ("time_settings 0 0 0\nboardsize 4", "77 name", "=77 nullwindow"),
            Protocol::NBoard => ("set depth 1", "ping 77", "pong 77"),
            _ => ("setoption name Game value othello4", "stop\nisready", "readyok"),
        };
        let mut engine = Engine::start(&["--protocol", protocol.name(), "--option", "Hash=1"]);
        engine.send(quick);
        for words in &lines {
            // Long searches are not bad input: clocks and depths stay unmutated.
            let line = words.join(" ").replace(['\n', '\r'], " ").replace("depth", "xdepth").replace("time_", "xtime_");
            engine.send(&line);
        }
        engine.send(last);
        let lines = engine.until(answer);
        if protocol == Protocol::Gtp {
            // Every answer is followed by its empty line, except the last, whose end is not read
            // yet.
            let answers = lines.iter().filter(|line| line.starts_with(['=', '?'])).count();
            prop_assert_eq!(lines.iter().filter(|line| line.is_empty()).count() + 1, answers);
        }
        engine.end_input();
        prop_assert!(engine.wait().success());
    }
}

proptest! {
    #![proptest_config(runs(12))]

    /// Whole sessions of such lines against the real binary: it answers completely and exits with
    /// status 0.
    #[test]
    fn every_random_session_of_the_engine_is_answered(
        lines in prop::collection::vec(prop::collection::vec(word(), 1..6), 1..40)
    ) {
        let mut input = String::new();
        for words in &lines {
            // Deep searches and perft are not bad input, only slow.
            let line = words.join(" ").replace("depth", "nodes 100 depth").replace("perft", "d");
            input.push_str(&line);
            input.push('\n');
        }
        input.push_str("\nstop\nisready\n");
        let (answers, status) = converse(&["--protocol", "ugi", "--game", "tictactoe"], input.as_bytes());
        prop_assert!(status.success());
        prop_assert!(answers.iter().any(|line| line == "readyok"));
    }
}

/// The table that a `Hash` beyond the process's memory limit leaves is the old one: the engine does
/// not abort.
#[test]
#[cfg(target_os = "linux")]
fn a_hash_beyond_the_memory_limit_keeps_the_old_table() {
    let command = format!(
        "ulimit -v 3000000; exec {} --option Hash=1",
        env!("CARGO_BIN_EXE_nullwindow")
    );
    let input = "setoption name Hash value 4000\nsetoption name Hash value 64\nposition startpos moves f5\n\
                 go depth 6\n";
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", &command])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = shell.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let refusals = text
        .lines()
        .filter(|line| line.starts_with("info string error: setoption: Hash: "));
    assert!(
        output.status.success() && refusals.count() == 1 && text.contains("\nbestmove "),
        "{text}"
    );
}

/// A table whose memory was never written to leaves no more memory to the next one.
#[test]
fn an_unused_table_does_not_make_room_for_a_larger_one() {
    let Some(free) = nullwindow::platform::memory::free_mebibytes(0) else {
        return crate::common::skip("the free memory is unknown");
    };
    let sizes = [free * 4 / 5, free * 3 / 2];
    if !(1_000..43_000).contains(&free) || crate::common::is_emulated() {
        return crate::common::skip(
            "too little memory, or a table of the largest size fits into it",
        );
    }
    let input = sizes.map(|size| format!("setoption name Hash value {size}\n"));
    let (lines, status) = converse(
        &["--protocol", "ugi"],
        (input.concat() + "isready\n").as_bytes(),
    );
    assert!(
        status.success() && lines.len() == 2 && lines[1] == "readyok",
        "{lines:?}"
    );
    let expected = format!(
        "info string error: setoption: Hash: cannot allocate {} MiB",
        sizes[1]
    );
    assert!(lines[0].starts_with(&expected), "{lines:?}");
}

#[test]
fn a_folder_as_standard_input_is_an_error() {
    if cfg!(not(unix)) {
        return crate::common::skip("a folder can be opened as a file");
    }
    let out = format!("{}/folder.proof", env!("CARGO_TARGET_TMPDIR"));
    for words in [
        &[][..],
        &["--protocol", "ugi"],
        &["--protocol", "uci"],
        &["--protocol", "gtp"],
        &["--protocol", "nboard"],
        &["solve", "-"],
        &["analyze", "-"],
        &["convert", "-", "--to", "pgn"],
        &["prove", "-", "--out", out.as_str()],
    ] {
        let folder = std::fs::File::open(std::env::temp_dir()).unwrap();
        let output = crate::common::command()
            .args(words)
            .stdin(folder)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("standard input: "), "{words:?}: {error}");
    }
}
