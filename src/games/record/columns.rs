//! The meanings of the columns of a list of games: from the words of the heading, else from the fields
//! of the first lines.

use std::collections::{HashMap, HashSet};

use csv::StringRecord;

use super::info::{StatedResult, iso_date, known};
use super::movetext::narrow;
use super::sgf;
use crate::game::{Outcome, Player, quoted};

/// The shortest list of moves, in characters, by which a column of moves is recognized.
const LIST_FIELD: usize = 8;
/// The longest word of a heading, in bytes.
const LONGEST_WORD: usize = 12;
/// The months, by which a date in words is recognized.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The meaning of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    Moves,
    /// A result, a disc difference with its sign, a name or a color.
    Result,
    /// As `Result`, or 1 and -1 (2) for the winner, 0 for a draw.
    Winner,
    /// As `Result`, or a disc difference without `+`.
    Difference,
    /// As `Result`, or numbers, of which nothing defines the meaning.
    Number,
    /// The discs of a player, or the points: 1, 0.5 or 0.
    Discs(Player),
    Name(Player),
    /// The start position, or a date: both are called `start`.
    Start,
    Komi,
    Date,
    Event,
    Site,
    Round,
    /// The name of the game.
    Variant,
    Other,
}

/// A word of a heading, or of a field that names the winner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Word {
    First,
    Second,
    Who,
    Points,
    Winner,
    Wins,
    Draw,
    Date,
    Time,
    Komi,
    Event,
    Site,
    Round,
    Variant,
    Count,
    Moves,
    /// Changes the meaning of no other word.
    Filler,
}

/// The meanings of the columns of a list, or why it cannot be read; no reason if its lines are not a list,
/// as no column has the moves.
pub type Columns = Result<Vec<Column>, Option<String>>;

/// The first rows of a list, all of as many fields.
pub struct Sample {
    pub width: usize,
    pub rows: Vec<StringRecord>,
    /// The number of squares of the board, in games of discs.
    pub squares: i32,
}

impl Sample {
    /// The fields of a column that are known.
    fn cells(&self, index: usize) -> impl Iterator<Item = &str> {
        let cells = self.rows.iter().filter_map(move |row| row.get(index));
        cells.filter(|cell| known(cell).is_some())
    }

    /// Whether most fields of a column are of a kind: damaged ones do not change its meaning.
    fn most(&self, index: usize, is_kind: impl Fn(&str) -> bool) -> bool {
        2 * self.cells(index).filter(|cell| is_kind(cell)).count() > self.cells(index).count()
    }

    /// The column with the longest lists of moves, of which one is long.
    fn longest(&self) -> Option<usize> {
        let length = |&index: &usize| self.cells(index).map(str::len).sum::<usize>();
        (0..self.width)
            .filter(|&index| self.most(index, looks_like_moves))
            .filter(|&index| self.cells(index).any(is_long_list))
            .max_by_key(length)
    }

    /// The meaning of a column of numbers with signs.
    fn signed(&self, index: usize) -> Option<Column> {
        if !self.cells(index).any(is_signed) {
            return None;
        }
        let is_large = |cell: &str| whole(cell).is_none_or(|number| number.abs() > 1);
        Some(if self.cells(index).any(is_large) {
            Column::Difference
        } else {
            Column::Winner
        })
    }

    /// The meanings of the columns with these headings.
    pub fn by_heading(&self, names: &StringRecord, white: Player) -> Columns {
        let headings = Column::of_headings(names, white);
        // Some lists have the number of moves there.
        let is_list = |&index: &usize| {
            headings.get(index) == Some(&Column::Moves) && !self.most(index, is_number)
        };
        let moves = (0..self.width)
            .find(is_list)
            .or_else(|| self.longest())
            .ok_or(None)?;
        let column = |(index, &heading)| match heading {
            _ if index == moves => Column::Moves,
            Column::Moves if self.most(index, is_number) => Column::Other,
            Column::Result if self.most(index, |cell| whole(cell).is_some()) => {
                self.signed(index).unwrap_or(Column::Number)
            }
            heading => heading,
        };
        let mut columns: Vec<Column> = headings.iter().enumerate().map(column).collect();
        let [first, second] = Player::BOTH.map(|player| {
            let mut names = columns.iter();
            names.position(|column| *column == Column::Name(player))
        });
        let states_result = |column: &Column| {
            matches!(column, Column::Discs(_) | Column::Winner) || column.is_result()
        };
        if let (Some(first), Some(second)) = (first, second)
            && !columns.iter().any(states_result)
            && self.has_discs(first, second)
        {
            for (index, player) in [first, second].into_iter().zip(Player::BOTH) {
                columns.splice(index..=index, [Column::Discs(player)]);
            }
        }
        let mut unique: Vec<(Column, &str)> = Vec::new();
        for (index, (&column, name)) in columns.iter().zip(names).enumerate() {
            use Column::{Discs, Komi, Moves, Name, Start};
            let is_unique = matches!(column, Name(_) | Discs(_) | Moves | Start | Komi);
            // A column of start positions may also have dates, or be empty.
            let is_used = |cell| column != Start || looks_like_position(cell);
            if !is_unique || !self.cells(index).any(is_used) {
                continue;
            }
            if let Some((_, other)) = unique.iter().find(|(other, _)| *other == column) {
                return Err(Some(format!(
                    "the list is skipped: its columns \"{}\" and \"{}\" mean the same; rename one",
                    quoted(other),
                    quoted(name)
                )));
            }
            unique.push((column, name));
        }
        Ok(columns)
    }

    /// Whether two columns have the discs of the players, not their names or numbers: most rows add up to
    /// the squares of the board, and none to more.
    fn has_discs(&self, first: usize, second: usize) -> bool {
        let row = |row: &StringRecord| [first, second].map(|index| row.get(index).and_then(known));
        let rows = self.rows.iter().map(row);
        let rows = rows.filter(|cells| cells.iter().any(Option::is_some));
        let sum = |cells: [Option<String>; 2]| {
            let [first, second] = cells.map(|cell| whole(&cell?).filter(|discs| *discs >= 0));
            Some(first? + second?).filter(|sum| *sum <= self.squares)
        };
        let sums: Vec<Option<i32>> = rows.map(sum).collect();
        let full = sums.iter().filter(|sum| **sum == Some(self.squares));
        self.squares > 0 && 2 * full.count() > sums.len() && sums.iter().all(Option::is_some)
    }

    /// The meanings of the columns of a list without a heading.
    pub fn by_content(&self) -> Columns {
        let moves = self.longest().ok_or(None)?;
        let is_result = |cell: &str| {
            let result = StatedResult::parse(cell).or_else(|| sgf::parse_result(cell));
            result.is_some() && whole(cell).is_none()
        };
        let is_difference = |cell: &str| is_signed(cell) || cell == "0";
        let is_date = |cell: &str| cell.len() >= 8 && date(cell).is_some();
        let kind = |index| match () {
            () if index == moves => Some(Column::Moves),
            () if self.most(index, is_result) => Some(Column::Result),
            () if self.most(index, is_difference) => self.signed(index).or(Some(Column::Other)),
            () if self.most(index, is_date) => Some(Column::Date),
            () if self.most(index, is_number) || self.is_blank(index) => Some(Column::Other),
            () => None,
        };
        let columns: Vec<Option<Column>> = (0..self.width).map(kind).collect();
        let texts = columns.iter().filter(|column| column.is_none()).count();
        if ![0, 2].contains(&texts) {
            return Err(Some(format!(
                "the list is skipped: without a heading it needs two columns of text, the players, but \
                 it has {texts}; begin the file with a heading such as \"event,black,white,moves\""
            )));
        }
        // A signed number may be the change of a rating unless it is the only result.
        let results = columns.iter().flatten().filter(|column| column.is_result());
        let is_sole = results.count() == 1;
        let mut players = Player::BOTH.into_iter().map(Column::Name);
        let column = |column: Option<Column>| match column {
            Some(Column::Difference | Column::Winner) if !is_sole => Column::Other,
            Some(column) => column,
            None => players.next().unwrap_or(Column::Other),
        };
        Ok(columns.into_iter().map(column).collect())
    }

    fn is_blank(&self, index: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(index));
        cells.all(str::is_empty)
    }
}

impl Column {
    /// The meanings of columns with these headings. A part in parentheses is ignored if the heading is
    /// not understood with it, unless there is a column of that meaning: `Black (rating)`.
    /// In `Player B` beside `Player A`, `B` is not a color, unless there is `Player W`.
    fn of_headings(names: &StringRecord, white: Player) -> Vec<Column> {
        let outside = |name: &str| name.split('(').next().unwrap_or_default().to_lowercase();
        let glued = |name: &str| outside(name).replace(|c: char| !c.is_alphanumeric(), "");
        let blurred = |glued: &str| glued.replace('b', "a").replace('y', "x");
        let all: HashSet<String> = names.iter().map(glued).collect();
        let mut alike = HashMap::new();
        for name in &all {
            *alike.entry(blurred(name)).or_insert(0) += 1;
        }
        let is_lettered = |name: &str| {
            let of_white = name.replace('b', "w").replace('x', "o");
            alike.get(&blurred(name)) > Some(&1) && !all.contains(&of_white)
        };
        let of = |name: &str| match is_lettered(&glued(name)) {
            true => Column::Other,
            false => Column::of_heading(name, white),
        };
        let columns: Vec<Column> = names.iter().map(of).collect();
        let resolve = |(name, &column): (&str, &Column)| {
            let outside = of(&outside(name));
            match column {
                Column::Other if !columns.contains(&outside) => outside,
                column => column,
            }
        };
        names.iter().zip(&columns).map(resolve).collect()
    }

    /// The meaning of a column with this heading.
    pub fn of_heading(name: &str, white: Player) -> Column {
        use Word::*;
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let letters = letters.collect::<String>().to_ascii_lowercase();
        if matches!(
            letters.as_str(),
            "start" | "position" | "fen" | "startposition" | "startfen" | "startpos"
        ) {
            return Column::Start;
        }
        let mut words = Word::all(name, white).unwrap_or_default();
        words.retain(|&word| word != Filler);
        let (player, words) = match words.as_slice() {
            [First, rest @ ..] => (Some(Player::First), rest),
            [Second, rest @ ..] => (Some(Player::Second), rest),
            rest => (None, rest),
        };
        match (player, words) {
            (Some(player), [] | [Who]) => Column::Name(player),
            (Some(player), [Points] | [Points, Count] | [Who, Points]) => Column::Discs(player),
            (None, [Points]) => Column::Result,
            (None, [Winner] | [Who, Winner]) => Column::Winner,
            (None, [Date] | [Date, Time | Event]) => Column::Date,
            (None, [Komi]) => Column::Komi,
            (None, [Event] | [Who, Event]) => Column::Event,
            (None, [Site] | [Who, Site]) => Column::Site,
            (None, [Round] | [Round, Count]) => Column::Round,
            (None, [Variant]) => Column::Variant,
            (None, [Moves]) => Column::Moves,
            _ => Column::Other,
        }
    }

    pub fn is_result(self) -> bool {
        use Column::{Difference, Number, Result, Winner};
        matches!(self, Result | Winner | Difference | Number)
    }
}

impl Word {
    /// The words of a heading, sorted, each once; `None` if one is unknown. Words may be glued.
    fn all(text: &str, white: Player) -> Option<Vec<Word>> {
        if !text.contains(char::is_alphabetic) {
            return None;
        }
        let mut words = Vec::new();
        let text = text.to_lowercase();
        for mut rest in text.split(|c: char| !c.is_alphanumeric()) {
            while !rest.is_empty() {
                let longest = rest.len().min(LONGEST_WORD);
                let mut lengths = (1..=longest).rev();
                let (word, behind) = lengths.find_map(|length| {
                    let (word, behind) = rest.split_at_checked(length)?;
                    // One letter is a word at the end only.
                    let word = Word::of(word, white).filter(|_| length > 1 || behind.is_empty());
                    word.map(|word| (word, behind))
                })?;
                words.push(word);
                rest = behind;
            }
        }
        words.sort_unstable();
        words.dedup();
        Some(words)
    }

    fn of(word: &str, white: Player) -> Option<Word> {
        use Word::*;
        let (of_white, of_black) = white.ordered(First, Second);
        Some(match word {
            "black" | "b" => of_black,
            "white" | "w" => of_white,
            "first" | "1st" | "1" | "p1" | "x" => First,
            "second" | "2nd" | "2" | "p2" | "o" => Second,
            "player" | "players" | "name" | "user" | "nick" => Who,
            "score" | "scores" | "points" | "disc" | "discs" | "disk" | "disks" | "stone"
            | "stones" | "result" | "outcome" | "difference" | "diff" | "margin" => Points,
            "winner" => Winner,
            "win" | "wins" | "won" => Wins,
            "draw" | "drawn" | "tie" | "tied" => Draw,
            "date" | "timestamp" | "began" | "begin" | "start" | "started" | "played" | "end"
            | "ended" | "created" => Date,
            "komi" => Komi,
            "time" | "utc" | "local" | "at" => Time,
            "event" | "tournament" | "competition" => Event,
            "site" | "place" | "server" | "location" => Site,
            "round" => Round,
            "variant" => Variant,
            "count" | "number" | "num" | "no" | "nr" | "total" => Count,
            "moves" => Moves,
            "game" | "match" | "final" | "of" | "the" | "color" | "colour" => Filler,
            _ => return None,
        })
    }
}

/// Whether a line is a heading: all its fields are words, or it has a field for the moves or two others
/// that are understood, beside columns without a heading or with signs.
pub fn is_heading(first: &StringRecord, white: Player) -> bool {
    let columns = || first.iter().map(|name| Column::of_heading(name, white));
    first
        .iter()
        .all(|name| name.starts_with(char::is_alphabetic))
        || columns().any(|column| column == Column::Moves)
        || columns().filter(|&column| column != Column::Other).count() > 1
}

/// The result that a text states for a color or a player: `black`, `White wins`, `p1win`, `draw`,
/// `B+4`.
pub fn of_color(text: &str, white: Player) -> Option<StatedResult> {
    let outcome = match Word::all(text, white).unwrap_or_default().as_slice() {
        [Word::First] | [Word::First, Word::Wins] => Outcome::FirstWins,
        [Word::Second] | [Word::Second, Word::Wins] => Outcome::SecondWins,
        [Word::Draw] => Outcome::Draw,
        _ => {
            let is_black_first = white == Player::Second && text.contains('+');
            return is_black_first.then(|| sgf::parse_result(text))?;
        }
    };
    Some(StatedResult::of(outcome))
}

/// The date in a field, or its year if that follows the day and the month, in any order: `01/02/2020`,
/// `1 Jan 2020`.
pub fn date(text: &str) -> Option<String> {
    let year = || {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        let mut parts = parts.filter(|part| !part.is_empty());
        let is_part = |part: &str| {
            let part = part.to_lowercase();
            let is_month = MONTHS.iter().any(|month| part.starts_with(month));
            is_month || part.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
        };
        let year = (is_part(parts.next()?) && is_part(parts.next()?)).then(|| parts.next())??;
        iso_date(year).filter(|_| year.len() == 4)
    };
    iso_date(text).or_else(year)
}

fn is_number(text: &str) -> bool {
    text.parse().is_ok_and(f64::is_finite)
}

/// A whole number of at most two digits, optionally with zeros after its point.
pub fn whole(text: &str) -> Option<i32> {
    let number = text.parse::<f64>().ok()?;
    (number.fract() == 0.0 && number.abs() < 100.0).then_some(number as i32)
}

fn is_signed(text: &str) -> bool {
    text.starts_with(['+', '-']) && whole(text).is_some()
}

pub fn is_digit(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9'])
}

/// Whether most fields of a row could be parts of a list of moves, even a damaged one.
pub fn looks_like_squares(row: &StringRecord) -> bool {
    let is_part = |field: &&str| {
        let (letters, digits) = letters_and_digits(field);
        let all = field.bytes().filter(u8::is_ascii_alphanumeric).count();
        letters > 0 && digits > 0 && 2 * (letters + digits) >= all
    };
    2 * row.iter().filter(is_part).count() > row.len()
}

/// The numbers of letters and of digits of squares.
fn letters_and_digits(text: &str) -> (usize, usize) {
    let letters = text
        .bytes()
        .filter(|byte| matches!(byte, b'a'..=b'h' | b'A'..=b'H'));
    let digits = text.bytes().filter(|byte| matches!(byte, b'1'..=b'8'));
    (letters.count(), digits.count())
}

/// Whether a field may be a position, not a date, a name or a number: rows, or a square for each
/// character, with pieces.
pub fn looks_like_position(field: &str) -> bool {
    let is_piece = |c: char| "xobwp*".contains(c.to_ascii_lowercase());
    let is_part = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-.?_|/[]".contains(c);
    let squares = field.chars().filter(|c| !c.is_whitespace()).count();
    field.contains(is_piece)
        && field.chars().all(|c| is_piece(c) || is_part(c))
        && (squares >= 9 || field.matches('/').count() >= 2)
}

/// Whether a field has a list of moves that is too long for a name or a number.
pub fn is_long_list(field: &str) -> bool {
    let all = field.chars().filter(|c| c.is_alphanumeric()).count();
    all >= LIST_FIELD && looks_like_moves(field)
}

/// Whether a field has moves, even damaged ones: at least three quarters of it are letters and
/// digits of squares, in turn. No field of a list has `startpos`.
pub fn looks_like_moves(field: &str) -> bool {
    let field = narrow(field);
    if field.starts_with("startpos") {
        return false;
    }
    let (letters, digits) = letters_and_digits(&field);
    let all = field.chars().filter(|c| c.is_alphanumeric()).count();
    letters > 0 && digits > 0 && letters.abs_diff(digits) <= 2 && 4 * (letters + digits) >= 3 * all
}
