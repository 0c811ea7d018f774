//! Search information as engines report it: a lenient parser of the `info` lines of UGI and UCI.

use std::str::FromStr;

use crate::games::record::ReportedScore;

/// The values of one or several lines; later lines overwrite the values they contain.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchInfo {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Deepest ply seen.
    pub seldepth: Option<u32>,
    /// The score.
    pub score: Option<ReportedScore>,
    /// Whether the score is only a bound.
    pub bound: bool,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The engine's own time, in milliseconds.
    pub time_ms: Option<u64>,
    /// The principal variation, as words.
    pub pv: Vec<String>,
    /// The MultiPV rank of the line (1: best).
    pub multipv: Option<u32>,
    /// Whether the score is proven, as nullwindow prints before its move: exactly (true), or only
    /// win, loss or draw.
    pub proven: Option<bool>,
    /// Whether the move comes from the engine's book, as nullwindow prints before its line.
    pub book: bool,
}

impl SearchInfo {
    /// Parses the words after `info`. Unknown words, invalid values and `currmove` lines, whose
    /// iteration is not complete, are skipped.
    pub fn parse(words: &str) -> SearchInfo {
        let mut info = SearchInfo::default();
        let mut words = words.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(&mut words),
                "seldepth" => info.seldepth = number(&mut words),
                "multipv" => info.multipv = number(&mut words),
                "nodes" => info.nodes = number(&mut words),
                "time" => info.time_ms = number(&mut words),
                "cp" => info.score = number(&mut words).map(ReportedScore::Cp),
                "mate" => info.score = number(&mut words).map(ReportedScore::Mate),
                "lowerbound" | "upperbound" => info.bound = true,
                "pv" => {
                    info.pv = words.map(String::from).collect();
                    break;
                }
                "currmove" => return SearchInfo::default(),
                // Free text to the end of the line.
                "string" => {
                    match (words.next(), words.next()) {
                        (Some("exact"), None) => info.proven = Some(true),
                        (Some("wld"), None) => info.proven = Some(false),
                        (Some("book"), Some("level")) => info.book = true,
                        _ => {}
                    }
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// The score, unless it is only a bound.
    pub fn exact_score(&self) -> Option<ReportedScore> {
        self.score.filter(|_| !self.bound)
    }

    /// Whether the line repeats an earlier one: the same depth, score and variation, with new
    /// counters.
    pub fn repeats(&self, earlier: &SearchInfo) -> bool {
        (self.depth, self.score, self.bound, &self.pv)
            == (earlier.depth, earlier.score, earlier.bound, &earlier.pv)
    }

    /// Merges a later line. A bound does not overwrite a score; lines with MultiPV rank 2 or more
    /// are ignored.
    pub fn merge(&mut self, later: SearchInfo) {
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
        self.proven = later.proven.or(self.proven);
        self.book |= later.book;
    }
}

/// The next word as a number.
fn number<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_merged() {
        let mut info = SearchInfo::parse(
            "depth 8 seldepth 9 multipv 1 score cp -300 nodes 671 nps 9867 tbhits 0 time 68 pv P@f5 P@d6",
        );
        assert_eq!(
            (info.depth, info.score, info.nodes, info.time_ms),
            (Some(8), Some(ReportedScore::Cp(-300)), Some(671), Some(68))
        );
        assert_eq!(info.pv, ["P@f5", "P@d6"]);
        info.merge(SearchInfo::parse(
            "depth 9 score cp 900 lowerbound nodes 900 pv P@a1",
        ));
        assert_eq!(
            (info.depth, info.score, info.nodes),
            (Some(9), Some(ReportedScore::Cp(-300)), Some(900))
        );
        assert_eq!(info.pv, ["P@f5", "P@d6"]);
        info.merge(SearchInfo::parse("multipv 2 depth 11 score cp 4 pv c4"));
        assert_eq!(info.depth, Some(9));
        info.merge(SearchInfo::parse("string depth 77 score cp 1"));
        assert_eq!((info.depth, info.proven), (Some(9), None));
        assert_eq!(SearchInfo::parse("string exactly").proven, None);
        info.merge(SearchInfo::parse("string exact"));
        assert_eq!(info.proven, Some(true));
        info.merge(SearchInfo::parse("depth 12 currmove e2e4 currmovenumber 3"));
        assert_eq!(info.depth, Some(9));
        info.merge(SearchInfo::parse("depth ten score mate -3"));
        assert_eq!(
            (info.depth, info.score),
            (Some(9), Some(ReportedScore::Mate(-3)))
        );
    }
}
