//! Ending games early, if the user wants it: by the engines' own scores (resign, draw), as other runners do it, or by the
//! exact score of the rest, since this runner has a solver at hand.

use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::fault::Reason;
use super::record::GameResult;
use crate::engine::roster::think;
use crate::game::Player;
use crate::games::any::AnyGame;
use crate::protocol::client::SaidScore;
use crate::score::Score;
use crate::search::isa::IsaChoice;
use crate::search::table::Table;
use crate::search::{Certainty, Limits, Observer, Settings};

/// A side is lost when its own score says so often enough in a row.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResignRule {
    /// Moves in a row.
    pub moves: u32,
    /// Score in hundredths of a point: at or below its negative for the loser.
    pub score: i64,
    /// Whether the winner's own score must say the same.
    pub two_sided: bool,
}

/// A game is drawn when both sides' scores are near zero often enough in a row.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct DrawRule {
    /// Not before each side has made so many moves (the opening's count).
    pub from_move: u32,
    /// Moves of each side in a row.
    pub moves: u32,
    /// Score in hundredths of a point that is near enough to zero.
    pub score: i64,
}

/// Reads the `key=value` words of a rule.
fn words(given: &[String], mut set: impl FnMut(&str, &str) -> Result<bool>) -> Result<()> {
    for word in given {
        let (key, value) = word.split_once('=').with_context(|| format!("\"{word}\": expected key=value"))?;
        if !set(key, value).with_context(|| format!("\"{word}\""))? {
            bail!("\"{word}\": unknown key");
        }
    }
    Ok(())
}

impl ResignRule {
    /// Reads `movecount=3 score=400 twosided=true`.
    ///
    /// # Errors
    /// If a word is not so, or a number is not above zero.
    pub fn parse(given: &[String]) -> Result<ResignRule> {
        let mut rule = ResignRule { moves: 3, score: 0, two_sided: false };
        words(given, |key, value| {
            match key {
                "movecount" => rule.moves = value.parse()?,
                "score" => rule.score = value.parse()?,
                "twosided" => rule.two_sided = value.parse()?,
                _ => return Ok(false),
            }
            Ok(true)
        })
        .context("--resign")?;
        ensure!(
            rule.moves > 0 && rule.score > 0,
            "--resign needs score=N (hundredths of a point) and movecount=N above 0"
        );
        Ok(rule)
    }
}

impl DrawRule {
    /// Reads `movenumber=20 movecount=8 score=10`.
    ///
    /// # Errors
    /// If a word is not so, or the number of moves is not above zero.
    pub fn parse(given: &[String]) -> Result<DrawRule> {
        let mut rule = DrawRule { from_move: 0, moves: 8, score: 0 };
        words(given, |key, value| {
            match key {
                "movenumber" => rule.from_move = value.parse()?,
                "movecount" => rule.moves = value.parse()?,
                "score" => rule.score = value.parse()?,
                _ => return Ok(false),
            }
            Ok(true)
        })
        .context("--draw")?;
        ensure!(
            rule.moves > 0 && rule.score >= 0,
            "--draw needs movecount=N above 0 and a score=N that is not negative"
        );
        Ok(rule)
    }
}

/// From how many empty squares on a rest may be solved: each square more costs about three times as much, and the next
/// game waits for it.
pub const MOST_EMPTIES: u8 = 20;

/// Bytes of the table for the rest of one game.
const TABLE_BYTES: usize = 16 << 20;

/// What the rest of a game of discs is worth to the side to move, if it has at most so many empty squares.
pub fn solved(game: &dyn AnyGame, empties: u8) -> Option<Score> {
    if game.plies_left() > empties || game.discs().is_none() {
        return None;
    }
    let limits = Limits { proven: true, ..Limits::default() };
    let mut observer = Observer { watch: Arc::default(), report: &mut |_| {} };
    let table = Table::with_bytes(TABLE_BYTES);
    let answer = think(game.position(), &Settings::default(), IsaChoice::Auto, &table, &limits, &mut observer);
    (answer.certainty == Certainty::Exact).then(|| answer.score()).flatten()
}

/// The scores of one game as they come.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    resign: Option<ResignRule>,
    draw: Option<DrawRule>,
    /// For each side, how many of its last moves in a row said: lost, won, level.
    losing: [u32; 2],
    winning: [u32; 2],
    level: [u32; 2],
}

impl Adjudicator {
    /// A game under these rules.
    pub fn new(resign: Option<ResignRule>, draw: Option<DrawRule>) -> Adjudicator {
        Adjudicator { resign, draw, ..Adjudicator::default() }
    }

    /// Takes a move's score (none breaks every row) after `plies` plies, and says whether that ends the game.
    pub fn hear(&mut self, by: Player, score: Option<SaidScore>, plies: usize) -> Option<(GameResult, Reason)> {
        let value = match score {
            Some(SaidScore::Cp(cp)) => Some(cp),
            Some(SaidScore::Mate(moves)) => Some(if moves > 0 { i64::MAX } else { -i64::MAX }),
            None => None,
        };
        let (me, you) = (by as usize, by.other() as usize);
        let count = |row: &mut u32, continues: bool| *row = if continues { *row + 1 } else { 0 };
        if let Some(rule) = self.resign {
            count(&mut self.losing[me], value.is_some_and(|value| value <= -rule.score));
            count(&mut self.winning[me], value.is_some_and(|value| value >= rule.score));
            for (loser, winner, side) in [(me, you, by), (you, me, by.other())] {
                if self.losing[loser] >= rule.moves && (!rule.two_sided || self.winning[winner] >= rule.moves) {
                    return Some((GameResult::win(side.other()), Reason::AdjudicatedResign));
                }
            }
        }
        if let Some(rule) = self.draw {
            count(&mut self.level[me], value.is_some_and(|value| value.abs() <= rule.score));
            if plies as u64 >= 2 * u64::from(rule.from_move) && self.level.iter().all(|&row| row >= rule.moves) {
                return Some((GameResult::Draw, Reason::AdjudicatedDraw));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    fn given(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    fn run(judge: &mut Adjudicator, scores: &[i64]) -> Option<(usize, GameResult, Reason)> {
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let by = if ply % 2 == 0 { Player::First } else { Player::Second };
            judge.hear(by, Some(SaidScore::Cp(score)), ply + 1).map(|(result, reason)| (ply, result, reason))
        })
    }

    #[test]
    fn a_side_that_thinks_itself_lost_resigns() {
        let rule = ResignRule::parse(&given("movecount=2 score=300")).unwrap();
        let mut judge = Adjudicator::new(Some(rule), None);
        let scores = [-400, 0, 0, 0, -300, 0, -900, 0];
        assert_eq!(run(&mut judge, &scores), Some((6, GameResult::P2Win, Reason::AdjudicatedResign)));
        // Two-sided: the other must see it too, and the ending comes when the second row is full.
        let rule = ResignRule { two_sided: true, ..rule };
        assert_eq!(run(&mut Adjudicator::new(Some(rule), None), &scores), None);
        let scores = [-400, 0, -400, 500, -300, 600];
        assert_eq!(
            run(&mut Adjudicator::new(Some(rule), None), &scores),
            Some((5, GameResult::P2Win, Reason::AdjudicatedResign))
        );
    }

    #[test]
    fn level_games_are_drawn_after_the_first_moves() {
        let rule = DrawRule::parse(&given("movenumber=2 movecount=2 score=10")).unwrap();
        let judge = || Adjudicator::new(None, Some(rule));
        assert_eq!(run(&mut judge(), &[0, 5, -10, 0, 0]), Some((3, GameResult::Draw, Reason::AdjudicatedDraw)));
        assert_eq!(run(&mut judge(), &[0, 5, 11, 0, 0, 12, 0, 0]), None);
        let mut judge = judge();
        assert_eq!(judge.hear(Player::First, None, 9), None);
    }

    #[test]
    fn the_rest_of_a_game_of_discs_is_solved() {
        let game = by_name("othello4").unwrap();
        assert_eq!((solved(&*game, 11), solved(&*game, 12)), (None, Some(Score(-800))));
        assert_eq!(solved(&*by_name("tictactoe").unwrap(), 12), None, "no game of discs");
    }

    #[test]
    fn bad_rules_are_refused() {
        for text in ["score=x", "movecount=3", "colour=1", "score", "score=-5 movecount=1"] {
            assert!(ResignRule::parse(&given(text)).is_err(), "{text}");
        }
        assert!(DrawRule::parse(&given("movecount=0")).is_err());
    }
}
