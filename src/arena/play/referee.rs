//! Who judges a game: the rules of this crate, or UGI queries (`gameover`, `result`, `p1turn`,
//! `islegal`), which both players answer, with a third engine if given. No clock runs meanwhile.
//!
//! Without a third engine the players must agree. A third engine is right, unless both players
//! contradict it with the same answer: then it is at fault. Players that do not answer abstain. A
//! player that fails when the game is over is at fault, but the others' answers decide the game.

use anyhow::{Context as _, Result};

use super::session::{EngineSession, EngineSlot};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::rules::fault::{Fault, Termination};
use crate::game::{Outcome, Player, quoted};

/// The referee of a game.
pub struct Referee<'a> {
    /// A third engine, if there is one.
    pub third: Option<&'a mut EngineSlot>,
    /// Whether the game has begun on it.
    pub has_begun: bool,
    /// A player that failed at a query about the end, whose answer is not needed.
    pub failed: Option<(Player, Fault)>,
}

impl Referee<'_> {
    /// The answer that counts to a query about the present position. `acting` becomes the side that
    /// is at fault if a player fails.
    ///
    /// # Errors
    /// A fault, also of the referee, or an interrupt.
    pub fn ask(
        &mut self,
        query: &str,
        history: &GameHistory,
        players: &mut [&mut EngineSlot; 2],
        acting: &mut Player,
    ) -> Result<String> {
        let has_third = self.third.is_some();
        let mut answers = Vec::new();
        let players = players.iter_mut().map(|slot| &mut **slot);
        for (judge, slot) in players.chain(self.third.as_deref_mut()).enumerate() {
            let side = Player::BOTH.get(judge).copied();
            if side.is_some() && side == self.failed.as_ref().map(|(side, _)| *side) {
                continue;
            }
            *acting = side.unwrap_or(*acting);
            let session = slot.start()?;
            let mut ask = || {
                if side.is_none() && !std::mem::replace(&mut self.has_begun, true) {
                    session.new_game(history, Player::First, &GoLimits::default())?;
                }
                ask_one(session, query, history)
            };
            let answer = ask();
            let name = slot.spec.name.clone();
            match answer.map_err(|error| error.downcast::<Fault>()) {
                Ok(answer) => answers.push((name, answer)),
                Err(fault) => match (fault?, side) {
                    (fault, None) => {
                        let detail = format!("{name}: {fault}");
                        return Err(Fault::new(Termination::RefereeFault, detail).into());
                    }
                    (fault, _) if has_third && fault.reason == Termination::WrongQuery => {}
                    (fault, Some(side))
                        if query == "result" || has_third && query == "gameover" =>
                    {
                        self.failed.get_or_insert((side, fault));
                    }
                    (fault, _) => return Err(fault.into()),
                },
            }
        }
        let reason = match answers.as_slice() {
            [(_, first), (_, second)] if !has_third && first != second => Termination::Disagreement,
            [(_, first), (_, second), (_, third)] if first == second && first != third => {
                Termination::RefereeFault
            }
            _ => {
                if let Some((_, answer)) = answers.pop() {
                    return Ok(answer);
                }
                let (side, fault) = self.failed.take().context("no engine answers queries")?;
                *acting = side;
                return Err(fault.into());
            }
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
