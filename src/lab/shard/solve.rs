//! A shard of positions to solve: a line for each, with the fields of `solve --json`.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use crossbeam_channel::Receiver;
use serde::Serialize;
use serde_json::json;

use super::shard_file::{EntriesShard, ShardProblem, SolveShard};
use super::shard_lines::ShardLines;
use crate::engine::setup::Setup;
use crate::game::Game as _;
use crate::game::score::{Score, Window};
use crate::games::any::AnyGame;
use crate::games::record::{self, EntryText};
use crate::lab::solve::parallel::{self, SolveEvent, SolveJob};
use crate::lab::solve::problem_file::ProblemLine;
use crate::lab::solve::problem_solver::{ScoredMoves, SolveQuestion};
use crate::lab::solve::solved_row::SolvedRow;

/// A result line.
#[derive(Serialize)]
struct SolvedLine<'a> {
    /// The canonical image of the position; moves refer to the original position.
    position: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaches: Option<i32>,
    #[serde(flatten)]
    row: SolvedRow,
}

/// The score units of a disc.
const DISC: i32 = 100;

/// A shard's problem as an entry of a problem file.
pub fn problem_line(problem: &ShardProblem, board: &AnyGame) -> Result<ProblemLine> {
    ensure!(problem.n > 0, "problems are numbered from 1");
    let grain = board.position().grain();
    let window = problem.reaches.map(|discs| Window::null(Score(discs * DISC), grain));
    ensure!(window.is_none() || board.discs().is_some(), "\"reaches\" applies only to games scored by discs");
    Ok(ProblemLine { number: problem.n, text: problem.text.clone(), game: board.clone(), window })
}

/// The notation of the canonical image of a position.
pub fn canonical_text(board: &AnyGame) -> String {
    board.position().canonical().write_position()
}

/// The options as the suffix of a key.
pub fn options_text(setup: &Setup) -> String {
    setup.options.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// Adds a line for each entry of a problem file: the number of its first line, and its text.
pub fn entries(job: &EntriesShard, lines: &mut ShardLines) -> Result<bool> {
    let mut last = 0;
    for EntryText { line, text } in record::entries(&job.text) {
        ensure!(line > last, "two games start on line {line}");
        last = line;
        lines.add(&format!("entry {line} {text}"), &json!({"n": line, "text": text}))?;
    }
    ensure!(last > 0, "no position found");
    Ok(false)
}

/// Solves the problems that the file lacks. An invalid problem gets a line with an `error`. Returns whether it was
/// interrupted.
pub fn run(job: &SolveShard, setup: &Setup, interrupt: &Receiver<()>, lines: &mut ShardLines) -> Result<bool> {
    let board = setup.board(None)?;
    let wld = job.wld || board.discs().is_none();
    let (mut tasks, mut keys) = (Vec::new(), HashMap::new());
    for problem in &job.problems {
        let task = problem_line(problem, &board)?;
        let parsed = match task.parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                lines.add(
                    &format!("unreadable {}", problem.text),
                    &json!({"n": problem.n, "error": format!("{error:#}")}),
                )?;
                continue;
            }
        };
        let reaches = problem.reaches.map_or(String::new(), |discs| format!(" reaches={discs}"));
        let (game, position) = (board.name(), canonical_text(&parsed.game));
        let key = format!("solve {game} {position} wld={wld}{reaches}{}", options_text(setup));
        if !lines.has(&key, Some(problem.n as u64)) {
            tasks.push(task);
        }
        ensure!(
            keys.insert(problem.n, (key, position, problem.reaches)).is_none(),
            "two problems have the number {}",
            problem.n
        );
    }
    let options = setup.options()?;
    let (threads, hash) = (options.settings.threads, options.hash as usize);
    let interrupt = interrupt.clone();
    let question = SolveQuestion { wld, moves: ScoredMoves::One, selectivity: None, limit: None };
    let parameters = SolveJob { options, threads, hash, question, interrupt };
    parallel::solve(tasks, parameters, |event| match event {
        SolveEvent::Done(task, solution) => {
            let (key, position, reaches) = keys.get(&task.number).context("a problem without a key")?;
            let row = SolvedRow::new(&task, &solution, question);
            lines.add(key, &SolvedLine { position, reaches: *reaches, row })
        }
        SolveEvent::Unreadable(_, error) => Err(error), // reported above
        SolveEvent::Interrupted(_) | SolveEvent::Running(_) => Ok(()),
    })
}
