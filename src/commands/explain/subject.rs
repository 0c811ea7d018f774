//! The positions whose searches can be recorded, of games and of trees from files, and their recorded
//! searches by the production search or a textbook algorithm.

use anyhow::{Result, ensure};

use crate::commands::explain::drawn_tree::DrawnTree;
use crate::commands::search_name;
use crate::engine::options::Options;
use crate::game::score::Bound;
use crate::game::{Game, Move, counted};
use crate::games::any::AnyPosition;
use crate::games::dispatch;
use crate::search::core::context::Context;
use crate::search::core::isa::Portable;
use crate::search::core::policy::Zero;
use crate::search::deepening::think;
use crate::search::generic_policy::GenericPolicy;
use crate::search::production::{Mtdf, Production};
use crate::search::searcher::Searcher;
use crate::search::stats::Counters;
use crate::search::table::Table;
use crate::search::textbook::{TextbookContext, TextbookSearch};
use crate::search::{Algorithm, Answer, Limits, Observer, Progress, Settings};

use super::tree_recorder::{RecordedIteration, TreeRecorder};

/// A position whose search can be recorded and shown.
pub trait Recordable: Game {
    /// The notation of a move.
    fn move_word(&self, m: Move) -> String;

    /// The notations of moves.
    fn move_words(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&m| self.move_word(m)).collect()
    }

    /// The position on a board; `None` for a tree.
    fn board(&self) -> Option<&AnyPosition>;

    /// Searches it, exactly as the engine does.
    fn think(
        self,
        settings: &Settings,
        table: &Table,
        limits: &Limits,
        observer: &mut Observer<'_>,
    ) -> Answer;
}

impl Recordable for AnyPosition {
    fn move_word(&self, m: Move) -> String {
        self.write_move(m)
    }

    fn board(&self) -> Option<&AnyPosition> {
        Some(self)
    }

    fn think(
        self,
        settings: &Settings,
        table: &Table,
        limits: &Limits,
        observer: &mut Observer<'_>,
    ) -> Answer {
        dispatch::think(self, settings, table, limits, observer)
    }
}

impl Recordable for DrawnTree {
    fn move_word(&self, m: Move) -> String {
        (m.square() + 1).to_string()
    }

    fn board(&self) -> Option<&AnyPosition> {
        None
    }

    fn think(
        self,
        settings: &Settings,
        table: &Table,
        limits: &Limits,
        observer: &mut Observer<'_>,
    ) -> Answer {
        let (control, table) = (observer.control.clone(), settings.table.then_some(table));
        let trace = observer.trace.take();
        let mut deepen =
            |searcher: &mut dyn Searcher| think(searcher, limits, settings.deepening, observer);
        match settings.algorithm {
            Algorithm::Auto => {
                let policy = GenericPolicy::new(Zero, Portable::token());
                let mut cx = Context::new(&policy, table, &control);
                cx.record(trace);
                deepen(&mut Production::<Mtdf, _>::new(self, cx))
            }
            algorithm => {
                let mut cx = TextbookContext::new(&Zero, table, &control);
                cx.record(trace);
                deepen(&mut TextbookSearch::new(algorithm, self, cx))
            }
        }
    }
}

/// A recorded search.
pub struct RecordedSearch<G> {
    pub root: G,
    /// The algorithm and its optional parts, such as `mtdf +table`.
    pub name: String,
    pub algorithm: Algorithm,
    /// The search depth in plies.
    pub depth: u8,
    pub record: TreeRecorder,
}

/// Searches an unfinished position with these options, of which one is a single thread, and records
/// the search.
///
/// # Errors
/// If the search exceeds the node limit.
pub fn record<G: Recordable>(
    root: G,
    options: &Options,
    depth: u8,
    limit: u64,
) -> Result<RecordedSearch<G>> {
    let (settings, table) = (&options.settings, Table::new(options.hash as usize));
    let mut limits = Limits::to_depth(depth);
    limits.stops.nodes = Some(limit);
    let depth_advice = root.board().map_or("", |_| " or a smaller --depth");
    let mut finished: Vec<Progress> = Vec::new();
    let mut report = |progress: &Progress| {
        if progress.bound == Bound::Exact {
            finished.push(progress.clone());
        }
    };
    let mut record = TreeRecorder::default();
    let mut observer = Observer {
        report: Some(&mut report),
        trace: Some(&mut record),
        ..Observer::default()
    };
    let answer = root.think(settings, &table, &limits, &mut observer);
    ensure!(
        !answer.stopped,
        "the search exceeds {}: use a larger --limit (default: 20000 as text, else 2000000){depth_advice}",
        counted(limit, "node", "nodes")
    );
    let mut before = Counters::default();
    for (number, progress) in finished.into_iter().enumerate() {
        // The endgame solver is not recorded: add an iteration with its node count.
        if number == record.iterations.len() {
            record.iterations.push(RecordedIteration {
                depth: progress.depth,
                selectivity: progress.selectivity,
                guess: None,
                first: record.visits.len() as u32,
                counters: progress.counters - before,
                value: progress.score,
                pv: Vec::new(),
            });
        }
        let iteration = &mut record.iterations[number];
        (iteration.value, iteration.pv) = (progress.score, progress.pv);
        before = progress.counters;
    }
    let algorithm = settings.algorithm;
    let is_textbook = algorithm != Algorithm::Auto;
    Ok(RecordedSearch {
        root,
        name: search_name(
            algorithm.name(),
            is_textbook && settings.table && algorithm.uses_table(),
            is_textbook && settings.deepening,
        ),
        algorithm,
        depth,
        record,
    })
}
