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
use crate::games::record::{MoveOrigin, RecordEntry, ResultOrder, played_points};
use crate::logging::progress::print_line;
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
    /// The analysis of the game with these moves, which the record marks as opening moves or not.
    pub fn analysis(self, mut moves: Vec<MoveAnalysis>) -> GameAnalysis {
        let outcome = self.entry.result().map(|result| result.outcome);
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
            outcome,
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
/// Prints the errors of invalid games and returns their number.
///
/// # Errors
/// If a file cannot be read, holds no game, or is named twice, or no game is valid.
pub fn load(
    files: &[PathBuf],
    start: &AnyGame,
    order: Option<ResultOrder>,
) -> Result<(Vec<SourceGame>, usize)> {
    let (mut games, mut names, mut errors) = (Vec::new(), HashSet::new(), 0);
    for path in files {
        let file = files::display_name(path);
        ensure!(names.insert(path), "{file}: the file is named twice");
        let mut count = 0;
        for record in records(path, start, order)? {
            count += 1;
            match record?.entry {
                Ok(entry) => games.push(SourceGame {
                    file: file.clone(),
                    number: count,
                    entry,
                }),
                Err(error) => {
                    errors += 1;
                    print_line(error);
                }
            }
        }
        ensure!(count > 0, "{file}: no game found");
    }
    let name = start.name();
    ensure!(!games.is_empty(), "no valid game of {name}: check --game");
    Ok((games, errors))
}
