//! The engine knows the rules: a move, a whole game, a pass, an end, and the same search twice.

use std::time::Instant;

use super::super::{Finding, PATIENCE, SLOW, Session, latency, random_course};
use super::{legal, step_towards_the_end};
use crate::game::Outcome;
use crate::protocol::client::Course;
use crate::rng::Rng;

pub fn first_move(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("depth 2")?;
    legal(session, &course, &search)?;
    if search.infos.is_empty() {
        return Err("no info line before bestmove".into());
    }
    latency("go depth 2", search.took)
}

pub fn queries(session: &mut Session) -> Finding {
    let mut rng = Rng::new(2);
    let mut asked = 0;
    for plies in 0..200 {
        let Some(course) = random_course(&session.game, plies, &mut rng) else { break };
        if plies == 0 {
            session.set(&course)?;
        }
        let deadline = Instant::now() + PATIENCE;
        match course.outcome() {
            Some(outcome) => session.talk(|client, link| client.game_over(link, &course, outcome, deadline))?,
            None => session.talk(|client, link| client.prepare(link, &course, deadline))?,
        }
        asked += 2;
    }
    Ok(format!("{asked} answers"))
}

pub fn whole_game(session: &mut Session) -> Finding {
    let mut course = session.course()?;
    session.set(&course)?;
    while course.outcome().is_none() {
        let search = session.search("depth 2")?;
        legal(session, &course, &search)?;
        if let Some(played) = search.best.first().and_then(|word| course.legal_move(word)) {
            course.play(played);
        }
        session.position(&course)?;
        if course.plies().len() > 200 {
            return Err("the game does not end".into());
        }
    }
    check_end(session, &course)?;
    Ok(format!("{} plies", course.plies().len()))
}

/// The engine must know that the game is over, and answer a `go` there.
fn check_end(session: &mut Session, course: &Course) -> Result<(), String> {
    let outcome = course.outcome().ok_or("the game goes on")?;
    let deadline = Instant::now() + PATIENCE;
    session.talk(|client, link| client.game_over(link, course, outcome, deadline))?;
    let search = session.search("depth 3")?;
    match search.best.first().map(String::as_str) {
        Some("0000" | "(none)") => Ok(()),
        best => Err(format!("bestmove {best:?} in a finished game")),
    }
}

pub fn forced_pass(session: &mut Session) -> Finding {
    let mut rng = Rng::new(5);
    for _ in 0..2000 {
        let Ok(mut course) = session.course() else { break };
        while let Some(next) = step_towards_the_end(&course, &mut rng) {
            course = next;
            if course.must_pass() {
                session.set(&course)?;
                let search = session.search("depth 3")?;
                legal(session, &course, &search)?;
                return Ok(format!("\"{}\" after {} plies", search.best.join(" "), course.plies().len()));
            }
        }
        if course.game().discs().is_none() {
            break;
        }
    }
    Ok("this game has none".into())
}

pub fn finished(session: &mut Session) -> Finding {
    let mut rng = Rng::new(6);
    let mut seen = Vec::new();
    for _ in 0..300 {
        let Some(mut course) = random_course(&session.game, 0, &mut rng) else { break };
        while course.outcome().is_none() {
            let moves = course.game().moves();
            if let Some(&played) = rng.choose(&moves) {
                course.play(played);
            }
        }
        let outcome = course.outcome();
        if seen.contains(&outcome) {
            continue;
        }
        seen.push(outcome);
        session.set(&course)?;
        check_end(session, &course)?;
        // UGI: nothing is left to think about, so it does not wait for stop. UCI lets it wait.
        let search = if session.is_ugi() {
            session.search("infinite")?
        } else {
            session.send("go infinite")?;
            session.stop()?
        };
        if search.took > SLOW {
            return Err(format!("go infinite took {} ms", search.took.as_millis()));
        }
    }
    let name = |outcome: &Option<Outcome>| match outcome {
        Some(Outcome::FirstWins) => "p1win",
        Some(Outcome::SecondWins) => "p2win",
        _ => "draw",
    };
    Ok(seen.iter().map(name).collect::<Vec<_>>().join(", "))
}

pub fn repeated(session: &mut Session) -> Finding {
    let course = session.course()?;
    let mut runs = Vec::new();
    for _ in 0..2 {
        session.set(&course)?;
        let search = session.search("depth 5")?;
        let nodes = search.infos.iter().filter_map(|(_, info)| info.nodes).next_back();
        runs.push((search.best, nodes));
    }
    if runs[0] != runs[1] {
        return Err(format!("{:?}, then {:?}", runs[0], runs[1]));
    }
    Ok(runs[0].1.map_or(String::new(), |nodes| format!("{nodes} nodes")))
}
