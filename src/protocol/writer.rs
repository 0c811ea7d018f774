//! The one thread that owns the output. News of a search wait in a short queue and the oldest are dropped when a slow reader
//! fills it; answers are never dropped. Nobody who hands over a line ever waits.

#![deny(clippy::indexing_slicing)]

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, bounded};

/// How many news may wait.
const NEWS_QUEUED: usize = 64;

/// What kind of text a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// News of a search with a principal variation.
    Line,
    /// Other news of a search.
    News,
    /// Anything else: never dropped.
    Answer,
    /// The end of a search: never dropped, and the last principal variation before it is not dropped any more either.
    Verdict,
}

/// Text on its way out: one or more lines that stay together, without the last line end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What kind of text it is.
    pub kind: Kind,
    /// The text.
    pub text: String,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Output>,
    closed: bool,
}

impl Queue {
    fn push(&mut self, output: Output) {
        let droppable = |output: &Output| matches!(output.kind, Kind::Line | Kind::News);
        match output.kind {
            Kind::Line | Kind::News => {
                if self.waiting.iter().filter(|waiting| droppable(waiting)).count() >= NEWS_QUEUED
                    && let Some(oldest) = self.waiting.iter().position(droppable)
                {
                    self.waiting.remove(oldest);
                }
            }
            Kind::Verdict => {
                if let Some(line) = self.waiting.iter_mut().rfind(|waiting| waiting.kind == Kind::Line) {
                    line.kind = Kind::Answer;
                }
            }
            Kind::Answer => {}
        }
        self.waiting.push_back(output);
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // A panic ends the process, so nobody leaves a poisoned queue behind.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of the writer thread.
pub struct Writer {
    shared: Arc<Shared>,
    ended: Receiver<()>,
}

impl Writer {
    /// Starts the thread.
    pub fn start(mut output: impl Write + Send + 'static) -> Writer {
        let shared = Arc::<Shared>::default();
        let (end, ended) = bounded::<()>(0);
        let inner = shared.clone();
        thread::spawn(move || {
            write_all(&inner, &mut output);
            drop(end);
        });
        Writer { shared, ended }
    }

    /// Hands over text.
    pub fn push(&self, output: Output) {
        self.shared.lock().push(output);
        self.shared.wake.notify_one();
    }

    /// Disconnects when the thread has ended: the reader is gone, or all is written after [`close`](Writer::close).
    pub fn ended(&self) -> &Receiver<()> {
        &self.ended
    }

    /// Lets the thread end once everything is written, and waits for that, no longer than `patience` if there is one.
    pub fn close(&self, patience: Option<Duration>) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
        let _ = match patience {
            Some(patience) => self.ended.recv_timeout(patience).is_ok(),
            None => self.ended.recv().is_ok(),
        };
    }
}

fn write_all(shared: &Shared, output: &mut impl Write) {
    loop {
        let mut queue = shared.lock();
        let next = loop {
            match queue.waiting.pop_front() {
                Some(next) => break next,
                None if queue.closed => return,
                None => queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(queue); // nobody waits while a slow reader is written to
        let text = next.text + "\n";
        if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
            return; // the reader is gone
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(kind: Kind, text: impl Into<String>) -> Output {
        Output { kind, text: text.into() }
    }

    #[test]
    fn a_full_queue_loses_the_oldest_news_and_no_answer() {
        let mut queue = Queue::default();
        queue.push(output(Kind::Answer, "readyok"));
        for n in 0..1_000 {
            queue.push(output(Kind::Line, format!("line {n}")));
            queue.push(output(Kind::News, format!("news {n}")));
        }
        queue.push(output(Kind::Verdict, "bestmove"));
        for n in 0..1_000 {
            queue.push(output(Kind::News, format!("later {n}")));
        }
        let texts: Vec<_> = queue.waiting.iter().map(|output| output.text.as_str()).collect();
        assert_eq!(texts[..3], ["readyok", "line 999", "bestmove"], "the last line stays with its verdict");
        assert_eq!(texts.len(), 3 + NEWS_QUEUED);
        assert_eq!(texts.last(), Some(&"later 999"));
    }
}
