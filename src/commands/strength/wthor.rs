//! The files of the WTHOR database (`.wtb`), games of people: a header of 16 bytes, then 68 bytes for each game, of
//! which the last 60 are its moves as 10 * row + column (`56`: f5), 0 after the last one; passes are not stored.

use anyhow::{Result, ensure};

const HEADER: usize = 16;
const GAME: usize = 68;
/// Where in a game its moves begin.
const MOVES: usize = 8;
/// Where in the header the size of the board is, which is 0 or 8 for 8x8.
const BOARD_SIZE: usize = 12;

/// Whether these are the bytes of such a file: of its length, and not text.
pub(super) fn is_wthor(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && (bytes.len() - HEADER).is_multiple_of(GAME) && bytes.contains(&0)
}

/// The games of a file, each as a transcript (`f5d6c3`).
pub(super) fn transcripts(bytes: &[u8]) -> Result<Vec<String>> {
    ensure!(is_wthor(bytes), "not a file of WTHOR games");
    ensure!([0, 8].contains(&bytes[BOARD_SIZE]), "games on a board of {0}x{0}", bytes[BOARD_SIZE]);
    Ok(bytes[HEADER..].chunks_exact(GAME).map(|game| transcript(&game[MOVES..])).collect())
}

fn transcript(moves: &[u8]) -> String {
    let square = |byte: &u8| [char::from(b'a' - 1 + byte % 10), char::from(b'0' + byte / 10 % 10)];
    moves.iter().take_while(|&&byte| byte != 0).flat_map(square).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_rows_and_columns() {
        let mut bytes = vec![0; HEADER + 2 * GAME];
        bytes[HEADER + MOVES..][..3].copy_from_slice(&[56, 64, 33]);
        bytes[HEADER + GAME + MOVES] = 34;
        assert_eq!(transcripts(&bytes).unwrap(), ["f5d6c3", "d3"]);
        assert!(transcripts(&bytes[1..]).is_err());
        bytes[BOARD_SIZE] = 10;
        assert_eq!(transcripts(&bytes).unwrap_err().to_string(), "games on a board of 10x10");
    }
}
