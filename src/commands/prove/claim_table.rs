//! The claims of a proof in progress, shared by all threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::proof_file::ClaimRecord;
use crate::commands::claims::Claim;
use crate::game::mix;

/// The parts of the table; each has its own lock.
const SHARDS: usize = 64;

/// [`grid_words`](super::proof_file::grid_words) of a canonical position, and the claim about it.
pub type ClaimKey = ([u64; 2], Claim);

/// A claim that a search has proven.
struct ClaimState {
    /// The square of the proving move; `None`: none yet, or an at-most claim.
    square: Option<u8>,
    /// Whether a thread of this run has reached it.
    is_visited: bool,
}

/// What the first visit of a claim finds.
#[derive(PartialEq, Eq, Debug)]
pub enum Visit {
    /// The claim was visited before.
    Repeated,
    /// Nothing is known yet.
    New,
    /// The square of the proving move is known from an interrupted run.
    Known(u8),
}

/// The table.
pub struct ClaimTable {
    shards: Vec<Mutex<HashMap<ClaimKey, ClaimState>>>,
    count: AtomicUsize,
}

impl Default for ClaimTable {
    fn default() -> ClaimTable {
        ClaimTable {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            count: AtomicUsize::new(0),
        }
    }
}

impl ClaimTable {
    /// Adds the claims of an interrupted run.
    pub fn load(&self, records: &[ClaimRecord]) {
        for record in records {
            let state = ClaimState {
                square: matches!(record.claim, Claim::AtLeast(_)).then_some(record.square),
                is_visited: false,
            };
            let key = (record.position, record.claim);
            self.shard(&key).insert(key, state);
        }
    }

    fn shard(&self, (position, _): &ClaimKey) -> MutexGuard<'_, HashMap<ClaimKey, ClaimState>> {
        let shard = &self.shards[mix(*position) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the claim is part of the proof, or was part of it in an interrupted run.
    pub fn contains(&self, key: ClaimKey) -> bool {
        self.shard(&key).contains_key(&key)
    }

    /// Visits a claim that holds.
    pub fn visit(&self, key: ClaimKey) -> Visit {
        let mut shard = self.shard(&key);
        let state = shard.entry(key).or_insert(ClaimState {
            square: None,
            is_visited: false,
        });
        if std::mem::replace(&mut state.is_visited, true) {
            return Visit::Repeated;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        state.square.map_or(Visit::New, Visit::Known)
    }

    /// Sets the proving move of a visited claim.
    pub fn set_move(&self, key: ClaimKey, square: u8) {
        if let Some(state) = self.shard(&key).get_mut(&key) {
            state.square = Some(square);
        }
    }

    /// The number of claims visited.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The claims in the table, in no order: all that can be continued from, or, of a complete
    /// proof, the visited ones.
    pub fn records(&self, is_partial: bool) -> Vec<ClaimRecord> {
        let mut records = Vec::with_capacity(self.count());
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let usable = shard.iter().filter(|((_, claim), state)| {
                let is_known = matches!(claim, Claim::AtMost(_)) || state.square.is_some();
                is_known && (is_partial || state.is_visited)
            });
            records.extend(usable.map(|(&(position, claim), state)| ClaimRecord {
                position,
                claim,
                square: state.square.unwrap_or(0),
            }));
        }
        records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_proof_has_the_visited_claims_alone() {
        let record = |own, claim, square| ClaimRecord {
            position: [own, 8],
            claim,
            square,
        };
        let known = [
            record(1, Claim::AtLeast(2), 5),
            record(2, Claim::AtMost(0), 0),
        ];
        let table = ClaimTable::default();
        table.load(&known);
        assert_eq!(table.visit((known[1].position, known[1].claim)), Visit::New);
        assert_eq!(table.records(false), [known[1]]);
        assert_eq!(table.records(true).len(), 2);
    }
}
