//! Self-play of Score Four: random moves that do not lose at once, then both sides search to a fixed depth until a
//! search finds a decided score or the board is full.

use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::bitboard::Bitboards;
use crate::games::score_four::eval::{ScoreFourEvaluator, Tactics, tactics};
use crate::games::score_four::policy;
use crate::lab::train::game_file::PositionRecord;
use crate::lab::train::self_player::{SelfPlayer, iteration_depths};
use crate::search::context::Context;
use crate::search::isa::Isa;
use crate::search::production::{Mtdf, Production};
use crate::search::schedule::Iteration;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// Random plies of a short opening.
const SHORT_OPENING: std::ops::RangeInclusive<u64> = 2..=13;
/// Random plies of a long opening, for unbalanced positions.
const LONG_OPENING: std::ops::RangeInclusive<u64> = 14..=36;
/// Percentage of games with a short opening.
const SHORT_OPENING_PERCENT: u64 = 65;
/// Bytes of the search's table.
const TABLE_BYTES: usize = 256 << 10;

/// Plays both sides of Score Four.
pub struct ScoreFourSelfPlayer<I> {
    policy: policy::ScoreFourPolicy<I>,
    depth: u8,
    table: Table,
    control: SearchControl,
}

impl<I: Isa> ScoreFourSelfPlayer<I> {
    /// A player that searches to this depth.
    pub fn new(evaluator: ScoreFourEvaluator, isa: I, depth: u8) -> Self {
        let policy = policy::ScoreFourPolicy::new(evaluator, isa, None);
        ScoreFourSelfPlayer { policy, depth, table: Table::with_bytes(TABLE_BYTES), control: SearchControl::default() }
    }

    /// Searches to the given depths in turn; returns the last score, the best move, and the nodes.
    pub fn search(
        &mut self,
        position: ScoreFour,
        depths: impl Iterator<Item = u8>,
        guess: Score,
    ) -> (Score, Move, u64) {
        let moves = position.moves();
        let context = Context::new(&self.policy, Some(&self.table), &self.control);
        let mut search = Production::<Mtdf, _>::new(position, context);
        let (mut score, mut best) = (guess, moves[0]);
        for depth in depths {
            let found = search.value(Iteration::full(depth), score, Window::FULL, &moves, &mut |_, _| {});
            if let Ok(found) = found {
                (score, best) = found; // the search is never stopped
            }
        }
        (score, best, search.cx.counters.nodes)
    }

    /// Clears the table before a new game.
    pub fn new_game(&mut self) {
        self.table.clear();
    }
}

impl<I: Isa> SelfPlayer for ScoreFourSelfPlayer<I> {
    type Game = ScoreFour;

    fn play_game(&mut self, seed: u64, number: u64) -> (Vec<PositionRecord<ScoreFour>>, [u64; 2]) {
        let mut rng = Rng::for_stream(seed, number);
        let mut position = opening(&mut rng);
        let mut game: Vec<PositionRecord<ScoreFour>> = Vec::new();
        let mut nodes = 0;
        let mut guesses = [Score::ZERO; 2];
        self.new_game();
        // The result for the side to move at the end.
        let result = loop {
            if let Some(score) = position.final_score() {
                break score.0.signum();
            }
            let (score, best, visited) = self.search(position, iteration_depths(self.depth), guesses[0]);
            nodes += visited;
            let decided = score.is_decided();
            let first = game.is_empty();
            game.push(PositionRecord { position, score: score.0 as i16, result: 0, first, exact: decided });
            if decided {
                break score.0.signum();
            }
            guesses = [guesses[1], score];
            position = position.play(best);
        };
        let winner = if result == 0 { None } else { Some(result > 0) };
        for record in &mut game {
            let same = record.position.to_move() == position.to_move();
            record.result = winner.map_or(0, |mover| if mover == same { 1 } else { -1 });
        }
        (game, [nodes, 0])
    }
}

/// A position after random moves that is not decided.
pub fn opening(rng: &mut Rng) -> ScoreFour {
    loop {
        let is_short = rng.below(100) < SHORT_OPENING_PERCENT;
        let plies = rng.within(if is_short { &SHORT_OPENING } else { &LONG_OPENING });
        if let Some(position) = (0..plies).try_fold(ScoreFour::start(), |position, _| random_quiet_move(&position, rng))
        {
            return position;
        }
    }
}

/// The position after a random move that does not lose at once; `None` if it is decided.
pub fn random_quiet_move(position: &ScoreFour, rng: &mut Rng) -> Option<ScoreFour> {
    let board = Bitboards::of(position);
    let safe = board.non_losing(board.playable());
    let moves: Vec<Move> =
        position.moves().into_iter().filter(|m| safe >> position.landing(m.square()) & 1 != 0).collect();
    let next = position.play(*rng.choose(&moves)?);
    let decided =
        next.final_score().is_some() || matches!(tactics(&Bitboards::of(&next), next.stones()), Tactics::Decided(_));
    (!decided).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::isa::Portable;

    /// Each game is played twice by one player: a table that was not cleared would know its positions the second time.
    #[test]
    fn games_depend_on_seed_and_number_alone_and_end_with_a_decided_score() {
        let player = || ScoreFourSelfPlayer::new(ScoreFourEvaluator::default(), Portable::token(), 4);
        let mut other = player();
        let games: Vec<_> = (0..4).map(|number| player().play_game(3, number)).collect();
        for (number, game) in games.iter().enumerate().rev() {
            for _ in 0..2 {
                assert!(&other.play_game(3, number as u64) == game, "game {number}");
            }
        }
        for (game, _) in &games {
            let last = game.last().unwrap();
            assert!(last.exact == (i32::from(last.score).abs() > 9_000));
            assert!(!last.exact || i32::from(last.result) == i32::from(last.score).signum());
            assert!(game.windows(2).all(|pair| pair[0].result == -pair[1].result));
        }
        assert!(games.iter().any(|(game, _)| game.iter().any(|record| record.result != 0)));
    }
}
