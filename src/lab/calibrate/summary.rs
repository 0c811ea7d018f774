//! The table of a calibration.

use std::collections::BTreeMap;

use super::sampling::{STAGES, SampledGame};
use crate::engine::accuracy::{AccuracyRow, AccuracyTable, ErrorSummary, fits_id};

/// The table of these games.
pub(super) fn table(games: &[SampledGame], weights: u64, made_by: String) -> AccuracyTable {
    let mut rows = Vec::new();
    for stage in &STAGES {
        let (least, most) = stage.empties;
        // By depth (the end of the game last) and selectivity.
        let mut errors: BTreeMap<(u8, u8), Vec<i32>> = BTreeMap::new();
        let measured = games.iter().filter(|game| stage.is_measured_in(game.game));
        let positions = measured.flat_map(|game| &game.positions);
        for position in positions.filter(|position| (least..=most).contains(&position.empties)) {
            for score in &position.scores {
                let depth = if score.depth == position.empties { u8::MAX } else { score.depth };
                errors.entry((depth, score.selectivity)).or_default().push(score.score - position.reference);
            }
        }
        let row = |((depth, selectivity), errors): ((u8, u8), Vec<i32>)| {
            let depth = (depth != u8::MAX).then_some(depth);
            let errors = ErrorSummary::of(&errors)?;
            Some(AccuracyRow { empties: stage.empties, reference: stage.reference, depth, selectivity, errors })
        };
        rows.extend(errors.into_iter().filter_map(row));
    }
    AccuracyTable { weights, fits: fits_id(), made_by, rows }
}

#[cfg(test)]
mod tests {
    use super::super::sampling::{SampledPosition, SampledScore};
    use super::*;

    #[test]
    fn errors_are_gathered_by_stage_depth_and_level() {
        let score = |depth, selectivity, score| SampledScore { depth, selectivity, score };
        let position = |empties, reference, scores| SampledPosition { empties, reference, scores };
        let games = [
            SampledGame { game: 0, positions: vec![position(18, 4, vec![score(6, 73, 8), score(18, 73, 5)])] },
            SampledGame {
                game: 1,
                positions: vec![
                    position(20, -2, vec![score(6, 73, -4), score(20, 73, -2)]),
                    position(50, 0, vec![score(6, 73, 20)]), // in no measured game
                ],
            },
            SampledGame { game: 4, positions: vec![position(50, 0, vec![score(6, 73, 10)])] },
        ];
        let table = table(&games, 7, "test".into());
        let text: Vec<String> = table.rows.iter().map(|row| row.to_string()).collect();
        assert_eq!(
            text,
            [
                "17-20 solved   6  73     2  +1.00   3.00   0.0  50.0 100.0 100.0",
                "17-20 solved end  73     2  +0.50   0.50 100.0 100.0 100.0 100.0",
                "49-52 played   6  73     1 +10.00  10.00   0.0   0.0   0.0   0.0",
            ]
        );
        assert_eq!(table.to_string().parse(), Ok(table));
    }
}
