//! JSON form of a recorded search, for programs and for comparisons with another build of the engine.

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::search::levels::{level, percent};
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::table::Draft;

use super::tree_recorder::{RecordedIteration, TreeRecorder, Visit, VisitKind};
use super::wording::{reason_by_name, reason_name};

/// A recorded search. Scores are from the point of view of the side to move.
#[derive(Serialize, Deserialize)]
pub struct ExchangedSearch {
    /// The algorithm and its optional parts.
    pub name: String,
    iterations: Vec<ExchangedIteration>,
    visits: Vec<ExchangedVisit>,
}

#[derive(Serialize, Deserialize)]
struct ExchangedIteration {
    depth: u8,
    selectivity: u8,
    guess: Option<i32>,
    first: u32,
    nodes: u64,
    leaves: u64,
    null_windows: u64,
    re_searches: u64,
    table_hits: u64,
    value: i32,
    pv: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ExchangedVisit {
    /// `None` at a root and in a verification search.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    depth: u8,
    alpha: i32,
    beta: i32,
    score: i32,
    why: String,
    parent: Option<u32>,
    end: u32,
    nodes: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

/// The names of the kinds of visits; [`VisitKind::First`] has none.
const KINDS: [(VisitKind, &str); 2] = [(VisitKind::ReSearch, "re-search"), (VisitKind::Verification, "verification")];

impl ExchangedSearch {
    /// The JSON form of a record.
    pub fn new(name: String, record: &TreeRecorder, write_move: &dyn Fn(Move) -> String) -> Self {
        let words = |moves: &[Move]| moves.iter().map(|&m| write_move(m)).collect();
        let iteration = |iteration: &RecordedIteration| ExchangedIteration {
            depth: iteration.iteration.depth,
            selectivity: percent(iteration.iteration.selectivity),
            guess: iteration.guess.map(|guess| guess.0),
            first: iteration.first,
            nodes: iteration.counters.nodes,
            leaves: iteration.counters.leaves,
            null_windows: iteration.counters.null_windows,
            re_searches: iteration.counters.re_searches,
            table_hits: iteration.counters.table_hits,
            value: iteration.value.0,
            pv: words(&iteration.pv),
        };
        let visit = |visit: &Visit| ExchangedVisit {
            word: (visit.m != Move::NONE).then(|| write_move(visit.m)),
            kind: KINDS.iter().find(|(kind, _)| *kind == visit.kind).map(|&(_, name)| name.into()),
            depth: visit.depth,
            alpha: visit.window.alpha.0,
            beta: visit.window.beta.0,
            score: visit.score.0,
            why: reason_name(visit.why).into(),
            parent: visit.parent,
            end: visit.end,
            nodes: visit.nodes,
            skipped: words(record.skipped(visit)),
        };
        ExchangedSearch {
            name,
            iterations: record.iterations.iter().map(iteration).collect(),
            visits: record.visits.iter().map(visit).collect(),
        }
    }

    /// Converts to a record.
    ///
    /// # Errors
    /// If it is not a valid record of a search of this game.
    pub fn record(self, read_move: &dyn Fn(&str) -> Result<Move>) -> Result<TreeRecorder> {
        let read_all = |words: &[String]| words.iter().map(|word| read_move(word)).collect::<Result<Vec<Move>>>();
        let mut record = TreeRecorder::default();
        let count = self.visits.len();
        for iteration in self.iterations {
            ensure!(iteration.first as usize <= count, "an iteration starts after the last visit");
            let selectivity = level(iteration.selectivity).unwrap_or(Draft::FULL);
            record.iterations.push(RecordedIteration {
                iteration: Iteration { depth: iteration.depth, selectivity },
                guess: iteration.guess.map(Score),
                first: iteration.first,
                counters: Counters {
                    nodes: iteration.nodes,
                    leaves: iteration.leaves,
                    null_windows: iteration.null_windows,
                    re_searches: iteration.re_searches,
                    table_hits: iteration.table_hits,
                },
                value: Score(iteration.value),
                pv: read_all(&iteration.pv)?,
            });
        }
        for (index, visit) in self.visits.into_iter().enumerate() {
            let inside = visit.end as usize > index && visit.end as usize <= count;
            let below = visit.parent.is_none_or(|parent| (parent as usize) < index);
            ensure!(inside && below, "visit {index} has an invalid parent or end");
            let kind = visit.kind.map_or(Ok(VisitKind::First), |name| {
                let known = KINDS.iter().find(|(_, other)| *other == name);
                known.map(|&(kind, _)| kind).with_context(|| format!("unknown kind of visit: {name}"))
            })?;
            let why = reason_by_name(&visit.why).with_context(|| format!("unknown reason: {}", visit.why))?;
            let m = visit.word.map_or(Ok(Move::NONE), |word| read_move(&word))?;
            let window = Window { alpha: Score(visit.alpha), beta: Score(visit.beta) };
            let (depth, score, parent, end, nodes) =
                (visit.depth, Score(visit.score), visit.parent, visit.end, visit.nodes);
            let visit_data = Visit { m, kind, depth, why, window, score, parent, end, nodes, ..Visit::default() };
            record.push(visit_data, &read_all(&visit.skipped)?);
        }
        Ok(record)
    }
}
