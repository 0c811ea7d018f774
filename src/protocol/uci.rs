//! UCI for games other than chess, as used by python-chess, cutechess and variantfishtest: UGI's commands with the
//! following differences.
//!
//! `bestmove` may name the ponder move. A move list with an illegal move is rejected as a whole. Option `UCI_Variant`
//! selects the game and the notation of moves. variantfishtest has no rules and ends a game by the last info line of a
//! search, so that line always has a score and a variation: `mate 1` if the best move wins at once, `mate -1` if it
//! loses at once, `cp 0` with a variation of one move if and only if it draws at once; in a finished game `mate 0`
//! (lost), `cp 0` (drawn) or `mate 1` (won), without a variation.

#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;

use super::dialect::{Dialect, Tag};
use super::ugi::{Ugi, print};
use super::writer::{Output, OutputKind};
use crate::engine::event::{Bound, Certainty, Event, Info, ProvenEnd};
use crate::engine::request::Request;

/// The dialect.
#[derive(Debug)]
pub struct Uci {
    ugi: Ugi,
    /// The best move's line of the last completed iteration.
    last: Option<Info>,
    /// The last line with a bound of the iteration in progress. It may name the move that is played if the search ends
    /// before the iteration.
    last_bound: Option<Info>,
    /// Whether another line was written after it.
    is_stale: bool,
}

impl Dialect for Uci {
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>) {
        self.ugi.parse(line)
    }

    fn format(&mut self, tag: Tag, event: &Event) -> Option<Output> {
        match event {
            Event::Info(info) => Some(self.info(info)),
            Event::Best { word, reply, certainty, accuracy } => {
                let accuracy = print::accuracy_line(accuracy.as_deref());
                Some(self.best(word.as_deref(), reply.as_deref(), *certainty, &accuracy))
            }
            _ => self.ugi.format(tag, event),
        }
    }
}

impl Uci {
    /// UCI with these settings of UGI.
    pub fn new(ugi: Ugi) -> Uci {
        Uci { ugi: Ugi { ponders: true, ..ugi }, last: None, last_bound: None, is_stale: false }
    }

    fn info(&mut self, info: &Info) -> Output {
        let is_first = info.multi_pv.is_none_or(|index| index == 1);
        let is_completed = is_first && matches!(info.score, Some((_, Bound::Exact)));
        let kind = if is_completed { OutputKind::Pv } else { OutputKind::Progress };
        self.is_stale = !is_completed;
        if is_completed {
            (self.last, self.last_bound) = (Some(info.clone()), None);
        } else if is_first && !info.pv.is_empty() {
            self.last_bound = Some(info.clone());
        }
        for last in self.last.iter_mut().chain(&mut self.last_bound) {
            (last.nodes, last.elapsed) = (info.nodes, info.elapsed);
        }
        // The line with the score comes last.
        let selectivity = print::selectivity(info).map_or_else(String::new, |line| format!("{line}\n"));
        Output { kind, text: selectivity + &line(info) }
    }

    fn best(&mut self, word: Option<&str>, reply: Option<&str>, certainty: Certainty, accuracy: &str) -> Output {
        let (last, last_bound) = (self.last.take(), self.last_bound.take());
        let names_move = |info: &Info| info.pv.first().map(String::as_str) == word;
        let last = match last_bound.filter(names_move) {
            Some(bound) if !last.as_ref().is_some_and(names_move) => Some(bound),
            _ => last.filter(|last| !last.pv.is_empty()),
        };
        let before = if last.is_some() { accuracy.to_owned() + print::exactness(certainty) } else { String::new() };
        let repeated = last.filter(|_| self.is_stale || !before.is_empty()).map(|last| line(&last) + "\n");
        let (repeated, word, reply) =
            (repeated.unwrap_or_default(), word.unwrap_or("(none)"), print::field("ponder", reply));
        let text = format!("{before}{repeated}bestmove {word}{reply}");
        self.is_stale = false;
        Output { kind: OutputKind::BestMove, text }
    }
}

fn line(info: &Info) -> String {
    print::info(info, score)
}

/// The words after `score`.
fn score(score: i32, info: &Info) -> String {
    let exact = matches!(info.score, Some((_, Bound::Exact)));
    match info.end.filter(|end| exact || end.plies == 1) {
        Some(ProvenEnd { plies: 0, result: Ordering::Greater }) => "mate 1".into(),
        Some(ProvenEnd { plies, result: Ordering::Greater }) => format!("mate {}", plies.div_ceil(2)),
        Some(ProvenEnd { plies: 0, result: Ordering::Less }) => "mate 0".into(),
        Some(ProvenEnd { plies, result: Ordering::Less }) => format!("mate -{}", plies.div_ceil(2)),
        Some(ProvenEnd { result: Ordering::Equal, .. }) => "cp 0".into(),
        // To variantfishtest `cp 0` with one move is a draw on the board, so another zero is written as the smallest
        // score.
        None if score == 0 && info.pv.len() == 1 => "cp 1".into(),
        None => format!("cp {score}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::event::Player;

    fn info(cp: i32, pv: &[&str], end: Option<(u32, Ordering)>) -> Info {
        Info {
            pv: pv.iter().map(|word| String::from(*word)).collect(),
            end: end.map(|(plies, result)| ProvenEnd { plies, result }),
            ..Info::of_finished_game(cp, Player::First, Duration::ZERO)
        }
    }

    #[test]
    fn the_end_of_a_game_is_written_as_its_clients_expect() {
        use Ordering::{Equal, Greater, Less};
        for (cp, pv, end, expected) in [
            (800, &["P@a1"][..], Some((1, Greater)), "mate 1"),
            (-800, &["P@a1"], Some((1, Less)), "mate -1"),
            (0, &["P@a1"], Some((1, Equal)), "cp 0"),
            (0, &["P@a1"], None, "cp 1"),
            (0, &["P@a1", "P@b1"], None, "cp 0"),
            (-6400, &[], Some((0, Less)), "mate 0"),
            (6400, &[], Some((0, Greater)), "mate 1"),
            (0, &[], Some((0, Equal)), "cp 0"),
            (9_997, &["a1", "b1", "c1"], Some((3, Greater)), "mate 2"),
            (-9_998, &["a1", "b1"], Some((2, Less)), "mate -1"),
            (350, &["P@a1"], None, "cp 350"),
        ] {
            assert_eq!(score(cp, &info(cp, pv, end)), expected);
        }
    }

    #[test]
    fn the_last_line_before_bestmove_has_score_and_variation() {
        let mut uci = Uci::new(Ugi::default());
        let mut write = |event: Event| uci.format(Tag::default(), &event).map(|output| output.text).unwrap_or_default();
        let found = info(300, &["d3", "c5"], None);
        let repeat = Info { nodes: 77, is_repeat: true, ..found.clone() };
        let bound = Info { score: Some((500, Bound::Lower)), nodes: 99, ..found.clone() };
        let best =
            |certainty| Event::Best { word: Some("d3".into()), reply: Some("c5".into()), certainty, accuracy: None };
        write(Event::Info(found.clone()));
        assert!(write(Event::Info(repeat)).contains("score cp 300 nodes 77 "));
        write(Event::Info(bound));
        let text = write(best(Certainty::Heuristic));
        assert!(text.starts_with("info depth 0 seldepth 0 score cp 300 nodes 99 "), "{text}");
        assert!(text.ends_with(" pv d3 c5\nbestmove d3 ponder c5"), "{text}");
        let better = Info { score: Some((500, Bound::Lower)), ..info(500, &["c4"], None) };
        write(Event::Info(found.clone()));
        write(Event::Info(better));
        let text = write(Event::Best {
            word: Some("c4".into()),
            reply: None,
            certainty: Certainty::Heuristic,
            accuracy: None,
        });
        assert!(text.ends_with(" pv c4\nbestmove c4") && text.contains("score cp 500 lowerbound "), "{text}");
        write(Event::Info(found.clone()));
        assert_eq!(write(best(Certainty::Heuristic)), "bestmove d3 ponder c5");
        write(Event::Info(found));
        let text = write(best(Certainty::Exact));
        assert!(text.starts_with("info string exact\ninfo depth 0 "), "{text}");
        write(Event::Info(info(-200, &[], Some((0, Ordering::Less)))));
        let over = Event::no_move();
        assert_eq!(write(over), "bestmove (none)");
    }
}
