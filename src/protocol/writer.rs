//! The writer thread, which owns the output. Passing text to it never blocks. If a slow reader lets
//! its queue fill up, progress lines that later lines of the same search supersede are dropped, the
//! oldest first. Every other line is written.

#![deny(clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::engine::event::{Info, LineContent};
use crate::logging::{LINE_OUT, PROTOCOL};
use crate::platform::clock::start_thread;
use crate::platform::wake_up::wake_up_fast;

/// The maximum number of queued superseded lines.
const MAX_SUPERSEDED: usize = 64;

/// The kind of an output, which decides whether it may be dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// Progress of a search.
    Progress(LineContent),
    /// Progress that a later line of the same search supersedes; the oldest are dropped.
    Superseded,
    /// Anything else: never dropped.
    Answer,
    /// The end of a search: never dropped, and supersedes nothing.
    BestMove,
}

/// Text to be written: one or more lines that stay together, without the last line end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its kind.
    pub kind: OutputKind,
    /// The text.
    pub text: String,
}

impl Output {
    /// Text that is never dropped.
    pub fn answer(text: impl Into<String>) -> Output {
        Output {
            kind: OutputKind::Answer,
            text: text.into(),
        }
    }

    /// The progress line of an event.
    pub fn progress(info: &Info, text: String) -> Output {
        let kind = info
            .content()
            .map_or(OutputKind::Answer, OutputKind::Progress);
        Output { kind, text }
    }

    fn is_superseded(&self) -> bool {
        self.kind == OutputKind::Superseded
    }
}

/// The outputs that are not written yet, in order.
#[derive(Default)]
struct OutputQueue {
    waiting: VecDeque<Output>,
    /// The number of waiting lines that are superseded.
    superseded: usize,
    closed: bool,
}

impl OutputQueue {
    /// Queues an output. Returns the superseded lines that it displaces.
    fn push(&mut self, output: Output) -> Vec<Output> {
        let mut dropped = Vec::new();
        if let OutputKind::Progress(content) = &output.kind {
            let backwards = self.waiting.iter_mut().rev();
            for earlier in backwards.take_while(|earlier| earlier.kind != OutputKind::BestMove) {
                if let OutputKind::Progress(old) = &earlier.kind
                    && old.is_superseded_by(content)
                {
                    earlier.kind = OutputKind::Superseded;
                    self.superseded += 1;
                }
            }
            while self.superseded > MAX_SUPERSEDED {
                let oldest = self.waiting.iter().position(Output::is_superseded);
                dropped.extend(oldest.and_then(|oldest| self.waiting.remove(oldest)));
                self.superseded -= 1;
            }
        }
        self.waiting.push_back(output);
        dropped
    }

    fn pop(&mut self) -> Option<Output> {
        let next = self.waiting.pop_front()?;
        self.superseded -= usize::from(next.is_superseded());
        Some(next)
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<OutputQueue>,
    wake: Condvar,
    /// Bytes that the output has accepted.
    accepted: AtomicU64,
}

/// Bytes written at once: a pipe accepts them in one piece.
const CHUNK: usize = 4_096;
/// The interval at which a closing writer polls its reader.
const POLL: Duration = Duration::from_millis(50);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, OutputQueue> {
        // A panic aborts the process, so the lock is never poisoned.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of the writer thread.
pub struct Writer {
    shared: Arc<Shared>,
    failed: Receiver<io::Error>,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// If its thread cannot be started.
    pub fn start(mut output: impl Write + Send + 'static) -> io::Result<Writer> {
        let shared = Arc::<Shared>::default();
        let (failure, failed) = bounded(1);
        let inner = shared.clone();
        start_thread(Builder::new(), move || {
            wake_up_fast();
            if let Err(error) = write_all(&inner, &mut output) {
                let _ = failure.send(error); // the channel has room
            }
        })?;
        Ok(Writer { shared, failed })
    }

    /// Queues text and logs it: here, so that a change of `Debug Log File` applies to later lines
    /// only.
    pub fn push(&self, output: Output) {
        for line in output.text.split('\n') {
            log::debug!(target: PROTOCOL, "{LINE_OUT} {line}");
        }
        let dropped = self.shared.lock().push(output);
        self.shared.wake.notify_one();
        for Output { text, .. } in dropped {
            log::debug!(target: PROTOCOL, "dropped: the reader is slow: {text}");
        }
    }

    /// Receives the error if the output cannot be written; disconnects when all is written after
    /// [`close`](Writer::close).
    pub fn failed(&self) -> &Receiver<io::Error> {
        &self.failed
    }

    /// Waits until everything is written and ends the thread. With `patience`, gives up when the
    /// reader has not read for that time. `unread` returns the number of accepted bytes that it has
    /// not read, if known.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn close(&self, patience: Option<Duration>, unread: fn() -> Option<u64>) -> io::Result<()> {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
        let seen = || (self.shared.accepted.load(Ordering::Relaxed), unread());
        let (mut last, mut since) = (seen(), Instant::now());
        loop {
            match self.failed.recv_timeout(POLL) {
                Ok(error) => return Err(error),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = seen();
            if now != last {
                (last, since) = (now, Instant::now());
            } else if patience.is_some_and(|patience| since.elapsed() >= patience) {
                log::debug!(target: PROTOCOL, "rest of the output dropped: the reader does not read");
                return Ok(());
            }
        }
    }
}

fn write_all(shared: &Shared, output: &mut impl Write) -> io::Result<()> {
    loop {
        let is_idle = |queue: &mut OutputQueue| queue.waiting.is_empty() && !queue.closed;
        let queue = shared.wake.wait_while(shared.lock(), is_idle);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        let Some(next) = queue.pop() else {
            return Ok(()); // closed
        };
        drop(queue);
        let text = next.text + "\n";
        for chunk in text.as_bytes().chunks(CHUNK) {
            output.write_all(chunk)?;
            shared
                .accepted
                .fetch_add(chunk.len() as u64, Ordering::Relaxed);
        }
        output.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(content: LineContent, text: &str) -> Output {
        Output {
            kind: OutputKind::Progress(content),
            text: text.into(),
        }
    }

    fn keep_alive(text: &str) -> Output {
        progress(LineContent::Nothing, text)
    }

    fn bound(m: &str, text: &str) -> Output {
        progress(LineContent::Bound(m.into()), text)
    }

    fn line(depth: u8, number: usize, text: &str) -> Output {
        progress(LineContent::Iteration { depth, number }, text)
    }

    fn best_move(text: &str) -> Output {
        Output {
            kind: OutputKind::BestMove,
            text: text.into(),
        }
    }

    /// What remains when as many superseded lines follow as it takes to drop all of `outputs` that
    /// may be dropped.
    fn remaining(outputs: Vec<Output>) -> Vec<String> {
        let mut queue = OutputQueue::default();
        for output in outputs {
            queue.push(output);
        }
        let next_search = best_move("the next search");
        queue.push(next_search.clone());
        for _ in 0..2 * MAX_SUPERSEDED {
            queue.push(keep_alive("later"));
            assert!(queue.superseded <= MAX_SUPERSEDED);
        }
        let rest = queue.waiting.into_iter();
        let rest = rest.take_while(|output| *output != next_search);
        rest.map(|output| output.text).collect()
    }

    #[test]
    fn only_superseded_lines_are_dropped() {
        for (outputs, expected) in [
            (
                vec![
                    Output::answer("readyok"),
                    line(2, 1, "d2"),
                    Output::answer("string"),
                    keep_alive("repeat"),
                    line(4, 1, "d4"),
                    line(4, 1, "d4, less selective"),
                    best_move("best"),
                    line(6, 1, "next"),
                ],
                "readyok string d4 d4, less selective best next",
            ),
            (
                vec![
                    line(2, 1, "d2.1"),
                    line(2, 2, "d2.2"),
                    line(4, 1, "d4.1"),
                    line(4, 2, "d4.2"),
                    line(4, 3, "d4.3"),
                    keep_alive("repeat"),
                ],
                "d4.1 d4.2 d4.3 repeat",
            ),
            (
                vec![
                    line(8, 1, "d8"),
                    bound("a1", "a1 1"),
                    bound("a1", "a1 2"),
                    bound("b1", "b1 1"),
                    keep_alive("current"),
                    bound("b1", "b1 2"),
                    best_move("best"),
                ],
                "d8 a1 2 b1 2 best",
            ),
            (
                vec![bound("a1", "a1"), line(8, 2, "d8.2"), line(8, 1, "d8.1")],
                "d8.2 d8.1",
            ),
        ] {
            assert_eq!(remaining(outputs).join(" "), expected);
        }
    }

    #[test]
    fn a_short_queue_keeps_superseded_lines_and_a_written_line_is_not_dropped_again() {
        let mut queue = OutputQueue::default();
        for depth in 1..=MAX_SUPERSEDED as u8 {
            queue.push(line(depth, 1, &format!("d{depth}")));
        }
        let pop = |queue: &mut OutputQueue| queue.pop().map(|output| output.text);
        assert_eq!(queue.waiting.len(), MAX_SUPERSEDED);
        assert_eq!(pop(&mut queue).as_deref(), Some("d1"));
        assert_eq!(queue.superseded, MAX_SUPERSEDED - 2);
        while pop(&mut queue).is_some() {}
        queue.push(line(100, 1, "d100"));
        assert_eq!(queue.superseded, 0, "its predecessor is written");
        assert_eq!(pop(&mut queue).as_deref(), Some("d100"));
    }
}
