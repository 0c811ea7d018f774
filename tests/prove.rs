//! `nullwindow prove`: its exit status, its files, and every claim of small proofs against a plain
//! solver. `scripts/check-proof` tests whole proofs with an independent checker.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::oracle::{random_position, value, value_of};
use crate::common::{Folder, nullwindow};
use nullwindow::game::rng::Rng;
use nullwindow::game::{Game, Player};
use nullwindow::games::any::AnyPosition;
use nullwindow::games::reversi::{Diamond, Othello, Othello4, Othello6};
use sha2::{Digest, Sha256};

const HEADER: usize = 56;
const RECORD: usize = 18;
const AT_MOST: u8 = 255;

fn partial(proof: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial", proof.display()))
}

/// Runs `prove` with these arguments, separated by `|`.
fn prove(arguments: &str, out: &Path) -> Output {
    let words = ["prove", "--out", out.to_str().unwrap()];
    let arguments = arguments.split('|').filter(|word| !word.is_empty());
    nullwindow(&words.into_iter().chain(arguments).collect::<Vec<_>>(), "")
}

fn text(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    format!("{stdout}{}", String::from_utf8_lossy(&output.stderr))
}

/// A record: own discs, other discs, bound, move.
type Claim = (u64, u64, i8, u8);

/// The header and the claims of a file, whose checksum must be right.
fn read(path: &Path) -> (Vec<u8>, Vec<Claim>) {
    let bytes = fs::read(path).unwrap();
    let (content, checksum) = bytes.split_at(bytes.len() - 32);
    assert_eq!(Sha256::digest(content)[..], *checksum);
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let records = content[HEADER..].chunks(RECORD).map(|record| {
        let (own, other) = (word(&record[..8]), word(&record[8..16]));
        (own, other, record[16] as i8, record[17])
    });
    let records: Vec<Claim> = records.collect();
    assert_eq!(word(&content[48..HEADER]), records.len() as u64);
    (content[..HEADER].to_vec(), records)
}

/// Writes a file with these header and claims.
fn write(path: &Path, header: &[u8], claims: &[Claim]) {
    let mut bytes = header.to_vec();
    bytes[48..56].copy_from_slice(&(claims.len() as u64).to_le_bytes());
    for &(own, other, bound, m) in claims {
        bytes.extend(own.to_le_bytes());
        bytes.extend(other.to_le_bytes());
        bytes.extend([bound as u8, m]);
    }
    bytes.extend(Sha256::digest(&bytes));
    fs::write(path, bytes).unwrap();
}

/// The position of a claim, which is a position of the same game as `root`.
fn position(root: &AnyPosition, own: u64, other: u64) -> AnyPosition {
    let side = Player::First;
    match root.name() {
        "othello" => Othello::new(own, other, side).into(),
        "othello6" => Othello6::new(own, other, side).into(),
        "othello4" => Othello4::new(own, other, side).into(),
        _ => Diamond::new(own, other, side).into(),
    }
}

/// Whether a claim about a game of discs holds, with its move.
fn holds(root: &AnyPosition, &(own, other, bound, m): &Claim) -> bool {
    let position = position(root, own, other);
    let value = value_of(&position).0 / 100;
    if m == AT_MOST {
        return value <= i32::from(bound);
    }
    let moves = position.moves();
    let m = moves.iter().find(|one| one.square() == m).unwrap();
    -value_of(&position.play(*m)).0 / 100 >= i32::from(bound)
}

#[test]
fn every_claim_of_a_proof_holds() {
    let mut rng = Rng::new(52);
    let scratch = Folder::new("prove-random");
    let out = scratch.0.join("random.proof");
    for game in ["othello", "othello6", "othello4", "diamond", "diamond2"] {
        let mut proven = 0;
        while proven < 3 {
            let Some(root) = random_position(game, 9, &mut rng) else {
                continue;
            };
            proven += 1;
            let arguments = format!(
                "--game|{game}|--position|{}|--leaf-empties|3|--threads|{proven}",
                root.write_position()
            );
            let output = prove(&arguments, &out);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            let value = value(&root).0 / 100;
            let proven = format!("proven: value >= {value}, value <= {value}\n");
            assert!(text(&output).starts_with(&proven), "{}", text(&output));
            let (header, claims) = read(&out);
            assert_eq!([header[42] as i8, header[43] as i8], [value as i8; 2]);
            assert!(
                claims.is_sorted_by_key(|&(own, other, bound, m)| {
                    (own, other, bound, m == AT_MOST)
                })
            );
            for claim in &claims {
                assert!(holds(&root.position(), claim), "{arguments}: {claim:?}");
            }
        }
    }
}

#[test]
fn a_false_bound_is_refuted_and_nothing_is_written() {
    let scratch = Folder::new("prove-refuted");
    let out = scratch.0.join("refuted.proof");
    for (bounds, claim) in [
        ("--at-least|-7", "value >= -7"),
        ("--at-most|-9", "value <= -9"),
        ("--at-least|-8|--at-most|-9", ""),
        ("--at-least|-20|--at-most|-10", "value <= -10"),
    ] {
        let output = prove(&format!("--game|othello4|{bounds}"), &out);
        let (status, text) = (output.status.code(), text(&output));
        if claim.is_empty() {
            assert_eq!(status, Some(2), "{text}");
        } else {
            assert_eq!(status, Some(1), "{text}");
            assert!(text.starts_with(&format!("refuted: {claim};")), "{text}");
        }
        assert!(!out.exists() && !partial(&out).exists());
    }
    let output = prove("--game|othello4|--at-least|-8|--at-most|-2", &out);
    assert!(text(&output).starts_with("proven: value >= -8, value <= -2\n"));
    assert!(output.status.success() && out.exists());
}

#[test]
fn bounds_are_rounded_to_values_that_the_game_has() {
    let mut rng = Rng::new(3);
    let root = random_position("othello", 8, &mut rng).unwrap();
    let value = value(&root).0 / 100;
    let (least, most) = (value - 1, value + 1);
    let arguments = format!(
        "--position|{}|--at-least={least}|--at-most={most}",
        root.write_position()
    );
    let scratch = Folder::new("prove-rounded");
    let out = scratch.0.join("rounded.proof");
    let output = prove(&arguments, &out);
    let proven = format!("proven: value >= {value}, value <= {value}\n");
    assert!(text(&output).starts_with(&proven), "{}", text(&output));
}

#[test]
fn unsupported_arguments_are_usage_errors() {
    let scratch = Folder::new("prove-two");
    let two = scratch.0.join("two.obf");
    let start = "---------------------------OX------XO--------------------------- X;";
    fs::write(&two, format!("{start}\n{start}\n")).unwrap();
    let empty = scratch.0.join("empty.obf");
    fs::write(&empty, "\n").unwrap();
    let out = scratch.0.join("unusable.proof");
    for (arguments, error) in [
        ("", "nothing to prove: give a FILE"),
        (
            "--game|scorefour",
            "prove supports Reversi and tictactoe, not scorefour",
        ),
        (
            "--game|scorefour|--position|a1",
            "prove supports Reversi and tictactoe, not scorefour",
        ),
        (
            "--game|tictactoe|--at-least|2",
            "a bound in tictactoe is 1 (win), 0 (draw) or -1 (loss)",
        ),
        ("--game|othello4|--at-least|65", "65 is not in -64..=64"),
        ("--game|othello4|--leaf-empties|99", "99 is not in 0..=20"),
        (
            "--game|othello4|--at-least|2|--at-most|1",
            "--at-least 2 contradicts --at-most 1",
        ),
        (
            "--game|othello4|--option|Selectivity=73",
            "option Selectivity has no effect on prove",
        ),
        (
            "--game|othello4|--position|hello",
            "position of othello4: cannot read \"h",
        ),
        (two.to_str().unwrap(), "2 positions found, expected one"),
        (empty.to_str().unwrap(), "0 positions found, expected one"),
    ] {
        let output = prove(arguments, &out);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments}: {}",
            text(&output)
        );
        assert!(
            text(&output).contains(error),
            "{arguments}: {}",
            text(&output)
        );
        assert!(!out.exists());
    }
    let no_folder = prove("--game|othello4", Path::new("/no/folder/x.proof"));
    assert_eq!(no_folder.status.code(), Some(2));
}

#[test]
fn an_interrupted_proof_continues_from_its_claims() {
    let scratch = Folder::new("prove-whole");
    let (whole, resumed) = (
        scratch.0.join("whole.proof"),
        scratch.0.join("resumed.proof"),
    );
    let arguments = "--game|diamond|--leaf-empties|12";
    assert!(prove(arguments, &whole).status.success());
    let (mut header, claims) = read(&whole);
    assert!(claims.len() > 20);
    header[44] = 1;
    // Every second claim, and none of the moves that follow from them.
    let known: Vec<Claim> = claims.iter().copied().step_by(2).collect();
    write(&partial(&resumed), &header, &known);
    let refused = prove(arguments, &resumed);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("has the claims of an interrupted run"));
    let output = prove(&format!("{arguments}|--resume"), &resumed);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains(": 0 solving, "), "{}", text(&output));
    assert!(!partial(&resumed).exists());
    let again = prove(
        &format!("{arguments}|--resume"),
        &scratch.0.join("again.proof"),
    );
    assert!(text(&again).contains("nothing to resume: there is no "));
    let moves: BTreeSet<Claim> = read(&resumed).1.into_iter().collect();
    let kept = known.iter().filter(|claim| moves.contains(claim)).count();
    assert!(kept > known.len() / 2, "{kept} of {} claims", known.len());

    // Claims of other leaves, of another root, damaged ones.
    write(&partial(&resumed), &header, &known);
    for other in [
        "--game|diamond|--leaf-empties|11",
        "--game|diamond|--leaf-empties|12|--at-least|-2",
        "--game|diamond2|--leaf-empties|12",
    ] {
        let output = prove(&format!("{other}|--resume"), &resumed);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("another position, of other bounds or with other leaves"));
    }
    let mut bytes = fs::read(partial(&resumed)).unwrap();
    bytes[100] ^= 1;
    fs::write(partial(&resumed), bytes).unwrap();
    let output = prove(&format!("{arguments}|--resume"), &resumed);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("the checksum is wrong"),
        "{}",
        text(&output)
    );
}

/// The number of claims in the last progress line.
#[cfg(unix)]
fn claims_in(screen: &str) -> Option<usize> {
    let (before, _) = screen.rsplit_once(" claims [")?;
    let number = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    number.parse().ok()
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_claims() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use crate::common::{PATIENCE, signal, terminal};

    // A long proof without claims at the start.
    let mut rng = Rng::new(9);
    let root = random_position("othello6", 24, &mut rng).unwrap();
    let solved = nullwindow(
        &[
            "solve",
            "--game",
            "othello6",
            "--json",
            "--position",
            &root.write_position(),
        ],
        "",
    );
    let row: serde_json::Value =
        serde_json::from_str(text(&solved).lines().next().unwrap()).unwrap();
    let value = row["score"].as_i64().unwrap() as i8;
    let scratch = Folder::new("prove-small");
    let small = scratch.0.join("small.proof");
    let arguments = format!("--game|othello6|--position|{}", root.write_position());
    assert!(
        prove(&format!("{arguments}|--leaf-empties|20"), &small)
            .status
            .success()
    );
    let (mut header, _) = read(&small);
    (header[41], header[44]) = (0, 1);
    assert_eq!([header[42] as i8, header[43] as i8], [value; 2]);
    // A closed terminal sends SIGHUP, often twice.
    for (name, count) in [("INT", 1), ("HUP", 2)] {
        let out = scratch.0.join(format!("interrupted-{name}.proof"));
        write(&partial(&out), &header, &[]);
        let mut command = crate::common::command();
        if cfg!(target_os = "linux") {
            // The tests may run under `nohup`, and the program keeps ignoring an ignored signal.
            let program = command.get_program().to_owned();
            command = Command::new("env");
            command.arg("--default-signal=HUP").arg(program);
        }
        command
            .args(["prove", "--resume", "--leaf-empties", "0", "--out"])
            .arg(&out);
        command.args(arguments.split('|'));
        // The progress line is printed on terminals only.
        let (mut terminal, side) = terminal();
        command.env("TERM", "xterm").stdout(Stdio::piped());
        let child = command.stderr(side()).spawn().unwrap();
        drop(command); // which holds the terminal open
        let (mut screen, mut bytes, begun) = (String::new(), [0; 4096], Instant::now());
        while claims_in(&screen).is_none_or(|claims| claims < 200) {
            assert!(begun.elapsed() < PATIENCE, "{screen}");
            let count = terminal.read(&mut bytes).expect("the proof is unfinished");
            screen += &String::from_utf8_lossy(&bytes[..count]);
        }
        let before = screen.len();
        for _ in 0..count {
            signal(&child, name);
        }
        while let Ok(count) = terminal.read(&mut bytes)
            && count > 0
        {
            screen += &String::from_utf8_lossy(&bytes[..count]);
        }
        let output = child.wait_with_output().unwrap();
        let screen = &screen[before..];
        assert_eq!(output.status.code(), Some(1), "{screen}");
        assert!(output.stdout.is_empty(), "{}", text(&output));
        let (_, command) = screen.split_once("interrupted; resume with: ").unwrap();
        let command = command.lines().next().unwrap();
        assert_eq!(command.matches(" --resume").count(), 1, "{screen}");
        let (header, claims) = read(&partial(&out));
        assert_eq!((header[41], header[44]), (0, 1));
        assert!(claims.len() > 100, "{} claims", claims.len());
        let few = claims
            .iter()
            .filter(|(own, other, ..)| (own | other).count_ones() >= 28);
        for claim in few.take(50) {
            assert!(holds(&root.position(), claim), "{claim:?}");
        }
    }
}

/// A record may have results of several questions; there is one proof of each line.
#[test]
fn a_proof_of_another_bound_or_position_is_replaced_on_resumption() {
    let scratch = Folder::new("prove-resumed");
    let (folder, record) = (scratch.0.join("resumed"), scratch.0.join("resumed.jsonl"));
    let mut rng = Rng::new(3);
    let mut root = || loop {
        let root = random_position("othello", 6, &mut rng).unwrap();
        if value(&root).0 != 0 {
            break root;
        }
    };
    let roots = [root(), root()];
    let files = [scratch.0.join("one.txt"), scratch.0.join("other.txt")];
    for (file, root) in files.iter().zip(&roots) {
        fs::write(file, root.write_position()).unwrap();
    }
    let run = |number: usize, wld: bool| {
        let [input, proofs, record] =
            [&files[number], &folder, &record].map(|path| path.to_str().unwrap());
        let mut words = vec!["solve", input, "--proof", proofs, "--resume", record];
        words.extend(wld.then_some("--wld"));
        let output = nullwindow(&words, "");
        assert!(output.status.success(), "{}", text(&output));
        read(&folder.join("1.proof")).0
    };
    let exact = run(0, false);
    let path = folder.join("1.proof");
    let written = || fs::metadata(&path).unwrap().modified().unwrap();
    let before = written();
    // It proves win, loss or draw, too: only a proof that does not fit is written again.
    assert_eq!(run(0, false), exact);
    assert_eq!(written(), before);
    fs::remove_file(&path).unwrap();
    let wld = run(0, true);
    assert_ne!(wld, exact);
    assert_eq!(run(0, false), exact);
    assert_eq!(run(0, true), exact);
    let other = run(1, false);
    assert_eq!(run(0, false), exact);
    assert_eq!(run(1, false), other);
    // What is no proof is replaced.
    fs::write(&path, "proof").unwrap();
    assert_eq!(run(1, false), other);
}

#[test]
fn solve_writes_a_proof_of_each_result() {
    let scratch = Folder::new("prove-proofs");
    let folder = scratch.0.join("proofs");
    let problems = scratch.0.join("problems.txt");
    let mut rng = Rng::new(11);
    let roots = [(); 3].map(|()| random_position("othello", 8, &mut rng).unwrap());
    let lines: Vec<String> = roots.iter().map(|root| root.write_position()).collect();
    fs::write(&problems, lines.join("\n")).unwrap();
    let folder_name = folder.to_str().unwrap();
    for wld in [false, true] {
        let mut words = vec!["solve", problems.to_str().unwrap(), "--proof", folder_name];
        words.extend(wld.then_some("--wld"));
        let output = nullwindow(&words, "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        for (number, root) in (1..).zip(&roots) {
            let value = (value(root).0 / 100) as i8;
            let (header, claims) = read(&folder.join(format!("{number}.proof")));
            let bounds = match value {
                1.. if wld => [2, -128],
                ..=-1 if wld => [-128, -2],
                _ => [value; 2],
            };
            assert_eq!([header[42] as i8, header[43] as i8], bounds);
            assert!(!claims.is_empty());
            for claim in &claims {
                assert!(holds(&root.position(), claim), "{claim:?}");
            }
        }
    }
    let small = nullwindow(
        &["solve", "--game", "tictactoe", "--proof", folder_name],
        "",
    );
    assert!(small.status.success(), "{}", text(&small));
    let (header, claims) = read(&folder.join("0.proof"));
    assert_eq!((header[42], header[43], claims.is_empty()), (0, 0, false));
    let refused = nullwindow(
        &[
            "solve",
            "--game",
            "scorefour",
            "--position",
            "a1",
            "--proof",
            folder_name,
        ],
        "",
    );
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("--proof applies to Reversi and tic-tac-toe only"));
}
