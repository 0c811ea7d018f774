//! Draws whether the engine may err at a move, and which move may be played instead of the best
//! one.
//!
//! While a move's share of the remaining budget is below [`ERROR_COST`], only some moves may err,
//! chosen so that each of them may cost that much. The others are searched at full strength,
//! without a shallow search.
//!
//! The probability of a move is proportional to exp(look / [`LOOK_SCALE`] - k * cost), where `look`
//! is its score at depth 1 and `cost` its loss by a deeper search. The weight k >= 0 makes the
//! expected cost equal to the allowed one; it is 0 if the expected cost is lower, so no move is
//! preferred because of its cost.

use crate::game::Move;
use crate::game::rng::Rng;

use super::allowance::Allowance;

/// A legal move with its shallow scores, in hundredths of a disc.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ShallowMove {
    pub m: Move,
    /// Its score at depth 1.
    pub look: i32,
    /// Its loss against the best move.
    pub cost: i32,
}

/// The minimum expected cost of a move that may err, in hundredths of a disc.
const ERROR_COST: f64 = 100.0; // this and the next tuned: see measurements.md#error-moves
/// A move that looks worse by this many hundredths of a disc is 1/e as likely.
const LOOK_SCALE: f64 = 400.0;
/// Steps of the bisection for the weight of the cost, and its largest value.
const STEPS: u32 = 40;
const LARGEST_WEIGHT: f64 = 1.0;

/// The streams of random numbers of a move.
const ERRORS: u64 = 0;
const MOVES: u64 = 1;

/// This move's share of the remaining budget.
fn share(allowance: &Allowance) -> f64 {
    f64::from(allowance.left) / f64::from(allowance.moves)
}

/// Draws whether this move may err.
pub(super) fn may_err(allowance: &Allowance) -> bool {
    allowance.most() > 0
        && Rng::for_stream(allowance.seed, ERRORS).unit() < share(allowance) / ERROR_COST
}

/// Draws one of the moves whose cost is allowed; `None` if there are none.
pub(super) fn draw(moves: &[ShallowMove], allowance: &Allowance) -> Option<Move> {
    let allowed: Vec<ShallowMove> = moves
        .iter()
        .copied()
        .filter(|shallow| shallow.cost <= allowance.most())
        .collect();
    let weight = weight_of_cost(&allowed, share(allowance).max(ERROR_COST));
    let chances = chances(&allowed, weight);
    let drawn = Rng::for_stream(allowance.seed, MOVES).choose_weighted(&chances)?;
    Some(allowed.get(drawn)?.m)
}

/// The weight at which the expected cost is `target`, or 0 if it is less without one.
fn weight_of_cost(moves: &[ShallowMove], target: f64) -> f64 {
    let expected = |weight: f64| {
        let chances = chances(moves, weight);
        let costs: f64 = moves
            .iter()
            .zip(&chances)
            .map(|(shallow, chance)| chance * f64::from(shallow.cost))
            .sum();
        costs / chances.iter().sum::<f64>()
    };
    if moves.is_empty() || expected(0.0) <= target {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, LARGEST_WEIGHT);
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if expected(middle) > target {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

/// The relative probabilities of the moves.
fn chances(moves: &[ShallowMove], weight: f64) -> Vec<f64> {
    let exponent = |shallow: &ShallowMove| {
        f64::from(shallow.look) / LOOK_SCALE - weight * f64::from(shallow.cost)
    };
    let largest = moves.iter().map(exponent).fold(f64::NEG_INFINITY, f64::max);
    moves
        .iter()
        .map(|shallow| (exponent(shallow) - largest).exp())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(looks_and_costs: &[(i32, i32)]) -> Vec<ShallowMove> {
        let shallow = |(square, &(look, cost)): (usize, &(i32, i32))| ShallowMove {
            m: Move::to(square as u8),
            look,
            cost,
        };
        looks_and_costs.iter().enumerate().map(shallow).collect()
    }

    fn allowances(
        left: i32,
        own_moves: u8,
        limit: i32,
        games: u64,
    ) -> impl Iterator<Item = Allowance> {
        (0..games).map(move |seed| Allowance {
            left,
            limit,
            moves: own_moves,
            seed,
        })
    }

    /// How often each of the moves is drawn in `games` games.
    fn frequencies(
        moves: &[ShallowMove],
        left: i32,
        own_moves: u8,
        limit: i32,
        games: u64,
    ) -> Vec<u64> {
        let mut counts = vec![0; moves.len()];
        for allowance in allowances(left, own_moves, limit, games) {
            counts[usize::from(draw(moves, &allowance).unwrap().square())] += 1;
        }
        counts
    }

    #[test]
    fn the_expected_cost_is_the_share_of_the_move() {
        const GAMES: u64 = 20_000;
        let moves = moves(&[(0, 0), (300, 150), (-200, 300), (500, 900)]);
        for share in [5, 20, 60, 110] {
            let costs = allowances(200 * share, 200, 900, GAMES)
                .filter(may_err)
                .map(|allowance| {
                    let drawn = draw(&moves, &allowance).unwrap();
                    f64::from(moves[usize::from(drawn.square())].cost)
                });
            let mean = costs.sum::<f64>() / GAMES as f64;
            assert!(
                (mean - f64::from(share)).abs() < 0.1 * f64::from(share) + 3.0,
                "{share}: {mean}"
            );
        }
    }

    #[test]
    fn of_equal_costs_the_better_shallow_score_is_likelier() {
        let counts = frequencies(
            &moves(&[(0, 0), (300, 200), (-300, 200)]),
            1_000,
            10,
            900,
            2_000,
        );
        assert!(counts[1] > 3 * counts[2] && counts[2] > 0, "{counts:?}");
    }

    #[test]
    fn no_move_costs_more_than_the_limit_or_than_what_is_left() {
        let moves = moves(&[(0, 0), (900, 301), (900, 250)]);
        assert_eq!(frequencies(&moves, 3_000, 3, 300, 500)[1], 0);
        assert!(frequencies(&moves, 3_000, 3, 300, 500)[2] > 0);
        assert_eq!(frequencies(&moves, 249, 1, 300, 500)[1..], [0, 0]);
        assert_eq!(
            draw(
                &[],
                &Allowance {
                    left: 100,
                    limit: 100,
                    moves: 1,
                    seed: 1
                }
            ),
            None
        );
    }
}
