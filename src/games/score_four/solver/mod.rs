//! The solver: who wins a position of Score Four, and how soon.
//!
//! Two questions are asked, each with the answer yes or no: does the side to move win, does it lose. [`search`] answers them
//! by alpha-beta; [`settle`] is what needs no search, [`follow`] the argument of answers on top, and [`shape`] says which
//! positions are the same for the table in [`cache`].
//!
//! # What was measured
//!
//! On proven positions of 18 to 47 stones that a simple solver had taken 0.0009 to 39 s and up to 380 M nodes for, in a
//! prototype of this search with the same nodes, on a shared core. Nodes are positions played, forced replies included.
//!
//! | step | nodes | M nodes/s |
//! |---|---|---|
//! | the 40 easiest: shapes in the table | 102 M, one unsolved within 20 M | |
//! | and answers on top, closed columns too | 35 M | |
//! | the same by proof numbers (df-pn, weak sums, mobility) | 49 M | |
//! | the next 16, harder ones: alpha-beta, proof numbers | 111 M, 314 M | |
//! | numbers 28 to 47: weights tried by hand, fitted to the cost of moves | 72 M, 50 M | |
//! | numbers 43 to 47: list of moves unsettled, then table in small pages, in large ones | 30 M | 3.8, 5.0, 11.1 |
//! | the sixty: all moves judged in the order of columns, the table asked afterwards | 402 M | 10.5 |
//! | moves judged by their history, the table asked two moves behind | 396 M | |
//! | and answers on top before shapes: 4 % fewer instructions | 396 M | |
//! | memory kept from one position to the next: 0.25 s less for each that takes more than the small table | 396 M | |
//!
//! Tried in vain: moves ranked in full before they are judged (9 % more instructions), symmetries ([`shape`]).
//!
//! The sixty such positions, table of 256 MiB, one thread of a Zen 3 core, `nullwindow solve --game scorefour --hash 256 FILE`: all right
//! in 391 M nodes and 38.0 s of processor (10.3 M nodes/s), before these last steps 402 M and 40.9 s; the simple solver took 214 s.
//!
//! So proof numbers went: they were better on few positions (by seven times at most) and worse on more, on wins and on losses
//! alike. Killer moves and counter moves changed nothing beside the history.

pub mod cache;
pub mod follow;
pub mod search;
pub mod settle;
pub mod shape;

use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::search::isa::Isa;
use crate::search::stop::{Budget, Stopped, Watch};

use super::bitboard::Board;
use search::{NO, SMALL, Search};
use settle::Meter;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Who wins, and after how many plies if both play their best: the winner for speed, the loser for delay.
    Distance,
    /// Who wins.
    WinLossDraw,
}

/// What was found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// 1, 0 or -1 for the side to move.
    pub value: i32,
    /// The plies to the end, if they were asked for and somebody wins.
    pub plies: Option<u8>,
    /// A line of best play: to the end if the plies were asked for and somebody wins, else its first move. Empty if the game is
    /// over.
    pub line: Vec<Move>,
    /// Nodes: positions played, those on a chain of forced replies too.
    pub nodes: u64,
}

/// Nodes of the first turn of each move that may keep the value: the table knows the one that does.
const FIRST_TURN: u64 = 1_000;

/// Nodes after which a position gets all the table it may have.
const SMALL_NODES: u64 = 300_000;

/// Solves a position with tables of so many MiB together. `watch` and `budget` may stop it; `before` nodes were counted
/// before and count towards the budget.
///
/// ```
/// use nullwindow::game::{Game, Notation};
/// use nullwindow::games::score_four::ScoreFour;
/// use nullwindow::games::score_four::solver::{Goal, solve};
/// use nullwindow::search::{isa::Portable, stop::{Budget, Watch}};
///
/// let moves = ["a1", "b1", "a1", "b1", "a1", "b1"].map(|word| ScoreFour::parse_move(word).unwrap());
/// let position = moves.into_iter().fold(ScoreFour::start(), |position, m| position.play(m));
/// let solution = solve(Portable::token(), &position, Goal::Distance, 1, &Watch::default(), Budget::default(), 0).unwrap();
/// assert_eq!((solution.value, solution.plies, solution.line[0].square()), (1, Some(1), 0));
/// ```
pub fn solve<I: Isa>(
    isa: I,
    position: &ScoreFour,
    goal: Goal,
    mebibytes: usize,
    watch: &Watch,
    budget: Budget,
    before: u64,
) -> Result<Solution, Stopped> {
    if let Some(score) = position.final_score() {
        return Ok(Solution { value: score.0.signum(), plies: Some(0), line: Vec::new(), nodes: 0 });
    }
    let meter = Meter::new(watch, budget, before);
    let distance = goal == Goal::Distance;
    let share = if distance { mebibytes / 2 } else { mebibytes };
    let search = Search::new(isa, share.min(SMALL), true, meter);
    let mut solver = Solver { isa, search, large: (share > SMALL).then_some(share) };
    let (value, m) = solver.value(position)?;
    let mut solution = Solution { value, plies: None, line: vec![m], nodes: 0 };
    if distance && value != 0 {
        solver.ask_for_plies(share);
        let plies = solver.distance(&Board::of(position), value > 0)?;
        solution.plies = Some(plies);
        solution.line = solver.line(position, value > 0, plies)?;
    }
    solution.nodes = solver.search.meter.nodes - before;
    Ok(solution)
}

/// A search at work on one position.
struct Solver<'a, I> {
    isa: I,
    search: Search<'a, I>,
    /// The MiB of the table for the question who wins, while it has a small one.
    large: Option<usize>,
}

impl<I: Isa> Solver<'_, I> {
    /// Asks within so many nodes whether the attacker wins; `None`: they are spent.
    fn turn(&mut self, board: &Board, attack: bool, nodes: u64) -> Result<Option<bool>, Stopped> {
        self.search.meter.give(nodes);
        match self.search.ask(board, attack, 64 - board.stones() as u8) {
            Ok(answer) => Ok(Some(answer != NO)),
            Err(Stopped) if self.search.meter.is_spent() => Err(Stopped),
            Err(Stopped) => Ok(None),
        }
    }

    /// Goes over from the question who wins to the question within how many plies, with a table of so many MiB.
    fn ask_for_plies(&mut self, mebibytes: usize) {
        self.search = Search::new(self.isa, mebibytes, false, self.search.meter.clone());
        self.search.meter.give(u64::MAX);
    }

    /// Whether the attacker wins within so many plies.
    fn within(&mut self, board: &Board, attack: bool, plies: u8) -> Result<bool, Stopped> {
        Ok(self.search.ask(board, attack, plies)? != NO)
    }

    /// Asks whether the attacker wins, at first with the small table, for which most late positions are easy enough.
    fn attacker_wins(&mut self, board: &Board, attack: bool) -> Result<bool, Stopped> {
        if let Some(mebibytes) = self.large {
            if let Some(answer) = self.turn(board, attack, SMALL_NODES)? {
                return Ok(answer);
            }
            self.search = Search::new(self.isa, mebibytes, true, self.search.meter.clone());
            self.large = None;
        }
        Ok(self.turn(board, attack, u64::MAX)? == Some(true))
    }

    /// The value of a position that is not over, and a move that keeps it.
    fn value(&mut self, position: &ScoreFour) -> Result<(i32, Move), Stopped> {
        let board = Board::of(position);
        if let Some(m) = winning(position) {
            return Ok((1, m));
        }
        let value = if self.attacker_wins(&board, true)? {
            1
        } else if self.attacker_wins(&board, false)? {
            -1
        } else {
            0
        };
        Ok((value, self.keeper(position, value)?))
    }

    /// A move that keeps the value. Where everything loses, one that does not lose at once, if there is one.
    fn keeper(&mut self, position: &ScoreFour, value: i32) -> Result<Move, Stopped> {
        let board = Board::of(position);
        let sensible = board.sensible(board.playable());
        let mut moves = position.moves();
        moves.sort_by_key(|m| sensible >> position.landing(m.square()) & 1 == 0); // stable
        if value < 0 {
            return Ok(moves[0]);
        }
        let mut nodes = FIRST_TURN;
        let mut open: Vec<Move> = moves.to_vec();
        while open.len() > 1 {
            for m in open.clone() {
                let child = position.play(m);
                let kept = match child.final_score() {
                    Some(score) => Some(-score.0.signum() >= value),
                    // A win is kept if the other side loses, a draw if it does not win.
                    None => self.turn(&Board::of(&child), value == 0, nodes)?.map(|answer| answer == (value > 0)),
                };
                match kept {
                    Some(true) => return Ok(m),
                    Some(false) => open.retain(|&other| other != m),
                    None => {}
                }
            }
            nodes *= 2;
        }
        // One is left, and one of them keeps the value.
        Ok(open.first().copied().unwrap_or(moves[0]))
    }

    /// The plies in which the side to move wins, or loses, a position in which it does.
    fn distance(&mut self, board: &Board, wins: bool) -> Result<u8, Stopped> {
        let left = 64 - board.stones() as u8;
        // A winner has the last ply, so the plies of a win are odd, those of a loss even.
        for plies in (2 - u8::from(wins)..=left).step_by(2) {
            if self.within(board, wins, plies)? {
                return Ok(plies);
            }
        }
        Ok(left) // not reached: somebody wins before the board is full
    }

    /// Best play from a position that is won, or lost, in so many plies.
    fn line(&mut self, position: &ScoreFour, wins: bool, plies: u8) -> Result<Vec<Move>, Stopped> {
        let (mut position, mut wins, mut line) = (*position, wins, Vec::new());
        for left in (1..=plies).rev() {
            let mut chosen = None;
            for m in position.moves() {
                let child = position.play(m);
                let keeps = match child.final_score() {
                    Some(score) => wins && left == 1 && score.0 < 0,
                    // The winner's move must lose within what is left, the loser's must not lose any sooner.
                    None if wins => left > 1 && self.within(&Board::of(&child), false, left - 1)?,
                    None if winning(&child).is_some() => left == 2,
                    None => left < 4 || !self.within(&Board::of(&child), true, left - 3)?,
                };
                if keeps {
                    chosen = Some((m, child));
                    break;
                }
            }
            let Some((m, child)) = chosen else { break };
            line.push(m);
            position = child;
            wins = !wins;
        }
        Ok(line)
    }
}

/// A move that completes a line.
fn winning(position: &ScoreFour) -> Option<Move> {
    position.moves().into_iter().find(|&m| position.play(m).final_score().is_some_and(|score| score.0 < 0))
}
