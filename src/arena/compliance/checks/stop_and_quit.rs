//! Checks of commands during a search: `isready`, `stop`, `quit`, end of input.

use std::time::{Duration, Instant};

use super::super::{CheckResult, ComplianceSession};
use super::{check_bestmove, go_infinite, no_bestmove_for, random_next};
use crate::game::rng::Rng;

pub fn ready_while_searching(session: &mut ComplianceSession) -> CheckResult {
    go_infinite(session)?;
    no_bestmove_for(session, Duration::from_millis(50))?;
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        session.send("isready")?;
        let (line, latency) = session.wait("readyok", |line| line == "readyok" || line.starts_with("bestmove"))?;
        if line != "readyok" {
            return Err("bestmove before stop".into());
        }
        worst = worst.max(latency);
    }
    session.stop()?;
    session.check_latency("slowest of 10 replies after", worst)
}

pub fn stop(session: &mut ComplianceSession) -> CheckResult {
    let history = go_infinite(session)?;
    no_bestmove_for(session, Duration::from_millis(200))?;
    let search = session.stop()?;
    check_bestmove(session, &history, &search)?;
    // Again one ply before the end of the game, where the search completes immediately.
    let mut last = history;
    let mut rng = Rng::new(3);
    while let Some(next) = random_next(&last, &mut rng) {
        last = next;
    }
    session.position(&last)?;
    session.send("go infinite")?;
    no_bestmove_for(session, Duration::from_millis(200))?;
    let solved = session.stop()?;
    check_bestmove(session, &last, &solved)?;
    session.check_latency("bestmove after stop", search.latency.max(solved.latency))
}

pub fn idle_stop(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    session.new_game(&history)?;
    session.send("stop")?;
    no_bestmove_for(session, Duration::from_millis(100))?;
    // It must not stop the next search.
    session.send("stop")?;
    let search = session.search("depth 3")?;
    check_bestmove(session, &history, &search)?;
    match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
        Some(reached) if reached < 3 => Err(format!("the next search reached depth {reached} instead of 3")),
        _ => Ok(String::new()),
    }
}

/// Checks that the engine exits with status 0.
fn check_exit(session: &mut ComplianceSession, by: &str) -> CheckResult {
    let began = Instant::now();
    let status = session
        .process
        .wait_for_exit()
        .ok_or_else(|| format!("it is still running {:.1} s after {by}", began.elapsed().as_secs_f64()))?;
    if !status.success() {
        return Err(format!("it exited with a failure ({status})"));
    }
    session.check_latency("exit after", began.elapsed())
}

pub fn quit(session: &mut ComplianceSession) -> CheckResult {
    go_infinite(session)?;
    no_bestmove_for(session, Duration::from_millis(50))?;
    session.send("quit")?;
    check_exit(session, "quit")
}

pub fn end_of_input(session: &mut ComplianceSession) -> CheckResult {
    session.ready()?;
    session.process.close_input();
    check_exit(session, "the end of its input")
}

pub fn end_while_searching(session: &mut ComplianceSession) -> CheckResult {
    go_infinite(session)?;
    no_bestmove_for(session, Duration::from_millis(50))?;
    session.process.close_input();
    check_exit(session, "the end of its input")
}
