//! The public items of the library, exported by its root. Every change here changes the interface
//! for users of the crate.

use std::fs;

use expect_test::expect;

/// What `lib.rs` exports: the names of its `pub use` trees, and public items that are not hidden.
fn exported() -> Vec<String> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let mut names = Vec::new();
    for (index, line) in code.iter().enumerate() {
        let hidden = index > 0 && code[index - 1].contains("#[doc(hidden)]");
        if !line.starts_with("pub ") || hidden {
            continue;
        }
        let item = code[index..].join(" ");
        let item = item.split(';').next().unwrap();
        match item.strip_prefix("pub use ") {
            Some(tree) => {
                let leaf = tree.rsplit("::").next().unwrap().trim_matches(['{', '}']);
                let leaves = leaf.split(',').map(str::trim);
                names.extend(leaves.filter(|name| !name.is_empty()).map(str::to_owned));
            }
            None => names.push(item.to_owned()),
        }
    }
    names.sort();
    names
}

#[test]
fn the_root_exports_what_users_need_and_no_more() {
    let names = exported();
    assert!(names.len() <= 29, "{}", names.len());
    expect![[r#"
        Answer
        Bound
        Certainty
        Clock
        Evaluate
        Game
        Goal
        Limits
        MAX_MOVES
        Move
        MoveList
        Notation
        NotationError
        Observer
        Othello
        Outcome
        Player
        Progress
        RootMove
        Score
        ScoreFour
        SearchControl
        Session
        Stops
        Table
        TicTacToe
        best_move
        outcome
        search_game
    "#]]
    .assert_eq(&(names.join("\n") + "\n"));
}
