//! Command lines of fastchess and cutechess-cli. A flag with one dash is theirs: [`translate`]
//! turns it into options of `tournament`, which have two dashes, before clap parses them. The table
//! [`FLAGS`] has every flag and key of both programs, and the help prints it.
//!
//! What has no effect becomes a note; what would play a different match is an error.

use std::ffi::OsString;
use std::thread::available_parallelism;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::error::{ContextKind, ContextValue};

use super::config::engine_spec::MAX_DEPTH;
use super::config::usage_error::UsageError;
use crate::logging::date;
use crate::platform::command_line::nearest;

/// A flag of fastchess or cutechess-cli: its names without the dash, separated by blanks.
type Flag = (&'static str, Action);

/// What a flag becomes.
enum Action {
    /// This option, which has no value.
    Switch(&'static str),
    /// This option with the converted value, and a remark for the help.
    Value(&'static str, Convert, &'static str),
    /// This option, with the converted `key=value` words.
    Keys(&'static str, &'static [Key]),
    /// This option; the value may be missing.
    Optional(&'static str, &'static str),
    /// What this function makes of the values, in words for the help.
    Own(fn(&mut Translator, &[&str]) -> Result<()>, &'static str),
    /// Nothing, for this reason.
    NoEffect(&'static str),
    /// An error, for this reason.
    Unsupported(&'static str),
}

/// Keys of a flag with one rule: their names, separated by blanks; `option.*` is any name that begins
/// with `option.`.
type Key = (&'static str, Rule);

/// What a `key=value` word becomes.
enum Rule {
    /// The same word.
    Same,
    /// This key with the converted value, and a remark for the help.
    Renamed(&'static str, Convert, &'static str),
    /// This word; the key may have no value.
    Word(&'static str),
    /// Nothing, for this reason.
    Ignored(&'static str),
    /// An error, for this reason.
    Rejected(&'static str),
}

/// Converts a value; the error names the expected form.
type Convert = fn(&str) -> Result<String>;

use Action::{Keys, NoEffect, Optional, Own, Switch, Unsupported, Value};
use Rule::{Ignored, Rejected, Renamed, Same, Word};

/// The keys that a flag has if they are not given, as in fastchess.
const DEFAULT_KEYS: [(&str, &[&str]); 3] = [
    ("--resign --draw", &["movecount=1", "score=0"]),
    ("--sprt", &["model=normalized"]),
    ("--log", &["level=warn", "engine=off"]),
];

/// The options that a match has if their flags are not given, and these flags, as in fastchess.
const DEFAULT_FLAGS: [(&str, &str, &str); 4] = [
    ("--start-timeout", "10", "-startup-ms 10000"),
    ("--new-game-timeout", "60", "-ucinewgame-ms 60000"),
    ("--stall-timeout", "60", "-ping-ms 60000"),
    ("--ratinginterval", "10", "-ratinginterval 10"),
];

/// The flag by which `-concurrency` is not limited, wherever it is.
const FORCE: &str = "force-concurrency";

/// The flags of both programs.
static FLAGS: &[Flag] = &[
    ("engine", Keys("--engine", ENGINE)),
    ("each", Keys("--each", ENGINE)),
    (
        "quick",
        Own(
            Translator::quick,
            "the settings of fastchess, which a note lists",
        ),
    ),
    ("help", Switch("--help")),
    ("version", Switch("--version")),
    (
        "engines",
        Unsupported("not supported; engines.json is in the working directory"),
    ),
    ("strict", Switch("--strict")),
    ("variant", Value("--game", game, "flipello is othello")),
    (
        "tournament",
        Value("--format", format, "knockout and pyramid are errors"),
    ),
    ("seeds", Value("--seeds", number, "")),
    (
        "rounds",
        Own(
            |all, values| one_or_more(values).map(|number| all.rounds = Some(number)),
            "--rounds; default 2, as in fastchess",
        ),
    ),
    (
        "games",
        Own(
            |all, values| one_or_more(values).map(|number| all.games = Some(number)),
            "--games; default 2, as in fastchess",
        ),
    ),
    (
        "repeat",
        Own(
            Translator::repeat,
            "-games 2, as in fastchess; with a number: games per opening",
        ),
    ),
    ("noswap", Switch("--noswap")),
    ("reverse", Switch("--reverse")),
    (
        "concurrency",
        Own(
            Translator::concurrency,
            "--concurrency; at most the number of hardware threads, as in fastchess",
        ),
    ),
    (FORCE, Own(|_, _| Ok(()), "-concurrency is not limited")),
    ("openings", Keys("--openings", OPENINGS)),
    ("bookmode", NoEffect("openings are read into memory")),
    ("sprt", Keys("--sprt", SPRT)),
    (
        "resign",
        Keys("--resign", &[("movecount score twosided", Same)]),
    ),
    (
        "draw",
        Keys("--draw", &[("movenumber movecount score", Same)]),
    ),
    (
        "maxmoves",
        Own(Translator::max_moves, "--maxmoves; 0 is off"),
    ),
    (
        "tb tbpieces tbignore50 tbadjudicate",
        NoEffect("there are no tablebases; --exact N adjudicates solved positions"),
    ),
    ("recover", Switch("--recover")),
    (
        "startup-ms",
        Value("--start-timeout", seconds, "in milliseconds"),
    ),
    (
        "ucinewgame-ms",
        Value("--new-game-timeout", seconds, "in milliseconds"),
    ),
    (
        "ping-ms",
        Value("--stall-timeout", seconds, "in milliseconds"),
    ),
    ("srand randomseed", Optional("--seed", "the seed is random")),
    ("use-affinity", Optional("--affinity", "on")),
    ("wait", NoEffect("the next game begins at once")),
    ("event", Value("--event", text, "")),
    ("site", Value("--site", text, "")),
    ("pgnout", Keys("--pgnout", PGNOUT)),
    (
        "livepgnout",
        NoEffect("plies.jsonl has the moves of games in progress"),
    ),
    ("epdout", NoEffect("games.jsonl has all moves")),
    ("crc32", NoEffect("not supported")),
    ("log", Keys("--log", LOG)),
    (
        "debug",
        NoEffect("not supported; -log file=FILE engine=true logs all lines"),
    ),
    ("ratinginterval", Value("--ratinginterval", number, "")),
    (
        "scoreinterval outcomeinterval",
        NoEffect("every finished game is a line"),
    ),
    (
        "resultformat output",
        NoEffect("there is one output format; --json prints an object"),
    ),
    (
        "report",
        NoEffect("pairs are always reported; --report DIR writes a page"),
    ),
    ("show-latency", Switch("--show-latency")),
    ("config", Keys("--resume", CONFIG)),
    (
        "autosaveinterval",
        NoEffect("every game is recorded as it ends"),
    ),
    ("testEnv", NoEffect("not supported")),
    (
        "check-mate-pvs",
        NoEffect("all principal variations are checked"),
    ),
];

/// The keys of `-engine` and `-each`.
static ENGINE: &[Key] = &[
    ("cmd conf arg args dir name", Same),
    (
        "proto",
        Renamed(
            "proto",
            protocol,
            "default uci, as in fastchess; xboard is an error",
        ),
    ),
    ("option.* initstr", Same),
    ("tc", Renamed("tc", clock, "N/A is inf")),
    ("st", Same),
    ("depth plies", Renamed("depth", depth, "")),
    ("nodes timemargin", Same),
    ("restart", Renamed("restart", restart, "auto is off")),
    ("ponder", Word("ponder=on")),
    ("stderr", Same),
    (
        "book",
        Ignored("not supported; -openings file=FILE selects openings"),
    ),
    (
        "bookdepth",
        Ignored("not supported; -openings plies=N limits openings"),
    ),
    ("debug", Word("initstr=debug on")),
    ("trust", Ignored("the runner always checks results")),
    (
        "whitepov",
        Ignored("not supported; scores are those of the side to move"),
    ),
    (
        "tscale",
        Ignored("not supported; -startup-ms and -ping-ms set timeouts"),
    ),
];

static OPENINGS: &[Key] = &[
    ("file", Same),
    ("format", Ignored("the format is detected by content")),
    ("order plies start", Same),
    (
        "policy",
        Ignored("all games of a round have the same opening"),
    ),
    ("source", Same),
];

static CONFIG: &[Key] = &[
    (
        "file",
        Rejected("not supported; --resume DIR continues a match"),
    ),
    ("discard", Ignored("a new match has a new record")),
    ("outname", Ignored("--out DIR names the record")),
    ("stats", Ignored("the record has all games")),
];

static SPRT: &[Key] = &[
    ("elo0 elo1 alpha beta", Same),
    ("model", Renamed("model", model, "bayesian is an error")),
];

static PGNOUT: &[Key] = &[
    ("file append", Same),
    ("min", Word("min=true")),
    ("nodes seldepth nps timeleft", Same),
    ("fi", Ignored("only finished games are written")),
    ("notation", Ignored("moves are in the notation of the game")),
    ("pv", Ignored("plies.jsonl has the principal variations")),
    ("hashfull tbhits", Ignored("not recorded")),
    ("latency", Ignored("--show-latency prints latencies")),
    ("match_line", Ignored("not supported")),
];

static LOG: &[Key] = &[
    ("file", Same),
    (
        "level",
        Renamed(
            "level",
            log_level,
            "trace is info; err and fatal are warn; default warn, as in fastchess",
        ),
    ),
    (
        "engine",
        Renamed("engine", text, "default off, as in fastchess"),
    ),
    ("append", Ignored("the log is always appended")),
    ("realtime", Ignored("every line is written as it arrives")),
    ("compress", Ignored("not supported")),
];

/// The value of a flag that has one.
fn one<'v>(values: &[&'v str]) -> Result<&'v str> {
    match values {
        [value] => Ok(value),
        _ => bail!("expected one value"),
    }
}

/// The number of a flag, which is not 0.
fn one_or_more(values: &[&str]) -> Result<u64> {
    let number = one(values)?.parse().ok().filter(|&number| number > 0);
    number.context("expected a whole number of 1 or more")
}

fn number(value: &str) -> Result<String> {
    value.parse::<u64>().context("expected a whole number")?;
    Ok(value.into())
}

/// A depth, at most that of the longest game.
fn depth(value: &str) -> Result<String> {
    let depth: u64 = value.parse().context("expected a whole number")?;
    Ok(depth.min(MAX_DEPTH.into()).to_string())
}

fn text(value: &str) -> Result<String> {
    Ok(value.into())
}

/// Seconds from milliseconds.
fn seconds(value: &str) -> Result<String> {
    let ms: u64 = value.parse().context("expected milliseconds")?;
    ensure!(
        (1..=1_000_000_000).contains(&ms),
        "expected 1 to 1000000000 milliseconds"
    );
    Ok((ms as f64 / 1000.0).to_string())
}

fn game(value: &str) -> Result<String> {
    // fastchess users write the name of the variant in Fairy-Stockfish.
    Ok(match value {
        "flipello" => "othello".into(),
        "flipello6" => "othello6".into(),
        "flipello4" => "othello4".into(),
        _ => value.into(),
    })
}

fn format(value: &str) -> Result<String> {
    match value {
        "round-robin" | "roundrobin" => Ok("round-robin".into()),
        "gauntlet" | "head-to-head" => Ok(value.into()),
        _ => bail!("not supported, expected round-robin or gauntlet"),
    }
}

fn protocol(value: &str) -> Result<String> {
    ensure!(
        !matches!(value, "xboard" | "cecp" | "winboard"),
        "xboard engines are not supported, expected ugi, uci, gtp or nboard"
    );
    Ok(value.into())
}

/// cutechess-cli writes `0/60` for 60 seconds per game, fastchess `N/A` for no clock.
fn clock(value: &str) -> Result<String> {
    Ok(match value {
        "N/A" => "inf".into(),
        _ => value.strip_prefix("0/").unwrap_or(value).into(),
    })
}

/// `auto` restarts an engine when it requests that, which no protocol here can.
fn restart(value: &str) -> Result<String> {
    Ok(if value == "auto" { "off" } else { value }.into())
}

fn model(value: &str) -> Result<String> {
    ensure!(
        value != "bayesian",
        "not supported, expected normalized or logistic"
    );
    Ok(value.into())
}

fn log_level(value: &str) -> Result<String> {
    match value {
        "all" | "trace" | "info" => Ok("info".into()),
        "warn" | "err" | "fatal" => Ok("warn".into()),
        _ => bail!("expected trace, info, warn, err or fatal"),
    }
}

/// A command line of `tournament` without flags of other programs.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    /// Its words.
    pub words: Vec<OsString>,
    /// What differs from fastchess and cutechess-cli; each begins with `note: `.
    pub notes: Vec<String>,
    /// The options that replace flags, and these flags as written.
    written: Vec<(&'static str, String)>,
}

impl Translation {
    /// A text with the options as the user wrote them.
    fn restored(&self, text: &str) -> String {
        let is_name = |c: char| c == '-' || c.is_ascii_alphanumeric();
        let part = |part: &str| {
            let (option, after) = part.split_at(part.trim_end_matches(|c| !is_name(c)).len());
            let written = self.written.iter().find(|(known, _)| *known == option);
            written.map_or(option, |(_, written)| written).to_owned() + after
        };
        text.split_inclusive(|c| !is_name(c)).map(part).collect()
    }

    /// An error that names options as the user wrote them.
    pub fn restore(&self, error: anyhow::Error) -> anyhow::Error {
        if !error.chain().any(|cause| cause.is::<UsageError>()) {
            return error; // with its causes
        }
        let texts = error.chain().map(|cause| match cause.downcast_ref() {
            Some(UsageError(text)) => self.restored(text),
            None => cause.to_string(),
        });
        anyhow!("{}", texts.collect::<Vec<_>>().join(": "))
    }

    /// An error of clap that names options as the user wrote them.
    pub fn restore_usage(&self, mut error: clap::Error) -> clap::Error {
        let text = |error: &clap::Error, kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        // Of `key=value` words.
        if let Some(message) = text(&error, ContextKind::Custom) {
            return clap::Error::raw(error.kind(), self.restored(&message));
        }
        for kind in [ContextKind::InvalidArg, ContextKind::PriorArg] {
            if let Some(text) = text(&error, kind) {
                error.insert(kind, ContextValue::String(self.restored(&text)));
            }
        }
        error
    }

    /// Whether an option is given, as such or by a flag.
    fn has(&self, option: &str) -> bool {
        let name = |word: &OsString| Some(word.to_str()?.split('=').next() == Some(option));
        self.words.iter().filter_map(name).any(|is_it| is_it)
    }

    /// Whether a flag became this option.
    fn has_flag(&self, option: &str) -> bool {
        self.written.iter().any(|(known, _)| *known == option)
    }

    fn add(&mut self, words: impl IntoIterator<Item = impl Into<OsString>>) {
        self.words.extend(words.into_iter().map(Into::into));
    }

    /// Adds a note once.
    fn note(&mut self, text: &str) {
        let note = format!("note: {text}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Whether a word is a flag with one dash: `-h` and `-V` are options of every command.
fn flag_name(word: &OsString) -> Option<&str> {
    let name = word.to_str()?.strip_prefix('-')?;
    let is_name = name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_name.then_some(name)
}

/// Translates the words after `tournament`, which follow those `before`; `options` are the names of
/// its own options, which are suggested for unknown flags.
///
/// # Errors
/// If a flag or key is unknown, a value is invalid, or the match would differ.
pub fn translate(before: &[OsString], words: &[OsString], options: &[&str]) -> Result<Translation> {
    let mut translator = Translator::default();
    translator.done.words = before.to_vec();
    translator.is_forced = words.iter().any(|word| flag_name(word) == Some(FORCE));
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        let Some(name) = flag_name(word) else {
            translator.done.words.push(word.clone());
            continue;
        };
        let count = rest
            .iter()
            .take_while(|word| !word.to_string_lossy().starts_with('-'))
            .count();
        let (values, after) = rest.split_at(count);
        rest = after;
        let values: Vec<&str> = values
            .iter()
            .map(|value| value.to_str().context("not valid UTF-8"))
            .collect::<Result<_>>()
            .with_context(|| format!("-{name}"))?;
        let Some(action) = find(FLAGS, name) else {
            bail!("unknown flag -{name}{}", suggestion(name, options));
        };
        translator
            .flag(name, action, &values)
            .with_context(|| written(name, &values))?;
    }
    translator.finish()
}

/// What a table has for a name.
fn find<'t, T>(table: &'t [(&str, T)], name: &str) -> Option<&'t T> {
    let mut rows = table.iter();
    let row = rows.find(|(names, _)| names.split(' ').any(|known| known == name));
    row.map(|(_, entry)| entry)
}

/// All names of a table.
fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table
        .iter()
        .flat_map(|(names, _)| names.split(' '))
        .collect()
}

/// A flag with its values.
fn written(name: &str, values: &[&str]) -> String {
    format!("-{}", [&[name], values].concat().join(" "))
}

/// The flag or option that is most similar to an unknown flag.
fn suggestion(name: &str, options: &[&str]) -> String {
    if options.contains(&name) {
        return format!(
            ": did you mean --{name}? one dash is for flags of fastchess and cutechess-cli"
        );
    }
    nearest(name, &names(FLAGS)).map_or(String::new(), |name| format!("; did you mean -{name}?"))
}

#[derive(Default)]
struct Translator {
    done: Translation,
    rounds: Option<u64>,
    games: Option<u64>,
    /// The number of games per opening; 2 for `-repeat` without a number.
    repeat: Option<u64>,
    /// The ends of the words of engines without a protocol, where one can be inserted.
    without_protocol: Vec<usize>,
    /// Whether the concurrency is not limited.
    is_forced: bool,
    /// What `-quick` sets unless other flags set it.
    quick: Vec<(&'static str, Vec<String>)>,
}

impl Translator {
    fn flag(&mut self, name: &str, action: &Action, values: &[&str]) -> Result<()> {
        match *action {
            Switch(option) => {
                // Both programs accept `-recover true`.
                let is_on = match values {
                    [] | ["true" | "on"] => true,
                    ["false" | "off"] => false,
                    _ => bail!("expected no value"),
                };
                if is_on {
                    self.option(option, name, &[]);
                }
            }
            Value(option, convert, _) => self.option(option, name, &[convert(one(values)?)?]),
            Optional(option, default) => match values {
                [] if default == "on" => self.option(option, name, &[default.into()]),
                [] => self.done.note(&format!("-{name}: no effect: {default}")),
                [value] => self.option(option, name, &[(*value).into()]),
                _ => bail!("expected at most one value"),
            },
            Keys(option, keys) => self.keys(option, name, keys, values)?,
            Own(act, _) => act(self, values)?,
            Unsupported(why) => bail!("{why}"),
            NoEffect(why) => {
                self.done
                    .note(&format!("{}: no effect: {why}", written(name, values)));
            }
        }
        Ok(())
    }

    fn option(&mut self, option: &'static str, name: &str, values: &[String]) {
        self.done.written.push((option, format!("-{name}")));
        self.done.add([option]);
        self.done.add(values);
    }

    fn repeat(&mut self, values: &[&str]) -> Result<()> {
        let number = match values {
            [] => 2,
            _ => one_or_more(values)?,
        };
        self.repeat = Some(number);
        // In fastchess it sets the number of games; cutechess-cli also has a number.
        if number == 2 && self.games != Some(2) {
            self.games = Some(2);
            self.done.note(
                "-repeat: 2 games per round, as in fastchess; in cutechess-cli -rounds and \
                 -games determine the number of games",
            );
        }
        Ok(())
    }

    /// fastchess does not play more games at a time than there are hardware threads.
    fn concurrency(&mut self, values: &[&str]) -> Result<()> {
        let number = number(one(values)?)?;
        let limit = available_parallelism().map_or(1, usize::from);
        let is_more = number.parse().is_ok_and(|number: usize| number > limit);
        let played = if is_more && !self.is_forced {
            self.done.note(&format!(
                "-concurrency {number}: {limit}, the number of hardware threads; \
                 -force-concurrency plays {number}"
            ));
            limit.to_string()
        } else {
            number
        };
        self.option("--concurrency", "concurrency", &[played]);
        Ok(())
    }

    fn max_moves(&mut self, values: &[&str]) -> Result<()> {
        let moves = number(one(values)?)?;
        if moves.parse() != Ok(0) {
            self.option("--maxmoves", "maxmoves", &[moves]);
        }
        Ok(())
    }

    fn keys(
        &mut self,
        option: &'static str,
        name: &str,
        keys: &[Key],
        values: &[&str],
    ) -> Result<()> {
        let defaults = find(&DEFAULT_KEYS, option).copied().unwrap_or_default();
        ensure!(
            !values.is_empty() || !defaults.is_empty() || option == "--pgnout",
            "expected key=value"
        );
        let mut words: Vec<String> = Vec::new();
        for (index, &word) in values.iter().enumerate() {
            let (key, value) = match word.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (word, None),
            };
            let is_option = key.starts_with("option.");
            let rule = find(keys, if is_option { "option.*" } else { key });
            // `-pgnout FILE` and `-log FILE`; `-openings random`.
            if rule.is_none() && value.is_none() && find(keys, "file").is_some() && index == 0 {
                words.push(if option == "--openings" {
                    word.into()
                } else {
                    format!("file={word}")
                });
                continue;
            }
            let rule = rule.with_context(|| {
                let names = names(keys);
                let hint = nearest(key, &names);
                let hint = hint.map_or(String::new(), |name| format!("; did you mean {name}?"));
                format!("unknown key \"{key}\", expected {}{hint}", names.join(", "))
            })?;
            match *rule {
                Same => {
                    ensure!(
                        value.is_some() || is_option,
                        "\"{word}\": expected {key}=VALUE"
                    );
                    words.push(word.into());
                }
                Renamed(ours, convert, _) => {
                    let value = value.context("expected key=value")?;
                    let value = convert(value).with_context(|| word.to_owned())?;
                    words.push(format!("{ours}={value}"));
                }
                Word(ours) => words.push(match value {
                    None => ours.into(),
                    Some(_) => word.into(),
                }),
                Ignored(why) => self.done.note(&format!("-{name} {word}: no effect: {why}")),
                Rejected(why) => bail!("{why}"),
            }
        }
        let has = |words: &[String], key: &str| words.iter().any(|word| word.starts_with(key));
        for default in defaults {
            let (key, _) = default.split_once('=').unwrap_or_default();
            if !has(&words, &format!("{key}=")) {
                words.push((*default).into());
                self.done.note(&format!(
                    "-{name} without {key}=: {default}, as in fastchess"
                ));
            }
        }
        ensure!(
            !(has(&words, "tc=") && has(&words, "st=")),
            "tc= and st= exclude each other"
        );
        match option {
            "--engine" => {
                let has_protocol = has(&words, "proto=") || has(&words, "conf=");
                self.option(option, name, &words);
                if !has_protocol {
                    self.without_protocol.push(self.done.words.len());
                }
                return Ok(());
            }
            "--pgnout" if !has(&words, "file=") => {
                let file = format!("file=tournament-{}.pgn", date::compact_now());
                self.done.note(&format!("-{name} without file=: {file}"));
                words.push(file);
            }
            _ => {}
        }
        // Nothing is left of a flag whose keys have no effect.
        if !words.is_empty() {
            self.option(option, name, &words);
        }
        Ok(())
    }

    /// `-quick cmd=A cmd=B [book=FILE]` of fastchess.
    fn quick(&mut self, values: &[&str]) -> Result<()> {
        let mut openings = None;
        for word in values {
            match word.split_once('=') {
                Some(("cmd", _)) => self.keys("--engine", "quick", ENGINE, &[word])?,
                Some(("book", file)) => openings = Some(format!("file={file}")),
                _ => bail!("unknown key \"{word}\", expected cmd=COMMAND, twice, and book=FILE"),
            }
        }
        let cores = available_parallelism().map_or(1, usize::from);
        let concurrency = cores.saturating_sub(2).max(1).to_string();
        let draw = ["movenumber=30", "movecount=8", "score=8"].map(String::from);
        self.option("--each", "quick", &["tc=10+0.1".into()]);
        self.quick = vec![
            ("--concurrency", vec![concurrency.clone()]),
            ("--draw", draw.to_vec()),
            ("--recover", Vec::new()),
        ];
        if let Some(file) = openings {
            self.quick
                .push(("--openings", vec![file, "order=random".into()]));
        }
        (self.rounds, self.games) = (Some(25_000), Some(2));
        self.done.note(&format!(
            "-quick: -each tc=10+0.1 -rounds 25000 -games 2 -concurrency {concurrency} -recover -draw {}",
            draw.join(" ")
        ));
        Ok(())
    }

    /// Adds what all flags together determine.
    fn finish(mut self) -> Result<Translation> {
        for (option, values) in std::mem::take(&mut self.quick) {
            if !self.done.has(option) {
                self.option(option, "quick", &values);
            }
        }
        let mut option = "";
        let each_has_protocol =
            self.done
                .words
                .iter()
                .filter_map(|word| word.to_str())
                .any(|word| {
                    if word.starts_with('-') {
                        option = word;
                    }
                    option == "--each" && word.starts_with("proto=")
                });
        if !each_has_protocol && !self.without_protocol.is_empty() {
            for &end in self.without_protocol.iter().rev() {
                self.done.words.insert(end, "proto=uci".into());
            }
            self.done
                .note("-engine without proto=: uci, as in fastchess; proto=ugi for UGI engines");
        }
        let has_engine = self.done.has_flag("--engine");
        if has_engine {
            self.add_defaults();
        }
        let rounds = self.done.has("--rounds");
        if has_engine && !self.done.has("--openings") {
            self.done.note(
                "no -openings: the built-in balanced openings, or the starting position if queries judge \
                 the game; -openings startpos for the starting position alone",
            );
        }
        let is_counted = [self.rounds, self.games, self.repeat] != [None; 3];
        if is_counted || has_engine && !rounds {
            ensure!(
                !rounds,
                "--rounds cannot be combined with -rounds, -games and -repeat"
            );
            self.number_of_games();
        }
        Ok(self.done)
    }

    /// Adds the options that a match of fastchess has by default.
    fn add_defaults(&mut self) {
        let mut flags = Vec::new();
        for (option, value, flag) in DEFAULT_FLAGS {
            if !self.done.has(option) {
                self.done.add([option, value]);
                flags.push(flag);
            }
        }
        if !flags.is_empty() {
            let flags = flags.join(" ");
            self.done.note(&format!("as in fastchess: {flags}"));
        }
        if !self.done.has("--game") {
            self.done
                .note("no -variant: othello; the standard variant, chess, is not supported");
        }
    }

    /// `-rounds R -games G -repeat N`: R times G games per pairing, N games per opening. Here a
    /// round has one opening and one or two games per pairing.
    fn number_of_games(&mut self) {
        let games = self.games.unwrap_or(2);
        // Without -repeat, the games of a round share an opening in fastchess.
        let repeat = self.repeat.unwrap_or(if games == 1 { 1 } else { 2 });
        let per_round = if repeat == 1 || games % 2 == 1 { 1 } else { 2 };
        let rounds = self.rounds.unwrap_or(2).saturating_mul(games) / per_round;
        self.option("--rounds", "rounds", &[rounds.to_string()]);
        if per_round == 1 {
            self.option("--games", "games", &["1".into()]);
        }
        let total = format!(", {} games per pairing", rounds.saturating_mul(per_round));
        if self.rounds.is_none() {
            self.done
                .note("no -rounds: 2 rounds, as in fastchess; cutechess-cli plays 1");
        }
        if self.games.is_none() {
            self.done.note(&format!(
                "no -games: 2 games per round{total}, as in fastchess; cutechess-cli plays 1 \
                 (-games 1)"
            ));
        }
        if self.games.is_some_and(|games| games != per_round) {
            self.done.note(&format!(
                "-games {games}: played in rounds of {per_round}{total}"
            ));
        }
        if self.repeat.is_some_and(|repeat| repeat != per_round) {
            self.done.note(&format!(
                "-repeat {repeat}: each pairing plays {per_round} games from an opening"
            ));
        }
    }
}

/// The width of the left column of [`migration_table`]; longer names have a line of their own.
const WIDTH: usize = 21;

/// The table of all flags, for the help.
pub fn migration_table() -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let row = |ours: &str, remark: &str| match remark {
        "" => ours.to_owned(),
        _ => format!("{ours}; {remark}"),
    };
    for (names, action) in FLAGS {
        let right = match action {
            Switch(option) => (*option).to_owned(),
            Value(option, _, remark) => row(option, remark),
            Optional(option, _) => row(option, "the value may be missing"),
            Keys(option, keys) if keys.iter().all(|(_, rule)| matches!(rule, Same)) => {
                row(option, "the same keys")
            }
            Keys(option, _) => row(option, "the same keys, except"),
            Own(_, text) => (*text).to_owned(),
            Unsupported(why) => format!("rejected: {why}"),
            NoEffect(why) => format!("no effect: {why}"),
        };
        rows.push((format!("-{}", names.replace(' ', " -")), right));
        let Keys(_, keys) = action else { continue };
        if *names == "each" {
            continue; // those of -engine
        }
        for (names, rule) in *keys {
            for name in names.split(' ') {
                let right = match rule {
                    Same => continue,
                    Renamed(ours, _, "") if *ours == name => continue,
                    Renamed(ours, _, remark) => row(&format!("{ours}="), remark),
                    Word(ours) => (*ours).to_owned(),
                    Ignored(why) => format!("no effect: {why}"),
                    Rejected(why) => format!("rejected: {why}"),
                };
                rows.push((format!("    {name}"), right));
            }
        }
    }
    let line = |(left, right): &(String, String)| {
        if left.len() > WIDTH {
            format!("  {left}\n  {:WIDTH$}  {right}\n", "")
        } else {
            format!("  {left:WIDTH$}  {right}\n")
        }
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Result<Translation> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        translate(&[], &words, &["exact", "rounds"])
    }

    fn words(line: &str) -> String {
        let words = translated(line).unwrap().words;
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        words.join(" ")
    }

    #[test]
    fn own_options_stay_as_they_are() {
        let line = "--engine cmd=a proto=gtp --each tc=1 -h --out -x --rounds 3";
        let translation = translated(line).unwrap();
        assert_eq!(words(line), line);
        assert_eq!(translation.notes, [""; 0]);
        assert_eq!(
            words("--resume match --concurrency 2"),
            "--resume match --concurrency 2"
        );
        assert_eq!(
            words("--stats 1 2 3 -sprt elo0=0 elo1=5"),
            "--stats 1 2 3 --sprt elo0=0 elo1=5 model=normalized"
        );
        assert_eq!(
            words("-concurrency 1 --engine cmd=a -rounds 3"),
            "--concurrency 1 --engine cmd=a --rounds 3"
        );
    }

    #[test]
    fn own_options_replace_the_defaults_of_flags_in_every_spelling() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let before = words("nullwindow --game othello6 tournament");
        let line = "--engine cmd=a --rounds=3 --openings=startpos --start-timeout=5 --ratinginterval=7 \
                    --each depth=1 proto=ugi --stall-timeout 4";
        let translation = translate(&before, &words(&line.replacen("--", "-", 1)), &[]).unwrap();
        let added = words("--new-game-timeout 60");
        assert_eq!(translation.words, [before, words(line), added].concat());
        let notes = ["note: as in fastchess: -ucinewgame-ms 60000"];
        assert_eq!(translation.notes, notes);
        let quick = words("-quick cmd=a cmd=b --concurrency=3");
        let quick = translate(&[], &quick, &[]).unwrap().words;
        assert!(!quick.contains(&"--concurrency".into()), "{quick:?}");
    }

    #[test]
    fn messages_name_flags_as_written() {
        let translation = translated("-rounds 3 -srand 4 -games 1").unwrap();
        let error = UsageError("--rounds 1 and (--seed), --seeds, é--rounds.".into());
        let restored = translation.restore(anyhow!(error).context("--rounds"));
        assert_eq!(
            format!("{restored:#}"),
            "--rounds: -rounds 1 and (-srand), --seeds, é-rounds."
        );
        let error = |line| format!("{:#}", translated(line).unwrap_err());
        assert_eq!(
            error("-rounds 3 --rounds 4"),
            "--rounds cannot be combined with -rounds, -games and -repeat"
        );
        assert_eq!(error("-xyzzy"), "unknown flag -xyzzy");
        assert_eq!(error("-each"), "-each: expected key=value");
        assert_eq!(
            error("-pgnout F G"),
            "-pgnout F G: unknown key \"G\", expected file, append, \
            min, nodes, seldepth, nps, timeleft, fi, notation, pv, hashfull, tbhits, latency, match_line"
        );
    }

    #[test]
    fn flags_and_keys_are_unique() {
        let check = |mut names: Vec<&str>| {
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        };
        check(names(FLAGS));
        for (_, action) in FLAGS {
            let Keys(_, keys) = action else { continue };
            check(names(keys));
        }
    }
}
