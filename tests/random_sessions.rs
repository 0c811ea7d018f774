//! Random sessions of each dialect: games, options, positions and limits of `go`. Checked: what a
//! reader that starts late gets, node limits, and that a repeated session prints the same lines.
//!
//! Engine, dialect and writer run in this process, so that nothing depends on the speed of the
//! machine: the late reader starts when all output is queued.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::common::normalized;
use nullwindow::engine::Engine;
use nullwindow::engine::event::Event;
use nullwindow::engine::options::Options;
use nullwindow::game::rng::Rng;
use nullwindow::games::any::{self, AnyGame};
use nullwindow::protocol::Protocol;
use nullwindow::protocol::writer::Writer;

/// Sessions per dialect, and searches per session.
const SESSIONS: u64 = 6;
const SEARCHES: u64 = 40;

/// An output that blocks until its gate is opened.
struct LateReader {
    gate: Receiver<()>,
    is_open: bool,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for LateReader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_open {
            let _ = self.gate.recv();
            self.is_open = true;
        }
        self.written.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a session. Returns all lines of output, and those that a late reader gets.
fn run(protocol: Protocol, lines: &[String]) -> [Vec<String>; 2] {
    let (open, gate) = channel();
    let written = Arc::<Mutex<Vec<u8>>>::default();
    let writer = Writer::start(LateReader {
        gate,
        is_open: false,
        written: written.clone(),
    })
    .unwrap();
    let mut dialect = protocol.dialect(false);
    let mut engine = Engine::new(Options {
        hash: 1,
        ..Options::default()
    })
    .unwrap();
    engine.set_dialect_rules(protocol.rules());
    let reports = engine.reports();
    let mut all = Vec::new();
    for line in lines {
        let (tag, requests) = dialect.parse(line);
        for request in requests {
            let mut emit = |event: Event| {
                for output in dialect.format(&tag, &event) {
                    all.extend(output.text.split('\n').map(String::from));
                    writer.push(output);
                }
            };
            engine.handle(request, Instant::now(), &mut emit);
            while engine.is_busy() {
                let report = reports.recv().expect("the search thread lives");
                engine.report(report, &mut emit);
            }
        }
    }
    open.send(()).unwrap();
    writer.close(None, || None).unwrap();
    let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    [all, written.lines().map(String::from).collect()]
}

/// A random position: its game and the moves from the start.
fn random_position(games: &[&str], rng: &mut Rng) -> (AnyGame, String) {
    let mut game = any::by_name(rng.choose(games).unwrap()).unwrap();
    let longest = u64::from(game.plies_left());
    let plies = match rng.below(2) {
        0 => longest.saturating_sub(rng.below(10)),
        _ => rng.below(longest + 1),
    };
    let mut moves = String::new();
    for _ in 0..plies {
        if game.outcome().is_some() {
            break;
        }
        let m = *rng.choose(&game.moves()).unwrap();
        moves += &format!(" {}", game.write_move(m));
        game.play(m).unwrap();
    }
    (game, moves)
}

/// A random `go` with small limits.
fn random_go(game: &AnyGame, rng: &mut Rng) -> String {
    let limit = match rng.below(6) {
        0 => format!("depth {}", rng.below(7)),
        1 => format!("mate {} nodes 3000", 1 + rng.below(3)),
        2 => format!("exact nodes {}", rng.below(3_000)),
        3 => format!("wld nodes {}", rng.below(3_000)),
        _ => format!("nodes {}", rng.below(3_000)),
    };
    let moves = game.moves();
    let legal = game.outcome().is_none() && rng.below(4) == 0;
    let some: Vec<String> = moves
        .iter()
        .filter(|_| legal && rng.below(2) == 0)
        .map(|&m| game.write_move(m))
        .collect();
    if some.is_empty() {
        format!("go {limit}")
    } else {
        format!("go {limit} searchmoves {}", some.join(" "))
    }
}

/// Random options as `NAME VALUE`.
fn random_options(rng: &mut Rng) -> Vec<(&'static str, String)> {
    let mut options = vec![("Clear Hash", String::new())];
    for (name, values) in [
        ("MultiPV", "1 1 2 5 64"),
        (
            "Algorithm",
            "auto auto auto auto minimax alphabeta failsoft negascout mtdf",
        ),
        ("Selectivity", "auto auto 73 95 100"),
        ("Deepening", "true true true false"),
        ("Table", "true true true false"),
    ] {
        let values: Vec<&str> = values.split(' ').collect();
        options.push((name, (*rng.choose(&values).unwrap()).into()));
    }
    options
}

/// The games of a dialect.
fn games(protocol: Protocol) -> Vec<&'static str> {
    let has_discs = |name: &&str| any::by_name(name).unwrap().discs().is_some();
    let is_listed = |name: &&str| !protocol.rules().discs_only || has_discs(name);
    any::NAMES.into_iter().filter(is_listed).collect()
}

/// A session of a dialect.
fn session(protocol: Protocol, rng: &mut Rng) -> Vec<String> {
    let mut lines = Vec::new();
    for number in 0..SEARCHES {
        let (game, moves) = random_position(&games(protocol), rng);
        let set = |name: &str, value: &str| match (protocol, value) {
            (Protocol::Gtp, "") => format!("nullwindow-option {name}"),
            (Protocol::Gtp, _) => format!("nullwindow-option {name}={value}"),
            (Protocol::NBoard, _) => format!("set option {name}={value}"),
            (_, "") => format!("setoption name {name}"),
            _ => format!("setoption name {name} value {value}"),
        };
        lines.push(set("Game", game.name()));
        for (name, value) in random_options(rng) {
            lines.push(set(name, &value));
        }
        match protocol {
            Protocol::Ugi | Protocol::Uci => {
                lines.push(format!("position startpos moves{moves}"));
                lines.push(random_go(&game, rng));
                lines.push("isready".into());
            }
            Protocol::Gtp => {
                for (ply, m) in moves.split_whitespace().enumerate() {
                    lines.push(format!("{number} play {} {m}", ["b", "w"][ply % 2]));
                }
                lines.push(format!(
                    "00{number} nullwindow-hint 3 depth {}",
                    1 + rng.below(4)
                ));
            }
            Protocol::NBoard => {
                lines.push(format!("set depth {}", 1 + rng.below(5)));
                lines.extend(moves.split_whitespace().map(|m| format!("move {m}")));
                lines.push(format!("hint {}", 1 + rng.below(4)));
                lines.push("go".into());
            }
        }
    }
    lines
}

/// A field of an `info` line.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let mut words = line.split(' ');
    words.find(|word| *word == name)?;
    words.next()
}

/// The lines of each search up to its `bestmove`.
fn searches(lines: &[String]) -> Vec<&[String]> {
    let is_end = |line: &String| line.starts_with("bestmove") || line.starts_with("===");
    lines.split_inclusive(is_end).collect()
}

/// Whether a line must reach the reader, of the lines of its search: all but superseded ones.
fn is_kept(at: usize, lines: &[String]) -> bool {
    let line = &lines[at];
    let is_iteration = |line: &&String| line.contains(" pv ") && !line.contains("bound ");
    if !line.starts_with("info depth ") || !line.contains(" pv ") {
        return !line.contains(" currmove ");
    }
    let depth = |line: &String| field(line, "depth").unwrap().parse::<u8>().unwrap();
    let is_last = |line: &String| {
        let deepest = lines.iter().filter(is_iteration).map(depth).max();
        Some(depth(line)) >= deepest
    };
    let before = lines[..at].iter().rfind(|line| line.contains(" pv "));
    let changes_move = before.is_none_or(|before| field(before, "pv") != field(line, "pv"));
    let later = lines[at + 1..].iter().any(|later| {
        later.contains(" pv ") && (is_iteration(&later) || field(later, "pv") == field(line, "pv"))
    });
    match is_iteration(&line) {
        true => is_last(line),
        false => changes_move && !later,
    }
}

#[test]
fn a_reader_that_starts_late_misses_only_superseded_lines() {
    for protocol in [
        Protocol::Ugi,
        Protocol::Uci,
        Protocol::Gtp,
        Protocol::NBoard,
    ] {
        let (mut number, mut dropped) = (0, 0);
        for seed in 0..SESSIONS {
            let lines = session(
                protocol,
                &mut Rng::for_stream(73, 10 * seed + protocol as u64),
            );
            let [all, late] = run(protocol, &lines);
            let what = format!("{} {seed}:\n{}", protocol.name(), lines.join("\n"));
            assert!(all.iter().all(|line| !line.ends_with(' ')), "{what}");
            let (all, late) = (searches(&all), searches(&late));
            assert_eq!(all.len(), late.len(), "{what}");
            for (all, late) in all.into_iter().zip(late) {
                let mut rest = all.iter();
                for line in late {
                    assert!(rest.any(|known| known == line), "{line} is new: {what}");
                }
                let mut rest = late.iter();
                let kept = (0..all.len()).filter(|&at| is_kept(at, all));
                for line in kept.map(|at| &all[at]) {
                    assert!(rest.any(|found| found == line), "{line} is lost: {what}");
                }
                let played = late.last().filter(|line| line.starts_with("bestmove"));
                let last = late.iter().rfind(|line| line.contains(" pv "));
                if let (Some(played), Some(last)) = (played, last) {
                    assert_eq!(field(played, "bestmove"), field(last, "pv"), "{what}");
                }
                number += 1;
                dropped += all.len() - late.len();
            }
        }
        // GTP prints no progress, and every line of NBoard's hints is an answer.
        let has_progress = matches!(protocol, Protocol::Ugi | Protocol::Uci);
        assert!(
            number > 0 && (dropped > 0) == has_progress,
            "{dropped} lines dropped"
        );
    }
}

#[test]
fn a_repeated_session_prints_the_same_lines() {
    for protocol in [Protocol::Ugi, Protocol::Uci, Protocol::Gtp] {
        for seed in 0..SESSIONS {
            let lines = session(
                protocol,
                &mut Rng::for_stream(74, 10 * seed + protocol as u64),
            );
            let [first, second] = [(); 2].map(|()| {
                let [all, _] = run(protocol, &lines);
                all.iter().map(|line| normalized(line)).collect::<Vec<_>>()
            });
            assert_eq!(first, second, "{}", lines.join("\n"));
        }
    }
}

/// The last node count of a search, and its lines without times.
fn last_nodes(lines: &[String]) -> (u64, Vec<String>) {
    let mut counts = lines.iter().filter_map(|line| field(line, "nodes"));
    let nodes = counts.next_back().unwrap().parse().unwrap();
    (nodes, lines.iter().map(|line| normalized(line)).collect())
}

#[test]
fn node_limits_hold_and_searches_with_exact_nodes_repeat() {
    let mut rng = Rng::new(75);
    for round in 0..150 {
        let (game, moves) = random_position(&any::NAMES, &mut rng);
        let is_exact = rng.below(4) > 0;
        let strength = [0, 0, 0, 10][rng.below(4) as usize];
        let mut setup = vec![
            format!("setoption name Game value {}", game.name()),
            format!("setoption name Exact Nodes value {is_exact}"),
            format!("setoption name Strength value {strength}"),
        ];
        for (name, value) in random_options(&mut rng).into_iter().skip(1) {
            setup.push(format!("setoption name {name} value {value}"));
        }
        let position = format!("position startpos moves{moves}");
        if rng.below(3) == 0 {
            setup.extend([position.clone(), format!("go nodes {}", rng.below(5_000))]);
        }
        setup.push(position);
        let kind = *rng
            .choose(&["", "exact ", "wld ", "mate 2 ", "depth 6 ", "depth 0 "])
            .unwrap();
        let restricted = random_go(&game, &mut rng);
        let moves = restricted
            .find(" searchmoves ")
            .map_or("", |at| &restricted[at..]);
        let search = |nodes: u64| {
            let mut lines = setup.clone();
            let before = run(Protocol::Ugi, &lines)[0].len();
            lines.push(format!("go {kind}nodes {nodes}{moves}"));
            (last_nodes(&run(Protocol::Ugi, &lines)[0][before..]), lines)
        };
        // The most nodes that the search takes, then limits below that.
        let ((total, _), _) = search(5_000);
        for _ in 0..3 {
            let limit = rng.below(total + 1);
            let ((nodes, first), lines) = search(limit);
            let what = format!("round {round}, {}", lines.join("\n"));
            let most = if is_exact { limit } else { limit + 1_000 };
            // A finished game is answered without a search, as one node.
            assert!(
                nodes <= most.max(u64::from(game.outcome().is_some())),
                "{nodes}: {what}"
            );
            if is_exact && strength == 0 {
                assert_eq!(search(nodes).0.1, first, "{nodes} nodes: {what}");
            }
        }
    }
}
