//! `nullwindow problems`: endgame problems from self-play, every move solved exactly, written as OBF.
//!
//! A game opens with random moves and is then played by a shallow search that now and then plays at random, so that the
//! positions are neither book lines nor nonsense. The same arguments give the same problems for ever.

use std::collections::HashSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;

use crate::engine::options::Options;
use crate::engine::roster;
use crate::game::Move;
use crate::games::any::AnyGame;
use crate::games::obf;
use crate::rng::Rng;
use crate::search::context::Watch;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer};
use crate::setup::Setup;

/// Random plies at the start of a game.
const OPENING: std::ops::RangeInclusive<u64> = 6..=12;
/// The depth of the search that plays on, in plies.
const DEPTH: u8 = 4;
/// One move in so many is random even then.
const RANDOM_ONE_IN: u64 = 10;

/// Arguments of `problems`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Empty squares of each problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60))]
    empties: u8,

    /// How many problems
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,

    /// The seed of the random play
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Only problems in which one move is better than all others
    #[arg(long)]
    unique_best: bool,
}

/// Makes problems and writes each as soon as it is solved.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let start = setup.board(None)?;
    ensure!(start.discs().is_some(), "{}: problems are made for games of discs", start.name());
    ensure!(
        args.empties < start.plies_left(),
        "--empties {}: {} begins with {} empty squares",
        args.empties,
        start.name(),
        start.plies_left()
    );
    let options = setup.options()?;
    let mut maker =
        Maker { table: Table::new(options.hash as usize), small_table: Table::with_bytes(1 << 16), options };
    let bar = ProgressBar::new(args.count as u64);
    let mut seen = HashSet::new();
    let mut made = 0;
    for game in 0.. {
        if made == args.count {
            break;
        }
        let mut rng = Rng::for_stream(args.seed, game);
        let position = maker.play(&*start, args.empties, &mut rng);
        let Some(position) = position.filter(|position| seen.insert(position.write_position())) else { continue };
        maker.table.forget();
        let all_moves = Limits { multi_pv: position.moves().len(), proven: true, ..Limits::default() };
        let answer = maker.think(&*position, &maker.table, all_moves);
        if args.unique_best && answer.best.get(1).is_some_and(|second| second.score == answer.best[0].score) {
            continue;
        }
        let problem = obf::Problem {
            discs: position.discs().context("a game of discs")?,
            value: answer.score(),
            moves: answer.best.iter().map(|root| (root.m, root.score)).collect(),
        };
        bar.suspend(|| writeln!(out, "{}", obf::write_line(&problem)).and_then(|()| out.flush()))?;
        bar.inc(1);
        made += 1;
    }
    bar.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}

/// The engine that plays and solves.
struct Maker {
    options: Options,
    /// For solving.
    table: Table,
    /// For the moves of the games: cleared at no cost.
    small_table: Table,
}

impl Maker {
    /// The position of a game of its own with so many empties and a choice of moves, if the game comes by one.
    fn play(&mut self, start: &dyn AnyGame, empties: u8, rng: &mut Rng) -> Option<Box<dyn AnyGame>> {
        let mut game = start.boxed_clone();
        let opening = OPENING.start() + rng.below(OPENING.end() - OPENING.start() + 1);
        loop {
            let moves = game.moves();
            if game.plies_left() == empties {
                return (moves.len() > 1).then_some(game);
            }
            let random = (game.history().len() as u64) < opening || rng.below(RANDOM_ONE_IN) == 0;
            let m: Move = match random {
                true => *rng.choose(&moves)?,
                false => {
                    self.small_table.clear();
                    self.think(&*game, &self.small_table, Limits::to_depth(DEPTH)).best_move()?
                }
            };
            game.play(m).ok()?;
        }
    }

    fn think(&self, game: &dyn AnyGame, table: &Table, limits: Limits) -> Answer {
        let mut observer = Observer { watch: Arc::<Watch>::default(), report: &mut |_| () };
        let Options { settings, kernel, .. } = &self.options;
        roster::think(game.position(), settings, *kernel, table, &limits, &mut observer)
    }
}
