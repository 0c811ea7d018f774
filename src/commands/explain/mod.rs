//! `nullwindow explain`: shows a search tree with windows, values, bounds, cutoffs and re-searches.
//!
//! [`subject`] runs the search of its position and [`tree_recorder`] records it. [`text`] draws the
//! record as text, [`page`] as an HTML page, [`json`] as JSON; [`diff`] compares two records.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::ArgGroup;

use crate::arena::play::replay::ReplayedSearch;
use crate::commands::explain::drawn_tree::DrawnTree;
use crate::commands::{check_replaced, depth, write_json_line};
use crate::engine::options::Options;
use crate::game::Game;
use crate::games::any::by_name;
use crate::platform::files;
use crate::search::Algorithm;
use crate::setup::{
    EVAL, GAME, Setup, Suggested, has_option, is_game, name_and_value, positive, uses,
};
use crate::storage::whole_file::replace_file;

pub mod diff;
pub mod drawn_tree;
mod json;
pub mod page;
pub mod sizes;
mod subject;
pub mod text;
pub mod tree_recorder;
mod wording;

use json::SearchJson;
use subject::{Recordable, record};
use text::Drawing;
use tree_recorder::TreeRecorder;

/// The options of the search beside `--algorithm`.
const SEARCHED: &[&str] = &["Table", "Deepening", "Hash", "Selectivity"];

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCHED, EVAL]))]
#[command(group = ArgGroup::new("searched").args(["depth", "tree"]).required(true))]
#[command(after_help = include_str!("examples.txt"))]
pub struct Args {
    /// Search algorithm: minimax, alphabeta, failsoft, negascout, mtdf or auto (the production
    /// search)
    #[arg(
        long,
        value_name = "A",
        default_value = "alphabeta",
        hide_possible_values = true
    )]
    #[arg(value_parser = algorithms())]
    algorithm: Algorithm,

    /// Search this position: a position or moves from the start (default: the start)
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "tree",
        allow_hyphen_values = true
    )]
    position: Option<String>,

    /// Search the tree in FILE, or this tree, instead of a game: nested lists of leaf values, as in
    /// "((15 22 -5) (18 -12))"
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    tree: Option<PathBuf>,

    /// Search depth in plies
    #[arg(long, value_name = "N", value_parser = depth())]
    depth: Option<u8>,

    /// Use a transposition table (the default of auto)
    #[arg(long)]
    table: bool,

    /// Stop with an error after N nodes (default: 20000 for text, else 2000000)
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
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
    against: Against,
}

/// The other search of a comparison.
#[derive(clap::Args, Debug)]
#[group(id = "other_search", multiple = true, requires = "diff")]
struct Against {
    /// Algorithm of the other search (default: the same)
    #[arg(long, value_name = "B", value_parser = algorithms(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["text", "json"])]
    against: Option<Algorithm>,

    /// Set an engine option of the other search; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = other_option)]
    #[arg(conflicts_with_all = ["text", "json"])]
    against_option: Vec<(String, String)>,
}

fn algorithms() -> Suggested<fn(&str) -> Result<Algorithm>> {
    Suggested(Algorithm::ALL.map(Algorithm::name).to_vec(), algorithm)
}

fn algorithm(name: &str) -> Result<Algorithm> {
    let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
    Algorithm::by_name(name)
        .ok_or_else(|| anyhow!("unknown algorithm, expected one of {}", names()))
}

/// Parses an option of the other search, which has the same position.
fn other_option(text: &str) -> Result<(String, String)> {
    let option = name_and_value(text)?;
    let used = [SEARCHED, EVAL].concat();
    ensure!(
        has_option(&used, &option.0),
        "{} has no effect, expected one of {}",
        option.0,
        used.join(", ")
    );
    Ok(option)
}

/// The default node limits: of a search drawn as text, and of any other search.
const LINES: u64 = 20_000;
const NODES: u64 = 2_000_000;

pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    if let Some(file) = &args.html {
        check_replaced("--html", file, &args.tree)?;
    }
    match &args.tree {
        None => {
            let board = setup.board(args.position.as_deref())?;
            let depth = args.depth.context("--depth is required")?;
            let title = format!("{} {}", board.name(), board.write_position());
            args.show(board.position(), &title, depth, &setup.options, out)?;
        }
        Some(tree) => {
            for (name, _) in &setup.options {
                ensure!(!is_game(name), "option {name} has no effect on --tree");
            }
            let name = tree.display().to_string();
            let is_list = name.trim_start().starts_with('(') && !tree.exists();
            let text = match is_list {
                true => name.clone(),
                false => files::read_text(tree).with_context(|| format!("cannot read {name}"))?,
            };
            let root = DrawnTree::parse(&text).with_context(|| name.clone())?;
            let title = tree.file_name().filter(|_| !is_list);
            let title = title.map_or(name, |file| file.to_string_lossy().into_owned());
            args.show(root, &title, root.plies_left(), &setup.options, out)?;
        }
    }
    Ok(true)
}

/// Draws the production search of the position from an empty table: to the depth of the replayed
/// search, or to the largest depth whose tree has at most [`LINES`] nodes.
///
/// # Errors
/// If the position is invalid or `out` cannot be written.
pub fn draw_replayed(search: &ReplayedSearch, out: &mut dyn Write) -> Result<()> {
    let mut board =
        by_name(&search.game).with_context(|| format!("unknown game {}", search.game))?;
    board.set_position(&search.position)?;
    let root = board.position();
    let options = options(Algorithm::Auto, true, [])?;
    for depth in (1..=search.depth.max(1)).rev() {
        if let Ok(recorded) = record(root, &options, depth, LINES) {
            if depth < search.depth {
                let wanted = search.depth;
                writeln!(
                    out,
                    "the search to depth {wanted} has more than {LINES} nodes: drawing depth {depth}"
                )?;
            }
            let mut drawing = Drawing::new(&recorded);
            drawing.write_tree(out)?;
            return Ok(drawing.write_counts(out)?);
        }
    }
    Ok(writeln!(
        out,
        "the search to depth 1 has more than {LINES} nodes: not drawn"
    )?)
}

/// Records the search of a tree to its end by a textbook algorithm without its optional parts.
///
/// # Errors
/// If the tree has more than [`NODES`] nodes.
pub fn record_tree(root: DrawnTree, algorithm: Algorithm) -> Result<TreeRecorder> {
    let options = options(algorithm, false, [])?;
    Ok(record(root, &options, root.plies_left(), NODES)?.record)
}

/// The engine options with an algorithm and further options. The textbook algorithms use no table
/// and no deepening by default.
fn options<'a>(
    algorithm: Algorithm,
    table: bool,
    further: impl IntoIterator<Item = &'a (String, String)>,
) -> Result<Options> {
    let mut options = Options::default();
    let is_auto = algorithm == Algorithm::Auto;
    options.settings.algorithm = algorithm;
    options.settings.table = is_auto;
    options.settings.deepening = is_auto;
    for (name, value) in further {
        options.set(name, Some(value))?;
    }
    options.settings.table |= table;
    options.settings.threads = 1; // helpers are not recorded
    Ok(options)
}

impl Args {
    /// Shows the search of a position with the options of the command line. `title` names it: the
    /// game and the position, or the file of a tree or the tree itself.
    fn show<G: Recordable>(
        &self,
        root: G,
        title: &str,
        depth: u8,
        chosen: &[(String, String)],
        out: &mut dyn Write,
    ) -> Result<()> {
        if let Some(score) = root.final_score() {
            let score = score.seen_from(root.stones());
            bail!("the game is over ({score} for the side to move): nothing to search");
        }
        let as_text = self.text || self.html.is_none() && !self.json && !self.diff;
        let limit = self.limit.unwrap_or(if as_text { LINES } else { NODES });
        let search = |algorithm, set: &[(String, String)]| {
            record(root, &options(algorithm, self.table, set)?, depth, limit)
        };
        let mut searches = vec![search(self.algorithm, chosen)?];
        if self.diff {
            let Against {
                against,
                against_option,
            } = &self.against;
            let all_options = [chosen, against_option].concat();
            let mut other = search(against.unwrap_or(self.algorithm), &all_options)?;
            if other.name == searches[0].name {
                let set = against_option
                    .iter()
                    .map(|(name, value)| format!(" {name}={value}"));
                other.name.extend(set);
            }
            searches.push(other);
        }
        if let Some(file) = &self.html {
            replace_file(file, [page::write(title, &searches)?])?;
        }
        if let [one, other] = &searches[..] {
            return Ok(diff::write([one, other], out)?);
        }
        if self.json {
            return Ok(write_json_line(&SearchJson::new(&searches[0]), out)?);
        }
        let mut drawing = Drawing::new(&searches[0]);
        if as_text {
            drawing.write_tree(out)?;
        }
        Ok(drawing.write_counts(out)?)
    }
}
