//! Every flag and key of fastchess and cutechess-cli: its values, default and meaning there, and
//! its effect here. Where the two differ, that of fastchess applies, and a note is printed.

use std::collections::BTreeSet;
use std::ffi::OsString;

use nullwindow::arena::translation::{migration_table, translate};
use nullwindow::platform::command_line::split;

/// What a flag becomes.
enum Here {
    /// These words, without a note.
    Becomes(&'static str),
    /// These words, and a note with this text.
    Noted(&'static str, &'static str),
    /// An error with this text.
    Error(&'static str),
}

use Here::{Becomes, Error, Noted};

/// The flag with a value; its values, default and meaning there; its effect here.
type Row = (&'static str, &'static str, Here);

const FLAGS: &[Row] = &[
    // Programs, help.
    (
        "-version",
        "both: print the version and exit",
        Becomes("--version"),
    ),
    ("-help", "both: print the help and exit", Becomes("--help")),
    (
        "-engines",
        "cutechess: list engines.json and exit",
        Error("not supported; engines.json is in the working directory"),
    ),
    (
        "-quick cmd=a cmd=b book=x",
        "fastchess: two engines with settings that a note lists",
        Noted(
            "--engine cmd=a proto=uci --engine cmd=b proto=uci --each tc=10+0.1 --concurrency N --draw movenumber=30 \
             movecount=8 score=8 --recover --openings file=x order=random --start-timeout 10 --new-game-timeout 60 \
             --stall-timeout 60 --ratinginterval 10 --rounds 25000",
            "-quick: -each tc=10+0.1 -rounds 25000 -games 2 -concurrency ",
        ),
    ),
    // The number of games.
    (
        "-rounds 7",
        "fastchess: 1 or more, default 2; cutechess: multiplies the rounds, default 1",
        Noted(
            "--rounds 7",
            "no -games: 2 games per round, 14 games per pairing, as in fastchess",
        ),
    ),
    (
        "-rounds 0",
        "both: 1 or more",
        Error("expected a whole number of 1 or more"),
    ),
    (
        "-games 2",
        "fastchess: default 2, the games of a round; cutechess: default 1, the games of an encounter",
        Noted(
            "--rounds 2",
            "no -rounds: 2 rounds, as in fastchess; cutechess-cli plays 1",
        ),
    ),
    (
        "-games 1 -rounds 7",
        "both: 7 games with two players",
        Becomes("--rounds 7 --games 1"),
    ),
    (
        "-games 4 -rounds 3",
        "cutechess: 12 games per pairing; above 2 without meaning in fastchess",
        Noted(
            "--rounds 6",
            "-games 4: played in rounds of 2, 12 games per pairing",
        ),
    ),
    (
        "-games 1 -rounds 7 -repeat",
        "fastchess: two games per round; cutechess: 7 games, each opening twice",
        Noted("--rounds 7", "-repeat: 2 games per round, as in fastchess"),
    ),
    (
        "-games 2 -rounds 7 -repeat",
        "both: 7 pairs",
        Becomes("--rounds 7"),
    ),
    (
        "-games 2 -rounds 7 -repeat 1",
        "cutechess: 14 games, each opening once",
        Noted(
            "--rounds 14 --games 1",
            "-games 2: played in rounds of 1, 14 games per pairing",
        ),
    ),
    (
        "-games 2 -rounds 7 -repeat 4",
        "cutechess: 14 games, each opening four times",
        Noted(
            "--rounds 7",
            "-repeat 4: each pairing plays 2 games from an opening",
        ),
    ),
    // Who plays.
    (
        "-tournament roundrobin",
        "fastchess: default",
        Becomes("--format round-robin"),
    ),
    (
        "-tournament round-robin",
        "cutechess: default",
        Becomes("--format round-robin"),
    ),
    ("-tournament gauntlet", "both", Becomes("--format gauntlet")),
    (
        "-tournament knockout",
        "cutechess",
        Error("not supported, expected round-robin or gauntlet"),
    ),
    (
        "-tournament pyramid",
        "cutechess",
        Error("not supported, expected round-robin or gauntlet"),
    ),
    (
        "-seeds 2",
        "both: default 1; the first N play the gauntlet",
        Becomes("--seeds 2"),
    ),
    (
        "-variant tictactoe",
        "both: default standard",
        Becomes("--game tictactoe"),
    ),
    (
        "-variant flipello",
        "of Fairy-Stockfish",
        Becomes("--game othello"),
    ),
    // Without a conversion, the option rejects the variants of chess.
    (
        "-variant standard",
        "both: chess",
        Becomes("--game standard"),
    ),
    (
        "-variant fischerandom",
        "both: chess 960",
        Becomes("--game fischerandom"),
    ),
    ("-noswap", "both: no color swap", Becomes("--noswap")),
    ("-noswap true", "fastchess", Becomes("--noswap")),
    ("-recover false", "fastchess", Becomes("")),
    ("-reverse", "both: reversed colors", Becomes("--reverse")),
    // How games are played.
    (
        "-concurrency 1",
        "both: default 1",
        Becomes("--concurrency N"),
    ),
    (
        "-concurrency 9999",
        "fastchess: limited by hardware threads",
        Noted(
            "--concurrency N",
            "the number of hardware threads; -force-concurrency plays 9999",
        ),
    ),
    (
        "-concurrency 9999 -force-concurrency",
        "fastchess: not limited",
        Becomes("--concurrency 9999"),
    ),
    (
        "-concurrency x",
        "both: a number",
        Error("expected a whole number"),
    ),
    (
        "-wait 100",
        "both: default 0 ms between games",
        Noted("", "no effect: the next game begins at once"),
    ),
    (
        "-draw",
        "fastchess: movenumber=0 movecount=1 score=0; cutechess: all three required",
        Noted(
            "--draw movecount=1 score=0",
            "-draw without movecount=: movecount=1, as in fastchess",
        ),
    ),
    (
        "-draw movenumber=4 movecount=2 score=10",
        "both: both scores within 10 for 2 moves, from move 4 on",
        Becomes("--draw movenumber=4 movecount=2 score=10"),
    ),
    (
        "-draw score=10",
        "fastchess: movecount=1",
        Noted(
            "--draw score=10 movecount=1",
            "-draw without movecount=: movecount=1, as in fastchess",
        ),
    ),
    (
        "-resign score=600",
        "fastchess: movecount=1 score=0 twosided=false; cutechess: movecount and score required",
        Noted(
            "--resign score=600 movecount=1",
            "-resign without movecount=: movecount=1, as in fastchess",
        ),
    ),
    (
        "-resign movecount=3",
        "fastchess: score=0",
        Noted(
            "--resign movecount=3 score=0",
            "-resign without score=: score=0, as in fastchess",
        ),
    ),
    (
        "-resign movecount=3 score=600 twosided=true",
        "both: the winner must agree",
        Becomes("--resign movecount=3 score=600 twosided=true"),
    ),
    (
        "-maxmoves 100",
        "both: draw after N full moves",
        Becomes("--maxmoves 100"),
    ),
    ("-maxmoves 0", "cutechess: off", Becomes("")),
    (
        "-maxmoves x",
        "both: a number",
        Error("expected a whole number"),
    ),
    (
        "-tb /t",
        "both: Syzygy",
        Noted("", "no effect: there are no tablebases"),
    ),
    (
        "-tbpieces 5",
        "both: Syzygy",
        Noted("", "no effect: there are no tablebases"),
    ),
    (
        "-tbignore50",
        "both: Syzygy",
        Noted("", "no effect: there are no tablebases"),
    ),
    (
        "-tbadjudicate BOTH",
        "fastchess: BOTH, WIN_LOSS, DRAW",
        Noted("", "no effect: there are no tablebases"),
    ),
    (
        "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05",
        "fastchess: model=normalized; cutechess: BayesElo",
        Noted(
            "--sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized",
            "-sprt without model=: model=normalized, as in fastchess",
        ),
    ),
    (
        "-sprt elo0=0 elo1=5 model=logistic",
        "fastchess",
        Becomes("--sprt elo0=0 elo1=5 model=logistic"),
    ),
    (
        "-sprt elo0=0 elo1=5 model=bayesian",
        "fastchess",
        Error("not supported, expected normalized or logistic"),
    ),
    (
        "-recover",
        "both: restart a crashed engine",
        Becomes("--recover"),
    ),
    (
        "-show-latency",
        "fastchess: default off",
        Becomes("--show-latency"),
    ),
    (
        "-strict",
        "fastchess: status 1 on any warning",
        Becomes("--strict"),
    ),
    (
        "-startup-ms 20",
        "fastchess: default 10000",
        Becomes("--start-timeout 0.02"),
    ),
    (
        "-ucinewgame-ms 20",
        "fastchess: default 60000",
        Becomes("--new-game-timeout 0.02"),
    ),
    (
        "-ping-ms 20",
        "fastchess: default 60000",
        Becomes("--stall-timeout 0.02"),
    ),
    (
        "-ping-ms x",
        "fastchess: milliseconds",
        Error("expected milliseconds"),
    ),
    (
        "-startup-ms 0",
        "fastchess: milliseconds",
        Error("-startup-ms 0: expected 1 to 1000000000 milliseconds"),
    ),
    (
        "-ucinewgame-ms 2000000000",
        "fastchess: milliseconds",
        Error("-ucinewgame-ms 2000000000: expected 1 to 1000000000 milliseconds"),
    ),
    (
        "-use-affinity",
        "fastchess: all CPUs",
        Becomes("--affinity on"),
    ),
    (
        "-use-affinity 3,5,7-11",
        "fastchess: a list",
        Becomes("--affinity 3,5,7-11"),
    ),
    ("-srand 7", "both: the seed", Becomes("--seed 7")),
    (
        "-randomseed",
        "older fastchess",
        Noted("", "no effect: the seed is random"),
    ),
    // Openings.
    (
        "-openings file=x",
        "fastchess: order=sequential, all plies, start=1; cutechess: the same",
        Becomes("--openings file=x"),
    ),
    (
        "-openings file=x format=epd order=random plies=8 start=3",
        "both: format epd or pgn; order sequential or random",
        Noted(
            "--openings file=x order=random plies=8 start=3",
            "-openings format=epd: no effect: the format is detected by content",
        ),
    ),
    (
        "-openings file=x policy=round",
        "cutechess: default, encounter, round",
        Noted(
            "--openings file=x",
            "no effect: all games of a round have the same opening",
        ),
    ),
    (
        "-openings source=random",
        "ours",
        Becomes("--openings source=random"),
    ),
    (
        "-bookmode disk",
        "cutechess: ram (default) or disk",
        Noted("", "no effect: openings are read into memory"),
    ),
    // Output.
    ("-event E", "both: the name in PGN", Becomes("--event E")),
    ("-site S", "both: the name in PGN", Becomes("--site S")),
    (
        "-ratinginterval 5",
        "fastchess: default 10",
        Becomes("--ratinginterval 5"),
    ),
    (
        "-ratinginterval 0",
        "fastchess: off",
        Becomes("--ratinginterval 0"),
    ),
    (
        "-scoreinterval 1",
        "fastchess: default 1",
        Noted("", "no effect: every finished game is a line"),
    ),
    (
        "-outcomeinterval 1",
        "cutechess",
        Noted("", "no effect: every finished game is a line"),
    ),
    (
        "-output format=cutechess",
        "fastchess (default), cutechess",
        Noted("", "no effect: there is one output format"),
    ),
    (
        "-resultformat wide",
        "cutechess",
        Noted("", "no effect: there is one output format"),
    ),
    (
        "-report penta=true",
        "fastchess: default true",
        Noted("", "no effect: pairs are always reported"),
    ),
    (
        "-check-mate-pvs",
        "fastchess: default off",
        Noted("", "no effect: all principal variations are checked"),
    ),
    (
        "-testEnv",
        "fastchess: default off",
        Noted("", "no effect: not supported"),
    ),
    (
        "-crc32 pgn=true",
        "fastchess: default off",
        Noted("", "no effect: not supported"),
    ),
    (
        "-pgnout append=false",
        "fastchess: file= by date, append=true, notation=san",
        Noted(
            "--pgnout append=false file=tournament-D.pgn",
            "-pgnout without file=: file=tournament-",
        ),
    ),
    (
        "-pgnout file=x nodes=true seldepth=true nps=true timeleft=true",
        "fastchess: off by default",
        Becomes("--pgnout file=x nodes=true seldepth=true nps=true timeleft=true"),
    ),
    (
        "-pgnout x min",
        "cutechess: FILE [min] [fi]",
        Becomes("--pgnout file=x min=true"),
    ),
    (
        "-pgnout x fi",
        "cutechess: finished games only",
        Noted("--pgnout file=x", "only finished games are written"),
    ),
    (
        "-pgnout file=x notation=lan",
        "fastchess",
        Noted("--pgnout file=x", "moves are in the notation of the game"),
    ),
    (
        "-pgnout file=x pv=true",
        "fastchess",
        Noted(
            "--pgnout file=x",
            "plies.jsonl has the principal variations",
        ),
    ),
    (
        "-pgnout file=x hashfull=true",
        "fastchess",
        Noted("--pgnout file=x", "no effect: not recorded"),
    ),
    (
        "-pgnout file=x tbhits=true",
        "fastchess",
        Noted("--pgnout file=x", "no effect: not recorded"),
    ),
    (
        "-pgnout file=x latency=true",
        "fastchess",
        Noted("--pgnout file=x", "--show-latency prints latencies"),
    ),
    (
        "-pgnout file=x match_line=y",
        "fastchess",
        Noted("--pgnout file=x", "no effect: not supported"),
    ),
    (
        "-livepgnout x",
        "cutechess",
        Noted("", "plies.jsonl has the moves of games in progress"),
    ),
    (
        "-epdout file=x",
        "both: final positions",
        Noted("", "no effect: games.jsonl has all moves"),
    ),
    (
        "-log file=x",
        "fastchess: level=warn append=true compress=false engine=false",
        Noted(
            "--log file=x level=warn engine=off",
            "-log without level=: level=warn, as in fastchess",
        ),
    ),
    (
        "-log file=x level=trace engine=true",
        "fastchess: trace info warn err fatal",
        Becomes("--log file=x level=info engine=true"),
    ),
    (
        "-log file=x level=fatal engine=false append=false",
        "fastchess: replaces the file",
        Noted(
            "--log file=x level=warn engine=false",
            "no effect: the log is always appended",
        ),
    ),
    (
        "-log file=x level=all engine=false realtime=false",
        "fastchess",
        Noted(
            "--log file=x level=info engine=false",
            "every line is written as it arrives",
        ),
    ),
    (
        "-log file=x level=err engine=false compress=true",
        "fastchess",
        Noted(
            "--log file=x level=warn engine=false",
            "no effect: not supported",
        ),
    ),
    (
        "-log file=x level=high",
        "fastchess",
        Error("expected trace, info, warn, err or fatal"),
    ),
    (
        "-debug",
        "cutechess: all traffic",
        Noted("", "-log file=FILE engine=true logs all lines"),
    ),
    (
        "-config file=x",
        "fastchess: resume from a file, default config.json",
        Error("not supported; --resume DIR continues a match"),
    ),
    (
        "-config discard=true",
        "fastchess: default false",
        Noted("", "a new match has a new record"),
    ),
    (
        "-config outname=x",
        "fastchess",
        Noted("", "--out DIR names the record"),
    ),
    (
        "-config stats=true",
        "fastchess: default true",
        Noted("", "the record has all games"),
    ),
    (
        "-autosaveinterval 20",
        "fastchess: default 20, 0 is off",
        Noted("", "every game is recorded as it ends"),
    ),
    ("-nonsense", "", Error("unknown flag -nonsense")),
];

/// The keys of `-each`, which are those of `-engine`.
const ENGINE: &[Row] = &[
    (
        "cmd=x name=y dir=z",
        "both: the default name is that of the program",
        Becomes("cmd=x name=y dir=z"),
    ),
    ("conf=x", "cutechess: from engines.json", Becomes("conf=x")),
    ("args='a b'", "fastchess", Becomes("args='a b'")),
    (
        "arg=a arg=b",
        "cutechess: repeatable",
        Becomes("arg=a arg=b"),
    ),
    (
        "tc=40/1:30+0.5",
        "both: moves/minutes:seconds+increment",
        Becomes("tc=40/1:30+0.5"),
    ),
    ("tc=0/60", "cutechess: 60 s per game", Becomes("tc=60")),
    ("tc=inf", "both", Becomes("tc=inf")),
    ("tc=N/A", "fastchess: no clock", Becomes("tc=inf")),
    ("st=1", "both: seconds per move", Becomes("st=1")),
    (
        "tc=1 st=1",
        "cutechess: st excludes tc",
        Error("tc= and st= exclude each other"),
    ),
    ("nodes=5", "both", Becomes("nodes=5")),
    ("depth=5", "both", Becomes("depth=5")),
    (
        "depth=245",
        "both: no game here is longer",
        Becomes("depth=128"),
    ),
    ("plies=5", "fastchess: the depth", Becomes("depth=5")),
    (
        "timemargin=5",
        "both: milliseconds",
        Becomes("timemargin=5"),
    ),
    (
        "restart=on",
        "fastchess: default off; cutechess: default auto",
        Becomes("restart=on"),
    ),
    (
        "restart=auto",
        "cutechess: on request of xboard engines",
        Becomes("restart=off"),
    ),
    (
        "proto=uci",
        "fastchess: uci; cutechess: uci, xboard",
        Becomes("proto=uci"),
    ),
    (
        "proto=xboard",
        "cutechess",
        Error("xboard engines are not supported"),
    ),
    (
        "'option.A B=c'",
        "both; for a button true or false in fastchess",
        Becomes("'option.A B=c'"),
    ),
    (
        r"initstr='a\nb'",
        "cutechess: the two characters \\n separate lines",
        Becomes(r"'initstr=a\nb'"),
    ),
    ("stderr=x", "cutechess: a file", Becomes("stderr=x")),
    ("ponder", "cutechess: pondering", Becomes("ponder=on")),
    (
        "debug",
        "cutechess: debug mode",
        Becomes("'initstr=debug on'"),
    ),
    (
        "trust",
        "cutechess: no validation of claims",
        Noted("", "the runner always checks results"),
    ),
    (
        "whitepov",
        "cutechess: scores from White's side",
        Noted("", "scores are those of the side to move"),
    ),
    (
        "book=x",
        "cutechess: Polyglot book",
        Noted("", "-openings file=FILE selects openings"),
    ),
    (
        "bookdepth=4",
        "cutechess: in full moves",
        Noted("", "-openings plies=N limits openings"),
    ),
    (
        "tscale=2",
        "cutechess: factor of timeouts",
        Noted("", "-startup-ms and -ping-ms set timeouts"),
    ),
    ("color=red", "", Error("unknown key \"color\"")),
];

/// Numbers of this machine and of this moment as letters.
fn normal(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(String::from).collect();
    for index in 1..words.len() {
        if words[index - 1] == "--concurrency" && words[index] != "9999" {
            words[index] = "N".into();
        }
        if let Some(date) = words[index].strip_prefix("file=tournament-") {
            assert!(date.ends_with(".pgn") && date.len() > 10);
            words[index] = "file=tournament-D.pgn".into();
        }
    }
    words.join(" ")
}

/// Checks a row whose line begins with `flag` and whose options begin with `option`.
fn check(flag: &str, option: &str, (line, there, here): &Row) {
    let line = format!("{flag}{line}");
    let words: Vec<OsString> = split(&line)
        .unwrap()
        .into_iter()
        .map(OsString::from)
        .collect();
    let done = translate(&[], &words, &["exact"]);
    match here {
        Error(expected) => {
            let error = format!("{:#}", done.unwrap_err());
            assert!(error.contains(expected), "{line} ({there}): {error}");
        }
        Becomes(options) | Noted(options, _) => {
            let done = done.unwrap_or_else(|error| panic!("{line}: {error:#}"));
            let options = split(&format!(
                "{}{options}",
                if options.is_empty() { "" } else { option }
            ));
            let words: Vec<&str> = done.words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(
                normal(&words.join(" ")),
                options.unwrap().join(" "),
                "{line} ({there})"
            );
            let notes = done.notes.join("\n");
            match here {
                Noted(_, expected) => assert!(notes.contains(expected), "{line}: {notes}"),
                _ => assert_eq!(notes, "", "{line}"),
            }
        }
    }
}

#[test]
fn every_flag_and_key_of_other_runners_has_its_meaning() {
    for row in FLAGS {
        check("", "", row);
    }
    for row in ENGINE {
        check("-each ", "--each ", row);
    }
    // A match has the defaults of fastchess, and a note for each.
    let words = ["-engine", "cmd=a", "-engine", "cmd=b", "-each", "tc=1"].map(OsString::from);
    let done = translate(&[], &words, &[]).unwrap();
    let options: Vec<&str> = done.words.iter().filter_map(|word| word.to_str()).collect();
    assert_eq!(
        options.join(" "),
        "--engine cmd=a proto=uci --engine cmd=b proto=uci --each tc=1 --start-timeout 10 --new-game-timeout 60 \
         --stall-timeout 60 --ratinginterval 10 --rounds 2"
    );
    let notes = done.notes.join("\n");
    for expected in [
        "note: -engine without proto=: uci, as in fastchess",
        "note: as in fastchess: -startup-ms 10000 -ucinewgame-ms 60000 -ping-ms 60000 -ratinginterval 10",
        "note: no -variant: othello",
        "note: no -openings: the built-in balanced openings",
        "note: no -rounds: 2 rounds",
        "note: no -games: 2 games per round, 4 games per pairing",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
}

#[test]
fn the_table_has_every_flag_and_key_of_the_help() {
    let mut listed = BTreeSet::new();
    for (line, ..) in FLAGS.iter().chain(ENGINE) {
        for word in line.split(' ') {
            listed.insert(word.split_once('=').map_or(word, |(key, _)| key).to_owned());
        }
    }
    let table = migration_table();
    for line in table.lines() {
        let indent = line.len() - line.trim_start().len();
        let (names, _) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        // Further in is the continuation of a line.
        for name in names.split(' ').filter(|_| indent <= 6) {
            let is_special = ["option.*", "-engine", "-each"].contains(&name);
            assert!(is_special || listed.contains(name), "{name} in {line}");
        }
    }
}
