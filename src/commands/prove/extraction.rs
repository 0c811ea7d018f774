//! Extracts a proof from searches: walks from the root to the leaves and records one claim per
//! position, direction and bound.
//!
//! An at-least claim needs a move after which the opponent's value is at most the negated bound. A
//! move to a position whose claim is already part of the proof costs nothing and is preferred;
//! otherwise a search finds one ([`ProofSearch`]), which the transposition table answers for most
//! positions. An at-most claim needs all moves. Threads share the claims and the transposition
//! table, and pass each other parts of the tree.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use crossbeam_channel::Receiver;

use super::claim_table::{ClaimTable, Visit};
use super::proof_file::{self, ClaimRecord, MAX_CLAIMS, ProofSubject, grid_square, grid_words};
use crate::commands::claims::{Claim, least_score, points};
use crate::commands::jobs::JobRunner;
use crate::game::{Game, Move};
use crate::games::any::AnyPosition;
use crate::games::dispatch;
use crate::search::Settings;
use crate::search::searcher::ProofSearch;
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// A claim to prove.
struct Goal {
    /// The moves from the root.
    line: Vec<Move>,
    position: AnyPosition,
    claim: Claim,
}

impl Goal {
    /// What the claim states about the position after a move.
    fn after(&self, m: Move) -> Goal {
        let mut line = self.line.clone();
        line.push(m);
        Goal {
            line,
            position: self.position.play(m),
            claim: self.claim.flipped(),
        }
    }
}

/// The goals that idle threads may take.
struct GoalPool {
    state: Mutex<PoolState>,
    changed: Condvar,
    /// The number of threads that wait for a goal.
    idle: AtomicUsize,
    /// The number of threads.
    threads: usize,
}

struct PoolState {
    goals: Vec<Goal>,
    is_over: bool,
}

impl GoalPool {
    /// The claims about the root, for this many threads.
    fn new(subject: &ProofSubject, threads: usize) -> GoalPool {
        let goal = |claim| Goal {
            line: Vec::new(),
            position: subject.root,
            claim,
        };
        let state = PoolState {
            goals: subject.claims().into_iter().map(goal).collect(),
            is_over: false,
        };
        GoalPool {
            state: state.into(),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            threads,
        }
    }

    /// Waits for a goal; `None` when all threads wait, or after [`GoalPool::end`].
    fn take(&self) -> Option<Goal> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.idle.fetch_add(1, Ordering::Relaxed);
        loop {
            if state.is_over {
                return None;
            }
            if let Some(goal) = state.goals.pop() {
                self.idle.fetch_sub(1, Ordering::Relaxed);
                return Some(goal);
            }
            if self.idle.load(Ordering::Relaxed) == self.threads {
                state.is_over = true;
                self.changed.notify_all();
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives a goal to an idle thread.
    fn give(&self, goal: Goal) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.goals.push(goal);
        self.changed.notify_one();
    }

    /// Ends the work of all threads.
    fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_over = true;
        self.changed.notify_all();
    }
}

/// A running extraction.
pub struct Extraction<'a> {
    pub subject: ProofSubject,
    pub settings: &'a Settings,
    pub table: &'a Table,
    pub claims: &'a ClaimTable,
}

impl Extraction<'_> {
    /// Proves the claims about the root, which must hold. Calls `tick` about twice a second.
    /// Returns the number of nodes, and whether it was interrupted.
    ///
    /// # Errors
    /// If there are too many claims, a claim does not hold, or `tick` fails.
    pub fn run(
        &self,
        interrupt: &Receiver<()>,
        mut tick: impl FnMut() -> Result<()>,
    ) -> Result<(u64, bool)> {
        let threads = self.settings.threads;
        let pool = GoalPool::new(&self.subject, threads);
        let mut controls = Vec::new();
        controls.resize_with(threads, SearchControl::default);
        let stop = || {
            controls.iter().for_each(|control| control.stop());
            pool.end();
        };
        let runner = JobRunner {
            threads,
            in_order: false,
            interrupt,
        };
        let mut nodes = 0;
        let interrupted = runner.run(
            controls.iter(),
            |_| {
                |control: &SearchControl| {
                    let proven = self.work(control, &pool);
                    if proven.is_err() {
                        pool.end();
                    }
                    proven
                }
            },
            stop,
            |result| match result {
                Some(proven) => {
                    nodes += proven?;
                    Ok(())
                }
                None => tick(),
            },
        )?;
        Ok((nodes, interrupted))
    }

    /// Writes the proof, or the claims of an interrupted run (`is_partial`). Returns the size in
    /// bytes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, file: &Path, is_partial: bool) -> Result<u64> {
        let mut records = self.claims.records(is_partial);
        records.sort_unstable_by(ClaimRecord::order);
        proof_file::write(file, &self.subject, is_partial, &records)
    }

    /// [`Extraction::run`] on this thread alone, until `control` stops it. Returns whether the
    /// proof is complete.
    pub fn run_alone(&self, control: &SearchControl) -> Result<bool> {
        self.work(control, &GoalPool::new(&self.subject, 1))?;
        Ok(!control.stopped())
    }

    /// Proves goals until none is left, or until `control` stops it. Returns the number of nodes.
    fn work(&self, control: &SearchControl, pool: &GoalPool) -> Result<u64> {
        let mut proven = Ok(0);
        let root = self.subject.root;
        dispatch::prove(root, self.settings, self.table, control, &mut |search| {
            proven = self.prove_goals(search, pool).map(|()| search.nodes());
        });
        proven
    }

    /// Proves goals, depth first.
    fn prove_goals(&self, search: &mut dyn ProofSearch, pool: &GoalPool) -> Result<()> {
        let mut goals: Vec<Goal> = Vec::new();
        while let Some(goal) = goals.pop().or_else(|| pool.take()) {
            if !self.expand(goal, search, &mut goals)? {
                pool.end();
                break; // stopped
            }
            if goals.len() > 1 && pool.idle.load(Ordering::Relaxed) > 0 {
                pool.give(goals.remove(0)); // the largest
            }
        }
        Ok(())
    }

    /// Records a claim and adds the claims that it needs to `goals`. Returns `false` if the search
    /// was stopped.
    fn expand(
        &self,
        goal: Goal,
        search: &mut dyn ProofSearch,
        goals: &mut Vec<Goal>,
    ) -> Result<bool> {
        let Some(goal) = self.resolve(goal)? else {
            return Ok(true);
        };
        let Goal {
            position, claim, ..
        } = goal;
        let (image, symmetry) = position.canonical_image();
        let key = (grid_words(&image), claim);
        let visit = self.claims.visit(key);
        if visit == Visit::Repeated {
            return Ok(true);
        }
        ensure!(
            self.claims.count() <= MAX_CLAIMS,
            "the proof has more than {MAX_CLAIMS} claims, which is the limit: increase --leaf-empties"
        );
        let moves = position.moves();
        let Claim::AtLeast(bound) = claim else {
            // The first move is on top: the order of the search, whose caches it uses.
            goals.extend(moves.iter().rev().map(|&m| goal.after(m)));
            return Ok(true);
        };
        let square = |m: Move| grid_square(&position, position.move_image(m, symmetry));
        let known = match visit {
            Visit::Known(known) => moves.iter().copied().find(|&m| square(m) == known),
            _ => {
                let is_free = |m: &Move| {
                    let child = self.resolve(goal.after(*m)).ok().flatten();
                    child.is_some_and(|child| {
                        let words = grid_words(&child.position.canonical());
                        self.claims.contains((words, child.claim))
                    })
                };
                moves.iter().copied().find(is_free)
            }
        };
        let m = match known {
            Some(m) => m,
            None => {
                let score = least_score(&position, bound.into());
                let Ok(found) = search.proven_move(&goal.line, score) else {
                    return Ok(false);
                };
                found.with_context(|| contradiction(position, claim))?
            }
        };
        self.claims.set_move(key, square(m));
        goals.push(goal.after(m));
        Ok(true)
    }

    /// Plays passes; `None` if the game is over or the checker solves the position.
    fn resolve(&self, mut goal: Goal) -> Result<Option<Goal>> {
        loop {
            let position = goal.position;
            if let Some(score) = position.final_score() {
                if !goal.claim.holds(points(&position, score)) {
                    bail!(contradiction(position, goal.claim));
                }
                return Ok(None);
            }
            if position.plies_left() <= self.subject.leaf_empties {
                return Ok(None);
            }
            if !position.moves()[0].is_pass() {
                return Ok(Some(goal));
            }
            goal = goal.after(Move::PASS);
        }
    }
}

/// The searches contradict each other: an error of the engine.
fn contradiction(position: AnyPosition, claim: Claim) -> String {
    format!(
        "internal error: value {claim} does not hold in {}",
        position.write_position()
    )
}
