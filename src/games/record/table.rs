//! Lists of games: lines of fields separated by tabs, commas or semicolons, by the rules of CSV.
//!
//! The meaning of a field follows from the heading, else from the first lines of the list. One field
//! has the moves. A later line that does not fit is an error.

use csv::{ReaderBuilder, StringRecord, Trim};

use super::entry::{EntryError, RecordEntry, impossible};
use super::info::{Ending, StatedResult, Statement, iso_date, known};
use super::movetext::{count_moves, narrow, play_list};
use crate::game::{Outcome, Player, quoted};
use crate::games::any::AnyGame;

/// The number of lines that decide about the fields of a list without a heading.
pub const SAMPLE: usize = 1_000;
/// The shortest list of moves, in characters, by which a field of moves is known.
const LIST_FIELD: usize = 8;
/// The most lines of a row, in which quoted fields may have line feeds.
const LONGEST_ROW: usize = 100;

/// A list of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    delimiter: u8,
    columns: Vec<Column>,
    has_heading: bool,
    /// Whether the heading is still to be skipped.
    pub is_heading: bool,
}

/// The meaning of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Moves,
    Result,
    /// 1, 0 or -1, the name of a player or of a color.
    Winner,
    Discs(Player),
    Name(Player),
    Date,
    Event,
    Site,
    Round,
    Other,
}

impl Table {
    /// The list whose first line begins a text; `None` if it is not one. Only the first line of a
    /// file can be a heading.
    pub fn find(game: &AnyGame, text: &str, is_first: bool) -> Option<Table> {
        let line = text.lines().next()?;
        [b'\t', b',', b';'].into_iter().find_map(|delimiter| {
            line.contains(char::from(delimiter))
                .then(|| Table::with_delimiter(game, text, delimiter, is_first))?
        })
    }

    fn with_delimiter(game: &AnyGame, text: &str, delimiter: u8, is_first: bool) -> Option<Table> {
        // Moves may be separated by semicolons: only a heading makes them a list of games.
        let line = text
            .lines()
            .next()
            .filter(|_| is_first || delimiter != b';')?;
        let first = fields(line, delimiter)?;
        let has_moves = first.iter().any(looks_like_moves);
        let width = first.len();
        let is_digit = |row: &StringRecord| {
            let last = row.iter().next_back().unwrap_or_default();
            matches!(last.as_bytes(), [b'0'..=b'9'])
        };
        // A heading has no field of moves, but texts.
        let is_name = |field: &str| field.starts_with(char::is_alphabetic);
        let is_heading = is_first && !has_moves && first.iter().all(is_name);
        if width < 2 || count_moves(game, line).is_some() || !has_moves && !is_heading {
            return None;
        }
        let mut lines = text.lines().skip(usize::from(is_heading)).take(SAMPLE);
        let rows = lines.by_ref().filter_map(|line| fields(line, delimiter));
        let rows: Vec<StringRecord> = rows.filter(|row| row.len() == width).collect();
        let cells = |index: usize| {
            let cells = rows.iter().filter_map(move |row| row.get(index));
            cells.filter(|cell| known(cell).is_some())
        };
        // Damaged cells do not change the meaning of the others.
        let most = |index: usize, is_kind: &dyn Fn(&str) -> bool| {
            2 * cells(index).filter(|cell| is_kind(cell)).count() > cells(index).count()
        };
        // Some lists have the number of moves there.
        let is_named = |&index: &usize| {
            let name = first.get(index).unwrap_or_default();
            let is_moves = name.eq_ignore_ascii_case("moves");
            is_moves && !most(index, &|cell| cell.parse::<f64>().is_ok())
        };
        let longest = || {
            (0..width)
                .filter(|&index| most(index, &looks_like_moves))
                .max_by_key(|&index| cells(index).map(str::len).sum::<usize>())
        };
        let named = (0..width).find(is_named).filter(|_| is_heading);
        let moves = named.or_else(longest)?;
        let mut columns: Vec<Column> = match is_heading {
            true => first.iter().map(Column::of_heading).collect(),
            false if delimiter == b';' => return None,
            // A last move that lost its column: `f5 d6 c3,4`.
            false if width == 2 && rows.len() == 1 && is_digit(&first) => return None,
            false => {
                let is_result = |cell: &str| StatedResult::parse(cell).is_some();
                let is_difference = |cell: &str| is_result(cell) && cell.starts_with(['+', '-']);
                let is_zero = |cell: &str| cell == "0";
                let of_content = |index| match () {
                    () if index == moves => Column::Moves,
                    () if most(index, &|cell| is_result(cell) && !is_difference(cell)) => {
                        Column::Result
                    }
                    () if most(index, &|cell| is_difference(cell) || is_zero(cell)) => {
                        Column::Winner
                    }
                    () if most(index, &|cell| cell.len() >= 8 && iso_date(cell).is_some()) => {
                        Column::Date
                    }
                    () if most(index, &|cell| cell.parse::<f64>().is_ok()) => Column::Other,
                    () => Column::Event,
                };
                let mut columns: Vec<Column> = (0..width).map(of_content).collect();
                // A difference may be that of ratings unless it is the only result.
                let count = |kind| columns.iter().filter(|&&column| column == kind).count();
                let is_sole = count(Column::Winner) == 1 && count(Column::Result) == 0;
                if count(Column::Event) == 1 {
                    return None; // whose name is it?
                }
                let mut players = Player::BOTH.into_iter();
                for column in &mut columns {
                    *column = match *column {
                        Column::Winner if is_sole => Column::Result,
                        Column::Winner => Column::Other,
                        Column::Event => players.next().map_or(Column::Other, Column::Name),
                        column => column,
                    };
                }
                columns
            }
        };
        for (index, column) in columns.iter_mut().enumerate() {
            match (index == moves, *column) {
                (true, _) => *column = Column::Moves,
                (false, Column::Moves) => *column = Column::Other,
                _ => {}
            }
        }
        Some(Table {
            delimiter,
            columns,
            has_heading: is_heading,
            is_heading,
        })
    }

    /// The length of the row at the beginning of a text, without its line feed; of a row with an open
    /// quote that of its first line. `None` if the row may go on behind the text, which is not the end
    /// of its file.
    pub fn length(&self, text: &str, is_end: bool) -> Option<usize> {
        let mut ends = text.match_indices('\n').map(|(at, _)| at);
        let line = ends.next()?;
        let is_row = |end: &usize| {
            let row = text.get(..*end).unwrap_or_default();
            !row.contains('"') || fields(row, self.delimiter).is_some()
        };
        if is_row(&line) {
            return Some(line);
        }
        let mut lines = 1;
        for end in ends {
            lines += 1;
            match is_row(&end) {
                true => return Some(end),
                false if lines == LONGEST_ROW => return Some(line),
                false => {}
            }
        }
        is_end.then_some(line)
    }

    /// Reads a row; `board` is at its start.
    pub fn read(&self, mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
        let row = fields(text, self.delimiter)
            .ok_or_else(|| impossible("a quoted field is not closed"))?;
        if row.len() != self.columns.len() {
            let (found, expected) = (row.len(), self.columns.len());
            return Err(impossible(format!(
                "the line has {found} fields, expected {expected} as in the first line of the list"
            )));
        }
        let cell = |wanted| {
            let place = self.columns.iter().position(|&column| column == wanted);
            place.and_then(|index| row.get(index)).unwrap_or_default()
        };
        let moves = narrow(cell(Column::Moves));
        let in_moves = play_list(&mut board, &moves, &moves)?;
        if board.history().is_empty() {
            return Err(impossible("the game has no moves"));
        }
        let mut entry = RecordEntry::of(board);
        let field = |column| known(cell(column));
        let info = &mut entry.info;
        info.players = Player::BOTH.map(|player| field(Column::Name(player)));
        info.event = field(Column::Event);
        info.site = field(Column::Site);
        info.round = field(Column::Round);
        let date = field(Column::Date);
        info.date = date.as_deref().and_then(iso_date);
        let misfit = |column: &str, text: &str| {
            let text = quoted(text);
            impossible(format!(
                "cannot read \"{text}\" as the {column}, as in the lines before"
            ))
        };
        if let Some(date) = date.filter(|_| info.date.is_none() && !self.has_heading) {
            return Err(misfit("date", &date));
        }
        let discs = Player::BOTH.map(|player| field(Column::Discs(player)));
        let winner = field(Column::Winner);
        entry.statement = match (field(Column::Result).or(winner), discs) {
            (Some(text), _) => {
                let stated = self.result(&text, &entry);
                if stated
                    .as_ref()
                    .is_some_and(|stated| stated.result.is_none())
                    && !self.has_heading
                {
                    return Err(misfit("result", &text));
                }
                stated
            }
            (None, [Some(first), Some(second)]) => {
                let text = format!("{first}-{second}");
                let difference = StatedResult::parse(&text).and_then(|result| result.discs);
                entry.state_discs(
                    ("the score", "the stated score"),
                    &text,
                    difference,
                    Ending::Normal,
                )?;
                entry.statement
            }
            _ => in_moves.and_then(Statement::ambiguous),
        };
        Ok(entry)
    }

    /// The result of a field.
    fn result(&self, text: &str, entry: &RecordEntry) -> Option<Statement> {
        let is_winner = self.columns.contains(&Column::Winner);
        let names = entry
            .info
            .players
            .each_ref()
            .map(|name| name.as_deref() == Some(text));
        let by_name = match (text.to_lowercase().as_str(), names) {
            ("black" | "b", _) | (_, [true, false]) => Some(Outcome::FirstWins),
            ("white" | "w", _) | (_, [false, true]) => Some(Outcome::SecondWins),
            ("draw" | "tie", _) => Some(Outcome::Draw),
            _ => None,
        };
        if let Some(outcome) = by_name {
            return Some(Statement::for_first(text, Some(StatedResult::of(outcome))));
        }
        let outcome = match text {
            "1" | "+1" if is_winner => Some(Outcome::FirstWins),
            "-1" if is_winner => Some(Outcome::SecondWins),
            "0" => Some(Outcome::Draw),
            _ => None,
        };
        let statement = Statement::ambiguous(text)?;
        let result = outcome.map(StatedResult::of).or(statement.result);
        Some(Statement {
            result,
            ..statement
        })
    }
}

impl Column {
    /// The meaning of a field with this name.
    fn of_heading(name: &str) -> Column {
        let name = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let player = match () {
            () if has(&["black", "first", "player1", "p1", "x_"]) => Some(Player::First),
            () if has(&["white", "second", "player2", "p2", "o_"]) => Some(Player::Second),
            () => None,
        };
        match player {
            _ if has(&["rating", "elo", "time", "_id", "count", "number"]) || name == "id" => {
                Column::Other
            }
            Some(player) if has(&["score", "disc", "stone"]) => Column::Discs(player),
            Some(player) => Column::Name(player),
            None if has(&["winner"]) => Column::Winner,
            None if has(&["result", "score", "disc"]) => Column::Result,
            None if has(&["date"]) => Column::Date,
            None if has(&["event", "tournament"]) => Column::Event,
            None if has(&["site", "place", "server"]) => Column::Site,
            None if has(&["round"]) => Column::Round,
            None => Column::Other,
        }
    }
}

/// The fields of a row without blanks around them; `None` if a quoted field is not closed.
fn fields(row: &str, delimiter: u8) -> Option<StringRecord> {
    // Behind an open quote, the second row is part of the first one.
    let text = row.trim_end_matches(['\r', '\n']).to_owned() + "\n0\n";
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(Trim::All)
        .buffer_capacity(text.len())
        .from_reader(text.as_bytes());
    let mut rows = reader.records();
    let row = rows.next()?.ok()?;
    rows.next().is_some().then_some(row)
}

/// Whether a field has a list of moves, perhaps a damaged one: at least three quarters of it are
/// letters and digits of squares, in turn.
fn looks_like_moves(field: &str) -> bool {
    let field = narrow(field);
    let letters = field
        .bytes()
        .filter(|byte| matches!(byte, b'a'..=b'h' | b'A'..=b'H'));
    let digits = field.bytes().filter(|byte| matches!(byte, b'1'..=b'8'));
    let (letters, digits) = (letters.count(), digits.count());
    let all = field.chars().filter(|c| c.is_alphanumeric()).count();
    all >= LIST_FIELD && letters.abs_diff(digits) <= 2 && 4 * (letters + digits) >= 3 * all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    const MOVES: &str = "f5d6c3d3c4f4";

    /// The columns of a list, in which `MOVES` stands for moves.
    fn columns(text: &str) -> Option<Vec<Column>> {
        let text = text.replace("MOVES", MOVES);
        let table = Table::find(&by_name("othello").unwrap(), &text, true)?;
        Some(table.columns)
    }

    #[test]
    fn headings_or_contents_decide_what_fields_mean() {
        use Column::*;
        let (first, second) = (Name(Player::First), Name(Player::Second));
        for (text, expected) in [
            (
                "id,winner,game_moves\n1,-1,MOVES\n",
                vec![Other, Winner, Moves],
            ),
            (
                "white,black,black_discs,white_discs,moves\nB,A,40,24,MOVES\n",
                vec![
                    second,
                    first,
                    Discs(Player::First),
                    Discs(Player::Second),
                    Moves,
                ],
            ),
            ("Moves,line\nf5d6,MOVES\n", vec![Moves, Other]),
            // The number of moves.
            ("moves,line\n60,MOVES\n", vec![Other, Moves]),
            (
                "Nr;Date;Coups\n1;2021-03-04;MOVES\n",
                vec![Other, Date, Moves],
            ),
            (
                "2001-01-01,d3,34-30,e6f4,MOVES\n",
                vec![Date, first, Result, second, Moves],
            ),
            // A rating change beside a result; a damaged result in one line.
            (
                "A,B,34-30,+5,MOVES\nA,B,3x-30,-5,MOVES\nA,B,30-34,-5,MOVES\n",
                vec![first, second, Result, Other, Moves],
            ),
            (
                "1\tA\tB\t-2\tMOVES\n",
                vec![Other, first, second, Result, Moves],
            ),
            (
                "A,B,+1,-1,MOVES\n",
                vec![first, second, Other, Other, Moves],
            ),
        ] {
            assert_eq!(columns(text), Some(expected), "{text}");
        }
        for text in [
            "f5, d6, c3\n",
            "MOVES, x4f4\n",
            "a,b,c\n1,2,3\n",
            "MOVES\n",
            "f5;d6;c3\n",
        ] {
            assert_eq!(columns(text), None, "{text}");
        }
    }

    #[test]
    fn rows_that_do_not_fit_are_errors() {
        let othello = by_name("othello").unwrap();
        let text = format!("1,\"A, the first\",B,34-30,{MOVES}\n");
        let table = Table::find(&othello, &text, true).unwrap();
        let read = |row: &str| {
            let row = row.replace("MOVES", MOVES);
            table
                .read(othello.clone(), &row)
                .map_err(|error| error.to_string())
        };
        let entry = read(text.trim_end()).unwrap();
        assert_eq!(entry.info.players[0].as_deref(), Some("A, the first"));
        for (row, error) in [
            ("2,A,B,MOVES", "the line has 4 fields, expected 5"),
            ("2,A,B,soon,MOVES", "cannot read \"soon\" as the result"),
            ("2,A,B,34-30,f5x6c3", "cannot read \"x6c3\" as a move"),
            ("2,A,B,34-30,", "the game has no moves"),
            ("2,A,\"B,34-30,MOVES", "a quoted field is not closed"),
        ] {
            let found = read(row).err().unwrap_or_default();
            assert!(found.contains(error), "{row}: {found}");
        }
        assert_eq!(table.length("1,\"A\nB\",C\nrest", false), Some(9));
        assert_eq!(table.length("1,\"A\nB,C\nrest", true), Some(4));
        assert_eq!(table.length("1,\"A\nB,C\nrest", false), None);
    }
}
