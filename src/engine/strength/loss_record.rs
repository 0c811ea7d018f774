//! The cost of the engine's moves, by position. A client may send the whole game with each move
//! (`position startpos moves ...`) and may undo moves, so the cost of a game is the sum over its
//! positions.

use std::collections::HashMap;

use super::allowance::Allowance;
use super::level::Strength;
use crate::game::Move;
use crate::game::rng::split_mix;
use crate::games::any::AnyGame;
use crate::search::{Answer, RootMove};

/// The moves scored by the engine's searches with their costs, in hundredths of a disc.
#[derive(Default, Debug)]
pub struct LossRecord {
    /// By the hash of the position.
    costs: HashMap<u64, Vec<(Move, i32)>>,
}

/// The maximum number of positions, for sessions that never start a new game.
const MOST_POSITIONS: usize = 10_000;

impl LossRecord {
    /// Records the root moves of a search.
    pub fn add(&mut self, root: &AnyGame, answer: &Answer) {
        let Some(best) = answer.best.first() else {
            return;
        };
        if self.costs.len() >= MOST_POSITIONS {
            self.costs.clear();
        }
        let cost = |scored: &RootMove| (scored.m, (best.score.0 - scored.score.0).max(0));
        self.costs.insert(
            root.hash(),
            answer.best.iter().chain(&answer.extra).map(cost).collect(),
        );
    }

    /// The allowance of the next move of this game; `None` if the best move must be played: the game
    /// is not one of discs, or earlier moves cost as much as the strength allows. Its seed depends
    /// only on the game so far and the strength.
    pub fn allowance(&self, game: &AnyGame, strength: Strength) -> Option<Allowance> {
        game.discs()?;
        let (mut known, mut spent) = (0, 0);
        let mut past = game.clone();
        while let Some(&m) = past.history().last() {
            past.undo();
            if past.to_move() == game.to_move()
                && let Some(cost) = self.cost(past.hash(), m)
            {
                known += 1;
                spent += cost;
            }
        }
        let words = game.history().iter().map(|m| u64::from(m.bits()));
        let seed = words.fold(past.hash() ^ strength.discs().to_bits(), |seed, word| {
            split_mix(&mut (seed ^ word))
        });
        let allowance = Allowance::new(strength, game.plies_left(), known, spent, seed);
        Some(allowance).filter(|allowance| allowance.most() > 0)
    }

    fn cost(&self, position: u64, m: Move) -> Option<i32> {
        let costs = self.costs.get(&position)?;
        costs
            .iter()
            .find(|(scored, _)| *scored == m)
            .map(|&(_, cost)| cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;
    use crate::games::dispatch;
    use crate::games::record::play_all;
    use crate::search::table::Table;
    use crate::search::{Limits, Observer, Settings};

    fn after(moves: &str) -> AnyGame {
        let mut game = by_name("othello").unwrap();
        play_all(&mut game, moves).unwrap();
        game
    }

    /// The scores of all legal moves.
    fn scored(game: &AnyGame) -> Answer {
        let limits = Limits {
            multi_pv: game.moves().len(),
            ..Limits::to_depth(3)
        };
        let (settings, table) = (Settings::default(), Table::new(1));
        let observer = &mut Observer::default();
        dispatch::think(game.position(), &settings, &table, &limits, observer)
    }

    #[test]
    fn the_cost_of_a_game_is_the_loss_of_its_own_searched_moves() {
        let strength = Strength::by_discs(40.0).unwrap();
        let mut losses = LossRecord::default();
        let left = |losses: &LossRecord, moves: &str| {
            let allowance = losses.allowance(&after(moves), strength);
            allowance.expect("discs are left").left
        };
        let unknown = left(&losses, "f5d6c3d3");
        let (first, second) = (scored(&after("f5d6")), scored(&after("f5d6c3d3")));
        losses.add(&after("f5d6"), &first);
        losses.add(&after("f5d6c3d3"), &second);
        let cost = |answer: &Answer, word: &str| {
            let m = after("").parse_move(word).unwrap();
            answer.best[0].score.0 - answer.best.iter().find(|root| root.m == m).unwrap().score.0
        };
        let worst = second.best.last().unwrap().m;
        let word = after("").write_move(worst);
        let reply = after(&format!("f5d6c3d3{word}")).moves()[0];
        let game = format!("f5d6c3d3{word}{}", after("").write_move(reply));
        let spent = cost(&first, "c3") + cost(&second, &word);
        assert!(spent > 0);
        let expected = |plies, known, spent| Allowance::new(strength, plies, known, spent, 0).left;
        assert_eq!(left(&losses, &game), expected(54, 2, spent));

        // The other side's moves, another game, and a move taken back are not in it.
        assert_eq!(left(&losses, "f5f6"), expected(58, 0, 0));
        assert_eq!(left(&losses, "f5d6c3"), expected(57, 0, 0));
        assert_eq!(
            left(&losses, "f5d6c3d3"),
            expected(56, 1, cost(&first, "c3"))
        );
        assert_eq!(unknown, expected(56, 0, 0));

        let nearly_full = Strength::by_discs(1.0).unwrap();
        assert!(losses.allowance(&after(&game), nearly_full).is_none());
        assert!(
            losses
                .allowance(&by_name("tictactoe").unwrap(), strength)
                .is_none()
        );
    }

    #[test]
    fn the_seed_depends_on_the_game_and_the_level() {
        let (losses, levels) = (
            LossRecord::default(),
            [3.0, 4.0].map(|discs| Strength::by_discs(discs).unwrap()),
        );
        let seed = |moves: &str, level: usize| {
            losses.allowance(&after(moves), levels[level]).unwrap().seed
        };
        assert_eq!(seed("f5d6", 0), seed("f5 d6", 0));
        let seeds = [
            seed("", 0),
            seed("f5d6", 0),
            seed("f5f6", 0),
            seed("f5d6", 1),
        ];
        for (index, other) in seeds.iter().enumerate() {
            assert!(!seeds[..index].contains(other));
        }
        // Two orders of the same moves are two games.
        assert_eq!(
            after("d3c3c4").write_position(),
            after("c4c3d3").write_position()
        );
        assert_ne!(seed("d3c3c4", 0), seed("c4c3d3", 0));
    }
}
