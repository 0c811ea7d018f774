//! Shards of positions: a line for each position to solve, with the fields of `solve --json`, or
//! for each position of a tree down to those to solve, with estimates of its score and its cost.

use std::collections::{HashMap, HashSet, VecDeque};

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ShardJob, ShardRun};
use crate::commands::claims::{Claim, check_bounds, points, step};
use crate::commands::solve::parallel::{self, SolveEvent};
use crate::commands::solve::problem_file::ProblemEntry;
use crate::commands::solve::solved_row::SolvedRow;
use crate::commands::solve::solver::SolveQuestion;
use crate::game::{Game as _, Move, Player};
use crate::games::any::AnyGame;
use crate::games::dispatch;
use crate::games::record::{self, RecordReader};
use crate::lab::estimate::claim_tree::{LowerBound, MoveChooser};
use crate::search::Limits;
use crate::search::table::Table;
use crate::storage::checksum;

/// The factor of the node limit for the score estimates of the given positions.
const ROOT_GUESS: u64 = 50;
/// The table of the estimates, in MiB: small because it is cleared before each search.
const GUESS_HASH: usize = 16;

/// A position of a shard.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct ShardProblem {
    /// Its number, returned with the result.
    n: usize,
    /// An entry of a problem file.
    text: String,
    /// Search only the null window below this score, in discs.
    reaches: Option<i8>,
}

/// Parses the problems. An invalid problem gets a line with an `error`.
fn parse_all(problems: &[ShardProblem], run: &mut ShardRun) -> Result<Vec<ProblemEntry>> {
    let start = run.setup.board(None)?;
    let mut parsed = Vec::new();
    for &ShardProblem {
        n: number,
        ref text,
        reaches,
    } in problems
    {
        ensure!(number > 0, "problems are numbered from 1");
        ensure!(
            reaches.is_none() || start.discs().is_some(),
            "\"reaches\" applies only to games scored by discs"
        );
        match record::parse(&start, text) {
            Ok(entry) => parsed.push(ProblemEntry {
                number,
                text: text.clone(),
                entry,
                claim: reaches.map(Claim::AtLeast),
            }),
            Err(error) => {
                run.lines.add(
                    &format!("unreadable {text}"),
                    &json!({"n": number, "error": format!("{error:#}")}),
                )?;
            }
        }
    }
    Ok(parsed)
}

/// The notation of the canonical image of a position.
fn canonical_text(board: &AnyGame) -> String {
    board.position().canonical().write_position()
}

/// A job that splits the text of a problem file into entries, so that the creator of shards need
/// not parse it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct EntriesShard {
    text: String,
}

impl ShardJob for EntriesShard {
    /// Adds a line for each entry: the number of its first line, and its text.
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let mut last = 0;
        let game = run.setup.board(None)?;
        for record in RecordReader::new(self.text.as_bytes(), "text", &game) {
            let record = record?;
            let (line, text) = (record.number(), record.text);
            ensure!(line > last, "two games start on line {line}");
            last = line;
            run.lines.add(
                &format!("entry {line} {text}"),
                &json!({"n": line, "text": text}),
            )?;
        }
        ensure!(last > 0, "no position found");
        Ok(false)
    }
}

/// A job of `solve`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SolveShard {
    /// The positions; their numbers differ.
    problems: Vec<ShardProblem>,
    /// Solve for win, draw or loss only.
    #[serde(default)]
    wld: bool,
}

/// A result line of [`SolveShard`].
#[derive(Serialize)]
struct SolvedLine<'a> {
    /// The text of the problem.
    text: &'a str,
    /// The canonical image of the position; moves refer to the original position.
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaches: Option<i8>,
    #[serde(flatten)]
    row: SolvedRow,
}

impl ShardJob for SolveShard {
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let options = run.setup.options()?;
        let wld = self.wld || run.setup.board(None)?.discs().is_none();
        let mut missing = parse_all(&self.problems, run)?;
        let mut keys = HashMap::new();
        for problem in &missing {
            let reaches = problem
                .claim
                .map_or(String::new(), |claim| format!(" reaches={}", claim.bound()));
            let (number, game) = (problem.number, &problem.entry.game);
            let (name, position, suffix) = (game.name(), canonical_text(game), &run.suffix);
            // The text states the scores to check, and the position whose moves the line has.
            let text = problem.text.trim();
            let key = format!("solve {name} {position} {text} wld={wld}{reaches}{suffix}");
            ensure!(
                keys.insert(number, key).is_none(),
                "two problems have the number {number}"
            );
        }
        let is_known = |number| run.lines.has(&keys[&number], Some(number as u64));
        missing.retain(|problem| !is_known(problem.number));
        let question = SolveQuestion {
            wld,
            ..SolveQuestion::default()
        };
        parallel::solve(
            missing,
            &options,
            question,
            None,
            None,
            &run.interrupt,
            |event| match event {
                SolveEvent::Done(problem, mut row) if !row.interrupted => {
                    (row.claim, row.verdict) = (None, None); // `score` and `bound` have the result
                    run.lines.add(
                        &keys[&problem.number],
                        &SolvedLine {
                            text: problem.text.trim(),
                            position: canonical_text(&problem.entry.game),
                            reaches: problem.claim.map(Claim::bound),
                            row: *row,
                        },
                    )
                }
                _ => Ok(()),
            },
        )
    }
}

/// A job that expands positions to a number of plies, or until they are small enough, but the given
/// ones in any case if the number is not 0. Positions below the
/// given ones are canonical images, so that each is in the tree once.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ExpandShard {
    /// The positions.
    problems: Vec<ShardProblem>,
    /// Expand no deeper than this.
    #[serde(default)]
    plies: u8,
    /// Do not expand a position whose estimated solution takes this many nodes or fewer.
    #[serde(default)]
    nodes: f64,
    /// The node limit of the search that estimates the score of each position; 0: no estimate.
    #[serde(default)]
    guess: u64,
    /// Expand only a proof tree of this claim about the given positions: of the moves of the side
    /// for which it is a lower bound, the refuted ones and the best of the others.
    claim: Option<Claim>,
    /// Canonical positions after refuted moves.
    #[serde(default)]
    refuted: HashSet<String>,
}

/// A position of the tree.
#[derive(Serialize)]
struct TreeLine {
    /// The number of a given position.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<usize>,
    /// The canonical image of the position; the moves of a given position are its own.
    position: String,
    /// Plies left.
    left: u8,
    /// The difference between two neighboring scores.
    step: i32,
    /// Whether the score is 1, 0 or -1.
    wld: bool,
    /// The score, if the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    /// The estimated score, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<i32>,
    /// The estimated nodes to solve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<f64>,
    /// Whether it has other moves than those listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// If expanded: the moves and their successor positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<(String, String)>,
}

impl ExpandShard {
    /// A hash of the refuted positions, which determine the proof tree.
    fn refuted_hash(&self) -> String {
        let mut sorted: Vec<&str> = self.refuted.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        checksum::of_text(&sorted.join("\n"))[..16].into()
    }

    /// The player for whom the claim is to be proven.
    fn claimant(&self, problems: &[ProblemEntry]) -> Result<Option<Player>> {
        let Some(claim) = self.claim else {
            return Ok(None);
        };
        let [problem] = problems else {
            bail!("a claim applies to one problem");
        };
        check_bounds(&problem.entry.game, [claim.bound()])?;
        let bound = LowerBound::of(problem.entry.game.position(), claim);
        Ok(Some(bound.claimant))
    }

    /// The moves of a position with the canonical positions after them: for the claimant, the refuted
    /// ones and the best of the others.
    fn children(
        &self,
        board: &AnyGame,
        claimant: Option<Player>,
        chooser: &mut MoveChooser,
    ) -> Vec<(Move, String, AnyGame)> {
        let position = board.position();
        let child = |m: Move| {
            let child = AnyGame::from(position.play(m).canonical());
            (m, child.write_position(), child)
        };
        let mut children: Vec<_> = board.moves().iter().copied().map(child).collect();
        if claimant == Some(board.to_move()) {
            let is_refuted = |text: &String| self.refuted.contains(text);
            let left = children.iter().filter(|(_, text, _)| !is_refuted(text));
            let left: Vec<Move> = left.map(|&(m, ..)| m).collect();
            let chosen = match left.as_slice() {
                [] | [_] => left.first().copied(),
                left => Some(chooser.choose(position, left).0),
            };
            children.retain(|(m, text, _)| is_refuted(text) || Some(*m) == chosen);
        }
        children
    }
}

impl ShardJob for ExpandShard {
    fn run(&self, run: &mut ShardRun) -> Result<bool> {
        let (options, mut table) = (run.setup.options()?, Table::new(GUESS_HASH));
        let mut chooser = MoveChooser::new(&options);
        let problems = parse_all(&self.problems, run)?;
        let claimant = self.claimant(&problems)?;
        let problems = problems.into_iter();
        let mut open: VecDeque<_> = problems
            .map(|problem| (problem.entry.game, Some(problem.number), 0))
            .collect();
        let claim = self.claim.map_or(String::new(), |claim| {
            format!(" claim {claim} refuted={}", self.refuted_hash())
        });
        let conditions = format!(
            " nodes={} guess={}{claim}{}",
            self.nodes, self.guess, run.suffix
        );
        let mut seen = HashSet::new();
        while let Some((board, n, ply)) = open.pop_front() {
            if run.is_interrupted() {
                return Ok(true);
            }
            let position = canonical_text(&board);
            if n.is_none() && !seen.insert(position.clone()) {
                continue;
            }
            let over = board.final_score();
            let nodes = dispatch::nodes_to_solve(board.position()).filter(|_| over.is_none());
            let is_large = nodes.is_none_or(|nodes| nodes > self.nodes);
            // Given positions are always expanded: their moves show which ones are best.
            let is_inner = over.is_none() && ply < self.plies && (n.is_some() || is_large);
            let children = if is_inner {
                self.children(&board, claimant, &mut chooser)
            } else {
                Vec::new()
            };
            let partial = is_inner && children.len() < board.moves().len();
            let mut moves = Vec::new();
            for (m, text, child) in children {
                moves.push((board.write_move(m), text.clone()));
                if !self.refuted.contains(&text) {
                    open.push_back((child, None, ply + u8::from(!m.is_pass())));
                }
            }
            // The line of a given position has its moves, not those of its canonical image.
            let (game, own, plies) = (board.name(), board.write_position(), self.plies);
            let key = format!("expand {game} {own} ply={ply}/{plies}{conditions}");
            if run.lines.has(&key, n.map(|n| n as u64)) {
                continue;
            }
            let wld = board.discs().is_none();
            let limit = if n.is_some() {
                self.guess.saturating_mul(ROOT_GUESS)
            } else {
                self.guess
            };
            let mut guess = None;
            if over.is_none() && limit > 0 {
                table.clear(); // so that the estimate depends on the position alone
                guess = options
                    .search(board.position(), &table, &Limits::to_nodes(limit))
                    .score()
                    .map(|score| score.0);
            }
            let line = TreeLine {
                n,
                position,
                left: board.plies_left(),
                step: step(&board.position()).into(),
                wld,
                score: over.map(|score| points(&board.position(), score)),
                guess,
                nodes,
                partial,
                moves,
            };
            run.lines.add(&key, &line)?;
        }
        Ok(false)
    }
}
