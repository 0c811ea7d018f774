//! The settings of one engine: command, protocol, options and limits, parsed from the `key=value`
//! words of `--engine` and `--each` (the syntax of fastchess).

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::arena::client::{Client, GoLimits, GtpClient, NBoardClient, UciClient};
use crate::arena::rules::clock::{GameClock, TimeControl, milliseconds};
use crate::game::{Player, is_unprintable, printable};
use crate::platform::command_line;
use crate::protocol::Protocol;

/// The keys, for help and error messages.
pub const KEYS: &str = "cmd conf arg args dir name proto initstr option.NAME tc st depth nodes timemargin restart \
    ponder pass stderr book (see tournament --help)";
/// The option that `book` sets.
pub const BOOK_FILE: &str = "Book File";
/// The default `timemargin` with a fixed time per move, since engines use all of it.
const FIXED_TIME_MARGIN_MS: u64 = 100;

/// An engine and its settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Its unique name in tables and records.
    pub name: String,
    /// Its command: program and arguments.
    pub command: Vec<String>,
    /// Its working directory.
    pub directory: Option<PathBuf>,
    /// Its protocol.
    pub protocol: Protocol,
    /// Options to set and their values (`None` for a button).
    pub options: Vec<(String, Option<String>)>,
    /// Lines sent verbatim before the options.
    pub initial: Vec<String>,
    /// Its time control.
    pub control: TimeControl,
    /// Its depth limit.
    pub depth: Option<u32>,
    /// Its node limit.
    pub nodes: Option<u64>,
    /// How late a move may be, in milliseconds; default 0, with a fixed time per move 100.
    pub margin_ms: Option<u64>,
    /// Whether it is restarted for every game.
    pub restart: bool,
    /// Whether it ponders (UCI).
    #[serde(default)]
    pub ponder: bool,
    /// The pass notation, if not the default of its protocol: a word, or `implicit`.
    pub pass: Option<String>,
    /// The file to which its standard error is appended.
    pub stderr: Option<PathBuf>,
}

/// The pass notation of engines that accept no passes.
const IMPLICIT: &str = "implicit";
/// The maximum of `depth`; no game here is longer.
pub const MAX_DEPTH: u32 = 128;

impl EngineSpec {
    /// Parses the words of one `--engine` after those of `--each`. The name may be left empty.
    ///
    /// # Errors
    /// If a word is not `key=value`, a key is unknown, a value is invalid, or `cmd` is missing.
    pub fn parse(each: &[String], own: &[String]) -> Result<EngineSpec> {
        let mut spec = EngineSpec::default();
        let mut arguments = Vec::new();
        for word in each.iter().chain(own) {
            spec.set(word, &mut arguments)
                .with_context(|| format!("engine setting \"{}\"", printable(word)))?;
        }
        ensure!(!spec.command.is_empty(), "an engine needs cmd=COMMAND");
        ensure!(
            !spec.ponder || spec.protocol == Protocol::Uci,
            "ponder=on needs proto=uci"
        );
        let mut words = each.iter().chain(own);
        ensure!(
            matches!(spec.protocol, Protocol::Ugi | Protocol::Uci)
                || !words.any(|word| word.starts_with("book=")),
            "book=FILE needs proto=ugi or proto=uci, in which engines list their options"
        );
        spec.command.extend(arguments);
        Ok(spec)
    }

    fn set(&mut self, word: &str, arguments: &mut Vec<String>) -> Result<()> {
        ensure!(
            !word.contains(is_unprintable),
            "contains control characters{}",
            if word.starts_with("initstr=") {
                "; the two characters \\n separate lines"
            } else {
                ""
            }
        );
        let (key, value) = word
            .split_once('=')
            .map_or((word, None), |(key, value)| (key, Some(value)));
        if let Some(name) = key.strip_prefix("option.") {
            ensure!(!name.is_empty(), "expected option.NAME=VALUE");
            self.set_option(name, value);
            return Ok(());
        }
        let value =
            value.with_context(|| format!("expected key=value, where the key is one of {KEYS}"))?;
        let whole = |range: RangeInclusive<u64>| {
            let number = value.parse().ok().filter(|number| range.contains(number));
            let expected = || format!("expected a whole number in {range:?}");
            number.with_context(expected)
        };
        match key {
            // A file name may contain blanks.
            "cmd" if Path::new(value).is_file() => self.command = vec![value.into()],
            "cmd" => self.command = shell_words(value)?,
            "args" => *arguments = shell_words(value)?,
            "arg" => arguments.push(value.into()),
            "conf" => bail!("expected in the settings of an engine, without cmd"),
            "dir" => self.directory = Some(value.into()),
            "name" => self.name = value.trim().into(),
            "proto" => {
                self.protocol = Protocol::from_str(value, true)
                    .ok()
                    .context("expected ugi, uci, gtp or nboard")?
            }
            // As in cutechess, the two characters `\n` separate lines.
            "initstr" => self.initial.extend(value.split("\\n").map(String::from)),
            "tc" => self.control = value.parse()?,
            "st" => {
                let ms = milliseconds(value).context("expected seconds, such as 0.1")?;
                ensure!(ms > 0, "expected at least 0.001 seconds");
                self.control = TimeControl::PerMove(ms);
            }
            "depth" => self.depth = Some(whole(1..=MAX_DEPTH.into())? as u32),
            "nodes" => self.nodes = Some(whole(1..=u64::MAX)?),
            "timemargin" => self.margin_ms = Some(whole(0..=u64::MAX)?),
            "restart" => self.restart = is_on(value)?,
            "ponder" => self.ponder = is_on(value)?,
            "pass" => self.pass = Some(value.into()),
            "stderr" => {
                // The tournament may be resumed from another folder.
                let file = std::path::absolute(value);
                self.stderr = Some(file.context("expected the path of a file")?);
            }
            "book" => {
                // The engine may run in another folder.
                let file = std::path::absolute(value).ok();
                let file = file.filter(|file| file.is_file());
                let file = file.context("no such file")?;
                self.set_option(BOOK_FILE, Some(&file.display().to_string()));
            }
            _ => bail!("unknown key \"{key}\", expected one of {KEYS}"),
        }
        Ok(())
    }

    /// Sets an option, replacing an earlier value.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) {
        self.options
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.options.push((name.into(), value.map(String::from)));
    }

    /// The value of an option that is set for the engine.
    pub fn option(&self, name: &str) -> Option<&str> {
        let found = self
            .options
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| value.as_deref())
    }

    /// Its settings that change its play, apart from command, protocol and limits, by key.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        let mut add = |key: &str, value: &str| settings.push((key.to_owned(), value.to_owned()));
        for (name, value) in &self.options {
            add(name, value.as_deref().unwrap_or_default());
        }
        for line in &self.initial {
            add("initstr", line);
        }
        if let Some(ms) = self.margin_ms {
            add("timemargin", &ms.to_string());
        }
        for (key, is_on) in [("restart", self.restart), ("ponder", self.ponder)] {
            if is_on {
                add(key, "on");
            }
        }
        if let Some(pass) = &self.pass {
            add("pass", pass);
        }
        settings
    }

    /// Whether the engine would search forever: its protocol transmits limits, and none is set.
    pub fn lacks_limit(&self) -> bool {
        matches!(self.protocol, Protocol::Ugi | Protocol::Uci) // without limits they send `go infinite`
            && self.control == TimeControl::Unlimited
            && self.depth.is_none()
            && self.nodes.is_none()
    }

    /// The command in shell syntax.
    pub fn command_line(&self) -> String {
        command_line::join(&self.command)
    }

    /// Its working directory in a tournament that was started in `base`.
    pub fn folder(&self, base: &Path) -> PathBuf {
        self.directory
            .as_ref()
            .map_or_else(|| base.to_owned(), |own| base.join(own))
    }

    /// Its limits: `1+0.01`, `0.1/move`, `depth 8`, `nodes 1000`, or a list of these.
    pub fn limits(&self) -> String {
        let mut parts = Vec::new();
        if self.control != TimeControl::Unlimited {
            parts.push(self.control.to_string());
        }
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.nodes.map(|nodes| format!("nodes {nodes}")));
        if parts.is_empty() {
            "own limits".into()
        } else {
            parts.join(", ")
        }
    }

    /// Its clock at the start of a game.
    pub fn clock(&self) -> GameClock {
        let default_margin = if matches!(self.control, TimeControl::PerMove(_)) {
            FIXED_TIME_MARGIN_MS
        } else {
            0
        };
        GameClock::new(
            self.control.clone(),
            Duration::from_millis(self.margin_ms.unwrap_or(default_margin)),
        )
    }

    /// The limits of its searches, without the clocks.
    pub fn go_limits(&self, clock: &GameClock) -> GoLimits {
        GoLimits {
            clocks: [None, None],
            move_time_ms: clock.move_time_ms(),
            depth: self.depth,
            nodes: self.nodes,
        }
    }

    /// The limits of its next search for a side; without a clock of its own, it does not see the
    /// other's.
    pub fn limits_of(&self, side: Player, clocks: &[GameClock; 2]) -> GoLimits {
        let own = &clocks[side as usize];
        let views = [clocks[0].view(), clocks[1].view()];
        GoLimits {
            clocks: views.map(|view| view.filter(|_| own.view().is_some())),
            ..self.go_limits(own)
        }
    }

    /// A note on the limits that its protocol cannot express; the runner enforces time limits
    /// anyway.
    pub fn note(&self) -> Option<String> {
        let limits = self.limits_of(Player::First, &[self.clock(), self.clock()]);
        let mut unsupported_limits = self.client().unsupported_limits(&limits);
        if self.protocol == Protocol::Gtp && self.control.stages().len() > 1 {
            unsupported_limits.push("later stages of the clock, except by time_left".into());
        }
        let unsupported_limits = unsupported_limits.join(", ");
        (!unsupported_limits.is_empty()).then(|| {
            format!(
                "note: {} ({}) does not receive these limits: {unsupported_limits}",
                self.name,
                self.protocol.name()
            )
        })
    }

    /// The value of its option `Threads`; 1 if not set.
    pub fn threads(&self) -> usize {
        self.option("Threads")
            .and_then(|value| value.parse().ok())
            .unwrap_or(1)
    }

    /// A client for its protocol.
    pub fn client(&self) -> Box<dyn Client> {
        let pass = |default: &str| {
            Some(self.pass.as_deref().unwrap_or(default).into()).filter(|word| word != IMPLICIT)
        };
        match self.protocol {
            Protocol::Ugi | Protocol::Uci => Box::new(UciClient::new(self.protocol, pass("pass"))),
            Protocol::Gtp => Box::new(GtpClient::new(pass(IMPLICIT))),
            Protocol::NBoard => Box::new(NBoardClient::default()),
        }
    }
}

/// Parses the value of a switch.
pub fn is_on(value: &str) -> Result<bool> {
    match value {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => bail!("expected on or off"),
    }
}

/// The words of a command.
fn shell_words(text: &str) -> Result<Vec<String>> {
    command_line::split(text).context("unterminated quote or trailing backslash")
}

/// Gives every engine without a name a unique one, derived from its program.
///
/// # Errors
/// If two engines have the same explicit name.
pub fn assign_names(engines: &mut [EngineSpec]) -> Result<()> {
    for index in 0..engines.len() {
        let named = |name: &str| engines.iter().filter(|other| other.name == *name).count();
        let EngineSpec { name, command, .. } = &engines[index];
        if !name.is_empty() {
            ensure!(
                named(name) == 1,
                "two engines are named \"{name}\": give each its own name="
            );
            continue;
        }
        let stem = Path::new(&command[0]).file_stem().unwrap_or_default();
        let mut name = printable(&stem.to_string_lossy());
        let base = name.clone();
        let mut numbers = 2..;
        while named(&name) > 0 {
            name = format!("{base} {}", numbers.next().unwrap_or(0));
        }
        engines[index].name = name;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(each: &str, own: &str) -> Result<EngineSpec> {
        EngineSpec::parse(&shlex::split(each).unwrap(), &shlex::split(own).unwrap())
    }

    #[test]
    fn settings_of_engine_override_those_of_each() {
        let command = format!(
            "cmd={}",
            command_line::join(&["./my engine", "--game", "tic tac"])
        );
        let own = format!(
            "{} args=-v name=A proto=UCI option.hash=8 'option.Clear Hash' st=0.25 depth=8 nodes=1000 restart=on \
             ponder=on 'initstr=debug on\\nxyz'",
            shlex::try_quote(&command).unwrap()
        );
        let spec = parse(
            "tc=1+0.01 option.Hash=64 option.Threads=2 timemargin=20",
            &own,
        )
        .unwrap();
        assert_eq!(spec.command, ["./my engine", "--game", "tic tac", "-v"]);
        assert_eq!((spec.name.as_str(), spec.protocol), ("A", Protocol::Uci));
        assert_eq!(
            spec.options,
            [
                ("Threads".into(), Some("2".into())),
                ("hash".into(), Some("8".into())),
                ("Clear Hash".into(), None)
            ]
        );
        assert_eq!(
            (spec.control.clone(), spec.depth, spec.nodes),
            (TimeControl::PerMove(250), Some(8), Some(1000))
        );
        assert_eq!(
            (spec.margin_ms, spec.restart, spec.threads()),
            (Some(20), true, 2)
        );
        assert_eq!(
            (spec.initial.as_slice(), spec.ponder),
            (["debug on", "xyz"].map(String::from).as_slice(), true)
        );
        assert_eq!(spec.limits(), "0.25/move, depth 8, nodes 1000");
        assert_eq!(
            command_line::split(&spec.command_line()).unwrap(),
            spec.command
        );
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&text).unwrap(), spec);
    }

    #[test]
    fn invalid_settings_are_explained() {
        for (own, expected) in [
            ("name=A", "needs cmd"),
            ("cmd=a color=red", "unknown key"),
            ("cmd=a tc=fast", "time control"),
            ("cmd=a depth=x", "whole number"),
            ("cmd=a st=0", "seconds"),
            ("cmd=a proto=xboard", "expected ugi, uci, gtp or nboard"),
            ("cmd=a loose", "expected key=value"),
            (
                "cmd=a 'name=A\u{1b}[31m'",
                "\"name=A\\u001b[31m\": contains control characters",
            ),
            ("cmd=a 'name=A\nB'", "control characters"),
            (
                "cmd=a 'option.P=a\nquit'",
                "\"option.P=a\\nquit\": contains control characters",
            ),
            ("cmd=a 'option.P\rq=a'", "\"option.P\\rq=a\": contains"),
            ("cmd=a 'option.P\tq'", "\"option.P\\tq\": contains"),
            (
                "cmd=a 'initstr=a\nb'",
                "; the two characters \\n separate lines",
            ),
            ("cmd=a 'pass=x\ny'", "contains"),
            ("cmd=a 'arg=\u{7f}'", "contains"),
            ("'cmd=a\nb'", "contains"),
            ("cmd=a restart=yes", "expected on or off"),
            ("cmd=a ponder=on", "needs proto=uci"),
            ("'cmd=a \"b'", "unterminated"),
        ] {
            let error = format!("{:#}", parse("", own).unwrap_err());
            assert!(error.contains(expected), "{own}: {error}");
        }
        assert!(parse("", "cmd=a").unwrap().lacks_limit());
        assert!(!parse("", "cmd=a proto=gtp").unwrap().lacks_limit());
    }

    #[test]
    fn limits_the_protocol_cannot_express_are_noted() {
        let note = |own| parse("", own).unwrap().note();
        for own in [
            "cmd=a name=A tc=0.1+0.01 nodes=5",
            "cmd=a name=A proto=uci st=0.01",
            "cmd=a name=A proto=gtp tc=5+1",
        ] {
            assert_eq!(note(own), None, "{own}");
        }
        assert_eq!(
            note("cmd=a name=A proto=nboard tc=1:00+0.5 depth=8").unwrap(),
            "note: A (nboard) does not receive these limits: clock 60+0.5"
        );
        assert_eq!(
            note("cmd=a name=A proto=gtp tc=40/60:20/30").unwrap(),
            "note: A (gtp) does not receive these limits: later stages of the clock, except by time_left"
        );
        assert_eq!(
            note("cmd=a name=A proto=nboard st=0.5 nodes=9").unwrap(),
            "note: A (nboard) does not receive these limits: time per move 0.5 s, nodes 9"
        );
        assert_eq!(
            note("cmd=a name=A proto=gtp st=0.5").unwrap(),
            "note: A (gtp) does not receive these limits: time per move 0.5 s (sent as 0 s)"
        );
    }

    #[test]
    fn every_engine_has_a_unique_name() {
        let mut engines: Vec<_> = ["cmd=/x/nw", "cmd=/y/nw", "cmd=/y/nw name=old"]
            .iter()
            .map(|own| parse("", own).unwrap())
            .collect();
        assign_names(&mut engines).unwrap();
        let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["nw", "nw 2", "old"]);
        engines[1].name = "old".into();
        assert!(assign_names(&mut engines).is_err());
    }
}
