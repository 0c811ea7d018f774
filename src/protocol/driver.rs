//! The driver connects a [`Session`] with standard input and output.
//!
//! One thread reads lines and records their arrival times, one writes, one searches. The driver's
//! loop on the main thread waits for lines and reports, and blocks on nothing else.

#![deny(clippy::indexing_slicing)]

use std::io;
use std::rc::Rc;
use std::thread::Builder;
use std::time::Duration;

use crossbeam_channel::{Receiver, never, select, unbounded};

use super::Protocol;
use super::line::{LineError, read_line};
use super::session::Session;
use super::writer::Writer;
use crate::engine::options::Options;
use crate::games::notation::BOM;
use crate::platform::clock::{Instant, start_thread};
use crate::platform::files::{STANDARD_OUTPUT, in_stream};
use crate::platform::streams::{stdout_hung_up, stdout_shows_color, stdout_unread};
use crate::platform::wake_up::wake_up_fast;

/// After `quit`, output is dropped if its reader has not read for this long.
const READER_TIMEOUT: Duration = Duration::from_secs(2);

/// An input line and its arrival time; an error if the input cannot be read any further.
type Arrival = io::Result<(Instant, Result<String, LineError>)>;

/// Runs a protocol on stdin and stdout until the input ends, `quit` arrives, or the output is
/// closed. Without a protocol the first line selects it. Boards are drawn in color on a terminal.
///
/// # Errors
/// If the input cannot be read, after all lines before that are done, or the output cannot be
/// written.
pub fn run(options: Options, protocol: Option<Protocol>) -> io::Result<()> {
    let writer = Rc::new(Writer::start(io::stdout())?);
    let output = writer.clone();
    let write = Box::new(move |text| output.push(text));
    let mut session = Session::start(options, stdout_shows_color(), write)?;
    if let Some(protocol) = protocol {
        session.select_protocol(protocol);
    }
    let lines = read_lines()?;
    wake_up_fast(); // after starting all threads: later ones lose a raised priority (`nice -n -5`)
    converse(&mut session, &writer, lines)
}

/// Starts the thread that reads lines; their channel disconnects at the end of input and after a
/// read error.
fn read_lines() -> io::Result<Receiver<Arrival>> {
    let (sender, lines) = unbounded();
    start_thread(Builder::new(), move || {
        wake_up_fast();
        let mut input = io::stdin().lock();
        let mut is_first = true;
        loop {
            let mut line = match read_line(&mut input) {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(error) => {
                    let _ = sender.send(Err(in_stream("standard input", &error)));
                    return;
                }
            };
            if std::mem::take(&mut is_first) {
                line = line.map(|line| line.strip_prefix(BOM).unwrap_or(&line).into());
            }
            if sender.send(Ok((Instant::now(), line))).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// Passes lines and reports to the session until it is over or the output is closed.
fn converse(
    session: &mut Session,
    writer: &Writer,
    mut lines: Receiver<Arrival>,
) -> io::Result<()> {
    let in_output = |error| in_stream(STANDARD_OUTPUT, &error);
    let reports = session.reports();
    let mut failed = None;
    while !session.is_over() {
        select! {
            recv(lines) -> arrival => match arrival {
                Ok(Ok((arrived, line))) => {
                    session.receive(arrived, line);
                    if session.is_quitting() {
                        lines = never();
                    }
                }
                end => {
                    lines = never();
                    failed = end.ok().and_then(Result::err);
                    session.end_input();
                }
            },
            recv(reports) -> report => report.into_iter().for_each(|report| session.report(report)),
            recv(writer.failed()) -> error => return error.map_or(Ok(()), |error| Err(in_output(error))),
            // A dialect that writes nothing during a search would not notice.
            default(session.time_to_tick()) => if session.tick() && stdout_hung_up() {
                return Ok(());
            },
        }
    }
    // The rest of the output: all of it at the end of input; after `quit`, only while the reader
    // reads.
    let patience = session.is_quitting().then_some(READER_TIMEOUT);
    writer.close(patience, stdout_unread).map_err(in_output)?;
    failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_error_is_reported_unless_quit_precedes_it() {
        for (protocol, line, is_ok) in [
            (Protocol::Ugi, "quit", true),
            (Protocol::NBoard, "quit", true),
            (Protocol::Ugi, "isready", false),
            (Protocol::NBoard, "ping 1", false),
        ] {
            let (sender, lines) = unbounded();
            let arrival = (Instant::now(), Ok(line.into()));
            sender.send(Ok(arrival)).unwrap();
            sender.send(Err(io::Error::other("broken"))).unwrap();
            let writer = Rc::new(Writer::start(io::sink()).unwrap());
            let output = writer.clone();
            let write = Box::new(move |text| output.push(text));
            let mut session = Session::start(Options::default(), false, write).unwrap();
            session.select_protocol(protocol);
            let ended = converse(&mut session, &writer, lines);
            assert_eq!(ended.is_ok(), is_ok, "{protocol:?} {line}");
        }
    }
}
