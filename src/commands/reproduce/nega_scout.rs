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
        Article {
            board: Reversi::start(),
            passed: false,
        }
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
        let open = m.is_pass() || (open_first && index == 0);
        let mut score = low;
        if !open {
            let null = Window {
                alpha: low,
                beta: low + 1,
            };
            score = -nega_scout(cx, &child, ply + 1, null.flipped(), open_first)?;
        }
        if open || (score > low && score < beta) {
            score = -nega_scout(
                cx,
                &child,
                ply + 1,
                Window { alpha: score, beta }.flipped(),
                open_first,
            )?;
        }
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    Ok(best)
}

/// A search whose figures are published.
#[derive(Clone, Copy)]
enum ArticleSearch {
    Minimax,
    FailSoft,
    /// NegaScout of document 000.
    NullFirst,
    /// NegaScout of document 001.
    OpenFirst,
}

impl ArticleSearch {
    fn run<S: Ordered>(self, root: &Article<S>) -> Found {
        let depth = root.plies_left();
        run_to_end(None, |cx| match self {
            ArticleSearch::Minimax => minimax(cx, root, depth, 0),
            ArticleSearch::FailSoft => fail_soft(cx, root, depth, 0, Window::FULL),
            ArticleSearch::NullFirst => nega_scout(cx, root, 0, Window::FULL, false),
            ArticleSearch::OpenFirst => nega_scout(cx, root, 0, Window::FULL, true),
        })
    }
}

/// A published figure of a search.
enum PublishedFigure {
    /// The value in discs.
    Value(i32),
    Leaves(u64),
    Nodes(u64),
    /// The principal variation without passes, in the article's numbers.
    Line(&'static str),
}
use PublishedFigure::{Leaves, Line, Nodes, Value};

/// The figures of a start by search, with their names: the article's, and node counts of an
/// independent recomputation.
type Published<'a> = &'a [(ArticleSearch, &'a [(&'a str, PublishedFigure)])];

const CROSSED: Published<'_> = &[
    (
        ArticleSearch::FailSoft,
        &[
            ("value", Value(0)),
            ("fail-soft, leaves", Leaves(1_690_895)),
            ("fail-soft, nodes", Nodes(7_610_801)),
            (
                "fail-soft, line",
                Line("19 34 45 21 33 26 20 29 37 12 11 44 38 30 52 51 18 25 43 42"),
            ),
        ],
    ),
    (
        ArticleSearch::NullFirst,
        &[
            ("negascout, value", Value(0)),
            ("negascout, leaves", Leaves(1_309_977)),
            ("negascout, nodes", Nodes(6_034_308)),
        ],
    ),
    (
        ArticleSearch::OpenFirst,
        &[("first move with open window, leaves", Leaves(1_207_763))],
    ),
];

const PARALLEL: Published<'_> = &[
    (
        ArticleSearch::FailSoft,
        &[
            ("value", Value(10)),
            ("fail-soft, leaves", Leaves(898_585)),
            ("fail-soft, nodes", Nodes(3_928_152)),
            (
                "fail-soft, line",
                Line("18 21 29 37 42 20 38 26 12 11 30 25 19 43 34 44 33 45 52 51"),
            ),
        ],
    ),
    (
        ArticleSearch::NullFirst,
        &[
            ("negascout, value", Value(10)),
            ("negascout, leaves", Leaves(524_627)),
            ("negascout, nodes", Nodes(2_342_259)),
        ],
    ),
    (
        ArticleSearch::OpenFirst,
        &[("first move with open window, leaves", Leaves(437_351))],
    ),
];

const FOUR: Published<'_> = &[
    (
        ArticleSearch::Minimax,
        &[
            ("value", Value(-8)),
            ("minimax, finished games", Leaves(60_060)),
            ("minimax, nodes", Nodes(231_301)),
        ],
    ),
    (
        ArticleSearch::FailSoft,
        &[
            ("fail-soft, leaves", Leaves(3_425)),
            ("fail-soft, nodes", Nodes(15_623)),
        ],
    ),
    (
        ArticleSearch::NullFirst,
        &[
            ("negascout, leaves", Leaves(1_070)),
            ("negascout, nodes", Nodes(5_285)),
        ],
    ),
];

const FOUR_PARALLEL: Published<'_> = &[(
    ArticleSearch::NullFirst,
    &[("parallel start, value", Value(-3))],
)];

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "000",
        "NegaScout on the diamond: leaf evaluations (discs counted), nodes, values in discs",
    )?;
    let (name, start) = ("W B / B W", Diamond::start());
    figures(report, name, start, CROSSED)?;
    few_leaves::report(report, name, &start, 0, 15_754)?;
    let (name, start) = ("W B / W B", Diamond2::start().crossed());
    figures(report, name, start, PARALLEL)?;
    few_leaves::report(report, name, &start, 10, 15_235)?;
    report.remark(
        "Ours: MTD(0), table shared by symmetric positions, enhanced transposition cut-offs, stability bounds (each",
    )?;
    report.remark(
        "cut by one counted as a leaf evaluation), moves ordered by counts whose weights were fitted on these two \
         trees.",
    )?;
    four(report)
}

fn four(report: &mut FigureReport<'_>) -> io::Result<()> {
    figures(report, "4x4", Othello4::start(), FOUR)?;
    // The parallel start, W B above W B.
    let parallel = Othello4::new(1 << 10 | 1 << 18, 1 << 9 | 1 << 17, Player::First);
    figures(report, "4x4", parallel, FOUR_PARALLEL)
}

/// Runs the searches of a start and reports their figures.
fn figures<S: Ordered>(
    report: &mut FigureReport<'_>,
    name: &str,
    board: Reversi<S>,
    published: Published<'_>,
) -> io::Result<()> {
    let root = Article {
        board,
        passed: false,
    };
    for (search, figures) in published {
        let Found {
            value,
            counters,
            line,
        } = search.run(&root);
        for (what, figure) in *figures {
            let what = format!("{name}, {what}");
            match figure {
                Value(published) => report.must(&what, published, value)?,
                Leaves(published) => report.must(&what, published, counters.leaves)?,
                Nodes(published) => report.must(&what, published, counters.nodes)?,
                Line(published) => {
                    let squares = line.iter().filter(|m| !m.is_pass());
                    let squares = squares.map(|m| (m.square() + S::RIM).to_string());
                    let same = squares.collect::<Vec<_>>().join(" ") == *published;
                    report.must_hold(
                        &what,
                        "as printed",
                        if same { "the same" } else { "another" },
                        same,
                    )?;
                }
            }
        }
    }
    Ok(())
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
