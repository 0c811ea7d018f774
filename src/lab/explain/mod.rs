//! `nullwindow explain`: shows a search tree with windows, values, bounds, cutoffs and re-searches.
//!
//! [`search`] runs the search and [`tree_recorder`] records it. [`text`] draws the record as text, [`page`] as an HTML
//! page; [`exchange`] writes it as JSON; [`diff`] compares two records.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};

use crate::arena::play::replay::ReplayedSearch;
use crate::engine::options::Options;
use crate::engine::setup::{Setup, check_output, name_and_value};
use crate::game::Game;
use crate::games::any::{AnyGame, by_name};
use crate::games::drawn_tree::DrawnTree;
use crate::platform::files;
use crate::search::Algorithm;
use crate::search::stats::Counters;
use crate::storage::whole_file::replace_file;

pub mod diff;
pub mod exchange;
mod other_engine;
pub mod page;
pub mod search;
pub mod sizes;
mod subject;
pub mod text;
pub mod tree_recorder;
mod wording;

use diff::SearchDiff;
use exchange::ExchangedSearch;
use page::{Page, ShownSearch};
use search::{Recordable, SearchRequest, counted, record};
use sizes::{FullTree, SizeCounter};
use subject::Subject;
use text::Drawing;
use tree_recorder::TreeRecorder;

/// The maximum number of nodes of a drawn tree; each node is a line.
const REPLAYED_LIMIT: u64 = 20_000;

#[derive(clap::Args, Debug)]
#[command(after_help = include_str!("examples.txt"))]
pub struct ExplainArgs {
    /// Search algorithm: minimax, alphabeta, failsoft, negascout, mtdf or auto (the production search)
    #[arg(long, value_name = "A", default_value = "alphabeta", value_parser = algorithm)]
    algorithm: Algorithm,

    /// Search this position: a position or moves from the start (default: the start)
    #[arg(long, value_name = "TEXT", conflicts_with = "tree", allow_hyphen_values = true)]
    position: Option<String>,

    /// Search the tree in FILE instead of a game: nested lists of leaf values, as in ((15 22 -5) (18 -12))
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "depth"])]
    tree: Option<PathBuf>,

    /// Search depth in plies
    #[arg(long, value_name = "N", required_unless_present = "tree")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=64))]
    depth: Option<u8>,

    /// Use a transposition table (always on for auto)
    #[arg(long)]
    table: bool,

    /// Stop with an error after N nodes (default: 20000 for text, else 2000000)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Print the tree as text (the default)
    #[arg(long)]
    text: bool,

    /// Write the tree as an interactive HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print the tree as JSON
    #[arg(long, conflicts_with_all = ["text", "diff"])]
    json: bool,

    /// Compare two searches: print the first difference and the node counts that differ
    #[arg(long, conflicts_with = "text", requires = "other_search")]
    diff: bool,

    #[command(flatten)]
    against: AgainstArgs,
}

/// The other search of a comparison.
#[derive(clap::Args, Debug)]
#[group(id = "other_search", multiple = true, requires = "diff")]
struct AgainstArgs {
    /// Algorithm of the other search (default: the same)
    #[arg(long, value_name = "B", value_parser = algorithm)]
    against: Option<Algorithm>,

    /// Set an engine option of the other search; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    against_option: Vec<(String, String)>,

    /// Run the other search with this nullwindow executable
    #[arg(long, value_name = "PATH")]
    against_engine: Option<PathBuf>,
}

fn algorithm(name: &str) -> Result<Algorithm> {
    let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
    Algorithm::by_name(name).ok_or_else(|| anyhow!("unknown algorithm, expected one of {}", names()))
}

/// The default node limits: of a search drawn as text, and of any other search.
const LINES: u64 = 20_000;
const NODES: u64 = 2_000_000;

pub fn run(args: &ExplainArgs, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    if let Some(file) = &args.html {
        check_output("--html", file, &args.tree)?;
    }
    let explain = Explain { args, setup };
    match &args.tree {
        None => {
            let board = setup.board(args.position.as_deref())?;
            let depth = args.depth.context("--depth is required")?;
            explain.show(&Subject::board(&board)?, depth, out)?;
        }
        Some(file) => {
            let text = files::read_text(file).with_context(|| format!("cannot read {}", file.display()))?;
            let root = DrawnTree::parse(&text).with_context(|| file.display().to_string())?;
            explain.show(&Subject::tree(root, file), root.plies_left(), out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws the production search of the position from an empty table: to the depth of the replayed search, or to the
/// largest depth whose tree has at most [`REPLAYED_LIMIT`] nodes.
///
/// # Errors
/// If the position is invalid or `out` cannot be written.
pub fn draw_replayed(search: &ReplayedSearch, out: &mut dyn Write) -> Result<()> {
    let mut board = by_name(&search.game).with_context(|| format!("unknown game {}", search.game))?;
    board.set_position(&search.position)?;
    for depth in (1..=search.depth.max(1)).rev() {
        let mut text = Vec::new();
        if draw_engine_search(&board, depth, REPLAYED_LIMIT, &mut text).is_ok() {
            if depth < search.depth {
                writeln!(
                    out,
                    "the search to depth {} has more than {REPLAYED_LIMIT} nodes: drawing depth {depth}",
                    search.depth
                )?;
            }
            out.write_all(&text)?;
            return Ok(());
        }
    }
    writeln!(out, "the search to depth 1 has more than {REPLAYED_LIMIT} nodes: not drawn").map_err(Into::into)
}

/// Draws the production search of a position as text. Fails if it visits more than `limit` nodes.
fn draw_engine_search(board: &AnyGame, depth: u8, limit: u64, out: &mut dyn Write) -> Result<()> {
    let args = ExplainArgs {
        algorithm: Algorithm::Auto,
        position: None,
        tree: None,
        depth: Some(depth),
        table: true,
        limit: Some(limit),
        text: true,
        html: None,
        json: false,
        diff: false,
        against: AgainstArgs { against: None, against_option: Vec::new(), against_engine: None },
    };
    let setup = Setup { game: Some(board.name().into()), options: Vec::new() };
    Explain { args: &args, setup: &setup }.show(&Subject::board(board)?, depth, out)
}

struct Explain<'a> {
    args: &'a ExplainArgs,
    setup: &'a Setup,
}

impl Explain<'_> {
    fn show<G: Recordable>(&self, subject: &Subject<G>, depth: u8, out: &mut dyn Write) -> Result<()> {
        if let Some(score) = subject.position.final_score() {
            writeln!(out, "the game is over: {score} for the side to move")?;
            return Ok(());
        }
        let request = self.request(depth, self.args.algorithm, &[])?;
        let record = record(subject.position, &request)?;
        let mut sizes = SizeCounter::default();
        if self.args.diff {
            return self.show_diff(subject, &request, &record, &mut sizes, out);
        }
        let name = request.name();
        if self.args.json {
            let exchanged = ExchangedSearch::new(name.clone(), &record, &|m| subject.position.move_word(m));
            serde_json::to_writer(&mut *out, &exchanged)?;
            writeln!(out)?;
        }
        if self.args.html.is_some() {
            let shown = ShownSearch { name: name.clone(), depth, record: &record };
            self.write_page(subject, &[shown], None, &mut sizes)?;
        }
        if self.args.text || !self.args.json && self.args.html.is_none() {
            writeln!(out, "{name}, depth {depth}: windows and values from the root player's (max) point of view\n")?;
            let headings = record.iterations.len() > 1 || self.args.algorithm == Algorithm::Auto;
            let position = subject.position;
            let write_move = &|m| position.move_word(m);
            Drawing { position, record: &record, write_move, headings, sizes: &mut sizes }.write(out)?;
            writeln!(out)?;
        }
        if !self.args.json {
            let full = sizes.count(&subject.position, depth);
            self.write_counts(&name, &counted(&record), full, out)?;
        }
        Ok(())
    }

    fn show_diff<G: Recordable>(
        &self,
        subject: &Subject<G>,
        request: &SearchRequest,
        record_of_one: &TreeRecorder,
        sizes: &mut SizeCounter<G>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let AgainstArgs { against, against_option, against_engine } = &self.args.against;
        let algorithm = against.unwrap_or(self.args.algorithm);
        let other_request = self.request(request.depth, algorithm, against_option)?;
        let mut other_name = other_request.name();
        let other = match against_engine {
            None => record(subject.position, &other_request)?,
            Some(path) => {
                other_name = format!("{other_name} of {}", path.display());
                let options = [&self.setup.options[..], &against_option[..]].concat();
                other_engine::record(path, subject, &other_request, &options)?
            }
        };
        let name = request.name();
        if other_name == name {
            let options: Vec<String> = against_option.iter().map(|(name, value)| format!("{name}={value}")).collect();
            other_name = format!("{name} {}", options.join(" ")).trim_end().to_owned();
        }
        let records = [record_of_one, &other];
        let write_move = &|m| subject.position.move_word(m);
        let diff = SearchDiff { records, names: [&name, &other_name], write_move };
        diff.write(out)?;
        if self.args.html.is_some() {
            let both = [(&name, record_of_one), (&other_name, &other)];
            let shown = both.map(|(name, record)| ShownSearch { name: name.clone(), depth: request.depth, record });
            self.write_page(subject, &shown, Some(&diff), sizes)?;
        }
        Ok(())
    }

    /// A search by this algorithm with the options of the command line and `further` ones. The textbook algorithms use
    /// no table and no deepening by default.
    fn request(&self, depth: u8, algorithm: Algorithm, further: &[(String, String)]) -> Result<SearchRequest> {
        let mut options = Options::default();
        let is_auto = algorithm == Algorithm::Auto;
        options.settings.algorithm = algorithm;
        options.settings.table = is_auto || self.args.table;
        options.settings.deepening = is_auto;
        for (name, value) in self.setup.options.iter().chain(further) {
            options.set(name, Some(value))?;
        }
        let as_text = self.args.text || self.args.html.is_none() && !self.args.json && !self.args.diff;
        let limit = self.args.limit.unwrap_or(if as_text { LINES } else { NODES });
        Ok(SearchRequest { options, depth, limit })
    }

    fn write_page<G: Recordable>(
        &self,
        subject: &Subject<G>,
        searches: &[ShownSearch<'_>],
        diff: Option<&SearchDiff<'_>>,
        sizes: &mut SizeCounter<G>,
    ) -> Result<()> {
        let Some(file) = &self.args.html else { return Ok(()) };
        let page = Page { subject, searches, diff, sizes }.write()?;
        write_file(file, &page)
    }

    /// Prints the node counts of the search and of minimax.
    fn write_counts(
        &self,
        name: &str,
        counters: &Counters,
        full: Option<FullTree>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Counters { nodes, leaves, null_windows, re_searches, table_hits } = *counters;
        writeln!(out, "{name}: {leaves} leaves, {nodes} nodes")?;
        if null_windows > 0 {
            writeln!(out, "null-window searches: {null_windows}, re-searches: {re_searches}")?;
        }
        if table_hits > 0 {
            writeln!(out, "table hits: {table_hits}")?;
        }
        match full {
            _ if self.args.algorithm == Algorithm::Minimax => Ok(()),
            Some(full) => writeln!(out, "minimax: {} leaves, {} nodes", full.leaves, full.nodes),
            None => writeln!(out, "minimax: too many nodes to count"),
        }
    }
}

fn write_file(file: &Path, text: &str) -> Result<()> {
    replace_file(file, [text])
}
