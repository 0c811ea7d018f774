//! Every limit of a search is obeyed: depth, nodes, time for a move, clocks, empty clocks too.

use std::time::Duration;

use super::super::{Finding, SLOW, Session, latency};
use super::legal;

pub fn depth(session: &mut Session) -> Finding {
    let course = session.course()?;
    for wanted in [1, 2, 4] {
        session.set(&course)?;
        let search = session.search(&format!("depth {wanted}"))?;
        legal(session, &course, &search)?;
        match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
            Some(reached) if reached == wanted => {}
            reached => return Err(format!("depth {reached:?} for go depth {wanted}")),
        }
    }
    Ok(String::new())
}

pub fn nodes(session: &mut Session) -> Finding {
    let course = session.course()?;
    let mut shown = Vec::new();
    for wanted in [100u64, 20_000] {
        session.set(&course)?;
        let search = session.search(&format!("nodes {wanted}"))?;
        legal(session, &course, &search)?;
        let used = search.infos.iter().filter_map(|(_, info)| info.nodes).max().ok_or("no nodes are told")?;
        // Counters are looked at every thousand nodes or so.
        if used > wanted + 1_100 {
            return Err(format!("{used} nodes for go nodes {wanted}"));
        }
        shown.push(format!("{used} for {wanted}"));
    }
    Ok(shown.join(", "))
}

pub fn movetime(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("movetime 200")?;
    legal(session, &course, &search)?;
    latency("beyond 200 ms:", search.took.saturating_sub(Duration::from_millis(200)))
}

pub fn clocks(session: &mut Session) -> Finding {
    let mut course = session.course()?;
    session.set(&course)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 300 p2time 60000 p1inc 0 p2inc 0", "p2inc 0 p1inc 0 p2time 300 p1time 60000"] {
        let search = session.search(words)?;
        legal(session, &course, &search)?;
        if search.took > Duration::from_millis(300) + SLOW {
            return Err(format!("{} ms with 300 ms on the clock", search.took.as_millis()));
        }
        slowest = slowest.max(search.took);
        if let Some(played) = search.best.first().and_then(|word| course.legal_move(word)) {
            course.play(played);
        }
        session.position(&course)?;
    }
    Ok(format!("{} ms used of 300", slowest.as_millis()))
}

pub fn bad_clocks(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 0 p2time 0", "p1time -50 p2time 100 p1inc 0 p2inc 0", "p1time 1 p2time 1", "movetime 0"] {
        let search = session.search(words).map_err(|what| format!("go {words}: {what}"))?;
        legal(session, &course, &search)?;
        slowest = slowest.max(search.took);
    }
    latency("slowest answer", slowest)
}
