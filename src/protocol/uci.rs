//! UCI for games other than chess, as used by python-chess, cutechess and variantfishtest: UGI's
//! commands with the following differences.
//!
//! `bestmove` may name the ponder move. A move list with an illegal move is rejected as a whole.
//! Option `UCI_Variant` selects the game and the notation of moves. variantfishtest has no rules
//! and ends a game by the last info line of a search, so that line always has a score and a
//! variation: `mate 1` if the best move wins at once, `mate -1` if it loses at once, `cp 0` with a
//! variation of one move if and only if it draws at once; in a finished game `mate 0` (lost),
//! `cp 0` (drawn) or `mate 1` (won), without a variation.

#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;

use super::dialect::{Dialect, Tag};
use super::ugi::{Ugi, print};
use super::writer::{Output, OutputKind};
use crate::engine::event::{Bound, Event, Info, ProvenEnd};
use crate::engine::request::Request;

/// The dialect.
#[derive(Debug)]
pub struct Uci(pub(super) Ugi);

impl Dialect for Uci {
    fn parse(&mut self, line: &str) -> (Tag, Vec<Request>) {
        self.0.parse(line)
    }

    fn format(&mut self, tag: &Tag, event: &Event) -> Vec<Output> {
        match event {
            Event::Info(info) => {
                // The line with the score comes last.
                let line = Output::progress(info, line(info));
                print::selectivity(info).into_iter().chain([line]).collect()
            }
            Event::Best {
                word,
                reply,
                certainty,
                accuracy,
                last,
            } => {
                let mut text = String::new();
                if let Some((last, is_due)) = last {
                    text = print::accuracy_line(accuracy.as_deref()) + print::exactness(*certainty);
                    if *is_due || !text.is_empty() {
                        text += &(line(last) + "\n");
                    }
                }
                let word = word.as_deref().unwrap_or("(none)");
                let reply = print::field("ponder", reply.as_ref());
                text += &format!("bestmove {word}{reply}");
                vec![Output {
                    kind: OutputKind::BestMove,
                    text,
                }]
            }
            _ => self.0.format(tag, event),
        }
    }
}

fn line(info: &Info) -> String {
    print::info(info, score)
}

/// The words after `score`.
fn score(score: i32, info: &Info) -> String {
    let end = info
        .end
        .filter(|end| info.report.bound == Bound::Exact || end.plies == 1);
    let moves = |end: ProvenEnd| i64::from(end.plies.div_ceil(2));
    match end.map(|end| (end.result, moves(end))) {
        Some((Ordering::Greater, moves)) => format!("mate {}", moves.max(1)),
        Some((Ordering::Less, moves)) => format!("mate {}", -moves),
        Some((Ordering::Equal, _)) => "cp 0".into(),
        // To variantfishtest `cp 0` with one move is a draw on the board, so another zero is
        // written as the smallest score.
        None if score == 0 && info.pv.len() == 1 => "cp 1".into(),
        None => format!("cp {score}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::event::{Certainty, Player, Progress};
    use crate::game::score::Score;
    use crate::search::RootMove;
    use crate::search::stats::Counters;

    fn info(cp: i32, pv: &[&str], end: Option<(u32, Ordering)>) -> Info {
        let (line, counters) = (RootMove::game_over(Score(cp)), Counters::default());
        Info {
            report: Progress::of(&line, 0, counters, Duration::ZERO),
            pv: pv.iter().map(|word| String::from(*word)).collect(),
            mover: Player::First,
            is_repeat: false,
            end: end.map(|(plies, result)| ProvenEnd { plies, result }),
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
        let mut uci = Uci(Ugi::default());
        let mut write = |event: Event| {
            let outputs = uci.format(&Tag::default(), &event);
            outputs
                .into_iter()
                .map(|output| output.text)
                .collect::<String>()
        };
        let mut found = info(300, &["d3", "c5"], None);
        found.report.counters.nodes = 99;
        let mut best = |certainty, is_due| {
            let last = Some((found.clone(), is_due));
            let (word, reply) = (Some("d3".into()), Some("c5".into()));
            write(Event::Best {
                word,
                reply,
                certainty,
                accuracy: None,
                last,
            })
        };
        let text = best(Certainty::Heuristic, true);
        assert!(
            text.starts_with("info depth 0 seldepth 0 score cp 300 nodes 99 "),
            "{text}"
        );
        assert!(text.ends_with(" pv d3 c5\nbestmove d3 ponder c5"), "{text}");
        assert_eq!(best(Certainty::Heuristic, false), "bestmove d3 ponder c5");
        let text = best(Certainty::Exact, false);
        assert!(
            text.starts_with("info string exact\ninfo depth 0 "),
            "{text}"
        );
        let no_move = Event::Best {
            word: None,
            reply: None,
            certainty: Certainty::Exact,
            accuracy: None,
            last: None,
        };
        assert_eq!(write(no_move), "bestmove (none)");
    }
}
