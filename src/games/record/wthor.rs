//! WTHOR, the binary format of the database of the French Othello federation.
//!
//! A file of games (`.wtb`) is a header of 16 bytes (date, number of games, year, board size) and 68
//! bytes for each game: tournament, Black, White (numbers of names, 16 bits, lowest byte first),
//! Black's discs with the empties counted for the winner, the theoretical score, and 60 moves as
//! 10 * row + column (`56`: f5), padded with 0; passes are not stored. The names are in files of
//! players (`.jou`, 20 bytes for each) and tournaments (`.trn`, 26 bytes) with the same header.

use super::entry::{EntryError, RecordEntry, impossible, unsupported};
use super::info::{StatedResult, Statement, known};
use super::movetext::play;
use crate::game::{IllegalMove, Move, counted};
use crate::games::any::AnyGame;

/// The bytes of a header.
pub const HEADER: usize = 16;
/// The bytes of a game.
pub const GAME: usize = 68;
/// The files of the names of players and tournaments: their extension, and the bytes of a name with
/// its final 0.
pub const NAMES: [(&str, usize); 2] = [("jou", 20), ("trn", 26)];

/// The header of a file of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The number of games.
    pub games: usize,
    /// The year of the games; 0 if they are of several years.
    pub year: u16,
}

/// The names of players and tournaments, to which games refer by number.
pub type NameLists = [Vec<String>; 2];

/// Reads the header of a file of games. `None` if the file does not begin as one of WTHOR: its header
/// is not text.
///
/// # Errors
/// If the board is not 8x8.
pub fn read_header(start: &[u8]) -> Option<Result<Header, String>> {
    let header = *start.first_chunk::<HEADER>()?;
    let [_, _, month, day, a, b, c, d, e, f, ..] = header;
    let [.., low, high, size, kind, _, _] = header;
    let has_no_names = [e, f] == [0, 0];
    if month > 12 || day > 31 || !has_no_names || ![0, 8, 10].contains(&size) || kind > 1 {
        return None;
    }
    if size == 10 {
        return Some(Err("board size 10x10 is not supported, expected 8x8".into()));
    }
    Some(Ok(Header {
        games: u32::from_le_bytes([a, b, c, d]) as usize,
        year: u16::from_le_bytes([low, high]),
    }))
}

/// Reads a file of names, each `length` bytes long. Its header has their number in the two bytes
/// after the number of games, or instead of that number.
///
/// # Errors
/// If the file is damaged: its length or the number in its header does not fit.
pub fn read_names(bytes: &[u8], length: usize) -> Result<Vec<String>, String> {
    let Some((&[_, _, _, _, a, b, c, d, low, high, ..], names)) =
        bytes.split_first_chunk::<HEADER>()
    else {
        let found = bytes.len();
        return Err(format!("{found} bytes, expected a header of {HEADER}"));
    };
    let stated = usize::from(u16::from_le_bytes([low, high]));
    let games = u32::from_le_bytes([a, b, c, d]) as usize;
    let count = names.len() / length;
    let is_stated = stated == count.min(u16::MAX.into()) || games == count;
    if names.len() % length != 0 || !is_stated {
        let (found, stated) = (names.len(), stated.max(games));
        return Err(format!(
            "{found} bytes after the header, expected {} of {length} bytes",
            counted(stated, "name", "names")
        ));
    }
    Ok(names.chunks_exact(length).map(read_name).collect())
}

/// A name in Latin-1 up to its final 0.
fn read_name(bytes: &[u8]) -> String {
    let name = bytes.iter().take_while(|&&byte| byte != 0);
    name.map(|&byte| char::from(byte)).collect()
}

/// Reads a game; `board` is at its start.
pub fn read_game(
    mut board: AnyGame,
    game: &[u8; GAME],
    year: u16,
    names: &NameLists,
) -> Result<RecordEntry, EntryError> {
    if board.name() != "othello" {
        return Err(unsupported("WTHOR", &board));
    }
    let [t0, t1, b0, b1, w0, w1, score, _, moves @ ..] = game;
    let last = moves.iter().rposition(|&byte| byte != 0);
    let count = last.map_or(0, |last| last + 1);
    for (&byte, ply) in moves.iter().take(count).zip(1..) {
        let (row, column) = (byte / 10, byte % 10);
        if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
            return Err(impossible(format!(
                "cannot read {byte} as a move, expected 11 to 88 (ply {ply})"
            )));
        }
        let m = Move::to(8 * (row - 1) + column - 1);
        play(&mut board, m).map_err(|_| {
            let word = board.write_move(m);
            EntryError::from(IllegalMove { word, ply })
        })?;
    }
    let mut entry = RecordEntry::of(board);
    let number = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high]));
    let name = |list: &[String], index: usize| list.get(index).and_then(|name| known(name));
    let [players, tournaments] = names;
    let info = &mut entry.info;
    info.players = [(*b0, *b1), (*w0, *w1)].map(|(a, b)| name(players, number(a, b)));
    info.event = name(tournaments, number(*t0, *t1));
    info.date = (1..=9999).contains(&year).then(|| format!("{year:04}"));
    if *score <= 64 {
        let stated = StatedResult::of_discs(2 * i32::from(*score) - 64);
        entry.statement = Some(Statement::for_first(score.to_string(), Some(stated)));
    } else {
        entry.contradiction = Some(format!(
            "the stated score is {score} discs, expected 0 to 64"
        ));
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;
    use crate::games::record::transcript;

    /// The header of a file with one game of 2003.
    const ONE_GAME: [u8; HEADER] = [20, 3, 12, 15, 1, 0, 0, 0, 0, 0, 0xd3, 7, 8, 0, 0, 0];

    #[test]
    fn files_are_recognized_by_their_header() {
        assert_eq!(read_header(&ONE_GAME[1..]), None);
        for text in ["f5d6c3d3c4f4f6f3", "[Event \"x\"]\n\n1. f5 d6 1-0\n"] {
            assert_eq!(read_header(text.as_bytes()), None);
        }
        let header = Header {
            games: 1,
            year: 2003,
        };
        assert_eq!(read_header(&ONE_GAME), Some(Ok(header)));
        let mut ten = ONE_GAME;
        ten[12] = 10;
        assert_eq!(
            read_header(&ten),
            Some(Err("board size 10x10 is not supported, expected 8x8".into()))
        );
    }

    #[test]
    fn a_game_has_moves_names_and_a_score() {
        let othello = by_name("othello").unwrap();
        let mut bytes = [0; GAME];
        bytes[..11].copy_from_slice(&[1, 0, 2, 0, 1, 0, 40, 40, 56, 64, 33]);
        let [(_, length), _] = NAMES;
        let mut list = vec![0; HEADER + 3 * length];
        list[8] = 3;
        for (index, name) in [&b"???"[..], b"B\xe9a", b"A"].into_iter().enumerate() {
            list[HEADER + index * length..][..name.len()].copy_from_slice(name);
        }
        let names = [
            read_names(&list, length).unwrap(),
            vec!["???".into(), "Open".into()],
        ];
        let entry = read_game(othello.clone(), &bytes, 2003, &names).unwrap();
        assert_eq!(transcript(&entry.game), "f5d6c3");
        assert_eq!(entry.info.players, [Some("A".into()), Some("Béa".into())]);
        assert_eq!(entry.info.event.as_deref(), Some("Open"));
        assert_eq!(
            entry.finish(None).info.result,
            Some(StatedResult::of_discs(16))
        );
        bytes[9] = 76;
        let error = |bytes: &[u8; GAME]| {
            read_game(othello.clone(), bytes, 0, &names)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(error(&bytes), "illegal move \"f7\" at ply 2");
        bytes[9] = 99;
        assert_eq!(
            error(&bytes),
            "cannot read 99 as a move, expected 11 to 88 (ply 2)"
        );
    }
}
