//! Starts every engine before anything is written, and checks its options against those that it
//! lists: engines silently ignore a misspelled option, and the match would measure something else.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum as _;

use super::referee::{ask_one, judge};
use super::session::{EngineSession, EngineSlot, RunContext};
use super::start_error::StartError;
use crate::arena::client::{GameHistory, Identity};
use crate::arena::config::TournamentConfig;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::config::openings::RoundOpenings;
use crate::arena::rules::fault::Fault;
use crate::game::Player;
use crate::platform::command_line::nearest;
use crate::protocol::Protocol;

/// The maximum reply time when other protocols are tried.
const OTHER_PROTOCOL: Duration = Duration::from_secs(2);

/// Starts each engine, sends the position after an opening and quits it. Engines that judge
/// the game must answer the queries, and accept the openings. Returns a line for each unknown option
/// and each invalid value, if the engine lists options, and for each setting that it refuses. Unless
/// `lenient`, an engine with such an option is started only up to its list, and a refusal is an error.
///
/// # Errors
/// If an engine cannot start or play the game, or the run is interrupted.
pub fn check_engines(
    config: &TournamentConfig,
    openings: &RoundOpenings,
    context: &RunContext,
) -> Result<Vec<String>> {
    // Some engines cannot set up a position.
    let opening = match openings {
        RoundOpenings::Listed(list) => list.iter().find(|one| one.position.is_some()).cloned(),
        _ => None,
    };
    let game = config.game_after(&opening.map_or_else(|| openings.of_round(1), Ok)?)?;
    let mut problems = Vec::new();
    for engine in config.programs() {
        let mut session = start(engine, context)?;
        let mut own = option_problems(&session.identity, engine);
        if config.lenient || own.is_empty() {
            session = session.set_up()?;
            let refusals = session.refusals.iter();
            own.extend(refusals.map(|line| format!("refuses a setting: {line}")));
            // Faults other than an unknown game belong to the game in which they occur.
            let limits = engine.go_limits(&engine.clock());
            if let Err(error) = session.new_game(&game, Player::First, &limits) {
                error.downcast::<Fault>()?;
            } else if config.is_judged() && config.referee.as_ref().is_none_or(|one| one == engine)
            {
                check_judge(&mut session, config, openings).with_context(|| {
                    format!("judge \"{}\" (--referee sets another)", engine.name)
                })?;
            }
        }
        problems.extend(
            own.into_iter()
                .map(|problem| format!("engine \"{}\": {problem}", engine.name)),
        );
        session.quit();
    }
    Ok(problems)
}

/// Checks that an engine answers every query, and that no opening is illegal or ends the game.
fn check_judge(
    session: &mut EngineSession,
    config: &TournamentConfig,
    openings: &RoundOpenings,
) -> Result<()> {
    let mut ask = |query: &str, game: &GameHistory| ask_one(session, query, game);
    let RoundOpenings::Listed(list) = openings else {
        return Ok(());
    };
    for (number, opening) in (1..).zip(list) {
        let mut game = config.game_after(opening)?;
        if number == 1 {
            ask("islegal 0000", &game)?;
        }
        for word in &opening.moves {
            ensure!(
                ask(&format!("islegal {word}"), &game)? == "true",
                "opening {number}: \"{word}\" is illegal in {}",
                game.position_text()
            );
            game.play(word);
        }
        judge(&mut game, &mut ask)?;
        ensure!(
            game.outcome().is_none(),
            "opening {number}: the game is over in {}",
            game.position_text()
        );
    }
    Ok(())
}

/// Starts an engine and performs the handshake.
///
/// # Errors
/// If it cannot start (the error names another protocol in which it replies), or the run is
/// interrupted.
pub fn start(engine: &EngineSpec, context: &RunContext) -> Result<EngineSession> {
    let mut result = EngineSlot::new(engine.clone(), context.clone()).greet();
    if let Err(error) = &mut result
        && let Some(error) = error.downcast_mut::<StartError>()
        && let Some(protocol) = other_protocol(engine, context)
    {
        let name = protocol.name();
        error.what += &format!("; it replies to {name}: set proto={name}");
    }
    result
}

/// Another protocol in which an engine replies.
fn other_protocol(engine: &EngineSpec, context: &RunContext) -> Option<Protocol> {
    let mut context = context.clone();
    context.timeouts.start = context.timeouts.start.min(OTHER_PROTOCOL);
    Protocol::value_variants()
        .iter()
        .copied()
        .filter(|&protocol| protocol != engine.protocol)
        .find(|&protocol| {
            let other = EngineSpec {
                protocol,
                ..engine.clone()
            };
            EngineSlot::new(other, context.clone())
                .greet()
                .map(EngineSession::quit)
                .is_ok()
        })
}

/// The problems of an engine's options.
pub fn option_problems(identity: &Identity, engine: &EngineSpec) -> Vec<String> {
    if identity.options.is_empty() {
        return Vec::new();
    }
    engine
        .options
        .iter()
        .filter_map(|(name, value)| problem(identity, name, value.as_deref()))
        .collect()
}

/// The problem of an option, if any.
fn problem(identity: &Identity, name: &str, value: Option<&str>) -> Option<String> {
    let Some(option) = identity.option(name) else {
        let names: Vec<&str> = identity
            .options
            .iter()
            .map(|option| option.name.as_str())
            .collect();
        return Some(match nearest(name, &names) {
            Some(nearest) => format!("unknown option \"{name}\"; did you mean \"{nearest}\"?"),
            None => format!(
                "unknown option \"{name}\"; its options are {}",
                names.join(", ")
            ),
        });
    };
    let expected = match (option.kind.as_str(), value) {
        ("button", None | Some("true" | "false")) => return None,
        ("button", Some(_)) => "no value, true or false".into(),
        (_, None) => "a value".into(),
        ("check", Some(value))
            if !["true", "false"]
                .iter()
                .any(|word| value.eq_ignore_ascii_case(word)) =>
        {
            "true or false".into()
        }
        ("spin", Some(value)) => match (value.parse::<i64>(), option.min, option.max) {
            (Err(_), ..) => "a whole number".into(),
            (Ok(value), Some(min), _) if value < min => format!("at least {min}"),
            (Ok(value), _, Some(max)) if value > max => format!("at most {max}"),
            (Ok(_), ..) => return None,
        },
        ("combo", Some(value))
            if !option
                .values
                .iter()
                .any(|listed| value.eq_ignore_ascii_case(listed)) =>
        {
            format!("one of {}", option.values.join(", "))
        }
        _ => return None,
    };
    let invalid = value.map_or(String::new(), |value| {
        format!("invalid value \"{value}\", ")
    });
    Some(format!(
        "option \"{}\": {invalid}expected {expected}",
        option.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::client::DeclaredOption;

    fn option(name: &str, kind: &str, values: &[&str]) -> DeclaredOption {
        DeclaredOption {
            name: name.into(),
            kind: kind.into(),
            values: values.iter().map(|value| value.to_string()).collect(),
            ..DeclaredOption::default()
        }
    }

    #[test]
    fn names_and_values_are_compared_with_the_list() {
        let options = vec![
            DeclaredOption {
                min: Some(1),
                max: Some(1024),
                ..option("Hash", "spin", &[])
            },
            option("Ponder", "check", &[]),
            option("Game", "combo", &["othello", "tictactoe"]),
            option("Clear Hash", "button", &[]),
            option("EvalFile", "string", &[]),
        ];
        let identity = Identity {
            options,
            ..Identity::default()
        };
        for (name, value) in [
            ("hash", Some("1024")),
            ("Ponder", Some("True")),
            ("Game", Some("othello")),
            ("Clear Hash", None),
            ("Clear Hash", Some("true")),
            ("clear hash", Some("false")),
            ("EvalFile", Some("a b")),
        ] {
            assert_eq!(problem(&identity, name, value), None, "{name}");
        }
        for (name, value, expected) in [
            (
                "Hsh",
                Some("3"),
                "unknown option \"Hsh\"; did you mean \"Hash\"?",
            ),
            (
                "evalfil",
                Some("3"),
                "unknown option \"evalfil\"; did you mean \"EvalFile\"?",
            ),
            (
                "UCI_Variant",
                Some("x"),
                "unknown option \"UCI_Variant\"; its options are Hash, Ponder, Game, Clear Hash, EvalFile",
            ),
            (
                "hash",
                Some("lots"),
                "option \"Hash\": invalid value \"lots\", expected a whole number",
            ),
            (
                "Hash",
                Some("0"),
                "option \"Hash\": invalid value \"0\", expected at least 1",
            ),
            (
                "Hash",
                Some("1025"),
                "option \"Hash\": invalid value \"1025\", expected at most 1024",
            ),
            ("Hash", None, "option \"Hash\": expected a value"),
            (
                "Ponder",
                Some("yes"),
                "option \"Ponder\": invalid value \"yes\", expected true or false",
            ),
            (
                "Game",
                Some("go"),
                "option \"Game\": invalid value \"go\", expected one of othello, tictactoe",
            ),
            (
                "clear hash",
                Some("on"),
                "option \"Clear Hash\": invalid value \"on\", expected no value, true or false",
            ),
        ] {
            assert_eq!(
                problem(&identity, name, value).as_deref(),
                Some(expected),
                "{name}"
            );
        }
    }
}
