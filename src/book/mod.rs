//! The opening book: scored positions in a file (`file.rs`), and the choice of a move from them.
//!
//! A record belongs to all symmetric positions and to both colors; a position whose only move is a
//! pass has none, its successor is used instead. The value of a record is the negamax of the
//! positions in the book after its moves, of finished games, and of the leaf: the best move that
//! did not lead into the book when it was searched.

#[cfg(feature = "cli")]
pub mod builder;
pub mod file;
#[cfg(feature = "cli")]
pub mod import;

use crate::game::rng::Rng;
use crate::game::score::Score;
use crate::game::{Game, Move, mix};
use crate::games::any::{AnyGame, AnyPosition};
use crate::search::RootMove;

/// The packed canonical position.
pub type Key = [u64; 2];
/// The level of a proven score; lower ones are search depths, or levels of imported books.
pub const EXACT: u8 = u8::MAX;
/// The largest value of option `Book Variety`, in discs.
pub const VARIETY_MAX: u32 = 8;
/// The plies after a move whose good lines count in the choice of the move.
const LINE_PLIES: u32 = 3;

/// A level in words: `exact`, or its number.
pub fn level_name(level: u8) -> String {
    match level {
        EXACT => "exact".into(),
        level => level.to_string(),
    }
}

/// A position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Record {
    /// The value for the side to move in centipoints, once it is known, and the lowest level of the
    /// scores behind it.
    pub scored: Option<(Score, u8)>,
    /// The best move that leads out of the book.
    pub leaf: Option<Leaf>,
    /// The number of games that passed through the position.
    pub games: u32,
    /// Their half points for the side to move.
    pub half_points: u32,
}

/// A searched or imported score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The move in the canonical position; [`Move::NONE`]: the best one is unknown.
    pub m: Move,
    /// For the side to move.
    pub score: Score,
    /// Search depth, or [`EXACT`].
    pub level: u8,
    /// Further data of it.
    pub kind: LeafKind,
}

/// The origin of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafKind {
    /// Imported, or searched before the level of the book changed.
    Other = 1,
    /// Searched at the level of the book.
    Current,
    /// Entered by hand: the value of the position, whatever follows.
    Fixed,
}

impl LeafKind {
    /// Its word in a table.
    pub fn name(self) -> &'static str {
        match self {
            LeafKind::Other => "other",
            LeafKind::Current => "searched",
            LeafKind::Fixed => "entered",
        }
    }
}

/// A legal move of a position.
#[derive(Clone, Copy, Debug)]
pub struct BookMove {
    /// The move.
    pub m: Move,
    /// Its score for the side to move and the level of the score, if the book has one.
    pub scored: Option<(Score, u8)>,
    /// Whether the score is that of the leaf.
    pub is_leaf: bool,
    /// The record after the move, seen from the player of the move.
    pub next: Option<Record>,
}

/// A move of the book to play.
#[derive(Clone, Debug)]
pub struct BookChoice {
    /// The move as the result of a search, with the best moves of the book after it.
    pub root: RootMove,
    /// The level of its score.
    pub level: u8,
    /// The number of games through the position.
    pub games: u32,
}

/// Finds the record of a key, or describes the damage of the file.
pub type Find<'f> = &'f dyn Fn(Key) -> Result<Option<Record>, String>;

/// The key of a position.
pub fn key(position: AnyPosition) -> Key {
    position.canonical().packed()
}

/// Plays a pass if there is no other move; returns whether it did.
pub fn after_pass(position: AnyPosition) -> (AnyPosition, bool) {
    match position.moves().as_slice() {
        [Move::PASS] => (position.play(Move::PASS), true),
        _ => (position, false),
    }
}

/// The record of a position, and its legal moves.
///
/// # Errors
/// If the file is damaged.
pub fn moves(position: AnyPosition, find: Find) -> Result<(Option<Record>, Vec<BookMove>), String> {
    let image = position.canonical();
    let record = find(image.packed())?;
    let leaf = record
        .and_then(|record| record.leaf)
        .filter(|leaf| image.moves().contains(&leaf.m));
    let leaf = leaf.map(|leaf| (key(after_pass(image.play(leaf.m)).0), leaf));
    let of_move = |m| {
        let (next, passed) = after_pass(position.play(m));
        let seen = |score: Score| if passed { score } else { -score };
        let mut found = BookMove {
            m,
            scored: next.final_score().map(|score| (seen(score), EXACT)),
            is_leaf: false,
            next: None,
        };
        if found.scored.is_some() {
            return Ok(found);
        }
        let key = key(next);
        found.next = find(key)?.map(|next| Record {
            scored: next.scored.map(|(score, level)| (seen(score), level)),
            half_points: if passed {
                next.half_points
            } else {
                let all = next.games.saturating_mul(2);
                all.saturating_sub(next.half_points)
            },
            ..next
        });
        found.scored = found.next.and_then(|next| next.scored);
        if let Some((_, leaf)) = leaf.filter(|(leads_to, _)| *leads_to == key)
            && found.scored.is_none()
        {
            (found.scored, found.is_leaf) = (Some((leaf.score, leaf.level)), true);
        }
        Ok(found)
    };
    let moves = position.moves().into_iter().map(of_move);
    Ok((record, moves.collect::<Result<_, String>>()?))
}

/// The value of a record with these moves, and its level; `None` if a move without a score may be
/// the best one.
pub fn value(record: &Record, moves: &[BookMove]) -> Option<(Score, u8)> {
    let scored = moves.iter().filter_map(|found| found.scored);
    let leaf = record.leaf;
    if let Some(leaf) = leaf.filter(|leaf| leaf.kind == LeafKind::Fixed) {
        return Some((leaf.score, leaf.level));
    }
    if moves.iter().all(|found| found.scored.is_some()) {
        return lowest_level(scored);
    }
    let leaf = leaf?;
    // The move of a leaf is scored by now, by its position in the book or by the leaf.
    let other = (leaf.m == Move::NONE).then_some((leaf.score, leaf.level));
    let (score, level) = lowest_level(scored.chain(other))?;
    Some((score, level.min(leaf.level)))
}

/// The best score and the lowest level.
fn lowest_level(scored: impl Iterator<Item = (Score, u8)>) -> Option<(Score, u8)> {
    scored.reduce(|(best, level), (score, other)| (best.max(score), level.min(other)))
}

/// What each player may still give up in centidiscs, the first player first.
type Allowances = [i32; 2];

/// The scored moves at most `most` centidiscs worse than the best, with what they give up.
fn good_moves(moves: &[BookMove], most: i32) -> Vec<(&BookMove, i32)> {
    let scored = moves
        .iter()
        .filter_map(|found| Some((found, found.scored?.0.0)));
    let best = scored.clone().map(|(_, score)| score).max().unwrap_or(0);
    let costs = scored.map(|(found, score)| (found, best - score));
    costs.filter(|(_, cost)| *cost <= most).collect()
}

/// What the players may still give up if they may give up `variety` discs in a game.
fn allowances(game: &AnyGame, variety: u32, find: Find) -> Result<Allowances, String> {
    let mut left = [100 * variety as i32; 2]; // at most VARIETY_MAX
    for (position, m) in game.plies() {
        let left = &mut left[position.to_move() as usize];
        if *left == 0 {
            continue;
        }
        let moves = moves(position, find)?.1;
        let costs = good_moves(&moves, i32::MAX);
        let cost = costs.iter().find(|(found, _)| found.m == m);
        *left = (*left - cost.map_or(0, |(_, cost)| *cost)).max(0);
    }
    Ok(left)
}

/// The moves to choose from, with their weights: each good line of this ply and `plies` more counts,
/// the less the more its moves give up. A leaf is among them only if no move inside the book is, since
/// the opponent answers it without a choice of the book.
fn weighted_moves(
    position: AnyPosition,
    left: Allowances,
    plies: u32,
    find: Find,
) -> Result<Vec<(BookMove, f64)>, String> {
    let moves = moves(position, find)?.1;
    let mover = position.to_move() as usize;
    let weight = |(found, cost): (&BookMove, i32)| {
        let mut lines = 0.0;
        if plies > 0 && found.next.is_some() {
            let mut left = left;
            left[mover] -= cost;
            let next = after_pass(position.play(found.m)).0;
            let replies = weighted_moves(next, left, plies - 1, find)?;
            lines = replies.iter().map(|(_, weight)| weight).sum();
        }
        // A line that ends here is one line.
        let lines = if lines > 0.0 { lines } else { 1.0 };
        let weight = 1.0 - f64::from(cost) / f64::from(left[mover] + 100);
        Ok((*found, lines * weight))
    };
    let mut good = good_moves(&moves, left[mover]);
    if good.iter().any(|(found, _)| !found.is_leaf) {
        good.retain(|(found, _)| !found.is_leaf);
    }
    good.into_iter().map(weight).collect()
}

/// A move for the player to move. All moves of the game by one player are together at most `variety`
/// discs worse than the best ones, the moves so far included. The better a move and
/// the more good lines follow it, the more probable it is: a line of equal moves is chosen as often
/// as another. Depends on the records, the seed and the moves of the game alone. `None` if the book
/// has no score of the position.
///
/// # Errors
/// If the file is damaged.
pub fn choose(
    game: &AnyGame,
    variety: u32,
    seed: u64,
    find: Find,
) -> Result<Option<BookChoice>, String> {
    let position = game.position();
    let Some(record) = find(key(position))?.filter(|record| record.scored.is_some()) else {
        return Ok(None);
    };
    let left = allowances(game, variety, find)?;
    let (moves, weights): (Vec<_>, Vec<_>) = weighted_moves(position, left, LINE_PLIES, find)?
        .into_iter()
        .unzip();
    let start = mix(game.start().packed());
    let stream = game
        .history()
        .iter()
        .fold(start, |hash, m| mix([hash, m.bits().into()]));
    let drawn = Rng::for_stream(seed, stream).choose_weighted(&weights);
    let chosen: Option<&BookMove> = drawn.and_then(|drawn| moves.get(drawn));
    let Some((chosen, (score, level))) = chosen.and_then(|chosen| Some((chosen, chosen.scored?)))
    else {
        return Ok(None);
    };
    Ok(Some(BookChoice {
        root: RootMove::heuristic(chosen.m, score, line(position, chosen, find)?),
        level,
        games: record.games,
    }))
}

/// A move and the best moves of the book after it.
fn line(mut position: AnyPosition, first: &BookMove, find: Find) -> Result<Vec<Move>, String> {
    let (mut line, mut next) = (Vec::new(), Some(*first));
    while let Some(found) = next {
        line.push(found.m);
        let (after, passed) = after_pass(position.play(found.m));
        position = after;
        if found.next.is_none_or(|next| next.scored.is_none()) {
            break; // the end of the game, or the leaf
        }
        if passed {
            line.push(Move::PASS);
        }
        let moves = moves(position, find)?.1;
        let scored = moves.into_iter().filter(|found| found.scored.is_some());
        // The first of the best ones.
        next = scored
            .rev()
            .max_by_key(|found| found.scored.map(|(score, _)| score));
    }
    Ok(line)
}
