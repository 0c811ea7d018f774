//! A solved position as a row: for eyes, as JSON, and the total of them.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::input::Task;
use super::work::Solution;
use crate::game::Notation;
use crate::game::score::Score;
use crate::games::any::Visitor;
use crate::search::Certainty;

/// A solved position. Scores are discs in games of discs, else 1, 0 or -1, for the side to move.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Row {
    /// The number of the line; 0 for a game's start.
    pub n: usize,
    /// Empty squares, in games of discs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empties: Option<u8>,
    /// Stones on the board, in other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stones: Option<u8>,
    /// The value; `null` where the position was not solved within the limit.
    pub score: Option<i32>,
    /// A best move; `null` in a finished game, and where the position was not solved.
    pub best: Option<String>,
    /// Plies to the end under best play, where they were asked for and somebody wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u8>,
    /// Nodes visited.
    pub nodes: u64,
    /// Wall time.
    pub seconds: f64,
    /// Processor time.
    pub cpu: f64,
    /// The line of best play.
    pub pv: String,
    /// 100: exact.
    pub selectivity: u8,
    /// The score that the file gives.
    pub expected: Option<i32>,
    /// Whether every score that the file gives was found; `null` if it gives none.
    pub ok: Option<bool>,
    /// The seconds of processor time that the position was given, where that was not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Whether only who wins was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wld: bool,
    /// All moves with their scores, best first, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<(String, i32)>,
}

impl Row {
    /// The row of a task that was solved or took all of its time.
    pub fn new(task: &Task, solution: &Solution, wld: bool, limit: Option<Duration>) -> Row {
        let game = &solution.problem.game;
        let unit = |score: Score| match (wld, game.discs()) {
            (false, Some(_)) => score.0 / 100,
            _ => score.0.signum(),
        };
        let answer = &solution.answer;
        let solved = solution.given_up.is_none();
        let score = answer.score().or(game.final_score()).unwrap_or_default();
        let expected = solution.problem.value.map(unit);
        // Each move's score that the file gives and the search was asked for has to be the one found.
        let moves_ok = solution.problem.moves.iter().all(|&(m, given)| {
            let found = solution.score_of(m).filter(|_| answer.best.len() == game.moves().len());
            found.is_none_or(|found| unit(found) == unit(given))
        });
        let discs = game.discs().is_some();
        let stones = u8::try_from(game.position().visit(Stones)).unwrap_or_default();
        let plies =
            (solved && score.is_decided() && !discs && !wld).then(|| (Score::DECIDED - score.0.abs()).0 as u8 - stones);
        let plies_ok = wld || plies.is_none_or(|found| solution.problem.plies.is_none_or(|given| given == found));
        let words = |line: &[crate::game::Move]| -> Vec<String> { line.iter().map(|&m| game.write_move(m)).collect() };
        let shown = if solved && answer.best.len() > 1 { answer.best.as_slice() } else { &[] };
        Row {
            n: task.number,
            empties: discs.then(|| game.plies_left()),
            stones: (!discs).then_some(stones),
            plies,
            score: solved.then(|| unit(score)),
            best: answer.best_move().filter(|_| solved).map(|m| game.write_move(m)),
            nodes: solution.nodes,
            seconds: solution.seconds.as_secs_f64(),
            cpu: solution.cpu.as_secs_f64(),
            pv: answer.best.first().filter(|_| solved).map_or_else(String::new, |root| words(&root.pv).join(" ")),
            selectivity: if !solved || answer.certainty == Certainty::Heuristic { 0 } else { 100 },
            limit: limit.filter(|_| !solved).map(|limit| limit.as_secs_f64()),
            expected,
            ok: expected.filter(|_| solved).map(|expected| expected == unit(score) && moves_ok && plies_ok),
            wld,
            moves: shown.iter().map(|root| (game.write_move(root.m), unit(root.score))).collect(),
        }
    }
}

/// Counts the stones of any game.
struct Stones;

impl Visitor for Stones {
    type Output = i32;

    fn visit<G: Notation>(self, position: &G) -> i32 {
        position.stones()
    }
}

/// What a run comes to.
#[derive(Default, Debug)]
pub struct Total {
    /// Positions solved.
    pub positions: usize,
    /// Positions whose score, or a move's, is not the file's.
    pub wrong: usize,
    /// Lines that are no problem.
    pub errors: usize,
    /// Positions that were not solved within the limit.
    unsolved: usize,
    nodes: u64,
    cpu: f64,
}

/// The total as JSON.
#[derive(Serialize)]
struct JsonTotal {
    positions: usize,
    wrong: usize,
    errors: usize,
    #[serde(skip_serializing_if = "is_zero")]
    unsolved: usize,
    nodes: u64,
    seconds: f64,
    cpu: f64,
    nps: u64,
    ok: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands it so
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn per_second(nodes: u64, seconds: f64) -> u64 {
    (nodes as f64 / seconds.max(1e-6)) as u64
}

impl Total {
    /// Prints a row and adds it up.
    pub fn show(&mut self, row: &Row, json: bool, bar: &ProgressBar, out: &mut dyn Write) -> Result<()> {
        if self.positions == 0 && !json {
            let left = if row.stones.is_some() { " stones" } else { "empties" };
            writeln!(out, "  n {left} score best        nodes   seconds  M nodes/s  line")?;
        }
        self.positions += 1;
        self.wrong += usize::from(row.ok == Some(false));
        self.unsolved += usize::from(row.score.is_none());
        self.nodes += row.nodes;
        self.cpu += row.cpu;
        bar.suspend(|| -> Result<()> {
            if json {
                writeln!(out, "{}", serde_json::to_string(row)?)?;
            } else {
                write_row(row, out)?;
            }
            Ok(out.flush()?)
        })?;
        bar.inc(1);
        Ok(())
    }

    /// Prints the total.
    pub fn finish(&self, elapsed: Duration, json: bool, out: &mut dyn Write) -> Result<()> {
        let seconds = elapsed.as_secs_f64();
        let Total { positions, wrong, errors, unsolved, nodes, cpu } = *self;
        let nps = per_second(nodes, cpu);
        if json {
            let ok = wrong + errors == 0;
            let total = JsonTotal { positions, wrong, errors, unsolved, nodes, seconds, cpu, nps, ok };
            writeln!(out, "{}", serde_json::to_string(&total)?)?;
        } else {
            let open = if unsolved > 0 { format!(", {unsolved} not solved") } else { String::new() };
            writeln!(
                out,
                "total: {positions} positions, {wrong} wrong{open}, {errors} unreadable; {nodes} nodes, {seconds:.3} s, \
                 {cpu:.3} s of processor, {:.1} M nodes/s",
                nps as f64 / 1e6
            )?;
        }
        Ok(())
    }
}

fn write_row(row: &Row, out: &mut dyn Write) -> Result<()> {
    let plies = row.plies.map_or(String::new(), |plies| format!("  {plies} plies"));
    let verdict = match (row.ok, row.expected) {
        _ if row.score.is_none() => format!("not solved within {} s", row.limit.unwrap_or_default()),
        (Some(false), Some(expected)) => format!("  WRONG: the file says {expected:+}"),
        _ => String::new(),
    };
    writeln!(
        out,
        "{:3} {:7} {:>5} {:4} {:12} {:9.3} {:10.1}  {}{plies}{verdict}",
        row.n,
        row.empties.or(row.stones).unwrap_or_default(),
        row.score.map_or("?".into(), |score| format!("{score:+}")),
        row.best.as_deref().unwrap_or("-"),
        row.nodes,
        row.seconds,
        per_second(row.nodes, row.cpu) as f64 / 1e6,
        row.pv,
    )?;
    if !row.moves.is_empty() {
        let moves: Vec<String> = row.moves.iter().map(|(m, score)| format!("{m} {score:+}")).collect();
        writeln!(out, "            {}", moves.join("  "))?;
    }
    Ok(())
}
