//! A worker thread: takes game numbers from a shared queue and plays the games, with engines running between games.

use std::sync::Mutex;

use anyhow::Result;
use crossbeam_channel::{Receiver, Sender, TryRecvError};

use super::fault::{Abort, unless_interrupted};
use super::game::{FinishedGame, play_game};
use super::session::EngineSlot;
use crate::arena::config::MatchRules;
use crate::arena::engine_spec::EngineSpec;
use crate::arena::openings::RoundOpenings;
use crate::arena::pairings::{GameQueue, GameSchedule};
use crate::arena::results::files::PlyJournal;

/// A worker and the state it shares with the others.
pub struct GameWorker<'a> {
    /// The rules.
    pub rules: &'a MatchRules,
    /// All games.
    pub schedule: &'a GameSchedule,
    /// The openings, one per round.
    pub openings: &'a RoundOpenings,
    /// Where each ply is recorded.
    pub journal: &'a PlyJournal,
    /// The numbers of the games to play.
    pub queue: &'a Mutex<GameQueue>,
    /// Disconnected when the tournament stops.
    pub stop: Receiver<()>,
    /// Where finished games go, and the errors that end the tournament.
    pub messages: Sender<Result<FinishedGame>>,
}

impl GameWorker<'_> {
    /// Plays games until the queue is empty or the tournament stops. `cores` are those of the two engines of a game.
    pub fn run(self, engines: &[EngineSpec], cores: Option<[Vec<usize>; 2]>) {
        let mut places: [Option<EngineSlot>; 2] = [None, None];
        while let Some(game) = self.next_game() {
            let Some(scheduled) = self.schedule.game(game) else { continue };
            let playing = [&engines[scheduled.first], &engines[scheduled.second]];
            // Engines that do not play this game quit, which frees their memory. The others keep their cores.
            for place in &mut places {
                if let Some(mut idle) = place.take_if(|slot| playing.iter().all(|spec| spec.name != slot.spec.name)) {
                    idle.quit();
                }
            }
            for spec in playing {
                if places.iter().flatten().all(|slot| slot.spec.name != spec.name)
                    && let Some(free) = places.iter().position(Option::is_none)
                {
                    let own = cores.as_ref().map(|cores| cores[free].clone());
                    places[free] =
                        Some(EngineSlot { spec: spec.clone(), session: None, cores: own, stop: self.stop.clone() });
                }
            }
            let [Some(a), Some(b)] = &mut places else { continue };
            let (first, second) = if a.spec.name == playing[0].name { (a, b) } else { (b, a) };
            let opening = self.openings.of_round(scheduled.round).map_err(Abort::Failed);
            let plies = self.journal.begin(game);
            let played = opening.and_then(|opening| play_game(self.rules, &scheduled, &opening, plies, first, second));
            let Some(message) = unless_interrupted(played).transpose() else { return };
            if self.messages.send(message).is_err() {
                return;
            }
        }
        places.iter_mut().flatten().for_each(EngineSlot::quit);
    }

    /// The next game; `None` if the queue is empty or the tournament stops.
    fn next_game(&self) -> Option<u64> {
        if self.stop.try_recv() == Err(TryRecvError::Disconnected) {
            return None;
        }
        self.queue.lock().ok()?.next()
    }
}
