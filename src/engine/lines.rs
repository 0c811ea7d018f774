//! What several lines cost: the scores of all legal moves (`MultiPV`) against the best move's alone, by nodes.
//!
//! Positions of own games are searched to the same depth, each time with an empty table: once for the best move, once for a
//! line of every move, and once more for each move alone (`searchmoves`), which says what the lines have in common and whether
//! their scores are those of their moves. Nodes are the same on every run, machine and instruction set.
//!
//! # What was tried
//!
//! All lines over the best alone, nodes of each class together (with the weights and the Score Four player of that time; `bench multipv`
//! says what they are now):
//!
//! | | Othello, depths 8 / 12 / 14 | endgames of 16 / 20 | Score Four, depths 8 / 9 / 10 |
//! |---|---|---|---|
//! | every move by itself, every stage | 7.3 / 8.3 / 9.6 | 6.3 / 3.2 | 4.8 / 3.6 / 4.4 |
//! | the last stage but one for the best line only | 7.1 / 7.4 / 8.8 | 5.7 / 3.2 | 4.6 / 3.4 / 4.2 |
//! | the last two but one for the best line only | 7.0 / 7.5 / 9.1 | 5.7 / 3.8 | 4.6 / 3.6 / 4.2 |
//! | the last three but one for the best line only | 8.6 / 7.8 / 9.2 | 7.2 / 3.3 | - |
//! | first guesses moved by how the stage's other lines moved | - | - | 4.8 / 3.5 / 4.4 |
//! | NegaScout with open windows in place of MTD(f) | 7.6 / 8.2 / 9.2 | 5.8 / 3.0 | 4.7 / 3.3 / 4.4 |
//! | statistical cuts that bound the value beyond the window | 7.3 / 8.3 / 9.5 | 6.3 / 3.2 | |
//!
//! Searching fewer stages saves at most a tenth, and leaves nothing to show on the way; so lines are searched at every stage.
//! What is left is the trees themselves, which have little in common: all lines together take 0.95 to 1.2 times the nodes of each
//! move alone with an empty table, in Score Four 0.76 to 0.88 times. At Othello's depth 12 the last stage holds 63 % of them, and
//! half of all are in its null windows that answered with the value itself, which the best first guess leaves over: 4.1 times
//! the best alone.

use std::fmt;
use std::sync::Arc;

use super::options::Options;
use super::roster;
use crate::game::Move;
use crate::games::any::{self, AnyGame};
use crate::score::Score;
use crate::search::context::Watch;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer};

/// The positions: a line each, class, game, depths (with commas between; `end` is the game's end) and position separated by
/// blanks; `#` begins a comment.
const POSITIONS: &str = include_str!("lines.txt");

/// Size of the table in MiB: the default of option `Hash`.
const HASH: usize = 64;

/// What one position cost at one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// What it stands for, for instance `othello-midgame`.
    pub class: &'static str,
    /// How deep it was searched.
    pub depth: u8,
    /// How many legal moves it has.
    pub moves: usize,
    /// Nodes for the best move.
    pub best: u64,
    /// Nodes for a line of every move.
    pub all: u64,
    /// Nodes for each move alone, together.
    pub alone: u64,
    /// How many lines have another score than their move has alone: none where the search is exact.
    pub other: usize,
}

impl Cost {
    /// How many times the nodes for the best move all lines took.
    pub fn ratio(&self) -> f64 {
        self.all as f64 / self.best.max(1) as f64
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { class, depth, moves, best, all, alone, other } = self;
        let ratio = self.ratio();
        write!(
            f,
            "{class:<16} depth {depth:<2} moves {moves:<2} best {best} all {all} alone {alone} ratio {ratio:.2}"
        )?;
        if *other > 0 {
            write!(f, " other scores {other}")?;
        }
        Ok(())
    }
}

/// Measures every position whose class begins with `class`; tells each cost.
pub fn run(options: &Options, class: &str, tell: &mut dyn FnMut(&Cost)) -> Vec<Cost> {
    let mut costs = Vec::new();
    let mut table = Table::new(HASH);
    for row in rows(POSITIONS).filter(|row| row.class.starts_with(class)) {
        for &depth in &row.depths {
            let cost = measure(&row, depth, options, &mut table);
            tell(&cost);
            costs.push(cost);
        }
    }
    costs
}

fn measure(row: &Row, depth: u8, options: &Options, table: &mut Table) -> Cost {
    let mut think = |limits: Limits| -> Answer {
        table.clear();
        let mut observer = Observer { watch: Arc::<Watch>::default(), report: &mut |_| {} };
        roster::think(row.game.position(), &options.settings, options.kernel, table, &limits, &mut observer)
    };
    let moves = row.game.moves();
    let best = think(Limits::to_depth(depth)).counters.nodes;
    let all = think(Limits { multi_pv: moves.len(), ..Limits::to_depth(depth) });
    let mut cost =
        Cost { class: row.class, depth, moves: moves.len(), best, all: all.counters.nodes, alone: 0, other: 0 };
    let line = |m: Move| -> Option<Score> { all.best.iter().find(|root| root.m == m).map(|root| root.score) };
    for &m in &moves {
        let alone = think(Limits { moves: vec![m], ..Limits::to_depth(depth) });
        cost.alone += alone.counters.nodes;
        cost.other += usize::from(alone.score() != line(m));
    }
    cost
}

/// A line of the file.
struct Row {
    class: &'static str,
    game: Box<dyn AnyGame>,
    depths: Vec<u8>,
}

fn rows(text: &'static str) -> impl Iterator<Item = Row> {
    text.lines().filter_map(|line| {
        let mut words = line.splitn(4, ' ');
        let (class, name, depths, position) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let mut game = any::by_name(name)?;
        game.set_position(position).ok()?;
        let depth = |word: &str| if word == "end" { Some(game.plies_left()) } else { word.parse().ok() };
        let depths = depths.split(',').map(depth).collect::<Option<_>>()?;
        Some(Row { class, game, depths })
    })
}

/// A table of the classes and depths: how many positions, their nodes together, the ratio of all lines to the best move
/// (of the sums, the median and the worst), that of all lines to each move alone, and how many of the lines have another
/// score.
pub fn summary(costs: &[Cost]) -> String {
    let mut kinds: Vec<(&str, u8)> = costs.iter().map(|cost| (cost.class, cost.depth)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut text = String::from(
        "class            depth positions      best        all  all/best median  worst  all/alone  other scores\n",
    );
    for (class, depth) in kinds {
        let of_kind: Vec<&Cost> = costs.iter().filter(|cost| (cost.class, cost.depth) == (class, depth)).collect();
        let sum = |of: fn(&Cost) -> u64| of_kind.iter().map(|cost| of(cost)).sum::<u64>();
        let (best, all, alone) = (sum(|cost| cost.best), sum(|cost| cost.all), sum(|cost| cost.alone));
        let (lines, other) = (sum(|cost| cost.moves as u64), sum(|cost| cost.other as u64));
        let mut ratios: Vec<f64> = of_kind.iter().map(|cost| cost.ratio()).collect();
        ratios.sort_by(f64::total_cmp);
        let count = ratios.len();
        let median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2.0;
        let (together, worst, shared) =
            (all as f64 / best.max(1) as f64, ratios[count - 1], all as f64 / alone.max(1) as f64);
        text.push_str(&format!(
            "{class:<16} {depth:<5} {count:<9} {best:>9} {all:>10} {together:>9.2} {median:>6.2} {worst:>6.2} {shared:>10.2}  {other} of {lines}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_read() {
        let lines = POSITIONS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(rows(POSITIONS).count(), lines);
        assert!(rows(POSITIONS).all(|row| row.game.moves().len() > 1 && !row.depths.is_empty()));
    }

    #[test]
    fn lines_have_the_scores_of_their_moves_where_the_search_is_exact() {
        let mut table = Table::new(1);
        for row in rows(POSITIONS).filter(|row| row.class.ends_with("-end-12")) {
            let cost = measure(&row, 12, &Options::default(), &mut table);
            assert!(cost.other == 0 && cost.all > cost.best, "{cost}");
        }
    }

    #[test]
    fn a_summary_has_a_row_for_each_class_and_depth() {
        let cost = |class, best| Cost { class, depth: 8, moves: 9, best, all: 600, alone: 600, other: 1 };
        let text = summary(&[cost("b", 100), cost("a", 300), cost("b", 200)]);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["a", "8", "1", "300", "600", "2.00", "2.00", "2.00", "1.00", "1", "of", "9"]);
        assert_eq!(rows[1], ["b", "8", "2", "300", "1200", "4.00", "4.50", "6.00", "1.00", "2", "of", "18"]);
    }
}
