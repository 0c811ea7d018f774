//! GGF, the Generic Game Format of the game server GGS and NBoard.
//!
//! ```text
//! (;GM[Othello]PC[GGS/os]PB[name]PW[name]RE[+2.000]TI[05:00]TY[8]BO[8 ---…--- *]
//! B[d3//0.01]W[c5/2.39/0.01]B[PA]…;)
//! ```
//!
//! Tags, the starting board (`*` Black, `O` White, `-` empty; blanks are allowed), then each move
//! with optional evaluation and seconds. `RE` is Black's discs minus White's and the komi (`KM`), with
//! `:r` resigned, `:t` on time, `:s` agreed. A count may precede the games of a synchro match. Boards larger than
//! 8x8 are not supported.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::discs::{Discs, Grid};
use super::obf::cell;
use super::{Reversi, Shape};
use crate::game::{Game, IllegalMove, Move, NotationError, Player, is_unprintable, quoted};
use crate::games::notation::{Cursor, move_name, strip_pass, strip_square};

/// A game: tags, starting position and moves.
#[derive(Clone, PartialEq, Debug)]
pub struct GgfGame {
    /// The tags other than `GM`, `BO` and the moves, in the order of the text: `PC` place, `DT`
    /// date, `PB` and `PW` players, `RB` and `RW` ratings, `RE` result, `TI` clocks, `TY` type.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Discs,
    /// The moves; passes may be omitted.
    pub moves: Vec<PlayedMove>,
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayedMove {
    /// The player of the move.
    pub player: Player,
    /// The move.
    pub m: Move,
    /// Its evaluation in discs, from the point of view of its player.
    pub eval: Option<f64>,
    /// The time used.
    pub seconds: Option<f64>,
}

impl GgfGame {
    /// A game without tags and moves.
    pub fn new(start: Discs) -> Self {
        GgfGame {
            tags: Vec::new(),
            start,
            moves: Vec::new(),
        }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())
    }

    /// Adds a tag.
    pub fn add_tag(&mut self, name: &str, value: impl Into<String>) {
        self.tags.push((name.into(), value.into()));
    }

    /// The moves from `position` with the omitted passes, and the position after them. Ignores
    /// passes after the end of the game.
    pub fn line<G: Game>(&self, mut position: G) -> Result<(Vec<PlayedMove>, G), IllegalMove> {
        let mut line = Vec::new();
        for (played, ply) in self.moves.iter().zip(1..) {
            if played.m.is_pass() && position.final_score().is_some() {
                continue;
            }
            let omitted = (position.to_move() != played.player).then_some(PlayedMove {
                player: position.to_move(),
                m: Move::PASS,
                eval: None,
                seconds: None,
            });
            for one in omitted.into_iter().chain([*played]) {
                if !position.moves().contains(&one.m) {
                    let word = write_move(played.m);
                    return Err(IllegalMove { word, ply });
                }
                position = position.play(one.m);
                line.push(one);
            }
        }
        Ok((line, position))
    }

    /// The game as one line, without its line feed.
    pub fn write(&self) -> String {
        let mut text = String::from("(;GM[Othello]");
        for (name, value) in &self.tags {
            let value = value.replace(|c| matches!(c, '[' | ']') || is_unprintable(c), " ");
            // `(;` would begin another game.
            text.push_str(&format!("{name}[{}]", value.replace("(;", "( ;")));
        }
        let size = self.start.grid.size;
        text.push_str(&format!("BO[{size} "));
        for row in 0..size {
            text.extend((0..size).map(|column| match self.start.piece(row, column) {
                'x' => '*',
                piece => cell(piece),
            }));
            text.push(' ');
        }
        text.push_str(if self.start.to_move == Player::First {
            "*]"
        } else {
            "O]"
        });
        for played in &self.moves {
            text.push_str(&played.write());
        }
        text.push_str(";)");
        text
    }
}

impl PlayedMove {
    /// `B[F5/1.50/0.32]`; unknown fields are empty or omitted.
    fn write(&self) -> String {
        let player = if self.player == Player::First {
            'B'
        } else {
            'W'
        };
        let number =
            |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.2}"));
        let fields = format!(
            "{}/{}/{}",
            write_move(self.m),
            number(self.eval),
            number(self.seconds)
        );
        format!("{player}[{}]", fields.trim_end_matches('/'))
    }
}

/// A move as GGF writes it: `F5`, `PA`.
pub fn write_move(m: Move) -> String {
    move_name(m, 8, "PA").to_uppercase()
}

/// Parses a move with evaluation and seconds, as in the tags `B` and `W` and NBoard's `move`:
/// `F5/1.5/0.3`, `F5//3.1`, `PA`. Ignores invalid numbers.
pub fn read_move(grid: Grid, player: Player, text: &str) -> Option<PlayedMove> {
    let mut fields = text.split('/').map(str::trim);
    let word = fields.next()?;
    let m = match (strip_square(word, grid.size, 8), strip_pass(word)) {
        (Some((square, "")), _) => Move::to(square),
        (_, Some("")) => Move::PASS,
        _ => return None,
    };
    let mut number = || {
        fields
            .next()
            .and_then(|field| field.parse::<f64>().ok())
            .filter(|number| number.is_finite())
    };
    Some(PlayedMove {
        player,
        m,
        eval: number(),
        seconds: number(),
    })
}

/// Whether a text begins with a game: `(;`, optionally preceded by a count.
pub fn is_game(text: &str) -> bool {
    let count = |c: char| c.is_ascii_digit() || c.is_whitespace() && c != '\n';
    text.trim_start()
        .trim_start_matches(count)
        .starts_with("(;")
}

/// Parses the game at the cursor, optionally preceded by a count.
pub fn read(grid: Grid, cursor: &mut Cursor<'_>) -> Result<GgfGame, NotationError> {
    cursor.eat_while(|c| c.is_whitespace() || c.is_ascii_digit());
    cursor.require('(', "(; and a game")?;
    cursor.require(';', "; after (")?;
    let mut tags = Vec::new();
    let mut start = None;
    let mut moves = Vec::new();
    loop {
        cursor.eat_while(|c| c.is_whitespace() || c == ';');
        let here = cursor.clone();
        if cursor.eat(')') {
            let start =
                start.ok_or_else(|| here.error("the game has no board".into(), "BO[...]"))?;
            return Ok(GgfGame { tags, start, moves });
        }
        let name = cursor.property("a tag such as PB[name], or ;)")?;
        if name == "BO" {
            start = Some(read_board(grid, &mut cursor.clone())?);
        }
        let value = cursor.value(false)?;
        check_type(grid, name, value).map_err(|(error, expected)| here.error(error, expected))?;
        let player = if name == "B" {
            Player::First
        } else {
            Player::Second
        };
        match name {
            "B" | "W" => moves.push(read_move(grid, player, value).ok_or_else(|| {
                let what = format!(
                    "cannot read \"{}\" as a move (ply {})",
                    quoted(value),
                    moves.len() + 1
                );
                here.error(what, "a move such as B[F5], W[D6/1.5/0.3] or B[PA]")
            })?),
            "BO" | "GM" => {}
            _ => tags.push((name.into(), value.into())),
        }
    }
}

/// Tags that may have a square or a move as value: names, places, and bids for the komi.
const TEXTS: [&str; 9] = ["PB", "PW", "PC", "EV", "RO", "DT", "ID", "KB", "KW"];

/// Checks that a tag belongs to Othello: the name of the game (`GM`); its type (`TY`): `8`, with a
/// synchro game `s8`, preferred colors `8b` or `8w`, a random start `8r20`, a komi `8k`; and no move
/// in an unknown tag.
fn check_type(grid: Grid, name: &str, value: &str) -> Result<(), (String, &'static str)> {
    let value = value.trim();
    let size = grid.size.to_string();
    let kind = value.trim_start_matches('s');
    let (why, expected) = match name {
        "GM" if ["othello", "reversi"].contains(&value.to_ascii_lowercase().as_str()) => {
            return Ok(());
        }
        "TY" if value.is_empty() || is_type(value, &size) => return Ok(()),
        "TY" if value.contains('a') => ("anti-Othello is not supported", "Othello"),
        "TY" if kind.starts_with(char::is_numeric) && !kind.starts_with(&size) => {
            ("its board has another size", "the size of option Game")
        }
        "GM" | "TY" => ("it is not supported", "Othello"),
        "B" | "W" => return Ok(()),
        _ if TEXTS.contains(&name) || read_move(grid, Player::First, value).is_none() => {
            return Ok(());
        }
        _ => {
            let error = format!("the tag {name}[{}] has a move", quoted(value));
            return Err((error, "moves in the tags B and W"));
        }
    };
    let error = format!("the game is {name}[{}]: {why}", quoted(value));
    Err((error, expected))
}

/// Whether the value of `TY` is a game that is supported, on the board of this size.
fn is_type(value: &str, size: &str) -> bool {
    let kind = value.strip_prefix('s').unwrap_or(value).strip_prefix(size);
    kind.is_some_and(|kind| {
        let kind = kind.trim_end_matches('k').trim_start_matches(['b', 'w']);
        kind.strip_prefix('r').map_or(kind.is_empty(), |discs| {
            !discs.is_empty() && discs.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// The board of a text that has only the value of `BO[...]`, optionally in brackets.
pub(super) fn read_board_value(grid: Grid, text: &str) -> Option<Discs> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .map_or(Some(text), |text| text.strip_suffix(']'))?;
    read_board(grid, &mut Cursor::new(inner)).ok()
}

/// Parses the value of `BO[...]`: size, squares, side.
fn read_board(grid: Grid, cursor: &mut Cursor<'_>) -> Result<Discs, NotationError> {
    cursor.skip_blanks();
    let here = cursor.clone();
    let size = cursor.eat_while(|c| c.is_ascii_digit());
    if size != grid.size.to_string() {
        return Err(here.unexpected(format!("a board of size {}", grid.size)));
    }
    let mut board = cursor.up_to(']');
    let mut discs = Discs::read_squares(grid, &mut board)?;
    discs.to_move = board.side()?;
    board.end()?;
    Ok(discs)
}

/// The last position of the first game in the text.
pub fn read_position<S: Shape>(text: &str) -> Result<Reversi<S>, NotationError> {
    let game = read(Reversi::<S>::GRID, &mut Cursor::new(text))?;
    let line = game.line(Reversi::of(&game.start));
    Ok(line
        .map_err(|illegal| NotationError::ImpossiblePosition(illegal.to_string()))?
        .1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;
    use crate::games::record::{Ending, StatedResult, parse};
    use crate::games::reversi::{Eight, Othello};

    const GAME: &str = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_12:33:18.MST]PB[Saio1200]PW[Saio3000]\
        RB[2197.01]RW[2199.72]\
        TI[05:00//02:00]TY[8]RE[-64.000:r]\
        BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
        B[d3//0.01]W[c5/2.39/0.01]B[F6/-1.25]W[f5];)";

    fn game(text: &str) -> GgfGame {
        read(Othello::GRID, &mut Cursor::new(text)).unwrap()
    }

    #[test]
    fn a_game_is_read_replayed_and_written() {
        let game = game(GAME);
        assert_eq!(game.tag("PW"), Some("Saio3000"));
        let stated = StatedResult {
            ending: Ending::Resignation,
            ..StatedResult::of_discs(-64)
        };
        let entry = parse(&by_name("othello").unwrap(), GAME).unwrap();
        assert_eq!(entry.info.result, Some(stated));
        assert_eq!(game.moves.len(), 4);
        assert_eq!(
            (game.moves[0].eval, game.moves[0].seconds),
            (None, Some(0.01))
        );
        assert_eq!(
            (game.moves[2].eval, game.moves[2].seconds),
            (Some(-1.25), None)
        );

        let board = entry.game;
        assert_eq!(board.history().len(), 4);
        assert_eq!(
            game.line(Othello::of(&game.start)).unwrap().1.discs(),
            board.discs().unwrap()
        );
        // `position fen` takes a game too.
        let mut other = by_name("othello").unwrap();
        other.set_position(GAME).unwrap();
        assert_eq!(other.write_position(), board.write_position());

        let again = read(Othello::GRID, &mut Cursor::new(&game.write())).unwrap();
        assert_eq!(again, game);
        assert!(game.write().contains("TY[8]RE[-64.000:r]BO[8 -------- "));
        assert!(
            game.write()
                .ends_with("B[D3//0.01]W[C5/2.39/0.01]B[F6/-1.25]W[F5];)")
        );
    }

    #[test]
    fn passes_are_read_and_filled_in() {
        // Black to move has only the pass; then White plays c7.
        let board =
            "BO[8 --O----- -------- -------- -------- -------- -------- O*------ -------* *]";
        for moves in ["B[PA]W[C7]", "W[C7]", "B[pass//1]W[c7]"] {
            let text = format!("(;GM[Othello]{board}{moves};)");
            let game = game(&text);
            let replayed = parse(&by_name("othello").unwrap(), &text).unwrap().game;
            assert_eq!(replayed.history(), [Move::PASS, Move::to(50)]);
            assert_eq!(
                game.line(Othello::of(&game.start)).unwrap().1.discs(),
                replayed.discs().unwrap()
            );
        }
        // A game may end with a pass.
        let text = format!("(;GM[Othello]{board}B[PA];)");
        assert_eq!(
            read_position::<Eight>(&text).unwrap().to_move(),
            Player::Second
        );
        // Passes in a dead position change nothing.
        let dead =
            "BO[8 *------- -------- -------- -------- -------- -------- -------- -------O *]";
        let text = format!("(;GM[Othello]{dead}B[PA]W[PA];)");
        assert_eq!(
            read_position::<Eight>(&text).unwrap().to_move(),
            Player::First
        );
        let replayed = parse(&by_name("othello").unwrap(), &text).unwrap().game;
        assert!(replayed.history().is_empty());
    }

    #[test]
    fn synchro_games_follow_each_other() {
        let text = format!("2 {GAME}{GAME}\n1 {GAME}\n");
        let mut cursor = Cursor::new(&text);
        for _ in 0..3 {
            assert_eq!(read(Othello::GRID, &mut cursor), Ok(game(GAME)));
        }
        assert_eq!(cursor.rest().trim(), "");
    }

    #[test]
    fn errors_name_place_and_text() {
        let error = |text: &str| read_position::<Eight>(text).unwrap_err().to_string();
        assert_eq!(
            error("(;GM[Othello];)"),
            "the game has no board, column 15, expected BO[...]"
        );
        assert_eq!(
            error("(;GM[Othello]BO[10 --"),
            "unexpected \"10\", column 17, expected a board of size 8"
        );
        assert_eq!(
            error("(;GM[Oth"),
            "unexpected end of the text, column 9, expected ] at the end of a tag"
        );
        assert_eq!(
            error("(;BO[8 --k"),
            "unknown piece \"k\", column 10, expected X, O or -"
        );
        assert_eq!(
            error(&GAME.replace("c5", "a1")),
            "illegal move \"A1\" at ply 2"
        );
        let unreadable = error(&GAME.replace("c5", "k9"));
        assert!(
            unreadable.starts_with("cannot read \"k9/2.39/0.01\" as a move (ply 2), column "),
            "{unreadable}"
        );
    }
}
