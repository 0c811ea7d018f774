//! The data of the replay script: for each move the cells that it changes, so that the script needs
//! no rules.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::arena::client::GameHistory;
use crate::arena::results::record::{GameRecord, result_name};
use crate::arena::results::standings::Standings;
use crate::games::any::by_name;
use crate::games::opening_names::names_reached;
use crate::html::board::changes;

/// The names of the first and second player's pieces.
pub fn piece_names(game: &str) -> [&'static str; 2] {
    let has_discs = by_name(game).is_none_or(|game| game.discs().is_some());
    if has_discs {
        ["black", "white"]
    } else {
        ["X", "O"]
    }
}

/// A game in the format of the replay script.
pub fn game_data(record: &GameRecord, standings: &Standings) -> Result<Value> {
    let mut game = record
        .start_game()
        .with_context(|| format!("the start of game {}", record.own.game))?;
    let cells = |game: &GameHistory| game.rules().map(|game| game.cells()).unwrap_or_default();
    let mut before = cells(&game);
    let start_cells: String = before.iter().collect();
    let mut moves = Vec::new();
    for (played, mover) in record.plies() {
        game.play(&played.word).with_context(|| {
            format!(
                "game {}: \"{}\" cannot be played",
                record.own.game, played.word
            )
        })?;
        let after = cells(&game);
        let changes = changes(&before, &after);
        before = after;
        moves.push(json!([
            played.word,
            changes,
            played.ms,
            played.clock_ms,
            played.depth,
            played.score,
            played.nodes,
            played.origin,
            mover as usize
        ]));
    }
    let game = game.rules().ok();
    let names = game.map(|game| names_reached(game).collect::<Vec<_>>());
    Ok(json!({
        "line": game.and_then(|game| game.winning_cells()),
        "number": record.own.game,
        "round": record.own.round,
        "p1": standings.engine(&record.p1),
        "p2": standings.engine(&record.p2),
        "result": result_name(record.own.result),
        "reason": record.own.reason,
        "detail": record.own.detail,
        "discs": record.discs,
        "limits": record.own.limits,
        "seconds": record.own.seconds,
        "abnormal": record.is_abnormal(),
        "openings": names.unwrap_or_default(),
        "start": start_cells,
        "moves": moves,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::record::tests::sample_record;

    #[test]
    fn each_move_lists_the_changed_cells() {
        let standings = Standings::new(vec!["A".into(), "B \"two\"".into()], None, &[]);
        let data = game_data(&sample_record(1), &standings).unwrap();
        assert_eq!(data["start"].as_str().unwrap().len(), 64);
        // f5: the disc on f5 (row 4, column 5: cell 37 = 11 in base 36) and the disc it flips, e5
        // (cell 36 = 10).
        assert_eq!(data["moves"][0][1], "10x11x");
        assert_eq!(
            (data["p1"].as_u64(), data["p2"].as_u64()),
            (Some(0), Some(1))
        );
        assert_eq!(data["moves"][1][8], 1);
        assert_eq!(data["openings"][0], json!([2, "Perpendicular"]));
    }
}
