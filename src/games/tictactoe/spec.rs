//! How tic-tac-toe is listed, evaluated and searched.

use super::TicTacToe;
use crate::game::{Move, Notation};
use crate::games::reversi::kernel::Kernels;
use crate::games::spec::GameSpec;
use crate::search::generic_policy::GenericPolicy;
use crate::search::policy::Zero;

impl GameSpec for TicTacToe {
    const ABOUT: &'static str = "tic-tac-toe";
    const UCI_VARIANT: Option<&'static str> = Some("tictactoe");
    const OPENINGS: Option<&'static str> = Some(include_str!("../opening_lists/tictactoe.txt"));
    const BENCH: &'static [(usize, u8)] = &[(0, 9)];

    type Evaluator = Zero;
    type Policy<I: Kernels> = GenericPolicy<Self, Zero, I>;

    fn policy<I: Kernels>(evaluator: Zero, isa: I, _selectivity: Option<u8>) -> Self::Policy<I> {
        GenericPolicy::new(evaluator, isa)
    }

    fn write_uci_move(&self, m: Move) -> String {
        format!("P@{}", Self::write_move(m))
    }

    fn write_uci_position(&self) -> String {
        self.write_fen()
    }
}
