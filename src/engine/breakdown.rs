//! The terms of a static evaluation, independent of the game, for protocols to format.

use crate::games::reversi::eval::patterns::PLACES;
use crate::games::reversi::eval::terms::{EvalTerms, NeuronTerm};

const NEURONS_PER_ROW: usize = 4;

/// The terms of a static evaluation, in points (discs in Othello) for the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct EvalBreakdown {
    /// Tables of terms.
    pub tables: Vec<TermTable>,
    /// The term that belongs to no table (bias).
    pub bias: Term,
    /// The evaluation before rounding.
    pub total: f64,
}

/// Terms of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct TermTable {
    /// What the values mean.
    pub title: &'static str,
    /// The terms, row by row.
    pub rows: Vec<Vec<Term>>,
}

/// One term.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// Its value.
    pub value: f64,
    /// Its name or state.
    pub label: String,
}

/// Othello's evaluation: a row per pattern shape with its placements, then a row of the features of the whole board,
/// and the hidden neurons.
impl From<EvalTerms> for EvalBreakdown {
    fn from(EvalTerms { ply, patterns, board, bias, neurons, total }: EvalTerms) -> EvalBreakdown {
        let patterns: Vec<Term> =
            patterns.into_iter().chain(board).map(|term| Term { value: term.discs, label: term.name }).collect();
        let neuron =
            |term: &NeuronTerm| Term { value: term.discs, label: format!("{:3.0} %", 100.0 * term.activation) };
        let tables = vec![
            TermTable { title: "evaluation without each pattern (discs)", rows: rows(patterns, PLACES) },
            TermTable {
                title: "hidden neurons: contribution (discs) and activation",
                rows: rows(neurons.iter().map(neuron).collect(), NEURONS_PER_ROW),
            },
        ];
        EvalBreakdown { tables, bias: Term { value: bias, label: format!("ply {ply}") }, total }
    }
}

fn rows(terms: Vec<Term>, columns: usize) -> Vec<Vec<Term>> {
    terms.chunks(columns).map(<[Term]>::to_vec).collect()
}
