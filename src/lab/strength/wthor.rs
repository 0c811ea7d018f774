//! Reads the files of the WTHOR database of human games (`.wtb`): a header of 16 bytes, then 68 bytes per game. The
//! last 60 bytes are the moves as 10 * row + column (`56`: f5), padded with 0; passes are not stored.

use anyhow::{Result, ensure};

const HEADER: usize = 16;
const GAME: usize = 68;
/// The offset of the moves in a game.
const MOVES: usize = 8;
/// The offset of the board size in the header; 0 and 8 mean 8x8.
const BOARD_SIZE: usize = 12;

/// Whether the bytes have the length of a WTHOR file and are not text.
pub(super) fn is_wthor(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && (bytes.len() - HEADER).is_multiple_of(GAME) && bytes.contains(&0)
}

/// The games of a file, each as a transcript (`f5d6c3`).
pub(super) fn transcripts(bytes: &[u8]) -> Result<Vec<String>> {
    ensure!(is_wthor(bytes), "not a WTHOR file");
    ensure!(
        [0, 8].contains(&bytes[BOARD_SIZE]),
        "board size {0}x{0} is not supported, expected 8x8",
        bytes[BOARD_SIZE]
    );
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
        assert_eq!(transcripts(&bytes).unwrap_err().to_string(), "board size 10x10 is not supported, expected 8x8");
    }
}
