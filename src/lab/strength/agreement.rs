//! `strength agreement`: measures the share of positions of human games in which a level plays the
//! human move. Each position is searched with an empty table; positions with one legal move are
//! skipped.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::level_games::LevelPlayer;
use super::{LEVELS, level};
use crate::engine::options::Options;
use crate::engine::setup::positive;
use crate::game::Move;
use crate::games::any::AnyGame;
use crate::games::record;
use crate::games::transcript::play_all;
use crate::platform::files;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Human games: WTHOR (.wtb), GGF, PGN, games.jsonl, or one move list per line (f5d6c3...)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Levels of option Strength, 1 to 30
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = LEVELS, value_parser = level())]
    levels: Vec<u32>,

    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = positive::<u64>)]
    nodes: u64,

    /// Use every N-th game only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<u16>)]
    every: u16,
}

/// Prints the share of human moves played at full strength and at each level.
pub(super) fn run(
    args: &Args,
    options: &Options,
    start: &AnyGame,
    out: &mut dyn Write,
) -> Result<bool> {
    let mut games = Vec::new();
    for file in &args.files {
        games.extend(read(file, start)?);
    }
    let games: Vec<_> = games.iter().step_by(args.every.into()).collect();
    let positions: Vec<_> = games.iter().flat_map(|game| choices(game)).collect();
    ensure!(
        !positions.is_empty(),
        "no position with two or more legal moves"
    );
    writeln!(
        out,
        "{} games, {} positions with two or more legal moves, {} nodes per move",
        games.len(),
        positions.len(),
        args.nodes
    )?;
    writeln!(out, "level  agree")?;
    for level in std::iter::once(0).chain(args.levels.iter().copied()) {
        let mut player = LevelPlayer::new(options, level, args.nodes);
        let mut agreed = 0;
        for (position, played) in &positions {
            player.begin_game();
            agreed += usize::from(
                player
                    .choose(position)
                    .is_some_and(|(chosen, _)| chosen.m == *played),
            );
        }
        writeln!(
            out,
            "{level:>5} {:>5.1} %",
            100.0 * agreed as f64 / positions.len() as f64
        )?;
        out.flush()?;
    }
    Ok(true)
}

fn read(file: &Path, start: &AnyGame) -> Result<Vec<AnyGame>> {
    let name = files::display_name(file);
    let bytes = files::read_stream(file, files::TEXT_LIMIT).with_context(|| name.clone())?;
    if !is_wthor(&bytes) {
        let text = files::lossy_text_of(bytes).with_context(|| name.clone())?;
        return record::entries(&text)
            .map(|entry| Ok(entry.parse(start, &name)?.game))
            .collect();
    }
    let transcripts = transcripts(&bytes).with_context(|| name.clone())?;
    let game = |(index, text): (usize, &String)| {
        let mut game = start.clone();
        play_all(&mut game, text).with_context(|| format!("{name}, game {}", index + 1))?;
        Ok(game)
    };
    transcripts.iter().enumerate().map(game).collect()
}

/// WTHOR files (`.wtb`): a header, then 68 bytes per game. The last 60 bytes are the moves as 10 *
/// row + column (`56`: f5), padded with 0; passes are not stored.
const HEADER: usize = 16;
const GAME: usize = 68;
/// The offset of the moves in a game.
const MOVES: usize = 8;
/// The offset of the board size in the header; 0 and 8 mean 8x8.
const BOARD_SIZE: usize = 12;

/// Whether the bytes have the length of a WTHOR file and are not text.
fn is_wthor(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && (bytes.len() - HEADER).is_multiple_of(GAME) && bytes.contains(&0)
}

/// The games of a file, each as a transcript (`f5d6c3`).
fn transcripts(bytes: &[u8]) -> Result<Vec<String>> {
    ensure!(
        [0, 8].contains(&bytes[BOARD_SIZE]),
        "board size {0}x{0} is not supported, expected 8x8",
        bytes[BOARD_SIZE]
    );
    Ok(bytes[HEADER..]
        .chunks_exact(GAME)
        .map(|game| transcript(&game[MOVES..]))
        .collect())
}

fn transcript(moves: &[u8]) -> String {
    let square = |byte: &u8| {
        [
            char::from(b'a' - 1 + byte % 10),
            char::from(b'0' + byte / 10 % 10),
        ]
    };
    moves
        .iter()
        .take_while(|&&byte| byte != 0)
        .flat_map(square)
        .collect()
}

/// The positions of a game with two or more legal moves, each with the move played.
fn choices(game: &AnyGame) -> Vec<(AnyGame, Move)> {
    let mut found = Vec::new();
    let mut past = game.clone();
    while let Some(&m) = past.history().last() {
        past.undo();
        if past.moves().len() > 1 {
            found.push((past.clone(), m));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn positions_with_a_choice_come_with_the_move_played() {
        let mut game = by_name("othello").unwrap();
        play_all(&mut game, "f5d6c3").unwrap();
        let found = choices(&game);
        let words: Vec<String> = found
            .iter()
            .map(|(position, m)| position.write_move(*m))
            .collect();
        assert_eq!(words, ["c3", "d6", "f5"]);
        assert!(
            found
                .iter()
                .all(|(position, m)| position.moves().contains(m))
        );
    }

    #[test]
    fn moves_are_rows_and_columns() {
        let mut bytes = vec![0; HEADER + 2 * GAME];
        bytes[HEADER + MOVES..][..3].copy_from_slice(&[56, 64, 33]);
        bytes[HEADER + GAME + MOVES] = 34;
        assert_eq!(transcripts(&bytes).unwrap(), ["f5d6c3", "d3"]);
        assert!(is_wthor(&bytes) && !is_wthor(&bytes[1..]));
        bytes[BOARD_SIZE] = 10;
        assert_eq!(
            transcripts(&bytes).unwrap_err().to_string(),
            "board size 10x10 is not supported, expected 8x8"
        );
    }
}
