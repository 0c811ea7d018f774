//! `nullwindow perft`: counts the leaf nodes of the game tree, or verifies known counts.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::games::any;
use crate::games::perft::{divide_any, known, perft_any};
use crate::platform::files;
use crate::setup::{GAME, Setup, uses};

#[derive(clap::Args, Debug)]
#[command(
    args = uses(&[GAME]),
    override_usage = "nullwindow perft [OPTIONS] <DEPTH|--check <FILE>...>"
)]
pub struct Args {
    /// Depth in plies; a pass counts as a ply
    #[arg(required_unless_present = "check", value_parser = clap::value_parser!(u32).range(0..=128))]
    depth: Option<u32>,

    /// Count from this position: a position or moves from the start (default: the start)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,

    /// Print the count of each root move
    #[arg(long)]
    divide: bool,

    /// Verify the counts in files named after their games, as in tests/data/perft
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["depth", "position", "divide", "game"])]
    check: Vec<PathBuf>,

    /// Skip counts above this number (with --check)
    #[arg(long, value_name = "N", requires = "check", conflicts_with_all = ["depth", "position", "divide"])]
    limit: Option<u64>,
}

pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let Some(depth) = args.depth else {
        return check(&args.check, args.limit, out);
    };
    let game = setup.board(args.position.as_deref())?;
    if args.divide {
        for (m, count) in divide_any(&game, depth) {
            writeln!(out, "{} {}", game.write_move(m), count.leaves)?;
        }
    }
    writeln!(out, "perft {depth} total {}", perft_any(&game, depth))?;
    Ok(true)
}

/// Verifies the counts in files, skipping those above `limit`; prints the wrong ones and the
/// totals.
fn check(files: &[PathBuf], limit: Option<u64>, out: &mut dyn Write) -> Result<bool> {
    let (mut right, mut wrong, mut skipped) = (0, 0, 0);
    for file in files {
        let counts = || {
            let name = file
                .file_stem()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let game = any::by_name(name).context("the file name is not the name of a game")?;
            Ok::<_, anyhow::Error>(known::parse(&game, &files::read_text(file)?)?)
        };
        for count in counts().with_context(|| file.display().to_string())? {
            if limit.is_some_and(|limit| count.leaves > limit) {
                skipped += 1;
            } else if count.holds() {
                right += 1;
            } else {
                wrong += 1;
                writeln!(out, "wrong: {count}")?;
            }
        }
    }
    ensure!(right + wrong + skipped > 0, "no counts in these files");
    writeln!(
        out,
        "perft: {right} correct, {wrong} wrong, {skipped} skipped (above the limit)"
    )?;
    Ok(wrong == 0)
}
