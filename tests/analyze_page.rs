//! The HTML page of `analyze --html` in a browser: boards and lines compared with the rules, mouse
//! and keyboard at three widths and in both color schemes, many games, names with markup.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use crate::common::browser::{Browser, is_installed};
use crate::common::nullwindow;
use nullwindow::game::rng::Rng;
use nullwindow::games::any::{AnyGame, NAMES, by_name};
use serde_json::{Value, json};

const WIDTHS: [u32; 3] = [360, 1280, 1920];

/// A folder that is removed at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("analyze-page-{}-{name}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    /// Analyzes the games of a file of this name with these options; returns the page and the
    /// objects of `--json`.
    fn analyze(&self, file: &str, games: &str, options: &str) -> (PathBuf, Vec<Value>) {
        let (file, page) = (self.0.join(file), self.0.join("page.html"));
        fs::write(&file, games).unwrap();
        let names = [&file, &page].map(|path| path.to_str().unwrap());
        let mut words = vec!["analyze", names[0], "--html", names[1], "--json"];
        words.extend(options.split(' '));
        let output = nullwindow(&words, "");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        let objects = text.lines().map(|line| serde_json::from_str(line).unwrap());
        (page, objects.collect())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A complete game of random moves.
fn random_game(game: &str, seed: u64) -> AnyGame {
    let (mut board, mut rng) = (by_name(game).unwrap(), Rng::for_stream(seed, 1));
    while board.outcome().is_none() {
        let m = *rng.choose(&board.moves()).unwrap();
        board.play(m).unwrap();
    }
    board
}

/// The moves of a game as a transcript.
fn transcript(board: &AnyGame) -> String {
    let words: Vec<String> = board
        .plies()
        .map(|(position, m)| position.write_move(m))
        .collect();
    words.join(" ")
}

/// Transcripts of random games, one per line.
fn transcripts(game: &str, count: u64) -> String {
    let lines: Vec<String> = (0..count)
        .map(|seed| transcript(&random_game(game, seed)))
        .collect();
    lines.join("\n")
}

/// The cells of a board as the page stores them.
fn cell_text(board: &AnyGame) -> String {
    board.cells().iter().collect()
}

fn click(browser: &mut Browser, selector: &str) {
    let place = browser.place(selector);
    browser.click(place);
}

/// The shown game and ply, and the shown line: the ply where it leaves the game, and its moves
/// played.
fn state(browser: &mut Browser) -> Value {
    browser.evaluate("[shown + 1, ply, line && line.from, line && line.at]")
}

fn assert_no_errors(browser: &mut Browser) {
    assert_eq!(browser.errors(), Vec::<Value>::new());
}

#[test]
fn boards_and_lines_follow_the_rules_in_every_game() {
    if !is_installed("chromium") {
        return;
    }
    let scratch = Scratch::new("games");
    let mut browser = Browser::start(&scratch.0);
    for name in NAMES {
        let game = random_game(name, 3);
        let options = format!("--game {name} --depth 3 --multipv 2 --option Hash=1");
        let (page, objects) = scratch.analyze("games.txt", &transcript(&game), &options);
        browser.open(&page, 800, false);
        assert_no_errors(&mut browser);
        // The positions of the game, and those at the end of each line.
        let mut boards: Vec<AnyGame> = game.plies().map(|(position, _)| position.into()).collect();
        boards.push(game.position().into());
        let expected: Vec<String> = boards.iter().map(cell_text).collect();
        let shown = browser.evaluate("game.positions.map((cells) => cells.join(''))");
        assert_eq!(shown, json!(expected), "{name}");
        let ends = browser.evaluate(
            "game.moves.map((move) => move.lines.map(({ steps }) => steps.reduce( \
             (cells, step) => changedCells(cells, step.changes), game.positions[move.ply - 1]).join('')))",
        );
        let moves = objects[0]["moves"].as_array().unwrap();
        let end = |board: &AnyGame, line: &Value| {
            let mut board = board.clone();
            for word in line["pv"].as_array().unwrap() {
                board.play_legal(word.as_str().unwrap()).unwrap();
            }
            cell_text(&board)
        };
        let expected: Vec<Vec<String>> = moves
            .iter()
            .zip(&boards)
            .map(|(analysis, board)| {
                let lines = analysis["lines"].as_array().unwrap();
                lines.iter().map(|line| end(board, line)).collect()
            })
            .collect();
        assert_eq!(ends, json!(expected), "{name}");
        // What is drawn: a row per move and the start, the pieces, the scored moves.
        let rows = browser.evaluate("document.querySelectorAll('#moves tbody tr').length");
        assert_eq!(rows, boards.len(), "{name}");
        browser.press("Home");
        let drawn = browser.evaluate(
            "[document.querySelectorAll('#board .mark').length, document.querySelectorAll('#board .best').length, \
             document.querySelectorAll('#board .played').length, document.querySelectorAll('#lines li').length]",
        );
        let words = |key: &str| moves[0][key].as_array().unwrap().len();
        let (lines, best) = (words("lines"), words("best"));
        assert_eq!(drawn, json!([lines, best, 1, lines]), "{name}");
        for _ in &boards {
            browser.press("ArrowRight");
        }
        assert_eq!(
            state(&mut browser),
            json!([1, boards.len() - 1, null, null])
        );
        let won = browser.evaluate("document.querySelectorAll('#board .won').length");
        let length = match name {
            "tictactoe" => 3,
            "scorefour" => 4,
            _ => 0,
        };
        let is_drawn = game.final_score() == Some(nullwindow::Score::ZERO);
        assert_eq!(won, if is_drawn { 0 } else { length }, "{name}");
        assert_no_errors(&mut browser);
    }
}

#[test]
fn the_page_works_by_mouse_and_keyboard_at_every_width_and_in_both_schemes() {
    if !is_installed("chromium") {
        return;
    }
    let scratch = Scratch::new("controls");
    let options = "--game othello6 --depth 4 --exact 8 --multipv 2 --option Hash=1";
    let (page, objects) = scratch.analyze("games.txt", &transcripts("othello6", 3), options);
    let moves = objects[1]["moves"].as_array().unwrap();
    let plies = moves.len();
    let losses: Vec<usize> = (1..=plies)
        .filter(|ply| moves[ply - 1]["loss"].as_i64().unwrap() > 0)
        .collect();
    let best = (1..=plies).find(|ply| !losses.contains(ply)).unwrap();
    let worst = objects[1]["summary"][0]["worst"][0].as_u64().unwrap();
    let mut browser = Browser::start(&scratch.0);
    for width in WIDTHS {
        for dark in [false, true] {
            browser.open(&page, width, dark);
            browser.audit();
            let bottom = browser.evaluate(
                "document.querySelector('#board-area > .buttons').getBoundingClientRect().bottom",
            );
            assert!(
                width < 1000 || bottom.as_f64().unwrap() <= 900.0,
                "{width} px: {bottom}"
            );
            let background = browser.text("getComputedStyle(document.body).backgroundColor");
            assert_eq!(background == "rgb(255, 255, 255)", !dark, "{background}");
            // The list of games, by keyboard and by mouse.
            assert_eq!(state(&mut browser)[0], 1);
            browser.evaluate("document.querySelector('#games tr.now').focus()");
            browser.press("ArrowDown");
            browser.press("ArrowDown");
            assert_eq!(state(&mut browser)[0], 3);
            assert_eq!(browser.text("document.activeElement.dataset.index"), "2");
            click(&mut browser, "#games tr[data-index=\"1\"]");
            assert_eq!(state(&mut browser), json!([2, 0, null, null]));

            // The keyboard: to the losses, to the end, to the start.
            browser.press("m");
            browser.press("m");
            assert_eq!(state(&mut browser)[1], losses[1]);
            browser.press("M");
            assert_eq!(state(&mut browser)[1], losses[0]);
            // A loss is shown on the position before it, with the better move; then after it.
            let cells =
                "[...document.querySelectorAll('#board .mark.played, #board .mark.best')].length";
            assert_eq!(browser.evaluate("boardPly()"), losses[0] - 1);
            assert_eq!(browser.evaluate(cells), 2);
            let better = browser.text("document.querySelector('#where').textContent");
            assert!(
                better.contains(" lost ") && better.contains("better ("),
                "{better}"
            );
            browser.press("ArrowRight");
            assert_eq!(state(&mut browser)[1], losses[0]);
            assert_eq!(browser.evaluate("boardPly()"), losses[0]);
            let score = browser.evaluate("game.moves[ply - 1].score");
            assert_eq!(score, moves[losses[0] - 1]["score"]);
            browser.press("End");
            assert_eq!(state(&mut browser)[1], plies);
            browser.press("Home");
            assert_eq!(state(&mut browser)[1], 0);

            // The mouse: a move, a button, the graph, a link to a worst move.
            let row = format!("#moves tr[data-ply=\"{best}\"]");
            click(&mut browser, &row);
            assert_eq!(state(&mut browser)[1], best);
            assert_eq!(browser.evaluate("boardPly()"), best);
            let marked = browser.evaluate("document.querySelectorAll('#moves tr.now').length");
            assert_eq!(marked, 1);
            click(&mut browser, "[data-go=forward]");
            assert_eq!(state(&mut browser)[1], best + 1);
            let (x, y) = browser.place("#graph .point:nth-of-type(11)");
            browser.click((x, y));
            assert_eq!(state(&mut browser)[1], 10);
            assert_eq!(browser.text("$('graph').ariaValueNow"), "10");
            click(&mut browser, "#summary .links a");
            assert_eq!(state(&mut browser)[1], worst);

            // A line: by its move on the board, its words, the keys; and back.
            click(&mut browser, "#moves tr[data-ply=\"0\"]");
            click(&mut browser, "#board .mark:not(.played)");
            assert_eq!(state(&mut browser), json!([2, 0, 0, 1]));
            browser.press("ArrowRight");
            assert_eq!(state(&mut browser), json!([2, 0, 0, 2]));
            let shown = browser.text("document.querySelector('#lines .step.now').textContent");
            assert_eq!(shown, browser.text("line.steps[1].word"));
            click(&mut browser, "#lines li:first-child .step:nth-of-type(3)");
            assert_eq!(state(&mut browser), json!([2, 0, 0, 3]));
            browser.press("Escape");
            browser.press("b");
            browser.press("End");
            let end = browser.evaluate("line.steps.length");
            assert_eq!(state(&mut browser), json!([2, 0, 0, end]));
            click(&mut browser, "#leave");
            assert_eq!(state(&mut browser), json!([2, 0, null, null]));

            // The focus is visible.
            browser.evaluate("document.activeElement.blur()");
            browser.press("Tab");
            let outline = browser.text("getComputedStyle(document.activeElement).outlineStyle");
            assert_eq!(outline, "solid");
            assert_no_errors(&mut browser);
        }
    }
}

#[test]
fn the_header_of_a_list_covers_no_shown_row() {
    if !is_installed("chromium") {
        return;
    }
    let scratch = Scratch::new("header");
    let games = transcripts("othello", 12);
    let (page, _) = scratch.analyze("games.txt", &games, "--depth 1 --option Hash=1");
    let mut browser = Browser::start(&scratch.0);
    browser.open(&page, 360, false);
    let covered = "['moves', 'games'].filter((id) => {
      const bottom = document.querySelector(`#${id} th`).getBoundingClientRect().bottom;
      return document.querySelector(`#${id} tr.now`).getBoundingClientRect().top < bottom - 1;
    }).join()";
    for (keys, focus) in [
        (vec![("End", 1), ("ArrowLeft", 60)], "#moves"),
        (vec![("ArrowDown", 11), ("ArrowUp", 11)], "#games"),
    ] {
        browser.evaluate(&format!("document.querySelector('{focus} tr.now').focus()"));
        for (key, times) in keys {
            for time in 0..times {
                browser.press(key);
                assert_eq!(browser.text(covered), "", "{key} {time}");
            }
        }
    }
}

#[test]
fn names_with_markup_are_texts() {
    let scratch = Scratch::new("markup");
    let file = "<b>\"x\"<!--<script>.txt";
    let options = "--game tictactoe --depth 2 --option Hash=1";
    let games = transcripts("tictactoe", 2);
    let (page, _) = scratch.analyze(file, &games, options);
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("<b>\"") && !text.contains("<!--"));
    assert!(!text.contains("http:") || text.matches("http:").count() == 1); // the SVG namespace
    if !is_installed("chromium") {
        return;
    }
    let mut browser = Browser::start(&scratch.0);
    browser.open(&page, 800, false);
    assert!(browser.text("document.title").ends_with(file));
    assert!(browser.text("$('facts').textContent").contains(file));
    assert_eq!(
        browser.evaluate("document.querySelectorAll('b b, p b, h1 b').length"),
        0
    );
    assert_no_errors(&mut browser);
    // Even if markup became an element, the policy of the page would refuse its script and style.
    browser.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"ran = 1\"><p id=own style=\"color: red\">'); \
         document.body.append(element('script', {}, 'ran = 1')), 0",
    );
    let own = browser.text("getComputedStyle($('own')).color");
    assert_ne!(own, "rgb(255, 0, 0)");
    assert_eq!(browser.evaluate("typeof ran === 'undefined'"), true);
    let refused = browser.errors();
    assert!(refused.len() >= 3, "{refused:?}");
}

#[test]
fn the_winner_of_an_unfinished_game_is_shown() {
    let scratch = Scratch::new("stated");
    let games: String = [
        ("p1win", "resign"),
        ("p2win", "time-forfeit"),
        ("draw", "agreement"),
        ("", ""),
    ]
    .map(|(result, reason)| {
        json!({"moves": ["f5", "d6"], "result": result, "reason": reason}).to_string() + "\n"
    })
    .concat();
    let (page, _) = scratch.analyze("stated.jsonl", &games, "--depth 2");
    if !is_installed("chromium") {
        return;
    }
    let mut browser = Browser::start(&scratch.0);
    browser.open(&page, 800, false);
    assert_eq!(
        browser.text("data.games.map(resultText).join(' ')"),
        "1\u{2013}0 0\u{2013}1 \u{bd}\u{2013}\u{bd} unfinished"
    );
    assert!(
        browser
            .text("$('game-title').textContent")
            .ends_with("1\u{2013}0")
    );
    assert_no_errors(&mut browser);
}

#[test]
fn a_thousand_games_are_listed_filtered_and_sorted() {
    if !is_installed("chromium") {
        return;
    }
    let scratch = Scratch::new("many");
    let options = "--game tictactoe --depth 1 --option Hash=1";
    let (page, objects) = scratch.analyze("games.txt", &transcripts("tictactoe", 1000), options);
    let mut browser = Browser::start(&scratch.0);
    browser.open(&page, 800, false);
    let rows = "document.querySelectorAll('#games tbody tr').length";
    assert_eq!(browser.evaluate(rows), 200);
    click(&mut browser, "#more");
    assert_eq!(browser.evaluate(rows), 1000);
    // The keys of the list, of the filter, and of the next game.
    browser.press("/");
    "777".chars().for_each(|c| browser.press(&c.to_string()));
    assert_eq!(browser.evaluate(rows), 1);
    assert_eq!(browser.text("$('shown').textContent"), "1 of 1000");
    browser.press("Tab");
    browser.evaluate("document.querySelector('#games tbody tr').focus()");
    browser.press("Enter");
    assert_eq!(state(&mut browser), json!([777, 0, null, null]));
    let plies = objects[776]["moves"].as_array().unwrap().len();
    assert_eq!(browser.evaluate("game.moves.length"), plies);
    browser.evaluate("$('filter').value = '', $('filter').oninput()");
    browser.press("n");
    assert_eq!(state(&mut browser)[0], 778);
    // Sorted by the loss of X, largest first.
    let lost = |object: &Value| object["summary"][0]["all"]["lost"].as_f64().unwrap();
    let largest = objects[..1000].iter().map(lost).fold(0.0, f64::max);
    let title = "[...document.querySelectorAll('#games th button')].find((b) => b.textContent === 'lost by x').click()";
    browser.evaluate(title);
    browser.evaluate(title);
    let first = browser.evaluate("document.querySelector('#games tbody tr').dataset.index");
    let first: usize = first.as_str().unwrap().parse().unwrap();
    assert_eq!(lost(&objects[first]), largest);
    // A link to a ply of a game.
    browser.evaluate(
        "new Promise((done) => { addEventListener('hashchange', () => done()); location.hash = '#game=1000&ply=2'; })",
    );
    assert_eq!(state(&mut browser), json!([1000, 2, null, null]));
    assert_no_errors(&mut browser);
}
