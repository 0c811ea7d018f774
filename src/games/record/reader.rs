//! Reads the entries of a file one by one in constant memory. An entry that cannot be read does not
//! affect the others.

use std::fs::{self, DirEntry};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::entry::{EntryError, EntryErrorAt, EntryPlace, RecordEntry, impossible};
use super::format::EntryFormat;
use super::info::ResultOrder;
use super::json::json_line;
use super::parse::{parse, read};
use super::split::{EntryText, Splitter};
use super::table::Table;
use super::write::transcript;
use super::wthor::{self, Header, NameLists};
use crate::game::counted;
use crate::games::any::AnyGame;
use crate::platform::files;

/// The bytes read at once.
const BLOCK: usize = 1 << 16;
/// The longest entry in bytes; a longer one, such as a game that is not closed, is cut.
const LONGEST: usize = 1 << 24;

/// An entry of a file.
#[derive(Debug)]
pub struct Record {
    /// Its place.
    pub place: EntryPlace,
    /// Its text; a transcript in binary formats.
    pub text: String,
    /// What it contains, or the error in it.
    pub entry: Result<RecordEntry, EntryErrorAt>,
}

/// The entries of a file, in any format ([`parse`](super::parse())). Ends after an [`io::Error`],
/// which is returned if the file cannot be read or is neither a text nor a file of games.
///
/// ```
/// use nullwindow::games::{any::by_name, record::RecordReader};
///
/// let text = "f5d6c3 37-27\nf5 f5\n[Black \"A\"]\n[White \"B\"]\n\n1. f5 f6 0-1\n";
/// let records = RecordReader::new(text.as_bytes(), "games", &by_name("othello").unwrap());
/// let records: Vec<_> = records.collect::<Result<_, _>>()?;
/// assert_eq!(records[0].entry.as_ref().unwrap().game.history().len(), 3);
/// let error = records[1].entry.as_ref().err().unwrap();
/// assert_eq!(error.to_string(), "games, line 2: illegal move \"f5\" at ply 2");
/// assert_eq!(records[2].place.to_string(), "games, game 3, line 3");
/// assert_eq!(records[2].entry.as_ref().unwrap().info.players[0].as_deref(), Some("A"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RecordReader<R> {
    input: R,
    /// The file's name in errors.
    name: String,
    /// The file, beside which files of names are searched.
    path: Option<PathBuf>,
    game: AnyGame,
    order: Option<ResultOrder>,
    /// The number of lines of a text, or of games of a binary file, that was read to its end.
    lines: usize,
    state: State,
}

enum State {
    Start,
    Text(TextState),
    Wthor {
        header: Header,
        names: NameLists,
        found: usize,
    },
    Ended,
}

/// The part of a text that has been read and not yet divided.
#[derive(Default)]
struct TextState {
    text: String,
    /// The bytes of `text` that are done.
    done: usize,
    splitter: Splitter,
    /// The bytes read from the file.
    read: usize,
    is_end: bool,
}

impl Record {
    /// An entry as it was read at a place, which counts lines from the beginning of the entry.
    fn of(
        place: EntryPlace,
        text: &str,
        entry: Result<RecordEntry, EntryError>,
        order: Option<ResultOrder>,
    ) -> Record {
        let entry = entry.map(|entry| entry.finish(order));
        let entry = entry.map_err(|error| {
            let mut place = place.clone();
            place.line = place.line.map(|line| line + error.lines_before);
            EntryErrorAt { place, error }
        });
        Record {
            place,
            text: text.into(),
            entry,
        }
    }

    /// The number of its first line, from 1, or of the game in binary formats.
    pub fn number(&self) -> usize {
        self.place.line.or(self.place.game).unwrap_or_default()
    }
}

impl RecordReader<Box<dyn BufRead>> {
    /// The entries of a file, pipe or, for the path `-`, standard input. A file of WTHOR takes the
    /// names from the files in its folder: those with its own name (`games.wtb`: `games.jou`,
    /// `games.trn`), or else `WTHOR.JOU` and `WTHOR.TRN`, in any case.
    ///
    /// # Errors
    /// If it cannot be opened, or is a folder or a device. If the path is not that of a file, but moves
    /// or a position, the error names the remedy.
    pub fn open(path: &Path, game: &AnyGame) -> io::Result<Self> {
        let name = files::display_name(path);
        let opened = files::open_stream(path).map_err(|error| match error.kind() {
            kind @ (ErrorKind::NotFound | ErrorKind::InvalidFilename)
                if parse(game, &name).is_ok() =>
            {
                let remedy = "to read this text, pipe it to standard input and give - as the file";
                io::Error::new(kind, format!("{error}; {remedy}"))
            }
            _ => error,
        });
        let input: Box<dyn BufRead> = Box::new(BufReader::new(opened?));
        let mut reader = RecordReader::new(input, &name, game);
        reader.path = Some(path.into());
        Ok(reader)
    }
}

impl<R: BufRead> RecordReader<R> {
    /// The entries of an input, games or positions of the same game as `game`; `name` names the
    /// input in errors.
    pub fn new(input: R, name: &str, game: &AnyGame) -> Self {
        let mut game = game.clone();
        game.set_start();
        RecordReader {
            input,
            name: name.into(),
            path: None,
            game,
            order: None,
            lines: 0,
            state: State::Start,
        }
    }

    /// The same entries, in which `order` decides whose result comes first if nothing else does.
    pub fn with_result_order(self, order: Option<ResultOrder>) -> Self {
        RecordReader { order, ..self }
    }

    /// The number of lines of a text, or of games of a binary file, that was read to its end.
    pub fn lines(&self) -> usize {
        self.lines
    }

    fn start(&mut self) -> io::Result<State> {
        let bytes = read_up_to(&mut self.input, wthor::HEADER)?;
        if let Some(header) = wthor::read_header(&bytes) {
            return Ok(State::Wthor {
                header: header.map_err(invalid)?,
                names: match self.path.as_deref() {
                    Some(path) => names_beside(path)?,
                    None => NameLists::default(),
                },
                found: 0,
            });
        }
        let mut text = TextState::default();
        text.fill(&mut self.input, bytes)?;
        Ok(State::Text(text))
    }

    fn next_record(&mut self) -> io::Result<Option<Record>> {
        if matches!(self.state, State::Start) {
            self.state = self.start()?;
        }
        match &mut self.state {
            State::Text(text) => loop {
                let mut rest = text.text.get(text.done..).unwrap_or_default();
                let is_end = text.is_end || rest.len() > LONGEST;
                let found = text.splitter.next(&mut rest, is_end, &self.game);
                text.done = text.text.len() - rest.len();
                if let Some(found) = found {
                    let table = text.splitter.table.as_ref();
                    return Ok(Some(found.read(&self.name, &self.game, table, self.order)));
                }
                if text.is_end {
                    let is_line = !text.text.is_empty() && !text.text.ends_with('\n');
                    self.lines = text.splitter.lines_before + usize::from(is_line);
                    self.state = State::Ended;
                    return Ok(None);
                }
                text.fill(&mut self.input, Vec::new())?;
            },
            State::Wthor {
                header,
                names,
                found,
            } => {
                let bytes = read_up_to(&mut self.input, wthor::GAME)?;
                let stated = header.games;
                if bytes.is_empty() && *found == stated {
                    self.lines = stated;
                    self.state = State::Ended;
                    return Ok(None);
                }
                *found += 1;
                let place = EntryPlace {
                    file: self.name.as_str().into(),
                    game: Some(*found),
                    line: None,
                };
                let entry = match bytes.first_chunk() {
                    Some(bytes) if *found <= stated => {
                        wthor::read_game(self.game.clone(), bytes, header.year, names)
                    }
                    _ => {
                        let stated_games = counted(stated, "game", "games");
                        let end = if *found > stated {
                            "has more"
                        } else {
                            "ends here"
                        };
                        self.state = State::Ended;
                        Err(impossible(format!(
                            "the header states {stated_games}, but the file {end}"
                        )))
                    }
                };
                let text = entry.as_ref().map(|entry| transcript(&entry.game));
                let text = text.unwrap_or_default();
                Ok(Some(Record::of(place, &text, entry, self.order)))
            }
            State::Start | State::Ended => Ok(None),
        }
    }
}

impl<R: BufRead> Iterator for RecordReader<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_record();
        if next.is_err() {
            self.state = State::Ended;
        }
        next.transpose()
    }
}

impl EntryText<'_> {
    /// Reads the entry of a file called `file`. The text of a row of a list of games, which needs the
    /// list to be understood, is replaced by the game as JSON.
    fn read(
        &self,
        file: &str,
        game: &AnyGame,
        table: Option<&Table>,
        order: Option<ResultOrder>,
    ) -> Record {
        let is_line = self.format == EntryFormat::Line;
        let place = EntryPlace {
            file: file.into(),
            game: (!is_line).then_some(self.number),
            line: Some(self.line),
        };
        let table = table.filter(|table| is_line && table.has_row(self.text));
        let entry = match table {
            Some(table) => table.read(game.clone(), self.text),
            None => read(game, self.text),
        };
        let mut record = Record::of(place, self.text, entry, order);
        if let (Some(_), Ok(entry)) = (table, &record.entry) {
            record.text = json_line(entry, self.number);
        }
        record
    }
}

impl TextState {
    /// Reads a block of whole lines, as long as the part that is not yet divided, and forgets the
    /// part that is done. `bytes` were read before.
    fn fill(&mut self, input: &mut impl BufRead, mut bytes: Vec<u8>) -> io::Result<()> {
        self.text.drain(..self.done);
        self.done = 0;
        let (before, wanted) = (bytes.len(), BLOCK.max(self.text.len()));
        input.take(wanted as u64).read_to_end(&mut bytes)?;
        self.is_end = bytes.len() - before < wanted;
        if !self.is_end && !bytes.ends_with(b"\n") {
            input.take(LONGEST as u64).read_until(b'\n', &mut bytes)?;
        }
        let count = bytes.len();
        let text = files::text_of(bytes, self.read)?;
        // Old programs end lines with a carriage return alone.
        self.text += &text.replace("\r\n", "\n").replace('\r', "\n");
        self.read += count;
        Ok(())
    }
}

/// Reads bytes, less than `count` at the end of the input only.
fn read_up_to(input: &mut impl BufRead, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files of names for a file of WTHOR, as far as they exist: as `convert` names them, or however
/// its name or `wthor` is capitalized.
pub fn names_files(path: &Path) -> [Option<PathBuf>; 2] {
    wthor::NAMES.map(|(kind, _)| names_file(path, kind))
}

fn names_file(path: &Path, kind: &str) -> Option<PathBuf> {
    let folder = files::folder_of(path);
    let own = path.file_stem().unwrap_or_default().to_ascii_lowercase();
    let written = path.with_extension(kind);
    let names = |entry: io::Result<DirEntry>| {
        let path = entry.ok()?.path();
        let is_kind = path.extension()?.eq_ignore_ascii_case(kind);
        let stem = path.file_stem()?.to_ascii_lowercase();
        let is_written = path.file_name() == written.file_name();
        (is_kind && (stem == own || stem == "wthor")).then_some((!is_written, stem != own, path))
    };
    let files = fs::read_dir(folder).into_iter().flatten();
    files.filter_map(names).min().map(|(.., path)| path)
}

/// The names for a file of games; none of a kind without a file.
///
/// # Errors
/// If a file of names cannot be read or is damaged.
fn names_beside(path: &Path) -> io::Result<NameLists> {
    let mut lists = NameLists::default();
    let kinds = wthor::NAMES.into_iter().zip(names_files(path));
    for (list, ((_, length), path)) in lists.iter_mut().zip(kinds) {
        let Some(path) = path else { continue };
        let at_file = |error: String| invalid(format!("{}: {error}", path.display()));
        let bytes = files::read_regular(&path, files::WEIGHTS_LIMIT);
        let bytes = bytes.map_err(|error| at_file(error.to_string()))?;
        *list = wthor::read_names(&bytes, length).map_err(at_file)?;
    }
    Ok(lists)
}

fn invalid(error: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
