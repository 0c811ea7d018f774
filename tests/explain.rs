//! `explain` as users run it: text, JSON, comparisons, and its page in a browser with mouse and
//! keyboard events.

use std::fs;

use expect_test::expect;
use nullwindow::platform::command_line;

use crate::common::{Engine, Folder, nullwindow};

/// The tree of document 004.
const TREE: &str = "((15 22 -5) (14 25 9 33) (18 -12)) ((8 16) (-11 -20 -30))";

/// A file with the tree of document 004.
fn tree(folder: &Folder) -> String {
    folder.file("minimax.tree", format!("({TREE})"))
}

/// What `explain` prints; it must succeed.
fn explain(words: &[&str]) -> String {
    let output = nullwindow(&[&["explain"], words].concat(), "");
    let (said, error) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && error.is_empty(),
        "{words:?}: {said}{error}"
    );
    said
}

/// The error of `explain`, which must end with status 2.
fn error(words: &[&str]) -> String {
    let output = nullwindow(&[&["explain"], words].concat(), "");
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn alpha_beta_is_drawn_with_its_cuts() {
    let scratch = Folder::new("explain-alphabeta");
    expect![[r#"
        alphabeta, depth 3: windows and values from the root player's (max) point of view

        max (-inf, +inf) = 18
        ├─ 1  min (-inf, +inf) = 18
        │  ├─ 1  max (-inf, +inf) = 22
        │  │  ├─ 1  = 15  finished
        │  │  ├─ 2  = 22  finished
        │  │  └─ 3  = -5  finished
        │  ├─ 2  max (-inf, 22) >= 22  cut
        │  │  ├─ 1  = 14  finished
        │  │  ├─ 2  = 25  finished
        │  │  ├─ 3  not searched, 1 leaf saved
        │  │  └─ 4  not searched, 1 leaf saved
        │  └─ 3  max (-inf, 22) = 18
        │     ├─ 1  = 18  finished
        │     └─ 2  = -12  finished
        └─ 2  min (18, +inf) <= 18  cut
           ├─ 1  max (18, +inf) <= 18
           │  ├─ 1  = 8  finished
           │  └─ 2  = 16  finished
           └─ 2  not searched, 3 leaves saved, 4 nodes

        alphabeta: 9 leaves, 16 nodes
        minimax: 14 leaves, 22 nodes
    "#]]
    .assert_eq(&explain(&["--tree", &tree(&scratch)]));
    let list = format!("({TREE})");
    assert_eq!(
        explain(&["--tree", &list]),
        explain(&["--tree", &tree(&scratch)])
    );
}

#[test]
fn nega_scout_is_drawn_with_its_re_searches() {
    let scratch = Folder::new("explain-negascout");
    expect![[r#"
        negascout, depth 3: windows and values from the root player's (max) point of view

        max (-inf, +inf) = 18
        ├─ 1  min (-inf, +inf) = 18
        │  ├─ 1  max (-inf, +inf) = 22
        │  │  ├─ 1  = 15  finished
        │  │  ├─ 2  = 22  finished
        │  │  ├─ 2  = 22  finished  re-search
        │  │  └─ 3  = -5  finished
        │  ├─ 2  max (21, 22) >= 25  cut
        │  │  ├─ 1  = 14  finished
        │  │  ├─ 2  = 25  finished
        │  │  ├─ 3  not searched, 1 leaf saved
        │  │  └─ 4  not searched, 1 leaf saved
        │  ├─ 3  max (21, 22) <= 18
        │  │  ├─ 1  = 18  finished
        │  │  └─ 2  = -12  finished
        │  └─ 3  max (-inf, 19) = 18  re-search
        │     ├─ 1  = 18  finished
        │     └─ 2  = -12  finished
        └─ 2  min (18, 19) <= 16  cut
           ├─ 1  max (18, 19) <= 16
           │  ├─ 1  = 8  finished
           │  └─ 2  = 16  finished
           └─ 2  not searched, 3 leaves saved, 4 nodes

        negascout: 12 leaves, 20 nodes
        null-window searches: 6, re-searches: 2
        minimax: 14 leaves, 22 nodes
    "#]]
    .assert_eq(&explain(&[
        "--tree",
        &tree(&scratch),
        "--algorithm",
        "negascout",
    ]));
}

#[test]
fn mtdf_is_drawn_window_by_window() {
    let scratch = Folder::new("explain-mtdf");
    expect![[r#"
        mtdf +table, depth 3: windows and values from the root player's (max) point of view

        max (-1, 0) >= 14  cut
        ├─ 1  min (-1, 0) >= 14
        │  ├─ 1  max (-1, 0) >= 15  cut
        │  │  ├─ 1  = 15  finished
        │  │  ├─ 2  not searched, 1 leaf saved
        │  │  └─ 3  not searched, 1 leaf saved
        │  ├─ 2  max (-1, 0) >= 14  cut
        │  │  ├─ 1  = 14  finished
        │  │  ├─ 2  not searched, 1 leaf saved
        │  │  ├─ 3  not searched, 1 leaf saved
        │  │  └─ 4  not searched, 1 leaf saved
        │  └─ 3  max (-1, 0) >= 18  cut
        │     ├─ 1  = 18  finished
        │     └─ 2  not searched, 1 leaf saved
        └─ 2  not searched, 5 leaves saved, 8 nodes

        max (14, 15) >= 15  cut
        ├─ 1  min (14, 15) >= 15
        │  ├─ 1  max (14, 15) >= 15  table
        │  ├─ 2  max (14, 15) >= 25  cut
        │  │  ├─ 1  = 14  finished
        │  │  ├─ 2  = 25  finished
        │  │  ├─ 3  not searched, 1 leaf saved
        │  │  └─ 4  not searched, 1 leaf saved
        │  └─ 3  max (14, 15) >= 18  table
        └─ 2  not searched, 5 leaves saved, 8 nodes

        max (15, 16) >= 18  cut
        ├─ 1  min (15, 16) >= 18
        │  ├─ 1  max (15, 16) >= 22  cut
        │  │  ├─ 1  = 15  finished
        │  │  ├─ 2  = 22  finished
        │  │  └─ 3  not searched, 1 leaf saved
        │  ├─ 2  max (15, 16) >= 25  table
        │  └─ 3  max (15, 16) >= 18  table
        └─ 2  not searched, 5 leaves saved, 8 nodes

        max (18, 19) <= 18
        ├─ 1  min (18, 19) <= 18  cut
        │  ├─ 1  max (18, 19) >= 22  table
        │  ├─ 2  max (18, 19) >= 25  table
        │  └─ 3  max (18, 19) <= 18
        │     ├─ 1  = 18  finished
        │     └─ 2  = -12  finished
        └─ 2  min (18, 19) <= 16  cut
           ├─ 1  max (18, 19) <= 16
           │  ├─ 1  = 8  finished
           │  └─ 2  = 16  finished
           └─ 2  not searched, 3 leaves saved, 4 nodes

        mtdf +table: 11 leaves, 33 nodes
        null-window searches: 4, re-searches: 0
        table hits: 6
        minimax: 14 leaves, 22 nodes
    "#]]
    .assert_eq(&explain(&[
        "--tree",
        &tree(&scratch),
        "--algorithm",
        "mtdf",
        "--table",
    ]));
}

#[test]
fn a_game_is_drawn_with_its_moves() {
    // A board without learned weights, which may change.
    let said = explain(&[
        "--game",
        "othello4",
        "--depth",
        "1",
        "--algorithm",
        "failsoft",
    ]);
    expect![[r#"
        failsoft, depth 1: windows and values from the root player's (max) point of view

        max (-inf, +inf) = -400
        ├─ b1  = -400  static
        ├─ a2  = -400  static
        ├─ d3  = -400  static
        └─ c4  = -400  static

        failsoft: 4 leaves, 5 nodes
        minimax: 4 leaves, 5 nodes
    "#]]
    .assert_eq(&said);
    assert_eq!(
        error(&["--depth", "6", "--limit", "1000"]),
        "error: the search exceeds 1000 nodes: use a larger --limit (default: 20000 as text, else \
         2000000) or a smaller --depth\n"
    );
}

#[test]
fn auto_is_the_search_that_the_engine_runs() {
    for (game, depth) in [
        ("othello", "8"),
        ("othello6", "6"),
        ("scorefour", "5"),
        ("diamond", "6"),
        ("tictactoe", "9"),
    ] {
        let mut engine = Engine::start(&["--game", game]);
        engine.send(&format!("go depth {depth}"));
        let lines = engine.until("bestmove");
        let last = lines.iter().rfind(|line| line.contains(" nodes ")).unwrap();
        let word = |name: &str| {
            let mut words = last.split(' ').skip_while(|word| *word != name);
            words.nth(1).unwrap().parse::<i64>().unwrap()
        };
        let json = explain(&[
            "--game",
            game,
            "--depth",
            depth,
            "--algorithm",
            "auto",
            "--json",
        ]);
        let record: serde_json::Value = serde_json::from_str(&json).unwrap();
        let iterations = record["iterations"].as_array().unwrap();
        let reported = lines
            .iter()
            .filter(|line| line.contains(" pv ") && !line.starts_with("info depth 0 "));
        assert_eq!(iterations.len(), reported.count(), "{game}: {lines:?}");
        let nodes: i64 = iterations
            .iter()
            .map(|iteration| iteration["nodes"].as_i64().unwrap())
            .sum();
        // The engine also counts what it takes to read the PV back.
        assert!(
            nodes <= word("nodes") && word("nodes") < nodes + nodes / 2 + 100,
            "{game}: {nodes}, {last}"
        );
        // Every node of an iteration belongs to the tree of one of its windows.
        let roots = record["visits"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|visit| visit["parent"].is_null());
        assert_eq!(
            roots
                .map(|root| root["nodes"].as_i64().unwrap())
                .sum::<i64>(),
            nodes,
            "{game}"
        );
    }
}

/// Neither counts the searches that rebuild a variation.
#[test]
fn compare_counts_what_explain_draws() {
    for (game, position, depth) in [
        ("tictactoe", "b2 a1", "5"),
        ("othello6", "startpos", "5"),
        ("scorefour", "startpos", "3"),
    ] {
        let search = [
            "--game",
            game,
            "--position",
            position,
            "--depth",
            depth,
            "--json",
        ];
        let output = nullwindow(&[&["compare"][..], &search].concat(), "");
        let compared: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut rows = 0;
        for row in compared["rows"].as_array().unwrap() {
            let name = row["algorithm"].as_str().unwrap();
            if row["deepening"] == true || name == "auto" {
                continue;
            }
            let mut words = [&["--algorithm", name][..], &search].concat();
            words.extend((row["table"] == true).then_some("--table"));
            let drawn: serde_json::Value = serde_json::from_str(&explain(&words)).unwrap();
            let drawn = &drawn["iterations"][0];
            for count in [
                "nodes",
                "leaves",
                "null_windows",
                "re_searches",
                "table_hits",
            ] {
                assert_eq!(row[count], drawn[count], "{game} {row} {drawn}");
            }
            rows += 1;
        }
        assert!(rows >= 8, "{rows}");
    }
}

#[test]
fn a_diff_begins_with_the_first_difference() {
    let scratch = Folder::new("explain-diff");
    let tree = tree(&scratch);
    let diff = |words: &[&str]| explain(&[&["--tree", &tree, "--diff"], words].concat());
    let said = diff(&["--algorithm", "alphabeta", "--against", "negascout"]);
    let first = "first difference: after 1 1 2, alphabeta: depth 0 (15, +inf) = 22, finished; negascout: depth 0 \
                 (15, 16) = 22, finished";
    assert_eq!(said.lines().next(), Some(first), "{said}");
    assert!(
        said.contains("\ndepth  reason        alphabeta   negascout\n"),
        "{said}"
    );
    assert!(
        said.contains("all  visits               16          20\n"),
        "{said}"
    );
    // Equal searches: the same algorithm, and one that cuts nothing else in this tree.
    assert_eq!(
        diff(&["--algorithm", "mtdf", "--against", "mtdf"]),
        "no difference\n"
    );
    // One search returns from a node below which the other continues.
    let said = diff(&["--algorithm", "mtdf", "--against-option", "Table=true"]);
    let first = "first difference: after 1 1, mtdf: depth 1 (14, 15) >= 15, cut; \
                 mtdf +table: depth 1 (14, 15) >= 15, table";
    assert_eq!(said.lines().next(), Some(first), "{said}");
    let words = ["--algorithm", "mtdf", "--table", "--option", "Table=false"];
    assert!(explain(&[&["--tree", &tree][..], &words].concat()).starts_with("mtdf +table,"));
    // Iterations.
    let said = explain(&[
        "--game",
        "tictactoe",
        "--depth",
        "2",
        "--diff",
        "--algorithm",
        "failsoft",
        "--against-option",
        "Deepening=true",
    ]);
    let first = "first difference: failsoft: iteration to depth 2, selectivity 100 %, first guess 0; \
                 failsoft +deepening: iteration to depth 1, selectivity 100 %, first guess 0";
    assert_eq!(said.lines().next(), Some(first), "{said}");
}

#[test]
fn statistical_cuts_kernels_and_verification_searches_are_named() {
    let said = explain(&[
        "--game",
        "othello",
        "--depth",
        "8",
        "--algorithm",
        "auto",
        "--text",
        "--limit",
        "1000000",
    ]);
    assert!(
        said.contains("iteration 1: depth ") && said.contains(", first guess "),
        "{said}"
    );
    assert!(
        said.contains("  statistical cut")
            && said.contains("verification, depth ")
            && said.contains("  leaf kernel, ")
    );
    // A position that an exact solver finishes.
    let moves =
        "b2d3a2a2d4c3c1a1a3b2c3b2c3d2a3a3d2d3d1a4d4d4b4b4b3b1b3d4b3b3c1c1b1a1a1a1d2b4a4c4b2c1d1a3";
    let json = explain(&[
        "--game",
        "scorefour",
        "--position",
        moves,
        "--depth",
        "20",
        "--algorithm",
        "auto",
        "--json",
    ]);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    let last = record["iterations"].as_array().unwrap().last().unwrap();
    assert!(
        last["guess"].is_null() && last["nodes"].as_u64().unwrap() > 0,
        "{last}"
    );
}

#[test]
fn the_examples_of_the_documents_are_drawn() {
    let scratch = Folder::new("explain-examples");
    let help = explain(&["--help"]);
    let lines = help
        .lines()
        .map(str::trim)
        .filter_map(|line| line.strip_prefix("nullwindow explain "));
    let mut pages = Vec::new();
    for line in lines {
        let (words, page) = line.rsplit_once(' ').unwrap();
        let words = command_line::split(words).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let page = scratch.path(page);
        let said = explain(&[&words[..], &[&page]].concat());
        pages.push((said, fs::read_to_string(&page).unwrap()));
    }
    let [diamond, nega_scout, mtdf, cuts, leaves] = &pages[..] else {
        panic!("{} examples", pages.len())
    };
    // What each of them is about.
    let first = |page: &(String, String)| page.0.lines().next().unwrap().to_owned();
    assert!(first(diamond).starts_with("negascout: ") && diamond.1.contains("\"c1\""));
    assert!(nega_scout.0.contains("re-searches: 2"), "{}", nega_scout.0);
    assert!(
        mtdf.0.contains("null-window searches: ") && mtdf.0.contains("table hits: "),
        "{}",
        mtdf.0
    );
    assert!(first(cuts).starts_with("auto: "));
    assert!(
        leaves
            .0
            .contains("  all  nodes                22          16\n"),
        "{}",
        leaves.0
    );
}

#[test]
fn unsupported_arguments_and_trees_are_errors() {
    let scratch = Folder::new("explain-errors");
    let tree = tree(&scratch);
    for (words, expected) in [
        (&[][..], "<--depth <N>|--tree <FILE>>"),
        (
            &["--tree", &tree, "--diff"],
            "required arguments were not provided",
        ),
        (
            &["--tree", &tree, "--against", "mtdf"],
            "required arguments were not provided",
        ),
        (
            &["--tree", &tree, "--diff", "--against-option", "Hash"],
            "expected NAME=VALUE",
        ),
        (
            &[
                "--tree",
                &tree,
                "--diff",
                "--against-option",
                "Game=othello",
            ],
            "Game has no effect",
        ),
        (
            &["--tree", &tree, "--diff", "--against-option", "threads=2"],
            "threads has no effect",
        ),
        (
            &["--tree", &tree, "--option", "Game=othello6"],
            "option Game has no effect on --tree",
        ),
        (
            &["--tree", &tree, "--option", "Algorithm=mtdf"],
            "option Algorithm has no effect on explain",
        ),
        (
            &["--tree", &tree, "--html", "/no/such/folder/page.html"],
            "folder /no/such/folder does not exist",
        ),
        (
            &["--depth", "9", "--limit", "1000", "--json"],
            "exceeds 1000 nodes",
        ),
        (
            &[
                "--game",
                "tictactoe",
                "--depth",
                "9",
                "--position",
                "a1 b1 a2 b2 a3",
            ],
            "the game is over",
        ),
    ] {
        let said = error(words);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

#[test]
fn a_large_tree_is_summarized_with_a_note() {
    let scratch = Folder::new("explain-large");
    let page = scratch.path("page.html");
    let said = explain(&[
        "--game",
        "othello6",
        "--depth",
        "8",
        "--algorithm",
        "minimax",
        "--html",
        &page,
    ]);
    let nodes: u64 = said
        .split(" nodes")
        .next()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(nodes > 100_000, "{said}");
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.len() < 15 << 20, "{} bytes", text.len());
    let data = text
        .split_once("id=\"data\">")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let search = &data["searches"][0];
    let shown = search["tree"]["rows"].as_array().unwrap().len() as u64;
    assert!(shown > 50_000 && shown <= 100_000, "{shown}");
    assert_eq!(search["leftOut"].as_u64().unwrap() + shown, nodes);
    assert_eq!(search["visits"], nodes);
}

#[cfg(unix)]
mod in_a_browser {
    use super::{explain, tree};
    use crate::common::Folder;
    use crate::common::browser::{Browser, is_installed};

    /// The middle of a node's box, or of its knob, on the page.
    fn place(browser: &mut Browser, node: u32, knob: bool) -> (f64, f64) {
        let expression = format!(
            "(() => {{ const box = active.canvas.getBoundingClientRect(), at = active.onCanvas({node}), \
             x = {knob} ? at.width + 10 * active.scale : at.width / 2; \
             return [box.left + at.x + x, box.top + at.y + at.height / 2]; }})()"
        );
        let found = browser.evaluate(&expression);
        (found[0].as_f64().unwrap(), found[1].as_f64().unwrap())
    }

    /// How many boxes are drawn, and which node is chosen.
    fn state(browser: &mut Browser) -> String {
        browser.text(
            "`${active.nodes.length} drawn, ${active.chosen} chosen, ${$('when').textContent}`",
        )
    }

    #[test]
    fn the_page_folds_slides_and_searches_by_mouse_and_keyboard() {
        if !is_installed("chromium") {
            return;
        }
        let scratch = Folder::new("explain-browser");
        let page = scratch.0.join("page.html");
        explain(&[
            "--tree",
            &tree(&scratch),
            "--algorithm",
            "negascout",
            "--html",
            &page.display().to_string(),
        ]);
        let mut browser = Browser::start(&scratch.0);
        for (width, dark) in [(360, false), (360, true), (1280, true), (1920, false)] {
            browser.open(&page, width, dark);
            browser.audit();
            let outside = "active.nodes.filter((id) => active.tree.isMain[id]) \
                .map((id) => active.onCanvas(id)).filter( \
                ({ x, y, width, height }) => y < 0 || y + height > active.high || x < 0 || x + width > active.wide)";
            let outside = browser.evaluate(outside);
            assert!(
                width < 1000 || outside == serde_json::json!([]),
                "{outside}"
            );
            assert_eq!(
                state(&mut browser),
                "22 drawn, 0 chosen, all 20 visits",
                "{width} px"
            );
            let background = browser.text("getComputedStyle(document.body).backgroundColor");
            assert_eq!(background == "rgb(255, 255, 255)", !dark, "{background}");

            // The mouse: choose a node, fold it at its knob, unfold it.
            let node = place(&mut browser, 1, false);
            browser.click(node);
            assert_eq!(
                browser.text("$('about').querySelector('h2').textContent"),
                "1  = 18"
            );
            let knob = place(&mut browser, 1, true);
            browser.click(knob);
            assert_eq!(
                state(&mut browser),
                "7 drawn, 1 chosen, all 20 visits",
                "{width} px"
            );
            let knob = place(&mut browser, 1, true);
            browser.click(knob);
            assert_eq!(
                state(&mut browser),
                "22 drawn, 1 chosen, all 20 visits",
                "{width} px"
            );
            // The pointer over another node shows that one.
            let root = place(&mut browser, 0, false);
            browser.mouse(root, 0);
            assert_eq!(
                browser.text("$('about').querySelector('h2').textContent"),
                "Root  = 18"
            );
            // Zoom by the wheel with Ctrl.
            let scale = browser.evaluate("active.scale").as_f64().unwrap();
            browser.zoom(root, -120.0);
            let larger = browser
                .evaluate("new Promise((done) => requestAnimationFrame(() => done(active.scale)))");
            assert!(
                larger.as_f64().unwrap() > scale,
                "{width} px: {larger} after {scale}"
            );
            // The slider, to its left end.
            let slider = "(() => { const box = $('slider').getBoundingClientRect(); \
                          return [box.left, box.right, box.top + box.height / 2]; })()";
            let slider = browser.evaluate(slider);
            let [left, right, y] = [0, 1, 2].map(|index| slider[index].as_f64().unwrap());
            browser.drag((right - 8.0, y), (left, y));
            assert_eq!(
                state(&mut browser),
                "1 drawn, 0 chosen, visit 1 of 20",
                "{width} px"
            );

            // The keyboard alone: replay, to the end, walk, fold, find.
            browser.evaluate("document.activeElement.blur()");
            (0..3).for_each(|_| browser.press("."));
            assert_eq!(
                state(&mut browser),
                "4 drawn, 3 chosen, visit 4 of 20",
                "{width} px"
            );
            browser.press(",");
            assert_eq!(
                state(&mut browser),
                "3 drawn, 2 chosen, visit 3 of 20",
                "{width} px"
            );
            browser.press("End");
            (0..2).for_each(|_| browser.press("ArrowLeft"));
            browser.press("ArrowRight");
            browser.press("Enter");
            assert_eq!(
                state(&mut browser),
                "7 drawn, 1 chosen, all 20 visits",
                "{width} px"
            );
            browser.press("/");
            "1 3".chars().for_each(|c| browser.press(&c.to_string()));
            assert_eq!(browser.text("$('found').textContent"), "3 matches");
            (0..3).for_each(|_| browser.press("Enter"));
            assert_eq!(browser.text("$('found').textContent"), "3 of 3");
            // The last find is the re-search, and what was folded above it is open again.
            assert_eq!(
                browser.text("$('about').querySelector('p').textContent.slice(0, 10)"),
                "Re-search:"
            );
            let drawn = browser.text("String(active.nodes.length)");
            assert_eq!(drawn, "22", "{width} px");
            assert_eq!(
                browser.errors(),
                Vec::<serde_json::Value>::new(),
                "{width} px"
            );
        }
    }

    #[test]
    fn two_searches_are_shown_side_by_side_on_one_time_line() {
        if !is_installed("chromium") {
            return;
        }
        let scratch = Folder::new("explain-browser-diff");
        let page = scratch.0.join("page.html");
        let file = page.display().to_string();
        explain(&[
            "--tree",
            &tree(&scratch),
            "--diff",
            "--against",
            "negascout",
            "--html",
            &file,
        ]);
        let mut browser = Browser::start(&scratch.0);
        browser.open(&page, 1600, false);
        browser.press("d");
        assert_eq!(
            browser.text("views.map((view) => view.chosen).join(' ')"),
            "4 4"
        );
        assert!(
            browser
                .text("$('summary').textContent")
                .contains("First difference: after 1 1 2, alphabeta")
        );
        browser.press("Home");
        (0..16).for_each(|_| browser.press("."));
        assert_eq!(
            browser.text("views.map((view) => view.time).join(' ')"),
            "16 17",
            "the shorter one is over"
        );
        // Only the re-searches of NegaScout are in one tree alone: two, with two leaves.
        let alone =
            "views.map((view) => view.nodes.filter((id) => view.alone.has(id)).length).join(' ')";
        browser.press("End");
        assert_eq!(browser.text(alone), "0 4");
        assert_eq!(browser.errors(), Vec::<serde_json::Value>::new());
    }

    #[test]
    #[allow(clippy::print_stdout, reason = "times are printed, never asserted")]
    fn a_tree_of_a_hundred_thousand_nodes_opens() {
        if !is_installed("chromium") {
            return;
        }
        let scratch = Folder::new("explain-browser-large");
        let page = scratch.0.join("page.html");
        let file = page.display().to_string();
        explain(&[
            "--game",
            "othello6",
            "--depth",
            "8",
            "--algorithm",
            "minimax",
            "--html",
            &file,
        ]);
        let mut browser = Browser::start(&scratch.0);
        let loaded = browser.open(&page, 1600, false);
        let drawn = browser.evaluate("active.nodes.length").as_u64().unwrap();
        println!(
            "{} bytes loaded in {loaded:?}, {drawn} nodes drawn",
            std::fs::metadata(&page).unwrap().len()
        );
        assert!((20..=200).contains(&drawn), "{drawn}");
        assert!(
            browser
                .text("$('summary').textContent")
                .contains("are not drawn")
        );
        assert!(
            browser.evaluate("$('board').querySelectorAll('rect').length == 36") == true,
            "the board is drawn"
        );
        // All of it unfolded is drawn too.
        browser.press("*");
        assert!(browser.evaluate("active.nodes.length").as_u64().unwrap() > 100_000);
        assert_eq!(browser.errors(), Vec::<serde_json::Value>::new());
    }
}

/// Those under other move orderings, too, which have no table.
#[test]
fn compare_limits_the_nodes_of_every_search() {
    for (limit, is_finished) in [("100", false), ("1000000", true)] {
        let words = "compare --game othello6 --positions - --depth 5 --json --limit";
        let words: Vec<&str> = words.split(' ').chain([limit]).collect();
        let output = nullwindow(&words, "6/6/2ox2/2xo2/6/6 x\n");
        let compared: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let ratios = compared["findings"]["orderings"].as_array().unwrap();
        assert!(
            ratios.len() == 3 && ratios.iter().all(|ratio| ratio.is_null() != is_finished),
            "{limit}: {ratios:?}"
        );
    }
}

#[test]
fn decided_games_count_from_the_position_as_in_the_protocol() {
    let words = "compare --game tictactoe --depth 3 --json --position";
    let words: Vec<&str> = words.split(' ').chain(["xx1/oo1/3 x"]).collect();
    let output = nullwindow(&words, "");
    let compared: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for row in compared["rows"].as_array().unwrap() {
        assert_eq!(row["value"], 9999, "{row}");
    }
    let words = "explain --game tictactoe --depth 3 --position";
    let words: Vec<&str> = words.split(' ').chain(["xxx/oo1/3 o"]).collect();
    let error = String::from_utf8(nullwindow(&words, "").stderr).unwrap();
    assert!(
        error.contains("the game is over (-10000 for the side to move)"),
        "{error}"
    );
}
