//! The stable surface: the lines and JSON fields that clients may parse, taken from the real
//! binary.
//!
//! The surface is in `tests/data/stable.txt`. The last section of protocol.md, `Changes`, is its
//! history: each entry begins with the checksum of the resulting surface, newest first. After a
//! change, this test fails and prints the new checksum until protocol.md has an entry for it; then
//! `UPDATE_STABLE=1 cargo test stable::` rewrites the file.
//!
//! A line is reduced to its shape: numbers become `N`, moves `M` (several in a row one), positions
//! `POSITION`. Of JSON it is the paths of the fields with the types of their values; what may be
//! absent or `null` is in some of the samples.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{converse, nullwindow, without_keep_alive};
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// FNV-1a, 32 bits.
fn checksum(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{hash:08x}")
}

/// A word with what differs from answer to answer replaced.
fn word_shape(word: &str) -> String {
    let is_square = |word: &str| {
        let lower = word.to_ascii_lowercase();
        matches!(lower.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
            || matches!(lower.as_str(), "pass" | "pa")
    };
    let is_drop = |word: &str| word.strip_prefix("P@").is_some_and(is_square);
    let is_line = |word: &str| {
        let pairs = word
            .as_bytes()
            .chunks(2)
            .map(|pair| std::str::from_utf8(pair).unwrap_or(""));
        word.len() > 2 && pairs.into_iter().all(is_square)
    };
    if is_square(word) || is_drop(word) || is_line(word) {
        return "M".into();
    }
    if word.matches('/').count() == 2 && word.contains('.') {
        return word
            .split('/')
            .map(word_shape)
            .collect::<Vec<_>>()
            .join("/");
    }
    if word.matches('/').count() >= 2 {
        return "POSITION".into();
    }
    let (mut shape, mut in_number) = (String::new(), false);
    for c in word.chars() {
        // as in `p1win`
        let in_name = shape.ends_with(|last: char| last.is_ascii_alphabetic() && last != 'N');
        let of_number = (c.is_ascii_digit() && !in_name)
            || (in_number && c == '.')
            || (shape.is_empty() && matches!(c, '-' | '+'));
        if of_number && !in_number {
            shape.push('N');
        } else if !of_number {
            shape.push(c);
        }
        in_number = of_number;
    }
    // A sign alone, and a word that is none: `-` and `x4` stay what they are.
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        shape
    } else {
        word.into()
    }
}

/// The shape of a line. The texts of errors are not stable.
fn shape(line: &str) -> String {
    let is_error = |head: &&&str| line.starts_with(**head);
    if let Some(head) = ["info string error: ", "status error: ", "? ", "?2 "]
        .iter()
        .find(is_error)
    {
        return format!("{}TEXT", head.replace('2', "N"));
    }
    let mut words: Vec<String> = line.split(' ').map(word_shape).collect();
    words.dedup_by(|next, previous| next == previous && next == "M");
    words
        .join(" ")
        .replace("POSITION x", "POSITION")
        .replace("POSITION o", "POSITION")
}

/// The distinct shapes of the lines that a session answers; keep-alive lines of slow machines are
/// ignored.
fn shapes(arguments: &[&str], input: &str) -> BTreeSet<String> {
    let (lines, status) = converse(arguments, input.as_bytes());
    assert!(status.success());
    without_keep_alive(lines)
        .iter()
        .map(|line| shape(line))
        .collect()
}

/// The listing of a greeting: options as they are, except the instruction sets and the version.
fn listing(greeting: &str) -> Vec<String> {
    let (lines, _) = converse(&[], format!("{greeting}\n").as_bytes());
    let line = |line: &String| match line.split_once(" var ") {
        Some((head, _)) if head.contains(" Kernel ") => head.to_owned(),
        _ => line.replace(env!("CARGO_PKG_VERSION"), "VERSION"),
    };
    lines.iter().map(line).collect()
}

/// The paths of the fields of JSON values, with the types they have.
fn fields(values: &[Value]) -> BTreeSet<String> {
    fn walk(path: &str, value: &Value, found: &mut BTreeMap<String, BTreeSet<&'static str>>) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(items) => {
                items
                    .iter()
                    .for_each(|item| walk(&format!("{path}[]"), item, found));
                "array"
            }
            Value::Object(map) => {
                map.iter()
                    .for_each(|(key, value)| walk(&format!("{path}.{key}"), value, found));
                "object"
            }
        };
        let kinds = found.entry(path.to_owned()).or_default();
        kinds.insert(kind);
        if path.ends_with(".cpu") {
            kinds.extend(["null", "number"]); // not every system reports it
        }
        if path.ends_with(".own_overhead_us") {
            kinds.extend(["null", "object"]);
            found.retain(|field, _| !field.contains(".own_overhead_us."));
        }
    }
    let mut found = BTreeMap::new();
    values.iter().for_each(|value| walk("", value, &mut found));
    let line = |(path, kinds): (String, BTreeSet<&str>)| {
        format!("{path}: {}", Vec::from_iter(kinds).join(" or "))
    };
    found
        .into_iter()
        .filter(|(path, _)| !path.is_empty())
        .map(line)
        .collect()
}

/// The JSON lines of a text.
fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a subcommand prints.
fn printed(words: &[&str], input: &str) -> String {
    String::from_utf8(nullwindow(words, input).stdout).unwrap()
}

const SESSION: &str = "isready\ngo depth 6\ngo nodes 1500000\nuginewgame\nmoves depth 4\nsetoption name MultiPV \
                       value 2\ngo depth 2\nsetoption name MultiPV value 1\nsetoption name Show Accuracy value \
                       true\ngo depth 2\nposition startpos moves f5 d6 c3 d3 c4 f4 c5 b3\ngo depth 4\nsetoption name \
                       Show Accuracy value false\nposition startpos\nquery p1turn\nquery gameover\nquery \
                       result\nquery fen\nquery legalmoves\nquery weather\ngo perft 2\nsetoption name Game \
                       value othello4\ngo wld\nsetoption name Game value \
                       tictactoe\ngo perft 6\ngo depth 9\nposition \
                       startpos moves a1 b1 a2 b2 a3\nquery result\nquery legalmoves\ngo depth 3\nposition startpos \
                       moves a1 b1 a2 b2\ngo depth 5\nhello\n";

/// The answers of `solve --json`: positions and total.
fn solve() -> [BTreeSet<String>; 2] {
    let problems: String = fs::read_to_string(path("tests/data/endgames-12.obf"))
        .unwrap()
        .lines()
        .take(4)
        .map(|l| format!("{l}\n"))
        .collect();
    let mut runs = vec![printed(&["solve", "-", "--json", "--all-moves"], &problems)];
    runs.push(printed(
        &["solve", "-", "--json", "--wld", "--only", "3-3"],
        &problems,
    ));
    runs.push(printed(
        &["solve", "-", "--json", "--distance", "--game", "tictactoe"],
        "a1 b1\n",
    ));
    runs.push(printed(
        &["solve", "--start", "--json", "--limit-seconds", "0.01"],
        "",
    ));
    let claims = "startpos; >= -8; <= 0;\nstartpos; >= 0;\n";
    runs.push(printed(
        &["solve", "-", "--json", "--game", "othello4"],
        claims,
    ));
    rows_and_totals(&runs)
}

/// The fields of rows, and of the totals that end each run.
fn rows_and_totals(runs: &[String]) -> [BTreeSet<String>; 2] {
    let (mut rows, mut totals) = (Vec::new(), Vec::new());
    for run in runs {
        let mut values = json_lines(run);
        totals.extend(values.pop());
        rows.extend(values);
    }
    [fields(&rows), fields(&totals)]
}

/// The answers of `analyze --json`: games and total.
fn analyze() -> [BTreeSet<String>; 2] {
    let analyze = |more: &[&str], games: &str| {
        let words = [&["analyze", "-", "--json", "--depth", "4"], more].concat();
        printed(&words, games)
    };
    rows_and_totals(&[
        analyze(
            &[],
            "[Event \"x\"]\n[Date \"2026.11.26\"]\n[White \"a\"]\n[Black \"b\"]\n\n1. f5 {book} d6 2. c3 d3 1-0\n",
        ),
        analyze(&["--result-order", "first"], "f5d6c3d3c4 0-64\n"),
        analyze(&["--game", "tictactoe"], "a1 b1 a2 b2 a3 0-1\n"),
        analyze(&[], "8/8/8/3ox3/3xo3/8/8/8 o moves e3\n"),
    ])
}

/// The fields of the match runner's records of games and of plies, and of its results.
fn match_records() -> [BTreeSet<String>; 3] {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stable-{}", std::process::id()));
    let engine = crate::common::command()
        .get_program()
        .to_string_lossy()
        .into_owned();
    let out = folder.display().to_string();
    let (one, two) = (format!("cmd={engine}"), "tc=60");
    let words = [
        "tournament",
        "--engine",
        &one,
        "name=a",
        "--engine",
        &one,
        "name=b",
        "--each",
        two,
        "--game",
        "othello4",
    ];
    let more = [
        "--rounds", "1", "--json", "--sprt", "elo0=0", "elo1=5", "--out", &out,
    ];
    let output = nullwindow(&[&words[..], &more].concat(), "");
    assert!(output.status.success(), "{output:?}");
    let [games, plies] = ["games", "plies"]
        .map(|name| fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap());
    fs::remove_dir_all(folder).unwrap();
    [games, plies, String::from_utf8(output.stdout).unwrap()].map(|text| fields(&json_lines(&text)))
}

/// The whole surface.
fn surface() -> String {
    let mut text = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        assert!(!lines.is_empty(), "{title}");
        text += &format!("== {title}\n{}\n\n", lines.join("\n"));
    };
    section("ugi: the listing", listing("ugi"));
    section("uci: the listing", listing("uci"));
    section("ugi: lines", shapes(&[], SESSION).into_iter().collect());
    let in_uci = format!(
        "uci\n{SESSION}setoption name UCI_Variant value flipello\nposition startpos\ngo depth 4\n"
    );
    let listed = BTreeSet::from_iter(listing("uci").iter().map(|line| shape(line)));
    let of_uci = shapes(&[], &in_uci)
        .into_iter()
        .filter(|line| !line.starts_with("id ") && !line.starts_with("option "));
    section(
        "uci: lines",
        of_uci.filter(|line| !listed.contains(line)).collect(),
    );
    let commands = printed(&["--protocol", "gtp"], "list_commands\n");
    section(
        "gtp: commands",
        commands
            .trim()
            .trim_start_matches("= ")
            .lines()
            .map(String::from)
            .collect(),
    );
    let gtp = "nullwindow-option Depth=2\n1 name\nplay b d3\n2 play b a1\nreg_genmove w\nnullwindow-hint 2 depth 4\n\
               nullwindow-hint 1 depth 2\n\
               final_score\ngogui-rules_side_to_move\ngogui-rules_legal_moves\nfoo\n";
    section(
        "gtp: lines",
        shapes(&["--protocol", "gtp"], gtp).into_iter().collect(),
    );
    let nboard = "nboard 2\nset depth 4\nping 1\nlearn\nmove F5\nset game nonsense\n";
    let mut engine = crate::common::Engine::start(&[]);
    engine.send(nboard.trim_end());
    let mut lines = engine.until("status error");
    engine.send("hint 2");
    lines.extend(engine.until_line("status"));
    engine.send("go");
    lines.extend(engine.until("=== "));
    engine.send("analyze");
    lines.extend(engine.until_line("status"));
    engine.send("ping 2");
    lines.extend(engine.until("pong 2"));
    let lines = without_keep_alive(lines);
    section(
        "nboard: lines",
        BTreeSet::from_iter(lines.iter().map(|line| shape(line)))
            .into_iter()
            .collect(),
    );
    let [row, total] = solve();
    section("solve --json: a position", row.into_iter().collect());
    section("solve --json: the total, last", total.into_iter().collect());
    let [game, total] = analyze();
    section("analyze --json: a game", game.into_iter().collect());
    section(
        "analyze --json: the totals, last",
        total.into_iter().collect(),
    );
    let compared = printed(
        &["compare", "--game", "tictactoe", "--depth", "2", "--json"],
        "",
    );
    section(
        "compare --json",
        fields(&[serde_json::from_str(&compared).unwrap()])
            .into_iter()
            .collect(),
    );
    let reproduced = printed(&["reproduce", "004", "--json"], "");
    section(
        "reproduce --json",
        fields(&[serde_json::from_str(&reproduced).unwrap()])
            .into_iter()
            .collect(),
    );
    let [games, plies, results] = match_records();
    section("tournament: games.jsonl", games.into_iter().collect());
    section("tournament: plies.jsonl", plies.into_iter().collect());
    section("tournament --json", results.into_iter().collect());
    let bench = printed(&["bench"], "");
    section(
        "bench: its last line",
        vec![shape(bench.lines().last().unwrap())],
    );
    section(
        "perft: its last line",
        vec![shape(printed(&["perft", "3"], "").trim())],
    );
    text
}

/// The checksums of the entries of section `Changes`, newest first.
fn entries(protocol: &str) -> Vec<String> {
    let (_, changes) = protocol
        .split_once("\n## Changes\n")
        .expect("protocol.md has a section Changes");
    assert!(
        !changes.contains("\n## "),
        "Changes is the last section of protocol.md"
    );
    let checksums = changes
        .lines()
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'));
    checksums.map(|(checksum, _)| checksum.to_owned()).collect()
}

#[test]
fn the_stable_surface_changes_only_with_an_entry_in_protocol_md() {
    let entries = entries(&fs::read_to_string(path("protocol.md")).unwrap());
    let recorded = fs::read_to_string(path("tests/data/stable.txt"))
        .unwrap_or_default()
        .replace("\r\n", "\n");
    let surface = surface();
    let announced = checksum(&surface);
    let different: Vec<&str> = {
        let (old, new) = (
            BTreeSet::from_iter(recorded.lines()),
            BTreeSet::from_iter(surface.lines()),
        );
        old.symmetric_difference(&new).copied().collect()
    };
    assert_eq!(
        entries.first(),
        Some(&announced),
        "the newest entry of section Changes in protocol.md does not announce this surface: add one that begins with \
         \"- `{announced}`\" and says what clients have to know; different: {different:#?}"
    );
    let distinct: BTreeSet<&String> = entries.iter().collect();
    assert_eq!(distinct.len(), entries.len(), "a surface has one entry");
    if std::env::var_os("UPDATE_STABLE").is_some() {
        fs::write(path("tests/data/stable.txt"), &surface).unwrap();
    } else {
        assert_eq!(
            recorded, surface,
            "announced: UPDATE_STABLE=1 cargo test stable:: rewrites the record"
        );
    }
}

#[test]
fn a_shape_keeps_the_words_and_drops_the_values() {
    for (line, expected) in [
        (
            "info depth 6 seldepth 6 score cp -100 nodes 3169 nps 1 hashfull 0 time 1 pv f6 f3 e6",
            "info depth N seldepth N score cp N nodes N nps N hashfull N time N pv M",
        ),
        ("bestmove P@e3 ponder P@c5", "bestmove M ponder M"),
        ("response 8/8/8/3ox3/3xo3/8/8/8 x", "response POSITION"),
        ("D3 -1.00 4@73% D3 C3 F4", "M N N@N% M"),
        ("search F6f4E3 +0.50 0 12", "search M N N N"),
        ("=== F5/-1.25/0.03", "=== M/N/N"),
        ("info string exact", "info string exact"),
        ("=12 nullwindow", "=N nullwindow"),
        ("response p1win", "response p1win"),
    ] {
        assert_eq!(shape(line), expected);
    }
    let values = json_lines("{\"a\":1,\"b\":[{\"c\":null},{\"c\":\"x\"}]}\n{\"a\":2}");
    assert_eq!(
        Vec::from_iter(fields(&values)),
        [
            ".a: number",
            ".b: array",
            ".b[].c: null or string",
            ".b[]: object"
        ]
    );
}
