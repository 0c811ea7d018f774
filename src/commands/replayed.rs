//! The search of a move that the match runner has repeated, drawn as a tree.

use std::io::Write;

use anyhow::{Context, Result};

use super::explain::draw_engine_search;
use crate::games::any::by_name;
use crate::tournament::replay::ReplayedSearch;

/// Nodes of the largest tree that is drawn: each is a line.
const LIMIT: u64 = 20_000;

/// Draws the production search of the position, from an empty table, to the depth that the search reached, or to the
/// largest one whose tree is small enough.
///
/// # Errors
/// If the position cannot be read, or `out` cannot be written to.
pub fn draw_replayed(search: &ReplayedSearch, out: &mut dyn Write) -> Result<()> {
    let mut board = by_name(&search.game).with_context(|| format!("no game {}", search.game))?;
    board.set_position(&search.position)?;
    for depth in (1..=search.depth.max(1)).rev() {
        let mut text = Vec::new();
        if draw_engine_search(&board, depth, LIMIT, &mut text).is_ok() {
            if depth < search.depth {
                writeln!(
                    out,
                    "a search to depth {} has more than {LIMIT} nodes: drawn to depth {depth}",
                    search.depth
                )?;
            }
            out.write_all(&text)?;
            return Ok(());
        }
    }
    writeln!(out, "a search of one ply has more than {LIMIT} nodes").map_err(Into::into)
}
