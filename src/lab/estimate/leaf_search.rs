//! Proves leaves of a claim's tree by null-window searches. If a leaf fails, another move of the
//! claimant above it must hold: its alternatives are searched, from the lowest position upward.

use serde::{Deserialize, Serialize};

use super::claim_tree::{LowerBound, MoveChooser, after};
use crate::commands::is_default;
use crate::engine::options::Options;
use crate::game::score::Window;
use crate::game::{Game, Move};
use crate::games::any::AnyPosition;
use crate::platform::cpu_time::thread_time;
use crate::search::table::Table;
use crate::search::{Certainty, Goal, Limits, Stops};

/// How the search of a leaf ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafResult {
    /// The claim holds at the leaf.
    Holds,
    /// It fails at the leaf, but holds after another move of the claimant.
    Elsewhere,
    /// It fails after every move of the claimant: the claim at the root is wrong.
    Refuted,
    /// A search reached the node limit.
    Unknown,
}

/// The search of a leaf.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LeafProof {
    pub result: LeafResult,
    /// Nodes of all searches, and their CPU time in seconds.
    pub nodes: u64,
    pub cpu: f64,
    /// The number of other moves searched after the leaf failed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub others: u32,
    /// The empties of the position in which another move was searched last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backed_up: Option<u8>,
}

impl LeafProof {
    /// Whether a search reached the node limit, so that nodes and CPU time are lower bounds.
    pub fn is_censored(&self) -> bool {
        self.result == LeafResult::Unknown
    }
}

/// Searches leaves one by one with the same table, cleared before each.
pub struct LeafSearcher<'a> {
    options: &'a Options,
    table: Table,
    chooser: MoveChooser<'a>,
}

impl<'a> LeafSearcher<'a> {
    pub fn new(options: &'a Options) -> LeafSearcher<'a> {
        LeafSearcher {
            options,
            table: Table::new(options.hash as usize),
            chooser: MoveChooser::new(options),
        }
    }

    /// Proves the last position of a path from the root or, if it fails, another move above it.
    /// Each search has this node limit.
    pub fn prove(&mut self, bound: LowerBound, path: &[AnyPosition], limit: u64) -> LeafProof {
        let mut proof = LeafProof {
            result: LeafResult::Unknown,
            nodes: 0,
            cpu: 0.0,
            others: 0,
            backed_up: None,
        };
        let begun = thread_time();
        if let Some(result) = self.search_path(bound, path, limit, &mut proof) {
            proof.result = result;
        }
        proof.cpu = (thread_time() - begun).as_secs_f64();
        proof
    }

    /// `None` if a search reaches the node limit.
    fn search_path(
        &mut self,
        bound: LowerBound,
        path: &[AnyPosition],
        limit: u64,
        proof: &mut LeafProof,
    ) -> Option<LeafResult> {
        let (&leaf, above) = path.split_last()?;
        if self.holds(bound, leaf, limit, &mut proof.nodes)? {
            return Some(LeafResult::Holds);
        }
        // All positions below the one at `index` have failed.
        for (index, &position) in above.iter().enumerate().rev() {
            if position.to_move() != bound.claimant {
                continue;
            }
            proof.backed_up = Some(position.plies_left());
            let failed = path[index + 1];
            let mut left: Vec<Move> = position.moves().to_vec();
            left.retain(|&m| after(position, m) != failed);
            while !left.is_empty() {
                let (m, _) = self.chooser.choose(position, &left);
                left.retain(|&other| other != m);
                proof.others += 1;
                if self.holds(bound, after(position, m), limit, &mut proof.nodes)? {
                    return Some(LeafResult::Elsewhere);
                }
            }
        }
        Some(LeafResult::Refuted)
    }

    /// Whether the bound holds in a position; `None` if the search reaches the node limit.
    fn holds(
        &mut self,
        bound: LowerBound,
        position: AnyPosition,
        limit: u64,
        nodes: &mut u64,
    ) -> Option<bool> {
        if let Some(score) = position.final_score() {
            return Some(bound.of_claimant(position, score) >= bound.score);
        }
        let is_claimant = position.to_move() == bound.claimant;
        // The opponent must not reach more than the negated bound.
        let beta = if is_claimant {
            bound.score
        } else {
            -(bound.score - position.grain())
        };
        self.table.clear();
        let stops = Stops {
            nodes: Some(limit),
            line_nodes: 0,
            ..Stops::default()
        };
        let window = Window::null(beta, position.grain());
        let limits = Limits::new(Goal::Bound(window), stops);
        let answer = self.options.search(position, &self.table, &limits);
        *nodes += answer.counters.nodes;
        let score = answer.score()?;
        (answer.certainty == Certainty::Exact).then_some((score >= beta) == is_claimant)
    }
}
