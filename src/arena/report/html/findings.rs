//! Games with faults and their logs, late moves with their CPU waits, warnings about search
//! reports, and games that were interrupted and played again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::arena::results::record::{AtPly, GameRecord};
use crate::arena::rules::warning::ReportWarning;
use crate::games::record::LateMove;
use crate::html::{escape, table};

/// The maximum number of rows of a table.
const ROWS: usize = 500;

/// The findings; empty if there are none.
pub fn write_findings(games: &[GameRecord]) -> String {
    let mut html = late_moves(games) + &warnings(games);
    let again: Vec<String> = games
        .iter()
        .filter_map(|game| {
            Some(format!(
                "game {} (attempt {})",
                game.own.game, game.own.attempt?
            ))
        })
        .collect();
    if !again.is_empty() {
        let _ = writeln!(
            html,
            "<h2>Interrupted or annulled, and played again</h2>\n<p>{}</p>",
            again.join(", ")
        );
    }
    html
}

/// A titled table of at most [`ROWS`] rows; empty if there are none.
fn titled_table(
    title: &str,
    titles: &[&str],
    text_columns: &[usize],
    rows: &[Vec<String>],
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut html = format!("<h2>{title}</h2>\n");
    if rows.len() > ROWS {
        let _ = writeln!(
            html,
            "<p class=faint>The first {ROWS} of {}; see games.jsonl for all.</p>",
            rows.len()
        );
    }
    html + &table(titles, text_columns, &rows[..rows.len().min(ROWS)])
}

/// All late moves, including losses on time.
fn late_moves(games: &[GameRecord]) -> String {
    let titles = [
        "game",
        "ply",
        "engine",
        "late by, ms",
        "engine CPU wait, ms",
        "runner CPU wait, ms",
        "explained by waits",
        "consequence",
    ];
    let mut rows = Vec::new();
    for game in games {
        let mut row = |ply: usize, name: &str, late: &LateMove, consequence: &str| {
            let ms = |time: Option<f64>| time.map_or("–".into(), |ms| format!("{ms:.2}"));
            let explained = late
                .is_explained()
                .map_or("unknown", |is| if is { "yes" } else { "no" });
            rows.push(vec![
                game.own.game.to_string(),
                ply.to_string(),
                escape(name),
                format!("{:.2}", late.late_ms),
                ms(late.engine_waited_ms),
                ms(late.runner_waited_ms),
                explained.into(),
                consequence.into(),
            ]);
        };
        for (ply, (played, side)) in (1..).zip(game.plies()) {
            played
                .lateness
                .iter()
                .for_each(|late| row(ply, game.name(side), late, "within the margin"));
        }
        if let (Some(late), Some(by)) = (&game.own.lateness, game.own.fault_by) {
            row(game.moves.len() + 1, game.name(by), late, "lost on time");
        }
    }
    titled_table("Late moves", &titles, &[2, 6, 7], &rows)
}

/// The warnings about search reports.
fn warnings(games: &[GameRecord]) -> String {
    let titles = ["game", "ply", "engine", "warning", "meaning", "detail"];
    let all = games
        .iter()
        .flat_map(|game| game.own.warnings.iter().map(move |warning| (game, warning)));
    let row = |(game, AtPly { ply, by, what }): (&GameRecord, &AtPly<ReportWarning>)| {
        vec![
            game.own.game.to_string(),
            ply.to_string(),
            escape(game.name(*by)),
            what.fault.to_string(),
            escape(&what.fault.explanation()),
            escape(&what.detail),
        ]
    };
    titled_table(
        "Warnings about search reports",
        &titles,
        &[2, 3, 4, 5],
        &all.map(row).collect::<Vec<_>>(),
    )
}

/// The maximum size of an embedded log in bytes.
const LOG_BYTES: usize = 200_000;

/// The maximum number of games shown without a scroll bar.
const UNSCROLLED: usize = 12;

/// The games with faults, which come first in `order`, and their logs; empty if there are none.
pub fn write_abnormal_games(folder: &Path, order: &[&GameRecord]) -> String {
    let games = order.iter().take_while(|game| game.is_abnormal());
    let class = match games.clone().count() {
        0 => return String::new(),
        1..=UNSCROLLED => "faults",
        _ => "faults tall",
    };
    let mut html = format!("<h2 class=bad>Games with faults</h2>\n<div class=\"{class}\">\n");
    for (index, game) in games.enumerate() {
        let by = game.own.fault_by.map_or(String::new(), |side| {
            format!(" of {}", escape(game.name(side)))
        });
        let recovered: Vec<String> = game
            .own
            .recovered
            .iter()
            .map(|fault| format!("recovered from {}", fault.what.reason))
            .collect();
        let why = if game.own.reason.is_abnormal() {
            game.own.reason.to_string()
        } else {
            recovered.join(", ")
        };
        let _ = write!(
            html,
            "<details><summary>Game {} {} – {}: <span class=bad>{why}</span>{by}{} \
             <button class=open data-open={index}>show game</button></summary>",
            game.own.game,
            escape(&game.p1),
            escape(&game.p2),
            game.own
                .detail
                .as_ref()
                .map_or(String::new(), |detail| format!(" ({})", escape(detail))),
        );
        match game
            .own
            .log
            .as_ref()
            .map(|name| (name, fs::read(folder.join(name))))
        {
            Some((name, Ok(bytes))) => {
                let cut = bytes.len().saturating_sub(LOG_BYTES);
                if cut > 0 {
                    let _ = write!(
                        html,
                        "<p class=faint>Only the end is shown; the complete log is <a href=\"{0}\">{0}</a>.</p>",
                        escape(name)
                    );
                }
                let _ = write!(
                    html,
                    "<pre>{}</pre>",
                    escape(&String::from_utf8_lossy(&bytes[cut..]))
                );
            }
            Some((name, Err(error))) => {
                let _ = write!(
                    html,
                    "<p class=faint>{}: {}</p>",
                    escape(name),
                    escape(&error.to_string())
                );
            }
            None => html.push_str("<p class=faint>no log</p>"),
        }
        html.push_str("</details>\n");
    }
    html + "</div>\n"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::results::record::tests::sample_record;
    use crate::arena::rules::warning::ReportFault;
    use crate::game::Player;

    #[test]
    fn late_moves_and_warnings_are_listed_with_their_engine() {
        assert_eq!(write_findings(&[sample_record(1)]), "");
        let ms = |ms| Some(Duration::from_millis(ms));
        let mut game = sample_record(4);
        game.moves[1].lateness = Some(LateMove::new(
            Duration::from_millis(3),
            Duration::ZERO,
            [ms(5), ms(0)],
            Duration::ZERO,
        ));
        game.own.lateness = Some(LateMove::new(
            Duration::from_millis(9),
            Duration::ZERO,
            [ms(5), ms(0)],
            Duration::ZERO,
        ));
        game.own.attempt = Some(2);
        let (fault, detail) = (ReportFault::IllegalPv, "<a1>".to_owned());
        game.own.warnings = vec![AtPly {
            ply: 3,
            by: Player::First,
            what: ReportWarning { fault, detail },
        }];
        let html = write_findings(&[game]);
        let row = |cells: &[&str]| {
            let at: Vec<Option<usize>> = cells
                .iter()
                .map(|cell| html.find(&format!(">{cell}</td>")))
                .collect();
            assert!(at.iter().all(Option::is_some), "{cells:?}: {html}");
        };
        row(&[
            "2",
            "B &quot;two&quot;",
            "3.00",
            "5.00",
            "yes",
            "within the margin",
        ]);
        row(&["4", "A", "9.00", "no", "lost on time"]);
        row(&["illegal-pv", "&lt;a1&gt;"]);
        assert!(html.contains("game 4 (attempt 2)"), "{html}");
    }
}
