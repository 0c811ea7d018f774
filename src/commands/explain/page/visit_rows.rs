//! Stores the visits of a search as rows of numbers. Moves and board changes are indices into lists
//! of distinct texts.

use serde_json::{Value, json};

use crate::commands::explain::sizes::SizeCounter;
use crate::commands::explain::subject::Recordable;
use crate::commands::explain::tree_recorder::{TreeRecorder, VisitKind};
use crate::game::Move;
use crate::games::any::AnyPosition;
use crate::html::TextList;
use crate::html::board::changes;

use super::summary::ShownVisits;

/// The numbers of a visit.
const NAMES: [&str; 10] = [
    "parent", "word", "kind", "depth", "alpha", "beta", "score", "why", "nodes", "change",
];

/// A position on the path to the current visit.
struct PathNode<G> {
    /// The number among the shown visits, and one past the index of the last descendant in the
    /// record.
    number: usize,
    end: usize,
    position: G,
    cells: Vec<char>,
}

/// Builds the rows of searches from one root.
pub struct VisitRows<G> {
    root: G,
    /// Counts the nodes saved by cuts.
    pub sizes: SizeCounter<G>,
    /// The distinct moves.
    pub words: TextList,
    /// The distinct board changes.
    pub changes: TextList,
}

impl<G: Recordable> VisitRows<G> {
    pub fn new(root: G) -> Self {
        let mut changes = TextList::default();
        changes.index_of(String::new());
        VisitRows {
            root,
            sizes: SizeCounter::default(),
            words: TextList::default(),
            changes,
        }
    }

    /// The rows of a search. Windows and scores are from the root player's point of view.
    /// `leftOut` lists pairs of node and number of hidden visits; `skipped` lists pairs of node and
    /// moves, each with the leaves and nodes saved (-1: too many to count).
    pub fn of(&mut self, record: &TreeRecorder, shown: &ShownVisits) -> Value {
        let mut rows = Vec::with_capacity(shown.indices.len());
        let (mut left_out, mut skipped) = (Vec::new(), Vec::new());
        let mut path: Vec<PathNode<G>> = Vec::new();
        for (number, &index) in shown.indices.iter().enumerate() {
            let visit = &record.visits[index];
            while path.pop_if(|last| last.end <= index).is_some() {}
            let parent = path.last();
            let position = match (parent, visit.kind) {
                (None, _) => self.root,
                (Some(parent), VisitKind::Verification) => parent.position,
                (Some(parent), _) => parent.position.play(visit.m),
            };
            let cells = position.board().map(AnyPosition::cells).unwrap_or_default();
            let change = parent.map_or_else(String::new, |parent| changes(&parent.cells, &cells));
            let window = visit.root_window();
            rows.push([
                parent.map_or(-1, |parent| parent.number as i64),
                if visit.m == Move::NONE {
                    -1
                } else {
                    self.word(visit.m)
                },
                visit.kind as i64,
                i64::from(visit.depth),
                i64::from(window.alpha.0),
                i64::from(window.beta.0),
                i64::from(visit.root_score().0),
                visit.why as i64,
                visit.nodes as i64,
                self.changes.index_of(change) as i64,
            ]);
            let mut moves: Vec<[i64; 3]> = Vec::new();
            for &m in record.skipped(visit) {
                let saved = self
                    .sizes
                    .count(&position.play(m), visit.depth - G::cost(m));
                let [leaves, nodes] =
                    saved.map_or([-1; 2], |full| [full.leaves as i64, full.nodes as i64]);
                moves.push([self.word(m), leaves, nodes]);
            }
            if !moves.is_empty() {
                skipped.push((number, moves));
            }
            let (end, below) = (visit.end as usize, visit.end as usize - index - 1);
            if below > 0 && shown.indices.get(number + 1) != Some(&(index + 1)) {
                left_out.push((number, below));
            }
            path.push(PathNode {
                number,
                end,
                position,
                cells,
            });
        }
        json!({ "names": NAMES, "rows": rows, "leftOut": left_out, "skipped": skipped })
    }

    fn word(&mut self, m: Move) -> i64 {
        self.words.index_of(self.root.move_word(m)) as i64
    }
}
