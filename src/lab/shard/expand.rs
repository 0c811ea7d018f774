//! A shard that expands positions: a line for each position of the tree down to those to solve, with estimates of its
//! score and its cost. Positions below the given ones are canonical images, so that each is in the tree once.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use anyhow::Result;
use crossbeam_channel::{Receiver, TryRecvError};
use serde::Serialize;
use serde_json::json;

use super::shard_file::ExpandShard;
use super::shard_lines::ShardLines;
use super::solve::{canonical_text, options_text, problem_line};
use crate::engine::options::Options;
use crate::engine::setup::Setup;
use crate::game::Game as _;
use crate::games::any::AnyGame;
use crate::games::dispatch;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Limits, Observer};

/// The factor of the node limit for the score estimates of the given positions.
const ROOT_GUESS: u64 = 50;
/// The table of the estimates, in MiB: small because it is cleared before each search.
const GUESS_HASH: usize = 16;
/// In hundredths.
const DISC: i32 = 100;

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
    /// If expanded: the moves and their successor positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<(String, String)>,
}

/// Expands the tree and adds the missing lines. Returns whether it was interrupted.
pub fn run(job: &ExpandShard, setup: &Setup, interrupt: &Receiver<()>, lines: &mut ShardLines) -> Result<bool> {
    let start = setup.board(None)?;
    let mut guesser = Guesser { options: setup.options()?, table: Table::new(GUESS_HASH) };
    let (mut open, mut seen) = (VecDeque::new(), HashSet::new());
    for problem in &job.problems {
        match problem_line(problem, &start)?.parse() {
            Ok(parsed) => open.push_back((parsed.game, Some(problem.n), 0)),
            Err(error) => {
                lines.add(
                    &format!("unreadable {}", problem.text),
                    &json!({"n": problem.n, "error": format!("{error:#}")}),
                )?;
            }
        }
    }
    while let Some((board, n, ply)) = open.pop_front() {
        if interrupt.try_recv() == Err(TryRecvError::Disconnected) {
            return Ok(true);
        }
        let canonical = canonical_text(&board);
        if n.is_none() && !seen.insert(canonical.clone()) {
            continue;
        }
        let over = board.final_score();
        let nodes = dispatch::nodes_to_solve(board.position()).filter(|_| over.is_none());
        let is_inner = over.is_none() && ply < job.plies && nodes.is_none_or(|nodes| nodes > job.nodes);
        let mut moves = Vec::new();
        for m in if is_inner { board.moves().to_vec() } else { Vec::new() } {
            let mut child = board.clone();
            child.play(m)?;
            let child = AnyGame::from(child.position().canonical());
            moves.push((board.write_move(m), child.write_position()));
            open.push_back((child, None, ply + u8::from(!m.is_pass())));
        }
        let (plies, least, limit) = (job.plies, job.nodes, job.guess);
        let key = format!(
            "expand {} {canonical} ply={ply}/{plies} nodes={least} guess={limit}{}",
            board.name(),
            options_text(setup)
        );
        if lines.has(&key, n.map(|n| n as u64)) {
            continue;
        }
        let wld = board.discs().is_none();
        let limit = if n.is_some() { limit.saturating_mul(ROOT_GUESS) } else { limit };
        let line = TreeLine {
            n,
            position: canonical,
            left: board.plies_left(),
            step: if wld { 1 } else { board.position().grain() / DISC },
            wld,
            score: over.map(|score| if wld { score.0.signum() } else { score.0 / DISC }),
            guess: if over.is_none() && limit > 0 { guesser.guess(&board, limit) } else { None },
            nodes,
            moves,
        };
        lines.add(&key, &line)?;
    }
    Ok(false)
}

/// Estimates scores by a search with a node limit.
struct Guesser {
    options: Options,
    table: Table,
}

impl Guesser {
    /// The score for the side to move, in hundredths.
    fn guess(&mut self, board: &AnyGame, nodes: u64) -> Option<i32> {
        self.table.clear(); // so that the estimate depends on the position alone
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut observer = Observer { control: Arc::<SearchControl>::default(), report: &mut |_| () };
        let Options { settings, kernel, .. } = &self.options;
        let answer = dispatch::think(board.position(), settings, *kernel, &self.table, &limits, &mut observer);
        answer.score().map(|score| score.0)
    }
}
