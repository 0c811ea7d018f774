//! A worker thread: takes game numbers from a shared queue and plays the games, with engines running between games.

use std::sync::Mutex;

use anyhow::Result;
use crossbeam_channel::{Receiver, Sender, TryRecvError};

use super::fault::is_interrupt;
use super::game::{FinishedGame, play_game};
use super::session::EngineSlot;
use crate::arena::config::TournamentConfig;
use crate::arena::openings::RoundOpenings;
use crate::arena::pairings::GameQueue;
use crate::arena::results::files::PlyJournal;

/// A worker and the state it shares with the others.
pub struct GameWorker<'a> {
    /// The engines, the rules and the schedule.
    pub config: &'a TournamentConfig,
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
    pub fn run(self, cores: Option<[Vec<usize>; 2]>) {
        let (engines, schedule) = (&self.config.engines, self.config.schedule());
        let mut slots: Vec<Option<EngineSlot>> = engines.iter().map(|_| None).collect();
        while let Some(game) = self.next_game() {
            let Some(scheduled) = schedule.game(game) else { continue };
            let (first, second) = (scheduled.first, scheduled.second);
            // Engines that do not play this game quit, which frees their memory.
            for (index, slot) in slots.iter_mut().enumerate() {
                if index != first
                    && index != second
                    && let Some(mut slot) = slot.take()
                {
                    slot.quit();
                }
            }
            let new_slot = |engine: usize, place: usize| {
                let own = cores.as_ref().map(|cores| cores[place].clone());
                EngineSlot { spec: engines[engine].clone(), session: None, cores: own, stop: self.stop.clone() }
            };
            let mut a = slots[first].take().unwrap_or_else(|| new_slot(first, usize::from(first > second)));
            let mut b = slots[second].take().unwrap_or_else(|| new_slot(second, usize::from(second > first)));
            let opening = self.openings.of_round(scheduled.round);
            let played = opening
                .and_then(|opening| play_game(self.config, &scheduled, &opening, self.journal, [&mut a, &mut b]));
            (slots[first], slots[second]) = (Some(a), Some(b));
            if played.as_ref().is_err_and(is_interrupt) || self.messages.send(played).is_err() {
                return;
            }
        }
        slots.iter_mut().flatten().for_each(EngineSlot::quit);
    }

    /// The next game; `None` if the queue is empty or the tournament stops.
    fn next_game(&self) -> Option<u64> {
        if self.stop.try_recv() == Err(TryRecvError::Disconnected) {
            return None;
        }
        self.queue.lock().ok()?.next()
    }
}
