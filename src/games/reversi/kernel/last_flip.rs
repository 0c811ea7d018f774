//! Tables for the last flip: the lines through each square, and the number of flips on a line of
//! eight squares.

use crate::games::reversi::lines::line_flips;

/// A line through a square, and the index of the square on it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The squares of the line.
    pub mask: u64,
    /// Index of the square among them.
    pub index: u8,
}

/// For each square its column, its diagonal (parallel to a1-h8) and its anti-diagonal.
pub static PLACES: [[Place; 3]; 64] = places();

const fn places() -> [[Place; 3]; 64] {
    let mut all = [[Place { mask: 0, index: 0 }; 3]; 64];
    let mut square = 0;
    while square < 64 {
        let (row, column) = (square as i8 / 8, square as i8 % 8);
        let mut other = 0;
        while other < 64 {
            let (down, right) = (other as i8 / 8 - row, other as i8 % 8 - column);
            let on = [right == 0, down == right, down == -right];
            let mut line = 0;
            while line < 3 {
                if on[line] {
                    all[square][line].mask |= 1 << other;
                    all[square][line].index += (other < square) as u8;
                }
                line += 1;
            }
            other += 1;
        }
        square += 1;
    }
    all
}

/// `LAST_FLIPS[index][player]`: twice the discs that turn on a full line when `player` fills square
/// `index`; bits of `player` that are not set are the opponent's. Lines of fewer than eight squares
/// use the same table: beyond their ends there are no player discs.
pub static LAST_FLIPS: [[u8; 256]; 8] = last_flips();

const fn last_flips() -> [[u8; 256]; 8] {
    let mut all = [[0; 256]; 8];
    let mut index = 0;
    while index < 8 {
        let mut player = 0;
        while player < 256 {
            let square = 1 << index;
            let turned = line_flips(player, 0xff & !player & !square, square);
            all[index][player as usize] = 2 * turned.count_ones() as u8;
            player += 1;
        }
        index += 1;
    }
    all
}
