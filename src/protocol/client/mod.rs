//! The client half of the protocols: what a match runner says to an engine, and how it reads the answers.
//!
//! Text only. Lines go out and come in through a [`Link`]; who holds the other end (a process, a script in a test) is
//! not known here, nor are clocks: a [`Client`] sends `go` and reads lines, the caller measures and decides.
//! The rules come in through the [`Course`], the game so far.
//!
//! Left out: pondering, and analysis (`hint`, MultiPV).

mod course;
mod gtp;
mod info;
mod nboard;
mod uci;
mod ugi;
mod words;

use std::time::Instant;

use thiserror::Error;

use crate::game::{Outcome, Player, quoted};

pub use course::{Course, Ply};
pub use gtp::Gtp;
pub use info::{Info, SaidScore};
pub use nboard::NBoard;
pub use uci::Uci;
pub use ugi::Ugi;

/// A line from the engine and when it arrived.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text without its line end.
    pub text: String,
    /// When the bytes were read.
    pub at: Instant,
}

/// Why no line could be sent or received.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LinkError {
    /// The deadline passed without a line.
    #[error("no answer in time")]
    Timeout,
    /// The engine's output has ended.
    #[error("its output ended")]
    Closed,
    /// The engine has stopped reading: its input is full.
    #[error("it does not read its input")]
    Blocked,
    /// The user wants the whole job to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The way to an engine, line by line.
pub trait Link {
    /// Sends one line; the line end is added.
    fn send(&mut self, line: &str) -> Result<(), LinkError>;
    /// The next line, waiting for it until the deadline.
    fn receive(&mut self, deadline: Instant) -> Result<Line, LinkError>;
}

/// What can go wrong between a client and an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClientError {
    /// No answer came.
    #[error("{error} (waiting for {awaited})")]
    Link {
        /// What was waited for.
        awaited: String,
        /// Why it did not come.
        error: LinkError,
    },
    /// A query about the position was answered wrongly.
    #[error("query {query} answered \"{}\", expected {expected}", quoted(.answer))]
    WrongAnswer {
        /// The query.
        query: String,
        /// The engine's answer.
        answer: String,
        /// What the rules say.
        expected: String,
    },
    /// The engine refused a command, or what it said is no answer.
    #[error("\"{command}\" answered \"{}\"", quoted(.answer))]
    Refused {
        /// What was sent.
        command: String,
        /// What came back.
        answer: String,
    },
    /// The engine or its protocol cannot do what the match needs.
    #[error("{0}")]
    Unable(String),
}

impl ClientError {
    fn link(error: LinkError, awaited: impl Into<String>) -> ClientError {
        ClientError::Link { awaited: awaited.into(), error }
    }
}

/// What the engine says of itself.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its name, empty if it gives none.
    pub name: String,
    /// Its author, empty if it gives none.
    pub author: String,
    /// The options it declares.
    pub options: Vec<Declared>,
}

impl Identity {
    /// The option of that name, in any case.
    pub fn option(&self, name: &str) -> Option<&Declared> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// An option as an engine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: String,
    /// The words behind `default`.
    pub default: String,
    /// The values that a combo lists.
    pub values: Vec<String>,
}

/// One side's clock as a `go` tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockView {
    /// Milliseconds left.
    pub left_ms: u64,
    /// Milliseconds added after each move.
    pub increment_ms: u64,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
}

/// The limits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GoLimits {
    /// The clocks of first and second player, where they have one.
    pub clocks: [Option<ClockView>; 2],
    /// A fixed time for this move, in milliseconds.
    pub move_time_ms: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

impl GoLimits {
    /// The words behind `go`, with the protocol's names for the two players' times and increments.
    fn words(&self, times: [&str; 2], increments: [&str; 2]) -> String {
        use std::fmt::Write;
        let mut words = String::new();
        let clocks =
            || self.clocks.iter().zip(times.iter().zip(increments)).filter_map(|(c, names)| c.map(|c| (c, names)));
        for (clock, (time, _)) in clocks() {
            let _ = write!(words, " {time} {}", clock.left_ms);
        }
        for (clock, (_, increment)) in clocks() {
            let _ = write!(words, " {increment} {}", clock.increment_ms);
        }
        for (name, value) in [
            ("movestogo", self.clocks.iter().flatten().find_map(|clock| clock.moves_to_go).map(u64::from)),
            ("movetime", self.move_time_ms),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
        ] {
            if let Some(value) = value {
                let _ = write!(words, " {name} {value}");
            }
        }
        if words.is_empty() { " infinite".into() } else { words }
    }
}

impl ClockView {
    /// The clock as `tc=` has it, without its number of moves.
    fn control(&self) -> String {
        let increment = if self.increment_ms > 0 { format!("+{}", seconds(self.increment_ms)) } else { String::new() };
        format!("{}{increment}", seconds(self.left_ms))
    }
}

/// Milliseconds in seconds.
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

/// What a line means while the engine thinks.
#[derive(Clone, PartialEq, Debug)]
pub enum Heard {
    /// Nothing to the client.
    Noise,
    /// The engine tells how far it is.
    Info(Info),
    /// It has moved.
    Move {
        /// The move as it wrote it; `None` if the line has none.
        word: Option<String>,
        /// What the same line says of the search.
        info: Info,
    },
    /// It gives up.
    Resigns,
    /// It is alive (`readyok`, `pong`).
    Ready,
    /// It cannot go on; its words.
    Failed(String),
}

/// One protocol, spoken by the client. Every waiting call returns by its deadline.
pub trait Client: Send {
    /// The greeting, up to the engine's own "here I am".
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError>;

    /// Sets an option (button: no value).
    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError>;

    /// Waits until the engine has done all it was told.
    fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError>;

    /// Begins a game of this course with the engine on that side, and waits until the engine is ready. The limits are
    /// those of its first move.
    fn new_game(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        side: Player,
        limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError>;

    /// Tells the position and lets the engine prove that it has it right; the clock does not run yet.
    fn prepare(&mut self, link: &mut dyn Link, course: &Course, deadline: Instant) -> Result<(), ClientError>;

    /// Starts the search.
    fn go(&mut self, link: &mut dyn Link, course: &Course, limits: &GoLimits) -> Result<(), ClientError>;

    /// What a line means that comes while the engine thinks.
    fn hear(&mut self, line: &str) -> Heard;

    /// Asks for a sign of life (answered by [`Heard::Ready`]); `false` if the protocol has none during a search.
    fn probe(&mut self, _link: &mut dyn Link) -> Result<bool, ClientError> {
        Ok(false)
    }

    /// Asks the engine to move at once; `false` if the protocol cannot.
    fn stop(&mut self, _link: &mut dyn Link) -> Result<bool, ClientError> {
        Ok(false)
    }

    /// Tells the engine that the game is over, and lets it prove that it agrees, where its protocol has words for that; else it only
    /// gets the last moves.
    fn game_over(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        _outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        self.prepare(link, course, deadline)
    }

    /// Says good-bye; nothing is waited for.
    fn quit(&mut self, link: &mut dyn Link) {
        // A peer that is gone has quit already.
        let _ = link.send("quit");
    }

    /// Which of these limits, those of a game's first move, the protocol has no words for.
    fn not_told(&self, _limits: &GoLimits) -> Vec<String> {
        Vec::new()
    }

    /// Whether games may begin at any position, not only after moves from the start.
    fn takes_positions(&self) -> bool {
        true
    }
}

/// How passes are told in lists of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassStyle {
    /// By this word.
    Word(String),
    /// Not at all.
    Implicit,
}

/// Receives lines until `wanted` finds the one that is waited for. The error names the last line that it was not.
fn wait_for<T>(
    link: &mut dyn Link,
    deadline: Instant,
    awaited: &str,
    mut wanted: impl FnMut(&str) -> Option<T>,
) -> Result<T, ClientError> {
    let mut last = String::new();
    loop {
        let line = link.receive(deadline).map_err(|error| match last.trim() {
            "" => ClientError::link(error, awaited),
            last => ClientError::link(error, format!("{awaited}; the last line was \"{}\"", quoted(last))),
        })?;
        if let Some(found) = wanted(&line.text) {
            return Ok(found);
        }
        if !line.text.trim().is_empty() {
            last = line.text;
        }
    }
}

/// Sends lines, one after the other.
fn send_all<S: AsRef<str>>(link: &mut dyn Link, lines: impl IntoIterator<Item = S>) -> Result<(), ClientError> {
    for line in lines {
        let line = line.as_ref();
        link.send(line).map_err(|error| ClientError::link(error, format!("it to take \"{}\"", quoted(line))))?;
    }
    Ok(())
}

/// The words of UGI's `query result`.
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::FirstWins => "p1win",
        Outcome::SecondWins => "p2win",
        Outcome::Draw => "draw",
    }
}

#[cfg(test)]
mod testing {
    //! A link to a script: what the client must send, and what comes back.

    use std::collections::VecDeque;

    use super::*;

    /// Lines beginning with `> ` must be sent in this order; lines beginning with `< ` are answered.
    pub struct Script(VecDeque<String>);

    impl Script {
        pub fn new(text: &str) -> Script {
            Script(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect())
        }

        /// Everything must have been said.
        #[track_caller]
        pub fn finish(self) {
            assert!(self.0.is_empty(), "left in the script: {:?}", self.0);
        }
    }

    impl Link for Script {
        fn send(&mut self, line: &str) -> Result<(), LinkError> {
            let expected = self.0.pop_front().unwrap_or_default();
            assert_eq!(expected, format!("> {line}"));
            Ok(())
        }

        fn receive(&mut self, _deadline: Instant) -> Result<Line, LinkError> {
            match self.0.front().and_then(|line| line.strip_prefix('<')) {
                Some(text) => {
                    let text = text.strip_prefix(' ').unwrap_or(text).to_string();
                    self.0.pop_front();
                    Ok(Line { text, at: Instant::now() })
                }
                None => Err(LinkError::Timeout),
            }
        }
    }
}
