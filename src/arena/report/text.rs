//! The text output of a tournament: crosstable, match scores with Elo and SPRT, clocks and faults;
//! the progress; the runner's overhead.

use std::path::Path;

use crate::arena::elo::{
    Estimate, MIN_TRIALS, NoEstimate, Pentanomial, ScoreSample, Sprt, SprtVerdict,
};
use crate::arena::results::record::{AtPly, GameRecord};
use crate::arena::results::standings::{Decision, DiscPairs, EngineTally, MatchScore, Standings};
use crate::arena::rules::warning::ReportFault;
use crate::game::{Outcome, counted, printable};
use crate::logging::progress::{ProgressLine, print_line};

/// One line with the score of the first engine or, with more than two engines, of the leader.
pub fn summary_line(standings: &Standings) -> String {
    let (engine, against) = match &standings.engines[..] {
        [_, second] => (0, second.name.as_str()),
        _ => (standings.ranking()[0], "all"),
    };
    let EngineTally { name, total, .. } = &standings.engines[engine];
    let sample = total.sample();
    let elo = match sample.elo() {
        Err(reason) => format!("no Elo ({reason})"),
        elo => format!("Elo {}", format_estimate(elo)),
    };
    let mut line = format!("{name} vs {against}: {} (W-D-L)  {elo}", total.games);
    if let Ok(los) = sample.los() {
        line += &format!("  LOS {}", format_percent(los));
    }
    if let Some(sprt) = standings.sprt {
        let (ratio, _) = sprt.test(&standings.test_sample());
        let (lower, upper) = sprt.bounds();
        line += &format!("  LLR {ratio:.2} [{lower:.2}, {upper:.2}]");
    }
    line
}

/// One line with the result of a finished game; `of` is the number of games, if known.
pub fn game_line(record: &GameRecord, of: Option<u64>, folder: &Path) -> String {
    let of = of.map_or_else(String::new, |of| format!("/{of}"));
    let GameRecord { own, p1, p2, .. } = record;
    let (game, reason) = (own.game, own.reason);
    let result = match own.result {
        Some(Outcome::FirstWins) => format!("{p1} wins"),
        Some(Outcome::SecondWins) => format!("{p2} wins"),
        Some(Outcome::Draw) => "draw".into(),
        None => "no result".into(),
    };
    let discs = match record.discs {
        None | Some(0) => String::new(),
        Some(discs) => format!(" by {}", counted(discs.abs(), "disc", "discs")),
    };
    let mut line = format!("game {game}{of}: {p1} vs {p2}: {result}{discs}, {reason}");
    if let Some(by) = own.fault_by {
        line += &format!(" of {}", record.name(by));
    }
    if let Some(detail) = &own.detail {
        line += &format!(" ({detail})");
    }
    for AtPly { by, what, .. } in &own.recovered {
        line += &format!(", recovered: {} of {}", what.reason, record.name(*by));
    }
    if let Some(log) = &own.log {
        line += &format!(", log {}", folder.join(log).display());
    }
    line
}

/// Settings of an engine as `NAME=VALUE` words, after `prefix`; empty without any.
pub fn settings_text(settings: &[(String, String)], prefix: &str) -> String {
    let words = settings
        .iter()
        .map(|(name, value)| printable(&format!("{name}={value}")));
    let words = words.collect::<Vec<_>>().join(" ");
    match settings {
        [] => words,
        _ => prefix.to_owned() + &words,
    }
}

/// The crosstable, the match score of two engines, the clocks and the faults.
pub fn standings_text(standings: &Standings) -> String {
    if standings.games == 0 {
        return "no games yet\n".into();
    }
    let mut text = crosstable_text(standings);
    if let [first, second] = &standings.engines[..] {
        text += &format!(
            "\n{} against {}:\n{}",
            first.name,
            second.name,
            match_text(standings)
        );
    }
    let notes: Vec<String> = standings.engines.iter().flat_map(engine_notes).collect();
    if !notes.is_empty() {
        text += &format!("\n{}\n", notes.join("\n"));
    }
    let faults = standings.programs().filter_map(|engine| {
        let counts = fault_counts(engine);
        (!counts.is_empty()).then(|| format!("{}: {counts}\n", engine.name))
    });
    let faults: String = faults.collect();
    text + "\n"
        + if faults.is_empty() {
            "no faults\n"
        } else {
            &faults
        }
}

/// Further lines about an engine: lowest clock, ponder hits, late moves, search report warnings.
pub fn engine_notes(engine: &EngineTally) -> impl Iterator<Item = String> {
    let clock = engine.lowest_clocks.mean().map(|mean| {
        let (mean, lowest) = (100.0 * mean, 100.0 * engine.lowest_clocks.minimum);
        format!("lowest clock: mean {mean:.1} %, minimum {lowest:.1} % of the main time")
    });
    let (hits, moves) = (engine.ponder_hits, engine.moves);
    let pondering = (hits > 0).then(|| format!("ponder hits: {hits} of {moves} moves"));
    let late = &engine.late_causes;
    let unknown = match late.unknown {
        0 => String::new(),
        unknown => format!(", {unknown} unknown"),
    };
    let late = (late.all() > 0).then(|| {
        format!(
            "late moves: {}, of which {} explained by CPU waits, {} not explained{unknown}",
            late.all(),
            late.explained,
            late.unexplained
        )
    });
    let mut warnings = engine.warnings.clone();
    let annulled = warnings
        .remove(&ReportFault::AnnulledForfeit)
        .map(|count| format!("forfeits on time annulled, and the game played again: {count}"));
    let warnings = warnings
        .iter()
        .map(|(fault, count)| format!("{fault} {count}"));
    let warnings = warnings.reduce(|all, next| all + ", " + &next);
    let warnings = warnings.map(|all| format!("search report warnings: {all}"));
    [clock, pondering, late, annulled, warnings]
        .into_iter()
        .flatten()
        .map(|note| format!("{}: {note}", engine.name))
}

/// The faults and late moves of an engine with their counts; empty if there are none.
pub fn fault_counts(engine: &EngineTally) -> String {
    let faults = engine
        .faults
        .iter()
        .map(|(reason, count)| format!("{reason} {count}"));
    let moves = [
        ("late within the margin", engine.late_moves),
        ("stopped by --think-timeout", engine.stopped),
    ];
    let moves = moves.into_iter().filter(|(_, count)| *count > 0);
    faults
        .chain(moves.map(|(what, count)| format!("{what} {count}")))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The titles and the rows of the crosstable, in ranking order.
pub fn crosstable(standings: &Standings) -> (Vec<String>, Vec<Vec<String>>) {
    let ranking = standings.ranking();
    let titles = [
        "rank",
        "engine",
        "games",
        "points",
        "score",
        "Elo",
        "normalized Elo",
        "LOS",
        "discs per pair",
    ];
    let opponents = (1..=ranking.len()).map(|rank| format!("vs{rank}"));
    let titles = titles.into_iter().map(String::from).chain(opponents);
    let titles = titles.chain(["faults".into()]).collect();
    let row = |(rank, &engine): (usize, &usize)| {
        let tally = &standings.engines[engine];
        let (games, sample) = (&tally.total.games, tally.total.sample());
        let cells = [
            rank.to_string(),
            tally.name.clone(),
            games.games().to_string(),
            format!("{:.1}", games.points()),
            games.sample().mean().map_or("-".into(), format_percent),
            format_estimate(sample.elo()),
            format_estimate(sample.normalized_elo()),
            sample
                .los()
                .map_or_else(|reason| reason.to_string(), format_percent),
            format_disc_pairs(&tally.total.disc_pairs).unwrap_or("-".into()),
        ];
        let results = ranking.iter().map(|&other| {
            if engine == other {
                "-".into()
            } else {
                standings.scores[engine][other].games.to_string()
            }
        });
        let faults = Some(fault_counts(tally)).filter(|faults| !faults.is_empty());
        cells
            .into_iter()
            .chain(results)
            .chain([faults.unwrap_or_else(|| "none".into())])
            .collect()
    };
    (titles, (1..).zip(&ranking).map(row).collect())
}

fn crosstable_text(standings: &Standings) -> String {
    let (titles, rows) = crosstable(standings);
    let mut text = vec![String::new(); rows.len() + 1];
    for (column, title) in titles.iter().enumerate() {
        if ["normalized Elo", "LOS", "faults"].contains(&title.as_str()) {
            continue;
        }
        let cells = || {
            [title]
                .into_iter()
                .chain(rows.iter().map(|row| &row[column]))
        };
        let width = cells().map(|cell| cell.chars().count()).max().unwrap_or(0);
        for (line, cell) in text.iter_mut().zip(cells()) {
            *line += &match title.as_str() {
                "rank" => format!("{cell:>width$}"),
                "engine" => format!("  {cell:width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
    }
    text.join("\n") + "\n"
}

/// The statistics of one match score.
pub fn score_text(score: &MatchScore) -> String {
    let games = &score.games;
    let mut lines = Vec::new();
    if games.games() > 0 {
        lines.push(format!(
            "games {}: won {}, drawn {}, lost {} ({})",
            games.games(),
            games.wins,
            games.draws,
            games.losses,
            counted(games.points(), "point", "points")
        ));
    }
    let pairs = &score.pairs;
    if pairs.pairs() > 0 {
        let Pentanomial {
            ll,
            ld,
            wl,
            dd,
            wd,
            ww,
        } = pairs;
        lines.push(format!(
            "pairs {}: LL {ll}, LD {ld}, WL {wl}, DD {dd}, WD {wd}, WW {ww}",
            pairs.pairs()
        ));
    }
    if let Some(discs) = score.mean_discs() {
        let per_pair = match format_disc_pairs(&score.disc_pairs) {
            None => String::new(),
            Some(pairs) => format!(", {pairs} per pair (standard error)"),
        };
        lines.push(format!("discs {discs:+.2} per game{per_pair}"));
    }
    let sample = score.sample();
    match sample.elo() {
        Ok(elo) => {
            let interval = if elo.low.is_finite() && elo.high.is_finite() {
                format!(" [{:.2}, {:.2}]", elo.low, elo.high)
            } else {
                String::new()
            };
            lines.push(format!("Elo {}{interval}", format_estimate(Ok(elo))));
            let normalized = format_estimate(sample.normalized_elo());
            lines.push(format!("normalized Elo {normalized}"));
        }
        Err(reason @ NoEstimate::TooFewGames) => {
            let trials = if sample.pairs { "pairs" } else { "games" };
            lines.push(format!(
                "no Elo: {reason} (fewer than {MIN_TRIALS} {trials})"
            ));
        }
        Err(reason) => lines.push(format!("no Elo: {reason}")),
    }
    let los = sample.los().ok();
    lines.extend(los.map(|los| format!("LOS {}", format_percent(los))));
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// The statistics of a match of two engines, with the state of its SPRT; the first decision is
/// final.
pub fn match_text(standings: &Standings) -> String {
    let score = &standings.scores[0][1];
    let test = standings
        .sprt
        .map(|sprt| sprt_text(&sprt, &standings.test_sample(), standings.decision));
    score_text(score) + &test.unwrap_or_default()
}

/// The state of an SPRT, which may have been decided earlier.
pub fn sprt_text(sprt: &Sprt, sample: &ScoreSample, decision: Option<Decision>) -> String {
    let (ratio, now) = sprt.test(sample);
    let verdict = decision.map_or(now, |decision| decision.verdict);
    let when = decision.map_or_else(String::new, |decision| {
        format!(" after {}", counted(decision.games, "game", "games"))
    });
    let (lower, upper) = sprt.bounds();
    let Sprt {
        elo0, elo1, model, ..
    } = sprt;
    let verdict = match verdict {
        SprtVerdict::Continue if sample.trials() == 0.0 => {
            "not yet decided: no complete pair of games".into()
        }
        SprtVerdict::Continue => "not yet decided".into(),
        SprtVerdict::AcceptH0 => format!("H0 accepted (Elo {elo0}){when}"),
        SprtVerdict::AcceptH1 => format!("H1 accepted (Elo {elo1}){when}"),
    };
    let model = format!("{model:?}").to_lowercase();
    format!(
        "  SPRT ({model}) elo0 {elo0} elo1 {elo1}: LLR {ratio:.2} [{lower:.3}, {upper:.3}], {verdict}\n"
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

/// The mean disc difference of pairs with its standard error, `+6.84 (1.05)`; `None` with fewer than
/// two pairs.
fn format_disc_pairs(pairs: &DiscPairs) -> Option<String> {
    let (mean, error) = pairs.mean_and_error()?;
    Some(format!("{mean:+.2} ({error:.2})"))
}

/// `12.34 %`.
pub fn format_percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The maximum number of games between two progress lines, without a terminal.
const PROGRESS_GAMES: u64 = 1_000;
/// The number of games between two progress lines if the total is unknown.
const UNLIMITED_STEP: u64 = 100;

/// A progress bar on a terminal; otherwise a line on standard error after each 5 % of the games, or
/// each hundred.
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
        let games = standings.games;
        if !self.bar.is_hidden() {
            self.bar.set_message(&summary_line(standings));
            self.bar.set_position(games);
            return;
        }
        let (step, of) = match self.total {
            None => (UNLIMITED_STEP, String::new()),
            Some(total) => ((total / 20).clamp(1, PROGRESS_GAMES), format!("/{total}")),
        };
        if games.is_multiple_of(step) {
            // A closed standard error does not stop the tournament.
            print_line(format!("{games}{of} {}", summary_line(standings)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::elo::{EloModel, Trinomial};
    use crate::arena::results::standings::tests::five_games;

    #[test]
    fn every_part_is_written() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: EloModel::Normalized,
        };
        let full = standings_text(&five_games(Some(sprt)));
        for part in [
            "games 5: won 2, drawn 1, lost 2 (2.5 points)",
            "pairs 2: LL 0, LD 1, WL 0, DD 0, WD 0, WW 1",
            "  no Elo: too few games (fewer than 5 pairs)\n",
            "not yet decided",
            "no faults",
        ] {
            assert!(full.contains(part), "{part} is not in\n{full}");
        }
        let empty = Standings::new(vec!["A".into(), "B".into()], None, &[]);
        assert_eq!(standings_text(&empty), "no games yet\n");
        assert!(
            summary_line(&empty).ends_with("no Elo (too few games)"),
            "{}",
            summary_line(&empty)
        );
    }

    #[test]
    fn a_match_score_has_its_estimates() {
        let text = |wins, losses| {
            score_text(&MatchScore {
                games: Trinomial {
                    wins,
                    losses,
                    draws: 0,
                },
                ..MatchScore::default()
            })
        };
        assert!(
            text(2, 0).ends_with("points)\n  no Elo: too few games (fewer than 5 games)\n"),
            "{}",
            text(2, 0)
        );
        assert!(
            text(10, 0).ends_with("points)\n  no Elo: all results equal\n  LOS 99.90 %\n"),
            "{}",
            text(10, 0)
        );
        let full = text(9, 1);
        assert!(
            full.contains("  Elo 381.70 (above 158.99)\n") && full.contains("  LOS 100.00 %"),
            "{full}"
        );
    }
}
