//! Exact Reversi scores by alpha-beta with nothing but the rules: the oracle of the endgame search.

use nullwindow::games::reversi::bitboard as board;
use nullwindow::othello::board::Board;

/// Alpha-beta with nothing but the rules, the opponent's replies counted to sort moves.
pub fn exact_score<B: Board>(player: u64, opponent: u64, mut alpha: i32, beta: i32) -> i32 {
    let moves = B::legal(player, opponent);
    if moves == 0 {
        if B::legal(opponent, player) == 0 {
            return B::count(player, opponent);
        }
        return -exact_score::<B>(opponent, player, -beta, -alpha);
    }
    let mut children: Vec<(u32, u64, u64)> = board::squares(moves)
        .map(|square| {
            let flips = B::flips(player, opponent, square);
            let (own, other) = (opponent ^ flips, player | flips | 1 << square);
            (B::legal(own, other).count_ones(), own, other)
        })
        .collect();
    children.sort_by_key(|child| child.0);
    let mut best = i32::MIN;
    for (_, own, other) in children {
        best = best.max(-exact_score::<B>(own, other, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}
