//! The evaluation of Score Four: open lines by what lies on them, cells that complete lines by height, and who is in
//! zugzwang in the end. What each is worth our own games taught ([`weights`]).
//!
//! A value is told where nothing is forced: while one side has to fill the only cell that keeps it alive, it does. So wins in
//! sight are seen and have their exact score. Before that, values are 256 times the logarithm of the chances (256: three to one
//! or a little less), in whole multiples of [`ROUND`].
//!
//! [`PLAIN`] is document 003's evaluation, 4, 16, 64 for a line with one, two, three stones of one side alone, in the same
//! terms: the baseline that the learnt weights are measured by (`--option EvalFile=src/games/score_four/eval/plain.txt`).
//!
//! # How it came about
//!
//! `scripts/train-scorefour.sh`: three generations, 61,239 games at depths 3 and 4. Loss is that of the chances on games held out, in nats
//! (0.693: nothing learnt), on targets of TD(0.9).
//!
//! | generation | learnt from | loss | against the one before, depth 5 |
//! |---|---|---|---|
//! | 0 | 0.60 M positions of 4, 16, 64 at depth 3 | 0.644 | 74.2 +- 7.8 % of 120 (against 4, 16, 64, depth 4) |
//! | 1 | 0.82 M of generation 0 at depth 4 | 0.610 | 59.2 +- 8.5 % of 120 |
//! | **2** | 1.02 M of generations 0 and 1 at depth 4 | 0.606 | 55.4 +- 7.8 % of 120 |
//!
//! Generation 1 with targets of TD(0.7) has 42.1 +- 7.6 % against TD(0.9), with results alone 47.9 +- 7.3 %.
//!
//! Its points against 4, 16, 64, by matches from the built-in openings, colours swapped; the sorting policy knows no forced replies and
//! is what played Score Four before:
//!
//! | | 4, 16, 64 in the same search | 4, 16, 64 in the sorting policy |
//! |---|---|---|
//! | depth 4, 100 games | 82.0 +- 6.7 % | 76.0 +- 8.9 % |
//! | depth 6, 100 games | 84.0 +- 6.5 % | 83.0 +- 7.6 % |
//! | 0.1 s a move | 88.0 +- 8.4 % of 50 games | 87.5 +- 4.7 % of 200 (175-0-25) |

use std::sync::{Arc, OnceLock};

use crate::game::score::Score;
use crate::game::{Game, Move};
use crate::games::score_four::ScoreFour;
use crate::search;
use crate::search::policy::Evaluate;

use super::bitboard::Board;

mod above;
pub mod lines;
mod settled;
pub mod weights;

pub use settled::{Settled, settled};

use above::Above;
use lines::{ALL, CLASSES, PATTERNS, through};
use weights::{COLUMNS, LINES, Phases, Weights, WeightsError, line_term, zugzwang_term};

/// Values are multiples of this: finer ones cost nodes and tell nothing.
pub const ROUND: i32 = 4;
/// Values are so many times the natural logarithm of the chances.
pub const UNIT: f32 = 256.0;
/// Values stay inside this on both sides: a decided game is worth more.
const LIMIT: i32 = 9_000;

/// The weights that the binary carries.
pub const BUILT_IN: &str = include_str!("weights.txt");
/// Document 003's.
pub const PLAIN: &str = include_str!("plain.txt");

/// Two phases in a word: the late value above the early one, which borrows from it if negative.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Packed(i32);

impl Packed {
    const fn new([early, late]: Phases) -> Packed {
        Packed(((late as i32) << 16) + early as i32)
    }

    /// The value with so many stones on the board, times 64.
    #[inline(always)]
    const fn mixed(self, stones: i32) -> i32 {
        let early = self.0 as i16 as i32;
        let late = (self.0 - early) >> 16;
        early * (64 - stones) + late * stones
    }
}

/// Weights, ready for use.
#[derive(Debug)]
struct Tables {
    /// By side, class, pattern; nothing for a pattern without stones.
    lines: [[[Packed; PATTERNS]; CLASSES]; 2],
    /// By stones and levels ([`column_term`]).
    columns: [Packed; COLUMNS],
    zugzwang: [Packed; 2],
    /// By stones, for the side to move, times 64.
    moves: [i32; 65],
}

impl Tables {
    fn new(weights: &Weights) -> Tables {
        let packed = |term: usize| Packed::new(weights.terms[term]);
        let line = |side, class, pattern| packed(line_term(side, class, pattern));
        Tables {
            lines: [0, 1]
                .map(|side| std::array::from_fn(|class| std::array::from_fn(|pattern| line(side, class, pattern)))),
            columns: std::array::from_fn(|column| packed(LINES + column)),
            zugzwang: [0, 1].map(|side| packed(zugzwang_term(side))),
            moves: weights.moves.map(|value| 64 * i32::from(value)),
        }
    }
}

/// The learnt evaluation; a handle that costs nothing to copy.
#[derive(Clone, Debug)]
pub struct Learnt {
    tables: Arc<Tables>,
    /// A number that tells these weights from others.
    id: u64,
}

impl Default for Learnt {
    /// The evaluation that the binary carries, made ready when it is first asked for.
    fn default() -> Learnt {
        static LEARNT: OnceLock<Learnt> = OnceLock::new();
        let built_in =
            || Learnt::from_text(BUILT_IN).unwrap_or_else(|error| unreachable!("the built-in weights: {error}"));
        LEARNT.get_or_init(built_in).clone()
    }
}

impl Learnt {
    /// The evaluation that a weight file's text holds.
    pub fn from_text(text: &str) -> Result<Learnt, WeightsError> {
        Ok(Learnt::from(&Weights::read(text)?))
    }

    /// The evaluation with the weights that a user chose, or the built-in one.
    pub fn chosen(weights: Option<&search::Weights>) -> Learnt {
        weights.and_then(|weights| weights.downcast_ref::<Learnt>().cloned()).unwrap_or_default()
    }

    /// A number that tells the evaluation from others.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The value for the side to move of a position in which nothing is forced.
    #[inline(always)]
    fn quiet(&self, board: &Board, lines: i32) -> i32 {
        let stones = board.stones() as i32;
        let first_moves = stones % 2 == 0;
        let mut extra = Packed::default();
        let above = Above::of(board);
        if above.any() != 0 {
            let tables = &self.tables;
            above.columns(|term| extra.0 += tables.columns[term & (COLUMNS - 1)].0);
            match above.zugzwang() {
                1.. => extra.0 += tables.zugzwang[0].0,
                0 => {}
                _ => extra.0 -= tables.zugzwang[1].0,
            }
        }
        let mixed = Packed(lines).mixed(stones) + extra.mixed(stones);
        let value = if first_moves { mixed } else { -mixed } + self.tables.moves[stones as usize & 63];
        // Rounded to the nearest multiple, halves away from zero.
        let whole = 64 * ROUND;
        let value = (value + if value < 0 { -whole / 2 } else { whole / 2 }) / whole * ROUND;
        value.clamp(-LIMIT, LIMIT)
    }

    /// The lines after a stone on an empty cell, for the first player.
    #[inline(always)]
    fn lines_after(&self, lines: i32, own: u64, other: u64, cell: u8, by: usize) -> i32 {
        let [mine, theirs] = [&self.tables.lines[by & 1], &self.tables.lines[(by & 1) ^ 1]];
        let mut gain = 0;
        for through in through(cell) {
            let line = &ALL[through.line as usize % ALL.len()];
            let (own, other) = (line.pattern(own), line.pattern(other));
            let class = line.class as usize % CLASSES;
            let more = mine[class][(own | through.bit as usize) & 15].0 - mine[class][own & 15].0;
            // A line with stones of both sides is worth nothing to anybody.
            gain += if other == 0 { more } else { 0 };
            gain += if own == 0 { theirs[class][other & 15].0 } else { 0 };
        }
        lines + if by == 0 { gain } else { -gain }
    }
}

impl From<&Weights> for Learnt {
    fn from(weights: &Weights) -> Learnt {
        let id = weights.write().bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
        });
        Learnt { tables: Arc::new(Tables::new(weights)), id }
    }
}

/// What is carried from a position to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    /// See [`Board::own_wins`].
    pub own_wins: u64,
    /// See [`Board::other_wins`].
    pub other_wins: u64,
    /// The open lines, both phases in a word, for the first player.
    lines: i32,
    /// Stones on the board.
    pub stones: i32,
}

impl Data {
    /// The position as a board.
    #[inline(always)]
    pub const fn board(&self, position: &ScoreFour) -> Board {
        Board { own: position.own(), other: position.other(), own_wins: self.own_wins, other_wins: self.other_wins }
    }
}

impl Evaluate<ScoreFour> for Learnt {
    type Data = Data;
    /// Decided games are a unit apart, though evaluations are coarser.
    const GRAIN: i32 = 1;

    fn fresh(&self, position: &ScoreFour) -> Data {
        let board = Board::of(position);
        let mut lines = 0;
        terms(&board, |term, sign| {
            if term < LINES {
                lines += sign * self.tables.lines[term / (LINES / 2)][term / PATTERNS % CLASSES][term % PATTERNS].0;
            }
        });
        Data { own_wins: board.own_wins, other_wins: board.other_wins, lines, stones: position.stones() }
    }

    #[inline(always)]
    fn update(&self, parent: &ScoreFour, data: Data, m: Move, _child: &ScoreFour) -> Data {
        let cell = parent.landing(m.square());
        let after = data.board(parent).play(u32::from(cell));
        let by = data.stones as usize & 1;
        Data {
            own_wins: after.own_wins,
            other_wins: after.other_wins,
            lines: self.lines_after(data.lines, parent.own(), parent.other(), cell, by),
            stones: data.stones + 1,
        }
    }

    #[inline(always)]
    fn score(&self, position: &ScoreFour, data: Data) -> Score {
        let mut board = data.board(position);
        let Data { mut lines, mut stones, .. } = data;
        let mut ours = true;
        loop {
            let score = match settled(&board, stones) {
                Settled::Score(score) => score,
                Settled::Quiet => Score(self.quiet(&board, lines)),
                Settled::Forced(cell) => {
                    lines = self.lines_after(lines, board.own, board.other, cell as u8, stones as usize & 1);
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

/// Calls `take` with each term that a position in which nothing is forced has, and 1 or -1: whether it counts for the first
/// player or against. The oracle of the search's own way, and what learning sees.
pub fn terms(board: &Board, mut take: impl FnMut(usize, i32)) {
    let first_moves = board.stones().is_multiple_of(2);
    let (first, second) = if first_moves { (board.own, board.other) } else { (board.other, board.own) };
    for line in &ALL {
        let class = usize::from(line.class);
        match (line.pattern(first), line.pattern(second)) {
            (0, 0) => {}
            (pattern, 0) => take(line_term(0, class, pattern), 1),
            (0, pattern) => take(line_term(1, class, pattern), -1),
            _ => {}
        }
    }
    let above = Above::of(board);
    if above.any() != 0 {
        above.columns(|column| take(LINES + column, 1));
        match above.zugzwang() {
            1.. => take(zugzwang_term(0), 1),
            0 => {}
            _ => take(zugzwang_term(1), -1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    /// The positions of some random games, each with the move that was played on.
    fn walks(seed: u64, games: u64, mut with: impl FnMut(ScoreFour, Option<Move>)) {
        for game in 0..games {
            let mut rng = Rng::for_stream(seed, game);
            let mut position = ScoreFour::start();
            while position.final_score().is_none() {
                let board = Board::of(&position);
                let sensible = board.sensible(board.playable());
                let moves = position.moves();
                let quiet: Vec<Move> =
                    moves.iter().copied().filter(|m| sensible >> position.landing(m.square()) & 1 != 0).collect();
                // Mostly moves that do not lose at once, so that games last.
                let among = if quiet.is_empty() || rng.below(8) == 0 { &moves[..] } else { &quiet };
                let m = rng.choose(among).copied();
                with(position, m);
                position = m.map_or(position, |m| position.play(m));
            }
        }
    }

    #[test]
    fn what_is_carried_is_what_is_found_from_scratch() {
        let learnt = Learnt::default();
        let mut data = None;
        walks(1, 60, |position, m| {
            let fresh = learnt.fresh(&position);
            let carried = if position.stones() == 0 { fresh } else { data.unwrap() };
            // Cells that are no longer empty may differ: nobody asks about them.
            let empty = !(position.own() | position.other());
            let seen = |data: Data| (data.own_wins & empty, data.other_wins & empty, data.lines, data.stones);
            assert_eq!(seen(carried), seen(fresh), "{position:?}");
            let m = m.unwrap();
            data = Some(learnt.update(&position, carried, m, &position.play(m)));
        });
    }

    #[test]
    fn images_of_a_position_have_the_same_value() {
        let learnt = Learnt::default();
        let mut values = std::collections::HashSet::new();
        walks(2, 20, |position, _| {
            let value = learnt.evaluate(&position);
            values.insert(value.0);
            for symmetry in 1..ScoreFour::SYMMETRIES {
                assert_eq!(learnt.evaluate(&position.image(symmetry)), value, "{position:?} {symmetry}");
            }
        });
        assert!(values.len() > 50);
    }

    /// Whether the side to move completes a line with this move.
    fn wins(position: &ScoreFour, m: Move) -> bool {
        position.play(m).final_score().is_some_and(|score| score.0 < 0)
    }

    #[test]
    fn what_is_settled_or_forced_is_so_by_the_rules() {
        let mut seen = [0; 4];
        walks(3, 200, |position, _| {
            let moves = position.moves();
            let win = moves.iter().any(|&m| wins(&position, m));
            let holding: Vec<Move> = moves
                .into_iter()
                .filter(|&m| {
                    let next = position.play(m);
                    !next.moves().into_iter().any(|reply| wins(&next, reply))
                })
                .collect();
            let stones = position.stones();
            let expected = match (win, &holding[..]) {
                (true, _) => Settled::Score(Score(10_000 - stones - 1)),
                (false, []) => Settled::Score(Score(-(10_000 - stones - 2))),
                (false, &[m]) => Settled::Forced(u32::from(position.landing(m.square()))),
                _ => Settled::Quiet,
            };
            assert_eq!(settled(&Board::of(&position), stones), expected, "{position:?}");
            seen[if win { 0 } else { 1 + holding.len().min(2) }] += 1;
        });
        assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
    }

    #[test]
    fn the_value_is_the_sum_of_its_terms() {
        let weights = Weights::read(BUILT_IN).unwrap();
        let learnt = Learnt::default();
        let mut quiet = 0;
        walks(4, 40, |position, _| {
            let (board, stones) = (Board::of(&position), position.stones());
            if settled(&board, stones) != Settled::Quiet {
                return;
            }
            let mut sum = 0.0;
            terms(&board, |term, sign| {
                let [early, late] = weights.terms[term].map(f64::from);
                let share = f64::from(stones) / 64.0;
                sum += f64::from(sign) * (early * (1.0 - share) + late * share);
            });
            let own = if stones % 2 == 0 { sum } else { -sum } + f64::from(weights.moves[stones as usize]);
            let value = learnt.evaluate(&position).0;
            assert!((own - f64::from(value)).abs() <= f64::from(ROUND) / 2.0, "{own} {value}");
            quiet += 1;
        });
        assert!(quiet > 200);
    }

    #[test]
    fn plain_weights_are_the_evaluation_by_lines() {
        let plain = Learnt::from_text(PLAIN).unwrap();
        walks(5, 20, |position, _| {
            if settled(&Board::of(&position), position.stones()) == Settled::Quiet {
                let lines = crate::games::score_four::line_counts::Lines.evaluate(&position);
                assert_eq!(plain.evaluate(&position), lines, "{position:?}");
            }
        });
    }
}
