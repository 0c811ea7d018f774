//! The HTML report, also replayed in a browser if one is installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Scratch, engine, run, text};
use crate::common::browser::{Browser, HEADLESS, is_installed};

#[test]
fn the_report_replays_games_in_a_browser() {
    let scratch = Scratch::new("report");
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine("illegal", "B <i>\"x\"</i>", "depth=1"));
    arguments.extend(["--game", "tictactoe", "--openings", "startpos", "--out"].map(String::from));
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let output = run(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    assert!(
        page.contains("illegal-move")
            && !page.contains("<i>")
            && !page.contains("http://localhost"),
        "{page}"
    );
    if !is_installed("chromium") {
        return;
    }
    // A copy of the page with a script that presses the buttons and writes the state into the
    // title.
    let probe = "<script>window.onerror = (e) => { document.title = 'ERROR ' + e; };</script>";
    let presses = "<script>const seen = [];\
        const count = (selector) => document.querySelectorAll(selector).length;\
        const look = () => seen.push(count('#board path, #board circle[stroke-width]') + ':' + count('#moves li.now'));\
        const press = (what) => { document.querySelector(`[data-go=${what}]`).click(); look(); };\
        look(); press('first'); press('forward'); press('forward'); press('back'); press('last');\
        document.querySelector('[data-open=\"1\"]').click(); look();\
        $('filter').value = '2'; $('filter').oninput();\
        const rows = count('#games tbody tr'), logs = count('details pre');\
        document.title = 'SEEN ' + seen.join(' ') + ' rows ' + rows + ' ' + logs;</script>";
    let title = title_of(
        &scratch,
        &page.replace("<head>", &format!("<head>{probe}")),
        presses,
        900,
    );
    // Game 1: a1, b1 and c1, then the illegal move; game 2: two moves before it.
    assert_eq!(title, "SEEN 3:1 0:0 1:1 2:1 1:1 3:1 2:1 rows 1 2");
}

#[test]
fn the_report_fits_the_window_and_marks_the_winning_line() {
    let scratch = Scratch::new("report-width");
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine(
        "good",
        "an-engine-with-a-long-name-2.0-beta",
        "depth=1",
    ));
    arguments.extend(
        [
            "--game",
            "tictactoe",
            "--openings",
            "startpos",
            "--rounds",
            "6",
            "--out",
        ]
        .map(String::from),
    );
    arguments.push(scratch.0.display().to_string());
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let output = run(
        &scratch,
        &["--report".into(), scratch.0.display().to_string()],
    );
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    assert!(
        !page.contains("<th>discs</th>") && page.contains("all results equal"),
        "{page}"
    );
    if !is_installed("chromium") {
        return;
    }
    let mut browser = Browser::start(&scratch.0);
    let path = PathBuf::from(text(&output.stdout).trim());
    for (width, dark) in [(360, false), (360, true), (1280, true), (1920, false)] {
        browser.open(&fs::canonicalize(&path).unwrap(), width, dark);
        browser.audit();
        // A game is opened by keyboard, and stays marked in a list that is filtered.
        browser.evaluate("document.querySelector('#games tbody tr:nth-child(3) button').focus()");
        browser.press("Enter");
        assert_eq!(browser.evaluate("game.number"), 3);
        let marked = "$('filter').oninput(), document.querySelector('#games tr.now').dataset.index";
        assert_eq!(browser.text(marked), "2");
        assert_eq!(browser.errors(), Vec::<serde_json::Value>::new());
    }
    drop(browser); // two cannot use one profile
    // Overflowing elements, the marked cells in the last two positions, the columns of the list of
    // games.
    let look = "<script>const wide = [...document.querySelectorAll('html, .scroll, #board, #graph')].filter(\
        (node) => node.scrollWidth > node.clientWidth).map((node) => node.id || node.className || node.tagName);\
        const won = () => document.querySelectorAll('#board .won').length;\
        const marked = [won(), (go('back'), won())], columns = document.querySelectorAll('#games th').length;\
        document.title = `SEEN ${wide.join(' ')} marked ${marked} columns ${columns}`;</script>";
    for width in [400, 900, 1600] {
        assert_eq!(
            title_of(&scratch, &page, look, width),
            "SEEN  marked 3,0 columns 8",
            "{width} px"
        );
    }
}

#[test]
fn the_report_names_the_openings_of_othello() {
    let scratch = Scratch::new("report-openings");
    fs::create_dir_all(&scratch.0).unwrap();
    let openings = scratch.0.join("openings.txt");
    fs::write(&openings, "f5d6c3d3c4f4c5b3c2\nf5f4\n").unwrap();
    let mut arguments = engine("good", "A", "depth=1");
    arguments.extend(engine("good", "B", "depth=1"));
    arguments.extend(["--rounds", "2", "--openings"].map(String::from));
    arguments.push(format!("file={}", openings.display()));
    let folder = scratch.0.join("match").display().to_string();
    arguments.extend(["--out".into(), folder.clone()]);
    assert_eq!(run(&scratch, &arguments).status.code(), Some(0));
    let output = run(&scratch, &["--report".into(), folder]);
    let page = fs::read_to_string(text(&output.stdout).trim()).unwrap();
    let reached = "\"openings\":[[2,\"Perpendicular\"],[5,\"Tiger\"],[9,\"Rose-Bill\"]";
    assert!(page.contains(reached), "{page}");
    if !is_installed("chromium") {
        return;
    }
    // The names after two, eight and nine plies of the first game, and the list of games filtered
    // by a name.
    let look = "<script>const said = (plies) => (show(plies), /opening: ([-A-Za-z]*)/.exec($('where').textContent)[1]);\
        const names = [2, 8, 9].map(said);\
        $('filter').value = 'rose-bill'; $('filter').oninput();\
        const rows = document.querySelectorAll('#games tbody tr');\
        const shown = rows[0].cells[6].textContent.slice(0, 9), title = $('games').rows[0].cells[6].textContent;\
        document.title = `SEEN ${names} ${title} ${shown} ${rows.length}`;</script>";
    assert_eq!(
        title_of(&scratch, &page, look, 900),
        "SEEN Perpendicular,Tiger,Rose-Bill opening Rose-Bill 2"
    );
}

/// The title of a page in a browser window `width` pixels wide, after the script at its end has
/// run.
fn title_of(scratch: &Scratch, page: &str, script: &str, width: u32) -> String {
    let copy = scratch.0.join("probe.html");
    // The policy of the page refuses other scripts than its own.
    let page = page.replace("Content-Security-Policy", "no-policy");
    fs::write(&copy, page.replace("</body>", &format!("{script}</body>"))).unwrap();
    let output = Command::new("chromium")
        .args(HEADLESS)
        .arg("--dump-dom")
        .arg(format!("--window-size={width},900"))
        .arg(format!(
            "--user-data-dir={}",
            scratch.0.join("chromium").display()
        ))
        .arg(format!("file://{}", copy.display()))
        .output()
        .unwrap();
    let dom = text(&output.stdout);
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next())
        .map(String::from);
    title.unwrap_or_else(|| text(&output.stderr))
}
