//! The positions of the experiment: random openings and self-play games from there.

use super::tree::{Figure, Means, Plain, TreePosition, UNCORRECTED};
use crate::game::rng::Rng;
use crate::game::squares;

/// Random plies of an opening.
pub const OPENING: usize = 4;
/// The search depth of the games.
const GAME_DEPTH: u8 = 4;

/// `count` different positions after four random plies.
pub fn openings(seed: u64, count: usize) -> Vec<TreePosition> {
    let mut rng = Rng::for_stream(seed, 3);
    let mut found: Vec<TreePosition> = Vec::new();
    while found.len() < count {
        let mut position = TreePosition::start();
        for _ in 0..OPENING {
            let cells: Vec<u8> = squares(position.playable()).collect();
            if let Some(&cell) = rng.choose(&cells) {
                position = position.play(cell.into());
            }
        }
        if !found.contains(&position) {
            found.push(position);
        }
    }
    found
}

/// The positions of a game from each opening, the opening first.
pub fn games(openings: &[TreePosition]) -> Vec<Vec<TreePosition>> {
    let game = |&opening: &TreePosition| {
        let mut positions = vec![opening];
        let mut position = opening;
        while position.playable() != 0 {
            let depth = GAME_DEPTH.min(64 - position.ply() as u8);
            let answer = Figure::new(Plain, &UNCORRECTED).choose(&position, depth);
            position = position.play(answer.cell);
            positions.push(position);
        }
        positions
    };
    openings.iter().map(game).collect()
}

/// `M_m`: the mean evaluation of the games' unfinished positions by ply.
pub fn means(games: &[Vec<TreePosition>]) -> Means {
    let mut sums = [(0i64, 0i64); 65];
    for position in games
        .iter()
        .flatten()
        .filter(|position| !position.game.lost)
    {
        let (sum, count) = &mut sums[position.ply()];
        *sum += i64::from(position.t);
        *count += 1;
    }
    sums.map(|(sum, count)| (sum as f64 / count.max(1) as f64).round() as i32)
}
