//! The deepening schedule: pairs of depth and selectivity level.
//!
//! Before the endgame, depths rise at the default level. From some plies before the end the next iteration goes to the
//! end of the game, where the endgame kernels make a ply cheap: at a low level first, then at higher ones. Each
//! iteration leaves its moves in the table and its value as the first guess of the next.
//!
//! Without a clock two selective passes are enough (measurements.md#schedule). With a clock there are four, since each
//! finished one is an answer.

use crate::search::levels;
use crate::search::schedule::{DepthSteps, Iteration};
use crate::search::table::Draft;

use super::CUT_DEPTH;

/// With a clock: the last iteration before those to the end of the game leaves this many plies; searching to the end
/// then costs hardly more than another ply.
const LEAP: u8 = 6;
/// Without a clock the last iteration before the end leaves this many plies; up to [`SHORT`] empties half of them.
const LONG_LEAP: u8 = 9;
/// See [`LONG_LEAP`].
const SHORT: u8 = 18;
/// The greatest depth before the end: where the evaluation saturates, no cut holds.
const PRELUDE: u8 = 16; // tuned: see measurements.md#schedule
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
/// depth; otherwise the default level before the end of the game, and several there, full width last.
pub fn iterations(empties: u8, depth: u8, steps: DepthSteps, asked: Option<u8>, has_cuts: bool) -> Vec<Iteration> {
    let asked = if has_cuts { asked } else { Some(Draft::FULL) };
    let level = asked.unwrap_or(levels::DEFAULT.number);
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
        _ => (empties - LONG_LEAP).min(PRELUDE),
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

    #[test]
    fn schedules_rise_and_end_at_the_depth_and_level_asked() {
        for empties in 1..=60 {
            for depth in 1..=empties {
                for steps in [DepthSteps::AtOnce, DepthSteps::ByTwos, DepthSteps::Clock, DepthSteps::EveryDepth] {
                    for asked in [None, Some(1), Some(3), Some(Draft::FULL)] {
                        let iterations = iterations(empties, depth, steps, asked, true);
                        let end = iterations[iterations.len() - 1];
                        let least = if depth == empties { asked.unwrap_or(Draft::FULL) } else { asked.unwrap_or(1) };
                        assert!(
                            end.depth == depth && end.selectivity >= least,
                            "{empties} {depth} {asked:?}: {iterations:?}"
                        );
                        let rise = |pair: &[Iteration]| {
                            pair[0].depth < pair[1].depth
                                || (pair[0].depth == pair[1].depth && pair[0].selectivity < pair[1].selectivity)
                        };
                        assert!(iterations.windows(2).all(rise), "{empties} {depth}: {iterations:?}");
                    }
                }
            }
        }
    }
}
