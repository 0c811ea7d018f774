//! Compares two recorded searches of one position: their first difference, and their node counts by depth and reason.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::game::Move;
use crate::search::levels::percent;

use super::tree_recorder::{RecordedIteration, TreeRecorder, VisitKind};
use super::wording::{reason_name, reason_text, result_text, root_window, window_text};

/// A step of a search: the start of an iteration, or the start or end of a visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchStep {
    Iteration(usize),
    Enter(usize),
    Leave(usize),
}

/// The steps of a recorded search in search order.
fn steps(record: &TreeRecorder) -> Vec<SearchStep> {
    let mut steps = Vec::with_capacity(2 * record.visits.len());
    let mut open: Vec<usize> = Vec::new();
    let close = |open: &mut Vec<usize>, steps: &mut Vec<SearchStep>, next: usize| {
        while let Some(last) = open.pop_if(|last| record.visits[*last].end as usize <= next) {
            steps.push(SearchStep::Leave(last));
        }
    };
    for (number, iteration) in record.iterations.iter().enumerate() {
        let next = record.iterations.get(number + 1).map_or(record.visits.len(), |next| next.first as usize);
        close(&mut open, &mut steps, iteration.first as usize);
        steps.push(SearchStep::Iteration(number));
        for index in iteration.first as usize..next {
            close(&mut open, &mut steps, index);
            steps.push(SearchStep::Enter(index));
            open.push(index);
        }
    }
    close(&mut open, &mut steps, record.visits.len());
    steps
}

/// The first difference of two searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstDifference {
    /// The iterations differ; `None`: the search has no further iteration.
    Iterations([Option<usize>; 2]),
    /// The visits of a node or of its children differ; `None`: the search or its iteration is over.
    Visits([Option<usize>; 2]),
}

/// The first difference of two searches of the same position, in search order.
pub fn first_difference(one: &TreeRecorder, other: &TreeRecorder) -> Option<FirstDifference> {
    let both = [steps(one), steps(other)];
    let longest = both[0].len().max(both[1].len());
    (0..longest).find_map(|at| {
        let parent = |record: &TreeRecorder, index: usize| record.visits[index].parent.map(|parent| parent as usize);
        match (both[0].get(at).copied(), both[1].get(at).copied()) {
            (Some(SearchStep::Iteration(a)), Some(SearchStep::Iteration(b))) => {
                let key = |iteration: &RecordedIteration| (iteration.iteration, iteration.guess);
                let same = key(&one.iterations[a]) == key(&other.iterations[b]);
                (!same).then_some(FirstDifference::Iterations([Some(a), Some(b)]))
            }
            (Some(SearchStep::Enter(a)), Some(SearchStep::Enter(b))) => {
                let [x, y] = [&one.visits[a], &other.visits[b]];
                let same = (x.m, x.kind, x.window, x.depth) == (y.m, y.kind, y.window, y.depth);
                (!same).then_some(FirstDifference::Visits([Some(a), Some(b)]))
            }
            (Some(SearchStep::Leave(a)), Some(SearchStep::Leave(b))) => {
                let [x, y] = [&one.visits[a], &other.visits[b]];
                let same = (x.score, x.why) == (y.score, y.why) && one.skipped(x) == other.skipped(y);
                (!same).then_some(FirstDifference::Visits([Some(a), Some(b)]))
            }
            // One search visits a child where the other one returns.
            (Some(SearchStep::Enter(a)), Some(SearchStep::Leave(b))) => {
                Some(FirstDifference::Visits([parent(one, a), Some(b)]))
            }
            (Some(SearchStep::Leave(a)), Some(SearchStep::Enter(b))) => {
                Some(FirstDifference::Visits([Some(a), parent(other, b)]))
            }
            (a, b) => {
                let iteration = |step| if let Some(SearchStep::Iteration(number)) = step { Some(number) } else { None };
                let visit = |step| if let Some(SearchStep::Enter(index)) = step { Some(index) } else { None };
                let found = match (visit(a), visit(b)) {
                    (None, None) => FirstDifference::Iterations([iteration(a), iteration(b)]),
                    visits => FirstDifference::Visits([visits.0, visits.1]),
                };
                Some(found)
            }
        }
    })
}

/// A comparison of two searches.
pub struct SearchDiff<'a> {
    pub records: [&'a TreeRecorder; 2],
    pub names: [&'a str; 2],
    pub write_move: &'a dyn Fn(Move) -> String,
}

impl SearchDiff<'_> {
    /// Prints `no difference`, or the first difference and the table of node counts that differ.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(found) = first_difference(self.records[0], self.records[1]) else {
            return writeln!(out, "no difference");
        };
        writeln!(out, "first difference: {}", self.sentence(found))?;
        self.table(out)
    }

    /// Describes the first difference.
    pub fn sentence(&self, found: FirstDifference) -> String {
        let side = |which: usize| match found {
            FirstDifference::Iterations(numbers) => (None, self.iteration(which, numbers[which])),
            FirstDifference::Visits(indices) => self.visit(which, indices[which]),
        };
        let [(place, one), (other_place, other)] = [side(0), side(1)];
        let [name, against] = self.names;
        let mut text = place.as_ref().or(other_place.as_ref()).map_or(String::new(), |place| format!("{place}, "));
        text += &format!("{name}: {one}");
        let elsewhere = other_place.filter(|other| place.as_ref().is_some_and(|place| place != other));
        text + &format!("; {}{against}: {other}", elsewhere.map_or(String::new(), |place| format!("{place}, ")))
    }

    fn iteration(&self, which: usize, number: Option<usize>) -> String {
        let Some(number) = number else { return "no further iteration".into() };
        let RecordedIteration { iteration, guess, .. } = &self.records[which].iterations[number];
        let guess = guess.map_or("endgame solver".into(), |guess| format!("first guess {guess}"));
        format!("iteration to depth {}, selectivity {} %, {guess}", iteration.depth, percent(iteration.selectivity))
    }

    /// Returns the path to a visit and its description.
    fn visit(&self, which: usize, index: Option<usize>) -> (Option<String>, String) {
        let record = self.records[which];
        let Some(index) = index else { return (None, "no further search".into()) };
        let visit = &record.visits[index];
        let words: Vec<String> = record.path(index).iter().map(|&m| (self.write_move)(m)).collect();
        let place = if words.is_empty() { "at the root".into() } else { format!("after {}", words.join(" ")) };
        let max = root_is_to_move(record, index);
        let kind = match visit.kind {
            VisitKind::First => "",
            VisitKind::ReSearch => "re-search ",
            VisitKind::Verification => "verification search ",
        };
        let (window, result) = (window_text(root_window(visit, max)), result_text(visit, max));
        let why = Some(reason_text(visit)).filter(|why| !why.is_empty()).unwrap_or("searched".into());
        let iterations = record.iterations.len();
        let number = record.iterations.partition_point(|iteration| iteration.first as usize <= index);
        let iteration = if iterations > 1 { format!("iteration {number}, ") } else { String::new() };
        (Some(format!("{iteration}{place}")), format!("{kind}depth {} {window} {result}, {why}", visit.depth))
    }

    /// Prints the numbers of visits by depth and reason that differ.
    fn table(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut counts: BTreeMap<(std::cmp::Reverse<u8>, &str), [u64; 2]> = BTreeMap::new();
        for (which, record) in self.records.iter().enumerate() {
            for visit in &record.visits {
                counts.entry((std::cmp::Reverse(visit.depth), reason_name(visit.why))).or_default()[which] += 1;
            }
        }
        counts.retain(|_, [one, other]| one != other);
        let width = self.names.map(|name| name.chars().count().max(10));
        let [one, other] = self.names;
        writeln!(out, "\ndepth  reason       {one:>0$}  {other:>1$}", width[0], width[1])?;
        for ((std::cmp::Reverse(depth), reason), [one, other]) in counts {
            writeln!(out, "{depth:>5}  {reason:<11}  {one:>0$}  {other:>1$}", width[0], width[1])?;
        }
        let [one, other] = self.records.map(|record| record.visits.len());
        writeln!(out, "  all  visits       {one:>0$}  {other:>1$}", width[0], width[1])?;
        let nodes = |record: &TreeRecorder| super::search::counted(record).nodes;
        let [one, other] = self.records.map(nodes);
        writeln!(out, "  all  nodes        {one:>0$}  {other:>1$}", width[0], width[1])
    }
}

/// Whether the root's player is to move at a visit.
fn root_is_to_move(record: &TreeRecorder, index: usize) -> bool {
    record.path(index).len().is_multiple_of(2)
}
