//! Colors a board's diagram for a terminal: the pieces of both players, the legal moves, and the
//! last move.

use anstyle::{AnsiColor, Style};

const FIRST: Style = AnsiColor::Cyan.on_default().bold();
const SECOND: Style = AnsiColor::Yellow.on_default().bold();
const LEGAL: Style = AnsiColor::Green.on_default();
const EMPTY: Style = Style::new().dimmed();

/// The gap between layers that are drawn side by side.
const GAP: &str = "    ";

/// The diagram with escape sequences of color; `last` is the square of the last move, as `f5`.
pub fn paint(diagram: &str, last: Option<&str>) -> String {
    let lines: Vec<String> = diagram
        .lines()
        .map(|line| paint_line(line, last_piece(line, last)))
        .collect();
    lines.join("\n")
}

/// Where in a line the piece of the last move is drawn; of a column of several layers, the topmost
/// piece.
fn last_piece(line: &str, last: Option<&str>) -> Option<usize> {
    let (&column, row) = last?.as_bytes().split_first()?;
    let at = 2 + 2 * usize::from(column.checked_sub(b'a')?);
    let is_row = line.as_bytes().starts_with(row);
    let mut begin = 0;
    let mut found = None;
    for layer in line.split(GAP).filter(|_| is_row) {
        found = layer
            .as_bytes()
            .get(at)
            .filter(|cell| b"xo".contains(cell))
            .map(|_| begin + at)
            .or(found);
        begin += layer.len() + GAP.len();
    }
    found
}

/// Colors pieces and squares, which are single characters between blanks or punctuation,
/// also in the line below the board.
fn paint_line(line: &str, last: Option<usize>) -> String {
    let mut painted = String::new();
    let mut before = ' ';
    let mut rest = line.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let stands_alone = !before.is_alphanumeric()
            && !rest.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        let style = match c {
            'x' => Some(FIRST),
            'o' => Some(SECOND),
            '+' => Some(LEGAL),
            '.' | '?' => Some(EMPTY),
            _ => None,
        };
        match style.filter(|_| stands_alone) {
            Some(style) if last == Some(at) => painted += &format!("{0}{c}{0:#}", style.invert()),
            Some(style) => painted += &format!("{style}{c}{style:#}"),
            None => painted.push(c),
        }
        before = c;
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::{NAMES, by_name};
    use crate::games::record::play_all;

    /// The text without escape sequences, and the positions in it that are drawn inverted.
    fn seen(painted: &str) -> (String, Vec<usize>) {
        let (mut text, mut inverted, mut is_inverted) = (String::new(), Vec::new(), false);
        for (index, part) in painted.split("\x1b[").enumerate() {
            let (codes, shown) = if index == 0 {
                ("", part)
            } else {
                part.split_once('m').unwrap()
            };
            is_inverted = codes != "0" && (is_inverted || codes.split(';').any(|code| code == "7"));
            if is_inverted && !shown.is_empty() {
                inverted.push(text.len());
            }
            text.push_str(shown);
        }
        (text, inverted)
    }

    #[test]
    fn every_board_keeps_its_text_and_shows_the_last_move() {
        for name in NAMES {
            let mut game = by_name(name).unwrap();
            for _ in 0..6 {
                let m = game.moves()[0];
                game.play(m).unwrap();
                let (diagram, word) = (game.diagram(), game.write_move(m));
                let (text, inverted) = seen(&paint(diagram.trim_end(), Some(&word)));
                assert_eq!(text, diagram.trim_end(), "{name}");
                let piece = if game.to_move() == crate::game::Player::First {
                    "o"
                } else {
                    "x"
                };
                assert_eq!(inverted.len(), 1, "{name} {word}\n{diagram}");
                assert_eq!(
                    &text[inverted[0]..=inverted[0]],
                    piece,
                    "{name} {word}\n{diagram}"
                );
            }
            assert!(seen(&paint(&game.diagram(), None)).1.is_empty());
        }
    }

    #[test]
    fn the_last_move_of_a_column_is_its_topmost_piece() {
        let mut game = by_name("scorefour").unwrap();
        play_all(&mut game, "b2 b2 a1").unwrap();
        let diagram = game.diagram();
        let (text, inverted) = seen(&paint(&diagram, Some("b2")));
        let row = text.lines().position(|line| line.starts_with('2')).unwrap();
        let begin: usize = text.lines().take(row).map(|line| line.len() + 1).sum();
        assert_eq!(
            inverted,
            [begin + 9 + GAP.len() + 4],
            "the second layer\n{diagram}"
        );
    }

    #[test]
    fn pieces_and_squares_have_their_colors_and_words_none() {
        assert_eq!(
            paint_line("o to move", None),
            format!("{SECOND}o{SECOND:#} to move")
        );
        let (x, dot, plus) = (FIRST, EMPTY, LEGAL);
        let row = format!("1 {x}x{x:#} {dot}.{dot:#} {plus}+{plus:#}");
        assert_eq!(paint_line("1 x . +", None), row);
        assert_eq!(paint_line("  a b c d", None), "  a b c d");
    }
}
