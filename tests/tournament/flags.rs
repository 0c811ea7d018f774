//! Command lines of fastchess and cutechess-cli: each flag has its effect or a note.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::{Scratch, assert_no_process_left, command_of, engine, run, runner, text};

/// The words of two scripted engines, A and B, in the syntax of both programs.
fn engines(scripts: [&str; 2]) -> Vec<String> {
    let engine = |(name, script): (&str, &str)| {
        [
            "-engine".into(),
            format!("cmd={}", command_of(script)),
            format!("name={name}"),
        ]
    };
    ["A", "B"]
        .into_iter()
        .zip(scripts)
        .flat_map(engine)
        .collect()
}

/// Plays tic-tac-toe between scripted engines; returns the configuration, the games and the notes.
#[track_caller]
fn play(scratch: &Scratch, scripts: [&str; 2], line: &str) -> (Value, Vec<Value>, String) {
    let mut words = engines(scripts);
    words.extend(line.split_whitespace().map(String::from));
    words.extend(["-variant", "tictactoe", "--out"].map(String::from));
    words.push(scratch.0.display().to_string());
    let output = run(scratch, &words);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{line}: {errors}");
    let plan = fs::read_to_string(scratch.0.join("tournament.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    (plan["config"].clone(), scratch.games(), errors)
}

/// The first players of games, in the order of their numbers.
fn first_players(games: &[Value]) -> String {
    let mut games: Vec<&Value> = games.iter().collect();
    games.sort_by_key(|game| game["game"].as_u64());
    let name = |game: &&Value| game["p1"].as_str().unwrap().to_owned();
    games.iter().map(name).collect()
}

/// A command line with this engine in the folder around the record `match`.
fn nullwindow_in(scratch: &Scratch, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_nullwindow");
    let words = line.split_whitespace().map(|word| {
        let word = word.replace("cmd=A", "cmd=E").replace("cmd=B", "cmd=E");
        word.replace("cmd=E", &format!("cmd={program}"))
    });
    let words: Vec<String> = words.collect();
    let output = runner(scratch, &words)
        .current_dir(scratch.0.parent().unwrap())
        .output()
        .unwrap();
    assert_no_process_left(scratch);
    output
}

#[test]
fn a_fastchess_command_line_plays_othello() {
    let scratch = Scratch::new("fastchess");
    let line = "-engine cmd=A name=A -engine cmd=B name=B -each tc=0.2+0.01 -rounds 2 -repeat \
                -concurrency 4 --out match";
    let output = nullwindow_in(&scratch, line);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for expected in [
        "othello: 4 games, 4 to play",
        "  A (uci, 0.2+0.01)",
        "A against B:\n  games 4",
        "pairs 2",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let notes = text(&output.stderr);
    for expected in [
        "note: -engine without proto=: uci, as in fastchess",
        "note: no -openings: the built-in balanced openings",
        "note: -repeat: 2 games per round, as in fastchess",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    // Pairs from the same opening.
    let games = scratch.games();
    let opening = |number: u64| {
        let game = games.iter().find(|game| game["game"] == number).unwrap();
        let moves = game["moves"].as_array().unwrap().iter();
        let opening = moves.filter(|played| played["origin"] == "opening");
        opening
            .map(|played| played["move"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(first_players(&games), "ABAB");
    assert!(opening(1) == opening(2) && opening(3) == opening(4) && opening(1) != opening(3));
}

#[test]
fn a_cutechess_command_line_reads_engines_json() {
    let scratch = Scratch::new("cutechess");
    let engine = |name: &str| {
        serde_json::json!({
            "name": name, "command": env!("CARGO_BIN_EXE_nullwindow"), "protocol": "uci",
            "workingDirectory": "", "features": [], "color": "red",
            "options": [{"name": "Hash", "type": "spin", "value": 2, "default": 64}],
        })
    };
    let saved = serde_json::json!([engine("A"), engine("B"), engine("C")]);
    fs::write(scratch.0.with_file_name("engines.json"), saved.to_string()).unwrap();
    let line = "-engine conf=A -engine conf=B -each tc=1+0.01 depth=2 timemargin=60000 -games 2 \
                -rounds 2 -repeat 2 \
                -maxmoves 20 -ratinginterval 2 -pgnout games.pgn --out match";
    let output = nullwindow_in(&scratch, line);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(
        errors.contains("note: engines.json: \"color\" of A: no effect\n"),
        "{errors}"
    );
    assert!(!errors.contains("-games"), "{errors}");
    let games = scratch.games();
    assert_eq!(games.len(), 4);
    for game in &games {
        assert_eq!(game["reason"], "adjudicated-draw");
        assert_eq!(game["detail"], "after 20 moves");
        assert_eq!(game["moves"].as_array().unwrap().len(), 40);
    }
    let pgn = fs::read_to_string(scratch.0.with_file_name("games.pgn")).unwrap();
    assert_eq!(
        pgn,
        fs::read_to_string(scratch.0.join("games.pgn")).unwrap()
    );
    assert_eq!(pgn.matches("[PlyCount \"40\"]").count(), 4);
    let plan = fs::read_to_string(scratch.0.join("tournament.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let options = &plan["config"]["engines"][0]["options"];
    assert_eq!(options, &serde_json::json!([["Hash", "2"]]));
    let output = nullwindow_in(&scratch, "-engine conf=D -engine conf=B -each depth=1");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("\"conf=D\": no such engine in engines.json"),
        "{errors}"
    );
}

#[test]
fn games_rounds_and_repeat_give_the_number_of_games() {
    for (line, players, notes) in [
        ("-games 1 -rounds 3", "ABA", ""),
        ("-games 1 -rounds 3 -noswap", "AAA", ""),
        ("-games 2 -rounds 2 -reverse", "BABA", ""),
        ("-games 2 -rounds 2 -noswap -repeat", "AAAA", ""),
        (
            "-rounds 1 -repeat 1",
            "AB",
            "no -games: 2 games per round, 2 games per pairing",
        ),
        (
            "-games 1 -rounds 2 -repeat",
            "ABAB",
            "-repeat: 2 games per round, as in fastchess",
        ),
        (
            "-games 4 -rounds 1",
            "ABAB",
            "-games 4: played in rounds of 2, 4 games per pairing",
        ),
        (
            "-games 3 -rounds 1",
            "ABA",
            "-games 3: played in rounds of 1, 3 games per pairing",
        ),
    ] {
        let scratch = Scratch::new("counts");
        let line = format!("{line} -each depth=1 -openings startpos");
        let (_, games, errors) = play(&scratch, ["good", "good"], &line);
        assert_eq!(first_players(&games), players, "{line}");
        assert!(errors.contains(notes), "{line}: {errors}");
        assert!(
            !notes.is_empty() || !errors.contains("played in rounds"),
            "{line}: {errors}"
        );
        let pair = |game: &Value| (game["game"].as_u64(), game["pair"].as_u64());
        if line.starts_with("-games 1 -rounds 3") {
            assert!(games.iter().map(pair).all(|(game, pair)| game == pair));
        }
    }
}

#[test]
fn single_games_are_resumed_and_tested_without_pairs() {
    let scratch = Scratch::new("single");
    let line = "-games 1 -rounds 30 -reverse -event E -each depth=1 -openings source=random plies=1 \
                -sprt elo0=0 elo1=250 alpha=0.05 beta=0.05 model=logistic -srand 3";
    let (config, games, _) = play(&scratch, ["good", "illegal"], line);
    assert_eq!(config["seed"], 3);
    assert_eq!(config["sprt"]["model"], "logistic");
    // Decided by games, since there are no pairs.
    let printed = text(
        &run(
            &scratch,
            &["--resume".into(), scratch.0.display().to_string()],
        )
        .stdout,
    );
    assert!(printed.contains("H1 accepted (Elo 250)"), "{printed}");
    assert!((5..30).contains(&games.len()));
    // The rest of the record is played by the same schedule.
    let file = scratch.0.join("games.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let first: String = text
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&file, first).unwrap();
    fs::remove_file(scratch.0.join("history.jsonl")).unwrap();
    fs::remove_file(scratch.0.join("plies.jsonl")).unwrap();
    let output = run(
        &scratch,
        &["--resume".into(), scratch.0.display().to_string()],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        super::text(&output.stderr)
    );
    let printed = super::text(&output.stdout);
    assert!(
        printed
            .contains("\nstatus: finished without a recorded plan, SPRT decided after 7 games\n"),
        "{printed}"
    );
    let games = scratch.games();
    assert!(first_players(&games).starts_with("BABAB"));
    let pgn = fs::read_to_string(scratch.0.join("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event \"E\"]").count(), games.len());
}

#[test]
fn gauntlets_and_openings_are_selected() {
    let scratch = Scratch::new("gauntlet");
    fs::create_dir_all(&scratch.0).unwrap();
    let file = scratch.0.with_extension("openings");
    fs::write(&file, "a1 b2 c3 a2\na2 b2 c3 a1\na3 b2 c1 a2\n").unwrap();
    let third = ["-engine", &format!("cmd={}", command_of("good")), "name=C"].map(String::from);
    let mut words = [engines(["good", "good"]), third.to_vec()].concat();
    let openings = format!("file={}", file.display());
    let line = "-each depth=1 proto=ugi -variant tictactoe -tournament gauntlet -seeds 2 -rounds 2 \
                -games 2 -concurrency 2 -force-concurrency -openings format=pgn order=sequential \
                plies=3 start=2 policy=round";
    words.extend(line.split_whitespace().map(String::from));
    words.extend([openings, "--out".into(), scratch.0.display().to_string()]);
    let output = run(&scratch, &words);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let mut games = scratch.games();
    games.sort_by_key(|game| game["game"].as_u64());
    assert_eq!(first_players(&games), "ACBCACBC");
    let opening = |game: &Value| {
        let moves = game["moves"].as_array().unwrap().iter();
        let opening = moves.filter(|played| played["origin"] == "opening");
        let words: Vec<_> = opening
            .map(|played| played["move"].as_str().unwrap())
            .collect();
        words.join(" ")
    };
    assert_eq!(opening(&games[0]), "a2 b2 c3");
    assert_eq!(opening(&games[7]), "a3 b2 c1");
    let plan = fs::read_to_string(scratch.0.join("tournament.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["config"]["concurrency"], 2);
    // The notes are in the record and on the page.
    let notes = plan["config"]["notes"].as_array().unwrap();
    let notes: Vec<&str> = notes.iter().map(|note| note.as_str().unwrap()).collect();
    assert_eq!(
        notes,
        [
            "note: -openings format=pgn: no effect: the format is detected by content",
            "note: -openings policy=round: no effect: all games of a round have the same opening",
            "note: as in fastchess: -startup-ms 10000 -ucinewgame-ms 60000 -ping-ms 60000 -ratinginterval 10",
        ]
    );
    assert!(notes.iter().all(|note| errors.contains(note)), "{errors}");
    let report = run(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    let page = fs::read_to_string(text(&report.stdout).trim()).unwrap();
    assert!(page.contains(notes[0]), "{page}");
}

#[test]
fn adjudication_recovery_and_restart_have_their_effect() {
    let scratch = Scratch::new("resign");
    let line = "-each depth=1 -openings startpos -resign movecount=2 score=400 twosided=false";
    let (_, games, _) = play(&scratch, ["losing", "good"], line);
    assert!(
        games
            .iter()
            .all(|game| game["reason"] == "adjudicated-resign"),
        "{games:?}"
    );
    let scratch = Scratch::new("draw");
    let line = "-each depth=1 -openings startpos -draw movenumber=2 movecount=1 score=20";
    let (_, games, _) = play(&scratch, ["good", "good"], line);
    let plies = |game: &Value| game["moves"].as_array().unwrap().len();
    assert!(
        games
            .iter()
            .all(|game| game["reason"] == "adjudicated-draw" && plies(game) == 4)
    );
    let scratch = Scratch::new("maxmoves");
    let line = "-each depth=1 -openings startpos -maxmoves 2";
    let (_, games, _) = play(&scratch, ["good", "good"], line);
    assert!(
        games
            .iter()
            .all(|game| game["reason"] == "adjudicated-draw" && plies(game) == 4)
    );
    // A game that ends by the rules at that ply is not a draw.
    let scratch = Scratch::new("maxmoves-end");
    let line = "-each depth=1 -openings startpos -maxmoves 4";
    let (_, games, _) = play(&scratch, ["good", "good"], line);
    assert!(
        games
            .iter()
            .all(|game| game["reason"] == "normal" && plies(game) == 7),
        "{games:?}"
    );
    let scratch = Scratch::new("recover");
    fs::create_dir_all(&scratch.0).unwrap();
    let line = "-each depth=1 restart=auto -openings startpos -recover";
    let (config, games, _) = play(&scratch, ["crash-once", "good"], line);
    assert_eq!(
        (&config["recover"], &config["engines"][0]["restart"]),
        (&true.into(), &false.into())
    );
    let recovered = games.iter().filter(|game| game.get("recovered").is_some());
    assert_eq!(recovered.count(), 1, "{games:?}");
}

#[test]
fn games_are_written_to_a_pgn_file() {
    let scratch = Scratch::new("pgnout");
    let file = scratch.0.with_extension("pgn");
    let path = file.display();
    let common = "-each depth=1 tc=10+1 -rounds 1 -openings startpos";
    let read = || fs::read_to_string(&file).unwrap();
    let line = format!(
        "{common} -event Event -site Here -pgnout file={path} nodes=true timeleft=true tbhits=true"
    );
    let (_, _, errors) = play(&scratch, ["good", "good"], &line);
    assert!(
        errors.contains("note: -pgnout tbhits=true: no effect: not recorded"),
        "{errors}"
    );
    let text = read();
    assert_eq!(
        text.matches("[Event \"Event\"]\n[Site \"Here\"]\n").count(),
        2,
        "{text}"
    );
    assert!(
        text.contains(", n=99") && text.contains(", tl=10."),
        "{text}"
    );
    // The record has the names too.
    let own = fs::read_to_string(scratch.0.join("games.pgn")).unwrap();
    assert!(
        own.contains("[Event \"Event\"]") && !own.contains("n=99"),
        "{own}"
    );
    // cutechess-cli's syntax; the file is appended.
    let scratch = Scratch::new("pgnout-min");
    let line = format!("{common} -pgnout {path} min fi");
    let (_, _, errors) = play(&scratch, ["good", "good"], &line);
    assert!(
        errors.contains("note: -pgnout fi: no effect: only finished games"),
        "{errors}"
    );
    let both = read();
    let added = both.strip_prefix(&text).unwrap();
    assert_eq!(
        added.matches("[Event \"nullwindow tournament\"]").count(),
        2
    );
    assert!(
        !added.contains('{') && !added.contains("PlyCount"),
        "{added}"
    );
    let scratch = Scratch::new("pgnout-new");
    let line = format!("{common} -pgnout file={path} append=false");
    play(&scratch, ["good", "good"], &line);
    assert_eq!(read().matches("[Event ").count(), 2);
    // Other records are not overwritten.
    let record = scratch.0.join("games.pgn").display().to_string();
    let mut words = engines(["good", "good"]);
    words.extend(["-each", "depth=1", "-rounds", "1", "-pgnout", &record].map(String::from));
    let output = run(&Scratch::new("pgnout-record"), &words);
    let errors = super::text(&output.stderr);
    assert!(
        errors.contains("this file is part of a record, choose another"),
        "{errors}"
    );
    assert_eq!(output.status.code(), Some(2));
    // The file is completed from the record.
    fs::write(&file, &read().as_bytes()[..300]).unwrap();
    let whole = fs::read_to_string(scratch.0.join("games.pgn")).unwrap();
    run(
        &scratch,
        &["--resume".into(), scratch.0.display().to_string()],
    );
    assert_eq!(read(), whole);
}

#[test]
fn reporting_timeouts_and_affinity_are_set() {
    let scratch = Scratch::new("reporting-flags");
    let log = |name: &str| scratch.0.with_extension(name);
    let (traffic, quiet, errors) = (log("log"), log("quiet"), log("stderr"));
    let line = format!(
        "-each depth=1 stderr={} -openings startpos -rounds 2 -games 2 -startup-ms 50000 \
         -ucinewgame-ms 60000 -ping-ms 70000 -use-affinity 0 -ratinginterval 3 \
         -log file={} level=trace engine=true append=true",
        errors.display(),
        traffic.display()
    );
    let (config, _, notes) = play(&scratch, ["good", "good"], &line);
    for (key, value) in [
        ("start_ms", 50_000.into()),
        ("new_game_ms", 60_000.into()),
        ("stall_ms", 70_000.into()),
        ("affinity", serde_json::json!([0])),
    ] {
        assert_eq!(config[key], value, "{key}");
    }
    assert!(notes.contains("note: -log append=true: no effect: the log is always appended"));
    let log = fs::read_to_string(&traffic).unwrap();
    assert!(
        log.contains("A < uci\n") && log.contains("B > bestmove "),
        "{log}"
    );
    assert!(errors.exists());
    // As in fastchess, lines of engines are not logged by default.
    let scratch = Scratch::new("quiet-log");
    let line = format!(
        "-each depth=1 -openings startpos -use-affinity -log {}",
        quiet.display()
    );
    let (config, ..) = play(&scratch, ["good", "good"], &line);
    assert_eq!(config["affinity"], true);
    assert!(!fs::read_to_string(&quiet).unwrap().contains("bestmove"));
}

#[test]
fn standings_are_printed_at_intervals() {
    let scratch = Scratch::new("interval-flags");
    let mut words = engines(["good", "good"]);
    let line =
        "-each depth=1 -variant tictactoe -openings startpos -rounds 2 -ratinginterval 2 --out";
    words.extend(line.split_whitespace().map(String::from));
    words.push(scratch.0.display().to_string());
    let printed = text(&run(&scratch, &words).stdout);
    assert!(printed.contains("A against B:\n  games 2:"), "{printed}");
}

#[test]
fn a_command_may_be_a_file_name_with_blanks() {
    let scratch = Scratch::new("blanks");
    let folder = scratch.0.with_extension("two words");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("an engine.exe");
    fs::copy(env!("CARGO_BIN_EXE_nullwindow"), &program).unwrap();
    let engine = |name: &str| {
        let command = format!("cmd={}", program.display());
        ["-engine".into(), command, format!("name={name}")]
    };
    let mut words = [engine("A"), engine("B")].concat();
    let line = "-each depth=1 -variant tictactoe -openings startpos -games 1 -rounds 1 --out";
    words.extend(line.split_whitespace().map(String::from));
    words.push(scratch.0.display().to_string());
    let output = run(&scratch, &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(scratch.games().len(), 1);
}

#[test]
fn quick_is_a_match_with_the_settings_of_fastchess() {
    let scratch = Scratch::new("quick");
    let good = command_of("good");
    let words = [
        "-quick".into(),
        format!("cmd={good}"),
        format!("cmd={good}"),
        "-recover".into(),
        "-concurrency".into(),
        "2".into(),
        "-rounds".into(),
        "1".into(),
        "-variant".into(),
        "tictactoe".into(),
        "--out".into(),
        scratch.0.display().to_string(),
    ];
    let output = run(&scratch, &words);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let note = "note: -quick: -each tc=10+0.1 -rounds 25000 -games 2 -concurrency ";
    assert!(errors.contains(note), "{errors}");
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    assert_eq!(games[0]["limits"], serde_json::json!(["10+0.1", "10+0.1"]));
}

#[test]
fn flags_without_effect_are_named() {
    let scratch = Scratch::new("no-effect");
    let line = "-each depth=1 trust book=x.bin -openings startpos -games 2 -rounds 1 -wait 5 -debug \
                -tb /tables -tbpieces 5 -tbignore50 -tbadjudicate BOTH -epdout file=x.epd \
                -output format=cutechess -crc32 pgn=true -report penta=true \
                -config discard=true -autosaveinterval 20 -livepgnout x -scoreinterval 1 -testEnv \
                -outcomeinterval 5 -resultformat wide -bookmode ram -randomseed";
    let (config, _, errors) = play(&scratch, ["good", "good"], line);
    for named in [
        "-each trust",
        "-each book=x.bin",
        "-wait 5",
        "-debug",
        "-tb /tables",
        "-tbpieces 5",
        "-tbignore50",
        "-tbadjudicate BOTH",
        "-epdout file=x.epd",
        "-output format=cutechess",
        "-crc32 pgn=true",
        "-report penta=true",
        "-config discard=true",
        "-autosaveinterval 20",
        "-livepgnout x",
        "-scoreinterval 1",
        "-testEnv",
        "-outcomeinterval 5",
        "-resultformat wide",
        "-bookmode ram",
        "-randomseed",
    ] {
        assert!(
            errors.contains(&format!("note: {named}: no effect: ")),
            "{named}: {errors}"
        );
    }
    let notes = config["notes"].as_array().unwrap().len();
    assert_eq!(
        notes,
        errors
            .lines()
            .filter(|line| line.starts_with("note: "))
            .count()
    );
}

#[test]
fn errors_name_flags_as_written() {
    let scratch = Scratch::new("flag-errors");
    let folder = scratch.0.display().to_string();
    for (line, expected) in [
        (
            "-rounds x",
            "error: -rounds x: expected a whole number of 1 or more",
        ),
        (
            "-games 0",
            "error: -games 0: expected a whole number of 1 or more",
        ),
        (
            "-concurrency 0",
            "error: -concurrency 0: expected 1 to 10000",
        ),
        ("-concurrency", "error: -concurrency: expected one value"),
        ("-maxmoves 1.5", "-maxmoves 1.5: expected a whole number"),
        (
            "-each tc=abc",
            "error: engine setting \"tc=abc\": invalid time control",
        ),
        (
            "-each plies=x",
            "error: -each plies=x: plies=x: expected a whole number",
        ),
        (
            "-each proto=cecp",
            "proto=cecp: xboard engines are not supported",
        ),
        (
            "-each conf=x",
            "\"conf=x\": expected in the settings of an engine, without cmd",
        ),
        (
            "-each colour=red",
            "unknown key \"colour\", expected cmd, conf,",
        ),
        (
            "-sprt elo0=5 elo1=1",
            "error: -sprt: elo0 must be less than elo1",
        ),
        (
            "-sprt model=bayesian",
            "model=bayesian: not supported, expected normalized or logistic",
        ),
        (
            "-resign moves=3",
            "unknown key \"moves\", expected movecount, score, twosided; did you mean movecount?",
        ),
        (
            "-draw score=x",
            "error: -draw: invalid value 'x' for 'score <SCORE>'",
        ),
        (
            "-tournament knockout",
            "error: -tournament knockout: not supported, expected round-robin or gauntlet",
        ),
        (
            "-variant chess",
            "chess is judged by UGI queries, which proto=uci lacks",
        ),
        ("-seeds 2", "error: -seeds 2: expected 1 to 1"),
        (
            "-openings file=/none format=epd",
            "error: openings file /none: ",
        ),
        (
            "-openings order=up",
            "error: -openings: invalid \"order=up\"",
        ),
        (
            "-pgnout /nonexistent/x.pgn",
            "error: -pgnout /nonexistent/x.pgn: folder /nonexistent does not exist",
        ),
        (
            "-egnine cmd=x",
            "error: unknown flag -egnine; did you mean -engine?",
        ),
        (
            "-exact 14",
            "error: unknown flag -exact: did you mean --exact?",
        ),
        (
            "-rounds 2 --rounds 3",
            "--rounds cannot be combined with -rounds, -games and -repeat",
        ),
    ] {
        let mut words = engines(["good", "good"]);
        words.extend(["-each", "depth=1", "--out", &folder].map(String::from));
        words.extend(line.split(' ').map(String::from));
        let output = run(&scratch, &words);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(errors.contains(expected), "{line}: {errors}");
        assert!(!Path::new(&folder).exists(), "{line}");
    }
    let mut words = engines(["good", "good"]);
    words.extend(["-each", "restart=on", "--out", &folder].map(String::from));
    let errors = text(&run(&scratch, &words).stderr);
    let advice = "add tc=, st=, depth= or nodes= to its settings or to -each";
    assert!(errors.contains(advice), "{errors}");
}

#[test]
fn the_help_has_every_flag() {
    let scratch = Scratch::new("help");
    let help = text(&run(&scratch, &["--help".into()]).stdout);
    assert_eq!(help, text(&run(&scratch, &["-help".into()]).stdout));
    let (options, table) = help.split_once("\nCommand lines of fastchess").unwrap();
    let mut flags = 0;
    for line in table.lines() {
        let Some((_, right)) = line.split_once("  --") else {
            continue;
        };
        let option = right.split([' ', ';']).next().unwrap();
        let is_listed = |line: &str| line.trim_start().starts_with(&format!("--{option}"));
        let is_listed = options.lines().any(is_listed) || ["help", "version"].contains(&option);
        assert!(is_listed, "{line}");
        flags += 1;
    }
    assert!(flags > 25, "{table}");
    for row in [
        "  -engine                --engine; the same keys, except",
        "      proto              proto=; default uci, as in fastchess; xboard is an error",
        "  -rounds                --rounds; default 2, as in fastchess",
        "  -tournament            --format; knockout and pyramid are errors",
        "  -crc32                 no effect: not supported",
    ] {
        assert!(help.lines().any(|line| line == row), "{row}: {help}");
    }
}

#[test]
fn options_of_one_engine_override_those_of_all() {
    let scratch = Scratch::new("option-for-all");
    let mut words = engine("optionless", "A", "depth=1 option.Hash=4");
    words.extend(engine("optionless", "B", "depth=1"));
    let more = "--option hash=2 --option Game=tictactoe --openings startpos --out";
    words.extend(more.split(' ').map(String::from));
    words.push(scratch.0.display().to_string());
    let output = run(&scratch, &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let plan = fs::read_to_string(scratch.0.join("tournament.json")).unwrap();
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let options = |index: usize| &plan["config"]["engines"][index]["options"];
    assert_eq!(options(0), &serde_json::json!([["Hash", "4"]]));
    assert_eq!(options(1), &serde_json::json!([["hash", "2"]]));
}
