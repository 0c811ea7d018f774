//! Compares the options that are set for each engine with those it lists, before the first game: engines ignore a
//! misspelt option in silence, and the match would measure something else.

use crossbeam_channel::Receiver;

use super::abort::Abort;
use super::engine_session::EngineSession;
use super::engine_spec::EngineSpec;
use super::timeouts::Timeouts;
use crate::protocol::Protocol;
use crate::protocol::client::Identity;

/// How similar (0 to 1) a listed name must be to be suggested.
const SIMILAR: f64 = 0.7;

/// Starts each engine that has options and whose protocol lists them; returns a line for each option that it does not
/// list, or whose value it cannot have. An engine that lists no option at all is not checked.
///
/// # Errors
/// If an engine cannot start, or `stop` is disconnected.
pub fn option_problems(engines: &[EngineSpec], timeouts: Timeouts, stop: &Receiver<()>) -> Result<Vec<String>, Abort> {
    let mut problems = Vec::new();
    for engine in engines {
        if engine.options.is_empty() || !matches!(engine.protocol, Protocol::Ugi | Protocol::Uci) {
            continue;
        }
        let identity = EngineSession::identify(engine, timeouts, stop.clone())?;
        if identity.options.is_empty() {
            continue;
        }
        let own = engine.options.iter().filter_map(|(name, value)| problem(&identity, name, value.as_deref()));
        problems.extend(own.map(|problem| format!("engine \"{}\": {problem}", engine.name)));
    }
    Ok(problems)
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
