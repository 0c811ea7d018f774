//! The textbook algorithms behind the interface of iterative deepening ([`Searcher`]).

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::search::answer::{Certainty, RootMove};
use crate::search::core::policy::{Evaluate, step};
use crate::search::schedule::{Iteration, Objective};
use crate::search::searcher::{BoundReport, Root, Searcher, static_answer};
use crate::search::settings::Algorithm;
use crate::search::stats::SearchStats;
use crate::search::stop::{Budget, Stopped};

use super::alpha_beta::alpha_beta;
use super::context::TextbookContext;
use super::fail_soft::fail_soft;
use super::minimax::minimax;
use super::mtdf::{mtd_f, variation};
use super::nega_scout::search_root;

/// A search of one position by a textbook algorithm.
pub struct TextbookSearch<'a, G: Game, E: Evaluate<G>> {
    /// Evaluator, table, statistics.
    pub cx: TextbookContext<'a, E>,
    algorithm: Algorithm,
    position: G,
    /// All legal moves, in the order of search (NegaScout and MTD(f)).
    root_moves: Vec<Move>,
}

impl<'a, G: Game, E: Evaluate<G>> TextbookSearch<'a, G, E> {
    /// A search of `position` by any algorithm but [`Algorithm::Auto`] with the context's
    /// evaluator. Minimax does not use the table.
    pub fn new(algorithm: Algorithm, position: G, mut cx: TextbookContext<'a, E>) -> Self {
        cx.table = cx.table.filter(|_| algorithm.uses_table());
        TextbookSearch {
            cx,
            algorithm,
            position,
            root_moves: position.moves().to_vec(),
        }
    }

    /// Returns the value of the best of `moves` at `depth` plies, and that move. NegaScout and
    /// MTD(f) return a bound if the value lies outside `bounds`. MTD(f) starts at `guess` and calls
    /// `bound` with each bound.
    pub fn value(
        &mut self,
        depth: u8,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<(Score, Move), Stopped> {
        let TextbookSearch {
            ref mut cx,
            algorithm,
            ref position,
            ..
        } = *self;
        cx.step = step(cx.evaluator, position, depth);
        if matches!(algorithm, Algorithm::NegaScout | Algorithm::Mtdf) {
            let mut order: Vec<Move> = self
                .root_moves
                .iter()
                .copied()
                .filter(|m| moves.contains(m))
                .collect();
            let found = if algorithm == Algorithm::NegaScout {
                search_root(cx, position, &mut order, depth, bounds)
            } else {
                mtd_f(cx, position, &mut order, depth, guess, bounds, bound)
            };
            // Keep the order for the next iteration.
            let places = self.root_moves.iter_mut().filter(|m| moves.contains(m));
            places.zip(order).for_each(|(place, m)| *place = m);
            return found;
        }
        if moves.len() == self.root_moves.len() {
            let score = full_window(algorithm, cx, position, depth, 0)?;
            return Ok((score, self.line(depth)[0]));
        }
        // A subset of the moves: search each move separately.
        let mut best: Option<(Score, Move)> = None;
        cx.pv.clear(0);
        for &m in moves {
            let score = -full_window(algorithm, cx, &position.play(m), depth - G::cost(m), 1)?;
            if best.is_none_or(|(best, _)| score > best) {
                cx.pv.update(0, m);
                best = Some((score, m));
            }
        }
        best.ok_or(Stopped::Limit)
    }

    /// The PV of the last search, at least one move. A PV that ends at a table cutoff is extended
    /// by exact table entries.
    fn line(&self, depth: u8) -> Vec<Move> {
        let mut pv = self.cx.pv.root().to_vec();
        let (mut position, mut left) = (self.position, depth);
        for &m in &pv {
            (position, left) = (position.play(m), left - G::cost(m));
        }
        while let Some(m) = self
            .cx
            .probe_table(&position, left)
            .exact_move()
            .filter(|m| position.moves().contains(m))
        {
            pv.push(m);
            (position, left) = (position.play(m), left - G::cost(m));
        }
        if pv.is_empty() {
            pv.push(self.root_moves[0]); // a cutoff by an entry without a move
        }
        pv
    }
}

/// Runs minimax, alpha-beta or, by default, its fail-soft variant with the full window, `ply` plies
/// from the root.
fn full_window<G: Game, E: Evaluate<G>>(
    algorithm: Algorithm,
    cx: &mut TextbookContext<'_, E>,
    position: &G,
    depth: u8,
    ply: u8,
) -> Result<Score, Stopped> {
    match algorithm {
        Algorithm::Minimax => minimax(cx, position, depth, ply),
        Algorithm::AlphaBeta => alpha_beta(cx, position, depth, ply, Window::FULL),
        _ => fail_soft(cx, position, depth, ply, Window::FULL),
    }
}

impl<G: Game, E: Evaluate<G>> Searcher for TextbookSearch<'_, G, E> {
    fn root(&self) -> Root {
        Root::of(&self.position)
    }

    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration> {
        let first = match objective {
            Objective::LastIteration => depth.max(1),
            _ => 1,
        };
        (first..=depth).map(Iteration::full).collect()
    }

    fn evaluate(&mut self, moves: &[Move]) -> RootMove {
        let evaluator = self.cx.evaluator;
        self.cx.enter_static();
        static_answer(&self.position, moves, |position| {
            let score = evaluator.evaluate(position);
            self.cx.leaf(score)
        })
    }

    fn search(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        self.cx.trace_iteration(iteration, guess);
        let (score, m) = self.value(iteration.depth, guess, bounds, moves, bound)?;
        self.cx.trace_variation();
        let is_proven = iteration.depth >= self.position.plies_left() || score.is_decided();
        let has_no_pv = matches!(self.algorithm, Algorithm::NegaScout | Algorithm::Mtdf);
        let pv = if has_no_pv {
            Vec::new()
        } else {
            self.line(iteration.depth)
        };
        let mut root = RootMove::heuristic(m, score, pv);
        // The PV of a proven result may be incomplete: table entries may have been overwritten.
        if has_no_pv || (is_proven && !root.leads_to_end(&self.position, Certainty::Exact)) {
            if is_proven {
                self.cx.stop.begin_line();
            }
            root.pv = variation(
                &mut self.cx,
                &self.position,
                iteration.depth,
                m,
                score,
                bounds,
            );
        }
        self.cx.end_line(&root.pv);
        Ok(root)
    }

    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool {
        root.leads_to_end(&self.position, claim)
    }

    fn set_budget(&mut self, budget: Budget) {
        self.cx.stop.set_budget(budget);
    }

    fn stats(&self) -> SearchStats {
        self.cx.stats()
    }
}
