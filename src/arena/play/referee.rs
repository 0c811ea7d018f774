//! Who judges a game: the rules of this crate, or UGI queries (`gameover`, `result`, `p1turn`,
//! `islegal`), which both players answer and perhaps a third engine. No clock runs meanwhile.
//!
//! Without a third engine the players must agree. A third engine is right, unless both players
//! contradict it with the same answer: then it is at fault. Players that do not answer abstain.

use anyhow::{Error, Result};

use super::session::{EngineSession, EngineSlot};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::rules::fault::{Fault, Termination};
use crate::game::{Outcome, Player, is_unprintable, quoted};

/// The referee of a game.
pub enum Referee<'a> {
    /// The rules of this crate.
    Rules,
    /// The answers to queries.
    Queries {
        /// A third engine.
        third: Option<&'a mut EngineSlot>,
        /// Whether the game has begun on it.
        has_begun: bool,
    },
}

/// The engines of both sides, and the side that acts: faults are its faults.
pub struct Players<'p, 's> {
    /// The engines.
    pub slots: &'p mut [&'s mut EngineSlot; 2],
    /// The side whose engine was used last.
    pub acting: &'p mut Player,
}

impl Referee<'_> {
    /// Its name in the record; `None`: the rules of this crate.
    pub fn name(&self) -> Option<String> {
        match self {
            Referee::Rules => None,
            Referee::Queries { third: None, .. } => Some("players".into()),
            Referee::Queries {
                third: Some(slot), ..
            } => Some(slot.spec.name.clone()),
        }
    }

    /// Finds the side to move, or the result of a game that is over.
    ///
    /// # Errors
    /// A fault, also of the referee, or an interrupt.
    pub fn judge(&mut self, history: &mut GameHistory, players: &mut Players) -> Result<()> {
        judge(history, |query, history| self.ask(query, history, players))
    }

    /// The move as it is recorded, if it is legal.
    ///
    /// # Errors
    /// As [`Referee::judge`].
    pub fn legal_move(
        &mut self,
        word: &str,
        history: &GameHistory,
        players: &mut Players,
    ) -> Result<Option<String>> {
        if let Ok(game) = history.rules() {
            return Ok(game.legal_move(word).map(|played| game.write_move(played)));
        }
        // No control character is sent to an engine.
        let is_legal = !word.contains(is_unprintable)
            && self.ask(&format!("islegal {word}"), history, players)? == "true";
        Ok(is_legal.then(|| word.to_owned()))
    }

    /// The answer that counts to a query about the present position.
    fn ask(&mut self, query: &str, history: &GameHistory, players: &mut Players) -> Result<String> {
        let third = match self {
            Referee::Queries {
                third: Some(slot),
                has_begun,
            } => {
                let name = slot.spec.name.clone();
                let answer = ask_third(slot.start()?, has_begun, history, query);
                Some((
                    name.clone(),
                    answer.map_err(|error| of_referee(&name, error))?,
                ))
            }
            _ => None,
        };
        let mut answers = Vec::new();
        for side in Player::BOTH {
            *players.acting = side;
            let slot = &mut players.slots[side as usize];
            let answer = slot.start()?.ask(history, query)?;
            match check_answer(query, &answer, history) {
                Ok(()) => answers.push((slot.spec.name.clone(), answer)),
                Err(fault) if third.is_none() => return Err(fault.into()),
                Err(_) => {}
            }
        }
        Ok(settle(query, third, &answers, history)?)
    }
}

/// Finds the side to move, or the result of a game that is over, by the answers to queries.
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
    let is_second = outcome.is_none() && ask("p1turn", history)? == "false";
    if let GameHistory::Text(game) = history {
        game.outcome = outcome;
        game.to_move = if is_second {
            Player::Second
        } else {
            Player::First
        };
    }
    Ok(())
}

/// The answer of one engine.
///
/// # Errors
/// A fault of the engine, also if its answer is not one to this query, or an interrupt.
pub fn ask_one(session: &mut EngineSession, query: &str, history: &GameHistory) -> Result<String> {
    let answer = session.ask(history, query)?;
    check_answer(query, &answer, history)?;
    Ok(answer)
}

/// The answer of a third engine.
fn ask_third(
    session: &mut EngineSession,
    has_begun: &mut bool,
    history: &GameHistory,
    query: &str,
) -> Result<String> {
    if !std::mem::replace(has_begun, true) {
        session.new_game(history, Player::First, &GoLimits::default())?;
    }
    ask_one(session, query, history)
}

/// A fault of a third engine, which ends the game without a result.
fn of_referee(name: &str, error: Error) -> Error {
    let of_referee =
        |fault| Fault::new(Termination::RefereeFault, format!("{name}: {fault}")).into();
    error
        .downcast::<Fault>()
        .map_or_else(|other| other, of_referee)
}

/// Checks that an answer is one to this query.
fn check_answer(query: &str, answer: &str, history: &GameHistory) -> Result<(), Fault> {
    let expected: &[&str] = match query {
        "result" => &["p1win", "p2win", "draw"],
        _ => &["true", "false"],
    };
    if expected.contains(&answer) {
        return Ok(());
    }
    let detail = format!(
        "query {query} answered \"{}\", expected {}, in {}",
        quoted(answer),
        expected.join(" or "),
        history.position_text()
    );
    Err(Fault::new(Termination::WrongQuery, detail))
}

/// The answer that counts, of those of a third engine and of the players, by name.
fn settle(
    query: &str,
    third: Option<(String, String)>,
    players: &[(String, String)],
    history: &GameHistory,
) -> Result<String, Fault> {
    let agreed = match players {
        [(_, first), (_, second)] => Some(first).filter(|_| first == second),
        _ => None,
    };
    let reason = match (&third, agreed) {
        (None, Some(answer)) => return Ok(answer.clone()),
        (Some((_, answer)), agreed) if agreed.is_none_or(|agreed| agreed == answer) => {
            return Ok(answer.clone());
        }
        (None, None) => Termination::Disagreement,
        (Some(_), _) => Termination::RefereeFault,
    };
    let answers = third.iter().chain(players);
    let answers = answers.map(|(name, answer)| format!("{name} answered \"{answer}\""));
    let answers: Vec<String> = answers.collect();
    let position = history.position_text();
    let detail = format!("query {query}: {}, in {position}", answers.join(", "));
    Err(Fault::new(reason, detail))
}
