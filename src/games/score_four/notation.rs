//! How moves and positions of Score Four are written and read.

use std::fmt::Write;

use super::{LAYER, ScoreFour, has_line};
use crate::game::{Game, Move, Notation, NotationError, Player};
use crate::games::notation::{
    Cursor, Placed, diagram_row, move_name, piece, plain_piece, read_rows, square_name, strip_pass,
    strip_square, unreadable_move, write_rows,
};

/// Skips the level that some programs write after a column: `a1-2`, `a1z2`, or `a1z` for the next
/// free one. Gravity decides where the stone lands. A digit alone is not a level but a typing
/// error.
fn strip_level(rest: &str) -> &str {
    let Some(marked) = rest.strip_prefix(['-', 'z', 'Z']) else {
        return rest;
    };
    let level = |c: char| ('1'..='4').contains(&c);
    match marked.strip_prefix(level) {
        Some(left) => left,
        None if rest.starts_with('-') => rest,
        None => marked,
    }
}

impl Notation for ScoreFour {
    const MOVE_SYNTAX: &'static str = "a1 to d4";

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        if let Some(rest) = strip_pass(word) {
            return Ok((Move::PASS, rest));
        }
        match strip_square(word, 4, 4) {
            Some((peg, rest)) => Ok((Move::to(peg), strip_level(rest))),
            None => Err(unreadable_move(word, Self::MOVE_SYNTAX)),
        }
    }

    fn write_move(m: Move) -> String {
        move_name(m, 4, "pass")
    }

    fn parse_position(text: &str) -> Result<Self, NotationError> {
        let mut cursor = Cursor::of_position(text);
        let has_layers = cursor.rest().contains(['|', '/']);
        let (mut first, mut second) = (0u64, 0u64);
        for level in 0..4 {
            if level > 0 && has_layers {
                cursor.separator('|', "| and the next layer")?;
            }
            read_rows(&mut cursor, 4, "x, o, a digit or /", |row, column, c| {
                let cell = 1 << (16 * level + 4 * row + column);
                match plain_piece(c) {
                    Some('x' | '*') => first |= cell,
                    Some('o') => second |= cell,
                    Some('.') => {}
                    _ => return Placed::UnknownPiece,
                }
                Placed::Done
            })?;
        }
        let side = cursor.side()?;
        cursor.counters_and_end()?;
        from_stones(first, second, side).map_err(NotationError::ImpossiblePosition)
    }

    fn write_position(&self) -> String {
        let layers: Vec<_> = (0..4)
            .map(|level| write_rows(4, |row, column| piece(self, 16 * level + 4 * row + column)))
            .collect();
        format!("{} {}", layers.join("|"), self.to_move().letter())
    }

    fn diagram(&self) -> String {
        let mut text = String::from("  level 1      level 2      level 3      level 4\n");
        text.push_str(&["  a b c d"; 4].join("    "));
        text.push('\n');
        for row in 0..4 {
            let layers: Vec<_> = (0..4).map(|level| self.diagram_row(level, row)).collect();
            let _ = writeln!(text, "{}", layers.join("    "));
        }
        let _ = writeln!(
            text,
            "{} to move, {} stones",
            self.to_move().letter(),
            self.stones()
        );
        text
    }
}

impl ScoreFour {
    /// A row of a level in the diagram; `+` marks the cells where a stone can be played.
    fn diagram_row(&self, level: u8, row: u8) -> String {
        let cell = |column| match 16 * level + 4 * row + column {
            cell if !self.lost && self.playable() >> cell & 1 != 0 => '+',
            cell => piece(self, cell),
        };
        diagram_row(row, (0..4).map(cell))
    }
}

/// The position with these stones, if its counts, gravity and lines are possible.
fn from_stones(first: u64, second: u64, side: Player) -> Result<ScoreFour, String> {
    let stones = first | second;
    let (x, o) = (first.count_ones(), second.count_ones());
    let expected = match x.checked_sub(o) {
        Some(0) => Player::First,
        Some(1) => Player::Second,
        _ => {
            return Err(format!(
                "{x} x and {o} o: x has as many stones as o, or one more"
            ));
        }
    };
    if side != expected {
        return Err(format!("the wrong side to move: {x} x and {o} o"));
    }
    let hanging = stones & !(stones << 16 | LAYER);
    if hanging != 0 {
        let cell = hanging.trailing_zeros() as u8;
        return Err(format!(
            "the stone on {} of level {} hangs in the air",
            square_name(cell % 16, 4),
            cell / 16 + 1
        ));
    }
    let (own, other) = side.ordered(first, second);
    if has_line(own) {
        return Err("the side to move has a line of four already".into());
    }
    Ok(ScoreFour::of_stones(own, other))
}
