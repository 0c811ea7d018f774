//! The textbook algorithms, a page each, and how the deepening driver runs them: one call at the root with the full window.
//!
//! Read them in this order: [`minimax`], [`alpha_beta`] (fail-hard), [`fail_soft`].

use crate::game::{Game, Move};
use crate::score::{Score, Window};

use super::context::{Budget, Context, Stopped};
use super::deepening::{BoundReport, Pace, Reading, Root, Searcher, Stage};
use super::policy::Evaluate;
use super::trace::Trace;
use super::{Algorithm, RootMove};

mod alpha_beta;
mod fail_soft;
mod memory;
mod minimax;

pub use alpha_beta::alpha_beta;
pub use fail_soft::fail_soft;
pub use minimax::minimax;

/// Which textbook algorithm; minimax has no use for a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Textbook {
    /// [`minimax`].
    Minimax,
    /// [`alpha_beta`].
    AlphaBeta,
    /// [`fail_soft`].
    FailSoft,
}

impl TryFrom<Algorithm> for Textbook {
    type Error = Algorithm;

    fn try_from(algorithm: Algorithm) -> Result<Self, Algorithm> {
        match algorithm {
            Algorithm::Minimax => Ok(Textbook::Minimax),
            Algorithm::AlphaBeta => Ok(Textbook::AlphaBeta),
            Algorithm::FailSoft => Ok(Textbook::FailSoft),
            other => Err(other),
        }
    }
}

impl Textbook {
    /// The value of a position, `ply` moves from the root, `depth` plies deep.
    pub fn value<G: Game, E: Evaluate<G>, T: Trace>(
        self,
        cx: &mut Context<'_, E, T>,
        position: &G,
        depth: u8,
        ply: u8,
    ) -> Result<Score, Stopped> {
        match self {
            Textbook::Minimax => minimax(cx, position, depth, ply),
            Textbook::AlphaBeta => alpha_beta(cx, position, depth, ply, Window::FULL),
            Textbook::FailSoft => fail_soft(cx, position, depth, ply, Window::FULL),
        }
    }
}

/// A textbook algorithm at work on one position.
pub struct TextbookSearch<'a, G: Game, E: Evaluate<G>, T: Trace> {
    /// Which one.
    pub textbook: Textbook,
    /// The root.
    pub position: G,
    /// Evaluator, table, counters.
    pub cx: Context<'a, E, T>,
}

impl<G: Game, E: Evaluate<G>, T: Trace> TextbookSearch<'_, G, E, T> {
    /// Lengthens a line that a table entry cut short, by the exact entries behind it.
    fn extend(&self, pv: &mut Vec<Move>, depth: u8) {
        let mut position = self.position;
        let mut left = depth;
        for &m in pv.iter() {
            position = position.play(m);
            left -= G::cost(m);
        }
        while let Some(m) = self.cx.recall(&position, left).exact_best().filter(|m| position.moves().contains(m)) {
            pv.push(m);
            position = position.play(m);
            left -= G::cost(m);
        }
    }
}

impl<G: Game, E: Evaluate<G>, T: Trace> Searcher for TextbookSearch<'_, G, E, T> {
    fn root(&self) -> Root {
        Root::of(&self.position)
    }

    fn schedule(&self, depth: u8, pace: Pace) -> Vec<Stage> {
        pace.every_depth().stages(depth)
    }

    fn evaluate(&mut self) -> Score {
        self.cx.counters.nodes += 1;
        let score = self.cx.brain.evaluate(&self.position);
        self.cx.leaf(score)
    }

    fn search(
        &mut self,
        stage: Stage,
        _guess: Score,
        _bounds: Window,
        moves: &[Move],
        _bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        let depth = stage.depth;
        if moves.len() == self.position.moves().len() {
            let score = self.textbook.value(&mut self.cx, &self.position, depth, 0)?;
            let mut pv = self.cx.lines.root().to_vec();
            self.extend(&mut pv, depth);
            return Ok(RootMove { m: pv[0], score, pv });
        }
        // Only some of the moves: each is searched for itself.
        let mut best: Option<RootMove> = None;
        for &m in moves {
            let left = depth - G::cost(m);
            let score = -self.textbook.value(&mut self.cx, &self.position.play(m), left, 1)?;
            if best.as_ref().is_none_or(|best| score > best.score) {
                self.cx.lines.improve(0, m);
                let mut pv = self.cx.lines.root().to_vec();
                self.extend(&mut pv, depth);
                best = Some(RootMove { m, score, pv });
            }
        }
        best.ok_or(Stopped)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.cx.set_budget(budget);
    }

    fn reading(&self) -> Reading {
        self.cx.reading()
    }
}
