//! `nullwindow reproduce`: the figures of the documents that this project stands on, computed again.
//!
//! | document | what it is | here |
//! |---|---|---|
//! | 000 | NegaScout on the diamond board, M. Hiroi | [`nega_scout`], [`article`], [`few_leaves`], [`solve66`] |
//! | 001 | NegaScout / principal variation search | [`pvs`] |
//! | 002 | MTD(f) on tic-tac-toe | [`mtdf`] |
//! | 004 | minimax and alpha-beta, a drawn tree | [`minimax`] |
//!
//! What a document prints stands beside what is computed here; whatever has to be equal and is not makes the exit status 1.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, anyhow};

pub mod article;
pub mod few_leaves;
pub mod minimax;
pub mod mtdf;
pub mod nega_scout;
pub mod pvs;
pub mod report;
pub mod solve66;

use report::Report;

/// Arguments of `reproduce`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What to compute: 000, 001, 002, 004 (default: all of these) or solve66 (a minute)
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Rows as JSON: name, published, ours, ok (null where both need not agree)
    #[arg(long)]
    json: bool,
}

/// Writes the rows of one part.
type Part = fn(&mut Report<'_>) -> io::Result<()>;

/// The parts by name, and whether they run when none is named.
const PARTS: [(&str, Part, bool); 5] = [
    ("000", nega_scout::report, true),
    ("001", pvs::report, true),
    ("002", mtdf::report, true),
    ("004", minimax::report, true),
    ("solve66", solve66::report, false),
];

/// Computes what the arguments name.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let wanted = args.name.as_deref();
    let parts: Vec<_> =
        PARTS.iter().filter(|(name, _, always)| wanted.map_or(*always, |wanted| *name == wanted)).collect();
    if parts.is_empty() {
        let names: Vec<&str> = PARTS.iter().map(|(name, ..)| *name).collect();
        return Err(anyhow!("nothing of that name, expected one of {}", names.join(", ")));
    }
    let mut report = Report::new(out, args.json);
    for (_, part, _) in parts {
        part(&mut report)?;
    }
    report.finish()?;
    Ok(if report.all_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
