//! The tables of the report: engines, crosstable, search statistics by game phase.

use std::fmt::Write;

use anyhow::Result;

use super::elo_plot::elo_plot;
use super::replay_data::sides_to_move;
use crate::arena::config::TournamentConfig;
use crate::arena::engine_spec::EngineSpec;
use crate::arena::report::text::{
    engine_notes, fault_counts, format_estimate, format_percent, write_match_score, write_test,
};
use crate::arena::results::match_plan::PlanReview;
use crate::arena::results::record::{GameRecord, MoveOrigin};
use crate::arena::results::standings::Standings;
use crate::html::{TableColumn, escape, group_thousands, table};

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
    let columns = ["engine", "protocol", "limits", "command"].map(TableColumn::text);
    let row = |engine: &EngineSpec| {
        vec![
            escape(&engine.name),
            engine.protocol.name().into(),
            escape(&engine.limits()),
            format!("<code>{}</code>", escape(&engine.command_line())),
        ]
    };
    html.push_str(&table(&columns, &config.engines.iter().map(row).collect::<Vec<_>>()));
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
    for line in (0..standings.names().len()).flat_map(|engine| engine_notes(standings, engine)) {
        writeln!(html, "<p>{}</p>", escape(&line))?;
    }
    if standings.names().len() == 2 && standings.games() > 0 {
        let mut text = Vec::new();
        write_match_score(&mut text, standings.match_score(0, 1))?;
        write_test(&mut text, standings)?;
        write!(html, "<pre>{}</pre>", escape(&String::from_utf8_lossy(&text)))?;
    }
    html.push_str("<h2>Elo with 95 % confidence interval</h2>\n");
    html.push_str(&elo_plot(standings));
    html.push_str("<h2>Search statistics by game phase</h2>\n");
    html.push_str(&phases(games, standings));
    Ok(html)
}

/// The crosstable, in ranking order.
fn crosstable(standings: &Standings) -> String {
    let ranking = standings.ranking();
    let has_discs = ranking.iter().any(|&engine| standings.total(engine).mean_discs().is_some());
    let mut columns = vec![TableColumn::numbers("rank"), TableColumn::text("engine")];
    columns.extend(["games", "points", "score", "Elo", "normalized Elo", "LOS"].map(TableColumn::numbers));
    columns.extend(has_discs.then(|| TableColumn::numbers("discs")));
    columns.extend((1..=ranking.len()).map(|rank| TableColumn::numbers(format!("vs {rank}"))));
    columns.push(TableColumn::text("faults"));
    let whole = |text: String| format!("<span class=whole>{text}</span>");
    let row = |(index, &engine): (usize, &usize)| {
        let total = standings.total(engine);
        let mut cells = vec![
            (index + 1).to_string(),
            escape(&standings.names()[engine]),
            total.games.games().to_string(),
            format!("{:.1}", total.games.points()),
            total.games.sample().mean().map_or("-".into(), |mean| whole(format_percent(mean))),
            format_estimate(total.sample().elo()),
            format_estimate(total.sample().normalized_elo()),
            total.sample().los().map_or_else(|reason| reason.to_string(), |los| whole(format_percent(los))),
        ];
        let discs = || total.mean_discs().map_or("-".into(), |discs| format!("{discs:+.2}"));
        cells.extend(has_discs.then(discs));
        cells.extend(ranking.iter().map(|&other| {
            let games = standings.match_score(engine, other).games;
            if engine == other { "-".into() } else { whole(format!("{}-{}-{}", games.wins, games.draws, games.losses)) }
        }));
        let faults = fault_counts(standings, engine);
        cells.push(if faults.is_empty() { "none".into() } else { escape(&faults) });
        cells
    };
    table(&columns, &ranking.iter().enumerate().map(row).collect::<Vec<_>>())
        + "<p class=faint>Wins-draws-losses of the engine in the row.</p>\n"
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
    let mut sums = vec![[PhaseSums::default(); 4]; standings.names().len()];
    for game in games {
        let sides = sides_to_move(game);
        for (index, (played, side)) in game.moves.iter().zip(sides).enumerate() {
            let name = game.name(side);
            let Some(engine) = standings.names().iter().position(|other| other == name) else { continue };
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
    let mut columns = ["engine", "phase"].map(TableColumn::text).to_vec();
    let numbers = ["moves", "mean depth", "nodes/move", "nodes/s", "mean ms", "max ms"];
    columns.extend(numbers.map(TableColumn::numbers));
    let mut rows = Vec::new();
    for (engine, name) in standings.names().iter().enumerate() {
        for (phase, label) in ["first third", "middle third", "last third", "whole game"].iter().enumerate() {
            let sum = &sums[engine][phase];
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
                escape(name),
                (*label).into(),
                sum.moves.to_string(),
                depth,
                nodes,
                speed,
                format!("{:.2}", sum.ms / sum.moves as f64),
                format!("{:.2}", sum.longest_ms),
            ]);
        }
    }
    table(&columns, &rows)
        + "<p class=faint>Excludes opening moves and forced passes. The phases are thirds of each game's plies.</p>\n"
}
