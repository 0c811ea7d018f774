//! `--compliance`: checks that an engine complies with UGI or UCI, and prints one line per check,
//! with latencies.
//!
//! Every check starts a new process, so that one failure does not hide another. The checks are in
//! [`checks`], their session in [`session`].

use std::io::Write;

use anyhow::{Result, bail, ensure};
use crossbeam_channel::{Receiver, TryRecvError};

use self::session::{Session, TIMEOUTS};
use super::client::GameHistory;
use super::config::engine_spec::EngineSpec;
use super::play::option_check;
use super::play::session::RunContext;
use super::rules::clock::TimeControl;
use super::rules::fault::Interrupted;
use crate::games::any::by_name;
use crate::protocol::Protocol;

mod checks;
mod session;

/// Runs all checks and writes a line for each. Returns whether all pass.
///
/// # Errors
/// If there are no checks for the protocol, the engine does not start, `out` cannot be written to,
/// or `stop` is disconnected.
pub fn check(
    spec: &EngineSpec,
    game: &str,
    stop: &Receiver<()>,
    out: &mut dyn Write,
) -> Result<bool> {
    if !matches!(spec.protocol, Protocol::Ugi | Protocol::Uci) {
        bail!(
            "--compliance supports ugi and uci, not {}",
            spec.protocol.name()
        );
    }
    let start = by_name(game).map_or_else(|| GameHistory::text(game, None), GameHistory::from);
    ensure!(
        (&spec.control, spec.depth, spec.nodes) == (&TimeControl::default(), None, None),
        "--compliance searches to its own limits: depth, nodes, tc and st have no effect"
    );
    // An engine that does not start, or refuses a setting, is an error, not a failed check.
    let context = RunContext {
        timeouts: TIMEOUTS,
        stop: stop.clone(),
        log: None,
        lenient: false,
    };
    let session = option_check::start(spec, &context)?;
    let problems = option_check::option_problems(&session.identity, spec);
    ensure!(problems.is_empty(), "{}", problems.join("; "));
    session.set_up()?.quit();
    writeln!(
        out,
        "{} ({}), {game}",
        spec.command_line(),
        spec.protocol.name()
    )?;
    let (mut passed, mut failed) = (0, 0);
    for (name, run) in checks::all(spec.protocol) {
        let result = Session::start(spec, &start, &context)
            .and_then(|mut session| run(&mut session).map_err(|error| session.with_exit(error)));
        ensure!(
            stop.try_recv() != Err(TryRecvError::Disconnected),
            Interrupted
        );
        match result {
            Ok(details) => {
                passed += 1;
                let details = match details.as_str() {
                    "" => details,
                    _ => format!(" ({details})"),
                };
                writeln!(out, "ok    {name}{details}")?;
            }
            Err(error) => {
                failed += 1;
                let error = format!("{error:#}").replace('\n', ";");
                writeln!(out, "FAIL  {name}: {error}")?;
            }
        }
        out.flush()?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(failed == 0)
}
