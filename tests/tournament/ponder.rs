//! Pondering (`ponder=on`): hits, misses, games that end during a ponder search, and engines that
//! fail during one.

use serde_json::Value;

use super::{Scratch, play_pair, run, text};

const PONDERING: &str = "proto=uci ponder=on depth=1 tc=inf";

/// For each move of an engine in a game, whether it was a ponder hit.
fn hits(game: &Value, name: &str) -> Vec<bool> {
    let place = usize::from(game["p2"] == name);
    let moves = game["moves"].as_array().unwrap();
    moves
        .iter()
        .skip(place)
        .step_by(2)
        .map(|played| played["ponderhit"] == true)
        .collect()
}

#[test]
fn the_expected_reply_is_a_hit_for_every_move_but_the_first() {
    let scratch = Scratch::new("ponder-right");
    for game in play_pair(&scratch, "ponders-right", PONDERING, "") {
        assert_eq!(game["reason"], "normal", "{game}");
        let hits_of_bad = hits(&game, "bad");
        assert!(
            hits_of_bad.len() >= 3 && !hits_of_bad[0] && hits_of_bad[1..].iter().all(|&hit| hit),
            "{game}"
        );
        assert!(hits(&game, "good").iter().all(|&hit| !hit), "{game}");
    }
}

#[test]
fn another_reply_ends_the_search_and_begins_a_new_one() {
    let scratch = Scratch::new("ponder-wrong");
    for game in play_pair(&scratch, "ponders-wrong", PONDERING, "") {
        assert_eq!(game["reason"], "normal", "{game}");
        // If the last reply is the only one, it is also the first.
        assert!(hits(&game, "bad")[..2].iter().all(|&hit| !hit), "{game}");
    }
}

#[test]
fn a_game_that_is_adjudicated_ends_the_search() {
    let scratch = Scratch::new("ponder-adjudicated");
    let rule = "--draw score=100 movecount=2 movenumber=0";
    for game in play_pair(&scratch, "ponders-right", PONDERING, rule) {
        assert!(game["fault_by"].is_null(), "{game}");
    }
}

#[test]
fn a_warning_belongs_to_the_game_in_which_the_engine_pondered() {
    let scratch = Scratch::new("ponder-warning");
    let rule = "--maxmoves 1 --rounds 2";
    for game in play_pair(&scratch, "ponders-illegally", PONDERING, rule) {
        // It ponders once, after its only move.
        let warnings = game["warnings"].as_array().map_or(0, Vec::len);
        assert_eq!(warnings, 1, "{game}");
    }
}

#[test]
fn an_engine_that_fails_while_it_ponders_loses() {
    for (script, reason, more) in [
        ("ponders-crash", "crash", ""),
        ("ponders-deaf", "stall", "--stall-timeout 1"),
    ] {
        let scratch = Scratch::new(script);
        // The deaf engine expects another reply, so the runner sends stop.
        for game in play_pair(&scratch, script, PONDERING, more) {
            let at_fault = if game["p1"] == "bad" { "p1" } else { "p2" };
            assert_eq!(
                (&game["reason"], &game["fault_by"]),
                (&reason.into(), &at_fault.into()),
                "{script} {game}"
            );
        }
    }
}

#[test]
fn this_engine_ponders_with_threads() {
    let scratch = Scratch::new("ponder-engine");
    let engine = format!(
        "cmd={}",
        nullwindow::platform::command_line::join(&[env!("CARGO_BIN_EXE_nullwindow")])
    );
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let mut arguments = vec!["--engine".into(), engine.clone(), "name=a".into()];
    arguments.extend(words("ponder=on --engine"));
    arguments.extend([engine, "name=b".into()]);
    arguments.extend(words(
        "ponder=on --each proto=uci tc=5+0.05 option.Threads=2 option.Hash=4",
    ));
    arguments.extend(words("--game othello6 --rounds 1 --seed 1 --out"));
    arguments.push(scratch.0.display().to_string());
    let output = run(&scratch, &arguments);
    let said = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{said}{}",
        text(&output.stderr)
    );
    let games = scratch.games();
    assert_eq!(games.len(), 2);
    for game in &games {
        assert_eq!(game["reason"], "normal", "{game}");
    }
    let count = games
        .iter()
        .flat_map(|game| [hits(game, "a"), hits(game, "b")].concat())
        .filter(|&hit| hit)
        .count();
    assert!(count >= 4, "{count} hits");
    assert!(said.contains("ponder hits: "), "{said}");
}
