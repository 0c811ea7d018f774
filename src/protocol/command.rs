//! The table of a dialect's commands. The parser, the help and the tables in protocol.md are
//! generated from its rows.

use nom::bytes::complete::take_till1;
use nom::character::complete::{char, space0};
use nom::combinator::{opt, rest, verify};
use nom::multi::many0;
use nom::sequence::preceded;
use nom::{Finish, Parser};

use super::tokens::{ParseResult, SyntaxError, column, end, keyword, next_word};
use crate::engine::event::BoardView;
use crate::engine::request::Request;

/// A command of the dialect `D`.
pub struct Command<D: 'static> {
    /// Its name, one or two words.
    pub words: &'static str,
    /// Its arguments: `[..]` is optional, `|` separates alternatives, capitals are placeholders.
    pub usage: &'static str,
    /// Its effect, in one sentence.
    pub help: &'static str,
    pub(super) arguments: Arguments<D>,
}

/// What a command does with its arguments.
pub enum Arguments<D: 'static> {
    /// It has none.
    None(Request),
    /// It has none. Clients wait for its reply, so words after it are an error, but it is carried
    /// out.
    Awaited(Request),
    /// It has none, and shows the board in this form.
    Show(fn(&BoardView) -> String),
    /// It parses them.
    Parsed(Parse<D>),
}

/// Parses the arguments of a command of a dialect. In a [`Request::Position`], `before` counts from
/// their beginning.
pub type Parse<D> = for<'l> fn(&mut D, &'l str) -> ParseResult<'l, Parsed<'l>>;

/// Parsed arguments.
#[derive(Default)]
pub struct Parsed<'l> {
    /// What they request.
    pub requests: Vec<Request>,
    /// The errors of arguments that were ignored.
    pub errors: Vec<SyntaxError<'l>>,
}

impl From<Request> for Parsed<'_> {
    fn from(request: Request) -> Self {
        Parsed {
            requests: vec![request],
            errors: Vec::new(),
        }
    }
}

/// A command with arguments.
pub(super) const fn row<D>(
    words: &'static str,
    usage: &'static str,
    help: &'static str,
    parse: Parse<D>,
) -> Command<D> {
    Command {
        words,
        usage,
        help,
        arguments: Arguments::Parsed(parse),
    }
}

/// A command without arguments.
pub(super) const fn bare<D>(
    words: &'static str,
    help: &'static str,
    request: Request,
) -> Command<D> {
    Command {
        words,
        usage: "",
        help,
        arguments: Arguments::None(request),
    }
}

/// A command without arguments whose reply clients wait for.
pub(super) const fn waits<D>(
    words: &'static str,
    help: &'static str,
    request: Request,
) -> Command<D> {
    Command {
        words,
        usage: "",
        help,
        arguments: Arguments::Awaited(request),
    }
}

/// A command whose answer is a view of the board.
pub(super) const fn view<D>(
    words: &'static str,
    help: &'static str,
    view: fn(&BoardView) -> String,
) -> Command<D> {
    Command {
        words,
        usage: "",
        help,
        arguments: Arguments::Show(view),
    }
}

impl<D> Command<D> {
    /// Its name and its arguments.
    pub fn syntax(&self) -> String {
        format!("{} {}", self.words, self.usage).trim_end().into()
    }

    /// The name of the command in `text`, and its requests, preceded by the message about its
    /// errors, if there are any. `text` is the end of `line`. `None`: there is no such command.
    pub(super) fn requests(
        table: &[Self],
        dialect: &mut D,
        line: &str,
        text: &str,
        describe: impl Fn(&Self, &[SyntaxError<'_>]) -> String,
    ) -> Option<(&'static str, Vec<Request>)> {
        let after_word =
            |rest, word| Some(preceded(space0, keyword(word)).parse_complete(rest).ok()?.0);
        let after_name = |command: &Self| command.words.split(' ').try_fold(text, after_word);
        let found = |command| Some((command, after_name(command)?));
        let (command, rest) = table.iter().find_map(found)?;
        let parsed = match &command.arguments {
            Arguments::None(request) => Ok((rest, request.clone().into())),
            Arguments::Awaited(request) => awaited(rest, request.clone(), None),
            Arguments::Show(_) => Ok((rest, Request::Show.into())),
            Arguments::Parsed(parse) => parse(dialect, rest),
        };
        let complete =
            parsed.and_then(|(rest, parsed)| Ok((end("the end of the line")(rest)?.0, parsed)));
        let Parsed {
            mut requests,
            errors,
        } = match complete.finish() {
            Ok((_, parsed)) => parsed,
            Err(error) => Parsed {
                requests: Vec::new(),
                errors: vec![error],
            },
        };
        for request in &mut requests {
            if let Request::Position { before, .. } = request {
                *before += column(line, rest) - 1;
            }
        }
        let error = (!errors.is_empty()).then(|| Request::Error(describe(command, &errors)));
        Some((command.words, error.into_iter().chain(requests).collect()))
    }
}

/// A request that clients wait for: an error in its arguments, or words after them, do not prevent
/// it.
pub fn awaited<'l>(
    rest: &'l str,
    request: Request,
    error: Option<SyntaxError<'l>>,
) -> ParseResult<'l, Parsed<'l>> {
    let error = error.or_else(|| end("the end of the line")(rest).finish().err());
    Ok((
        "",
        Parsed {
            requests: vec![request],
            errors: error.into_iter().collect(),
        },
    ))
}

/// The rest of the line as moves.
pub fn moves(input: &str) -> ParseResult<'_, Vec<String>> {
    many0(next_word.map(String::from)).parse_complete(input)
}

/// The request to set an option: `NAME[=VALUE]`.
pub fn name_and_value(input: &str) -> ParseResult<'_, Parsed<'_>> {
    let name = verify(take_till1(|c| c == '='), |name: &str| {
        !name.trim().is_empty()
    });
    let (input, (name, value)) = (name, opt(preceded(char('='), rest))).parse_complete(input)?;
    Ok((input, set_option(name, value).into()))
}

/// The request to set an option; blanks around name and value, and repeated ones in the name, are
/// ignored.
pub fn set_option(name: &str, value: Option<&str>) -> Request {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    Request::SetOption {
        name,
        value: value.map(|value| value.trim().into()),
    }
}
