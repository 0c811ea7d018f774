//! Document 000: NegaScout on a diamond of 24 squares (M. Hiroi, 2010/2020), with the node counts
//! of its program.
//!
//! The article's fail-soft search is [`fail_soft`] with the article's rules and move ordering
//! ([`Article`]). Its NegaScout, which searches the first move with a null window too, is here.

use std::io;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, MoveList, Player};
use crate::games::reversi::{Diamond, Diamond2, DiamondCrossed, Four, Othello4, Reversi, Shape};
use crate::search::core::policy::Zero;
use crate::search::stop::Stopped;
use crate::search::textbook::{TextbookContext, fail_soft, minimax};

use super::few_leaves;
use super::report::FigureReport;
use super::{Found, run_to_end};

/// A board with the program's move ordering.
trait Ordered: Shape {
    /// The program's square numbers are ours plus this offset.
    const RIM: u8 = 0;
    /// The program's numbers of the squares that are empty at the start, in search order.
    const ORDER: &'static [u8];
}

impl Ordered for DiamondCrossed {
    /// The article stores the board in a vector with a border.
    const RIM: u8 = 9;
    /// The eight corners, the four short edges, the rest.
    const ORDER: &'static [u8] = &[
        11, 12, 25, 30, 33, 38, 51, 52, 18, 21, 42, 45, 19, 20, 26, 29, 34, 37, 43, 44,
    ];
}

impl Ordered for Four {
    const ORDER: &'static [u8] = &[0, 1, 2, 3, 8, 11, 16, 19, 24, 25, 26, 27];
}

/// A position under the rules of the article's program.
///
/// The program does not test whether a side can move before it passes. The first pass is a node; if
/// the other side has no move either, the second pass is another node, which ends the game. A full
/// board ends the game at once. Scores are disc differences. It is searched without a table, so its
/// symmetries do not matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Article<S: Shape> {
    board: Reversi<S>,
    /// Whether the other side has just passed.
    passed: bool,
}

impl<S: Ordered> Game for Article<S> {
    const NAME: &'static str = S::NAME;
    const GRAIN: i32 = 1;

    fn start() -> Self {
        Article::new(Reversi::start())
    }

    fn to_move(&self) -> Player {
        self.board.to_move()
    }

    fn moves(&self) -> MoveList {
        let legal = self.board.legal();
        if legal != 0 {
            S::ORDER
                .iter()
                .map(|square| square - S::RIM)
                .filter(|square| legal >> square & 1 != 0)
                .map(Move::to)
                .collect()
        } else if self.final_score().is_some() {
            MoveList::new()
        } else {
            MoveList::from_iter([Move::PASS])
        }
    }

    fn play(&self, m: Move) -> Self {
        let Reversi {
            player, opponent, ..
        } = self.board;
        let passed = m.is_pass();
        let board = if passed {
            Reversi::new(opponent, player, self.to_move().other())
        } else {
            self.board.play(m)
        };
        Article { board, passed }
    }

    fn final_score(&self) -> Option<Score> {
        let over = self.board.empty() == 0 || (self.passed && self.board.legal() == 0);
        over.then(|| {
            Score(self.board.player.count_ones() as i32 - self.board.opponent.count_ones() as i32)
        })
    }

    fn plies_left(&self) -> u8 {
        self.board.plies_left()
    }

    fn packed(&self) -> [u64; 2] {
        // Bit 63 is not a square of these boards.
        [
            self.board.player | u64::from(self.passed) << 63,
            self.board.opponent,
        ]
    }
}

/// NegaScout in two forms: document 000 searches every move with a null window first, document 001
/// (the usual form) all moves except the first (`open_first`). Both re-search with the window
/// `(v, beta)`, where `v` is the fail-soft score of the null window; a score of `v` is then exact.
fn nega_scout<G: Game>(
    cx: &mut TextbookContext<'_, Zero>,
    position: &G,
    ply: u8,
    window: Window,
    open_first: bool,
) -> Result<Score, Stopped> {
    cx.enter(ply)?;
    if let Some(score) = position.final_score() {
        return Ok(cx.leaf(score));
    }
    let Window { alpha, beta } = window;
    let mut best = -Score::INFINITE;
    for (index, m) in position.moves().into_iter().enumerate() {
        let child = position.play(m);
        let low = alpha.max(best);
        let is_open = m.is_pass() || (open_first && index == 0);
        let mut score = low;
        if !is_open {
            let null = Window::null(low + 1, 1);
            score = -nega_scout(cx, &child, ply + 1, null.flipped(), open_first)?;
        }
        if is_open || (low < score && score < beta) {
            let open = Window { alpha: score, beta };
            score = -nega_scout(cx, &child, ply + 1, open.flipped(), open_first)?;
        }
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    Ok(best)
}

impl<S: Ordered> Article<S> {
    fn new(board: Reversi<S>) -> Self {
        Article {
            board,
            passed: false,
        }
    }

    /// Searches it to the end by fail-soft alpha-beta.
    fn fail_soft(&self) -> Found {
        run_to_end(None, |cx| {
            fail_soft(cx, self, self.plies_left(), 0, Window::FULL)
        })
    }

    /// Searches it to the end by [`nega_scout`].
    fn nega_scout(&self, open_first: bool) -> Found {
        run_to_end(None, |cx| nega_scout(cx, self, 0, Window::FULL, open_first))
    }
}

/// The published figures of a start of the diamond. Counts are leaves and nodes: the article's
/// leaves, and node counts of an independent recomputation.
struct DiamondFigures {
    name: &'static str,
    /// The value in discs.
    value: i32,
    fail_soft: [u64; 2],
    /// The principal variation without passes, in the article's numbers.
    line: &'static str,
    nega_scout: [u64; 2],
    /// The leaves of NegaScout of document 001.
    open_first: u64,
    /// The leaves that [`few_leaves`] must not reach.
    most_leaves: u64,
}

const CROSSED: DiamondFigures = DiamondFigures {
    name: "W B / B W",
    value: 0,
    fail_soft: [1_690_895, 7_610_801],
    line: "19 34 45 21 33 26 20 29 37 12 11 44 38 30 52 51 18 25 43 42",
    nega_scout: [1_309_977, 6_034_308],
    open_first: 1_207_763,
    most_leaves: 15_754,
};

const PARALLEL: DiamondFigures = DiamondFigures {
    name: "W B / W B",
    value: 10,
    fail_soft: [898_585, 3_928_152],
    line: "18 21 29 37 42 20 38 26 12 11 30 25 19 43 34 44 33 45 52 51",
    nega_scout: [524_627, 2_342_259],
    open_first: 437_351,
    most_leaves: 15_235,
};

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "000",
        "NegaScout on the diamond: leaf evaluations (discs counted), nodes, values in discs",
    )?;
    diamond(report, Diamond::start(), &CROSSED)?;
    diamond(report, Diamond2::start().crossed(), &PARALLEL)?;
    report.remark(
        "Ours: MTD(0), table shared by symmetric positions, enhanced transposition cut-offs, stability bounds (each",
    )?;
    report.remark(
        "cut by one counted as a leaf evaluation), moves ordered by counts whose weights were fitted on these two \
         trees.",
    )?;
    four(report)
}

fn diamond(
    report: &mut FigureReport<'_>,
    start: Diamond,
    figures: &DiamondFigures,
) -> io::Result<()> {
    let DiamondFigures { name, value, .. } = *figures;
    let root = Article::new(start);
    let found = root.fail_soft();
    report.must(&format!("{name}, value"), value, found.value)?;
    counts(
        report,
        &format!("{name}, fail-soft"),
        figures.fail_soft,
        &found,
    )?;
    let squares = found.line.iter().filter(|m| !m.is_pass());
    let squares = squares.map(|m| (m.square() + DiamondCrossed::RIM).to_string());
    let is_same = squares.collect::<Vec<_>>().join(" ") == figures.line;
    report.must_hold(
        &format!("{name}, fail-soft, line"),
        "as printed",
        if is_same { "the same" } else { "another" },
        is_same,
    )?;
    let found = root.nega_scout(false);
    report.must(&format!("{name}, negascout, value"), value, found.value)?;
    counts(
        report,
        &format!("{name}, negascout"),
        figures.nega_scout,
        &found,
    )?;
    report.must(
        &format!("{name}, first move with open window, leaves"),
        figures.open_first,
        root.nega_scout(true).counters.leaves,
    )?;
    few_leaves::report(report, name, &start, value, figures.most_leaves)
}

fn four(report: &mut FigureReport<'_>) -> io::Result<()> {
    let root = Article::new(Othello4::start());
    let found = run_to_end(None, |cx| minimax(cx, &root, root.plies_left(), 0));
    report.must("4x4, value", -8, found.value)?;
    report.must(
        "4x4, minimax, finished games",
        60_060,
        found.counters.leaves,
    )?;
    report.must("4x4, minimax, nodes", 231_301, found.counters.nodes)?;
    counts(report, "4x4, fail-soft", [3_425, 15_623], &root.fail_soft())?;
    counts(
        report,
        "4x4, negascout",
        [1_070, 5_285],
        &root.nega_scout(false),
    )?;
    // The parallel start, W B above W B.
    let parallel = Othello4::new(1 << 10 | 1 << 18, 1 << 9 | 1 << 17, Player::First);
    let found = Article::new(parallel).nega_scout(false);
    report.must("4x4, parallel start, value", -3, found.value)
}

/// Reports the leaves and the nodes of a search.
fn counts(
    report: &mut FigureReport<'_>,
    name: &str,
    [leaves, nodes]: [u64; 2],
    found: &Found,
) -> io::Result<()> {
    report.must(&format!("{name}, leaves"), leaves, found.counters.leaves)?;
    report.must(&format!("{name}, nodes"), nodes, found.counters.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_by_four_counts_are_the_published_ones() {
        let mut out = Vec::new();
        let mut rows = FigureReport::new(&mut out, false);
        rows.open("000", "").unwrap();
        four(&mut rows).unwrap();
        assert!(
            rows.rows().len() == 8 && rows.all_ok(),
            "{:#?}",
            rows.rows()
        );
    }
}
