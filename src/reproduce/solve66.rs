//! Document 000's next board: Othello on 6x6, solved from its start by two null windows. It takes a minute, so it runs only
//! when it is named.

use std::io;

use crate::game::{Game, Notation, Player};
use crate::games::reversi::Othello6;
use crate::othello::endgame::{Endgame, Goal};
use crate::othello::kernel::{BoardKind, InstructionSet};
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::table::Table;

use super::report::Report;

/// The score of the start for Black, in discs, the empty squares to the winner.
const VALUE: i32 = -4;
/// Scores of this game are even.
const STEP: i32 = 2;
/// Room for what two proofs of a thousand million nodes store.
const TABLE_MIB: usize = 512;

/// What two null windows and the line behind them found.
struct Proof {
    /// The bound found by the window just below the value, and its nodes.
    below: (i32, u64),
    /// The bound found by the window that begins at the value, and its nodes.
    at: (i32, u64),
    /// The best line, and the position at its end.
    line: Vec<String>,
    last: Othello6,
}

/// Proves that the position's score is `value` and follows best play to the end.
fn prove(position: Othello6, value: i32, mebibytes: usize) -> Result<Proof, Stopped> {
    let (watch, budget) = (Watch::default(), Budget::default());
    let table = Table::new(mebibytes);
    let mut endgame = Endgame::new(InstructionSet::best(), BoardKind::Six, &table);
    let (player, opponent) = (position.player, position.opponent);
    let below = endgame.null_window(player, opponent, value - STEP, &watch, budget, 0)?;
    let at = endgame.null_window(player, opponent, value, &watch, budget, 0)?;
    let solution = endgame.solve(player, opponent, Goal::Exact, &watch, budget, 0)?;
    let line = solution.line.iter().map(|&m| Othello6::write_move(m)).collect();
    let last = solution.line.iter().fold(position, |position, &m| position.play(m));
    Ok(Proof { below, at, line, last })
}

/// All rows.
pub fn report(report: &mut Report<'_>) -> io::Result<()> {
    report.open("solve66", "Othello 6x6 from its start, by null windows around its value")?;
    let Ok(proof) = prove(Othello6::start(), VALUE, TABLE_MIB) else { return report.say("stopped") };
    let ((below, nodes_below), (at, nodes_at)) = (proof.below, proof.at);
    report.must_hold("null window (-6, -4) fails high", ">= -4", below, below >= VALUE)?;
    report.must_hold("null window (-4, -2) fails low", "<= -4", at, at <= VALUE)?;
    let last = &proof.last;
    let (own, other) = (last.player.count_ones(), last.opponent.count_ones());
    let (black, white) = if last.to_move() == Player::First { (own, other) } else { (other, own) };
    report.must("discs after best play, Black's first", "16-20", format!("{black}-{white}"))?;
    report.beside("nodes of both proofs", Some("4.9 G"), format!("{:.2} G", (nodes_below + nodes_at) as f64 / 1e9))?;
    report.say(&format!("best play: {}", proof.line.join(" ")))?;
    report.say("The published count is a plain solver's, with a table of 2^26 entries, for seven null windows.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Window;
    use crate::search::context::Context;
    use crate::search::fail_soft::fail_soft;
    use crate::search::policy::Zero;

    #[test]
    fn a_late_position_is_proven_and_a_wrong_value_is_not() {
        let mut position = Othello6::start();
        while position.plies_left() > 9 {
            position = position.play(position.moves()[0]);
        }
        let watch = Watch::default();
        let mut cx = Context::new(&Zero, None, &watch);
        let value = fail_soft(&mut cx, &position, 9, 0, Window::FULL).unwrap().0 / 100;
        let proof = prove(position, value, 1).unwrap();
        assert!(proof.below.0 >= value && proof.at.0 <= value);
        let score = proof.last.final_score().unwrap().0 / 100;
        assert_eq!(if proof.last.to_move() == position.to_move() { score } else { -score }, value);
        let wrong = prove(position, value + STEP, 1).unwrap();
        assert!(wrong.below.0 < value + STEP);
    }
}
