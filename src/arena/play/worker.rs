//! Worker threads: each takes game numbers from a shared queue and plays the games, with engines running between games.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, TryRecvError, unbounded};

use super::fault::is_interrupt;
use super::game::{FinishedGame, play_game};
use super::session::EngineSlot;
use crate::arena::config::TournamentConfig;
use crate::arena::openings::RoundOpenings;
use crate::arena::pairings::GameQueue;
use crate::arena::results::files::PlyJournal;

/// Plays games with one worker for each element of `cores`, those of its two engines, until the queue is empty or
/// `stop` is disconnected; passes the channel of their results to `collect`.
///
/// # Errors
/// If a thread cannot start, or `collect` fails.
pub fn play_games<T>(
    config: &TournamentConfig,
    openings: &RoundOpenings,
    journal: &PlyJournal,
    queue: GameQueue,
    stop: &Receiver<()>,
    cores: Vec<Option<[Vec<usize>; 2]>>,
    collect: impl FnOnce(Receiver<Result<FinishedGame>>) -> Result<T>,
) -> Result<T> {
    let (queue, (messages, inbox)) = (&Mutex::new(queue), unbounded());
    thread::scope(|scope| {
        for (index, cores) in cores.into_iter().enumerate() {
            let messages = messages.clone();
            let work = move || {
                let slot = |spec| EngineSlot::new(spec, stop.clone());
                let mut slots: Vec<EngineSlot> = config.engines.iter().cloned().map(slot).collect();
                let schedule = config.schedule();
                while stop.try_recv() != Err(TryRecvError::Disconnected)
                    && let Some(game) = queue.lock().ok().and_then(|mut queue| queue.next())
                {
                    let Some(scheduled) = schedule.game(game) else { continue };
                    for (index, slot) in slots.iter_mut().enumerate() {
                        if !scheduled.players.contains(&index) {
                            slot.quit(); // frees its memory
                        } else if let Some(cores) = &cores {
                            slot.cores =
                                Some(cores[usize::from(scheduled.players.iter().any(|&other| other < index))].clone());
                        }
                    }
                    let Ok(slots) = slots.get_disjoint_mut(scheduled.players) else { continue };
                    let opening = openings.of_round(scheduled.round);
                    let played = opening.and_then(|opening| play_game(config, &scheduled, &opening, journal, slots));
                    if played.as_ref().is_err_and(is_interrupt) || messages.send(played).is_err() {
                        return;
                    }
                }
                slots.iter_mut().for_each(EngineSlot::quit);
            };
            let thread = thread::Builder::new().name(format!("worker {index}"));
            thread.spawn_scoped(scope, work).context("cannot start a worker thread")?;
        }
        drop(messages);
        collect(inbox)
    })
}
