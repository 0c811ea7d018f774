//! The bench: a fixed set of positions of all games, searched by one thread to fixed depths. The
//! node total is the same on every run, machine and instruction set; a different total means a
//! functional change of the search.
//!
//! `bench_positions.txt` is the output of `nullwindow bench --positions`: random play from the
//! start with a fixed seed, [`GameEntry::bench`] of each game.

use std::sync::Arc;
use std::time::Duration;

use super::options::Options;
use crate::game::quoted;
use crate::game::rng::Rng;
use crate::games::any::{self, AnyGame, GAMES, GameEntry};
use crate::games::dispatch;
use crate::platform::clock::Instant;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Limits, Observer};

/// The positions: a line each, game, depths (comma-separated) and position, separated by blanks;
/// `#` begins a comment.
const POSITIONS: &str = include_str!("bench_positions.txt");

const SEED: u64 = 20_261_121;

/// Size of the table in MiB: small enough to be replaced in, so that replacement is measured too.
const HASH: usize = 16;

/// The node total of the bench with default options.
pub const EXPECTED_NODES: u64 = 1_240_270;

/// The result of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Total {
    /// Total nodes.
    pub nodes: u64,
    /// Total wall time of the searches.
    pub elapsed: Duration,
}

/// A position of the bench.
pub struct BenchPosition {
    /// The game with the position on its board.
    pub game: AnyGame,
    /// Its search depths.
    pub depths: Vec<u8>,
}

impl BenchPosition {
    /// Parses a line; `None` for a comment (a test checks that no other line is ignored).
    pub fn parse(line: &str) -> Option<BenchPosition> {
        let (name, rest) = line.split_once(' ')?;
        let (depths, text) = rest.split_once(' ')?;
        let mut game = any::by_name(name)?;
        game.set_position(text).ok()?;
        let depths = depths
            .split(',')
            .map(|depth| depth.parse::<u8>().ok())
            .collect::<Option<_>>()?;
        Some(BenchPosition { game, depths })
    }
}

/// Generates the contents of `bench_positions.txt`.
pub fn make_positions() -> String {
    let mut rng = Rng::new(SEED);
    let mut text =
        String::from("# game, depth, position; made by `nullwindow bench --positions`\n");
    for GameEntry { name, bench, .. } in GAMES {
        for &(plies, depth) in bench {
            let Some(mut game) = any::by_name(name) else {
                continue;
            };
            let mut left = plies;
            while left > 0 {
                let moves = game.moves();
                match rng.choose(&moves) {
                    Some(&m) => {
                        let _ = game.play(m); // cannot fail: it is a legal move
                        left -= 1;
                    }
                    None => {
                        game.set_start(); // the game ended too early
                        left = plies;
                    }
                }
            }
            text.push_str(&format!("{name} {depth} {}\n", game.write_position()));
        }
    }
    text
}

/// Searches every position with an empty table and reports a line about each; `None` if a stop
/// signal ends it early.
pub fn run(
    options: &Options,
    control: &Arc<SearchControl>,
    report: &mut dyn FnMut(String),
) -> Option<Total> {
    let mut total = Total::default();
    let mut table = Table::new(HASH);
    for BenchPosition { game, depths } in POSITIONS.lines().filter_map(BenchPosition::parse) {
        for depth in depths {
            table.clear();
            let mut observer = Observer {
                control: control.clone(),
                ..Observer::default()
            };
            let started = Instant::now();
            let answer = dispatch::think(
                game.position(),
                &options.settings,
                &table,
                &Limits::to_depth(depth),
                &mut observer,
            );
            if control.stopped() {
                return None;
            }
            total.elapsed += started.elapsed();
            let nodes = answer.counters.nodes;
            total.nodes += nodes;
            let best = answer
                .best_move()
                .map_or("none".into(), |m| game.write_move(m));
            report(format!(
                "{:<9} depth {depth:<2} {best:<4} nodes {nodes:<9} {}",
                game.name(),
                quoted(&game.write_position())
            ));
        }
    }
    Some(total)
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.elapsed.as_secs_f64().max(1e-9);
        write!(
            f,
            "nodes {} nps {}",
            self.nodes,
            (self.nodes as f64 / seconds) as u64
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_generated_by_the_recipe() {
        assert_eq!(POSITIONS, make_positions());
        assert_eq!(
            POSITIONS.lines().filter_map(BenchPosition::parse).count(),
            GAMES.iter().map(|game| game.bench.len()).sum::<usize>()
        );
    }
}
