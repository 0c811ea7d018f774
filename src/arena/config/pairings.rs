//! The pairings of a tournament: round robin, gauntlet or head to head. In a round each pairing
//! plays one game, or a pair of games from the same opening, by default with colors swapped.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// The tournament format: the pairings of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PairingFormat {
    /// Every engine plays every other engine
    #[default]
    RoundRobin,
    /// The seed engines (--seeds) each play all other engines
    Gauntlet,
    /// The first engine plays the second, the third plays the fourth, and so on
    HeadToHead,
}

/// The games of a pairing in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::Args)]
pub struct Encounter {
    /// Number of games that a pairing plays in a round from the same opening, 1 or 2; with 1, colors
    /// are swapped from round to round
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=2))]
    pub games: u64,
    /// Never swap colors: the first engine of a pairing is always the first player
    #[arg(long = "noswap", action = clap::ArgAction::SetFalse)]
    pub swap: bool,
    /// Begin with the second engine of each pairing as the first player
    #[arg(long)]
    pub reverse: bool,
}

impl Default for Encounter {
    fn default() -> Self {
        Encounter {
            games: 2,
            swap: true,
            reverse: false,
        }
    }
}

/// All games of a tournament, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSchedule {
    /// The pairings of every round.
    pub pairings: Vec<[usize; 2]>,
    encounter: Encounter,
    /// `None`: without end.
    rounds: Option<u64>,
}

/// One game of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its number, from 1.
    pub game: u64,
    /// Its pair, from 1; the two games of a pair have consecutive numbers. With one game per round,
    /// the number of the game.
    pub pair: u64,
    /// Its round, from 1; all games of a round have the same opening.
    pub round: u64,
    /// The engines of the first and second player.
    pub players: [usize; 2],
}

impl GameSchedule {
    /// The schedule of `rounds` rounds (`None`: without end) of at least two engines; `seeds`
    /// applies to a gauntlet.
    pub fn new(
        format: PairingFormat,
        engines: usize,
        seeds: usize,
        rounds: Option<u64>,
        encounter: Encounter,
    ) -> GameSchedule {
        let against_all =
            |first: usize, from: usize| (from..engines).map(move |second| [first, second]);
        let pairings = match format {
            PairingFormat::RoundRobin => (0..engines)
                .flat_map(|first| against_all(first, first + 1))
                .collect(),
            PairingFormat::Gauntlet => (0..seeds)
                .flat_map(|first| against_all(first, seeds))
                .collect(),
            PairingFormat::HeadToHead => (0..engines / 2)
                .map(|pair| [2 * pair, 2 * pair + 1])
                .collect(),
        };
        GameSchedule {
            pairings,
            encounter,
            rounds,
        }
    }

    /// The number of games; `None` if the schedule has no end, or more games than can be numbered.
    pub fn games(&self) -> Option<u64> {
        self.rounds?
            .checked_mul(self.encounter.games * self.pairings.len() as u64)
    }

    /// The game with this number, if it exists.
    pub fn game(&self, game: u64) -> Option<ScheduledGame> {
        let index = game
            .checked_sub(1)
            .filter(|_| self.games().is_none_or(|games| game <= games))?;
        let Encounter {
            games,
            swap,
            reverse,
        } = self.encounter;
        let pair = index / games;
        let count = self.pairings.len() as u64;
        let mut players = *self.pairings.get(usize::try_from(pair % count).ok()?)?;
        let round = pair / count;
        let is_odd = if games > 1 {
            index % 2 == 1
        } else {
            // Every other pairing begins reversed, so that the first and second moves of each engine
            // differ by at most one after every round: its opponents alternate between even and odd
            // numbers.
            let parity = |[first, second]: [usize; 2]| (first + second) % 2;
            let is_other = parity(players) != parity(self.pairings[0]);
            (round % 2 == 1) != is_other
        };
        if reverse != (swap && is_odd) {
            players.swap(0, 1);
        }
        Some(ScheduledGame {
            game,
            pair: pair + 1,
            round: round + 1,
            players,
        })
    }
}

/// A set of numbers from 1 that are added roughly in order; its memory does not grow with it.
#[derive(Clone, Debug, Default)]
pub struct NumberSet {
    /// All numbers up to this one are in it.
    all_to: u64,
    /// The numbers above in it.
    above: HashSet<u64>,
}

impl NumberSet {
    /// Adds a number; `false` if it was in the set.
    pub fn insert(&mut self, number: u64) -> bool {
        let is_new = number > self.all_to && self.above.insert(number);
        while self.all_to < u64::MAX && self.above.remove(&(self.all_to + 1)) {
            self.all_to += 1;
        }
        is_new
    }

    /// Whether a number is in the set.
    pub fn contains(&self, number: u64) -> bool {
        (1..=self.all_to).contains(&number) || self.above.contains(&number)
    }

    /// The number of its numbers.
    pub fn count(&self) -> u64 {
        self.all_to + self.above.len() as u64
    }
}

impl FromIterator<u64> for NumberSet {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> NumberSet {
        let mut set = NumberSet::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_round_robin_is_balanced() {
        let schedule = GameSchedule::new(
            PairingFormat::RoundRobin,
            4,
            1,
            Some(3),
            Encounter::default(),
        );
        assert_eq!(schedule.games(), Some(36));
        let mut scores = HashMap::new();
        for game in 1..=36 {
            let scheduled = schedule.game(game).unwrap();
            *scores.entry(scheduled.players).or_insert(0) += 1;
            let other = schedule
                .game(if game % 2 == 1 { game + 1 } else { game - 1 })
                .unwrap();
            assert_eq!(other.players, [scheduled.players[1], scheduled.players[0]]);
            assert_eq!((other.pair, other.round), (scheduled.pair, scheduled.round));
        }
        assert_eq!(scores.len(), 12);
        assert!(scores.values().all(|&count| count == 3));
        assert_eq!((schedule.game(0), schedule.game(37)), (None, None));
    }

    #[test]
    fn gauntlets_and_head_to_heads_have_their_pairings() {
        assert_eq!(
            GameSchedule::new(PairingFormat::Gauntlet, 4, 1, None, Encounter::default()).pairings,
            [[0, 1], [0, 2], [0, 3]]
        );
        assert_eq!(
            GameSchedule::new(PairingFormat::Gauntlet, 4, 2, Some(1), Encounter::default())
                .pairings,
            [[0, 2], [0, 3], [1, 2], [1, 3]]
        );
        assert_eq!(
            GameSchedule::new(
                PairingFormat::HeadToHead,
                4,
                1,
                Some(1),
                Encounter::default()
            )
            .pairings,
            [[0, 1], [2, 3]]
        );
        assert_eq!(
            GameSchedule::new(
                PairingFormat::RoundRobin,
                2,
                1,
                Some(5),
                Encounter::default()
            )
            .games(),
            Some(10)
        );
    }

    #[test]
    fn colors_depend_on_the_encounter() {
        let first_players = |games, swap, reverse| {
            let encounter = Encounter {
                games,
                swap,
                reverse,
            };
            let schedule = GameSchedule::new(PairingFormat::RoundRobin, 3, 1, Some(2), encounter);
            let all = schedule.games().unwrap();
            assert_eq!(all, 6 * games);
            let players = |game| schedule.game(game).unwrap();
            let rounds: Vec<u64> = (1..=all).map(|game| players(game).round).collect();
            assert!(rounds.is_sorted() && rounds[0] == 1 && rounds[all as usize - 1] == 2);
            (1..=all)
                .map(|game| players(game).players[0])
                .collect::<Vec<_>>()
        };
        // The pairings are 0-1, 0-2 and 1-2.
        assert_eq!(first_players(1, true, false), [0, 2, 1, 1, 0, 2]);
        assert_eq!(first_players(1, true, true), [1, 0, 2, 0, 2, 1]);
        assert_eq!(first_players(1, false, false), [0, 0, 1, 0, 0, 1]);
        let pairs = [0, 1, 0, 2, 1, 2];
        assert_eq!(first_players(2, true, false), [pairs, pairs].concat());
        let pairs = [1, 0, 2, 0, 2, 1];
        assert_eq!(first_players(2, true, true), [pairs, pairs].concat());
        let pairs = [1, 1, 2, 2, 2, 2];
        assert_eq!(first_players(2, false, true), [pairs, pairs].concat());
    }

    #[test]
    fn first_and_second_moves_differ_by_at_most_one_after_every_round() {
        use PairingFormat::{Gauntlet, HeadToHead, RoundRobin};
        let formats = |engines: usize| {
            let gauntlets = (1..engines).map(|seeds| (Gauntlet, seeds));
            let others = [(RoundRobin, 1), (HeadToHead, 1)].into_iter();
            gauntlets.chain(
                others
                    .filter(move |(format, _)| *format == RoundRobin || engines.is_multiple_of(2)),
            )
        };
        let all = (2..=9).flat_map(|engines| formats(engines).map(move |format| (engines, format)));
        for (engines, (format, seeds)) in all {
            for (games, reverse) in [(1, false), (1, true), (2, false), (2, true)] {
                let encounter = Encounter {
                    games,
                    reverse,
                    ..Encounter::default()
                };
                let schedule = GameSchedule::new(format, engines, seeds, Some(5), encounter);
                let in_round = schedule.games().unwrap() / 5;
                let mut excess = vec![0i32; engines];
                for number in 1..=5 * in_round {
                    let [first, second] = schedule.game(number).unwrap().players;
                    excess[first] += 1;
                    excess[second] -= 1;
                    assert!(
                        number % in_round > 0 || excess.iter().all(|excess| excess.abs() <= 1),
                        "{format:?} of {engines}, {seeds} seeds, {games} games, game {number}: {excess:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn games_are_numbered_to_the_limit_and_without_end() {
        let schedule = |rounds| {
            GameSchedule::new(
                PairingFormat::RoundRobin,
                3,
                1,
                rounds,
                Encounter::default(),
            )
        };
        let longest = u64::MAX / 6;
        assert_eq!(schedule(Some(longest)).games(), Some(6 * longest));
        assert_eq!(
            schedule(Some(longest))
                .game(6 * longest)
                .map(|game| game.round),
            Some(longest)
        );
        assert_eq!(schedule(Some(longest + 1)).games(), None);
        assert_eq!(schedule(None).games(), None);
        assert_eq!(
            schedule(None)
                .game(6_000_000_000_001)
                .map(|game| game.round),
            Some(1_000_000_000_001)
        );
    }

    #[test]
    fn a_set_of_numbers_forgets_those_below_the_first_gap() {
        let mut set = NumberSet::default();
        for number in [2, 1, 4, 3, 9, 7] {
            assert!(!set.contains(number) && set.insert(number) && set.contains(number));
            assert!(!set.insert(number));
        }
        assert_eq!((set.all_to, set.above.len(), set.count()), (4, 2, 6));
        assert!(!set.contains(0) && !set.contains(5) && !set.contains(10));
    }
}
