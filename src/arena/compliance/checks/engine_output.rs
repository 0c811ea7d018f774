//! Checks of an engine's output: handshake, options, info lines, principal variations.

use super::super::{CheckResult, ComplianceSession, SearchOutput, random_history};
use super::check_bestmove;
use crate::arena::client::{GameHistory, SearchInfo};
use crate::game::quoted;
use crate::game::rng::Rng;

pub fn handshake(session: &mut ComplianceSession) -> CheckResult {
    let closing = if session.is_ugi() { "ugiok" } else { "uciok" };
    match session.handshake.last() {
        Some(last) if last == closing => {}
        last => {
            return Err(format!(
                "the last line is \"{}\", expected {closing}",
                quoted(last.map_or("", String::as_str))
            ));
        }
    }
    if session.identity.name.is_empty() {
        return Err("no id name".into());
    }
    if session.identity.author.is_empty() {
        return Err("no id author".into());
    }
    Ok(format!("{}, {:.0} ms after the start", session.identity.name, session.start_time.as_secs_f64() * 1e3))
}

pub fn options(session: &mut ComplianceSession) -> CheckResult {
    let declared = session.handshake.iter().filter(|line| line.starts_with("option ")).count();
    if declared != session.identity.options.len() {
        return Err("an option line has no name".into());
    }
    for option in &session.identity.options {
        let bad = |error: &str| Err(format!("option {}: {error}", option.name));
        match option.kind.as_str() {
            "check" if !matches!(option.default.as_str(), "true" | "false") => {
                return bad("default is neither true nor false");
            }
            "spin" if option.default.parse::<i64>().is_err() => return bad("default is not a whole number"),
            "combo" if !option.values.contains(&option.default) => return bad("default is not among its values"),
            "check" | "spin" | "combo" | "button" | "string" => {}
            kind => return bad(&format!("unknown type \"{}\"", quoted(kind))),
        }
    }
    let line = session.handshake.iter().find(|line| *line != line.trim_end());
    match line {
        Some(line) => Err(format!("trailing spaces in \"{}\"", quoted(line))),
        None => Ok(format!("{declared} options")),
    }
}

/// A short search of a midgame position.
fn midgame_search(session: &mut ComplianceSession) -> Result<(GameHistory, SearchOutput), String> {
    let mut rng = Rng::new(4);
    let history = (0..1000)
        .find_map(|_| {
            let plies = if session.game == "tictactoe" { 2 } else { 6 };
            random_history(&session.game, plies, &mut rng)
                .filter(|history| history.outcome().is_none() && !history.must_pass())
        })
        .ok_or("no position")?;
    session.new_game(&history)?;
    let search = session.search("movetime 300")?;
    Ok((history, search))
}

pub fn info_lines(session: &mut ComplianceSession) -> CheckResult {
    let (_, search) = midgame_search(session)?;
    let finished: Vec<_> =
        search.infos.iter().filter(|(_, info)| info.depth.is_some() && !info.pv.is_empty()).collect();
    if finished.is_empty() {
        return Err("no info line with depth and pv".into());
    }
    for (line, _) in &search.infos {
        check_info_line(line).map_err(|error| format!("{error} in \"{}\"", quoted(line)))?;
    }
    for (line, info) in &finished {
        for (name, there) in
            [("score", info.score.is_some()), ("nodes", info.nodes.is_some()), ("time", info.time_ms.is_some())]
        {
            if !there {
                return Err(format!("no {name} in \"{}\"", quoted(line)));
            }
        }
    }
    Ok(format!("{} lines", search.infos.len()))
}

/// Checks that an info line has only known words, with whole numbers where required.
fn check_info_line(line: &str) -> Result<(), String> {
    if line != line.trim() || line.contains("  ") {
        return Err("extra spaces".into());
    }
    let mut words = line.split(' ').skip(1);
    while let Some(word) = words.next() {
        match word {
            "depth" | "seldepth" | "multipv" | "nodes" | "time" | "nps" | "hashfull" | "tbhits" | "currmovenumber"
            | "cp" | "mate" => {
                let value = words.next().unwrap_or("");
                if value.parse::<i64>().is_err() {
                    return Err(format!("{word} \"{}\" is not a whole number", quoted(value)));
                }
            }
            "score" | "lowerbound" | "upperbound" => {}
            "currmove" => {
                words.next();
            }
            "pv" | "string" | "refutation" | "currline" => return Ok(()),
            "wdl" => {
                words.nth(2);
            }
            _ => return Err(format!("unknown word \"{}\"", quoted(word))),
        }
    }
    Ok(())
}

pub fn monotonic(session: &mut ComplianceSession) -> CheckResult {
    let (_, search) = midgame_search(session)?;
    let (mut before, mut finished) = (SearchInfo::default(), SearchInfo::default());
    for (line, info) in &search.infos {
        if !session.is_ugi() && info.repeats(&finished) {
            before.depth = info.depth; // UCI may repeat the last finished line after a bound of the next depth
        }
        if info.score.is_some() && !info.bound && info.multipv.is_none_or(|rank| rank == 1) {
            finished = info.clone();
        }
        let falls = |now: Option<u64>, then: Option<u64>| now.zip(then).is_some_and(|(now, then)| now < then);
        for (name, fell) in [
            ("depth", falls(info.depth.map(u64::from), before.depth.map(u64::from))),
            ("nodes", falls(info.nodes, before.nodes)),
            ("time", falls(info.time_ms, before.time_ms)),
        ] {
            if fell {
                return Err(format!("{name} decreases in \"{}\"", quoted(line)));
            }
        }
        before.depth = info.depth.or(before.depth);
        before.nodes = info.nodes.or(before.nodes);
        before.time_ms = info.time_ms.or(before.time_ms);
    }
    Ok(format!("up to depth {}", before.depth.unwrap_or(0)))
}

pub fn pv(session: &mut ComplianceSession) -> CheckResult {
    let (history, search) = midgame_search(session)?;
    let mut last = None;
    for (line, info) in search.infos.iter().filter(|(_, info)| !info.pv.is_empty()) {
        let mut ahead = history.clone();
        for word in &info.pv {
            match ahead.legal_move(word) {
                Some(played) => ahead.play(played),
                None => return Err(format!("\"{}\" is illegal in \"{}\"", quoted(word), quoted(line))),
            };
        }
        last = Some(info);
    }
    check_bestmove(session, &history, &search)?;
    let last = last.ok_or("no PV")?;
    if last.pv.first() != search.best.first() {
        let [best, first] = [&search.best, &last.pv].map(|moves| moves.first().map_or("", String::as_str));
        return Err(format!("bestmove \"{}\", but the last PV begins with \"{}\"", quoted(best), quoted(first)));
    }
    Ok(format!("last PV: {} moves", last.pv.len()))
}
