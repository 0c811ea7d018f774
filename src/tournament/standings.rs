//! The table: what the games so far say of each engine, and the text that shows it.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::clock::TimeControl;
use super::fault::Reason;
use super::record::{GameRecord, SideName};
use super::statistics::{Estimate, Pentanomial, Sample, Sprt, Trinomial, Verdict};
use crate::game::Player;

/// What one engine did against another.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Meeting {
    /// Game by game.
    pub games: Trinomial,
    /// The pairs of which both games are played.
    pub pairs: Pentanomial,
    /// Sum of disc differences, and over how many games.
    pub discs: (i64, u64),
}

impl Meeting {
    /// The trials that figures are made from: pairs where there are any, else games.
    pub fn sample(&self) -> Sample {
        if self.pairs.pairs() > 0 { self.pairs.sample() } else { self.games.sample() }
    }

    fn add(&mut self, other: &Meeting) {
        self.games.wins += other.games.wins;
        self.games.losses += other.games.losses;
        self.games.draws += other.games.draws;
        let (a, b) = (&mut self.pairs, &other.pairs);
        *a = Pentanomial::from_counts([a.ll + b.ll, a.ld + b.ld, a.wl + b.wl, a.dd + b.dd, a.wd + b.wd, a.ww + b.ww]);
        self.discs.0 += other.discs.0;
        self.discs.1 += other.discs.1;
    }

    /// Mean disc difference, if games were played out that have one.
    pub fn mean_discs(&self) -> Option<f64> {
        (self.discs.1 > 0).then(|| self.discs.0 as f64 / self.discs.1 as f64)
    }
}

/// The lowest clock of each of an engine's games, as a share of the main time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LowestClock {
    games: u64,
    sum: f64,
    least: f64,
}

impl LowestClock {
    fn add(&mut self, share: f64) {
        self.least = if self.games == 0 { share } else { self.least.min(share) };
        self.games += 1;
        self.sum += share;
    }

    /// The mean over its games, and the least of all; `None` if it had no clock.
    pub fn mean_and_least(&self) -> Option<(f64, f64)> {
        (self.games > 0).then(|| (self.sum / self.games as f64, self.least))
    }
}

/// All meetings of a tournament.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    meetings: Vec<Vec<Meeting>>,
    /// The game of each pair whose other game is not played yet: the engine it belongs to, and its half points.
    open: HashMap<u64, (usize, u8)>,
    faults: Vec<BTreeMap<Reason, u64>>,
    late: Vec<u64>,
    clocks: Vec<LowestClock>,
    games: u64,
}

impl Standings {
    /// No games yet.
    pub fn new(names: Vec<String>) -> Standings {
        let n = names.len();
        Standings {
            names,
            meetings: vec![vec![Meeting::default(); n]; n],
            open: HashMap::new(),
            faults: vec![BTreeMap::new(); n],
            late: vec![0; n],
            clocks: vec![LowestClock::default(); n],
            games: 0,
        }
    }

    /// Counts a game. One between engines that are not here is passed over.
    pub fn add(&mut self, record: &GameRecord) {
        let find = |name: &str| self.names.iter().position(|known| known == name);
        let (Some(first), Some(second)) = (find(&record.p1), find(&record.p2)) else { return };
        self.games += 1;
        for (engine, other, side) in [(first, second, Player::First), (second, first, Player::Second)] {
            let meeting = &mut self.meetings[engine][other];
            match record.result.half_points(side) {
                0 => meeting.games.losses += 1,
                1 => meeting.games.draws += 1,
                _ => meeting.games.wins += 1,
            }
            if let Some(discs) = record.discs {
                meeting.discs.0 += i64::from(if side == Player::First { discs } else { -discs });
                meeting.discs.1 += 1;
            }
        }
        match self.open.remove(&record.pair) {
            None => {
                self.open.insert(record.pair, (first, record.result.half_points(Player::First)));
            }
            Some((engine, earlier)) => {
                let side = if engine == first { Player::First } else { Player::Second };
                let other = if engine == first { second } else { first };
                let later = record.result.half_points(side);
                self.meetings[engine][other].pairs.add(earlier, later);
                self.meetings[other][engine].pairs.add(2 - earlier, 2 - later);
            }
        }
        for incident in &record.recovered {
            let engine = if Player::from(incident.by) == Player::First { first } else { second };
            *self.faults[engine].entry(incident.reason).or_default() += 1;
        }
        if let Some(by) = record.fault_by {
            let engine = if Player::from(by) == Player::First { first } else { second };
            *self.faults[engine].entry(record.reason).or_default() += 1;
        }
        let Some(opener) = opener(record) else { return };
        for (engine, side) in [(first, Player::First), (second, Player::Second)] {
            // Moves alternate: passes are in the list.
            let own = record.moves.iter().skip(usize::from(side != opener)).step_by(2);
            self.late[engine] += own.filter(|played| played.late).count() as u64;
            if let Some(share) = lowest_clock(record, side, opener) {
                self.clocks[engine].add(share);
            }
        }
    }

    /// The engines' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// What one engine did against another.
    pub fn meeting(&self, engine: usize, other: usize) -> &Meeting {
        &self.meetings[engine][other]
    }

    /// What one engine did against all others.
    pub fn total(&self, engine: usize) -> Meeting {
        let mut total = Meeting::default();
        self.meetings[engine].iter().for_each(|meeting| total.add(meeting));
        total
    }

    /// The faults of an engine, by kind.
    pub fn faults(&self, engine: usize) -> &BTreeMap<Reason, u64> {
        &self.faults[engine]
    }

    /// How many of an engine's moves were late within the margin.
    pub fn late(&self, engine: usize) -> u64 {
        self.late[engine]
    }

    /// What an engine's games say of its clock, in words; `None` if it had none.
    pub fn clock_line(&self, engine: usize) -> Option<String> {
        let (mean, least) = self.clocks[engine].mean_and_least()?;
        Some(format!(
            "{}: lowest clock {:.1} % of the main time on average, {:.1} % at least",
            self.names[engine],
            100.0 * mean,
            100.0 * least
        ))
    }

    /// The engines, the best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.names.len()).collect();
        let mean = |engine: usize| self.total(engine).games.sample().mean().unwrap_or(0.0);
        ranking.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        ranking
    }

    /// One line for the meeting of the first two engines, or for the leader.
    pub fn line(&self, sprt: Option<&Sprt>) -> String {
        let (engine, meeting, against) = match self.names.as_slice() {
            [_, second] => (0, self.meetings[0][1], second.as_str()),
            _ => {
                let leader = self.ranking()[0];
                (leader, self.total(leader), "all")
            }
        };
        let Trinomial { wins, losses, draws } = meeting.games;
        let mut line = format!(
            "{} vs {against}: {wins}-{draws}-{losses} (W-D-L)  Elo {}  LOS {}",
            self.names[engine],
            estimate(meeting.sample().elo()),
            percent(meeting.sample().los())
        );
        if let Some(sprt) = sprt {
            let (ratio, _) = sprt.judge(&meeting.pairs.sample());
            let (lower, upper) = sprt.bounds();
            line.push_str(&format!("  LLR {ratio:.2} [{lower:.2}, {upper:.2}]"));
        }
        line
    }

    /// Writes everything: the crosstable, each pairing's figures, the faults.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write, sprt: Option<&Sprt>) -> io::Result<()> {
        if self.games == 0 {
            return writeln!(out, "no games yet");
        }
        self.write_crosstable(out)?;
        if self.names.len() == 2 {
            let meeting = self.meeting(0, 1);
            writeln!(out, "\n{} against {}:", self.names[0], self.names[1])?;
            write_meeting(out, meeting)?;
            if let Some(sprt) = sprt {
                write_sprt(out, sprt, &meeting.pairs.sample())?;
            }
        }
        let clocks: Vec<String> = (0..self.names.len()).filter_map(|engine| self.clock_line(engine)).collect();
        if !clocks.is_empty() {
            writeln!(out, "\n{}", clocks.join("\n"))?;
        }
        let mut none = true;
        for (engine, name) in self.names.iter().enumerate() {
            let mut parts: Vec<String> =
                self.faults[engine].iter().map(|(reason, count)| format!("{reason} {count}")).collect();
            if self.late[engine] > 0 {
                parts.push(format!("late within the margin {}", self.late[engine]));
            }
            if !parts.is_empty() {
                if none {
                    writeln!(out)?;
                }
                none = false;
                writeln!(out, "{name}: {}", parts.join(", "))?;
            }
        }
        if none { writeln!(out, "\nno faults") } else { Ok(()) }
    }

    fn write_crosstable(&self, out: &mut dyn Write) -> io::Result<()> {
        let ranking = self.ranking();
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
        let cell = |engine: usize, other: usize| {
            let Trinomial { wins, losses, draws } = self.meetings[engine][other].games;
            if engine == other { "-".into() } else { format!("{wins}-{draws}-{losses}") }
        };
        let cells = (0..self.names.len()).flat_map(|a| (0..self.names.len()).map(move |b| (a, b)));
        let column = cells.map(|(a, b)| cell(a, b).len()).max().unwrap_or(1).max(3);
        write!(
            out,
            "{:>4}  {:width$}  {:>6}  {:>8}  {:>7}  {:>18}  {:>7}",
            "rank", "engine", "games", "points", "score", "Elo", "discs"
        )?;
        for place in 1..=ranking.len() {
            write!(out, "  {:>column$}", format!("vs{place}"))?;
        }
        writeln!(out)?;
        for (place, &engine) in ranking.iter().enumerate() {
            let total = self.total(engine);
            write!(
                out,
                "{:>4}  {:width$}  {:>6}  {:>8.1}  {:>7}  {:>18}  {:>7}",
                place + 1,
                self.names[engine],
                total.games.games(),
                total.games.points(),
                percent(total.games.sample().mean()),
                estimate(total.sample().elo()),
                total.mean_discs().map_or("-".into(), |discs| format!("{discs:+.2}")),
            )?;
            for &other in &ranking {
                write!(out, "  {:>column$}", cell(engine, other))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Who made the first move of a record.
fn opener(record: &GameRecord) -> Option<Player> {
    let Some(start) = &record.start else { return Some(Player::First) };
    let mut game = crate::games::any::by_name(&record.variant)?;
    game.set_position(start).ok()?;
    Some(game.to_move())
}

/// The lowest that a side's clock fell to, before an increment was added, as a share of its main time. `None` without a
/// clock, or if the side made no move.
fn lowest_clock(record: &GameRecord, side: Player, opener: Player) -> Option<f64> {
    let control = record.limits[side as usize].split(", ").next()?.parse().ok()?;
    let TimeControl::Clock { base_ms, .. } = control else { return None };
    let base = base_ms as f64;
    let lost = record.reason == Reason::TimeForfeit && record.fault_by == Some(SideName::from(side));
    let (mut before, mut lowest) = (base, lost.then_some(0.0));
    for played in record.moves.iter().skip(usize::from(side != opener)).step_by(2) {
        let (Some(ms), Some(after)) = (played.ms, played.clock_ms) else { continue };
        let fell_to = (before - ms).max(0.0);
        lowest = Some(lowest.map_or(fell_to, |lowest| fell_to.min(lowest)));
        before = after as f64;
    }
    lowest.map(|ms| ms / base)
}

/// Writes the figures of one meeting.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_meeting(out: &mut dyn Write, meeting: &Meeting) -> io::Result<()> {
    let Trinomial { wins, losses, draws } = meeting.games;
    if meeting.games.games() > 0 {
        writeln!(
            out,
            "  games {}: won {wins}, drawn {draws}, lost {losses} ({} points)",
            meeting.games.games(),
            meeting.games.points()
        )?;
    }
    let pairs = &meeting.pairs;
    if pairs.pairs() > 0 {
        writeln!(
            out,
            "  pairs {}: LL {}, LD {}, WL {}, DD {}, WD {}, WW {}",
            pairs.pairs(),
            pairs.ll,
            pairs.ld,
            pairs.wl,
            pairs.dd,
            pairs.wd,
            pairs.ww
        )?;
    }
    if let Some(discs) = meeting.mean_discs() {
        writeln!(out, "  discs {discs:+.2} a game")?;
    }
    let sample = meeting.sample();
    let interval = |estimate: Estimate| format!("[{}, {}]", number(estimate.low), number(estimate.high));
    writeln!(out, "  Elo {} {}", estimate(sample.elo()), sample.elo().map_or_else(String::new, interval))?;
    writeln!(out, "  normalised Elo {}", estimate(sample.normalised_elo()))?;
    writeln!(out, "  LOS {}", percent(sample.los()))
}

/// Writes what a sequential test says.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_sprt(out: &mut dyn Write, sprt: &Sprt, sample: &Sample) -> io::Result<()> {
    let (ratio, verdict) = sprt.judge(sample);
    let (lower, upper) = sprt.bounds();
    let verdict = match verdict {
        Verdict::Continue if sample.trials() == 0.0 => "not yet decided: no pair of games is complete".into(),
        Verdict::Continue => "not yet decided".into(),
        Verdict::AcceptH0 => format!("H0 accepted (Elo {})", sprt.elo0),
        Verdict::AcceptH1 => format!("H1 accepted (Elo {})", sprt.elo1),
    };
    let model = format!("{:?}", sprt.model).to_lowercase();
    writeln!(
        out,
        "  SPRT ({model}) elo0 {} elo1 {}: LLR {ratio:.2} [{lower:.3}, {upper:.3}], {verdict}",
        sprt.elo0, sprt.elo1
    )
}

fn number(value: f64) -> String {
    if value.is_infinite() { (if value > 0.0 { "inf" } else { "-inf" }).into() } else { format!("{value:.2}") }
}

/// `12.34 +- 5.67`, or `not yet` where there is no value.
pub fn estimate(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(estimate) => format!("{} +- {}", number(estimate.value), number(estimate.error())),
        None => "not yet".into(),
    }
}

/// `12.34 %`, or `not yet`.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("not yet".into(), |share| format!("{:.2} %", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::super::record::{GameResult, MoveRecord, SideName};
    use super::super::statistics::EloModel;
    use super::*;

    fn game(number: u64, p1: &str, p2: &str, result: GameResult, discs: i32) -> GameRecord {
        let mut record = sample(number);
        (record.p1, record.p2, record.result) = (p1.into(), p2.into(), result);
        (record.reason, record.fault_by, record.discs) = (Reason::Normal, None, Some(discs));
        record
    }

    fn played() -> Standings {
        let mut standings = Standings::new(vec!["A".into(), "B".into()]);
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
    fn games_and_pairs_are_counted_for_both() {
        let standings = played();
        let meeting = standings.meeting(0, 1);
        assert_eq!(meeting.games, Trinomial { wins: 2, losses: 2, draws: 1 });
        assert_eq!(meeting.pairs, Pentanomial { ww: 1, ld: 1, ..Pentanomial::default() });
        assert_eq!(standings.meeting(1, 0).pairs, meeting.pairs.reversed());
        assert_eq!(standings.meeting(1, 0).games, meeting.games.reversed());
        assert_eq!(meeting.discs, (-8, 5));
        assert_eq!(standings.ranking(), [0, 1]);
        assert_eq!(standings.games(), 5);
    }

    #[test]
    fn faults_and_late_moves_are_counted_where_they_belong() {
        let mut standings = Standings::new(vec!["B \"two\"".into(), "A".into()]);
        let mut record = sample(1);
        record.moves[2].late = true;
        record.recovered.push(super::super::record::Incident {
            ply: 2,
            by: SideName::P2,
            reason: Reason::Crash,
            detail: String::new(),
        });
        standings.add(&record);
        assert_eq!(standings.faults(1).get(&Reason::TimeForfeit), Some(&1));
        assert_eq!(standings.faults(0).get(&Reason::Crash), Some(&1));
        // The third ply is the first player's, which is A.
        assert_eq!((standings.late(0), standings.late(1)), (0, 1));
    }

    #[test]
    fn the_lowest_clock_is_that_before_the_increment() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()]);
        let timed = |ms: f64, clock_ms| MoveRecord { ms: Some(ms), clock_ms: Some(clock_ms), ..MoveRecord::default() };
        let mut record = sample(1);
        (record.reason, record.fault_by) = (Reason::Normal, None);
        record.limits = ["1+0.5".into(), "2, depth 8".into()];
        // B, A, B, A: the first ply is A's opening move.
        record.moves.truncate(1);
        record.moves.extend([timed(500.0, 1_500), timed(900.0, 600), timed(100.0, 1_400), timed(400.0, 700)]);
        standings.add(&record);
        assert_eq!(standings.clocks[0].mean_and_least(), Some((0.1, 0.1)));
        assert_eq!(standings.clocks[1].mean_and_least(), Some((0.7, 0.7)));
        // A lost clock is an empty one; a fixed time or a depth is none.
        (record.reason, record.fault_by) = (Reason::TimeForfeit, Some(SideName::P1));
        record.limits[1] = "0.25/move".into();
        standings.add(&record);
        let line = "A: lowest clock 5.0 % of the main time on average, 0.0 % at least";
        assert_eq!(standings.clock_line(0).unwrap(), line);
        assert_eq!(standings.clocks[1].games, 1);
        let mut out = Vec::new();
        standings.write(&mut out, None).unwrap();
        assert!(String::from_utf8(out).unwrap().contains(line));
        assert_eq!(Standings::new(vec!["A".into()]).clock_line(0), None);
    }

    #[test]
    fn the_text_says_it() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalised };
        let text = |standings: &Standings| {
            let mut out = Vec::new();
            standings.write(&mut out, Some(&sprt)).unwrap();
            String::from_utf8(out).unwrap()
        };
        let full = text(&played());
        for part in [
            "games 5: won 2, drawn 1, lost 2 (2.5 points)",
            "pairs 2: LL 0, LD 1, WL 0, DD 0, WD 0, WW 1",
            "not yet decided",
            "no faults",
        ] {
            assert!(full.contains(part), "{part} is not in\n{full}");
        }
        let empty = Standings::new(vec!["A".into(), "B".into()]);
        assert_eq!(text(&empty), "no games yet\n");
        assert!(empty.line(Some(&sprt)).contains("Elo not yet"), "{}", empty.line(Some(&sprt)));
    }
}
