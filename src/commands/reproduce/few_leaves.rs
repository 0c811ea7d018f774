//! Solves the positions of document 000 with few leaf evaluations: a policy of the production
//! search that minimizes leaves, not time. It uses MTD(0), canonical table keys, enhanced
//! transposition cutoffs, move ordering by board features, and bounds from stable discs.
//!
//! A leaf evaluation is a finished game whose discs are counted, or a cutoff by a stability bound.
//! Move ordering and finished positions in the table do not count.

use std::io;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::kernel::spread;
use crate::games::reversi::{Diamond, DiamondCrossed, Shape, stability};
use crate::search::core::context::Context;
use crate::search::core::isa::{Isa, Portable};
use crate::search::core::nega_scout::NonPvNode;
use crate::search::core::policy::{Candidates, Policy, SearchParams};
use crate::search::generic_policy::canonical_key;
use crate::search::mtdf::mtdf;
use crate::search::schedule::Iteration;
use crate::search::stats::Counters;
use crate::search::stop::{SearchControl, Stopped};
use crate::search::table::{Draft, Key, Table};
use crate::search::trace::ReturnReason;

use super::report::FigureReport;

/// A disc in the scores of the game.
const DISC: i32 = 100;

/// The squares of the board; both starts play on it.
const SQUARES: u64 = DiamondCrossed::SQUARES;
const CORNERS: u64 = DiamondCrossed::CORNERS;

/// The minimum number of empties of the early weights.
const LATE: u8 = 11;

/// The squares of `empty` in connected regions of odd size.
fn odd_regions(empty: u64) -> u64 {
    let (mut rest, mut odd) = (empty, 0);
    while rest != 0 {
        let mut region = rest & rest.wrapping_neg();
        loop {
            let more = region | spread(region) & empty;
            if more == region {
                break;
            }
            region = more;
        }
        if region.count_ones() % 2 == 1 {
            odd |= region;
        }
        rest &= !region;
    }
    odd
}

fn count(set: u64) -> i32 {
    set.count_ones() as i32
}

/// The number of discs of `own` that are known to be stable.
fn stable(own: u64, other: u64) -> i32 {
    count(stability::stable::<_, DiamondCrossed>(
        Portable::token(),
        own,
        other,
    ))
}

/// The rank of the move to `square` that leads to `child`; `odd` are the odd regions before the
/// move.
fn rank(child: &Diamond, square: u8, odd: u64) -> i32 {
    let (theirs, ours, empty) = (child.player, child.opponent, child.empty());
    let their_moves = child.legal();
    let is = |set: u64| i32::from(set >> square & 1 != 0);
    // The features after the move, and their weights from LATE empties on and below, tuned by hill
    // climbing on the leaf counts of the two starts. We are the side that moved.
    let features = [
        (count(their_moves), [-54, -93]),
        (count(their_moves & CORNERS), [-28, -25]),
        (i32::from(their_moves == 0), [117, 121]),
        (count(DiamondCrossed::legal(ours, theirs)), [9, 7]),
        (count(spread(ours) & empty), [6, 4]),
        (count(spread(theirs) & empty), [16, 2]),
        (stable(ours, theirs), [27, 27]),
        (count(ours), [-16, -12]),
        (is(CORNERS), [7, 7]),
        (is(SQUARES & !CORNERS & !INNER), [49, 41]),
        (is(odd), [35, 47]),
    ];
    let late = usize::from(child.plies_left() < LATE);
    features
        .iter()
        .map(|(feature, weights)| feature * weights[late])
        .sum()
}

/// The inner squares of the diamond.
const INNER: u64 = 0x0000_000c_1e1e_0c00;

struct FewLeaves;

impl Policy for FewLeaves {
    type Game = Diamond;
    type Isa = Portable;
    type Node = Diamond;
    type State = ();
    const ETC_DEPTH: u8 = 1;

    fn isa(&self) -> Portable {
        Portable::token()
    }

    fn root(&self, position: &Diamond) -> Diamond {
        *position
    }

    fn position<'n>(&self, node: &'n Diamond) -> &'n Diamond {
        node
    }

    fn child(&self, node: &Diamond, m: Move) -> Diamond {
        node.play(m)
    }

    fn key(&self, node: &Diamond, _depth: u8) -> Key {
        canonical_key(node)
    }

    fn step(&self, _position: &Diamond, _depth: u8) -> i32 {
        DISC
    }

    /// Never called: every search is exact.
    fn evaluate(&self, _node: &Diamond) -> Score {
        Score::ZERO
    }

    fn order(
        _cx: &mut Context<'_, Self>,
        node: &Diamond,
        candidates: &mut Candidates<Diamond>,
        _window: Window,
        _params: SearchParams,
    ) -> Result<(), Stopped> {
        let odd = odd_regions(node.empty());
        for candidate in candidates
            .iter_mut()
            .filter(|candidate| candidate.rank == 0)
        {
            candidate.rank = rank(&candidate.node, candidate.m.square(), odd);
        }
        Ok(())
    }

    /// Stable discs bound the score from both sides.
    fn prune(
        cx: &mut Context<'_, Self>,
        node: &Diamond,
        window: Window,
        params: SearchParams,
    ) -> Result<Option<(Score, ReturnReason)>, Stopped> {
        let all = count(SQUARES);
        let most = Score(DISC * (all - 2 * stable(node.opponent, node.player)));
        let least = Score(DISC * (2 * stable(node.player, node.opponent) - all));
        let bound = if most <= window.alpha {
            most
        } else if least >= window.beta {
            least
        } else {
            return Ok(None);
        };
        if let Some(table) = cx.table {
            table.store(
                &canonical_key(node),
                Draft::full(params.depth),
                window,
                bound,
                Move::NONE,
            );
        }
        Ok(Some((cx.leaf(bound), ReturnReason::ProvenBound)))
    }

    /// Solves the last empty square and stores the score of the full board in the table.
    fn solve_leaf(
        cx: &mut Context<'_, Self>,
        node: &Diamond,
        _window: Window,
        params: SearchParams,
    ) -> Result<Option<(Score, ReturnReason)>, Stopped> {
        let (1, Some(table)) = (params.depth, cx.table) else {
            return Ok(None);
        };
        let m = node.moves()[0];
        if m.is_pass() {
            return Ok(None);
        }
        let full = node.play(m);
        cx.enter(params.ply + 1)?;
        let key = canonical_key(&full);
        if let Some(entry) = table.probe(&key) {
            cx.counters.table_hits += 1;
            return Ok(Some((-entry.lower, ReturnReason::SolvedLeaf)));
        }
        let score = full.final_score().unwrap_or_default();
        table.store(&key, Draft::full(0), Window::FULL, score, Move::NONE);
        Ok(Some((-cx.leaf(score), ReturnReason::SolvedLeaf)))
    }
}

/// The table size in bytes; a search does not fill it.
const TABLE_BYTES: usize = 32 << 20;

/// The value of a position for its side to move, in discs, by MTD(0).
fn solve(position: &Diamond) -> (i32, Counters) {
    let table = Table::with_bytes(TABLE_BYTES);
    let control = SearchControl::default();
    let policy = FewLeaves;
    let mut cx = Context::new(&policy, Some(&table), &control);
    cx.step = DISC;
    let params = SearchParams::root(Iteration::full(position.plies_left()));
    let value = mtdf(Score::ZERO, DISC, Window::FULL, |window, _| {
        cx.counters.null_windows += 1;
        policy
            .isa()
            .search::<NonPvNode, _>(&mut cx, position, window.alpha, window.beta, params)
    });
    let Ok(Score(value)) = value else {
        unreachable!("this search is not stopped")
    };
    (value / DISC, cx.counters)
}

/// The rows of one start.
pub fn report(
    report: &mut FigureReport<'_>,
    name: &str,
    start: &Diamond,
    value: i32,
    mark: u64,
) -> io::Result<()> {
    let (ours, counters) = solve(start);
    report.must(&format!("{name}, ours, value"), value, ours)?;
    let leaves = counters.leaves;
    report.must_hold(
        &format!("{name}, ours, leaves"),
        &format!("below {mark}"),
        leaves,
        leaves < mark,
    )?;
    report.beside(&format!("{name}, ours, nodes"), None, counters.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;
    use crate::search::core::policy::Zero;
    use crate::search::textbook::{TextbookContext, fail_soft};

    #[test]
    fn the_diamond_has_its_corners_edges_and_regions() {
        assert_eq!(CORNERS.count_ones(), 8);
        assert_eq!((SQUARES & INNER).count_ones(), 12);
        assert_eq!(
            SQUARES & !CORNERS & !INNER,
            1 << 9 | 1 << 12 | 1 << 33 | 1 << 36
        );
        assert_eq!(
            odd_regions(1 << 2 | 1 << 9 | 1 << 16 | 1 << 43),
            1 << 2 | 1 << 9 | 1 << 16 | 1 << 43
        );
        assert_eq!(odd_regions(1 << 2 | 1 << 3), 0);
    }

    #[test]
    fn random_endings_have_the_value_of_fail_soft() {
        let mut rng = Rng::new(24);
        for _ in 0..60 {
            let mut position = Diamond::start();
            while position.plies_left() > 8 && position.final_score().is_none() {
                position = position.play(*rng.choose(&position.moves()).unwrap());
            }
            let control = SearchControl::default();
            let mut cx = TextbookContext::new(&Zero, None, &control);
            let truth =
                fail_soft(&mut cx, &position, position.plies_left(), 0, Window::FULL).unwrap();
            assert_eq!(solve(&position).0 * DISC, truth.0, "{position:?}");
        }
    }
}
