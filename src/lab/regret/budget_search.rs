//! Searches with a node budget: the engine's search, and the baseline, plain iterative deepening by the production
//! search at full width to depths 1, 2, 3 ... Each starts with a new table.

use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::engine::options::Options;
use crate::game::Move;
use crate::game::score::{Score, Window};
use crate::games::any::{AnyGame, AnyPosition, with_position};
use crate::games::spec::GameSpec;
use crate::lab::jobs::JobResult;
use crate::lab::think;
use crate::search::context::Context as SearchContext;
use crate::search::isa::Portable;
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::searcher::Searcher;
use crate::search::stop::{Budget, SearchControl};
use crate::search::table::{Draft, Table};
use crate::search::{AnyWeights, Clock, Limits, RootMove};

/// Bytes of the table for each node of the budget: two entries.
const TABLE_BYTES_PER_NODE: u64 = 64;
/// The minimum size of a table in bytes.
const LEAST_TABLE: u64 = 1 << 16;
/// A time limit that no search reaches.
const HOUR: Duration = Duration::from_secs(3_600);

/// A limit in addition to `nodes` that the search never reaches.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FurtherLimit {
    /// A depth beyond the end of the game
    Depth,
    /// A move time of one hour
    Movetime,
    /// A clock of one hour
    Clock,
    /// `go exact`
    Exact,
    /// `go mate` beyond the end of the game
    Mate,
}

impl FurtherLimit {
    fn add_to(self, limits: &mut Limits) {
        match self {
            FurtherLimit::Depth => limits.depth = Some(u8::MAX),
            FurtherLimit::Movetime => limits.movetime = Some(HOUR),
            FurtherLimit::Clock => {
                let clock = Clock { remaining: HOUR, main: HOUR, increment: Duration::ZERO, moves_to_go: None };
                limits.clock = Some(clock);
            }
            FurtherLimit::Exact => (limits.depth, limits.proven) = (Some(u8::MAX), true),
            FurtherLimit::Mate => limits.mate = Some(u8::MAX),
        }
    }
}

/// The conditions that all searches of a record share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct BudgetConditions {
    pub version: String,
    pub game: String,
    pub options: Vec<(String, String)>,
    pub with: Vec<FurtherLimit>,
}

/// Identifies a search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(super) struct SearchKey {
    pub position: String,
    pub nodes: u64,
}

/// A move chosen by the last finished iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ChosenMove {
    #[serde(rename = "move")]
    pub word: String,
    /// The depth of that iteration, 0 if none finished.
    pub depth: u8,
}

/// A line of the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct BudgetResult {
    #[serde(flatten)]
    pub key: SearchKey,
    pub engine: ChosenMove,
    pub plain: ChosenMove,
}

impl JobResult for BudgetResult {
    type Key = SearchKey;

    fn key(&self) -> SearchKey {
        self.key.clone()
    }
}

/// Searches solved positions.
#[derive(Clone, Copy)]
pub(super) struct BudgetSearcher<'a> {
    pub options: &'a Options,
    pub start: &'a AnyGame,
    /// Further limits of the engine's searches.
    pub with: &'a [FurtherLimit],
}

impl BudgetSearcher<'_> {
    /// Runs both searches of a position with a node budget.
    pub fn measure(&self, key: SearchKey) -> Result<BudgetResult> {
        let (mut board, nodes) = (self.start.clone(), key.nodes);
        board.set_position(&key.position)?;
        let chosen = |(m, depth): (Move, u8)| ChosenMove { word: board.write_move(m), depth };
        let engine = self.search(board.position(), nodes).context("the position has no legal move")?;
        let plain =
            PlainDeepening { weights: self.options.settings.weights.as_ref(), table: &self.table(nodes), nodes };
        let plain = with_position!(board.position(), position => plain.search(position));
        Ok(BudgetResult { key, engine: chosen(engine), plain: chosen(plain) })
    }

    fn table(&self, nodes: u64) -> Table {
        let most = u64::from(self.options.hash) << 20;
        let bytes = nodes.saturating_mul(TABLE_BYTES_PER_NODE).max(LEAST_TABLE).min(most);
        Table::with_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// The engine's move and the depth of its last iteration.
    fn search(&self, position: AnyPosition, nodes: u64) -> Option<(Move, u8)> {
        let mut limits = Limits { nodes: Some(nodes), ..Limits::default() };
        self.with.iter().for_each(|limit| limit.add_to(&mut limits));
        let answer = think(self.options, position, &self.table(nodes), &limits);
        Some((answer.best_move()?, answer.depth))
    }
}

/// Plain iterative deepening; returns the move and the depth of the last finished iteration. It runs on the portable
/// instruction set, which visits the same nodes as the others.
struct PlainDeepening<'a> {
    weights: Option<&'a AnyWeights>,
    table: &'a Table,
    nodes: u64,
}

impl PlainDeepening<'_> {
    fn search<G: GameSpec>(self, position: G) -> (Move, u8) {
        let policy = G::policy(G::evaluator(self.weights), Portable::token(), Some(Draft::FULL));
        let control = SearchControl::default();
        self.table.new_search();
        let mut searcher =
            Production::<Mtdf, _>::new(position, SearchContext::new(&policy, Some(self.table), &control));
        searcher.set_budget(Budget { nodes: Some(self.nodes), ..Budget::default() });
        let moves = position.moves();
        // The first guess is the value two plies back, as values of odd and even depths differ.
        let mut values = [Score::ZERO; 2];
        let mut chosen = (moves[0], 0);
        for depth in 1..=position.plies_left() {
            let guess = if depth == 2 { values[0] } else { values[1] };
            let searched = searcher.search(Iteration::full(depth), guess, Window::FULL, &moves, &mut |_, _| ());
            let Ok(RootMove { m, score, .. }) = searched else { break };
            values = [score, values[0]];
            chosen = (m, depth);
        }
        chosen
    }
}
