//! The way to a depth: pairs of depth and selectivity.
//!
//! Up to the last plies of the game, depths rise at the boldest level. From `LEAP` plies before the end the next stage
//! is the end itself, where the kernels of the endgame make a ply cheap: at the boldest level first, then ever surer. Each
//! stage leaves its moves in the table and its value as the next one's first guess.

use crate::search::deepening::{Pace, Stage};
use crate::search::prob_cut::LEVELS;
use crate::search::table::Draft;

use super::CUT_DEPTH;

/// From so many plies before the end of the game on, searching to the end costs hardly more than another ply.
const LEAP: u8 = 8;
/// With so few empty squares the exact search is the first: it takes less than a millisecond.
const AT_ONCE: u8 = 10;
/// Without a clock, depths on the way to the end go so far: more would cost what it saves.
const PRELUDE: u8 = 14;

/// The levels below full width that a search to the end passes, by the number of empty squares.
const fn levels(empties: u8) -> &'static [u8] {
    match empties {
        0..=AT_ONCE => &[],
        11..=16 => &[1],
        17..=22 => &[1, 3],
        23..=26 => &[1, 3, 4],
        _ => &[1, 2, 3, 4, 5],
    }
}

/// The stages to `depth` in a position with so many `empties`, to end at the level `asked` for (`None`: the boldest before
/// the end of the game, full width there).
pub fn stages(empties: u8, depth: u8, pace: Pace, asked: Option<u8>) -> Vec<Stage> {
    let boldest = LEVELS[0].number;
    let pace = pace.or_by_twos();
    if depth < empties {
        let last = asked.unwrap_or(boldest);
        let mut stages: Vec<Stage> =
            pace.stages(depth).into_iter().map(|stage| selective(stage.depth, boldest)).collect();
        let end = selective(depth, last);
        if stages.last().is_some_and(|stage| stage.selectivity < end.selectivity) {
            stages.push(end);
        }
        return stages;
    }
    let last = asked.unwrap_or(Draft::FULL);
    if empties <= AT_ONCE {
        return vec![Stage { depth, selectivity: last }];
    }
    let before = match pace {
        Pace::EveryDepth => empties.saturating_sub(LEAP),
        _ => (empties / 2).min(PRELUDE),
    };
    let mut stages: Vec<Stage> = pace.stages(before).into_iter().map(|stage| selective(stage.depth, boldest)).collect();
    let levels = levels(empties).iter().copied().filter(|&level| level < last);
    stages.extend(levels.chain([last]).map(|selectivity| Stage { depth, selectivity }));
    stages
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
                for pace in [Pace::AtOnce, Pace::ByTwos, Pace::EveryDepth] {
                    for asked in [None, Some(1), Some(3), Some(Draft::FULL)] {
                        let stages = stages(empties, depth, pace, asked);
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
