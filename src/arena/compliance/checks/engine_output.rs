//! Checks of an engine's output: handshake, options, info lines, principal variations.

use anyhow::{Context, Result, bail, ensure};

use crate::arena::client::DeclaredOption;
use crate::arena::compliance::session::{CheckResult, SearchOutput, Session};
use crate::arena::play::process::StreamKind;
use crate::arena::play::search_check::ReportChecker;
use crate::arena::rules::warning::ReportFault;
use crate::game::quoted;
use crate::game::rng::Rng;

pub fn handshake(session: &mut Session) -> CheckResult {
    let identity = &session.engine.identity;
    for (name, value) in [("name", &identity.name), ("author", &identity.author)] {
        ensure!(!value.is_empty(), "no id {name}");
    }
    Ok(format!(
        "{}, {:.0} ms after the start",
        identity.name,
        session.start_time.as_secs_f64() * 1e3
    ))
}

pub fn options(session: &mut Session) -> CheckResult {
    let closing = format!("{}ok", session.engine.spec.protocol.name());
    // The raw lines of the handshake.
    let mut lines = session.engine.process.log.lines(StreamKind::Output);
    let end = lines.iter().position(|line| line.trim() == closing);
    lines.truncate(end.map_or(0, |end| end + 1));
    let options = &session.engine.identity.options;
    let declared = lines
        .iter()
        .filter(|line| line.starts_with("option "))
        .count();
    ensure!(declared == options.len(), "an option line has no name");
    for option in options {
        check_option(option).with_context(|| format!("option {}", option.name))?;
    }
    let last = lines.last();
    match lines
        .iter()
        .find(|line| *line != line.trim_end() || Some(*line) == last && *line != line.trim())
    {
        Some(line) => bail!("extra spaces in \"{}\"", quoted(line)),
        None => Ok(format!("{} options", options.len())),
    }
}

fn check_option(option: &DeclaredOption) -> Result<()> {
    let default = option.default.as_str();
    match option.kind.as_str() {
        "check" if !["true", "false"].contains(&default) => {
            bail!("default is neither true nor false")
        }
        "spin" if default.parse::<i64>().is_err() => bail!("default is not a whole number"),
        "combo" if !option.values.contains(&option.default) => {
            bail!("default is not among its values")
        }
        "check" | "spin" | "combo" | "button" | "string" => Ok(()),
        kind => bail!("unknown type \"{}\"", quoted(kind)),
    }
}

/// A short search of a midgame position.
fn midgame_search(session: &mut Session) -> Result<SearchOutput> {
    let mut rng = Rng::new(4);
    let plies = if session.game.name() == "tictactoe" {
        2
    } else {
        6
    };
    if session.game.rules().is_err() {
        session.play_itself("depth 1", plies)?;
        return session.search("movetime 300");
    }
    let mut games = (0..1000).filter_map(|_| session.random_game(plies, &mut rng));
    let game = games
        .find(|game| game.outcome().is_none() && !game.must_pass())
        .context("no position")?;
    session.new_game(game)?;
    session.search("movetime 300")
}

pub fn info_lines(session: &mut Session) -> CheckResult {
    let search = midgame_search(session)?;
    let mut any_finished = false;
    for (line, info) in &search.infos {
        check_info_line(line).with_context(|| format!("\"{}\"", quoted(line)))?;
        if info.depth.is_none() || info.pv.is_empty() {
            continue;
        }
        any_finished = true;
        for (name, there) in [
            ("score", info.score.is_some()),
            ("nodes", info.nodes.is_some()),
            ("time", info.time_ms.is_some()),
        ] {
            ensure!(there, "no {name} in \"{}\"", quoted(line));
        }
    }
    ensure!(any_finished, "no info line with depth and pv");
    Ok(format!("{} lines", search.infos.len()))
}

/// Checks that an info line has only known words, with whole numbers where required.
fn check_info_line(line: &str) -> Result<()> {
    ensure!(line == line.trim() && !line.contains("  "), "extra spaces");
    let mut words = line.split(' ').skip(1);
    while let Some(word) = words.next() {
        match word {
            "depth" | "seldepth" | "multipv" | "nodes" | "time" | "nps" | "hashfull" | "tbhits"
            | "sbhits" | "cpuload" | "currmovenumber" | "cp" | "mate" => {
                let value = words.next().unwrap_or("");
                ensure!(
                    value.parse::<i64>().is_ok(),
                    "{word} \"{}\" is not a whole number",
                    quoted(value)
                );
            }
            "score" | "lowerbound" | "upperbound" => {}
            "currmove" => {
                words.next();
            }
            "pv" | "string" | "refutation" | "currline" => return Ok(()),
            "wdl" => {
                words.nth(2);
            }
            _ => bail!("unknown word \"{}\"", quoted(word)),
        }
    }
    Ok(())
}

/// A midgame search whose reports have none of these faults.
fn checked_search(session: &mut Session, faults: [ReportFault; 2]) -> Result<SearchOutput> {
    let search = midgame_search(session)?;
    let mut checker = ReportChecker::new(&session.game);
    for (line, info) in &search.infos {
        checker.line(info, line);
    }
    match checker
        .finish(Some(search.best()))
        .iter()
        .find(|warning| faults.contains(&warning.fault))
    {
        Some(warning) => bail!("{}: {}", warning.fault, warning.detail),
        None => Ok(search),
    }
}

pub fn monotonic(session: &mut Session) -> CheckResult {
    let search = checked_search(session, [ReportFault::DepthFell, ReportFault::NodesFell])?;
    let mut before = 0;
    for (line, info) in &search.infos {
        let time = info.time_ms.unwrap_or(before);
        ensure!(time >= before, "time decreases in \"{}\"", quoted(line));
        before = time;
    }
    Ok(format!("up to depth {}", search.depth()))
}

pub fn pv(session: &mut Session) -> CheckResult {
    let search = checked_search(session, [ReportFault::IllegalPv, ReportFault::MoveNotInPv])?;
    let last = search
        .infos
        .iter()
        .rfind(|(_, info)| !info.pv.is_empty())
        .context("no PV")?;
    Ok(format!("last PV: {} moves", last.1.pv.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_uci_specification_is_known() {
        for line in [
            "info depth 9 seldepth 12 time 5 nodes 7 multipv 1 score cp -3 upperbound",
            "info score mate 2 lowerbound hashfull 3 nps 9 tbhits 0 sbhits 0 cpuload 1000 pv c4 e3",
            "info currmove c4 currmovenumber 1",
            "info refutation c4 e3",
            "info currline 1 c4 e3",
            "info string any text",
        ] {
            check_info_line(line).unwrap();
        }
        for line in ["info cpuload high", "info load 1"] {
            assert!(check_info_line(line).is_err(), "{line}");
        }
    }
}
