//! The games of the files: read in any format ([`record`]); an invalid game does not affect the
//! others.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::result::{GameAnalysis, MoveAnalysis, summarize, unit};
use crate::game::Game;
use crate::games::any::AnyGame;
use crate::games::opening_names::opening_name;
use crate::games::record::{self, EntryErrorAt};
use crate::platform::files;

/// A game to analyze.
pub struct SourceGame {
    /// The name of the file.
    pub file: String,
    /// The number of the game in the file, from 1.
    pub number: usize,
    pub game: AnyGame,
}

impl SourceGame {
    /// The analysis of the game with these moves.
    pub fn analysis(self, moves: Vec<MoveAnalysis>) -> GameAnalysis {
        let start = self.game.start();
        let plies_left: Vec<u8> = self
            .game
            .plies()
            .map(|(position, _)| position.plies_left())
            .collect();
        let mut standard = self.game.clone();
        standard.set_start();
        GameAnalysis {
            number: self.number,
            variant: self.game.name().into(),
            start: (!self.game.is_from_start()).then(|| start.write_position()),
            players: [None, None],
            date: None,
            event: None,
            opening: opening_name(&self.game).map(String::from),
            stated: None,
            result: self.result(),
            summary: summarize(
                &moves,
                &plies_left,
                standard.plies_left(),
                unit(&start).into(),
            ),
            moves,
            file: self.file,
        }
    }

    /// The result of the moves in points for the first player; `None` if the game is not over.
    pub fn result(&self) -> Option<i32> {
        let score = self.game.final_score()?;
        let (first, _) = self.game.to_move().ordered(score.0, -score.0);
        Some(match self.game.discs() {
            Some(_) => first / unit(&self.game),
            None => first.signum(),
        })
    }
}

/// Reads all games of the files (`-` for standard input).
///
/// # Errors
/// If a file cannot be read, holds no game, or is named twice.
pub fn load(files: &[PathBuf], start: &AnyGame) -> Result<Vec<Result<SourceGame, EntryErrorAt>>> {
    let (mut games, mut names) = (Vec::new(), HashSet::new());
    for path in files {
        let name = files::display_name(path);
        ensure!(
            names.insert(name.clone()),
            "{name}: the file is named twice"
        );
        let text = files::read_stream_text(path).with_context(|| name.clone())?;
        let before = games.len();
        for (index, entry) in record::entries(&text).enumerate() {
            games.push(entry.parse(start, &name).map(|entry| SourceGame {
                file: name.clone(),
                number: index + 1,
                game: entry.game,
            }));
        }
        ensure!(games.len() > before, "{name}: no game found");
    }
    Ok(games)
}
