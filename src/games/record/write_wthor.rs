//! Writes games in the format of [`wthor`]: encodes them one by one and collects the names for the
//! files of players and tournaments.

use std::collections::HashMap;

use super::entry::{RecordEntry, unsupported};
use super::info::points;
use super::wthor::{self, GAME, HEADER};

/// Encodes games of Othello, with numbers for their names.
pub struct WthorEncoder {
    /// The players and the tournaments.
    names: [NameTable; 2],
    games: u32,
    /// The year of all games encoded, or 0 if they differ.
    year: Option<u16>,
}

impl Default for WthorEncoder {
    fn default() -> Self {
        WthorEncoder {
            names: wthor::NAMES.map(|(_, length)| NameTable::new(length)),
            games: 0,
            year: None,
        }
    }
}

impl WthorEncoder {
    /// Encodes a game: its moves without passes, Black's discs by the result (all discs if only the
    /// winner of an unfinished game is known), the same as theoretical score.
    ///
    /// # Errors
    /// If the format cannot hold the game, or has no number for another name.
    pub fn game(&mut self, entry: &RecordEntry) -> Result<[u8; GAME], String> {
        let (game, info) = (&entry.game, &entry.info);
        if game.name() != "othello" {
            return Err(unsupported("WTHOR", game).to_string());
        }
        if !game.is_from_start() {
            return Err("WTHOR has no games from other positions than the start".into());
        }
        if info.komi.is_some() {
            return Err("WTHOR has no komi".into());
        }
        let result = entry
            .result()
            .ok_or("WTHOR needs the result of an unfinished game, which is not known")?;
        let winner = 64 * points(result.outcome);
        let difference = result.discs.unwrap_or(winner);
        // The empties of an unfinished game with an odd difference count for the winner.
        let score = (64 + difference + difference.signum() * (difference & 1)) as u8 / 2;
        let [players, tournaments] = &mut self.names;
        let event = tournaments.number(info.event.as_deref())?;
        let [black, white] = &info.players;
        let black = players.number(black.as_deref())?;
        let white = players.number(white.as_deref())?;
        let moves = game.history().iter().filter(|m| !m.is_pass());
        let moves = moves.map(|m| 10 * (m.square() / 8 + 1) + m.square() % 8 + 1);
        let numbers = [event, black, white]
            .into_iter()
            .flat_map(u16::to_le_bytes)
            .chain([score, score])
            .chain(moves);
        let mut bytes = [0; GAME];
        for (byte, number) in bytes.iter_mut().zip(numbers) {
            *byte = number;
        }
        self.games += 1;
        let year = info
            .date
            .as_deref()
            .and_then(|date| date.get(..4)?.parse().ok());
        let year = year.unwrap_or(0);
        if *self.year.get_or_insert(year) != year {
            self.year = Some(0);
        }
        Ok(bytes)
    }

    /// The header of the file of games; `date` is today's date, `2026-11-25`.
    pub fn header(&self, date: &str) -> [u8; HEADER] {
        header(date, self.games, 0, self.year.unwrap_or(0))
    }

    /// The files of players (`.jou`) and tournaments (`.trn`).
    pub fn names(&self, date: &str) -> [Vec<u8>; 2] {
        self.names.each_ref().map(|table| {
            let count = u16::try_from(table.numbers.len() + 1).unwrap_or(u16::MAX);
            let header = header(date, 0, count, 0);
            [&header[..], &table.bytes].concat()
        })
    }
}

fn header(date: &str, games: u32, names: u16, year: u16) -> [u8; HEADER] {
    let part = |from: usize| date.get(from..from + 2).and_then(|part| part.parse().ok());
    let [century, of_century, month, day] = [0, 2, 5, 8].map(|from| part(from).unwrap_or(0));
    let [g0, g1, g2, g3] = games.to_le_bytes();
    let ([n0, n1], [y0, y1]) = (names.to_le_bytes(), year.to_le_bytes());
    let size = 8;
    [
        century, of_century, month, day, g0, g1, g2, g3, n0, n1, y0, y1, size, 0, 0, 0,
    ]
}

/// The names of a file, in the order of their numbers; 0 is an unknown name.
struct NameTable {
    /// The bytes of a name, with its final 0.
    length: usize,
    numbers: HashMap<Vec<u8>, u16>,
    bytes: Vec<u8>,
}

impl NameTable {
    fn new(length: usize) -> NameTable {
        let mut table = NameTable {
            length,
            numbers: HashMap::new(),
            bytes: Vec::new(),
        };
        table.push(b"???");
        table
    }

    fn push(&mut self, name: &[u8]) {
        let padding = std::iter::repeat_n(0, self.length - name.len());
        self.bytes.extend(name.iter().copied().chain(padding));
    }

    /// The number of a name, which is cut to the length of the format. Its characters are those of
    /// Latin-1; others become `?`.
    fn number(&mut self, name: Option<&str>) -> Result<u16, String> {
        let Some(name) = name else { return Ok(0) };
        let latin = name
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'));
        let name: Vec<u8> = latin.filter(|&c| c != 0).take(self.length - 1).collect();
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u16::try_from(self.numbers.len() + 1)
            .map_err(|_| "WTHOR has at most 65535 names of players or tournaments")?;
        self.push(&name);
        self.numbers.insert(name, number);
        Ok(number)
    }
}
