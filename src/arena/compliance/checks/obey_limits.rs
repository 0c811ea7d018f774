//! Checks that an engine obeys search limits: depth, nodes, time per move, clocks (including zero and negative ones).

use super::super::{CheckResult, ComplianceSession, MAX_LATENCY};
use super::{check_bestmove, set_threads};
use std::time::Duration;

pub fn depth(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    for wanted in [1, 2, 4] {
        session.new_game(&history)?;
        let search = session.search(&format!("depth {wanted}"))?;
        check_bestmove(session, &history, &search)?;
        match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
            Some(reached) if reached == wanted => {}
            reached => return Err(format!("go depth {wanted} reached depth {}", reached.unwrap_or(0))),
        }
    }
    Ok(String::new())
}

pub fn nodes(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    let mut details = Vec::new();
    let threads = set_threads(session, session.threads)?;
    // Each thread of an engine checks its counter about every thousand nodes. nullwindow also searches up to 1,000 more
    // nodes to complete the PV of a proven result.
    let excess = 1_100 + 1_000 * threads;
    for wanted in [100u64, 20_000] {
        session.new_game(&history)?;
        let search = session.search(&format!("nodes {wanted}"))?;
        check_bestmove(session, &history, &search)?;
        let used = search.infos.iter().filter_map(|(_, info)| info.nodes).max().ok_or("no info line has nodes")?;
        if used > wanted + excess {
            return Err(format!("go nodes {wanted} searched {used} nodes"));
        }
        details.push(format!("searched {used} of {wanted}"));
    }
    Ok(details.join(", "))
}

pub fn movetime(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    session.new_game(&history)?;
    let search = session.search("movetime 200")?;
    check_bestmove(session, &history, &search)?;
    session.check_latency("exceeds 200 ms by", search.latency.saturating_sub(Duration::from_millis(200)))
}

pub fn clocks(session: &mut ComplianceSession) -> CheckResult {
    let mut history = session.new_history()?;
    session.new_game(&history)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 300 p2time 60000 p1inc 0 p2inc 0", "p2inc 0 p1inc 0 p2time 300 p1time 60000"] {
        let search = session.search(words)?;
        check_bestmove(session, &history, &search)?;
        if search.latency > Duration::from_millis(300) + MAX_LATENCY {
            return Err(format!("bestmove after {} ms with 300 ms on the clock", search.latency.as_millis()));
        }
        slowest = slowest.max(search.latency);
        if let Some(played) = search.best.first().and_then(|word| history.legal_move(word)) {
            history.play(played);
        }
        session.position(&history)?;
    }
    Ok(format!("used {} of 300 ms", slowest.as_millis()))
}

pub fn bad_clocks(session: &mut ComplianceSession) -> CheckResult {
    let history = session.new_history()?;
    session.new_game(&history)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 0 p2time 0", "p1time -50 p2time 100 p1inc 0 p2inc 0", "p1time 1 p2time 1", "movetime 0"] {
        let search = session.search(words).map_err(|error| format!("go {words}: {error}"))?;
        check_bestmove(session, &history, &search)?;
        slowest = slowest.max(search.latency);
    }
    session.check_latency("slowest reply after", slowest)
}
