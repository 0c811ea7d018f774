//! The game registry: one row per game. Option `Game`, `--game`, `help games`, UCI variants, the dispatch to a game's
//! search, bench, openings, documentation tables and tests are generated from it.
//!
//! A row consists of the position type and:
//! * `about`: a description, for listings;
//! * `engine`: how the engine plays it, a macro of `games/dispatch.rs`: `sorted(EVALUATOR)` for a game with only an
//!   evaluator, `reversi(SHAPE, EVALUATOR)`, `own()` for a separate `impl GameSpec`, `same_as(GAME, METHOD)`;
//! * optionally, in this order, `uci`: the `UCI_Variant`, which selects the UCI notation of moves; `openings`: balanced
//!   openings, made by `nullwindow openings`; `bench`: plies of random play and search depths.
//!
//! Learned weights and known perft counts (`tests/data/perft/NAME.txt`) are optional too.

use super::reversi::{Diamond, Diamond2, Othello, Othello4, Othello6};
use super::score_four::ScoreFour;
use super::tictactoe::TicTacToe;
use crate::game::Game;

/// Calls a macro with the given arguments in brackets, followed by the rows.
macro_rules! registry {
    ($then:ident $($arguments:tt)*) => {
        $then! { [$($arguments)*]
            Othello {
                about: "Othello, 8x8",
                engine: reversi(Eight, OthelloEvaluator, weights chosen, by with_isa),
                uci: "flipello",
                openings: include_str!("../tournament/opening_lists/othello.txt"),
                bench: [(0, 12), (7, 11), (16, 11), (25, 11), (32, 11), (39, 12), (44, 16), (47, 13)],
            }
            Othello6 {
                about: "Othello on 6x6",
                engine: reversi(Six, Mobility, by with_isa),
                uci: "flipello6",
                openings: include_str!("../tournament/opening_lists/othello6.txt"),
                bench: [(0, 12), (7, 12), (14, 18), (17, 15)],
            }
            Othello4 {
                about: "Othello on 4x4, only discs count",
                engine: reversi(Four, Mobility),
                uci: "flipello4",
                openings: include_str!("../tournament/opening_lists/othello4.txt"),
                bench: [(0, 12)],
            }
            Diamond {
                about: "Reversi on a 24-square diamond",
                engine: reversi(DiamondCrossed, Mobility),
                openings: include_str!("../tournament/opening_lists/diamond.txt"),
                bench: [(0, 14), (3, 17), (8, 12)],
            }
            Diamond2 {
                about: "the same from the other starting position",
                engine: same_as(Diamond, crossed),
                openings: include_str!("../tournament/opening_lists/diamond2.txt"),
                bench: [(0, 14), (3, 17), (8, 12)],
            }
            TicTacToe {
                about: "tic-tac-toe",
                engine: sorted(Zero),
                uci: "tictactoe",
                openings: include_str!("../tournament/opening_lists/tictactoe.txt"),
                bench: [(0, 9)],
            }
            ScoreFour {
                about: "Score Four: four in a row in a 4x4x4 cube, with gravity",
                engine: own(),
                openings: include_str!("../tournament/opening_lists/scorefour.txt"),
                bench: [(0, 10), (5, 9), (12, 9), (19, 9), (30, 9)],
            }
        }
    };
}
pub(crate) use registry;

/// The registry entry of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameEntry {
    /// Its name ([`Game::NAME`]).
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// Its `UCI_Variant`, which selects the UCI notation of moves and positions.
    pub uci: Option<&'static str>,
    /// Balanced openings, one per line.
    pub openings: Option<&'static str>,
    /// Bench positions: plies of random play and search depth.
    pub bench: &'static [(usize, u8)],
}

macro_rules! entries {
    ([] $($game:ident {
        about: $about:literal,
        engine: $engine:ident $parts:tt,
        $(uci: $uci:literal,)?
        $(openings: $openings:expr,)?
        $(bench: $bench:expr,)?
    })*) => {
        /// All games, in the order of listings; the first is the default.
        pub const GAMES: [GameEntry; [$(stringify!($game)),*].len()] = [$({
            #[allow(unused_mut, reason = "a row may have no optional part")]
            let mut entry = GameEntry { name: $game::NAME, about: $about, uci: None, openings: None, bench: &[] };
            $(entry.uci = Some($uci);)?
            $(entry.openings = Some($openings);)?
            $(entry.bench = &$bench;)?
            entry
        }),*];
    };
}

registry!(entries);

/// The names of all games.
pub const NAMES: [&str; GAMES.len()] = {
    let mut names = [""; GAMES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = GAMES[i].name;
        i += 1;
    }
    names
};

/// The entry of the game with this name.
pub fn entry(name: &str) -> Option<&'static GameEntry> {
    static ENTRIES: [GameEntry; GAMES.len()] = GAMES;
    ENTRIES.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_words() {
        let mut names: Vec<_> = NAMES.iter().chain(GAMES.iter().filter_map(|game| game.uci.as_ref())).collect();
        assert!(names.iter().all(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())));
        assert_eq!(entry(NAMES[0]).map(|entry| entry.name), Some(NAMES[0]));
        names.sort();
        let twice = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| *pair[0]).collect::<Vec<_>>();
        let both = GAMES.iter().filter(|game| game.uci == Some(game.name)).map(|game| game.name).collect::<Vec<_>>();
        assert_eq!(twice, both);
    }
}
