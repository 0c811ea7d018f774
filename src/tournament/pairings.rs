//! The pairings of a tournament: round robin, gauntlet or head to head. Each is a pair of games from the same opening
//! with colours swapped.

use serde::{Deserialize, Serialize};

/// The pairings of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PairingFormat {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engines (`--seeds`, one by default) each play all others.
    Gauntlet,
    /// The first engine plays the second, the third the fourth, and so on.
    HeadToHead,
}

/// All games of a tournament, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSchedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

/// One game of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its number, from 1.
    pub game: u64,
    /// Its pair, from 1; the two games of a pair have consecutive numbers.
    pub pair: u64,
    /// Its round, from 1; all games of a round have the same opening.
    pub round: u64,
    /// The engine of the first player.
    pub first: usize,
    /// The engine of the second player.
    pub second: usize,
}

impl GameSchedule {
    /// The schedule of `rounds` rounds of at least two engines; `seeds` applies to a gauntlet.
    pub fn new(format: PairingFormat, engines: usize, seeds: usize, rounds: u64) -> GameSchedule {
        let against_all = |first: usize, from: usize| (from..engines).map(move |second| (first, second));
        let pairings = match format {
            PairingFormat::RoundRobin => (0..engines).flat_map(|first| against_all(first, first + 1)).collect(),
            PairingFormat::Gauntlet => (0..seeds).flat_map(|first| against_all(first, seeds)).collect(),
            PairingFormat::HeadToHead => (0..engines / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect(),
        };
        GameSchedule { pairings, rounds }
    }

    /// The pairings of every round.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        2 * self.rounds * self.pairings.len() as u64
    }

    /// The game with this number, if it exists.
    pub fn game(&self, game: u64) -> Option<ScheduledGame> {
        let index = game.checked_sub(1).filter(|_| game <= self.games())?;
        let (pair, swapped) = (index / 2, index % 2 == 1);
        let count = self.pairings.len() as u64;
        let (a, b) = *self.pairings.get(usize::try_from(pair % count).ok()?)?;
        let (first, second) = if swapped { (b, a) } else { (a, b) };
        Some(ScheduledGame { game, pair: pair + 1, round: pair / count + 1, first, second })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_round_robin_is_balanced() {
        let schedule = GameSchedule::new(PairingFormat::RoundRobin, 4, 1, 3);
        assert_eq!(schedule.games(), 36);
        let mut scores = HashMap::new();
        for game in 1..=36 {
            let scheduled = schedule.game(game).unwrap();
            *scores.entry((scheduled.first, scheduled.second)).or_insert(0) += 1;
            let other = schedule.game(if game % 2 == 1 { game + 1 } else { game - 1 }).unwrap();
            assert_eq!((other.first, other.second), (scheduled.second, scheduled.first));
            assert_eq!((other.pair, other.round), (scheduled.pair, scheduled.round));
        }
        assert_eq!(scores.len(), 12);
        assert!(scores.values().all(|&count| count == 3));
        assert_eq!((schedule.game(0), schedule.game(37)), (None, None));
    }

    #[test]
    fn gauntlets_and_head_to_heads() {
        assert_eq!(GameSchedule::new(PairingFormat::Gauntlet, 4, 1, 1).pairings(), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(GameSchedule::new(PairingFormat::Gauntlet, 4, 2, 1).pairings(), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(GameSchedule::new(PairingFormat::HeadToHead, 4, 1, 1).pairings(), [(0, 1), (2, 3)]);
        assert_eq!(GameSchedule::new(PairingFormat::RoundRobin, 2, 1, 5).games(), 10);
    }
}
