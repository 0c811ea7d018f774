//! Worker threads: each takes game numbers from a shared queue and plays the games, with engines
//! running between games.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use crossbeam_channel::{Receiver, TryRecvError, bounded};

use super::game::{FinishedGame, play_game};
use super::match_log::LogLevel;
use super::session::{EngineSlot, RunContext};
use crate::arena::config::TournamentConfig;
use crate::arena::config::openings::RoundOpenings;
use crate::arena::results::files::PlyJournal;
use crate::arena::rules::fault::is_interrupt;

/// The cores of a worker's two engines; `None`: they are not pinned.
pub type WorkerCores = Option<[Vec<usize>; 2]>;

/// Plays games with one worker for each element of `cores`, those of its two engines, until the
/// queue is empty or the run stops; passes the channel of their results to `collect`.
///
/// # Errors
/// If a thread cannot start, or `collect` fails.
pub fn play_games<T>(
    config: &TournamentConfig,
    openings: &RoundOpenings,
    journal: &PlyJournal,
    queue: impl Iterator<Item = u64> + Send,
    context: &RunContext,
    cores: Vec<WorkerCores>,
    collect: impl FnOnce(Receiver<Result<FinishedGame>>) -> Result<T>,
) -> Result<T> {
    // Without capacity: a worker waits until its game is collected, so games do not run ahead of
    // their record.
    let (queue, (messages, inbox)) = (&Mutex::new(queue), bounded(0));
    thread::scope(|scope| {
        for (index, cores) in cores.into_iter().enumerate() {
            let messages = messages.clone();
            let work = move || {
                let slot = |spec| EngineSlot::new(spec, context.clone());
                let mut slots: Vec<EngineSlot> =
                    config.engines.iter().cloned().map(&slot).collect();
                let mut third = config.referee.clone().map(slot);
                let schedule = config.schedule();
                while context.stop.try_recv() != Err(TryRecvError::Disconnected)
                    && let Some(game) = queue.lock().ok().and_then(|mut queue| queue.next())
                {
                    let Some(scheduled) = schedule.game(game) else {
                        continue;
                    };
                    // Engines that do not play this game quit, which frees their memory.
                    let idle = slots
                        .iter_mut()
                        .enumerate()
                        .filter(|(index, _)| !scheduled.players.contains(index));
                    idle.for_each(|(_, slot)| slot.quit());
                    let Ok(slots) = slots.get_disjoint_mut(scheduled.players) else {
                        continue;
                    };
                    if let Some(halves) = &cores {
                        // By the order of the engines, which two games of a pair share.
                        let [first, second] = scheduled.players;
                        let first_half = usize::from(first > second);
                        slots[0].pin(&halves[first_half]);
                        slots[1].pin(&halves[1 - first_half]);
                    }
                    if let Some(log) = &context.log {
                        let [first, second] = [&slots[0].spec.name, &slots[1].spec.name];
                        let text = format!("game {game} begins: {first} vs {second}");
                        log.event(LogLevel::Info, &text);
                    }
                    let opening = openings.of_round(scheduled.round);
                    let played = opening.and_then(|opening| {
                        play_game(config, &scheduled, &opening, journal, slots, third.as_mut())
                    });
                    if played.as_ref().is_err_and(is_interrupt) || messages.send(played).is_err() {
                        return;
                    }
                }
                slots
                    .iter_mut()
                    .chain(&mut third)
                    .for_each(EngineSlot::quit);
            };
            let thread = thread::Builder::new().name(format!("worker {index}"));
            thread
                .spawn_scoped(scope, work)
                .context("cannot start a worker thread")?;
        }
        drop(messages);
        collect(inbox)
    })
}
