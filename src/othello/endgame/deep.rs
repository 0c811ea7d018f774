//! A dozen empty squares and more: the null-window loop with the transposition table.
//!
//! At each node: stability bound, table, children's table entries ("enhanced transposition cut-off"), then the moves in
//! the order of [`order`](super::order). It is a loop of its own beside `search::nega_scout`: one function without hooks
//! into which the kernels of the instruction set are inlined.

use arrayvec::ArrayVec;

use crate::game::{Move, mix};
use crate::games::othello::board::{image, square_image};
use crate::othello::board::Board;
use crate::othello::kernel::Stamped;
use crate::othello::stability;
use crate::score::{Score, Window};
use crate::search::context::Stopped;
use crate::search::table::Key;

use super::last::NONE;
use super::middle::{MIDDLE, descend};
use super::order::{FAR, look_ahead_depth, static_rank};
use super::search::Search;

/// A move on its way through a node.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// Higher is searched earlier.
    pub rank: i32,
    /// The square played.
    pub square: u32,
    /// Discs of the side to move behind it.
    pub own: u64,
    /// Discs of the other side.
    pub other: u64,
}

/// Rank of the table's moves.
const KNOWN: i32 = 1 << 29;
/// How much of the best look-ahead a move may lack and still be told exactly, in tenths of a disc.
const MARGIN: i32 = 60;
/// What a reply of the opponent costs beside the look-ahead: a small tree is the other half of a good move.
const REPLY: i32 = 20;
/// What a reply into a corner costs before the look-ahead.
const CORNER_REPLY: i32 = 40;

/// A null-window search of any number of empty squares; `odd` are the quadrants with an odd number of them.
#[inline(always)]
pub fn deep<K: Stamped, B: Board>(
    kernel: K,
    cx: &mut Search<'_>,
    player: u64,
    opponent: u64,
    alpha: i32,
    odd: u64,
) -> Result<i32, Stopped> {
    let empties = B::empty(player, opponent).count_ones();
    if empties <= MIDDLE {
        let score = descend::<K, B>(kernel, &mut cx.private, player, opponent, alpha, empties, odd);
        return if cx.private.exhausted() { Err(Stopped) } else { Ok(score) };
    }
    cx.private.nodes += 1;
    cx.check()?;
    if let Some(most) = stability::bound::<K, B>(kernel, player, opponent, alpha, empties) {
        return Ok(most);
    }
    let mut moves = kernel.legal(player, opponent) & B::SQUARES;
    if moves == 0 {
        if kernel.legal(opponent, player) & B::SQUARES == 0 {
            cx.private.nodes += 1;
            return Ok(B::count(player, opponent));
        }
        return Ok(-kernel.deep::<B>(cx, opponent, player, -alpha - 1, odd)?);
    }
    let draft = cx.draft(empties);
    let window = window(alpha);
    let key = key::<B>(player, opponent, empties);
    let mut known = [Move::NONE; 2];
    if let Some(entry) = cx.table.probe(&key) {
        if entry.draft.covers(draft)
            && let Some(score) = entry.answer(window)
        {
            return Ok(score.0 / 100);
        }
        known = entry.moves;
    }

    let mut list = ArrayVec::<Candidate, 40>::new();
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = kernel.flips(player, opponent, square);
        let (own, other) = (opponent ^ flips, player | flips | 1 << square);
        if own == 0 {
            return Ok(B::count(other, own)); // a wipe-out
        }
        if empties - 1 > MIDDLE {
            cx.table.prefetch(mix([own, other]));
        }
        list.push(Candidate { rank: 0, square, own, other });
    }
    let mut best = NONE;
    let mut best_square = 64;
    if empties - 1 > MIDDLE {
        let below = cx.draft(empties - 1);
        let mut at = 0;
        while at < list.len() {
            let candidate = list[at];
            let entry = cx.table.probe(&self::key::<B>(candidate.own, candidate.other, empties - 1));
            if let Some(entry) = entry.filter(|entry| entry.draft.covers(below)) {
                let (least, most) = (-entry.upper.0 / 100, -entry.lower.0 / 100);
                if least > alpha {
                    store::<B>(cx, &key, empties, alpha, least, candidate.square);
                    return Ok(least);
                }
                if most <= alpha {
                    if most > best {
                        (best, best_square) = (most, candidate.square);
                    }
                    list.swap_remove(at);
                    continue;
                }
            }
            at += 1;
        }
    }

    rank::<K, B>(kernel, cx, &mut list, &key, known, empties, odd)?;
    let mut left = cx.width;
    while !list.is_empty() && left > 0 {
        let mut top = 0;
        for at in 1..list.len() {
            if list[at].rank > list[top].rank {
                top = at;
            }
        }
        let Candidate { square, own, other, .. } = list.swap_remove(top);
        let score = -kernel.deep::<B>(cx, own, other, -alpha - 1, odd ^ B::QUADRANTS[square as usize & 63])?;
        if score > best {
            (best, best_square) = (score, square);
            if best > alpha {
                break;
            }
        }
        left -= 1;
    }
    store::<B>(cx, &key, empties, alpha, best, best_square);
    Ok(best)
}

/// Ranks the moves: the table's first, the others by mobility, with enough empty squares by a look ahead.
#[inline(always)]
fn rank<K: Stamped, B: Board>(
    kernel: K,
    cx: &mut Search<'_>,
    list: &mut ArrayVec<Candidate, 40>,
    key: &Key,
    known: [Move; 2],
    empties: u32,
    odd: u64,
) -> Result<(), Stopped> {
    let depth = look_ahead_depth(empties);
    for candidate in list.iter_mut() {
        let image = Move(square_of::<B>(candidate.square, key));
        candidate.rank = if image == known[0] {
            2 * KNOWN
        } else if image == known[1] {
            KNOWN
        } else if depth == 0 {
            static_rank::<K, B>(kernel, candidate, odd)
        } else {
            let replies = kernel.legal(candidate.own, candidate.other) & B::SQUARES;
            let corners = (replies & B::CORNERS).count_ones() as i32;
            -REPLY * replies.count_ones() as i32 - CORNER_REPLY * corners
        };
    }
    if depth == 0 {
        return Ok(());
    }
    // The likely best move first: its value is the measure of the others, which then need not be told exactly.
    for at in 1..list.len() {
        let mut to = at;
        while to > 0 && list[to - 1].rank < list[to].rank {
            list.swap(to - 1, to);
            to -= 1;
        }
    }
    let mut floor = -FAR;
    for candidate in list.iter_mut().filter(|candidate| candidate.rank < KNOWN) {
        let replies = (kernel.legal(candidate.own, candidate.other) & B::SQUARES).count_ones() as i32;
        let value = -kernel.look_ahead::<B>(cx, candidate.own, candidate.other, (-FAR, -floor), depth);
        floor = floor.max(value - MARGIN);
        candidate.rank = value - REPLY * replies;
    }
    Ok(())
}

/// The null window above `alpha` as the table sees it.
#[inline(always)]
fn window(alpha: i32) -> Window {
    Window { alpha: Score(100 * alpha), beta: Score(100 * (alpha + 1)) }
}

/// Stores what a null-window search above `alpha` found.
#[inline(always)]
fn store<B: Board>(cx: &mut Search<'_>, key: &Key, empties: u32, alpha: i32, score: i32, best: u32) {
    let best = if best < 64 { Move(square_of::<B>(best, key)) } else { Move::NONE };
    cx.table.store(key, cx.draft(empties), window(alpha), Score(100 * score), best);
}

/// Small boards near their start: with at least so many empty squares, images of a position share a key. The moves of
/// an 8x8 endgame break its symmetry long before.
const fn folds<B: Board>(empties: u32) -> bool {
    B::COUNT < 64 && empties as i32 + 12 >= B::COUNT
}

/// Where the table keeps a position.
#[inline(always)]
pub fn key<B: Board>(player: u64, opponent: u64, empties: u32) -> Key {
    if folds::<B>(empties) {
        return folded_key::<B>(player, opponent);
    }
    let words = [player, opponent];
    Key { hash: mix(words), words, symmetry: 0 }
}

#[inline(never)]
fn folded_key<B: Board>(player: u64, opponent: u64) -> Key {
    let mut key = Key { hash: 0, words: [player, opponent], symmetry: 0 };
    for symmetry in 1..8 {
        let words = [image(player, B::SIZE, symmetry), image(opponent, B::SIZE, symmetry)];
        if words < key.words {
            key = Key { words, symmetry: symmetry as u8, ..key };
        }
    }
    Key { hash: mix(key.words), ..key }
}

/// A square as the entry of this key names it.
#[inline(always)]
pub fn square_of<B: Board>(square: u32, key: &Key) -> u8 {
    if key.symmetry == 0 { square as u8 } else { square_image(square as u8, B::SIZE, usize::from(key.symmetry)) }
}
