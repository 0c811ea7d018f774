//! Proof-number search for the same question, depth first (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002): where alpha-beta's first choice is wrong it pays for it to the end, this search turns to another.
//!
//! A node's proof number says how much is left to prove a win of the attacker, its disproof number how much to prove that
//! there is none. The number that is a sum over children counts the largest child and one for each other, since most
//! children lead to the same positions ("weak" proof numbers, T. Ueda and others, 2008). A new node starts from its mobility and
//! from the cells that would complete a line: without that it visits eight times the nodes.

use super::cache::Key;
use super::settle::{Meter, Settled, settle};
use crate::scorefour::board::Board;
use crate::search::context::Stopped;
use crate::search::isa::{Isa, Task};
use crate::search::table::prefetch;

/// Proven, as the number of the other answer.
const INFINITE: u32 = (1 << 24) - 1;
/// Plies that no game lasts: every question here is without a bound.
const ALL_PLIES: u8 = 64;
/// Words of a bucket: four entries of two words in a cache line.
const LINE: usize = 8;

/// Proof and disproof number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVEN: Numbers = Numbers { proof: 0, disproof: INFINITE };
    const DISPROVEN: Numbers = Numbers { proof: INFINITE, disproof: 0 };

    /// The number that the side to move wants small, and the other.
    #[inline(always)]
    const fn for_mover(self, attack: bool) -> (u32, u32) {
        if attack { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    #[inline(always)]
    const fn of_mover(attack: bool, wanted: u32, other: u32) -> Numbers {
        if attack { Numbers { proof: wanted, disproof: other } } else { Numbers { proof: other, disproof: wanted } }
    }
}

/// What a node starts from: few moves to answer for, and many cells that complete a line, make an answer near.
#[inline(always)]
fn estimate(board: &Board, attack: bool) -> Numbers {
    let empty = !(board.own | board.other);
    let moves = board.sensible(board.playable()).count_ones();
    let far = |wins: u64| 1 + 32 / (2 + (wins & empty).count_ones());
    Numbers::of_mover(attack, far(board.own_wins), moves * far(board.other_wins))
}

#[derive(Clone, Copy)]
struct Child {
    board: Board,
    attack: bool,
    numbers: Numbers,
}

/// A search by proof numbers with its table, for the question of one attacker.
pub struct Proof<'a, I> {
    isa: I,
    /// Buckets from `first` on; an entry is the piles and a word of full columns (16 bits), proof and disproof number.
    words: Vec<u64>,
    first: usize,
    buckets: usize,
    meter: &'a Meter<'a>,
}

struct Node<'s, 'a, I> {
    proof: &'s mut Proof<'a, I>,
    board: &'s Board,
    attack: bool,
    limits: Numbers,
}

impl<I: Isa> Task for Node<'_, '_, I> {
    type Output = Result<Numbers, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        body(self)
    }
}

struct Question<'s, 'a, I> {
    proof: &'s mut Proof<'a, I>,
    board: &'s Board,
    attack: bool,
}

impl<I: Isa> Task for Question<'_, '_, I> {
    type Output = Result<bool, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Question { proof, board, attack } = self;
        match settle(board, attack, ALL_PLIES, proof.meter) {
            Settled::Yes(_) => Ok(true),
            Settled::No => Ok(false),
            Settled::Open { board, attack, .. } => {
                let limits = Numbers { proof: INFINITE, disproof: INFINITE };
                let isa = proof.isa;
                Ok(isa.call(Node { proof, board: &board, attack, limits })?.proof == 0)
            }
        }
    }
}

impl<'a, I: Isa> Proof<'a, I> {
    /// A search with an empty table of so many MiB.
    pub fn new(isa: I, mebibytes: usize, meter: &'a Meter<'a>) -> Self {
        let buckets = (mebibytes.max(1) << 20) / 64;
        let words = vec![0u64; (buckets + 1) * LINE];
        let first = words.as_ptr().align_offset(64).min(LINE);
        Proof { isa, words, first, buckets, meter }
    }

    /// Whether the attacker wins; `attack`: it is the side to move.
    pub fn ask(&mut self, board: &Board, attack: bool) -> Result<bool, Stopped> {
        let isa = self.isa;
        isa.call(Question { proof: self, board, attack })
    }

    #[inline(always)]
    fn index(&self, key: Key) -> usize {
        self.first + key.bucket(self.buckets) * LINE
    }

    #[inline(always)]
    fn probe(&self, key: Key) -> Option<Numbers> {
        let index = self.index(key);
        for entry in self.words[index..index + LINE].chunks_exact(2) {
            if entry[0] == key.piles && entry[1] & 0xffff == key.full && entry[1] >> 16 != 0 {
                let proof = (entry[1] >> 16) as u32 & INFINITE;
                return Some(Numbers { proof, disproof: (entry[1] >> 40) as u32 });
            }
        }
        None
    }

    /// Stores at the front of the bucket; the last entry falls out.
    #[inline(always)]
    fn store(&mut self, key: Key, Numbers { proof, disproof }: Numbers) {
        let index = self.index(key);
        let bucket = &mut self.words[index..index + LINE];
        let same = |entry: &[u64]| entry[1] == 0 || entry[0] == key.piles && entry[1] & 0xffff == key.full;
        let place = bucket.chunks_exact(2).position(same).unwrap_or(LINE / 2 - 1);
        bucket.copy_within(0..2 * place, 2);
        bucket[0] = key.piles;
        bucket[1] = key.full | u64::from(proof) << 16 | u64::from(disproof) << 40;
    }
}

#[inline(always)]
fn body<I: Isa>(node: Node<'_, '_, I>) -> Result<Numbers, Stopped> {
    let Node { proof, board, attack, limits } = node;
    proof.meter.check()?;
    let isa = proof.isa;
    let key = board.key();

    // 1. Play every move: some settle themselves.
    let mut moves = board.sensible(board.playable());
    let mut children = [Child { board: *board, attack, numbers: Numbers::PROVEN }; 16];
    let mut count = 0;
    while moves != 0 {
        let child = board.play(moves.trailing_zeros());
        moves &= moves - 1;
        match settle(&child, !attack, ALL_PLIES, proof.meter) {
            Settled::Yes(_) if attack => {
                proof.store(key, Numbers::PROVEN);
                return Ok(Numbers::PROVEN);
            }
            Settled::No if !attack => {
                proof.store(key, Numbers::DISPROVEN);
                return Ok(Numbers::DISPROVEN);
            }
            Settled::Yes(_) | Settled::No => {}
            Settled::Open { board, attack, .. } => {
                prefetch(&proof.words[proof.index(board.key())]);
                children[count & 15] = Child { board, attack, numbers: Numbers::PROVEN };
                count += 1;
            }
        }
    }
    for child in &mut children[..count] {
        child.numbers = match proof.probe(child.board.key()) {
            Some(numbers) => numbers,
            None => estimate(&child.board, child.attack),
        };
    }

    // 2. Search the most promising child until the node's numbers pass their limits.
    let (most_wanted, most_other) = limits.for_mover(attack);
    loop {
        let (mut best, mut wanted, mut second) = (0, INFINITE, INFINITE);
        let (mut largest, mut open) = (0, 0);
        for (index, child) in children[..count].iter().enumerate() {
            let (mine, other) = child.numbers.for_mover(attack);
            if mine < wanted {
                (best, second, wanted) = (index, wanted, mine);
            } else {
                second = second.min(mine);
            }
            largest = largest.max(other);
            open += u32::from(other != 0);
        }
        let other = if wanted == 0 {
            INFINITE
        } else if largest == 0 || largest == INFINITE {
            largest
        } else {
            (largest + open - 1).min(INFINITE - 1)
        };
        let wanted = if other == 0 { INFINITE } else { wanted };
        if wanted >= most_wanted || other >= most_other || wanted == 0 || other == 0 {
            let numbers = Numbers::of_mover(attack, wanted, other);
            proof.store(key, numbers);
            return Ok(numbers);
        }
        let child = children[best & 15];
        // A quarter more than the second best, so that the search does not go to and fro.
        let limit = most_wanted.min(second.saturating_add(second / 4 + 1).min(INFINITE));
        let limit_other = (most_other - other).saturating_add(child.numbers.for_mover(attack).1).min(INFINITE);
        let limits = Numbers::of_mover(attack, limit, limit_other);
        let found = isa.call(Node { proof, board: &child.board, attack: child.attack, limits })?;
        children[best & 15].numbers = found;
    }
}
