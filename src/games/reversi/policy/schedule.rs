//! The way to a depth: pairs of depth and selectivity.
//!
//! Up to the last plies of the game, depths rise at the boldest level. From some plies before the end the next stage
//! is the end itself, where the kernels of the endgame make a ply cheap: at the boldest level first, then surer. Each
//! stage leaves its moves in the table and its value as the next one's first guess.
//!
//! Without a clock two selective passes are enough (measurements.md#schedule).
//!
//! Against a clock every level is a stage: what is finished is an answer.

use crate::search::deepening::{Pace, Stage};
use crate::search::prob_cut::LEVELS;
use crate::search::table::Draft;

use super::CUT_DEPTH;

/// With a clock: from so many plies before the end of the game on, searching to the end costs hardly more than another ply.
const LEAP: u8 = 6;
/// Without one, depths before the end go to half of the empty squares; with so many of them more pays...
const LONG: u8 = 24;
/// ... up to so many plies before the end...
const LONG_LEAP: u8 = 9;
/// ... and to no more than this: where the evaluation has reached its limit no cut holds, and a depth of 20 took 6 s (FFO #39).
const PRELUDE: u8 = 16;
/// With so few empty squares the exact search is the first: it takes less than a millisecond.
const AT_ONCE: u8 = 10;

/// The levels below full width that a search to the end passes, by the number of empty squares.
fn levels(empties: u8, pace: Pace) -> &'static [u8] {
    match empties {
        0..=AT_ONCE => &[],
        11..=16 => &[1],
        _ if matches!(pace, Pace::Clock | Pace::EveryDepth) => &[1, 2, 3, 5],
        17..=29 => &[1, 3],
        _ => &[1, 2, 3, 4, 5],
    }
}

/// The stages to `depth` in a position with so many `empties`. Whoever asked for a level has it at every depth; else it is the
/// boldest before the end of the game, and there several, full width last.
pub fn stages(empties: u8, depth: u8, pace: Pace, asked: Option<u8>, has_cuts: bool) -> Vec<Stage> {
    let asked = if has_cuts { asked } else { Some(Draft::FULL) };
    let level = asked.unwrap_or(LEVELS[0].number);
    let pace = pace.or_by_twos();
    let midgame = |depth: u8| pace.stages(depth).into_iter().map(|stage| selective(stage.depth, level));
    if depth < empties {
        return midgame(depth).collect();
    }
    if empties <= AT_ONCE {
        return vec![Stage { depth, selectivity: asked.unwrap_or(Draft::FULL) }];
    }
    let before = match pace {
        Pace::Clock | Pace::EveryDepth => empties.saturating_sub(LEAP),
        _ if empties < LONG => empties / 2,
        _ => (empties - LONG_LEAP).min(PRELUDE),
    };
    let levels = match asked {
        Some(level) => vec![level],
        None => [levels(empties, pace), &[Draft::FULL]].concat(),
    };
    midgame(before).chain(levels.into_iter().map(|selectivity| Stage { depth, selectivity })).collect()
}

/// A stage of the midgame; below the first cut every search is full width.
fn selective(depth: u8, level: u8) -> Stage {
    Stage { depth, selectivity: if depth < CUT_DEPTH { Draft::FULL } else { level } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_rise_and_end_where_they_shall() {
        for empties in 1..=60 {
            for depth in 1..=empties {
                for pace in [Pace::AtOnce, Pace::ByTwos, Pace::Clock, Pace::EveryDepth] {
                    for asked in [None, Some(1), Some(3), Some(Draft::FULL)] {
                        let stages = stages(empties, depth, pace, asked, true);
                        let end = stages[stages.len() - 1];
                        let least = if depth == empties { asked.unwrap_or(Draft::FULL) } else { asked.unwrap_or(1) };
                        assert!(
                            end.depth == depth && end.selectivity >= least,
                            "{empties} {depth} {asked:?}: {stages:?}"
                        );
                        let rise = |pair: &[Stage]| {
                            pair[0].depth < pair[1].depth
                                || (pair[0].depth == pair[1].depth && pair[0].selectivity < pair[1].selectivity)
                        };
                        assert!(stages.windows(2).all(rise), "{empties} {depth}: {stages:?}");
                    }
                }
            }
        }
    }
}
