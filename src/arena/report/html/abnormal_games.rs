//! The games with faults in the report, with their logs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::arena::results::record::GameRecord;
use crate::html::escape;

/// The maximum size of an embedded log in bytes.
const LOG_BYTES: usize = 200_000;

/// The maximum number of games shown without a scroll bar.
const UNSCROLLED: usize = 12;

/// The games with faults, which come first in `order`, and their logs; empty if there are none.
pub fn write_abnormal_games(folder: &Path, order: &[&GameRecord]) -> String {
    let mut html = String::new();
    for (index, game) in order.iter().enumerate().take_while(|(_, game)| game.is_abnormal()) {
        if index == 0 {
            let many = order.iter().filter(|game| game.is_abnormal()).count() > UNSCROLLED;
            let class = if many { "faults tall" } else { "faults" };
            let _ = writeln!(html, "<h2 class=bad>Games with faults</h2>\n<div class=\"{class}\">");
        }
        let by = game.fault_by.map_or(String::new(), |side| format!(" of {}", escape(game.name(side))));
        let recovered: Vec<String> =
            game.recovered.iter().map(|fault| format!("recovered from {}", fault.what.reason)).collect();
        let why = if game.reason.is_abnormal() { game.reason.to_string() } else { recovered.join(", ") };
        let _ = write!(
            html,
            "<details><summary>Game {} {} – {}: <span class=bad>{why}</span>{by}{} \
             <button class=open data-open={index}>show game</button></summary>",
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
                        "<p class=faint>Only the end is shown; the complete log is <a href=\"{0}\">{0}</a>.</p>",
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
