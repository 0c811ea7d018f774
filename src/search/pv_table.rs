//! The triangular PV table of the textbook searches.

use crate::game::Move;

/// The principal variation from each ply on (triangular PV table): row `ply` holds the line from that ply; a new best
/// move there is followed by a copy of row `ply + 1`.
#[derive(Clone, Debug)]
pub struct PvTable {
    rows: Vec<Vec<Move>>,
}

/// Plies of the longest game, passes included, plus one.
const ROWS: usize = 130;

impl Default for PvTable {
    fn default() -> Self {
        PvTable { rows: vec![Vec::new(); ROWS] }
    }
}

impl PvTable {
    /// Clears the line from `ply` on.
    pub fn clear(&mut self, ply: u8) {
        self.rows[usize::from(ply)].clear();
    }

    /// Sets the line at `ply`: `m`, followed by the line from the next ply.
    pub fn improve(&mut self, ply: u8, m: Move) {
        let (head, tail) = self.rows.split_at_mut(usize::from(ply) + 1);
        let row = &mut head[usize::from(ply)];
        row.clear();
        row.push(m);
        row.extend_from_slice(&tail[0]);
    }

    /// The line from the root.
    pub fn root(&self) -> &[Move] {
        &self.rows[0]
    }
}
