//! Compares two recorded searches of one position: their first difference, and their node counts by
//! depth and reason.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::search::trace::ReturnReason;

use super::subject::{Recordable, RecordedSearch};
use super::tree_recorder::{RecordedIteration, TreeRecorder, VisitKind};
use super::wording::{reason_name, window_text};

/// A step of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchStep<'a> {
    /// An iteration begins, with its depth, selectivity and first guess.
    Iteration(u8, u8, Option<Score>),
    /// A visit begins.
    Enter(Move, VisitKind, Window, u8),
    /// A visit ends, with the moves that were cut off.
    Leave(Score, ReturnReason, &'a [Move]),
}

/// The steps of a recorded search in search order, with the indices of their iterations and visits.
fn steps(record: &TreeRecorder) -> impl Iterator<Item = (SearchStep<'_>, usize)> {
    let mut open: Vec<usize> = Vec::new();
    let (mut iterations, mut visits) = (0, 0);
    std::iter::from_fn(move || {
        if let Some(index) = open.pop_if(|last| record.visits[*last].end as usize <= visits) {
            let visit = &record.visits[index];
            return Some((
                SearchStep::Leave(visit.score, visit.why, record.skipped(visit)),
                index,
            ));
        }
        if let Some(&RecordedIteration {
            depth,
            selectivity,
            guess,
            first,
            ..
        }) = record.iterations.get(iterations)
            && first as usize <= visits
        {
            iterations += 1;
            return Some((
                SearchStep::Iteration(depth, selectivity, guess),
                iterations - 1,
            ));
        }
        let visit = record.visits.get(visits)?;
        open.push(visits);
        visits += 1;
        Some((
            SearchStep::Enter(visit.m, visit.kind, visit.window, visit.depth),
            visits - 1,
        ))
    })
}

/// The first difference of two searches.
#[derive(Debug)]
pub struct FirstDifference {
    /// Whether iterations differ, not visits of a node or of its children.
    pub is_iteration: bool,
    /// The iteration or visit of each search; `None`: the search or its iteration is over.
    pub at: [Option<usize>; 2],
}

/// The first difference of two searches of the same position, in search order.
pub fn first_difference([one, other]: [&TreeRecorder; 2]) -> Option<FirstDifference> {
    let (mut ones, mut others) = (steps(one), steps(other));
    let pair = loop {
        match [ones.next(), others.next()] {
            [None, None] => return None,
            [Some((a, _)), Some((b, _))] if a == b => {}
            pair => break pair,
        }
    };
    if pair
        .iter()
        .flatten()
        .all(|(step, _)| matches!(step, SearchStep::Iteration(..)))
    {
        return Some(FirstDifference {
            is_iteration: true,
            at: pair.map(|step| step.map(|(_, number)| number)),
        });
    }
    // Where one search visits a child and the other one returns, the parent differs.
    let one_returns = pair
        .iter()
        .flatten()
        .any(|(step, _)| matches!(step, SearchStep::Leave(..)));
    let visit = |record: &TreeRecorder, step: Option<(SearchStep<'_>, usize)>| match step? {
        (SearchStep::Iteration(..), _) => None,
        (SearchStep::Enter(..), index) if one_returns => {
            record.visits[index].parent.map(|parent| parent as usize)
        }
        (_, index) => Some(index),
    };
    Some(FirstDifference {
        is_iteration: false,
        at: [visit(one, pair[0]), visit(other, pair[1])],
    })
}

/// Prints `no difference`, or the first difference and the table of node counts that differ.
pub fn write<G: Recordable>(
    searches: [&RecordedSearch<G>; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(found) = first_difference(searches.map(|search| &search.record)) else {
        return writeln!(out, "no difference");
    };
    writeln!(out, "first difference: {}", sentence(searches, found))?;
    table(searches, out)
}

/// Describes the first difference.
pub fn sentence<G: Recordable>(
    searches: [&RecordedSearch<G>; 2],
    found: FirstDifference,
) -> String {
    let side = |which: usize| match (found.is_iteration, found.at[which]) {
        (true, number) => (String::new(), searches[which].iteration_text(number)),
        (false, index) => searches[which].visit_text(index),
    };
    let [(place, one), (other_place, other)] = [side(0), side(1)];
    let [name, against] = searches.map(|search| &search.name);
    let (first, second) = match place.as_str() {
        "" => (other_place, String::new()),
        same if same == other_place => (place, String::new()),
        _ => (place, other_place),
    };
    format!("{first}{name}: {one}; {second}{against}: {other}")
}

impl<G: Recordable> RecordedSearch<G> {
    fn iteration_text(&self, number: Option<usize>) -> String {
        let Some(number) = number else {
            return "no further iteration".into();
        };
        let RecordedIteration {
            depth,
            selectivity,
            guess,
            ..
        } = &self.record.iterations[number];
        let guess = guess.map_or("endgame solver".into(), |guess| {
            format!("first guess {guess}")
        });
        format!("iteration to depth {depth}, selectivity {selectivity} %, {guess}")
    }

    /// Returns the place of a visit, as the beginning of a sentence, and its description.
    fn visit_text(&self, index: Option<usize>) -> (String, String) {
        let record = &self.record;
        let Some(index) = index else {
            return (String::new(), "no further search".into());
        };
        let visit = &record.visits[index];
        let words = self.root.move_words(&record.path(index));
        let place = if words.is_empty() {
            "at the root".into()
        } else {
            format!("after {}", words.join(" "))
        };
        let kind = match visit.kind {
            VisitKind::First => "",
            VisitKind::ReSearch => "re-search ",
            VisitKind::Verification => "verification search ",
        };
        let (window, result) = (window_text(visit.root_window()), visit.result_text());
        let why = Some(visit.reason_text())
            .filter(|why| !why.is_empty())
            .unwrap_or("searched".into());
        let iterations = record.iterations.len();
        let number = record
            .iterations
            .partition_point(|iteration| iteration.first as usize <= index);
        let iteration = if iterations > 1 {
            format!("iteration {number}, ")
        } else {
            String::new()
        };
        (
            format!("{iteration}{place}, "),
            format!("{kind}depth {} {window} {result}, {why}", visit.depth),
        )
    }
}

/// Prints the numbers of visits by depth and reason that differ.
fn table<G>(searches: [&RecordedSearch<G>; 2], out: &mut dyn Write) -> io::Result<()> {
    let mut counts: BTreeMap<(std::cmp::Reverse<u8>, &str), [u64; 2]> = BTreeMap::new();
    for (which, search) in searches.iter().enumerate() {
        for visit in &search.record.visits {
            counts
                .entry((std::cmp::Reverse(visit.depth), reason_name(visit.why)))
                .or_default()[which] += 1;
        }
    }
    counts.retain(|_, [one, other]| one != other);
    let widths = searches.map(|search| search.name.chars().count().max(10));
    let mut row = |depth: &str, reason: &str, [one, other]: [&dyn Display; 2]| {
        writeln!(
            out,
            "{depth:>5}  {reason:<11}  {one:>0$}  {other:>1$}",
            widths[0], widths[1]
        )
    };
    let [one, other] = searches.map(|search| &search.name);
    row("\ndepth", "reason", [one, other])?;
    for ((std::cmp::Reverse(depth), reason), [one, other]) in &counts {
        row(&depth.to_string(), reason, [one, other])?;
    }
    let [one, other] = &searches.map(|search| search.record.visits.len());
    row("all", "visits", [one, other])?;
    let [one, other] = &searches.map(|search| search.record.counters().nodes);
    row("all", "nodes", [one, other])
}
