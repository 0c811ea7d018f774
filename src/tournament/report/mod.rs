//! The report: one self-contained HTML file with the crosstable, an Elo plot, each engine's figures by phase of the game,
//! abnormal games with their logs, and every game to be played through on a drawn board.
//!
//! Tables and plots are made here; the page's script (`viewer.js`) only replays. It knows no rules: each move carries the
//! cells it changes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::record::{GameRecord, Origin, load, rewrite};
use super::runner::Config;
use super::spec::EngineSpec;
use super::standings::{Standings, estimate, percent, write_meeting, write_sprt};
use crate::game::Player;
use crate::games::any::{AnyGame, by_name};
use crate::protocol::client::{Course, SaidScore};

mod plot;

/// Bytes of a log that the page holds; the file beside it has the rest.
const LOG_BYTES: usize = 200_000;

/// Writes the report of a tournament's folder and returns where it is.
///
/// # Errors
/// If the record cannot be read or the page not be written.
pub fn write(folder: &Path) -> Result<PathBuf> {
    let config = Config::load(folder)?;
    let games = load(folder)?;
    let mut standings = Standings::new(config.engines.iter().map(|engine| engine.name.clone()).collect());
    games.iter().for_each(|game| standings.add(game));
    let path = folder.join("report.html");
    rewrite(&path, [page(folder, &config, &games, &standings)?].into_iter())?;
    Ok(path)
}

fn page(folder: &Path, config: &Config, games: &[GameRecord], standings: &Standings) -> Result<String> {
    let mut order: Vec<&GameRecord> = games.iter().collect();
    // What needs looking at comes first.
    order.sort_by_key(|game| (!game.is_abnormal(), game.game));
    let title =
        format!("{}: {}", config.game, config.engines.iter().map(|e| e.name.as_str()).collect::<Vec<_>>().join(" – "));
    let data = json!({
        "engines": standings.names(),
        "board": board(&config.game)?,
        "pieces": if is_lines(&config.game) { ["X", "O"] } else { ["black", "white"] },
        "games": order.iter().map(|game| game_data(game, standings)).collect::<Result<Vec<_>>>()?,
    });
    // Inside a script element only an end tag or a comment could be misread.
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let parts = [
        ("title", escape(&title)),
        ("style", include_str!("style.css").into()),
        ("script", include_str!("viewer.js").into()),
        ("summary", summary(config, games, standings)?),
        ("abnormal", abnormal(folder, &order)),
        ("data", data),
    ];
    Ok(fill(include_str!("page.html"), &parts))
}

/// Puts the parts in the places of their names; what a part holds is not looked at again.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("{{") {
        text.push_str(before);
        let (name, after) = behind.split_once("}}").unwrap_or((behind, ""));
        if let Some((_, part)) = parts.iter().find(|(known, _)| *known == name) {
            text.push_str(part);
        }
        rest = after;
    }
    text + rest
}

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn summary(config: &Config, games: &[GameRecord], standings: &Standings) -> Result<String> {
    let mut html = String::new();
    let total = config.schedule().games();
    write!(html, "<p>{} of {total} games, seed {}", games.len(), config.seed)?;
    if let (Some(first), Some(last)) = (games.first(), games.last()) {
        write!(html, ", {} to {}", escape(&first.began), escape(&last.began))?;
    }
    html.push_str("</p>\n<div class=scroll><table><tr><th class=left>engine</th><th class=left>speaks</th><th class=left>limits</th><th class=left>command</th></tr>");
    for engine in &config.engines {
        write!(
            html,
            "<tr><td class=left>{}</td><td class=left>{}</td><td class=left>{}</td><td class=left><code>{}</code></td></tr>",
            escape(&engine.name),
            engine.protocol.name(),
            escape(&engine.limits()),
            escape(&engine.command_line())
        )?;
    }
    html.push_str("</table></div>\n");
    for note in config.engines.iter().filter_map(EngineSpec::note) {
        writeln!(html, "<p>{}</p>", escape(&note))?;
    }
    html.push_str("<h2>Crosstable</h2>\n");
    html.push_str(&crosstable(standings)?);
    for line in (0..standings.names().len()).filter_map(|engine| standings.clock_line(engine)) {
        writeln!(html, "<p>{}</p>", escape(&line))?;
    }
    if standings.names().len() == 2 && standings.games() > 0 {
        let mut text = Vec::new();
        write_meeting(&mut text, standings.meeting(0, 1))?;
        if let Some(sprt) = &config.sprt {
            write_sprt(&mut text, sprt, &standings.meeting(0, 1).pairs.sample())?;
        }
        write!(html, "<pre>{}</pre>", escape(&String::from_utf8_lossy(&text)))?;
    }
    html.push_str("<h2>Elo with 95 % interval</h2>\n");
    html.push_str(&plot::elo(standings));
    html.push_str("<h2>Searches by phase of the game</h2>\n");
    html.push_str(&phases(games, standings)?);
    Ok(html)
}

fn crosstable(standings: &Standings) -> Result<String> {
    let ranking = standings.ranking();
    let mut html = String::from(
        "<div class=scroll><table><tr><th>rank</th><th class=left>engine</th><th>games</th><th>points</th><th>score</th><th>Elo</th><th>normalised Elo</th><th>LOS</th><th>discs</th>",
    );
    for place in 1..=ranking.len() {
        write!(html, "<th>vs {place}</th>")?;
    }
    html.push_str("<th class=left>faults</th></tr>\n");
    for (place, &engine) in ranking.iter().enumerate() {
        let total = standings.total(engine);
        let discs = total.mean_discs().map_or(String::new(), |discs| format!("{discs:+.2}"));
        write!(
            html,
            "<tr><td>{}</td><td class=left>{}</td><td>{}</td><td>{:.1}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{discs}</td>",
            place + 1,
            escape(&standings.names()[engine]),
            total.games.games(),
            total.games.points(),
            percent(total.games.sample().mean()),
            estimate(total.sample().elo()),
            estimate(total.sample().normalised_elo()),
            percent(total.sample().los()),
        )?;
        for &other in &ranking {
            let games = standings.meeting(engine, other).games;
            let cell = if engine == other {
                String::new()
            } else {
                format!("{}-{}-{}", games.wins, games.draws, games.losses)
            };
            write!(html, "<td>{cell}</td>")?;
        }
        let mut faults: Vec<String> =
            standings.faults(engine).iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        if standings.late(engine) > 0 {
            faults.push(format!("late within the margin {}", standings.late(engine)));
        }
        writeln!(
            html,
            "<td class=left>{}</td></tr>",
            if faults.is_empty() { "none".into() } else { escape(&faults.join(", ")) }
        )?;
    }
    html.push_str("</table></div>\n<p class=faint>Won-drawn-lost, seen by the engine of the row.</p>\n");
    Ok(html)
}

/// Sums over the moves of one engine in one phase.
#[derive(Clone, Copy, Default)]
struct Phase {
    moves: u64,
    ms: f64,
    longest_ms: f64,
    depth: (u64, u64),
    nodes: u64,
    /// Time of the moves whose nodes are known: what nodes per second is made of.
    counted_ms: f64,
}

/// Each engine's searches by thirds of the games' length.
fn phases(games: &[GameRecord], standings: &Standings) -> Result<String> {
    let mut sums = vec![[Phase::default(); 4]; standings.names().len()];
    for game in games {
        let movers = movers(game);
        for (index, (played, mover)) in game.moves.iter().zip(movers).enumerate() {
            let name = game.name(mover);
            let Some(engine) = standings.names().iter().position(|known| known == name) else { continue };
            if played.origin != Origin::Engine {
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
        "<div class=scroll><table><tr><th class=left>engine</th><th class=left>phase</th><th>moves</th><th>mean depth</th><th>nodes a move</th><th>nodes/s</th><th>mean ms</th><th>longest ms</th></tr>\n",
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
                (grouped(sum.nodes / sum.moves), grouped((sum.nodes as f64 / sum.counted_ms * 1e3) as u64))
            } else {
                (none(), none())
            };
            writeln!(
                html,
                "<tr><td class=left>{}</td><td class=left>{label}</td><td>{}</td><td>{depth}</td><td>{nodes}</td><td>{speed}</td><td>{:.2}</td><td>{:.2}</td></tr>",
                if phase == 0 { escape(name) } else { String::new() },
                sum.moves,
                sum.ms / sum.moves as f64,
                sum.longest_ms
            )?;
        }
    }
    html.push_str("</table></div>\n<p class=faint>Openings and forced passes are left out; thirds are of each game's length in plies.</p>\n");
    Ok(html)
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Abnormal games with their logs, if there are any; they stand first among the page's games.
fn abnormal(folder: &Path, order: &[&GameRecord]) -> String {
    let mut html = String::new();
    for (index, game) in order.iter().enumerate().take_while(|(_, game)| game.is_abnormal()) {
        if index == 0 {
            html.push_str("<h2 class=bad>Abnormal games</h2>\n<div class=tall>\n");
        }
        let by = game.fault_by.map_or(String::new(), |side| format!(" of {}", escape(game.name(side.into()))));
        let recovered: Vec<String> =
            game.recovered.iter().map(|incident| format!("recovered from {}", incident.reason)).collect();
        let why = if game.reason.is_abnormal() { game.reason.to_string() } else { recovered.join(", ") };
        let _ = write!(
            html,
            "<details><summary>Game {} {} – {}: <span class=bad>{why}</span>{by}{} <button class=open data-open={index}>show the game</button></summary>",
            game.game,
            escape(&game.p1),
            escape(&game.p2),
            game.detail.as_ref().map_or(String::new(), |detail| format!(" ({})", escape(detail))),
        );
        match game.log.as_ref().map(|name| (name, fs::read(folder.join(name)))) {
            Some((name, Ok(bytes))) => {
                let text = String::from_utf8_lossy(&bytes);
                let cut = text.len().saturating_sub(LOG_BYTES);
                let from = (cut..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(cut);
                if from > 0 {
                    let _ = write!(
                        html,
                        "<p class=faint>Only the end; the whole log is <a href=\"{0}\">{0}</a>.</p>",
                        escape(name)
                    );
                }
                let _ = write!(html, "<pre>{}</pre>", escape(&text[from..]));
            }
            Some((name, Err(error))) => {
                let _ = write!(html, "<p class=faint>{}: {}</p>", escape(name), escape(&error.to_string()));
            }
            None => html.push_str("<p class=faint>no log</p>"),
        }
        html.push_str("</details>\n");
    }
    if html.is_empty() { html } else { html + "</div>\n" }
}

/// Who made each move.
fn movers(record: &GameRecord) -> Vec<Player> {
    begin(record).map_or_else(Vec::new, |mut course| {
        record
            .moves
            .iter()
            .map_while(|played| {
                let mover = course.to_move();
                let m = course.legal_move(&played.word)?;
                course.play(m);
                Some(mover)
            })
            .collect()
    })
}

fn begin(record: &GameRecord) -> Option<Course> {
    let game = by_name(&record.variant)?;
    match &record.start {
        Some(start) => Course::from_position(game, start).ok(),
        None => Some(Course::from_start(game)),
    }
}

fn is_lines(game: &str) -> bool {
    by_name(game).is_some_and(|game| game.discs().is_none())
}

/// The shape of a game's board.
fn board(name: &str) -> Result<Value> {
    let game = by_name(name).with_context(|| format!("no such game: {name}"))?;
    let text = game.write_position();
    let layers = 1 + text.matches('|').count();
    let rows = 1 + text.split('|').next().map_or(0, |layer| layer.matches('/').count());
    let columns = cells(&*game).len() / (layers * rows);
    ensure!(cells(&*game).len() == layers * rows * columns, "the board of {name} has no shape");
    Ok(json!({
        "rows": rows,
        "columns": columns,
        "layers": layers,
        "style": if game.discs().is_some() { "discs" } else if layers > 1 { "balls" } else { "lines" },
        // Tic-tac-toe counts its rows from below.
        "topFirst": name != "tictactoe",
    }))
}

/// What stands on each cell of the board, in the order of the position's text.
fn cells(game: &dyn AnyGame) -> Vec<char> {
    let text = game.write_position();
    let board = text.rsplit_once(' ').map_or(text.as_str(), |(board, _)| board);
    let mut cells = Vec::new();
    for c in board.chars() {
        match c.to_digit(10) {
            Some(run) => cells.extend(std::iter::repeat_n('.', run as usize)),
            None if c == '/' || c == '|' => {}
            None => cells.push(c),
        }
    }
    cells
}

fn game_data(record: &GameRecord, standings: &Standings) -> Result<Value> {
    let find = |name: &str| standings.names().iter().position(|known| known == name);
    let mut course = begin(record).with_context(|| format!("the start of game {}", record.game))?;
    let mut before = cells(course.game());
    let start: String = before.iter().collect();
    let mut moves = Vec::new();
    for played in &record.moves {
        let mover = course.to_move() as usize;
        let m = course
            .legal_move(&played.word)
            .with_context(|| format!("game {}: \"{}\" cannot be played", record.game, played.word))?;
        course.play(m);
        let after = cells(course.game());
        let mut changes = String::new();
        for (index, (old, new)) in before.iter().zip(&after).enumerate() {
            if old != new {
                let digit = |d: usize| char::from_digit(d as u32, 36).unwrap_or('0');
                changes.extend([digit(index / 36), digit(index % 36), *new]);
            }
        }
        before = after;
        let score = match played.score {
            Some(SaidScore::Cp(cp)) => json!(cp),
            Some(SaidScore::Mate(moves)) => json!(format!("M{moves}")),
            None => Value::Null,
        };
        let origin = match played.origin {
            Origin::Engine => Value::Null,
            Origin::Opening => json!("opening"),
            Origin::Forced => json!("forced"),
        };
        moves.push(json!([
            played.word,
            changes,
            played.ms,
            played.clock_ms,
            played.depth,
            score,
            played.nodes,
            origin,
            mover
        ]));
    }
    Ok(json!({
        "number": record.game,
        "round": record.round,
        "p1": find(&record.p1),
        "p2": find(&record.p2),
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "discs": record.discs,
        "seconds": record.seconds,
        "abnormal": record.is_abnormal(),
        "start": start,
        "moves": moves,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::*;
    use crate::games::any::NAMES;

    #[test]
    fn every_board_has_its_shape() {
        let shapes: Vec<_> = NAMES
            .iter()
            .map(|name| {
                let board = board(name).unwrap();
                (
                    *name,
                    board["layers"].as_u64().unwrap(),
                    board["rows"].as_u64().unwrap(),
                    board["columns"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            shapes,
            [
                ("othello", 1, 8, 8),
                ("othello6", 1, 6, 6),
                ("othello4", 1, 4, 4),
                ("diamond", 1, 6, 6),
                ("diamond2", 1, 6, 6),
                ("tictactoe", 1, 3, 3),
                ("scorefour", 4, 4, 4)
            ]
        );
    }

    #[test]
    fn changes_lead_from_position_to_position() {
        let standings = Standings::new(vec!["A".into(), "B \"two\"".into()]);
        let data = game_data(&sample(1), &standings).unwrap();
        assert_eq!(data["start"].as_str().unwrap().len(), 64);
        // f5: the disc on f5 (row 4, column 5: cell 37 = 11 in base 36) and the one it turns, e5 (cell 36 = 10).
        assert_eq!(data["moves"][0][1], "10x11x");
        assert_eq!((data["p1"].as_u64(), data["p2"].as_u64()), (Some(0), Some(1)));
        assert_eq!(data["moves"][1][8], 1);
    }

    #[test]
    fn templates_are_filled_once() {
        let parts = [("a", "{{b}}".to_string()), ("b", "x".to_string())];
        assert_eq!(fill("1{{a}}2{{b}}3{{c}}4", &parts), "1{{b}}2x34");
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
        assert_eq!((grouped(1), grouped(1234567)), ("1".into(), "1\u{202f}234\u{202f}567".into()));
    }
}
