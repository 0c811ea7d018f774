//! Checks what an engine reports of its searches while it plays: every principal variation is legal to its end, its
//! first move is the move played, depth and nodes never fall, and a proven result holds for the rest of the game.

use serde::{Deserialize, Serialize};

use super::report_fault::ReportFault;
use super::side_label::SideLabel;
use crate::game::{Move, Player, quoted};
use crate::games::any::AnyGame;
use crate::protocol::client::{ReportedScore, SearchInfo};

/// A fault in the reports of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportWarning {
    /// What is wrong.
    pub fault: ReportFault,
    /// Details for the user.
    pub detail: String,
}

/// A warning as the record of a game has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedWarning {
    /// The ply (from 1) of the search.
    pub ply: usize,
    /// The side that searched.
    pub by: SideLabel,
    /// What is wrong.
    pub fault: ReportFault,
    /// Details for the user.
    pub detail: String,
}

/// Checks the lines of one search as they arrive.
pub struct ReportChecker {
    root: AnyGame,
    depth: u32,
    nodes: u64,
    /// The last line of the best move that is no bound.
    finished: SearchInfo,
    /// The score of the best move, where the engine then reported another move with a lower score at the same depth.
    declined: Option<ReportedScore>,
    /// The first move of the last principal variation, and of the last one that is no bound.
    first: [Option<Move>; 2],
    warnings: Vec<ReportWarning>,
}

impl ReportChecker {
    /// For a search of this position.
    pub fn new(root: &AnyGame) -> ReportChecker {
        ReportChecker {
            root: root.clone(),
            depth: 0,
            nodes: 0,
            finished: SearchInfo::default(),
            declined: None,
            first: [None; 2],
            warnings: Vec::new(),
        }
    }

    /// Checks a line of search information.
    pub fn line(&mut self, info: &SearchInfo, line: &str) {
        if let Some(nodes) = info.nodes {
            if nodes < self.nodes {
                let before = self.nodes;
                self.warn(ReportFault::NodesFell, || format!("from {before} to {nodes} in \"{}\"", shown(line)));
            }
            self.nodes = nodes;
        }
        if info.multipv.is_some_and(|rank| rank > 1) {
            self.check_pv(info, line);
            return;
        }
        if let Some(depth) = info.depth.filter(|_| info.score.is_some()) {
            // UCI repeats the last finished line after a bound of the next depth.
            if depth < self.depth && !info.repeats(&self.finished) {
                let before = self.depth;
                self.warn(ReportFault::DepthFell, || format!("from {before} to {depth} in \"{}\"", shown(line)));
            }
            self.depth = depth;
            if !info.bound && !info.repeats(&self.finished) {
                let declines =
                    depth > 0 && self.finished.depth == Some(depth) && self.finished.pv.first() != info.pv.first();
                self.declined = self.finished.score.filter(|_| declines);
                self.finished = info.clone();
            }
        }
        if let Some(first) = self.check_pv(info, line) {
            self.first[0] = Some(first);
            if !info.bound {
                self.first[1] = Some(first);
            }
        }
    }

    /// Checks the move that ends the search. A new best move that was reported as a bound may be given up again.
    pub fn best_move(&mut self, word: &str) {
        let Some(played) = legal(&self.root, word) else { return }; // the runner itself judges moves
        let [last, exact] = self.first;
        if last.is_some_and(|first| first != played) && exact != Some(played) {
            let expected = last.map_or_else(String::new, |first| self.root.write_move(first));
            let word = self.root.write_move(played);
            let detail = || format!("it played {word}, its last principal variation begins with {expected}");
            self.warn(ReportFault::MoveNotInPv, detail);
        }
    }

    /// The score of the best move, if the last line is of another move at the same depth: an engine with a reduced
    /// strength reports the best move first.
    pub fn declined(&self) -> Option<ReportedScore> {
        self.declined
    }

    /// What was wrong, each fault once.
    pub fn into_warnings(self) -> Vec<ReportWarning> {
        self.warnings
    }

    fn warn(&mut self, fault: ReportFault, detail: impl FnOnce() -> String) {
        if self.warnings.iter().all(|warning| warning.fault != fault) {
            self.warnings.push(ReportWarning { fault, detail: detail() });
        }
    }

    /// Plays the principal variation of a line; returns its first move. Forced passes may be left out.
    fn check_pv(&mut self, info: &SearchInfo, line: &str) -> Option<Move> {
        let (mut first, mut played, mut illegal) = (None, 0, None);
        for (index, word) in info.pv.iter().enumerate() {
            let mut found = legal(&self.root, word);
            if found.is_none() && self.root.moves().as_slice() == [Move::PASS] && self.root.play(Move::PASS).is_ok() {
                played += 1;
                found = legal(&self.root, word);
            }
            match found.filter(|&m| self.root.play(m).is_ok()) {
                Some(_) => played += 1,
                None => {
                    illegal = Some((index, word));
                    break;
                }
            }
            first = first.or(found);
        }
        for _ in 0..played {
            self.root.undo();
        }
        if let Some((index, word)) = illegal {
            self.warn(ReportFault::IllegalPv, || {
                format!("\"{}\" at its move {} in \"{}\"", quoted(word), index + 1, shown(line))
            });
        }
        first
    }
}

/// The legal move that a word means in any notation of the game.
fn legal(game: &AnyGame, word: &str) -> Option<Move> {
    let m = game.parse_move(word).ok()?;
    game.moves().contains(&m).then_some(m)
}

/// The beginning of a line, for a message.
fn shown(line: &str) -> String {
    line.trim().chars().take(200).collect()
}

/// A result that an engine says it has proven, from its point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProvenResult {
    /// Loss, draw or win: -1, 0, 1.
    sign: i64,
    /// The final score in discs, if that is proven too.
    discs: Option<i64>,
}

impl ProvenResult {
    /// What a search has proven in a game with or without discs.
    pub fn of(info: &SearchInfo, has_discs: bool) -> Option<ProvenResult> {
        ProvenResult::of_score(info.score.filter(|_| !info.bound)?, info.proven, has_discs)
    }

    /// What a score means; `proven` as in [`SearchInfo`].
    pub fn of_score(score: ReportedScore, proven: Option<bool>, has_discs: bool) -> Option<ProvenResult> {
        match (score, proven) {
            (ReportedScore::Mate(moves), _) => Some(ProvenResult { sign: moves.signum(), discs: None }),
            (ReportedScore::Cp(cp), Some(exact)) => {
                Some(ProvenResult { sign: cp.signum(), discs: (exact && has_discs).then_some(cp / 100) })
            }
            (ReportedScore::Cp(_), None) => None,
        }
    }

    /// The result of a finished game: the winner, and the final score in discs of this side.
    pub fn of_game(half_points: u8, discs: Option<i64>) -> ProvenResult {
        ProvenResult { sign: i64::from(half_points) - 1, discs }
    }

    /// Whether this later result keeps what was proven: it is at least as good.
    pub fn keeps(&self, proven: &ProvenResult) -> bool {
        match (self.discs, proven.discs) {
            (Some(now), Some(before)) => now >= before,
            _ => self.sign >= proven.sign,
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        match self.discs {
            Some(discs) => format!("{discs:+} discs"),
            None => ["a loss", "a draw", "a win"][(self.sign + 1) as usize].into(),
        }
    }
}

/// What both sides have proven in the course of a game, as long as each of their moves is the result of a proof.
#[derive(Clone, Copy, Default, Debug)]
pub struct ProofKeeper([Option<ProvenResult>; 2]);

impl ProofKeeper {
    /// Compares a new result of a side with what it has proven before, and remembers the better one. `declined` is the
    /// result of a better move that the side knowingly did not play.
    pub fn add(&mut self, side: Player, now: ProvenResult, declined: Option<ProvenResult>) -> Option<ReportWarning> {
        let before = self.0[side as usize];
        let keeps = |before: &ProvenResult| now.keeps(before) || declined.is_some_and(|best| best.keeps(before));
        let lost = before.filter(|before| !keeps(before));
        if lost.is_none() {
            self.0[side as usize] = Some(now);
        }
        lost.map(|before| ReportWarning {
            fault: ReportFault::ProofLost,
            detail: format!("{} was proven before, now it is {}", before.text(), now.text()),
        })
    }

    /// The side has made a move without a proof.
    pub fn forget(&mut self, side: Player) {
        self.0[side as usize] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    fn faults(lines: &[&str], best: &str) -> Vec<&'static str> {
        let game = by_name("othello").unwrap();
        let mut checker = ReportChecker::new(&game);
        for line in lines {
            checker.line(&SearchInfo::parse(line), line);
        }
        checker.best_move(best);
        checker.into_warnings().iter().map(|warning| warning.fault.name()).collect()
    }

    #[test]
    fn sound_reports_give_no_warning() {
        let sound = [
            "depth 1 score cp 1 nodes 5 pv f5",
            "depth 2 score cp 3 nodes 9 pv P@f4 d6 c3",
            "nodes 12 nps 4",
            "depth 2 multipv 2 score cp 3 nodes 12 pv c4 e3",
            "depth 3 score cp 9 lowerbound nodes 20 pv d3",
        ];
        // The last exact line counts as well as the bound after it.
        assert_eq!(faults(&sound, "f5"), [""; 0]);
        assert_eq!(faults(&sound, "d3"), [""; 0]);
        assert_eq!(faults(&[], "d3"), [""; 0]);
    }

    #[test]
    fn each_fault_has_its_name_and_is_told_once() {
        assert_eq!(faults(&["depth 1 score cp 1 pv f5"], "d3"), ["move-not-in-pv"]);
        assert_eq!(faults(&["depth 3 pv f5 d6 c3 a1", "depth 3 pv f5 f5"], "f5"), ["illegal-pv"]);
        let falling = ["depth 3 score cp 1 nodes 9", "depth 2 score cp 1 nodes 8", "depth 1 score cp 1 nodes 1"];
        assert_eq!(faults(&falling, "f5"), ["nodes-fell", "depth-fell"]);
    }

    #[test]
    fn a_finished_line_may_be_repeated_after_a_bound() {
        let finished = "depth 5 score cp 200 nodes 9 pv f5 d6";
        let bound = "depth 6 score cp 300 lowerbound nodes 12 pv f5";
        let repeated = "depth 5 score cp 200 nodes 15 pv f5 d6";
        assert_eq!(faults(&[finished, bound, repeated], "f5"), [""; 0]);
        for other in ["depth 5 score cp 100 nodes 15 pv f5 d6", "depth 5 score cp 200 nodes 15 pv f5"] {
            assert_eq!(faults(&[finished, bound, other], "f5"), ["depth-fell"], "{other}");
        }
    }

    #[test]
    fn a_weakened_engine_may_give_away_what_it_has_proven() {
        let game = by_name("othello").unwrap();
        let checked = |lines: &[&str]| {
            let mut checker = ReportChecker::new(&game);
            lines.iter().for_each(|line| checker.line(&SearchInfo::parse(line), line));
            checker.declined()
        };
        let best = "depth 5 score cp 600 nodes 9 pv f5 d6";
        let played = "depth 5 score cp 400 nodes 9 pv d3 c3";
        assert_eq!(checked(&[best, played, played]), Some(ReportedScore::Cp(600)));
        assert_eq!(checked(&[best, best]), None);
        assert_eq!(checked(&["depth 4 score cp 600 nodes 9 pv f5 d6", played]), None, "an earlier iteration");
        let proven = |cp| ProvenResult::of_score(ReportedScore::Cp(cp), Some(true), true);
        let mut proofs = ProofKeeper::default();
        assert_eq!(proofs.add(Player::First, proven(600).unwrap(), None), None);
        assert_eq!(proofs.add(Player::First, proven(400).unwrap(), proven(600)), None);
        assert_eq!(proofs.add(Player::First, ProvenResult::of_game(2, Some(4)), None), None);
        assert!(proofs.add(Player::First, proven(200).unwrap(), proven(300)).is_some());
    }

    #[test]
    fn a_forced_pass_may_be_left_out_of_a_line() {
        // White has no move after f5 to the right edge: Black moves again.
        let mut game = by_name("othello").unwrap();
        game.set_position("8/8/8/8/8/8/8/xo4ox x").unwrap();
        let mut checker = ReportChecker::new(&game);
        let text = game.write_position();
        let first = game.write_move(game.moves()[0]);
        game.play(game.moves()[0]).unwrap();
        assert_eq!(game.moves().as_slice(), [Move::PASS]);
        game.play(Move::PASS).unwrap();
        let second = game.write_move(game.moves()[0]);
        for line in [format!("depth 3 pv {first} {second}"), format!("depth 3 pv {first} pass {second}")] {
            checker.line(&SearchInfo::parse(&line), &line);
        }
        assert_eq!(checker.root.write_position(), text);
        assert_eq!(checker.into_warnings(), []);
    }

    #[test]
    fn a_proven_result_is_kept_or_improved() {
        let proven = |line: &str| {
            let mut info = SearchInfo::parse(line);
            info.merge(SearchInfo::parse(if line.contains("wld") { "string wld" } else { "string exact" }));
            ProvenResult::of(&info, true)
        };
        let mut proofs = ProofKeeper::default();
        assert_eq!(ProvenResult::of(&SearchInfo::parse("depth 9 score cp 200"), true), None);
        assert_eq!(proofs.add(Player::First, proven("depth 9 score cp 200").unwrap(), None), None);
        assert_eq!(proofs.add(Player::First, proven("depth 9 score cp 600").unwrap(), None), None);
        assert_eq!(proofs.add(Player::Second, proven("depth 9 score cp -600").unwrap(), None), None);
        let lost = proofs.add(Player::First, ProvenResult::of_game(2, Some(4)), None).unwrap();
        assert_eq!(lost.detail, "+6 discs was proven before, now it is +4 discs");
        assert_eq!(proofs.add(Player::Second, ProvenResult::of_game(0, Some(-4)), None), None);
        proofs.forget(Player::First);
        assert_eq!(proofs.add(Player::First, ProvenResult::of_game(2, Some(4)), None), None);
        let mate = ProvenResult::of(&SearchInfo::parse("depth 9 score mate 3"), true).unwrap();
        assert!(!ProvenResult::of_game(1, Some(0)).keeps(&mate) && ProvenResult::of_game(2, Some(2)).keeps(&mate));
    }
}
