//! Selects the visits of a large search to show: the children of the visits with the largest
//! subtrees. A visit is shown with all of its children or none.

use crate::commands::explain::tree_recorder::TreeRecorder;

/// The visits that are shown.
pub struct ShownVisits {
    /// The indices in the record, ascending.
    pub indices: Vec<usize>,
    /// The number of visits that are not shown.
    pub left_out: usize,
    /// The maximum number of visits below a visit whose children are not shown.
    pub largest_left_out: usize,
}

impl ShownVisits {
    /// Selects at most `most` visits, but all roots.
    pub fn of(record: &TreeRecorder, most: usize) -> Self {
        let visits = &record.visits;
        let below = |index: usize| visits[index].end as usize - index - 1;
        // Hide the children of the visits with the smallest subtrees first.
        let mut sizes: Vec<usize> = visits
            .iter()
            .filter_map(|visit| Some(below(visit.parent? as usize)))
            .collect();
        let roots = visits.len() - sizes.len();
        let room = most.saturating_sub(roots);
        let mut largest_left_out = 0;
        if sizes.len() > room {
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            largest_left_out = sizes[room];
        }
        let is_shown = |index: &usize| {
            visits[*index]
                .parent
                .is_none_or(|parent| below(parent as usize) > largest_left_out)
        };
        let indices: Vec<usize> = (0..visits.len()).filter(is_shown).collect();
        ShownVisits {
            left_out: visits.len() - indices.len(),
            indices,
            largest_left_out,
        }
    }

    /// The number of the first shown visit at or after an index of the record.
    pub fn number_at(&self, index: usize) -> usize {
        self.indices.partition_point(|&shown| shown < index)
    }

    /// The number of a visit, or of its nearest ancestor that is shown.
    pub fn nearest(&self, index: usize, record: &TreeRecorder) -> usize {
        let mut at = index;
        loop {
            match self.indices.binary_search(&at) {
                Ok(number) => return number,
                Err(number) => match record.visits[at].parent {
                    Some(parent) => at = parent as usize,
                    None => return number,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::score::{Score, Window};
    use crate::search::trace::{ReturnReason, Trace};

    /// A root with three children, of which the second has two children and the third one with one
    /// child.
    fn record() -> TreeRecorder {
        let mut record = TreeRecorder::default();
        for bracket in "(()(()())((())))".chars() {
            match bracket {
                '(' => record.enter(Window::FULL, 0, 1),
                _ => record.leave(Score::ZERO, ReturnReason::Searched, 1),
            }
        }
        record
    }

    #[test]
    fn a_visit_is_shown_with_all_its_children_or_with_none() {
        let record = record();
        let shown = |most| {
            let shown = ShownVisits::of(&record, most);
            assert_eq!(shown.indices.len() + shown.left_out, 8);
            (shown.indices, shown.largest_left_out)
        };
        assert_eq!(shown(8), ((0..8).collect(), 0));
        assert_eq!(shown(7), (vec![0, 1, 2, 3, 4, 5, 6], 1));
        assert_eq!(shown(5), (vec![0, 1, 2, 5], 2));
        assert_eq!(shown(1), (vec![0], 7));
        let few = ShownVisits::of(&record, 5);
        assert_eq!(
            (
                few.nearest(7, &record),
                few.nearest(2, &record),
                few.number_at(3)
            ),
            (3, 2, 3)
        );
    }
}
