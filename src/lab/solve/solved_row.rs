//! The result of a position as a row of text or JSON, and the totals of a run.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::problem_file::ProblemLine;
use super::problem_solver::{ScoredMoves, SolveQuestion, SolvedProblem};
use crate::game::score::Score;
use crate::games::reversi::obf;
use crate::search::Certainty;

/// The output format of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFormat {
    /// Columns, with a heading.
    Text,
    /// JSON lines.
    Json,
    /// OBF; unsolved positions have no scores, and the totals are a comment.
    Obf,
}

/// The bound type of a score that is not exact.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ScoreBound {
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// The result of a position. Scores are for the side to move: discs in Reversi, else 1, 0 or -1.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct SolvedRow {
    /// The line number; 0 for `--position`.
    pub n: usize,
    /// Empties, in Reversi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empties: Option<u8>,
    /// Stones on the board, in other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stones: Option<u8>,
    /// The value; `null` if the position is unsolved.
    pub score: Option<i32>,
    /// The bound type of the score; only in a shard that searches a null window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<ScoreBound>,
    /// A best move; `null` in a finished game or if the position is unsolved.
    pub best: Option<String>,
    /// Plies to the end under best play; with `--distance` unless drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u8>,
    /// Nodes visited.
    pub nodes: u64,
    /// Wall time.
    pub seconds: f64,
    /// CPU time in seconds.
    pub cpu: f64,
    /// The principal variation.
    pub pv: String,
    /// 100: exact; 0: unsolved; else the selectivity level.
    pub selectivity: u8,
    /// The score in the file.
    pub expected: Option<i32>,
    /// Whether all scores in the file are correct; `null` if the file has none.
    pub ok: Option<bool>,
    /// The CPU time limit in seconds, if exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Whether the score is win, draw or loss only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wld: bool,
    /// Moves with their scores, best first: all with `--all-moves`, the best ones with `--best-moves`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<(String, i32)>,
}

impl SolvedRow {
    /// The row of a problem that was solved or exceeded the limit.
    pub fn new(task: &ProblemLine, solution: &SolvedProblem, question: SolveQuestion) -> SolvedRow {
        let SolveQuestion { wld, moves: scored, limit, .. } = question;
        let game = &solution.problem.game;
        let unit = |score: Score| match (wld, game.discs()) {
            (false, Some(_)) => score.0 / 100,
            _ => score.0.signum(),
        };
        let answer = &solution.answer;
        let solved = solution.unsolved.is_none();
        let score = answer.score().or(game.final_score()).unwrap_or_default();
        let over = game.final_score().is_some();
        let bound = task.window.filter(|_| solved && !over).map(|window| match score >= window.beta {
            true => ScoreBound::Lower,
            false => ScoreBound::Upper,
        });
        let expected = solution.problem.value.map(unit);
        // Compare the given scores of moves with those of a search of all moves.
        let moves_ok = solution.problem.moves.iter().all(|&(m, given)| {
            let found = solution.score_of(m).filter(|_| answer.best.len() == game.moves().len());
            found.is_none_or(|found| unit(found) == unit(given))
        });
        let discs = game.discs().is_some();
        let stones = u8::try_from(game.stones()).unwrap_or_default();
        let plies =
            (solved && score.is_decided() && !discs && !wld).then(|| (Score::DECIDED - score.0.abs()).0 as u8 - stones);
        let plies_ok = wld || plies.is_none_or(|found| solution.problem.plies.is_none_or(|given| given == found));
        let words = |line: &[crate::game::Move]| -> Vec<String> { line.iter().map(|&m| game.write_move(m)).collect() };
        let listed = if solved && scored != ScoredMoves::One { answer.best.as_slice() } else { &[] };
        SolvedRow {
            n: task.number,
            empties: discs.then(|| game.plies_left()),
            stones: (!discs).then_some(stones),
            plies,
            score: solved.then(|| unit(score)),
            bound,
            best: answer.best_move().filter(|_| solved && bound != Some(ScoreBound::Upper)).map(|m| game.write_move(m)),
            nodes: solution.nodes,
            seconds: solution.seconds.as_secs_f64(),
            cpu: solution.cpu.as_secs_f64(),
            pv: answer.best.first().filter(|_| solved).map_or_else(String::new, |root| words(&root.pv).join(" ")),
            selectivity: match answer.certainty {
                _ if !solved => 0,
                Certainty::Heuristic => answer.selectivity,
                _ => 100,
            },
            limit: limit.filter(|_| !solved).map(|limit| limit.as_secs_f64()),
            expected,
            ok: expected
                .filter(|_| solved && bound.is_none())
                .map(|expected| expected == unit(score) && moves_ok && plies_ok),
            wld,
            moves: listed.iter().map(|root| (game.write_move(root.m), unit(root.score))).collect(),
        }
    }
}

/// The totals of a run.
#[derive(Default, Debug)]
pub struct SolveTotals {
    /// The selectivity level in percent; `None`: exact.
    selectivity: Option<u8>,
    /// Positions, solved or not.
    pub positions: usize,
    /// Positions whose score differs from the file.
    pub wrong: usize,
    /// Invalid lines.
    pub errors: usize,
    /// Positions unsolved within the limit.
    unsolved: usize,
    /// Positions whose search was interrupted; not counted in `positions`.
    interrupted: usize,
    nodes: u64,
    cpu: f64,
}

/// The totals as JSON.
#[derive(Serialize)]
struct JsonTotals {
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

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde requires
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn per_second(nodes: u64, seconds: f64) -> u64 {
    (nodes as f64 / seconds.max(1e-6)) as u64
}

impl SolveTotals {
    /// Empty totals; `selectivity` is the level in percent, `None` for exact scores.
    pub fn new(selectivity: Option<u8>) -> SolveTotals {
        SolveTotals { selectivity, ..SolveTotals::default() }
    }

    /// Prints a row and adds it to the totals.
    pub fn add(&mut self, task: &ProblemLine, row: &SolvedRow, format: RowFormat, out: &mut dyn Write) -> Result<()> {
        if self.positions == 0 && format == RowFormat::Text {
            let count = if row.stones.is_some() { " stones" } else { "empties" };
            writeln!(out, "  n {count} score best        nodes     CPU s  M nodes/CPU s  line")?;
        }
        self.positions += 1;
        self.wrong += usize::from(row.ok == Some(false));
        self.unsolved += usize::from(row.score.is_none());
        self.nodes += row.nodes;
        self.cpu += row.cpu;
        match format {
            RowFormat::Text => write_row(row, out)?,
            RowFormat::Json => writeln!(out, "{}", serde_json::to_string(row)?)?,
            RowFormat::Obf => writeln!(out, "{}", obf_line(task, row)?)?,
        }
        Ok(out.flush()?)
    }

    /// Counts a search that was interrupted.
    pub fn add_interrupted(&mut self, solution: &SolvedProblem) {
        self.interrupted += 1;
        self.nodes += solution.nodes;
        self.cpu += solution.cpu.as_secs_f64();
    }

    /// Prints the totals.
    pub fn write(&self, elapsed: Duration, format: RowFormat, out: &mut dyn Write) -> Result<()> {
        let seconds = elapsed.as_secs_f64();
        let SolveTotals { selectivity, positions, wrong, errors, unsolved, interrupted, nodes, cpu } = *self;
        let nps = per_second(nodes, cpu);
        if format == RowFormat::Json {
            let ok = wrong + errors == 0;
            let totals = JsonTotals { positions, wrong, errors, unsolved, nodes, seconds, cpu, nps, ok };
            writeln!(out, "{}", serde_json::to_string(&totals)?)?;
        } else {
            let some = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
            let (unsolved, interrupted) = (some(unsolved, "unsolved"), some(interrupted, "interrupted"));
            let level = selectivity.map_or(String::new(), |level| format!(" at selectivity {level} %"));
            let comment = if format == RowFormat::Obf { "% " } else { "" };
            writeln!(
                out,
                "{comment}total: {positions} positions{level}, {wrong} wrong{unsolved}, {errors} invalid\
                 {interrupted}; {nodes} nodes in {cpu:.3} CPU s, {:.1} M nodes/CPU s; wall time {seconds:.3} s",
                nps as f64 / 1e6
            )?;
        }
        Ok(())
    }
}

/// The problem in OBF with the scores of the row; the position alone if it is unsolved.
fn obf_line(task: &ProblemLine, row: &SolvedRow) -> Result<String> {
    let game = task.parse()?.game;
    let score = |discs: i32| Score(100 * discs);
    let moves: Result<Vec<_>> =
        row.moves.iter().map(|(word, discs)| Ok((game.parse_move(word)?, score(*discs)))).collect();
    let discs = game.discs().context("no discs")?;
    Ok(obf::write_line(&obf::Problem { discs, value: row.score.map(score), moves: moves? }))
}

fn write_row(row: &SolvedRow, out: &mut dyn Write) -> Result<()> {
    let plies = row.plies.map_or(String::new(), |plies| format!("  {plies} plies"));
    let verdict = match (row.ok, row.expected) {
        _ if row.score.is_none() => format!("unsolved after {} s", row.limit.unwrap_or_default()),
        (Some(false), Some(expected)) => format!("  WRONG: expected {expected:+}"),
        _ => String::new(),
    };
    writeln!(
        out,
        "{:3} {:7} {:>5} {:4} {:12} {:9.3} {:14.1}  {}{plies}{verdict}",
        row.n,
        row.empties.or(row.stones).unwrap_or_default(),
        row.score.map_or("?".into(), |score| format!("{score:+}")),
        row.best.as_deref().unwrap_or("-"),
        row.nodes,
        row.cpu,
        per_second(row.nodes, row.cpu) as f64 / 1e6,
        row.pv,
    )?;
    if !row.moves.is_empty() {
        let moves: Vec<String> = row.moves.iter().map(|(m, score)| format!("{m} {score:+}")).collect();
        writeln!(out, "            {}", moves.join("  "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::problem_file;
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn time_and_speed_are_of_one_clock() {
        // Four threads of a loaded machine: 3 s of wall time, 2 s of CPU time.
        let row = r#"{"n":7,"empties":20,"score":-4,"best":"a1","nodes":50000000,"seconds":3.0,"cpu":2.0,
            "pv":"a1 b1","selectivity":100,"expected":null,"ok":null}"#;
        let row: SolvedRow = serde_json::from_str(row).unwrap();
        let (mut totals, mut text) = (SolveTotals::default(), Vec::new());
        let game = by_name("othello").unwrap();
        let task = &problem_file::of_board(game)[0];
        totals.add(task, &row, RowFormat::Text, &mut text).unwrap();
        totals.write(Duration::from_secs(3), RowFormat::Text, &mut text).unwrap();
        let expected = "  n empties score best        nodes     CPU s  M nodes/CPU s  line\n  \
                        7      20    -4 a1       50000000     2.000           25.0  a1 b1\n\
                        total: 1 positions, 0 wrong, 0 invalid; 50000000 nodes in 2.000 CPU s, 25.0 M nodes/CPU s; \
                        wall time 3.000 s\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
