//! What a search needs to know about a game beyond its rules: [`Evaluate`] for every algorithm, [`Policy`] for the
//! production loop.
//!
//! A policy names its game, its instruction set and what a node carries; it orders, prunes, and may finish a whole subtree
//! in a kernel of its own ("settle"). Hooks get the context and may search. All hooks are inlined into each stamped copy
//! of the loop: mark implementations `#[inline(always)]`, down to the last helper.

use arrayvec::ArrayVec;

use crate::game::score::{Score, Window};
use crate::game::{Game, MAX_MOVES, Move, MoveList};

use super::context::Context;
use super::isa::Isa;
use super::schedule::{Pace, Stage};
use super::stop::Stopped;
use super::table::{Draft, Key};

/// A static evaluation. Values are integers for the side to move, the opposite under a change of colours and equal on
/// symmetric images.
pub trait Evaluate<G: Game>: Clone + Send + Sync + 'static {
    /// What is carried from a position to the next so that the value need not be computed from scratch; `()` for none.
    type Data: Copy + Send + Sync;

    /// Values, and scores of games finished early, are multiples of this: the null-window step of a search.
    const GRAIN: i32;

    /// The [`GRAIN`](Evaluate::GRAIN) of values in this position's game, for evaluators of several games.
    fn grain(&self, _position: &G) -> i32 {
        Self::GRAIN
    }

    /// The data of a position, from scratch.
    fn fresh(&self, position: &G) -> Self::Data;

    /// The data of `child`, which `m` leads to from `parent`.
    fn update(&self, parent: &G, data: Self::Data, m: Move, child: &G) -> Self::Data {
        let _ = (parent, data, m);
        self.fresh(child)
    }

    /// The value of a position that is not finished, from its data.
    fn score(&self, position: &G, data: Self::Data) -> Score;

    /// The value of a position, from scratch: the oracle of [`update`](Evaluate::update).
    fn evaluate(&self, position: &G) -> Score {
        self.score(position, self.fresh(position))
    }
}

/// Always zero: for games that are searched to the end.
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

/// The null-window step: the game's own grain in a search to the end, else one that evaluations share.
pub fn step<G: Game>(evaluator: &impl Evaluate<G>, position: &G, depth: u8) -> i32 {
    let grain = position.grain();
    if depth >= position.plies_left() { grain } else { gcd(grain, evaluator.grain(position)) }
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What travels by value through the loop: a stop leaves by `?` and would skip restoring a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// Plies left to search; a pass costs none.
    pub depth: u8,
    /// Moves from the root, passes included.
    pub ply: u8,
    /// The selectivity level ([`Draft::selectivity`]).
    pub selectivity: u8,
    /// How many probing searches this node is inside of.
    pub probe: u8,
}

impl Mode {
    /// A full-width search of `depth` plies from the root.
    pub const fn root(depth: u8) -> Mode {
        Mode { depth, ply: 0, selectivity: Draft::FULL, probe: 0 }
    }

    /// The mode of a child reached by a move that costs `cost` plies.
    #[inline(always)]
    pub fn child(self, cost: u8) -> Mode {
        Mode { depth: self.depth - cost, ply: self.ply + 1, ..self }
    }
}

/// A move on its way through a node: the position it leads to and how early it shall be searched.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<N> {
    /// The move.
    pub m: Move,
    /// Higher is searched earlier.
    pub rank: i32,
    /// The node behind it.
    pub node: N,
}

/// The moves of a node, inline.
pub type Candidates<N> = ArrayVec<Candidate<N>, MAX_MOVES>;

/// Rank of the table's best move, above every other.
pub const FIRST: i32 = i32::MAX;
/// Rank of the table's second move.
pub const SECOND: i32 = i32::MAX - 1;

/// A game's tree as the production loop walks it: nodes, their children and their keys.
pub trait GameTree: Sized + Sync {
    /// The game.
    type Game: Game;
    /// The instruction set of the loop's copy.
    type Isa: Isa;
    /// What a node carries: the position, and data kept up move by move.
    type Node: Copy;

    /// The token of the instruction set.
    fn isa(&self) -> Self::Isa;

    /// The node of a position, from scratch.
    fn root(&self, position: &Self::Game) -> Self::Node;

    /// The position of a node.
    fn position<'n>(&self, node: &'n Self::Node) -> &'n Self::Game;

    /// The node behind a legal move.
    fn child(&self, node: &Self::Node, m: Move) -> Self::Node;

    /// Where the table keeps the node when `depth` plies are left.
    fn key(&self, node: &Self::Node, depth: u8) -> Key;
}

/// What solving costs: a mean number of nodes, and its growth by ply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SolvingCost {
    /// The mean number of nodes, in nodes of the midgame (time management divides by their rate)...
    pub nodes: f64,
    /// ... so many plies before the end of the game.
    pub plies_left: u8,
    /// The factor of another ply.
    pub growth: f64,
}

impl SolvingCost {
    /// The mean number of nodes so many plies before the end of the game.
    pub fn at(self, plies_left: u8) -> f64 {
        self.nodes * self.growth.powi(i32::from(plies_left) - i32::from(self.plies_left))
    }
}

/// How the production loop plays one game: eight hooks over its [`GameTree`].
///
/// Hooks get the context and may search. They are inlined into each copy of the loop: mark implementations
/// `#[inline(always)]`, down to the last helper.
pub trait Policy: GameTree {
    /// What a thread's search keeps from node to node, such as a kernel's cache.
    type State: Default;

    /// The table is asked from this remaining depth on.
    const TABLE_DEPTH: u8 = 1;
    /// Children's table entries are looked at before any is searched ("enhanced transposition cut-off", J. Schaeffer and
    /// A. Plaat, 1996) from this remaining depth on.
    const ETC_DEPTH: u8 = u8::MAX;
    /// How far from the guess NegaScout's first window at the root reaches to both sides; `None`: it is full.
    const ASPIRATION: Option<i32> = None;
    /// What solving a position costs; `None`: positions are not solved before the game ends.
    const SOLVING_COST: Option<SolvingCost> = None;

    /// The null-window step of a search of `position` that is `depth` plies deep: all its values are multiples of it.
    fn step(&self, position: &Self::Game, depth: u8) -> i32;

    /// The iterations on the way to `depth`.
    fn schedule(&self, _position: &Self::Game, depth: u8, pace: Pace) -> Vec<Stage> {
        pace.stages(depth)
    }

    /// The static value of a node that is not finished.
    fn evaluate(&self, node: &Self::Node) -> Score;

    /// The moves worth searching of a node that is neither finished nor solved nor forced: all legal ones, or without some
    /// that surely lose no later than one of those that are left.
    #[inline(always)]
    fn moves(&self, node: &Self::Node) -> MoveList {
        self.position(node).moves()
    }

    /// The only move of an unsolved node that does not lose at once: it costs no depth, and the table need not know the node.
    /// Passes are none: they cost nothing anyway.
    #[inline(always)]
    fn forced(&self, _node: &Self::Node) -> Option<Move> {
        None
    }

    /// Sets the candidates' ranks; those that the table named are already [`FIRST`] and [`SECOND`], all others 0. The
    /// candidates stay where they are: one may have been searched already.
    fn order(
        cx: &mut Context<'_, Self>,
        node: &Self::Node,
        candidates: &mut Candidates<Self::Node>,
        mode: Mode,
    ) -> Result<(), Stopped>;

    /// May answer a null-window node without searching its moves: a bound that holds, or holds as surely as the mode's
    /// selectivity asks ([`super::prob_cut::cut`]). A selective search keeps it in the table.
    #[inline(always)]
    fn prune(
        _cx: &mut Context<'_, Self>,
        _node: &Self::Node,
        _window: Window,
        _mode: Mode,
    ) -> Result<Option<Score>, Stopped> {
        Ok(None)
    }

    /// May finish the whole subtree in a kernel; called before the table is asked, at every node that is not finished.
    /// The kernel counts the node's descendants, not the node, and a fail-soft score comes back.
    #[inline(always)]
    fn solve_leaf(
        _cx: &mut Context<'_, Self>,
        _node: &Self::Node,
        _window: Window,
        _mode: Mode,
    ) -> Result<Option<Score>, Stopped> {
        Ok(None)
    }
}
