//! The commands of users, each with a struct of clap arguments and
//! `run(&args, &setup, out) -> anyhow::Result<bool>`, which writes to `out` and returns whether its
//! checks passed; and what they share. The match runner is in `src/arena`.

pub mod analyze;
pub mod bench;
pub mod book;
pub mod claims;
pub mod compare;
pub mod convert;
pub mod explain;
pub mod jobs;
pub mod openings;
pub mod perft;
pub mod play;
pub mod problems;
pub mod prove;
pub mod reproduce;
pub mod solve;

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use crate::games::any::AnyGame;
use crate::games::record::{Record, RecordReader, ResultOrder};
use crate::logging::progress::print_line;
use crate::platform::command_line;
use crate::platform::files::{self, FileIdentity, STANDARD_OUTPUT, standard_streams};
use crate::setup::check_output;
use crate::storage::whole_file::check_replaceable;

/// Writes a report as indented JSON.
pub fn write_json(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// Writes a report as a line of JSON.
pub fn write_json_line(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, report)?;
    writeln!(out)
}

/// Whether a field has its default, which JSON omits.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reports that a run was interrupted, and how to resume it if it has a record.
pub fn report_interrupted(has_record: bool, otherwise: &str) {
    if has_record {
        report_resumable(None);
    } else {
        print_line(format!("interrupted{otherwise}"));
    }
}

/// Reports that a run was interrupted that its own command resumes, with this flag.
pub fn report_resumable(flag: Option<&str>) {
    let mut words = command_line::own_words();
    words.extend(flag.map(String::from));
    let command = command_line::join(&words);
    print_line(format!("interrupted; resume with: {command}"));
}

/// Prints this error if a check failed.
pub fn report_check(is_ok: bool, error: &str) -> anyhow::Result<bool> {
    if !is_ok {
        print_line(format!("error: {error}"));
    }
    Ok(is_ok)
}

/// Checks an output file as [`check_output`] does, and that
/// [`replace_file`](crate::storage::whole_file::replace_file) can write it.
///
/// # Errors
/// If a check fails; the error names the option.
pub fn check_replaced<'a>(
    option: &str,
    file: &Path,
    inputs: impl IntoIterator<Item = &'a PathBuf>,
) -> anyhow::Result<()> {
    check_output(option, file, inputs)?;
    let name = || format!("{option} {}", file.display());
    let identity = FileIdentity::of(file);
    let mut streams = standard_streams();
    // A replacement would leave the redirection with the old file.
    if file.is_file()
        && let Some((stream, _)) = streams.find(|(_, stream)| stream.is_same(&identity))
    {
        bail!("{}: this file is also {stream}", name());
    }
    check_replaceable(file).with_context(|| format!("{}: cannot write", name()))
}

/// Checks that standard output, to which a command writes while it reads, is not its input.
///
/// # Errors
/// If it is this file.
pub fn check_not_output(input: &Path) -> anyhow::Result<()> {
    let path = if files::is_standard_input(input) {
        Path::new("/dev/stdin")
    } else {
        input
    };
    let identity = FileIdentity::of(path);
    let is_output = standard_streams()
        .any(|(stream, file)| stream == STANDARD_OUTPUT && file.is_same(&identity));
    anyhow::ensure!(
        !is_output,
        "{}: this input file is also {STANDARD_OUTPUT}",
        files::display_name(input)
    );
    Ok(())
}

/// How commands understand the stated results of games.
#[derive(clap::Args, Debug)]
pub struct ResultArgs {
    /// Whose result comes first in PGN and lists of Reversi games that do not state it: that of the
    /// player who moves first, or that of White. By default such results of unfinished games are
    /// unknown; finished games are decided by their moves
    #[arg(long, value_enum, value_name = "PLAYER")]
    pub result_order: Option<ResultOrder>,
}

/// The records of a file of games or positions (`-` for standard input); the errors name the file.
///
/// # Errors
/// If the file cannot be read.
pub fn records(
    file: &Path,
    start: &AnyGame,
    order: Option<ResultOrder>,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Record>>> {
    let name = || files::display_name(file);
    let records = open_records(file, start)?.with_result_order(order);
    Ok(records.map(move |record| record.with_context(name)))
}

/// Opens a file of games or positions; the error names the file.
///
/// # Errors
/// If it cannot be opened.
pub fn open_records(
    file: &Path,
    start: &AnyGame,
) -> anyhow::Result<RecordReader<Box<dyn BufRead>>> {
    RecordReader::open(file, start).with_context(|| files::display_name(file))
}

/// Prints the numbers of games with unknown and with contradicted results, if there are any.
pub fn report_results(unknown: usize, contradictions: usize) {
    if unknown + contradictions > 0 {
        print_line(format!(
            "stated results: {unknown} unknown (of unfinished games; see --result-order), \
             {contradictions} contradicted by the moves"
        ));
    }
}

/// The name of a search: the algorithm and its optional parts, such as `mtdf +table`.
pub fn search_name(algorithm: &str, table: bool, deepening: bool) -> String {
    let table = if table { " +table" } else { "" };
    let deepening = if deepening { " +deepening" } else { "" };
    format!("{algorithm}{table}{deepening}")
}

/// The parser of a search depth.
pub fn depth() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(1..=64)
}

/// The parser of a number of threads.
pub fn threads() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=256)
}

/// The median of ascending numbers; `None` if it is beyond the first `values.len()` of `count`
/// numbers.
pub fn median(values: &[f64], count: usize) -> Option<f64> {
    let high = values.get(count / 2)?;
    Some((values[(count - 1) / 2] + high) / 2.0)
}

/// The mean of some numbers.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum) = values
        .into_iter()
        .fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / count.max(1) as f64
}
