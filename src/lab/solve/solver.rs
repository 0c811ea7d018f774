//! Solves one problem: its score, and on request the scores of its moves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::problem_file::ProblemEntry;
use super::solved_row::{ScoreBound, SolvedRow, Verdict};
use crate::engine::options::Options;
use crate::game::Game;
use crate::game::score::{Score, Window};
use crate::games::dispatch;
use crate::lab::claims::step;
use crate::platform::cpu_time::thread_time;
use crate::search::levels::{LEVELS, SELECTIVE};
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Certainty, Goal, Limits, Observer, Progress, RootMove, Stops};

/// In hundredths.
const DISC: i32 = 100;

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
    /// exact (Reversi)
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, conflicts_with = "wld")]
    pub selectivity: Option<u8>,
}

/// Parses the percentage of a selectivity level below full width.
fn parse_selectivity(text: &str) -> Result<u8, String> {
    let levels = LEVELS[..SELECTIVE].iter().map(|level| level.percent);
    let found = levels.clone().find(|percent| text.parse() == Ok(*percent));
    found.ok_or_else(|| format!("expected one of {:?}", levels.collect::<Vec<_>>()))
}

/// Solves problems one by one with the same table.
pub struct ProblemSolver {
    /// The options, with the selectivity level.
    pub options: Options,
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
        let (
            SolveQuestion {
                wld,
                all_moves,
                best_moves,
                selectivity,
                ..
            },
            limit,
        ) = (self.question, self.limit);
        let (begun, started) = (thread_time(), Instant::now());
        self.table.clear(); // part of the position's time, as are the page faults of the table
        let (entry, game) = (&problem.entry, &problem.entry.game);
        let (position, moves) = (game.position(), game.moves());
        let has_discs = game.discs().is_some();
        // In games won by a line, a claim is about the result of a win/loss/draw search.
        let threshold = problem.claim.map(|claim| claim.threshold(step(&position)));
        let reaches = threshold
            .filter(|_| has_discs)
            .map(|discs| Score(DISC * discs));
        let bound = |score| Goal::Bound(Window::null(score, position.grain()));
        let goal = match reaches {
            Some(score) => bound(score),
            None if wld => Goal::WinLossDraw,
            None if selectivity.is_some() => Goal::BestMove,
            None => Goal::Exact,
        };
        let stops = Stops {
            depth: selectivity.map(|_| position.plies_left()),
            started,
            ..Stops::default()
        };
        let mut limits = Limits {
            multi_pv: if all_moves { moves.len().max(1) } else { 1 },
            ..Limits::new(goal, stops)
        };
        let (mut nodes, mut helpers, mut interrupted) = (0, Duration::ZERO, false);
        let mut search = |limits: &Limits| -> Option<Answer> {
            let control = controls.next()?;
            let spent = thread_time() - begun + helpers;
            let mut limits = limits.clone();
            limits.stops.cpu_time = limit.map(|limit| limit.saturating_sub(spent));
            let mut observer = Observer {
                control: control.clone(),
                report: Some(&mut *report),
                trace: None,
            };
            let settings = &self.options.settings;
            let answer = dispatch::think(position, settings, &self.table, &limits, &mut observer);
            nodes += if answer.stopped {
                control.nodes()
            } else {
                answer.counters.nodes
            };
            helpers += control.helper_time();
            interrupted |= control.stopped();
            Some(answer)
        };
        let mut answer = search(&limits)?;
        // Find the other best moves: each null-window search of the remaining moves finds one or
        // proves that none is left.
        while best_moves && !answer.stopped {
            let Some(score) = answer.score() else { break };
            limits.moves = moves
                .iter()
                .copied()
                .filter(|m| answer.best.iter().all(|root| root.m != *m))
                .collect();
            if limits.moves.is_empty() {
                break;
            }
            limits.goal = bound(score);
            let found = search(&limits)?;
            answer.stopped = found.stopped;
            match found.best.into_iter().next() {
                Some(root) if root.score >= score => answer.best.push(RootMove { score, ..root }),
                _ => break,
            }
        }
        let (seconds, cpu) = (
            started.elapsed().as_secs_f64(),
            (thread_time() - begun + helpers).as_secs_f64(),
        );

        // The row.
        let (solved, discs) = (!answer.stopped, has_discs);
        let unit = |score: Score| {
            if discs && !wld {
                score.0 / DISC
            } else {
                score.0.signum()
            }
        };
        let over = game.final_score();
        let score = answer.score().or(over).unwrap_or_default();
        let bound = threshold
            .filter(|_| solved)
            .map(|threshold| match unit(score) >= threshold {
                true => ScoreBound::Lower,
                false => ScoreBound::Upper,
            });
        let is_exact = reaches.is_none() || over.is_some();
        let verdict = problem.claim.map(|claim| match solved {
            true if claim.holds(unit(score)) => Verdict::Holds,
            true => Verdict::Fails,
            false => Verdict::Unknown,
        });
        let stones = u8::try_from(game.stones()).unwrap_or_default();
        let plies = (solved && score.is_decided() && !discs && !wld)
            .then(|| (Score::DECIDED - score.0.abs()).0 as u8 - stones);
        let expected = entry.value.map(unit);
        // Compares the given scores of moves with those of a search of all moves.
        let moves_ok = answer.best.len() < moves.len()
            || entry.moves.iter().all(|&(m, given)| {
                answer
                    .best
                    .iter()
                    .all(|root| root.m != m || unit(root.score) == unit(given))
            });
        let plies_ok =
            wld || plies.is_none_or(|found| entry.plies.is_none_or(|given| given == found));
        let pv = answer
            .best
            .first()
            .filter(|_| solved)
            .map_or(&[][..], |root| &root.pv);
        let listed = if solved && (all_moves || best_moves) {
            answer.best.as_slice()
        } else {
            &[]
        };
        Some(SolvedRow {
            n: problem.number,
            empties: discs.then(|| game.plies_left()),
            stones: (!discs).then_some(stones),
            plies,
            score: solved.then(|| unit(score)),
            bound,
            claim: problem.claim,
            verdict,
            best: answer
                .best_move()
                .filter(|_| solved && (is_exact || bound != Some(ScoreBound::Upper)))
                .map(|m| game.write_move(m)),
            nodes,
            seconds,
            cpu,
            pv: pv
                .iter()
                .map(|&m| game.write_move(m))
                .collect::<Vec<_>>()
                .join(" "),
            selectivity: match answer.certainty {
                _ if !solved => 0,
                Certainty::Heuristic => answer.selectivity,
                _ => 100,
            },
            limit: limit.filter(|_| !solved).map(|limit| limit.as_secs_f64()),
            expected,
            ok: expected
                .filter(|_| solved && is_exact)
                .map(|expected| expected == unit(score) && moves_ok && plies_ok),
            wld,
            moves: listed
                .iter()
                .map(|root| (game.write_move(root.m), unit(root.score)))
                .collect(),
            interrupted: !solved && interrupted,
        })
    }
}
