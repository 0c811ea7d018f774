//! Perft: the number of lines of play of each length, from published and recomputed figures in `tests/data/perft`.

use nullwindow::game::Game;
use nullwindow::games::any::by_name;
use nullwindow::games::othello::Othello;
use nullwindow::games::reversi::PlainOthello;
use nullwindow::perft::{perft, perft_any};

#[test]
fn quick() {
    for (game, counts) in [
        ("othello", &[4u64, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288][..]),
        ("othello6", &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912]),
        ("othello4", &[4, 12, 44, 128, 424, 1256, 3624, 9112, 20032, 36412, 50268, 55112]),
        ("diamond", &[4, 12, 44, 156, 672, 2960, 13812, 65580, 310516, 1451404]),
        ("diamond2", &[4, 12, 52, 180, 810, 3376, 16052, 72246, 349768, 1573078]),
        ("scorefour", &[16, 256, 4096, 65536, 1048560]),
        ("tictactoe", &[9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
    ] {
        let game = by_name(game).unwrap();
        for (n, &count) in counts.iter().enumerate() {
            assert_eq!(perft_any(&*game, n as u32 + 1).lines, count, "{} {}", game.name(), n + 1);
        }
    }
    assert_eq!(perft(&PlainOthello::start(), 7), perft(&Othello::start(), 7));
}
