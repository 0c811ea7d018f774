//! The binary format of proofs and of the claims of an interrupted run; storage/formats.md
//! documents it for authors of checkers.

use std::cmp::Ordering;
use std::io::{self, Read};
use std::iter;
use std::path::Path;

use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};

use crate::book::file::{bytes, words};
use crate::commands::claims::{Claim, step};
use crate::game::{Game, Move, Player};
use crate::games::any::AnyPosition;
use crate::games::reversi::endgame::middle::MIDDLE;
use crate::games::reversi::eval::evaluator::ReversiEvaluator;
use crate::games::reversi::eval::othello::OthelloEvaluator;
use crate::platform::files;
use crate::storage::whole_file::replace_file;

/// The maximum number of claims. A claim takes 29 bytes in a full table of this size and 24 in the
/// list that is written, so that all claims and a transposition table of 256 MiB fit in 1 GiB.
pub const MAX_CLAIMS: usize = 14_000_000;

/// The first bytes of a file; the last one is the version.
const MAGIC: &[u8; 8] = b"NWPROOF1";
/// The bytes of the header.
const HEADER: usize = 56;
/// The bytes of a record.
const RECORD: usize = 18;
/// The bytes of the checksum at the end.
const CHECKSUM: usize = 32;
/// A bound of the root that is not claimed.
const NO_BOUND: i8 = -128;
/// The field `move` of a claim that the value is at most a bound.
const AT_MOST: u8 = 255;
/// Records per part while writing.
const PART: usize = 4096;
/// The maximum size of a file.
const LIMIT: u64 = (HEADER + MAX_CLAIMS * RECORD + CHECKSUM) as u64;
/// The most empties of leaves: the checker solves such a position in minutes.
pub const MAX_LEAF_EMPTIES: i64 = 20;

/// A record: a claim about a canonical position, with its proving move if it is an at-least claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimRecord {
    /// [`grid_words`].
    pub position: [u64; 2],
    pub claim: Claim,
    /// [`grid_square`] of the move; 0 in an at-most claim.
    pub square: u8,
}

impl ClaimRecord {
    /// The bound and the field `move`.
    fn bound_and_move(&self) -> (i8, u8) {
        match self.claim {
            Claim::AtLeast(bound) => (bound, self.square),
            Claim::AtMost(bound) => (bound, AT_MOST),
        }
    }

    /// The order of the records in a proof.
    pub fn order(&self, other: &ClaimRecord) -> Ordering {
        let key = |record: &ClaimRecord| (record.position, record.bound_and_move());
        key(self).cmp(&key(other))
    }

    fn encode(&self) -> [u8; RECORD] {
        let (bound, m) = self.bound_and_move();
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.position[0].to_le_bytes());
        bytes[8..16].copy_from_slice(&self.position[1].to_le_bytes());
        (bytes[16], bytes[17]) = (bound as u8, m);
        bytes
    }

    fn decode(bytes: &[u8]) -> ClaimRecord {
        let (bound, m) = (bytes[16] as i8, bytes[17]);
        let is_at_most = m == AT_MOST;
        ClaimRecord {
            position: words(bytes),
            claim: if is_at_most {
                Claim::AtMost(bound)
            } else {
                Claim::AtLeast(bound)
            },
            square: if is_at_most { 0 } else { m },
        }
    }
}

/// The most empties of leaves by default, for a proof of this position: one more than the endgame
/// kernel always searches, whose positions are not in the table, and in small games two thirds of
/// the empties. Measured: measurements.md#leaves.
pub fn default_leaf_empties(root: &AnyPosition) -> u8 {
    let empties = root.plies_left();
    let kernel = match root {
        AnyPosition::Othello(_) => OthelloEvaluator::kernel_empties(empties),
        _ => MIDDLE,
    };
    (kernel + 1).min(empties * 2 / 3)
}

/// The squares of the side to move and of the other side, bit `8 * row + column` in every game.
pub fn grid_words(position: &AnyPosition) -> [u64; 2] {
    let words = position.packed();
    if position.discs().is_some() {
        return words;
    }
    // Tic-tac-toe has three squares in a row. Wider rows keep the order of positions.
    words.map(|word| (0..3).fold(0, |grid, row| grid | (word >> (3 * row) & 7) << (8 * row)))
}

/// The number of a square, `8 * row + column` in every game.
pub fn grid_square(position: &AnyPosition, m: Move) -> u8 {
    let square = m.square();
    if position.discs().is_some() {
        square
    } else {
        8 * (square / 3) + square % 3
    }
}

/// What a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofSubject {
    /// The root, not necessarily canonical.
    pub root: AnyPosition,
    /// The checker solves positions with at most this many empties.
    pub leaf_empties: u8,
    /// The claims about the root.
    pub lower: Option<i8>,
    pub upper: Option<i8>,
}

impl ProofSubject {
    /// The proof of a result of `solve`: the value, or, if `is_win_loss_draw`, its sign.
    pub fn of_solved(root: AnyPosition, score: i8, is_win_loss_draw: bool) -> ProofSubject {
        let step = step(&root);
        let (lower, upper) = match score {
            1.. if is_win_loss_draw => (Some(step), None),
            ..=-1 if is_win_loss_draw => (None, Some(-step)),
            _ => (Some(score), Some(score)),
        };
        ProofSubject {
            root,
            leaf_empties: default_leaf_empties(&root),
            lower,
            upper,
        }
    }

    /// The claims about the root.
    pub fn claims(&self) -> Vec<Claim> {
        Claim::of_bounds(self.lower, self.upper)
    }

    fn encode(&self, is_partial: bool, count: usize) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(self.root.name().as_bytes());
        header.resize(24, 0);
        header.extend(bytes(grid_words(&self.root)));
        header.extend([
            u8::from(self.root.to_move() == Player::Second),
            self.leaf_empties,
            self.lower.unwrap_or(NO_BOUND) as u8,
            self.upper.unwrap_or(NO_BOUND) as u8,
            u8::from(is_partial),
        ]);
        header.resize(48, 0);
        header.extend(bytes([count as u64]));
        header
    }
}

/// Writes a proof, or the claims of an interrupted run (`is_partial`). Returns the size in bytes.
///
/// # Errors
/// If the file cannot be written; an old file is unchanged.
pub fn write(
    path: &Path,
    subject: &ProofSubject,
    is_partial: bool,
    records: &[ClaimRecord],
) -> Result<u64> {
    let header = subject.encode(is_partial, records.len());
    let part = |records: &[ClaimRecord]| -> Vec<u8> {
        records.iter().flat_map(ClaimRecord::encode).collect()
    };
    let body = || iter::once(header.clone()).chain(records.chunks(PART).map(part));
    let mut checksum = Sha256::new();
    body().for_each(|part| checksum.update(&part));
    replace_file(path, body().chain([checksum.finalize().to_vec()]))?;
    Ok((HEADER + records.len() * RECORD + CHECKSUM) as u64)
}

/// Whether a file is a complete proof of a subject. Reads its header only: files are replaced whole. A
/// proof may have other leaves and narrower bounds.
pub fn proves(path: &Path, subject: &ProofSubject) -> bool {
    let mut header = [0; HEADER];
    let mut read = || -> io::Result<u64> {
        let mut file = files::open_regular(path)?;
        file.read_exact(&mut header)?;
        Ok(file.metadata()?.len())
    };
    let Ok(length) = read() else {
        return false;
    };
    let found = ProofSubject {
        leaf_empties: header[41],
        lower: bound(header[42]),
        upper: bound(header[43]),
        ..*subject
    };
    let [count] = words(&header[48..]);
    let size = count.saturating_mul(RECORD as u64);
    let is_implied = |claim| match claim {
        Claim::AtLeast(bound) => found.lower.is_some_and(|lower| lower >= bound),
        Claim::AtMost(bound) => found.upper.is_some_and(|upper| upper <= bound),
    };
    found.encode(false, count as usize) == header
        && length == size.saturating_add((HEADER + CHECKSUM) as u64)
        && subject.claims().into_iter().all(is_implied)
}

/// A bound of the root in a header.
fn bound(byte: u8) -> Option<i8> {
    Some(byte as i8).filter(|&bound| bound != NO_BOUND)
}

/// Reads the claims of an interrupted run about this root: the bounds of the root in the file, and
/// its records.
///
/// # Errors
/// If the file cannot be read, is damaged, or belongs to another root or other leaves.
pub fn read_partial(path: &Path, asked: &ProofSubject) -> Result<(ProofSubject, Vec<ClaimRecord>)> {
    let bytes = files::read_regular(path, LIMIT)?;
    let length = bytes.len();
    ensure!(
        length >= HEADER + CHECKSUM && bytes.starts_with(MAGIC),
        "not a proof of this version"
    );
    let (content, checksum) = bytes.split_at(length - CHECKSUM);
    ensure!(
        Sha256::digest(content)[..] == *checksum,
        "the checksum is wrong: the file is damaged"
    );
    let (header, records) = content.split_at(HEADER);
    let [count]: [u64; 1] = words(&header[48..]);
    ensure!(
        records.len() as u64 == count.saturating_mul(RECORD as u64),
        "{count} claims expected in {} bytes",
        records.len()
    );
    let found = ProofSubject {
        lower: bound(header[42]),
        upper: bound(header[43]),
        ..*asked
    };
    let is_question = if asked.claims().is_empty() {
        found.lower.is_some() && found.lower == found.upper
    } else {
        found == *asked
    };
    ensure!(
        is_question && found.encode(true, count as usize) == *header,
        "the claims of another position, of other bounds or with other leaves: use the same command line, or delete \
         the file"
    );
    Ok((
        found,
        records.chunks(RECORD).map(ClaimRecord::decode).collect(),
    ))
}
