//! Checks of commands during a search: `isready`, `stop`, `quit`, end of input.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::arena::compliance::session::{
    CheckResult, Session, go_infinite, no_bestmove_for, play_random,
};
use crate::game::rng::Rng;

pub fn ready_while_searching(session: &mut Session) -> CheckResult {
    go_infinite(session, 50)?;
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        session.send("isready")?;
        let (line, latency) = session.wait("readyok", |line| {
            line == "readyok" || line.starts_with("bestmove")
        })?;
        ensure!(line == "readyok", "bestmove before stop");
        worst = worst.max(latency);
    }
    session.stop()?;
    session.check_latency("slowest of 10 replies after", worst)
}

pub fn stop(session: &mut Session) -> CheckResult {
    go_infinite(session, 200)?;
    let search = session.stop()?;
    session.check_bestmove(&search)?;
    // Again one ply before the end of the game, where the search completes immediately.
    let Ok(mut last) = session.game.rules().cloned() else {
        return session.check_latency("bestmove after stop", search.latency);
    };
    let mut rng = Rng::new(3);
    while play_random(&mut last, &mut rng) {}
    last.undo();
    session.position(last)?;
    session.send("go infinite")?;
    no_bestmove_for(session, 200)?;
    let solved = session.stop()?;
    session.check_bestmove(&solved)?;
    session.check_latency("bestmove after stop", search.latency.max(solved.latency))
}

pub fn idle_stop(session: &mut Session) -> CheckResult {
    session.start_game()?;
    session.send("stop")?;
    no_bestmove_for(session, 100)?;
    // It must not stop the next search.
    session.send("stop")?;
    let reached = session.search("depth 3")?.depth();
    ensure!(
        reached == 0 || reached >= 3,
        "the next search reached depth {reached} instead of 3"
    );
    Ok(String::new())
}

/// Checks that the engine exits with status 0.
fn check_exit(session: &mut Session, by: &str) -> CheckResult {
    let began = Instant::now();
    let status = session.engine.process.wait_for_exit().with_context(|| {
        format!(
            "it is still running {:.1} s after {by}",
            began.elapsed().as_secs_f64()
        )
    })?;
    ensure!(status.success(), "it exited with a failure ({status})");
    session.check_latency("exit after", began.elapsed())
}

pub fn quit(session: &mut Session) -> CheckResult {
    go_infinite(session, 50)?;
    session.send("quit")?;
    check_exit(session, "quit")
}

pub fn end_of_input(session: &mut Session) -> CheckResult {
    session.ready()?;
    session.engine.process.close_input();
    check_exit(session, "the end of its input")
}

pub fn end_while_searching(session: &mut Session) -> CheckResult {
    go_infinite(session, 50)?;
    session.engine.process.close_input();
    check_exit(session, "the end of its input")
}
