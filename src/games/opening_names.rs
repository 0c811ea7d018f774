//! The names of openings: a game has the name of the last named position that it passed through.
//!
//! Positions are compared up to symmetry, so that every first move and every order of moves finds
//! its name. The names are in the games' folders (`reversi/opening_names.txt`): on each line the
//! moves of the opening, a blank, and its name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::any::{AnyGame, AnyPosition, GAMES, by_name};
use super::record::play_all;
use crate::game::Game;

/// The names by canonical position.
static NAMES: LazyLock<HashMap<AnyPosition, &str>> = LazyLock::new(|| {
    let lines = |(game, text): (_, &'static str)| text.lines().map(move |line| (game, line));
    GAMES
        .iter()
        .filter_map(|entry| Some((entry.name, entry.opening_names?)))
        .flat_map(lines)
        .filter_map(|(game, line)| named_position(game, line))
        .collect()
});

/// The canonical position and the name of a line; `None` for a comment or an empty line.
fn named_position<'t>(game: &str, line: &'t str) -> Option<(AnyPosition, &'t str)> {
    let (moves, name) = line.split_once(' ').filter(|(moves, _)| *moves != "#")?;
    let mut game = by_name(game)?;
    play_all(&mut game, moves).ok()?;
    Some((game.canonical(), name))
}

/// The named positions that a game from the standard start position passed through, in order: the
/// number of plies to each, and its name.
pub fn names_reached(game: &AnyGame) -> impl Iterator<Item = (usize, &'static str)> {
    let positions = game.plies().map(|(position, m)| position.play(m));
    (1..)
        .zip(positions.filter(|_| game.is_from_start()))
        .filter_map(|(plies, position)| Some((plies, *NAMES.get(&position.canonical())?)))
}

/// The name of the opening of a game: the last of [`names_reached`].
///
/// ```
/// use nullwindow::games::{any::by_name, opening_names::opening_name, record::play_all};
///
/// let mut game = by_name("othello").unwrap();
/// play_all(&mut game, "f5d6c3d3c4f4f6").unwrap();
/// assert_eq!(opening_name(&game), Some("Stephenson"));
/// ```
pub fn opening_name(game: &AnyGame) -> Option<&'static str> {
    names_reached(game).last().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::entry;

    /// A game of Othello from the start.
    fn game(moves: &str) -> AnyGame {
        let mut game = by_name("othello").unwrap();
        play_all(&mut game, moves).unwrap();
        game
    }

    #[test]
    fn every_line_is_a_legal_opening_with_a_name_and_position_of_its_own() {
        let text = entry("othello").unwrap().opening_names.unwrap();
        let lines: Vec<(&str, &str)> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(' '))
            .collect();
        assert!(lines.len() >= 60, "{}", lines.len());
        for (index, (moves, name)) in lines.iter().enumerate() {
            assert_eq!(opening_name(&game(moves)), Some(*name));
            assert!(lines[..index].iter().all(|(_, other)| other != name));
            assert!(name.trim() == *name && name.is_ascii(), "{name:?}");
        }
        assert_eq!(NAMES.len(), lines.len());
    }

    #[test]
    fn symmetric_openings_and_transpositions_have_one_name() {
        // One opening from each first move.
        for moves in ["f5d6c3d3c4", "c4e3f6e6f5", "d3c5f6f5e6", "e6f4c3c4d3"] {
            assert_eq!(opening_name(&game(moves)), Some("Tiger"), "{moves}");
        }
        // Other orders of moves, also through another second move.
        for (moves, name) in [
            ("c4e3f5e6f6", "Tiger"),
            ("c4c5d6c3d3", "Cow"),
            ("c4c5d6e3d3c6f4", "Inoue"),
        ] {
            assert_eq!(opening_name(&game(moves)), Some(name), "{moves}");
        }
    }

    #[test]
    fn the_last_name_stays_until_the_next_one() {
        assert_eq!(opening_name(&game("")), None);
        assert_eq!(opening_name(&game("f5")), None);
        let reached: Vec<_> = names_reached(&game("f5d6c3d3c4f4c5b3c2e6d7")).collect();
        let expected = [
            (2, "Perpendicular"),
            (5, "Tiger"),
            (9, "Rose-Bill"),
            (10, "Tamenori"),
        ];
        assert_eq!(reached, expected);
        let mut undone = game("f5d6c3d3c4f4");
        assert_eq!(opening_name(&undone), Some("Tiger"));
        assert!(undone.undo() && undone.undo());
        assert_eq!(opening_name(&undone), Some("Perpendicular"));
    }

    #[test]
    fn only_games_from_the_start_have_a_name() {
        let position = game("f5d6").write_position();
        let mut game = by_name("othello").unwrap();
        game.set_position(&position).unwrap();
        play_all(&mut game, "c3d3c4").unwrap();
        assert_eq!(opening_name(&game), None);
        let mut other = by_name("othello6").unwrap();
        play_all(&mut other, "c2b2").unwrap();
        assert_eq!(opening_name(&other), None);
    }
}
