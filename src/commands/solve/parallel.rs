//! Solves problems in parallel ([`run_searches`]); results are reported in problem order. When no
//! problem is left, idle threads help with the running ones.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use crossbeam_channel::Receiver;

use super::problem_file::ProblemEntry;
use super::solved_row::SolvedRow;
use super::solver::{ProblemSolver, SolveQuestion};
use crate::commands::jobs::{SearchControls, run_searches};
use crate::commands::prove::claim_table::ClaimTable;
use crate::commands::prove::extraction::Extraction;
use crate::commands::prove::proof_file::ProofSubject;
use crate::engine::options::Options;
use crate::game::score::Bound;
use crate::games::any::AnyGame;
use crate::search::levels::level;
use crate::search::stop::SearchControl;
use crate::search::{Progress, Settings};

/// An event of a run.
pub enum SolveEvent {
    /// The search of a problem has ended.
    Done(Box<ProblemEntry>, Box<SolvedRow>),
    /// Periodic progress: the number of the first unfinished problem, and the text for the user,
    /// about its search and the nodes of all.
    Running { text: String, first: Option<usize> },
}

/// The file of the proof of a problem.
pub fn proof_file(folder: &Path, problem: &ProblemEntry) -> PathBuf {
    folder.join(format!("{}.proof", problem.number))
}

/// What the proof of a result is about; `None` if the problem is unsolved.
pub fn proof_subject(problem: &ProblemEntry, row: &SolvedRow) -> Option<ProofSubject> {
    let score = i8::try_from(row.score?).ok()?;
    let root = problem.entry.game.position();
    Some(ProofSubject::of_solved(root, score, row.wld))
}

/// Writes the proof of a result that the solver has just found, if there is one. Returns `false`, and
/// writes no file, if `control` stops it.
fn write_proof(
    folder: &Path,
    problem: &ProblemEntry,
    row: &SolvedRow,
    solver: &ProblemSolver,
    control: &SearchControl,
) -> Result<bool> {
    let Some(subject) = proof_subject(problem, row) else {
        return Ok(true);
    };
    let extraction = Extraction {
        subject,
        settings: &solver.settings,
        table: &solver.table,
        claims: &ClaimTable::default(),
    };
    let is_complete = extraction.run_alone(control)?;
    if is_complete {
        extraction.write(&proof_file(folder, problem), false)?;
    }
    Ok(is_complete)
}

/// Solves all problems, each within the limit of CPU time, with the threads and the hash size of
/// the options. Writes proofs to the folder `proofs`, if given. Calls `report` for each problem in
/// order, and periodically with the progress. Returns whether the run was interrupted, by
/// disconnecting `interrupt`.
pub fn solve(
    problems: Vec<ProblemEntry>,
    options: &Options,
    question: SolveQuestion,
    limit: Option<Duration>,
    proofs: Option<&Path>,
    interrupt: &Receiver<()>,
    mut report: impl FnMut(SolveEvent) -> Result<()>,
) -> Result<bool> {
    let threads = options.settings.threads;
    let controls = &SearchControls::new(threads);
    // The problem number of each thread's search, and its text for the user.
    let searches = Mutex::new(vec![None; threads]);
    let searches = || searches.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = |thread: usize, settings, table| {
        let mut solver = ProblemSolver {
            settings: Settings {
                deepening: false,
                selectivity: question.selectivity.and_then(level),
                ..settings
            },
            table,
            question,
            limit,
        };
        move |problem: ProblemEntry| {
            let show = |last: Option<&Progress>| {
                let text = search_text(problem.number, &problem.entry.game, last);
                searches()[thread] = Some((problem.number, text));
            };
            show(None);
            let mut controls = std::iter::from_fn(|| controls.next(thread));
            let row = solver.solve(&problem, &mut controls, &mut |last| show(Some(last)));
            let proven = match (&row, proofs) {
                (Some(row), Some(folder)) => controls.next().map_or(Ok(false), |control| {
                    write_proof(folder, &problem, row, &solver, &control)
                }),
                _ => Ok(true),
            };
            searches()[thread] = None;
            // `None`: the run is over
            proven.map(|is_done| {
                let mut row = row?;
                row.interrupted |= !is_done;
                Some(SolveEvent::Done(problem.into(), row.into()))
            })
        }
    };
    let running = || {
        let searches = searches();
        let first = searches.iter().flatten().min_by_key(|(number, _)| number);
        let search = first.map_or_else(String::new, |(_, text)| format!("{text}, "));
        let nodes = controls.all_nodes() as f64 / 1e6;
        SolveEvent::Running {
            text: format!("{search}{nodes:.1} M nodes"),
            first: first.map(|&(number, _)| number),
        }
    };
    run_searches(problems, options, controls, interrupt, worker, |result| {
        result
            .unwrap_or_else(|| Ok(Some(running())))?
            .map_or(Ok(()), &mut report)
    })
}

/// The line number (none for `--position`) of a problem, and the depth, selectivity level and score
/// of its last reported iteration or bound.
fn search_text(number: usize, game: &AnyGame, last: Option<&Progress>) -> String {
    let line = if number == 0 {
        String::new()
    } else {
        format!("line {number}: ")
    };
    let has_discs = game.discs().is_some();
    let Some(Progress {
        depth,
        selectivity,
        score,
        bound,
        ..
    }) = last
    else {
        return format!(
            "{line}{} {}",
            game.plies_left(),
            if has_discs { "empties" } else { "plies left" }
        );
    };
    let bound = match bound {
        Bound::Exact => "",
        Bound::Lower => "at least ",
        Bound::Upper => "at most ",
    };
    let score = if has_discs {
        format!("{:+.2}", f64::from(score.0) / 100.0)
    } else {
        format!("{:+}", score.0)
    };
    format!("{line}depth {depth}, selectivity {selectivity} %, score {bound}{score}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::score::Score;
    use crate::games::any::by_name;
    use crate::search::stats::Counters;

    #[test]
    fn a_search_is_shown_with_depth_level_and_score() {
        let game = by_name("othello").unwrap();
        assert_eq!(search_text(7, &game, None), "line 7: 60 empties");
        let last = Progress {
            certainty: Default::default(),
            depth: 30,
            seldepth: 30,
            selectivity: 87,
            multi_pv: 1,
            lines: 1,
            score: Score(-400),
            bound: Bound::Upper,
            counters: Counters::default(),
            elapsed: Duration::ZERO,
            hashfull: 0,
            pv: Vec::new(),
        };
        assert_eq!(
            search_text(0, &game, Some(&last)),
            "depth 30, selectivity 87 %, score at most -4.00"
        );
    }
}
