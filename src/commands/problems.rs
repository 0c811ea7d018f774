//! `nullwindow problems`: endgame problems from self-play, solved and written as `nullwindow solve` reads them: in games of discs as
//! OBF with every move's score, else as `moves ; value ; -`.
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
use crate::engine::setup::Setup;
use crate::game::rng::Rng;
use crate::game::{Game, Move};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::registry;
use crate::games::reversi::obf;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Board;
use crate::games::score_four::eval::{Settled, settled};
use crate::search::context::Watch;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer};

/// Random plies at the start of a game.
const OPENING: std::ops::RangeInclusive<u64> = 6..=12;
/// The depth of the search that plays on, in plies.
const DEPTH: u8 = 4;
/// So many games in a row without a new problem mean that there are no more.
const PATIENCE: u64 = 1_000;
/// One move in so many is random even then.
const RANDOM_ONE_IN: u64 = 10;

/// Arguments of `problems`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Empty squares of each problem, in games of discs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60), required_unless_present = "stones")]
    empties: Option<u8>,

    /// Stones on the board of each problem, in other games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=63), conflicts_with = "empties")]
    stones: Option<u8>,

    /// How many problems
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,

    /// The seed of the random play
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Only problems in which one move is better than all others
    #[arg(long)]
    unique_best: bool,

    /// Score Four: only positions in which the side to move has no immediate win and two moves or more that do not lose at once
    #[arg(long)]
    quiet: bool,

    /// Write the positions without solving them
    #[arg(long, conflicts_with = "unique_best")]
    unsolved: bool,
}

impl Args {
    /// The plies left in the problems wanted, if the game has such.
    fn plies_left(&self, start: &dyn AnyGame) -> Result<u8> {
        let (name, cells) = (start.name(), start.plies_left());
        ensure!(!self.quiet || name == ScoreFour::NAME, "--quiet is for {} alone", ScoreFour::NAME);
        match (self.empties, self.stones) {
            (Some(empties), _) => {
                ensure!(start.discs().is_some(), "--empties is for games of discs: in {name} say --stones");
                ensure!(empties < cells, "--empties {empties}: {name} begins with {cells} empty squares");
                Ok(empties)
            }
            (None, stones) => {
                let stones = stones.context("--stones or --empties")?;
                ensure!(start.discs().is_none(), "--stones is for games without discs: in {name} say --empties");
                ensure!(stones < cells, "--stones {stones}: {name} is over with {cells}");
                ensure!(!self.unique_best, "--unique-best is for games of discs: elsewhere only who wins is found out");
                Ok(cells - stones)
            }
        }
    }
}

/// Makes problems and writes each as soon as it is solved.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    let start = setup.board(None)?;
    let plies_left = args.plies_left(&*start)?;
    let options = setup.options()?;
    let mut maker =
        Maker { table: Table::new(options.hash as usize), small_table: Table::with_bytes(1 << 16), options };
    let bar = ProgressBar::new(args.count as u64);
    let mut seen = HashSet::new();
    let (mut made, mut last) = (0, 0);
    for game in 0.. {
        ensure!(game - last < PATIENCE, "{made} problems made; {PATIENCE} games led to no other");
        if made == args.count {
            break;
        }
        let mut rng = Rng::for_stream(args.seed, game);
        let position = maker.play(&*start, plies_left, &mut rng);
        let wanted = |position: &dyn AnyGame| !args.quiet || is_quiet(position);
        let position = position.filter(|position| wanted(&**position) && seen.insert(position.write_position()));
        let Some(position) = position else { continue };
        let Some(line) = maker.line(&*position, args)? else { continue };
        bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
        bar.inc(1);
        (made, last) = (made + 1, game);
    }
    bar.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}

/// Whether nothing is decided at once and no reply is forced.
fn is_quiet(position: &dyn AnyGame) -> bool {
    match position.position() {
        AnyPosition::ScoreFour(position) => settled(&Board::of(&position), position.stones()) == Settled::Quiet,
        _ => true,
    }
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
    /// The position of a game of its own with so many plies left and a choice of moves, if the game comes by one.
    fn play(&mut self, start: &dyn AnyGame, plies_left: u8, rng: &mut Rng) -> Option<Box<dyn AnyGame>> {
        let mut game = start.boxed_clone();
        let opening = rng.within(&OPENING);
        loop {
            let moves = game.moves();
            if game.plies_left() == plies_left {
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

    /// The line of a problem, solved if that is asked for; `None` if it is not one of those wanted.
    fn line(&mut self, position: &dyn AnyGame, args: &Args) -> Result<Option<String>> {
        self.table.forget();
        let Some(discs) = position.discs() else { return self.line_of_moves(position, args).map(Some) };
        let mut problem = obf::Problem { discs, value: None, moves: Vec::new() };
        if !args.unsolved {
            let all_moves = Limits { multi_pv: position.moves().len(), proven: true, ..Limits::default() };
            let answer = self.think(position, &self.table, all_moves);
            if args.unique_best && answer.best.get(1).is_some_and(|second| second.score == answer.best[0].score) {
                return Ok(None);
            }
            problem.value = answer.score();
            problem.moves = answer.best.iter().map(|root| (root.m, root.score)).collect();
        }
        Ok(Some(obf::write_line(&problem)))
    }

    /// The line of a problem in a game without discs: its moves, and who wins.
    fn line_of_moves(&self, position: &dyn AnyGame, args: &Args) -> Result<String> {
        let words: Vec<String> = position.history().iter().map(|&m| position.write_move(m)).collect();
        let moves = words.concat();
        if args.unsolved {
            return Ok(moves);
        }
        let who_wins = Limits { win_loss_draw: true, proven: true, ..Limits::default() };
        let score = self.think(position, &self.table, who_wins).score().context("the game is over")?;
        let value = match score.0.signum() {
            1 => "win",
            0 => "draw",
            _ => "loss",
        };
        Ok(format!("{moves} ; {value} ; -"))
    }

    fn think(&self, game: &dyn AnyGame, table: &Table, limits: Limits) -> Answer {
        let mut observer = Observer { watch: Arc::<Watch>::default(), report: &mut |_| () };
        let Options { settings, kernel, .. } = &self.options;
        registry::think(game.position(), settings, *kernel, table, &limits, &mut observer)
    }
}
