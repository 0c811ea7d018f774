//! The tables of the report: engines, crosstable, Elo plot, search statistics by game phase.

use std::fmt::Write;

use anyhow::Result;

use crate::arena::config::TournamentConfig;
use crate::arena::engine_spec::EngineSpec;
use crate::arena::report::text::{
    self, TITLES, engine_notes, fault_counts, format_estimate, format_percent, match_text,
};
use crate::arena::results::match_plan::PlanReview;
use crate::arena::results::record::{GameRecord, MoveOrigin};
use crate::arena::results::standings::Standings;
use crate::html::plot::{Axis, Curve, svg};
use crate::html::{escape, group_thousands, table};

/// The largest Elo difference in the plot.
const MAX_ELO: f64 = 800.0;

/// The part of the page above the games: engines, crosstable, match score, Elo plot, phases.
pub fn write_summary(
    config: &TournamentConfig,
    review: &PlanReview,
    games: &[GameRecord],
    standings: &Standings,
) -> Result<String> {
    let mut html = String::new();
    write!(html, "<p>{} games played ({}), seed {}", games.len(), config.length(), config.seed)?;
    if let (Some(first), Some(last)) = (games.first(), games.last()) {
        write!(html, ", {} to {}", escape(&first.began), escape(&last.began))?;
    }
    html.push_str("</p>\n");
    let row = |engine: &EngineSpec| {
        vec![
            escape(&engine.name),
            engine.protocol.name().into(),
            escape(&engine.limits()),
            format!("<code>{}</code>", escape(&engine.command_line())),
        ]
    };
    let rows: Vec<_> = config.engines.iter().map(row).collect();
    html.push_str(&table(&["engine", "protocol", "limits", "command"], &[0, 1, 2, 3], &rows));
    for note in config
        .engine_notes()
        .chain(config.option_warnings.iter().cloned())
        .chain(review.lines())
        .chain(standings.duplicate_warning())
    {
        writeln!(html, "<p>{}</p>", escape(&note))?;
    }
    html.push_str("<h2>Crosstable</h2>\n");
    html.push_str(&crosstable(standings));
    for line in standings.engines.iter().flat_map(engine_notes) {
        writeln!(html, "<p>{}</p>", escape(&line))?;
    }
    if standings.engines.len() == 2 && standings.games > 0 {
        write!(html, "<pre>{}</pre>", escape(&match_text(standings)))?;
    }
    html.push_str("<h2>Elo with 95 % confidence interval</h2>\n");
    html.push_str(&elo_plot(standings));
    html.push_str("<h2>Search statistics by game phase</h2>\n");
    html.push_str(&phases(games, standings));
    Ok(html)
}

/// The crosstable of the text output, with further columns.
fn crosstable(standings: &Standings) -> String {
    let has_discs = standings.scores.iter().flatten().any(|score| score.mean_discs().is_some());
    let shown = if has_discs { 7 } else { 6 };
    let mut titles: Vec<String> =
        TITLES[..6].iter().chain(&["normalized Elo", "LOS"]).map(|&title| title.into()).collect();
    titles.extend(TITLES[6..shown].iter().map(|&title| title.into()));
    titles.extend((1..=standings.engines.len()).map(|rank| format!("vs {rank}")));
    titles.push("faults".into());
    let whole = |text: &String| format!("<span class=whole>{text}</span>");
    let row = |(mut cells, engine): (Vec<String>, usize)| {
        let sample = standings.total(engine).sample();
        let los = sample.los().map_or_else(|reason| reason.to_string(), format_percent);
        let results = cells.split_off(7);
        let discs = cells.split_off(6);
        cells[1] = escape(&cells[1]);
        cells[4] = whole(&cells[4]);
        cells.extend([format_estimate(sample.normalized_elo()), whole(&los)]);
        cells.extend(discs.into_iter().take(shown - 6).chain(results.iter().map(whole)));
        let faults = fault_counts(&standings.engines[engine]);
        cells.push(if faults.is_empty() { "none".into() } else { escape(&faults) });
        cells
    };
    let rows: Vec<_> = text::crosstable(standings).into_iter().zip(standings.ranking()).map(row).collect();
    table(&titles, &[1, titles.len() - 1], &rows) + "<p class=faint>Wins-draws-losses of the engine in the row.</p>\n"
}

/// The Elo differences with their intervals, each at the mean score of its engine.
fn elo_plot(standings: &Standings) -> String {
    let curve = |engine: usize| {
        let total = standings.total(engine);
        let (elo, score) = (total.sample().elo().ok()?, 100.0 * total.games.sample().mean()?);
        let name = escape(&format!("{}: {}", standings.engines[engine].name, format_estimate(Ok(elo))));
        let ends = [elo.low, elo.value, elo.high].map(|elo| (elo.clamp(-MAX_ELO, MAX_ELO), score));
        Some(Curve { name, points: ends.to_vec(), dashed: false })
    };
    let curves: Vec<Curve> = standings.ranking().into_iter().filter_map(curve).collect();
    if curves.is_empty() {
        return "<p class=faint>no estimate yet</p>".into();
    }
    let axis = |name| Axis { name, logarithmic: false };
    format!("<div id=elo>{}</div>\n", svg("", axis("Elo"), axis("score, %"), &curves))
}

/// Sums over one engine's searches in one phase.
#[derive(Clone, Copy, Default)]
struct PhaseSums {
    moves: u64,
    ms: f64,
    longest_ms: f64,
    /// Sum of the depths, and the number of searches that report one.
    depth: (u64, u64),
    nodes: u64,
    /// The total time of the searches that report nodes.
    counted_ms: f64,
}

/// Search statistics of each engine by thirds of the game.
fn phases(games: &[GameRecord], standings: &Standings) -> String {
    let mut sums = vec![[PhaseSums::default(); 4]; standings.engines.len()];
    for game in games {
        for (index, (played, side)) in game.moves.iter().zip(game.sides()).enumerate() {
            let Some(engine) = standings.engine(game.name(side)) else { continue };
            if played.origin != MoveOrigin::Engine {
                continue;
            }
            let third = 3 * index / game.moves.len();
            for phase in [third, 3] {
                let sum = &mut sums[engine][phase];
                sum.moves += 1;
                let ms = played.ms.unwrap_or(0.0);
                sum.ms += ms;
                sum.longest_ms = sum.longest_ms.max(ms);
                if let Some(depth) = played.depth {
                    sum.depth = (sum.depth.0 + u64::from(depth), sum.depth.1 + 1);
                }
                if let Some(nodes) = played.nodes {
                    sum.nodes += nodes;
                    sum.counted_ms += ms;
                }
            }
        }
    }
    let mut rows = Vec::new();
    for (engine, sums) in standings.engines.iter().zip(&sums) {
        for (sum, phase) in sums.iter().zip(["first third", "middle third", "last third", "whole game"]) {
            if sum.moves == 0 {
                continue;
            }
            let none = || String::from("–");
            let depth =
                if sum.depth.1 > 0 { format!("{:.1}", sum.depth.0 as f64 / sum.depth.1 as f64) } else { none() };
            let (nodes, speed) = if sum.counted_ms > 0.0 {
                (
                    group_thousands(sum.nodes / sum.moves),
                    group_thousands((sum.nodes as f64 / sum.counted_ms * 1e3) as u64),
                )
            } else {
                (none(), none())
            };
            rows.push(vec![
                escape(&engine.name),
                phase.into(),
                sum.moves.to_string(),
                depth,
                nodes,
                speed,
                format!("{:.2}", sum.ms / sum.moves as f64),
                format!("{:.2}", sum.longest_ms),
            ]);
        }
    }
    let titles = ["engine", "phase", "moves", "mean depth", "nodes/move", "nodes/s", "mean ms", "max ms"];
    table(&titles, &[0, 1], &rows)
        + "<p class=faint>Excludes opening moves and forced passes. The phases are thirds of each game's plies.</p>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::record::tests::sample_record;
    use crate::game::Outcome;

    #[test]
    fn infinite_ends_stay_inside_the_plot() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None, &[]);
        standings.add(&sample_record(1));
        assert_eq!(elo_plot(&standings), "<p class=faint>no estimate yet</p>");
        for game in 2..=6 {
            let mut record = sample_record(game);
            (record.pair, record.result) = (game, if game < 6 { Outcome::FirstWins } else { Outcome::Draw });
            standings.add(&record);
        }
        let svg = elo_plot(&standings);
        assert!(!svg.contains("NaN") && !svg.contains("\"inf") && svg.contains("B &quot;two&quot;"), "{svg}");
    }
}
