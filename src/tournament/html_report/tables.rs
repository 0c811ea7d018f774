//! The tables of the report: engines, crosstable, search statistics by phase of the game.

use std::fmt::Write;

use anyhow::Result;

use super::elo_plot::elo_plot;
use super::html::{escape, group_thousands};
use super::replay_data::sides_to_move;
use crate::tournament::config::TournamentConfig;
use crate::tournament::game_record::{GameRecord, MoveOrigin};
use crate::tournament::standings::Standings;
use crate::tournament::standings_text::{
    clock_line, fault_counts, format_estimate, format_percent, write_match_score, write_sprt,
};

/// Everything above the games: engines, crosstable, match score, Elo plot, phases.
pub fn write_summary(config: &TournamentConfig, games: &[GameRecord], standings: &Standings) -> Result<String> {
    let mut html = String::new();
    let total = config.schedule().games();
    write!(html, "<p>{} of {total} games, seed {}", games.len(), config.seed)?;
    if let (Some(first), Some(last)) = (games.first(), games.last()) {
        write!(html, ", {} to {}", escape(&first.began), escape(&last.began))?;
    }
    html.push_str(
        "</p>\n<div class=scroll><table><tr><th class=left>engine</th><th class=left>protocol</th>\
         <th class=left>limits</th><th class=left>command</th></tr>",
    );
    for engine in &config.engines {
        write!(
            html,
            "<tr><td class=left>{}</td><td class=left>{}</td><td class=left>{}</td>\
             <td class=left><code>{}</code></td></tr>",
            escape(&engine.name),
            engine.protocol.name(),
            escape(&engine.limits()),
            escape(&engine.command_line())
        )?;
    }
    html.push_str("</table></div>\n");
    for note in config.notes() {
        writeln!(html, "<p>{}</p>", escape(&note))?;
    }
    html.push_str("<h2>Crosstable</h2>\n");
    html.push_str(&crosstable(standings)?);
    for line in (0..standings.names().len()).filter_map(|engine| clock_line(standings, engine)) {
        writeln!(html, "<p>{}</p>", escape(&line))?;
    }
    if standings.names().len() == 2 && standings.games() > 0 {
        let mut text = Vec::new();
        write_match_score(&mut text, standings.match_score(0, 1))?;
        if let Some(sprt) = &config.sprt {
            write_sprt(&mut text, sprt, &standings.match_score(0, 1).pairs.sample())?;
        }
        write!(html, "<pre>{}</pre>", escape(&String::from_utf8_lossy(&text)))?;
    }
    html.push_str("<h2>Elo with 95 % interval</h2>\n");
    html.push_str(&elo_plot(standings));
    html.push_str("<h2>Searches by phase of the game</h2>\n");
    html.push_str(&phases(games, standings)?);
    Ok(html)
}

/// The crosstable, in ranking order.
fn crosstable(standings: &Standings) -> Result<String> {
    let ranking = standings.ranking();
    let mut html = String::from(
        "<div class=scroll><table><tr><th>rank</th><th class=left>engine</th><th>games</th><th>points</th>\
         <th>score</th><th>Elo</th><th>normalised Elo</th><th>LOS</th><th>discs</th>",
    );
    for rank in 1..=ranking.len() {
        write!(html, "<th>vs {rank}</th>")?;
    }
    html.push_str("<th class=left>faults</th></tr>\n");
    for (index, &engine) in ranking.iter().enumerate() {
        let total = standings.total(engine);
        let discs = total.mean_discs().map_or(String::new(), |discs| format!("{discs:+.2}"));
        write!(
            html,
            "<tr><td>{}</td><td class=left>{}</td><td>{}</td><td>{:.1}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{discs}</td>",
            index + 1,
            escape(&standings.names()[engine]),
            total.games.games(),
            total.games.points(),
            format_percent(total.games.sample().mean()),
            format_estimate(total.sample().elo()),
            format_estimate(total.sample().normalised_elo()),
            format_percent(total.sample().los()),
        )?;
        for &other in &ranking {
            let games = standings.match_score(engine, other).games;
            let cell = if engine == other {
                String::new()
            } else {
                format!("{}-{}-{}", games.wins, games.draws, games.losses)
            };
            write!(html, "<td>{cell}</td>")?;
        }
        let faults = fault_counts(standings, engine);
        writeln!(html, "<td class=left>{}</td></tr>", if faults.is_empty() { "none".into() } else { escape(&faults) })?;
    }
    html.push_str("</table></div>\n<p class=faint>Won-drawn-lost, from the point of view of the row's engine.</p>\n");
    Ok(html)
}

/// Sums over the searches of one engine in one phase.
#[derive(Clone, Copy, Default)]
struct PhaseSums {
    moves: u64,
    ms: f64,
    longest_ms: f64,
    /// Sum of the depths, and the number of searches that report one.
    depth: (u64, u64),
    nodes: u64,
    /// Total time of the searches that report nodes, for nodes per second.
    counted_ms: f64,
}

/// Search statistics of each engine by thirds of the game.
fn phases(games: &[GameRecord], standings: &Standings) -> Result<String> {
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
    let mut html = String::from(
        "<div class=scroll><table><tr><th class=left>engine</th><th class=left>phase</th><th>moves</th>\
         <th>mean depth</th><th>nodes/move</th><th>nodes/s</th><th>mean ms</th><th>longest ms</th></tr>\n",
    );
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
            writeln!(
                html,
                "<tr><td class=left>{}</td><td class=left>{label}</td><td>{}</td><td>{depth}</td><td>{nodes}</td>\
                 <td>{speed}</td><td>{:.2}</td><td>{:.2}</td></tr>",
                if phase == 0 { escape(name) } else { String::new() },
                sum.moves,
                sum.ms / sum.moves as f64,
                sum.longest_ms
            )?;
        }
    }
    html.push_str(
        "</table></div>\n<p class=faint>Without opening moves and forced passes; thirds of each game's length in \
         plies.</p>\n",
    );
    Ok(html)
}
