//! Interleavings of the threads at a split point, by `loom`: the real code of
//! `src/search/core/parallel`, compiled without the rest of the engine. Run by
//! `scripts/check-loom.sh`.
//!
//! The threads do to the split point what `search_moves` and `Team` do. A helper joins, takes
//! moves, reports and leaves; the owner takes moves and, when it sees no helper at work, relies on
//! the result. The list of split points and the condition variable of `Team` are left out: no claim
//! made here needs their lock.

#![cfg(loom)]

/// The engine's modules that the split point names.
pub mod game {
    pub use crate::score;
}

#[path = "../../src/game/score.rs"]
pub mod score;
#[path = "../../src/search/core/parallel/split_point.rs"]
pub mod split_point;
#[path = "../../src/search/core/parallel/sync.rs"]
mod sync;

#[cfg(test)]
mod tests {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread::{JoinHandle, spawn};

    use crate::score::Score;
    use crate::split_point::SplitPoint;

    const BETA: i32 = 0;

    /// A split point, as the threads of a search see it.
    struct Shared {
        point: Arc<SplitPoint>,
        above: Option<Arc<SplitPoint>>,
        /// The score of each move.
        scores: &'static [i32],
        /// How often each move was searched. Not atomic: loom fails if two threads search one move,
        /// or if the owner reads a count without having synchronized with the thread that wrote it.
        searched: Vec<UnsafeCell<usize>>,
    }

    impl Shared {
        fn new(above: Option<Arc<SplitPoint>>, first: i32, scores: &'static [i32]) -> Arc<Shared> {
            Arc::new(Shared {
                point: Arc::new(SplitPoint::new(
                    above.clone(),
                    1,
                    scores.len(),
                    Score(first),
                    Score(BETA),
                )),
                above,
                scores,
                searched: scores.iter().map(|_| UnsafeCell::new(0)).collect(),
            })
        }

        /// Takes moves until none is left. A search is given up if a split point above is closed:
        /// then `false`.
        fn search_moves(&self) -> bool {
            while let Some(index) = self.point.take() {
                if self.above.is_some() && self.point.is_closed() {
                    return false;
                }
                // SAFETY: loom checks that no other thread accesses it at the same time.
                self.searched[index].with_mut(|count| unsafe { *count += 1 });
                let score = self.scores[index];
                self.point.report(index, Score(score));
                if score >= BETA {
                    assert_eq!(self.point.take(), None, "the cutoff has closed it");
                }
            }
            true
        }

        /// Starts `count` helpers.
        fn helpers(shared: &Arc<Shared>, count: usize) -> Vec<JoinHandle<()>> {
            let help = |shared: Arc<Shared>| {
                shared.point.join();
                shared.search_moves();
                shared.point.leave();
            };
            (0..count)
                .map(|_| shared.clone())
                .map(|shared| spawn(move || help(shared)))
                .collect()
        }

        /// How often each move was searched.
        fn searched(&self) -> Vec<usize> {
            // SAFETY: loom checks that no other thread writes to it at the same time.
            self.searched
                .iter()
                .map(|count| count.with(|count| unsafe { *count }))
                .collect()
        }
    }

    /// An owner with two helpers in each interleaving. `check` is called when the owner sees no
    /// helper at work while helpers may still come, and after the end of all.
    fn explore(first: i32, scores: &'static [i32], check: fn(&Shared)) {
        loom::model(move || {
            let shared = Shared::new(None, first, scores);
            let helpers = Shared::helpers(&shared, 2);
            shared.search_moves();
            if shared.point.helpers() == 0 {
                check(&shared);
            }
            helpers
                .into_iter()
                .for_each(|helper| helper.join().unwrap());
            assert_eq!(shared.point.helpers(), 0);
            check(&shared);
        });
    }

    #[test]
    fn each_of_two_moves_is_searched_once_and_the_better_one_is_found() {
        explore(-7, &[-5, -3], |shared| {
            assert_eq!(shared.searched(), [1, 1]);
            assert_eq!(shared.point.best(), (Score(-3), Some(1)));
            assert!(!shared.point.is_closed() && !shared.point.has_moves());
        });
    }

    #[test]
    fn of_three_moves_with_equal_scores_the_first_is_found() {
        explore(-7, &[-3, -5, -3], |shared| {
            assert_eq!(shared.searched(), [1, 1, 1]);
            assert_eq!(shared.point.best(), (Score(-3), Some(0)));
        });
    }

    #[test]
    fn the_move_searched_before_stays_the_best_if_no_other_is_better() {
        explore(-2, &[-5, -3], |shared| {
            assert_eq!(shared.searched(), [1, 1]);
            assert_eq!(shared.point.best(), (Score(-2), None));
        });
    }

    #[test]
    fn a_cutoff_closes_the_split_point() {
        explore(-7, &[4, -5, 6], |shared| {
            let searched = shared.searched();
            assert!(shared.point.is_closed() && !shared.point.has_moves());
            assert!(searched[0] == 1 && searched.iter().all(|&count| count <= 1));
            let best = if searched[2] == 1 {
                (Score(6), Some(2))
            } else {
                (Score(4), Some(0))
            };
            assert_eq!(shared.point.best(), best);
        });
    }

    /// The owner is stopped while helpers join.
    #[test]
    fn a_closed_split_point_gives_no_move_to_a_late_helper() {
        loom::model(|| {
            let shared = Shared::new(None, -7, &[-5, -3]);
            let helpers = Shared::helpers(&shared, 2);
            shared.point.close();
            let searched = (shared.point.helpers() == 0).then(|| shared.searched());
            helpers
                .into_iter()
                .for_each(|helper| helper.join().unwrap());
            assert!(searched.is_none_or(|searched| searched == shared.searched()));
            assert!(shared.point.is_closed() && shared.point.take().is_none());
        });
    }

    /// A helper stops because a split point above was closed, and leaves its move unsearched. If
    /// the owner then finds no helper at work, it also finds its own split point closed, and does
    /// not take the result for complete.
    #[test]
    fn an_incomplete_split_point_without_helpers_is_closed() {
        loom::model(|| {
            let above = Arc::new(SplitPoint::new(None, 1, 2, Score(-7), Score(BETA)));
            let shared = Shared::new(Some(above.clone()), -7, &[-5, -3]);
            assert!(shared.point.is_below(&above) && !above.is_below(&shared.point));
            let helpers = Shared::helpers(&shared, 1);
            let cutoff = spawn(move || above.report(1, Score(2)));
            if !shared.search_moves() {
                shared.point.close();
            }
            if shared.point.helpers() == 0 && shared.searched() != [1, 1] {
                assert!(shared.point.is_closed());
            }
            helpers
                .into_iter()
                .for_each(|helper| helper.join().unwrap());
            cutoff.join().unwrap();
            assert!(shared.point.is_closed());
        });
    }
}
