//! `nullwindow book extend`: searches the leaves of a book in rounds. A leaf can lead to a position that
//! got its value later: the next round searches it again.
//!
//! Each finished leaf is appended to a journal beside the book, so that a kill loses only the searches
//! in progress. A resumed run repeats the rounds of the killed one with the leaves of the journal, so
//! that it searches the same moves.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::super::jobs::{JobRunner, SearchControls};
use super::super::{check_replaced, depth, report_resumable, threads};
use super::size;
use crate::book::builder::Builder;
use crate::book::{BookMove, EXACT, Key, Leaf, LeafKind, Record, VARIETY_MAX, key};
use crate::engine::options::HASH;
use crate::game::score::Score;
use crate::game::{Move, counted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch;
use crate::games::record;
use crate::logging::progress::{ProgressLine, print_line};
use crate::platform::files::with_suffix;
use crate::platform::interrupt;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Certainty, Goal, Limits, Observer, Settings, Stops};
use crate::setup::{EVAL, Setup, positive, uses};
use crate::storage::json_lines::JsonLines;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[&["Algorithm", HASH, "Selectivity"], EVAL]))]
#[command(group = clap::ArgGroup::new("level").required(true))]
#[command(group = clap::ArgGroup::new("limit").multiple(true))]
pub struct Args {
    /// Book to change
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Search to this depth
    #[arg(long, value_name = "N", value_parser = depth(), group = "level")]
    depth: Option<u8>,

    /// Search this number of nodes
    #[arg(long, value_name = "N", value_parser = positive::<u64>, group = "level")]
    nodes: Option<u64>,

    /// Begin no search after M minutes
    #[arg(long, value_name = "M", value_parser = positive::<u64>, group = "limit")]
    minutes: Option<u64>,

    /// Also add the positions that a Book Variety of D discs can reach, breadth first
    #[arg(long, value_name = "D", requires = "limit")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=VARIETY_MAX.into()))]
    widen: Option<u32>,

    /// Search at most N positions; a run resumed after a kill counts those of the killed one, a run
    /// after Ctrl-C counts anew
    #[arg(long, value_name = "N", value_parser = positive::<usize>, group = "limit")]
    positions: Option<usize>,

    /// Number of searches at a time (default: one per core)
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<u16>,
}

/// The level of the leaves of a book, its new positions, and the engine options of the searches.
#[derive(Serialize, Deserialize)]
struct JournalHeader {
    depth: u32,
    nodes: u64,
    widen: Option<u32>,
    options: Vec<(String, String)>,
}

/// A finished leaf in the journal.
#[derive(Serialize, Deserialize)]
struct JournalLine {
    position: String,
    #[serde(rename = "move")]
    m: String,
    score: i32,
    level: u8,
}

/// The journal of a book, with the leaves that a killed run left in it. The first leaf creates it.
struct Journal {
    path: PathBuf,
    header: JournalHeader,
    lines: Option<JsonLines<JournalLine>>,
    /// In the order of the rounds.
    leaves: HashMap<Key, VecDeque<Leaf>>,
}

impl Journal {
    fn open(args: &Args, setup: &Setup, game: &AnyGame) -> Result<Journal> {
        let header = JournalHeader {
            depth: args.depth.unwrap_or(0).into(),
            nodes: args.nodes.unwrap_or(0),
            widen: args.widen,
            options: setup.determining_options(&[HASH]),
        };
        let path = with_suffix(&args.file, ".extend.jsonl");
        let mut leaves: HashMap<Key, VecDeque<Leaf>> = HashMap::new();
        let take = |line: JournalLine| {
            let entry = record::parse(game, &line.position);
            let game = entry.map_err(|error| error.to_string())?.game;
            let m = game.legal_move(&line.m).ok_or("illegal move")?;
            let leaves = leaves.entry(key(game.position())).or_default();
            leaves.push_back(leaf(m, Score(line.score), line.level));
            Ok(())
        };
        let lines = if path.exists() {
            Some(JsonLines::open_with(&path, &header, take)?)
        } else {
            None
        };
        Ok(Journal {
            path,
            header,
            lines,
            leaves,
        })
    }

    fn append(&mut self, position: AnyPosition, leaf: &Leaf) -> Result<()> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            new => new.insert(JsonLines::open_with(&self.path, &self.header, |_| Ok(()))?),
        };
        lines.append(&JournalLine {
            position: position.write_position(),
            m: position.write_move(leaf.m),
            score: leaf.score.0,
            level: leaf.level,
        })
    }

    /// The next leaf of a position that the killed run found.
    fn next_leaf(&mut self, position: AnyPosition) -> Option<Leaf> {
        self.leaves.get_mut(&key(position))?.pop_front()
    }

    /// Removes the file: the book has its leaves.
    fn remove(self) -> Result<()> {
        let Some(lines) = self.lines else {
            return Ok(());
        };
        drop(lines);
        fs::remove_file(&self.path)
            .with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let mut book = Builder::open(&args.file, None)?;
    check_replaced("FILE", &args.file, [])?;
    let mut journal = Journal::open(args, setup, &book.game)?;
    let depth = args.depth.unwrap_or(0);
    book.set_level(depth.into(), args.nodes.unwrap_or(0));
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from);
    note_options(setup, &book)?;
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    let minutes = |minutes: u64| Duration::from_secs(minutes.saturating_mul(60));
    let end = args
        .minutes
        .and_then(|time| Instant::now().checked_add(minutes(time)));
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    let settings = Settings {
        threads: 1,
        ..options.settings.clone()
    };
    let controls = SearchControls::new(threads);
    // Those of the killed run count for `--positions`.
    let (mut searched, mut recorded, mut interrupted) = (0, 0, false);
    while !interrupted && !is_over() {
        book.update();
        // Positions all of whose moves have a score get one without a search.
        while args.widen.is_some_and(|discs| book.widen(discs)) {
            book.update();
        }
        let mut jobs = open_leaves(&book, depth);
        let all = jobs.len();
        jobs.retain(|(position, _)| {
            let found = journal.next_leaf(*position);
            if let Some(leaf) = found {
                take_leaf(&mut book, *position, leaf);
            }
            found.is_none()
        });
        let is_repeated = jobs.len() < all;
        recorded += all - jobs.len();
        let most = args.positions.unwrap_or(usize::MAX);
        jobs.truncate(most.saturating_sub(searched + recorded));
        if jobs.is_empty() {
            if is_repeated {
                continue;
            }
            break;
        }
        let bar = ProgressLine::bar(jobs.len() as u64, "positions");
        let runner = JobRunner {
            threads,
            in_order: false,
            interrupt: &interrupt,
        };
        let worker = |thread| {
            let mut table = Table::new(options.hash as usize);
            let (settings, controls) = (&settings, &controls);
            move |(position, moves)| {
                let control = controls.next(thread)?;
                table.clear();
                let leaf = search(args, settings, position, moves, &table, control)?;
                Some((position, leaf))
            }
        };
        interrupted = runner.run(
            jobs.into_iter().take_while(|_| !is_over()),
            worker,
            || controls.stop(),
            |found| {
                let Some((position, leaf)) = found.flatten() else {
                    return Ok(());
                };
                journal.append(position, &leaf)?;
                take_leaf(&mut book, position, leaf);
                searched += 1;
                bar.inc();
                Ok(())
            },
        )?;
    }
    book.save()?;
    journal.remove()?;
    let searches = counted(searched, "position", "positions");
    let open = open_leaves(&book, depth).len();
    writeln!(
        out,
        "{searches} searched, {open} to search; {}",
        size(&book)
    )?;
    if interrupted {
        report_resumable(None);
    }
    Ok(!interrupted)
}

/// Notes that options do not change the leaves of earlier runs at this level: the book does not
/// have the options of its leaves.
fn note_options(setup: &Setup, book: &Builder) -> Result<()> {
    let is_current = |record: &&Record| {
        let leaf = record.leaf.as_ref();
        leaf.is_some_and(|leaf| leaf.kind == LeafKind::Current)
    };
    let kept = book.records.values().filter(is_current).count();
    if kept > 0 && !setup.determining_options(&[HASH, "Kernel"]).is_empty() {
        print_line(format!(
            "note: {} searched at this level before: --option applies to the others",
            counted(kept, "position was", "positions were")
        ));
    }
    Ok(())
}

/// The best of the moves that do not lead into the book; `None` if the search was stopped.
fn search(
    args: &Args,
    settings: &Settings,
    position: AnyPosition,
    moves: Vec<Move>,
    table: &Table,
    control: Arc<SearchControl>,
) -> Option<Leaf> {
    let stops = Stops {
        depth: args.depth,
        nodes: args.nodes,
        ..Stops::default()
    };
    let limits = Limits {
        moves,
        ..Limits::new(Goal::BestMove, stops)
    };
    let mut observer = Observer {
        control: control.clone(),
        ..Observer::default()
    };
    let answer = dispatch::think(position, settings, table, &limits, &mut observer);
    let best = answer.best.first().filter(|_| !control.stopped())?;
    let level = match answer.certainty {
        Certainty::Exact => EXACT,
        _ => answer.depth,
    };
    Some(leaf(best.m, best.score, level))
}

fn leaf(m: Move, score: Score, level: u8) -> Leaf {
    Leaf {
        m,
        score,
        level,
        kind: LeafKind::Current,
    }
}

/// The position's leaf that a search has found, unless the present one has a higher level.
fn take_leaf(book: &mut Builder, position: AnyPosition, found: Leaf) {
    let (record, moves) = book.moves(position);
    let old = record.and_then(|record| record.leaf);
    let is_worse = |old: &Leaf| old.level > found.level && moves.iter().any(|found| found.is_leaf);
    let kept = old.filter(is_worse).map(|old| Leaf {
        kind: LeafKind::Current,
        ..old
    });
    book.set_leaf(position, kept.unwrap_or(found));
}

/// The positions whose leaf is to be searched to a depth (0: by nodes), most played first, each with
/// the moves that do not lead to a score of the book.
fn open_leaves(book: &Builder, depth: u8) -> Vec<(AnyPosition, Vec<Move>)> {
    let mut found = Vec::new();
    for (&key, record) in &book.records {
        let position = book.position(key);
        let moves = book.moves(position).1;
        let is_open = |found: &&BookMove| found.scored.is_none() || found.is_leaf;
        let open: Vec<Move> = moves.iter().filter(is_open).map(|found| found.m).collect();
        let is_done = record.leaf.is_some_and(|leaf| match leaf.kind {
            LeafKind::Fixed => true,
            kind => {
                let is_deep = kind == LeafKind::Current || depth > 0 && leaf.level >= depth;
                is_deep && moves.iter().any(|found| found.is_leaf)
            }
        });
        if !is_done && !open.is_empty() {
            found.push((Reverse(record.games), (position, open)));
        }
    }
    found.sort_by_key(|(games, _)| *games);
    found.into_iter().map(|(_, job)| job).collect()
}
