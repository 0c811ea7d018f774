//! The HTML report of a tournament: one self-contained file with the crosstable, a viewer for every
//! game, the logs of games with faults, search statistics by game phase, and the engines.
//!
//! Tables and plots are generated here; the page's script (`viewer.js`) only replays games from
//! [`replay_data`].

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::arena::config::SavedConfig;
use crate::arena::results::files::load;
use crate::arena::results::match_plan::PlanReview;
use crate::arena::results::record::GameRecord;
use crate::arena::results::standings::Standings;
use crate::html::{
    BASE_STYLE, BOARD_SCRIPT, REPLAY_BUTTONS, REPLAY_SCRIPT, REPLAY_STYLE, board, embedded_json,
    escape, fill_page,
};
use crate::storage::whole_file::replace_file;

mod findings;
mod replay_data;
mod tables;

/// The name of the report.
pub const REPORT: &str = "report.html";

/// Writes the report of a tournament's folder and returns its path.
///
/// # Errors
/// If the record cannot be read, or the page cannot be written.
pub fn write_report(folder: &Path) -> Result<PathBuf> {
    let saved = SavedConfig::load(folder)?;
    // Read before the games, whose number grows in a running match.
    let mut review = PlanReview::of(folder, saved.config.sprt.is_some())?;
    let games = load(folder, &saved)?;
    let config = saved.config;
    review.check_games(folder, games.len() as u64)?;
    review.note_report(folder, games.len() as u64)?;
    let standings = Standings::new(config.names(), *config.sprt, &games);
    let mut order: Vec<&GameRecord> = games.iter().collect();
    // Games with faults come first.
    order.sort_by_key(|game| (!game.is_abnormal(), game.own.game));
    let names = config.names();
    let title = format!("{}: {}", config.game, names.join(" – "));
    let data = json!({
        "engines": names,
        "board": if config.is_judged() { None } else { Some(board::board_shape(&config.game)?) },
        "pieces": replay_data::piece_names(&config.game),
        "games": order.iter().map(|game| replay_data::game_data(game, &standings)).collect::<Result<Vec<_>>>()?,
    });
    let parts = vec![
        ("title", escape(&title)),
        ("buttons", REPLAY_BUTTONS.into()),
        (
            "results",
            tables::write_results(&config, &review, &games, &standings),
        ),
        (
            "details",
            tables::write_details(&config, &review, &games, &standings),
        ),
        ("abnormal", findings::write_abnormal_games(folder, &order)),
        ("findings", findings::write_findings(&games)),
        ("data", embedded_json(&data)?),
    ];
    let style = [BASE_STYLE, REPLAY_STYLE, include_str!("style.css")];
    let script = [BOARD_SCRIPT, REPLAY_SCRIPT, include_str!("viewer.js")];
    let page = fill_page(include_str!("page.html"), [&style, &script], parts);
    let path = folder.join(REPORT);
    replace_file(&path, [page])?;
    Ok(path)
}
