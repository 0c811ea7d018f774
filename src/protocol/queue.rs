//! The queue of commands that are not handled yet, and the choice of the next one.
//!
//! Commands are handled in order of arrival, except during a search: `isready` is answered at once,
//! and `stop` and `ponderhit` apply to the last search sent before them. This depends only on the
//! order of the commands, not on their timing.

use std::collections::{BTreeMap, BTreeSet};

use super::dialect::Tag;
use crate::engine::Activity;
use crate::engine::request::Request;
use crate::platform::clock::Instant;

/// The queue. Commands are numbered in order of arrival.
#[derive(Default)]
pub struct CommandQueue {
    /// The number of commands so far.
    arrivals: u64,
    /// The tag of its answers, the request, and when its line arrived.
    waiting: BTreeMap<u64, (Tag, Request, Instant)>,
    /// The numbers of each `isready`, `stop` and `ponderhit`.
    urgent: BTreeSet<u64>,
    /// Each command that starts a search (or another job that `stop` ends).
    searches: BTreeSet<u64>,
}

impl CommandQueue {
    /// Appends a command.
    pub fn push(&mut self, tag: Tag, request: Request, arrived: Instant) {
        let number = self.arrivals;
        self.arrivals += 1;
        if request.is_urgent() {
            self.urgent.insert(number);
        } else if request.is_search() {
            self.searches.insert(number);
        }
        self.waiting.insert(number, (tag, request, arrived));
    }

    /// Removes and returns the command to be handled now, if there is one.
    ///
    /// During a search that is the first `isready`, or the first `stop` or `ponderhit` with no
    /// other search before it. A search that only `stop` or `ponderhit` can end takes the first of
    /// them from anywhere in the queue; otherwise it would block the queue forever.
    pub fn next(&mut self, activity: Activity) -> Option<(Tag, Request, Instant)> {
        let number = match activity {
            Activity::Idle => *self.waiting.first_key_value()?.0,
            Activity::Preparing => return None,
            _ => {
                let mut urgent = self.urgent.iter().copied();
                urgent.find(|&number| self.is_due(number, activity))?
            }
        };
        self.urgent.remove(&number);
        self.searches.remove(&number);
        self.waiting.remove(&number)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes all queued searches.
    pub fn drop_searches(&mut self) {
        for number in std::mem::take(&mut self.searches) {
            self.waiting.remove(&number);
        }
    }

    /// Whether this urgent command is handled during such a job: not if it would end another one.
    fn is_due(&self, number: u64, activity: Activity) -> bool {
        let is_before_searches = self.searches.first().is_none_or(|&search| number < search);
        match self.waiting.get(&number).map(|(_, request, _)| request) {
            Some(Request::Stop) => is_before_searches || activity != Activity::Working,
            Some(Request::PonderHit) => {
                is_before_searches || activity == Activity::AwaitingPonderHit
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::request::Go;

    fn queue(words: &str) -> CommandQueue {
        let mut queue = CommandQueue::default();
        for word in words.split(' ') {
            let request = match word {
                "go" => Request::Go(Go::default()),
                "perft" => Request::Go(Go {
                    perft: Some(1),
                    ..Go::default()
                }),
                "moves" => Request::Rank(Go::default()),
                "stop" => Request::Stop,
                "ponderhit" => Request::PonderHit,
                "isready" => Request::Ready,
                text => Request::Text(text.into()),
            };
            queue.push(Tag::default(), request, Instant::now());
        }
        queue
    }

    /// The commands taken one after the other during this activity.
    fn taken(queue: &mut CommandQueue, activity: Activity) -> String {
        let next = || queue.next(activity).map(|(_, request, _)| word(&request));
        std::iter::from_fn(next).collect::<Vec<_>>().join(" ")
    }

    fn word(request: &Request) -> String {
        match request {
            Request::Go(Go { perft: Some(_), .. }) => "perft".into(),
            Request::Go(_) => "go".into(),
            Request::Rank(_) => "moves".into(),
            Request::Stop => "stop".into(),
            Request::PonderHit => "ponderhit".into(),
            Request::Ready => "isready".into(),
            Request::Text(text) => text.clone(),
            request => panic!("{request:?}"),
        }
    }

    #[test]
    fn an_idle_engine_takes_all_in_order_and_a_preparing_one_none() {
        let all = "a go isready stop go ponderhit b moves perft";
        let mut queue = queue(all);
        assert_eq!(taken(&mut queue, Activity::Preparing), "");
        assert_eq!(taken(&mut queue, Activity::Idle), all);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_search_takes_the_signals_up_to_the_next_search_and_every_isready() {
        for search in ["go", "moves", "perft"] {
            let mut queue = queue(&format!(
                "a isready stop b ponderhit {search} isready stop c"
            ));
            assert_eq!(
                taken(&mut queue, Activity::Working),
                "isready stop ponderhit isready"
            );
            assert_eq!(
                taken(&mut queue, Activity::Idle),
                format!("a b {search} stop c")
            );
        }
    }

    #[test]
    fn an_infinite_search_takes_a_signal_that_follows_the_next_search() {
        let mut queue = queue("a go ponderhit isready stop stop");
        let mut next = |activity| queue.next(activity).map(|(_, request, _)| word(&request));
        assert_eq!(next(Activity::Working).as_deref(), Some("isready"));
        assert_eq!(next(Activity::Working), None);
        assert_eq!(next(Activity::AwaitingStop).as_deref(), Some("stop"));
        assert_eq!(
            next(Activity::AwaitingPonderHit).as_deref(),
            Some("ponderhit")
        );
        assert_eq!(taken(&mut queue, Activity::Idle), "a go stop");
    }

    #[test]
    fn dropping_searches_keeps_the_others_in_order() {
        let mut queue = queue("a go stop b moves isready c");
        queue.drop_searches();
        assert_eq!(taken(&mut queue, Activity::Working), "stop isready");
        assert_eq!(taken(&mut queue, Activity::Idle), "a b c");
    }
}
