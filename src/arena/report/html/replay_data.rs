//! The data of the replay script: for each move the cells that it changes, so that the script needs
//! no rules.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::arena::results::record::GameRecord;
use crate::arena::results::standings::Standings;
use crate::games::any::by_name;
use crate::games::opening_names::names_reached;
use crate::html::board::{cells, changes, shape};

/// The names of the first and second player's pieces.
pub fn piece_names(game: &str) -> [&'static str; 2] {
    let has_discs = by_name(game).is_none_or(|game| game.discs().is_some());
    if has_discs {
        ["black", "white"]
    } else {
        ["X", "O"]
    }
}

/// The cells of the winning line of a game without discs: a full row of equal pieces.
fn winning_line(board: &[char], [layers, rows, columns]: [usize; 3]) -> Option<Vec<usize>> {
    let at = |[layer, row, column]: [i32; 3]| {
        let inside =
            |index: i32, length: usize| usize::try_from(index).ok().filter(|&index| index < length);
        Some(
            (inside(layer, layers)? * rows + inside(row, rows)?) * columns
                + inside(column, columns)?,
        )
    };
    let steps: Vec<[i32; 3]> = (1..27)
        .map(|step| [step / 9 - 1, step / 3 % 3 - 1, step % 3 - 1])
        .collect();
    let starts = (0..board.len()).filter(|&start| board[start] != '.');
    let mut lines = starts.flat_map(|start| {
        let from = [
            start / columns / rows,
            start / columns % rows,
            start % columns,
        ]
        .map(|index| index as i32);
        steps
            .iter()
            .filter(|step| **step != [0; 3])
            .filter_map(move |step| {
                let line =
                    (0..rows as i32).map(|n| at([0, 1, 2].map(|axis| from[axis] + n * step[axis])));
                line.collect::<Option<Vec<usize>>>()
            })
    });
    lines.find(|line| line.iter().all(|&cell| board[cell] == board[line[0]]))
}

/// A game in the format of the replay script.
pub fn game_data(record: &GameRecord, standings: &Standings) -> Result<Value> {
    let mut game = record
        .start_game()
        .with_context(|| format!("the start of game {}", record.game))?;
    let mut before = cells(&game.write_position());
    let start_cells: String = before.iter().collect();
    let shape = shape(&game);
    let mut moves = Vec::new();
    for played in &record.moves {
        let mover = game.to_move() as usize;
        game.play_legal(&played.word).with_context(|| {
            format!("game {}: \"{}\" cannot be played", record.game, played.word)
        })?;
        let after = cells(&game.write_position());
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
            mover
        ]));
    }
    let line = if game.discs().is_some() {
        None
    } else {
        winning_line(&before, shape)
    };
    Ok(json!({
        "line": line,
        "number": record.game,
        "round": record.round,
        "p1": standings.engine(&record.p1),
        "p2": standings.engine(&record.p2),
        "result": record.result,
        "reason": record.reason,
        "detail": record.detail,
        "discs": record.discs,
        "limits": record.limits,
        "seconds": record.seconds,
        "abnormal": record.is_abnormal(),
        "openings": names_reached(&game).collect::<Vec<_>>(),
        "start": start_cells,
        "moves": moves,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::results::record::tests::sample_record;

    #[test]
    fn the_winning_line_is_found_in_every_direction() {
        let board = |text: &str| text.chars().collect::<Vec<char>>();
        assert_eq!(
            winning_line(&board("xo.ox.o.x"), [1, 3, 3]),
            Some(vec![0, 4, 8])
        );
        assert_eq!(
            winning_line(&board("xxo.o.o.x"), [1, 3, 3]),
            Some(vec![2, 4, 6])
        );
        assert_eq!(winning_line(&board("xx.oo.x.."), [1, 3, 3]), None);
        let mut balls = vec!['.'; 64];
        (0..4).for_each(|n| balls[21 * n] = 'o');
        assert_eq!(winning_line(&balls, [4, 4, 4]), Some(vec![0, 21, 42, 63]));
        (0..4).for_each(|n| balls[21 * n] = if n == 1 { 'x' } else { 'o' });
        assert_eq!(winning_line(&balls, [4, 4, 4]), None);
        (0..4).for_each(|n| balls[3 + 16 * n] = 'x');
        assert_eq!(winning_line(&balls, [4, 4, 4]), Some(vec![3, 19, 35, 51]));
    }

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
