//! OBF, the format of problem collections: the squares of a board in a row, the side to move, then scores.
//!
//! `-XO…` with one character a square from a1 (`X` or `*` Black, `O` White, `-` or `.` empty, `?` no square), a blank,
//! the side, then `; MOVE:SCORE` for each move known, or `; score:SCORE` for the position. Scores are discs for the
//! side to move. Edax ends the list of moves with `--:-127`, an unknown move with an impossible score: it is left out.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use super::discs::{Discs, Grid};
use crate::game::score::Score;
use crate::game::{Move, NotationError, Player};
use crate::games::notation::{Cursor, Placed, misplaced, square_name, strip_pass, strip_square};

/// A position and what is known of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position.
    pub discs: Discs,
    /// The value of the position for the side to move, if the line says it (`score:`) or some move's score is known
    /// (the largest).
    pub value: Option<Score>,
    /// The scores of moves, in the order of the line. Usually all legal moves, best first.
    pub moves: Vec<(Move, Score)>,
}

/// Reads one line; an empty line and a comment (`%` or `#`) are `None`.
///
/// ```
/// use nullwindow::game::Game;
/// use nullwindow::games::reversi::{Othello, discs::DiscGame, obf};
/// use nullwindow::game::score::Score;
///
/// let line = "---------------------------OX------XO--------------------------- X; E6:+0; f5:-2;";
/// let problem = obf::read_line(Othello::GRID, line).unwrap().unwrap();
/// assert_eq!(problem.discs, Othello::start().discs());
/// assert_eq!(problem.value, Some(Score(0)));
/// assert_eq!(problem.moves[1].1, Score(-200));
/// ```
pub fn read_line(grid: Grid, line: &str) -> Result<Option<Problem>, NotationError> {
    let mut cursor = Cursor::new(line);
    cursor.skip_blanks();
    if matches!(cursor.peek(), None | Some('%' | '#')) {
        return Ok(None);
    }
    let mut problem = Problem { discs: read_board_and_side(grid, &mut cursor)?, value: None, moves: Vec::new() };
    loop {
        cursor.eat_while(|c| c.is_whitespace() || c == ';');
        if cursor.rest().is_empty() {
            break;
        }
        match read_score(grid, &mut cursor)? {
            ObfField::Move(m, score) => problem.moves.push((m, score)),
            ObfField::Value(score) => problem.value = Some(score),
            ObfField::Nothing => {}
        }
    }
    problem.value = problem.value.or_else(|| problem.moves.iter().map(|&(_, score)| score).max());
    Ok(Some(problem))
}

/// What a field of a line says.
enum ObfField {
    /// The score of a move.
    Move(Move, Score),
    /// The value of the position.
    Value(Score),
    /// Nothing: Edax's `--:-127`.
    Nothing,
}

/// Reads `MOVE:SCORE` or `score:SCORE` up to a `;` or the end.
fn read_score(grid: Grid, cursor: &mut Cursor<'_>) -> Result<ObfField, NotationError> {
    let here = cursor.clone();
    let name = cursor.eat_while(|c| !c.is_whitespace() && c != ':' && c != ';');
    let m = match (strip_square(name, grid.size), strip_pass(name)) {
        _ if name.eq_ignore_ascii_case("score") => None,
        (Some((column, row, "")), _) => Some(Move::to(8 * row + column)),
        (_, Some("")) => Some(Move::PASS),
        _ => return Err(here.unexpected("a move or the word score, then : and a number of discs")),
    };
    cursor.skip_blanks();
    cursor.require(':', "a colon and a number of discs")?;
    cursor.skip_blanks();
    let here = cursor.clone();
    let number = cursor.eat_while(|c| !c.is_whitespace() && c != ';');
    match number.parse::<i32>() {
        Ok(discs @ -64..=64) => {
            let score = Score(100 * discs);
            Ok(m.map_or(ObfField::Value(score), |m| ObfField::Move(m, score)))
        }
        Ok(_) if name == "--" => Ok(ObfField::Nothing),
        _ => Err(here.unexpected("a number of discs from -64 to +64")),
    }
}

/// The problem as one line, without its line feed.
pub fn write_line(problem: &Problem) -> String {
    let size = problem.discs.grid.size;
    let mut line: String = (0..size)
        .flat_map(|row| (0..size).map(move |column| (row, column)))
        .map(|(row, column)| cell(problem.discs.piece(row, column)))
        .collect();
    line.push_str(if problem.discs.to_move == Player::First { " X;" } else { " O;" });
    for (m, score) in &problem.moves {
        let name = if m.is_pass() { "PS".into() } else { square_name(m.square() % 8, m.square() / 8).to_uppercase() };
        line.push_str(&format!(" {name}:{:+};", score.0 / 100));
    }
    match problem.value {
        Some(value) if problem.moves.is_empty() => line.push_str(&format!(" score:{:+};", value.0 / 100)),
        _ => {}
    }
    line
}

/// How OBF and GGF draw a square.
pub(super) fn cell(piece: char) -> char {
    match piece {
        'x' => 'X',
        'o' => 'O',
        '*' => '?',
        _ => '-',
    }
}

/// Reads a position; anything after a `;` behind the side is ignored.
pub fn read_position(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    let discs = read_board_and_side(grid, cursor)?;
    cursor.skip_blanks();
    if !cursor.eat(';') {
        cursor.end()?;
    }
    Ok(discs)
}

fn read_board_and_side(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    let mut discs = read_squares(grid, cursor, |_| {})?;
    if cursor.peek().is_some_and(|c| !c.is_whitespace()) {
        return Err(cursor.unexpected("a blank and the side to move: X or O"));
    }
    discs.to_move = cursor.side()?;
    Ok(discs)
}

/// Reads the characters of all squares of the board's box, calling `between` before each.
pub(super) fn read_squares<'t>(
    grid: Grid,
    cursor: &mut Cursor<'t>,
    between: impl Fn(&mut Cursor<'t>),
) -> Result<Discs, NotationError> {
    let mut discs = Discs::empty(grid);
    for row in 0..grid.size {
        for column in 0..grid.size {
            between(cursor);
            let Some(c) = cursor.peek().filter(|c| !c.is_whitespace()) else {
                let what =
                    format!("the board has only {} of {} squares", row * grid.size + column, grid.size * grid.size);
                return Err(cursor.error(what, "X, O, -, or rows separated by /"));
            };
            let placed = match c {
                'X' | 'x' | '*' | 'B' | 'b' => discs.place(row, column, 'x'),
                'O' | 'o' | 'W' | 'w' => discs.place(row, column, 'o'),
                '-' | '.' => discs.place(row, column, '.'),
                '?' => discs.place(row, column, '*'),
                _ => Placed::UnknownPiece,
            };
            misplaced(cursor, c, placed, "X, O or -", '?')?;
            cursor.bump();
        }
    }
    Ok(discs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::Diamond;
    use crate::games::reversi::Othello;
    use crate::games::reversi::discs::DiscGame;

    const LINE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; B1:-4;";

    #[test]
    fn a_problem_round_trips() {
        let problem = read_line(Othello::GRID, LINE).unwrap().unwrap();
        assert_eq!(problem.value, Some(Score(1800)));
        assert_eq!(problem.moves.len(), 3);
        assert_eq!(problem.moves[2], (Move::to(1), Score(-400)));
        assert_eq!(write_line(&problem), LINE);

        let scored = LINE.split(" G8").next().unwrap().to_string() + " score:-6;";
        let problem = read_line(Othello::GRID, &scored).unwrap().unwrap();
        assert_eq!((problem.value, problem.moves.len()), (Some(Score(-600)), 0));
        assert_eq!(write_line(&problem), scored);
        let diamond = "??--??".to_string() + "?----?" + "--OX--" + "--XO--" + "?----?" + "??--?? X;";
        let problem = read_line(Diamond::GRID, &diamond).unwrap().unwrap();
        assert_eq!(write_line(&problem), diamond);
    }

    #[test]
    fn the_unknown_move_of_edax_is_left_out() {
        let edax = format!("{LINE} --:-127;");
        assert_eq!(read_line(Othello::GRID, &edax), read_line(Othello::GRID, LINE));
        let board = LINE.split(" G8").next().unwrap();
        let problem = read_line(Othello::GRID, &format!("{board} --:-127;")).unwrap().unwrap();
        assert_eq!((problem.value, problem.moves.len()), (None, 0));
        // With a possible score it is a pass; no other move may have an impossible one.
        let problem = read_line(Othello::GRID, &format!("{board} --:-12;")).unwrap().unwrap();
        assert_eq!(problem.moves, [(Move::PASS, Score(-1200))]);
        for field in ["G8:-127", "PS:-127", "score:-127", "--:x", "--:"] {
            let error = read_line(Othello::GRID, &format!("{board} {field};")).unwrap_err().to_string();
            assert!(error.contains("from -64 to +64"), "{field}: {error}");
        }
    }

    #[test]
    fn comments_are_skipped_and_errors_name_the_text() {
        for line in ["", "  ", "# comment", "% FFO"] {
            assert_eq!(read_line(Othello::GRID, line), Ok(None));
        }
        let error = |line: &str| read_line(Othello::GRID, line).unwrap_err().to_string();
        let board = LINE.split(';').next().unwrap();
        assert_eq!(
            error(&format!("{board}; G8:abc;")),
            "unexpected \"abc;\", column 72, expected a number of discs from -64 to +64"
        );
        assert_eq!(
            error(&format!("{board}; k9:+2;")),
            "unexpected \"k9:+2;\", column 69, expected a move or the word score, then : and a number of discs"
        );
        assert_eq!(
            error(&format!("{board}; g8 +2;")),
            "unexpected \"+2;\", column 72, expected a colon and a number of discs"
        );
        assert_eq!(error(&board.replacen('X', "y", 1)), "unknown piece \"y\", column 3, expected X, O or -");
        assert_eq!(
            error("XO- X"),
            "the board has only 3 of 64 squares, column 4, expected X, O, -, or rows separated by /"
        );
    }
}
