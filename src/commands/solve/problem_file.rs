//! The problem file: one problem per line, parsed when it is solved, so that an invalid line does not affect the
//! others.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::engine::setup::{Setup, set_position};
use crate::game::score::{Score, Window};
use crate::game::{Move, quoted};
use crate::games::any::AnyGame;
use crate::games::reversi::obf;

/// An unparsed line.
pub struct ProblemLine {
    /// The line number in the file, from 1; 0 for a position of the command line.
    pub number: usize,
    /// The line.
    pub text: String,
    /// A board of the game.
    pub game: Box<dyn AnyGame>,
    /// Only on which side of this null window the value lies is asked for.
    pub window: Option<Window>,
}

/// A parsed line: the position and the values given in the file.
pub struct ParsedProblem {
    /// The position.
    pub game: Box<dyn AnyGame>,
    /// The given score.
    pub value: Option<Score>,
    /// The given scores of moves.
    pub moves: Vec<(Move, Score)>,
    /// The given number of plies to the end under best play.
    pub plies: Option<u8>,
}

impl ProblemLine {
    /// Parses the line.
    pub fn parse(&self) -> Result<ParsedProblem> {
        let mut game = self.game.boxed_clone();
        if self.number == 0 {
            return Ok(ParsedProblem { game, value: None, moves: Vec::new(), plies: None });
        }
        let Some(grid) = game.discs().map(|discs| discs.grid) else { return parse_moves(game, &self.text) };
        let problem = match obf::read_line(grid, &self.text) {
            Ok(problem) => {
                let problem = problem.context("no position")?;
                game.set_position(&self.text)?;
                problem
            }
            Err(_) => {
                // Before the scores there is another notation, or a list of moves.
                let (position, scores) = self.text.split_once(';').unwrap_or((&self.text, ""));
                set_position(&mut *game, position)?;
                let discs = game.discs().context("no discs")?;
                let board = obf::write_line(&obf::Problem { discs, value: None, moves: Vec::new() });
                obf::read_line(grid, &format!("{board}{scores}"))?.context("no position")?
            }
        };
        if let Some((m, _)) = problem.moves.iter().find(|(m, _)| !game.moves().contains(m)) {
            bail!("a score for {}, which is an illegal move", game.write_move(*m));
        }
        Ok(ParsedProblem { game, value: problem.value, moves: problem.moves, plies: None })
    }
}

/// Parses `moves [; value [; plies or - ...]]`: the moves from the start or another spelling of a position, and the
/// value `win`, `draw` or `loss` for the side to move. Further fields are ignored.
fn parse_moves(mut game: Box<dyn AnyGame>, text: &str) -> Result<ParsedProblem> {
    let mut fields = text.split(';').map(str::trim);
    if let Some(position) = fields.next().filter(|position| !position.is_empty()) {
        set_position(&mut *game, position)?;
    }
    let value = match fields.next() {
        None | Some("") => None,
        Some(word) => Some(match word.to_ascii_lowercase().as_str() {
            "win" => Score(1),
            "draw" => Score(0),
            "loss" => Score(-1),
            _ => bail!("unknown value \"{}\", expected win, draw or loss", quoted(word)),
        }),
    };
    let plies = match fields.next() {
        None | Some("" | "-") => None,
        Some(word) => {
            let plies = word.parse().ok().filter(|&plies: &u8| plies <= game.plies_left());
            Some(plies.with_context(|| format!("\"{}\": expected a number of plies to the end or -", quoted(word)))?)
        }
    };
    Ok(ParsedProblem { game, value, moves: Vec::new(), plies })
}

/// The problems of a file (`-` for standard input).
pub fn load(file: &Path, setup: &Setup, only: Option<(usize, usize)>) -> Result<Vec<ProblemLine>> {
    let text = read(file)?;
    if let Some((first, last)) = only {
        let count = text.lines().count();
        let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
        ensure!(last <= count, "--only {range}: {} has {count} lines", file.display());
    }
    Ok(lines(&text, &*setup.board(None)?, only))
}

/// The position on a board, as the only problem.
pub fn of_board(game: Box<dyn AnyGame>) -> Vec<ProblemLine> {
    vec![ProblemLine { number: 0, text: game.write_position(), game, window: None }]
}

/// The problems of a text; `only` is a range of line numbers.
pub fn lines(text: &str, game: &dyn AnyGame, only: Option<(usize, usize)>) -> Vec<ProblemLine> {
    let (first, last) = only.unwrap_or((1, usize::MAX));
    let numbered = text.lines().zip(1..).filter(|(_, number)| (first..=last).contains(number));
    let wanted = numbered.filter(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '%']));
    let problem = |(line, number): (&str, usize)| {
        let text = line.into();
        ProblemLine { number, text, game: game.boxed_clone(), window: None }
    };
    wanted.map(problem).collect()
}

fn read(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
    } else {
        bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses `A-B` or `A`: line numbers from 1.
pub fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if (1..=last).contains(&first) => Ok((first, last)),
        _ => Err("expected a line number or a range A-B".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_line_numbers_from_one() {
        assert_eq!(parse_range("3-7"), Ok((3, 7)));
        assert_eq!(parse_range("4"), Ok((4, 4)));
        for bad in ["", "0", "7-3", "a-b", "-3", "3-"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }
}
