//! Lists of games: lines of fields separated by tabs, commas or semicolons, by the rules of CSV.
//!
//! The first lines determine the columns; one has the moves. A later line that does not
//! fit is an error.

use csv::{ReaderBuilder, StringRecord, Trim};

use super::columns::{
    Column, Columns, Sample, date, is_digit, is_heading, is_long_list, looks_like_moves,
    looks_like_position, looks_like_squares, of_color, whole,
};
use super::entry::{EntryError, RecordEntry, check_variant, impossible, names_game, squares};
use super::info::{Ending, StatedResult, Statement, known};
use super::movetext::{count_moves, narrow, play_all};
use super::{line, pgn};
use crate::game::{Outcome, Player, counted, quoted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::notation::before_comment;

/// The number of lines that determine the columns of a list.
pub const SAMPLE: usize = 1_000;
/// The most lines of a row, in which quoted fields may have line feeds.
const LONGEST_ROW: usize = 100;

/// A list of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    delimiter: u8,
    width: usize,
    columns: Columns,
    has_heading: bool,
    /// Whether the next row is to be skipped.
    is_skipping: bool,
}

impl Table {
    /// The list whose first line begins a text; `None` if it is not one. Only the first line of a
    /// file can be a heading.
    pub fn find(game: &AnyGame, text: &str, is_first: bool) -> Option<Table> {
        let line = text.lines().next()?;
        let delimiters = [b'\t', b',', b';'].into_iter();
        // A list of moves alone has none.
        let is_alone = is_first && !line.contains(['\t', ',', ';']);
        let delimiters = delimiters.filter(|&delimiter| {
            line.contains(char::from(delimiter)) || is_alone && delimiter == b'\t'
        });
        let found = |delimiter| Table::with_delimiter(game, text, delimiter, is_first);
        let tables = delimiters.filter_map(found);
        tables.min_by_key(|table| table.columns == Err(None)) // the first one that is a list
    }

    fn with_delimiter(game: &AnyGame, text: &str, delimiter: u8, is_first: bool) -> Option<Table> {
        let line = text.lines().next()?;
        let first = fields(line, delimiter)?;
        let (width, white) = (first.len(), pgn::white(game));
        let is_list = |field: &str| looks_like_moves(field) && count_moves(game, field).is_some();
        let has_moves = first.iter().any(is_long_list)
            || first.iter().any(is_list) && !looks_like_squares(&first);
        let has_heading = is_first && !has_moves && is_heading(&first, white);
        // Moves may be separated by semicolons: only a heading makes them a list of games.
        let is_row = has_moves && delimiter != b';';
        let has_columns = width > 1 || Column::of_heading(line, white) == Column::Moves;
        if !has_columns || !has_heading && !is_row || is_game(game, line) {
            return None;
        }
        let rows = text.lines().take(1 + SAMPLE).skip(has_heading.into());
        let rows = rows.filter_map(|line| fields(line, delimiter));
        let sample = Sample {
            width,
            rows: rows.filter(|row| row.len() == width).collect(),
            squares: squares(game),
        };
        // A last move that lost its column: `f5 d6 c3,4`.
        let last = first.iter().next_back().unwrap_or_default();
        if !has_heading && width == 2 && sample.rows.len() == 1 && is_digit(last) {
            return None;
        }
        let columns = if has_heading {
            sample.by_heading(&first, white)
        } else {
            sample.by_content()
        };
        // A heading is part of a list only.
        if has_heading && columns == Err(None) {
            return None;
        }
        Some(Table {
            delimiter,
            width,
            is_skipping: has_heading && columns.is_ok(),
            columns,
            has_heading,
        })
    }

    /// Whether the first line of a text needs no search for a list: any line of a list, or, if it
    /// cannot be read, one of as many fields.
    pub fn covers(&self, text: &str) -> bool {
        let row = || fields(text.lines().next()?, self.delimiter);
        self.columns.is_ok() || row().is_some_and(|row| row.len() == self.width)
    }

    /// Whether the first line of a text belongs to the list.
    pub fn has_row(&self, text: &str) -> bool {
        self.columns != Err(None) && self.covers(text)
    }

    /// Whether a row is to be skipped: the heading, or a row of a list whose error was reported.
    pub fn skips(&mut self, game: &AnyGame, text: &str) -> bool {
        match self.columns {
            Ok(_) => std::mem::take(&mut self.is_skipping),
            Err(_) => self.rejects(game, text) && std::mem::replace(&mut self.is_skipping, true),
        }
    }

    /// Whether a row has a game: it has a field that is not empty, and is not a comment. A number after
    /// the sign makes it a row, if that has the fields of the list.
    pub fn has_entry(&self, text: &str) -> bool {
        let delimiter = char::from(self.delimiter);
        let is_blank = |c: char| c.is_whitespace() || c == '"' || c == delimiter;
        let is_row = |row: StringRecord| row.len() > 1 && row.len() == self.width;
        let is_number = text.trim_start().strip_prefix(['#', '%']);
        let is_number =
            is_number.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()));
        !text.chars().all(is_blank)
            && (!before_comment(text).trim().is_empty()
                || is_number && fields(text, self.delimiter).is_some_and(is_row))
    }

    /// Whether a row of a list that cannot be read has a game, but is not a list of moves, even a
    /// damaged one.
    fn rejects(&self, game: &AnyGame, text: &str) -> bool {
        let is_row = |row| !looks_like_squares(&row);
        self.has_entry(text)
            && fields(text, self.delimiter).is_none_or(is_row)
            && !is_game(game, text)
    }

    /// The length of the row at the beginning of a text, without its line feed; of a row with an open
    /// quote that of its first line. `None` if the row may continue after the text, which is not the end
    /// of its file.
    pub fn length(&self, text: &str, is_end: bool) -> Option<usize> {
        let mut lines = 0;
        let ends = text.match_indices('\n').map(|(at, _)| at);
        let mut ends = ends.take(LONGEST_ROW).inspect(|_| lines += 1);
        let is_row = |end: &usize| {
            let row = text.get(..*end).unwrap_or_default();
            fields(row, self.delimiter).is_some()
        };
        let row = ends.find(is_row);
        row.or_else(|| text.find('\n').filter(|_| is_end || lines == LONGEST_ROW))
    }

    /// Reads a row; `board` is at its start.
    pub fn read(&self, mut board: AnyGame, text: &str) -> Result<RecordEntry, EntryError> {
        let columns = match &self.columns {
            Ok(columns) => columns,
            Err(Some(error)) if self.rejects(&board, text) => return Err(impossible(error)),
            Err(_) => return line::parse(board, text),
        };
        let row = fields(text, self.delimiter)
            .ok_or_else(|| impossible("a quoted field is not closed"))?;
        if row.len() != self.width {
            let (found, expected) = (row.len(), self.width);
            return Err(impossible(format!(
                "the line has {}, expected {expected} as in the first line of the list",
                counted(found, "field", "fields")
            )));
        }
        let cells = || columns.iter().copied().zip(&row);
        let of = |wanted| cells().filter(move |&(column, _)| column == wanted);
        let field = |wanted| of(wanted).find_map(|(_, cell)| known(cell));
        let moves = of(Column::Moves).map(|(_, cell)| narrow(cell)).next();
        let moves = moves.unwrap_or_default();
        if let Some(variant) = field(Column::Variant).filter(|text| names_game(&board, text)) {
            check_variant(&board, &variant)?;
        }
        let mut starts = of(Column::Start).map(|(_, cell)| cell);
        if let Some(start) = starts.find(|cell| looks_like_position(cell)) {
            board.set_position(start)?;
        }
        let in_moves = play_all(&mut board, &moves)?;
        let is_other = |text: &str| {
            let position = board.parse_position(text).ok();
            let position = position.filter(|_| looks_like_position(text));
            position.is_some_and(|position| !is_reached(&board, &position))
        };
        if let Some((_, cell)) = cells().find(|(_, cell)| is_other(cell)) {
            let error = format!("the field \"{}\" has a position", quoted(cell));
            return Err(impossible(error + ", expected in a column \"start\""));
        }
        if board.history().is_empty() {
            return Err(impossible("the game has no moves"));
        }
        let is_over = board.outcome().is_some();
        let mut entry = RecordEntry::of(board);
        let info = &mut entry.info;
        info.players = Player::BOTH.map(|player| field(Column::Name(player)));
        info.event = field(Column::Event);
        info.site = field(Column::Site);
        info.round = field(Column::Round);
        let mut dates = of(Column::Date).chain(of(Column::Start));
        info.date = dates.find_map(|(_, cell)| date(cell));
        let komi = field(Column::Komi).map(|text| text.replace(',', "."));
        if let Some(komi) = komi.filter(|komi| komi.parse::<f64>().is_ok()) {
            entry.state_komi(&komi)?;
        }
        let misfit = |column: &str, text: &str| {
            let text = quoted(text);
            impossible(format!(
                "cannot read \"{text}\" as the {column}, as in the lines before"
            ))
        };
        if let Some(text) = field(Column::Date)
            && !self.has_heading
            && entry.info.date.is_none()
        {
            return Err(misfit("date", &text));
        }
        for (column, cell) in cells().filter(|(column, _)| column.is_result()) {
            let Some(statement) = statement_of(&entry, column, cell) else {
                continue;
            };
            if statement.result.is_none() && !self.has_heading {
                return Err(misfit("result", cell));
            }
            if column == Column::Number && is_over {
                continue;
            }
            entry.state(statement, &format!("the field \"{}\" states", quoted(cell)));
        }
        if let Some(statement) = in_moves.and_then(Statement::ambiguous) {
            entry.state(statement, "the end of the moves states");
        }
        match Player::BOTH.map(|player| field(Column::Discs(player))) {
            [Some(first), Some(second)] => state_both(&mut entry, &first, &second)?,
            [Some(text), None] => state_one(&mut entry, Player::First, &text),
            [None, Some(text)] => state_one(&mut entry, Player::Second, &text),
            [None, None] => {}
        }
        Ok(entry)
    }
}

/// What a field states about the result.
fn statement_of(entry: &RecordEntry, column: Column, text: &str) -> Option<Statement> {
    let ambiguous = Statement::ambiguous(text)?;
    let of_number = |number| match (column, number) {
        (Column::Winner, 1) => Some(StatedResult::of(Outcome::FirstWins)),
        (Column::Winner, -1 | 2) => Some(StatedResult::of(Outcome::SecondWins)),
        (Column::Winner | Column::Result, 0) => Some(StatedResult::of(Outcome::Draw)),
        (Column::Difference, _) => StatedResult::parse(&format!("{number:+}")),
        _ => None,
    };
    let is_name = |name: &Option<String>| name.as_deref() == Some(text);
    let by_name = match entry.info.players.each_ref().map(is_name) {
        [true, false] => Some(StatedResult::of(Outcome::FirstWins)),
        [false, true] => Some(StatedResult::of(Outcome::SecondWins)),
        _ => of_color(text, pgn::white(&entry.game)),
    };
    Some(match by_name {
        Some(result) => Statement::for_first(text, Some(result)),
        None => Statement {
            result: whole(text).and_then(of_number).or(ambiguous.result),
            ..ambiguous
        },
    })
}

/// States the discs of both players, or their points.
fn state_both(entry: &mut RecordEntry, first: &str, second: &str) -> Result<(), EntryError> {
    let text = format!("{first}-{second}");
    let points = match [first, second].map(|text| text.parse::<f64>().ok()) {
        [Some(0.5), Some(0.5)] => "1/2-1/2".into(),
        [Some(first), Some(second)] if first + second > 0.0 => format!("{first}-{second}"),
        _ => {
            entry.state(Statement::for_first(text, None), "");
            return Ok(());
        }
    };
    match StatedResult::parse(&points) {
        Some(result @ StatedResult { discs: None, .. }) => {
            entry.state(Statement::for_first(text, Some(result)), "the points state");
            Ok(())
        }
        result => entry.state_discs(
            ("the score", "the discs state"),
            &text,
            result.and_then(|result| result.discs),
            Ending::Normal,
        ),
    }
}

/// States the discs of one player, which decide a finished game only: on the board, or with the
/// empties for the winner.
fn state_one(entry: &mut RecordEntry, player: Player, text: &str) {
    let of_discs = |count: i32| {
        let discs = entry
            .game
            .discs()
            .filter(|_| entry.game.outcome().is_some())?;
        let (own, other) = player.ordered(discs.black, discs.white);
        let [own, other, all] = [own, other, discs.grid.squares].map(|set| set.count_ones() as i32);
        let rest = if count == own { other } else { all - count };
        Some(StatedResult::of_discs(count - rest).seen_from(player))
    };
    let statement = Statement::for_first(text, whole(text).and_then(of_discs));
    entry.state(statement, "the discs of one player state");
}

/// Whether a line is a game without the fields of a list, legal or not.
fn is_game(game: &AnyGame, line: &str) -> bool {
    count_moves(game, line).is_some() || line::parse(game.clone(), line).is_ok()
}

/// Whether a game had the board of this position, regardless of the side to move.
fn is_reached(game: &AnyGame, position: &AnyPosition) -> bool {
    let wanted = position.cells();
    let mut before = game.plies().map(|(position, _)| position.cells());
    game.cells() == wanted || before.any(|cells| cells == wanted)
}

/// The fields of a row without blanks around them; `None` if a quoted field is not closed, or if text
/// after it shows that the quotes around line feeds are stray.
fn fields(row: &str, delimiter: u8) -> Option<StringRecord> {
    let row = row.trim_end_matches(['\r', '\n']);
    if !row.contains('"') {
        // A reader of CSV takes longer to build than to read a row.
        let fields = row.split(char::from(delimiter)).map(str::trim);
        return Some(fields.collect()).filter(|_| !row.is_empty());
    }
    if has_stray_quotes(row, char::from(delimiter)) {
        return None;
    }
    // After an open quote, the second row is part of the first one.
    let text = row.to_owned() + "\n0\n";
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

/// Whether a field with a line feed in quotes continues after the second quote.
fn has_stray_quotes(row: &str, delimiter: char) -> bool {
    let mut rest = Some(row);
    while let Some(field) = rest {
        let mut behind = field;
        if let Some(quoted) = field.strip_prefix('"') {
            // Two quotes are one of the text.
            let end = quoted.replace("\"\"", "  ").find('"');
            let Some((inside, outside)) = end.and_then(|end| quoted.split_at_checked(end)) else {
                return false;
            };
            behind = outside.strip_prefix('"').unwrap_or_default();
            let tail = behind.split([delimiter, '\n']).next().unwrap_or_default();
            if inside.contains('\n') && !tail.trim().is_empty() {
                return true;
            }
        }
        rest = behind.split_once(delimiter).map(|(_, rest)| rest);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    const MOVES: &str = "f5d6c3d3c4f4";

    /// The columns of a list, in which `MOVES` is replaced by moves.
    fn columns(text: &str) -> Option<Vec<Column>> {
        let text = text.replace("MOVES", MOVES);
        let table = Table::find(&by_name("othello").unwrap(), &text, true)?;
        table.columns.ok()
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
                vec![Other, first, second, Difference, Moves],
            ),
            (
                "A,B,+1,-1,MOVES\n",
                vec![first, second, Other, Other, Moves],
            ),
            // Numbers without signs may be an index.
            (
                "0,A,B,MOVES\n2,A,B,MOVES\n",
                vec![Other, first, second, Moves],
            ),
            (
                "score,result,margin,moves\n-2,-1,5,MOVES\n4,1,0,MOVES\n",
                vec![Difference, Winner, Number, Moves],
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
            ("2,\"A,\"B,34-30,MOVES", "the line has 4 fields, expected 5"),
        ] {
            let found = read(row).err().unwrap_or_default();
            assert!(found.contains(error), "{row}: {found}");
        }
        assert_eq!(fields("a,\u{a0}b c ,\n", b','), fields("\"a\",b c,", b','));
        assert_eq!(fields("\n", b','), None);
        assert_eq!(table.length("1,\"A\nB\",C\nrest", false), Some(9));
        assert_eq!(table.length("1,\"A\nB,C\nrest", true), Some(4));
        assert_eq!(table.length("1,\"A\nB,C\nrest", false), None);
    }
}
