//! The rules of Reversi in plain loops over squares: the oracle of the bit operations.

use std::marker::PhantomData;

use nullwindow::games::reversi::{Eight, Reversi, Shape};

/// Othello by plain loops.
pub type PlainOthello = Reversi<PlainLoops<Eight>>;

/// Another shape's game, played by walking along every ray square by square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlainLoops<S>(PhantomData<S>);

impl<S: Shape> Shape for PlainLoops<S> {
    const NAME: &'static str = S::NAME;
    const SIZE: u32 = S::SIZE;
    const SQUARES: u64 = S::SQUARES;
    const BLACK: u64 = S::BLACK;
    const WHITE: u64 = S::WHITE;
    const EMPTIES_TO_WINNER: bool = S::EMPTIES_TO_WINNER;

    fn legal(player: u64, opponent: u64) -> u64 {
        let may_play = |&square: &u8| {
            S::SQUARES & !(player | opponent) & 1 << square != 0
                && Self::flips(player, opponent, square) != 0
        };
        (0..64)
            .filter(may_play)
            .fold(0, |set, square| set | 1 << square)
    }

    fn flips(player: u64, opponent: u64, square: u8) -> u64 {
        const DIRECTIONS: [(i32, i32); 8] = [
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
            (-1, 0),
            (-1, 1),
        ];
        let (row, column) = (i32::from(square / 8), i32::from(square % 8));
        let mut flips = 0;
        for (down, right) in DIRECTIONS {
            let mut run = 0;
            for steps in 1..8 {
                let (row, column) = (row + steps * down, column + steps * right);
                if !(0..8).contains(&row) || !(0..8).contains(&column) {
                    break;
                }
                let here = 1 << (8 * row + column);
                if opponent & here != 0 {
                    run |= here;
                } else {
                    if player & here != 0 {
                        flips |= run;
                    }
                    break;
                }
            }
        }
        flips
    }
}
