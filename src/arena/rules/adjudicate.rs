//! Adjudication: resign and draw rules by the engines' scores, as in other match runners; in
//! Reversi also by the exact score of the position.

use clap::{ArgAction, Parser, value_parser};
use serde::{Deserialize, Serialize};

use super::fault::Termination;
use crate::engine::options::Options;
use crate::game::score::Score;
use crate::game::{Outcome, Player};
use crate::games::any::AnyGame;
use crate::games::record::ReportedScore;
use crate::search::table::Table;
use crate::search::{Certainty, Goal, Limits};

/// Resign adjudication: a side loses when its own score is low enough for several consecutive
/// moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, Parser)]
#[command(args_override_self = true)]
pub struct ResignRule {
    /// Consecutive moves.
    #[arg(long = "movecount", default_value_t = 3, value_parser = value_parser!(u32).range(1..))]
    pub moves: u32,
    /// The loser's score is at or below the negative of this, in hundredths of a point.
    #[arg(long, value_parser = value_parser!(i64).range(0..))]
    pub score: i64,
    /// Whether the winner's score must agree.
    #[arg(long = "twosided", default_value_t = false, action = ArgAction::Set)]
    pub two_sided: bool,
}

/// Draw adjudication: a game is drawn when both sides' scores are near zero for several consecutive
/// moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, Parser)]
#[command(args_override_self = true)]
pub struct DrawRule {
    /// The first move number at which a game can be drawn, counting opening moves.
    #[arg(long = "movenumber", default_value_t = 0)]
    pub from_move: u32,
    /// Consecutive moves of each side.
    #[arg(long = "movecount", default_value_t = 8, value_parser = value_parser!(u32).range(1..))]
    pub moves: u32,
    /// The largest absolute score that counts as near zero, in hundredths of a point.
    #[arg(long, default_value_t = 0, value_parser = value_parser!(i64).range(0..))]
    pub score: i64,
}

/// The maximum of `--exact`: each further empty makes the solver about three times slower.
pub const MAX_EXACT_EMPTIES: u8 = 20;

/// The size of the solver's transposition table.
const TABLE_BYTES: usize = 16 << 20;

/// The exact score of a Reversi position for the side to move, if it has at most this many empties.
pub fn solve_position(game: &AnyGame, empties: u8) -> Option<Score> {
    if game.plies_left() > empties || game.discs().is_none() {
        return None;
    }
    let limits = Limits::to_find(Goal::Exact);
    let answer =
        Options::default().search(game.position(), &Table::with_bytes(TABLE_BYTES), &limits);
    answer
        .score()
        .filter(|_| answer.certainty == Certainty::Exact)
}

/// Applies the resign and draw rules to the scores of one game.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    resign: Option<ResignRule>,
    draw: Option<DrawRule>,
    /// Per side: the current numbers of consecutive moves with a losing, winning or drawish score.
    losing: [u32; 2],
    winning: [u32; 2],
    level: [u32; 2],
}

impl Adjudicator {
    /// An adjudicator of one game.
    pub fn new(resign: Option<ResignRule>, draw: Option<DrawRule>) -> Adjudicator {
        Adjudicator {
            resign,
            draw,
            ..Adjudicator::default()
        }
    }

    /// Adds a move's score after `plies` plies (`None` resets the counts); returns the result if
    /// that ends the game.
    pub fn add_score(
        &mut self,
        by: Player,
        score: Option<ReportedScore>,
        plies: usize,
    ) -> Option<(Outcome, Termination)> {
        let value = score.map(|score| match score {
            ReportedScore::Cp(cp) => cp,
            ReportedScore::Mate(1..) => i64::MAX,
            ReportedScore::Mate(_) => -i64::MAX,
        });
        let count = |streaks: &mut [u32; 2], continues: &dyn Fn(i64) -> bool| {
            let streak = &mut streaks[by as usize];
            *streak = if value.is_some_and(continues) {
                *streak + 1
            } else {
                0
            };
        };
        if let Some(rule) = self.resign {
            count(&mut self.losing, &|value| value <= -rule.score);
            count(&mut self.winning, &|value| value >= rule.score);
            for winner in [by.other(), by] {
                let agrees = !rule.two_sided || self.winning[winner as usize] >= rule.moves;
                if agrees && self.losing[winner.other() as usize] >= rule.moves {
                    return Some((Outcome::win(winner), Termination::AdjudicatedResign));
                }
            }
        }
        let rule = self.draw?;
        count(&mut self.level, &|value| {
            value.unsigned_abs() <= rule.score.unsigned_abs()
        });
        let may_end = plies as u64 >= 2 * u64::from(rule.from_move);
        (may_end && self.level.iter().all(|&streak| streak >= rule.moves))
            .then_some((Outcome::Draw, Termination::AdjudicatedDraw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::config::key_values::OfWords;
    use crate::games::any::by_name;

    fn rule<T>(text: &str) -> anyhow::Result<T>
    where
        Option<T>: OfWords,
    {
        let words = text.split_whitespace().map(String::from).collect();
        Ok(Option::of_words(&[words])?.unwrap())
    }

    fn resign(text: &str) -> anyhow::Result<ResignRule> {
        rule(text)
    }

    fn draw(text: &str) -> anyhow::Result<DrawRule> {
        rule(text)
    }

    fn adjudicate(
        adjudicator: &mut Adjudicator,
        scores: &[i64],
    ) -> Option<(usize, Outcome, Termination)> {
        scores.iter().enumerate().find_map(|(ply, &score)| {
            adjudicator
                .add_score(
                    Player::BOTH[ply % 2],
                    Some(ReportedScore::Cp(score)),
                    ply + 1,
                )
                .map(|(result, reason)| (ply, result, reason))
        })
    }

    #[test]
    fn a_side_with_losing_scores_resigns() {
        let rule = resign("movecount=2 score=300").unwrap();
        let mut adjudicator = Adjudicator::new(Some(rule), None);
        let scores = [-400, 0, 0, 0, -300, 0, -900, 0];
        assert_eq!(
            adjudicate(&mut adjudicator, &scores),
            Some((6, Outcome::SecondWins, Termination::AdjudicatedResign))
        );
        // Two-sided: the game ends when the winner's count is also reached.
        let rule = ResignRule {
            two_sided: true,
            ..rule
        };
        assert_eq!(
            adjudicate(&mut Adjudicator::new(Some(rule), None), &scores),
            None
        );
        let scores = [-400, 0, -400, 500, -300, 600];
        assert_eq!(
            adjudicate(&mut Adjudicator::new(Some(rule), None), &scores),
            Some((5, Outcome::SecondWins, Termination::AdjudicatedResign))
        );
    }

    #[test]
    fn level_games_are_drawn_after_the_minimum_move_number() {
        let rule = draw("movenumber=2 movecount=2 score=10").unwrap();
        assert_eq!(
            adjudicate(&mut Adjudicator::new(None, Some(rule)), &[0, 5, -10, 0, 0]),
            Some((3, Outcome::Draw, Termination::AdjudicatedDraw))
        );
        assert_eq!(
            adjudicate(
                &mut Adjudicator::new(None, Some(rule)),
                &[0, 5, 11, 0, 0, 12, 0, 0]
            ),
            None
        );
        let mut adjudicator = Adjudicator::new(None, Some(rule));
        assert_eq!(adjudicator.add_score(Player::First, None, 9), None);
        let mut adjudicator = Adjudicator::new(None, Some(rule));
        assert_eq!(adjudicate(&mut adjudicator, &[i64::MIN; 8]), None);
    }

    #[test]
    fn a_move_without_a_score_interrupts_the_count() {
        let rule = resign("movecount=2 score=300").unwrap();
        let mut adjudicator = Adjudicator::new(Some(rule), None);
        let lost = Some(ReportedScore::Cp(-400));
        let mut add = |score, plies| adjudicator.add_score(Player::First, score, plies);
        assert_eq!([add(lost, 1), add(None, 3), add(lost, 5)], [None; 3]);
        assert_eq!(
            add(lost, 7),
            Some((Outcome::SecondWins, Termination::AdjudicatedResign))
        );
    }

    #[test]
    fn reversi_positions_are_solved_within_the_limit_of_empties() {
        let game = by_name("othello4").unwrap();
        assert_eq!(
            (solve_position(&game, 11), solve_position(&game, 12)),
            (None, Some(Score(-800)))
        );
        assert_eq!(
            solve_position(&by_name("tictactoe").unwrap(), 12),
            None,
            "not Reversi"
        );
    }

    #[test]
    fn invalid_rules_are_errors() {
        for text in [
            "score=x",
            "movecount=3",
            "color=1",
            "score",
            "score=-5 movecount=1",
            "help",
            "h",
        ] {
            let error = resign(text).unwrap_err().to_string();
            assert!(
                !error.contains('\n') && !error.contains("Resign"),
                "{text}: {error}"
            );
        }
        assert!(draw("movecount=0").is_err());
    }
}
