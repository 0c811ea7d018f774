//! The list of compliance checks, in the order in which they run.

use super::session::{CheckResult, Session};
use crate::protocol::Protocol;

mod bad_input;
mod engine_output;
mod obey_limits;
mod rules;
mod stop_and_quit;

/// A check and its name.
type Check = (&'static str, fn(&mut Session) -> CheckResult);

/// The checks for a protocol.
pub fn all(protocol: Protocol) -> Vec<Check> {
    let mut checks: Vec<Check> = vec![
        (
            "handshake: id name, id author, ugiok or uciok",
            engine_output::handshake,
        ),
        ("options are well-formed", engine_output::options),
        ("reply to isready is readyok", |session| {
            let latency = session.ready()?;
            session.check_latency("reply after", latency)
        }),
        ("legal move in a new game", rules::first_move),
        (
            "isready while searching",
            stop_and_quit::ready_while_searching,
        ),
        (
            "go infinite sends bestmove only after stop",
            stop_and_quit::stop,
        ),
        ("stop while idle prints nothing", stop_and_quit::idle_stop),
        ("info lines are well-formed", engine_output::info_lines),
        (
            "depth, nodes and time never decrease",
            engine_output::monotonic,
        ),
        (
            "PVs are legal and bestmove is the first move of the last",
            engine_output::pv,
        ),
        ("go depth is obeyed", obey_limits::depth),
        ("go nodes is obeyed", obey_limits::nodes),
        ("go movetime is obeyed", obey_limits::movetime),
        ("clocks of both players are obeyed", obey_limits::clocks),
        (
            "zero and negative clocks are accepted",
            obey_limits::bad_clocks,
        ),
        ("complete game against itself", rules::whole_game),
        ("forced pass", rules::forced_pass),
        ("finished game", rules::finished_games),
        (
            "search repeats exactly after a new game",
            rules::repeated_search,
        ),
        ("garbage is tolerated", bad_input::garbage),
        (
            "bad positions and illegal moves are tolerated",
            bad_input::bad_positions,
        ),
        ("bad options are tolerated", bad_input::bad_options),
        ("quit while searching", stop_and_quit::quit),
        ("end of input while idle", stop_and_quit::end_of_input),
        (
            "end of input while searching",
            stop_and_quit::end_while_searching,
        ),
    ];
    if protocol == Protocol::Ugi {
        checks.insert(4, ("queries agree with the rules", rules::queries));
    }
    checks
}
