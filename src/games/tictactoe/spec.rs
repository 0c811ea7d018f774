//! How tic-tac-toe is listed, evaluated and searched.

use super::{LINES, TicTacToe};
use crate::game::{Game, Move, Notation};
use crate::games::reversi::kernel::Kernels;
use crate::games::spec::{GameEntry, GameSpec};
use crate::search::core::policy::Zero;
use crate::search::generic_policy::GenericPolicy;

impl GameSpec for TicTacToe {
    const ENTRY: GameEntry = GameEntry {
        uci: Some("tictactoe"),
        openings: Some(include_str!("../opening_lists/tictactoe.txt")),
        bench: &[(0, 9)],
        ..GameEntry::new(Self::NAME, "tic-tac-toe")
    };

    type Evaluator = Zero;
    type Policy<I: Kernels> = GenericPolicy<Self, Zero, I>;

    fn policy<I: Kernels>(evaluator: Zero, isa: I, _selectivity: Option<u8>) -> Self::Policy<I> {
        GenericPolicy::new(evaluator, isa)
    }

    const BOARD: [u8; 3] = [1, 3, 3];

    fn square_of(cell: u8) -> u8 {
        3 * (2 - cell / 3) + cell % 3
    }

    fn winning_line(&self) -> Option<u64> {
        let is_full = |line: &u16| self.other & line == *line;
        LINES.into_iter().find(is_full).map(u64::from)
    }

    fn write_uci_move(&self, m: Move) -> String {
        format!("P@{}", Self::write_move(m))
    }

    fn write_uci_position(&self, _passes: usize) -> String {
        self.write_fen()
    }
}
