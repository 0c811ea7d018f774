//! SIGINT and SIGTERM during long jobs: the first signal asks the job to finish its record, the second ends the
//! process.

use std::io;
use std::thread;

use crossbeam_channel::Receiver;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The exit status after SIGINT, by shell convention.
const EXIT_INTERRUPTED: i32 = 130;

/// A channel that is disconnected, without a message, by the first SIGINT or SIGTERM.
///
/// # Errors
/// If the handler cannot be installed.
pub fn channel() -> io::Result<Receiver<()>> {
    let (sender, receiver) = crossbeam_channel::bounded::<()>(0);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut sender = Some(sender);
        for _ in signals.forever() {
            if sender.take().is_none() {
                std::process::exit(EXIT_INTERRUPTED);
            }
        }
    })?;
    Ok(receiver)
}
