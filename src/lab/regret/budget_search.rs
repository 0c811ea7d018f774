//! Searches with a node budget: the engine's search, and the baseline, plain iterative deepening by
//! the production search at full width to depths 1, 2, 3 ... Each starts with a new table. Also the
//! table of the losses: by number of empties and node budget, then by budget over all positions,
//! then over all searches.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::solved_set::SolvedPosition;
use crate::commands::write_json_line;
use crate::engine::options::Options;
use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::games::any::{AnyGame, with_position};
use crate::games::spec::GameSpec;
use crate::lab::mean_and_error;
use crate::search::core::context::Context as SearchContext;
use crate::search::core::isa::Portable;
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::{Iteration, deepen};
use crate::search::searcher::Searcher;
use crate::search::stop::{Budget, SearchControl};
use crate::search::table::{Draft, Table};
use crate::search::{AnyWeights, Clock, Goal, Limits, Stops};

/// Bytes of the table for each node of the budget: two entries.
const TABLE_BYTES_PER_NODE: u64 = 64;
/// The minimum size of a table in bytes.
const LEAST_TABLE: u64 = 1 << 16;
/// A time limit that no search reaches.
const HOUR: Duration = Duration::from_secs(3_600);

/// A limit in addition to `nodes` that the search never reaches.
#[derive(
    clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub(super) enum FurtherLimit {
    /// A depth beyond the end of the game
    Depth,
    /// A move time of one hour
    Movetime,
    /// A clock of one hour
    Clock,
    /// `go exact`
    Exact,
    /// `go mate` beyond the end of the game
    Mate,
}

/// The limits of a search of at most this many nodes, with further limits.
fn limits(nodes: u64, with: &[FurtherLimit]) -> Limits {
    let mut goal = Goal::BestMove;
    let mut stops = Stops {
        nodes: Some(nodes),
        ..Stops::default()
    };
    for limit in with {
        match limit {
            FurtherLimit::Depth => stops.depth = Some(u8::MAX),
            FurtherLimit::Movetime => stops.time = Some(HOUR),
            FurtherLimit::Clock => stops.clock = Some(Clock::of(HOUR)),
            FurtherLimit::Exact => goal = Goal::Exact,
            FurtherLimit::Mate => goal = Goal::Mate(u8::MAX),
        }
    }
    Limits::new(goal, stops)
}

/// The conditions that all searches of a record share.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BudgetConditions {
    pub version: String,
    pub game: String,
    pub options: Vec<(String, String)>,
    pub with: Vec<FurtherLimit>,
}

/// Identifies a search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct SearchKey {
    pub position: String,
    pub nodes: u64,
}

impl SearchKey {
    /// The search of a position with a node budget.
    pub fn of(solved: &SolvedPosition, nodes: u64) -> SearchKey {
        SearchKey {
            position: solved.position.clone(),
            nodes,
        }
    }
}

/// A move chosen by the last finished iteration.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChosenMove {
    #[serde(rename = "move")]
    pub word: String,
    /// The depth of that iteration, 0 if none finished.
    pub depth: u8,
}

/// A line of the record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BudgetResult {
    #[serde(flatten)]
    pub key: SearchKey,
    pub engine: ChosenMove,
    pub plain: ChosenMove,
}

/// Runs both searches of a position with a node budget; `with`: further limits of the engine's
/// search.
pub(super) fn measure(
    key: SearchKey,
    options: &Options,
    start: &AnyGame,
    with: &[FurtherLimit],
) -> Result<BudgetResult> {
    let (mut board, nodes) = (start.clone(), key.nodes);
    board.set_position(&key.position)?;
    let chosen = |m, depth| ChosenMove {
        word: board.write_move(m),
        depth,
    };
    let limits = limits(nodes, with);
    let answer = options.search(board.position(), &table(nodes, options), &limits);
    let m = answer
        .best_move()
        .context("the position has no legal move")?;
    let (weights, table) = (options.settings.weights.as_ref(), table(nodes, options));
    let (plain, depth) = with_position!(board.position(), position => {
        plain_deepening(position, weights, &table, nodes)
    });
    Ok(BudgetResult {
        key,
        engine: chosen(m, answer.depth),
        plain: chosen(plain, depth),
    })
}

/// A new table for a search with this budget.
fn table(nodes: u64, options: &Options) -> Table {
    let most = u64::from(options.hash) << 20;
    let bytes = nodes
        .saturating_mul(TABLE_BYTES_PER_NODE)
        .max(LEAST_TABLE)
        .min(most);
    Table::with_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Plain iterative deepening; returns the move and the depth of the last finished iteration. It
/// runs on the portable instruction set, which visits the same nodes as the others.
fn plain_deepening<G: GameSpec>(
    position: G,
    weights: Option<&AnyWeights>,
    table: &Table,
    nodes: u64,
) -> (Move, u8) {
    let policy = G::policy(G::evaluator(weights), Portable::token(), Some(Draft::FULL));
    let control = SearchControl::default();
    table.new_search();
    let mut searcher =
        Production::<Mtdf, _>::new(position, SearchContext::new(&policy, Some(table), &control));
    searcher.set_budget(Budget {
        nodes: Some(nodes),
        ..Budget::default()
    });
    let moves = position.moves();
    let depths = (1..=position.plies_left()).map(Iteration::full);
    let deepened = deepen(depths, Score::ZERO, |iteration, guess| {
        let root = searcher.search(iteration, guess, Window::FULL, &moves, &mut |_, _| ())?;
        Ok((root.score, root.m))
    });
    deepened
        .last()
        .map_or((moves[0], 0), |(iteration, _, m)| (m, iteration.depth))
}

/// A cell is worse than plain deepening if the difference exceeds both this many discs and this
/// many standard errors.
const TOLERANCE: f64 = 0.1;
const TOLERANCE_ERRORS: f64 = 3.0;

/// The losses of a position in discs: by the engine and by plain deepening.
type Losses = [f64; 2];

/// A row of the table.
#[derive(Debug, Serialize)]
pub(super) struct LossRow {
    /// `None`: all.
    empties: Option<u8>,
    /// `None`: all budgets; a position's losses are then means over the budgets.
    nodes: Option<u64>,
    positions: usize,
    /// Mean losses in discs.
    loss: f64,
    plain: f64,
    /// The mean difference of the two losses, and its standard error.
    difference: f64,
    error: f64,
    /// Whether the engine is worse than plain deepening; set for single cells only.
    pub worse: Option<bool>,
}

impl LossRow {
    fn of(empties: Option<u8>, nodes: Option<u64>, losses: &[Losses]) -> LossRow {
        let of = |value: fn(&Losses) -> f64| losses.iter().map(value).collect::<Vec<_>>();
        let [(loss, _), (plain, _), (difference, error)] = [
            of(|[loss, _]| *loss),
            of(|[_, plain]| *plain),
            of(|[loss, plain]| loss - plain),
        ]
        .map(|values| mean_and_error(&values, losses.len() - 1));
        let is_cell = empties.is_some() && nodes.is_some();
        let worse = is_cell.then(|| difference > TOLERANCE.max(TOLERANCE_ERRORS * error));
        LossRow {
            empties,
            nodes,
            positions: losses.len(),
            loss,
            plain,
            difference,
            error,
            worse,
        }
    }

    fn text(&self) -> String {
        let Self {
            positions,
            loss,
            plain,
            difference,
            error,
            ..
        } = self;
        let empties = self
            .empties
            .map_or("all".into(), |empties| empties.to_string());
        let nodes = self.nodes.map_or("all".into(), |nodes| nodes.to_string());
        let mark = if self.worse == Some(true) {
            "  worse"
        } else {
            ""
        };
        format!(
            "{empties:>7} {nodes:>8} {positions:>9} {loss:>8.3} {plain:>8.3} {difference:>+8.3} ± {error:.3}{mark}"
        )
    }
}

/// The rows of these searches.
///
/// # Errors
/// If a search is missing in the record or chose an illegal move.
pub(super) fn rows(
    solved: &[&SolvedPosition],
    budgets: &BTreeSet<u64>,
    results: &BTreeMap<SearchKey, BudgetResult>,
) -> Result<Vec<LossRow>> {
    let mut cells: BTreeMap<(Option<u8>, Option<u64>), Vec<Losses>> = BTreeMap::new();
    for solved in solved {
        let mut sum = [0.0; 2];
        for &nodes in budgets {
            let key = SearchKey::of(solved, nodes);
            let name = || format!("{} with {nodes} nodes", key.position);
            let BudgetResult { engine, plain, .. } = results.get(&key).with_context(name)?;
            let loss = |word: &str| {
                let loss = solved.loss(word).map(f64::from);
                loss.with_context(|| format!("{}: illegal move {word}", name()))
            };
            let losses = [loss(&engine.word)?, loss(&plain.word)?];
            for empties in [Some(solved.empties), None] {
                cells
                    .entry((empties, Some(nodes)))
                    .or_default()
                    .push(losses);
            }
            sum = [sum[0] + losses[0], sum[1] + losses[1]];
        }
        cells
            .entry((None, None))
            .or_default()
            .push(sum.map(|sum| sum / budgets.len() as f64));
    }
    let row = |((empties, nodes), losses): (_, Vec<Losses>)| LossRow::of(empties, nodes, &losses);
    let mut rows: Vec<LossRow> = cells.into_iter().map(row).collect();
    // all empties and all budgets last
    rows.sort_by_key(|row| (row.empties.is_none(), row.nodes.is_none()));
    Ok(rows)
}

/// Writes the table, or its rows as JSON objects.
pub(super) fn write(rows: &[LossRow], json: bool, out: &mut dyn Write) -> Result<()> {
    if !json {
        writeln!(
            out,
            "empties    nodes positions     loss    plain  difference"
        )?;
    }
    for row in rows {
        if json {
            write_json_line(row, out)?;
        } else {
            writeln!(out, "{}", row.text())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_worse_by_a_tenth_of_a_disc_and_three_standard_errors() {
        let row = |losses: &[Losses]| LossRow::of(Some(10), Some(300), losses);
        let found = row(&[[2.0, 0.0], [0.0, 0.0], [4.0, 6.0], [0.0, 2.0]]);
        assert_eq!(
            (found.loss, found.plain, found.difference, found.worse),
            (1.5, 2.0, -0.5, Some(false))
        );
        assert!(
            (found.error - (11.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!(row(&[[2.0, 2.0]; 9]).worse, Some(false));
        assert_eq!(row(&[[2.0, 0.0]; 9]).worse, Some(true), "no error at all");
        let rare = |count: usize| [vec![[2.0, 0.0]; count], vec![[0.0, 0.0]; 100 - count]].concat();
        assert_eq!(row(&rare(5)).worse, Some(false), "0.10 discs");
        assert_eq!(row(&rare(7)).worse, Some(false), "0.14 ± 0.05 discs");
        assert_eq!(row(&rare(12)).worse, Some(true), "0.24 ± 0.07 discs");
        assert_eq!(LossRow::of(None, Some(300), &rare(50)).worse, None);
    }
}
