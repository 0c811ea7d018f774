//! Solves 6x6 Othello from the start by two null windows (the next step suggested by document 000).
//! It takes a minute and runs only on request.

use std::io;

use crate::engine::options::Options;
use crate::game::score::{Score, Window};
use crate::game::{Game, Notation};
use crate::games::reversi::Othello6;
use crate::search::table::Table;
use crate::search::{Goal, Limits};

use super::report::FigureReport;

/// The score of the start for Black, in discs, empties to the winner.
const VALUE: i32 = -4;
/// Scores of this game are even.
const STEP: i32 = 2;
/// The table size, for two proofs of 10^9 nodes each.
const TABLE_MIB: usize = 512;

/// The result of the two null windows, and the best line.
struct Proof {
    /// The bound found by the window just below the value, and its nodes.
    below: (i32, u64),
    /// The bound found by the window that begins at the value, and its nodes.
    at: (i32, u64),
    /// The best line, and the position at its end.
    line: Vec<String>,
    last: Othello6,
}

/// Proves that the position's score is `value`, and follows best play to the end.
fn prove(position: Othello6, value: i32, mebibytes: usize) -> Option<Proof> {
    let (options, table, score) = (Options::default(), Table::new(mebibytes), |discs: i32| {
        Score(100 * discs)
    });
    let search = |goal| options.search(position.into(), &table, &Limits::to_find(goal));
    let null_window = |beta: i32| {
        let answer = search(Goal::Bound(Window::null(score(beta), 100 * STEP)));
        Some((answer.score()?.0 / 100, answer.counters.nodes))
    };
    let (below, at) = (null_window(value)?, null_window(value + STEP)?);
    let pv = search(Goal::Exact).best.into_iter().next()?.pv;
    let line = pv.iter().map(|&m| Othello6::write_move(m)).collect();
    Some(Proof {
        below,
        at,
        line,
        last: pv.iter().fold(position, |position, &m| position.play(m)),
    })
}

/// All rows.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "solve66",
        "Othello 6x6 from its start, by null windows around its value",
    )?;
    let proof = prove(Othello6::start(), VALUE, TABLE_MIB);
    let Some(Proof {
        below: (below, nodes_below),
        at: (at, nodes_at),
        line,
        last,
    }) = proof
    else {
        unreachable!("the start has legal moves")
    };
    report.must_hold(
        "null window (-6, -4) fails high",
        ">= -4",
        below,
        below >= VALUE,
    )?;
    report.must_hold("null window (-4, -2) fails low", "<= -4", at, at <= VALUE)?;
    let (own, other) = (last.player.count_ones(), last.opponent.count_ones());
    let (black, white) = last.to_move().ordered(own, other);
    report.must(
        "discs after best play, Black's first",
        "16-20",
        format!("{black}-{white}"),
    )?;
    report.beside(
        "nodes of both proofs",
        Some("4.9 G"),
        format!("{:.2} G", (nodes_below + nodes_at) as f64 / 1e9),
    )?;
    report.remark(&format!("best play: {}", line.join(" ")))?;
    report.remark("The published count is of a simple solver with a table of 2^26 entries and seven null windows.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::core::policy::Zero;
    use crate::search::stop::SearchControl;
    use crate::search::textbook::{TextbookContext, fail_soft};

    #[test]
    fn a_late_position_is_proven_and_a_wrong_value_is_not() {
        let mut position = Othello6::start();
        while position.plies_left() > 9 {
            position = position.play(position.moves()[0]);
        }
        let control = SearchControl::default();
        let mut cx = TextbookContext::new(&Zero, None, &control);
        let value = fail_soft(&mut cx, &position, 9, 0, Window::FULL).unwrap().0 / 100;
        let proof = prove(position, value, 1).unwrap();
        assert!(proof.below.0 >= value && proof.at.0 <= value);
        let score = proof.last.final_score().unwrap().0 / 100;
        assert_eq!(
            if proof.last.to_move() == position.to_move() {
                score
            } else {
                -score
            },
            value
        );
        let wrong = prove(position, value + STEP, 1).unwrap();
        assert!(wrong.below.0 < value + STEP);
    }
}
