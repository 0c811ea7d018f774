//! The proof tree of a claim. The side for which the claim is a lower bound, the claimant, needs one
//! move in each position, which a shallow search chooses; every reply of the opponent needs a
//! proof. Forced passes are played at once.

use std::collections::HashMap;
use std::time::Duration;

use super::knuth::ProofTree;
use crate::book::after_pass;
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
/// position alone. It keeps the results: each job has its own.
pub struct MoveChooser<'a> {
    options: &'a Options,
    table: Table,
    /// The results of searches of all moves.
    known: HashMap<AnyPosition, (Move, Score)>,
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
            known: HashMap::new(),
            searches: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    /// The best move of an unfinished position, and its heuristic score; searched once.
    pub fn best(&mut self, position: AnyPosition) -> (Move, Score) {
        let known = self.known.get(&position).copied();
        known.unwrap_or_else(|| {
            let best = self.choose(position, &position.moves());
            self.known.insert(position, best);
            best
        })
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
    after_pass(position.play(m)).0
}

/// The proof tree of a claim.
pub struct ClaimTree<'c, 'a> {
    pub bound: LowerBound,
    /// The most empties of a leaf.
    pub leaf_empties: u8,
    /// The number of empties at which the enumeration ends.
    pub front_empties: u8,
    pub chooser: &'c mut MoveChooser<'a>,
}

impl ClaimTree<'_, '_> {
    /// The heuristic score of a position for the claimant.
    pub fn score(&mut self, position: AnyPosition) -> Score {
        let score = position.final_score();
        let score = score.unwrap_or_else(|| self.chooser.best(position).1);
        self.bound.of_claimant(position, score)
    }
}

impl ProofTree for ClaimTree<'_, '_> {
    type Node = AnyPosition;

    fn children(&mut self, position: AnyPosition) -> Vec<AnyPosition> {
        if position.plies_left() <= self.leaf_empties || position.final_score().is_some() {
            return Vec::new();
        }
        let moves = position.moves();
        if position.to_move() != self.bound.claimant {
            return moves.iter().map(|&m| after(position, m)).collect();
        }
        let chosen = match moves.as_slice() {
            [m] => *m,
            _ => self.chooser.best(position).0,
        };
        vec![after(position, chosen)]
    }

    fn is_front(&self, position: AnyPosition) -> bool {
        position.plies_left() <= self.front_empties
    }

    fn may_reach(&self, from: AnyPosition, to: AnyPosition) -> bool {
        let [before, after] = [from, to].map(discs);
        let [then, now] = [before[0] | before[1], after[0] | after[1]];
        let turned = (before[0] & after[1]) | (before[1] & after[0]);
        then & !now == 0 && turned & !turnable(now & !then, now) == 0
    }
}

/// The discs of both players, in the order of the game.
fn discs(position: AnyPosition) -> [u64; 2] {
    let [player, opponent] = position.packed();
    match position.to_move() {
        Player::First => [player, opponent],
        Player::Second => [opponent, player],
    }
}

/// The squares that moves to `squares` can turn at most, if `filled` are filled in the end: those
/// that a straight line of filled squares connects with one of them.
fn turnable(squares: u64, filled: u64) -> u64 {
    const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_LAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let lines = [
        (1, NOT_FIRST, NOT_LAST),
        (7, NOT_LAST, NOT_FIRST),
        (8, !0, !0),
        (9, NOT_FIRST, NOT_LAST),
    ];
    lines.iter().fold(0, |all, (step, upwards, downwards)| {
        let (mut up, mut down) = (squares, squares);
        for _ in 0..6 {
            up |= up << step & upwards & filled;
            down |= down >> step & downwards & filled;
        }
        all | up | down
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::games::reversi::{Othello, Othello6};

    /// The positions of a random game.
    fn random_game(mut position: AnyPosition, rng: &mut Rng) -> Vec<AnyPosition> {
        let mut game = vec![position];
        while let Some(&m) = rng.choose(&position.moves()) {
            position = position.play(m);
            game.push(position);
        }
        game
    }

    #[test]
    fn a_game_reaches_its_later_positions() {
        let options = Options::default();
        let mut chooser = MoveChooser::new(&options);
        let bound = LowerBound {
            claimant: Player::First,
            score: Score::ZERO,
        };
        let tree = ClaimTree {
            bound,
            leaf_empties: 0,
            front_empties: 0,
            chooser: &mut chooser,
        };
        let mut rng = Rng::new(6);
        let (mut excluded, mut pairs) = (0, 0);
        for start in [Othello::start().into(), Othello6::start().into()] {
            for _ in 0..30 {
                let [game, other] = [(), ()].map(|()| random_game(start, &mut rng));
                for (at, &from) in game.iter().enumerate() {
                    assert!(game[at..].iter().all(|&to| tree.may_reach(from, to)));
                }
                // A late position of another game, with nearly the same squares.
                for (&from, &to) in game.iter().zip(other.iter().skip(4)).rev().take(10) {
                    let [then, now] = [from, to].map(discs);
                    let is_filled = (then[0] | then[1]) & !(now[0] | now[1]) == 0;
                    pairs += u32::from(is_filled);
                    excluded += u32::from(is_filled && !tree.may_reach(from, to));
                }
            }
        }
        assert!(excluded > pairs / 2, "{excluded} of {pairs}");
    }
}
