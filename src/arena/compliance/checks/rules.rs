//! Checks of the rules (legal moves, a complete game, passes, finished games) and of determinism.

use anyhow::{Result, bail, ensure};

use crate::arena::client::GameHistory;
use crate::arena::compliance::session::{
    CheckResult, MAX_LATENCY, Session, play_random, set_threads,
};
use crate::arena::play::referee::ask_one;
use crate::game::rng::Rng;
use crate::game::{Outcome, quoted};

/// Why a check passes without rules.
const UNKNOWN: &str = "not checked: the rules are unknown";
/// The length of a game that counts as endless.
const MAX_PLIES: usize = 500;

pub fn first_move(session: &mut Session) -> CheckResult {
    session.start_game()?;
    let search = session.search("depth 2")?;
    ensure!(!search.infos.is_empty(), "no info line before bestmove");
    session.check_latency("bestmove after", search.latency)
}

pub fn queries(session: &mut Session) -> CheckResult {
    let mut rng = Rng::new(2);
    let mut replies = 0;
    session.start_game()?;
    if session.game.rules().is_err() {
        let game = session.game.clone();
        let answer = ask_one(&mut session.engine, "islegal zz99", &game)?;
        ensure!(
            answer == "false",
            "query islegal zz99 answered \"{answer}\""
        );
        // Its queries are asked at every ply.
        return Ok(format!(
            "{} plies",
            session.play_itself("depth 1", MAX_PLIES)?
        ));
    }
    for plies in 0..200 {
        let Some(game) = session.random_game(plies, &mut rng) else {
            break;
        };
        session
            .engine
            .call(|client, exchange| client.prepare(exchange, &game.into()))?;
        replies += 2;
    }
    Ok(format!("{replies} replies"))
}

pub fn whole_game(session: &mut Session) -> CheckResult {
    let plies = session.play_itself("depth 2", MAX_PLIES)?;
    ensure!(session.game.outcome().is_some(), "the game does not end");
    check_end(session)?;
    Ok(format!("{plies} plies"))
}

/// Checks that the engine recognizes the end of the game and replies to `go` there.
fn check_end(session: &mut Session) -> Result<()> {
    let game = session.game.clone();
    session
        .engine
        .call(|client, exchange| client.prepare(exchange, &game))?;
    // Elsewhere no engine is asked to search there.
    if game.rules().is_err() {
        return Ok(());
    }
    match session.go("depth 3")?.best() {
        "0000" | "(none)" => Ok(()),
        best => bail!("bestmove \"{}\" in a finished game", quoted(best)),
    }
}

pub fn forced_pass(session: &mut Session) -> CheckResult {
    let mut rng = Rng::new(5);
    // Only disc games have passes.
    let GameHistory::Rules(start) = session.start.clone() else {
        return Ok(UNKNOWN.into());
    };
    let games = if start.discs().is_some() { 2000 } else { 0 };
    for _ in 0..games {
        let mut game = start.clone();
        while play_random(&mut game, &mut rng) {
            if game.must_pass() {
                let plies = game.history().len();
                session.new_game(game)?;
                let search = session.search("depth 3")?;
                return Ok(format!("\"{}\" after {plies} plies", search.best.join(" ")));
            }
        }
    }
    Ok("this game has no passes".into())
}

pub fn finished_games(session: &mut Session) -> CheckResult {
    let mut rng = Rng::new(6);
    let mut seen = Vec::new();
    let GameHistory::Rules(start) = session.start.clone() else {
        return Ok(UNKNOWN.into());
    };
    for _ in 0..300 {
        let mut game = start.clone();
        while play_random(&mut game, &mut rng) {}
        let Some(outcome) = game
            .outcome()
            .map(Outcome::name)
            .filter(|outcome| !seen.contains(outcome))
        else {
            continue;
        };
        seen.push(outcome);
        session.new_game(game)?;
        check_end(session)?;
        // In UGI a search of a finished game ends immediately; in UCI it may wait for stop.
        let search = if session.is_ugi() {
            session.go("infinite")?
        } else {
            session.send("go infinite")?;
            session.stop()?
        };
        ensure!(
            search.latency <= MAX_LATENCY,
            "bestmove of go infinite after {} ms",
            search.latency.as_millis()
        );
    }
    Ok(seen.join(", "))
}

pub fn repeated_search(session: &mut Session) -> CheckResult {
    // Searches with several threads differ from run to run.
    set_threads(session, 1)?;
    let mut runs = Vec::new();
    for _ in 0..2 {
        session.start_game()?;
        let search = session.search("depth 5")?;
        let nodes = search.nodes().unwrap_or(0);
        runs.push(format!(
            "{} with {nodes} nodes",
            quoted(&search.best.join(" "))
        ));
    }
    ensure!(runs[0] == runs[1], runs.join(", then "));
    Ok(runs.swap_remove(0))
}
