//! Random openings with distinct final positions, determined by game, plies and seed. They are generated one by one,
//! since a tournament may have more rounds than fit in memory.

use std::collections::{HashSet, VecDeque};

use anyhow::{Context, Result, ensure};

use crate::game::rng::Rng;
use crate::games::any::{AnyGame, by_name};

/// The maximum number of openings in `tournament.json`; more random openings are generated on demand.
pub const LISTED: u64 = 10_000;
/// The number of consecutive duplicates after which the list counts as complete.
const MAX_DUPLICATES: u32 = 1_000;

/// The first moves of a game, at most `plies`.
pub fn first_moves(game: &dyn AnyGame, plies: usize) -> Vec<String> {
    game.history().iter().take(plies).map(|&played| game.write_move(played)).collect()
}

/// A generator of random openings with distinct final positions.
pub struct RandomOpenings {
    start: Box<dyn AnyGame>,
    plies: usize,
    seed: u64,
    rng: Rng,
    seen: HashSet<u64>,
}

impl RandomOpenings {
    /// The openings of a game, each of `plies` random plies from its start.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn new(name: &str, plies: usize, seed: u64) -> Result<RandomOpenings> {
        let start = by_name(name).with_context(|| format!("no such game: {name}"))?;
        Ok(RandomOpenings { start, plies, seed, rng: Rng::for_stream(seed, 0), seen: HashSet::new() })
    }

    /// Restarts with the same openings.
    fn restart(&mut self) {
        self.rng = Rng::for_stream(self.seed, 0);
        self.seen.clear();
    }

    /// The moves of the next opening; `None` if the list counts as complete.
    ///
    /// # Errors
    /// If a legal move cannot be played.
    pub fn next_opening(&mut self) -> Result<Option<Vec<String>>> {
        for _ in 0..MAX_DUPLICATES {
            let mut game = self.start.boxed_clone();
            while game.history().len() < self.plies
                && let Some(&played) = self.rng.choose(&game.moves())
            {
                game.play(played)?;
            }
            if game.outcome().is_none() && self.seen.insert(game.hash()) {
                return Ok(Some(first_moves(&*game, self.plies)));
            }
        }
        Ok(None)
    }
}

/// Random openings generated on demand. Rounds request them roughly in order, so the recent ones are cached.
pub struct RecentOpenings {
    source: RandomOpenings,
    /// The last openings generated.
    recent: VecDeque<Vec<String>>,
    made: u64,
    /// The index of the first round's opening.
    first: u64,
    /// The number of distinct openings, once all are known.
    all: Option<u64>,
}

impl RecentOpenings {
    /// The openings of a source; `first` is the index of the first round's, from 0.
    pub fn new(source: RandomOpenings, first: u64) -> RecentOpenings {
        RecentOpenings { source, recent: VecDeque::new(), made: 0, first, all: None }
    }

    /// The moves of the opening at an index, from 0; the list repeats after its end.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&mut self, index: u64) -> Result<Vec<String>> {
        let place = index.saturating_add(self.first);
        loop {
            let wanted = self.all.map_or(place, |all| place % all);
            let oldest = self.made - self.recent.len() as u64;
            if wanted < oldest {
                self.source.restart();
                self.recent.clear();
                self.made = 0;
            } else if wanted < self.made {
                return Ok(self.recent[(wanted - oldest) as usize].clone());
            } else if let Some(opening) = self.source.next_opening()? {
                self.made += 1;
                self.recent.push_back(opening);
                if self.recent.len() as u64 > LISTED {
                    self.recent.pop_front();
                }
            } else {
                ensure!(self.made > 0, "the list of openings is empty");
                self.all = Some(self.made);
            }
        }
    }
}
