//! The deepening schedule: pairs of depth and selectivity level.
//!
//! Before the endgame, depths rise at the default level or at full width ([`SelectiveSearches`]). From some plies
//! before the end the next iteration goes to the end of the game, where the endgame kernels make a ply cheap: at a low
//! level first, then at higher ones. Each leaves its moves in the table and its value as the first guess of the next.
//!
//! Without a clock two selective passes are enough (measurements.md#schedule). With a clock there are four, since each
//! finished one is an answer.

use crate::search::levels;
use crate::search::schedule::{DepthSteps, Iteration};
use crate::search::table::Draft;

use super::{CUT_DEPTH, SelectiveSearches};

/// With a clock: the last iteration before those to the end of the game leaves this many plies; searching to the end
/// then costs hardly more than another ply.
const LEAP: u8 = 6;
/// Without a clock the last iteration before the end leaves this many plies; up to [`SHORT`] empties half of them.
const LONG_LEAP: u8 = 9;
/// See [`LONG_LEAP`].
const SHORT: u8 = 18;
/// The greatest depth before the end without a clock: where the evaluation saturates, no cut holds.
const PRELUDE: u8 = 16; // tuned: see measurements.md#schedule
/// The same where these searches are full width.
const FULL_PRELUDE: u8 = 12;
/// Up to this many empties the exact search comes first: it takes less than a millisecond.
const AT_ONCE: u8 = 10;

/// The numbers of the [levels](levels::LEVELS) below full width at which the end is searched first, by the empties.
fn selective_passes(empties: u8, steps: DepthSteps) -> &'static [u8] {
    let with_clock = matches!(steps, DepthSteps::Clock | DepthSteps::EveryDepth);
    match empties {
        0..=AT_ONCE => &[],
        11..=16 => &[2],
        17..=20 if with_clock => &[2, 3, 4, 6],
        _ if with_clock => &[1, 2, 3, 5],
        17..=29 => &[2, 4],
        _ => &[1, 3],
    }
}

/// The iterations to `depth` in a position with this many `empties`. A level that was `asked` for is used at every
/// depth; otherwise the default level before the end of the game if it pays there, and several levels at the end, full
/// width last.
pub fn iterations(
    empties: u8,
    depth: u8,
    steps: DepthSteps,
    asked: Option<u8>,
    searches: SelectiveSearches,
) -> Vec<Iteration> {
    let (asked, default, prelude) = match searches {
        SelectiveSearches::Never => (Some(Draft::FULL), Draft::FULL, FULL_PRELUDE),
        SelectiveSearches::ToTheEnd => (asked, Draft::FULL, FULL_PRELUDE),
        SelectiveSearches::Always => (asked, levels::DEFAULT.number, PRELUDE),
    };
    let level = asked.unwrap_or(default);
    let steps = steps.or_by_twos();
    let midgame = |depth: u8| steps.iterations(depth).into_iter().map(|iteration| selective(iteration.depth, level));
    if depth < empties {
        return midgame(depth).collect();
    }
    if empties <= AT_ONCE {
        return vec![Iteration { depth, selectivity: asked.unwrap_or(Draft::FULL) }];
    }
    let before = match steps {
        DepthSteps::Clock | DepthSteps::EveryDepth => empties.saturating_sub(LEAP),
        _ if empties <= SHORT => empties / 2,
        _ => (empties - LONG_LEAP).min(prelude),
    };
    let levels = match asked {
        Some(level) => vec![level],
        None => [selective_passes(empties, steps), &[Draft::FULL]].concat(),
    };
    midgame(before).chain(levels.into_iter().map(|selectivity| Iteration { depth, selectivity })).collect()
}

/// An iteration of the midgame; it is full width where no child of the root is deep enough for a cut.
fn selective(depth: u8, level: u8) -> Iteration {
    Iteration { depth, selectivity: if depth <= CUT_DEPTH { Draft::FULL } else { level } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_STEPS: [DepthSteps; 4] =
        [DepthSteps::AtOnce, DepthSteps::ByTwos, DepthSteps::Clock, DepthSteps::EveryDepth];

    /// Checks the schedules of all positions with these settings.
    fn check(steps: DepthSteps, asked: Option<u8>, searches: SelectiveSearches) {
        for empties in 1..=60 {
            for depth in 1..=empties {
                let iterations = iterations(empties, depth, steps, asked, searches);
                let end = iterations[iterations.len() - 1];
                let least = if depth == empties { asked.unwrap_or(Draft::FULL) } else { asked.unwrap_or(1) };
                let says = format!("{empties} {depth} {asked:?} {searches:?}: {iterations:?}");
                assert!(end.depth == depth && end.selectivity >= least, "{says}");
                let rises = |pair: &[Iteration]| match (pair[0], pair[1]) {
                    (one, two) if one.depth == two.depth => one.selectivity < two.selectivity,
                    (one, two) => one.depth < two.depth,
                };
                assert!(iterations.windows(2).all(rises), "{says}");
                let is_selective = |iteration: &Iteration| iteration.selectivity != Draft::FULL;
                assert!(searches != SelectiveSearches::Never || !iterations.iter().any(is_selective), "{says}");
                let mut before = iterations.iter().filter(|iteration| iteration.depth < empties);
                assert!(
                    searches != SelectiveSearches::ToTheEnd || asked.is_some() || !before.any(is_selective),
                    "{says}"
                );
            }
        }
    }

    #[test]
    fn schedules_rise_and_end_at_the_depth_and_level_asked() {
        for steps in ALL_STEPS {
            for asked in [None, Some(1), Some(3), Some(Draft::FULL)] {
                for searches in [SelectiveSearches::ToTheEnd, SelectiveSearches::Always] {
                    check(steps, asked, searches);
                }
            }
            check(steps, None, SelectiveSearches::Never);
        }
    }
}
