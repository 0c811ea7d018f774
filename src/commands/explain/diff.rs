//! Compares two recorded searches of one position: their first difference, and their node counts by
//! depth and reason.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use super::subject::{Recordable, RecordedSearch};
use super::tree_recorder::{RecordedIteration, TreeRecorder, VisitKind};
use super::wording::{reason_name, window_text};

/// The first difference of two searches.
#[derive(Debug)]
pub struct FirstDifference {
    /// Whether iterations differ, not visits of a node or of its children.
    pub is_iteration: bool,
    /// The iteration or visit of each search; `None`: the search or its iteration is over.
    pub at: [Option<usize>; 2],
}

/// The first difference of two searches of the same position, in search order.
pub fn first_difference(records: [&TreeRecorder; 2]) -> Option<FirstDifference> {
    let iterations = records.map(|record| record.iterations.len());
    for number in 0..iterations[0].max(iterations[1]) {
        let [one, other] = records.map(|record| {
            let iteration = record.iterations.get(number)?;
            Some((iteration.depth, iteration.selectivity, iteration.guess))
        });
        let (is_iteration, at) = if one == other {
            let roots = records.map(|record| record.roots(number));
            (false, first_different_visits(records, roots))
        } else {
            let at = iterations.map(|count| (number < count).then_some(number));
            (true, Some(at))
        };
        if let Some(at) = at {
            return Some(FirstDifference { is_iteration, at });
        }
    }
    None
}

/// The first difference of two lists of visits and their descendants, in search order; `None` in its
/// place for a list that has ended.
fn first_different_visits<I: Iterator<Item = usize>>(
    records: [&TreeRecorder; 2],
    mut lists: [I; 2],
) -> Option<[Option<usize>; 2]> {
    loop {
        match lists.each_mut().map(Iterator::next) {
            [None, None] => return None,
            [Some(one), Some(other)] => {
                if let Some([one, other]) = first_difference_below(records, [one, other]) {
                    return Some([Some(one), Some(other)]);
                }
            }
            at => return Some(at),
        }
    }
}

/// The first difference of two visits and their descendants. Where only one search visits a child,
/// its parent differs.
fn first_difference_below(records: [&TreeRecorder; 2], at: [usize; 2]) -> Option<[usize; 2]> {
    let visits = [0, 1].map(|which| &records[which].visits[at[which]]);
    let [one, other] = visits.map(|visit| (visit.m, visit.kind, visit.window, visit.depth));
    if one != other {
        return Some(at);
    }
    let children = [0, 1].map(|which| records[which].children(at[which]));
    match first_different_visits(records, children) {
        Some([Some(one), Some(other)]) => return Some([one, other]),
        Some(_) => return Some(at),
        None => {}
    }
    let [one, other] = [0, 1].map(|which| {
        let visit = visits[which];
        (visit.score, visit.why, records[which].skipped(visit))
    });
    (one != other).then_some(at)
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
