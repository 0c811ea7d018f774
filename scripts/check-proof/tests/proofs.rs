//! The checker on proofs of the engine: of every game, of random positions (against minimax), and
//! with every kind of damage. The engine is the program NULLWINDOW, by default the release build
//! of this repository.

#[allow(dead_code)]
#[path = "../src/rules.rs"]
mod rules;
#[path = "../src/sha256.rs"]
mod sha256;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use rules::{GAMES, Game, Position, name, squares};

const HEADER: usize = 56;
const RECORD: usize = 18;
const CHECKSUM: usize = 32;

/// A file of these tests.
fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn text(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    format!("{stdout}{}", String::from_utf8_lossy(&output.stderr))
}

/// The output of the engine for a proof, and what it has written.
fn try_prove(id: &str, arguments: &[&str]) -> (Output, Vec<u8>) {
    let default = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/release/nullwindow"
    );
    let engine = env::var("NULLWINDOW").unwrap_or_else(|_| default.into());
    let out = file(&format!("{id}.proof"));
    let mut command = Command::new(engine);
    command.arg("prove").args(arguments).arg("--out").arg(&out);
    let output = command
        .output()
        .expect("no engine: build it, or set NULLWINDOW");
    let proof = fs::read(&out).unwrap_or_default();
    let _ = fs::remove_file(out);
    (output, proof)
}

/// The proof that the engine writes.
fn prove(id: &str, arguments: &[&str]) -> Vec<u8> {
    let (output, proof) = try_prove(id, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    proof
}

/// The exit status of the checker and its output.
fn check(id: &str, bytes: &[u8]) -> (i32, String) {
    let file = file(&format!("{id}.checked"));
    fs::write(&file, bytes).unwrap();
    run(&[file.to_str().unwrap()])
}

fn run(arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_check-proof"));
    let output = command.args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

#[test]
fn a_closed_pipe_does_not_change_the_exit_status() {
    let proof = file("closed-pipe.proof");
    fs::write(&proof, prove("closed-pipe", &["--game", "tictactoe"])).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_check-proof"));
    let output = command.arg(&proof).stdout(writer).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output), "");
}

/// A file with these header and records, and the checksum that belongs to them.
fn signed(header: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes[48..56].copy_from_slice(&(records.len() as u64).to_le_bytes());
    records.iter().for_each(|record| bytes.extend(record));
    bytes.extend(sha256::digest(&bytes));
    bytes
}

/// The header and the records of a proof.
fn parts(proof: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let records = proof[HEADER..proof.len() - CHECKSUM].chunks(RECORD);
    (
        proof[..HEADER].to_vec(),
        records.map(<[u8]>::to_vec).collect(),
    )
}

fn position(record: &[u8]) -> Position {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    Position {
        own: word(&record[..8]),
        other: word(&record[8..16]),
    }
}

/// The value by alpha-beta.
fn value(game: &Game, position: Position, mut alpha: i32, beta: i32) -> i32 {
    if let Some(value) = game.outcome(position) {
        return value;
    }
    let moves = game.moves(position);
    if moves == 0 {
        return -value(game, position.passed(), -beta, -alpha);
    }
    let mut best = -99;
    for square in squares(moves) {
        best = best.max(-value(game, game.play(position, square), -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn game(name: &str) -> &'static Game {
    GAMES.iter().find(|game| game.name == name).unwrap()
}

/// The start of a game.
fn start(game: &Game) -> Position {
    let (own, other) = match game.name {
        "othello" => (1 << 28 | 1 << 35, 1 << 27 | 1 << 36),
        "othello4" => (1 << 10 | 1 << 17, 1 << 9 | 1 << 18),
        "diamond2" => (1 << 19 | 1 << 27, 1 << 18 | 1 << 26),
        "tictactoe" => (0, 0),
        _ => (1 << 19 | 1 << 26, 1 << 18 | 1 << 27),
    };
    Position { own, other }
}

/// Small random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) as u32 % limit
    }
}

/// A random game down to this many empties: its moves and its last position; `None` if it ends
/// before.
fn random_game(game: &Game, empties: u32, random: &mut Random) -> Option<(String, Position)> {
    let (mut moves, mut position) = (Vec::new(), start(game));
    while game.empty(position).count_ones() > empties {
        let legal: Vec<u32> = squares(game.moves(position)).collect();
        if game.outcome(position).is_some() {
            return None;
        }
        if legal.is_empty() {
            moves.push("pass".into());
            position = position.passed();
            continue;
        }
        let square = legal[random.below(legal.len() as u32) as usize];
        moves.push(name(square));
        position = game.play(position, square);
    }
    (game.outcome(position).is_none() && game.moves(position) != 0)
        .then(|| (moves.join(" "), position))
}

#[test]
fn every_game_is_proven_and_verified() {
    for (game, leaves, claims) in [
        ("tictactoe", "0", "value >= 0, value <= 0"),
        ("tictactoe", "3", "value >= 0, value <= 0"),
        ("othello4", "0", "value >= -8, value <= -8"),
        ("othello4", "6", "value >= -8, value <= -8"),
        ("diamond", "10", ""),
        ("diamond2", "10", ""),
    ] {
        let id = format!("whole-{game}-{leaves}");
        let proof = prove(
            &id,
            &["--game", game, "--leaf-empties", leaves, "--threads", "2"],
        );
        let (status, output) = check(&id, &proof);
        assert_eq!(status, 0, "{game}: {output}");
        assert!(
            output.contains(claims) && output.ends_with("verified\n"),
            "{output}"
        );
    }
}

#[test]
fn the_exit_status_distinguishes_usage_from_a_wrong_proof() {
    let missing = file("missing");
    let missing = missing.to_str().unwrap();
    for arguments in [&[][..], &[missing], &[missing, missing]] {
        assert_eq!(run(arguments).0, 2, "{arguments:?}");
    }
    for bytes in [&b""[..], b"NWPROOF", b"NWPROOF2............", b"text"] {
        let (status, output) = check("format", bytes);
        assert_eq!(status, 2, "{output}");
        assert!(
            output.starts_with("error: ") && output.contains("not a proof"),
            "{output}"
        );
    }
}

#[test]
fn headers_beyond_the_limits_of_the_format_are_rejected_at_once() {
    let start = start(game("othello"));
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(b"NWPROOF1");
    header[8..15].copy_from_slice(b"othello");
    header[24..32].copy_from_slice(&start.own.to_le_bytes());
    header[32..40].copy_from_slice(&start.other.to_le_bytes());
    let no_bound = -128_i8 as u8;
    for (leaf_empties, lower, upper, reason) in [
        (60, 2, no_bound, "leaves of 60 empties, the limit is 20"),
        (21, 2, no_bound, "leaves of 21 empties, the limit is 20"),
        (255, 2, no_bound, "leaves of 255 empties, the limit is 20"),
        (20, 65, no_bound, "value >= 65: no value of a game"),
        (
            20,
            no_bound,
            -65_i8 as u8,
            "value <= -65: no value of a game",
        ),
        (20, no_bound, no_bound, "nothing is claimed"),
        (20, 64, no_bound, "value >= 64 there is missing"),
    ] {
        (header[41], header[42], header[43]) = (leaf_empties, lower, upper);
        let (status, output) = check("limits", &signed(&header, &[]));
        assert_eq!(status, 1, "{output}");
        assert!(output.contains(reason), "{reason}: {output}");
    }
    // A claim that is not signed, and one more byte than the most claims take.
    let longest = HEADER + 14_000_000 * RECORD + CHECKSUM;
    let path = file("long");
    fs::write(&path, header).unwrap();
    let long = fs::OpenOptions::new().write(true).open(&path).unwrap();
    long.set_len(longest as u64 + 1).unwrap();
    let (status, output) = run(&[path.to_str().unwrap()]);
    assert_eq!(status, 1, "{output}");
    assert!(output.contains("has more than 252000088 bytes"), "{output}");
    if cfg!(unix) {
        let (status, output) = run(&["/dev/zero"]);
        assert_eq!((status, output.contains("not a proof")), (2, true));
    }
}

/// Proves bounds of a tic-tac-toe position and checks the proofs of those that hold.
fn prove_every_bound(position: Position, moves: &str, leaf_empties: &str) {
    let game = game("tictactoe");
    let value = value(game, position, -2, 2);
    let exact = (
        Vec::new(),
        true,
        format!("value >= {value}, value <= {value}"),
    );
    let bounds = (-1..=1).flat_map(|bound| {
        [
            (
                vec![format!("--at-least={bound}")],
                value >= bound,
                format!("value >= {bound}"),
            ),
            (
                vec![format!("--at-most={bound}")],
                value <= bound,
                format!("value <= {bound}"),
            ),
        ]
    });
    for (bounds, holds, claims) in bounds.chain([exact]) {
        let mut arguments = vec!["--game", "tictactoe", "--leaf-empties", leaf_empties];
        arguments.extend(["--position", moves]);
        arguments.extend(bounds.iter().map(String::as_str));
        let (output, proof) = try_prove("every-bound", &arguments);
        let status = output.status.code();
        assert_eq!(
            status,
            Some(i32::from(!holds)),
            "{arguments:?}: {}",
            text(&output)
        );
        if holds {
            let (status, output) = check("every-bound", &proof);
            assert_eq!(status, 0, "{arguments:?}: {output}");
            assert!(output.contains(&claims), "{arguments:?}: {output}");
        }
    }
}

#[test]
fn every_bound_of_tic_tac_toe_positions_is_proven_or_refuted() {
    let mut random = Random(73);
    let game = game("tictactoe");
    for number in 0..60 {
        let (mut moves, mut position) = (String::from("startpos moves"), start(game));
        for _ in 0..random.below(10) {
            let legal: Vec<u32> = squares(game.moves(position)).collect();
            if legal.is_empty() {
                break;
            }
            let square = legal[random.below(legal.len() as u32) as usize];
            moves += &format!(" {}", name(square));
            position = game.play(position, square);
        }
        prove_every_bound(position, &moves, if number % 3 == 0 { "2" } else { "0" });
    }
}

#[test]
fn random_proofs_agree_with_minimax() {
    let mut random = Random(52);
    for game in &GAMES {
        let is_line = game.name == "tictactoe";
        let mut proven = 0;
        while proven < 6 {
            let empties = if is_line { 7 - proven } else { 9 - proven % 2 };
            let Some((moves, root)) = random_game(game, empties, &mut random) else {
                continue;
            };
            proven += 1;
            let value = value(game, root, -99, 99);
            let id = format!("random-{}-{proven}", game.name);
            let arguments = [
                "--game",
                game.name,
                "--position",
                &moves,
                "--leaf-empties",
                "4",
            ];
            let proof = prove(&id, &arguments);
            let (status, output) = check(&id, &proof);
            assert_eq!(status, 0, "{} {moves}: {output}", game.name);
            let claim = format!("value >= {value}, value <= {value}");
            assert!(
                output.contains(&claim),
                "{} {moves}: {claim}: {output}",
                game.name
            );
            // The opposite of a true claim has no proof.
            let (mut header, records) = parts(&proof);
            header[42] = (value + 1) as u8;
            let (status, output) = check(&id, &signed(&header, &records));
            assert_eq!(status, 1, "{output}");
        }
    }
}

/// Small proofs and their games.
fn small_proofs() -> Vec<(&'static Game, Vec<u8>)> {
    let small = |name: &str, more: &[&str]| {
        let arguments = [&["--game", name][..], more].concat();
        (game(name), prove(&format!("small-{name}"), &arguments))
    };
    vec![
        small("tictactoe", &["--leaf-empties", "5"]),
        small("othello4", &["--leaf-empties", "8"]),
    ]
}

#[test]
fn damage_is_detected() {
    for (game, proof) in small_proofs() {
        let (header, records) = parts(&proof);
        assert!((3..60).contains(&records.len()), "{} claims", records.len());
        let rejected = |what: &str, bytes: &[u8], reason: &str| {
            let (status, output) = check(&format!("damage-{}", game.name), bytes);
            assert_eq!(status, 1, "{}, {what}: {output}", game.name);
            assert!(output.contains(reason), "{}, {what}: {output}", game.name);
        };
        // Without a new checksum.
        for at in MAGIC..proof.len() {
            let mut bytes = proof.clone();
            bytes[at] ^= 1 << (at % 8);
            rejected("a flipped bit", &bytes, "the checksum is wrong");
        }
        for length in (MAGIC..proof.len()).step_by(7) {
            rejected("a truncated file", &proof[..length], "not verified");
        }
        let longer = [&proof[..], &[0]].concat();
        rejected("a longer file", &longer, "the checksum is wrong");
        // With a new checksum.
        for index in 0..records.len() {
            let mut fewer = records.clone();
            fewer.remove(index);
            rejected("a removed claim", &signed(&header, &fewer), "is missing");
            let mut more = records.clone();
            more.insert(index, records[index].clone());
            rejected("a repeated claim", &signed(&header, &more), "repeated");
            if index > 0 {
                let mut swapped = records.clone();
                swapped.swap(index, index - 1);
                rejected(
                    "reordered claims",
                    &signed(&header, &swapped),
                    "not verified",
                );
            }
        }
        // A true claim that the root does not need: the value is at most 64 where only leaves follow.
        let stones = |record: &Vec<u8>| {
            let Position { own, other } = position(record);
            (own | other).count_ones()
        };
        let mut spare = records
            .iter()
            .max_by_key(|record| stones(record))
            .unwrap()
            .clone();
        (spare[16], spare[17]) = (64, 255);
        let mut more = records.clone();
        let place = more.partition_point(|record| order(record) < order(&spare));
        more.insert(place, spare);
        rejected("a claim too many", &signed(&header, &more), "not needed");
        for (at, value) in changes(&header) {
            let mut changed = header.clone();
            changed[at] = value;
            let bytes = signed(&changed, &records);
            // In Reversi, a value does not depend on the color of the side to move.
            let is_same_claim = at == 40 && value == 1 && game.name != "tictactoe";
            if !is_same_claim {
                rejected(
                    &format!("header byte {at}: {value}"),
                    &bytes,
                    "not verified",
                );
            }
        }
        for index in 0..records.len() {
            for (at, value) in changes(&records[index]) {
                let mut changed = records.clone();
                changed[index][at] = value;
                if at == RECORD - 1 && is_true_move(game, &changed[index]) {
                    continue; // another move that proves the claim
                }
                let bytes = signed(&header, &changed);
                rejected(
                    &format!("claim {index}, byte {at}: {value}"),
                    &bytes,
                    "not verified",
                );
            }
        }
    }
}

/// The length of the magic bytes, which the checker tests first.
const MAGIC: usize = 8;

/// Each byte after the magic ones with some other values; the number of claims is rewritten.
fn changes(bytes: &[u8]) -> Vec<(usize, u8)> {
    let first = if bytes.len() == HEADER { MAGIC } else { 0 };
    let places = (first..bytes.len()).filter(|at| bytes.len() != HEADER || *at < 48);
    let values = |at: usize| {
        let byte = bytes[at];
        [byte ^ 1, byte.wrapping_add(2), byte ^ 0x80].map(|value| (at, value))
    };
    let changes = places.flat_map(values);
    changes.filter(|&(at, value)| bytes[at] != value).collect()
}

/// The position, bound and direction of a record, in the order of the file.
fn order(record: &[u8]) -> (Position, i8, bool) {
    (position(record), record[16] as i8, record[17] == 255)
}

/// Whether an at-least claim holds by its move.
fn is_true_move(game: &Game, record: &[u8]) -> bool {
    let (position, bound, square) = (position(record), record[16] as i8, u32::from(record[17]));
    square < 64
        && game.moves(position) >> square & 1 != 0
        && -value(game, game.play(position, square), -99, 99) >= i32::from(bound)
}
