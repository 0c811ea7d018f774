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
    cores: Vec<Option<[Vec<usize>; 2]>>,
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
                        let of_running =
                            |slot: &EngineSlot| slot.session.as_ref().and(slot.cores.clone());
                        let first =
                            first_half(halves, [of_running(slots[0]), of_running(slots[1])]);
                        slots[0].cores = Some(halves[first].clone());
                        slots[1].cores = Some(halves[1 - first].clone());
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

/// The half of the cores for the first engine of a game: a running engine keeps its half.
fn first_half(halves: &[Vec<usize>; 2], running: [Option<Vec<usize>>; 2]) -> usize {
    let [first, second] =
        running.map(|cores| halves.iter().position(|half| Some(half) == cores.as_ref()));
    first.or(second.map(|half| 1 - half)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_engine_keeps_its_cores_and_the_other_gets_the_free_ones() {
        let halves = [vec![0, 1], vec![2, 3]];
        let [lower, upper] = halves.clone().map(Some);
        for (running, expected) in [
            ([None, None], 0),
            ([lower.clone(), None], 0),
            ([upper.clone(), None], 1),
            ([None, lower.clone()], 1),
            ([None, upper.clone()], 0),
            ([upper, lower], 1),
        ] {
            assert_eq!(first_half(&halves, running), expected);
        }
    }
}
