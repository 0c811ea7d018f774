//! Draws the search tree of a move that `nullwindow tournament --replay` repeats.

use std::io::Write;

use anyhow::{Context, Result};

use super::explain::draw_engine_search;
use crate::arena::play::replay::ReplayedSearch;
use crate::games::any::by_name;

/// The maximum number of nodes of a drawn tree; each node is a line.
const LIMIT: u64 = 20_000;

/// Draws the production search of the position from an empty table: to the depth of the replayed search, or to the
/// largest depth whose tree has at most [`LIMIT`] nodes.
///
/// # Errors
/// If the position is invalid or `out` cannot be written.
pub fn draw_replayed(search: &ReplayedSearch, out: &mut dyn Write) -> Result<()> {
    let mut board = by_name(&search.game).with_context(|| format!("unknown game {}", search.game))?;
    board.set_position(&search.position)?;
    for depth in (1..=search.depth.max(1)).rev() {
        let mut text = Vec::new();
        if draw_engine_search(&board, depth, LIMIT, &mut text).is_ok() {
            if depth < search.depth {
                writeln!(
                    out,
                    "the search to depth {} has more than {LIMIT} nodes: drawing depth {depth}",
                    search.depth
                )?;
            }
            out.write_all(&text)?;
            return Ok(());
        }
    }
    writeln!(out, "the search to depth 1 has more than {LIMIT} nodes: not drawn").map_err(Into::into)
}
