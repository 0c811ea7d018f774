//! The table of a record: the mean loss of the engine and of plain iterative deepening by number of empties and node
//! budget, then by budget over all positions, then over all searches.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anyhow::{Context, Result};
use serde::Serialize;

use super::budget_search::{BudgetResult, SearchKey};
use super::solved_set::SolvedPosition;
use crate::lab::mean_and_error;

/// A cell is worse than plain deepening if the difference exceeds both this many discs and this many standard errors.
const TOLERANCE: f64 = 0.1;
const TOLERANCE_ERRORS: f64 = 3.0;

/// The losses of a position in discs: by the engine and by plain deepening.
type Losses = [f64; 2];

/// A row of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct LossRow {
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
    worse: Option<bool>,
}

impl LossRow {
    fn of(empties: Option<u8>, nodes: Option<u64>, losses: &[Losses]) -> LossRow {
        let of = |value: fn(&Losses) -> f64| losses.iter().map(value).collect::<Vec<_>>();
        let [(loss, _), (plain, _), (difference, error)] =
            [of(|[loss, _]| *loss), of(|[_, plain]| *plain), of(|[loss, plain]| loss - plain)]
                .map(|values| mean_and_error(&values, losses.len() - 1));
        let is_cell = empties.is_some() && nodes.is_some();
        let worse = is_cell.then(|| difference > TOLERANCE.max(TOLERANCE_ERRORS * error));
        LossRow { empties, nodes, positions: losses.len(), loss, plain, difference, error, worse }
    }

    fn text(&self) -> String {
        let Self { positions, loss, plain, difference, error, .. } = self;
        let empties = self.empties.map_or("all".into(), |empties| empties.to_string());
        let nodes = self.nodes.map_or("all".into(), |nodes| nodes.to_string());
        let mark = if self.worse == Some(true) { "  worse" } else { "" };
        format!("{empties:>7} {nodes:>8} {positions:>9} {loss:>8.3} {plain:>8.3} {difference:>+8.3} ± {error:.3}{mark}")
    }
}

pub(super) struct LossTable(Vec<LossRow>);

impl LossTable {
    /// The table of these searches.
    ///
    /// # Errors
    /// If a search is missing in the record or chose an illegal move.
    pub fn of(solved: &[&SolvedPosition], budgets: &BTreeSet<u64>, record: &[BudgetResult]) -> Result<LossTable> {
        let results: BTreeMap<&SearchKey, &BudgetResult> = record.iter().map(|line| (&line.key, line)).collect();
        let mut cells: BTreeMap<(u8, u64), Vec<Losses>> = BTreeMap::new();
        let mut means: Vec<Losses> = Vec::new();
        for solved in solved {
            let mut sum = [0.0; 2];
            for &nodes in budgets {
                let key = solved.key_of(nodes);
                let name = || format!("{} with {nodes} nodes", key.position);
                let BudgetResult { engine, plain, .. } = results.get(&key).with_context(name)?;
                let loss = |word: &str| solved.loss(word).with_context(|| format!("{}: illegal move {word}", name()));
                let losses = [f64::from(loss(&engine.word)?), f64::from(loss(&plain.word)?)];
                cells.entry((solved.empties, nodes)).or_default().push(losses);
                sum = [sum[0] + losses[0], sum[1] + losses[1]];
            }
            means.push(sum.map(|sum| sum / budgets.len() as f64));
        }
        let mut by_budget: BTreeMap<u64, Vec<Losses>> = BTreeMap::new();
        cells.iter().for_each(|(&(_, nodes), losses)| by_budget.entry(nodes).or_default().extend(losses));
        let mut rows: Vec<LossRow> =
            cells.iter().map(|(&(empties, nodes), losses)| LossRow::of(Some(empties), Some(nodes), losses)).collect();
        rows.extend(by_budget.iter().map(|(&nodes, losses)| LossRow::of(None, Some(nodes), losses)));
        rows.push(LossRow::of(None, None, &means));
        Ok(LossTable(rows))
    }

    /// Writes the table, or its rows as JSON objects.
    pub fn write(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        if json {
            return self.0.iter().try_for_each(|row| Ok(writeln!(out, "{}", serde_json::to_string(row)?)?));
        }
        writeln!(out, "empties    nodes positions     loss    plain  difference")?;
        self.0.iter().try_for_each(|row| writeln!(out, "{}", row.text()))?;
        Ok(())
    }

    /// Whether the engine is worse than plain deepening anywhere.
    pub fn is_worse(&self) -> bool {
        self.0.iter().any(|row| row.worse == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_worse_by_a_tenth_of_a_disc_and_three_standard_errors() {
        let row = |losses: &[Losses]| LossRow::of(Some(10), Some(300), losses);
        let found = row(&[[2.0, 0.0], [0.0, 0.0], [4.0, 6.0], [0.0, 2.0]]);
        assert_eq!((found.loss, found.plain, found.difference, found.worse), (1.5, 2.0, -0.5, Some(false)));
        assert!((found.error - (11.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12, "{found:?}");
        assert_eq!(row(&[[2.0, 2.0]; 9]).worse, Some(false));
        assert_eq!(row(&[[2.0, 0.0]; 9]).worse, Some(true), "no error at all");
        let rare = |count: usize| [vec![[2.0, 0.0]; count], vec![[0.0, 0.0]; 100 - count]].concat();
        assert_eq!(row(&rare(5)).worse, Some(false), "0.10 discs");
        assert_eq!(row(&rare(7)).worse, Some(false), "0.14 ± 0.05 discs");
        assert_eq!(row(&rare(12)).worse, Some(true), "0.24 ± 0.07 discs");
        assert_eq!(LossRow::of(None, Some(300), &rare(50)).worse, None);
    }
}
