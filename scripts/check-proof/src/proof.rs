//! Reads a proof and checks every claim.
//!
//! A claim needs other claims, leaves and finished games: an at-least claim one move after which
//! the opponent's value is at most the negated bound, an at-most claim the opposite bound after
//! every move. Claims are checked independently of each other, in parallel. Every move places a
//! disc, so no claim depends on itself; and if every claim is needed by the root or by another
//! claim, the root needs them all.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::leaf::LeafSolver;
use crate::rules::{GAMES, Game, Position, Scoring, name, squares};
use crate::sha256::digest;

/// The first bytes of a file; the last one is the version.
pub const MAGIC: &[u8] = b"NWPROOF1";
const HEADER: usize = 56;
const RECORD: usize = 18;
const CHECKSUM: usize = 32;
/// The size of a file with the most claims, 14 million.
pub const MAX_BYTES: usize = HEADER + 14_000_000 * RECORD + CHECKSUM;
/// So that every leaf is solved in minutes.
const MAX_LEAF_EMPTIES: u8 = 20;
const MAX_BOUND: u8 = 64;
const NO_BOUND: i8 = -128; // instead of a bound of the root
const AT_MOST: u8 = 255; // instead of a move, in the claim that the value is at most the bound

macro_rules! ensure {
    ($condition:expr, $($reason:tt)*) => {
        if !$condition {
            return Err(format!($($reason)*));
        }
    };
}

/// A statement about a position: its value for the side to move is at least, or at most, a bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    position: Position,
    bound: i8,
    at_most: bool,
}

impl Claim {
    fn is_in_range(&self) -> bool {
        self.bound.unsigned_abs() <= MAX_BOUND
    }

    /// What it claims about the position after a move or a pass.
    fn after(self, position: Position) -> Claim {
        Claim {
            position,
            bound: -self.bound,
            at_most: !self.at_most,
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.at_most { "<=" } else { ">=" };
        write!(f, "value {sign} {}", self.bound)
    }
}

pub struct Proof {
    game: &'static Game,
    /// The claims about the root.
    root: Vec<Claim>,
    /// Whether the second player is to move at the root.
    is_second: bool,
    leaf_empties: u32,
    /// The claims, sorted, each with its field `move`.
    claims: Vec<(Claim, u8)>,
}

fn word(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev();
    digits.fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn position(bytes: &[u8]) -> Position {
    let (own, other) = (word(&bytes[..8]), word(&bytes[8..16]));
    Position { own, other }
}

fn claim(position: Position, bound: u8, at_most: bool) -> Claim {
    let bound = bound as i8;
    Claim {
        position,
        bound,
        at_most,
    }
}

impl Proof {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is damaged or its header is invalid.
    pub fn read(bytes: &[u8]) -> Result<Proof, String> {
        ensure!(bytes.len() >= HEADER + CHECKSUM, "the file is truncated");
        ensure!(
            bytes.len() <= MAX_BYTES,
            "the file has more than {MAX_BYTES} bytes"
        );
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        ensure!(digest(content) == checksum, "the checksum is wrong");
        let (header, records) = content.split_at(HEADER);
        let (count, length) = (word(&header[48..56]), records.len() as u64);
        let is_length = count.checked_mul(RECORD as u64) == Some(length);
        ensure!(is_length, "{length} bytes of records for {count} claims");
        let is_named = |game: &&Game| format!("{:\0<16}", game.name).as_bytes() == &header[8..24];
        let game = GAMES.iter().find(is_named).ok_or("unknown game")?;
        let root = position(&header[24..40]);
        ensure!(game.is_possible(root), "not a position of {}", game.name);
        let second = u32::from(header[40]);
        let parity = (root.own | root.other).count_ones() % 2;
        let is_free = game.scoring != Scoring::Line && second <= 1;
        ensure!(is_free || second == parity, "invalid side to move");
        let most = MAX_LEAF_EMPTIES;
        ensure!(
            header[41] <= most,
            "leaves of {} empties, the limit is {most}",
            header[41]
        );
        ensure!(header[44] != 1, "the proof is not finished");
        ensure!(header[44..48] == [0; 4], "invalid header");
        let root = [
            claim(root, header[42], false),
            claim(root, header[43], true),
        ];
        let root: Vec<Claim> = root.into_iter().filter(|c| c.bound != NO_BOUND).collect();
        ensure!(!root.is_empty(), "nothing is claimed about the root");
        for claim in &root {
            ensure!(claim.is_in_range(), "{claim}: no value of a game");
        }
        let record = |bytes: &[u8]| {
            let square = bytes[17];
            (claim(position(bytes), bytes[16], square == AT_MOST), square)
        };
        Ok(Proof {
            game,
            root,
            is_second: second == 1,
            leaf_empties: header[41].into(),
            claims: records.chunks_exact(RECORD).map(record).collect(),
        })
    }

    /// Checks all claims on this many threads. Returns the number of leaves.
    ///
    /// # Errors
    /// The first claim that does not hold, with the reason; or one that is not needed.
    pub fn check(&self, threads: usize) -> Result<usize, String> {
        let needed: Vec<AtomicBool> = self.claims.iter().map(|_| false.into()).collect();
        let leaves = AtomicUsize::new(0);
        let new_checker = || Checker {
            proof: self,
            needed: &needed,
            leaves: &leaves,
            solver: LeafSolver::new(self.game),
        };
        for &claim in &self.root {
            let checked = new_checker().check_needed(claim);
            checked.map_err(|reason| format!("root: {reason}"))?;
        }
        // Threads take the claims in order, so those before the first error are all checked.
        let next = AtomicUsize::new(0);
        let errors = Mutex::new(BTreeMap::new());
        let work = || {
            let mut checker = new_checker();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= self.claims.len() {
                    return;
                }
                if let Err(reason) = checker.check_claim(index) {
                    next.store(self.claims.len(), Ordering::Relaxed);
                    errors.lock().unwrap().insert(index, reason);
                }
            }
        };
        thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        if let Some((index, reason)) = errors.into_inner().unwrap().pop_first() {
            return Err(format!("{}: {reason}", self.describe(index)));
        }
        for (index, needed) in needed.iter().enumerate() {
            let is_needed = needed.load(Ordering::Relaxed);
            ensure!(is_needed, "{}: not needed", self.describe(index));
        }
        Ok(leaves.into_inner())
    }

    fn describe(&self, index: usize) -> String {
        let claim = self.claims[index].0;
        let position = self.game.text(claim.position);
        format!("claim {}, {claim} in {position}", index + 1)
    }
}

/// The root, its claims, and the number of claims.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.game.text(self.root[0].position);
        let mover = if self.is_second { "second" } else { "first" };
        let claims: Vec<String> = self.root.iter().map(Claim::to_string).collect();
        let (name, claims) = (self.game.name, claims.join(", "));
        writeln!(f, "{name} {root}, x is the {mover} player\n{claims}")?;
        let (count, empties) = (self.claims.len(), self.leaf_empties);
        write!(f, "claims {count}, leaves of at most {empties} empties")
    }
}

/// Checks claims on one thread.
struct Checker<'p> {
    proof: &'p Proof,
    /// For each claim whether the root or another claim needs it.
    needed: &'p [AtomicBool],
    /// The number of leaves solved.
    leaves: &'p AtomicUsize,
    solver: LeafSolver,
}

impl Checker<'_> {
    /// Checks a claim of the proof. It need not be of a possible position: if no other claim leads
    /// there, it is not needed.
    fn check_claim(&mut self, index: usize) -> Result<(), String> {
        let Proof { game, claims, .. } = self.proof;
        let (claim, square) = claims[index];
        ensure!(claim.is_in_range(), "no value of a game");
        let is_sorted = index == 0 || claims[index - 1].0 < claim;
        ensure!(is_sorted, "out of order, or repeated");
        let mut played = game.moves(claim.position);
        if !claim.at_most {
            played &= 1_u64.checked_shl(square.into()).unwrap_or(0);
            ensure!(played != 0, "illegal move {}", name(square.into()));
        }
        for square in squares(played) {
            let child = game.play(claim.position, square);
            let checked = self.check_needed(claim.after(child));
            checked.map_err(|reason| format!("move {}: {reason}", name(square)))?;
        }
        Ok(())
    }

    /// Checks a claim by solving a leaf or by finding it in the proof. Plays passes.
    fn check_needed(&mut self, mut claim: Claim) -> Result<(), String> {
        let Proof { game, claims, .. } = self.proof;
        let position = claim.position;
        let empties = game.empty(position).count_ones();
        if empties <= self.proof.leaf_empties || game.outcome(position).is_some() {
            self.leaves.fetch_add(1, Ordering::Relaxed);
            // The value is at most a bound if it does not reach the next one.
            let bound = i32::from(claim.bound) + i32::from(claim.at_most);
            let reached = self.solver.reaches(position, bound);
            ensure!(reached != claim.at_most, "{claim} does not hold there");
        } else if game.moves(position) == 0 {
            return self.check_needed(claim.after(position.passed()));
        } else {
            claim.position = game.canonical(position);
            let found = claims.binary_search_by_key(&claim, |&(claim, _)| claim);
            let index = found.map_err(|_| format!("{claim} there is missing"))?;
            self.needed[index].store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
