//! Random openings with distinct final positions: a function of game, plies and seed alone. A tournament may have more
//! rounds than memory has room for, so they are made one by one.

use std::collections::{HashSet, VecDeque};

use anyhow::{Context, Result, ensure};

use crate::game::rng::Rng;
use crate::games::any::{AnyGame, by_name};

/// Up to this many openings are listed in a tournament's plan; of more, random ones are made when they are needed.
pub const LISTED: u64 = 10_000;
/// After this many consecutive duplicates the list of random openings is taken to be complete.
const MAX_DUPLICATES: u32 = 1_000;

/// The first moves of a game, at most `plies`.
pub fn first_moves(game: &AnyGame, plies: usize) -> Vec<String> {
    game.history().iter().take(plies).map(|&played| game.write_move(played)).collect()
}

/// Random openings with distinct final positions, one after the other.
pub struct RandomOpenings {
    start: AnyGame,
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

    /// Begins anew, with the same openings.
    fn restart(&mut self) {
        self.rng = Rng::for_stream(self.seed, 0);
        self.seen.clear();
    }

    /// The moves of the next one; `None` if there seem to be no more.
    ///
    /// # Errors
    /// If a legal move cannot be played.
    pub fn next_opening(&mut self) -> Result<Option<Vec<String>>> {
        for _ in 0..MAX_DUPLICATES {
            let mut game = self.start.clone();
            while game.history().len() < self.plies
                && let Some(&played) = self.rng.choose(&game.moves())
            {
                game.play(played)?;
            }
            if game.outcome().is_none() && self.seen.insert(game.hash()) {
                return Ok(Some(first_moves(&game, self.plies)));
            }
        }
        Ok(None)
    }
}

/// Random openings that are made when they are needed. The rounds of a tournament ask for them more or less in order,
/// so the recent ones are kept.
pub struct RecentOpenings {
    source: RandomOpenings,
    /// The last of those made.
    recent: VecDeque<Vec<String>>,
    made: u64,
    /// The place of the first round's.
    first: u64,
    /// The number of different ones, when all have been made.
    all: Option<u64>,
}

impl RecentOpenings {
    /// The openings of a source; the first round's is the one at place `first`, from 0.
    pub fn new(source: RandomOpenings, first: u64) -> RecentOpenings {
        RecentOpenings { source, recent: VecDeque::new(), made: 0, first, all: None }
    }

    /// The moves of the opening at a place, from 0. After the last of all come the first ones again.
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
                ensure!(self.made > 0, "there are no openings");
                self.all = Some(self.made);
            }
        }
    }
}
