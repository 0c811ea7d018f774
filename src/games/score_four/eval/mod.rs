//! The evaluation: open lines by class and pattern, future threats by column, and zugzwang on the
//! full board. The [`weights`] are fitted to results of self-play:
//! `src/games/score_four/measurements.md#evaluation`.
//!
//! Only quiet positions are evaluated: forced replies are played first, immediate wins and losses
//! have their exact score. Values are 256 times the log-odds of winning, in multiples of [`ROUND`].
//!
//! `plain.txt` is the evaluation of document 003 in the same format (4, 16, 64 for a line with one,
//! two, three stones of one side alone), the baseline of the fitted weights:
//! `--option EvalFile=src/games/score_four/eval/plain.txt`.

use std::sync::{Arc, LazyLock};

use crate::game::score::Score;
use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::logging::SEARCH;
use crate::search::core::policy::Evaluate;
use crate::search::fitted::FittedError;

use super::bitboard::Bitboards;

pub mod lines;
mod tactics;
mod threats;
pub mod weights;

pub use tactics::{Tactics, tactics};

use lines::{ALL, CLASSES, through};
use threats::FutureThreats;
use weights::{LINES, Phases, ScoreFourWeights, TERMS, line_term};

/// Values are multiples of this: a finer grain costs nodes and adds no strength.
pub const ROUND: i32 = 12; // measured: see ../measurements.md#grain
/// Values are log-odds (natural logarithm) times this.
pub const UNIT: f32 = 256.0;
/// Values are clamped to this: below any decided game.
const LIMIT: i32 = 9_000;

/// The built-in weights.
pub const BUILT_IN: &str = include_str!("weights.txt");

/// Both phases in a word: the late weight in the upper half, the early one in the lower (and
/// borrowing from it if negative).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct PackedPhases(i32);

impl PackedPhases {
    const fn new([early, late]: Phases) -> PackedPhases {
        PackedPhases(((late as i32) << 16) + early as i32)
    }

    /// The value interpolated by the number of stones on the board, times 64.
    #[inline(always)]
    const fn interpolated(self, stones: i32) -> i32 {
        let early = self.0 as i16 as i32;
        let late = (self.0 - early) >> 16;
        early * (64 - stones) + late * stones
    }
}

/// Weights in the form that the evaluation reads.
#[derive(Debug)]
struct Tables {
    /// By term; zero for a line without stones.
    terms: [PackedPhases; TERMS],
    /// By stones on the board, for the side to move, times 64.
    moves: [i32; 65],
}

impl Tables {
    fn new(weights: &ScoreFourWeights) -> Tables {
        Tables {
            terms: std::array::from_fn(|term| PackedPhases::new(weights.terms[term])),
            moves: weights.moves.map(|value| 64 * i32::from(value)),
        }
    }
}

/// The learned evaluation; cheap to clone.
#[derive(Clone, Debug)]
pub struct ScoreFourEvaluator {
    tables: Arc<Tables>,
    /// A hash of the weights.
    id: u64,
}

impl Default for ScoreFourEvaluator {
    /// The built-in evaluation, unpacked on first use.
    fn default() -> ScoreFourEvaluator {
        static LEARNED: LazyLock<ScoreFourEvaluator> = LazyLock::new(|| {
            ScoreFourEvaluator::from_text(BUILT_IN)
                .unwrap_or_else(|error| unreachable!("the built-in weights: {error}"))
        });
        LEARNED.clone()
    }
}

impl ScoreFourEvaluator {
    /// The evaluation with the weights in a text ([`ScoreFourWeights::read`]).
    pub fn from_text(text: &str) -> Result<ScoreFourEvaluator, FittedError> {
        log::debug!(target: SEARCH, "weights of Score Four: {} bytes", text.len());
        Ok(ScoreFourEvaluator::from(&ScoreFourWeights::read(text)?))
    }

    /// A hash of the weights: two evaluations with the same are the same.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The value of a quiet position for the side to move; `lines`: the packed sum of its line
    /// terms.
    #[inline(always)]
    fn quiet(&self, board: &Bitboards, lines: i32) -> i32 {
        let stones = board.stones() as i32;
        let first_moves = stones % 2 == 0;
        let mut extra = PackedPhases::default();
        let weights = &self.tables.terms;
        FutureThreats::of(board).terms(|term, sign| extra.0 += sign * weights[term].0);
        let sum = PackedPhases(lines).interpolated(stones) + extra.interpolated(stones);
        let value = if first_moves { sum } else { -sum } + self.tables.moves[stones as usize & 63];
        // Round to the nearest multiple, halves away from zero.
        let whole = 64 * ROUND;
        let value = (value + if value < 0 { -whole / 2 } else { whole / 2 }) / whole * ROUND;
        value.clamp(-LIMIT, LIMIT)
    }

    /// The packed sum of line terms after player `by` (0: first) plays on `cell`; `own` are its
    /// stones before.
    #[inline(always)]
    fn lines_after(&self, lines: i32, own: u64, other: u64, cell: u8, by: usize) -> i32 {
        let (sides, _) = self.tables.terms.as_chunks::<{ LINES / 2 }>();
        let [mine, theirs] = [&sides[by & 1], &sides[(by & 1) ^ 1]];
        let mut gain = 0;
        for through in through(cell) {
            let line = &ALL[through.line as usize % ALL.len()];
            let (own, other) = (line.pattern(own), line.pattern(other));
            let class = line.class as usize % CLASSES;
            let term = |pattern| line_term(0, class, pattern & 15);
            let more = mine[term(own | through.bit as usize)].0 - mine[term(own)].0;
            // A line with stones of both sides has no value.
            gain += if other == 0 { more } else { 0 };
            gain += if own == 0 { theirs[term(other)].0 } else { 0 };
        }
        lines + if by == 0 { gain } else { -gain }
    }
}

impl From<&ScoreFourWeights> for ScoreFourEvaluator {
    fn from(weights: &ScoreFourWeights) -> ScoreFourEvaluator {
        let id = weights
            .rows()
            .into_iter()
            .flat_map(|row| (row + "\n").into_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
            });
        ScoreFourEvaluator {
            tables: Arc::new(Tables::new(weights)),
            id,
        }
    }
}

/// Incremental data of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvalData {
    /// See [`Bitboards::own_threats`].
    pub own_threats: u64,
    /// See [`Bitboards::other_threats`].
    pub other_threats: u64,
    /// The packed sum of line terms for the first player.
    lines: i32,
    /// Stones on the board.
    pub stones: i32,
}

impl EvalData {
    /// The position as a board.
    #[inline(always)]
    pub const fn board(&self, position: &ScoreFour) -> Bitboards {
        Bitboards {
            own: position.own,
            other: position.other,
            own_threats: self.own_threats,
            other_threats: self.other_threats,
        }
    }
}

impl Evaluate<ScoreFour> for ScoreFourEvaluator {
    type Data = EvalData;
    /// Scores of decided games differ by one; evaluations are coarser.
    const GRAIN: i32 = 1;

    fn fresh(&self, position: &ScoreFour) -> EvalData {
        let board = Bitboards::of(position);
        let mut lines = 0;
        terms(&board, |term, sign| {
            if term < LINES {
                lines += sign * self.tables.terms[term].0;
            }
        });
        let Bitboards {
            own_threats,
            other_threats,
            ..
        } = board;
        EvalData {
            own_threats,
            other_threats,
            lines,
            stones: position.stones(),
        }
    }

    #[inline(always)]
    fn update(&self, parent: &ScoreFour, data: EvalData, m: Move, _child: &ScoreFour) -> EvalData {
        let cell = parent.landing(m.square());
        let after = data.board(parent).play(u32::from(cell));
        let by = data.stones as usize & 1;
        EvalData {
            own_threats: after.own_threats,
            other_threats: after.other_threats,
            lines: self.lines_after(data.lines, parent.own, parent.other, cell, by),
            stones: data.stones + 1,
        }
    }

    #[inline(always)]
    fn score(&self, position: &ScoreFour, data: EvalData) -> Score {
        let mut board = data.board(position);
        let EvalData {
            mut lines,
            mut stones,
            ..
        } = data;
        let mut ours = true;
        loop {
            let score = match tactics(&board, stones) {
                Tactics::Decided(score) => score,
                Tactics::Quiet => Score(self.quiet(&board, lines)),
                Tactics::Forced(cell) => {
                    lines = self.lines_after(
                        lines,
                        board.own,
                        board.other,
                        cell as u8,
                        stones as usize & 1,
                    );
                    board = board.play(cell);
                    stones += 1;
                    ours = !ours;
                    continue;
                }
            };
            return if ours { score } else { -score };
        }
    }
}

/// Calls `take` with each term of a quiet position, and 1 or -1: whether it counts for or against
/// the first player. For fitting, and the oracle of the incremental evaluation.
pub fn terms(board: &Bitboards, mut take: impl FnMut(usize, i32)) {
    let first_moves = board.stones().is_multiple_of(2);
    let (first, second) = if first_moves {
        (board.own, board.other)
    } else {
        (board.other, board.own)
    };
    for line in &ALL {
        let class = usize::from(line.class);
        match (line.pattern(first), line.pattern(second)) {
            (0, 0) => {}
            (pattern, 0) => take(line_term(0, class, pattern), 1),
            (0, pattern) => take(line_term(1, class, pattern), -1),
            _ => {}
        }
    }
    FutureThreats::of(board).terms(take);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    /// Calls `with` with the positions of some random games, each with the move played next.
    fn random_games(seed: u64, games: u64, mut with: impl FnMut(ScoreFour, Option<Move>)) {
        for game in 0..games {
            let mut rng = Rng::for_stream(seed, game);
            let mut position = ScoreFour::start();
            while position.final_score().is_none() {
                let board = Bitboards::of(&position);
                let safe = board.non_losing(board.playable());
                let moves = position.moves();
                let quiet: Vec<Move> = moves
                    .iter()
                    .copied()
                    .filter(|m| safe >> position.landing(m.square()) & 1 != 0)
                    .collect();
                // Mostly moves that do not lose at once, for long games.
                let among = if quiet.is_empty() || rng.below(8) == 0 {
                    &moves[..]
                } else {
                    &quiet
                };
                let m = rng.choose(among).copied();
                with(position, m);
                position = m.map_or(position, |m| position.play(m));
            }
        }
    }

    #[test]
    fn incremental_data_equals_data_from_scratch() {
        let learned = ScoreFourEvaluator::default();
        let mut data = None;
        random_games(1, 60, |position, m| {
            let fresh = learned.fresh(&position);
            let carried = if position.stones() == 0 {
                fresh
            } else {
                data.unwrap()
            };
            // Threats on cells that are no longer empty may differ.
            let empty = !(position.own | position.other);
            let seen = |data: EvalData| {
                (
                    data.own_threats & empty,
                    data.other_threats & empty,
                    data.lines,
                    data.stones,
                )
            };
            assert_eq!(seen(carried), seen(fresh), "{position:?}");
            let m = m.unwrap();
            data = Some(learned.update(&position, carried, m, &position.play(m)));
        });
    }

    #[test]
    fn symmetric_positions_have_the_same_value() {
        let learned = ScoreFourEvaluator::default();
        let mut values = std::collections::HashSet::new();
        random_games(2, 20, |position, _| {
            let value = learned.evaluate(&position);
            values.insert(value.0);
            for symmetry in 1..ScoreFour::SYMMETRIES {
                assert_eq!(
                    learned.evaluate(&position.image(symmetry)),
                    value,
                    "{position:?} {symmetry}"
                );
            }
        });
        assert!(values.len() > 50);
    }

    /// Whether the side to move completes a line with this move.
    fn wins(position: &ScoreFour, m: Move) -> bool {
        position
            .play(m)
            .final_score()
            .is_some_and(|score| score.0 < 0)
    }

    #[test]
    fn tactics_agree_with_the_rules() {
        let mut seen = [0; 4];
        random_games(3, 200, |position, _| {
            let moves = position.moves();
            let win = moves.iter().any(|&m| wins(&position, m));
            let safe: Vec<Move> = moves
                .into_iter()
                .filter(|&m| {
                    let next = position.play(m);
                    !next.moves().into_iter().any(|reply| wins(&next, reply))
                })
                .collect();
            let stones = position.stones();
            let expected = match (win, &safe[..]) {
                (true, _) => Tactics::Decided(Score(10_000 - stones - 1)),
                (false, []) => Tactics::Decided(Score(-(10_000 - stones - 2))),
                (false, &[m]) => Tactics::Forced(u32::from(position.landing(m.square()))),
                _ => Tactics::Quiet,
            };
            assert_eq!(
                tactics(&Bitboards::of(&position), stones),
                expected,
                "{position:?}"
            );
            seen[if win { 0 } else { 1 + safe.len().min(2) }] += 1;
        });
        assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
    }

    #[test]
    fn the_value_is_the_sum_of_its_terms() {
        let weights = ScoreFourWeights::read(BUILT_IN).unwrap();
        let learned = ScoreFourEvaluator::default();
        let mut quiet = 0;
        random_games(4, 40, |position, _| {
            let (board, stones) = (Bitboards::of(&position), position.stones());
            if tactics(&board, stones) != Tactics::Quiet {
                return;
            }
            let mut sum = 0.0;
            terms(&board, |term, sign| {
                let [early, late] = weights.terms[term].map(f64::from);
                let share = f64::from(stones) / 64.0;
                sum += f64::from(sign) * (early * (1.0 - share) + late * share);
            });
            let own = if stones % 2 == 0 { sum } else { -sum }
                + f64::from(weights.moves[stones as usize]);
            let value = learned.evaluate(&position).0;
            assert!(
                (own - f64::from(value)).abs() <= f64::from(ROUND) / 2.0,
                "{own} {value}"
            );
            quiet += 1;
        });
        assert!(quiet > 200);
    }
}
