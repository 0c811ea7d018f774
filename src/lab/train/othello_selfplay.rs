//! Self-play of Othello: random opening moves, then both sides search to a fixed depth, and the last 12 empties are
//! solved.
//!
//! A game depends on its seed and number alone: the search table is cleared before each game, and exact scores do not
//! depend on the contents of the solver's table. NegaScout costs less than MTD(f) here: measurements.md#selfplay.

use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::eval::ReversiEvaluator;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::ReversiPolicy;
use crate::games::reversi::{Eight, Othello};
use crate::search::context::Context;
use crate::search::production::{Mtdf, NegaScout, Production};
use crate::search::schedule::Iteration;
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};

use super::game_file::PositionRecord;
use super::self_player::{SelfPlayer, iteration_depths};

/// Positions with at most this many empties are solved.
pub const SOLVED_EMPTIES: u8 = 12;
/// Random plies of a short opening, for variety.
const SHORT_OPENING: std::ops::RangeInclusive<u64> = 6..=21;
/// Random plies of a long opening, for unbalanced positions that a search must evaluate.
const LONG_OPENING: std::ops::RangeInclusive<u64> = 22..=45;
/// Percentage of games with a short opening.
const SHORT_OPENING_PERCENT: u64 = 65;
/// Percentage of random moves among the solved positions.
const RANDOM_MOVE_PERCENT: u64 = 30;
/// Bytes of the search's table.
const TABLE_BYTES: usize = 128 << 10;
/// Bytes of the solver's table.
const SOLVER_TABLE_BYTES: usize = 1 << 20;

/// Plays both sides of Othello.
pub struct OthelloSelfPlayer<E, K> {
    evaluator: E,
    policy: ReversiPolicy<Eight, E, K>,
    depth: u8,
    table: Table,
    solver_table: Table,
    control: SearchControl,
}

impl<E: ReversiEvaluator<Eight>, K: Kernels> OthelloSelfPlayer<E, K> {
    /// A player that searches to this depth.
    pub fn new(evaluator: E, kernel: K, depth: u8) -> Self {
        OthelloSelfPlayer {
            policy: ReversiPolicy::new(evaluator.clone(), kernel, Some(Draft::FULL)),
            evaluator,
            depth,
            table: Table::with_bytes(TABLE_BYTES),
            solver_table: Table::with_bytes(SOLVER_TABLE_BYTES),
            control: SearchControl::default(),
        }
    }

    /// The best move of a search to depth 1.
    fn best_by_evaluation(&self, position: &Othello) -> Option<Move> {
        let value = |child: Othello| child.final_score().unwrap_or_else(|| self.evaluator.evaluate(&child));
        position.moves().into_iter().min_by_key(|&m| value(position.play(m)))
    }
}

impl<E: ReversiEvaluator<Eight>, K: Kernels> SelfPlayer for OthelloSelfPlayer<E, K> {
    type Game = Othello;

    fn play_game(&mut self, seed: u64, number: u64) -> (Vec<PositionRecord<Othello>>, [u64; 2]) {
        let mut rng = Rng::for_stream(seed, number);
        let mut nodes = [0; 2];
        let mut game = Vec::new();
        let mut position = opening(&mut rng);
        self.table.clear();

        // The midgame: search scores; the results are filled in below.
        let mut guesses = [Score::ZERO; 2];
        while position.final_score().is_none() && position.plies_left() > SOLVED_EMPTIES {
            let moves = position.moves();
            let context = Context::new(&self.policy, Some(&self.table), &self.control);
            let mut search = Production::<NegaScout, _>::new(position, context);
            let (mut score, mut best) = (guesses[0], moves[0]);
            for depth in iteration_depths(self.depth) {
                let found = search.value(Iteration::full(depth), score, Window::FULL, &moves, &mut |_, _| {});
                if let Ok(found) = found {
                    (score, best) = found; // the search is never stopped
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

        // The endgame: exact scores, the first of which is the result of all earlier positions.
        let mut solve = |position: &Othello, guess: Score| {
            let (score, visited) = solve(&self.policy, &self.solver_table, position, guess, &self.control);
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
            let is_random = rng.below(100) < RANDOM_MOVE_PERCENT;
            let m = if is_random { rng.choose(&moves).copied() } else { self.best_by_evaluation(&position) };
            let Some(m) = m else { break };
            position = position.play(m);
            score = solve(&position, -score);
        }
        (game, nodes)
    }
}

/// A position after random moves in which the game is not over.
fn opening(rng: &mut Rng) -> Othello {
    loop {
        let is_short = rng.below(100) < SHORT_OPENING_PERCENT;
        let plies = rng.within(if is_short { &SHORT_OPENING } else { &LONG_OPENING });
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

fn record(position: Othello, score: Score, first: bool, exact: bool) -> PositionRecord<Othello> {
    PositionRecord { position, score: score.0 as i16, result: (score.0 / 100) as i8, first, exact }
}

/// The exact score by MTD(f) from a first guess, and the nodes visited.
pub fn solve<E: ReversiEvaluator<Eight>, K: Kernels>(
    policy: &ReversiPolicy<Eight, E, K>,
    table: &Table,
    position: &Othello,
    guess: Score,
    control: &SearchControl,
) -> (Score, u64) {
    if let Some(score) = position.final_score() {
        return (score, 0);
    }
    let mut search = Production::<Mtdf, _>::new(*position, Context::new(policy, Some(table), control));
    let moves = position.moves();
    let found = search.value(Iteration::full(position.plies_left()), guess, Window::FULL, &moves, &mut |_, _| {});
    let score = found.map_or(guess, |(score, _)| score); // the search is never stopped
    (score, search.cx.counters.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::eval::mobility::Mobility;
    use crate::search::isa::Portable;
    use crate::search::textbook::{TextbookContext, fail_soft};

    fn player(depth: u8) -> OthelloSelfPlayer<Mobility, Portable> {
        OthelloSelfPlayer::new(Mobility, Portable::token(), depth)
    }

    /// Each game is played twice by one player: a table that was not cleared would know its positions the second time.
    #[test]
    fn games_depend_on_seed_and_number_alone() {
        let mut other = player(6);
        let games: Vec<_> = (0..3).map(|number| player(6).play_game(3, number)).collect();
        for (number, game) in games.iter().enumerate().rev() {
            for _ in 0..2 {
                let (records, nodes) = other.play_game(3, number as u64);
                assert!((&records, nodes[0]) == (&game.0, game.1[0]), "game {number}");
            }
        }
        assert!(games.iter().any(|(records, _)| records.len() > 20));
    }

    #[test]
    fn results_are_those_of_the_side_to_move_and_exact_ones_are_correct() {
        let control = SearchControl::default();
        for number in 0..8 {
            let (game, _) = player(1).play_game(4, number);
            let Some(solved) = game.iter().find(|record| record.exact) else { continue };
            for record in game.iter().filter(|record| !record.exact) {
                let sign = if record.position.to_move() == solved.position.to_move() { 1 } else { -1 };
                assert_eq!(record.result, sign * solved.result);
            }
            for record in game.iter().filter(|record| record.exact && record.position.plies_left() <= 8) {
                let mut cx = TextbookContext::new(&Mobility, None, &control);
                let value =
                    fail_soft(&mut cx, &record.position, record.position.plies_left(), 0, Window::FULL).unwrap();
                assert_eq!(100 * i32::from(record.result), value.0);
            }
        }
    }
}
