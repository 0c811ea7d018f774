//! The deepening schedule: pairs of depth and selectivity level.
//!
//! Before the endgame, depths rise by twos at the default level or at full width. From some plies
//! before the end, the next iteration goes to the end of the game, where the endgame kernels make a
//! ply cheap: first at a low level, then at higher ones. Each iteration provides table moves and
//! the first guess of the next, and is expected to cost at most six times as many nodes as the
//! previous one (measurements.md#schedule), so that an interrupted search has spent a good part of
//! its nodes on a result.
//!
//! A search for the best move has more iterations to the end than a proof
//! (measurements.md#schedule), since each finished one improves the result.

use crate::search::schedule::{Iteration, Objective, by_twos};
use crate::search::table::Draft;

use super::CUT_DEPTH;

/// The most empties at which the kernel solves the root's children, so that selective iterations
/// have nothing to cut.
const NO_PASSES: u8 = 10;

/// The plies between the last midgame iteration and the end of the game, by empties; `is_full`:
/// whether that iteration is full width. A proof has more of them with 15 to 20 and with 27 and 28
/// empties: midgame nodes are slower than endgame nodes.
fn plies_before_end(empties: u8, objective: Objective, is_full: bool) -> u8 {
    match (empties, objective.deepening()) {
        (0..=NO_PASSES, _) => 4, // tuned: see measurements.md#schedule
        (11..=14, Objective::Proof) => empties.div_ceil(2),
        (17.., Objective::Proof) if is_full => 10,
        (15..=20 | 27..=28, Objective::Proof) => 8,
        (17..=26, _) if is_full => 8,
        (27.., _) if is_full => 12,
        (11..=28, _) => 6,
        (29..=34, _) => 4,
        _ => 2,
    }
}

/// The numbers of the [levels](crate::search::levels::LEVELS) below full width at which the end is
/// searched first, by the empties.
fn selective_passes(empties: u8, objective: Objective) -> &'static [u8] {
    match (empties, objective.deepening()) {
        (0..=NO_PASSES, _) => &[],
        (11..=14, _) => &[2],
        (15..=16, _) => &[1, 2],
        (17..=26, Objective::Proof) => &[1, 2, 4],
        (_, Objective::Proof) => &[1, 3, 5],
        (17..=20, _) => &[1, 2, 3, 4, 6],
        _ => &[1, 2, 3, 5],
    }
}

/// The iterations to `depth` in a position with this many `empties`. Before the end of the game,
/// they have the requested level (`asked`), or else `midgame_level`. At the end, the requested
/// level, or full width, follows lower ones; requested full width is used alone.
pub fn iterations(
    empties: u8,
    depth: u8,
    objective: Objective,
    asked: Option<u8>,
    midgame_level: u8,
) -> Vec<Iteration> {
    let level = asked.unwrap_or(midgame_level);
    let midgame = |depth: u8| {
        by_twos(depth)
            .into_iter()
            .map(|iteration| selective(iteration.depth, level))
    };
    if depth < empties {
        return midgame(depth).collect();
    }
    let before = empties.saturating_sub(plies_before_end(empties, objective, level == Draft::FULL));
    let passes = match asked {
        Some(Draft::FULL) => &[],
        _ => selective_passes(empties, objective),
    };
    let last = asked.unwrap_or(Draft::FULL);
    let levels = passes
        .iter()
        .copied()
        .filter(|&pass| pass < last)
        .chain([last]);
    midgame(before)
        .chain(levels.map(|level| selective(depth, level)))
        .collect()
}

/// An iteration at this level; it is full width where no child of the root is deep enough for a cut.
fn selective(depth: u8, level: u8) -> Iteration {
    Iteration {
        depth,
        selectivity: if depth <= CUT_DEPTH {
            Draft::FULL
        } else {
            level
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::levels::DEFAULT;

    const OBJECTIVES: [Objective; 3] = [
        Objective::BestMove,
        Objective::Proof,
        Objective::LastIteration,
    ];

    /// Checks the schedules of all positions with these settings.
    fn check(objective: Objective, asked: Option<u8>, default: u8) {
        for empties in 1..=60 {
            for depth in 1..=empties {
                let iterations = iterations(empties, depth, objective, asked, default);
                let end = iterations[iterations.len() - 1];
                let least = if depth == empties {
                    asked.unwrap_or(Draft::FULL)
                } else {
                    asked.unwrap_or(1)
                };
                let context = format!("{empties} {depth} {asked:?} {default}: {iterations:?}");
                assert!(end.depth == depth && end.selectivity >= least, "{context}");
                let rises = |pair: &[Iteration]| match (pair[0], pair[1]) {
                    (one, two) if one.depth == two.depth => one.selectivity < two.selectivity,
                    (one, two) => one.depth < two.depth,
                };
                assert!(iterations.windows(2).all(rises), "{context}");
                let is_selective = |iteration: &Iteration| iteration.selectivity != Draft::FULL;
                assert!(
                    asked != Some(Draft::FULL) || !iterations.iter().any(is_selective),
                    "{context}"
                );
                let is_shallow = |iteration: &&Iteration| iteration.depth <= CUT_DEPTH;
                assert!(
                    !iterations.iter().filter(is_shallow).any(is_selective),
                    "{context}"
                );
                let mut before = iterations
                    .iter()
                    .filter(|iteration| iteration.depth < empties);
                assert!(
                    asked.unwrap_or(default) != Draft::FULL || !before.any(is_selective),
                    "{context}"
                );
            }
        }
    }

    #[test]
    fn schedules_rise_and_end_at_the_requested_depth_and_level() {
        for objective in OBJECTIVES {
            for asked in [None, Some(1), Some(3), Some(Draft::FULL)] {
                for default in [DEFAULT.number, Draft::FULL] {
                    check(objective, asked, default);
                }
            }
        }
    }
}
