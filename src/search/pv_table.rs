//! The triangular PV table of the textbook searches.

use crate::game::Move;

/// Triangular PV table: row `ply` holds the PV from that ply. A new best move at `ply` is followed by a copy of row
/// `ply + 1`.
#[derive(Clone, Debug)]
pub struct PvTable {
    rows: Vec<Vec<Move>>,
}

/// The longest game in plies, passes included, plus one.
const ROWS: usize = 130;

impl Default for PvTable {
    fn default() -> Self {
        PvTable { rows: vec![Vec::new(); ROWS] }
    }
}

impl PvTable {
    /// Clears the PV at `ply`.
    pub fn clear(&mut self, ply: u8) {
        self.rows[usize::from(ply)].clear();
    }

    /// Sets the PV at `ply` to `m` followed by the PV at `ply + 1`.
    pub fn update(&mut self, ply: u8, m: Move) {
        let (head, tail) = self.rows.split_at_mut(usize::from(ply) + 1);
        let row = &mut head[usize::from(ply)];
        row.clear();
        row.push(m);
        row.extend_from_slice(&tail[0]);
    }

    /// The PV from the root.
    pub fn root(&self) -> &[Move] {
        &self.rows[0]
    }
}
