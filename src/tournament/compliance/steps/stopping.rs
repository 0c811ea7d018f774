//! A search that runs is answered for, stopped, and left: `isready`, `stop`, `quit`, the end of the input.

use std::time::{Duration, Instant};

use super::super::{Finding, Session, latency};
use super::{infinite, legal, no_bestmove, step_towards_the_end};
use crate::rng::Rng;

pub fn ready_while_searching(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        session.send("isready")?;
        let (line, took) = session.wait("readyok", |line| line == "readyok" || line.starts_with("bestmove"))?;
        if line != "readyok" {
            return Err("bestmove came before stop".into());
        }
        worst = worst.max(took);
    }
    session.stop()?;
    latency("slowest of 10 answers", worst)
}

pub fn stop(session: &mut Session) -> Finding {
    let course = infinite(session)?;
    no_bestmove(session, Duration::from_millis(200))?;
    let search = session.stop()?;
    legal(session, &course, &search)?;
    // Also where nothing is left to search: one ply before the end of the game.
    let mut last = course;
    let mut rng = Rng::new(3);
    while let Some(next) = step_towards_the_end(&last, &mut rng) {
        last = next;
    }
    session.position(&last)?;
    session.send("go infinite")?;
    no_bestmove(session, Duration::from_millis(200))?;
    let solved = session.stop()?;
    legal(session, &last, &solved)?;
    latency("bestmove after stop", search.took.max(solved.took))
}

pub fn idle_stop(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    session.send("stop")?;
    no_bestmove(session, Duration::from_millis(100))?;
    // And it must not stop the next search.
    session.send("stop")?;
    let search = session.search("depth 3")?;
    legal(session, &course, &search)?;
    match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
        Some(reached) if reached < 3 => Err(format!("the next search ended at depth {reached} of 3")),
        _ => Ok(String::new()),
    }
}

fn left(session: &mut Session, by: &str) -> Finding {
    let began = Instant::now();
    let status = session
        .process
        .wait_for_exit()
        .ok_or_else(|| format!("it is still there {:.1} s after {by}", began.elapsed().as_secs_f64()))?;
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    latency("gone after", began.elapsed())
}

pub fn quit(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    session.send("quit")?;
    left(session, "quit")
}

pub fn end_of_input(session: &mut Session) -> Finding {
    session.ready()?;
    session.process.close_input();
    left(session, "the end of its input")
}

pub fn end_while_searching(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    session.process.close_input();
    left(session, "the end of its input")
}
