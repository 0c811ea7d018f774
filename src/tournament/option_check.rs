//! Starts every engine before anything is written: an engine that cannot start ends the run, not its first game. And
//! compares the options that are set with those it lists: engines ignore a misspelt option in silence, and the match
//! would measure something else.

use std::time::Duration;

use crossbeam_channel::Receiver;

use super::abort::{Abort, StartError};
use super::engine_session::EngineSession;
use super::engine_spec::EngineSpec;
use super::timeouts::Timeouts;
use crate::game::Player;
use crate::protocol::Protocol;
use crate::protocol::client::{GameHistory, Identity};

/// How similar (0 to 1) a listed name must be to be suggested.
const SIMILAR: f64 = 0.7;
/// How long an engine may take at most to answer in another protocol than the one that was given.
const OTHER_PROTOCOL: Duration = Duration::from_secs(2);

/// Starts each engine up to its first position, the one of `history`, and quits it. Returns a line for each option that
/// it does not list, or whose value it cannot have; an engine that lists no option at all is not checked, and one with
/// such options is started only as far as its list unless they are allowed (`lenient`).
///
/// # Errors
/// If an engine cannot start or play the game, or `stop` is disconnected.
pub fn check_engines(
    engines: &[EngineSpec],
    history: &GameHistory,
    lenient: bool,
    timeouts: Timeouts,
    stop: &Receiver<()>,
) -> Result<Vec<String>, Abort> {
    let mut problems = Vec::new();
    for engine in engines {
        let mut session = start(engine, timeouts, stop)?;
        let own = option_problems(session.identity(), engine);
        let goes_on = lenient || own.is_empty();
        problems.extend(own.into_iter().map(|problem| format!("engine \"{}\": {problem}", engine.name)));
        if goes_on {
            session.set_up(engine)?;
            let limits = engine.go_limits(&engine.clock());
            // Other faults than an unknown game belong to the game in which they happen.
            let _ = session.new_game(engine, history, Player::First, &limits)?;
        }
        session.quit();
    }
    Ok(problems)
}

/// Starts an engine up to its report about itself.
///
/// # Errors
/// If it cannot start; the error says if it answers in another protocol. If `stop` is disconnected.
pub fn start(engine: &EngineSpec, timeouts: Timeouts, stop: &Receiver<()>) -> Result<EngineSession, Abort> {
    EngineSession::greet(engine, None, timeouts, stop.clone()).map_err(|abort| match abort {
        Abort::CannotStart(error) => match other_protocol(engine, timeouts, stop) {
            Some(protocol) => {
                let name = protocol.name();
                let what = format!("{}; it answers as an engine for {name}: set proto={name}", error.what);
                Abort::CannotStart(StartError { what, ..error })
            }
            None => Abort::CannotStart(error),
        },
        abort => abort,
    })
}

/// A protocol in which an engine answers, other than its own.
fn other_protocol(engine: &EngineSpec, timeouts: Timeouts, stop: &Receiver<()>) -> Option<Protocol> {
    let timeouts = Timeouts { answer: timeouts.answer.min(OTHER_PROTOCOL), ..timeouts };
    let all = [Protocol::Uci, Protocol::Ugi, Protocol::Gtp, Protocol::NBoard];
    all.into_iter().filter(|&protocol| protocol != engine.protocol).find(|&protocol| {
        let other = EngineSpec { protocol, ..engine.clone() };
        EngineSession::identify(&other, timeouts, stop.clone()).is_ok()
    })
}

/// What is wrong with the options that are set for an engine.
fn option_problems(identity: &Identity, engine: &EngineSpec) -> Vec<String> {
    if identity.options.is_empty() || !matches!(engine.protocol, Protocol::Ugi | Protocol::Uci) {
        return Vec::new();
    }
    engine.options.iter().filter_map(|(name, value)| problem(identity, name, value.as_deref())).collect()
}

/// What is wrong with an option, if anything is.
fn problem(identity: &Identity, name: &str, value: Option<&str>) -> Option<String> {
    let Some(option) = identity.option(name) else {
        let listed = || identity.options.iter().map(|option| option.name.as_str());
        return Some(match nearest(name, listed()) {
            Some(nearest) => format!("it lists no option \"{name}\"; the nearest is \"{nearest}\""),
            None => {
                let names = listed().collect::<Vec<_>>().join(", ");
                format!("it lists no option \"{name}\"; its options are {names}")
            }
        });
    };
    let expected = match (option.kind.as_str(), value) {
        ("button", None) => return None,
        ("button", Some(_)) => "no value".into(),
        (_, None) => "a value".into(),
        ("check", Some(value)) if !["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word)) => {
            "true or false".into()
        }
        ("spin", Some(value)) => match value.parse::<i64>() {
            Err(_) => "a whole number".into(),
            Ok(value) if option.min.is_some_and(|min| value < min) => format!("at least {}", option.min?),
            Ok(value) if option.max.is_some_and(|max| value > max) => format!("at most {}", option.max?),
            Ok(_) => return None,
        },
        ("combo", Some(value)) if !option.values.iter().any(|listed| value.eq_ignore_ascii_case(listed)) => {
            format!("one of {}", option.values.join(", "))
        }
        _ => return None,
    };
    Some(match value {
        Some(value) => format!("option \"{}\" cannot be \"{value}\", expected {expected}", option.name),
        None => format!("option \"{}\" expects {expected}", option.name),
    })
}

/// The name most similar to `name`, ignoring case, if any is similar.
fn nearest<'a>(name: &str, listed: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let similarity = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let scored = listed.map(|other| (similarity(other), other));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(similarity, _)| *similarity >= SIMILAR).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::client::DeclaredOption;

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
            DeclaredOption { min: Some(1), max: Some(1024), ..option("Hash", "spin", &[]) },
            option("Ponder", "check", &[]),
            option("Game", "combo", &["othello", "tictactoe"]),
            option("Clear Hash", "button", &[]),
            option("EvalFile", "string", &[]),
        ];
        let identity = Identity { options, ..Identity::default() };
        for (name, value) in [
            ("hash", Some("1024")),
            ("Ponder", Some("True")),
            ("Game", Some("othello")),
            ("Clear Hash", None),
            ("EvalFile", Some("a b")),
        ] {
            assert_eq!(problem(&identity, name, value), None, "{name}");
        }
        for (name, value, expected) in [
            ("Hsh", Some("3"), "it lists no option \"Hsh\"; the nearest is \"Hash\""),
            ("evalfil", Some("3"), "it lists no option \"evalfil\"; the nearest is \"EvalFile\""),
            (
                "UCI_Variant",
                Some("x"),
                "it lists no option \"UCI_Variant\"; its options are Hash, Ponder, Game, Clear Hash, EvalFile",
            ),
            ("hash", Some("lots"), "option \"Hash\" cannot be \"lots\", expected a whole number"),
            ("Hash", Some("0"), "option \"Hash\" cannot be \"0\", expected at least 1"),
            ("Hash", Some("1025"), "option \"Hash\" cannot be \"1025\", expected at most 1024"),
            ("Hash", None, "option \"Hash\" expects a value"),
            ("Ponder", Some("yes"), "option \"Ponder\" cannot be \"yes\", expected true or false"),
            ("Game", Some("go"), "option \"Game\" cannot be \"go\", expected one of othello, tictactoe"),
            ("clear hash", Some("on"), "option \"Clear Hash\" cannot be \"on\", expected no value"),
        ] {
            assert_eq!(problem(&identity, name, value).as_deref(), Some(expected), "{name}");
        }
    }
}
