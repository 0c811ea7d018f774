//! The writer thread, which owns the output. Progress lines go through a short queue; if a slow
//! reader lets it fill up, the oldest are dropped. Answers are never dropped. Passing text to the
//! writer never blocks.

#![deny(clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::logging::{LINE_OUT, PROTOCOL};
use crate::platform::wake_up::wake_up_fast;

/// The maximum number of queued progress lines.
const MAX_PROGRESS: usize = 64;

/// The kind of an output, which decides whether it may be dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// Progress of a search with the principal variation of the best move.
    Pv,
    /// Other progress of a search.
    Progress,
    /// Anything else: never dropped.
    Answer,
    /// The end of a search: never dropped, and protects the last queued [`OutputKind::Pv`] from
    /// being dropped.
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

#[derive(Default)]
struct OutputQueue {
    waiting: VecDeque<Output>,
    closed: bool,
}

impl OutputQueue {
    fn push(&mut self, output: Output) {
        let droppable =
            |output: &Output| matches!(output.kind, OutputKind::Pv | OutputKind::Progress);
        if droppable(&output)
            && self
                .waiting
                .iter()
                .filter(|waiting| droppable(waiting))
                .count()
                >= MAX_PROGRESS
        {
            let oldest = self.waiting.iter().position(droppable);
            oldest.and_then(|oldest| self.waiting.remove(oldest));
        }
        if output.kind == OutputKind::BestMove
            && let Some(line) = self
                .waiting
                .iter_mut()
                .rfind(|waiting| waiting.kind == OutputKind::Pv)
        {
            line.kind = OutputKind::Answer;
        }
        self.waiting.push_back(output);
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
    pub fn start(mut output: impl Write + Send + 'static) -> Writer {
        let shared = Arc::<Shared>::default();
        let (failure, failed) = bounded(1);
        let inner = shared.clone();
        thread::spawn(move || {
            wake_up_fast();
            if let Err(error) = write_all(&inner, &mut output) {
                let _ = failure.send(error); // the channel has room
            }
        });
        Writer { shared, failed }
    }

    /// Queues text.
    pub fn push(&self, output: Output) {
        self.shared.lock().push(output);
        self.shared.wake.notify_one();
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
        let mut queue = shared.lock();
        let next = loop {
            match queue.waiting.pop_front() {
                Some(next) => break next,
                None if queue.closed => return Ok(()),
                None => {
                    queue = shared
                        .wake
                        .wait(queue)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        };
        drop(queue); // do not hold the lock during a blocking write
        next.text
            .split('\n')
            .for_each(|line| log::debug!(target: PROTOCOL, "{LINE_OUT} {line}"));
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

    fn output(kind: OutputKind, text: impl Into<String>) -> Output {
        Output {
            kind,
            text: text.into(),
        }
    }

    #[test]
    fn a_full_queue_drops_the_oldest_progress_and_no_answer() {
        let mut queue = OutputQueue::default();
        queue.push(output(OutputKind::Answer, "readyok"));
        for n in 0..1_000 {
            queue.push(output(OutputKind::Pv, format!("line {n}")));
            queue.push(output(OutputKind::Progress, format!("news {n}")));
        }
        queue.push(output(OutputKind::BestMove, "bestmove"));
        for n in 0..1_000 {
            queue.push(output(OutputKind::Progress, format!("later {n}")));
        }
        let texts: Vec<_> = queue
            .waiting
            .iter()
            .map(|output| output.text.as_str())
            .collect();
        assert_eq!(
            texts[..3],
            ["readyok", "line 999", "bestmove"],
            "the last variation stays with its best move"
        );
        assert_eq!(texts.len(), 3 + MAX_PROGRESS);
        assert_eq!(texts.last(), Some(&"later 999"));
    }
}
