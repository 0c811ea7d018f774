//! Document 001: NegaScout compared with alpha-beta by move ordering.
//!
//! The document claims about 10 % fewer nodes with the good ordering of a chess program and more
//! with a random one. Each row is the ratio of NegaScout's to fail-soft alpha-beta's leaf
//! evaluations on the same trees, without a table.

use std::io;

use crate::commands::compare::move_ordering::{MoveOrdering, duel};
use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::game::{Game, Move, MoveList, Player, mix};
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::{Diamond, Diamond2, Othello6};
use crate::search::core::policy::Evaluate;

use super::report::FigureReport;

/// A pseudo-random tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Synthetic {
    /// The branching factor.
    moves: u8,
    /// Plies left.
    plies: u8,
    /// Whether a child's value is close to its parent's, as in games; otherwise leaves are
    /// independent.
    near: bool,
    seed: u64,
    ply: u8,
    /// The first player's value.
    worth: i32,
}

impl Synthetic {
    /// The roots of `count` different trees.
    fn roots(count: u64, moves: u8, plies: u8, near: bool) -> Vec<Synthetic> {
        let seeds = (1..=count).map(|number| mix([SEED, number]));
        seeds
            .map(|seed| Synthetic {
                moves,
                plies,
                near,
                seed,
                ply: 0,
                worth: 0,
            })
            .collect()
    }

    /// The value for the side to move.
    fn worth_to_move(&self) -> Score {
        Score(self.to_move().signed(self.worth))
    }
}

impl Game for Synthetic {
    const NAME: &'static str = "synthetic";
    const GRAIN: i32 = 1;

    fn start() -> Self {
        Synthetic {
            moves: 2,
            plies: 2,
            near: false,
            seed: 0,
            ply: 0,
            worth: 0,
        }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[self.ply as usize % 2]
    }

    fn moves(&self) -> MoveList {
        if self.plies == 0 {
            MoveList::new()
        } else {
            (0..self.moves).map(Move::to).collect()
        }
    }

    fn play(&self, m: Move) -> Self {
        let seed = mix([self.seed, u64::from(m.square())]);
        let drawn = (seed >> 32) as i32 % 100;
        let worth = if self.near {
            self.worth + drawn
        } else {
            10 * drawn
        };
        Synthetic {
            plies: self.plies - 1,
            seed,
            ply: self.ply + 1,
            worth,
            ..*self
        }
    }

    fn final_score(&self) -> Option<Score> {
        (self.plies == 0).then(|| self.worth_to_move())
    }

    fn plies_left(&self) -> u8 {
        self.plies
    }

    fn packed(&self) -> [u64; 2] {
        [self.seed, u64::from(self.ply)]
    }
}

/// The value of a synthetic node, for the good move ordering.
#[derive(Clone, Default)]
struct Worth;

impl Evaluate<Synthetic> for Worth {
    type Data = ();
    const GRAIN: i32 = 1;

    fn fresh(&self, _: &Synthetic) {}

    fn score(&self, position: &Synthetic, _: ()) -> Score {
        position.worth_to_move()
    }
}

/// Seed of the random positions and trees.
const SEED: u64 = 1;

/// Different positions after `plies` random plies from the start.
fn random_positions(count: usize, plies: u32) -> Vec<Othello6> {
    let mut rng = Rng::new(SEED);
    let mut found: Vec<Othello6> = Vec::new();
    while found.len() < count {
        let mut position = Othello6::start();
        for _ in 0..plies {
            if let Some(&m) = rng.choose(&position.moves()) {
                position = position.play(m);
            }
        }
        if position.final_score().is_none() && !found.contains(&position) {
            found.push(position);
        }
    }
    found
}

/// The rows of the three orderings on the same positions.
fn orders<G: Game, E: Evaluate<G> + Default>(
    report: &mut FigureReport<'_>,
    tree: &str,
    depth: u8,
    positions: &[G],
    published: [Option<&str>; 3],
) -> io::Result<()> {
    let duels = MoveOrdering::ALL.map(|order| duel::<G, E>(positions, depth, order, u64::MAX));
    for ((order, duel), published) in ["good", "natural", "random"]
        .iter()
        .zip(&duels)
        .zip(published)
    {
        report.beside(
            &format!("{tree}, {order} order"),
            published,
            format!("{:.2}", duel.ratio().unwrap_or_default()),
        )?;
    }
    let unequal: u32 = duels.iter().map(|duel| duel.unequal).sum();
    report.must(&format!("{tree}, searches of unequal value"), 0, unequal)
}

/// All rows of the document.
pub fn report(report: &mut FigureReport<'_>) -> io::Result<()> {
    report.open(
        "001",
        "NegaScout (PVS): its leaf evaluations over fail-soft alpha-beta's (1.00), no table",
    )?;
    for (tree, start, published) in [
        (
            "diamond to the end",
            Diamond::start(),
            [Some("0.75"), Some("0.64"), Some("0.59")],
        ),
        (
            "diamond2 to the end",
            Diamond2::start().crossed(),
            [Some("0.66"), None, Some("0.56")],
        ),
    ] {
        orders::<_, Mobility>(report, tree, 20, &[start], published)?;
    }
    let six = random_positions(6, 8);
    orders::<_, Mobility>(
        report,
        "Othello 6x6, depth 8",
        8,
        &six,
        [Some("1.04"), Some("0.80"), Some("0.69")],
    )?;
    for (tree, plies, roots, published) in [
        (
            "synthetic, 20 moves, 5 plies",
            5,
            Synthetic::roots(3, 20, 5, true),
            [Some("0.98"), None, Some("0.76")],
        ),
        (
            "synthetic, 5 moves, 8 plies",
            8,
            Synthetic::roots(8, 5, 8, true),
            [Some("1.06"), None, Some("1.03")],
        ),
        (
            "independent leaves, 2 moves, 16 plies",
            16,
            Synthetic::roots(8, 2, 16, false),
            [None, Some("1.26"), Some("1.29")],
        ),
    ] {
        orders::<_, Worth>(report, tree, plies, &roots, published)?;
    }
    report.remark(
        "The document expects about 10 % fewer leaves with good ordering and more with random ordering. Here it is",
    )?;
    report.remark(
        "the opposite: NegaScout saves most with bad ordering and nothing with good ordering.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_algorithms_have_equal_values_in_every_order() {
        let positions = random_positions(2, 6);
        for order in MoveOrdering::ALL {
            let duel = duel::<_, Mobility>(&positions, 4, order, u64::MAX);
            assert!(
                duel.unequal == 0 && duel.alpha_beta > 0 && duel.nega_scout > 0,
                "{duel:?}"
            );
        }
        let trees = Synthetic::roots(19, 3, 5, true);
        let [good, random] = [MoveOrdering::Good, MoveOrdering::Random]
            .map(|order| duel::<_, Worth>(&trees, 5, order, u64::MAX));
        assert_eq!((good.unequal, random.unequal), (0, 0));
        assert!(
            good.alpha_beta < random.alpha_beta,
            "a good order costs less: {good:?} {random:?}"
        );
    }
}
