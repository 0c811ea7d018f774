//! `nullwindow bench multipv`: nodes for the scores of all legal moves against nodes for the best
//! move alone.
//!
//! Positions from self-play are searched to the same depth, each time with an empty table: once for
//! the best move, once with a line for every move, and once for each move alone (`searchmoves`).
//! The last shows how much the lines share, and whether the scores agree. Node counts are the same
//! on every run, machine and instruction set. Results: `src/engine/measurements.md#multipv`.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Result, ensure};

use crate::commands::median;
use crate::engine::bench_positions::BenchPosition;
use crate::engine::options::Options;
use crate::game::{Move, quoted};
use crate::games::any::AnyGame;
use crate::search::table::Table;
use crate::search::{Answer, Limits};

/// The positions, one per line: the class and, as in `bench_positions.txt`, game, depths and
/// position.
const POSITIONS: &str = include_str!("multipv.txt");

/// Size of the table in MiB: the default of option `Hash`.
const HASH: usize = 64;

/// The cost of MultiPV in one position at one depth.
#[derive(Debug)]
struct Cost {
    /// Number of legal moves.
    moves: u64,
    /// Nodes for the best move.
    best: u64,
    /// Nodes with a line for every move.
    all: u64,
    /// Total nodes of searching each move alone.
    alone: u64,
    /// Number of lines whose score differs from that of their move searched alone: zero for exact
    /// searches.
    other: u64,
}

fn ratio(nodes: u64, of: u64) -> f64 {
    nodes as f64 / of.max(1) as f64
}

/// The costs by class and depth.
type Costs<'a> = BTreeMap<(&'a str, u8), Vec<Cost>>;

/// Measures every position whose class begins with `prefix`: a line for each position and depth,
/// then a table.
pub(super) fn run(prefix: &str, options: &Options, out: &mut dyn Write) -> Result<bool> {
    let (mut costs, mut table) = (Costs::new(), Table::new(HASH));
    for (class, BenchPosition { game, depths }) in
        positions().filter(|(class, _)| class.starts_with(prefix))
    {
        for depth in depths {
            let cost = measure(&game, depth, options, &mut table);
            let Cost {
                moves,
                best,
                all,
                alone,
                other,
            } = cost;
            let ratio = ratio(all, best);
            let differ = if other > 0 {
                format!(" other scores {other}")
            } else {
                String::new()
            };
            writeln!(
                out,
                "{class:<16} depth {depth:<2} moves {moves:<2} best {best} all {all} alone {alone} ratio \
                 {ratio:.2}{differ}"
            )?;
            out.flush()?;
            costs.entry((class, depth)).or_default().push(cost);
        }
    }
    ensure!(
        !costs.is_empty(),
        "no position class has the prefix \"{}\"",
        quoted(prefix)
    );
    write!(out, "\n{}", summary(&costs))?;
    Ok(true)
}

fn measure(game: &AnyGame, depth: u8, options: &Options, table: &mut Table) -> Cost {
    let mut think = |limits: Limits| -> Answer {
        table.clear();
        options.search(game.position(), table, &limits)
    };
    let moves = game.moves();
    let best = think(Limits::to_depth(depth)).counters.nodes;
    let all = think(Limits {
        multi_pv: moves.len(),
        ..Limits::to_depth(depth)
    });
    let mut cost = Cost {
        moves: moves.len() as u64,
        best,
        all: all.counters.nodes,
        alone: 0,
        other: 0,
    };
    let line = |m: Move| {
        all.best
            .iter()
            .find(|root| root.m == m)
            .map(|root| root.score)
    };
    for &m in &moves {
        let alone = think(Limits {
            moves: vec![m],
            ..Limits::to_depth(depth)
        });
        cost.alone += alone.counters.nodes;
        cost.other += u64::from(alone.score() != line(m));
    }
    cost
}

/// The positions with their classes, for instance `othello-midgame`.
fn positions() -> impl Iterator<Item = (&'static str, BenchPosition)> {
    POSITIONS.lines().filter_map(|line| {
        let (class, position) = line.split_once(' ')?;
        Some((class, BenchPosition::parse(position)?))
    })
}

/// A table by class and depth: number of positions, total nodes, the ratio of all lines to the best
/// move (of the sums, median and worst), the ratio of all lines to each move alone, and the number
/// of lines with a different score.
fn summary(costs: &Costs<'_>) -> String {
    let mut text = String::from(
        "class            depth positions      best        all  all/best median  worst  all/alone  other scores\n",
    );
    for ((class, depth), costs) in costs {
        let sum = |of: fn(&Cost) -> u64| costs.iter().map(of).sum::<u64>();
        let (best, all, alone) = (
            sum(|cost| cost.best),
            sum(|cost| cost.all),
            sum(|cost| cost.alone),
        );
        let (lines, other) = (sum(|cost| cost.moves), sum(|cost| cost.other));
        let mut ratios: Vec<f64> = costs
            .iter()
            .map(|cost| ratio(cost.all, cost.best))
            .collect();
        ratios.sort_by(f64::total_cmp);
        let count = ratios.len();
        let median = median(&ratios, count).unwrap_or_default();
        let (together, worst, shared) = (ratio(all, best), ratios[count - 1], ratio(all, alone));
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
        let lines = POSITIONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .count();
        assert_eq!(positions().count(), lines);
        assert!(positions().all(|(_, position)| position.game.moves().len() > 1 && !position.depths.is_empty()));
    }

    #[test]
    fn lines_have_the_scores_of_their_moves_where_the_search_is_exact() {
        let mut table = Table::new(1);
        for (class, BenchPosition { game, depths }) in
            positions().filter(|(class, _)| class.contains("-end-"))
        {
            assert!(
                depths == [game.plies_left()] && class.ends_with(&format!("-{}", depths[0])),
                "{class}"
            );
            if depths == [12] {
                let cost = measure(&game, 12, &Options::default(), &mut table);
                assert!(cost.other == 0 && cost.all > cost.best, "{cost:?}");
            }
        }
    }

    #[test]
    fn a_summary_has_a_row_for_each_class_and_depth() {
        let cost = |best| Cost {
            moves: 9,
            best,
            all: 600,
            alone: 600,
            other: 1,
        };
        let costs = Costs::from([
            (("b", 8), vec![cost(100), cost(200)]),
            (("a", 8), vec![cost(300)]),
        ]);
        let text = summary(&costs);
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows[0],
            [
                "a", "8", "1", "300", "600", "2.00", "2.00", "2.00", "1.00", "1", "of", "9"
            ]
        );
        assert_eq!(
            rows[1],
            [
                "b", "8", "2", "300", "1200", "4.00", "4.50", "6.00", "1.00", "2", "of", "18"
            ]
        );
    }
}
