//! An exact solver that uses only the rules: the oracle for all production searches.

use std::collections::HashMap;

use nullwindow::game::Game;
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::games::any::AnyGame;

/// The exact value of a position for the side to move, by plain alpha-beta (see [`alpha_beta`]).
pub fn value(game: &AnyGame) -> Score {
    value_of(&game.position())
}

/// [`value`] of a position whose game is known.
pub fn value_of<G: Game>(position: &G) -> Score {
    alpha_beta(position, -Score::INFINITE, Score::INFINITE)
}

/// Fail-soft alpha-beta to the end of the game: no table, no evaluation, no pruning but by the
/// window. Moves are ordered by the number of replies.
pub fn alpha_beta<G: Game>(position: &G, mut alpha: Score, beta: Score) -> Score {
    if let Some(score) = position.final_score() {
        return score;
    }
    let mut children: Vec<(usize, G)> = position
        .moves()
        .iter()
        .map(|&m| (0, position.play(m)))
        .collect();
    if position.plies_left() > 3 {
        children
            .iter_mut()
            .for_each(|(replies, child)| *replies = child.moves().len());
        children.sort_by_key(|&(replies, _)| replies);
    }
    let mut best = -Score::INFINITE;
    for (_, child) in children {
        best = best.max(-alpha_beta(&child, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The exact value by fail-soft alpha-beta with every position remembered: for small games from
/// their start.
pub fn value_from_start<G: Game>() -> Score {
    /// The best lower and upper bound of each position seen.
    type Bounds = HashMap<[u64; 2], (Score, Score)>;
    fn search<G: Game>(position: &G, mut alpha: Score, beta: Score, seen: &mut Bounds) -> Score {
        if let Some(score) = position.final_score() {
            return score;
        }
        let key = position.packed();
        let (low, high) = seen
            .get(&key)
            .copied()
            .unwrap_or((-Score::INFINITE, Score::INFINITE));
        if low >= beta || low == high {
            return low;
        }
        if high <= alpha {
            return high;
        }
        let mut children: Vec<(usize, G)> = position
            .moves()
            .iter()
            .map(|&m| (0, position.play(m)))
            .collect();
        children
            .iter_mut()
            .for_each(|(replies, child)| *replies = child.moves().len());
        children.sort_by_key(|&(replies, _)| replies);
        let (mut best, floor) = (-Score::INFINITE, alpha);
        for (_, child) in children {
            best = best.max(-search(&child, -beta, -alpha, seen));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        let bounds = (
            if best > floor { best } else { low },
            if best < beta { best } else { high },
        );
        seen.insert(key, bounds);
        best
    }
    search(
        &G::start(),
        -Score::INFINITE,
        Score::INFINITE,
        &mut HashMap::new(),
    )
}

/// A position of the named game after random moves, not finished, with exactly `plies_left` plies left;
/// `None` if 2,000 random games miss it.
pub fn random_position(game: &str, plies_left: u8, rng: &mut Rng) -> Option<AnyGame> {
    (0..2_000).find_map(|_| {
        let mut board = nullwindow::games::any::by_name(game)?;
        while board.plies_left() > plies_left {
            let m = *rng.choose(&board.moves())?;
            board.play(m).ok()?;
        }
        (board.plies_left() == plies_left && board.final_score().is_none()).then_some(board)
    })
}
