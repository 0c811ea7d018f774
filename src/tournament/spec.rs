//! One engine of a tournament: its command, protocol, options and limits, as the `key=value` words behind `--engine` and
//! `--each` say it (fastchess's manner).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::clock::{Clock, TimeControl, milliseconds};
use crate::protocol::Protocol;
use crate::protocol::client::{Client, GoLimits, Gtp, NBoard, PassStyle, Uci, Ugi};

/// The keys, for help and error messages.
pub const KEYS: &str =
    "cmd args dir name proto initstr option.NAME tc st depth nodes timemargin restart pass (see tournament --help)";
/// How late a move with a fixed time may be if `timemargin` is not given: such an engine always uses all its time.
const FIXED_TIME_MARGIN_MS: u64 = 100;

/// An engine and how it plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Its name in tables and records, unlike every other's.
    pub name: String,
    /// The words of its command.
    pub command: Vec<String>,
    /// Where it runs.
    pub directory: Option<PathBuf>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Options to set, with their values (none: a button).
    pub options: Vec<(String, Option<String>)>,
    /// Lines to send as they are, before the options.
    pub initial: Vec<String>,
    /// Its clock.
    pub control: TimeControl,
    /// Its depth limit.
    pub depth: Option<u32>,
    /// Its nodes limit.
    pub nodes: Option<u64>,
    /// How late its moves may be, in milliseconds; by default not at all, with a fixed time 100 ms.
    pub margin_ms: Option<u64>,
    /// Whether it gets a new process for every game.
    pub restart: bool,
    /// How passes are told to it, unless as its protocol has it: a word, or `implicit`.
    pub pass: Option<String>,
}

impl EngineSpec {
    /// Reads the words of one `--engine`, those of `--each` standing before them. The name may be empty still.
    ///
    /// # Errors
    /// If a word is no `key=value`, a key is unknown or a value cannot be read, or if there is no `cmd`.
    pub fn parse(each: &[String], own: &[String]) -> Result<EngineSpec> {
        let mut spec = EngineSpec {
            name: String::new(),
            command: Vec::new(),
            directory: None,
            protocol: Protocol::default(),
            options: Vec::new(),
            initial: Vec::new(),
            control: TimeControl::Unlimited,
            depth: None,
            nodes: None,
            margin_ms: None,
            restart: false,
            pass: None,
        };
        let mut arguments = Vec::new();
        for word in each.iter().chain(own) {
            spec.set(word, &mut arguments).with_context(|| format!("engine setting \"{word}\""))?;
        }
        ensure!(!spec.command.is_empty(), "an engine needs cmd=COMMAND");
        spec.command.extend(arguments);
        Ok(spec)
    }

    fn set(&mut self, word: &str, arguments: &mut Vec<String>) -> Result<()> {
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (word, None),
        };
        if let Some(name) = key.strip_prefix("option.") {
            ensure!(!name.is_empty(), "expected option.NAME=VALUE");
            self.set_option(name, value);
            return Ok(());
        }
        let value = value.with_context(|| format!("expected key=value with a key of {KEYS}"))?;
        let whole = || value.parse::<u64>().context("expected a whole number");
        match key {
            "cmd" => self.command = shell_words(value)?,
            "args" => *arguments = shell_words(value)?,
            "dir" => self.directory = Some(value.into()),
            "name" => self.name = value.trim().into(),
            "proto" => self.protocol = Protocol::by_name(value).context("expected ugi, uci, gtp or nboard")?,
            "initstr" => self.initial.push(value.into()),
            "tc" => self.control = value.parse()?,
            "st" => {
                let ms = milliseconds(value).filter(|&ms| ms > 0).context("expected seconds, for instance 0.1")?;
                self.control = TimeControl::PerMove(ms);
            }
            "depth" => self.depth = Some(u32::try_from(whole()?)?),
            "nodes" => self.nodes = Some(whole()?),
            "timemargin" => self.margin_ms = Some(whole()?),
            "restart" => {
                self.restart = match value {
                    "on" | "true" => true,
                    "off" | "false" => false,
                    _ => bail!("expected on or off"),
                }
            }
            "pass" => self.pass = Some(value.into()),
            _ => bail!("unknown key \"{key}\", expected one of {KEYS}"),
        }
        Ok(())
    }

    /// Sets an option, in the place of one with the same name.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) {
        self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.options.push((name.into(), value.map(String::from)));
    }

    /// Whether the engine would search for ever: its protocol tells limits and it has none.
    pub fn lacks_limit(&self) -> bool {
        matches!(self.protocol, Protocol::Ugi | Protocol::Uci) // their `go` tells the engine its limits
            && self.control == TimeControl::Unlimited
            && self.depth.is_none()
            && self.nodes.is_none()
    }

    /// A name made of the command's file name.
    pub fn default_name(&self) -> String {
        let program = self.command.first().map_or("engine", String::as_str);
        Path::new(program).file_stem().map_or_else(|| program.into(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The command as a shell would take it.
    pub fn command_line(&self) -> String {
        shlex::try_join(self.command.iter().map(String::as_str)).unwrap_or_else(|_| self.command.join(" "))
    }

    /// Its limits in one word or two: `1+0.01`, `0.1/move`, `depth 8`, `nodes 1000`.
    pub fn limits(&self) -> String {
        let mut parts = Vec::new();
        if self.control != TimeControl::Unlimited {
            parts.push(self.control.to_string());
        }
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.nodes.map(|nodes| format!("nodes {nodes}")));
        if parts.is_empty() { "own limits".into() } else { parts.join(", ") }
    }

    /// Its clock at the beginning of a game.
    pub fn clock(&self) -> Clock {
        let by_default = if matches!(self.control, TimeControl::PerMove(_)) { FIXED_TIME_MARGIN_MS } else { 0 };
        Clock::new(self.control, Duration::from_millis(self.margin_ms.unwrap_or(by_default)))
    }

    /// What its `go` says besides the clocks.
    pub fn go_limits(&self, clock: &Clock) -> GoLimits {
        GoLimits { clocks: [None, None], move_time_ms: clock.move_time_ms(), depth: self.depth, nodes: self.nodes }
    }

    /// What is said of limits that its protocol has no words for; the runner's clock counts all the same.
    pub fn note(&self) -> Option<String> {
        let clock = self.clock();
        let limits = GoLimits { clocks: [clock.view(); 2], ..self.go_limits(&clock) };
        let not_told = self.client().not_told(&limits).join(", ");
        (!not_told.is_empty())
            .then(|| format!("note: {} ({}) is not told these limits: {not_told}", self.name, self.protocol.name()))
    }

    /// How many threads its options give it.
    pub fn threads(&self) -> usize {
        let value = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("threads"));
        value.and_then(|(_, value)| value.as_deref()?.parse().ok()).unwrap_or(1)
    }

    /// The client that speaks to it.
    pub fn client(&self) -> Box<dyn Client> {
        let pass = |by_default: PassStyle| match self.pass.as_deref() {
            None => by_default,
            Some("implicit") => PassStyle::Implicit,
            Some(word) => PassStyle::Word(word.into()),
        };
        match self.protocol {
            Protocol::Ugi => Box::new(Ugi::new(pass(PassStyle::Word("pass".into())))),
            Protocol::Uci => Box::new(Uci::new(pass(PassStyle::Word("pass".into())))),
            Protocol::Gtp => Box::new(Gtp::new(pass(PassStyle::Implicit))),
            Protocol::NBoard => Box::new(NBoard::new()),
        }
    }
}

/// Splits by the rules of a shell.
fn shell_words(text: &str) -> Result<Vec<String>> {
    shlex::split(text).context("a quote or backslash is left open")
}

/// Gives every engine a name of its own: what it was given, else what its command is called.
///
/// # Errors
/// If two engines were given the same name.
pub fn name_all(engines: &mut [EngineSpec]) -> Result<()> {
    for index in 0..engines.len() {
        let given = engines[index].name.clone();
        if !given.is_empty() {
            ensure!(engines[..index].iter().all(|other| other.name != given), "two engines are called \"{given}\"");
            continue;
        }
        let base = engines[index].default_name();
        let taken = |name: &str| engines.iter().any(|other| other.name == name);
        let name = if taken(&base) { (2..).map(|n| format!("{base} {n}")).find(|name| !taken(name)) } else { None };
        engines[index].name = name.unwrap_or(base);
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
    fn settings_are_read_and_the_engines_own_win() {
        let spec = parse(
            "tc=1+0.01 option.Hash=64 option.Threads=2 timemargin=20",
            "\"cmd=./my\\ engine --game 'tic tac'\" args=-v name=A proto=UCI option.hash=8 'option.Clear Hash' st=0.25 depth=8 nodes=1000 restart=on 'initstr=debug on'",
        )
        .unwrap();
        assert_eq!(spec.command, ["./my engine", "--game", "tic tac", "-v"]);
        assert_eq!((spec.name.as_str(), spec.protocol), ("A", Protocol::Uci));
        assert_eq!(
            spec.options,
            [("Threads".into(), Some("2".into())), ("hash".into(), Some("8".into())), ("Clear Hash".into(), None)]
        );
        assert_eq!((spec.control, spec.depth, spec.nodes), (TimeControl::PerMove(250), Some(8), Some(1000)));
        assert_eq!((spec.margin_ms, spec.restart, spec.threads()), (Some(20), true, 2));
        assert_eq!(spec.initial, ["debug on"]);
        assert_eq!(spec.limits(), "0.25/move, depth 8, nodes 1000");
        assert_eq!(shlex::split(&spec.command_line()).unwrap(), spec.command);
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&text).unwrap(), spec);
    }

    #[test]
    fn bad_settings_say_what_is_wrong() {
        for (own, expected) in [
            ("name=A", "needs cmd"),
            ("cmd=a colour=red", "unknown key"),
            ("cmd=a tc=fast", "time control"),
            ("cmd=a depth=x", "whole number"),
            ("cmd=a st=0", "seconds"),
            ("cmd=a proto=xboard", "expected ugi, uci, gtp or nboard"),
            ("cmd=a loose", "expected key=value"),
            ("\"cmd=a 'b\"", "left open"),
        ] {
            let error = format!("{:#}", parse("", own).unwrap_err());
            assert!(error.contains(expected), "{own}: {error}");
        }
        assert!(parse("", "cmd=a").unwrap().lacks_limit());
        assert!(!parse("", "cmd=a proto=gtp").unwrap().lacks_limit());
    }

    #[test]
    fn limits_that_are_not_told_are_noted() {
        let note = |own| parse("", own).unwrap().note();
        for own in
            ["cmd=a name=A tc=0.1+0.01 nodes=5", "cmd=a name=A proto=uci st=0.01", "cmd=a name=A proto=gtp tc=5+1"]
        {
            assert_eq!(note(own), None, "{own}");
        }
        assert_eq!(
            note("cmd=a name=A proto=nboard tc=1:00+0.5 depth=8").unwrap(),
            "note: A (nboard) is not told these limits: clock 60+0.5"
        );
        assert_eq!(
            note("cmd=a name=A proto=nboard st=0.5 nodes=9").unwrap(),
            "note: A (nboard) is not told these limits: time per move 0.5 s, nodes 9"
        );
        assert_eq!(
            note("cmd=a name=A proto=gtp st=0.5").unwrap(),
            "note: A (gtp) is not told these limits: time per move 0.5 s (told as 0 s)"
        );
    }

    #[test]
    fn every_engine_has_a_name_of_its_own() {
        let mut engines: Vec<_> =
            ["cmd=/x/nw", "cmd=/y/nw", "cmd=/y/nw name=old"].iter().map(|own| parse("", own).unwrap()).collect();
        name_all(&mut engines).unwrap();
        let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["nw", "nw 2", "old"]);
        engines[1].name = "old".into();
        assert!(name_all(&mut engines).is_err());
    }
}
