//! `nullwindow convert` and the reader and writers of game records: round trips of random games in
//! every format that can hold them, filters, errors, contradictions, long files, and damaged ones.

use std::fs;

use crate::common::{self, Folder, nullwindow};
use nullwindow::game::rng::Rng;
use nullwindow::game::{Outcome, Player};
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use nullwindow::games::record::play_all;
use nullwindow::games::record::{
    self, Ending, GameInfo, MoveInfo, RecordEntry, RecordReader, ReportedScore, ResultOrder,
    StatedResult, WthorEncoder,
};

/// Exit status, standard output and standard error of `convert` with these words.
fn convert(words: &[&str], input: &str) -> (i32, String, String) {
    let output = nullwindow(&[&["convert"], words].concat(), input);
    (
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A random game, finished or not, that begins at the start or elsewhere, with all that a record
/// can state about it.
fn random_entry(name: &str, rng: &mut Rng) -> RecordEntry {
    let mut game = by_name(name).unwrap();
    let skipped = if rng.below(3) == 0 { rng.below(4) } else { 0 };
    let plies = match rng.below(3) {
        0 => rng.below(u64::from(game.plies_left())),
        _ => u64::MAX,
    };
    for _ in 0..skipped {
        let m = *rng.choose(&game.moves()).unwrap();
        game.play(m).unwrap();
    }
    let mut game = AnyGame::from(game.position());
    while (game.history().len() as u64) < plies
        && let Some(&m) = rng.choose(&game.moves())
    {
        game.play(m).unwrap();
    }
    let mut entry = RecordEntry::of(game);
    let game = &entry.game;
    let info = &mut entry.info;
    let text = |rng: &mut Rng, texts: &[&str]| {
        Some(texts[rng.below(texts.len() as u64) as usize].to_owned())
    };
    info.players = [
        text(rng, &["Anna", "B. \"Bo\" C", "Zoë"]),
        text(rng, &["nullwindow 0.2", "O'Neil", "x y z"]),
    ];
    info.event = text(rng, &["Open 2003", "Cup"]);
    info.site = text(rng, &["GGS/os", "Paris"]);
    info.round = text(rng, &["3", "3.1"]);
    info.date = text(rng, &["2003", "2003-12", "2003-12-15"]);
    info.result = match (
        game.outcome(),
        game.discs().and(record::played_points(game)),
    ) {
        (_, Some(discs)) => Some(StatedResult::of_discs(discs)),
        (Some(outcome), None) => Some(StatedResult::of(outcome)),
        (None, _) => rng
            .choose(&[Ending::Time, Ending::Resignation])
            .map(|&ending| StatedResult {
                ending,
                ..StatedResult::of(Outcome::win(*rng.choose(&Player::BOTH).unwrap()))
            }),
    };
    info.moves = (0..game.history().len())
        .map(|index| MoveInfo {
            seconds: (index % 2 == 0).then(|| rng.below(10_000) as f64 / 100.0),
            score: (index % 3 != 0).then(|| ReportedScore::Cp(rng.below(12_800) as i64 - 6_400)),
            ..MoveInfo::default()
        })
        .collect();
    entry
}

/// What a format keeps of an entry: its position, history and annotations.
fn kept(entry: &RecordEntry, keep: impl Fn(&mut GameInfo)) -> (AnyGame, GameInfo) {
    let mut info = entry.info.clone();
    // Tags that the writer adds for a reason that PGN's `Termination` does not have.
    info.tags.retain(|(name, _)| name != "Reason");
    if info.moves.iter().all(|info| *info == MoveInfo::default()) {
        info.moves.clear();
    }
    keep(&mut info);
    (entry.game.clone(), info)
}

fn assert_same(one: (AnyGame, GameInfo), other: (AnyGame, GameInfo), text: &str) {
    assert_eq!(one.0.start(), other.0.start(), "{text}");
    assert_eq!(one.0.history(), other.0.history(), "{text}");
    assert_eq!(one.1, other.1, "{text}");
}

#[test]
fn random_games_round_trip_in_every_format() {
    let mut rng = Rng::new(50);
    for name in NAMES {
        let start = by_name(name).unwrap();
        let is_square = start.discs().is_some_and(|discs| discs.grid.is_square());
        for _ in 0..120 {
            let entry = random_entry(name, &mut rng);
            let read = |text: &str| {
                record::parse(&start, text).unwrap_or_else(|error| panic!("{error}: {text}"))
            };
            let moves_only = |info: &mut GameInfo| *info = GameInfo::default();
            let text = record::transcript(&entry.game);
            assert_same(
                kept(&read(&text), moves_only),
                kept(&entry, moves_only),
                &text,
            );

            let text = record::pgn(&entry);
            let again = read(&text);
            assert_same(kept(&again, |_| {}), kept(&entry, |_| {}), &text);
            assert_eq!(record::pgn(&again), text);
            assert_eq!(again.contradiction, None, "{text}");

            let text = record::json_line(&entry, 7);
            assert_same(kept(&read(&text), |_| {}), kept(&entry, |_| {}), &text);

            if is_square {
                // GGF states all discs for the winner of an unfinished game.
                let score = |info: &mut GameInfo| {
                    info.result = info.result.map(|result| StatedResult {
                        discs: None,
                        ..result
                    });
                };
                let text = record::ggf(&entry).unwrap().write();
                assert_same(kept(&read(&text), score), kept(&entry, score), &text);
            } else {
                assert!(record::ggf(&entry).is_none());
            }
            if name == "othello" && entry.game.is_from_start() {
                let mut encoder = WthorEncoder::default();
                let game = encoder.game(&entry).unwrap();
                let bytes = [&encoder.header("2026-11-25")[..], &game].concat();
                let mut reader = RecordReader::new(&bytes[..], "games", &start);
                let again = reader.next().unwrap().unwrap().entry.unwrap();
                assert!(reader.next().is_none());
                let played: Vec<_> = again.game.history().to_vec();
                assert!(
                    entry.game.history().starts_with(&played)
                        || played.starts_with(entry.game.history())
                );
                assert_eq!(
                    again.info.date.as_deref(),
                    entry.info.date.as_deref().map(|date| &date[..4])
                );
                let winner = |entry: &RecordEntry| entry.info.result.map(|result| result.outcome);
                assert_eq!(winner(&again), winner(&entry));
            }
        }
    }
}

/// Games as other programs write them.
const FOREIGN: &[(&str, &str, [&str; 2], &str)] = &[
    // PlayOK.
    (
        "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2014.01.14\"]\n[Round \"-\"]\n[Black \"anna\"]\n[White \"bob\"]\n\
         [Result \"40-24\"]\n\n1. f5 d6 2. c3 d3 3. c4 40-24\n",
        "+16 discs for the first player",
        ["anna", "bob"],
        "f5d6c3d3c4",
    ),
    // A UGI runner, whose 1-0 is a win of the player named first.
    (
        "[Event \"?\"]\n[Site \"CuteGames\"]\n[Date \"??\"]\n[Round \"1\"]\n[X \"a\"]\n[O \"b\"]\n[Result \"1-0\"]\n\
         [FEN \"startpos\"]\n[PlyCount \"3\"]\n\n1. f5 d6 2. c3 1-0\n",
        "a win of the first player",
        ["a", "b"],
        "f5d6c3",
    ),
    (
        "[Event \"?\"]\n[Site \"CuteGames\"]\n[Round \"1\"]\n[Black \"a\"]\n[White \"b\"]\n[Result \"1-0\"]\n\
         [Adjudicated \"Out of time\"]\n[Winner \"a\"]\n[Loser \"b\"]\n\n1. f5 d6 1-0\n",
        "a win of the first player",
        ["a", "b"],
        "f5d6",
    ),
    // Fairy-Stockfish's flipello, in which White begins.
    (
        "[Event \"x\"]\n[White \"fsf\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Variant \"flipello\"]\n\n\
         1. P@f4 {+0.03/1 0.1s} P@d3 {book} 1-0\n",
        "a win of the first player",
        ["fsf", "b"],
        "f5d6",
    ),
    // SGF of Quarry and of GoGui.
    (
        "(;FF[4]CA[UTF-8]AP[Quarry:0.2.0]GM[2]SZ[8]PB[anna]PW[bob]RE[W+Time]\n;B[fe]\n;W[df])\n",
        "a win of the second player",
        ["anna", "bob"],
        "f5d6",
    ),
    (
        "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]\nSZ[8]\nPB[anna]PW[bob]RE[B+R]\n;B[fd]\n;W[dc])\n",
        "a win of the first player",
        ["anna", "bob"],
        "f5d6",
    ),
    // Lists of games.
    (
        "2021-03-04 05:06\tanna (1700)\t34-30\tbob (1650)\tf5d6c3d3c4f4\n",
        "+4 discs for the first player",
        ["anna (1700)", "bob (1650)"],
        "f5d6c3d3c4f4",
    ),
    (
        "12,anna,bob,-2,F5D6C3D3C4F4\n",
        "-2 discs for the first player",
        ["anna", "bob"],
        "f5d6c3d3c4f4",
    ),
];

#[test]
fn games_of_other_programs_are_read() {
    let othello = by_name("othello").unwrap();
    for (text, result, players, moves) in FOREIGN {
        let reader = RecordReader::new(text.as_bytes(), "file", &othello);
        let reader = reader.with_result_order(Some(ResultOrder::First));
        let records: Vec<_> = reader.collect();
        assert_eq!(records.len(), 1, "{text}");
        let record = records.into_iter().next().unwrap().unwrap();
        let entry = record
            .entry
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(entry.info.result.unwrap().to_string(), *result, "{text}");
        assert_eq!(
            entry
                .info
                .players
                .each_ref()
                .map(|name| name.as_deref().unwrap()),
            *players,
            "{text}"
        );
        assert_eq!(record::transcript(&entry.game), *moves, "{text}");
    }
    let synchro = "2 (;GM[Othello]PB[a]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)\
                   (;GM[Othello]PB[b]BO[8 ---------------------------O*------*O--------------------------- *]B[D3];)\n";
    let (status, out, _) = convert(&["-", "--to", "transcript"], synchro);
    assert_eq!((status, out.as_str()), (0, "f5\nd3\n"));
}

#[test]
fn every_format_is_written_and_read_by_the_command() {
    let folder = Folder::new("convert-formats");
    let games = "f5d6c3 \n1. e6 f4 e3 f6 g5 d6 e7 f5 c5 64-0\n";
    let input = folder.file("games.txt", games);
    let transcripts = "f5d6c3\ne6f4e3f6g5d6e7f5c5\n";
    for format in ["transcript", "ggf", "pgn", "jsonl"] {
        let out = folder.path(&format!("out.{format}"));
        let (status, told, errors) = convert(&[&input, "--to", format, "--out", &out], "");
        assert_eq!((status, errors.as_str()), (0, ""), "{format}");
        assert_eq!(told, format!("2 of 2 written to {out}\n"));
        let (status, again, _) = convert(&[&out, "--to", "transcript"], "");
        assert_eq!((status, again.as_str()), (0, transcripts), "{format}");
        // Standard output and standard input give the same.
        let (_, text, _) = convert(&["-", "--to", format], games);
        assert_eq!(text, fs::read_to_string(&out).unwrap());
    }
    let (_, positions, _) = convert(&[&input, "--to", "obf", "--empties", "57"], "");
    let rows = [
        "-".repeat(16),
        "--X-----".into(),
        "---XX---".into(),
        "---OXX--".into(),
        "---O----".into(),
    ];
    let first = rows.concat() + &"-".repeat(16) + " O;";
    assert_eq!(
        (positions.lines().next(), positions.lines().count()),
        (Some(first.as_str()), 2)
    );
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new("convert-permissions");
    let out = folder.file("out.txt", "old");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).unwrap();
    let words = ["-", "--to", "transcript", "--out", &out];
    assert_eq!(convert(&words, "f5 d6\n").0, 0);
    let mode = fs::metadata(&out).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(fs::read_to_string(&out).unwrap(), "f5d6\n");
    // A link to a file that does not exist yet is followed.
    let [link, target] = ["link", "target"].map(|name| folder.path(name));
    std::os::unix::fs::symlink("target", &link).unwrap();
    assert_eq!(
        convert(&["-", "--to", "transcript", "--out", &link], "f5").0,
        0
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "f5\n");
}

#[cfg(unix)]
#[test]
fn the_file_behind_a_redirection_is_not_replaced() {
    use std::process::Command;

    let folder = Folder::new("convert-streams");
    let games = folder.file("games.txt", "f5 d6\n");
    let link = folder.path("link");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    let engine = common::command();
    let run = |out: &str, redirection: &str| {
        let line = format!("\"$0\" convert \"$1\" --to transcript --out \"$2\" {redirection}");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &line]).arg(engine.get_program()).args([
            &games,
            out,
            &folder.file("all.txt", "old\n"),
        ]);
        let output = shell.output().unwrap();
        let text = fs::read_to_string(folder.path("all.txt")).unwrap();
        (output.status.code(), text, output)
    };
    for out in ["/dev/stdout", "/dev/fd/1", &link, &folder.path("all.txt")] {
        let (status, text, output) = run(out, ">>\"$3\"");
        assert_eq!((status, text.as_str()), (Some(2), "old\n"), "{output:?}");
    }
    let (status, text, output) = run("/dev/stderr", "2>>\"$3\"");
    assert!(
        status == Some(2) && text.starts_with("old\nerror: "),
        "{output:?}"
    );
    // An input that is also the output would never end.
    for (input, redirection, expected) in [(&games, ">>", 2), (&folder.path("all.txt"), "<", 0)] {
        let line = format!("\"$0\" convert \"$1\" --to transcript {redirection}\"$1\"");
        let mut shell = Command::new("sh");
        let shell = shell
            .args(["-c", &line])
            .arg(engine.get_program())
            .arg(input);
        folder.file("all.txt", "f5\n");
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{output:?}");
    }
    let mut shell = Command::new("sh");
    let line = "\"$0\" convert - --to transcript <\"$1\" >>\"$1\"";
    let shell = shell
        .args(["-c", line])
        .arg(engine.get_program())
        .arg(&games);
    assert_eq!(shell.output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read_to_string(&games).unwrap(), "f5 d6\n");
    let (status, _, output) = run("/dev/stdout", "| cat");
    assert!(
        status == Some(0) && output.stdout.starts_with(b"f5d6\n"),
        "{output:?}"
    );
    // Both write further files beside it.
    for words in [
        &["convert", &games, "--to", "wthor"][..],
        &["prove", "--game", "tictactoe"],
    ] {
        let output = nullwindow(&[words, &["--out", "/dev/stdout"]].concat(), "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && error.contains("needs a regular file"),
            "{error}"
        );
    }
}

#[test]
fn wthor_has_names_in_files_of_their_own() {
    let folder = Folder::new("convert-wthor");
    let pgn = "[Event \"Open\"]\n[Date \"2003.12.15\"]\n[White \"Béa\"]\n[Black \"Anna\"]\n[Result \"0-1\"]\n\n\
               1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 0-1\n";
    let input = folder.file("games.pgn", pgn);
    let out = folder.path("new.wtb");
    let (status, _, errors) = convert(&[&input, &input, "--to", "wthor", "--out", &out], "");
    assert_eq!((status, errors.as_str()), (0, ""));
    let bytes = fs::read(&out).unwrap();
    assert_eq!(bytes.len(), 16 + 2 * 68);
    assert_eq!(
        (&bytes[4..8], &bytes[10..13]),
        (&[2, 0, 0, 0][..], &[0xd3, 7, 8][..])
    );
    // The empties count for the winner.
    assert_eq!(&bytes[16..16 + 11], [1, 0, 1, 0, 2, 0, 64, 64, 65, 46, 35]);
    assert_eq!(fs::read(folder.path("new.jou")).unwrap().len(), 16 + 3 * 20);
    let (status, again, _) = convert(&[&out, "--to", "pgn", "--unique", "--player", "ANNA"], "");
    assert_eq!(status, 0);
    for tag in [
        "[Event \"Open\"]",
        "[Date \"2003.??.??\"]",
        "[White \"Béa\"]",
        "[Black \"Anna\"]",
        "[Discs \"+64\"]",
    ] {
        assert!(again.contains(tag), "{tag}: {again}");
    }
    assert_eq!(again.matches("[Event ").count(), 1);
    // Names that were there before belong to other games, however their file is capitalized.
    for kind in ["jou", "trn"] {
        let name = folder.path(&format!("WTHOR.{}", kind.to_uppercase()));
        fs::copy(folder.path(&format!("new.{kind}")), name).unwrap();
    }
    let other = folder.path("wthor.wtb");
    let renamed = pgn.replace("Anna", "Carla");
    assert_eq!(
        convert(&["-", "--to", "wthor", "--out", &other], &renamed).0,
        0
    );
    let (status, again, _) = convert(&[&other, "--to", "pgn", "--player", "Carla"], "");
    assert_eq!(
        (status, again.matches("[Event ").count()),
        (0, 1),
        "{again}"
    );

    // Every command reads it.
    let solved = nullwindow(&["solve", &out, "--only", "1"], "");
    assert_eq!(solved.status.code(), Some(0), "{solved:?}");

    // Names that are damaged are not unknown names.
    let names = fs::read(folder.path("new.jou")).unwrap();
    for (damaged, found) in [
        (&names[..names.len() - 4], "56 bytes after the header"),
        (&names[..names.len() - 20], "40 bytes after the header"),
        (b"hello", "5 bytes"),
    ] {
        folder.file("new.jou", damaged);
        let (status, _, error) = convert(&[&out, "--to", "pgn"], "");
        assert_eq!(status, 2, "{error}");
        assert!(
            error.contains(&format!("new.jou: {found}, expected")),
            "{error}"
        );
    }
    folder.file("new.jou", names);

    let mut ten = bytes.clone();
    ten[12] = 10;
    let ten = folder.file("ten.wtb", ten);
    let (status, _, error) = convert(&[&ten, "--to", "pgn"], "");
    assert_eq!(status, 2);
    assert!(
        error.contains("ten.wtb") && error.contains("board size 10x10 is not supported"),
        "{error}"
    );
    let cut = folder.file("cut.wtb", &bytes[..100]);
    let (status, text, error) = convert(&[&cut, "--to", "transcript"], "");
    assert_eq!((status, text.as_str()), (1, "e6f4e3f6g5d6e7f5c5\n"));
    assert!(
        error.contains("cut.wtb, game 2: the header states 2 games, but the file ends here"),
        "{error}"
    );
    let (status, _, error) = convert(&[&input, "--to", "wthor"], "");
    assert!(status == 2 && error.contains("--out"), "{error}");
    let (status, _, error) = convert(&["-", "--to", "wthor", "--out", &out], "f5d6c3\n");
    assert!(
        status == 1 && error.contains("line 1: WTHOR needs the result"),
        "{error}"
    );
}

#[test]
fn no_output_is_one_of_the_files_that_are_read() {
    let folder = Folder::new("convert-inputs");
    let pgn = "[White \"B\"]\n[Black \"A\"]\n[Result \"1-0\"]\n\n1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 1-0\n";
    let input = folder.file("games.pgn", pgn);
    let [file, players, other] = ["a.wtb", "a.jou", "other"].map(|name| folder.path(name));
    assert_eq!(convert(&[&input, "--to", "wthor", "--out", &file], "").0, 0);
    let kept = [&input, &file, &players].map(|path| fs::read(path).unwrap());
    let mut refused = vec![
        ([&file, "pgn", &players], "this file is also an input"),
        (
            [&input, "wthor", &players],
            "not the name of a file of games",
        ),
    ];
    // Hard links are detected by their file number, which is not available on Windows.
    if cfg!(unix) {
        fs::hard_link(&input, &other).unwrap();
        refused.push(([&input, "pgn", &other], "this file is also an input"));
    }
    for name in ["b.JOU", "b.TRN"] {
        let out = folder.path(name);
        let (status, _, error) = convert(&[&input, "--to", "wthor", "--out", &out], "");
        assert!(
            status == 2 && error.contains("not the name of a file of games"),
            "{error}"
        );
    }
    for ([input, format, out], what) in refused {
        let (status, _, error) = convert(&[input, "--to", format, "--out", out], "");
        assert!(status == 2 && error.contains(what), "{error}");
    }
    let left = [&input, &file, &players].map(|path| fs::read(path).unwrap());
    assert!(left == kept);
}

#[test]
fn names_that_are_not_utf_8_are_read_as_iso_8859_1() {
    let pgn = b"[White \"B\"]\n[Black \"J\xf6rg\"]\n\n1. f5 d6 *\n";
    let folder = Folder::new("convert-latin");
    let latin = folder.file("latin.pgn", pgn);
    let (status, text, _) = convert(&[&latin, "--to", "pgn"], "");
    assert!(status == 0 && text.contains("[Black \"Jörg\"]"), "{text}");
}

#[test]
fn errors_and_contradictions_are_reported_and_the_rest_is_converted() {
    let folder = Folder::new("convert-errors");
    let text = "[Event \"1\"]\n\n1. f5 d6 2. a1 *\n\n[Event \"2\"]\n[Result \"0-1\"]\n\n1. f5 {never closed\nd6 *\n\n\
                [Event \"3\"]\n[Result \"0-1\"]\n\n1. f5 d6 0-1\n\n[Event \"4\"]\n\
                [FirstPlayer \"Black\"]\n[Result \"1-0\"]\n\n\
                1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5 1-0\n\n[Event \"5\"]\n\n1. f5 f4 *\n";
    let file = folder.file("games.pgn", text);
    let out = folder.file("out.txt", "before\n");
    let (status, _, errors) = convert(&[&file, "--to", "transcript", "--out", &out], "");
    assert_eq!(status, 1);
    assert_eq!(
        fs::read_to_string(&out).unwrap(),
        "f5d6\ne6f4e3f6g5d6e7f5c5\nf5f4\n"
    );
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 5, "{errors}");
    assert!(
        lines[0].ends_with("games.pgn, game 1, line 3: illegal move \"a1\" at ply 3"),
        "{errors}"
    );
    assert!(
        lines[1].contains("games.pgn, game 2, line 8: \"{never closed"),
        "{errors}"
    );
    assert!(
        lines[2].ends_with(
            "games.pgn, game 4, line 16: the stated result is a win of the second player, but the moves give \
             +64 discs for the first player"
        ),
        "{errors}"
    );
    let counted = "stated results: 1 unknown (of unfinished games; see --result-order), 1 contradicted by the moves";
    assert_eq!(lines[3..], [counted, "error: 3 of 5 entries have errors"]);
    // A file that cannot be read leaves the old output unchanged.
    let (status, _, error) = convert(&[&file, "no/such/file", "--to", "pgn", "--out", &out], "");
    assert!(status == 2 && error.contains("no/such/file"), "{error}");
    assert_eq!(
        fs::read_to_string(&out).unwrap(),
        "f5d6\ne6f4e3f6g5d6e7f5c5\nf5f4\n"
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
    for (text, contradiction) in [
        (
            "[Result \"1-0\"]\n\n1. f5 0-1\n",
            "the tag Result and the end of the moves",
        ),
        (
            "{\"moves\":[\"f5\"],\"result\":\"p1win\",\"discs\":-4}",
            "the stated score is -4",
        ),
        (
            "[FirstPlayer \"Black\"]\n[Result \"1-0\"]\n[Discs \"+4\"]\n\n1. f5 1-0\n",
            "the tag Discs states +4",
        ),
        ("e6f4e3f6g5d6e7f5c5 60-4", "the stated result is \"60-4\""),
        ("(;GM[2]RE[W+2];B[fe];W[df])", ""),
        (
            "(;FF[4]GM[2]RE[W+2];B[ef];W[fd];B[ec];W[ff];B[ge];W[df];B[eg];W[fe];B[ce])",
            "-2 discs",
        ),
        (
            "(;GM[Othello]RE[-2.000]BO[8 ---------------------------O*------*O--------------------------- *]\
             B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5];)",
            "-2 discs",
        ),
    ] {
        let (status, _, errors) = convert(&["-", "--to", "transcript"], text);
        assert_eq!(
            status,
            i32::from(!contradiction.is_empty()),
            "{text}: {errors}"
        );
        assert!(errors.contains(contradiction), "{text}: {errors}");
    }
}

/// Texts as users paste them and files as other programs write them: the moves that are read, or a
/// part of the error.
#[test]
fn pasted_games_are_read_completely_or_are_an_error() {
    let board = "---------------------------O*------*O---------------------------";
    let ggf = |tags: &str, moves: &str| format!("(;GM[Othello]{tags}BO[8 {board} *]{moves};)");
    let same = Ok("f5d6c3");
    for (text, expected) in [
        ("F5 D6, C3".into(), same),
        ("f5;d6;c3".into(), same),
        ("f5-d6-c3".into(), same),
        ("f5|d6|c3".into(), same),
        ("f5.d6/c3".into(), same),
        ("1:f5 2) d6 3.c3".into(), same),
        ("+f5-d6+c3:-04 10".into(), same),
        ("\u{ff26}\u{ff15}\u{3000}d6\u{ff0c}c\u{ff13}".into(), same),
        (format!("{board} X f5 d6 c3"), same),
        (format!("{board}* f5d6c3"), same),
        ("f5d6c3 # Tiger".into(), same),
        ("{\"moves\":\"f5 d6 c3\"}".into(), same),
        (
            "{\n\"moves\": [{\"m\":\"f5\",\"t\":1},\n\"d6\", {\"move\":\"c3\"}]}".into(),
            same,
        ),
        ("[{\"moves\":[\"f5\",\"d6\",\"c3\"]}]".into(), same),
        (
            "{\"moves\":\"f5d6c3\",\"players\":[{\"moves\":3}]}".into(),
            same,
        ),
        (
            "{\"moves\":\"f5d6c3\",\"more\":{\"moves\":\"d3?\"}}".into(),
            Err("the field \"more\" has moves"),
        ),
        (ggf("TY[s8r20]", "B[f5]W[d6]B[c3]"), same),
        ("f5 d6 #3".into(), Err("cannot read \"#3\"")),
        ("f5 d6 +3".into(), Err("cannot read \"+3\"")),
        ("f5d6 1-0 c3".into(), Err("cannot read \"1-0\"")),
        ("Zugfolge: f5d6c3".into(), Err("as a position or a game")),
        (board.into(), Err("nothing states which side is to move")),
        ("{\"moves\":[19,26]}".into(), Err("item 1 of \"moves\"")),
        (
            "{\"moves\":[\"f5d6\",\"c3\",{\"move\":\"a1\"}]}".into(),
            Err("item 3 of \"moves\": illegal move \"a1\" at ply 4"),
        ),
        (
            "{\"moves\":[\"f5\",{\"move\":null}]}".into(),
            Err("item 2 of \"moves\""),
        ),
        ("{\"moves\":null}".into(), Err("\"moves\" is null")),
        (
            "{\"moves\":[\"f5\"],\"more\":\"d6c3\"}".into(),
            Err("the field \"more\" has moves"),
        ),
        (
            "{\"moves\":[\"f5\"".into(),
            Err("game 1, line 1: invalid JSON"),
        ),
        (
            "[{\"moves\":[\"f5\"]}".into(),
            Err("game 2, line 1: the array of games is not closed"),
        ),
        (
            "{\"moves\":[\"f5\"],\"discs\":99}".into(),
            Err("discs is 99"),
        ),
        (
            ggf("TY[8a]", "B[f5]"),
            Err("TY[8a]: anti-Othello is not supported"),
        ),
        (
            ggf("RE[-99.000]", "B[f5]"),
            Err("RE[-99.000] is not possible"),
        ),
        (ggf("", "B[f5]w[d6]"), Err("the tag w[d6] has a move")),
        (
            ggf("TY[6]", "B[f5]"),
            Err("its board has another size, column 14, expected the size of option Game"),
        ),
        (ggf("KM[65]", "B[f5]"), Err("the komi is \"65\", expected")),
        (
            "[Komi \"NaN\"]\n\n1. f5 *".into(),
            Err("the komi is \"NaN\", expected"),
        ),
        (
            "{\"moves\":\"f5\",\"komi\":100}".into(),
            Err("the komi is \"100\", expected"),
        ),
        (
            "{\"moves\":\"f5\",\"komi\":\"x\"}".into(),
            Err("\"komi\" is \"x\", expected a number"),
        ),
        // The unit of a number is unknown; any other value of another type is an error.
        (
            "{\"moves\":[{\"m\":\"f5\",\"score\":-2,\"ms\":null}]}".into(),
            Ok("f5"),
        ),
        (
            "{\"moves\":[{\"move\":\"f5\",\"score\":{\"cp\":1.5}}]}".into(),
            Err("item 1 of \"moves\": \"score\" is {\\\"cp\\\":1.5}, expected"),
        ),
        (
            "{\"moves\":[\"f5\",{\"move\":\"d6\",\"ms\":\"12\"}]}".into(),
            Err("item 2 of \"moves\": \"ms\" is \"12\", expected a number"),
        ),
        (
            "{\"moves\":[{\"m\":\"f5\",\"depth\":-5}]}".into(),
            Err("\"depth\" is -5, expected an integer of at least 0"),
        ),
        // A position or a side that is set up after moves would lose them.
        (
            "(;GM[2];B[fe];W[df]PL[W];W[cc])".into(),
            Err("PL gives the move to the other side after ply 2"),
        ),
        (
            "(;GM[2];B[fe];AW[aa];W[df])".into(),
            Err("AW sets up a position after ply 1"),
        ),
        ("(;GM[2];B[fe];PL[W];W[df])".into(), Ok("f5d6")),
        (
            "(;GM[2];B[fe];X[df])".into(),
            Err("the property X[df] has a move"),
        ),
        // A comment may be a square, and mention a move.
        (
            "(;GM[2]N[pass];B[fe]C[d3];W[df]C[(;B[aa\\]) is worse])".into(),
            Ok("f5d6"),
        ),
        (
            "(;GM[2];B[fe]C[not closed;W[df];B[cc])".into(),
            Err("has a move"),
        ),
        // The heading decides, whatever the length of the moves.
        (
            "black,moves,line\nA,f5d6,f5f6e6f4e3c5\nB,f5d6c3d3,f5f6e6f4\n".into(),
            Ok("f5d6\nf5d6c3d3"),
        ),
        ("(;GM[2];B[fe];W[df]".into(), Err("the game is not closed")),
        (
            "[Event \"a\"]\n[Moves \"f5d6\"]\n\n*".into(),
            Err("the tag Moves has moves"),
        ),
        ("[Event \"a\"]\n".into(), Err("neither moves nor a result")),
        (
            "[Event \"a\"]\n\n1. f5 ;6".into(),
            Err("cannot read \";6\""),
        ),
        (
            "[Event \"a\"]\n\n%by a program\n1. f5 ;good move\nd6 *".into(),
            Ok("f5d6"),
        ),
    ] {
        let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
        match expected {
            Ok(moves) => assert_eq!((status, out.trim_end()), (0, moves), "{text}: {errors}"),
            Err(error) => {
                assert_eq!(status, 1, "{text}: {out}");
                assert!(errors.contains(error), "{text}: {errors}");
            }
        }
    }
}

/// A game may be truncated in a tag, a move or a comment.
#[test]
fn the_game_after_a_truncated_one_is_read() {
    let next = "[Event \"B\"]\n[Black \"x\"]\n\n1. f5 d6 2. c3 1-0\n";
    for cut in [
        "[Eve",
        "[Event \"A",
        "[Event \"A\"]\n[Si",
        "[Event \"A\"]\n[Site \"Pl",
        "[Event \"A\"]\n\n1. f5 d",
        "[Event \"A\"]\n\n1. f5 {+0.3/4 ",
        "(;GM[Othello]PB[a",
    ] {
        let text = match cut.starts_with('(') {
            true => format!(
                "{cut}(;GM[Othello]BO[8 {}O*------*O{} *]B[F5]W[D6]B[C3];)",
                "-".repeat(27),
                "-".repeat(27)
            ),
            false => format!("{cut}{next}"),
        };
        let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
        assert_eq!((status, out.as_str()), (1, "f5d6c3\n"), "{text}: {errors}");
    }
    let (status, _, errors) = convert(&["-", "--to", "pgn"], &"[Event \"x\n".repeat(2_000));
    assert!(status == 1 && errors.contains("2000 of 2000 entries have errors"));
}

/// A game without a result, or one that is not closed, ends at a line where a game of any format begins.
#[test]
fn a_game_ends_where_another_one_begins() {
    let board = format!("BO[8 {0}O*------*O{0} *]", "-".repeat(27));
    let next = [
        format!("2 (;GM[Othello]{board}B[F5]W[D6];)"),
        "(;FF[4]GM[2];B[fe]\n(;W[df])\n(;W[ff]))".into(),
        "{\"moves\":[\"f5\",\"d6\"]}".into(),
        "[\n{\"moves\":[\"f5\",\"d6\"]}]".into(),
        "\u{feff}[Event \"b\"]\n\n1. f5 d6 *".into(),
    ];
    let complete = "[Event \"a\"]\n\n1. f5\n{\"Good\" move} f6\n(;comment\n d6)";
    for first in [
        complete,
        "[Event \"a\"]\n[White \"b\"]",
        "[Event \"a\"]\n\n1. f5 {not closed",
        "[Event \"a\"]\n\n1. f5 (not closed",
        "(;GM[Othello]PB[a]B[f5",
        "(;FF[4]GM[2];B[fe]C[not closed",
        "{\"moves\":[\"f5\",\"d",
    ] {
        let (status, moves) = match first == complete {
            true => (0, "f5f6\nf5d6\n"),
            false => (1, "f5d6\n"),
        };
        for next in &next {
            let text = format!("{first}\n\n{next}\n");
            let (found, out, errors) = convert(&["-", "--to", "transcript"], &text);
            assert_eq!((found, out.as_str()), (status, moves), "{text}: {errors}");
        }
    }
}

/// Finished games are decided by their moves, unfinished ones by what is defined.
#[test]
fn an_ambiguous_result_is_unknown() {
    let over = "1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5";
    let pgn = |tags: &str, moves: &str, result: &str| {
        format!("[Event \"x\"]\n{tags}[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let unknown = "1 unknown";
    for (text, order, result, told) in [
        (pgn("", over, "1-0"), None, Some("p1win"), ""),
        (pgn("", over, "0-1"), None, Some("p1win"), ""),
        (pgn("", over, "13-0"), None, Some("p1win"), ""),
        (pgn("", over, "0-64"), None, Some("p1win"), ""),
        (
            pgn("", over, "1/2-1/2"),
            None,
            Some("p1win"),
            "1 contradicted",
        ),
        (pgn("", over, "60-4"), None, Some("p1win"), "1 contradicted"),
        (
            pgn("", over, "1-0"),
            Some("white"),
            Some("p1win"),
            "1 contradicted",
        ),
        (pgn("", "1. f5 d6", "1-0"), None, None, unknown),
        (pgn("", "1. f5 d6", "1-0"), Some("first"), Some("p1win"), ""),
        (
            pgn("", "1. f5 d6", "30-34"),
            Some("white"),
            Some("p1win"),
            "",
        ),
        (pgn("", "1. f5 d6", "1/2-1/2"), None, Some("draw"), ""),
        (
            pgn("[FirstPlayer \"Black\"]\n", "1. f5 d6", "1-0"),
            None,
            Some("p2win"),
            "",
        ),
        (
            pgn("[Variant \"flipello\"]\n", "1. P@f4 P@d3", "1-0"),
            None,
            Some("p1win"),
            "",
        ),
        // A pass of UCI clients is not a move of flipello.
        (
            pgn("[FEN \"2o5/8/8/8/8/8/ox6/7x x\"]\n", "1. @@@@ c7", "1-0"),
            None,
            Some("p2win"),
            "",
        ),
        (
            pgn(
                "[Black \"a\"]\n[White \"b\"]\n[Winner \"b\"]\n",
                "1. f5 d6",
                "1-0",
            ),
            None,
            Some("p2win"),
            "",
        ),
        ("f5d6c3 37-27\n".into(), None, None, unknown),
        ("f5d6c3 37-27\n".into(), Some("first"), Some("p1win"), ""),
        ("f5d6c3; 37-27\n".into(), None, None, unknown),
        ("f5d6c3;1-0\n".into(), Some("first"), Some("p1win"), ""),
        (
            "e6f4e3f6g5d6e7f5c5;60-4\n".into(),
            None,
            Some("p1win"),
            "1 contradicted",
        ),
        ("+f5-d6+c3:-04 10\n".into(), None, Some("p2win"), ""),
        ("(;GM[2]RE[W+R];B[fe])\n".into(), None, Some("p2win"), ""),
    ] {
        let mut words = vec!["-", "--to", "jsonl"];
        words.extend(order.iter().flat_map(|order| ["--result-order", order]));
        let (status, out, errors) = convert(&words, &text);
        let record: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(record["result"].as_str(), result, "{text}: {errors}");
        assert!(
            errors.contains(told) && told.is_empty() == errors.is_empty(),
            "{text}: {errors}"
        );
        assert_eq!(
            status,
            i32::from(told.contains("contradicted")),
            "{text}: {errors}"
        );
    }
}

/// An ending without an [`Ending`] is kept as it is.
#[test]
fn endings_are_translated_or_kept() {
    for (stated, result, kept) in [
        (
            "resignation",
            "1-0",
            "[Reason \"resign\"]\n[Termination \"normal\"]",
        ),
        (
            "won by resignation",
            "1-0",
            "[Reason \"resign\"]\n[Termination \"normal\"]",
        ),
        ("timeout", "1-0", "[Termination \"time forfeit\"]"),
        ("death", "1-0", "[Termination \"death\"]"),
        ("abandoned", "*", "[Termination \"abandoned\"]"),
    ] {
        let tags = "[FirstPlayer \"Black\"]\n[Termination";
        let text = format!("[Result \"{result}\"]\n{tags} \"{stated}\"]\n\n1. f5 d6 {result}\n");
        let (status, out, errors) = convert(&["-", "--to", "pgn"], &text);
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        assert!(out.contains(kept), "{stated}: {out}");
        assert_eq!(out.matches("[Termination ").count(), 1, "{out}");
    }
}

#[test]
fn tags_of_a_color_follow_their_player() {
    for (game, first, moves, kept) in [
        ("othello", "White", "f5 d6", "BlackElo"),
        ("othello", "Black", "f5 d6", "WhiteElo"),
        ("tictactoe", "White", "a1 b2", "WhiteElo"),
        ("tictactoe", "Black", "a1 b2", "BlackElo"),
    ] {
        let text = format!(
            "[White \"A\"]\n[Black \"B\"]\n[FirstPlayer \"{first}\"]\n[WhiteElo \"1500\"]\n\
             [Whitewash \"x\"]\n\n1. {moves} *\n"
        );
        let words = ["-", "--to", "pgn", "--game", game];
        let (status, out, errors) = convert(&words, &text);
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        let color = &kept[..5];
        assert!(out.contains(&format!("[{color} \"A\"]")), "{out}");
        assert!(out.contains(&format!("[{kept} \"1500\"]")), "{out}");
        assert!(out.contains("[Whitewash \"x\"]"), "{out}");
    }
}

#[test]
fn the_first_of_equal_tags_counts() {
    for game in [
        "[White \"A\"]\n[White \"X\"]\n[Black \"B\"]\n[Black \"X\"]\n[FirstPlayer \"White\"]\n\n1. f5 *\n",
        "(;GM[Othello]PB[A]PB[X]PW[B]PW[X]RE[+2.000]RE[-4.000]TY[8]BO[8 -------- -------- -------- \
         ---O*--- ---*O--- -------- -------- -------- *]B[F5];)",
        "(;FF[4]GM[2]PB[A]PB[X]PW[B]PW[X]RE[B+2]RE[W+4];B[fe])",
    ] {
        let (status, jsonl, errors) = convert(&["-", "--to", "jsonl"], game);
        assert_eq!(status, 0, "{game}: {errors}");
        assert!(jsonl.contains(r#""p1":"A","p2":"B""#), "{game}: {jsonl}");
        assert_eq!(
            jsonl.contains("p1win"),
            game.contains("RE["),
            "{game}: {jsonl}"
        );
        assert!(!jsonl.contains("p2win"), "{game}: {jsonl}");
    }
}

/// No name begins another game in GGF.
#[test]
fn a_name_like_the_start_of_a_ggf_game_begins_no_game() {
    let text = "{\"moves\":\"f5d6\",\"p1\":\"Bob (;\",\"event\":\"(;GM[Othello]\"}\n";
    let (status, out, errors) = convert(&["-", "--to", "ggf"], text);
    assert_eq!((status, errors.as_str()), (0, ""));
    let (status, again, errors) = convert(&["-", "--to", "transcript"], &out);
    assert_eq!((status, again.trim_end()), (0, "f5d6"), "{out}: {errors}");
}

#[test]
fn the_largest_mate_score_is_written() {
    let game =
        r#"{"game":1,"variant":"othello","moves":[{"move":"f5","depth":8,"score":{"mate":M}}]}"#;
    let game = game.replace('M', &i64::MIN.to_string());
    let (status, out, error) = convert(&["-", "--to", "pgn"], &game);
    assert!(
        status == 0 && out.contains("{-M9223372036854775808/8"),
        "{out}{error}"
    );
}

/// Comments of one move complete each other; the first score, depth and time count.
#[test]
fn all_comments_of_a_move_are_kept() {
    for (moves, expected) in [
        (
            "1. f5 {book} {+1.00/8 0.5s} d6",
            "1. f5 {book} {+1.00/8 0.500s} 1... d6 *",
        ),
        (
            "1. f5 {+1.00/8 0.5s} {book} d6",
            "1. f5 {book} {+1.00/8 0.500s} 1... d6 *",
        ),
        (
            "1. f5 d6 {+1.00/8} {0.5s} {good}",
            "1. f5 d6 {+1.00/8 0.500s} *",
        ),
        ("1. f5 {+1.00/8} {+2.00/9 2s}", "1. f5 {+1.00/8 2.000s} *"),
    ] {
        let text = format!("[Event \"x\"]\n\n{moves} *\n");
        let (status, out, errors) = convert(&["-", "--to", "pgn"], &text);
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        assert!(out.contains(expected), "{text}: {out}");
        let (_, json, _) = convert(&["-", "--to", "jsonl"], &text);
        let (_, again, _) = convert(&["-", "--to", "pgn"], &json);
        assert_eq!(again.contains("book"), moves.contains("book"), "{json}");
        assert!(again.contains(expected), "{json}: {again}");
    }
}

/// The other values of a move are kept.
#[test]
fn impossible_times_and_evaluations_are_dropped() {
    let ggf = |fields: &str| {
        let rows = "-".repeat(27);
        format!("(;GM[Othello]BO[8 {rows}O*------*O{rows} *]B[F5{fields}];)")
    };
    let pgn = |comment: &str| format!("[Event \"x\"]\n\n1. f5 {{{comment}}} *\n");
    for (text, expected) in [
        (ggf("/2.00/-5.00"), "1. f5 {+2.00} *"),
        (ggf("/1e300/5"), "1. f5 {5.000s} *"),
        (ggf("/2.00/1e300"), "1. f5 {+2.00} *"),
        (pgn("+1e308/8 1e308s"), "1. f5 {/8} *"),
        (pgn("+1e999/8 2s"), "1. f5 {/8 2.000s} *"),
        (
            "{\"moves\":[{\"m\":\"f5\",\"ms\":-1,\"depth\":3}]}".into(),
            "1. f5 {/3} *",
        ),
    ] {
        let (status, out, errors) = convert(&["-", "--to", "pgn"], &text);
        assert_eq!((status, errors.as_str()), (0, ""), "{text}");
        assert!(out.contains(expected), "{text}: {out}");
        let (_, again, _) = convert(&["-", "--to", "pgn"], &out);
        assert_eq!(again, out, "{text}");
    }
}

/// The komi is added to the discs, and is kept in every format that has it.
#[test]
fn a_komi_is_kept() {
    let text = format!(
        "(;GM[Othello]TY[8k]KM[+63.500]RE[+0.500]BO[8 {}O*------*O{} *]\
         B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5];)\n",
        "-".repeat(27),
        "-".repeat(27)
    );
    for format in ["ggf", "pgn", "jsonl"] {
        let (status, out, errors) = convert(&["-", "--to", format], &text);
        assert_eq!((status, errors.as_str()), (0, ""), "{format}");
        let (status, again, errors) = convert(&["-", "--to", "ggf"], &out);
        assert_eq!((status, errors.as_str()), (0, ""), "{format}");
        assert!(
            again.contains("TY[8k]KM[+63.500]RE[+0.500]"),
            "{format}: {again}"
        );
    }
}

#[test]
fn a_score_of_sgf_has_the_komi() {
    let moves = ";B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]";
    let unfinished = ";B[e6];W[f4]";
    for (komi, result, moves, expected) in [
        ("4", "B+60", moves, "\"discs\":64"),
        ("-4", "B+68", moves, "\"p1win\""),
        ("4", "W+10", unfinished, "\"discs\":-6"),
        ("4", "B+62", unfinished, "\"p1win\""),
        ("0.5", "B+10", unfinished, "\"p1win\""),
    ] {
        // The komi may follow the result.
        for tags in [
            format!("KM[{komi}]RE[{result}]"),
            format!("RE[{result}]KM[{komi}]"),
        ] {
            let text = format!("(;FF[4]GM[2]SZ[8]{tags}{moves})\n");
            let (status, out, errors) = convert(&["-", "--to", "jsonl"], &text);
            assert_eq!((status, errors.as_str()), (0, ""), "{text}");
            assert!(out.contains(expected), "{text}{out}");
            let has_discs = expected.contains("discs") || moves != unfinished;
            assert_eq!(out.contains("\"discs\""), has_discs, "{text}{out}");
        }
    }
}

#[test]
fn errors_in_pgn_and_ggf_name_their_cause_and_line() {
    let ggf = format!(
        "(;GM[Othello]\nTY[8]BO[8 {}O*------*O{} *]\nB[d3]W[k5]\n;)\n",
        "-".repeat(27),
        "-".repeat(27)
    );
    for (text, error) in [
        (
            "[White \"x\"]\n[\"x\"]\n\n1. f5 d6 *\n",
            "game 1, line 2: cannot read \"[\\\"x\\\"]\" as a tag, expected [Name \"value\"]\n",
        ),
        (
            "[White \"x\"]\n[Event x]\n\n1. f5 d6 *\n",
            "game 1, line 2: cannot read \"[Event x]\" as a tag, expected [Name \"value\"]\n",
        ),
        (
            "[White \"x\"]\n\n1. f5 {a { b } d6 *\n",
            "game 1, line 3: the comment \"{a { b } d6 *\" is not closed before its second {\n",
        ),
        (
            "[White \"x\"]\n\n1. f5 {a d6 *\n",
            "game 1, line 3: \"{a d6 *\" is not closed\n",
        ),
        (
            &ggf,
            "game 1, line 3: cannot read \"k5\" as a move (ply 2), column 6, ",
        ),
        (
            &ggf[..ggf.len() - 6],
            "game 1, line 3: unexpected end of the text, column 9, ",
        ),
    ] {
        let (status, _, errors) = convert(&["-", "--to", "transcript"], text);
        assert_eq!(status, 1, "{text}");
        assert!(errors.contains(error), "{text}{errors}");
    }
}

/// The line of an object was searched to its end for each object in it, and objects without moves, as
/// comments in front of a game in PGN, to the end of the file.
#[test]
fn objects_are_read_in_linear_time() {
    const COUNT: usize = 300_000;
    for object in [
        "{\"moves\":[]}                              ",
        "{\"move\":\"f5\",\"ms\":12}\n",
    ] {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let text = object.repeat(COUNT);
            let start = by_name("tictactoe").unwrap();
            let records = RecordReader::new(text.as_bytes(), "objects", &start);
            let _ = sender.send(records.map(Result::unwrap).count());
        });
        let read = receiver.recv_timeout(std::time::Duration::from_secs(60));
        assert_eq!(read, Ok(COUNT), "{object}");
    }
}

#[test]
fn an_entry_with_two_errors_counts_once() {
    let text = "(;FF[4]GM[2]KM[2]RE[W+2];B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5])\n";
    let folder = Folder::new("two-errors");
    let out = folder.path("games.wtb");
    let (status, _, errors) = convert(&["-", "--to", "wthor", "--out", &out], text);
    assert_eq!(status, 1);
    assert!(errors.contains("but the moves give +64"), "{errors}");
    assert!(errors.contains("WTHOR has no komi"), "{errors}");
    assert!(errors.contains("1 of 1 entries have errors"), "{errors}");
}

/// A draw by agreement has no discs from which a komi could be subtracted.
#[test]
fn an_unfinished_game_with_a_komi_keeps_its_result() {
    for komi in ["0.5", "-7", "63.5"] {
        for (result, reason) in [
            ("draw", "agreement"),
            ("p1win", "resign"),
            ("p2win", "time-forfeit"),
        ] {
            let game = format!(
                "{{\"variant\":\"othello4\",\"moves\":[\"d3\"],\"komi\":{komi},\
                 \"result\":\"{result}\",\"reason\":\"{reason}\"}}"
            );
            for format in ["ggf", "pgn", "jsonl"] {
                let words = ["--game", "othello4", "-", "--to"];
                let (status, out, errors) = convert(&[&words[..], &[format]].concat(), &game);
                assert_eq!((status, errors.as_str()), (0, ""), "{format} {game}");
                let (_, again, errors) = convert(&[&words[..], &["jsonl"]].concat(), &out);
                let read: serde_json::Value = serde_json::from_str(&again).unwrap();
                assert_eq!(
                    (&read["result"], &read["reason"]),
                    (&result.into(), &reason.into()),
                    "{format}: {out}{errors}"
                );
            }
        }
    }
}

/// Games of other programs name the game in their own way, but a record of another game is an error.
#[test]
fn a_record_of_an_unknown_game_is_an_error() {
    for (variant, is_read) in [
        ("othello", true),
        ("Flipello", true),
        ("Othello (8x8)", true),
        ("reversi", true),
        ("Othello/Reversi", true),
        ("Standard Othello 8x8", true),
        ("classic-reversi-88", true),
        ("\u{30aa}\u{30bb}\u{30ed}", true),
        ("", true),
        ("antireversi", false),
        ("Anti-Othello", false),
        ("Othello (mis\u{e8}re)", false),
        ("Othello 6x6", false),
        ("othello10", false),
        ("eOthello", true),
        ("Othello antique board", true),
        ("othello-xot-14", true),
        ("Othello10x10", false),
        ("Othello (rated)", true),
        ("\u{30ea}\u{30d0}\u{30fc}\u{30b7} Reversi", true),
        ("othello6", false),
        ("hex", false),
        ("ataxx", false),
        ("nim", false),
    ] {
        let json = format!("{{\"variant\":\"{variant}\",\"moves\":[\"d3\",\"c3\"]}}\n");
        let pgn = format!("[Event \"x\"]\n[Variant \"{variant}\"]\n\n1. d3 c3 *\n");
        let list = format!("variant,moves\n{variant},d3c3\n");
        for text in [json, pgn, list] {
            let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
            let expected = format!("the game is {variant}, expected othello");
            // Lists have other things in that column, too.
            let is_ignored =
                text.starts_with("variant") && ["hex", "ataxx", "nim"].contains(&variant);
            match is_read || is_ignored {
                true => assert_eq!((status, out.as_str()), (0, "d3c3\n"), "{text}{errors}"),
                false => assert!(status == 1 && errors.contains(&expected), "{text}{errors}"),
            }
        }
    }
    // Names written as words.
    for (game, variant, moves) in [
        ("tictactoe", "Tic-Tac-Toe", "a1b2"),
        ("scorefour", "Score Four", "a1b2"),
        ("othello6", "Othello-6", "c2"),
    ] {
        let text = format!("[Variant \"{variant}\"]\n\n1. {moves} *\n");
        let words = ["-", "--to", "transcript", "--game", game];
        let (status, out, errors) = convert(&words, &text);
        assert_eq!((status, out), (0, format!("{moves}\n")), "{text}{errors}");
    }
}

#[test]
fn comments_and_values_that_look_like_games_are_part_of_their_game() {
    let second = "\n(;FF[4]GM[2]SZ[8];B[fe];W[df])\n";
    for (text, expected) in [
        (
            "[Event \"x\"]\n\n1. f5 d6\n{\"position\":\"8/8/8/3ox3/3oxx2/3o4/8/8 x\",\"eval\":3}\n"
                .to_owned(),
            "f5d6\n",
        ),
        (
            "[Event \"x\"]\n\n1. f5 d6\n{\"eval\":-2,\"depth\":10} 2. c3 d3 *\n".into(),
            "f5d6c3d3\n",
        ),
        (
            "[Event \"x\"]\n\n1. f5 d6 {see game\n(;FF[4]GM[2]PB[x])} 2. c3 d3 *\n".into(),
            "f5d6c3d3\n",
        ),
        (
            format!("(;FF[4]GM[2]SZ[8];B[fe]C[a\n[Black \"Joe\"\\] played];W[df]){second}"),
            "f5d6\nf5d6\n",
        ),
        (
            format!("(;FF[4]GM[2]SZ[8];B[fe]C[a\n{{\"eval\":1,\"moves\":12}}\nb];W[df]){second}"),
            "f5d6\nf5d6\n",
        ),
    ] {
        let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
        assert_eq!((status, out.as_str()), (0, expected), "{text}{errors}");
    }
}

/// An interrupt leaves the file as it was, and no file beside it.
#[cfg(unix)]
#[test]
fn an_interrupted_conversion_leaves_no_file() {
    let folder = Folder::new("convert-interrupt");
    let (games, out) = (folder.path("games"), folder.file("out", "old"));
    let made = std::process::Command::new("mkfifo").arg(&games).status();
    if !made.is_ok_and(|status| status.success()) {
        return crate::common::skip("no mkfifo");
    }
    let mut child = crate::common::command()
        .args(["convert", &games, "--to", "jsonl", "--out", &out])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = fs::OpenOptions::new().write(true).open(&games).unwrap();
    let number_of_files = || fs::read_dir(&folder.0).unwrap().count();
    crate::common::signal_when(&mut child, "INT", "no file of the output", || {
        number_of_files() >= 3
    });
    // The handler runs in a thread of its own.
    let begun = std::time::Instant::now();
    while std::io::Write::write_all(&mut pipe, b"f5d6c3\n").is_ok() {
        assert!(begun.elapsed() < crate::common::PATIENCE);
    }
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && error.contains("interrupted"),
        "{output:?}"
    );
    assert_eq!(
        (
            number_of_files(),
            fs::read_to_string(&out).unwrap().as_str()
        ),
        (2, "old")
    );
}

#[test]
fn filters_choose_games_and_positions() {
    let text =
        "f5d6c3\ne6f4c3\nf5d6c3d3\nf5d6\n[Black \"Tamenori H.\"]\n[White \"Bob\"]\n\n1. f5 f4 *\n";
    let written = |words: &[&str]| {
        let (status, out, errors) = convert(&[&["-", "--to", "transcript"], words].concat(), text);
        assert_eq!((status, errors.as_str()), (0, ""));
        out.lines().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(
        written(&["--unique"]),
        ["f5d6c3", "f5d6c3d3", "f5d6", "f5f4"]
    );
    assert_eq!(
        written(&["--plies", "3-4"]),
        ["f5d6c3", "e6f4c3", "f5d6c3d3"]
    );
    assert_eq!(written(&["--plies", "4"]), ["f5d6c3d3"]);
    assert_eq!(written(&["--player", "tamenori"]), ["f5f4"]);
    assert_eq!(written(&["--player", "BOB"]), ["f5f4"]);
    assert!(written(&["--player", "nobody"]).is_empty());
    let positions = |words: &[&str]| {
        let (status, out, _) = convert(&[&["-", "--to", "obf"], words].concat(), text);
        assert_eq!(status, 0);
        out.lines().count()
    };
    assert_eq!(positions(&[]), 5);
    assert_eq!(positions(&["--empties", "57"]), 3);
    assert_eq!(positions(&["--empties", "57", "--unique"]), 1);
    // Scores of positions are kept.
    let line = "---------------------------OX------OXX-----O-------------------- X; C3:+2; C4:-4;";
    assert_eq!(
        convert(&["-", "--to", "obf"], line),
        (0, format!("{line}\n"), String::new())
    );
    for (line, own, other) in [(line, "58", "57"), ("f5d6c3 ; score:4", "57", "58")] {
        let (_, kept, _) = convert(&["-", "--to", "obf"], line);
        assert!(kept.contains("+4;") || kept.contains("C3:+2;"), "{kept}");
        let at = |empties| convert(&["-", "--to", "obf", "--empties", empties], line);
        assert_eq!(at(own), (0, kept, String::new()));
        // A score of the last position is not that of an earlier one.
        let (status, out, _) = at(other);
        assert!(status == 0 && !out.contains(':'), "{out}");
    }
    let (status, out, _) = convert(&["-", "--to", "obf", "--game", "diamond"], "startpos");
    assert_eq!(
        (status, out.as_str()),
        (0, "??--???----?--OX----XO--?----???--?? X;\n")
    );
}

/// One wrong character in a list of moves is an error or another game, never the same game cut short.
#[test]
fn a_wrong_character_never_shortens_a_list_of_moves() {
    // Not those that begin a comment, a variation or an annotation.
    let wrong: Vec<char> = (' '..='~').filter(|c| !"{(%$".contains(*c)).collect();
    for (name, moves) in [
        ("othello", "f5 d6 c3 d3 c4 f4 f6"),
        ("othello6", "b3 b4 b5"),
        ("diamond", "c2 d2 e3"),
        ("tictactoe", "a1 b2 c3"),
        ("scorefour", "a1 b2 c3"),
    ] {
        let start = by_name(name).unwrap();
        let mut whole = start.clone();
        play_all(&mut whole, moves).unwrap();
        for separator in ["", " ", ";", "; ", ",", "-", "/", " | "] {
            let list = moves.replace(' ', separator);
            // Score Four's levels, which gravity decides, are skipped.
            let is_level = |c: char| name == "scorefour" && "-zZ".contains(c);
            if name == "scorefour" && separator == "-" {
                continue;
            }
            for at in 0..list.len() {
                for c in wrong
                    .iter()
                    .filter(|&&c| !is_level(c))
                    .map(|&c| Some(c))
                    .chain([None])
                {
                    let mut damaged = list.clone();
                    damaged.replace_range(at..=at, c.map(String::from).as_deref().unwrap_or(""));
                    let Some(record) = RecordReader::new(damaged.as_bytes(), "list", &start).next()
                    else {
                        continue;
                    };
                    let Ok(entry) = record.unwrap().entry else {
                        continue;
                    };
                    let (read, played) = (entry.game.history(), whole.history());
                    assert!(
                        read.len() >= played.len() || !played.starts_with(read),
                        "{name}: {damaged:?} for {list:?} is read as {} moves",
                        read.len()
                    );
                }
            }
        }
    }
}

#[test]
fn damaged_files_are_read_to_their_end() {
    let mut rng = Rng::new(7);
    let start = by_name("othello").unwrap();
    let entry = {
        let mut game = start.clone();
        play_all(&mut game, "f5d6c3d3c4f4").unwrap();
        RecordEntry::of(game)
    };
    let texts = [
        record::pgn(&entry).repeat(3),
        (record::ggf(&entry).unwrap().write() + "\n").repeat(3),
        (record::json_line(&entry, 1) + "\n").repeat(3),
        "(;FF[4]GM[2]AB[dd:ed]AW[ee]C[a\\]b];B[fe];W[df](;B[cc])(;B[cd]))\n".repeat(3),
        FOREIGN.iter().map(|(text, ..)| *text).collect(),
    ];
    let mut encoder = WthorEncoder::default();
    let mut over = start.clone();
    play_all(&mut over, "e6f4e3f6g5d6e7f5c5").unwrap();
    let game = encoder.game(&RecordEntry::of(over)).unwrap();
    let binary = [&encoder.header("2026-11-25")[..], &game, &game].concat();
    for bytes in texts
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .chain([binary])
    {
        for _ in 0..300 {
            let mut damaged = bytes.clone();
            for _ in 0..=rng.below(4) {
                let at = rng.below(damaged.len() as u64) as usize;
                match rng.below(4) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged[at] = rng.below(256) as u8,
                    2 => damaged.insert(at, b"[](){}\\\";\n"[rng.below(10) as usize]),
                    _ => damaged.truncate(at.max(1)),
                }
            }
            for name in ["othello", "othello6", "scorefour"] {
                let reader = RecordReader::new(&damaged[..], "damaged", &by_name(name).unwrap());
                for record in reader {
                    let Ok(record) = record else { break };
                    if let Ok(entry) = record.entry {
                        record::pgn(&entry);
                        record::json_line(&entry, 1);
                    }
                }
            }
        }
    }
}

/// Games in several blocks of the reader are found whole, each with its line.
#[test]
fn a_long_file_is_streamed() {
    let mut rng = Rng::new(3);
    let start = by_name("tictactoe").unwrap();
    let mut text = String::new();
    let (mut expected, mut lines) = (Vec::new(), 0);
    for number in 0..20_000 {
        let mut game = start.clone();
        while let Some(&m) = rng.choose(&game.moves()) {
            game.play(m).unwrap();
        }
        expected.push((game.position(), lines + 1));
        let entry = RecordEntry::of(game);
        let written = match number % 3 {
            0 => record::pgn(&entry),
            1 => record::json_line(&entry, number) + "\n",
            _ => record::transcript(&entry.game) + "\r\n",
        };
        lines += written.lines().count();
        text.push_str(&written);
    }
    let mut reader = RecordReader::new(text.as_bytes(), "long", &start);
    let places: Vec<_> = reader
        .by_ref()
        .map(|record| {
            let record = record.unwrap();
            (
                record.entry.unwrap().game.position(),
                record.place.line.unwrap(),
            )
        })
        .collect();
    assert_eq!(places.len(), 20_000);
    assert!(places == expected);
    assert_eq!(reader.lines(), text.lines().count());
}

/// What other programs write around games is neither a game nor an error.
#[test]
fn comments_and_unknown_results_neither_hide_nor_contradict_games() {
    let game = |behind: &str| format!("[Event \"a\"]\n[Black \"x\"]\n\n1. f5 d6 1-0{behind}\n\n");
    for behind in [
        " {Black resigns}",
        " ; won on time",
        "\n{Better:\nf5f6e6\n}",
        "\n; f5f6e6\n{and} ; more",
        "\n{}",
        "\n{\"eval\": 3}\n{\"Well played\", said White}",
        "\n\u{feff}",
        "\n\u{feff}\n\u{feff}{\"moves\":\"f5\"}",
    ] {
        let text = game(behind) + &game(behind);
        let (status, out, errors) = convert(&["-", "--to", "jsonl"], &text);
        let count = if behind.contains("moves") { 4 } else { 2 };
        assert_eq!((status, out.lines().count()), (0, count), "{text}{errors}");
        assert_eq!(out.matches("\"p1\":\"x\"").count(), 2, "{text}{out}");
    }
    for end in ["; won on time", "\n; won on time", "\n{won on time}"] {
        let text = format!("{}{end}", game("").trim_end());
        assert_eq!(convert(&["-", "--to", "transcript"], &text).0, 0, "{text}");
    }
    for comment in [
        "; made by a program\n",
        "{made by\na program}",
        "; one\n{two}\n\n; three\n",
        "\u{feff}; one\n",
        "{one}{}\n{\"two\": 2}\n; three\n",
    ] {
        let text = format!("{comment}{}", game(""));
        let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
        assert_eq!((status, out.as_str()), (0, "f5d6\n"), "{text}{errors}");
    }
    // Each run of comments is looked through once.
    let comments = "{comment}\n; comment\n".repeat(20_000);
    let (status, out, errors) = convert(
        &["-", "--to", "transcript"],
        &(comments.clone() + &game("")),
    );
    assert_eq!((status, out.as_str()), (0, "f5d6\n"), "{errors}");
    let (status, out, errors) = convert(&["-", "--to", "transcript"], &(comments + "f5d6"));
    assert_eq!((status, out.as_str()), (1, "f5d6\n"));
    assert!(errors.ends_with("error: 40000 of 40001 entries have errors\n"));
    for text in [
        "[ Event \"a\"]\n\n1. f5 d6*\n",
        "[Event \"a\"]\n[Date \"0000.00.00\"]\n\n1. f5 d6*\n",
    ] {
        let (status, out, errors) = convert(&["-", "--to", "jsonl"], &text.repeat(2));
        assert_eq!((status, out.lines().count()), (0, 2), "{text}{errors}");
        assert!(
            out.contains("\"event\":\"a\"") && !out.contains("0000"),
            "{out}"
        );
    }
    let (_, out, _) = convert(&["-", "--to", "pgn"], r#"{"event":"a\tb\nc","moves":"f5"}"#);
    assert!(out.contains("[Event \"a b c\"]"), "{out}");
    // An unclosed comment hides no game.
    let text = game(" {oops") + &game(" {closed}");
    let (status, out, errors) = convert(&["-", "--to", "jsonl"], &text);
    assert_eq!((status, out.lines().count()), (1, 2), "{errors}");
    let moves = "e6f4e3f6g5d6e7f5c5";
    let finished = [
        format!("[Event \"a\"]\n[Result \"Black wins\"]\n\n{moves}\n"),
        format!("[Event \"a\"]\n[Result \"64:0\"]\n\n{moves}\n"),
        format!("{{\"moves\":\"{moves}\",\"result\":\"black\"}}\n"),
        format!("moves,result\n{moves},soon\n"),
    ];
    for text in finished {
        let (status, out, errors) = convert(&["-", "--to", "transcript"], &text);
        assert_eq!((status, out.trim()), (0, moves), "{text}{errors}");
    }
    let text = format!("[Event \"a\"]\n[Result \"0-1\"]\n[FirstPlayer \"Black\"]\n\n{moves}\n");
    let contradiction = text.replace("0-1", "1-0");
    assert_eq!(convert(&["-", "--to", "transcript"], &text).0, 0);
    assert_eq!(convert(&["-", "--to", "transcript"], &contradiction).0, 1);
}

/// SGF has no order of properties within a node.
#[test]
fn the_side_to_move_of_sgf_applies_before_and_after_the_stones() {
    let stones = "AB[dd][ee]AW[de][ed]";
    let sides = ["PL[W]", "PL[B]", ""].map(|side| {
        let texts = [format!("{side}{stones}"), format!("{stones}{side}")];
        texts.map(|text| {
            let text = format!("(;FF[4]GM[2]SZ[8]{text})\n");
            let (status, out, errors) = convert(&["-", "--to", "obf"], &text);
            assert_eq!(status, 0, "{text}{errors}");
            out.trim()
                .trim_end_matches(';')
                .chars()
                .next_back()
                .unwrap()
        })
    });
    assert_eq!(sides, [['O', 'O'], ['X', 'X'], ['X', 'X']]);
}

#[test]
fn unique_ignores_games_that_cannot_be_written() {
    let folder = Folder::new("unique");
    let out = folder.path("games.wtb");
    let text = "{\"moves\":\"f5d6c3\"}\n{\"moves\":\"f5d6c3\",\"result\":\"p1win\"}\n\
                {\"moves\":\"f5f6\",\"result\":\"p2win\",\"komi\":0.5}\n{\"moves\":\"f5f6\",\"result\":\"p2win\"}\n";
    let words = ["-", "--to", "wthor", "--out", &out];
    for unique in [&[][..], &["--unique"]] {
        let (_, _, errors) = convert(&[&words, unique].concat(), text);
        let length = fs::metadata(&out).unwrap().len();
        assert_eq!(length, 16 + 2 * 68, "{unique:?}: {errors}");
    }
}

#[test]
fn an_interrupt_leaves_no_file_beside_the_output() {
    use std::io::Write;
    use std::process::Stdio;

    if cfg!(not(unix)) {
        return common::skip("this system has no signals");
    }
    for name in ["INT", "TERM"] {
        let folder = Folder::new(&format!("convert-{name}"));
        let path = folder.file("games.txt", "f5d6\n");
        let mut child = common::command()
            .args(["convert", "-", "--to", "transcript", "--out", &path])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"f5f6\n").unwrap();
        let files = || fs::read_dir(&folder.0).unwrap().count();
        common::signal_when(&mut child, name, "no temporary file", || files() == 2);
        assert_eq!(common::wait(&mut child).code(), Some(130));
        assert_eq!(files(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "f5d6\n");
    }
}
