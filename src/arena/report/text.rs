//! The text output of a tournament: crosstable, match scores with Elo and SPRT, clocks and faults; the progress; the
//! runner's overhead.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use crate::arena::results::elo::{Estimate, MIN_TRIALS, NoEstimate, ScoreSample, Sprt, SprtVerdict, Trinomial};
use crate::arena::results::standings::{Decision, MatchScore, Standings};
use crate::logging::progress::ProgressLine;

/// One line with the score of the first engine or, with more than two engines, of the leader.
pub fn summary_line(standings: &Standings) -> String {
    let (engine, score, against) = match standings.names() {
        [_, second] => (0, *standings.match_score(0, 1), second.as_str()),
        _ => {
            let leader = standings.ranking()[0];
            (leader, standings.total(leader), "all")
        }
    };
    let Trinomial { wins, losses, draws } = score.games;
    let sample = score.sample();
    let elo = match sample.elo() {
        Ok(elo) => format!("Elo {}", format_estimate(Ok(elo))),
        Err(reason) => format!("no Elo ({reason})"),
    };
    let mut line = format!("{} vs {against}: {wins}-{draws}-{losses} (W-D-L)  {elo}", standings.names()[engine]);
    if let Ok(los) = sample.los() {
        line.push_str(&format!("  LOS {}", format_percent(los)));
    }
    if let Some(sprt) = standings.sprt() {
        let (ratio, _) = sprt.test(&score.pairs.sample());
        let (lower, upper) = sprt.bounds();
        line.push_str(&format!("  LLR {ratio:.2} [{lower:.2}, {upper:.2}]"));
    }
    line
}

/// Writes the crosstable, the match score of two engines, the clocks and the faults.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_standings(standings: &Standings, out: &mut dyn Write) -> io::Result<()> {
    if standings.games() == 0 {
        return writeln!(out, "no games yet");
    }
    write_crosstable(standings, out)?;
    if let [first, second] = standings.names() {
        let score = standings.match_score(0, 1);
        writeln!(out, "\n{first} against {second}:")?;
        write_match_score(out, score)?;
        write_test(out, standings)?;
    }
    let engines = 0..standings.names().len();
    let notes: Vec<String> = engines.clone().flat_map(|engine| engine_notes(standings, engine)).collect();
    if !notes.is_empty() {
        writeln!(out, "\n{}", notes.join("\n"))?;
    }
    let faults: Vec<String> = engines
        .map(|engine| (engine, fault_counts(standings, engine)))
        .filter(|(_, counts)| !counts.is_empty())
        .map(|(engine, counts)| format!("{}: {counts}", standings.names()[engine]))
        .collect();
    writeln!(out, "\n{}", if faults.is_empty() { "no faults".into() } else { faults.join("\n") })
}

/// Further lines about an engine: lowest clock, ponder hits, late moves, search report warnings.
pub fn engine_notes(standings: &Standings, engine: usize) -> impl Iterator<Item = String> {
    let (hits, moves) = standings.ponder_hits(engine);
    let pondering = || format!("{}: ponder hits: {hits} of {moves} moves", standings.names()[engine]);
    let lines = clock_line(standings, engine).into_iter().chain((hits > 0).then(pondering));
    lines.chain(late_line(standings, engine)).chain(warning_line(standings, engine))
}

/// The late moves of an engine by explanation; `None` if it had none.
fn late_line(standings: &Standings, engine: usize) -> Option<String> {
    let late = standings.late_causes(engine);
    let unknown = if late.unknown > 0 { format!(", {} unknown", late.unknown) } else { String::new() };
    (late.all() > 0).then(|| {
        format!(
            "{}: late moves: {}, of which {} explained by CPU waits, {} not explained{unknown}",
            standings.names()[engine],
            late.all(),
            late.explained,
            late.unexplained
        )
    })
}

/// The warnings about an engine's search reports; `None` if there were none.
fn warning_line(standings: &Standings, engine: usize) -> Option<String> {
    let counts = standings.warnings(engine).iter().map(|(fault, count)| format!("{fault} {count}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    (!counts.is_empty()).then(|| format!("{}: search report warnings: {counts}", standings.names()[engine]))
}

/// The lowest clock of an engine; `None` if it had no clock.
fn clock_line(standings: &Standings, engine: usize) -> Option<String> {
    let (mean, lowest) = standings.lowest_clock(engine).mean_and_minimum()?;
    Some(format!(
        "{}: lowest clock: mean {:.1} %, minimum {:.1} % of the main time",
        standings.names()[engine],
        100.0 * mean,
        100.0 * lowest
    ))
}

/// The faults and late moves of an engine with their counts; empty if there are none.
pub fn fault_counts(standings: &Standings, engine: usize) -> String {
    let faults = standings.faults(engine).iter().map(|(reason, count)| format!("{reason} {count}"));
    let late = Some(standings.late_moves(engine)).filter(|&count| count > 0);
    faults.chain(late.map(|count| format!("late within the margin {count}"))).collect::<Vec<_>>().join(", ")
}

fn write_crosstable(standings: &Standings, out: &mut dyn Write) -> io::Result<()> {
    let ranking = standings.ranking();
    let names = standings.names();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    let cell = |engine: usize, other: usize| {
        let Trinomial { wins, losses, draws } = standings.match_score(engine, other).games;
        if engine == other { "-".into() } else { format!("{wins}-{draws}-{losses}") }
    };
    let cells = (0..names.len()).flat_map(|a| (0..names.len()).map(move |b| (a, b)));
    let column = cells.map(|(a, b)| cell(a, b).len()).max().unwrap_or(1).max(3);
    write!(
        out,
        "{:>4}  {:width$}  {:>6}  {:>8}  {:>7}  {:>22}  {:>7}",
        "rank", "engine", "games", "points", "score", "Elo", "discs"
    )?;
    for rank in 1..=ranking.len() {
        write!(out, "  {:>column$}", format!("vs{rank}"))?;
    }
    writeln!(out)?;
    for (index, &engine) in ranking.iter().enumerate() {
        let total = standings.total(engine);
        write!(
            out,
            "{:>4}  {:width$}  {:>6}  {:>8.1}  {:>7}  {:>22}  {:>7}",
            index + 1,
            names[engine],
            total.games.games(),
            total.games.points(),
            total.games.sample().mean().map_or("-".into(), format_percent),
            format_estimate(total.sample().elo()),
            total.mean_discs().map_or("-".into(), |discs| format!("{discs:+.2}")),
        )?;
        for &other in &ranking {
            write!(out, "  {:>column$}", cell(engine, other))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the statistics of one match score.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_match_score(out: &mut dyn Write, score: &MatchScore) -> io::Result<()> {
    let Trinomial { wins, losses, draws } = score.games;
    if score.games.games() > 0 {
        writeln!(
            out,
            "  games {}: won {wins}, drawn {draws}, lost {losses} ({} points)",
            score.games.games(),
            score.games.points()
        )?;
    }
    let pairs = &score.pairs;
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
    if let Some(discs) = score.mean_discs() {
        writeln!(out, "  discs {discs:+.2} per game")?;
    }
    let sample = score.sample();
    match (sample.elo(), sample.normalized_elo()) {
        (Ok(elo), Ok(normalized)) => {
            let Estimate { low, high, .. } = elo;
            let is_bounded = low.is_finite() && high.is_finite();
            let interval = if is_bounded { format!(" [{low:.2}, {high:.2}]") } else { String::new() };
            writeln!(out, "  Elo {}{interval}", format_estimate(Ok(elo)))?;
            writeln!(out, "  normalized Elo {}", format_estimate(Ok(normalized)))?;
        }
        (Err(reason), _) | (_, Err(reason)) => {
            let needed = format!(" (fewer than {MIN_TRIALS} {})", if sample.is_of_pairs() { "pairs" } else { "games" });
            let needed = if reason == NoEstimate::TooFewGames { needed } else { String::new() };
            writeln!(out, "  no Elo: {reason}{needed}")?;
        }
    }
    sample.los().map_or(Ok(()), |los| writeln!(out, "  LOS {}", format_percent(los)))
}

/// Writes the state of a tournament's SPRT, if it has one; the first decision is final.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_test(out: &mut dyn Write, standings: &Standings) -> io::Result<()> {
    let Some(sprt) = standings.sprt() else { return Ok(()) };
    write_sprt(out, sprt, &standings.match_score(0, 1).pairs.sample(), standings.decision())
}

/// Writes the state of an SPRT, which may have been decided earlier.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_sprt(
    out: &mut dyn Write,
    sprt: &Sprt,
    sample: &ScoreSample,
    decision: Option<Decision>,
) -> io::Result<()> {
    let (ratio, now) = sprt.test(sample);
    let verdict = decision.map_or(now, |decision| decision.verdict);
    let when = decision.map_or_else(String::new, |decision| format!(" after {} games", decision.games));
    let (lower, upper) = sprt.bounds();
    let verdict = match verdict {
        SprtVerdict::Continue if sample.trials() == 0.0 => "not yet decided: no complete pair of games".into(),
        SprtVerdict::Continue => "not yet decided".into(),
        SprtVerdict::AcceptH0 => format!("H0 accepted (Elo {}){when}", sprt.elo0),
        SprtVerdict::AcceptH1 => format!("H1 accepted (Elo {}){when}", sprt.elo1),
    };
    let model = format!("{:?}", sprt.model).to_lowercase();
    writeln!(
        out,
        "  SPRT ({model}) elo0 {} elo1 {}: LLR {ratio:.2} [{lower:.3}, {upper:.3}], {verdict}",
        sprt.elo0, sprt.elo1
    )
}

/// `12.34 +- 5.67`; with one bound if the other is infinite; without an estimate, the reason.
pub fn format_estimate(estimate: Result<Estimate, NoEstimate>) -> String {
    match estimate {
        Ok(Estimate { value, low, high }) => match (low.is_finite(), high.is_finite()) {
            (true, true) => format!("{value:.2} +- {:.2}", (high - low) / 2.0),
            (true, false) => format!("{value:.2} (above {low:.2})"),
            (false, true) => format!("{value:.2} (below {high:.2})"),
            (false, false) => format!("{value:.2} (no bounds)"),
        },
        Err(reason) => reason.to_string(),
    }
}

/// `12.34 %`.
pub fn format_percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The maximum number of games between two progress lines, without a terminal.
const PROGRESS_GAMES: u64 = 1_000;
/// The number of games between two progress lines if the total is unknown.
const UNLIMITED_STEP: u64 = 100;

/// A progress bar on a terminal; otherwise a line on standard error after each 5 % of the games, or each hundred.
pub struct ProgressDisplay {
    bar: ProgressLine,
    /// `None`: until the SPRT is decided.
    total: Option<u64>,
}

impl ProgressDisplay {
    /// A display for `total` games (`None`: without end), `done` of them played.
    pub fn new(total: Option<u64>, done: u64) -> ProgressDisplay {
        let bar = ProgressLine::bar(total, "games");
        bar.begin_at(done);
        ProgressDisplay { bar, total }
    }

    /// Shows the standings after a game.
    pub fn show(&self, standings: &Standings) {
        let games = standings.games();
        if !self.bar.is_hidden() {
            self.bar.set_message(summary_line(standings));
            self.bar.set_position(games);
        } else if games.is_multiple_of(self.total.map_or(UNLIMITED_STEP, |total| (total / 20).clamp(1, PROGRESS_GAMES)))
        {
            let of = self.total.map_or_else(String::new, |total| format!("/{total}"));
            // A closed standard error does not stop the tournament.
            let _ = writeln!(io::stderr(), "{games}{of} {}", summary_line(standings));
        }
    }
}

/// The distribution of times, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TimeSpread {
    /// The median.
    pub median: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The maximum.
    pub maximum: u64,
    /// The number of moves.
    pub moves: usize,
}

impl TimeSpread {
    fn of(times: &[u64]) -> Option<TimeSpread> {
        let mut times = times.to_vec();
        times.sort_unstable();
        let maximum = *times.last()?;
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Some(TimeSpread { median: at(0.5), p99: at(0.99), maximum, moves: times.len() })
    }
}

/// The runner's overhead and delays (see [`GameDiagnostics`](crate::arena::play::game::GameDiagnostics)), in
/// microseconds.
#[derive(Default)]
pub struct RunnerTimes {
    overheads: Vec<u64>,
    lateness: Vec<u64>,
}

impl RunnerTimes {
    /// Adds the times of a game.
    pub fn add(&mut self, overheads: &[Duration], lateness: &[Duration]) {
        self.overheads.extend(overheads.iter().map(|time| time.as_micros() as u64));
        self.lateness.extend(lateness.iter().map(|time| time.as_micros() as u64));
    }

    /// The distributions of the overhead and the delays, if any.
    pub fn spreads(&self) -> [Option<TimeSpread>; 2] {
        [&self.overheads, &self.lateness].map(|times| TimeSpread::of(times))
    }

    /// Writes median, 99th percentile and maximum.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = ["runner overhead per move", "delay from reply to processing"];
        for (name, spread) in names.into_iter().zip(self.spreads()) {
            let Some(TimeSpread { median, p99, maximum, moves }) = spread else { continue };
            let [median, p99, maximum] = [median, p99, maximum].map(|us| us as f64 / 1e3);
            writeln!(
                out,
                "{name}: median {median:.3} ms, 99th percentile {p99:.3} ms, maximum {maximum:.3} ms ({moves} moves)"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::elo::EloModel;
    use crate::arena::results::standings::tests::five_games;

    #[test]
    fn every_part_is_written() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalized };
        let text = |standings: &Standings| {
            let mut out = Vec::new();
            write_standings(standings, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let full = text(&five_games(Some(sprt)));
        for part in [
            "games 5: won 2, drawn 1, lost 2 (2.5 points)",
            "pairs 2: LL 0, LD 1, WL 0, DD 0, WD 0, WW 1",
            "  no Elo: too few games (fewer than 5 pairs)\n",
            "not yet decided",
            "no faults",
        ] {
            assert!(full.contains(part), "{part} is not in\n{full}");
        }
        let empty = Standings::new(vec!["A".into(), "B".into()], None);
        assert_eq!(text(&empty), "no games yet\n");
        assert!(summary_line(&empty).ends_with("no Elo (too few games)"), "{}", summary_line(&empty));
    }

    #[test]
    fn estimates_of_a_match_score() {
        let text = |wins, losses| {
            let mut out = Vec::new();
            let score = MatchScore { games: Trinomial { wins, losses, draws: 0 }, ..MatchScore::default() };
            write_match_score(&mut out, &score).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(text(2, 0).ends_with("points)\n  no Elo: too few games (fewer than 5 games)\n"), "{}", text(2, 0));
        assert!(text(10, 0).ends_with("points)\n  no Elo: all results equal\n  LOS 99.90 %\n"), "{}", text(10, 0));
        let full = text(9, 1);
        assert!(full.contains("  Elo 381.70 (above 158.99)\n") && full.contains("  LOS 100.00 %"), "{full}");
    }
}
