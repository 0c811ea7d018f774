//! The standings of a tournament: scores, faults and clocks of the engines, updated after each game.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::elo::{Pentanomial, ScoreSample, Sprt, SprtVerdict, Trinomial};
use super::record::{GameRecord, MoveOrigin, SideLabel};
use crate::arena::play::clock::{LateMoveCounts, TimeControl};
use crate::arena::play::fault::Termination;
use crate::arena::play::search_check::ReportFault;
use crate::game::Player;

/// The score of one engine against another, or against all others.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MatchScore {
    /// The results of games.
    pub games: Trinomial,
    /// The results of complete pairs of games.
    pub pairs: Pentanomial,
    /// The sum of the disc differences, and the number of games with one.
    pub discs: (i64, u64),
}

impl MatchScore {
    /// The sample for Elo and LOS: pairs if any is complete, else games.
    pub fn sample(&self) -> ScoreSample {
        if self.pairs.pairs() > 0 { self.pairs.sample() } else { self.games.sample() }
    }

    fn add(&mut self, other: &MatchScore) {
        self.games.wins += other.games.wins;
        self.games.losses += other.games.losses;
        self.games.draws += other.games.draws;
        let (a, b) = (&mut self.pairs, &other.pairs);
        *a = Pentanomial::from_counts([a.ll + b.ll, a.ld + b.ld, a.wl + b.wl, a.dd + b.dd, a.wd + b.wd, a.ww + b.ww]);
        self.discs.0 += other.discs.0;
        self.discs.1 += other.discs.1;
    }

    /// The mean disc difference, if any game has one.
    pub fn mean_discs(&self) -> Option<f64> {
        (self.discs.1 > 0).then(|| self.discs.0 as f64 / self.discs.1 as f64)
    }
}

/// The decision of an SPRT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The accepted hypothesis.
    pub verdict: SprtVerdict,
    /// The number of games at the decision.
    pub games: u64,
}

/// The standings of a tournament.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    scores: Vec<Vec<MatchScore>>,
    /// For each pair with one game played: the first player of that game, and its half points.
    unpaired: HashMap<u64, (usize, u8)>,
    faults: Vec<BTreeMap<Termination, u64>>,
    late_moves: Vec<u64>,
    late_causes: Vec<LateMoveCounts>,
    warnings: Vec<BTreeMap<ReportFault, u64>>,
    /// Ponder hits, and all moves.
    ponder_hits: Vec<(u64, u64)>,
    lowest_clocks: Vec<LowestClockStats>,
    games: u64,
    distinct: DistinctGames,
    sprt: Option<Sprt>,
    decision: Option<Decision>,
}

impl Standings {
    /// Standings without games; an SPRT tests the first engine against the second.
    pub fn new(names: Vec<String>, sprt: Option<Sprt>) -> Standings {
        let n = names.len();
        Standings {
            names,
            scores: vec![vec![MatchScore::default(); n]; n],
            unpaired: HashMap::new(),
            faults: vec![BTreeMap::new(); n],
            late_moves: vec![0; n],
            late_causes: vec![LateMoveCounts::default(); n],
            warnings: vec![BTreeMap::new(); n],
            ponder_hits: vec![(0, 0); n],
            lowest_clocks: vec![LowestClockStats::default(); n],
            games: 0,
            distinct: DistinctGames::default(),
            sprt,
            decision: None,
        }
    }

    /// Adds a game. Games of unknown engines are ignored.
    pub fn add(&mut self, record: &GameRecord) {
        let find = |name: &str| self.names.iter().position(|known| known == name);
        let (Some(first), Some(second)) = (find(&record.p1), find(&record.p2)) else { return };
        self.games += 1;
        self.distinct.add(record);
        for (engine, other, side) in [(first, second, Player::First), (second, first, Player::Second)] {
            let score = &mut self.scores[engine][other];
            match record.result.half_points(side) {
                0 => score.games.losses += 1,
                1 => score.games.draws += 1,
                _ => score.games.wins += 1,
            }
            if let Some(discs) = record.discs {
                score.discs.0 += i64::from(if side == Player::First { discs } else { -discs });
                score.discs.1 += 1;
            }
        }
        match self.unpaired.remove(&record.pair) {
            None => {
                self.unpaired.insert(record.pair, (first, record.result.half_points(Player::First)));
            }
            Some((engine, earlier)) => {
                let side = if engine == first { Player::First } else { Player::Second };
                let other = if engine == first { second } else { first };
                let later = record.result.half_points(side);
                self.scores[engine][other].pairs.add(earlier, later);
                self.scores[other][engine].pairs.add(2 - earlier, 2 - later);
                self.test();
            }
        }
        for fault in &record.recovered {
            let engine = if Player::from(fault.by) == Player::First { first } else { second };
            *self.faults[engine].entry(fault.reason).or_default() += 1;
        }
        if let Some(by) = record.fault_by {
            let engine = if Player::from(by) == Player::First { first } else { second };
            *self.faults[engine].entry(record.reason).or_default() += 1;
            record.lateness.iter().for_each(|late| self.late_causes[engine].add(late));
        }
        for warning in &record.warnings {
            let engine = if Player::from(warning.by) == Player::First { first } else { second };
            *self.warnings[engine].entry(warning.fault).or_default() += 1;
        }
        let Some(first_mover) = first_mover(record) else { return };
        for (engine, side) in [(first, Player::First), (second, Player::Second)] {
            // Sides alternate, since passes are recorded.
            let own = record.moves.iter().skip(usize::from(side != first_mover)).step_by(2);
            for played in own.filter(|played| played.origin == MoveOrigin::Engine) {
                self.late_moves[engine] += u64::from(played.late);
                played.lateness.iter().for_each(|late| self.late_causes[engine].add(late));
                self.ponder_hits[engine].0 += u64::from(played.ponderhit);
                self.ponder_hits[engine].1 += 1;
            }
            if let Some(share) = lowest_clock(record, side, first_mover) {
                self.lowest_clocks[engine].add(share);
            }
        }
    }

    /// Updates the SPRT. The first decision is final, whatever the result of games still in progress.
    fn test(&mut self) {
        if let (Some(sprt), None) = (self.sprt, self.decision) {
            let verdict = sprt.test(&self.scores[0][1].pairs.sample()).1;
            self.decision = (verdict != SprtVerdict::Continue).then_some(Decision { verdict, games: self.games });
        }
    }

    /// The SPRT, if there is one.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// Its decision, if any.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The number of games that differ from all earlier ones in their players, start or moves.
    pub fn distinct_games(&self) -> u64 {
        self.distinct.count().min(self.games)
    }

    /// The warning about repeated games, if they are at least 1 %: they are not independent samples, so the error bars
    /// are too small.
    pub fn duplicate_warning(&self) -> Option<String> {
        let (games, distinct) = (self.games, self.distinct_games());
        let duplicates = games - distinct;
        (duplicates > 0 && 100 * duplicates >= games).then(|| {
            format!(
                "warning: {duplicates} of {games} games repeat an earlier game (distinct: {distinct}): the error bars \
                 assume independent games and are too small; use more openings"
            )
        })
    }

    /// The engines' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The score of one engine against another.
    pub fn match_score(&self, engine: usize, other: usize) -> &MatchScore {
        &self.scores[engine][other]
    }

    /// The score of an engine against all others.
    pub fn total(&self, engine: usize) -> MatchScore {
        let mut total = MatchScore::default();
        self.scores[engine].iter().for_each(|score| total.add(score));
        total
    }

    /// The number of an engine's faults by kind.
    pub fn faults(&self, engine: usize) -> &BTreeMap<Termination, u64> {
        &self.faults[engine]
    }

    /// The number of an engine's moves that were late within the margin.
    pub fn late_moves(&self, engine: usize) -> u64 {
        self.late_moves[engine]
    }

    /// An engine's late moves by explanation.
    pub fn late_causes(&self, engine: usize) -> &LateMoveCounts {
        &self.late_causes[engine]
    }

    /// The number of warnings about an engine's search reports by kind.
    pub fn warnings(&self, engine: usize) -> &BTreeMap<ReportFault, u64> {
        &self.warnings[engine]
    }

    /// Whether there was no fault, late move or warning.
    pub fn is_clean(&self) -> bool {
        let is_clean = |engine: usize| {
            self.faults[engine].is_empty() && self.late_moves[engine] == 0 && self.warnings[engine].is_empty()
        };
        (0..self.names.len()).all(is_clean)
    }

    /// An engine's ponder hits, and all its moves.
    pub fn ponder_hits(&self, engine: usize) -> (u64, u64) {
        self.ponder_hits[engine]
    }

    /// An engine's lowest clocks.
    pub fn lowest_clock(&self, engine: usize) -> &LowestClockStats {
        &self.lowest_clocks[engine]
    }

    /// The engines by score, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.names.len()).collect();
        let mean = |engine: usize| self.total(engine).games.sample().mean().unwrap_or(0.0);
        ranking.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        ranking
    }
}

/// The side that made the first move of a record.
fn first_mover(record: &GameRecord) -> Option<Player> {
    let Some(start) = &record.start else { return Some(Player::First) };
    let mut game = crate::games::any::by_name(&record.variant)?;
    game.set_position(start).ok()?;
    Some(game.to_move())
}

/// The number of distinct games in bounded memory: exact up to [`KEPT_HASHES`], then estimated to 0.2 % from the
/// smallest hashes (Z. Bar-Yossef et al., "Counting distinct elements in a data stream"). Independent of their order.
#[derive(Clone, Debug, Default)]
pub struct DistinctGames {
    smallest: BTreeSet<u64>,
}

/// About 4 MB.
const KEPT_HASHES: usize = 1 << 18;

impl DistinctGames {
    /// Adds a game: its players, start and moves.
    pub fn add(&mut self, record: &GameRecord) {
        let mut hasher = DefaultHasher::new();
        (&record.p1, &record.p2, &record.start).hash(&mut hasher);
        record.moves.iter().for_each(|played| played.word.hash(&mut hasher));
        self.insert(hasher.finish());
    }

    fn insert(&mut self, hash: u64) {
        self.smallest.insert(hash);
        if self.smallest.len() > KEPT_HASHES {
            self.smallest.pop_last();
        }
    }

    /// The number of distinct games.
    pub fn count(&self) -> u64 {
        match self.smallest.last() {
            Some(&last) if self.smallest.len() == KEPT_HASHES => {
                (KEPT_HASHES as f64 / (last as f64 / 2f64.powi(64))).round() as u64
            }
            _ => self.smallest.len() as u64,
        }
    }
}

/// Statistics of an engine's lowest clock per game, as a fraction of the main time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LowestClockStats {
    pub(super) games: u64,
    sum: f64,
    minimum: f64,
}

impl LowestClockStats {
    /// Adds the fraction of a game.
    pub fn add(&mut self, share: f64) {
        self.minimum = if self.games == 0 { share } else { self.minimum.min(share) };
        self.games += 1;
        self.sum += share;
    }

    /// Mean and minimum over its games; `None` if it had no clock.
    pub fn mean_and_minimum(&self) -> Option<(f64, f64)> {
        (self.games > 0).then(|| (self.sum / self.games as f64, self.minimum))
    }
}

/// A side's lowest clock before the increment, as a fraction of its main time; `None` without a clock or without a
/// move of that side.
pub fn lowest_clock(record: &GameRecord, side: Player, first_mover: Player) -> Option<f64> {
    let control = record.limits[side as usize].split(", ").next()?.parse().ok()?;
    let TimeControl::Clock { base_ms, .. } = control else { return None };
    let base = base_ms as f64;
    let flag_fell = record.reason == Termination::TimeForfeit && record.fault_by == Some(SideLabel::from(side));
    let (mut before, mut lowest) = (base, flag_fell.then_some(0.0));
    for played in record.moves.iter().skip(usize::from(side != first_mover)).step_by(2) {
        let (Some(ms), Some(after)) = (played.ms, played.clock_ms) else { continue };
        let remaining = (before - ms).max(0.0);
        lowest = Some(lowest.map_or(remaining, |lowest| remaining.min(lowest)));
        before = after as f64;
    }
    lowest.map(|ms| ms / base)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::arena::report::text::{engine_notes, write_standings};
    use crate::arena::results::record::tests::sample_record;
    use crate::arena::results::record::{GameResult, MoveRecord, SideLabel};
    use crate::game::rng::Rng;

    fn game(number: u64, p1: &str, p2: &str, result: GameResult, discs: i32) -> GameRecord {
        let mut record = sample_record(number);
        (record.p1, record.p2, record.result) = (p1.into(), p2.into(), result);
        (record.reason, record.fault_by, record.discs) = (Termination::Normal, None, Some(discs));
        record
    }

    /// Standings of two engines after five games.
    pub fn five_games(sprt: Option<Sprt>) -> Standings {
        let mut standings = Standings::new(vec!["A".into(), "B".into()], sprt);
        for record in [
            game(2, "B", "A", GameResult::P2Win, -10),
            game(1, "A", "B", GameResult::P1Win, 4),
            game(3, "A", "B", GameResult::Draw, 0),
            game(4, "B", "A", GameResult::P1Win, 20),
            game(5, "A", "B", GameResult::P2Win, -2),
        ] {
            standings.add(&record);
        }
        standings
    }

    #[test]
    fn games_and_pairs_are_counted_for_both_engines() {
        let standings = five_games(None);
        let score = standings.match_score(0, 1);
        assert_eq!(score.games, Trinomial { wins: 2, losses: 2, draws: 1 });
        assert_eq!(score.pairs, Pentanomial { ww: 1, ld: 1, ..Pentanomial::default() });
        assert_eq!(standings.match_score(1, 0).pairs, score.pairs.reversed());
        assert_eq!(standings.match_score(1, 0).games, score.games.reversed());
        assert_eq!(score.discs, (-8, 5));
        assert_eq!(standings.ranking(), [0, 1]);
        assert_eq!(standings.games(), 5);
    }

    #[test]
    fn faults_and_late_moves_are_attributed_to_their_engine() {
        let mut standings = Standings::new(vec!["B \"two\"".into(), "A".into()], None);
        let mut record = sample_record(1);
        record.moves[2].late = true;
        record.moves[2].ponderhit = true;
        record.recovered.push(crate::arena::results::record::RecoveredFault {
            ply: 2,
            by: SideLabel::P2,
            reason: Termination::Crash,
            detail: String::new(),
        });
        standings.add(&record);
        assert_eq!(standings.faults(1).get(&Termination::TimeForfeit), Some(&1));
        assert_eq!(standings.faults(0).get(&Termination::Crash), Some(&1));
        // The first player, A, played the third ply.
        assert_eq!((standings.late_moves(0), standings.late_moves(1)), (0, 1));
        assert_eq!((standings.ponder_hits(0).0, standings.ponder_hits(1).0), (0, 1));
    }

    #[test]
    fn repeated_games_are_counted_in_bounded_memory_and_warned_about() {
        let mut standings = Standings::new(vec!["A".into(), "B".into()], None);
        for number in 0..400 {
            let mut record = game(number + 1, "A", "B", GameResult::Draw, 0);
            record.moves[0].word = (number % 397).to_string();
            standings.add(&record);
        }
        // The same moves with other colors are another game.
        standings.add(&game(401, "B", "A", GameResult::Draw, 0));
        assert_eq!((standings.distinct_games(), standings.duplicate_warning()), (398, None));
        standings.add(&game(402, "B", "A", GameResult::Draw, 0));
        standings.add(&game(403, "B", "A", GameResult::Draw, 0));
        let warning = standings.duplicate_warning().unwrap();
        assert!(warning.starts_with("warning: 5 of 403 games repeat an earlier game (distinct: 398)"));
    }

    #[test]
    fn the_first_decision_of_the_test_stands() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.3,
            beta: 0.3,
            model: crate::arena::results::elo::EloModel::Normalized,
        };
        let mut standings = Standings::new(vec!["A".into(), "B".into()], Some(sprt));
        let mut decided = None;
        for number in 1..=60 {
            let swapped = [("A", "B"), ("B", "A")][usize::from(number % 2 == 0)];
            let winner_is_a = number <= 30;
            let result = if winner_is_a == (swapped.0 == "A") { GameResult::P1Win } else { GameResult::P2Win };
            standings.add(&game(number, swapped.0, swapped.1, result, 2));
            decided = decided.or(standings.decision());
            assert_eq!(standings.decision(), decided);
        }
        let decision = decided.unwrap();
        assert_eq!(decision.verdict, SprtVerdict::AcceptH1);
        assert!(decision.games < 30 && decision.games % 2 == 0, "{decision:?}");
        assert_ne!(sprt.test(&standings.match_score(0, 1).pairs.sample()).1, SprtVerdict::AcceptH1);
    }

    #[test]
    fn the_lowest_clock_excludes_the_increment() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None);
        let timed = |ms: f64, clock_ms| MoveRecord { ms: Some(ms), clock_ms: Some(clock_ms), ..MoveRecord::default() };
        let mut record = sample_record(1);
        (record.reason, record.fault_by) = (Termination::Normal, None);
        record.limits = ["1+0.5".into(), "2, depth 8".into()];
        // B, A, B, A: the first ply is A's opening move.
        record.moves.truncate(1);
        record.moves.extend([timed(500.0, 1_500), timed(900.0, 600), timed(100.0, 1_400), timed(400.0, 700)]);
        standings.add(&record);
        assert_eq!(standings.lowest_clocks[0].mean_and_minimum(), Some((0.1, 0.1)));
        assert_eq!(standings.lowest_clocks[1].mean_and_minimum(), Some((0.7, 0.7)));
        // A loss on time counts as an empty clock; a time per move or a depth limit is not a clock.
        (record.reason, record.fault_by) = (Termination::TimeForfeit, Some(SideLabel::P1));
        record.limits[1] = "0.25/move".into();
        standings.add(&record);
        let line = "A: lowest clock: mean 5.0 %, minimum 0.0 % of the main time";
        assert_eq!(engine_notes(&standings, 0).next().unwrap(), line);
        assert_eq!(standings.lowest_clocks[1].games, 1);
        let mut out = Vec::new();
        write_standings(&standings, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().contains(line));
        assert_eq!(engine_notes(&Standings::new(vec!["A".into()], None), 0).count(), 0);
    }

    #[test]
    fn many_games_are_estimated_in_bounded_memory() {
        let mut many = DistinctGames::default();
        let mut rng = Rng::new(1);
        let hashes: Vec<u64> = (0..1_000_000).map(|_| rng.next_u64()).collect();
        for hash in hashes.iter().chain(&hashes) {
            many.insert(*hash);
        }
        assert!(many.smallest.len() == KEPT_HASHES && many.count().abs_diff(1_000_000) < 10_000, "{}", many.count());
    }
}
