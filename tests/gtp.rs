//! The GTP dialect as its clients use it: gogui-twogtp, Quarry, GoGui as a general board-game GUI.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::common::{Engine, Folder, PATIENCE, at_once, command, converse, skip, wait};
use nullwindow::game::{Outcome, Player};
use nullwindow::games::any::{AnyGame, by_name};
use nullwindow::protocol::gtp::COMMANDS;

/// A client as strict as the protocol: one answer to each command, ended by one empty line, none
/// inside.
struct Gtp(Engine);

impl Gtp {
    /// Starts the engine; the first line chooses the protocol.
    fn start(arguments: &[&str]) -> Gtp {
        let mut gtp = Gtp(Engine::start(arguments));
        assert_eq!(gtp.ok("name"), "nullwindow");
        gtp
    }

    /// Sends a command and returns its whole answer.
    fn ask(&mut self, line: &str) -> String {
        self.0.send(line);
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut text = String::new();
        loop {
            let line = self.0.line();
            if line.is_empty() {
                assert!(text.starts_with(['=', '?']), "{text}");
                return text;
            }
            assert_eq!(line, line.trim_end());
            assert!(!text.is_empty() || line.starts_with(['=', '?']), "{line}");
            text += if text.is_empty() { "" } else { "\n" };
            text += &line;
        }
    }

    /// The text of a good answer.
    fn ok(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        answer
            .strip_prefix('=')
            .unwrap_or_else(|| panic!("{line}: {answer}"))
            .trim_start_matches(' ')
            .into()
    }

    /// The text of an error.
    fn error(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        answer
            .strip_prefix("? ")
            .unwrap_or_else(|| panic!("{line}: {answer}"))
            .into()
    }
}

fn color(player: Player) -> &'static str {
    if player == Player::First {
        "black"
    } else {
        "white"
    }
}

/// The legal move that a vertex means, played.
fn play(judge: &mut AnyGame, vertex: &str) {
    assert!(
        vertex == "pass" || vertex == vertex.to_uppercase(),
        "{vertex}"
    );
    let m = judge.parse_move(vertex).unwrap();
    judge
        .play(m)
        .unwrap_or_else(|error| panic!("{error}\n{}", judge.diagram()));
}

#[test]
fn list_commands_and_known_command_have_every_command() {
    let mut gtp = Gtp::start(&[]);
    assert_eq!(gtp.ok("protocol_version"), "2");
    assert_eq!(gtp.ok("name"), "nullwindow");
    assert_eq!(gtp.ok("version"), env!("CARGO_PKG_VERSION"));
    let listed = gtp.ok("list_commands");
    assert!(
        listed
            .lines()
            .eq(COMMANDS.iter().map(|command| command.words)),
        "{listed}"
    );
    for word in "protocol_version name version known_command list_commands list_games set_game boardsize clear_board \
                 komi play genmove reg_genmove undo showboard final_score time_settings time_left quit \
                 gogui-rules_game_id gogui-rules_board gogui-rules_board_size gogui-rules_legal_moves \
                 gogui-rules_side_to_move gogui-rules_final_result gogui-rules_captured_count gogui-rules_board_gfx"
        .split_whitespace()
    {
        assert_eq!(gtp.ok(&format!("known_command {word}")), "true", "{word}");
    }
    assert_eq!(gtp.ok("known_command loadsgf"), "false");
    assert!(gtp.ok("list_games").lines().any(|game| game == "Othello"));
}

#[test]
fn ids_comments_and_control_characters_are_read() {
    let input = "# a comment\n\n  \t \n1 name # who?\r\n2\tprotocol_version\x07\nfoo\n4 bar 5\n5 komi\n000006 name\n\
                 7 play black d3 # a move\n8 play red d3\n9 play white d3\n10 boardsize 19\n11 genmove\n12 undo\n\
                 13 undo\n14 quit\n15 name\n";
    let (lines, status) = converse(&[], input.as_bytes());
    assert!(status.success());
    let expected = [
        "=1 nullwindow",
        "=2 2",
        "? unknown command \"foo\"",
        "?4 unknown command \"bar\"",
        "?5 syntax error, expected komi NUMBER",
        "=000006 nullwindow",
        "=7",
        "?8 syntax error, expected play COLOR VERTEX",
        "?9 illegal move \"d3\"",
        "?10 unacceptable size",
        "?11 syntax error, expected genmove COLOR",
        "=12",
        "?13 cannot undo: no move to undo",
        "=14",
    ];
    let expected: Vec<_> = expected.iter().flat_map(|line| [*line, ""]).collect();
    assert_eq!(lines, expected);
}

/// A match as gogui-twogtp plays it: passes are sent, both engines score the game, and all agree.
#[test]
fn twogtp_plays_whole_games() {
    let games = [
        (&[][..], 8, "othello"),
        (&[], 6, "othello6"),
        (&[], 4, "othello4"),
        (&["--game", "diamond2"], 6, "diamond2"),
    ];
    at_once(games, |(arguments, size, game)| {
        let arguments = [&["--protocol", "gtp"], arguments].concat();
        let mut engines = [Gtp::start(&arguments), Gtp::start(&arguments)];
        for number in 0..2 {
            for gtp in &mut engines {
                for line in ["protocol_version", "name", "version", "list_commands"] {
                    gtp.ok(line);
                }
                for line in [
                    &format!("boardsize {size}"),
                    "clear_board",
                    "komi 6.5",
                    "time_settings 1 0 0",
                ] {
                    assert_eq!(gtp.ok(line), "");
                }
            }
            let mut judge = by_name(game).unwrap();
            let (mut ply, mut passes) = (number, 0); // colors change
            let mut player = Player::First;
            while passes < 2 {
                let vertex = engines[ply % 2].ok(&format!("genmove {}", &color(player)[..1]));
                engines[(ply + 1) % 2].ok(&format!(
                    "play {} {}",
                    color(player)[..1].to_uppercase(),
                    vertex.to_uppercase()
                ));
                passes = if vertex == "pass" { passes + 1 } else { 0 };
                if judge.outcome().is_none() {
                    play(&mut judge, &vertex);
                } else {
                    assert_eq!(vertex, "pass");
                }
                (player, ply) = (player.other(), ply + 1);
            }
            let discs = judge.discs().unwrap();
            let expected = match discs.black.count_ones() as i32 - discs.white.count_ones() as i32 {
                0 => "0".into(),
                more @ 1.. => format!("B+{more}"),
                more => format!("W+{}", -more),
            };
            assert_eq!(
                engines.each_mut().map(|gtp| gtp.ok("final_score")),
                [expected.clone(), expected]
            );
            let result = engines[0].ok("gogui-rules_final_result");
            assert_eq!(
                result.contains("wins"),
                judge.outcome() != Some(Outcome::Draw),
                "{result}"
            );
            assert_eq!(engines[0].ok("gogui-rules_legal_moves"), "");
            assert_eq!(engines[0].ok("genmove w"), "pass");
        }
        for mut gtp in engines {
            assert_eq!(gtp.ok("quit"), "");
            assert!(gtp.0.wait().success());
        }
    });
}

/// Quarry sends no passes: the same side moves again. At the end it closes the pipe.
#[test]
fn quarry_plays_a_whole_game_without_a_pass() {
    let passes = AtomicU32::new(0);
    at_once(0..6, |seed| {
        let mut gtp = Gtp::start(&[]);
        for line in ["protocol_version", "name", "version", "list_commands"] {
            gtp.ok(line);
        }
        assert!(gtp.ok("list_games").lines().any(|game| game == "Othello"));
        for line in [
            "set_game Othello",
            "boardsize 6",
            "clear_board",
            "time_settings 1 0 0",
        ] {
            assert_eq!(gtp.ok(line), "");
        }
        let mut judge = by_name("othello6").unwrap();
        let mut rng = nullwindow::game::rng::Rng::new(seed);
        while let Some(&m) = rng.choose(&judge.moves()) {
            let player = color(judge.to_move());
            if m.is_pass() {
                passes.fetch_add(1, Relaxed);
                judge.play(m).unwrap();
            } else if player == "white" {
                let vertex = gtp.ok("genmove white");
                play(&mut judge, &vertex);
            } else {
                gtp.ok(&format!(
                    "play black {}",
                    judge.write_move(m).to_uppercase()
                ));
                judge.play(m).unwrap();
            }
        }
        let shown: String = gtp
            .ok("gogui-rules_board")
            .split_whitespace()
            .rev()
            .collect::<Vec<_>>()
            .join("/");
        let expected: String = judge.write_position().to_uppercase();
        assert_eq!(
            shown.matches('X').count(),
            judge.discs().unwrap().black.count_ones() as usize,
            "{shown} {expected}"
        );
        gtp.0.end_input();
        assert!(gtp.0.wait().success());
    });
    assert!(passes.into_inner() > 0, "no game had a pass");
}

#[test]
fn a_pass_in_a_finished_game_is_played_and_undone() {
    let mut gtp = Gtp::start(&[]);
    for line in ["boardsize 4", "time_settings 0 0 0"] {
        gtp.ok(line);
    }
    let mut colors = ["b", "w"].iter().cycle();
    while !gtp.ok("gogui-rules_legal_moves").is_empty() {
        gtp.ok(&format!("genmove {}", colors.next().unwrap()));
    }
    let end = gtp.ok("showboard");
    for color in ["b", "w"] {
        assert_eq!(gtp.ok(&format!("genmove {color}")), "pass");
    }
    for _ in 0..2 {
        assert_ne!(gtp.ok("gogui-rules_board"), "");
        gtp.ok("undo");
    }
    assert_eq!(gtp.ok("showboard"), end);
    gtp.ok("undo");
    assert_ne!(gtp.ok("showboard"), end);
}

#[test]
fn gtp_and_nboard_refuse_games_without_discs() {
    for (protocol, line) in [
        ("gtp", "nullwindow-option Game=tictactoe"),
        ("nboard", "set option Game=tictactoe"),
    ] {
        let input = format!("{line}\nnullwindow-option Game=othello6\nquit\n");
        let (lines, _) = converse(&["--protocol", protocol], input.as_bytes());
        let lines = lines.join("\n");
        assert!(
            lines.contains("expected a game of discs"),
            "{protocol}: {lines}"
        );
    }
}

#[test]
fn either_color_may_move_at_any_time_and_undo_restores_the_board() {
    let mut gtp = Gtp::start(&[]);
    gtp.ok("time_settings 0 0 0"); // no time: one ply
    let start = gtp.ok("showboard");
    for color in ["b", "W", "Black", "WHITE", "wHiTe", "B"] {
        let vertex = gtp.ok(&format!("genmove {color}"));
        let first = if color.to_lowercase().starts_with('b') {
            ["D3", "C4", "F5", "E6"]
        } else {
            ["E3", "F4", "C5", "D6"]
        };
        assert!(first.contains(&vertex.as_str()), "{color} {vertex}");
        gtp.ok("undo");
        assert_eq!(gtp.ok("showboard"), start);
        assert!(first.contains(&gtp.ok(&format!("reg_genmove {color}")).as_str()));
        assert_eq!(gtp.ok("showboard"), start);
    }
    gtp.ok("play black F5");
    gtp.ok("play white d6");
    gtp.ok("play w f4");
    assert_eq!(gtp.ok("gogui-rules_side_to_move"), "black");
    assert_eq!(gtp.error("play black a1"), "illegal move \"a1\"");
    assert_eq!(gtp.error("play black pass"), "illegal move \"pass\"");
    assert!(
        gtp.error("play black i9")
            .starts_with("cannot read \"i9\" as a move")
    );
    for _ in 0..3 {
        gtp.ok("undo");
    }
    assert_eq!(gtp.ok("showboard"), start);
    assert!(gtp.error("undo").starts_with("cannot undo"));
}

#[test]
fn gogui_commands_describe_every_disc_board() {
    let mut gtp = Gtp::start(&["--game", "diamond"]);
    assert_eq!(gtp.ok("gogui-rules_game_id"), "Diamond");
    assert_eq!(gtp.ok("gogui-rules_board_size"), "6");
    assert_eq!(gtp.ok("boardsize 6"), "");
    assert_eq!(
        gtp.ok("gogui-rules_board"),
        "\n??..??\n?....?\n..XO..\n..OX..\n?....?\n??..??"
    );
    assert_eq!(gtp.ok("gogui-rules_legal_moves"), "C2 B3 E4 D5");
    gtp.ok("play b c2");
    assert_eq!(
        gtp.ok("gogui-rules_board"),
        "\n??..??\n?....?\n..XO..\n..XX..\n?.X..?\n??..??"
    );
    assert_eq!(gtp.ok("gogui-rules_side_to_move"), "white");
    assert_eq!(
        gtp.ok("gogui-rules_board_gfx"),
        "CIRCLE C2\nTEXT Black 4, White 1"
    );
    assert_eq!(
        gtp.ok("gogui-rules_final_result"),
        "the game goes on, Black 4, White 1"
    );
    assert_eq!(gtp.ok("gogui-rules_captured_count"), "0 0");
    assert_eq!(gtp.ok("boardsize 8"), "");
    assert_eq!(
        (
            gtp.ok("gogui-rules_game_id").as_str(),
            gtp.ok("gogui-rules_board_size").as_str()
        ),
        ("Othello", "8")
    );
    // A board of size 6 is Othello's again once the diamond is gone.
    gtp.ok("boardsize 6");
    assert_eq!(gtp.ok("gogui-rules_game_id"), "Othello");
    assert_eq!(gtp.error("boardsize 7"), "unacceptable size");
    assert_eq!(gtp.ok("gogui-rules_board_size"), "6");
    gtp.ok("set_game diamond2");
    assert_eq!(gtp.ok("gogui-rules_game_id"), "Diamond");
    assert_eq!(
        gtp.error("set_game Go"),
        "unsupported game \"Go\", expected one that list_games lists"
    );
    // A game without discs is replaced where the first line selects GTP, and refused with
    // `--protocol gtp`.
    assert_eq!(
        Gtp::start(&["--game", "tictactoe"]).ok("gogui-rules_game_id"),
        "Othello"
    );
    let output = command()
        .args(["--protocol", "gtp", "--game", "scorefour"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// The log file of an engine, read in parts.
struct LoggedText {
    folder: Folder,
    /// The bytes that were read.
    length: usize,
}

impl LoggedText {
    /// An engine with a log file.
    fn start(name: &str) -> (Gtp, LoggedText) {
        let (folder, length) = (Folder::new(name), 0);
        let option = format!("Debug Log File={}", folder.path("log"));
        let gtp = Gtp::start(&["--protocol", "gtp", "--option", &option]);
        (gtp, LoggedText { folder, length })
    }

    /// The text that was added since the last call.
    fn next(&mut self) -> String {
        let text = fs::read_to_string(self.folder.path("log")).unwrap();
        let added = text[self.length..].to_owned();
        self.length = text.len();
        added
    }
}

#[test]
fn a_search_gets_the_time_of_the_last_time_command() {
    let (mut gtp, mut log) = LoggedText::start("gtp-time");
    for (lines, plan) in [
        (&[][..], "hard 990, clock none: movetime"),
        // No limit, as without settings.
        (&["time_settings 0 1 0"], "hard 990, clock none: movetime"),
        (
            &["time_settings 0 1 1"],
            "hard 950, clock 990: last move before the time control",
        ),
        // The same period continues.
        (
            &["time_left b 0 0"],
            "hard 950, clock 990: last move before the time control",
        ),
        (&["time_left black 1 10"], "clock 990: one of 10 moves"),
        (
            &["time_settings 2 0 0", "time_left b 0 0"],
            "hard 0, clock 1: ",
        ),
    ] {
        for line in lines {
            gtp.ok(line);
        }
        log.next();
        let began = Instant::now();
        gtp.ok("reg_genmove b");
        assert!(began.elapsed() < Duration::from_secs(10), "{lines:?}");
        let text = log.next();
        assert!(text.contains(plan), "{lines:?}: {text}");
        assert!(
            text.contains("stopped: time limit")
                || text.contains("ended: not enough time for another iteration"),
            "{lines:?}: {text}"
        );
    }
}

#[test]
fn the_clock_of_a_side_runs_down_and_clear_board_restores_it() {
    let (mut gtp, mut log) = LoggedText::start("gtp-clock");
    gtp.ok("time_settings 1 0 0");
    for _ in 0..2 {
        gtp.ok("clear_board");
        let began = Instant::now();
        let mut clocks = [Vec::new(), Vec::new()];
        for side in [0, 1].repeat(30) {
            log.next();
            if gtp.ok(&format!("genmove {}", ["b", "w"][side])) == "pass"
                && gtp.ok("gogui-rules_legal_moves").is_empty()
            {
                break;
            }
            // A forced move is played without a search.
            let text = log.next();
            if let Some((_, plan)) = text.split_once(", clock ") {
                let clock = plan.split(':').next().unwrap();
                clocks[side].push(clock.parse::<u32>().unwrap());
            }
        }
        // Both sides have one second.
        assert!(began.elapsed() < Duration::from_secs(10), "{clocks:?}");
        for clocks in &clocks {
            assert!(clocks.len() > 10 && clocks[0] == 990, "{clocks:?}");
            let is_falling = clocks.is_sorted_by(|earlier, later| earlier >= later);
            assert!(is_falling && clocks.last() < Some(&900), "{clocks:?}");
        }
    }
}

#[test]
fn options_and_hints_have_commands_of_their_own() {
    let mut gtp = Gtp::start(&[]);
    gtp.ok("nullwindow-option Hash=16");
    gtp.ok("nullwindow-option Clear Hash");
    assert_eq!(
        gtp.error("nullwindow-option Hash=0"),
        "Hash: invalid value \"0\", expected a whole number from 1 to 65536"
    );
    gtp.ok("play b f5");
    let hint = gtp.ok("nullwindow-hint 2 depth 4");
    assert_eq!(hint.lines().count(), 2, "{hint}");
    gtp.ok("nullwindow-option MultiPV=3");
    let all = gtp.ok("nullwindow-hint depth 4");
    assert_eq!(all.lines().count(), 3, "{all}");
    for line in all.lines() {
        let words: Vec<_> = line.split(' ').collect();
        assert!(
            words[0] == words[3] && words[1].parse::<f64>().is_ok() && words.len() == 7,
            "{line}"
        );
        assert_eq!(words[2], "4@73%", "{line}");
    }
    assert!(
        gtp.ok("nullwindow-hint 1 depth 3").contains(" 3 "),
        "below the first cut every search is full width"
    );
    gtp.ok("nullwindow-option Selectivity=100");
    assert!(gtp.ok("nullwindow-hint 1 depth 4").contains(" 4 "));
    gtp.ok("boardsize 4");
    assert!(gtp.ok("nullwindow-hint 1 depth 12").contains(" 100% "));
    gtp.ok("set_game Othello");
    gtp.ok("nullwindow-option Selectivity=auto");
    gtp.ok("play b f5");
    assert!(gtp.ok("nullwindow-hint 1 depth 4 f6").starts_with("F6 "));
    assert_eq!(
        gtp.error("nullwindow-hint 1 depth 4 a1 f6 h8"),
        "illegal move \"a1\", \"h8\""
    );
    assert_eq!(
        gtp.error("nullwindow-hint -1"),
        "COUNT -1, expected a whole number from 1 on"
    );
    assert_eq!(
        gtp.error("nullwindow-hint 2 depth 0"),
        "DEPTH 0, expected a whole number from 1 on"
    );
    assert!(
        gtp.error("nullwindow-hint depth x")
            .starts_with("syntax error")
    );
}

#[test]
fn an_id_is_returned_unchanged() {
    let long = "0".repeat(40) + &"9".repeat(400);
    // A line with an id alone counts as empty.
    let script = format!("007 name\n{long} version\n8\n9 # quit\n00 hello\n{long} quit\n");
    let (lines, status) = crate::common::converse(&[], script.as_bytes());
    assert!(status.success());
    let answers: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split(' ').next())
        .filter(|word| !word.is_empty())
        .collect();
    let long = format!("={long}");
    assert_eq!(answers, ["=007", &long, "?00", &long]);
}

#[test]
fn an_interrupt_ends_the_search_and_has_no_reply_of_its_own() {
    let mut gtp = Gtp::start(&[]);
    assert_eq!(gtp.ok("known_command gogui-interrupt"), "true");
    assert_eq!(gtp.ok("gogui-interrupt"), "");
    gtp.0.send("# interrupt"); // no search to stop: no reply, and the next search is not stopped
    gtp.ok("time_settings 0 1000 1");
    for command in ["reg_genmove b", "genmove b", "nullwindow-hint 3 depth 60"] {
        gtp.0.send(command);
        assert_eq!(
            gtp.0.line_within(Duration::from_millis(300)),
            None,
            "{command}"
        );
        let asked = Instant::now();
        gtp.0.send("# interrupt");
        let answer = gtp.answer();
        assert!(
            answer.starts_with("= ") && asked.elapsed() < Duration::from_secs(5),
            "{command}: {answer}"
        );
    }
    assert_eq!(gtp.ok("gogui-rules_side_to_move"), "white"); // the move of genmove was played
    assert_eq!(gtp.ok("name # interrupt"), "nullwindow"); // after a command it is a comment
}

/// GTP prints no node counts, but the log has them.
#[test]
fn clear_board_keeps_the_table() {
    let mut child = command()
        .args(["--protocol", "gtp", "--option", "Depth=10"])
        .env("RUST_LOG", "nullwindow::search=debug")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let searches = "clear_board\ngenmove b\nclear_board\ngenmove b\nclear_board\nnullwindow-option Clear Hash\n\
                    genmove b\n";
    let input = child.stdin.take();
    input.unwrap().write_all(searches.as_bytes()).unwrap();
    let log = child.wait_with_output().unwrap().stderr;
    let log = String::from_utf8(log).unwrap();
    // The total of the last iteration of each search.
    let nodes: Vec<u64> = log
        .split("ended: schedule completed")
        .filter_map(|search| search.rsplit_once(" nodes\n")?.0.rsplit(' ').next())
        .map(|number| number.parse().unwrap())
        .collect();
    let [first, second, cleared] = nodes[..] else {
        panic!("{log}")
    };
    assert!(second < first / 2 && cleared == first, "{nodes:?}");
}

#[test]
fn a_fixed_depth_overrides_the_clock() {
    let mut deep = Gtp::start(&["--protocol", "gtp", "--option", "Depth=3"]);
    deep.ok("time_settings 0 1000 1");
    let began = Instant::now();
    let moves = ["b", "w", "b"].map(|color| deep.ok(&format!("genmove {color}")));
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    let mut again = Gtp::start(&[]);
    again.ok("nullwindow-option Depth=3");
    assert_eq!(
        ["b", "w", "b"].map(|color| again.ok(&format!("genmove {color}"))),
        moves
    );
    again.ok("nullwindow-option Depth=0");
    again.ok("time_settings 0 0 0");
    again.ok("genmove w");
    assert!(
        again
            .error("nullwindow-option Depth=61")
            .contains("expected a whole number from 0 to 60")
    );
}

#[test]
fn quit_during_a_search_answers_earlier_commands_and_exits() {
    let mut gtp = Gtp::start(&[]);
    gtp.ok("time_settings 1000 0 0");
    gtp.0
        .send("1 genmove b\n2 genmove w\n3 final_score\n4 quit");
    let asked = Instant::now();
    let answers = [(); 4].map(|()| gtp.answer());
    assert!(gtp.0.wait().success());
    let taken = asked.elapsed();
    assert!(
        answers
            .iter()
            .zip(1..)
            .all(|(answer, id)| answer.starts_with(&format!("={id}"))),
        "{answers:?}"
    );
    assert!(taken < PATIENCE, "{taken:?}");
    println!("quit took {taken:?}");
}

/// GTP prints nothing during a search: a hang-up is detected by polling.
#[test]
fn a_closed_output_ends_a_searching_process() {
    if cfg!(not(unix)) {
        return skip("this system detects a closed output only at the next write");
    }
    let mut child = command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap(); // stays open
    input
        .write_all(b"name\ntime_settings 0 1000 1\ngenmove b\n")
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    assert!(wait(&mut child).success());
}

#[test]
fn every_command_before_the_end_of_input_is_answered() {
    let input = b"0 name\n1 time_settings 0 1 3\n2 genmove b\n3 genmove w\n4 showboard";
    let (lines, status) = converse(&[], input);
    assert!(status.success());
    for id in 0..=4 {
        assert!(
            lines.iter().any(|line| line.starts_with(&format!("={id}"))),
            "{lines:?}"
        );
    }
    assert_eq!(lines.last().unwrap(), "");
}

/// A recorded game of a user of Quarry 0.2.0: the lines that it sent and the moves of the engine.
#[test]
fn a_recorded_quarry_session_is_replayed() {
    let record = include_str!("data/quarry.txt");
    let mut gtp = Gtp::start(&[]);
    gtp.ok("time_settings 0 0 0"); // the moves do not matter here
    let (mut moves, mut lines) = (
        0,
        record
            .lines()
            .filter(|line| !line.starts_with('#'))
            .peekable(),
    );
    while let Some(line) = lines.next() {
        let sent = line.strip_prefix("> ").unwrap();
        let answered = lines
            .next_if(|line| line.starts_with('<'))
            .map(|line| line.trim_start_matches("< "));
        match (sent.strip_prefix("genmove "), answered) {
            (Some(color), Some(vertex)) => {
                // The engine may choose another move than then: the recorded one is played.
                let legal = gtp.ok("gogui-rules_legal_moves");
                let found = gtp.ok(&format!("reg_genmove {color}"));
                assert!(
                    legal.split(' ').any(|word| word == found) || legal == "pass",
                    "{found} of {legal}"
                );
                assert_eq!(gtp.ok(&format!("play {color} {vertex}")), "");
                moves += 1;
            }
            _ => {
                gtp.ok(sent);
                moves += usize::from(sent.starts_with("play "));
            }
        }
    }
    println!("{moves} moves, {}", gtp.ok("final_score"));
    assert!(moves > 50);
    assert_eq!(gtp.ok("gogui-rules_legal_moves"), "", "the game is over");
    gtp.0.end_input(); // Quarry just closes the pipe
    assert!(gtp.0.wait().success());
}
