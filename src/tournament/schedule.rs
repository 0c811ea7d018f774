//! Who plays whom: round robin, gauntlet, head to head; always in pairs of games with swapped colours from one opening.

use serde::{Deserialize, Serialize};

/// Which pairings a round has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first engines (`--seeds`, one by default) each meet all others.
    Gauntlet,
    /// The first engine meets the second, the third the fourth, and so on.
    HeadToHead,
}

/// All games of a tournament, each known by its number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
}

/// One game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// Its number, from 1.
    pub game: u64,
    /// The pair it belongs to, from 1; its two games have neighbouring numbers.
    pub pair: u64,
    /// Its round, from 1; all pairings of a round play the same opening.
    pub round: u64,
    /// The engine that is the first player.
    pub first: usize,
    /// The engine that is the second player.
    pub second: usize,
}

impl Schedule {
    /// The schedule of so many engines (two at least) over so many rounds; `seeds` counts for a gauntlet.
    pub fn new(format: Format, engines: usize, seeds: usize, rounds: u64) -> Schedule {
        let everybody = |first: usize, from: usize| (from..engines).map(move |second| (first, second));
        let pairings = match format {
            Format::RoundRobin => (0..engines).flat_map(|first| everybody(first, first + 1)).collect(),
            Format::Gauntlet => (0..seeds).flat_map(|first| everybody(first, seeds)).collect(),
            Format::HeadToHead => (0..engines / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect(),
        };
        Schedule { pairings, rounds }
    }

    /// Who meets whom in every round.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        2 * self.rounds * self.pairings.len() as u64
    }

    /// The game of a number, if there is one.
    pub fn assignment(&self, game: u64) -> Option<Assignment> {
        let index = game.checked_sub(1).filter(|_| game <= self.games())?;
        let (pair, swapped) = (index / 2, index % 2 == 1);
        let count = self.pairings.len() as u64;
        let (a, b) = *self.pairings.get(usize::try_from(pair % count).ok()?)?;
        let (first, second) = if swapped { (b, a) } else { (a, b) };
        Some(Assignment { game, pair: pair + 1, round: pair / count + 1, first, second })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn round_robins_are_even() {
        let schedule = Schedule::new(Format::RoundRobin, 4, 1, 3);
        assert_eq!(schedule.games(), 36);
        let mut meetings = HashMap::new();
        for game in 1..=36 {
            let assignment = schedule.assignment(game).unwrap();
            *meetings.entry((assignment.first, assignment.second)).or_insert(0) += 1;
            let other = schedule.assignment(if game % 2 == 1 { game + 1 } else { game - 1 }).unwrap();
            assert_eq!((other.first, other.second), (assignment.second, assignment.first));
            assert_eq!((other.pair, other.round), (assignment.pair, assignment.round));
        }
        assert_eq!(meetings.len(), 12);
        assert!(meetings.values().all(|&count| count == 3));
        assert_eq!((schedule.assignment(0), schedule.assignment(37)), (None, None));
    }

    #[test]
    fn gauntlets_and_head_to_heads() {
        assert_eq!(Schedule::new(Format::Gauntlet, 4, 1, 1).pairings(), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(Schedule::new(Format::Gauntlet, 4, 2, 1).pairings(), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(Schedule::new(Format::HeadToHead, 4, 1, 1).pairings(), [(0, 1), (2, 3)]);
        assert_eq!(Schedule::new(Format::RoundRobin, 2, 1, 5).games(), 10);
    }
}
