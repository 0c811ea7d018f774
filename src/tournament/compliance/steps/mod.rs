//! The steps of the compliance check, in the order in which they run, and what several of them do.

use std::time::{Duration, Instant};

use super::{Finding, Search, Session, latency};
use crate::game::quoted;
use crate::protocol::Protocol;
use crate::protocol::client::Course;
use crate::rng::Rng;

mod games;
mod limits;
mod nonsense;
mod stopping;
mod words;

/// A named step.
pub struct Step {
    pub name: &'static str,
    pub run: fn(&mut Session) -> Finding,
}

/// The steps for a protocol.
pub fn all(protocol: Protocol) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![
        Step { name: "handshake: id name, id author, exact closing word", run: words::handshake },
        Step { name: "options are well-formed", run: words::options },
        Step { name: "isready is answered by exactly readyok", run: |session| latency("answer", session.ready()?) },
        Step { name: "new game, start position, a move", run: games::first_move },
        Step { name: "isready while searching", run: stopping::ready_while_searching },
        Step { name: "no bestmove before stop in go infinite, then at once", run: stopping::stop },
        Step { name: "stop when idle is silent", run: stopping::idle_stop },
        Step { name: "info lines are well-formed", run: words::info_lines },
        Step { name: "depth, nodes and time never fall", run: words::monotonic },
        Step { name: "every PV is legal and bestmove is its first move", run: words::pv },
        Step { name: "go depth is obeyed", run: limits::depth },
        Step { name: "go nodes is obeyed", run: limits::nodes },
        Step { name: "go movetime is obeyed", run: limits::movetime },
        Step { name: "clocks of both players are obeyed", run: limits::clocks },
        Step { name: "empty and negative clocks are survived", run: limits::bad_clocks },
        Step { name: "a whole game against itself", run: games::whole_game },
        Step { name: "a side that must pass", run: games::forced_pass },
        Step { name: "a finished game", run: games::finished },
        Step { name: "the same search after a new game", run: games::repeated },
        Step { name: "garbage is survived", run: nonsense::garbage },
        Step { name: "bad positions and illegal moves are survived", run: nonsense::bad_positions },
        Step { name: "bad options are survived", run: nonsense::bad_options },
        Step { name: "quit while searching", run: stopping::quit },
        Step { name: "end of input when idle", run: stopping::end_of_input },
        Step { name: "end of input while searching", run: stopping::end_while_searching },
    ];
    if protocol == Protocol::Ugi {
        steps.insert(4, Step { name: "queries agree with the rules", run: games::queries });
    }
    steps
}

/// Checks that a search ended with a legal move, alone on its line in UGI.
fn legal(session: &Session, course: &Course, search: &Search) -> Result<(), String> {
    let [best, more @ ..] = search.best.as_slice() else { return Err("bestmove without a move".into()) };
    if session.is_ugi() && !more.is_empty() {
        return Err(format!("bestmove is followed by \"{}\"", quoted(&more.join(" "))));
    }
    match course.legal_move(best) {
        Some(_) => Ok(()),
        None => Err(format!("bestmove \"{}\" is no legal move in {}", quoted(best), course.game().write_position())),
    }
}

fn infinite(session: &mut Session) -> Result<Course, String> {
    let course = session.course()?;
    session.set(&course)?;
    session.ready()?;
    session.send("go infinite")?;
    Ok(course)
}

/// Nothing that is awaited may come unasked: waits a moment for a bestmove.
fn no_bestmove(session: &mut Session, pause: Duration) -> Result<(), String> {
    let until = Instant::now() + pause;
    while let Some(line) = session.line(until.saturating_duration_since(Instant::now()))? {
        if line.text.starts_with("bestmove") {
            return Err(format!("\"{}\" came unasked", quoted(&line.text)));
        }
    }
    Ok(())
}

/// The course one random ply on, unless that ends the game.
fn step_towards_the_end(course: &Course, rng: &mut Rng) -> Option<Course> {
    let mut next = course.clone();
    let moves: Vec<_> = course.game().moves().to_vec();
    next.play(*rng.choose(&moves)?);
    next.outcome().is_none().then_some(next)
}
