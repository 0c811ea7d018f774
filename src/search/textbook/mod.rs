//! The textbook algorithms, one page each, and their searcher for iterative deepening ([`TextbookSearch`]).
//!
//! Reading order: [`minimax`], [`alpha_beta`] (fail-hard), [`fail_soft`], [`nega_scout`], [`mtd_f`]. They are written
//! to be read and to check everything else against; the production search is [`crate::search::nega_scout`].

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};

use super::context::{Budget, Stopped};
use super::deepening::{BoundReport, Pace, Reading, Root, Searcher, Stage};
use super::policy::{Evaluate, step};
use super::{Algorithm, RootMove};

mod alpha_beta;
mod context;
mod fail_soft;
mod memory;
mod minimax;
mod mtdf;
mod nega_scout;

pub use alpha_beta::alpha_beta;
pub use context::TextbookContext;
pub use fail_soft::fail_soft;
pub use minimax::minimax;
pub use mtdf::mtd_f;
pub use nega_scout::nega_scout;

use mtdf::variation;
use nega_scout::search_root;

/// A textbook algorithm. Minimax does not use the table.
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

/// A search of one position by a textbook algorithm.
pub struct TextbookSearch<'a, G: Game, E: Evaluate<G>> {
    /// Evaluator, table, counters.
    pub cx: TextbookContext<'a, E>,
    textbook: Textbook,
    position: G,
    /// All legal moves, in the order in which NegaScout and MTD(f) search them.
    root_moves: Vec<Move>,
}

impl<'a, G: Game, E: Evaluate<G>> TextbookSearch<'a, G, E> {
    /// A search of `position` with the context's evaluator.
    pub fn new(textbook: Textbook, position: G, cx: TextbookContext<'a, E>) -> Self {
        TextbookSearch { cx, textbook, position, root_moves: position.moves().to_vec() }
    }

    /// The value of the best of `moves`, `depth` plies deep, and a move that has it. NegaScout and MTD(f) return a
    /// bound if the value lies outside `bounds`; MTD(f) starts at `guess` and reports its bounds to `bound`.
    pub fn value(
        &mut self,
        depth: u8,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<(Score, Move), Stopped> {
        let TextbookSearch { ref mut cx, textbook, ref position, .. } = *self;
        cx.step = step(cx.evaluator, position, depth);
        if matches!(textbook, Textbook::NegaScout | Textbook::Mtdf) {
            let mut order: Vec<Move> = self.root_moves.iter().copied().filter(|m| moves.contains(m)).collect();
            let found = if textbook == Textbook::NegaScout {
                search_root(cx, position, &mut order, depth, bounds)
            } else {
                mtd_f(cx, position, &mut order, depth, guess, bounds, bound)
            };
            // The next iteration searches the moves in this order.
            let places = self.root_moves.iter_mut().filter(|m| moves.contains(m));
            places.zip(order).for_each(|(place, m)| *place = m);
            return found;
        }
        if moves.len() == self.root_moves.len() {
            let score = full_window(textbook, cx, position, depth, 0)?;
            return Ok((score, self.line(depth)[0]));
        }
        // A subset of the moves: one search each.
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

    /// The principal variation of the last search, completed from the table's exact entries where a table hit cut it
    /// short. It has at least one move.
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
            pv.push(self.root_moves[0]); // a hit on an entry without a move
        }
        pv
    }
}

/// The value of a position `ply` moves from the root, by one of the algorithms that search with the full window.
fn full_window<G: Game, E: Evaluate<G>>(
    textbook: Textbook,
    cx: &mut TextbookContext<'_, E>,
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
        let score = self.cx.evaluator.evaluate(&self.position);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::game::score::Bound;
    use crate::games::drawn_tree::{Branch, DrawnTree};
    use crate::search::context::Watch;
    use crate::search::policy::Zero;
    use crate::search::table::Table;

    /// A random tree of up to `plies` plies, with one to four moves, leaves at any ply and values from -10 to 10.
    fn random_tree(rng: &mut Rng, plies: u64) -> Branch {
        if plies == 0 || rng.below(8) == 0 {
            return Branch::Leaf(rng.below(21) as i32 - 10);
        }
        let moves = 1 + rng.below(4);
        Branch::Moves((0..moves).map(|_| random_tree(rng, plies - 1)).collect())
    }

    /// Checks every algorithm's value or bound against minimax.
    fn check(tree: &DrawnTree, depth: u8, table: Option<&Table>, window: Window, guess: Score) {
        let watch = Watch::default();
        let mut cx = TextbookContext::new(&Zero, table, &watch);
        let value = minimax(&mut cx, tree, depth, 0).unwrap();
        for search in [fail_soft, nega_scout] {
            let score = search(&mut cx, tree, depth, 0, window).unwrap();
            let agrees = match window.classify(score) {
                Bound::Exact => score == value,
                Bound::Lower => score <= value,
                Bound::Upper => score >= value,
            };
            assert!(agrees, "{score} for {value} in {window:?}: {tree:?}");
        }
        assert_eq!(alpha_beta(&mut cx, tree, depth, 0, window).unwrap(), value.clamp(window.alpha, window.beta));
        if tree.final_score().is_some() || depth == 0 {
            return;
        }
        let mut moves = tree.moves();
        let (score, m) = mtd_f(&mut cx, tree, &mut moves, depth, guess, Window::FULL, &mut |_, _, _, _| {}).unwrap();
        assert_eq!(score, value, "from {guess}: {tree:?}");
        assert_eq!(-minimax(&mut cx, &tree.play(m), depth - 1, 1).unwrap(), value);
        let pv = variation(&mut cx, tree, depth, m, score);
        let end = pv.iter().fold(*tree, |position, &m| position.play(m));
        assert!(end.final_score().is_some() || pv.len() == usize::from(depth), "{pv:?}: {tree:?}");
        let score = end.final_score().unwrap_or_default();
        assert_eq!(if pv.len().is_multiple_of(2) { score } else { -score }, value, "{pv:?}: {tree:?}");
    }

    #[test]
    fn every_page_agrees_with_minimax_in_any_window_from_any_guess() {
        let mut rng = Rng::new(7);
        for _ in 0..400 {
            let tree = DrawnTree::build(&random_tree(&mut rng, 5));
            let table = Table::with_bytes(1 << 12);
            for depth in 0..=tree.plies_left() {
                let alpha = Score(rng.below(24) as i32 - 12);
                let window = Window { alpha, beta: alpha + 1 + rng.below(6) as i32 };
                let guess = Score(rng.below(30) as i32 - 15);
                for window in [window, Window::FULL] {
                    check(&tree, depth, None, window, guess);
                    check(&tree, depth, Some(&table), window, guess);
                }
            }
        }
    }
}
