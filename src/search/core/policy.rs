//! What a game adds to its rules: [`Evaluate`] for every algorithm, [`Policy`] for the production
//! search.

use arrayvec::ArrayVec;

use crate::game::score::{Score, Window};
use crate::game::{Game, MAX_MOVES, Move, MoveList};

use super::context::Context;
use super::isa::Isa;
use crate::search::schedule::{Iteration, Objective, by_twos};
use crate::search::stop::Stopped;
use crate::search::table::Key;
use crate::search::trace::ReturnReason;

/// A static evaluation. Values are integers for the side to move, negated when the colors are
/// swapped and invariant under the symmetries of the board.
pub trait Evaluate<G: Game>: Clone + Send + Sync + 'static {
    /// Data that is updated incrementally, move by move; `()` for none.
    type Data: Copy + Send + Sync;

    /// The grain: values, and scores of games that end early, are multiples of it. It is the
    /// null-window step.
    const GRAIN: i32;

    /// The [`GRAIN`](Evaluate::GRAIN) of values in this position's game, for evaluators of several
    /// games.
    fn grain(&self, _position: &G) -> i32 {
        Self::GRAIN
    }

    /// The incremental data of a position, from scratch.
    fn fresh(&self, position: &G) -> Self::Data;

    /// The incremental data of `child`, reached from `parent` by `m`.
    fn update(&self, parent: &G, data: Self::Data, m: Move, child: &G) -> Self::Data {
        let _ = (parent, data, m);
        self.fresh(child)
    }

    /// The value of an unfinished position, from its data: less than 9936 in absolute value, above
    /// which scores are wins (see [`Game::final_score`]).
    fn score(&self, position: &G, data: Self::Data) -> Score;

    /// The value of a position, from scratch: the oracle of [`update`](Evaluate::update).
    fn evaluate(&self, position: &G) -> Score {
        self.score(position, self.fresh(position))
    }

    /// The terms of the value of an unfinished position, several lines for the user; `None` if the
    /// evaluation cannot list them.
    fn describe(&self, _position: &G) -> Option<String> {
        None
    }
}

/// An evaluation that is always zero, for games that are searched to the end.
#[derive(Clone, Copy, Default, Debug)]
pub struct Zero;

impl<G: Game> Evaluate<G> for Zero {
    type Data = ();
    const GRAIN: i32 = 1;

    fn fresh(&self, _position: &G) {}

    fn score(&self, _position: &G, _data: ()) -> Score {
        Score::ZERO
    }
}

/// The null-window step: the grain of the game in a search to the end, else the greatest common
/// divisor of the grains of game and evaluator.
pub fn step<G: Game>(evaluator: &impl Evaluate<G>, position: &G, depth: u8) -> i32 {
    let grain = position.grain();
    if depth >= position.plies_left() {
        grain
    } else {
        gcd(grain, evaluator.grain(position))
    }
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The parameters of a node's search, passed by value: a stop returns by `?`, so fields of the
/// context would not be restored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchParams {
    /// Remaining depth in plies; a pass costs no depth.
    pub depth: u8,
    /// Moves from the root, passes included.
    pub ply: u8,
    /// The selectivity level ([`Iteration::selectivity`]).
    pub selectivity: u8,
    /// Nesting level of shallow verification searches.
    pub probe: u8,
}

impl SearchParams {
    /// The parameters of the root in an iteration.
    pub const fn root(Iteration { depth, selectivity }: Iteration) -> SearchParams {
        SearchParams {
            depth,
            ply: 0,
            selectivity,
            probe: 0,
        }
    }

    /// The parameters of a child whose move costs `cost` plies.
    #[inline(always)]
    pub fn child(self, cost: u8) -> SearchParams {
        SearchParams {
            depth: self.depth - cost,
            ply: self.ply + 1,
            ..self
        }
    }
}

/// A move of a node with its child and its rank in the move ordering.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<N> {
    /// The move.
    pub m: Move,
    /// Higher ranks are searched first.
    pub rank: i32,
    /// The child.
    pub node: N,
}

/// The moves of a node, inline.
pub type Candidates<N> = ArrayVec<Candidate<N>, MAX_MOVES>;

/// The indices of the candidates, in the order of generation.
pub const GENERATION_ORDER: [u8; MAX_MOVES] = {
    let mut indices = [0; MAX_MOVES];
    let mut at = 0;
    while at < MAX_MOVES {
        indices[at] = at as u8;
        at += 1;
    }
    indices
};

/// The rank of the table's best move, above all others.
pub const TABLE_MOVE: i32 = i32::MAX;
/// The rank of the table's second move.
pub const SECOND_TABLE_MOVE: i32 = i32::MAX - 1;

/// The cost of solving a position: the mean number of nodes and its growth per ply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SolvingCost {
    /// The mean number of nodes, in midgame nodes (time management divides by their rate) ...
    pub nodes: f64,
    /// ... with this many plies left.
    pub plies_left: u8,
    /// The factor per additional ply.
    pub growth: f64,
}

impl SolvingCost {
    /// The mean number of nodes with this many plies left.
    pub fn at(self, plies_left: u8) -> f64 {
        self.nodes
            * self
                .growth
                .powi(i32::from(plies_left) - i32::from(self.plies_left))
    }
}

/// The score and reason of a node that a hook ends early; `None`: the search goes on.
pub type EarlyReturn = Result<Option<(Score, ReturnReason)>, Stopped>;

/// The hooks by which a game extends the production search.
///
/// Hooks get the context and may search. They are inlined into each multiversioned copy of the
/// search: mark implementations and all their helpers `#[inline(always)]`.
pub trait Policy: Sized + Sync {
    /// The game.
    type Game: Game;
    /// The ISA that the search is compiled for.
    type Isa: Isa;
    /// The node: a position with incremental data.
    type Node: Copy + Send + Sync;
    /// Per-thread state, such as a kernel's cache.
    type State: Default;

    /// The least remaining depth at which the table is used.
    const TABLE_DEPTH: u8 = 1;
    /// The least remaining depth at which enhanced transposition cutoffs (J. Schaeffer and A.
    /// Plaat, 1996) are tried.
    const ETC_DEPTH: u8 = u8::MAX;
    /// The least remaining depth of split points (parallel search), in searches that do not reach
    /// the end of the game.
    const SPLIT_DEPTH: u8 = 5;
    /// The least number of plies left at split points, in searches to the end of the game.
    const SPLIT_PLIES_LEFT: u8 = 12;
    /// The margin of NegaScout's aspiration window at the root; `None`: the window is full.
    const ASPIRATION: Option<i32> = None;
    /// The cost of solving a position; `None`: positions are not solved before the game ends.
    const SOLVING_COST: Option<SolvingCost> = None;

    /// The token of the ISA.
    fn isa(&self) -> Self::Isa;

    /// The node of a position, from scratch.
    fn root(&self, position: &Self::Game) -> Self::Node;

    /// The position of a node.
    fn position<'n>(&self, node: &'n Self::Node) -> &'n Self::Game;

    /// The child after a legal move.
    fn child(&self, node: &Self::Node, m: Move) -> Self::Node;

    /// The table key of a node at remaining depth `depth`.
    fn key(&self, node: &Self::Node, depth: u8) -> Key;

    /// The null-window step of a search of `position` to `depth`: all values are multiples of it.
    fn step(&self, position: &Self::Game, depth: u8) -> i32;

    /// The iterations up to `depth`.
    fn schedule(&self, _position: &Self::Game, depth: u8, _objective: Objective) -> Vec<Iteration> {
        by_twos(depth)
    }

    /// The static evaluation of an unfinished node.
    fn evaluate(&self, node: &Self::Node) -> Score;

    /// The moves to search at a node that is not finished, solved or forced. May omit moves that
    /// provably lose no later than another move.
    #[inline(always)]
    fn moves(&self, node: &Self::Node) -> MoveList {
        self.position(node).moves()
    }

    /// A forced move: the only one that does not lose immediately. It costs no depth, and the node
    /// is not stored in the table. Never a pass.
    #[inline(always)]
    fn forced(&self, _node: &Self::Node) -> Option<Move> {
        None
    }

    /// Move ordering: sets the ranks of the candidates, by default by the static values of the
    /// children. Table moves already have [`TABLE_MOVE`] and [`SECOND_TABLE_MOVE`], all others 0.
    /// Must not reorder the candidates, since one may have been searched already. `window` is that
    /// of the node.
    #[inline(always)]
    fn order(
        cx: &mut Context<'_, Self>,
        _node: &Self::Node,
        candidates: &mut Candidates<Self::Node>,
        _window: Window,
        _params: SearchParams,
    ) -> Result<(), Stopped> {
        let policy = cx.policy;
        // A plain loop: the predicate of `filter` may not be inlined.
        for candidate in candidates {
            if candidate.rank != 0 {
                continue;
            }
            candidate.rank = match policy.position(&candidate.node).final_score() {
                Some(score) => -score.0 * 2, // finished games before evaluated ones
                None => -policy.evaluate(&candidate.node).0,
            };
        }
        Ok(())
    }

    /// May prune a non-PV node: returns a proven bound ([`ReturnReason::ProvenBound`]) or one that
    /// is reliable at the selectivity level ([`ReturnReason::StatisticalCut`], `prob_cut::cut`). A
    /// selective search stores it in the table.
    #[inline(always)]
    fn prune(
        _cx: &mut Context<'_, Self>,
        _node: &Self::Node,
        _window: Window,
        _params: SearchParams,
    ) -> EarlyReturn {
        Ok(None)
    }

    /// Late-move reduction at a non-PV node: the plies by which the first search of a child is
    /// reduced, less than `below.depth`; 0 for none. `index` moves were searched before it.
    #[inline(always)]
    fn reduction(&self, _child: &Self::Node, _below: SearchParams, _index: usize) -> u8 {
        0
    }

    /// Leaf kernel: may search or prune the whole subtree and return a fail-soft score with its
    /// reason. Called at every unfinished node, before the table is probed. The kernel counts the
    /// descendants of the node, not the node itself.
    #[inline(always)]
    fn solve_leaf(
        _cx: &mut Context<'_, Self>,
        _node: &Self::Node,
        _window: Window,
        _params: SearchParams,
    ) -> EarlyReturn {
        Ok(None)
    }
}
