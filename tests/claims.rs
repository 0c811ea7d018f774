//! Claims about positions: the published claims of solved Othello, `nullwindow solve` with claims,
//! and `nullwindow lab estimate`.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use crate::common::{nullwindow, shared_data, skip};
use nullwindow::commands::claims::{Claim, is_heading, split_claims};
use nullwindow::game::{Game, Notation, Player, counted};
use nullwindow::games::any::AnyPosition;
use nullwindow::games::reversi::Othello;
use serde_json::Value;

/// Proves bounds of positions by the claims about their successors.
struct Prover {
    /// The claims about positions with 50 empties, by canonical image.
    claims: HashMap<AnyPosition, Vec<Claim>>,
    known: HashMap<AnyPosition, bool>,
    claimant: Player,
}

impl Prover {
    fn new(rows: &[(Othello, Claim)], claimant: Player) -> Prover {
        let mut claims: HashMap<AnyPosition, Vec<Claim>> = HashMap::new();
        for &(position, claim) in rows {
            let key = AnyPosition::from(position).canonical();
            claims.entry(key).or_default().push(claim);
        }
        Prover {
            claims,
            known: HashMap::new(),
            claimant,
        }
    }

    /// Whether the claims imply that the value for the claimant is at least 0.
    fn is_proven(&mut self, position: Othello) -> bool {
        let is_claimant = position.to_move() == self.claimant;
        if let Some(score) = position.final_score() {
            return if is_claimant {
                score.0 >= 0
            } else {
                score.0 <= 0
            };
        }
        let key = AnyPosition::from(position).canonical();
        if position.plies_left() == 50 {
            let proves = |claim: &Claim| match *claim {
                Claim::AtLeast(score) => is_claimant && score >= 0,
                Claim::AtMost(score) => !is_claimant && score <= 0,
            };
            return self
                .claims
                .get(&key)
                .is_some_and(|claims| claims.iter().any(proves));
        }
        if let Some(&is_proven) = self.known.get(&key) {
            return is_proven;
        }
        let moves = position.moves();
        let is_proven = match is_claimant {
            true => moves.iter().any(|&m| self.is_proven(position.play(m))),
            false => moves.iter().all(|&m| self.is_proven(position.play(m))),
        };
        self.known.insert(key, is_proven);
        is_proven
    }
}

#[test]
fn the_claims_of_solved_othello_prove_a_draw() {
    let Some(text) = shared_data("othello/weak-solution-50-empties.csv") else {
        return skip("weak-solution-50-empties.csv not found");
    };
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !is_heading(line)) {
        let (position, claims) = split_claims(line).unwrap();
        let position = Othello::parse_position(&position).unwrap();
        assert_eq!(position.plies_left(), 50, "{line}");
        rows.extend(claims.into_iter().map(|claim| (position, claim)));
    }
    let count =
        |is_wanted: fn(&Claim) -> bool| rows.iter().filter(|(_, claim)| is_wanted(claim)).count();
    let at_least = count(|claim| *claim == Claim::AtLeast(0));
    let at_most = count(|claim| *claim == Claim::AtMost(0));
    assert_eq!((at_least, at_most, rows.len()), (1_640, 948, 2_588));
    for claimant in [Player::First, Player::Second] {
        assert!(
            Prover::new(&rows, claimant).is_proven(Othello::start()),
            "{claimant:?}"
        );
        // Without one half of the claims, nothing is proven.
        for is_at_least in [true, false] {
            let is_kept =
                |(_, claim): &&(Othello, Claim)| matches!(claim, Claim::AtLeast(_)) == is_at_least;
            let half: Vec<_> = rows.iter().filter(is_kept).copied().collect();
            let is_proven = Prover::new(&half, claimant).is_proven(Othello::start());
            let own = (claimant == Player::First) == is_at_least;
            assert!(!is_proven || own, "{claimant:?} {is_at_least}");
        }
    }
}

/// Exit status, standard output and standard error.
fn run(words: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = nullwindow(words, input);
    let [text, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), text, errors)
}

fn json(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Positions in OBF with their scores.
fn solved_positions(game: &str, empties: &str, count: &str) -> Vec<(String, i64)> {
    let words = [
        "problems",
        "--game",
        game,
        "--empties",
        empties,
        "--count",
        count,
        "--seed",
        "9",
    ];
    let (_, problems, _) = run(&words, "");
    let (_, rows, _) = run(&["solve", "-", "--json", "--game", game], &problems);
    let score = |row: Value| row["score"].as_i64();
    let positions = problems
        .lines()
        .map(|line| line.split(';').next().unwrap().to_owned() + ";");
    positions
        .zip(json(&rows).into_iter().filter_map(score))
        .collect()
}

#[test]
fn claims_have_the_verdict_of_the_exact_score() {
    for (game, step) in [("othello", 2), ("othello6", 2), ("othello4", 1)] {
        let empties = if game == "othello4" { "7" } else { "10" };
        let mut text = String::new();
        let mut expected = Vec::new();
        for (position, value) in solved_positions(game, empties, "5") {
            for by in [-step, -1, 0, 1, step] {
                let bound = value + by;
                text += &format!("{position} >= {bound}; <= {bound};\n");
                expected.push((format!(">= {bound}"), value >= bound));
                expected.push((format!("<= {bound}"), value <= bound));
            }
        }
        let (status, rows, errors) = run(&["solve", "-", "--json", "--game", game], &text);
        assert_eq!(status, Some(1), "{errors}");
        let mut rows = json(&rows);
        let total = rows.pop().unwrap();
        let found: Vec<(String, bool)> = rows
            .iter()
            .map(|row| {
                (
                    row["claim"].as_str().unwrap().into(),
                    row["verdict"] == "holds",
                )
            })
            .collect();
        assert_eq!(found, expected, "{game}");
        // A move is named if it proves the lower bound.
        for row in &rows {
            let is_lower = row["claim"].as_str().unwrap().starts_with(">=");
            let is_reached = is_lower == (row["verdict"] == "holds");
            assert_eq!(row["best"].is_string(), is_reached, "{game}: {row}");
        }
        assert_eq!(total["positions"], expected.len() / 2);
        let holds = expected.iter().filter(|(_, holds)| *holds).count();
        assert_eq!(total["claims"]["holds"], holds);
        assert_eq!(total["claims"]["fails"], expected.len() - holds);
        assert_eq!(
            (&total["claims"]["unknown"], &total["ok"]),
            (&0.into(), &false.into())
        );
    }
}

#[test]
fn claims_come_from_options_rows_and_lines() {
    let (position, value) = solved_positions("othello", "10", "1").remove(0);
    let solve = |words: &[&str], input: &str| run(&[&["solve", "-"], words].concat(), input);
    let (low, high) = (value.to_string(), (value + 2).to_string());
    let (status, text, _) = solve(&["--at-least", &low, "--at-most", &low], &position);
    assert!(
        status == Some(0) && text.contains("total: 1 position, 2 claims hold, 0 fail, 0 unknown"),
        "{text}"
    );
    let (status, text, _) = solve(&["--at-least", &high], &position);
    assert!(
        status == Some(1) && text.contains(&format!(">= {high} fails")),
        "{text}"
    );
    let (status, text, _) = run(&["solve", "--position", &position, "--at-most", &low], "");
    assert!(
        status == Some(0) && text.contains(&format!("<= {low} holds")),
        "{text}"
    );
    // A claim of the line takes precedence.
    let line = format!("{position} <= {high};");
    let (status, text, _) = solve(&["--at-least", &high], &line);
    assert!(
        status == Some(0) && text.contains(&format!("<= {high} holds")),
        "{text}"
    );

    let row = |fields: &str| format!("obf,count,score,alpha,beta\n{position},{fields}\n");
    for (fields, claims) in [
        (format!("7,{value},-64,{low}"), 1),
        (format!("7,{value},{low},64"), 1),
        (format!("7,{value},-64,64"), 2),
        (format!("10,100,{low},64,99"), 1),
        (format!("10,100,64,{low},99"), 1),
        (format!("10,100,{low},{low},99"), 2),
    ] {
        let (status, text, errors) = solve(&[], &row(&fields));
        let expected = counted(claims, "claim holds", "claims hold") + ", 0 fail";
        assert!(
            status == Some(0) && text.contains(&expected),
            "{fields}: {text}{errors}"
        );
    }
    let (status, _, errors) = solve(&[], &row("7,0,-3"));
    assert!(
        errors.contains("standard input, line 2: the row has 3 fields after the position"),
        "{errors}"
    );
    assert_eq!(status, Some(2), "no valid position");

    // Games won by a line: win, draw or loss.
    let won = "a1 a2 b1 b2";
    for (claim, status) in [(">= 1", 0), (">= 0", 0), ("<= 0", 1), ("<= 1", 0)] {
        let line = format!("{won}; {claim};");
        let (found, text, errors) = run(&["solve", "-", "--game", "tictactoe"], &line);
        assert_eq!(found, Some(status), "{claim}: {text}{errors}");
    }

    for (words, option) in [
        (&["--at-least", "0", "--wld"][..], "--wld"),
        (&["--at-least", "0", "--all-moves"], "--all-moves"),
        (&["--at-most", "0", "--selectivity", "73"], "--selectivity"),
    ] {
        let (status, _, errors) = solve(words, &position);
        let expected = format!("{option} has no effect on claims");
        assert!(status == Some(2) && errors.contains(&expected), "{errors}");
    }
    let words = ["solve", "--start", "--game", "scorefour", "--at-least", "2"];
    let (status, _, errors) = run(&words, "");
    assert!(
        status == Some(2) && errors.contains("a bound in scorefour is 1 (win)"),
        "{errors}"
    );
    let (status, _, errors) = run(
        &["solve", "-", "--game", "tictactoe"],
        &format!("{won}; <= 1; >= 5;\n{won}"),
    );
    assert!(
        status == Some(1) && errors.contains("line 1: a bound in tictactoe is 1 (win)"),
        "{errors}"
    );
    let (status, _, errors) = solve(&["--at-least", "65"], &position);
    assert!(
        status == Some(2) && errors.contains("expected a number from -64 to 64"),
        "{errors}"
    );
}

#[test]
fn limits_leave_claims_unknown_and_samples_are_reproducible() {
    let start = "startpos; >= 0; <= 0;";
    let words = ["solve", "-", "--limit-seconds", "0.05", "--json"];
    let (status, text, errors) = run(&words, start);
    let rows = json(&text);
    assert_eq!(status, Some(1), "{errors}");
    assert_eq!(
        (&rows[0]["verdict"], &rows[0]["score"]),
        (&"unknown".into(), &Value::Null)
    );
    assert_eq!(rows[2]["claims"]["unknown"], 2);

    let file = temporary("claims-sample.txt");
    let positions = solved_positions("othello6", "8", "12");
    let lines: Vec<String> = positions
        .iter()
        .map(|(line, value)| format!("{line} >= {value};\n"))
        .collect();
    fs::write(&file, lines.concat()).unwrap();
    let sample = |count: &str, seed: &str| -> Vec<u64> {
        let words = [
            "solve",
            file.to_str().unwrap(),
            "--game",
            "othello6",
            "--json",
        ];
        let (status, text, _) = run(
            &[&words[..], &["--sample", count, "--seed", seed]].concat(),
            "",
        );
        assert_eq!(status, Some(0));
        json(&text)
            .iter()
            .filter_map(|row| row["n"].as_u64())
            .collect()
    };
    let (few, many) = (sample("4", "3"), sample("8", "3"));
    assert_eq!((few.len(), many.len()), (4, 8));
    assert!(few.iter().all(|line| many.contains(line)) && few.is_sorted());
    assert_ne!(few, sample("4", "4"));
    fs::remove_file(file).unwrap();
}

fn temporary(name: &str) -> PathBuf {
    let name = format!("{}-{name}", std::process::id());
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A file of claims about positions of 6x6 Othello, and a record.
struct Estimate {
    claims: PathBuf,
    out: PathBuf,
}

impl Estimate {
    fn new(name: &str, empties: &str, by: i64) -> Estimate {
        let claims = temporary(&format!("{name}.txt"));
        let lines = solved_positions("othello6", empties, "6")
            .into_iter()
            .enumerate();
        let text: Vec<String> = lines
            .map(|(number, (position, value))| match number % 2 {
                0 => format!("{position} >= {};\n", value - by),
                _ => format!("{position} <= {};\n", value + by),
            })
            .collect();
        fs::write(&claims, text.concat()).unwrap();
        let out = temporary(&format!("{name}.jsonl"));
        let _ = fs::remove_file(&out);
        Estimate { claims, out }
    }

    fn run(&self, words: &str) -> (Option<i32>, String, String) {
        let [claims, out] = [&self.claims, &self.out].map(|file| file.to_str().unwrap());
        let shared = [
            "lab", "estimate", claims, "--game", "othello6", "--out", out,
        ];
        let words: Vec<&str> = words.split_whitespace().collect();
        run(&[&shared[..], &words].concat(), "")
    }

    fn report(&self, words: &str) -> Value {
        let (status, text, errors) = self.run(&format!("{words} --json"));
        assert_eq!(status, Some(0), "{text}{errors}");
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Estimate {
    fn drop(&mut self) {
        for file in [
            &self.claims,
            &self.out,
            &self.out.with_extension("jsonl.lock"),
        ] {
            let _ = fs::remove_file(file);
        }
    }
}

fn value_of(report: &Value, name: &str) -> f64 {
    report["estimates"][name]["value"].as_f64().unwrap()
}

#[test]
fn estimates_agree_with_an_enumeration() {
    // A dozen leaves take most of the nodes, so nearly all are searched.
    let exact = Estimate::new("estimate-exact", "14", 0);
    let exact = exact.report("--leaf-empties 7 --front-empties 7 --walks 4000 --leaves 5000");
    let sampled = Estimate::new("estimate-sampled", "14", 0);
    let sampled = sampled.report("--leaf-empties 7 --front-empties 12 --walks 4000 --leaves 5000");
    for (name, tolerance) in [
        ("distinct_per_claim", 0.1),
        ("leaves_per_claim", 0.1),
        ("nodes_per_leaf", 0.5),
    ] {
        let ratio = value_of(&sampled, name) / value_of(&exact, name);
        assert!(
            (ratio - 1.0).abs() < tolerance,
            "{name}: {ratio}\n{sampled}\n{exact}"
        );
    }
    // Claims of the exact value depend on the best moves: a shallow search misses some of them.
    let counts = &sampled["sampled"];
    assert_eq!(
        (&counts["refuted"], &counts["unknown"]),
        (&0.into(), &0.into()),
        "{counts}"
    );
    assert!(counts["elsewhere"].as_u64() > Some(0), "{counts}");
    assert_eq!(
        value_of(&sampled, "core_years"),
        value_of(&sampled, "extrapolated_core_years")
    );
}

#[test]
fn wrong_claims_are_refuted() {
    let wrong = Estimate::new("estimate-wrong", "14", -4);
    let (status, text, errors) =
        wrong.run("--leaf-empties 7 --front-empties 10 --walks 40 --leaves 40 --resume");
    assert_eq!(status, Some(1), "{errors}");
    assert!(
        errors.contains("nothing to resume: there is no "),
        "{errors}"
    );
    assert!(
        text.contains("claim refuted at 14 empties")
            || text.contains("claim refuted at 13 empties"),
        "{text}"
    );
    // Above leaves one ply below an upper bound the claimant has no move.
    let wrong = Estimate::new("estimate-wrong-at-once", "14", -4);
    let (status, text, errors) = wrong.run("--leaf-empties 13 --front-empties 13");
    assert_eq!(status, Some(1), "{errors}");
    let refuted = text.lines().filter(|line| line.contains("claim refuted"));
    let of_upper_bounds = refuted.clone().filter(|line| line.contains(" <= ")).count();
    assert!(
        of_upper_bounds > 0 && text.contains(&format!(" unknown, {} refuted", refuted.count())),
        "{text}"
    );
}

#[test]
fn an_estimate_resumes_and_searches_censored_leaves_again() {
    let estimate = Estimate::new("estimate-resume", "16", 2);
    let tree = "--leaf-empties 13 --front-empties 14 --walks 20 --leaves 10";
    let words = &format!("{tree} --threads 2");
    let first = estimate.report(&format!("{words} --nodes 500"));
    assert!(first["sampled"]["unknown"].as_u64() > Some(5), "{first}");
    let whole = fs::read_to_string(&estimate.out).unwrap();
    let (status, _, errors) = estimate.run(words);
    assert!(
        status == Some(2) && errors.contains("use --resume to continue it"),
        "{errors}"
    );
    // A killed run: its record ends within a line.
    let cut = whole.len() / 2 + 7;
    fs::write(&estimate.out, &whole[..cut]).unwrap();
    let again = estimate.report(&format!("{words} --nodes 500 --resume"));
    for name in ["distinct", "censored", "nodes_per_leaf"] {
        assert_eq!(value_of(&again, name), value_of(&first, name), "{name}");
    }
    let some = estimate.report(&format!("{words} --nodes 1000000 --share 0.5 --resume"));
    let unknown = |report: &Value| report["sampled"]["unknown"].as_u64().unwrap();
    assert!(
        unknown(&some) < unknown(&first) && unknown(&some) > 0,
        "{some}"
    );
    let (few, many) = (
        value_of(&some, "nodes_per_leaf"),
        value_of(&first, "nodes_per_leaf"),
    );
    assert!(few > many && value_of(&some, "censored") < 0.2, "{some}");
    // Those searched again represent the others, which a larger limit leaves out too.
    let more = estimate.report(&format!("{words} --nodes 2000000 --resume"));
    assert_eq!(
        (unknown(&more), &more["estimates"]),
        (unknown(&some), &some["estimates"])
    );
    let all = estimate.report(&format!("{words} --nodes 1000000 --resume"));
    assert_eq!((unknown(&all), value_of(&all, "censored")), (0, 0.0));
    assert_eq!(all["sampled"]["shared"], 0);
    assert!(all["estimates"]["nodes_once"]["value"].is_null(), "{all}");
    let shared = estimate.report(&format!("{words} --nodes 1000000 --shared --resume"));
    assert_eq!(shared["sampled"]["shared"], shared["sampled"]["leaves"]);
    let [nodes, once] = ["nodes", "nodes_once"].map(|name| value_of(&shared, name));
    assert!(0.0 < once && once <= nodes, "{shared}");
    let all = shared;
    let printed = estimate.report(&format!("{tree} --report"));
    assert_eq!(printed, all);
    let (status, _, errors) = estimate.run(&format!("{tree} --seed 2 --report"));
    assert!(
        status == Some(2) && errors.contains("the record has the conditions"),
        "{errors}"
    );
    // A smaller sample of the same record.
    let part = estimate.report(&format!("{tree} --sample 3 --report"));
    assert_eq!(part["sampled"]["claims"], 3);
}

#[test]
fn leaves_that_none_represents_are_searched_again() {
    let estimate = Estimate::new("estimate-strata", "16", 2);
    let words = "--leaf-empties 13 --front-empties 14 --walks 20 --leaves 10";
    estimate.report(&format!("{words} --nodes 500"));
    estimate.report(&format!("{words} --nodes 1000000 --share 0.5 --resume"));
    let lines = |limit: u64| -> Vec<(String, Value)> {
        let text = fs::read_to_string(&estimate.out).unwrap();
        let lines = text
            .lines()
            .map(|line| (line.into(), serde_json::from_str(line).unwrap()));
        lines
            .filter(|(_, value): &(String, Value)| value["limit"] == limit)
            .collect()
    };
    let text = fs::read_to_string(&estimate.out).unwrap();
    let trees: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|value: &Value| value["kind"] == "tree")
        .collect();
    // The strata of the report: 16 discs each from 0 to 48.
    let stratum = |leaf: &Value| {
        let is_same = |tree: &&Value| tree["n"] == leaf["n"] && tree["claim"] == leaf["claim"];
        let tree = trees.iter().find(is_same).unwrap();
        let margin = &tree["leaves"][leaf["leaf"].as_u64().unwrap() as usize]["margin"];
        (margin.as_f64().unwrap() / 16.0).floor().clamp(-1.0, 3.0) as i64
    };
    let again = lines(1_000_000);
    let emptied = stratum(&again[0].1);
    assert!(
        again.iter().any(|(_, leaf)| stratum(leaf) != emptied),
        "two strata are needed"
    );
    let removed = |line: &str| {
        let is_line = |(other, leaf): &(String, Value)| other == line && stratum(leaf) == emptied;
        again.iter().any(is_line)
    };
    let rest: Vec<String> = text
        .lines()
        .filter(|line| !removed(line))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&estimate.out, rest.concat()).unwrap();
    estimate.report(&format!("{words} --nodes 2000000 --resume"));
    let searched = lines(2_000_000);
    assert!(!searched.is_empty());
    for (line, leaf) in &searched {
        assert_eq!(stratum(leaf), emptied, "{line}");
    }
}

#[test]
fn unusable_claims_are_errors() {
    let estimate = Estimate::new("estimate-unusable", "14", 0);
    let text = fs::read_to_string(&estimate.claims).unwrap();
    let position = text.split(';').next().unwrap();
    for (line, error) in [
        (
            format!("{position};"),
            ", line 1: no claim, expected >= S or <= S after the position",
        ),
        ("startpos; >= x".into(), "line 1: \"x\" is not a score"),
        ("# nothing".into(), "no claim found"),
    ] {
        fs::write(&estimate.claims, line).unwrap();
        let (status, _, errors) = estimate.run("--leaf-empties 7");
        assert!(status == Some(2) && errors.contains(error), "{errors}");
    }
    fs::write(&estimate.claims, text).unwrap();
    let (status, _, errors) = estimate.run("--leaf-empties 14");
    assert!(status == Some(2), "{errors}");
    let (status, _, errors) = run(
        &["lab", "estimate", "-", "--game", "scorefour", "--out", "x"],
        "startpos; >= 0",
    );
    assert!(
        status == Some(2) && errors.contains("choose a game played with discs"),
        "{errors}"
    );
}
