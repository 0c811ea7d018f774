//! Board data for the scripts of pages: the shape of a board, and the cells that a move changes.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::games::any::by_name;

/// The shape of a game's board.
pub fn board_shape(name: &str) -> Result<Value> {
    let game = by_name(name).with_context(|| format!("unknown game: {name}"))?;
    let [layers, rows, columns] = game.board();
    let style = if game.discs().is_some() {
        "discs"
    } else if layers > 1 {
        "balls"
    } else {
        "lines"
    };
    Ok(json!({
        "rows": rows,
        "columns": columns,
        "layers": layers,
        "style": style,
        // Games on lines number their rows as chess does.
        "topFirst": style != "lines",
    }))
}

/// The cells that differ, three characters each: two base-36 digits for the cell, and its new
/// content.
pub fn changes(before: &[char], after: &[char]) -> String {
    let digit = |d: usize| char::from_digit(d as u32, 36).unwrap_or('0');
    let mut changes = String::new();
    for (index, (old, new)) in before.iter().zip(after).enumerate() {
        if old != new {
            changes.extend([digit(index / 36), digit(index % 36), *new]);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::NAMES;

    #[test]
    fn cells_are_those_of_the_notation() {
        for name in NAMES {
            let mut game = by_name(name).unwrap();
            let [layers, rows, columns] = game.board().map(u64::from);
            let top_first = board_shape(name).unwrap()["topFirst"] == true;
            while let Some(&m) = game.moves().last() {
                let before = game.cells();
                let word = game.write_move(m);
                game.play(m).unwrap();
                let after = game.cells();
                let written = game.write_position();
                let (board, _) = written.rsplit_once(' ').unwrap();
                let written = board.chars().flat_map(|c| match c.to_digit(10) {
                    Some(run) => vec!['.'; run as usize],
                    None => vec![c; usize::from(!"/|".contains(c))],
                });
                assert_eq!(written.collect::<Vec<_>>(), after, "{name}");
                assert_eq!(after.len() as u64, layers * rows * columns, "{name}");
                let filled =
                    (0..after.len()).find(|&cell| before[cell] == '.' && after[cell] != '.');
                let Some(filled) = filled else { continue }; // a pass
                let row = filled as u64 / columns % rows;
                let number = if top_first { row + 1 } else { rows - row };
                assert!(word.ends_with(&number.to_string()), "{name} {word}");
            }
        }
    }

    #[test]
    fn the_winning_line_is_found_in_every_direction() {
        let won = |name: &str, text: &str| {
            let mut game = by_name(name).unwrap();
            game.set_position(text).unwrap();
            game.winning_cells()
        };
        assert_eq!(won("tictactoe", "xo1/ox1/2x o"), Some(vec![0, 4, 8]));
        assert_eq!(won("tictactoe", "xxo/xo1/o2 x"), Some(vec![2, 4, 6]));
        assert_eq!(won("tictactoe", "xx1/oo1/3 x"), None);
        assert_eq!(won("othello", "8/8/8/3ox3/3xo3/8/8/8 x"), None);
        let mut balls = by_name("scorefour").unwrap();
        for word in ["a1", "b1", "a1", "b1", "a1", "b1", "a1"] {
            assert_eq!(balls.winning_cells(), None);
            balls.play_legal(word).unwrap();
        }
        assert_eq!(balls.winning_cells(), Some(vec![0, 16, 32, 48]));
    }
}
