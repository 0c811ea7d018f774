//! Document 000: NegaScout on a diamond of 24 squares (M. Hiroi, 2010/2020), with the node counts of its program.
//!
//! The article's fail-soft search is [`fail_soft`] with the article's rules and move ordering ([`super::article`]). Its
//! NegaScout, which searches the first move with a null window too, is here.

use std::io;

use crate::game::score::{Score, Window};
use crate::game::{Game, Player};
use crate::games::reversi::{Diamond, Diamond2, Othello4};
use crate::search::policy::Zero;
use crate::search::stats::Counters;
use crate::search::stop::{SearchControl, Stopped};
use crate::search::textbook::{TextbookContext, fail_soft, minimax};

use super::article::{Article, Ordered, RIM};
use super::few_leaves;
use super::report::FigureReport;

/// NegaScout in two forms: document 000 searches every move with a null window first, document 001 (the usual form) all
/// moves except the first. Both re-search with the window `(v, beta)`, where `v` is the fail-soft score of the null
/// window; a score of `v` is then exact.
fn nega_scout<G: Game>(
    cx: &mut TextbookContext<'_, Zero>,
    position: &G,
    ply: u8,
    window: Window,
    first: FirstMove,
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
        let open = m.is_pass() || (index == 0 && first == FirstMove::OpenWindow);
        let mut score = low;
        if !open {
            let null = Window { alpha: low, beta: low + 1 };
            score = -nega_scout(cx, &child, ply + 1, null.flipped(), first)?;
        }
        if open || (score > low && score < beta) {
            score = -nega_scout(cx, &child, ply + 1, Window { alpha: score, beta }.flipped(), first)?;
        }
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    Ok(best)
}

/// The window of a node's first move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FirstMove {
    /// The window of the node (document 001).
    OpenWindow,
    /// A null window, like every other move (document 000).
    NullWindow,
}

/// The result of a search: value, counters, and the principal variation if the algorithm keeps one.
struct Found {
    /// The value in discs.
    value: i32,
    /// Nodes and leaf evaluations.
    counters: Counters,
    /// The principal variation in the article's numbers.
    line: Vec<u8>,
}

/// The article's fail-soft alpha-beta from a start.
fn article_fail_soft<S: Ordered>(root: &Article<S>) -> Found {
    count(|cx| fail_soft(cx, root, root.plies_left(), 0, Window::FULL))
}

/// Minimax from a start.
fn article_minimax<S: Ordered>(root: &Article<S>) -> Found {
    count(|cx| minimax(cx, root, root.plies_left(), 0))
}

/// NegaScout from a start.
fn article_nega_scout<S: Ordered>(root: &Article<S>, first: FirstMove) -> Found {
    count(|cx| nega_scout(cx, root, 0, Window::FULL, first))
}

fn count(search: impl FnOnce(&mut TextbookContext<'_, Zero>) -> Result<Score, Stopped>) -> Found {
    let control = SearchControl::default();
    let mut cx = TextbookContext::new(&Zero, None, &control);
    let Ok(Score(value)) = search(&mut cx) else { unreachable!("this search is not stopped") };
    let line = cx.pv.root().iter().filter(|m| !m.is_pass()).map(|m| m.square() + RIM).collect();
    Found { value, counters: cx.counters, line }
}

/// The article's figures for a start, and node counts of an independent recomputation.
struct Published {
    value: i32,
    fail_soft: [u64; 2],
    null_first: [u64; 2],
    open_first: u64,
    line: [u8; 20],
    mark: u64,
}

const CROSSED: Published = Published {
    value: 0,
    fail_soft: [1_690_895, 7_610_801],
    null_first: [1_309_977, 6_034_308],
    open_first: 1_207_763,
    line: [19, 34, 45, 21, 33, 26, 20, 29, 37, 12, 11, 44, 38, 30, 52, 51, 18, 25, 43, 42],
    mark: 15_754,
};

const PARALLEL: Published = Published {
    value: 10,
    fail_soft: [898_585, 3_928_152],
    null_first: [524_627, 2_342_259],
    open_first: 437_351,
    line: [18, 21, 29, 37, 42, 20, 38, 26, 12, 11, 30, 25, 19, 43, 34, 44, 33, 45, 52, 51],
    mark: 15_235,
};

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open("000", "NegaScout on the diamond: leaf evaluations (discs counted), nodes, values in discs")?;
    start(report, "W B / B W", Diamond::start(), &CROSSED)?;
    start(report, "W B / W B", Diamond2::start().crossed(), &PARALLEL)?;
    report.say(
        "Ours: MTD(0), table shared by symmetric positions, enhanced transposition cut-offs, stability bounds (each",
    )?;
    report.say(
        "cut by one counted as a leaf evaluation), moves ordered by counts whose weights were fitted on these two \
         trees.",
    )?;
    four(report)
}

fn start(report: &mut FigureReport<'_>, name: &str, start: Diamond, published: &Published) -> io::Result<()> {
    let root = Article::new(start);
    let soft = article_fail_soft(&root);
    report.must(&format!("{name}, value"), published.value, soft.value)?;
    report.must(&format!("{name}, fail-soft, leaves"), published.fail_soft[0], soft.counters.leaves)?;
    report.must(&format!("{name}, fail-soft, nodes"), published.fail_soft[1], soft.counters.nodes)?;
    let same = soft.line == published.line;
    report.must_hold(
        &format!("{name}, fail-soft, line"),
        "as printed",
        if same { "the same" } else { "another" },
        same,
    )?;
    let printed = article_nega_scout(&root, FirstMove::NullWindow);
    report.must(&format!("{name}, negascout, value"), published.value, printed.value)?;
    report.must(&format!("{name}, negascout, leaves"), published.null_first[0], printed.counters.leaves)?;
    report.must(&format!("{name}, negascout, nodes"), published.null_first[1], printed.counters.nodes)?;
    let usual = article_nega_scout(&root, FirstMove::OpenWindow);
    report.must(
        &format!("{name}, first move with open window, leaves"),
        published.open_first,
        usual.counters.leaves,
    )?;
    few_leaves::report(report, name, &start, published.value, published.mark)
}

fn four(report: &mut FigureReport<'_>) -> io::Result<()> {
    let root = Article::new(Othello4::start());
    let all = article_minimax(&root);
    report.must("4x4, value", -8, all.value)?;
    report.must("4x4, minimax, finished games", 60_060, all.counters.leaves)?;
    report.must("4x4, minimax, nodes", 231_301, all.counters.nodes)?;
    let soft = article_fail_soft(&root);
    report.must("4x4, fail-soft, leaves", 3_425, soft.counters.leaves)?;
    report.must("4x4, fail-soft, nodes", 15_623, soft.counters.nodes)?;
    let scout = article_nega_scout(&root, FirstMove::NullWindow);
    report.must("4x4, negascout, leaves", 1_070, scout.counters.leaves)?;
    report.must("4x4, negascout, nodes", 5_285, scout.counters.nodes)?;
    // The parallel start, W B above W B.
    let root = Article::new(Othello4::new(1 << 10 | 1 << 18, 1 << 9 | 1 << 17, Player::First));
    let parallel = article_nega_scout(&root, FirstMove::NullWindow);
    report.must("4x4, parallel start, value", -3, parallel.value)
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
        assert!(rows.rows().len() == 8 && rows.all_ok(), "{:#?}", rows.rows());
    }
}
