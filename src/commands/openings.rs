//! `nullwindow openings`: balanced beginnings of a game, found by random play and judged by a search.
//!
//! The match runner's own lists (`src/tournament/opening_lists`) are made by it; the first line of each says how. Positions
//! that are images of each other under a symmetry count as one. The same arguments and engine give the same list.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::engine::setup::Setup;
use crate::game::rng::Rng;
use crate::game::{Game, Notation};
use crate::games::any::{AnyGame, Visitor};
use crate::games::registry::think;
use crate::search::context::Watch;
use crate::search::isa::IsaChoice;
use crate::search::table::Table;
use crate::search::{Certainty, Limits, Observer, Settings};

/// So many random lines in a row that lead nowhere new mean that there is nothing more.
const PATIENCE: usize = 50_000;
/// Size of the search's table in MiB: it is cleared for each position, which a large one would make slow.
const TABLE_MIB: usize = 4;
/// A first look at a fraction of the depth throws out what is far from level.
const FIRST_LOOK: u8 = 2;
/// How much further from level than wanted a position may be at the first look.
const LENIENCE: i32 = 3;

/// Arguments of `openings`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Plies of each opening
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: usize,

    /// How many openings, if there are so many
    #[arg(long, value_name = "N", default_value_t = 500)]
    count: usize,

    /// Plies to search from the end of each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,

    /// The greatest score, in hundredths of a point to either side, that is balanced
    #[arg(long, value_name = "SCORE", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..))]
    within: i32,

    /// The seed of the random play
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// Finds openings and writes each as it is found: its moves, then its score for the side to move.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let start = setup.board(None)?;
    ensure!(args.plies > 0 && args.count > 0, "--plies and --count must be 1 or more");
    writeln!(
        out,
        "# nullwindow openings --game {} --plies {} --count {} --depth {} --within {} --seed {}",
        start.name(),
        args.plies,
        args.count,
        args.depth,
        args.within,
        args.seed
    )?;
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(args.count as u64), target);
    let mut judge = Judge { table: Table::new(TABLE_MIB), kernel: setup.options()?.kernel };
    let mut rng = Rng::new(args.seed);
    let (mut seen, mut found, mut failed) = (HashSet::new(), 0, 0);
    while found < args.count && failed < PATIENCE {
        let Some(board) = random_line(&*start, args.plies, &mut rng)? else {
            failed += 1;
            continue;
        };
        if !seen.insert(board.position().visit(Canonical)) {
            failed += 1;
            continue;
        }
        failed = 0;
        let quick = judge.score(&*board, (args.depth / FIRST_LOOK).max(1))?;
        if quick.value.abs() > args.within * LENIENCE && !quick.exact {
            continue;
        }
        let score = judge.score(&*board, args.depth)?;
        if score.value.abs() > args.within {
            continue;
        }
        found += 1;
        bar.inc(1);
        let words: Vec<String> = board.history().iter().map(|&m| board.write_move(m)).collect();
        let exact = if score.exact { " exact" } else { "" };
        writeln!(out, "{} # cp {}{exact}", words.join(" "), score.value)?;
    }
    bar.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}

/// So many random plies from the start, unless the game ends before, or a side had to pass or must now.
fn random_line(start: &dyn AnyGame, plies: usize, rng: &mut Rng) -> Result<Option<Box<dyn AnyGame>>> {
    let mut board = start.boxed_clone();
    for _ in 0..plies {
        match rng.choose(&board.moves()) {
            Some(&m) if !m.is_pass() => board.play(m)?,
            _ => return Ok(None),
        }
    }
    let moves = board.moves();
    Ok(moves.first().is_some_and(|m| !m.is_pass()).then_some(board))
}

/// One number for a position and all its images.
struct Canonical;

impl Visitor for Canonical {
    type Output = [u64; 2];

    fn visit<G: Notation>(self, position: &G) -> [u64; 2] {
        let images = (0..<G as Game>::SYMMETRIES).map(|symmetry| position.image(symmetry).packed());
        images.min().unwrap_or_default()
    }
}

/// The search that says how far from level a position is.
struct Judge {
    table: Table,
    kernel: IsaChoice,
}

/// What it says, for the side to move.
struct Judgement {
    value: i32,
    exact: bool,
}

impl Judge {
    fn score(&mut self, board: &dyn AnyGame, depth: u8) -> Result<Judgement> {
        // What was searched before must not change what is found.
        self.table.clear();
        let mut observer = Observer { watch: Arc::new(Watch::default()), report: &mut |_| {} };
        let limits = Limits::to_depth(depth);
        let answer = think(board.position(), &Settings::default(), self.kernel, &self.table, &limits, &mut observer);
        let score = answer.score().context("the game is over")?;
        Ok(Judgement { value: score.0, exact: answer.certainty == Certainty::Exact })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(game: &str, words: &[&str]) -> Vec<String> {
        let args = <Args as clap::FromArgMatches>::from_arg_matches(
            &<Args as clap::Args>::augment_args(clap::Command::new("openings"))
                .get_matches_from([&["openings"], words].concat()),
        )
        .unwrap();
        let setup = Setup { game: Some(game.into()), ..Setup::default() };
        let mut out = Vec::new();
        run(&args, &setup, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(String::from).collect()
    }

    #[test]
    fn tic_tac_toe_has_five_drawn_second_moves() {
        // Of the twelve second moves (images counted once) those draw that answer the centre by a corner, a corner by
        // the centre, and an edge by the centre, a corner beside it or the opposite edge.
        let lines = list("tictactoe", &["--plies", "2", "--depth", "9", "--within", "0"]);
        assert!(lines[0].starts_with("# nullwindow openings --game tictactoe --plies 2 "));
        assert_eq!(lines.len() - 1, 5, "{lines:?}");
        assert!(lines[1..].iter().all(|line| line.ends_with("# cp 0 exact")), "{lines:?}");
    }

    #[test]
    fn the_same_arguments_give_the_same_list() {
        let words = ["--plies", "4", "--count", "5", "--depth", "2", "--within", "300"];
        let lines = list("othello", &words);
        assert_eq!(lines.len(), 6);
        assert_eq!(lines, list("othello", &words));
    }
}
