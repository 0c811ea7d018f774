//! Games of Othello in SGF (`GM[2]`), as Quarry and GoGui write them: the main line.
//!
//! `(;FF[4]GM[2]SZ[8]PB[A]PW[B]RE[B+10];B[fe];W[fd]...)`. Squares are two letters, column and row
//! from the top (`fe`), or named as on the board (`f5`). `AB`, `AW`, `AE` and `PL` set up a position.
//! GoGui numbers rows from the bottom. Passes are empty, `tt` or words, and may be omitted. `RE` is
//! `B+10`, `W+Resign`, `B+Time`, `0`. <https://www.red-bean.com/sgf/>

use super::entry::{EntryError, RecordEntry, impossible, unsupported};
use super::format::{begins_game, is_pgn, property};
use super::info::{Ending, StatedResult, Statement, known};
use super::movetext::play;
use crate::game::{IllegalMove, Move, Outcome, Player, quoted};
use crate::games::any::AnyGame;
use crate::games::notation::{Cursor, strip_pass, strip_square};
use crate::games::reversi::discs::{Discs, Grid};

/// The length in bytes of the game in SGF or GGF at the beginning of a text: up to the `)` of its first
/// `(`, or to the line where another game begins. `None` if
/// the text ends before. SGF has escapes and variations; in GGF, which has neither, a value may also
/// end where another game begins.
pub fn length(text: &str, is_sgf: bool) -> Option<usize> {
    let (mut depth, mut is_value, mut is_escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        let was_escaped = std::mem::take(&mut is_escaped);
        // A comment of SGF may have the tags of PGN.
        let is_comment = |line: &str| is_value && is_sgf && is_pgn(line);
        let begins = |line: &str| begins_game(line) && !is_comment(line);
        let is_game = |from| text.get(from..).is_some_and(begins);
        match byte {
            b'\n' if at > 0 && is_game(at + 1) => return Some(at + 1),
            b'(' if is_value && !is_sgf && is_game(at) => return Some(at),
            b'\\' if is_value && is_sgf => is_escaped = !was_escaped,
            b']' if is_value => is_value = was_escaped,
            _ if is_value => {}
            b'[' => is_value = true,
            b'(' if is_sgf => depth += 1,
            b')' if depth <= 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Properties that may have a square, but not a move: texts, then squares that are marked.
const TEXTS_AND_MARKUP: [&str; 33] = [
    "PB", "PW", "EV", "PC", "RO", "DT", "GN", "US", "AN", "SO", "CP", "BT", "WT", "BR", "WR", "C",
    "N", "GC", "ON", "OT", "RU", "TR", "SQ", "MA", "CR", "SL", "LB", "AR", "LN", "DD", "VW", "TB",
    "TW",
];

/// The text of a value.
fn unescape(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().filter(|&c| c != '\n')),
            c if c.is_whitespace() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Reads a game; `board` is at its start.
pub fn parse(board: &AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
    let Some(discs) = board.discs() else {
        return Err(unsupported("SGF", board));
    };
    let mut is_gogui = false;
    let mut header = Cursor::new(text);
    header.eat_while(|c| c.is_whitespace() || c == '(');
    header.eat(';');
    while let Some((name, values)) = property(&mut header) {
        let value = values.first().copied().unwrap_or_default().trim();
        match name {
            "AP" => is_gogui = value.starts_with("GoGui"),
            // GoGui writes Go's number for all games.
            "GM" if value != "2" && value != "1" => {
                let error = format!("the game is SGF's game {}, expected 2", quoted(value));
                return Err(impossible(error).at(text, value));
            }
            "SZ" if value
                .split(':')
                .any(|side| side.trim() != discs.grid.size.to_string()) =>
            {
                let (found, expected) = (quoted(value), discs.grid.size);
                let error = format!("the board has size {found}, expected {expected}");
                return Err(impossible(error).at(text, value));
            }
            _ => {}
        }
    }
    let read = |from_bottom| {
        let mut line = MainLine {
            text,
            grid: discs.grid,
            from_bottom,
            entry: RecordEntry::of(board.clone()),
            played: 0,
            is_set_up: false,
            stated: None,
        };
        line.read()?;
        line.entry.add_komi();
        Ok::<_, EntryError>(line.entry)
    };
    // Some programs number rows as GoGui does without naming themselves: then the first move is
    // illegal in the other order.
    read(is_gogui).or_else(|error| read(!is_gogui).map_err(|_| error))
}

/// The main line of a game, while it is read.
struct MainLine<'t> {
    text: &'t str,
    grid: Grid,
    /// Whether rows are numbered from the bottom.
    from_bottom: bool,
    entry: RecordEntry,
    /// The number of moves read, with passes.
    played: usize,
    /// Whether a position was set up.
    is_set_up: bool,
    /// The side to move that was last stated, also before the stones of its node.
    stated: Option<Player>,
}

impl<'t> MainLine<'t> {
    fn read(&mut self) -> Result<(), EntryError> {
        let mut cursor = Cursor::new(self.text);
        loop {
            cursor.eat_while(|c| c.is_whitespace() || matches!(c, '(' | ';'));
            let here = cursor.rest();
            // The first variation ends with the first parenthesis.
            if here.starts_with(')') {
                return Ok(());
            }
            if here.is_empty() {
                return Err(impossible("the game is not closed, expected )").at(self.text, here));
            }
            let Some((name, values)) = property(&mut cursor) else {
                let error = format!("cannot read \"{}\" as SGF", quoted(here));
                return Err(impossible(error).at(self.text, here));
            };
            self.property(name, &values)
                .map_err(|error| error.at(self.text, here))?;
        }
    }

    fn property(&mut self, name: &str, values: &[&'t str]) -> Result<(), EntryError> {
        let value = values.first().copied().unwrap_or_default();
        match name {
            "B" => self.play(Player::First, value)?,
            "W" => self.play(Player::Second, value)?,
            "AB" | "AW" | "AE" => self.set_up(name, values)?,
            "PL" => {
                let is_black = value.trim().starts_with(['B', 'b', '1']);
                self.set_mover(if is_black {
                    Player::First
                } else {
                    Player::Second
                })?;
            }
            _ => self.state(name, &unescape(value))?,
        }
        Ok(())
    }

    /// Reads a property other than moves and stones. Markup on the board is skipped; a move in any other
    /// property is an error.
    fn state(&mut self, name: &str, value: &str) -> Result<(), EntryError> {
        // An unclosed value ends with the next move; in a text that mentions one, its end is escaped.
        let is_swallowed = |sign| {
            let last = value.rsplit_once(&format!(";{sign}["));
            last.is_some_and(|(_, behind)| !behind.contains(']'))
        };
        let is_move = || !value.is_empty() && self.square(value).is_some();
        if is_swallowed('B') || is_swallowed('W') || !TEXTS_AND_MARKUP.contains(&name) && is_move()
        {
            let error = format!("the property {name}[{}] has a move", quoted(value));
            return Err(impossible(error));
        }
        if name == "RU" && value.to_ascii_lowercase().starts_with("anti") {
            let error = format!("the game is RU[{}], expected Othello", quoted(value));
            return Err(impossible(error));
        }
        if name == "RE" && self.entry.statement.is_none() {
            let is_stated = known(value).is_some() && !value.eq_ignore_ascii_case("void");
            let result = parse_result(value);
            self.entry.statement = is_stated.then(|| Statement::for_first(value, result));
        }
        self.entry.state_property(name, value)
    }

    /// The square of a move or stone; `None` for a pass.
    fn square(&self, value: &str) -> Option<Option<u8>> {
        let (value, size) = (value.trim(), self.grid.size);
        let is_pass = value.is_empty() || value.eq_ignore_ascii_case("tt");
        if is_pass || strip_pass(value) == Some("") {
            return Some(None);
        }
        if let Some((square, "")) = strip_square(value, size, 8) {
            return Some(Some(square));
        }
        let [column, row] = *value.as_bytes() else {
            return None;
        };
        let index = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a');
        let (column, row) = (index(column)?, index(row)?);
        if column >= size || row >= size {
            return None;
        }
        let row = if self.from_bottom {
            size - 1 - row
        } else {
            row
        };
        Some(Some(8 * row + column))
    }

    fn play(&mut self, player: Player, value: &str) -> Result<(), EntryError> {
        self.played += 1;
        let ply = self.played;
        let Some(square) = self.square(value) else {
            let error = format!("cannot read \"{}\" as a move (ply {ply})", quoted(value));
            return Err(impossible(error));
        };
        if self.is_set_up && self.stated.is_none() {
            self.set_mover(player)?;
        }
        let game = &mut self.entry.game;
        let m = square.map_or(Move::PASS, Move::to);
        if m.is_pass() && game.outcome().is_some() {
            return Ok(()); // some programs end a game with passes
        }
        let follows_pass = game.must_pass() && !m.is_pass();
        let mover = if follows_pass {
            game.to_move().other()
        } else {
            game.to_move()
        };
        if mover == player && play(game, m).is_ok() {
            return Ok(());
        }
        let word = value.to_owned();
        Err(IllegalMove { word, ply }.into())
    }

    /// The discs of the position, which is the empty board before the first stone is set up.
    fn discs(&self) -> Discs {
        let is_first = !self.is_set_up && self.entry.game.history().is_empty();
        let discs = self.entry.game.discs().filter(|_| !is_first);
        discs.unwrap_or(Discs::empty(self.grid))
    }

    /// Puts stones (`AB`, `AW`) on squares or takes them off (`AE`): `dd`, or `dd:ee` for the
    /// squares of a rectangle.
    fn set_up(&mut self, name: &str, values: &[&str]) -> Result<(), EntryError> {
        if !self.entry.game.history().is_empty() {
            let error = format!("{name} sets up a position after ply {}", self.played);
            return Err(impossible(error));
        }
        let mut discs = self.discs();
        for value in values {
            let (one, other) = value.split_once(':').unwrap_or((value, value));
            let corners = self.square(one).flatten().zip(self.square(other).flatten());
            let Some((one, other)) = corners else {
                let error = format!("cannot read \"{}\" as a square", quoted(value));
                return Err(impossible(error));
            };
            let (rows, columns) = ([one / 8, other / 8], [one % 8, other % 8]);
            let [rows, columns] = [rows, columns].map(|[a, b]| a.min(b)..=a.max(b));
            for square in rows.flat_map(|row| columns.clone().map(move |column| 8 * row + column)) {
                let bit = 1u64 << square;
                if self.grid.squares & bit == 0 {
                    let error = format!("\"{}\" is not a square of the board", quoted(value));
                    return Err(impossible(error));
                }
                (discs.black, discs.white) = (discs.black & !bit, discs.white & !bit);
                match name {
                    "AB" => discs.black |= bit,
                    "AW" => discs.white |= bit,
                    _ => {}
                }
            }
        }
        self.is_set_up = true;
        self.entry.game.set_position(&discs.write())?;
        self.stated.map_or(Ok(()), |player| self.set_mover(player))
    }

    /// Sets the side to move, before the first move. Later it can only state a forced pass.
    fn set_mover(&mut self, player: Player) -> Result<(), EntryError> {
        self.stated = Some(player);
        let game = &mut self.entry.game;
        if game.to_move() == player || game.outcome().is_some() {
            return Ok(());
        }
        if game.must_pass() && !game.history().is_empty() {
            return Ok(game.play(Move::PASS)?);
        }
        if !game.history().is_empty() {
            let error = "PL gives the move to the other side";
            return Err(impossible(format!("{error} after ply {}", self.played)));
        }
        if let Some(mut discs) = game.discs() {
            discs.to_move = player;
            game.set_position(&discs.write())?;
        }
        Ok(())
    }
}

/// Parses the value of `RE`: `B+10`, `W+Resign`, `B+T`, `0`, `Draw`; `None` for `?` and `Void`.
pub fn parse_result(text: &str) -> Option<StatedResult> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("draw") || text == "0" {
        return Some(StatedResult::of(Outcome::Draw));
    }
    let (winner, by) = text.split_once('+')?;
    let by = by.trim();
    let winner = match winner {
        "B" | "b" | "Black" => Player::First,
        "W" | "w" | "White" => Player::Second,
        _ => return None,
    };
    let discs = by.parse::<f64>().ok();
    let is_number = by.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if is_number && !discs.is_some_and(|discs| (0.0..=64.0).contains(&discs)) {
        return None;
    }
    // A fraction comes from the komi: it states the winner alone.
    if let Some(discs) = discs.filter(|discs| discs.fract() == 0.0) {
        return Some(StatedResult::of_discs(discs as i32).seen_from(winner));
    }
    let ending = match by.chars().next() {
        Some('R' | 'r') => Ending::Resignation,
        Some('T' | 't') => Ending::Time,
        Some('F' | 'f') => Ending::RulesInfraction,
        _ => Ending::Normal,
    };
    Some(StatedResult {
        ending,
        ..StatedResult::of(Outcome::win(winner))
    })
}

#[cfg(test)]
mod tests {
    use super::super::format::EntryFormat;
    use super::*;
    use crate::games::any::by_name;

    fn read(text: &str) -> Result<RecordEntry, String> {
        parse(&by_name("othello").unwrap(), text).map_err(|error| error.to_string())
    }

    /// The moves of a game as transcript.
    fn moves(text: &str) -> Result<String, String> {
        let game = read(text)?.game;
        Ok(game.write_moves(game.history()).concat())
    }

    #[test]
    fn squares_are_read_in_every_spelling() {
        for text in [
            "(;FF[4]GM[2]SZ[8];B[fe];W[df];B[cc])",
            "(;GM[2];B[f5];W[D6];B[c3])",
            "(;FF[4]GM[2]AP[Quarry:0.2.0]\n;B[fe]\n;W[df]\n;B[cc])\n",
            // Rows from the bottom: f5 is the fourth row from the top of eight.
            "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]GM[1]SZ[8];B[fd];W[dc];B[cf])",
            "(;FF[4]GM[2]SZ[8];B[fd];W[dc];B[cf])",
            "(;FF[4]GM[2](;B[fe](;W[df];B[cc])(;W[ff]))(;B[cd]))",
            "(;FF[4]GM[2]C[a \\] ) comment (;];B[fe]C[x];W[df];B[cc])",
            "(;FF[4]GM[2];B[fe];W[df];B[cc]C[a \\\\])",
        ] {
            assert_eq!(moves(text), Ok("f5d6c3".into()), "{text}");
            assert_eq!(EntryFormat::of(text), EntryFormat::Sgf, "{text}");
            assert_eq!(
                length(text, true)
                    .and_then(|end| text.get(end..))
                    .map(str::trim),
                Some("")
            );
        }
    }

    #[test]
    fn what_a_game_states_is_read() {
        let entry = read(
            "(;FF[4]GM[2]PB[A \\[1\\]]PW[B]EV[Open]PC[Paris]RO[3]DT[2003-12-15]RE[W+64];B[fe])",
        );
        let info = entry.unwrap().finish(None).info;
        assert_eq!(info.players, [Some("A [1]".into()), Some("B".into())]);
        assert_eq!(info.date.as_deref(), Some("2003-12-15"));
        assert_eq!(info.result, Some(StatedResult::of_discs(-64)));
        for (text, outcome, ending) in [
            ("B+R", Outcome::FirstWins, Ending::Resignation),
            ("W+Time", Outcome::SecondWins, Ending::Time),
            ("B+", Outcome::FirstWins, Ending::Normal),
            ("W+0.5", Outcome::SecondWins, Ending::Normal),
            ("Draw", Outcome::Draw, Ending::Normal),
        ] {
            let found = parse_result(text).unwrap();
            assert_eq!((found.outcome, found.ending), (outcome, ending), "{text}");
        }
        for text in ["?", "Void", "B+64.5", "B+-0.5"] {
            assert_eq!(parse_result(text), None, "{text}");
        }
    }

    #[test]
    fn positions_are_set_up() {
        let text = "(;GM[2]AB[dd:de][fa]AW[ed][ee]PL[W])";
        assert_eq!(
            read(text).unwrap().game.write_position(),
            "5x2/8/8/3xo3/3xo3/8/8/8 o"
        );
        // Any two opposite corners name a rectangle.
        let turned = "(;GM[2]AB[de:dd][fa]AW[ee:ed]PL[W])";
        assert_eq!(
            read(turned).unwrap().game.write_position(),
            "5x2/8/8/3xo3/3xo3/8/8/8 o"
        );
        // Without PL, the first move decides.
        let text = "(;GM[2]AB[dd:de]AW[ed:ee];W[cd])";
        assert_eq!(
            read(text).unwrap().game.start().write_position(),
            "8/8/8/3xo3/3xo3/8/8/8 o"
        );
    }

    #[test]
    fn errors_name_the_ply() {
        for (text, error) in [
            ("(;GM[2];B[fe];W[aa])", "illegal move \"aa\" at ply 2"),
            ("(;GM[2];B[fe];B[df])", "illegal move \"df\" at ply 2"),
            ("(;GM[2];B[zz])", "cannot read \"zz\" as a move (ply 1)"),
            ("(;GM[2]SZ[19];B[fe])", "the board has size 19, expected 8"),
            ("(;GM[11];B[fe])", "the game is SGF's game 11, expected 2"),
            ("(;GM[2];B[fe]W)", "cannot read \"W)\" as SGF"),
            (
                "(;GM[2];B[fe]PL[B])",
                "PL gives the move to the other side after ply 1",
            ),
            (
                "(;GM[2];B[fe];W[df]AB[aa])",
                "AB sets up a position after ply 2",
            ),
        ] {
            assert_eq!(moves(text), Err(error.into()), "{text}");
        }
    }
}
