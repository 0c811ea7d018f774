//! `nullwindow book`: makes opening books from games and from the books of other programs, scores their
//! positions by searches, and shows and checks them.
//!
//! `extend` appends each finished leaf to a journal beside the book, so that a kill loses only the
//! searches in progress; the next run takes the leaves from there.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::jobs::{JobRunner, SearchControls};
use super::{ResultArgs, depth, report_check};
use crate::book::builder::{Builder, PLIES};
use crate::book::import::import;
use crate::book::{
    BookMove, EXACT, Key, Leaf, LeafKind, Record, VARIETY_MAX, key, level_name, value,
};
use crate::engine::options::HASH;
use crate::game::score::Score;
use crate::game::{Game, Move, counted};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch;
use crate::games::record::{RecordReader, set_position};
use crate::logging::progress::{ProgressLine, print_line};
use crate::platform::{files, interrupt};
use crate::search::table::Table;
use crate::search::{Certainty, Goal, Limits, Observer, Stops};
use crate::setup::{EVAL, GAME, Setup, check_output, positive, uses};
use crate::storage::json_lines::JsonLines;

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Add the positions and results of games to a book
    #[command(after_help = "Example: nullwindow book add othello.book games.pgn --plies 16")]
    Add(AddArgs),
    /// Search the best move out of the book of each position, most played first
    #[command(
        after_help = "Example: nullwindow book extend othello.book --depth 16 --widen 2 --minutes 60"
    )]
    Extend(ExtendArgs),
    /// Print the moves of a position
    #[command(after_help = "Example: nullwindow book show othello.book f5d6")]
    Show(ShowArgs),
    /// Verify the file and the values of all positions
    #[command(after_help = "Example: nullwindow book check othello.book")]
    Check(FileArgs),
    /// Add the positions of books of Edax (.dat) and Egaroucid (.egbk3) to a book
    #[command(after_help = "Example: nullwindow book import othello.book data/book.dat")]
    Import(ImportArgs),
    /// Print all positions as a table separated by tabs
    #[command(after_help = "Example: nullwindow book export othello.book >book.tsv")]
    Export(FileArgs),
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME]))]
pub struct AddArgs {
    /// Book to create or change
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Games in any format; - reads standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,

    /// Add the positions of the first N plies
    #[arg(long, value_name = "N", default_value_t = PLIES)]
    plies: usize,

    #[command(flatten)]
    results: ResultArgs,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[&["Algorithm", HASH, "Selectivity"], EVAL]))]
#[command(group = clap::ArgGroup::new("limit").multiple(true))]
pub struct ExtendArgs {
    /// Book to change
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Search to this depth
    #[arg(long, value_name = "N", value_parser = depth(), required_unless_present = "nodes")]
    depth: Option<u8>,

    /// Search this number of nodes
    #[arg(long, value_name = "N", value_parser = positive::<u64>, conflicts_with = "depth")]
    nodes: Option<u64>,

    /// Begin no search after M minutes
    #[arg(long, value_name = "M", value_parser = positive::<u64>, group = "limit")]
    minutes: Option<u64>,

    /// Also add the positions that a Book Variety of D discs can reach, breadth first
    #[arg(long, value_name = "D", requires = "limit")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=VARIETY_MAX.into()))]
    widen: Option<u32>,

    /// Search at most N positions
    #[arg(long, value_name = "N", value_parser = positive::<usize>, group = "limit")]
    positions: Option<usize>,

    /// Number of searches at a time (default: one per core)
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    threads: Option<usize>,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct ShowArgs {
    /// Book
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// A position, or moves from the start (default: the start)
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: Vec<String>,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct FileArgs {
    /// Book
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct ImportArgs {
    /// Book to create or change
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Books of other programs
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
}

pub fn run(command: &Command, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    match command {
        Command::Add(args) => add(args, setup, out),
        Command::Extend(args) => extend(args, setup, out),
        Command::Show(args) => show(args, out),
        Command::Check(args) => check(&args.file, out),
        Command::Import(args) => add_books(args, out),
        Command::Export(args) => export(&args.file, out),
    }
}

fn add(args: &AddArgs, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    check_output("FILE", &args.file, &args.games)?;
    let game = setup.board(None)?;
    let mut book = Builder::open(&args.file, Some(&game))?;
    let (mut added, mut unknown, mut errors) = (0, 0, 0);
    for file in &args.games {
        let name = || files::display_name(file);
        let reader = RecordReader::open(file, &game).with_context(name)?;
        for record in reader.with_result_order(args.results.result_order) {
            match record.with_context(name)?.entry {
                Ok(entry) => {
                    let outcome = entry.result().map(|result| result.outcome);
                    book.add(&entry.game, outcome, args.plies);
                    added += 1;
                    unknown += usize::from(outcome.is_none());
                }
                Err(error) => {
                    errors += 1;
                    print_line(format!("error: {error}"))?;
                }
            }
        }
    }
    ensure!(added > 0, "no game found");
    book.save()?;
    let games = counted(added, "game", "games");
    let without = match unknown {
        0 => String::new(),
        _ => format!(", {unknown} without a result counted as drawn"),
    };
    writeln!(out, "{games} added{without}; {}", size(&book))?;
    report_check(errors == 0, &format!("{errors} games have errors"))
}

fn add_books(args: &ImportArgs, out: &mut dyn Write) -> Result<bool> {
    check_output("FILE", &args.file, &args.books)?;
    let mut book = Builder::open(&args.file, Some(&AnyGame::default()))?;
    let mut added = 0;
    for file in &args.books {
        let bytes = files::read_regular(file, files::TEXT_LIMIT);
        added += bytes
            .map_err(Into::into)
            .and_then(|bytes| import(&mut book, &bytes))
            .with_context(|| file.display().to_string())?;
    }
    book.save()?;
    writeln!(out, "{added} imported; {}", size(&book))?;
    Ok(true)
}

/// The number of positions.
fn size(book: &Builder) -> String {
    let valued = book.records.values();
    let valued = valued.filter(|record| record.value.is_some()).count();
    let positions = counted(book.records.len(), "position", "positions");
    format!("{positions}, {valued} with a score")
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

fn extend(args: &ExtendArgs, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let mut book = Builder::open(&args.file, None)?;
    let (depth, nodes) = (args.depth.unwrap_or(0), args.nodes.unwrap_or(0));
    let header = JournalHeader {
        depth: depth.into(),
        nodes,
        widen: args.widen,
        options: setup.determining_options(&[HASH]),
    };
    let mut journal_file = args.file.clone().into_os_string();
    journal_file.push(".extend.jsonl");
    let journal_file = Path::new(&journal_file);
    // The leaves of a killed run, in the order of the rounds.
    let mut recorded: HashMap<Key, VecDeque<Leaf>> = HashMap::new();
    let game = book.game.clone();
    let mut journal = JsonLines::<JournalLine>::open_with(journal_file, &header, |line| {
        let mut game = game.clone();
        set_position(&mut game, &line.position).map_err(|error| error.to_string())?;
        let m = game.legal_move(&line.m).ok_or("illegal move")?;
        let leaves = recorded.entry(key(game.position())).or_default();
        leaves.push_back(leaf(m, Score(line.score), line.level));
        Ok(())
    })?;
    if (book.depth, book.nodes) != (header.depth, nodes) {
        (book.depth, book.nodes) = (header.depth, nodes);
        let leaves = book.records.values_mut();
        for leaf in leaves.filter_map(|record| record.leaf.as_mut()) {
            if leaf.kind == LeafKind::Current {
                leaf.kind = LeafKind::Other;
            }
        }
    }
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or_else(cores);
    let interrupt = interrupt::channel().context("cannot install a signal handler")?;
    let minutes = |minutes: u64| Duration::from_secs(minutes.saturating_mul(60));
    let end = args
        .minutes
        .and_then(|time| Instant::now().checked_add(minutes(time)));
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    let mut settings = options.settings.clone();
    settings.threads = 1;
    let controls = Mutex::new(SearchControls::new(threads));
    let controls = || controls.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut searched, mut interrupted) = (0, false);
    // A leaf can lead to a position that got its value later: the next round searches it again. A
    // resumed run repeats the rounds of the killed one, so that it searches the same moves.
    while !interrupted && !is_over() {
        book.update();
        if let Some(discs) = args.widen {
            book.widen(discs);
        }
        let mut jobs = open_leaves(&book, depth);
        let all = jobs.len();
        jobs.retain(|(position, _)| {
            let leaves = recorded.get_mut(&key(*position));
            let found = leaves.and_then(VecDeque::pop_front);
            if let Some(leaf) = found {
                take_leaf(&mut book, *position, leaf);
            }
            found.is_none()
        });
        let is_repeated = jobs.len() < all;
        jobs.truncate(args.positions.map_or(usize::MAX, |most| most - searched));
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
            move |(position, moves): (AnyPosition, Vec<Move>)| {
                let control = controls().next(thread)?;
                table.clear();
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
                let answer = dispatch::think(position, settings, &table, &limits, &mut observer);
                let best = answer.best.first().filter(|_| !control.stopped())?;
                let level = match answer.certainty {
                    Certainty::Exact => EXACT,
                    _ => answer.depth,
                };
                Some((position, leaf(best.m, best.score, level)))
            }
        };
        interrupted = runner.run(
            jobs.into_iter().take_while(|_| !is_over()),
            worker,
            || controls().stop(),
            |found| {
                let Some((position, leaf)) = found.flatten() else {
                    return Ok(());
                };
                journal.append(&JournalLine {
                    position: position.write_position(),
                    m: position.write_move(leaf.m),
                    score: leaf.score.0,
                    level: leaf.level,
                })?;
                take_leaf(&mut book, position, leaf);
                searched += 1;
                bar.inc();
                Ok(())
            },
        )?;
    }
    book.save()?;
    drop(journal);
    fs::remove_file(journal_file)
        .with_context(|| format!("cannot remove {}", journal_file.display()))?;
    let searches = counted(searched, "position", "positions");
    let open = open_leaves(&book, depth).len();
    writeln!(
        out,
        "{searches} searched, {open} to search; {}",
        size(&book)
    )?;
    if interrupted {
        writeln!(out, "interrupted: run the same command to resume")?;
    }
    Ok(!interrupted)
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
    match old.filter(is_worse) {
        Some(old) => book.set_leaf(
            position,
            Leaf {
                m: old.m,
                kind: LeafKind::Current,
                ..old
            },
        ),
        None => book.set_leaf(position, found),
    }
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
            found.push((Reverse(record.games), key, (position, open)));
        }
    }
    found.sort_unstable_by_key(|(games, key, _)| (*games, *key));
    found.into_iter().map(|(.., job)| job).collect()
}

fn show(args: &ShowArgs, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(&args.file)?;
    let mut game = book.game.clone();
    if !args.position.is_empty() {
        set_position(&mut game, &args.position.join(" "))
            .with_context(|| format!("position of {}", book.game.name()))?;
    }
    let (record, moves) = book.moves(game.position());
    writeln!(out, "{}", game.write_position())?;
    match record {
        Some(record) => writeln!(out, "{}", text_of(&record, record.value, record.level))?,
        None => writeln!(out, "not in the book")?,
    }
    for found in moves {
        let (Some((score, level)), next) = (found.scored, found.next) else {
            continue;
        };
        let leaf = if found.is_leaf { " (leaf)" } else { "" };
        let text = text_of(&next.unwrap_or_default(), Some(score), level);
        writeln!(out, "{:<4} {text}{leaf}", game.write_move(found.m))?;
    }
    let key = key(game.position());
    for ((_, source), data) in book.imported.iter().filter(|((of, _), _)| *of == key) {
        let ([value, low, high], [wins, draws, losses, lines]) = (data.values, data.counts);
        writeln!(
            out,
            "{source:?}: value {value} ({low} to {high}), level {}, {wins} wins, {draws} draws, {losses} losses, \
             {lines} lines",
            data.level
        )?;
    }
    Ok(true)
}

/// Score, level, games and points.
fn text_of(record: &Record, value: Option<Score>, level: u8) -> String {
    let score = value.map_or_else(
        || "no score".into(),
        |score| {
            let level = level_name(level);
            format!("{:+.2} level {level}", f64::from(score.0) / 100.0)
        },
    );
    let points = f64::from(record.half_points) / 2.0;
    let games = counted(record.games, "game", "games");
    format!("{score}, {games}, {points} points")
}

fn check(file: &Path, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(file)?;
    let mut wrong = 0;
    for (key, record) in book.records.iter() {
        let position = book.position(*key);
        let expected = value(record, &book.moves(position).1);
        let found = record.value.map(|value| (value, record.level));
        let leaf = record.leaf.map_or(Move::NONE, |leaf| leaf.m);
        if found != expected || leaf != Move::NONE && !position.moves().contains(&leaf) {
            wrong += 1;
            let place = position.write_position();
            print_line(format!(
                "error: {place}: value {found:?}, expected {expected:?}"
            ))?;
        }
    }
    writeln!(
        out,
        "{}: {}, {}",
        file.display(),
        book.game.name(),
        size(&book)
    )?;
    report_check(wrong == 0, &format!("{wrong} positions have wrong values"))
}

fn export(file: &Path, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(file)?;
    writeln!(
        out,
        "position\tscore\tlevel\tgames\tpoints\tleaf\tleaf score\tleaf level\tleaf kind"
    )?;
    let score = |score: Score| format!("{:+.2}", f64::from(score.0) / 100.0);
    let all: Vec<Key> = book.keys();
    for key in all {
        let (position, record) = (book.position(key), book.records[&key]);
        let value = record.value.map(score).unwrap_or_default();
        let leaf = record.leaf.map(|leaf| {
            let m = match leaf.m {
                Move::NONE => String::new(),
                m => position.write_move(m),
            };
            let (level, kind) = (level_name(leaf.level), leaf.kind);
            format!("{m}\t{}\t{level}\t{kind:?}", score(leaf.score))
        });
        writeln!(
            out,
            "{}\t{value}\t{}\t{}\t{}\t{}",
            position.write_position(),
            level_name(record.level),
            record.games,
            f64::from(record.half_points) / 2.0,
            leaf.unwrap_or_else(|| "\t\t\t".into())
        )?;
    }
    Ok(true)
}
