//! Document 002: MTD(f) strongly solves tic-tac-toe with every setting, and a bound on the number of null-window
//! searches.

use std::collections::HashSet;
use std::io;

use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, Player};
use crate::games::drawn_tree::{DrawnTree, TreeSpec};
use crate::games::tictactoe::TicTacToe;
use crate::search::mtdf::mtdf;
use crate::search::policy::Zero;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::textbook::{TextbookContext, fail_soft, minimax};

use super::report::FigureReport;

/// Tic-tac-toe with the document's scores: 1, 0, -1 for circle, the first player. Symmetric positions share one table
/// entry, as in the document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Marks {
    position: TicTacToe,
    /// The document's "shortest victory": 3, 2, 1 for a win with the 5th, 7th, 9th mark, -2, -1 for a loss by the 6th,
    /// 8th.
    shortest: bool,
    /// Squares on many lines are searched first.
    sorted: bool,
}

/// The range of circle's scores.
const fn range(shortest: bool) -> Window {
    if shortest { Window { alpha: Score(-2), beta: Score(3) } } else { Window { alpha: Score(-1), beta: Score(1) } }
}

impl Game for Marks {
    const NAME: &'static str = "marks";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 8;

    fn start() -> Self {
        Marks { position: TicTacToe::start(), shortest: false, sorted: false }
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.position.moves();
        if self.sorted {
            moves.sort_by_key(|m| (m.square() % 2, m.square() != 4)); // the center, the corners, the edges
        }
        moves
    }

    fn play(&self, m: Move) -> Self {
        Marks { position: self.position.play(m), ..*self }
    }

    fn final_score(&self) -> Option<Score> {
        let marks = self.stones();
        self.position.final_score().map(|score| match (score.is_decided(), self.shortest) {
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
        canonical(&self.position)
    }

    fn image(&self, symmetry: usize) -> Self {
        Marks { position: self.position.image(symmetry), ..*self }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        TicTacToe::move_image(m, symmetry)
    }
}

/// The canonical key of a position: equal for all its symmetry images.
fn canonical(position: &TicTacToe) -> [u64; 2] {
    let images = (0..TicTacToe::SYMMETRIES).map(|symmetry| position.image(symmetry).packed());
    images.min().unwrap_or_default()
}

/// The value of a position for its side to move, by MTD(f) from 0, and the number of nodes.
fn value(position: &Marks, table: Option<&Table>, bounds: Window) -> (Score, u64) {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, table, &control);
    let bounds = if position.to_move() == Player::First { bounds } else { bounds.flipped() };
    let depth = position.plies_left();
    match mtdf(Score::ZERO, 1, bounds, |window, _| fail_soft(&mut cx, position, depth, 0, window)) {
        Ok(score) => (score, cx.counters.nodes),
        Err(_) => unreachable!("this search is not stopped"),
    }
}

/// A position with the moves that keep its value (win, draw or loss).
struct Puzzle {
    position: TicTacToe,
    optimal: MoveList,
}

/// All reachable positions that are not finished.
fn puzzles() -> Vec<Puzzle> {
    let mut seen = HashSet::new();
    let mut open = vec![TicTacToe::start()];
    let mut found = Vec::new();
    while let Some(position) = open.pop() {
        if position.final_score().is_some() || !seen.insert(position) {
            continue;
        }
        let outcome = |m: Move| outcome(&position.play(m));
        let worst = position.moves().into_iter().map(outcome).min().unwrap_or_default();
        let optimal = position.moves().into_iter().filter(|&m| outcome(m) == worst).collect();
        open.extend(position.moves().iter().map(|&m| position.play(m)));
        found.push(Puzzle { position, optimal });
    }
    found
}

/// Win, draw or loss for the side to move, by minimax.
fn outcome(position: &TicTacToe) -> i32 {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, None, &control);
    minimax(&mut cx, position, position.plies_left(), 0).map_or(0, |score| score.0.signum())
}

/// A setting of the document's player.
#[derive(Clone, Copy, Debug)]
struct Setting {
    shortest: bool,
    table: bool,
    range_known: bool,
    sorted: bool,
}

/// The number of puzzles solved: every move of the best score is optimal.
fn solved(puzzles: &[&Puzzle], setting: Setting) -> usize {
    let Setting { shortest, table, range_known, sorted } = setting;
    let bounds = if range_known { range(shortest) } else { Window::FULL };
    let mut memory = Table::with_bytes(1 << 16);
    let solves = |puzzle: &&&Puzzle| {
        // Every move starts with an empty table, as in the document.
        memory.clear();
        let kept = table.then_some(&memory);
        let child = |m: Move| Marks { position: puzzle.position.play(m), shortest, sorted };
        let score = |m: Move| -value(&child(m), kept, bounds).0;
        let scores: Vec<Score> = puzzle.position.moves().into_iter().map(score).collect();
        let best = scores.iter().max();
        let chosen = puzzle.position.moves().into_iter().zip(&scores).filter(|&(_, score)| Some(score) == best);
        chosen.into_iter().all(|(m, _)| puzzle.optimal.contains(&m))
    };
    puzzles.iter().filter(solves).count()
}

fn settings(report: &mut FigureReport<'_>) -> io::Result<()> {
    let all = puzzles();
    let all: Vec<&Puzzle> = all.iter().collect();
    let mut seen = HashSet::new();
    let is_hard = |puzzle: &&&Puzzle| {
        puzzle.optimal.len() < puzzle.position.moves().len() && seen.insert(canonical(&puzzle.position))
    };
    let hard: Vec<&Puzzle> = all.iter().filter(is_hard).copied().collect();
    report.must("tic-tac-toe, unfinished positions", 4_520, all.len())?;
    report.must("tic-tac-toe, those to get wrong, modulo symmetry", 431, hard.len())?;
    for number in 0..16 {
        let [shortest, table, range_known, sorted] = [8, 4, 2, 1].map(|bit| number & bit != 0);
        let setting = Setting { shortest, table, range_known, sorted };
        let flags = [("sv", shortest), ("use_tt", table), ("init_ab", range_known), ("sort", sorted)];
        let flags: Vec<&str> = flags.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        let name = if flags.is_empty() { "none".into() } else { flags.join(" ") };
        let ours = format!("{} {}", solved(&hard, setting), solved(&all, setting));
        report.must(&format!("tic-tac-toe, solved of 431 and of 4520, set: {name}"), "431 4520", ours)?;
    }
    let start = Marks::start();
    report.must("tic-tac-toe, calls of the search from the start", 17_125, value(&start, None, Window::FULL).1)?;
    let table = Table::with_bytes(1 << 16);
    report.beside("the same with the table", Some("877"), value(&start, Some(&table), Window::FULL).1)?;
    let start = Marks { sorted: true, ..start };
    report.beside("the same in a good order", Some("2506"), value(&start, None, Window::FULL).1)?;
    let table = Table::with_bytes(1 << 16);
    report.beside("the same in a good order with the table", Some("301"), value(&start, Some(&table), Window::FULL).1)
}

/// The document's three cases of a first guess and a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    Below,
    Equal,
    Above,
}

impl Case {
    const ALL: [Case; 3] = [Case::Below, Case::Equal, Case::Above];

    fn of(guess: i32, value: i32) -> Case {
        match guess.cmp(&value) {
            std::cmp::Ordering::Less => Case::Below,
            std::cmp::Ordering::Equal => Case::Equal,
            std::cmp::Ordering::Greater => Case::Above,
        }
    }

    /// The maximum number of null-window searches by the law.
    fn most(self, guess: i32, value: i32) -> i32 {
        match self {
            Case::Below => value - guess + 2,
            Case::Equal => 2,
            Case::Above => guess - value + 1,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Case::Below => "f < s: 2 to s-f+2",
            Case::Equal => "f = s: 2",
            Case::Above => "f > s: 2 to f-s+1",
        }
    }
}

/// Counts of searches within and outside the law, and at its lower and upper end.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    within: u32,
    outside: u32,
    least: u32,
    most: u32,
}

/// MTD(f) from a first guess: the value and the number of null windows.
fn null_windows(root: &DrawnTree, guess: i32) -> (i32, i32) {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, None, &control);
    let mut searches = 0;
    let value = mtdf(Score(guess), 1, Window::FULL, |window, _| {
        searches += 1;
        fail_soft(&mut cx, root, root.plies_left(), 0, window)
    });
    (value.map_or(i32::MAX, |score| score.0), searches)
}

/// A random tree of up to `plies` plies with one to four moves, leaves at any ply and values from -10 to 10.
fn random_tree(rng: &mut Rng, plies: u64) -> TreeSpec {
    if plies == 0 || rng.below(8) == 0 {
        return TreeSpec::Leaf(rng.below(21) as i32 - 10);
    }
    let moves = 1 + rng.below(4);
    TreeSpec::Moves((0..moves).map(|_| random_tree(rng, plies - 1)).collect())
}

/// Seed of the random trees.
const SEED: u64 = 2;
const TREES: u32 = 2_000;

fn tally(tallies: &mut [Tally; 3], root: &DrawnTree, value: i32, guess: i32) {
    let (found, searches) = null_windows(root, guess);
    let case = Case::of(guess, value);
    let tally = &mut tallies[case as usize];
    let most = case.most(guess, value);
    let lawful = found == value && (2..=most).contains(&searches);
    tally.within += u32::from(lawful);
    tally.outside += u32::from(!lawful);
    tally.least += u32::from(lawful && searches == 2);
    tally.most += u32::from(lawful && searches == most);
}

fn law() -> [Tally; 3] {
    let mut tallies = [Tally::default(); 3];
    let mut rng = Rng::new(SEED);
    for _ in 0..TREES {
        let root = DrawnTree::build(&random_tree(&mut rng, 4));
        let control = SearchControl::default();
        let mut cx = TextbookContext::new(&Zero, None, &control);
        let Ok(Score(value)) = minimax(&mut cx, &root, root.plies_left(), 0) else { unreachable!("it is not stopped") };
        for guess in -12..=12 {
            tally(&mut tallies, &root, value, guess);
        }
    }
    tallies
}

/// The document's worst cases: a max node over leaves that rise by one, a min node over leaves that fall by one.
fn worst_cases() -> [(Case, i32, i32); 2] {
    let leaves = |values: Vec<i32>| values.into_iter().map(TreeSpec::Leaf).collect();
    let (guess, value) = (-3, 4);
    let rising = DrawnTree::build(&TreeSpec::Moves(leaves((guess..=value).collect())));
    let below = (Case::Below, null_windows(&rising, guess).1, Case::Below.most(guess, value));
    let (guess, value) = (6, -1);
    let falling = TreeSpec::Moves(vec![TreeSpec::Moves(leaves((value..guess).rev().collect()))]);
    let above = (Case::Above, null_windows(&DrawnTree::build(&falling), guess).1, Case::Above.most(guess, value));
    [below, above]
}

fn null_window_law(report: &mut FigureReport<'_>) -> io::Result<()> {
    let tallies = law();
    for case in Case::ALL {
        let Tally { within, outside, least, most } = tallies[case as usize];
        report.must(&format!("null windows on {TREES} random trees, {}: outside", case.text()), 0, outside)?;
        let ours = format!("{least}, {most}");
        let what = format!("{}: at the least, at the most, of {within}", case.text());
        report.must_hold(&format!("null windows, {what}"), "both attained", ours, least > 0 && most > 0)?;
    }
    for (case, searches, most) in worst_cases() {
        report.must(&format!("null windows, the worst tree 7 values away, {}", case.text()), most, searches)?;
    }
    Ok(())
}

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open("002", "MTD(f): tic-tac-toe strongly solved, and how many null windows a value takes")?;
    settings(report)?;
    null_window_law(report)?;
    report
        .say("The law assumes integer values, fail-soft and no initial bounds; with init_ab one search can be enough.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_window_law_holds_and_both_ends_are_attained() {
        let mut out = Vec::new();
        let mut rows = FigureReport::new(&mut out, false);
        null_window_law(&mut rows).unwrap();
        assert!(rows.rows().len() == 8 && rows.all_ok(), "{:#?}", rows.rows());
    }

    #[test]
    fn shortest_victories_have_the_values_of_the_document() {
        let play = |squares: &[u8]| {
            let moves = squares.iter().map(|&square| Move::to(square));
            let start = Marks { shortest: true, ..Marks::start() };
            moves.fold(start, |position, m| position.play(m)).final_score()
        };
        // Circle completes the lowest rank with the 5th mark: 3 for circle, and cross is to move.
        assert_eq!(play(&[0, 3, 1, 4, 2]), Some(Score(-3)));
        // Cross completes the middle rank with the 6th: -2 for circle, who is to move.
        assert_eq!(play(&[0, 3, 1, 4, 8, 5]), Some(Score(-2)));
    }
}
