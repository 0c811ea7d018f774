//! The HTML report of a tournament: one self-contained file with the crosstable, an Elo plot, search statistics by
//! phase of the game, abnormal games with their logs, and a viewer for every game.
//!
//! Tables and plots are made here; the page's script (`viewer.js`) only replays games from [`replay_data`].

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use super::config::TournamentConfig;
use super::game_record::GameRecord;
use super::record_files::{load, replace_file};
use super::standings::Standings;

mod abnormal_games;
mod elo_plot;
mod html;
mod replay_data;
mod tables;

use html::{escape, fill_template};

/// Writes the report of a tournament's folder and returns its path.
///
/// # Errors
/// If the record cannot be read or the page not be written.
pub fn write_report(folder: &Path) -> Result<PathBuf> {
    let config = TournamentConfig::load(folder)?;
    let games = load(folder)?;
    let mut standings = Standings::new(config.engines.iter().map(|engine| engine.name.clone()).collect());
    games.iter().for_each(|game| standings.add(game));
    let path = folder.join("report.html");
    replace_file(&path, [page(folder, &config, &games, &standings)?].into_iter())?;
    Ok(path)
}

fn page(folder: &Path, config: &TournamentConfig, games: &[GameRecord], standings: &Standings) -> Result<String> {
    let mut order: Vec<&GameRecord> = games.iter().collect();
    // Abnormal games come first.
    order.sort_by_key(|game| (!game.is_abnormal(), game.game));
    let names: Vec<&str> = config.engines.iter().map(|engine| engine.name.as_str()).collect();
    let title = format!("{}: {}", config.game, names.join(" – "));
    let data = json!({
        "engines": standings.names(),
        "board": replay_data::board_shape(&config.game)?,
        "pieces": replay_data::piece_names(&config.game),
        "games": order.iter().map(|game| replay_data::game_data(game, standings)).collect::<Result<Vec<_>>>()?,
    });
    // In a script element only `<` can be misread (an end tag or a comment).
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let parts = [
        ("title", escape(&title)),
        ("style", include_str!("style.css").into()),
        ("script", include_str!("viewer.js").into()),
        ("summary", tables::write_summary(config, games, standings)?),
        ("abnormal", abnormal_games::write_abnormal_games(folder, &order)),
        ("data", data),
    ];
    Ok(fill_template(include_str!("page.html"), &parts))
}
