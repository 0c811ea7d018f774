//! The two basic operations of all clients: send lines, and receive lines until the expected one.

use std::time::Instant;

use super::client_error::ClientError;
use super::link::Link;
use crate::game::quoted;

/// Receives lines until `accept` returns a value. The error quotes the last line that was not accepted.
pub fn wait_for<T>(
    link: &mut dyn Link,
    deadline: Instant,
    awaited: &str,
    mut accept: impl FnMut(&str) -> Option<T>,
) -> Result<T, ClientError> {
    let mut last = String::new();
    loop {
        let line = link.receive(deadline).map_err(|error| match last.trim() {
            "" => ClientError::link(error, awaited),
            last => ClientError::link(error, format!("{awaited}; the last line was \"{}\"", quoted(last))),
        })?;
        if let Some(found) = accept(&line.text) {
            return Ok(found);
        }
        if !line.text.trim().is_empty() {
            last = line.text;
        }
    }
}

/// Sends lines in order.
pub fn send_all<S: AsRef<str>>(link: &mut dyn Link, lines: impl IntoIterator<Item = S>) -> Result<(), ClientError> {
    for line in lines {
        let line = line.as_ref();
        link.send(line)
            .map_err(|error| ClientError::link(error, format!("the engine to read \"{}\"", quoted(line))))?;
    }
    Ok(())
}
