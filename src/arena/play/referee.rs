//! Who judges a game: the rules of this crate, or UGI queries (`gameover`, `result`, `p1turn`,
//! `islegal`), which both players answer and perhaps a third engine. No clock runs meanwhile.
//!
//! Without a third engine the players must agree. A third engine is right, unless both players
//! contradict it with the same answer: then it is at fault. Players that do not answer abstain.

use anyhow::Result;

use super::session::{EngineSession, EngineSlot};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::rules::fault::{Fault, Termination};
use crate::game::{Outcome, Player, is_unprintable, quoted};

/// The referee of a game.
pub struct Referee<'a> {
    /// A third engine, if there is one.
    pub third: Option<&'a mut EngineSlot>,
    /// Whether the game has begun on it.
    pub has_begun: bool,
}

/// The engines of both sides, and the side that acts, whose fault it is if an engine fails.
pub type Players<'p, 's> = (&'p mut [&'s mut EngineSlot; 2], &'p mut Player);

impl Referee<'_> {
    /// The move as it is recorded, if it is legal.
    ///
    /// # Errors
    /// A fault, also of the referee, or an interrupt.
    pub fn legal_move(
        &mut self,
        word: &str,
        history: &GameHistory,
        players: Players,
    ) -> Result<Option<String>> {
        if let Ok(game) = history.rules() {
            return Ok(game.legal_move(word).map(|played| game.write_move(played)));
        }
        // No control character is sent to an engine.
        let is_legal = !word.contains(is_unprintable)
            && self.ask(&format!("islegal {word}"), history, players)? == "true";
        Ok(is_legal.then(|| word.into()))
    }

    /// The answer that counts to a query about the present position.
    ///
    /// # Errors
    /// As [`Referee::legal_move`].
    pub fn ask(
        &mut self,
        query: &str,
        history: &GameHistory,
        (slots, acting): Players,
    ) -> Result<String> {
        let mut answers = Vec::new();
        if let Some(slot) = &mut self.third {
            let session = slot.start()?;
            let answer = match self.has_begun {
                true => Ok(()),
                false => session.new_game(history, Player::First, &GoLimits::default()),
            }
            .and_then(|()| ask_one(session, query, history));
            self.has_begun = true;
            let name = slot.spec.name.clone();
            match answer.map_err(|error| error.downcast::<Fault>()) {
                Ok(answer) => answers.push((name, answer)),
                Err(Ok(fault)) => {
                    let detail = format!("{name}: {fault}");
                    return Err(Fault::new(Termination::RefereeFault, detail).into());
                }
                Err(Err(other)) => return Err(other),
            }
        }
        for side in Player::BOTH {
            *acting = side;
            let slot = &mut slots[side as usize];
            let is_abstention = |error: &anyhow::Error| {
                let fault = error.downcast_ref::<Fault>();
                fault.is_some_and(|fault| fault.reason == Termination::WrongQuery)
            };
            match ask_one(slot.start()?, query, history) {
                Err(error) if self.third.is_some() && is_abstention(&error) => {}
                answer => answers.push((slot.spec.name.clone(), answer?)),
            }
        }
        let reason = match answers.as_slice() {
            [_, (_, first), (_, second)] if first == second && answers[0].1 != *first => {
                Termination::RefereeFault
            }
            [(_, first), (_, second)] if self.third.is_none() && first != second => {
                Termination::Disagreement
            }
            _ => return Ok(answers.swap_remove(0).1),
        };
        let answers = answers.iter();
        let answers = answers.map(|(name, answer)| format!("{name} answered \"{answer}\""));
        let answers = answers.collect::<Vec<_>>().join(", ");
        let detail = format!("query {query}: {answers}, in {}", history.position_text());
        Err(Fault::new(reason, detail).into())
    }
}

/// Finds the side to move, or the result of a game that is over, by the answers to queries, if the
/// rules of this crate do not judge the game.
///
/// # Errors
/// Those of `ask`.
pub fn judge(
    history: &mut GameHistory,
    mut ask: impl FnMut(&str, &GameHistory) -> Result<String>,
) -> Result<()> {
    if history.rules().is_ok() {
        return Ok(());
    }
    let outcome = match ask("gameover", history)?.as_str() {
        "true" => match ask("result", history)?.as_str() {
            "draw" => Some(Outcome::Draw),
            "p1win" => Some(Outcome::FirstWins),
            _ => Some(Outcome::SecondWins),
        },
        _ => None,
    };
    let side = match outcome.is_none() && ask("p1turn", history)? == "false" {
        true => Player::Second,
        false => Player::First,
    };
    if let GameHistory::Text(game) = history {
        (game.to_move, game.outcome) = (side, outcome);
    }
    Ok(())
}

/// The answer of one engine to a query.
///
/// # Errors
/// A fault of the engine, also if the answer is not one to this query, or an interrupt.
pub fn ask_one(session: &mut EngineSession, query: &str, history: &GameHistory) -> Result<String> {
    let answer = session.ask(history, query)?;
    let expected: &[&str] = match query {
        "result" => &["p1win", "p2win", "draw"],
        _ => &["true", "false"],
    };
    if expected.contains(&answer.as_str()) {
        return Ok(answer);
    }
    let detail = format!(
        "query {query} answered \"{}\", expected {}, in {}",
        quoted(&answer),
        expected.join(" or "),
        history.position_text()
    );
    Err(Fault::new(Termination::WrongQuery, detail).into())
}
