//! Lines of moves: the principal variation and where it comes from.

use crate::game::Move;

/// The best line known from each ply on: textbook searches fill it while they return.
///
/// Row `ply` holds the line from that ply; a better move there copies row `ply + 1` behind itself ("triangular" table).
#[derive(Clone, Debug)]
pub struct Lines {
    rows: Vec<Vec<Move>>,
}

/// Plies of the longest game, passes included, and one row to end it.
const ROWS: usize = 130;

impl Default for Lines {
    fn default() -> Self {
        Lines { rows: vec![Vec::new(); ROWS] }
    }
}

impl Lines {
    /// No line from `ply` on yet.
    pub fn clear(&mut self, ply: u8) {
        self.rows[usize::from(ply)].clear();
    }

    /// `m` is the best move at `ply`, followed by the best line from the next ply.
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
