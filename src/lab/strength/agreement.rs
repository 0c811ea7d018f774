//! `strength agreement`: measures the share of positions of human games in which a level plays the
//! human move. Each position is searched with an empty table; positions with one legal move are
//! skipped.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::LevelArgs;
use super::level_games::LevelPlayer;
use crate::commands::records;
use crate::engine::options::Options;
use crate::game::{Move, counted};
use crate::games::any::AnyGame;
use crate::setup::{EVAL, GAME, SEARCH, positive, uses};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCH, EVAL]), after_help = "Games: all with discs.")]
pub struct Args {
    /// Human games in any format
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    players: LevelArgs,

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
    let LevelArgs { levels, nodes } = &args.players;
    let mut games = Vec::new();
    for file in &args.files {
        for record in records(file, start, None)? {
            games.push(record?.entry?.game);
        }
    }
    let games: Vec<_> = games.iter().step_by(args.every.into()).collect();
    let positions: Vec<_> = games.iter().flat_map(|game| choices(game)).collect();
    ensure!(
        !positions.is_empty(),
        "no position with two or more legal moves"
    );
    writeln!(
        out,
        "{}, {} with two or more legal moves, {nodes} nodes per move",
        counted(games.len(), "game", "games"),
        counted(positions.len(), "position", "positions")
    )?;
    writeln!(out, "level  agree")?;
    for level in std::iter::once(0).chain(levels.iter().copied()) {
        let mut player = LevelPlayer::new(options, level, *nodes);
        let mut agreed = 0;
        for (position, played) in &positions {
            player.engine.new_game();
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
    use crate::games::record::play_all;

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
}
