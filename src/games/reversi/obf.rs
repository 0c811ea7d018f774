//! OBF, the format of problem collections: the squares of a board on one line, the side to move,
//! then scores.
//!
//! `-XO…` with one character a square from a1 (`X` or `*` Black, `O` White, `-` or `.` empty, `?`
//! no square), a blank, the side, then `; MOVE:SCORE` for each move known, or `; score:SCORE` or
//! Edax's `; SCORE` for the position, then a comment from `%` on. Scores are discs for the side to
//! move. Edax ends the list of moves with `--:-127`, a null move with an impossible score, which is
//! skipped. [`super::notation`] parses boards, [`record`](crate::games::record) whole lines.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::discs::{Discs, Grid};
use crate::game::score::Score;
use crate::game::{Move, NotationError};
use crate::games::notation::{Cursor, is_result, move_name, strip_pass, strip_square};

/// A position with the known scores of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position.
    pub discs: Discs,
    /// The value of the position for the side to move: `score:`, or else the largest score of a
    /// move.
    pub value: Option<Score>,
    /// The scores of moves, in the order of the line. Usually all legal moves, best first.
    pub moves: Vec<(Move, Score)>,
}

/// Parses the scores after a position, of moves or (`None`) of the position, up to the end of the
/// text.
///
/// ```
/// use nullwindow::game::score::Score;
/// use nullwindow::games::notation::Cursor;
/// use nullwindow::games::reversi::{Othello, obf};
///
/// let scores = obf::read_scores(Othello::GRID, &mut Cursor::new(" E6:+0; f5:-2; score:+4;")).unwrap();
/// assert_eq!((scores[1].1, scores[2]), (Score(-200), (None, Score(400))));
/// assert_eq!(obf::read_scores(Othello::GRID, &mut Cursor::new(" +18;")), Ok(vec![(None, Score(1800))]));
/// ```
pub fn read_scores(
    grid: Grid,
    cursor: &mut Cursor<'_>,
) -> Result<Vec<(Option<Move>, Score)>, NotationError> {
    let mut scores = Vec::new();
    loop {
        cursor.eat_while(|c| c.is_whitespace() || c == ';');
        if cursor.rest().is_empty() {
            return Ok(scores);
        }
        scores.extend(read_score(grid, cursor)?);
    }
}

/// The score of a move, or of the position; `None` for a field without one.
fn read_score(
    grid: Grid,
    cursor: &mut Cursor<'_>,
) -> Result<Option<(Option<Move>, Score)>, NotationError> {
    let score = |text: &str| {
        text.parse()
            .ok()
            .filter(|discs| (-64..=64).contains(discs))
            .map(|discs| Score(100 * discs))
    };
    let here = cursor.clone();
    let name = cursor.eat_while(|c| !c.is_whitespace() && c != ':' && c != ';');
    if cursor.peek() != Some(':') {
        match score(name) {
            Some(score) => return Ok(Some((None, score))),
            None if is_result(name) => return Ok(None), // of the game, not of the position
            None => {}
        }
    }
    let m = match (strip_square(name, grid.size, 8), strip_pass(name)) {
        _ if name.eq_ignore_ascii_case("score") => None,
        (Some((square, "")), _) => Some(Move::to(square)),
        (_, Some("")) => Some(Move::PASS),
        _ => return Err(here.unexpected("MOVE:DISCS or score:DISCS")),
    };
    cursor.skip_blanks();
    cursor.require(':', ": and a number of discs")?;
    cursor.skip_blanks();
    let here = cursor.clone();
    let number = cursor.eat_while(|c| !c.is_whitespace() && c != ';');
    match score(number) {
        Some(score) => Ok(Some((m, score))),
        None if name == "--" && number.parse::<i32>().is_ok() => Ok(None),
        None => Err(here.unexpected("a number of discs from -64 to +64")),
    }
}

/// The problem as one line, without its line feed.
pub fn write_line(problem: &Problem) -> String {
    let size = problem.discs.grid.size;
    let mut line: String = (0..size)
        .flat_map(|row| (0..size).map(move |column| (row, column)))
        .map(|(row, column)| cell(problem.discs.piece(row, column)))
        .collect();
    line.push_str(problem.discs.to_move.ordered(" X;", " O;").0);
    for (m, score) in &problem.moves {
        line.push_str(&format!(
            " {}:{:+};",
            move_name(*m, 8, "PS").to_uppercase(),
            score.0 / 100
        ));
    }
    let implied = problem.moves.iter().map(|&(_, score)| score).max();
    if let Some(value) = problem.value.filter(|&value| Some(value) != implied) {
        line.push_str(&format!(" score:{:+};", value.0 / 100));
    }
    line
}

/// The character of a square in OBF and GGF.
pub(super) fn cell(piece: char) -> char {
    match piece {
        'x' => 'X',
        'o' => 'O',
        '*' => '?',
        _ => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::{Diamond, Othello};

    fn scores(text: &str) -> Result<(Option<i32>, usize), String> {
        let read = read_scores(Othello::GRID, &mut Cursor::new(text))
            .map_err(|error| error.to_string())?;
        let (moves, values): (Vec<_>, Vec<_>) = read.into_iter().partition(|(m, _)| m.is_some());
        Ok((values.last().map(|(_, score)| score.0), moves.len()))
    }

    #[test]
    fn scores_of_moves_and_of_the_position_are_read() {
        for (text, read) in [
            ("", (None, 0)),
            (" ; ;", (None, 0)),
            (" G8:+18; H1:+12; B1:-4;", (None, 3)),
            (" score:-6;", (Some(-600), 0)),
            (" +18;", (Some(1800), 0)),
            ("-4", (Some(-400), 0)),
            (" G8:+18; +20;", (Some(2000), 1)),
            (" G8:+18; 37-27;", (None, 1)),
            // Edax's unknown move; with a possible score it is a pass.
            (" G8:+18; --:-127;", (None, 1)),
            (" --:-127;", (None, 0)),
            (" --:-12;", (None, 1)),
        ] {
            assert_eq!(scores(text), Ok(read), "{text}");
        }
        for field in ["G8:-127", "PS:-127", "score:-127", "--:x", "--:"] {
            let error = scores(field).unwrap_err();
            assert!(error.contains("a number of discs"), "{field}: {error}");
        }
        for field in ["+65", "-127"] {
            let error = scores(field).unwrap_err();
            assert!(
                error.contains("expected MOVE:DISCS or score:DISCS"),
                "{field}: {error}"
            );
        }
        for (text, error) in [
            (
                " G8:abc;",
                "unexpected \"abc;\", column 5, expected a number of discs from -64 to +64",
            ),
            (
                " k9:+2;",
                "unexpected \"k9:+2;\", column 2, expected MOVE:DISCS or score:DISCS",
            ),
            (
                " g8 +2;",
                "unexpected \"+2;\", column 5, expected : and a number of discs",
            ),
        ] {
            assert_eq!(scores(text), Err(error.into()));
        }
    }

    #[test]
    fn a_problem_is_written_as_one_line() {
        let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;";
        let discs = Discs::read(Othello::GRID, board).unwrap();
        let moves = vec![(Move::to(62), Score(1800)), (Move::PASS, Score(-400))];
        let problem = Problem {
            discs,
            value: Some(Score(1800)),
            moves,
        };
        assert_eq!(write_line(&problem), format!("{board} G8:+18; PS:-4;"));
        assert_eq!(
            write_line(&Problem {
                value: Some(Score(2000)),
                ..problem.clone()
            }),
            format!("{board} G8:+18; PS:-4; score:+20;")
        );
        assert_eq!(
            write_line(&Problem {
                moves: Vec::new(),
                ..problem
            }),
            format!("{board} score:+18;")
        );
        let diamond =
            "??--??".to_string() + "?----?" + "--OX--" + "--XO--" + "?----?" + "??--?? X;";
        let discs = Discs::read(Diamond::GRID, &diamond).unwrap();
        assert_eq!(
            write_line(&Problem {
                discs,
                value: None,
                moves: Vec::new()
            }),
            diamond
        );
    }
}
