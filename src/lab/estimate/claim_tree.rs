//! The proof tree of a claim. The side for which the claim is a lower bound, the claimant, needs one
//! move in each position, which a shallow search chooses; every reply of the opponent needs a
//! proof. Forced passes are played at once.

use std::collections::HashMap;
use std::time::Duration;

use super::knuth::ProofTree;
use crate::commands::claims::{Claim, least_score, step};
use crate::engine::options::Options;
use crate::game::score::Score;
use crate::game::{Game, Move, Player};
use crate::games::any::AnyPosition;
use crate::platform::cpu_time::thread_time;
use crate::search::Limits;
use crate::search::table::Table;

/// Nodes of the search that chooses a move or estimates a score.
const CHOICE_NODES: u64 = 4_000;
/// The table of these searches in bytes: small because it is cleared before each.
const CHOICE_TABLE: usize = 1 << 18;

/// A claim from the claimant's point of view: its value is at least `score`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowerBound {
    pub claimant: Player,
    /// A possible score of the game.
    pub score: Score,
}

impl LowerBound {
    /// The bound of a claim about a position of a game scored by discs.
    pub fn of(position: AnyPosition, claim: Claim) -> LowerBound {
        let threshold = least_score(&position, claim.threshold(step(&position)));
        match claim {
            Claim::AtLeast(_) => LowerBound {
                claimant: position.to_move(),
                score: threshold,
            },
            Claim::AtMost(_) => LowerBound {
                claimant: position.to_move().other(),
                score: -(threshold - position.grain()),
            },
        }
    }

    /// A score of the side to move, for the claimant.
    pub fn of_claimant(&self, position: AnyPosition, score: Score) -> Score {
        if position.to_move() == self.claimant {
            score
        } else {
            -score
        }
    }
}

/// The searches that choose moves, each with a cleared table, so that the results depend on the
/// position alone. The table is kept from one claim to the next.
pub struct MoveChooser<'a> {
    options: &'a Options,
    table: Table,
    /// The number of searches, their nodes and CPU time.
    pub searches: u64,
    pub nodes: u64,
    pub time: Duration,
}

impl<'a> MoveChooser<'a> {
    pub fn new(options: &'a Options) -> MoveChooser<'a> {
        MoveChooser {
            options,
            table: Table::with_bytes(CHOICE_TABLE),
            searches: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    /// The best of some legal moves of an unfinished position, and its heuristic score.
    pub fn choose(&mut self, position: AnyPosition, among: &[Move]) -> (Move, Score) {
        let begun = thread_time();
        self.table.clear();
        let limits = Limits {
            moves: among.to_vec(),
            ..Limits::to_nodes(CHOICE_NODES)
        };
        let answer = self.options.search(position, &self.table, &limits);
        self.searches += 1;
        self.nodes += answer.counters.nodes;
        self.time += thread_time() - begun;
        let best = answer.best.first();
        best.map_or((among[0], Score::ZERO), |root| (root.m, root.score))
    }
}

/// The position after a move and, if the opponent has none, its pass.
pub fn after(position: AnyPosition, m: Move) -> AnyPosition {
    let next = position.play(m);
    match next.moves().as_slice() {
        [Move::PASS] => next.play(Move::PASS),
        _ => next,
    }
}

/// The proof tree of a claim.
pub struct ClaimTree<'c, 'a> {
    pub bound: LowerBound,
    /// The most empties of a leaf.
    leaf: u8,
    /// The number of empties at which the enumeration ends.
    front: u8,
    chooser: &'c mut MoveChooser<'a>,
    /// The moves chosen.
    choices: HashMap<AnyPosition, Move>,
}

impl<'c, 'a> ClaimTree<'c, 'a> {
    /// The tree down to positions with at most `leaf` empties, enumerated to `front` empties.
    pub fn new(
        bound: LowerBound,
        leaf: u8,
        front: u8,
        chooser: &'c mut MoveChooser<'a>,
    ) -> ClaimTree<'c, 'a> {
        ClaimTree {
            bound,
            leaf,
            front,
            chooser,
            choices: HashMap::new(),
        }
    }

    /// The heuristic score of a position for the claimant.
    pub fn score(&mut self, position: AnyPosition) -> Score {
        let score = position.final_score().unwrap_or_else(|| {
            let moves = position.moves();
            self.chooser.choose(position, &moves).1
        });
        self.bound.of_claimant(position, score)
    }
}

impl ProofTree for ClaimTree<'_, '_> {
    type Node = AnyPosition;

    fn children(&mut self, position: AnyPosition) -> Vec<AnyPosition> {
        if position.plies_left() <= self.leaf || position.final_score().is_some() {
            return Vec::new();
        }
        let moves = position.moves();
        if position.to_move() != self.bound.claimant {
            return moves.iter().map(|&m| after(position, m)).collect();
        }
        let chosen = match moves.as_slice() {
            [m] => *m,
            moves => *self
                .choices
                .entry(position)
                .or_insert_with(|| self.chooser.choose(position, moves).0),
        };
        vec![after(position, chosen)]
    }

    fn is_front(&self, position: AnyPosition) -> bool {
        position.plies_left() <= self.front
    }

    fn may_reach(&self, from: AnyPosition, to: AnyPosition) -> bool {
        let discs = |position: AnyPosition| position.packed()[0] | position.packed()[1];
        discs(from) & !discs(to) == 0
    }
}
