//! Solves one problem: its score, and on request the scores of its moves.

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

/// The moves to score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoredMoves {
    /// One best move.
    One,
    /// Every best move.
    Best,
    /// Every legal move.
    All,
}

/// The parameters of each solution.
#[derive(Clone, Copy, Debug)]
pub struct SolveQuestion {
    /// Win, loss or draw only.
    pub wld: bool,
    /// The moves to score.
    pub moves: ScoredMoves,
    /// The selectivity level in percent; `None`: exact.
    pub selectivity: Option<u8>,
    /// The limit of CPU time per position.
    pub limit: Option<Duration>,
}

/// A problem and the result of its search.
pub struct SolvedProblem {
    /// The problem.
    pub problem: RecordEntry,
    /// The search result, with the requested moves.
    pub answer: Answer,
    /// Wall time.
    pub seconds: Duration,
    /// The user and system time of its threads.
    pub cpu: Duration,
    /// Nodes visited, including those of a stopped search.
    pub nodes: u64,
    /// The reason why the problem is unsolved; `None` if it is solved.
    pub unsolved: Option<Unsolved>,
}

/// The reason why a problem is unsolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// It exceeded the CPU time limit.
    TimedOut,
    /// The run was interrupted.
    Interrupted,
}

impl SolvedProblem {
    /// The score of a move; `None` if it was not searched.
    pub fn score_of(&self, m: Move) -> Option<Score> {
        self.answer.best.iter().find(|root| root.m == m).map(|root| root.score)
    }
}

/// Solves problems one by one with the same table.
pub struct ProblemSolver {
    /// The instruction set of the search.
    pub kernel: IsaChoice,
    /// The search settings, including the selectivity level.
    pub settings: Settings,
    /// The table; cleared before each problem.
    pub table: Table,
    pub question: SolveQuestion,
}

impl ProblemSolver {
    /// Solves a problem, or searches its null window. `controls` yields a control for each search until the run is
    /// over. Calls `report` with finished iterations and bounds.
    pub fn solve(
        &mut self,
        problem: RecordEntry,
        window: Option<Window>,
        controls: &mut dyn Iterator<Item = Arc<SearchControl>>,
        report: &mut dyn FnMut(&Progress),
    ) -> Option<SolvedProblem> {
        let SolveQuestion { wld, moves: scored, selectivity, limit } = self.question;
        let (begun, started) = (thread_time(), Instant::now());
        self.table.clear(); // part of the position's time, as are the page faults of the table
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
            // A search that ends early with a proven result has solved the problem.
            let proven = answer.certainty == Certainty::Exact || (wld && answer.certainty == Certainty::WinLossDraw);
            answer.stopped &= !proven;
            Some(answer)
        };
        let mut answer = search(&limits)?;
        // Find the other best moves: each null-window search of the remaining moves finds one or proves that none is
        // left.
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
