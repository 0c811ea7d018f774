//! The list of compliance checks, in the order in which they run, and shared helpers.

use std::time::{Duration, Instant};

use super::{CheckResult, ComplianceSession, SearchOutput};
use crate::arena::client::GameHistory;
use crate::game::quoted;
use crate::game::rng::Rng;
use crate::protocol::Protocol;

mod bad_input;
mod engine_output;
mod obey_limits;
mod rules;
mod stop_and_quit;

/// A named check.
pub struct ComplianceCheck {
    pub name: &'static str,
    pub run: fn(&mut ComplianceSession) -> CheckResult,
}

const fn check(name: &'static str, run: fn(&mut ComplianceSession) -> CheckResult) -> ComplianceCheck {
    ComplianceCheck { name, run }
}

/// The checks for a protocol.
pub fn all(protocol: Protocol) -> Vec<ComplianceCheck> {
    let mut checks = vec![
        check("handshake: id name, id author, ugiok or uciok", engine_output::handshake),
        check("options are well-formed", engine_output::options),
        check("reply to isready is readyok", |session| {
            let latency = session.ready()?;
            session.check_latency("reply after", latency)
        }),
        check("legal move in a new game", rules::first_move),
        check("isready while searching", stop_and_quit::ready_while_searching),
        check("go infinite sends bestmove only after stop", stop_and_quit::stop),
        check("stop while idle prints nothing", stop_and_quit::idle_stop),
        check("info lines are well-formed", engine_output::info_lines),
        check("depth, nodes and time never decrease", engine_output::monotonic),
        check("PVs are legal and bestmove is the first move of the last", engine_output::pv),
        check("go depth is obeyed", obey_limits::depth),
        check("go nodes is obeyed", obey_limits::nodes),
        check("go movetime is obeyed", obey_limits::movetime),
        check("clocks of both players are obeyed", obey_limits::clocks),
        check("zero and negative clocks are accepted", obey_limits::bad_clocks),
        check("complete game against itself", rules::whole_game),
        check("forced pass", rules::forced_pass),
        check("finished game", rules::finished_games),
        check("search repeats exactly after a new game", rules::repeated_search),
        check("garbage is tolerated", bad_input::garbage),
        check("bad positions and illegal moves are tolerated", bad_input::bad_positions),
        check("bad options are tolerated", bad_input::bad_options),
        check("quit while searching", stop_and_quit::quit),
        check("end of input while idle", stop_and_quit::end_of_input),
        check("end of input while searching", stop_and_quit::end_while_searching),
    ];
    if protocol == Protocol::Ugi {
        checks.insert(4, check("queries agree with the rules", rules::queries));
    }
    checks
}

/// Checks that a search ended with a legal move (UGI: and nothing else).
fn check_bestmove(session: &ComplianceSession, history: &GameHistory, search: &SearchOutput) -> Result<(), String> {
    let [best, more @ ..] = search.best.as_slice() else { return Err("bestmove without a move".into()) };
    if session.is_ugi() && !more.is_empty() {
        return Err(format!("bestmove is followed by \"{}\"", quoted(&more.join(" "))));
    }
    match history.legal_move(best) {
        Some(_) => Ok(()),
        None => Err(format!("bestmove \"{}\" is illegal in {}", quoted(best), history.game().write_position())),
    }
}

/// Sets and returns the number of threads of the command line, default 1, if the engine lists the option `Threads`.
fn set_threads(session: &mut ComplianceSession, asked: Option<u64>) -> Result<u64, String> {
    let threads = asked.unwrap_or(1);
    if session.identity.option("Threads").is_some() {
        session.with_client(|client, link| client.set_option(link, "Threads", Some(&threads.to_string())))?;
    }
    Ok(threads)
}

/// Starts an infinite search of the start position.
fn go_infinite(session: &mut ComplianceSession) -> Result<GameHistory, String> {
    let history = session.new_history()?;
    session.new_game(&history)?;
    session.ready()?;
    session.send("go infinite")?;
    Ok(history)
}

/// Checks that no bestmove arrives within some time.
fn no_bestmove_for(session: &mut ComplianceSession, time: Duration) -> Result<(), String> {
    let until = Instant::now() + time;
    while let Some(line) = session.line(until.saturating_duration_since(Instant::now()))? {
        if line.text.starts_with("bestmove") {
            return Err(format!("unexpected \"{}\"", quoted(&line.text)));
        }
    }
    Ok(())
}

/// The history after one more random ply; `None` if that ends the game.
fn random_next(history: &GameHistory, rng: &mut Rng) -> Option<GameHistory> {
    let mut next = history.clone();
    let moves: Vec<_> = history.game().moves().to_vec();
    next.play(*rng.choose(&moves)?);
    next.outcome().is_none().then_some(next)
}
