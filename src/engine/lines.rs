//! The cost of MultiPV: nodes for the scores of all legal moves against nodes for the best move alone.
//!
//! Positions from self-play are searched to the same depth, each time with an empty table: once for the best move, once
//! with a line for every move, and once for each move alone (`searchmoves`). The last shows how much the lines share,
//! and whether the scores agree. Node counts are the same on every run, machine and instruction set. Results:
//! measurements.md#multipv.

use std::fmt;
use std::sync::Arc;

use super::options::Options;
use crate::game::Move;
use crate::game::score::Score;
use crate::games::any::{self, AnyGame};
use crate::games::dispatch;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Limits, Observer};

/// The positions, one per line: class, game, depths (comma-separated; `end`: to the end of the game) and position,
/// separated by blanks; `#` begins a comment.
const POSITIONS: &str = include_str!("lines.txt");

/// Size of the table in MiB: the default of option `Hash`.
const HASH: usize = 64;

/// The cost of MultiPV in one position at one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The class of positions, for instance `othello-midgame`.
    pub class: &'static str,
    /// Search depth.
    pub depth: u8,
    /// Number of legal moves.
    pub moves: usize,
    /// Nodes for the best move.
    pub best: u64,
    /// Nodes with a line for every move.
    pub all: u64,
    /// Total nodes of searching each move alone.
    pub alone: u64,
    /// Number of lines whose score differs from that of their move searched alone: zero for exact searches.
    pub other: usize,
}

impl Cost {
    /// Nodes of all lines over nodes of the best move.
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

/// Measures every position whose class begins with `class` and reports each cost.
pub fn run(options: &Options, class: &str, report: &mut dyn FnMut(&Cost)) -> Vec<Cost> {
    let mut costs = Vec::new();
    let mut table = Table::new(HASH);
    for problem in problems(POSITIONS).filter(|problem| problem.class.starts_with(class)) {
        for &depth in &problem.depths {
            let cost = measure(&problem, depth, options, &mut table);
            report(&cost);
            costs.push(cost);
        }
    }
    costs
}

fn measure(problem: &MultiPvProblem, depth: u8, options: &Options, table: &mut Table) -> Cost {
    let mut think = |limits: Limits| -> Answer {
        table.clear();
        let mut observer = Observer { control: Arc::<SearchControl>::default(), report: &mut |_| {} };
        dispatch::think(problem.game.position(), &options.settings, options.kernel, table, &limits, &mut observer)
    };
    let moves = problem.game.moves();
    let best = think(Limits::to_depth(depth)).counters.nodes;
    let all = think(Limits { multi_pv: moves.len(), ..Limits::to_depth(depth) });
    let mut cost =
        Cost { class: problem.class, depth, moves: moves.len(), best, all: all.counters.nodes, alone: 0, other: 0 };
    let line = |m: Move| -> Option<Score> { all.best.iter().find(|root| root.m == m).map(|root| root.score) };
    for &m in &moves {
        let alone = think(Limits { moves: vec![m], ..Limits::to_depth(depth) });
        cost.alone += alone.counters.nodes;
        cost.other += usize::from(alone.score() != line(m));
    }
    cost
}

struct MultiPvProblem {
    class: &'static str,
    game: AnyGame,
    depths: Vec<u8>,
}

fn problems(text: &'static str) -> impl Iterator<Item = MultiPvProblem> {
    text.lines().filter_map(|line| {
        let mut words = line.splitn(4, ' ');
        let (class, name, depths, position) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let mut game = any::by_name(name)?;
        game.set_position(position).ok()?;
        let depth = |word: &str| if word == "end" { Some(game.plies_left()) } else { word.parse().ok() };
        let depths = depths.split(',').map(depth).collect::<Option<_>>()?;
        Some(MultiPvProblem { class, game, depths })
    })
}

/// A table by class and depth: number of positions, total nodes, the ratio of all lines to the best move (of the sums,
/// median and worst), the ratio of all lines to each move alone, and the number of lines with a different score.
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
            "{class:<16} {depth:<5} {count:<9} {best:>9} {all:>10} {together:>9.2} {median:>6.2} {worst:>6.2} \
             {shared:>10.2}  {other} of {lines}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_parsed() {
        let lines = POSITIONS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(problems(POSITIONS).count(), lines);
        assert!(problems(POSITIONS).all(|problem| problem.game.moves().len() > 1 && !problem.depths.is_empty()));
    }

    #[test]
    fn lines_have_the_scores_of_their_moves_where_the_search_is_exact() {
        let mut table = Table::new(1);
        for problem in problems(POSITIONS).filter(|problem| problem.class.ends_with("-end-12")) {
            let cost = measure(&problem, 12, &Options::default(), &mut table);
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
