//! `nullwindow problems`: generates solved endgame problems for `nullwindow solve`. The format is
//! OBF with the score of every move in Reversi and `moves ; value ; -` in other games.
//!
//! Self-play games start with random moves and continue with shallow searches and occasional random
//! moves. The output depends on the arguments alone.

use std::collections::HashSet;
use std::io::Write;

use anyhow::{Context, Result, ensure};

use crate::engine::options::Options;
use crate::game::rng::Rng;
use crate::game::{Game, Move};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::reversi::obf;
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Bitboards;
use crate::games::score_four::eval::{Tactics, tactics};
use crate::logging::progress::ProgressLine;
use crate::search::table::Table;
use crate::search::{Answer, Goal, Limits};
use crate::setup::{EVAL, GAME, SEARCH, Setup, positive, uses};

/// Random plies at the start of a game.
const OPENING_PLIES: std::ops::RangeInclusive<u64> = 6..=12;
/// The search depth of the games.
const DEPTH: u8 = 4;
/// The command stops after this many consecutive games without a new problem.
pub const MAX_FAILED_GAMES: u64 = 1_000;
/// After the opening, one move in this many is random.
const RANDOM_ONE_IN: u64 = 10;

#[derive(clap::Args, Debug)]
#[command(
    args = uses(&[GAME, SEARCH, &["Hash"], EVAL]),
    override_usage = "nullwindow problems [OPTIONS] <--empties <N>|--stones <N>>"
)]
pub struct Args {
    /// Number of empties (Reversi)
    #[arg(long, value_name = "N", required_unless_present = "stones")]
    empties: Option<u8>,

    /// Number of stones on the board (other games)
    #[arg(long, value_name = "N", conflicts_with = "empties")]
    stones: Option<u8>,

    /// Number of problems
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = positive::<usize>)]
    count: usize,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Keep only problems with a unique best move (Reversi)
    #[arg(long)]
    unique_best: bool,

    /// Keep only positions with no immediate win and two or more safe moves (Score Four)
    #[arg(long)]
    quiet: bool,

    /// Print the positions without solving them
    #[arg(long, conflicts_with = "unique_best")]
    unsolved: bool,
}

impl Args {
    /// The number of plies left in the problems.
    fn plies_left(&self, start: &AnyGame) -> Result<u8> {
        let (name, cells) = (start.name(), start.plies_left());
        ensure!(
            !self.quiet || name == ScoreFour::NAME,
            "--quiet applies to {} only",
            ScoreFour::NAME
        );
        let has_discs = start.discs().is_some();
        ensure!(
            has_discs || !self.unique_best,
            "--unique-best applies to Reversi only: other games are solved for win, loss or draw"
        );
        // A problem has two moves or more.
        let (option, number, least, most) = if has_discs {
            ("empties", self.empties, 2, cells - 1)
        } else {
            ("stones", self.stones, 0, cells - 2)
        };
        let number = number.with_context(|| format!("use --{option} for {name}"))?;
        ensure!(
            (least..=most).contains(&number),
            "--{option} {number}: expected {least} to {most} for {name}"
        );
        Ok(if has_discs { number } else { cells - number })
    }
}

/// Generates problems and prints each as soon as it is solved.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let start = setup.board(None)?;
    let plies_left = args.plies_left(&start)?;
    let options = setup.options()?;
    let mut generator = ProblemGenerator::new(&options);
    let bar = ProgressLine::bar(args.count as u64, "problems");
    let mut seen = HashSet::new();
    let (mut made, mut last) = (0, 0);
    for game in 0.. {
        ensure!(
            game - last < MAX_FAILED_GAMES,
            "generated {made} problems only: {MAX_FAILED_GAMES} games without a new position"
        );
        if made == args.count {
            break;
        }
        let mut rng = Rng::for_stream(args.seed, game);
        let position = generator.play_game(&start, plies_left, &mut rng);
        let accepted = |position: &AnyGame| {
            (!args.quiet || is_quiet(position)) && seen.insert(position.write_position())
        };
        let Some(position) = position.filter(accepted) else {
            continue;
        };
        let Some(line) = generator.problem_line(&position, args)? else {
            continue;
        };
        writeln!(out, "{line}")?;
        out.flush()?;
        bar.inc();
        (made, last) = (made + 1, game);
    }
    Ok(true)
}

/// Whether the side to move has no immediate win and at least two safe moves.
fn is_quiet(position: &AnyGame) -> bool {
    match position.position() {
        AnyPosition::ScoreFour(position) => {
            tactics(&Bitboards::of(&position), position.stones()) == Tactics::Quiet
        }
        _ => true,
    }
}

/// Plays games and solves their positions.
pub struct ProblemGenerator<'o> {
    options: &'o Options,
    /// The table for solving.
    table: Table,
    /// The table for playing: small because it is cleared before each move.
    game_table: Table,
}

impl<'o> ProblemGenerator<'o> {
    pub fn new(options: &'o Options) -> ProblemGenerator<'o> {
        ProblemGenerator {
            options,
            table: Table::new(options.hash as usize),
            game_table: Table::with_bytes(1 << 16),
        }
    }

    /// Plays a game to the position with this many plies left; `None` if that position has fewer
    /// than two moves.
    pub fn play_game(&mut self, start: &AnyGame, plies_left: u8, rng: &mut Rng) -> Option<AnyGame> {
        let mut game = start.clone();
        let opening = rng.within(&OPENING_PLIES);
        loop {
            let moves = game.moves();
            if game.plies_left() == plies_left {
                return (moves.len() > 1).then_some(game);
            }
            let random = (game.history().len() as u64) < opening || rng.below(RANDOM_ONE_IN) == 0;
            let m: Move = if random {
                *rng.choose(&moves)?
            } else {
                self.game_table.clear();
                self.options
                    .search(game.position(), &self.game_table, &Limits::to_depth(DEPTH))
                    .best_move()?
            };
            game.play(m).ok()?;
        }
    }

    /// The line of a problem, solved unless `--unsolved`; `None` if it fails `--unique-best`.
    fn problem_line(&mut self, position: &AnyGame, args: &Args) -> Result<Option<String>> {
        let Some(discs) = position.discs() else {
            let mut moves = position.write_moves(position.history()).concat();
            if moves.is_empty() {
                moves = "startpos".into(); // an empty line is not a position
            }
            if args.unsolved {
                return Ok(Some(moves));
            }
            let limits = Limits::to_find(Goal::WinLossDraw);
            let value = match self
                .solve(position, limits)
                .score()
                .context("the game is over")?
                .0
                .signum()
            {
                1 => "win",
                0 => "draw",
                _ => "loss",
            };
            return Ok(Some(format!("{moves} ; {value} ; -")));
        };
        let mut problem = obf::Problem {
            discs,
            value: None,
            moves: Vec::new(),
        };
        if !args.unsolved {
            let answer = self.solve_all_moves(position);
            if args.unique_best
                && answer
                    .best
                    .get(1)
                    .is_some_and(|second| second.score == answer.best[0].score)
            {
                return Ok(None);
            }
            problem.value = answer.score();
            problem.moves = answer
                .best
                .iter()
                .map(|root| (root.m, root.score))
                .collect();
        }
        Ok(Some(obf::write_line(&problem)))
    }

    /// The exact scores of all legal moves.
    pub fn solve_all_moves(&mut self, position: &AnyGame) -> Answer {
        self.solve(
            position,
            Limits {
                multi_pv: position.moves().len(),
                ..Limits::to_find(Goal::Exact)
            },
        )
    }

    fn solve(&mut self, position: &AnyGame, limits: Limits) -> Answer {
        self.table.clear();
        self.options
            .search(position.position(), &self.table, &limits)
    }
}
