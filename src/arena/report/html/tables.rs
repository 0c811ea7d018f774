//! The tables of the report: engines, crosstable, Elo plot, search statistics by game phase.

use crate::arena::config::TournamentConfig;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::report::text;
use crate::arena::report::text::{engine_notes, format_estimate, match_text, settings_text};
use crate::arena::results::match_plan::PlanReview;
use crate::arena::results::record::GameRecord;
use crate::arena::results::standings::Standings;
use crate::games::record::{MoveOrigin, MoveRecord};
use crate::html::plot::{Axis, Curve, svg};
use crate::html::{escape, group_thousands, table};

/// The largest Elo difference in the plot.
const MAX_ELO: f64 = 800.0;

/// The part of the page above the games: crosstable, match score, Elo plot of several engines, and
/// the verdict.
pub fn write_results(
    config: &TournamentConfig,
    review: &PlanReview,
    games: &[GameRecord],
    standings: &Standings,
) -> String {
    let dates = match (games.first(), games.last()) {
        (Some(first), Some(last)) => {
            format!(", {} to {}", escape(&first.began), escape(&last.began))
        }
        _ => String::new(),
    };
    let is_match = standings.engines.len() == 2;
    let scores = match is_match && standings.games > 0 {
        true => format!("<pre>{}</pre>\n", escape(&match_text(standings))),
        false => String::new(),
    };
    let plot = match is_match {
        true => String::new(),
        false => format!(
            "<h2>Elo with 95 % confidence interval</h2>\n{}",
            elo_plot(standings)
        ),
    };
    let notes = standings.engines.iter().flat_map(engine_notes);
    format!(
        "<p>{} games played ({}), seed {}{dates}</p>\n<h2>Crosstable</h2>\n{}{scores}{}{plot}",
        games.len(),
        config.length(),
        config.seed,
        crosstable(standings),
        notes
            .chain(review.verdict())
            .map(paragraph)
            .collect::<String>(),
    )
}

/// The part of the page below the games: search statistics, engines, notes, the history of the plan.
pub fn write_details(
    config: &TournamentConfig,
    review: &PlanReview,
    games: &[GameRecord],
    standings: &Standings,
) -> String {
    let settings = config.differing_settings();
    let differs = settings.iter().any(|own| !own.is_empty());
    let row = |(engine, settings): (&EngineSpec, &Vec<_>)| {
        let mut row = vec![
            escape(&engine.name),
            engine.protocol.name().into(),
            escape(&engine.limits()),
        ];
        row.extend(differs.then(|| escape(&settings_text(settings, ""))));
        row.push(format!("<code>{}</code>", escape(&engine.command_line())));
        row
    };
    let rows: Vec<_> = config.engines.iter().zip(&settings).map(row).collect();
    let mut titles = vec!["engine", "protocol", "limits", "command"];
    if differs {
        titles.insert(3, "settings that differ");
    }
    let warnings = config.option_warnings.iter().cloned();
    let notes = config
        .notes
        .iter()
        .cloned()
        .chain(config.engine_notes())
        .chain(warnings)
        .chain(standings.duplicate_warning())
        .chain(review.history());
    format!(
        "<h2>Search statistics by game phase</h2>\n{}<h2>Engines</h2>\n{}{}",
        phases(games, standings),
        table(&titles, &[0, 1, 2, 3, 4], &rows),
        notes.map(paragraph).collect::<String>(),
    )
}

fn paragraph(line: String) -> String {
    format!("<p>{}</p>\n", escape(&line))
}

/// The crosstable; without the column of discs where no game has them.
fn crosstable(standings: &Standings) -> String {
    let (titles, rows) = text::crosstable(standings);
    let shown = |&column: &usize| {
        titles[column] != "discs per pair" || rows.iter().any(|row| row[column] != "-")
    };
    let columns: Vec<usize> = (0..titles.len()).filter(shown).collect();
    // Lines break within words and estimates, but not within numbers and results.
    let cell = |text: &String| {
        let is_whole = !text.contains(|c: char| c.is_alphabetic() || c == '+');
        let text = escape(text);
        if is_whole {
            format!("<span class=whole>{text}</span>")
        } else {
            text
        }
    };
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| columns.iter().map(|&column| cell(&row[column])).collect())
        .collect();
    let titles: Vec<&String> = columns.iter().map(|&column| &titles[column]).collect();
    let discs = match titles.iter().any(|title| *title == "discs per pair") {
        true => {
            " Discs per pair: the mean difference over a pair of games, with its standard error."
        }
        false => "",
    };
    table(&titles, &[1, titles.len() - 1], &rows)
        + "<p class=faint>Wins-draws-losses of the engine in the row."
        + discs
        + "</p>\n"
}

/// The Elo differences with their intervals, each at the mean score of its engine.
fn elo_plot(standings: &Standings) -> String {
    let curve = |engine: usize| {
        let total = &standings.engines[engine].total;
        let (elo, score) = (
            total.sample().elo().ok()?,
            100.0 * total.games.sample().mean()?,
        );
        let name = escape(&format!(
            "{}: {}",
            standings.engines[engine].name,
            format_estimate(Ok(elo))
        ));
        let ends = [elo.low, elo.value, elo.high].map(|elo| (elo.clamp(-MAX_ELO, MAX_ELO), score));
        Some(Curve {
            name,
            points: ends.to_vec(),
            dashed: false,
        })
    };
    let curves: Vec<Curve> = standings.ranking().into_iter().filter_map(curve).collect();
    if curves.is_empty() {
        return "<p class=faint>no estimate yet</p>".into();
    }
    let axis = |name| Axis {
        name,
        logarithmic: false,
    };
    format!(
        "<div id=elo>{}</div>\n",
        svg("", axis("Elo"), axis("score, %"), &curves)
    )
}

/// Search statistics of each engine by thirds of the game.
fn phases(games: &[GameRecord], standings: &Standings) -> String {
    let mut searches: Vec<[Vec<&MoveRecord>; 4]> =
        vec![Default::default(); standings.engines.len()];
    for game in games {
        for (index, (played, side)) in game.plies().enumerate() {
            if let (MoveOrigin::Engine, Some(engine)) =
                (played.origin, standings.engine(game.name(side)))
            {
                searches[engine][3 * index / game.moves.len()].push(played);
                searches[engine][3].push(played);
            }
        }
    }
    let mut rows = Vec::new();
    for (engine, phases) in standings.engines.iter().zip(&searches) {
        for (searches, phase) in
            phases
                .iter()
                .zip(["first third", "middle third", "last third", "whole game"])
        {
            if searches.is_empty() {
                continue;
            }
            let times = || searches.iter().map(|search| search.ms.unwrap_or(0.0));
            let depths: Vec<u32> = searches.iter().filter_map(|search| search.depth).collect();
            let counts = searches
                .iter()
                .filter_map(|search| Some((search.nodes?, search.ms.unwrap_or(0.0))));
            let (counted, nodes, ms) = counts
                .fold((0, 0, 0.0), |(counted, nodes, ms), (own, own_ms)| {
                    (counted + 1, nodes + own, ms + own_ms)
                });
            let mean_depth =
                depths.iter().map(|&depth| f64::from(depth)).sum::<f64>() / depths.len() as f64;
            let known = |is_known: bool, text: String| if is_known { text } else { "–".into() };
            rows.push(vec![
                escape(&engine.name),
                phase.into(),
                searches.len().to_string(),
                known(!depths.is_empty(), format!("{mean_depth:.1}")),
                known(counted > 0, group_thousands(nodes / counted.max(1))),
                known(ms > 0.0, group_thousands((nodes as f64 / ms * 1e3) as u64)),
                format!("{:.2}", times().sum::<f64>() / searches.len() as f64),
                format!("{:.2}", times().fold(0.0, f64::max)),
            ]);
        }
    }
    let titles = [
        "engine",
        "phase",
        "moves",
        "mean depth",
        "nodes/move",
        "nodes/s",
        "mean ms",
        "max ms",
    ];
    table(&titles, &[0, 1], &rows)
        + "<p class=faint>Excludes opening moves and forced passes. The phases are thirds of each game's plies.</p>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::record::tests::sample_record;
    use crate::game::{Outcome, Player};

    #[test]
    fn moves_without_nodes_do_not_count_for_nodes_per_move() {
        let mut game = sample_record(1);
        let mut silent = game.moves[2].clone();
        silent.nodes = None;
        game.moves.push(silent);
        let engines = vec![
            game.name(Player::First).into(),
            game.name(Player::Second).into(),
        ];
        let standings = Standings::new(engines, None, &[]);
        let html = phases(&[game], &standings);
        assert!(
            html.contains(&group_thousands(4242)) && !html.contains(&group_thousands(2121)),
            "{html}"
        );
    }

    #[test]
    fn infinite_ends_stay_inside_the_plot() {
        let mut standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None, &[]);
        standings.add(&sample_record(1));
        assert_eq!(elo_plot(&standings), "<p class=faint>no estimate yet</p>");
        for game in 2..=6 {
            let mut record = sample_record(game);
            (record.own.pair, record.own.result) = (
                game,
                Some(if game < 6 {
                    Outcome::FirstWins
                } else {
                    Outcome::Draw
                }),
            );
            standings.add(&record);
        }
        let svg = elo_plot(&standings);
        assert!(
            !svg.contains("NaN") && !svg.contains("\"inf") && svg.contains("B &quot;two&quot;"),
            "{svg}"
        );
    }
}
