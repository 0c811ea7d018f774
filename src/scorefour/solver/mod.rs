//! The solver: who wins a position of Score Four, and how soon.
//!
//! Two questions are asked, each with the answer yes or no: does the side to move win, does it lose. Two searches answer
//! each of them, [`search`] (alpha-beta) and [`proof`] (proof numbers), in turns that double: on some positions the one is a
//! hundred times faster, on some the other, and nobody knows before on which. What both share is in [`settle`], which needs
//! no search.
//!
//! # What was measured
//!
//! On the 33 easiest of 60 proven positions (22 to 47 stones), 64 MiB: all right, 72 M nodes, 9 s of processor on a core
//! shared with much other work. Of the harder ones some take seconds and some more than 400 M nodes: what one of the searches
//! finds in a million nodes the other may not find in a hundred.
//!
//! | step, nodes on those up to 0.15 s of a simple solver | alpha-beta | proof numbers |
//! |---|---|---|
//! | moves by lines, wins and few replies; numbers start at one | 11 M | 717 M, one unsolved |
//! | weak sums | | 108 M |
//! | numbers start from mobility; from cells that complete a line too | | 59 M; 13 M |
//! | alpha-beta for few plies first, then more | over 180 M, on up to 0.3 s | |

pub mod cache;
pub mod proof;
pub mod search;
pub mod settle;

use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::isa::Isa;

use super::board::Board;
use proof::Proof;
use search::{NO, Search};
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

/// Nodes of a search's first turn.
const FIRST_TURN: u64 = 20_000;

/// Solves a position with tables of so many MiB together. `watch` and `budget` may stop it; `before` nodes were counted
/// before and count towards the budget.
///
/// ```
/// use nullwindow::game::{Game, Notation};
/// use nullwindow::games::score_four::ScoreFour;
/// use nullwindow::scorefour::solver::{Goal, solve};
/// use nullwindow::search::{context::{Budget, Watch}, isa::Portable};
///
/// let moves = ["a1", "b1", "a1", "b1", "a1", "b1"].map(|word| ScoreFour::parse_move(word).unwrap());
/// let position = moves.into_iter().fold(ScoreFour::start(), |position, m| position.play(m));
/// let solution = solve(Portable::token(), &position, Goal::Distance, 1, &Watch::default(), Budget::default(), 0).unwrap();
/// assert_eq!((solution.value, solution.plies, solution.line[0].0), (1, Some(1), 0));
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
    // Half to alpha-beta, whose table serves both questions, and a quarter to the proofs of each.
    let mut solver = Solver {
        meter: &meter,
        search: Search::new(isa, mebibytes / 2, &meter),
        proofs: [Proof::new(isa, mebibytes / 4, &meter), Proof::new(isa, mebibytes / 4, &meter)],
    };
    let (value, m) = solver.value(position)?;
    let mut solution = Solution { value, plies: None, line: vec![m], nodes: 0 };
    if goal == Goal::Distance && value != 0 {
        solver.meter.give(u64::MAX);
        let plies = solver.distance(&Board::of(position), value > 0)?;
        solution.plies = Some(plies);
        solution.line = solver.line(position, value > 0, plies)?;
    }
    solution.nodes = meter.nodes() - before;
    Ok(solution)
}

/// The searches at work on one position.
struct Solver<'a, I> {
    meter: &'a Meter<'a>,
    search: Search<'a, I>,
    /// Of the question whether the first player wins, and of that whether the second does.
    proofs: [Proof<'a, I>; 2],
}

impl<I: Isa> Solver<'_, I> {
    /// Asks within a turn of so many nodes whether the attacker wins; `None`: the turn is over.
    fn turn(&mut self, board: &Board, attack: bool, nodes: u64) -> Result<Option<bool>, Stopped> {
        let left = 64 - board.stones() as u8;
        self.meter.give(nodes);
        if let Ok(answer) = self.search.ask(board, attack, left) {
            return Ok(Some(answer != NO));
        }
        let first_attacks = board.stones().is_multiple_of(2) == attack;
        self.meter.give(nodes);
        if let Ok(answer) = self.proofs[usize::from(!first_attacks)].ask(board, attack) {
            return Ok(Some(answer));
        }
        if self.meter.is_spent() { Err(Stopped) } else { Ok(None) }
    }

    /// The value of a position that is not over, and a move that keeps it.
    fn value(&mut self, position: &ScoreFour) -> Result<(i32, Move), Stopped> {
        let board = Board::of(position);
        if let Some(m) = winning(position) {
            return Ok((1, m));
        }
        let mut answers = [None; 2];
        let mut nodes = FIRST_TURN;
        let value = loop {
            for (answer, attack) in answers.iter_mut().zip([true, false]) {
                if answer.is_none() {
                    *answer = self.turn(&board, attack, nodes)?;
                }
                if *answer == Some(true) {
                    break;
                }
            }
            match answers {
                [Some(true), _] => break 1,
                [_, Some(true)] => break -1,
                [Some(false), Some(false)] => break 0,
                _ => nodes *= 2,
            }
        };
        Ok((value, self.keeper(position, value)?))
    }

    /// A move that keeps the value. Where everything loses, one that does not lose at once, if there is one.
    fn keeper(&mut self, position: &ScoreFour, value: i32) -> Result<Move, Stopped> {
        let board = Board::of(position);
        let sensible = board.sensible(board.playable());
        let mut moves = position.moves();
        moves.sort_by_key(|m| sensible >> position.landing(m.0) & 1 == 0); // stable
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
            if self.search.ask(board, wins, plies)? != NO {
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
                    None if wins => left > 1 && self.search.ask(&Board::of(&child), false, left - 1)? != NO,
                    None if winning(&child).is_some() => left == 2,
                    None => left < 4 || self.search.ask(&Board::of(&child), true, left - 3)? == NO,
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
