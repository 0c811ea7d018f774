//! The standings of a tournament: scores, faults and clocks of the engines, updated after each
//! game.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::record::{AtPly, GameRecord};
use crate::arena::elo::{Pentanomial, ScoreSample, Sprt, SprtVerdict, Trinomial};
use crate::arena::rules::clock::LateMoveCounts;
use crate::arena::rules::fault::Termination;
use crate::arena::rules::warning::ReportFault;
use crate::game::{Outcome, Player};

/// The score of one engine against another, or against all others.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MatchScore {
    /// The results of games.
    pub games: Trinomial,
    /// The results of complete pairs of games.
    pub pairs: Pentanomial,
    /// The sum of the disc differences, and the number of games with one.
    pub discs: (i64, u64),
    /// The disc differences of complete pairs of games with discs.
    pub disc_pairs: DiscPairs,
}

impl MatchScore {
    /// The sample for Elo and LOS: pairs if any is complete, else games.
    pub fn sample(&self) -> ScoreSample {
        if self.pairs.pairs() > 0 {
            self.pairs.sample()
        } else {
            self.games.sample()
        }
    }

    /// The mean disc difference, if any game has one.
    pub fn mean_discs(&self) -> Option<f64> {
        (self.discs.1 > 0).then(|| self.discs.0 as f64 / self.discs.1 as f64)
    }
}

/// Disc differences of pairs of games: in each pair, the sum over both games. The exact score of
/// the opening cancels out, so it is the discs lost by the opponent's errors less those lost by the
/// own ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiscPairs {
    /// The number of pairs.
    pub pairs: u64,
    /// The sum of their differences.
    pub sum: i64,
    /// The sum of the squares of their differences.
    pub squares: u64,
}

impl DiscPairs {
    fn add(&mut self, difference: i64) {
        self.pairs += 1;
        self.sum += difference;
        self.squares += difference.pow(2) as u64;
    }

    /// The mean difference and its standard error, with at least two pairs.
    pub fn mean_and_error(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs as f64;
        let mean = self.sum as f64 / pairs;
        let variance = (self.squares as f64 - pairs * mean * mean).max(0.0) / (pairs - 1.0);
        (self.pairs > 1).then(|| (mean, (variance / pairs).sqrt()))
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

/// What one engine did.
#[derive(Clone, Debug, Default)]
pub struct EngineTally {
    /// Its name.
    pub name: String,
    /// Its score against all others.
    pub total: MatchScore,
    /// The number of its faults by kind.
    pub faults: BTreeMap<Termination, u64>,
    /// The number of its moves that were late within the margin.
    pub late_moves: u64,
    /// The number of its searches that the runner stopped (`--think-timeout`).
    pub stopped: u64,
    /// Its late moves, including losses on time, by explanation.
    pub late_causes: LateMoveCounts,
    /// The number of warnings about its search reports by kind.
    pub warnings: BTreeMap<ReportFault, u64>,
    /// Its ponder hits.
    pub ponder_hits: u64,
    /// Its moves.
    pub moves: u64,
    /// Its lowest clocks.
    pub lowest_clocks: LowestClocks,
}

/// The lowest clocks of an engine's games with one, as fractions of the main time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LowestClocks {
    /// The number of games.
    pub games: u64,
    sum: f64,
    /// The minimum of all games; 0 without a game.
    pub minimum: f64,
}

impl LowestClocks {
    fn add(&mut self, lowest: f64) {
        self.minimum = match self.games {
            0 => lowest,
            _ => self.minimum.min(lowest),
        };
        self.games += 1;
        self.sum += lowest;
    }

    /// The mean, if there was a game.
    pub fn mean(&self) -> Option<f64> {
        (self.games > 0).then(|| self.sum / self.games as f64)
    }
}

/// The game of a pair whose other game is not played yet.
#[derive(Clone, Copy, Debug)]
struct UnpairedGame {
    first_player: usize,
    result: Outcome,
    /// The disc difference from the first player's point of view.
    discs: Option<i32>,
}

/// The standings of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// The engines.
    pub engines: Vec<EngineTally>,
    /// The third engine, if one judges the games.
    pub referee: EngineTally,
    /// The scores of each engine against each.
    pub scores: Vec<Vec<MatchScore>>,
    /// For each pair with one game played, that game.
    unpaired: HashMap<u64, UnpairedGame>,
    /// Whether a round has one game per pairing, so that there are no pairs.
    is_single: bool,
    /// The number of games.
    pub games: u64,
    /// The hashes of the distinct games.
    distinct: HashSet<u64>,
    /// The SPRT, if there is one.
    pub sprt: Option<Sprt>,
    /// Its decision, if any.
    pub decision: Option<Decision>,
}

impl Standings {
    /// The standings after these games; an SPRT tests the first engine against the second.
    pub fn new(names: Vec<String>, sprt: Option<Sprt>, games: &[GameRecord]) -> Standings {
        let tally = |name| EngineTally {
            name,
            ..EngineTally::default()
        };
        let mut standings = Standings {
            scores: vec![vec![MatchScore::default(); names.len()]; names.len()],
            engines: names.into_iter().map(tally).collect(),
            referee: tally("referee".into()),
            sprt,
            ..Standings::default()
        };
        games.iter().for_each(|game| standings.add(game));
        standings
    }

    /// The number of the engine with this name.
    pub fn engine(&self, name: &str) -> Option<usize> {
        self.engines.iter().position(|engine| engine.name == name)
    }

    /// Adds a game. Games of unknown engines are ignored.
    pub fn add(&mut self, record: &GameRecord) {
        let (Some(first), Some(second)) = (self.engine(&record.p1), self.engine(&record.p2)) else {
            return;
        };
        self.games += 1;
        self.distinct.insert(game_hash(record));
        self.is_single |= record.own.game > 1 && record.own.game == record.own.pair;
        let ids = [first, second];
        if let Some(result) = record.own.result {
            self.add_result(record, result, ids);
        }
        for AtPly { by, what, .. } in &record.own.recovered {
            let faults = &mut self.engines[ids[*by as usize]].faults;
            *faults.entry(what.reason).or_default() += 1;
        }
        let reason = record.own.reason;
        for side in Player::BOTH {
            if reason == Termination::Disagreement || record.own.fault_by == Some(side) {
                let engine = &mut self.engines[ids[side as usize]];
                *engine.faults.entry(reason).or_default() += 1;
                record
                    .own
                    .lateness
                    .iter()
                    .for_each(|late| engine.late_causes.add(late));
            }
        }
        if reason == Termination::RefereeFault {
            *self.referee.faults.entry(reason).or_default() += 1;
        }
        for AtPly { by, what, .. } in &record.own.warnings {
            let warnings = &mut self.engines[ids[*by as usize]].warnings;
            *warnings.entry(what.fault).or_default() += 1;
        }
        for (played, side) in record.plies() {
            if played.origin.is_of_engine() {
                let engine = &mut self.engines[ids[side as usize]];
                engine.late_moves += u64::from(played.late);
                engine.stopped += u64::from(played.stopped);
                played
                    .lateness
                    .iter()
                    .for_each(|late| engine.late_causes.add(late));
                engine.ponder_hits += u64::from(played.ponderhit);
                engine.moves += 1;
            }
        }
        for side in Player::BOTH {
            if let Some(lowest) = lowest_clock(record, side) {
                self.engines[ids[side as usize]].lowest_clocks.add(lowest);
            }
        }
    }

    /// Adds the result of a game between these engines.
    fn add_result(&mut self, record: &GameRecord, result: Outcome, [first, second]: [usize; 2]) {
        let pair = record.own.pair;
        let earlier = self.unpaired.remove(&pair).filter(|_| !self.is_single);
        for (engine, other, side) in [
            (first, second, Player::First),
            (second, first, Player::Second),
        ] {
            let half_points = result.half_points(side);
            let discs = record.discs.map(|discs| i64::from(side.signed(discs)));
            let total = &mut self.engines[engine].total;
            for score in [&mut self.scores[engine][other], total] {
                match half_points {
                    0 => score.games.losses += 1,
                    1 => score.games.draws += 1,
                    _ => score.games.wins += 1,
                }
                if let Some(discs) = discs {
                    score.discs.0 += discs;
                    score.discs.1 += 1;
                }
                if let Some(earlier) = earlier {
                    let side = Player::BOTH[usize::from(earlier.first_player != engine)];
                    score
                        .pairs
                        .add(earlier.result.half_points(side), half_points);
                    if let (Some(earlier), Some(discs)) = (earlier.discs, discs) {
                        score
                            .disc_pairs
                            .add(i64::from(side.signed(earlier)) + discs);
                    }
                }
            }
        }
        if earlier.is_some() || self.is_single {
            self.test();
        } else {
            let game = UnpairedGame {
                first_player: first,
                result,
                discs: record.discs,
            };
            self.unpaired.insert(pair, game);
        }
    }

    /// The sample for the SPRT: the complete pairs, or the games if there are no pairs.
    pub fn test_sample(&self) -> ScoreSample {
        let score = &self.scores[0][1];
        if self.is_single {
            score.games.sample()
        } else {
            score.pairs.sample()
        }
    }

    /// Updates the SPRT. The first decision is final, whatever the result of games still in
    /// progress.
    fn test(&mut self) {
        if let (Some(sprt), None) = (self.sprt, self.decision) {
            let verdict = sprt.test(&self.test_sample()).1;
            self.decision = (verdict != SprtVerdict::Continue).then_some(Decision {
                verdict,
                games: self.games,
            });
        }
    }

    /// The number of games that differ from all earlier ones in their players, start or moves.
    pub fn distinct_games(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// The warning about repeated games, if they are at least 1 %: they are not independent
    /// samples, so the error bars are too small.
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

    /// Whether there was no fault, late move or warning.
    pub fn is_clean(&self) -> bool {
        let is_clean = |engine: &EngineTally| {
            engine.faults.is_empty()
                && engine.late_moves == 0
                && engine.stopped == 0
                && engine.warnings.is_empty()
        };
        self.programs().all(is_clean)
    }

    /// The engines, and the referee.
    pub fn programs(&self) -> impl Iterator<Item = &EngineTally> {
        self.engines.iter().chain([&self.referee])
    }

    /// The engines by score, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.engines.len()).collect();
        let mean = |engine: usize| {
            let games = self.engines[engine].total.games;
            games.sample().mean().unwrap_or(0.0)
        };
        ranking.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        ranking
    }
}

/// A hash of what distinguishes a game: its players, start and moves.
fn game_hash(record: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&record.p1, &record.p2, &record.start).hash(&mut hasher);
    record
        .moves
        .iter()
        .for_each(|played| played.word.hash(&mut hasher));
    hasher.finish()
}

/// A side's lowest clock before the increment, as a fraction of its main time; `None` without a
/// clock or without a move of that side.
fn lowest_clock(record: &GameRecord, side: Player) -> Option<f64> {
    let control = record.controls()[side as usize].clone()?;
    let base = control.stages().first()?.base_ms as f64;
    let flag_fell =
        record.own.reason == Termination::TimeForfeit && record.own.fault_by == Some(side);
    let (mut before, mut lowest) = (base, if flag_fell { 0.0 } else { f64::INFINITY });
    for (played, mover) in record.plies() {
        if mover == side
            && let (Some(ms), Some(after)) = (played.ms, played.clock_ms)
        {
            lowest = lowest.min((before - ms).max(0.0));
            before = after as f64;
        }
    }
    lowest.is_finite().then_some(lowest / base)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::arena::report::text::{engine_notes, standings_text};
    use crate::arena::results::record::tests::sample_record;
    use crate::arena::rules::fault::Fault;
    use crate::game::Outcome;
    use crate::games::record::MoveRecord;

    fn game(number: u64, p1: &str, p2: &str, result: Outcome, discs: i32) -> GameRecord {
        let mut record = sample_record(number);
        (record.p1, record.p2, record.own.result) = (p1.into(), p2.into(), Some(result));
        (record.own.reason, record.own.fault_by, record.discs) =
            (Termination::Normal, None, Some(discs));
        record
    }

    /// Standings of two engines after five games.
    pub fn five_games(sprt: Option<Sprt>) -> Standings {
        let mut standings = Standings::new(vec!["A".into(), "B".into()], sprt, &[]);
        for record in [
            game(2, "B", "A", Outcome::SecondWins, -10),
            game(1, "A", "B", Outcome::FirstWins, 4),
            game(3, "A", "B", Outcome::Draw, 0),
            game(4, "B", "A", Outcome::FirstWins, 20),
            game(5, "A", "B", Outcome::SecondWins, -2),
        ] {
            standings.add(&record);
        }
        standings
    }

    #[test]
    fn games_and_pairs_are_counted_for_both_engines() {
        let standings = five_games(None);
        let score = standings.scores[0][1];
        assert_eq!(
            score.games,
            Trinomial {
                wins: 2,
                losses: 2,
                draws: 1
            }
        );
        assert_eq!(
            score.pairs,
            Pentanomial {
                ww: 1,
                ld: 1,
                ..Pentanomial::default()
            }
        );
        assert_eq!(standings.scores[1][0].pairs, score.pairs.reversed());
        assert_eq!(standings.scores[1][0].games, score.games.reversed());
        assert_eq!(score.discs, (-8, 5));
        // 4 + 10 in the first pair, 0 - 20 in the second.
        let pairs = DiscPairs {
            pairs: 2,
            sum: -6,
            squares: 596,
        };
        assert_eq!(score.disc_pairs, pairs);
        let (mean, error) = pairs.mean_and_error().unwrap();
        assert!(
            (mean, (error - 17.0).abs() < 1e-9) == (-3.0, true),
            "{error}"
        );
        let reversed = standings.scores[1][0].disc_pairs.mean_and_error();
        assert_eq!(reversed, Some((3.0, error)));
        assert_eq!(DiscPairs::default().mean_and_error(), None);
        assert_eq!(standings.ranking(), [0, 1]);
        assert_eq!(standings.games, 5);
    }

    #[test]
    fn faults_and_late_moves_are_attributed_to_their_engine() {
        let mut standings = Standings::new(vec!["B \"two\"".into(), "A".into()], None, &[]);
        let mut record = sample_record(1);
        record.moves[2].late = true;
        record.moves[2].ponderhit = true;
        record.own.recovered.push(AtPly {
            ply: 2,
            by: Player::Second,
            what: Fault::new(Termination::Crash, ""),
        });
        standings.add(&record);
        assert_eq!(
            standings.engines[1].faults.get(&Termination::TimeForfeit),
            Some(&1)
        );
        assert_eq!(
            standings.engines[0].faults.get(&Termination::Crash),
            Some(&1)
        );
        // The first player, A, played the third ply.
        assert_eq!(
            (
                standings.engines[0].late_moves,
                standings.engines[1].late_moves
            ),
            (0, 1)
        );
        assert_eq!(
            (
                standings.engines[0].ponder_hits,
                standings.engines[1].ponder_hits
            ),
            (0, 1)
        );
    }

    #[test]
    fn repeated_games_are_counted_and_warned_about() {
        let mut standings = Standings::new(vec!["A".into(), "B".into()], None, &[]);
        for number in 0..400 {
            let mut record = game(number + 1, "A", "B", Outcome::Draw, 0);
            record.moves[0].word = (number % 397).to_string();
            standings.add(&record);
        }
        // The same moves with other colors are another game.
        standings.add(&game(401, "B", "A", Outcome::Draw, 0));
        assert_eq!(
            (standings.distinct_games(), standings.duplicate_warning()),
            (398, None)
        );
        standings.add(&game(402, "B", "A", Outcome::Draw, 0));
        standings.add(&game(403, "B", "A", Outcome::Draw, 0));
        let warning = standings.duplicate_warning().unwrap();
        assert!(
            warning.starts_with("warning: 5 of 403 games repeat an earlier game (distinct: 398)")
        );
    }

    #[test]
    fn the_first_decision_of_the_sprt_is_final() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.3,
            beta: 0.3,
            model: crate::arena::elo::EloModel::Normalized,
        };
        let mut standings = Standings::new(vec!["A".into(), "B".into()], Some(sprt), &[]);
        let mut decided = None;
        for number in 1..=60 {
            let swapped = [("A", "B"), ("B", "A")][usize::from(number % 2 == 0)];
            let winner_is_a = number <= 30;
            let result = if winner_is_a == (swapped.0 == "A") {
                Outcome::FirstWins
            } else {
                Outcome::SecondWins
            };
            standings.add(&game(number, swapped.0, swapped.1, result, 2));
            decided = decided.or(standings.decision);
            assert_eq!(standings.decision, decided);
        }
        let decision = decided.unwrap();
        assert_eq!(decision.verdict, SprtVerdict::AcceptH1);
        assert!(
            decision.games < 30 && decision.games % 2 == 0,
            "{decision:?}"
        );
        assert_ne!(
            sprt.test(&standings.scores[0][1].pairs.sample()).1,
            SprtVerdict::AcceptH1
        );
    }

    #[test]
    fn the_lowest_clock_excludes_the_increment() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None, &[]);
        let timed = |ms: f64, clock_ms| MoveRecord {
            ms: Some(ms),
            clock_ms: Some(clock_ms),
            ..MoveRecord::default()
        };
        let mut record = sample_record(1);
        (record.own.reason, record.own.fault_by) = (Termination::Normal, None);
        record.own.limits = ["1+0.5".into(), "2, depth 8".into()];
        // B, A, B, A: the first ply is A's opening move.
        record.moves.truncate(1);
        record.moves.extend([
            timed(500.0, 1_500),
            timed(900.0, 600),
            timed(100.0, 1_400),
            timed(400.0, 700),
        ]);
        standings.add(&record);
        assert_eq!(standings.engines[0].lowest_clocks.mean(), Some(0.1));
        assert_eq!(standings.engines[1].lowest_clocks.mean(), Some(0.7));
        // A loss on time counts as an empty clock; a time per move or a depth limit is not a clock.
        (record.own.reason, record.own.fault_by) = (Termination::TimeForfeit, Some(Player::First));
        record.own.limits[1] = "0.25/move".into();
        standings.add(&record);
        let line = "A: lowest clock: mean 5.0 %, minimum 0.0 % of the main time";
        assert_eq!(engine_notes(&standings.engines[0]).next().unwrap(), line);
        assert_eq!(standings.engines[1].lowest_clocks.games, 1);
        assert!(standings_text(&standings).contains(line));
        assert_eq!(engine_notes(&EngineTally::default()).count(), 0);
    }
}
