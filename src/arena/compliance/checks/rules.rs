//! Checks of the rules (legal moves, a complete game, passes, finished games) and of determinism.

use std::time::Instant;

use super::super::{CheckResult, ComplianceSession, MAX_LATENCY, TIMEOUT, random_history};
use super::{check_bestmove, random_next, set_threads};
use crate::arena::client::GameHistory;
use crate::game::rng::Rng;
use crate::game::{Outcome, quoted};

pub fn first_move(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    session.new_game(&history)?;
    let search = session.search("depth 2")?;
    check_bestmove(session, &history, &search)?;
    if search.infos.is_empty() {
        return Err("no info line before bestmove".into());
    }
    session.check_latency("bestmove after", search.latency)
}

pub fn queries(session: &mut ComplianceSession) -> CheckResult {
    let mut rng = Rng::new(2);
    let mut replies = 0;
    for plies in 0..200 {
        let Some(history) = random_history(&session.game, plies, &mut rng) else { break };
        if plies == 0 {
            session.new_game(&history)?;
        }
        let deadline = Instant::now() + TIMEOUT;
        match history.outcome() {
            Some(outcome) => session.with_client(|client, link| client.game_over(link, &history, outcome, deadline))?,
            None => session.with_client(|client, link| client.prepare(link, &history, deadline))?,
        }
        replies += 2;
    }
    Ok(format!("{replies} replies"))
}

pub fn whole_game(session: &mut ComplianceSession) -> CheckResult {
    let mut history = session.new_history()?;
    session.new_game(&history)?;
    while history.outcome().is_none() {
        let search = session.search("depth 2")?;
        check_bestmove(session, &history, &search)?;
        if let Some(played) = search.best.first().and_then(|word| history.legal_move(word)) {
            history.play(played);
        }
        session.position(&history)?;
        if history.plies().len() > 200 {
            return Err("the game does not end".into());
        }
    }
    check_end(session, &history)?;
    Ok(format!("{} plies", history.plies().len()))
}

/// Checks that the engine recognizes the end of the game and replies to `go` there.
fn check_end(session: &mut ComplianceSession, history: &GameHistory) -> Result<(), String> {
    let outcome = history.outcome().ok_or("the game is not over")?;
    let deadline = Instant::now() + TIMEOUT;
    session.with_client(|client, link| client.game_over(link, history, outcome, deadline))?;
    let search = session.search("depth 3")?;
    match search.best.first().map(String::as_str) {
        Some("0000" | "(none)") => Ok(()),
        best => Err(format!("bestmove \"{}\" in a finished game", quoted(best.unwrap_or("")))),
    }
}

pub fn forced_pass(session: &mut ComplianceSession) -> CheckResult {
    let mut rng = Rng::new(5);
    for _ in 0..2000 {
        let Ok(mut history) = session.new_history() else { break };
        while let Some(next) = random_next(&history, &mut rng) {
            history = next;
            if history.must_pass() {
                session.new_game(&history)?;
                let search = session.search("depth 3")?;
                check_bestmove(session, &history, &search)?;
                return Ok(format!("\"{}\" after {} plies", search.best.join(" "), history.plies().len()));
            }
        }
        if history.game().discs().is_none() {
            break;
        }
    }
    Ok("this game has no passes".into())
}

pub fn finished_games(session: &mut ComplianceSession) -> CheckResult {
    let mut rng = Rng::new(6);
    let mut seen = Vec::new();
    for _ in 0..300 {
        let Some(mut history) = random_history(&session.game, 0, &mut rng) else { break };
        while history.outcome().is_none() {
            let moves = history.game().moves();
            if let Some(&played) = rng.choose(&moves) {
                history.play(played);
            }
        }
        let outcome = history.outcome();
        if seen.contains(&outcome) {
            continue;
        }
        seen.push(outcome);
        session.new_game(&history)?;
        check_end(session, &history)?;
        // In UGI a search of a finished game ends immediately; in UCI it may wait for stop.
        let search = if session.is_ugi() {
            session.search("infinite")?
        } else {
            session.send("go infinite")?;
            session.stop()?
        };
        if search.latency > MAX_LATENCY {
            return Err(format!("bestmove of go infinite after {} ms", search.latency.as_millis()));
        }
    }
    let name = |outcome: &Option<Outcome>| match outcome {
        Some(Outcome::FirstWins) => "p1win",
        Some(Outcome::SecondWins) => "p2win",
        _ => "draw",
    };
    Ok(seen.iter().map(name).collect::<Vec<_>>().join(", "))
}

pub fn repeated_search(session: &mut ComplianceSession) -> CheckResult {
    // Searches with several threads differ from run to run.
    set_threads(session, None)?;
    let history = session.new_history()?;
    let mut runs = Vec::new();
    for _ in 0..2 {
        session.new_game(&history)?;
        let search = session.search("depth 5")?;
        let nodes = search.infos.iter().filter_map(|(_, info)| info.nodes).next_back();
        runs.push((search.best, nodes));
    }
    if runs[0] != runs[1] {
        let text = |(best, nodes): &(Vec<String>, Option<u64>)| {
            format!("{} with {} nodes", quoted(&best.join(" ")), nodes.unwrap_or(0))
        };
        return Err(format!("{}, then {}", text(&runs[0]), text(&runs[1])));
    }
    Ok(runs[0].1.map_or(String::new(), |nodes| format!("{nodes} nodes")))
}
