//! Imports books of Edax (`.dat`, version 4) and Egaroucid (`.egbk3`): both hold positions with a
//! value and a leaf, for the side to move in discs.

use anyhow::{Context, Result, bail, ensure};

use super::builder::{Builder, Imported, Source};
use super::file::number;
use super::{EXACT, Leaf, LeafKind, after_pass};
use crate::game::score::Score;
use crate::game::{Game, Move};

/// The first bytes of a book, as the programs write them.
const EDAX: &[u8] = b"XADEKOOB\x04";
const EGAROUCID: [&[u8]; 2] = [b"DICUORAGE\x03", b"EGAROUCID\x03"];
/// The bytes before the number of positions, and of a position without its links.
const EDAX_HEADER: usize = 38;
const EDAX_POSITION: usize = 42;
const EGAROUCID_POSITION: usize = 25;
/// The largest level of a search of Egaroucid: values entered by hand have a larger one.
const EGAROUCID_LEVELS: u8 = 60;

/// A position of an imported book.
struct ForeignPosition {
    /// The discs of the side to move and of the other, bit 0 is a1.
    discs: [u64; 2],
    /// The leaf's square, if it is a move onto one, its score and level.
    leaf: Option<(u8, i16, u8)>,
    is_fixed: bool,
    data: Imported,
}

/// Adds the positions of a book to ours; returns their number.
///
/// # Errors
/// If it is not a book of a known format, is cut off, or has an impossible position.
pub fn import(book: &mut Builder, bytes: &[u8]) -> Result<usize> {
    let (source, start) = match bytes {
        _ if bytes.starts_with(EDAX) => (Source::Edax, EDAX_HEADER),
        _ if EGAROUCID.iter().any(|magic| bytes.starts_with(magic)) => {
            (Source::Egaroucid, EGAROUCID[0].len())
        }
        _ => bail!("not a book of Edax (.dat, version 4) or Egaroucid (.egbk3)"),
    };
    ensure!(
        book.game.name() == "othello",
        "the books of Edax and Egaroucid are books of othello, not of {}",
        book.game.name()
    );
    ensure!(bytes.len() >= start + 4, "the header is cut off");
    let (count, mut at) = (number(bytes, start, 4) as usize, start + 4);
    for index in 1..=count {
        let place = || format!("position {index} of {count} (byte {at})");
        let rest = bytes.get(at..).unwrap_or_default();
        let (position, length) = match source {
            Source::Edax => edax_position(rest),
            Source::Egaroucid => egaroucid_position(rest),
        }
        .with_context(|| format!("{} is cut off", place()))?;
        merge(book, source, &position).with_context(place)?;
        at += length;
    }
    let rest = bytes.len() - at;
    ensure!(
        rest == 0,
        "{rest} bytes after the last position (byte {at})"
    );
    Ok(count)
}

/// The first position, and its length.
fn edax_position(bytes: &[u8]) -> Option<(ForeignPosition, usize)> {
    let links = usize::from(*bytes.get(38)?);
    let length = EDAX_POSITION + 2 * links;
    let &[score, square] = bytes.get(length - 2..length)? else {
        return None;
    };
    let level = bytes[39];
    let position = ForeignPosition {
        discs: [0, 8].map(|at| number(bytes, at, 8)),
        leaf: (square < 64).then_some((square, i16::from(score as i8), level)),
        is_fixed: false,
        data: Imported {
            level,
            values: [32, 34, 36].map(|at| number(bytes, at, 2) as i16),
            counts: [16, 20, 24, 28].map(|at| number(bytes, at, 4) as u32),
        },
    };
    Some((position, length))
}

/// The first position, and its length.
fn egaroucid_position(bytes: &[u8]) -> Option<(ForeignPosition, usize)> {
    let bytes = bytes.get(..EGAROUCID_POSITION)?;
    let score = |at: usize| i16::from(bytes[at] as i8);
    let (level, square) = (bytes[17], bytes[23]);
    let position = ForeignPosition {
        // Its highest bit is a1.
        discs: [0, 8].map(|at| number(bytes, at, 8).reverse_bits()),
        leaf: (square < 64).then(|| (63 - square, score(22), bytes[24])),
        is_fixed: level > EGAROUCID_LEVELS,
        data: Imported {
            level,
            values: [score(16); 3],
            counts: [0, 0, 0, number(bytes, 18, 4) as u32],
        },
    };
    Some((position, EGAROUCID_POSITION))
}

/// Adds a position. Its leaf replaces one of a lower level.
fn merge(book: &mut Builder, source: Source, foreign: &ForeignPosition) -> Result<()> {
    let position = book.game.with_discs(foreign.discs);
    let position = position.context("a square has two discs")?;
    let Imported {
        level,
        values: [value, ..],
        counts: [wins, draws, losses, _],
    } = foreign.data;
    let score = |discs: i16| -> Result<Score> {
        ensure!(
            (-64..=64).contains(&discs),
            "score {discs}, expected -64 to 64"
        );
        Ok(Score(100 * i32::from(discs)))
    };
    let whole = Leaf {
        m: Move::NONE,
        score: score(value)?,
        level: level.min(EXACT - 1),
        kind: LeafKind::Other,
    };
    if position.final_score().is_some() {
        return Ok(()); // its score needs no book
    }
    let (at, passed) = after_pass(position);
    let mut leaf = match foreign.leaf.filter(|_| !passed) {
        // The scores of all moves may follow from the positions after them.
        None => whole,
        Some((square, discs, level)) => {
            let m = Move::to(square);
            ensure!(
                position.moves().contains(&m),
                "illegal move {}",
                position.write_move(m)
            );
            Leaf {
                m,
                score: score(discs)?,
                level: level.min(EXACT - 1),
                ..whole
            }
        }
    };
    if foreign.is_fixed {
        (leaf.score, leaf.level, leaf.kind) = (whole.score, whole.level, LeafKind::Fixed);
    }
    if passed {
        leaf.score = -leaf.score;
    }
    let (image, symmetry) = at.canonical_image();
    let key = image.packed();
    let record = book.records.entry(key).or_default();
    let rank = |leaf: &Leaf| (leaf.level, leaf.m != Move::NONE);
    if record.leaf.is_none_or(|old| rank(&old) < rank(&leaf)) {
        let m = at.move_image(leaf.m, symmetry);
        record.leaf = Some(Leaf { m, ..leaf });
    }
    if !passed {
        let games = wins.saturating_add(draws).saturating_add(losses);
        let half_points = wins.saturating_mul(2).saturating_add(draws);
        record.games = record.games.saturating_add(games);
        record.half_points = record.half_points.saturating_add(half_points);
        book.imported.insert((key, source), foreign.data);
    }
    Ok(())
}
