//! Board data for the scripts of pages: the shape of a board, the contents of its cells, and the
//! cells that a move changes.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::games::any::{AnyGame, by_name};

/// The shape of a game's board.
pub fn board_shape(name: &str) -> Result<Value> {
    let game = by_name(name).with_context(|| format!("unknown game: {name}"))?;
    let [layers, rows, columns] = shape(&game);
    ensure!(
        cells(&game.write_position()).len() == layers * rows * columns,
        "the board of {name} is not rectangular"
    );
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

/// The numbers of layers, rows and columns of a game's board.
pub fn shape(game: &AnyGame) -> [usize; 3] {
    let text = game.write_position();
    let layers = 1 + text.matches('|').count();
    let rows = 1 + text
        .split('|')
        .next()
        .map_or(0, |layer| layer.matches('/').count());
    [layers, rows, cells(&text).len() / (layers * rows)]
}

/// The contents of each cell of the board, in the order of the position's notation.
pub fn cells(position: &str) -> Vec<char> {
    let board = position
        .rsplit_once(' ')
        .map_or(position, |(board, _)| board);
    let mut cells = Vec::new();
    for c in board.chars() {
        match c.to_digit(10) {
            Some(run) => cells.extend(std::iter::repeat_n('.', run as usize)),
            None if c == '/' || c == '|' => {}
            None => cells.push(c),
        }
    }
    cells
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

/// The cells of the winning line of a game without discs: a full row of equal pieces.
pub fn winning_line(board: &[char], [layers, rows, columns]: [usize; 3]) -> Option<Vec<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::NAMES;

    #[test]
    fn every_board_has_a_shape() {
        for name in NAMES {
            let board = board_shape(name).unwrap();
            let [layers, rows, columns] =
                ["layers", "rows", "columns"].map(|key| board[key].as_u64().unwrap());
            assert_eq!(
                layers * rows * columns,
                cells(&by_name(name).unwrap().write_position()).len() as u64,
                "{name}"
            );
            let game = by_name(name).unwrap();
            let before = cells(&game.write_position());
            for m in game.moves() {
                let mut played = game.clone();
                played.play(m).unwrap();
                let after = cells(&played.write_position());
                let filled = (0..after.len())
                    .find(|&index| before[index] == '.' && after[index] != '.')
                    .unwrap() as u64;
                let row = filled / columns % rows;
                let number = if board["topFirst"] == true {
                    row + 1
                } else {
                    rows - row
                };
                assert!(game.write_move(m).ends_with(&number.to_string()), "{name}");
            }
            let known = match name {
                "othello" => (1, 8, 8),
                "diamond" => (1, 6, 6),
                "tictactoe" => (1, 3, 3),
                "scorefour" => (4, 4, 4),
                _ => continue,
            };
            assert_eq!((layers, rows, columns), known, "{name}");
        }
    }

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
}
