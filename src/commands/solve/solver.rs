//! Solves one problem: its score, and on request the scores of its moves. The answer becomes a row
//! in [`solution`](super::solution).

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::problem_file::ProblemEntry;
use super::solution::{Solution, threshold};
use super::solved_row::SolvedRow;
use crate::commands::claims::least_score;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::any::AnyPosition;
use crate::games::dispatch;
use crate::platform::cpu_time::thread_time;
use crate::search::levels::{LEVELS, SELECTIVE};
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Goal, Limits, Observer, Progress, RootMove, Settings, Stops};

// What to find out about each problem.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub struct SolveQuestion {
    /// Solve for win, draw or loss only: the score is 1, 0 or -1
    #[arg(long)]
    pub wld: bool,

    /// Also compute the plies to the end under best play (games won by a line)
    #[arg(long, conflicts_with = "wld")]
    pub distance: bool,

    /// Compute the score of every legal move and verify those in the file
    #[arg(long, conflicts_with = "wld")]
    pub all_moves: bool,

    /// Find all best moves (Reversi)
    #[arg(long, conflicts_with_all = ["all_moves", "wld"])]
    pub best_moves: bool,

    /// Search at this selectivity level (50, 73, 87, 95, 98 or 99): about PERCENT of the scores are
    /// exact (othello and othello6; Algorithm auto)
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, conflicts_with = "wld")]
    pub selectivity: Option<u8>,
}

/// Parses the percentage of a selectivity level below full width.
fn parse_selectivity(text: &str) -> Result<u8, String> {
    let levels = LEVELS[..SELECTIVE].iter().map(|level| level.percent);
    let found = levels.clone().find(|percent| text.parse() == Ok(*percent));
    found.ok_or_else(|| {
        let levels: Vec<String> = levels.map(|percent| percent.to_string()).collect();
        format!("expected one of {}", levels.join(", "))
    })
}

/// Solves problems one by one with the same table.
pub struct ProblemSolver {
    /// The settings, with the selectivity level.
    pub settings: Settings,
    /// The table; cleared before each problem.
    pub table: Table,
    pub question: SolveQuestion,
    /// The limit of CPU time per problem.
    pub limit: Option<Duration>,
}

impl ProblemSolver {
    /// Solves a problem, or searches its null window. `controls` yields a control for each search
    /// until the run is over. Calls `report` with finished iterations and bounds.
    pub fn solve(
        &mut self,
        problem: &ProblemEntry,
        controls: &mut dyn Iterator<Item = Arc<SearchControl>>,
        report: &mut dyn FnMut(&Progress),
    ) -> Option<SolvedRow> {
        let (begun, started) = (thread_time(), Instant::now());
        self.table.clear(); // part of the position's time, as are the page faults of the table
        let mut searches = Searches {
            solver: self,
            position: problem.entry.game.position(),
            begun,
            nodes: 0,
            helpers: Duration::ZERO,
            interrupted: false,
            controls,
            report,
        };
        let answer = searches.answer(problem, started)?;
        let (nodes, interrupted) = (searches.nodes, searches.interrupted);
        let cpu = searches.cpu().as_secs_f64();
        let is_solved = !answer.stopped;
        let solution = Solution {
            problem,
            wld: self.question.wld,
            lists_moves: self.question.all_moves || self.question.best_moves,
            answer,
        };
        let limit = self.limit.filter(|_| !is_solved);
        Some(SolvedRow {
            nodes,
            seconds: started.elapsed().as_secs_f64(),
            cpu,
            limit: limit.map(|limit| limit.as_secs_f64()),
            interrupted: interrupted && !is_solved,
            ..solution.row()
        })
    }
}

/// The searches of one problem.
struct Searches<'a> {
    solver: &'a ProblemSolver,
    position: AnyPosition,
    /// The CPU time of this thread at the start.
    begun: Duration,
    nodes: u64,
    /// The CPU time of helpers.
    helpers: Duration,
    interrupted: bool,
    controls: &'a mut dyn Iterator<Item = Arc<SearchControl>>,
    report: &'a mut dyn FnMut(&Progress),
}

impl Searches<'_> {
    /// The CPU time spent.
    fn cpu(&self) -> Duration {
        thread_time() - self.begun + self.helpers
    }

    /// Whether the score reaches this one.
    fn bound(&self, score: Score) -> Goal {
        Goal::Bound(Window::null(score, self.position.grain()))
    }

    fn answer(&mut self, problem: &ProblemEntry, started: Instant) -> Option<Answer> {
        let (question, game) = (self.solver.question, &problem.entry.game);
        // In games won by a line, a claim is about the result of a win/loss/draw search.
        let reaches = threshold(problem).filter(|_| game.discs().is_some());
        let goal = match reaches {
            Some(discs) => self.bound(least_score(&self.position, discs)),
            None if question.wld => Goal::WinLossDraw,
            None if question.selectivity.is_some() => Goal::BestMove,
            None => Goal::Exact,
        };
        let stops = Stops {
            depth: question.selectivity.map(|_| game.plies_left()),
            started,
            ..Stops::default()
        };
        let mut answer = self.search(Limits {
            multi_pv: if question.all_moves {
                game.moves().len().max(1)
            } else {
                1
            },
            ..Limits::new(goal, stops.clone())
        })?;
        if question.best_moves
            && let Some(score) = answer.score()
        {
            self.find_other_best_moves(score, &stops, &mut answer)?;
        }
        Some(answer)
    }

    /// Each null-window search of the remaining moves finds one or proves that none is left.
    fn find_other_best_moves(
        &mut self,
        score: Score,
        stops: &Stops,
        answer: &mut Answer,
    ) -> Option<()> {
        while !answer.stopped {
            let is_new = |m: &Move| answer.best.iter().all(|root| root.m != *m);
            let moves: Vec<Move> = self.position.moves().into_iter().filter(is_new).collect();
            if moves.is_empty() {
                break;
            }
            let found = self.search(Limits {
                moves,
                ..Limits::new(self.bound(score), stops.clone())
            })?;
            answer.stopped = found.stopped;
            match found.best.into_iter().next() {
                Some(root) if root.score >= score => answer.best.push(RootMove { score, ..root }),
                _ => break,
            }
        }
        Some(())
    }

    /// One search within the CPU time that is left; `None` if the run is over.
    fn search(&mut self, limits: Limits) -> Option<Answer> {
        let control = self.controls.next()?;
        let spent = self.cpu();
        let solver = self.solver;
        let stops = Stops {
            cpu_time: solver.limit.map(|limit| limit.saturating_sub(spent)),
            ..limits.stops
        };
        let limits = Limits { stops, ..limits };
        let mut observer = Observer {
            control: control.clone(),
            report: Some(&mut *self.report),
            trace: None,
        };
        let answer = dispatch::think(
            self.position,
            &solver.settings,
            &solver.table,
            &limits,
            &mut observer,
        );
        self.nodes += if answer.stopped {
            control.nodes()
        } else {
            answer.counters.nodes
        };
        self.helpers += control.helper_time();
        self.interrupted |= control.stopped();
        Some(answer)
    }
}
