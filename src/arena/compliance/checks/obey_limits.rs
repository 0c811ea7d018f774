//! Checks that an engine obeys search limits: depth, nodes, time per move, clocks (including zero
//! and negative ones).

use std::time::Duration;

use anyhow::{Context, ensure};

use crate::arena::compliance::session::{CheckResult, MAX_LATENCY, Session, set_threads};

pub fn depth(session: &mut Session) -> CheckResult {
    for wanted in [1, 2, 4] {
        session.start_game()?;
        let reached = session.search(&format!("depth {wanted}"))?.depth();
        ensure!(
            reached == wanted,
            "go depth {wanted} reached depth {reached}"
        );
    }
    Ok(String::new())
}

pub fn nodes(session: &mut Session) -> CheckResult {
    let mut details = Vec::new();
    let threads = session.engine.spec.threads();
    set_threads(session, threads)?;
    // Each thread of an engine checks its counter about every thousand nodes. nullwindow also
    // searches up to 1,000 more nodes to complete the PV of a proven result.
    let excess = 1_100 + 1_000 * threads as u64;
    for wanted in [100u64, 20_000] {
        session.start_game()?;
        let search = session.search(&format!("nodes {wanted}"))?;
        let used = search.nodes().context("no info line has nodes")?;
        ensure!(
            used <= wanted + excess,
            "go nodes {wanted} searched {used} nodes"
        );
        details.push(format!("searched {used} of {wanted}"));
    }
    Ok(details.join(", "))
}

pub fn movetime(session: &mut Session) -> CheckResult {
    session.start_game()?;
    let search = session.search("movetime 200")?;
    session.check_latency(
        "exceeds 200 ms by",
        search.latency.saturating_sub(Duration::from_millis(200)),
    )
}

pub fn clocks(session: &mut Session) -> CheckResult {
    session.start_game()?;
    let mut slowest = 0;
    for words in [
        "p1time 300 p2time 60000 p1inc 0 p2inc 0",
        "p2inc 0 p1inc 0 p2time 300 p1time 60000",
    ] {
        let search = session.search(words)?;
        let ms = search.latency.as_millis();
        ensure!(
            search.latency <= Duration::from_millis(300) + MAX_LATENCY,
            "bestmove after {ms} ms with 300 ms on the clock"
        );
        slowest = slowest.max(ms);
        session.play_best(&search)?;
    }
    Ok(format!("used {slowest} of 300 ms"))
}

pub fn bad_clocks(session: &mut Session) -> CheckResult {
    session.start_game()?;
    let mut slowest = Duration::ZERO;
    for words in [
        "p1time 0 p2time 0",
        "p1time -50 p2time 100 p1inc 0 p2inc 0",
        "p1time 1 p2time 1",
        "movetime 0",
    ] {
        let search = session
            .search(words)
            .with_context(|| format!("go {words}"))?;
        slowest = slowest.max(search.latency);
    }
    session.check_latency("slowest reply after", slowest)
}
