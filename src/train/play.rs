//! One game of self-play: random moves first, then both sides search to a fixed depth, and the last dozen squares are solved.
//!
//! A game is a function of its seed and number alone: its search has a table of its own, and solved scores do not depend on
//! theirs.
//!
//! At these depths NegaScout with its window around the shallow score takes a tenth less than MTD(f) from that score: 14.4 against 16.1 M
//! instructions a game at depth 4, the solver's share included. Without the shallow search, 16.9 and 15.8 M.

use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::eval::EvaluateOn;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::Midgame;
use crate::games::reversi::{Eight, Othello};
use crate::search::context::{Context, Watch};
use crate::search::deepening::Stage;
use crate::search::production::{Mtdf, NegaScout, Production};
use crate::search::table::{Draft, Table};

use super::record::{Record, Recorded};

/// From so many empty squares on positions are solved.
pub const SOLVED_FROM: u8 = 12;
/// Random plies at the start: mostly a few, so that games take all kinds of courses; sometimes many, so that positions come up that
/// good players avoid and a search must still judge.
const FEW: std::ops::RangeInclusive<u64> = 6..=21;
const MANY: std::ops::RangeInclusive<u64> = 22..=45;
/// Percent of games with few.
const MOSTLY: u64 = 65;
/// Percent of moves that are random when all is solved.
const STRAY: u64 = 30;
/// Bytes of a game's table.
const TABLE: usize = 128 << 10;
/// Bytes of the solver's table.
const SOLVER_TABLE: usize = 1 << 20;

/// Who plays both sides of a game that is learnt.
pub trait Plays {
    /// The game.
    type Game: Recorded;

    /// Game `number` of a seed: its positions from the first that was searched on, and the nodes visited by search and
    /// solver.
    fn game(&mut self, seed: u64, number: u64) -> (Vec<Record<Self::Game>>, [u64; 2]);
}

/// Who plays both sides of Othello.
pub struct Player<E, K> {
    evaluator: E,
    policy: Midgame<Eight, E, K>,
    depth: u8,
    table: Table,
    solved: Table,
    watch: Watch,
}

impl<E: EvaluateOn<Eight>, K: Kernels> Player<E, K> {
    /// A player who searches so many plies.
    pub fn new(evaluator: E, kernel: K, depth: u8) -> Self {
        Player {
            policy: Midgame::new(evaluator.clone(), kernel, Some(Draft::FULL)),
            evaluator,
            depth,
            table: Table::with_bytes(TABLE),
            solved: Table::with_bytes(SOLVER_TABLE),
            watch: Watch::default(),
        }
    }

    /// The move that looks best one ply ahead.
    fn likely(&self, position: &Othello) -> Option<Move> {
        let value = |child: Othello| child.final_score().unwrap_or_else(|| self.evaluator.evaluate(&child));
        position.moves().into_iter().min_by_key(|&m| value(position.play(m)))
    }
}

impl<E: EvaluateOn<Eight>, K: Kernels> Plays for Player<E, K> {
    type Game = Othello;

    fn game(&mut self, seed: u64, number: u64) -> (Vec<Record<Othello>>, [u64; 2]) {
        let mut rng = Rng::for_stream(seed, number);
        let mut nodes = [0; 2];
        let mut game = Vec::new();
        let mut position = opening(&mut rng);
        self.table.clear();

        // The middle game: the searched score of each position, whose result is filled in later.
        let mut guesses = [Score::ZERO; 2];
        while position.final_score().is_none() && position.plies_left() > SOLVED_FROM {
            let moves = position.moves();
            let context = Context::new(&self.policy, Some(&self.table), &self.watch);
            let mut search = Production::<NegaScout, _>::new(position, context);
            let (mut score, mut best) = (guesses[0], moves[0]);
            for depth in stages(self.depth) {
                let found = search.value(Stage::full(depth), score, Window::FULL, &moves, &mut |_, _, _, _| {});
                if let Ok(found) = found {
                    (score, best) = found; // it always is: nobody stops it
                }
            }
            nodes[0] += search.cx.counters.nodes;
            game.push(record(position, score, game.is_empty(), false));
            guesses = [guesses[1], score];
            if best.is_pass() {
                guesses = [-score, -guesses[0]];
            }
            position = position.play(best);
        }

        // The end: solved, and the result of all that came before.
        let mut solve = |position: &Othello, guess: Score| {
            let (score, visited) = exact(&self.policy, &self.solved, position, guess, &self.watch);
            nodes[1] += visited;
            score
        };
        let mut score = solve(&position, guesses[0]);
        for record in &mut game {
            let same = record.position.to_move() == position.to_move();
            record.result = ((if same { score } else { -score }).0 / 100) as i8;
        }
        loop {
            if position.final_score().is_some() {
                break;
            }
            game.push(record(position, score, game.is_empty(), true));
            let moves = position.moves();
            let m = if rng.below(100) < STRAY { rng.choose(&moves).copied() } else { self.likely(&position) };
            let Some(m) = m else { break };
            position = position.play(m);
            score = solve(&position, -score);
        }
        (game, nodes)
    }
}

/// A position after random moves where the game goes on.
fn opening(rng: &mut Rng) -> Othello {
    loop {
        let few = rng.below(100) < MOSTLY;
        let plies = rng.within(if few { &FEW } else { &MANY });
        let mut position = Othello::start();
        for _ in 0..plies {
            let Some(&m) = rng.choose(&position.moves()) else { break };
            position = position.play(m);
        }
        if position.final_score().is_none() {
            return position;
        }
    }
}

/// The depths on the way: a shallow search first puts the moves in order.
pub fn stages(depth: u8) -> impl Iterator<Item = u8> {
    let first = if depth > 3 { depth - 2 } else { 1 };
    (first..=depth).step_by(if depth > 3 { 2 } else { usize::from(depth.max(2)) - 1 })
}

fn record(position: Othello, score: Score, first: bool, exact: bool) -> Record<Othello> {
    Record { position, score: score.0 as i16, result: (score.0 / 100) as i8, first, exact }
}

/// The score of perfect play, by null windows from a guess, and the nodes visited.
pub fn exact<E: EvaluateOn<Eight>, K: Kernels>(
    policy: &Midgame<Eight, E, K>,
    table: &Table,
    position: &Othello,
    guess: Score,
    watch: &Watch,
) -> (Score, u64) {
    if let Some(score) = position.final_score() {
        return (score, 0);
    }
    let mut search = Production::<Mtdf, _>::new(*position, Context::new(policy, Some(table), watch));
    let moves = position.moves();
    let found = search.value(Stage::full(position.plies_left()), guess, Window::FULL, &moves, &mut |_, _, _, _| {});
    let score = found.map_or(guess, |(score, _)| score); // nobody stops it
    (score, search.cx.counters.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::eval::mobility::Mobility;
    use crate::search::isa::Portable;
    use crate::search::textbook::TextbookContext;
    use crate::search::textbook::fail_soft;

    fn player(depth: u8) -> Player<Mobility, Portable> {
        Player::new(Mobility, Portable::token(), depth)
    }

    #[test]
    fn games_depend_on_seed_and_number_alone() {
        let mut other = player(2);
        let games: Vec<_> = (0..6).map(|number| player(2).game(3, number).0).collect();
        for (number, game) in games.iter().enumerate().rev() {
            assert_eq!(&other.game(3, number as u64).0, game);
        }
        assert!(games.iter().any(|game| game.len() > 20));
    }

    #[test]
    fn results_are_seen_from_the_side_to_move_and_solved_ones_are_right() {
        let watch = Watch::default();
        for number in 0..8 {
            let (game, _) = player(1).game(4, number);
            let Some(solved) = game.iter().find(|record| record.exact) else { continue };
            for record in game.iter().filter(|record| !record.exact) {
                let sign = if record.position.to_move() == solved.position.to_move() { 1 } else { -1 };
                assert_eq!(record.result, sign * solved.result);
            }
            for record in game.iter().filter(|record| record.exact && record.position.plies_left() <= 8) {
                let mut cx = TextbookContext::new(&Mobility, None, &watch);
                let value =
                    fail_soft(&mut cx, &record.position, record.position.plies_left(), 0, Window::FULL).unwrap();
                assert_eq!(100 * i32::from(record.result), value.0);
            }
        }
    }

    #[test]
    fn the_last_stage_is_the_depth() {
        for depth in 1..9 {
            assert_eq!(stages(depth).last(), Some(depth));
        }
    }
}
