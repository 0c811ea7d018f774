//! Deepening schedules: lists of (depth, selectivity) pairs, and their first guesses.

use crate::game::Move;
use crate::game::score::Score;

use super::stop::Stopped;
use super::table::Draft;

/// One iteration of iterative deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// Plies to search.
    pub depth: u8,
    /// The selectivity level of the search.
    pub selectivity: u8,
}

impl Iteration {
    /// A full-width iteration.
    pub const fn full(depth: u8) -> Iteration {
        Iteration {
            depth,
            selectivity: Draft::FULL,
        }
    }
}

/// The objective of a search. Objective and position determine the schedule; limits only truncate
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// A good move at any time.
    BestMove,
    /// A proven score: `go exact`, `go wld`, solving.
    Proof,
    /// The last iteration alone, without deepening.
    LastIteration,
}

impl Objective {
    /// The objective for a searcher that always deepens: if only the last iteration matters, deepen
    /// as for a proof.
    pub const fn deepening(self) -> Objective {
        match self {
            Objective::LastIteration => Objective::Proof,
            other => other,
        }
    }
}

/// Full-width iterations at every other depth, ending at `depth`, since values oscillate between
/// odd and even depths.
pub fn by_twos(depth: u8) -> Vec<Iteration> {
    (2 - depth % 2..=depth)
        .step_by(2)
        .map(Iteration::full)
        .collect()
}

/// The first guesses of iterations: the value of the previous iteration or, where depths rise by one,
/// of the one before, since values oscillate between odd and even depths (measurements.md#first-guess).
pub struct FirstGuess<V> {
    /// The depth of the last iteration.
    depth: u8,
    /// The last two values, the last one first.
    values: [V; 2],
}

impl<V: Clone> FirstGuess<V> {
    /// `first` is the guess of the first iteration.
    pub fn new(first: V) -> Self {
        FirstGuess {
            depth: 0,
            values: [first.clone(), first],
        }
    }

    /// The guess of the next iteration.
    pub fn of(&self, iteration: Iteration) -> &V {
        let is_two_back = self.depth > 1 && self.depth + 1 == iteration.depth;
        &self.values[usize::from(is_two_back)]
    }

    /// Takes the value of the next iteration.
    pub fn record(&mut self, iteration: Iteration, value: V) {
        self.depth = iteration.depth;
        self.values.swap(0, 1);
        self.values[0] = value;
    }
}

/// The iterations of a schedule with their scores and best moves, each searched by `search` from a
/// first guess, until a search is stopped.
pub fn deepen(
    iterations: impl IntoIterator<Item = Iteration>,
    first: Score,
    mut search: impl FnMut(Iteration, Score) -> Result<(Score, Move), Stopped>,
) -> impl Iterator<Item = (Iteration, Score, Move)> {
    let mut guess = FirstGuess::new(first);
    iterations.into_iter().map_while(move |iteration| {
        let (score, m) = search(iteration, *guess.of(iteration)).ok()?;
        guess.record(iteration, score);
        Some((iteration, score, m))
    })
}
