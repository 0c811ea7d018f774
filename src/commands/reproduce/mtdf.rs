//! Document 002: MTD(f) strongly solves tic-tac-toe with every setting, and a bound on the number
//! of null-window searches.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::io;

use crate::commands::explain::drawn_tree::DrawnTree;
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, Player};
use crate::games::tictactoe::TicTacToe;
use crate::search::generic_policy::canonical_key;
use crate::search::mtdf::mtdf;
use crate::search::table::Table;
use crate::search::textbook::{fail_soft, minimax};

use super::report::FigureReport;
use super::{Found, run_to_end, tree};

/// Tic-tac-toe with the document's scores: 1, 0, -1 for circle, the first player. Symmetric
/// positions share one table entry, as in the document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Marks {
    position: TicTacToe,
    /// The document's "shortest victory": 3, 2, 1 for a win with the 5th, 7th, 9th mark, -2, -1 for
    /// a loss by the 6th, 8th.
    shortest: bool,
    /// Squares on many lines are searched first.
    sorted: bool,
}

/// The range of circle's scores.
const fn range(shortest: bool) -> Window {
    let (alpha, beta) = if shortest { (-2, 3) } else { (-1, 1) };
    Window {
        alpha: Score(alpha),
        beta: Score(beta),
    }
}

impl Game for Marks {
    const NAME: &'static str = "marks";
    const GRAIN: i32 = 1;

    fn start() -> Self {
        Marks {
            position: TicTacToe::start(),
            shortest: false,
            sorted: false,
        }
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.position.moves();
        if self.sorted {
            // the center, the corners, the edges
            moves.sort_by_key(|m| (m.square() % 2, m.square() != 4));
        }
        moves
    }

    fn play(&self, m: Move) -> Self {
        Marks {
            position: self.position.play(m),
            ..*self
        }
    }

    fn final_score(&self) -> Option<Score> {
        let marks = self.stones();
        self.position
            .final_score()
            .map(|score| match (score.is_decided(), self.shortest) {
                (false, _) => Score::ZERO,
                (true, false) => Score(-1), // the side to move has just lost
                (true, true) if self.to_move() == Player::Second => Score(-(11 - marks) / 2),
                (true, true) => Score((marks - 10) / 2),
            })
    }

    fn plies_left(&self) -> u8 {
        self.position.plies_left()
    }

    fn stones(&self) -> i32 {
        self.position.stones()
    }

    fn packed(&self) -> [u64; 2] {
        canonical_key(&self.position).words
    }
}

/// The value of a position for its side to move, by MTD(f) from 0.
fn solve(position: &Marks, table: Option<&Table>, bounds: Window) -> Found {
    let bounds = if position.to_move() == Player::First {
        bounds
    } else {
        bounds.flipped()
    };
    let depth = position.plies_left();
    run_to_end(table, |cx| {
        mtdf(Score::ZERO, 1, bounds, |window, _| {
            fail_soft(cx, position, depth, 0, window)
        })
    })
}

/// A position with the moves that keep its value (win, draw or loss).
struct Puzzle {
    position: TicTacToe,
    optimal: MoveList,
    /// Whether another move is wrong, in the first of its symmetry images.
    is_hard: bool,
}

/// All reachable positions that are not finished.
fn puzzles() -> Vec<Puzzle> {
    let (mut seen, mut seen_hard) = (HashSet::new(), HashSet::new());
    let mut open = vec![TicTacToe::start()];
    let mut found = Vec::new();
    while let Some(position) = open.pop() {
        if position.final_score().is_some() || !seen.insert(position) {
            continue;
        }
        let moves = position.moves();
        let outcomes: Vec<i32> = moves.iter().map(|&m| outcome(&position.play(m))).collect();
        let worst = outcomes.iter().min();
        let optimal = moves
            .iter()
            .zip(&outcomes)
            .filter(|&(_, outcome)| Some(outcome) == worst)
            .map(|(&m, _)| m);
        let optimal: MoveList = optimal.collect();
        let is_hard =
            optimal.len() < moves.len() && seen_hard.insert(canonical_key(&position).words);
        open.extend(moves.iter().map(|&m| position.play(m)));
        found.push(Puzzle {
            position,
            optimal,
            is_hard,
        });
    }
    found
}

/// Win, draw or loss for the side to move, by minimax.
fn outcome(position: &TicTacToe) -> i32 {
    run_to_end(None, |cx| minimax(cx, position, position.plies_left(), 0))
        .value
        .signum()
}

/// The settings of the document's player: shortest victory, table, initial bounds, move ordering.
const SETTINGS: [&str; 4] = ["sv", "use_tt", "init_ab", "sort"];

/// The puzzles solved: every move of the best score is optimal.
fn solved(
    puzzles: &[Puzzle],
    [shortest, use_table, range_known, sorted]: [bool; 4],
) -> Vec<&Puzzle> {
    let bounds = if range_known {
        range(shortest)
    } else {
        Window::FULL
    };
    let mut table = Table::with_bytes(1 << 16);
    let solves = |puzzle: &&Puzzle| {
        // Every move starts with an empty table, as in the document.
        table.clear();
        let kept = use_table.then_some(&table);
        let moves = puzzle.position.moves();
        let child = |m: Move| Marks {
            position: puzzle.position.play(m),
            shortest,
            sorted,
        };
        let scores: Vec<i32> = moves
            .iter()
            .map(|&m| -solve(&child(m), kept, bounds).value)
            .collect();
        let best = scores.iter().max();
        moves
            .iter()
            .zip(&scores)
            .all(|(m, score)| Some(score) != best || puzzle.optimal.contains(m))
    };
    puzzles.iter().filter(solves).collect()
}

fn settings(report: &mut FigureReport<'_>) -> io::Result<()> {
    let all = puzzles();
    report.must("tic-tac-toe, unfinished positions", 4_520, all.len())?;
    let hard = all.iter().filter(|puzzle| puzzle.is_hard).count();
    report.must(
        "tic-tac-toe, those to get wrong, modulo symmetry",
        431,
        hard,
    )?;
    for number in 0..16 {
        let setting = [8, 4, 2, 1].map(|bit| number & bit != 0);
        let on: Vec<&str> = SETTINGS
            .into_iter()
            .zip(setting)
            .filter(|&(_, on)| on)
            .map(|(name, _)| name)
            .collect();
        let name = if on.is_empty() {
            "none".into()
        } else {
            on.join(" ")
        };
        let solved = solved(&all, setting);
        let ours = format!(
            "{} {}",
            solved.iter().filter(|puzzle| puzzle.is_hard).count(),
            solved.len()
        );
        report.must(
            &format!("tic-tac-toe, solved of 431 and of 4520, set: {name}"),
            "431 4520",
            ours,
        )?;
    }
    let calls = |sorted: bool, use_table: bool| {
        let table = use_table.then(|| Table::with_bytes(1 << 16));
        solve(
            &Marks {
                sorted,
                ..Marks::start()
            },
            table.as_ref(),
            Window::FULL,
        )
        .counters
        .nodes
    };
    report.must(
        "tic-tac-toe, calls of the search from the start",
        17_125,
        calls(false, false),
    )?;
    report.beside("the same with the table", Some("877"), calls(false, true))?;
    report.beside("the same in a good order", Some("2506"), calls(true, false))?;
    report.beside(
        "the same in a good order with the table",
        Some("301"),
        calls(true, true),
    )
}

/// The document's three cases of a first guess `f` and a value `s`, with the number of null-window
/// searches.
const CASES: [(Ordering, &str); 3] = [
    (Ordering::Less, "f < s: 2 to s-f+2"),
    (Ordering::Equal, "f = s: 2"),
    (Ordering::Greater, "f > s: 2 to f-s+1"),
];

/// MTD(f) from a first guess, in a tree of known value.
struct Trial {
    guess: i32,
    value: i32,
    /// The value and the number of null-window searches of MTD(f).
    found: i32,
    searches: i32,
}

impl Trial {
    fn run(root: &DrawnTree, guess: i32, value: i32) -> Trial {
        let mut searches = 0;
        let found = run_to_end(None, |cx| {
            mtdf(Score(guess), 1, Window::FULL, |window, _| {
                searches += 1;
                fail_soft(cx, root, root.plies_left(), 0, window)
            })
        });
        Trial {
            guess,
            value,
            found: found.value,
            searches,
        }
    }

    /// The maximum number of null-window searches by the law.
    fn most(&self) -> i32 {
        (self.value - self.guess + 2).max(self.guess - self.value + 1)
    }

    fn is_lawful(&self) -> bool {
        self.found == self.value && (2..=self.most()).contains(&self.searches)
    }
}

/// A random tree of up to `plies` plies with one to four moves, leaves at any ply and values from
/// -10 to 10.
fn random_tree(rng: &mut Rng, plies: u64) -> String {
    if plies == 0 || rng.below(8) == 0 {
        return (rng.below(21) as i32 - 10).to_string();
    }
    let moves = 1 + rng.below(4);
    let branches: Vec<String> = (0..moves).map(|_| random_tree(rng, plies - 1)).collect();
    format!("({})", branches.join(" "))
}

/// Seed of the random trees.
const SEED: u64 = 2;
const TREES: u32 = 2_000;

fn null_window_law(report: &mut FigureReport<'_>) -> io::Result<()> {
    let mut rng = Rng::new(SEED);
    let mut trials = Vec::new();
    for _ in 0..TREES {
        let root = tree(&random_tree(&mut rng, 4));
        let value = run_to_end(None, |cx| minimax(cx, &root, root.plies_left(), 0)).value;
        trials.extend((-12..=12).map(|guess| Trial::run(&root, guess, value)));
    }
    for (case, text) in CASES {
        let (lawful, outside): (Vec<&Trial>, Vec<&Trial>) = trials
            .iter()
            .filter(|trial| trial.guess.cmp(&trial.value) == case)
            .partition(|trial| trial.is_lawful());
        report.must(
            &format!("null windows on {TREES} random trees, {text}: outside"),
            0,
            outside.len(),
        )?;
        let least = lawful.iter().filter(|trial| trial.searches == 2).count();
        let most = lawful
            .iter()
            .filter(|trial| trial.searches == trial.most())
            .count();
        let what = format!(
            "null windows, {text}: at the least, at the most, of {}",
            lawful.len()
        );
        report.must_hold(
            &what,
            "both attained",
            format!("{least}, {most}"),
            least > 0 && most > 0,
        )?;
    }
    // The document's worst cases: a max node over leaves that rise by one, a min node over leaves
    // that fall by one.
    let [rising, falling] = ["(-3 -2 -1 0 1 2 3 4)", "((5 4 3 2 1 0 -1))"].map(tree);
    for (root, guess, value, (_, text)) in [(rising, -3, 4, CASES[0]), (falling, 6, -1, CASES[2])] {
        let trial = Trial::run(&root, guess, value);
        report.must(
            &format!("null windows, the worst tree 7 values away, {text}"),
            trial.most(),
            trial.searches,
        )?;
    }
    Ok(())
}

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "002",
        "MTD(f): tic-tac-toe strongly solved, and how many null windows a value takes",
    )?;
    settings(report)?;
    null_window_law(report)?;
    report.remark(
        "The law assumes integer values, fail-soft and no initial bounds; with init_ab one search can \
         be enough.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_window_law_holds_and_both_ends_are_attained() {
        let mut out = Vec::new();
        let mut rows = FigureReport::new(&mut out, false);
        null_window_law(&mut rows).unwrap();
        assert!(
            rows.rows().len() == 8 && rows.all_ok(),
            "{:#?}",
            rows.rows()
        );
    }

    #[test]
    fn shortest_victories_have_the_values_of_the_document() {
        let play = |squares: &[u8]| {
            let moves = squares.iter().map(|&square| Move::to(square));
            let start = Marks {
                shortest: true,
                ..Marks::start()
            };
            moves
                .fold(start, |position, m| position.play(m))
                .final_score()
        };
        // Circle completes the lowest rank with the 5th mark: 3 for circle, and cross is to move.
        assert_eq!(play(&[0, 3, 1, 4, 2]), Some(Score(-3)));
        // Cross completes the middle rank with the 6th: -2 for circle, who is to move.
        assert_eq!(play(&[0, 3, 1, 4, 8, 5]), Some(Score(-2)));
    }
}
