//! What UGI and UCI have in common: greeting, options, `isready`, `go`, `info`, `bestmove`.

use std::time::Instant;

use super::{ClientError, Course, Declared, GoLimits, Heard, Identity, Info, Link, PassStyle, send_all, wait_for};

/// Sends the greeting and collects what the engine says of itself, up to the closing word.
pub fn greet(link: &mut dyn Link, greeting: &str, closing: &str, deadline: Instant) -> Result<Identity, ClientError> {
    send_all(link, [greeting])?;
    let mut identity = Identity::default();
    wait_for(link, deadline, closing, |line| {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("id name ") {
            identity.name = name.trim().into();
        } else if let Some(author) = line.strip_prefix("id author ") {
            identity.author = author.trim().into();
        } else if let Some(declaration) = line.strip_prefix("option ") {
            identity.options.extend(declared(declaration));
        }
        (line == closing).then_some(())
    })?;
    Ok(identity)
}

/// Reads the words behind `option`; names and values may hold blanks.
fn declared(declaration: &str) -> Option<Declared> {
    let mut option = Declared { name: String::new(), kind: String::new(), default: String::new(), values: Vec::new() };
    let mut field = "";
    let push = |text: &mut String, word: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    };
    for word in declaration.split_ascii_whitespace() {
        match (field, word) {
            ("" | "name", "name") if option.name.is_empty() => field = "name",
            (_, "type") => field = "type",
            (_, "default") if !option.kind.is_empty() => field = "default",
            (_, "var") if !option.kind.is_empty() => {
                field = "var";
                option.values.push(String::new());
            }
            (_, "min" | "max") if !option.kind.is_empty() => field = "number",
            ("name", _) => push(&mut option.name, word),
            ("type", _) => option.kind = word.into(),
            ("default", _) => push(&mut option.default, word),
            ("var", _) => {
                if let Some(value) = option.values.last_mut() {
                    push(value, word);
                }
            }
            _ => {}
        }
    }
    (!option.name.is_empty()).then_some(option)
}

/// Sends `setoption`.
pub fn set_option(link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
    let line = match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    };
    send_all(link, [line])
}

/// The questions `isready` that are still to be answered. A sign of life asked for during a search may come after its
/// move, and must not be taken for the answer to the next question.
#[derive(Default)]
pub struct Readiness {
    owed: u32,
}

impl Readiness {
    /// Sends `isready`.
    pub fn ask(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        self.owed += 1;
        send_all(link, ["isready"])
    }

    /// Takes a line into account, and says whether all questions are answered by it.
    pub fn is_answered_by(&mut self, line: &str) -> bool {
        if line.trim() != "readyok" {
            return false;
        }
        self.owed = self.owed.saturating_sub(1);
        self.owed == 0
    }

    /// Sends `isready` and waits until nothing is owed.
    pub fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.ask(link)?;
        wait_for(link, deadline, "readyok", |line| self.is_answered_by(line).then_some(()))
    }
}

/// The `position` line of a course in our own spelling.
pub fn position(course: &Course, pass: &PassStyle) -> String {
    let mut line = match course.start() {
        Some(start) => format!("position fen {}", start.write_position()),
        None => "position startpos".to_string(),
    };
    let mut first = true;
    for ply in course.plies() {
        let word = match pass {
            PassStyle::Implicit if ply.played.is_pass() => continue,
            PassStyle::Word(word) if ply.played.is_pass() => word,
            _ => &ply.word,
        };
        line.push_str(if first { " moves " } else { " " });
        line.push_str(word);
        first = false;
    }
    line
}

/// Sends `go` with its limits; `times` and `increments` name the first and the second player's clock.
pub fn go(link: &mut dyn Link, limits: &GoLimits, times: [&str; 2], increments: [&str; 2]) -> Result<(), ClientError> {
    send_all(link, [format!("go{}", limits.words(times, increments))])
}

/// What a line means while the engine thinks.
pub fn hear(line: &str, readiness: &mut Readiness) -> Heard {
    let line = line.trim();
    let (first, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    match first {
        "bestmove" => {
            Heard::Move { word: rest.split_ascii_whitespace().next().map(String::from), info: Info::default() }
        }
        "info" => match Info::parse(rest) {
            info if info == Info::default() => Heard::Noise,
            info => Heard::Info(info),
        },
        "readyok" if rest.is_empty() => {
            readiness.is_answered_by(line);
            Heard::Ready
        }
        _ => Heard::Noise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_with_blanks_are_read() {
        let option = declared("name Move Overhead type spin default 10 min 0 max 5000").unwrap();
        assert_eq!(
            (option.name.as_str(), option.kind.as_str(), option.default.as_str()),
            ("Move Overhead", "spin", "10")
        );
        let option = declared("name Style type combo default Very Solid var Very Solid var Risky").unwrap();
        assert_eq!(option.values, ["Very Solid", "Risky"]);
        assert_eq!(option.default, "Very Solid");
        assert_eq!(declared("name EvalFile type string default <empty>").unwrap().default, "<empty>");
        assert_eq!(declared("name Path type string").unwrap().default, "");
        assert!(declared("type spin").is_none());
    }

    #[test]
    fn lines_of_a_search() {
        let hear = |line| hear(line, &mut Readiness::default());
        assert_eq!(hear("bestmove c4"), Heard::Move { word: Some("c4".into()), info: Info::default() });
        assert_eq!(hear(" bestmove  c4 ponder d3\r"), Heard::Move { word: Some("c4".into()), info: Info::default() });
        assert_eq!(hear("bestmove"), Heard::Move { word: None, info: Info::default() });
        assert_eq!(hear("bestmover c4"), Heard::Noise);
        assert_eq!(hear("info string depth 3"), Heard::Noise);
        assert!(matches!(hear("info depth 3 nodes 7"), Heard::Info(info) if info.depth == Some(3)));
        assert_eq!(hear("readyok"), Heard::Ready);
        assert_eq!(hear("\u{1}\u{fffd}"), Heard::Noise);
    }
}
