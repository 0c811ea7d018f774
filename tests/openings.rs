//! The built-in openings: each list names the command that made it, and minimax checks the scores
//! of solved games.

use nullwindow::arena::config::openings::builtin;
use nullwindow::games::any::{NAMES, by_name};
use nullwindow::games::dispatch::think;
use nullwindow::games::record;
use nullwindow::search::core::isa::IsaChoice;
use nullwindow::search::table::Table;
use nullwindow::search::{Algorithm, Limits, Observer, Settings};

#[test]
fn each_list_names_its_command() {
    for game in NAMES {
        let Some(list) = builtin(game) else { continue };
        let first = list.lines().next().unwrap_or_default();
        assert!(
            first.starts_with(&format!("# nullwindow openings --game {game} ")),
            "{game}: {first}"
        );
    }
}

#[test]
fn minimax_confirms_the_scores_of_solved_openings() {
    let settings = Settings {
        algorithm: Algorithm::Minimax,
        table: false,
        deepening: false,
        isa: IsaChoice::Portable,
        ..Settings::default()
    };
    let table = Table::new(1);
    for (game, depth) in [("tictactoe", 9), ("othello4", 12)] {
        let mut lines = 0;
        for line in builtin(game)
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with('#'))
        {
            let board = by_name(game).unwrap();
            let position = line.split(" #").next().unwrap();
            let board = record::parse(&board, position).unwrap().game;
            let mut observer = Observer::default();
            let limits = Limits::to_depth(depth);
            let answer = think(board.position(), &settings, &table, &limits, &mut observer);
            let expected: i32 = line
                .split("# cp ")
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(answer.score().unwrap().0, expected, "{game}: {line}");
            lines += 1;
        }
        assert!(lines >= 20, "{game}: {lines}");
    }
}
