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
use super::play::session::{EngineSession, RunContext};
use super::rules::clock::TimeControl;
use super::rules::fault::is_interrupt;
use crate::games::any::by_name;
use crate::protocol::Protocol;

mod checks;
mod session;

/// Runs all checks and writes a line for each; `true` if all pass, `None` if `stop` is disconnected
/// before.
///
/// # Errors
/// If there are no checks for the protocol, the engine does not start, or `out` cannot be written
/// to.
pub fn check(
    spec: &EngineSpec,
    game: &str,
    stop: &Receiver<()>,
    out: &mut dyn Write,
) -> Result<Option<bool>> {
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
    let started = option_check::start(spec, &context);
    let set_up = |session: EngineSession| {
        let problems = option_check::option_problems(&session.identity, spec);
        ensure!(problems.is_empty(), "{}", problems.join("; "));
        session.set_up()
    };
    match started.and_then(set_up) {
        Err(error) if is_interrupt(&error) => return Ok(None),
        session => session?.quit(),
    }
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
        if stop.try_recv() == Err(TryRecvError::Disconnected) {
            return Ok(None);
        }
        match result {
            Ok(details) => {
                passed += 1;
                match details.as_str() {
                    "" => writeln!(out, "ok    {name}")?,
                    _ => writeln!(out, "ok    {name} ({details})")?,
                }
            }
            Err(error) => {
                failed += 1;
                writeln!(
                    out,
                    "FAIL  {name}: {}",
                    format!("{error:#}").replace('\n', ";")
                )?;
            }
        }
        out.flush()?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(Some(failed == 0))
}
