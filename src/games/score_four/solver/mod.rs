//! The exact solver: who wins a position of Score Four, and in how many plies.
//!
//! The solver asks two yes-or-no questions: does the side to move win, and does it lose? [`search`]
//! answers them by alpha-beta with a transposition table ([`table`]) keyed by the [`shape`] of a
//! position. [`proof`] contains the proofs without search, [`claimeven`] the strongest of them.
//! [`limits`] counts nodes and tests the limits. Experiments:
//! `src/games/score_four/measurements.md#solver`.

pub mod claimeven;
pub mod limits;
mod ordering;
pub mod proof;
pub mod search;
pub mod shape;
mod split;
pub mod table;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::search::core::isa::Isa;
use crate::search::core::parallel::Team;
use crate::search::core::parallel::thread_budget::ThreadBudget;
use crate::search::mtdf::variation;
use crate::search::stop::Stopped;

use super::bitboard::Bitboards;
use limits::SolverLimits;
use proof::NO;
use search::Search;
use table::{ProofTable, SMALL_TABLE};

/// The goal of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverGoal {
    /// Who wins, and in how many plies under best play.
    Distance,
    /// Who wins.
    WinLossDraw,
}

/// A solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// 1, 0 or -1 for the side to move.
    pub value: i32,
    /// The plies to the end, if requested and the game is not drawn.
    pub plies: Option<u8>,
    /// The principal variation, to the end of the game; shorter only where the limits stopped the
    /// search for its moves. Empty if the game is over.
    pub line: Vec<Move>,
    /// Nodes: positions played, forced replies included.
    pub nodes: u64,
}

/// Nodes that each move gets in the first round of the search for the PV move, which the table
/// usually proves.
const FIRST_NODES: u64 = 1_000;

/// Nodes after which a position gets the large table.
const SMALL_TABLE_NODES: u64 = 300_000; // tuned: see measurements.md#solver

/// Solves a position with tables of `mebibytes` MiB together and the threads that can be spared.
/// Fails if the limits stop it; the nodes counted before count towards them.
///
/// ```
/// use nullwindow::game::{Game, Notation};
/// use nullwindow::games::score_four::ScoreFour;
/// use nullwindow::games::score_four::solver::{SolverGoal, limits::SolverLimits, solve};
/// use nullwindow::search::core::parallel::thread_budget::ThreadBudget;
/// use nullwindow::search::{core::isa::Portable, stop::{Budget, SearchControl}};
///
/// let moves = ["a1", "b1", "a1", "b1", "a1", "b1"].map(|word| ScoreFour::parse_move(word).unwrap());
/// let position = moves.into_iter().fold(ScoreFour::start(), |position, m| position.play(m));
/// let control = SearchControl::default();
/// let (threads, limits) = (ThreadBudget::new(1, 1), SolverLimits::new(&control, Budget::default(), 0));
/// let solution = solve(Portable::token(), &position, SolverGoal::Distance, 1, &threads, limits).unwrap();
/// assert_eq!((solution.value, solution.plies, solution.line[0].square()), (1, Some(1), 0));
/// ```
pub fn solve<I: Isa>(
    isa: I,
    position: &ScoreFour,
    goal: SolverGoal,
    mebibytes: usize,
    threads: &ThreadBudget,
    limits: SolverLimits<'_>,
) -> Result<Solution, Stopped> {
    if let Some(score) = position.final_score() {
        return Ok(Solution {
            value: score.0.signum(),
            plies: Some(0),
            line: Vec::new(),
            nodes: 0,
        });
    }
    let share = if goal == SolverGoal::Distance {
        mebibytes / 2
    } else {
        mebibytes
    };
    let (control, large) = (limits.control, (share > SMALL_TABLE).then_some(share));
    let small = ProofTable::new(share.min(SMALL_TABLE));
    let team = Team::default();
    let solve_by = |team| {
        let search = Search::new(isa, small, true, limits, team);
        Solver { search, large }.solve(position, goal, share)
    };
    if threads.is_one() {
        return solve_by(None);
    }
    let help = || team.help(&mut Search::helper(isa, control, &team));
    team.run(threads, &help, || solve_by(Some(&team)))
}

/// The solver of one position.
struct Solver<'a, I> {
    search: Search<'a, I>,
    /// The MiB of the large table, while the search has a small one.
    large: Option<usize>,
}

impl<I: Isa> Solver<'_, I> {
    /// Solves a position that is not over; uses a second table of `mebibytes` MiB for the distance.
    fn solve(
        mut self,
        position: &ScoreFour,
        goal: SolverGoal,
        mebibytes: usize,
    ) -> Result<Solution, Stopped> {
        let before = self.search.limits.all_nodes();
        let (value, m) = self.solve_value(position)?;
        let mut solution = Solution {
            value,
            plies: None,
            line: vec![m],
            nodes: 0,
        };
        if goal == SolverGoal::Distance && value != 0 {
            self.search = self.search.restarted(mebibytes, false);
            self.search.limits.allow(u64::MAX);
            let plies = self.distance(&Bitboards::of(position), value > 0)?;
            solution.plies = Some(plies);
            if let Some((m, child)) = self.move_in(position, plies)? {
                let next = |&(position, left): &(ScoreFour, u8), _, _| {
                    let (m, child) = self.move_in(&position, left).ok()??;
                    Some((m, (child, left - 1), None))
                };
                let child = (child, plies - 1);
                solution.line = variation(m, child, Score(value), Window::FULL, next).0;
            }
        } else {
            let next = |position: &ScoreFour, value: Score, _| {
                if position.final_score().is_some() {
                    return None;
                }
                let winning = winning_move(position).map(Ok);
                let m = winning
                    .unwrap_or_else(|| self.pv_move(position, value.0))
                    .ok()?;
                Some((m, position.play(m), None))
            };
            let child = position.play(m);
            solution.line = variation(m, child, Score(value), Window::FULL, next).0;
        }
        solution.nodes = self.search.limits.all_nodes() - before;
        Ok(solution)
    }

    /// Whether the attacker wins; `None` if that takes more than the allowed nodes.
    fn attacker_wins_within(
        &mut self,
        board: &Bitboards,
        attack: bool,
        nodes: u64,
    ) -> Result<Option<bool>, Stopped> {
        self.search.limits.allow(nodes);
        match self.search.ask(board, attack, 64 - board.stones() as u8) {
            Ok(answer) => Ok(Some(answer != NO)),
            Err(stopped) if self.search.limits.is_spent() => Err(stopped),
            Err(_) => Ok(None),
        }
    }

    /// Whether the attacker wins within `plies` plies.
    fn wins_in(&mut self, board: &Bitboards, attack: bool, plies: u8) -> Result<bool, Stopped> {
        Ok(self.search.ask(board, attack, plies)? != NO)
    }

    /// Whether the attacker wins. Begins with the small table, which is enough for most late
    /// positions.
    fn attacker_wins(&mut self, board: &Bitboards, attack: bool) -> Result<bool, Stopped> {
        if let Some(mebibytes) = self.large {
            if let Some(answer) = self.attacker_wins_within(board, attack, SMALL_TABLE_NODES)? {
                return Ok(answer);
            }
            self.search = self.search.restarted(mebibytes, true);
            self.large = None;
        }
        Ok(self.attacker_wins_within(board, attack, u64::MAX)? == Some(true))
    }

    /// The value of a position that is not over, and a PV move.
    fn solve_value(&mut self, position: &ScoreFour) -> Result<(i32, Move), Stopped> {
        let board = Bitboards::of(position);
        if let Some(m) = winning_move(position) {
            return Ok((1, m));
        }
        let value = if self.attacker_wins(&board, true)? {
            1
        } else if self.attacker_wins(&board, false)? {
            -1
        } else {
            0
        };
        Ok((value, self.pv_move(position, value)?))
    }

    /// A move that keeps the value. In a lost position, one that does not lose immediately, if
    /// there is one.
    fn pv_move(&mut self, position: &ScoreFour, value: i32) -> Result<Move, Stopped> {
        let board = Bitboards::of(position);
        let safe = board.non_losing(board.playable());
        let mut moves = position.moves();
        moves.sort_by_key(|m| safe >> position.landing(m.square()) & 1 == 0); // stable
        if value < 0 {
            return Ok(moves[0]);
        }
        let mut nodes = FIRST_NODES;
        let mut unknown: Vec<Move> = moves.to_vec();
        while unknown.len() > 1 {
            for m in unknown.clone() {
                let child = position.play(m);
                let keeps = match child.final_score() {
                    Some(score) => Some(-score.0.signum() >= value),
                    // A move keeps a win if the other side then loses, a draw if it does not win.
                    None => self
                        .attacker_wins_within(&Bitboards::of(&child), value == 0, nodes)?
                        .map(|answer| answer == (value > 0)),
                };
                match keeps {
                    Some(true) => return Ok(m),
                    Some(false) => unknown.retain(|&other| other != m),
                    None => {}
                }
            }
            nodes *= 2;
        }
        // Some move keeps the value, so the last one left does.
        Ok(unknown.first().copied().unwrap_or(moves[0]))
    }

    /// The plies in which the side to move wins (or loses) a won (or lost) position.
    fn distance(&mut self, board: &Bitboards, wins: bool) -> Result<u8, Stopped> {
        let left = 64 - board.stones() as u8;
        // The winner plays the last ply: a win takes an odd number of plies, a loss an even one.
        for plies in (2 - u8::from(wins)..=left).step_by(2) {
            if self.wins_in(board, wins, plies)? {
                return Ok(plies);
            }
        }
        Ok(left) // not reached: the game is decided before the board is full
    }

    /// A move that keeps the distance of a position that is won (or lost) in `left` plies, with its
    /// child; `None` at the end.
    fn move_in(
        &mut self,
        position: &ScoreFour,
        left: u8,
    ) -> Result<Option<(Move, ScoreFour)>, Stopped> {
        let wins = left % 2 == 1; // the winner plays the last ply
        for m in position.moves() {
            let child = position.play(m);
            let keeps = match child.final_score() {
                Some(score) => wins && left == 1 && score.0 < 0,
                // A winner's move must win in the plies left, a loser's move must not lose sooner.
                None if wins => {
                    left > 1 && self.wins_in(&Bitboards::of(&child), false, left - 1)?
                }
                None if winning_move(&child).is_some() => left == 2,
                None => left < 4 || !self.wins_in(&Bitboards::of(&child), true, left - 3)?,
            };
            if keeps {
                return Ok(Some((m, child)));
            }
        }
        Ok(None)
    }
}

/// A move that completes a line.
fn winning_move(position: &ScoreFour) -> Option<Move> {
    position.moves().into_iter().find(|&m| {
        position
            .play(m)
            .final_score()
            .is_some_and(|score| score.0 < 0)
    })
}
