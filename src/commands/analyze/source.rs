//! The games of the files: read in any format ([`records`]); an invalid game does not affect the
//! others.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::result::{GameAnalysis, MoveAnalysis, RecordedResult, summarize};
use super::text::ScoreStyle;
use crate::commands::records;
use crate::games::any::AnyGame;
use crate::games::opening_names::opening_name;
use crate::games::record::{EntryErrorAt, MoveOrigin, RecordEntry, ResultOrder, played_points};
use crate::platform::files;

/// A game to analyze.
pub struct SourceGame {
    /// The name of the file.
    pub file: String,
    /// The number of the game in the file, from 1.
    pub number: usize,
    /// The game, and what the record states about it.
    pub entry: RecordEntry,
}

impl SourceGame {
    /// The moves and positions.
    pub fn game(&self) -> &AnyGame {
        &self.entry.game
    }

    /// The analysis of the game with these moves, which the record marks as opening moves or not.
    pub fn analysis(self, mut moves: Vec<MoveAnalysis>) -> GameAnalysis {
        let RecordEntry {
            game,
            info,
            contradiction,
            ..
        } = self.entry;
        for (analysis, stated) in moves.iter_mut().zip(&info.moves) {
            if stated.is_book {
                analysis.origin = MoveOrigin::Opening;
            }
        }
        let start = game.start();
        GameAnalysis {
            file: self.file,
            number: self.number,
            variant: game.name().into(),
            start: (!game.is_from_start()).then(|| start.write_position()),
            players: info.players,
            date: info.date,
            event: info.event,
            site: info.site,
            round: info.round,
            opening: opening_name(&game).map(String::from),
            stated: info.result.map(|stated| RecordedResult {
                result: stated.outcome,
                discs: stated.discs,
                reason: stated.ending.name().into(),
            }),
            contradiction,
            result: played_points(&game),
            komi: info.komi,
            summary: summarize(&game, &moves, ScoreStyle::of(&start).unit),
            moves,
        }
    }
}

/// A game, and the results of its moves if they are known.
pub struct AnalysisJob {
    pub source: SourceGame,
    pub known: Option<Vec<MoveAnalysis>>,
}

/// Reads all games of the files (`-` for standard input); `order` is whose result comes first.
///
/// # Errors
/// If a file cannot be read, holds no game, or is named twice.
pub fn load(
    files: &[PathBuf],
    start: &AnyGame,
    order: Option<ResultOrder>,
) -> Result<Vec<Result<SourceGame, EntryErrorAt>>> {
    let (mut games, mut names) = (Vec::new(), HashSet::new());
    for path in files {
        let name = files::display_name(path);
        ensure!(names.insert(path), "{name}: the file is named twice");
        let before = games.len();
        for record in records(path, start, order)? {
            let number = games.len() - before + 1;
            games.push(record?.entry.map(|entry| SourceGame {
                file: name.clone(),
                number,
                entry,
            }));
        }
        ensure!(games.len() > before, "{name}: no game found");
    }
    Ok(games)
}
