//! `conf=NAME`: the settings of an engine from `engines.json` in the working directory, in the
//! format of cutechess: an array of objects with `name`, `command`, `workingDirectory`,
//! `protocol`, `initStrings`, `options` and others; a name that it lacks may be one of the
//! [`presets`]. A setting of `--each` or `--engine` takes precedence.

use std::path::Path;

use anyhow::{Context, Error, Result, bail, ensure};
use serde_json::{Map, Value};

use super::presets;
use super::presets::PRESETS;
use crate::game::printable;
use crate::platform::command_line::nearest;
use crate::platform::files;

/// The name of the file.
pub const FILE: &str = "engines.json";

/// Replaces `conf=NAME` in the words of one `--engine`: returns the words that the settings of this
/// name mean, and the other words. What the settings contain without effect is added to
/// `notes`.
///
/// # Errors
/// If the file cannot be read, has no such engine or an invalid value, or `cmd` is also given.
pub fn resolve(own: &[String], notes: &mut Vec<String>) -> Result<(Vec<String>, Vec<String>)> {
    let words = own.iter().cloned();
    let (names, rest): (Vec<_>, Vec<_>) = words.partition(|word| word.starts_with("conf="));
    let [name] = names.as_slice() else {
        ensure!(names.is_empty(), "engine with several conf=");
        return Ok((Vec::new(), rest));
    };
    let name = name.trim_start_matches("conf=");
    ensure!(
        !rest.iter().any(|word| word.starts_with("cmd=")),
        "engine with both conf={name} and cmd="
    );
    let words = saved_words(Path::new(FILE), name, notes)
        .with_context(|| format!("engine setting \"conf={}\"", printable(name)))?;
    Ok((words, rest))
}

/// The words that the settings with this name in a file mean, or in the presets, if the file
/// does not exist or lacks them.
fn saved_words(file: &Path, name: &str, notes: &mut Vec<String>) -> Result<Vec<String>> {
    let (exists, shown) = (file.exists(), file.display());
    let context = || format!("file {shown}");
    let mut engines: Vec<Map<String, Value>> = Vec::new();
    if exists {
        let text = files::read_text(file).with_context(context)?;
        engines = serde_json::from_str(&text).with_context(context)?;
    }
    if let Some(engine) = engines.iter().find(|engine| name_of(engine) == name) {
        return words_of(engine, notes).with_context(context);
    }
    presets::words(name).with_context(|| {
        let presets = PRESETS.map(|(name, _)| name);
        let names: Vec<&str> = engines.iter().map(name_of).chain(presets).collect();
        let hint = nearest(name, &names).map_or_else(String::new, |similar| {
            format!("; did you mean \"{}\"?", printable(similar))
        });
        match exists {
            true => format!("no such engine in {shown}, and no such preset{hint}"),
            false => format!("file {shown} does not exist, and no preset has this name{hint}"),
        }
    })
}

/// The name of an engine in the file.
fn name_of(engine: &Map<String, Value>) -> &str {
    let name = engine.get("name").and_then(Value::as_str);
    name.unwrap_or_default()
}

/// The words that an object of the file means.
fn words_of(engine: &Map<String, Value>, notes: &mut Vec<String>) -> Result<Vec<String>> {
    let name = name_of(engine);
    let mut words = vec![format!("name={name}")];
    if !engine.contains_key("protocol") {
        words.push("proto=uci".into()); // the usual one in cutechess
    }
    for (key, value) in engine {
        let mut ignore = |why: &str| {
            let note = format!(
                "note: {FILE}: \"{}\" of {}: no effect{why}",
                printable(key),
                printable(name)
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        };
        let word = |word: &str, value| Ok::<_, Error>(format!("{word}={}", text(key, value)?));
        match key.as_str() {
            "name" => {}
            "command" => words.push(word("cmd", value)?),
            "arguments" => {
                for value in list(key, value)? {
                    words.push(word("arg", value)?);
                }
            }
            "workingDirectory" | "stderrFile" if value == "" => {}
            "workingDirectory" => words.push(word("dir", value)?),
            "stderrFile" => words.push(word("stderr", value)?),
            "protocol" if value == "xboard" || value == "cecp" => {
                bail!("protocol xboard is not supported, expected ugi, uci, gtp or nboard")
            }
            "protocol" => words.push(word("proto", value)?),
            "initStrings" => {
                for line in list(key, value)? {
                    words.push(word("initstr", line)?);
                }
            }
            "ponder" => {
                let is_on = value.as_bool().context("ponder: expected true or false")?;
                words.extend(is_on.then(|| "ponder=on".to_owned()));
            }
            "restart" => match text(key, value)? {
                "on" => words.push("restart=on".into()),
                "auto" | "off" => {}
                _ => bail!("restart: expected auto, on or off"),
            },
            "options" => {
                for option in list(key, value)? {
                    words.extend(option_word(option)?);
                }
            }
            "whitepov" if value != &Value::Bool(false) => {
                ignore(": scores are those of the side to move");
            }
            // Properties of the engine for cutechess; claims of results are always checked.
            "variants" | "features" | "whitepov" | "validateClaims" | "rating" => {}
            _ => ignore(""),
        }
    }
    Ok(words)
}

/// `option.NAME=VALUE` of an option with its value; `None` for a button or without a value.
fn option_word(option: &Value) -> Result<Option<String>> {
    let name = option["name"]
        .as_str()
        .context("options: expected objects with name and value")?;
    let value = match &option["value"] {
        _ if option["type"] == "button" => return Ok(None),
        Value::Null => return Ok(None),
        Value::String(text) => text.clone(),
        value @ (Value::Bool(_) | Value::Number(_)) => value.to_string(),
        _ => bail!("options: {}: invalid value", printable(name)),
    };
    Ok(Some(format!("option.{name}={value}")))
}

fn text<'a>(key: &str, value: &'a Value) -> Result<&'a str> {
    value
        .as_str()
        .with_context(|| format!("{key}: expected a string"))
}

fn list<'a>(key: &str, value: &'a Value) -> Result<&'a Vec<Value>> {
    value
        .as_array()
        .with_context(|| format!("{key}: expected an array"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_engine_of_cutechess_is_found_by_name() {
        let file = std::env::temp_dir().join(format!("nullwindow-engines-{}", std::process::id()));
        let text = r#"[
            {"command": "./a --flag", "name": "A", "protocol": "gtp", "workingDirectory": "",
             "stderrFile": "", "ponder": true, "restart": "auto", "rating": 5, "color": "red",
             "whitepov": true},
            {"name": "B b", "command": "b", "arguments": ["-x", "y z"], "workingDirectory": "dir",
             "initStrings": ["debug on"], "restart": "on", "variants": ["othello"],
             "options": [
                {"name": "Hash", "type": "spin", "value": 16, "default": 64, "min": 1},
                {"name": "Own Book", "type": "check", "value": false},
                {"name": "File", "type": "file", "value": "a b"},
                {"name": "Clear", "type": "button", "value": null}, {"name": "Style"}]},
            {"name": "X", "command": "x", "protocol": "xboard"},
            {"name": "Y", "command": 5}
        ]"#;
        fs::write(&file, text).unwrap();
        let mut notes = Vec::new();
        let mut of = |name| saved_words(&file, name, &mut notes).map(|words| words.join("|"));
        assert_eq!(
            of("A").unwrap(),
            "name=A|cmd=./a --flag|ponder=on|proto=gtp"
        );
        assert_eq!(
            of("B b").unwrap(),
            "name=B b|proto=uci|arg=-x|arg=y z|cmd=b|initstr=debug on|option.Hash=16|\
             option.Own Book=false|option.File=a b|restart=on|dir=dir"
        );
        let preset = |file: &Path| saved_words(file, "gtp-rhino", &mut Vec::new()).unwrap();
        assert_eq!(preset(&file), presets::words("gtp-rhino").unwrap());
        assert_eq!(preset(&file), preset(&file.with_extension("none")));
        let error = |name| {
            format!(
                "{:#}",
                saved_words(&file, name, &mut Vec::new()).unwrap_err()
            )
        };
        assert!(error("X").contains("protocol xboard is not supported"));
        assert!(error("Y").contains("command: expected a string"));
        assert!(error("gtp-rino").ends_with("; did you mean \"gtp-rhino\"?"));
        assert!(
            error("B  b").ends_with("; did you mean \"B b\"?"),
            "{}",
            error("B  b")
        );
        assert_eq!(
            notes,
            [
                "note: engines.json: \"color\" of A: no effect",
                "note: engines.json: \"whitepov\" of A: no effect: scores are those of the side to move"
            ]
        );
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn the_other_words_are_kept() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let own = words("cmd=a name=b");
        assert_eq!(resolve(&own, &mut Vec::new()).unwrap(), (Vec::new(), own));
        assert!(resolve(&words("conf=a cmd=b"), &mut Vec::new()).is_err());
        assert!(resolve(&words("conf=a conf=b"), &mut Vec::new()).is_err());
        let error = resolve(&words("conf=a"), &mut Vec::new()).unwrap_err();
        assert!(format!("{error:#}").starts_with("engine setting \"conf=a\": file engines.json"));
        let error = format!(
            "{:#}",
            resolve(&words("conf=gtp-rino"), &mut Vec::new()).unwrap_err()
        );
        assert!(
            error.ends_with("has this name; did you mean \"gtp-rhino\"?"),
            "{error}"
        );
    }
}
