//! The textbook algorithms, one page each, and their [`Searcher`](super::searcher::Searcher)
//! ([`TextbookSearch`]).
//!
//! Reading order: `minimax`, `alpha_beta` (fail-hard), `fail_soft`, `nega_scout`, `mtd_f`. They are
//! written for clarity and serve as test oracles. The production search is
//! [`crate::search::core::nega_scout`].

mod alpha_beta;
mod context;
mod fail_soft;
mod memory;
mod minimax;
mod mtdf;
mod nega_scout;
mod searcher;

pub use alpha_beta::alpha_beta;
pub use context::TextbookContext;
pub use fail_soft::fail_soft;
pub use minimax::minimax;
pub use nega_scout::nega_scout;
pub use searcher::TextbookSearch;

#[cfg(test)]
mod tests {
    use super::mtdf::{mtd_f, variation};
    use super::*;
    use crate::game::Game;
    use crate::game::rng::Rng;
    use crate::game::score::{Bound, Score, Window};
    use crate::games::drawn_tree::{DrawnTree, TreeSpec};
    use crate::search::core::policy::Zero;
    use crate::search::stop::SearchControl;
    use crate::search::table::Table;

    /// A random tree of up to `plies` plies: one to four moves per node, leaves at any ply, values
    /// from -10 to 10.
    fn random_tree(rng: &mut Rng, plies: u64) -> TreeSpec {
        if plies == 0 || rng.below(8) == 0 {
            return TreeSpec::Leaf(rng.below(21) as i32 - 10);
        }
        let moves = 1 + rng.below(4);
        TreeSpec::Moves((0..moves).map(|_| random_tree(rng, plies - 1)).collect())
    }

    /// Checks the value or bound of every algorithm against minimax.
    fn check(tree: &DrawnTree, depth: u8, table: Option<&Table>, window: Window, guess: Score) {
        let control = SearchControl::default();
        let mut cx = TextbookContext::new(&Zero, table, &control);
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
        assert_eq!(
            alpha_beta(&mut cx, tree, depth, 0, window).unwrap(),
            value.clamp(window.alpha, window.beta)
        );
        if tree.final_score().is_some() || depth == 0 {
            return;
        }
        let mut moves = tree.moves();
        let (score, m) = mtd_f(
            &mut cx,
            tree,
            &mut moves,
            depth,
            guess,
            Window::FULL,
            &mut |_, _| {},
        )
        .unwrap();
        assert_eq!(score, value, "from {guess}: {tree:?}");
        assert_eq!(
            -minimax(&mut cx, &tree.play(m), depth - 1, 1).unwrap(),
            value
        );
        let pv = variation(&mut cx, tree, depth, m, score, Window::FULL);
        let end = pv.iter().fold(*tree, |position, &m| position.play(m));
        assert!(
            end.final_score().is_some() || pv.len() == usize::from(depth),
            "{pv:?}: {tree:?}"
        );
        let score = end.final_score().unwrap_or_default();
        assert_eq!(
            if pv.len().is_multiple_of(2) {
                score
            } else {
                -score
            },
            value,
            "{pv:?}: {tree:?}"
        );
    }

    #[test]
    fn every_algorithm_agrees_with_minimax_for_any_window_and_first_guess() {
        let mut rng = Rng::new(7);
        for _ in 0..400 {
            let tree = DrawnTree::build(&random_tree(&mut rng, 5));
            let table = Table::with_bytes(1 << 12);
            for depth in 0..=tree.plies_left() {
                let alpha = Score(rng.below(24) as i32 - 12);
                let window = Window {
                    alpha,
                    beta: alpha + 1 + rng.below(6) as i32,
                };
                let guess = Score(rng.below(30) as i32 - 15);
                for window in [window, Window::FULL] {
                    check(&tree, depth, None, window, guess);
                    check(&tree, depth, Some(&table), window, guess);
                }
            }
        }
    }
}
