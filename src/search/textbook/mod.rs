//! The textbook algorithms, a page each, and how the deepening driver runs them.
//!
//! Read them in this order: [`minimax`], [`alpha_beta`] (fail-hard), [`fail_soft`], [`nega_scout`], [`mtd_f`].

use crate::game::{Game, Move};
use crate::score::{Score, Window};

use super::context::{Budget, Context, Stopped};
use super::deepening::{BoundReport, Pace, Reading, Root, Searcher, Stage};
use super::policy::{Evaluate, step};
use super::{Algorithm, RootMove};

mod alpha_beta;
mod fail_soft;
mod memory;
mod minimax;
mod mtdf;
mod nega_scout;

pub use alpha_beta::alpha_beta;
pub use fail_soft::fail_soft;
pub use minimax::minimax;
pub use mtdf::mtd_f;
pub use nega_scout::nega_scout;

use mtdf::variation;
use nega_scout::search_root;

/// Which textbook algorithm; minimax has no use for a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Textbook {
    /// [`minimax`].
    Minimax,
    /// [`alpha_beta`].
    AlphaBeta,
    /// [`fail_soft`].
    FailSoft,
    /// [`nega_scout`].
    NegaScout,
    /// [`mtd_f`].
    Mtdf,
}

impl TryFrom<Algorithm> for Textbook {
    type Error = Algorithm;

    fn try_from(algorithm: Algorithm) -> Result<Self, Algorithm> {
        match algorithm {
            Algorithm::Minimax => Ok(Textbook::Minimax),
            Algorithm::AlphaBeta => Ok(Textbook::AlphaBeta),
            Algorithm::FailSoft => Ok(Textbook::FailSoft),
            Algorithm::NegaScout => Ok(Textbook::NegaScout),
            Algorithm::Mtdf => Ok(Textbook::Mtdf),
            Algorithm::Auto => Err(algorithm),
        }
    }
}

/// A textbook algorithm at work on one position.
pub struct TextbookSearch<'a, G: Game, E: Evaluate<G>> {
    /// Evaluator, table, counters.
    pub cx: Context<'a, E>,
    textbook: Textbook,
    position: G,
    /// All legal moves, in the order in which NegaScout and MTD(f) search them.
    root_moves: Vec<Move>,
}

impl<'a, G: Game, E: Evaluate<G>> TextbookSearch<'a, G, E> {
    /// A search of `position` with the context's evaluator.
    pub fn new(textbook: Textbook, position: G, cx: Context<'a, E>) -> Self {
        TextbookSearch { cx, textbook, position, root_moves: position.moves().to_vec() }
    }

    /// The value among `moves`, `depth` plies deep, and a move that has it. NegaScout and MTD(f) find only a bound of a value
    /// outside `bounds`; MTD(f) begins at `guess` and tells `bound` of its bounds.
    pub fn value(
        &mut self,
        depth: u8,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<(Score, Move), Stopped> {
        let TextbookSearch { ref mut cx, textbook, ref position, .. } = *self;
        cx.step = step(cx.brain, position, depth);
        if matches!(textbook, Textbook::NegaScout | Textbook::Mtdf) {
            let mut order: Vec<Move> = self.root_moves.iter().copied().filter(|m| moves.contains(m)).collect();
            let found = if textbook == Textbook::NegaScout {
                search_root(cx, position, &mut order, depth, bounds)
            } else {
                mtd_f(cx, position, &mut order, depth, guess, bounds, bound)
            };
            // The next search begins with the best moves of this one.
            let places = self.root_moves.iter_mut().filter(|m| moves.contains(m));
            places.zip(order).for_each(|(place, m)| *place = m);
            return found;
        }
        if moves.len() == self.root_moves.len() {
            let score = full_window(textbook, cx, position, depth, 0)?;
            return Ok((score, self.line(depth)[0]));
        }
        // Only some of the moves: each is searched for itself.
        let mut best: Option<(Score, Move)> = None;
        cx.lines.clear(0);
        for &m in moves {
            let score = -full_window(textbook, cx, &position.play(m), depth - G::cost(m), 1)?;
            if best.is_none_or(|(best, _)| score > best) {
                cx.lines.improve(0, m);
                best = Some((score, m));
            }
        }
        best.ok_or(Stopped)
    }

    /// The line that the last search found, lengthened where a table entry cut it short by the exact entries behind it; at
    /// least one move.
    fn line(&self, depth: u8) -> Vec<Move> {
        let mut pv = self.cx.lines.root().to_vec();
        let (mut position, mut left) = (self.position, depth);
        for &m in &pv {
            (position, left) = (position.play(m), left - G::cost(m));
        }
        while let Some(m) = self.cx.recall(&position, left).exact_best().filter(|m| position.moves().contains(m)) {
            pv.push(m);
            (position, left) = (position.play(m), left - G::cost(m));
        }
        if pv.is_empty() {
            pv.push(self.root_moves[0]); // the entry of another search, which knew no move
        }
        pv
    }
}

/// The value of a position, `ply` moves from the root, by one of the algorithms that open the whole window at once.
fn full_window<G: Game, E: Evaluate<G>>(
    textbook: Textbook,
    cx: &mut Context<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
) -> Result<Score, Stopped> {
    match textbook {
        Textbook::Minimax => minimax(cx, position, depth, ply),
        Textbook::AlphaBeta => alpha_beta(cx, position, depth, ply, Window::FULL),
        _ => fail_soft(cx, position, depth, ply, Window::FULL),
    }
}

impl<G: Game, E: Evaluate<G>> Searcher for TextbookSearch<'_, G, E> {
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
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        if let Some(table) = self.cx.table {
            table.grow();
        }
        let (score, m) = self.value(stage.depth, guess, bounds, moves, bound)?;
        let pv = match self.textbook {
            Textbook::NegaScout | Textbook::Mtdf => variation(&mut self.cx, &self.position, stage.depth, m, score),
            _ => self.line(stage.depth),
        };
        Ok(RootMove { m, score, pv })
    }

    fn set_budget(&mut self, budget: Budget) {
        self.cx.set_budget(budget);
    }

    fn reading(&self) -> Reading {
        self.cx.reading()
    }
}
