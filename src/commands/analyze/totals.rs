//! The totals of a run: all games, by player. The last line of `analyze --json`.

use serde::Serialize;

use super::result::{GameAnalysis, PHASES, Tally};
use crate::game::{Outcome, Player};

/// The totals of all games.
#[derive(Clone, Default, Debug, Serialize)]
pub struct AnalysisTotals {
    /// Number of analyzed games.
    pub games: usize,
    /// Number of games that could not be read.
    pub errors: usize,
    /// Number of games whose stated result contradicts the moves.
    pub contradictions: usize,
    /// Nodes of all searches, recorded ones included.
    pub nodes: u64,
    /// Total duration of all searches, recorded ones included.
    pub seconds: f64,
    /// The players, most games first, then by name.
    pub players: Vec<PlayerTotals>,
}

/// All games of a player.
#[derive(Clone, Default, Debug, Serialize)]
pub struct PlayerTotals {
    /// The name; that of the side for games without names.
    pub name: String,
    /// Number of games.
    pub games: usize,
    /// Results of the games that have one ([`GameAnalysis::outcome`]).
    pub wins: usize,
    pub draws: usize,
    pub losses: usize,
    /// All moves.
    pub all: Tally,
    /// The moves by phase.
    pub phases: [Tally; PHASES.len()],
}

impl AnalysisTotals {
    /// Adds a game; `sides` are the names of its sides.
    pub fn add(&mut self, game: &GameAnalysis, sides: [&str; 2]) {
        self.games += 1;
        self.contradictions += usize::from(game.contradiction.is_some());
        for analysis in &game.moves {
            self.nodes += analysis.search.nodes;
            self.seconds += analysis.search.seconds;
        }
        for player in Player::BOTH {
            let index = player as usize;
            let name = game.players[index].as_deref().unwrap_or(sides[index]);
            let known = self.players.iter().position(|totals| totals.name == name);
            let at = known.unwrap_or(self.players.len());
            if known.is_none() {
                self.players.push(PlayerTotals {
                    name: name.into(),
                    ..PlayerTotals::default()
                });
            }
            let totals = &mut self.players[at];
            totals.games += 1;
            match game.outcome {
                Some(Outcome::Draw) => totals.draws += 1,
                Some(outcome) if outcome == Outcome::win(player) => totals.wins += 1,
                Some(_) => totals.losses += 1,
                None => (),
            }
            totals.all.add_all(&game.summary[index].all);
            for (phase, other) in totals.phases.iter_mut().zip(&game.summary[index].phases) {
                phase.add_all(other);
            }
        }
    }

    /// Sorts the players: most games first, then by name.
    pub fn finish(&mut self) {
        self.players
            .sort_by(|one, other| (other.games, &one.name).cmp(&(one.games, &other.name)));
    }
}
