//! Option `Strength`: the loss of its moves by an oracle, reproducible games, differences between
//! levels, truthful info lines, and searches that it does not affect.

use crate::common::{Engine, KeepAlive, converse, normalized, oracle};
use nullwindow::engine::strength::Strength;
use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::{Score, Window};
use nullwindow::games::any::{AnyGame, AnyPosition, by_name};
use nullwindow::games::dispatch::AnyEvaluator;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::textbook::{TextbookContext, fail_soft};

/// The limit of a move at a level, in hundredths of a disc.
fn move_limit(level: u32) -> i32 {
    Strength::by_discs(level.into()).unwrap().move_limit()
}

/// The word after a key in a line.
fn value<'l>(line: &'l str, key: &str) -> &'l str {
    line.split(' ')
        .skip_while(|word| *word != key)
        .nth(1)
        .unwrap()
}

/// The best move of a search; the last line with a score belongs to it.
fn searched(engine: &mut Engine, go: &str) -> (String, i32) {
    engine.send(go);
    let lines = engine.until("bestmove");
    let best = value(lines.last().unwrap(), "bestmove").to_owned();
    let infos: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains(" score "))
        .collect();
    for pair in infos.windows(2) {
        for key in ["depth", "nodes"] {
            let number = |line: &str| value(line, key).parse::<u64>().unwrap();
            assert!(number(pair[0]) <= number(pair[1]), "{lines:?}");
        }
    }
    let last = infos.last().unwrap();
    assert_eq!(value(last, "pv"), best, "{lines:?}");
    (best, value(last, "cp").parse().unwrap())
}

/// A game of the engine against itself, one `position` for each move.
fn own_game(engine: &mut Engine, game: &str, go: &str) -> String {
    let mut board = by_name(game).unwrap();
    let mut moves = String::new();
    while board.outcome().is_none() {
        engine.send(&format!("position startpos moves{moves}"));
        let (word, _) = searched(engine, go);
        board
            .play(board.parse_move(&word).unwrap())
            .unwrap_or_else(|error| panic!("{moves}: {error}"));
        moves += &format!(" {word}");
    }
    moves
}

#[test]
fn games_repeat_at_one_level_and_differ_between_levels() {
    let play = |level: u32, game: &str| {
        let mut engine = Engine::start(&["--game", game]);
        engine.send(&format!("setoption name Strength value {level}"));
        let first = own_game(&mut engine, game, "go depth 3");
        engine.ask("uginewgame\nisready", "readyok");
        assert_eq!(
            own_game(&mut engine, game, "go depth 3"),
            first,
            "level {level}"
        );
        first
    };
    for game in ["othello", "othello6"] {
        let games = [0, 5, 12, 30].map(|level| play(level, game));
        for (index, game) in games.iter().enumerate() {
            assert!(!games[..index].contains(game), "{game}");
        }
    }
}

#[test]
fn the_line_of_a_weaker_move_is_not_of_a_lower_depth_than_earlier_ones() {
    let mut engine = Engine::start(&[]);
    engine.send("setoption name Strength value 30");
    for moves in ["f5 d6 c3", "f5 d6 c3 d3", "f5 d6 c3 d3 c4", "f5 f6 e6"] {
        for nodes in [250_000, 400_000] {
            // Stopped in an iteration with enough nodes for reports of bounds.
            engine.send(&format!("uginewgame\nposition startpos moves {moves}"));
            searched(&mut engine, &format!("go nodes {nodes}"));
        }
    }
}

/// What each legal move costs by a full-width search of exactly this depth without a table.
fn costs_at_depth(game: &AnyGame, depth: u8) -> Vec<(String, i32)> {
    let (evaluator, control) = (AnyEvaluator::default(), SearchControl::default());
    let mut cx = TextbookContext::new(&evaluator, None, &control);
    let position: AnyPosition = game.position();
    let mut score = |m| -fail_soft(&mut cx, &position.play(m), depth - 1, 1, Window::FULL).unwrap();
    let scores: Vec<Score> = game.moves().into_iter().map(&mut score).collect();
    costs(game, &scores)
}

fn costs(game: &AnyGame, scores: &[Score]) -> Vec<(String, i32)> {
    let best = scores.iter().max().unwrap();
    game.moves()
        .iter()
        .zip(scores)
        .map(|(&m, score)| (game.write_move(m), best.0 - score.0))
        .collect()
}

/// The exact cost of each legal move.
fn exact_costs(game: &AnyGame) -> Vec<(String, i32)> {
    let position = game.position();
    let scores: Vec<Score> = position
        .moves()
        .iter()
        .map(|&m| -oracle::value_of(&position.play(m)))
        .collect();
    costs(game, &scores)
}

/// The costs of the moves that the engine plays in random positions of these numbers of empties.
fn costs_played(
    level: u32,
    settings: &str,
    go: &str,
    empties: std::ops::Range<u8>,
    costs: impl Fn(&AnyGame) -> Vec<(String, i32)>,
) -> Vec<i32> {
    let mut engine = Engine::start(&[]);
    engine.send(&format!("{settings}setoption name Strength value {level}"));
    let mut rng = Rng::new(24);
    let mut played = Vec::new();
    for empties in empties {
        for _ in 0..20 {
            let board = oracle::random_position("othello", empties, &mut rng).unwrap();
            if board.moves().len() < 2 {
                continue;
            }
            engine.send("uginewgame");
            engine.send(&format!("position fen {}", board.write_position()));
            let (word, _) = searched(&mut engine, go);
            played.push(costs(&board).iter().find(|(m, _)| *m == word).unwrap().1);
        }
    }
    played
}

#[test]
fn no_move_costs_more_than_its_limit_by_a_full_width_search() {
    let settings = "setoption name Algorithm value alphabeta\nsetoption name Table value false\n";
    for level in [4, 30] {
        let played = costs_played(level, settings, "go depth 3", 14..52, |board| {
            costs_at_depth(board, 3)
        });
        assert!(
            played
                .iter()
                .all(|&cost| (0..=move_limit(level)).contains(&cost)),
            "{level}: {played:?}"
        );
        assert!(
            played.len() > 100 && played.iter().filter(|&&cost| cost > 0).count() > 2,
            "{level}: {played:?}"
        );
    }
}

#[test]
fn solved_positions_are_played_below_full_strength_too() {
    for go in ["go exact", "go depth 12", "go nodes 100000"] {
        let played = costs_played(30, "", go, 6..10, exact_costs);
        assert!(
            played
                .iter()
                .all(|&cost| (0..=move_limit(30)).contains(&cost)),
            "{go}: {played:?}"
        );
        assert!(played.iter().any(|&cost| cost > 0), "{go}: {played:?}");
    }
}

#[test]
fn the_printed_score_is_that_of_the_move_played() {
    let mut engine = Engine::start(&[]);
    engine.send("setoption name Strength value 30");
    let mut rng = Rng::new(25);
    let mut below_best = 0;
    for _ in 0..150 {
        let board = oracle::random_position("othello", 8, &mut rng).unwrap();
        engine.send(&format!(
            "uginewgame\nposition fen {}",
            board.write_position()
        ));
        let (word, score) = searched(&mut engine, "go exact");
        let mut next = board.clone();
        next.play(board.parse_move(&word).unwrap()).unwrap();
        assert_eq!(score, -oracle::value(&next).0, "{}", board.write_position());
        below_best += usize::from(score < oracle::value(&board).0);
    }
    assert!(below_best > 2, "{below_best}");
}

/// The lines that the engine prints for a command, without times and keep-alive lines.
fn printed(setup: &str, command: &str) -> Vec<String> {
    let (lines, status) = converse(&[], format!("{setup}{command}\n").as_bytes());
    assert!(status.success());
    let lines = KeepAlive::after(command).removed_from(lines);
    lines.iter().map(|line| normalized(line)).collect()
}

#[test]
fn reduced_strength_changes_neither_analysis_nor_full_strength() {
    let weak = "setoption name Strength value 30\n";
    let position = "position startpos moves f5 d6 c3 d3 c4 f4 c5 b3 c2\n";
    for command in ["moves depth 5", "go mate 3 depth 5", "eval", "bench"] {
        assert_eq!(
            printed(&format!("{weak}{position}"), command),
            printed(position, command),
            "{command}"
        );
    }
    for setup in [
        "setoption name Strength value 30\nsetoption name Strength value 0\n",
        "setoption name UCI_Elo value 1900\n",
    ] {
        assert_eq!(
            printed(&format!("{setup}{position}"), "go depth 5"),
            printed(position, "go depth 5")
        );
    }
    assert_ne!(
        printed(&format!("{weak}{position}"), "go depth 5"),
        printed(position, "go depth 5")
    );
    let depth_zero = printed(weak, &format!("{position}go depth 0"));
    assert!(
        depth_zero.last().unwrap().starts_with("bestmove "),
        "{depth_zero:?}"
    );
}

#[test]
fn games_without_discs_print_a_note_and_play_at_full_strength() {
    let setup = "setoption name Game value scorefour\nposition startpos moves a1 b2 c3\n";
    let weak = printed(
        &format!("setoption name Strength value 30\n{setup}"),
        "go depth 5",
    );
    let full = printed(setup, "go depth 5");
    assert!(weak[0].starts_with("info string Strength "), "{weak:?}");
    assert_eq!(weak[1..], full);
}

#[test]
fn every_dialect_sets_the_strength() {
    let moves = ["f5", "d6", "c3", "d3", "c4", "f4", "e3"];
    let uci = |setup: &str| {
        let lines = printed(
            "uci\n",
            &format!(
                "{setup}position startpos moves {}\ngo depth 5",
                moves.join(" ")
            ),
        );
        value(lines.last().unwrap(), "bestmove").to_owned()
    };
    let weak = uci("setoption name Strength value 30\n");
    let full = uci("");
    assert_ne!(weak, full);
    assert_eq!(
        uci("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1750\n"),
        weak
    );
    assert_eq!(
        uci("setoption name UCI_LimitStrength value true\n"),
        full,
        "the default of UCI_Elo is full strength"
    );

    let plays: String = moves
        .iter()
        .zip(["b", "w"].iter().cycle())
        .map(|(m, c)| format!("play {c} {m}\n"))
        .collect();
    let gtp = printed(
        "",
        &format!(
            "name\nnullwindow-option Strength=30\nnullwindow-option Depth=5\n{plays}genmove w"
        ),
    );
    assert!(
        gtp.iter()
            .any(|line| line.eq_ignore_ascii_case(&format!("= {weak}"))),
        "{gtp:?}"
    );

    let plays: String = moves.iter().map(|m| format!("move {m}\n")).collect();
    let game = "set game (;GM[Othello]PC[x]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- \
                -------- *];)\n";
    let nboard = |strength: u32, search: &str, answer: &str| {
        let mut engine = Engine::start(&[]);
        engine.send(&format!(
            "nboard 2\nset depth 5\nset option Strength={strength}\n{game}{plays}{search}"
        ));
        let lines = engine.until(answer);
        lines
            .into_iter()
            .filter(|line| !line.starts_with("nodestats "))
            .collect::<Vec<_>>()
    };
    let played = nboard(30, "go", "===").pop().unwrap().to_ascii_lowercase();
    assert!(played.starts_with(&format!("=== {weak}/")), "{played}");
    assert_eq!(
        nboard(30, "hint 2", "status"),
        nboard(0, "hint 2", "status")
    );
}
