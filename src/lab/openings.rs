//! `nullwindow openings`: generates balanced openings from random moves, scored by a search.
//!
//! It generated the built-in lists of the match runner (`src/games/opening_lists`); the first line
//! of each list is its command. Symmetric positions count as one. The output depends on the
//! arguments and the engine alone.

use std::collections::HashSet;
use std::io::Write;

use anyhow::{Context, Result, ensure};

use crate::engine::setup::{Setup, positive};
use crate::game::Game;
use crate::game::rng::Rng;
use crate::games::any::AnyGame;
use crate::lab::depth;
use crate::logging::progress::ProgressLine;
use crate::search::table::Table;
use crate::search::{Certainty, Limits};

/// The command stops after this many consecutive random lines without a new position.
const MAX_FAILED_LINES: usize = 50_000;
/// The size of the table in MiB: small because it is cleared before each search.
const TABLE_MIB: usize = 4;
/// A preliminary search to the depth divided by this rejects unbalanced positions.
const PRELIMINARY_DIVISOR: u8 = 2;
/// The preliminary search accepts scores up to `--within` times this.
const PRELIMINARY_MARGIN: i32 = 3;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Length of each opening in plies
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = positive::<usize>)]
    plies: usize,

    /// Maximum number of openings
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = positive::<usize>)]
    count: usize,

    /// Search depth
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = depth())]
    depth: u8,

    /// Accept scores from -SCORE to SCORE, in hundredths of a point
    #[arg(long, value_name = "SCORE", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..))]
    within: i32,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// Finds openings and prints each as it is found: its moves, then its score for the side to move.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let start = setup.board(None)?;
    let most = usize::from(start.plies_left()) - 1;
    ensure!(
        args.plies <= most,
        "--plies {}: expected 1 to {most} for {}",
        args.plies,
        start.name()
    );
    let engine_options: String = setup
        .options
        .iter()
        .map(|(name, value)| format!(" --option \"{name}={value}\""))
        .collect();
    writeln!(
        out,
        "# nullwindow openings --game {} --plies {} --count {} --depth {} --within {} --seed {}{engine_options}",
        start.name(),
        args.plies,
        args.count,
        args.depth,
        args.within,
        args.seed
    )?;
    let bar = ProgressLine::bar(args.count as u64, "openings");
    let (mut table, options) = (Table::new(TABLE_MIB), setup.options()?);
    // The score of the side to move, and whether it is exact.
    let mut score = |board: &AnyGame, depth| -> Result<(i32, bool)> {
        table.clear(); // earlier searches must not affect the score
        let answer = options.search(board.position(), &table, &Limits::to_depth(depth));
        let score = answer.score().context("the game is over")?;
        Ok((score.0, answer.certainty == Certainty::Exact))
    };
    let mut rng = Rng::new(args.seed);
    let (mut seen, mut found, mut failed) = (HashSet::new(), 0, 0);
    while found < args.count && failed < MAX_FAILED_LINES {
        let board = random_line(&start, args.plies, &mut rng)?;
        let Some(board) = board.filter(|board| seen.insert(board.position().canonical().packed()))
        else {
            failed += 1;
            continue;
        };
        failed = 0;
        let (value, is_exact) = score(&board, (args.depth / PRELIMINARY_DIVISOR).max(1))?;
        if value.abs() > args.within.saturating_mul(PRELIMINARY_MARGIN) && !is_exact {
            continue;
        }
        let (value, is_exact) = score(&board, args.depth)?;
        if value.abs() > args.within {
            continue;
        }
        found += 1;
        bar.inc();
        let words: Vec<String> = board
            .history()
            .iter()
            .map(|&m| board.write_move(m))
            .collect();
        let exact = if is_exact { " exact" } else { "" };
        writeln!(out, "{} # cp {value}{exact}", words.join(" "))?;
        out.flush()?;
    }
    ensure!(
        found > 0,
        "no opening of {} plies found: no score within {} hundredths in {MAX_FAILED_LINES} random games",
        args.plies,
        args.within
    );
    Ok(true)
}

/// The position after `plies` random moves from the start; `None` if the game ends or a side has to
/// pass.
pub(super) fn random_line(start: &AnyGame, plies: usize, rng: &mut Rng) -> Result<Option<AnyGame>> {
    let mut board = start.clone();
    for _ in 0..plies {
        match rng.choose(&board.moves()) {
            Some(&m) if !m.is_pass() => board.play(m)?,
            _ => return Ok(None),
        }
    }
    let moves = board.moves();
    Ok(moves.first().is_some_and(|m| !m.is_pass()).then_some(board))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(game: &str, words: &[&str]) -> Vec<String> {
        list_with(game, words, Vec::new())
    }

    fn list_with(game: &str, words: &[&str], options: Vec<(String, String)>) -> Vec<String> {
        let args = <Args as clap::FromArgMatches>::from_arg_matches(
            &<Args as clap::Args>::augment_args(clap::Command::new("openings"))
                .get_matches_from([&["openings"], words].concat()),
        )
        .unwrap();
        let setup = Setup {
            game: Some(game.into()),
            options,
        };
        let mut out = Vec::new();
        run(&args, &setup, &mut out).unwrap();
        String::from_utf8(out)
            .unwrap()
            .lines()
            .map(String::from)
            .collect()
    }

    #[test]
    fn tic_tac_toe_has_five_drawn_second_moves() {
        // Of the twelve positions after two moves (up to symmetry) those are drawn that answer the
        // center by a corner, a corner by the center, and an edge by the center, a corner beside it
        // or the opposite edge.
        let lines = list(
            "tictactoe",
            &["--plies", "2", "--depth", "9", "--within", "0"],
        );
        assert!(lines[0].starts_with("# nullwindow openings --game tictactoe --plies 2 "));
        assert_eq!(lines.len() - 1, 5, "{lines:?}");
        assert!(
            lines[1..].iter().all(|line| line.ends_with("# cp 0 exact")),
            "{lines:?}"
        );
    }

    #[test]
    fn engine_options_are_used_and_the_widest_window_accepts_all() {
        let words = [
            "--plies",
            "6",
            "--count",
            "4",
            "--depth",
            "4",
            "--within",
            "2147483647",
        ];
        let plain = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/games/score_four/eval/plain.txt"
        );
        let options = vec![("EvalFile".into(), plain.into())];
        let (built_in, other) = (
            list("scorefour", &words),
            list_with("scorefour", &words, options),
        );
        assert!(
            other[0].ends_with(&format!(" --seed 1 --option \"EvalFile={plain}\"")),
            "{}",
            other[0]
        );
        assert!(
            built_in.len() == 5 && other.len() == 5 && other[1..] != built_in[1..],
            "{other:?}"
        );
    }

    #[test]
    fn the_same_arguments_give_the_same_list() {
        let words = [
            "--plies", "4", "--count", "5", "--depth", "2", "--within", "300",
        ];
        let lines = list("othello", &words);
        assert_eq!(lines.len(), 6);
        assert_eq!(lines, list("othello", &words));
    }
}
