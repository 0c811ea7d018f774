//! A hand-written null-window search for 6x6 Othello: no policy, no node kinds, no trace, boards of
//! two words.
//!
//! It has the steps of the loop with the sorting policy, in the same order, and so visits the same
//! nodes: finished games, the last ply without calls, table, passes, table entries of children,
//! ordering by static value. Both share the board primitives, the table, and the node counter that
//! polls the stop flag.

use nullwindow::game::score::{Score, Window};
use nullwindow::game::{Game, Move, mix};
use nullwindow::games::reversi::bitboard;
use nullwindow::games::reversi::{Othello6, Shape, Six};
use nullwindow::search::generic_policy::canonical_key;
use nullwindow::search::mtdf::mtdf;
use nullwindow::search::state::SearchState;
use nullwindow::search::stop::{SearchControl, Stopped};
use nullwindow::search::table::{Draft, Entry, Key, Table};

use crate::{STEP, TABLE_BYTES};

const SQUARES: u64 = Six::SQUARES;
const CORNERS: u64 = 1 | 1 << 5 | 1 << 40 | 1 << 45;
const TABLE_DEPTH: u8 = 2;
const FOLD_DEPTH: u8 = 4;
const ETC_DEPTH: u8 = 4;

/// A move and the position after it, from the view of its side to move.
#[derive(Clone, Copy)]
struct Child {
    player: u64,
    opponent: u64,
    rank: i32,
    square: u8,
}

#[inline(always)]
fn legal(player: u64, opponent: u64) -> u64 {
    bitboard::legal(player, opponent) & SQUARES
}

/// The score of a finished game, in which neither side has a move.
#[inline(always)]
fn final_score(player: u64, opponent: u64) -> i32 {
    let difference = player.count_ones() as i32 - opponent.count_ones() as i32;
    let empties = (SQUARES & !(player | opponent)).count_ones() as i32;
    100 * (difference + empties * difference.signum())
}

/// The static value, given the moves of the side to move and of the opponent (`replies`).
#[inline(always)]
fn value(player: u64, opponent: u64, moves: u64, replies: u64) -> i32 {
    let mobility = moves.count_ones() as i32 - replies.count_ones() as i32;
    let corners = (player & CORNERS).count_ones() as i32 - (opponent & CORNERS).count_ones() as i32;
    100 * (mobility + 7 * corners).clamp(-63, 63)
}

#[inline(always)]
fn key(player: u64, opponent: u64, depth: u8) -> Key {
    if depth >= FOLD_DEPTH {
        return canonical_key(&Othello6::new(
            player,
            opponent,
            nullwindow::game::Player::First,
        ));
    }
    let words = [player, opponent];
    Key {
        hash: mix(words),
        words,
        symmetry: 0,
    }
}

/// Whether an entry is valid for a search of this draft.
#[inline(always)]
fn serves(entry: &Entry, draft: Draft, alpha: i32) -> bool {
    entry.draft.covers(draft)
        || (entry.lower.is_decided() && entry.lower.0 > 0 && entry.lower.0 >= alpha + STEP)
        || (entry.upper.is_decided() && entry.upper.0 < 0 && entry.upper.0 <= alpha)
}

macro_rules! twin {
    ($name:ident, $search:ident $(, #[$feature:meta])?) => {
        /// MTD(f): returns value and nodes.
        pub fn $name(position: &Othello6, depth: u8) -> (Score, u64) {
            let table = Table::with_bytes(TABLE_BYTES);
            let control = SearchControl::default();
            let mut cx = SearchState::new(Some(&table), &control);
            let (player, opponent) = (position.player, position.opponent);
            let found = mtdf(Score::ZERO, STEP, Window::FULL, |window, _| {
                #[allow(unused_unsafe)]
                // SAFETY: the caller has checked that the CPU supports the instruction set.
                let score = unsafe { $search(&mut cx, &table, player, opponent, window.alpha.0, depth, 0)? };
                Ok(Score(score))
            });
            (found.unwrap_or(Score::ZERO), cx.counters.nodes)
        }

        $(#[$feature])?
        fn $search(
            cx: &mut SearchState<'_>,
            table: &Table,
            player: u64,
            opponent: u64,
            alpha: i32,
            depth: u8,
            ply: u8,
        ) -> Result<i32, Stopped> {
            let beta = alpha + STEP;
            cx.enter(ply)?;
            let moves = legal(player, opponent);
            if moves == 0 && legal(opponent, player) == 0 {
                cx.counters.leaves += 1;
                return Ok(final_score(player, opponent));
            }
            if depth == 0 {
                cx.counters.leaves += 1;
                return Ok(value(player, opponent, moves, legal(opponent, player)));
            }

            // The last ply: scores children without a call.
            if depth == 1 && moves != 0 {
                let (mut best, mut left, mut seen) = (i32::MIN, moves, 0);
                while left != 0 && best < beta {
                    let square = left.trailing_zeros() as u8;
                    left &= left - 1;
                    let flips = bitboard::flips(player, opponent, square);
                    let (mover, other) = (opponent ^ flips, player | flips | 1 << square);
                    let (moves, replies) = (legal(mover, other), legal(other, mover));
                    let over = moves | replies == 0;
                    let score = if over { final_score(mover, other) } else { value(mover, other, moves, replies) };
                    seen += 1;
                    best = best.max(-score);
                }
                cx.counters.leaves += seen;
                cx.enter_many(seen)?;
                return Ok(best);
            }

            let empties = (SQUARES & !(player | opponent)).count_ones() as u8;
            let draft = Draft::full(depth.min(empties));
            let window = Window { alpha: Score(alpha), beta: Score(beta) };
            let key_here = (depth >= TABLE_DEPTH).then(|| key(player, opponent, depth));
            let known = key_here.and_then(|key| table.probe(&key));
            if let Some(entry) = known
                && serves(&entry, draft, alpha)
                && let Some(score) = entry.cutoff(window)
            {
                cx.counters.table_hits += 1;
                return Ok(score.0);
            }

            if moves == 0 {
                return Ok(-$search(cx, table, opponent, player, -beta, depth, ply + 1)?);
            }
            let mut children = [Child { player: 0, opponent: 0, rank: 0, square: 0 }; 32];
            let (mut count, mut left) = (0, moves);
            while left != 0 {
                let square = left.trailing_zeros() as u8;
                left &= left - 1;
                let flips = bitboard::flips(player, opponent, square);
                children[count] =
                    Child { player: opponent ^ flips, opponent: player | flips | 1 << square, rank: 0, square };
                count += 1;
            }
            let children = &mut children[..count];

            if depth >= ETC_DEPTH {
                for child in children.iter() {
                    let draft = Draft::full((depth - 1).min(empties - 1));
                    if let Some(entry) = table.probe(&key(child.player, child.opponent, depth - 1))
                        && -entry.upper.0 >= beta
                        && serves(&entry, draft, -beta)
                    {
                        cx.counters.table_hits += 1;
                        return Ok(-entry.upper.0);
                    }
                }
            }

            for child in children.iter_mut() {
                let image = key_here.map_or(Move::to(child.square), |key| {
                    Othello6::move_image(Move::to(child.square), usize::from(key.symmetry))
                });
                child.rank = match known {
                    Some(entry) if entry.moves[0] == image => i32::MAX,
                    Some(entry) if entry.moves[1] == image => i32::MAX - 1,
                    _ => 0,
                };
                if child.rank == 0 && count > 1 {
                    let moves = legal(child.player, child.opponent);
                    let replies = legal(child.opponent, child.player);
                    child.rank = if moves | replies == 0 {
                        -2 * final_score(child.player, child.opponent)
                    } else {
                        -value(child.player, child.opponent, moves, replies)
                    };
                }
            }

            let (mut best, mut best_move) = (i32::MIN, Move::NONE);
            for index in 0..count {
                let mut first = index;
                for other in index + 1..count {
                    if children[other].rank > children[first].rank {
                        first = other;
                    }
                }
                let child = children[first];
                children.copy_within(index..first, index + 1);
                let score = -$search(cx, table, child.player, child.opponent, -beta, depth - 1, ply + 1)?;
                if score > best {
                    best = score;
                    if score > alpha {
                        best_move = Move::to(child.square);
                        break;
                    }
                }
            }
            if let Some(key) = key_here {
                let image = Othello6::move_image(best_move, usize::from(key.symmetry));
                table.store(&key, draft, window, Score(best), image);
            }
            Ok(best)
        }
    };
}

twin!(portable, search_portable);
#[cfg(target_arch = "x86_64")]
twin!(avx2, search_avx2, #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
