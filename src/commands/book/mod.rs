//! `nullwindow book`: makes opening books from games and from the books of other programs, scores their
//! positions by searches, and shows and checks them.

mod extend;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{ResultArgs, check_replaced, records, report_check};
use crate::book::builder::{Builder, PLIES};
use crate::book::import::import;
use crate::book::{Record, key, level_name, value};
use crate::game::score::Score;
use crate::game::{Game, Move, counted};
use crate::games::any::AnyGame;
use crate::games::record;
use crate::logging::progress::print_line;
use crate::platform::files;
use crate::setup::{GAME, Setup, uses};

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Add the positions and results of games to a book
    #[command(after_help = "Example: nullwindow book add othello.book games.pgn --plies 16")]
    Add(AddArgs),
    /// Search the best move out of the book of each position, most played first
    #[command(
        after_help = "Positions searched at this level before keep their moves, whatever the options of the engine.\n\n\
                      Example: nullwindow book extend othello.book --depth 16 --widen 2 --minutes 60"
    )]
    Extend(extend::Args),
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

    /// Games in any format; - for stdin
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,

    /// Add the positions of the first N plies
    #[arg(long, value_name = "N", default_value_t = PLIES)]
    plies: usize,

    #[command(flatten)]
    results: ResultArgs,
}

#[derive(clap::Args, Debug)]
#[command(args = uses(&[]))]
pub struct ShowArgs {
    /// Book
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// A position, or moves from the start (default: the start)
    #[arg(value_name = "POSITION", allow_hyphen_values = true, value_parser = position_word)]
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

/// A word of a position, which may begin with empty squares (`--xo`).
///
/// # Errors
/// An option, such as `--json`.
fn position_word(word: &str) -> Result<String, &'static str> {
    let board = word.split_whitespace().next().unwrap_or_default();
    let is_option_letter = |c: char| c.is_ascii_lowercase() && !"bowx".contains(c);
    if board.starts_with("--") && board.contains(is_option_letter) {
        return Err("expected a position or moves, not an option");
    }
    Ok(word.into())
}

pub fn run(command: &Command, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    match command {
        Command::Add(args) => add(args, setup, out),
        Command::Extend(args) => extend::run(args, setup, out),
        Command::Show(args) => show(args, out),
        Command::Check(args) => check(&args.file, out),
        Command::Import(args) => add_books(args, out),
        Command::Export(args) => export(&args.file, out),
    }
}

fn add(args: &AddArgs, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    check_replaced("FILE", &args.file, &args.games)?;
    let game = setup.board(None)?;
    let mut book = Builder::open(&args.file, Some(&game))?;
    let (mut added, mut unknown, mut errors, mut contradictions) = (0, 0, 0, 0);
    for file in &args.games {
        let before = added + errors;
        for record in records(file, &game, args.results.result_order)? {
            let record = record?;
            match record.entry {
                Ok(entry) => {
                    let mut outcome = entry.result().map(|result| result.outcome);
                    if let Some(contradiction) = &entry.contradiction {
                        outcome = entry.game.outcome(); // the stated result contradicts the moves
                        contradictions += 1;
                        print_line(format!("error: {}: {contradiction}", record.place));
                    }
                    book.add(&entry.game, outcome, args.plies);
                    added += 1;
                    unknown += usize::from(outcome.is_none());
                }
                Err(error) => {
                    errors += 1;
                    print_line(format!("error: {error}"));
                }
            }
        }
        ensure!(
            added + errors > before,
            "{}: no game found",
            files::display_name(file)
        );
    }
    ensure!(added > 0, "no game found");
    book.save()?;
    let games = counted(added, "game", "games");
    let without = match unknown {
        0 => String::new(),
        _ => format!(", {unknown} without a result counted as drawn"),
    };
    writeln!(out, "{games} added{without}; {}", size(&book))?;
    let errors = errors + contradictions;
    let failure = counted(errors, "game has errors", "games have errors");
    report_check(errors == 0, &failure)
}

fn add_books(args: &ImportArgs, out: &mut dyn Write) -> Result<bool> {
    check_replaced("FILE", &args.file, &args.books)?;
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
    let valued = valued.filter(|record| record.scored.is_some()).count();
    let positions = counted(book.records.len(), "position", "positions");
    format!("{positions}, {valued} with a score")
}

fn show(args: &ShowArgs, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(&args.file)?;
    let mut game = book.game.clone();
    if !args.position.is_empty() {
        game = record::parse(&game, &args.position.join(" "))
            .with_context(|| format!("position of {}", book.game.name()))?
            .game;
    }
    let (record, moves) = book.moves(game.position());
    writeln!(out, "{}", game.write_position())?;
    match record {
        Some(record) => writeln!(out, "{}", text_of(&record, record.scored))?,
        None => writeln!(out, "not in the book")?,
    }
    for found in moves {
        let (Some(scored), next) = (found.scored, found.next) else {
            continue;
        };
        let leaf = if found.is_leaf { " (leaf)" } else { "" };
        let text = text_of(&next.unwrap_or_default(), Some(scored));
        writeln!(out, "{:<4} {text}{leaf}", game.write_move(found.m))?;
    }
    let key = key(game.position());
    for ((_, source), data) in book.imported.iter().filter(|((of, _), _)| *of == key) {
        let ([value, low, high], [wins, draws, losses, lines]) = (data.values, data.counts);
        writeln!(
            out,
            "{}: value {value} ({low} to {high}), level {}, {wins} wins, {draws} draws, {losses} losses, \
             {lines} lines",
            source.name(),
            data.level
        )?;
    }
    Ok(true)
}

/// Score and level.
fn value_text(value: Option<(Score, u8)>) -> String {
    value.map_or("no score".into(), |(score, level)| {
        let level = level_name(level);
        format!("{:+.2} level {level}", f64::from(score.0) / 100.0)
    })
}

/// Score, level, games and points.
fn text_of(record: &Record, value: Option<(Score, u8)>) -> String {
    let score = value_text(value);
    let points = f64::from(record.half_points) / 2.0;
    let points = counted(points, "point", "points");
    let games = counted(record.games, "game", "games");
    format!("{score}, {games}, {points}")
}

fn check(file: &Path, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(file)?;
    let mut wrong = 0;
    for (&key, record) in &book.records {
        let position = book.position(key);
        let expected = value(record, &book.moves(position).1);
        let leaf = record.leaf.map_or(Move::NONE, |leaf| leaf.m);
        if record.scored != expected || leaf != Move::NONE && !position.moves().contains(&leaf) {
            wrong += 1;
            let place = position.write_position();
            let [found, expected] = [record.scored, expected].map(value_text);
            print_line(format!("error: {place}: {found}, expected {expected}"));
        }
    }
    writeln!(
        out,
        "{}: {}, {}",
        file.display(),
        book.game.name(),
        size(&book)
    )?;
    let positions = counted(wrong, "position", "positions");
    report_check(wrong == 0, &format!("{positions} with wrong values"))
}

fn export(file: &Path, out: &mut dyn Write) -> Result<bool> {
    let book = Builder::read(file)?;
    writeln!(
        out,
        "position\tscore\tlevel\tgames\tpoints\tleaf\tleaf score\tleaf level\tleaf kind"
    )?;
    let score = |score: Score| format!("{:+.2}", f64::from(score.0) / 100.0);
    for (&key, record) in &book.records {
        let position = book.position(key);
        let (value, level) = record
            .scored
            .map_or(Default::default(), |(value, level)| (score(value), level));
        let leaf = record.leaf.map(|leaf| {
            let m = match leaf.m {
                Move::NONE => String::new(),
                m => position.write_move(m),
            };
            let (level, kind) = (level_name(leaf.level), leaf.kind.name());
            format!("{m}\t{}\t{level}\t{kind}", score(leaf.score))
        });
        writeln!(
            out,
            "{}\t{value}\t{}\t{}\t{}\t{}",
            position.write_position(),
            level_name(level),
            record.games,
            f64::from(record.half_points) / 2.0,
            leaf.unwrap_or_else(|| "\t\t\t".into())
        )?;
    }
    Ok(true)
}
