//! Checks the search reports of a playing engine: principal variations are legal and begin with the
//! move played, depth and nodes never decrease, no error is reported, and a proven result holds for
//! the rest of the game.

use crate::arena::client::{GameHistory, REPORTED_ERROR, SearchInfo};
use crate::arena::rules::warning::{ReportFault, ReportWarning};
use crate::game::{Player, quoted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::record::{self, ReportedScore};

/// Checks the lines of one search as they arrive.
#[derive(Default)]
pub struct ReportChecker {
    /// `None`: without rules, moves are compared as text.
    root: Option<AnyPosition>,
    depth: u32,
    nodes: u64,
    /// The last line of the best move with an exact score.
    finished: SearchInfo,
    /// The score of the best move, if the engine then reported another move at the same depth: an
    /// engine with reduced strength reports the best move first.
    pub declined: Option<ReportedScore>,
    /// The first move of the last principal variation, and of the last one with an exact score.
    first: [Option<String>; 2],
    warnings: Vec<ReportWarning>,
}

impl ReportChecker {
    /// A checker of a search of the present position.
    pub fn new(game: &GameHistory) -> ReportChecker {
        ReportChecker {
            root: game.rules().ok().map(|game| game.position()),
            ..ReportChecker::default()
        }
    }

    /// Checks a line of search information.
    pub fn line(&mut self, info: &SearchInfo, line: &str) {
        if let Some(error) = line.strip_prefix(REPORTED_ERROR) {
            let error = truncated(error.trim_start_matches(':'));
            self.warn(ReportFault::EngineError, format!("\"{error}\""));
        }
        if let Some(nodes) = info.nodes {
            if nodes < self.nodes {
                let detail = format!("from {} to {nodes} in \"{}\"", self.nodes, truncated(line));
                self.warn(ReportFault::NodesFell, detail);
            }
            self.nodes = nodes;
        }
        if info.multipv.is_some_and(|rank| rank > 1) {
            self.check_pv(info, line);
            return;
        }
        if let Some(depth) = info.depth.filter(|_| info.score.is_some()) {
            // In UCI the last finished line may be repeated after a bound of the next depth.
            if depth < self.depth && !info.repeats(&self.finished) {
                let detail = format!("from {} to {depth} in \"{}\"", self.depth, truncated(line));
                self.warn(ReportFault::DepthFell, detail);
            }
            self.depth = depth;
            if !info.bound && !info.repeats(&self.finished) {
                let declines = depth > 0
                    && self.finished.depth == Some(depth)
                    && self.finished.pv.first() != info.pv.first();
                self.declined = self.finished.score.filter(|_| declines);
                self.finished = info.clone();
            }
        }
        if let Some(first) = self.check_pv(info, line) {
            if !info.bound {
                self.first[1] = Some(first.clone());
            }
            self.first[0] = Some(first);
        }
    }

    /// Checks the move that ends the search, if it is legal, and returns the warnings, at most one
    /// of each kind. The engine may reject a new best move that it reported as a bound.
    pub fn finish(mut self, word: Option<&str>) -> Vec<ReportWarning> {
        let played = word.and_then(|word| match self.root {
            Some(root) => Some(root.write_move(AnyGame::from(root).legal_move(word)?)),
            None => Some(word.into()),
        });
        if let (Some(played), [Some(last), exact]) = (played, self.first.clone())
            && last != played
            && exact.as_ref() != Some(&played)
        {
            let detail =
                format!("it played {played}, but its last principal variation begins with {last}");
            self.warn(ReportFault::MoveNotInPv, detail);
        }
        self.warnings
    }

    fn warn(&mut self, fault: ReportFault, detail: String) {
        if self.warnings.iter().all(|warning| warning.fault != fault) {
            self.warnings.push(ReportWarning { fault, detail });
        }
    }

    /// Plays the principal variation of a line and returns its first move. Forced passes may be
    /// omitted.
    fn check_pv(&mut self, info: &SearchInfo, line: &str) -> Option<String> {
        let Some(root) = self.root else {
            return info.pv.first().cloned();
        };
        let mut game = AnyGame::from(root);
        let mut first = None;
        for (index, word) in info.pv.iter().enumerate() {
            let played = game
                .parse_move(word)
                .ok()
                .filter(|&m| record::play(&mut game, m).is_ok());
            if played.is_none() {
                let detail = format!(
                    "move {}, \"{}\", in \"{}\"",
                    index + 1,
                    quoted(word),
                    truncated(line)
                );
                self.warn(ReportFault::IllegalPv, detail);
                break;
            }
            first = first.or(played);
        }
        first.map(|first| root.write_move(first))
    }
}

/// The beginning of a line, for messages.
fn truncated(line: &str) -> String {
    line.trim().chars().take(200).collect()
}

/// A result that an engine reports as proven, from its point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProvenResult {
    /// Loss, draw or win: -1, 0, 1.
    sign: i64,
    /// The final score in discs, if that is proven too.
    discs: Option<i64>,
}

impl ProvenResult {
    /// The proven result of a score; `proven` as in [`SearchInfo`].
    pub fn of_score(
        score: ReportedScore,
        proven: Option<bool>,
        has_discs: bool,
    ) -> Option<ProvenResult> {
        match (score, proven) {
            (ReportedScore::Mate(moves), _) => Some(ProvenResult {
                sign: moves.signum(),
                discs: None,
            }),
            (ReportedScore::Cp(cp), Some(exact)) => Some(ProvenResult {
                sign: cp.signum(),
                discs: (exact && has_discs).then_some(cp / 100),
            }),
            (ReportedScore::Cp(_), None) => None,
        }
    }

    /// The result of a finished game: the winner, and the final score in discs of this side.
    pub fn of_game(half_points: u8, discs: Option<i64>) -> ProvenResult {
        ProvenResult {
            sign: i64::from(half_points) - 1,
            discs,
        }
    }

    /// Whether this later result is at least as good as the proven one.
    pub fn is_at_least(&self, proven: &ProvenResult) -> bool {
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

/// The best proven result of each side, valid while all later moves of the side are proven too.
#[derive(Clone, Copy, Default, Debug)]
pub struct ProofTracker([Option<ProvenResult>; 2]);

impl ProofTracker {
    /// Compares a new result of a side with its earlier proof and stores it if it is at least as
    /// good. `declined` is the result of a better move that the side deliberately did not play. An
    /// unproven move (`None`), which may give the proven result away, drops the proof.
    pub fn add(
        &mut self,
        side: Player,
        now: Option<ProvenResult>,
        declined: Option<ProvenResult>,
    ) -> Option<ReportWarning> {
        let before = self.0[side as usize];
        if let (Some(now), Some(before)) = (now, before)
            && !now.is_at_least(&before)
            && declined.is_none_or(|best| !best.is_at_least(&before))
        {
            let detail = format!("proven before: {}, now: {}", before.text(), now.text());
            return Some(ReportWarning {
                fault: ReportFault::ProofLost,
                detail,
            });
        }
        self.0[side as usize] = now;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;
    use crate::games::any::by_name;

    fn faults(lines: &[&str], best: &str) -> Vec<String> {
        let game = by_name("othello").unwrap();
        let mut checker = ReportChecker::new(&game.clone().into());
        for line in lines {
            checker.line(&SearchInfo::parse(line), line);
        }
        checker
            .finish(Some(best))
            .iter()
            .map(|warning| warning.fault.to_string())
            .collect()
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
        // Both the last exact line and the bound after it count.
        assert_eq!(faults(&sound, "f5"), [""; 0]);
        assert_eq!(faults(&sound, "d3"), [""; 0]);
        assert_eq!(faults(&[], "d3"), [""; 0]);
    }

    #[test]
    fn each_fault_has_its_name_and_is_reported_once() {
        assert_eq!(
            faults(&["depth 1 score cp 1 pv f5"], "d3"),
            ["move-not-in-pv"]
        );
        assert_eq!(
            faults(&["depth 3 pv f5 d6 c3 a1", "depth 3 pv f5 f5"], "f5"),
            ["illegal-pv"]
        );
        let falling = [
            "depth 3 score cp 1 nodes 9",
            "depth 2 score cp 1 nodes 8",
            "depth 1 score cp 1 nodes 1",
        ];
        assert_eq!(faults(&falling, "f5"), ["nodes-fell", "depth-fell"]);
    }

    #[test]
    fn a_finished_line_may_be_repeated_after_a_bound() {
        let finished = "depth 5 score cp 200 nodes 9 pv f5 d6";
        let bound = "depth 6 score cp 300 lowerbound nodes 12 pv f5";
        let repeated = "depth 5 score cp 200 nodes 15 pv f5 d6";
        assert_eq!(faults(&[finished, bound, repeated], "f5"), [""; 0]);
        for other in [
            "depth 5 score cp 100 nodes 15 pv f5 d6",
            "depth 5 score cp 200 nodes 15 pv f5",
        ] {
            assert_eq!(
                faults(&[finished, bound, other], "f5"),
                ["depth-fell"],
                "{other}"
            );
        }
    }

    #[test]
    fn an_engine_with_reduced_strength_may_give_away_a_proven_result() {
        let game = by_name("othello").unwrap();
        let checked = |lines: &[&str]| {
            let mut checker = ReportChecker::new(&game.clone().into());
            lines
                .iter()
                .for_each(|line| checker.line(&SearchInfo::parse(line), line));
            checker.declined
        };
        let best = "depth 5 score cp 600 nodes 9 pv f5 d6";
        let played = "depth 5 score cp 400 nodes 9 pv d3 c3";
        assert_eq!(
            checked(&[best, played, played]),
            Some(ReportedScore::Cp(600))
        );
        assert_eq!(checked(&[best, best]), None);
        assert_eq!(
            checked(&["depth 4 score cp 600 nodes 9 pv f5 d6", played]),
            None,
            "an earlier iteration"
        );
        let proven = |cp| ProvenResult::of_score(ReportedScore::Cp(cp), Some(true), true);
        let mut proofs = ProofTracker::default();
        assert_eq!(proofs.add(Player::First, proven(600), None), None);
        assert_eq!(proofs.add(Player::First, proven(400), proven(600)), None);
        assert_eq!(
            proofs.add(Player::First, Some(ProvenResult::of_game(2, Some(4))), None),
            None
        );
        assert!(
            proofs
                .add(Player::First, proven(200), proven(300))
                .is_some()
        );
    }

    #[test]
    fn a_forced_pass_may_be_omitted() {
        // White has no move after f5 to the right edge: Black moves again.
        let mut game = by_name("othello").unwrap();
        game.set_position("8/8/8/8/8/8/8/xo4ox x").unwrap();
        let mut checker = ReportChecker::new(&game.clone().into());
        let first = game.write_move(game.moves()[0]);
        game.play(game.moves()[0]).unwrap();
        assert_eq!(game.moves().as_slice(), [Move::PASS]);
        game.play(Move::PASS).unwrap();
        let second = game.write_move(game.moves()[0]);
        for line in [
            format!("depth 3 pv {first} {second}"),
            format!("depth 3 pv {first} pass {second}"),
        ] {
            checker.line(&SearchInfo::parse(&line), &line);
        }
        assert_eq!(checker.finish(None), []);
    }

    #[test]
    fn a_later_result_is_at_least_as_good_as_the_proof() {
        let proven = |line: &str| {
            let mut info = SearchInfo::parse(line);
            info.merge(SearchInfo::parse(if line.contains("wld") {
                "string wld"
            } else {
                "string exact"
            }));
            ProvenResult::of_score(info.exact_score()?, info.proven, true)
        };
        let mut proofs = ProofTracker::default();
        assert_eq!(
            ProvenResult::of_score(ReportedScore::Cp(200), None, true),
            None
        );
        assert_eq!(
            proofs.add(Player::First, proven("depth 9 score cp 200"), None),
            None
        );
        assert_eq!(
            proofs.add(Player::First, proven("depth 9 score cp 600"), None),
            None
        );
        assert_eq!(
            proofs.add(Player::Second, proven("depth 9 score cp -600"), None),
            None
        );
        let lost = proofs
            .add(Player::First, Some(ProvenResult::of_game(2, Some(4))), None)
            .unwrap();
        assert_eq!(lost.detail, "proven before: +6 discs, now: +4 discs");
        assert_eq!(
            proofs.add(
                Player::Second,
                Some(ProvenResult::of_game(0, Some(-4))),
                None
            ),
            None
        );
        proofs.add(Player::First, None, None);
        assert_eq!(
            proofs.add(Player::First, Some(ProvenResult::of_game(2, Some(4))), None),
            None
        );
        let mate = ProvenResult::of_score(ReportedScore::Mate(3), None, true).unwrap();
        assert!(
            !ProvenResult::of_game(1, Some(0)).is_at_least(&mate)
                && ProvenResult::of_game(2, Some(2)).is_at_least(&mate)
        );
    }
}
