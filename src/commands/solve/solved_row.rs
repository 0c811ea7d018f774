//! The result of a position as a row of text or JSON, the journal of a resumable run (`--resume`),
//! which has a row for each finished position, and the totals of a run.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::problem_file::ProblemEntry;
use crate::commands::claims::Claim;
use crate::commands::{is_default, write_json_line};
use crate::game::counted;
use crate::game::score::Score;
use crate::games::reversi::obf;
use crate::storage::json_lines::{self, JsonLines};

// The output format of rows: by default columns with a heading.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub struct RowFormat {
    /// Print JSON lines; the last line has the totals
    #[arg(long)]
    pub json: bool,

    /// Print the positions with their scores in OBF (Reversi)
    #[arg(long, conflicts_with_all = ["json", "wld"])]
    pub obf: bool,
}

/// What a score states about the value. It may be exact all the same.
#[derive(PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ScoreBound {
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// The result of a claim.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Holds,
    Fails,
    /// The search reached its limit.
    Unknown,
}

impl Verdict {
    /// Its word in text and JSON.
    const fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown => "unknown",
        }
    }
}

/// The result of a position. Scores are for the side to move: discs in Reversi, else 1, 0 or -1.
#[derive(Default, Serialize, Deserialize, Debug)]
pub struct SolvedRow {
    /// The line number; 0 for `--position`.
    pub n: usize,
    /// Empties, in Reversi.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empties: Option<u8>,
    /// Stones on the board, in other games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stones: Option<u8>,
    /// The value; `null` if the position is unsolved.
    pub score: Option<i32>,
    /// The bound of the score that decides the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<ScoreBound>,
    /// The claim, such as `>= 2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// A best move; `null` in a finished game or if the position is unsolved.
    pub best: Option<String>,
    /// Plies to the end under best play; with `--distance` unless drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Whether all that the file states is correct; `null` if it states no score.
    pub ok: Option<bool>,
    /// What the file states wrongly: the score, the score of a move, or the plies to the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<String>,
    /// The CPU time limit in seconds, if exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Whether the score is win, draw or loss only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wld: bool,
    /// Moves with their scores, best first: all with `--all-moves`, the best ones with
    /// `--best-moves`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<(String, i32)>,
    /// Whether the search was interrupted; such rows are only counted.
    #[serde(skip)]
    pub interrupted: bool,
}

/// A line of a journal.
#[derive(Serialize, Deserialize)]
struct JournalLine {
    /// The key of the problem.
    task: String,
    row: SolvedRow,
}

/// The last row of each problem by number and key; a problem may have rows of earlier runs with a
/// smaller limit.
type JournalRows = HashMap<(usize, String), SolvedRow>;

/// Takes the lines of a journal.
fn collect(rows: &mut JournalRows) -> impl FnMut(JournalLine) -> Result<(), String> {
    |JournalLine { task, row }| {
        rows.insert((row.n, task), row);
        Ok(())
    }
}

/// An open journal.
pub struct Journal {
    lines: JsonLines<JournalLine>,
    rows: JournalRows,
}

impl Journal {
    /// Reads the rows of a journal that another process may be writing.
    ///
    /// # Errors
    /// If it cannot be read or is corrupt.
    pub fn read(path: &Path) -> Result<Vec<SolvedRow>> {
        let mut rows = JournalRows::new();
        json_lines::read(path, collect(&mut rows))?;
        Ok(rows.into_values().collect())
    }

    /// Opens or creates a journal.
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(path: &Path) -> Result<Journal> {
        let mut rows = JournalRows::new();
        let lines = JsonLines::open(path, collect(&mut rows))?;
        Ok(Journal { lines, rows })
    }

    /// The row of a problem, by number and key, that was solved, or stopped by at least the current
    /// time limit.
    pub fn find(&self, key: (usize, String), limit: Option<Duration>) -> Option<&SolvedRow> {
        let row = self.rows.get(&key)?;
        let had_enough = |seconds| limit.is_some_and(|limit| seconds >= limit.as_secs_f64());
        (row.score.is_some() || row.limit.is_some_and(had_enough)).then_some(row)
    }

    /// Adds a finished position.
    pub fn add(&mut self, task: String, row: SolvedRow) -> Result<()> {
        self.lines.append(&JournalLine { task, row })
    }
}

/// The totals of a run; also their form in JSON.
#[derive(Serialize, Default, Debug)]
pub struct SolveTotals {
    #[serde(skip)]
    pub format: RowFormat,
    /// The selectivity level in percent; `None`: exact.
    #[serde(skip)]
    pub selectivity: Option<u8>,
    /// Positions, solved or not; a position with several claims has a row for each.
    pub positions: usize,
    /// Their numbers and texts.
    #[serde(skip)]
    seen: HashSet<(usize, String)>,
    /// Positions whose score differs from the file.
    pub wrong: usize,
    /// Invalid lines.
    pub errors: usize,
    /// Positions unsolved within the limit.
    #[serde(skip_serializing_if = "is_default")]
    unsolved: usize,
    /// Claims by their results; absent without claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<ClaimCounts>,
    /// Positions whose search was interrupted; not counted in `positions`.
    #[serde(skip_serializing_if = "is_default")]
    interrupted: usize,
    nodes: u64,
    /// Wall time.
    seconds: f64,
    cpu: f64,
    /// Nodes per CPU second.
    nps: u64,
    /// Whether no position is wrong, no line invalid, every claim holds, and nothing interrupted the
    /// run.
    pub ok: bool,
}

/// Numbers of claims.
#[derive(Serialize, Clone, Copy, Default, Debug)]
struct ClaimCounts {
    holds: usize,
    fails: usize,
    unknown: usize,
}

fn per_second(nodes: u64, seconds: f64) -> u64 {
    (nodes as f64 / seconds.max(1e-6)) as u64
}

impl SolveTotals {
    /// Prints a row, unless its search was interrupted, and adds it to the totals.
    pub fn add(
        &mut self,
        problem: &ProblemEntry,
        row: &SolvedRow,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.nodes += row.nodes;
        self.cpu += row.cpu;
        if row.interrupted {
            self.interrupted += 1;
            return Ok(());
        }
        let RowFormat { json, obf } = self.format;
        if self.positions == 0 && !json && !obf {
            let count = if row.stones.is_some() {
                " stones"
            } else {
                "empties"
            };
            writeln!(
                out,
                "  n {count} score best        nodes     CPU s  M nodes/CPU s  line"
            )?;
        }
        let position = (problem.number, problem.text.clone());
        self.positions += usize::from(self.seen.insert(position));
        self.wrong += usize::from(row.ok == Some(false));
        self.unsolved += usize::from(row.score.is_none());
        if let Some(verdict) = row.verdict {
            let counts = self.claims.get_or_insert_default();
            match verdict {
                Verdict::Holds => counts.holds += 1,
                Verdict::Fails => counts.fails += 1,
                Verdict::Unknown => counts.unknown += 1,
            }
        }
        if json {
            write_json_line(row, out)?;
        } else if obf {
            writeln!(out, "{}", obf_line(problem, row)?)?; // without scores if unsolved
        } else {
            write_row(row, out)?;
        }
        Ok(out.flush()?)
    }

    /// Completes and prints the totals of a run, which may have been interrupted.
    pub fn write(
        &mut self,
        elapsed: Duration,
        interrupted: bool,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.seconds = elapsed.as_secs_f64();
        self.nps = per_second(self.nodes, self.cpu);
        let open = self
            .claims
            .map_or(0, |counts| counts.fails + counts.unknown);
        self.ok = self.wrong + self.errors + open == 0 && !interrupted;
        if self.format.json {
            return Ok(write_json_line(self, out)?);
        }
        let SolveTotals {
            positions,
            wrong,
            errors,
            nodes,
            seconds,
            cpu,
            nps,
            ..
        } = *self;
        let comment = if self.format.obf { "% " } else { "" };
        let positions = counted(positions, "position", "positions");
        write!(out, "{comment}total: {positions}")?;
        if let Some(level) = self.selectivity {
            write!(out, " at selectivity {level} %")?;
        }
        if let Some(ClaimCounts {
            holds,
            fails,
            unknown,
        }) = self.claims
        {
            let holds = counted(holds, "claim holds", "claims hold");
            write!(out, ", {holds}, {fails} fail, {unknown} unknown")?;
        }
        write!(out, ", {wrong} wrong")?;
        if self.unsolved > 0 {
            write!(out, ", {} unsolved", self.unsolved)?;
        }
        write!(out, ", {errors} invalid")?;
        if self.interrupted > 0 {
            write!(out, ", {} interrupted", self.interrupted)?;
        }
        writeln!(
            out,
            "; {nodes} nodes in {cpu:.3} CPU s, {:.1} M nodes/CPU s; wall time {seconds:.3} s",
            nps as f64 / 1e6
        )?;
        Ok(())
    }
}

/// The problem in OBF with the scores of the row; the position alone if it is unsolved.
fn obf_line(problem: &ProblemEntry, row: &SolvedRow) -> Result<String> {
    let game = &problem.entry.game;
    let score = |discs: i32| Score(100 * discs);
    let moves: Result<Vec<_>> = row
        .moves
        .iter()
        .map(|(word, discs)| Ok((game.parse_move(word)?, score(*discs))))
        .collect();
    let discs = game.discs().context("no discs")?;
    Ok(obf::write_line(&obf::Problem {
        discs,
        value: row.score.map(score),
        moves: moves?,
    }))
}

fn write_row(row: &SolvedRow, out: &mut dyn Write) -> Result<()> {
    let plies = row.plies.map(|plies| counted(plies, "ply", "plies"));
    let claim = row.claim.zip(row.verdict);
    let claim = claim.map(|(claim, verdict)| format!("{claim} {}", verdict.word()));
    let verdict = match row.ok {
        _ if row.score.is_none() => Some(format!(
            "unsolved after {} s",
            row.limit.unwrap_or_default()
        )),
        Some(false) => Some(format!("WRONG: expected {}", row.wrong.join(", "))),
        _ => None,
    };
    let pv = Some(row.pv.clone()).filter(|pv| !pv.is_empty());
    let notes: Vec<String> = [pv, plies, claim, verdict].into_iter().flatten().collect();
    writeln!(
        out,
        "{:3} {:7} {:>5} {:4} {:12} {:9.3} {:14.1}  {}",
        row.n,
        row.empties.or(row.stones).unwrap_or_default(),
        row.score.map_or("?".into(), |score| format!("{score:+}")),
        row.best.as_deref().unwrap_or("-"),
        row.nodes,
        row.cpu,
        per_second(row.nodes, row.cpu) as f64 / 1e6,
        notes.join("  "),
    )?;
    if !row.moves.is_empty() {
        let moves: Vec<String> = row
            .moves
            .iter()
            .map(|(m, score)| format!("{m} {score:+}"))
            .collect();
        writeln!(out, "            {}", moves.join("  "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
        totals
            .add(&ProblemEntry::of(game), &row, &mut text)
            .unwrap();
        totals
            .write(Duration::from_secs(3), false, &mut text)
            .unwrap();
        let expected = "  n empties score best        nodes     CPU s  M nodes/CPU s  line\n  \
                        7      20    -4 a1       50000000     2.000           25.0  a1 b1\n\
                        total: 1 position, 0 wrong, 0 invalid; 50000000 nodes in 2.000 CPU s, 25.0 M nodes/CPU s; \
                        wall time 3.000 s\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
