//! Solves one problem: its score and the moves that are to be scored with it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::dispatch;
use crate::games::record::RecordEntry;
use crate::platform::cpu_time::thread_time;
use crate::search::isa::IsaChoice;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Certainty, Limits, Observer, Progress, RootMove, Settings};

/// The moves that a solution scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoredMoves {
    /// One best move.
    One,
    /// Every best move.
    Best,
    /// Every legal move.
    All,
}

/// What is asked about each problem.
#[derive(Clone, Copy, Debug)]
pub struct SolveQuestion {
    /// Win, loss or draw only.
    pub wld: bool,
    /// The moves to score.
    pub moves: ScoredMoves,
    /// The selectivity level in percent at which the end is searched; `None`: exactly.
    pub selectivity: Option<u8>,
    /// The limit of CPU time per position.
    pub limit: Option<Duration>,
}

/// A problem and the result of its search.
pub struct SolvedProblem {
    /// The problem.
    pub problem: RecordEntry,
    /// The answer of the search, with the moves asked for.
    pub answer: Answer,
    /// Wall time.
    pub seconds: Duration,
    /// User and system time of its threads.
    pub cpu: Duration,
    /// Nodes visited, also if the search was stopped.
    pub nodes: u64,
    /// Why the problem was not solved, if it was not.
    pub unsolved: Option<Unsolved>,
}

/// Why a problem was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// It exceeded the limit of CPU time.
    TimedOut,
    /// The run was interrupted.
    Interrupted,
}

impl SolvedProblem {
    /// The score of a move, if it was searched.
    pub fn score_of(&self, m: Move) -> Option<Score> {
        self.answer.best.iter().find(|root| root.m == m).map(|root| root.score)
    }
}

/// Solves one problem after the other with the same table.
pub struct ProblemSolver {
    /// The instruction set of the search.
    pub kernel: IsaChoice,
    /// The settings of the search, with the selectivity level asked for.
    pub settings: Settings,
    /// The table, emptied before each problem.
    pub table: Table,
    /// What is asked.
    pub question: SolveQuestion,
}

impl ProblemSolver {
    /// Solves a problem, or finds on which side of a null window its value lies. Each search takes a new control; they
    /// end when the run is over. Finished iterations and bounds go to `report`.
    pub fn solve(
        &mut self,
        problem: RecordEntry,
        window: Option<Window>,
        controls: &mut dyn Iterator<Item = Arc<SearchControl>>,
        report: &mut dyn FnMut(&Progress),
    ) -> Option<SolvedProblem> {
        let SolveQuestion { wld, moves: scored, selectivity, limit } = self.question;
        let (begun, started) = (thread_time(), Instant::now());
        self.table.clear(); // counts towards the position's time, as do the page faults of the table
        let position = problem.game.position();
        let moves = problem.game.moves();
        let mut limits = Limits {
            multi_pv: if scored == ScoredMoves::All { moves.len().max(1) } else { 1 },
            win_loss_draw: wld,
            window,
            depth: selectivity.map(|_| position.plies_left()),
            proven: selectivity.is_none(),
            started,
            ..Limits::default()
        };
        let (mut nodes, mut helpers, mut interrupted) = (0, Duration::ZERO, false);
        let mut search = |limits: &Limits| -> Option<Answer> {
            let control = controls.next()?;
            let spent = thread_time() - begun + helpers;
            let limits = Limits { cpu_time: limit.map(|limit| limit.saturating_sub(spent)), ..limits.clone() };
            let mut observer = Observer { control: control.clone(), report: &mut *report };
            let mut answer =
                dispatch::think(position, &self.settings, self.kernel, &self.table, &limits, &mut observer);
            nodes += if answer.stopped { control.nodes() } else { answer.counters.nodes };
            helpers += control.helper_time();
            interrupted |= control.stopped();
            // A search that ends early because its result is proven has solved the problem.
            let proven = answer.certainty == Certainty::Exact || (wld && answer.certainty == Certainty::WinLossDraw);
            answer.stopped &= !proven;
            Some(answer)
        };
        let mut answer = search(&limits)?;
        // The other best moves: each null-window search of the remaining moves finds one, or shows that there is none.
        while scored == ScoredMoves::Best && !answer.stopped {
            let Some(score) = answer.score() else { break };
            limits.moves = moves.iter().copied().filter(|m| answer.best.iter().all(|root| root.m != *m)).collect();
            if limits.moves.is_empty() {
                break;
            }
            limits.window = Some(Window::null(score, position.grain()));
            let found = search(&limits)?;
            answer.stopped = found.stopped;
            match found.best.into_iter().next() {
                Some(root) if root.score >= score => answer.best.push(RootMove { score, ..root }),
                _ => break,
            }
        }
        let unsolved = answer.stopped.then_some(if interrupted { Unsolved::Interrupted } else { Unsolved::TimedOut });
        let cpu = thread_time() - begun + helpers;
        Some(SolvedProblem { problem, answer, seconds: started.elapsed(), cpu, nodes, unsolved })
    }
}
