//! The results of an analysis, as `analyze --json` prints them and its record holds them
//! (`src/storage/formats.md`).
//!
//! Scores are those of `score cp` for the side that moves: hundredths of a disc, or, in games won
//! by a line, the evaluation and ±(10000 - plies to the end) if the game is decided. A *point* is a
//! disc, or one step of the result in games won by a line (a win to a draw, a draw to a loss).

use serde::{Deserialize, Serialize};

use crate::game::score::Score;
use crate::game::{Game, Move, Outcome, Player};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::record::MoveOrigin;

/// One analyzed move. A forced move is not searched if the record has a position after it, or the
/// game is over: it has the score of that position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveAnalysis {
    /// The number of the move in the game, from 1; passes count.
    pub ply: usize,
    /// The side that moves.
    pub player: Player,
    /// The position before the move.
    pub position: String,
    /// The move played.
    #[serde(rename = "move")]
    pub played: String,
    /// Whether it was the only legal move.
    pub forced: bool,
    /// Whether the record marks it as part of the opening that the players were given.
    #[serde(default, skip_serializing_if = "MoveOrigin::is_engine")]
    pub origin: MoveOrigin,
    /// The score of the move played.
    pub score: i32,
    /// The score of the best move.
    pub best_score: i32,
    /// The moves known to have the best score; those that were not scored may have it too.
    pub best: Vec<String>,
    /// `best_score - score`, at least 0. In games won by a line, two wins or two losses are equal,
    /// and a win and a loss differ by 20000.
    pub loss: i32,
    #[serde(flatten)]
    pub search: PositionSearch,
}

impl MoveAnalysis {
    /// The analysis of a move, by a search that has a line of it.
    pub fn of(
        position: &AnyPosition,
        ply: usize,
        played: Move,
        search: PositionSearch,
    ) -> Option<MoveAnalysis> {
        let played = position.write_move(played);
        let best_score = search.lines.first()?.score;
        let own = search.lines.iter().find(|line| line.word() == played)?;
        let score = own.score;
        let is_best = |line: &&ScoredLine| loss(best_score, line.score) == 0;
        let best = search.lines.iter().filter(is_best);
        Some(MoveAnalysis {
            ply,
            player: position.to_move(),
            position: position.write_position(),
            forced: position.moves().len() == 1,
            origin: MoveOrigin::Engine,
            score,
            best_score,
            best: best.map(|line| line.word().into()).collect(),
            loss: loss(best_score, score),
            played,
            search,
        })
    }

    /// Whether the player chose the move: it counts in the summaries.
    pub fn is_chosen(&self) -> bool {
        !self.forced && self.origin.is_engine()
    }
}

/// The scores of all legal moves of a position (`analyze --position`).
#[derive(Debug, Serialize)]
pub struct PositionAnalysis {
    pub variant: &'static str,
    pub position: String,
    #[serde(flatten)]
    pub search: PositionSearch,
}

/// What a search found about a position.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct PositionSearch {
    /// The depth of the search in plies; the same for all lines.
    pub depth: u8,
    /// The selectivity of the search in percent; 100 is full width.
    pub selectivity: u8,
    /// Whether all scores are proven; in games won by a line, they may be proven as win, draw or
    /// loss only, as ±10000 or 0.
    pub proven: bool,
    /// The mean error of such scores in discs: 0 if proven, absent if not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<f64>,
    /// Nodes of the search; 0 if the move was not searched.
    pub nodes: u64,
    /// Duration of the search.
    pub seconds: f64,
    /// The lines, best first: of all legal moves, or of the best moves and the move played; at least
    /// one.
    pub lines: Vec<ScoredLine>,
}

/// A scored move with its principal variation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScoredLine {
    /// Its score.
    pub score: i32,
    /// Its principal variation; the first move is the move itself.
    pub pv: Vec<String>,
}

impl ScoredLine {
    /// The move.
    pub fn word(&self) -> &str {
        self.pv.first().map_or("", String::as_str)
    }
}

/// The analysis of one game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameAnalysis {
    /// The file, as named on the command line.
    pub file: String,
    /// The number of the game in the file, from 1.
    pub number: usize,
    /// The game that is played, such as `othello`.
    pub variant: String,
    /// The first position, if it is not the standard one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The names of the first and the second player.
    pub players: [Option<String>; 2],
    /// The date as the record states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The event as the record states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The place as the record states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The round as the record states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// The name of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// The result that the record states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<RecordedResult>,
    /// Why the stated result contradicts the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
    /// The result of the moves in points for the first player; absent if the game is not over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<i32>,
    /// The result of the moves after the komi; of an unfinished game the stated one, such as a loss
    /// on time.
    #[serde(skip)]
    pub outcome: Option<Outcome>,
    /// Points that the second player gets in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub komi: Option<f64>,
    /// The moves, in the order of the game.
    pub moves: Vec<MoveAnalysis>,
    /// The summaries of the first and the second player.
    pub summary: [PlayerSummary; 2],
}

/// The result that a record states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedResult {
    /// The winner.
    pub result: Outcome,
    /// The discs of the first player minus those of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discs: Option<i32>,
    /// How the game ended, such as `normal`, `resign` or `time-forfeit`.
    pub reason: String,
}

/// A summary of the moves that one player chose ([`MoveAnalysis::is_chosen`]).
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// Number of moves.
    pub moves: usize,
    /// Number of moves with the best score.
    pub best: usize,
    /// Total loss in points.
    pub lost: f64,
}

impl Tally {
    /// Adds a move with this loss in points.
    pub fn add(&mut self, loss: f64) {
        self.moves += 1;
        self.best += usize::from(loss == 0.0);
        self.lost += loss;
    }

    /// Adds the moves of another tally.
    pub fn add_all(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.best += other.best;
        self.lost += other.lost;
    }
}

/// The phases of a game: the first, the second and the last third of the plies that a game from
/// the standard start has. In 8x8 Othello the midgame begins with 40 empties and the endgame with
/// 20.
pub const PHASES: [&str; 3] = ["opening", "midgame", "endgame"];

/// The index in [`PHASES`] of a position with this number of plies left, in a game of `all` plies.
pub fn phase(plies_left: u8, all: u8) -> usize {
    let thirds = 3 * u32::from(plies_left);
    usize::from(thirds <= 2 * u32::from(all)) + usize::from(thirds <= u32::from(all))
}

/// The summary of a player's moves in a game.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct PlayerSummary {
    /// All moves.
    pub all: Tally,
    /// The moves by phase, in the order of [`PHASES`].
    pub phases: [Tally; PHASES.len()],
    /// The plies of the moves that lost most, the worst first; at most five, none with loss 0.
    pub worst: Vec<usize>,
}

/// The largest number of moves in [`PlayerSummary::worst`].
const WORST: usize = 5;

/// The summaries of both players in a game with these moves; `unit` is the score of a point.
pub fn summarize(game: &AnyGame, moves: &[MoveAnalysis], unit: f64) -> [PlayerSummary; 2] {
    let mut standard = game.clone();
    standard.set_start();
    let all = standard.plies_left();
    Player::BOTH.map(|player| {
        let mut summary = PlayerSummary::default();
        let mut worst: Vec<&MoveAnalysis> = Vec::new();
        for (analysis, (position, _)) in moves.iter().zip(game.plies()) {
            if analysis.player == player && analysis.is_chosen() {
                let loss = f64::from(analysis.loss) / unit;
                summary.all.add(loss);
                summary.phases[phase(position.plies_left(), all)].add(loss);
                worst.extend(Some(analysis).filter(|analysis| analysis.loss > 0));
            }
        }
        worst.sort_by_key(|analysis| std::cmp::Reverse(analysis.loss)); // stable
        let plies = worst.iter().map(|analysis| analysis.ply);
        summary.worst = plies.take(WORST).collect();
        summary
    })
}

/// The loss of a move: see [`MoveAnalysis::loss`].
pub fn loss(best: i32, played: i32) -> i32 {
    // In games of discs no score is as large.
    let result = |score: i32| {
        if Score(score).is_decided() {
            Score::DECIDED.0 * score.signum()
        } else {
            score
        }
    };
    result(best) - result(played)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_win_loses_nothing() {
        assert_eq!(loss(9_995, 9_981), 0);
        assert_eq!(loss(-9_990, -9_991), 0);
        assert_eq!(loss(9_995, -9_990), 20_000);
        assert_eq!(loss(9_995, 0), 10_000);
        assert_eq!(loss(40, -20), 60);
        assert_eq!(loss(6_400, -6_400), 12_800);
    }

    #[test]
    fn phases_are_thirds() {
        let of = |left| phase(left, 60);
        assert_eq!([60, 41, 40, 21, 20, 1].map(of), [0, 0, 1, 1, 2, 2]);
    }
}
