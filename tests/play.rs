//! `nullwindow play`: games, commands, and the end of the input.

use crate::common::nullwindow;
use nullwindow::game::rng::Rng;
use nullwindow::game::{Game, Move, Player};
use nullwindow::games::any::{AnyGame, AnyPosition, by_name};

/// The output of a game with this input.
fn played(words: &[&str], input: &str) -> String {
    let words = [&["play"], words].concat();
    let output = nullwindow(&words, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_game_ends_with_its_result() {
    let lost = played(&["--game", "tictactoe"], "a1\nb1\na2\nc1\nc2\na3\nb3\nc3\n");
    assert!(lost.starts_with("You play X. "), "{lost}");
    assert!(lost.ends_with("\n\nO wins.\n"), "{lost}");
    let won = played(
        &["--game", "tictactoe", "--position", "a1 a2 b1 b2"],
        "c1\n",
    );
    assert!(
        won.ends_with("X plays c1.\n\n3 . . .\n2 o o .\n1 x x x\n  a b c\no to move\n\nYou win.\n"),
        "{won}"
    );
    let drawn = played(
        &[
            "--game",
            "tictactoe",
            "--position",
            "b2 a1 a2 c2 b1 b3 c3 c1",
        ],
        "a3\n",
    );
    assert!(drawn.ends_with("\n\nDraw.\n"), "{drawn}");
    let discs = played(
        &[
            "--as",
            "second",
            "--position",
            "xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxo1 x",
        ],
        "",
    );
    assert!(
        discs.ends_with("\n\nBlack (x) wins: Black 64, White 0.\n"),
        "{discs}"
    );
}

#[test]
fn the_engine_begins_if_the_user_is_second() {
    let text = played(&["--game", "othello4", "--as", "second"], "quit\n");
    assert!(text.starts_with("You play White (o). "), "{text}");
    assert!(text.contains("\nBlack (x) plays "), "{text}");
    assert!(text.ends_with("White (o): "), "{text}");
}

#[test]
fn forced_passes_are_played_and_reported() {
    let text = played(&["--position", "2o5/8/8/8/8/8/ox6/7x x"], "quit\n");
    assert!(
        text.contains("\nBlack (x) has no legal move and passes.\n"),
        "{text}"
    );
    assert!(text.contains("\nWhite (o) plays c7.\n"), "{text}");
}

#[test]
fn moves_and_hints_are_printed_and_wrong_input_changes_nothing() {
    let text = played(
        &[
            "--game",
            "tictactoe",
            "--position",
            "3/oo1/xx1 x",
            "--time",
            "20",
        ],
        "\nmoves\na1\nnonsense \u{1b}\nhint\nundo\nquit\n",
    );
    assert!(text.contains("X: c1 c2 a3 b3 c3\n"), "{text}");
    assert!(
        text.contains(
            "X: \"a1\" is not a legal move: enter c1 c2 a3 b3 c3, or undo, hint, moves, quit\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("\"nonsense \\u{1b}\" is not a legal move"),
        "{text}"
    );
    assert!(
        text.contains("X: c1   wins in 1 ply, exact\nc2   even, exact   c1 a3 b3 c3\na3   loses in 2 plies, exact   c2\n"),
        "{text}"
    );
    let unfinished = played(
        &[
            "--time",
            "0.05",
            "--option",
            "Algorithm=alphabeta",
            "--option",
            "Deepening=false",
        ],
        "hint\nquit\n",
    );
    assert!(
        unfinished.contains("The search did not finish: the other moves have no score.\n"),
        "{unfinished}"
    );
    assert!(
        text.contains("X: there is no move of yours to undo\n"),
        "{text}"
    );
    assert_eq!(text.matches("  a b c\n").count(), 1, "{text}");
}

#[test]
fn undo_returns_to_the_users_last_choice() {
    let text = played(&["--game", "tictactoe"], "b2\nundo\na1\nquit\n");
    let boards: Vec<&str> = text.split("  a b c\n").collect();
    // The start, after b2, after the reply, the start again, after a1, after the reply.
    assert_eq!(boards.len(), 7, "{text}");
    let start = "3 + + +\n2 + + +\n1 + + +\n";
    assert!(
        boards[0].ends_with(start) && boards[3].ends_with(start),
        "{text}"
    );
}

#[test]
fn a_line_that_is_not_valid_utf_8_repeats_the_prompt() {
    let output = nullwindow(&["play", "--game", "tictactoe"], b"\xe9\nb2\nquit\n");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("is not a legal move: enter"), "{text}");
    assert_eq!(text.matches("X: ").count(), 3, "{text}");
}

#[test]
fn undo_returns_to_the_choice_before_a_forced_pass() {
    // Black has passed after its last choice, and is to move.
    let passed = |seed| {
        let (mut game, mut rng) = (by_name("othello4").unwrap(), Rng::for_stream(seed, 1));
        loop {
            let plies = game.history();
            let is_black = game.to_move() == Player::First && !game.must_pass();
            if is_black && plies.len() > 3 && plies[plies.len() - 2].is_pass() {
                return Some(game);
            }
            game.play(*rng.choose(&game.moves())?).ok()?;
        }
    };
    let game = (1..1_000).find_map(passed).unwrap();
    let is_choice =
        |(position, m): &(AnyPosition, Move)| position.to_move() == Player::First && !m.is_pass();
    let (choice, _) = game.plies().filter(is_choice).last().unwrap();
    let words: Vec<String> = game.plies().map(|(at, m)| at.write_move(m)).collect();
    let text = played(
        &["--game", "othello4", "--position", &words.join(" ")],
        "undo\nquit\n",
    );
    let board = AnyGame::from(choice).diagram();
    let expected = format!("\n{}\nBlack (x): ", board.trim_end());
    assert!(
        text.ends_with(&expected) && !text.contains("passes"),
        "{text}"
    );
}

#[test]
fn strength_needs_a_disc_game() {
    let output = nullwindow(&["play", "--game", "scorefour", "--strength", "5"], "");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors.contains("--strength applies to disc games"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn a_game_is_played_at_a_terminal() {
    use std::io::{Read, Write};

    use crate::common::{command, terminal, wait};

    let (mut terminal, side) = terminal();
    let mut child = command()
        .args([
            "play",
            "--game",
            "othello4",
            "--strength",
            "30",
            "--time",
            "0.1",
        ])
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    let (mut text, mut answered, mut buffer) = (String::new(), 0, [0; 4096]);
    // A read fails when the program has closed the terminal.
    while let Ok(length) = terminal.read(&mut buffer)
        && length > 0
    {
        text += std::str::from_utf8(&buffer[..length]).unwrap();
        let Some(diagram) = text[answered..].strip_suffix("Black (x): ") else {
            continue;
        };
        // The first legal square, from the marks on the last board.
        let rows = diagram.trim_end().rsplit("\r\n").skip(1).take(4);
        let word = rows.filter_map(|row| {
            let (number, squares) = row.split_once(' ')?;
            let column = squares.split(' ').position(|square| square == "+")?;
            Some(format!("{}{number}\n", ["a", "b", "c", "d"][column]))
        });
        let word = word.last().expect("a legal square is marked");
        terminal.write_all(word.as_bytes()).unwrap();
        answered = text.len();
    }
    assert!(wait(&mut child).success(), "{text}");
    let last = text.trim_end().rsplit("\r\n").next().unwrap();
    assert!(
        last.contains(": Black ") && last.contains(", White "),
        "{text}"
    );
}
