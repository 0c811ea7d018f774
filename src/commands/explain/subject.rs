//! The subject of a search: a position of a game or a tree from a file, its notation, and its
//! recorded search by the production search or a textbook algorithm.

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::commands::explain::drawn_tree::DrawnTree;
use crate::commands::search_name;
use crate::engine::options::Options;
use crate::game::score::Bound;
use crate::game::{Game, Move, counted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch;
use crate::html::board::board_shape;
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
use crate::search::{Algorithm, Answer, Goal, Limits, Observer, Progress, Settings, Stops};

use super::tree_recorder::{RecordedIteration, TreeRecorder};

/// A position whose search can be recorded and shown.
pub trait Recordable: Game {
    /// The notation of a move.
    fn move_word(&self, m: Move) -> String;

    /// The notations of moves.
    fn move_words(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&m| self.move_word(m)).collect()
    }

    /// The cells of the board; none for a tree.
    fn cells(&self) -> Vec<char>;

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

    fn cells(&self) -> Vec<char> {
        AnyPosition::cells(self)
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

    fn cells(&self) -> Vec<char> {
        Vec::new()
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

/// What is searched, and where it comes from.
pub struct Subject {
    /// The game and the position; of a tree, its file name or itself.
    pub title: String,
    /// The shape of the board for the page's script ([`board_shape`]); null for a tree.
    pub shape: Value,
    /// The score units per point: 100 in games played with discs, else 1.
    pub unit: i32,
}

impl Subject {
    /// A position of a game.
    ///
    /// # Errors
    /// If the game's board has no shape that can be drawn.
    pub fn board(board: &AnyGame) -> Result<Self> {
        let (name, text) = (board.name(), board.write_position());
        Ok(Subject {
            title: format!("{name} {text}"),
            shape: board_shape(name)?,
            unit: if board.discs().is_some() { 100 } else { 1 },
        })
    }

    /// A tree.
    pub fn tree(title: String) -> Self {
        Subject {
            title,
            shape: Value::Null,
            unit: 1,
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
    let limits = Limits::new(
        Goal::BestMove,
        Stops {
            depth: Some(depth),
            nodes: Some(limit),
            ..Stops::default()
        },
    );
    let depth_advice = match root.cells().is_empty() {
        true => "",
        false => " or a smaller --depth",
    };
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
