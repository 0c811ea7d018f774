//! What an engine says of its search: `info` lines of UGI and UCI, read leniently (an engine's noise is no fault).

use serde::{Deserialize, Serialize};

/// A score as it was said, from the view of the side that searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaidScore {
    /// Hundredths of a point (of a disc in Reversi).
    Cp(i64),
    /// Moves to the end of a decided game, negative if lost.
    Mate(i64),
}

/// The figures of one or several lines: later lines replace what they mention.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Deepest ply seen.
    pub seldepth: Option<u32>,
    /// The score.
    pub score: Option<SaidScore>,
    /// Whether the score is only a bound.
    pub bound: bool,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The engine's own time, in milliseconds.
    pub time_ms: Option<u64>,
    /// Nodes a second.
    pub nps: Option<u64>,
    /// The principal variation, as words.
    pub pv: Vec<String>,
    /// Which of several lines this is (1 the best).
    pub multipv: Option<u32>,
}

impl Info {
    /// Reads the words behind `info`. Words it does not know, and values it cannot read, are passed over.
    pub fn parse(words: &str) -> Info {
        let mut info = Info::default();
        let mut words = words.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|value| value.parse::<i64>().ok());
            match word {
                "depth" => info.depth = number().and_then(|n| u32::try_from(n).ok()),
                "seldepth" => info.seldepth = number().and_then(|n| u32::try_from(n).ok()),
                "multipv" => info.multipv = number().and_then(|n| u32::try_from(n).ok()),
                "nodes" => info.nodes = number().and_then(|n| u64::try_from(n).ok()),
                "time" => info.time_ms = number().and_then(|n| u64::try_from(n).ok()),
                "nps" => info.nps = number().and_then(|n| u64::try_from(n).ok()),
                "cp" => info.score = number().map(SaidScore::Cp),
                "mate" => info.score = number().map(SaidScore::Mate),
                "lowerbound" | "upperbound" => info.bound = true,
                "pv" => {
                    info.pv = words.map(String::from).collect();
                    break;
                }
                // Free text to the end of the line.
                "string" => break,
                _ => {}
            }
        }
        info
    }

    /// Takes over what a later line says. A bound does not replace a score, nor does a line that is not the best.
    pub fn merge(&mut self, later: Info) {
        if later.multipv.is_some_and(|number| number > 1) {
            return;
        }
        if later.score.is_some() && !(later.bound && self.score.is_some()) {
            self.score = later.score;
            self.bound = later.bound;
        }
        if !later.pv.is_empty() && !later.bound {
            self.pv = later.pv;
        }
        self.depth = later.depth.or(self.depth);
        self.seldepth = later.seldepth.or(self.seldepth);
        self.nodes = later.nodes.or(self.nodes);
        self.time_ms = later.time_ms.or(self.time_ms);
        self.nps = later.nps.or(self.nps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_merged() {
        let mut info =
            Info::parse("depth 8 seldepth 9 multipv 1 score cp -300 nodes 671 nps 9867 tbhits 0 time 68 pv P@f5 P@d6");
        assert_eq!(
            (info.depth, info.score, info.nodes, info.time_ms),
            (Some(8), Some(SaidScore::Cp(-300)), Some(671), Some(68))
        );
        assert_eq!(info.pv, ["P@f5", "P@d6"]);
        info.merge(Info::parse("depth 9 score cp 900 lowerbound nodes 900 pv P@a1"));
        assert_eq!((info.depth, info.score, info.nodes), (Some(9), Some(SaidScore::Cp(-300)), Some(900)));
        assert_eq!(info.pv, ["P@f5", "P@d6"]);
        info.merge(Info::parse("multipv 2 depth 11 score cp 4 pv c4"));
        assert_eq!(info.depth, Some(9));
        info.merge(Info::parse("string depth 77 score cp 1"));
        assert_eq!(info.depth, Some(9));
        info.merge(Info::parse("depth ten score mate -3"));
        assert_eq!((info.depth, info.score), (Some(9), Some(SaidScore::Mate(-3))));
    }
}
