//! The page of `scripts/web` in a browser: games by touch and by keyboard at two widths and in both
//! color schemes, hints, stopping, undo, reloads, with and without shared memory.
//! `scripts/web/test.sh` builds the page and runs these tests.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, thread};

use nullwindow::games::any::{AnyGame, by_name};
use serde_json::{Value, json};

use crate::common::browser::{Browser, is_installed};
use crate::common::{Folder, PATIENCE, oracle};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/web/page");
const WEIGHTS: &str = "nullwindow.weights";

/// The requested files with the status of the answer.
type Requests = Arc<Mutex<Vec<(String, u16)>>>;

/// Serves the built page, without one of its files; with `is_isolated`, the page may share memory
/// with its worker. Returns the address.
fn serve(is_isolated: bool, missing: &'static str) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let requests = Requests::default();
    let list = requests.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let list = list.clone();
            thread::spawn(move || answer(&stream.ok()?, is_isolated, missing, &list));
        }
    });
    (address, requests)
}

/// Answers a request. The files never change, so a conditional request gets no content.
fn answer(
    mut stream: &TcpStream,
    is_isolated: bool,
    missing: &str,
    requests: &Requests,
) -> Option<()> {
    let lines: Vec<String> = BufReader::new(stream)
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .map(|line| line.to_ascii_lowercase())
        .collect();
    let name = match lines.first()?.split(' ').nth(1)? {
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    let is_cached = lines.iter().any(|line| line.starts_with("if-none-match:"));
    let (status, body) = match fs::read(Path::new(PAGE).join(name)) {
        Ok(_) if is_cached => (304, Vec::new()),
        Ok(body) if name != missing => (200, body),
        _ => (404, Vec::new()),
    };
    requests.lock().unwrap().push((name.to_owned(), status));
    let kind = match name.rsplit('.').next()? {
        "html" => "text/html",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        _ => "application/octet-stream",
    };
    let isolation = match is_isolated {
        true => {
            "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
        }
        false => "",
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nETag: \"1\"\r\n\
         Connection: close\r\n{isolation}\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}

/// The page in a browser.
struct Page {
    browser: Browser,
    address: String,
    requests: Requests,
    _folder: Folder,
}

impl Page {
    fn new(name: &str, is_isolated: bool) -> Page {
        let folder = Folder::new(&format!("web-page-{name}"));
        let (address, requests) = serve(is_isolated, "");
        Page {
            browser: Browser::start(&folder.0),
            address,
            requests,
            _folder: folder,
        }
    }

    /// Opens the page and waits for the engine.
    fn open(&mut self, width: u32, is_dark: bool) {
        self.browser.visit(&self.address, width, is_dark);
        self.wait_for_turn();
    }

    /// Opens it with a stored game and settings.
    fn open_with(&mut self, kept: &Value) {
        self.browser
            .visit(&format!("{}base.css", self.address), 800, false);
        let text = format!("localStorage.setItem('nullwindow.othello', JSON.stringify({kept}))");
        self.browser.evaluate(&text);
        self.open(800, false);
    }

    /// Waits until an expression is true.
    fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.browser.evaluate(expression) != true {
            if begun.elapsed() > PATIENCE {
                let shown = self
                    .browser
                    .text("document.querySelector('main').innerText");
                panic!("{expression}: {shown}");
            }
        }
    }

    /// The statuses of the requests of the weights.
    fn weights(&self) -> Vec<u16> {
        let requests = self.requests.lock().unwrap();
        let weights = requests.iter().filter(|(name, _)| name == WEIGHTS);
        weights.map(|&(_, status)| status).collect()
    }

    fn status(&mut self) -> String {
        self.browser
            .text("document.querySelector('#status').textContent")
    }

    /// Waits for the user's turn or the end of the game; returns whether it is the user's turn.
    fn wait_for_turn(&mut self) -> bool {
        self.wait(
            "/Your turn|win:|lose:|draw:/.test(document.querySelector('#status').textContent)",
        );
        self.status().contains("Your turn")
    }

    /// The same, but the engine moves at once.
    fn hurry(&mut self) -> bool {
        self.wait(
            "/Your turn|win:|lose:|draw:/.test(document.querySelector('#status').textContent) \
             || (document.querySelector('#now').click(), false)",
        );
        self.status().contains("Your turn")
    }

    fn click(&mut self, selector: &str) {
        let place = self.browser.place(selector);
        self.browser.click(place);
    }

    fn select(&mut self, id: &str, value: &str) {
        self.browser.evaluate(&format!(
            "(() => {{ const node = document.querySelector('#{id}'); node.value = '{value}'; \
             node.dispatchEvent(new Event('change')); }})()"
        ));
    }

    /// The stored game, which must be legal.
    fn game(&mut self) -> AnyGame {
        let text = "JSON.parse(localStorage.getItem('nullwindow.othello'))?.game ?? []";
        let mut game = by_name("othello").unwrap();
        for entry in self.browser.evaluate(text).as_array().unwrap() {
            game = after_pass(&game);
            game.play_legal(entry["move"].as_str().unwrap()).unwrap();
        }
        game
    }

    /// The names of the cells, as a screen reader gets them: square, content, score, "proven".
    fn cells(&mut self) -> Vec<Vec<String>> {
        let names = self.browser.names("gridcell");
        let parts = |name: &String| name.split(", ").map(String::from).collect();
        names.iter().map(parts).collect()
    }

    /// Compares the cells with the rules.
    fn check_cells(&mut self) {
        let game = self.game();
        let is_turn = self.status().contains("Your turn");
        let legal = legal_moves(&game);
        let expected = game.cells().into_iter().enumerate().map(|(index, cell)| {
            let name = format!("{}{}", char::from(b'a' + index as u8 % 8), index / 8 + 1);
            let content = match cell {
                'x' => "Black",
                'o' => "White",
                _ if is_turn && legal.contains(&name) => "legal move",
                _ => "empty",
            };
            vec![name, content.to_owned()]
        });
        let found = self.cells().into_iter().map(|cell| cell[..2].to_vec());
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    fn assert_no_errors(&mut self) {
        assert_eq!(self.browser.errors(), Vec::<Value>::new());
        let shown = "document.querySelector('#error').textContent";
        assert_eq!(self.browser.text(shown), "");
    }
}

/// The game after the pass that is due, if one is.
fn after_pass(game: &AnyGame) -> AnyGame {
    let mut game = game.clone();
    if game.must_pass() {
        let pass = game.moves()[0];
        game.play(pass).unwrap();
    }
    game
}

/// The moves of the side that can move.
fn legal_moves(game: &AnyGame) -> Vec<String> {
    let game = after_pass(game);
    game.moves().iter().map(|&m| game.write_move(m)).collect()
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn a_game_is_played_by_touch_and_continued_after_a_reload() {
    if !is_installed("chromium") {
        return;
    }
    let mut page = Page::new("touch", true);
    page.open(360, false);
    let mut plies = 0;
    while page.hurry() {
        page.check_cells();
        if plies == 20 {
            let game = page.game();
            page.open(360, false);
            assert_eq!(page.game().history(), game.history());
            page.check_cells();
            assert_eq!(page.weights(), [200, 304]);
        }
        let place = page.browser.place("#cells [aria-disabled=\"false\"]");
        page.browser.tap(place);
        plies += 1;
        let played = page.game().history().len();
        assert!(played >= plies, "{played} plies after {plies} taps");
    }
    assert!(plies > 20, "the game ended early");
    page.check_cells();
    page.browser.audit();
    let [black, white] = ['x', 'o'].map(|color| {
        let cells = page.game().cells();
        cells.iter().filter(|&&cell| cell == color).count()
    });
    let status = page.status();
    assert!(
        status.ends_with(&format!("Black {black}, White {white}.")),
        "{status}"
    );
    assert!(page.game().outcome().is_some());
    page.assert_no_errors();
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn a_game_is_played_by_keyboard() {
    if !is_installed("chromium") {
        return;
    }
    let mut page = Page::new("keyboard", true);
    page.open(1280, true);
    page.select("color", "o");
    let focused = "document.activeElement.dataset.name ?? ''";
    for _ in 0..20 {
        if !page.browser.text(focused).is_empty() {
            break;
        }
        page.browser.press("Tab");
    }
    while page.hurry() {
        page.check_cells();
        // The arrow keys from the focused cell to the one of the first legal move.
        let wanted = legal_moves(&page.game())[0].clone();
        let current = page.browser.text(focused);
        let steps = |index: usize| {
            i32::from(wanted.as_bytes()[index]) - i32::from(current.as_bytes()[index])
        };
        for (count, [back, forward]) in [
            (steps(0), ["ArrowLeft", "ArrowRight"]),
            (steps(1), ["ArrowUp", "ArrowDown"]),
        ] {
            for _ in 0..count.abs() {
                page.browser.press(if count < 0 { back } else { forward });
            }
        }
        assert_eq!(page.browser.text(focused), wanted);
        page.browser.press("Enter");
    }
    page.check_cells();
    assert!(page.game().outcome().is_some());
    page.assert_no_errors();
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn searches_stop_with_and_without_shared_memory() {
    if !is_installed("chromium") {
        return;
    }
    for is_isolated in [true, false] {
        let mut page = Page::new(&format!("stop-{is_isolated}"), is_isolated);
        page.open(1280, false);
        assert_eq!(page.browser.evaluate("crossOriginIsolated"), is_isolated);
        // The search for hints has no limit with shared memory: a move stops it.
        page.click("#hints");
        page.wait("document.querySelectorAll('#board .best').length > 0");
        page.click("[data-name=\"f5\"]");
        assert_eq!(page.game().history().len(), 1);
        page.wait("document.querySelector('#lines tr') !== null && !document.querySelector('#now').disabled");
        page.click("#now");
        page.wait_for_turn();
        assert_eq!(page.game().history().len(), 2);
        // A new game while the engine thinks.
        page.click("#cells [aria-disabled=\"false\"]");
        page.wait("!document.querySelector('#now').disabled");
        page.click("#new");
        page.wait_for_turn();
        assert_eq!(page.game().history().len(), 0);
        page.check_cells();
        // Without shared memory, the engine is loaded again after a stop, from the browser's cache.
        while !is_isolated && page.weights().len() < 2 {
            page.click("#cells [aria-disabled=\"false\"]");
            assert!(page.hurry(), "no search was stopped in a whole game");
        }
        assert!(page.weights()[1..].iter().all(|&status| status == 304));
        page.assert_no_errors();
    }
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn moves_are_undone_and_either_color_can_be_played() {
    if !is_installed("chromium") {
        return;
    }
    let mut page = Page::new("back", true);
    page.open(800, true);
    let disabled = "document.querySelector('#back').disabled";
    assert_eq!(page.browser.evaluate(disabled), true);
    for count in [2, 4] {
        page.click("#cells [aria-disabled=\"false\"]");
        page.hurry();
        assert_eq!(page.game().history().len(), count);
    }
    let first = page.game().history()[..2].to_vec();
    page.click("#back");
    page.wait_for_turn();
    assert_eq!(page.game().history(), first);
    page.check_cells();
    // The engine takes over the color of the side to move.
    page.select("color", "o");
    page.hurry();
    assert_eq!(page.game().history().len(), 3);
    page.check_cells();
    page.click("#new");
    page.hurry();
    assert_eq!(page.game().history().len(), 1);
    assert_eq!(page.browser.evaluate(disabled), true);
    page.assert_no_errors();
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn hints_score_every_legal_move_and_proven_ones_are_exact() {
    if !is_installed("chromium") {
        return;
    }
    let mut page = Page::new("hints", true);
    // A game of first moves with at most eight empty squares left, and Black or White to move.
    let mut game = by_name("othello").unwrap();
    let mut plies = Vec::new();
    while game.plies_left() > 8 || game.must_pass() || game.moves().len() < 2 {
        let m = game.moves()[0];
        let by = match game.to_move() {
            nullwindow::Player::First => "x",
            nullwindow::Player::Second => "o",
        };
        if !m.is_pass() {
            plies.push(json!({ "move": game.write_move(m), "by": by }));
        }
        game.play(m).unwrap();
    }
    let color = match game.to_move() {
        nullwindow::Player::First => "x",
        nullwindow::Player::Second => "o",
    };
    page.open_with(&json!({ "color": color, "strength": 0, "hints": true, "game": plies }));
    page.wait("document.querySelector('#search').textContent.endsWith(': proven')");
    let found = page
        .cells()
        .into_iter()
        .filter(|cell| cell[1] == "legal move");
    let moves = game.moves();
    let expected = moves.iter().map(|&m| {
        let mut child = game.clone();
        child.play(m).unwrap();
        let score = -oracle::value(&child).0 / 100;
        let sign = if score > 0 { "+" } else { "" };
        let score = format!("score {sign}{score}");
        vec![
            game.write_move(m),
            "legal move".into(),
            score,
            "proven".into(),
        ]
    });
    let mut expected: Vec<_> = expected.collect();
    expected.sort_by_key(|cell| cell[0].bytes().rev().collect::<Vec<_>>());
    assert_eq!(found.collect::<Vec<_>>(), expected);
    for width in [360, 1280, 1920] {
        for is_dark in [false, true] {
            page.open(width, is_dark);
            page.wait("document.querySelector('#search').textContent.endsWith(': proven')");
            page.browser.audit();
        }
    }
    assert_eq!(page.browser.names("grid"), ["board"]);
    page.assert_no_errors();
}

#[test]
#[ignore = "scripts/web/test.sh builds the page"]
fn the_download_is_shown_and_its_failure_named() {
    if !is_installed("chromium") {
        return;
    }
    let mut page = Page::new("download", false);
    page.open(800, false);
    let size = fs::metadata(Path::new(PAGE).join(WEIGHTS)).unwrap().len();
    let shown = "[loading.value, loading.max, loading.hidden]";
    assert_eq!(page.browser.evaluate(shown), json!([size, size, true]));
    (page.address, page.requests) = serve(true, WEIGHTS);
    page.browser.visit(&page.address, 800, false);
    page.wait("document.querySelector('#error').textContent !== ''");
    let error = page
        .browser
        .text("document.querySelector('#error').textContent");
    assert_eq!(
        error,
        "error: cannot load the engine: nullwindow.weights: HTTP status 404"
    );
    assert_eq!(page.status(), "Reload the page to continue.");
    assert_eq!(page.browser.evaluate("loading.hidden"), true);
    // A change of the game or of a setting loads the page again.
    page.select("color", "o");
    // Not by `wait`, which asks the page while it is replaced.
    let begun = Instant::now();
    while page.weights().len() < 2 && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(page.weights(), [404, 404]);
    page.wait("color.value === 'o' && document.querySelector('#error').textContent !== ''");
}
