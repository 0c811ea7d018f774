//! The arguments of `go`, in any order. A `go` is never rejected: arguments that cannot be parsed
//! are reported and ignored.

use nom::Parser;
use nom::combinator::{opt, verify};
use nom::multi::many0;
use nom::sequence::preceded;

use super::Ugi;
use crate::engine::request::{Go, Request, ToEnd};
use crate::protocol::command::Parsed;
use crate::protocol::tokens::{ParseResult, SyntaxError, blanks, next_word, number};

type SetLimit = fn(&mut Go, i64);
type SetMode = fn(&mut Go);

/// The limits by name. UCI's White is the first player, regardless of its color.
const LIMITS: [(&str, SetLimit); 14] = [
    ("depth", |go, depth| go.depth = Some(depth)),
    ("nodes", |go, nodes| go.nodes = Some(nodes)),
    ("movetime", |go, time| go.movetime = Some(time)),
    ("p1time", |go, time| go.time[0] = Some(time)),
    ("p2time", |go, time| go.time[1] = Some(time)),
    ("p1inc", |go, time| go.increment[0] = Some(time)),
    ("p2inc", |go, time| go.increment[1] = Some(time)),
    ("wtime", |go, time| go.time[0] = Some(time)),
    ("btime", |go, time| go.time[1] = Some(time)),
    ("winc", |go, time| go.increment[0] = Some(time)),
    ("binc", |go, time| go.increment[1] = Some(time)),
    ("movestogo", |go, moves| go.movestogo = Some(moves)),
    ("mate", |go, moves| go.mate = Some(moves)),
    ("perft", |go, depth| go.perft = Some(depth)),
];

/// The keywords without a number.
const MODES: [(&str, SetMode); 4] = [
    ("infinite", |go| go.infinite = true),
    ("ponder", |go| go.ponder = true),
    ("exact", |go| go.to_end = Some(ToEnd::Exact)),
    ("wld", |go| go.to_end = Some(ToEnd::WinLossDraw)),
];

const SEARCH_MOVES: &str = "searchmoves";

/// The expected tokens in place of an unknown word.
const EXPECTED: &str = "depth, nodes, movetime, p1time, p2time, p1inc, p2inc, movestogo, mate, infinite, ponder, \
                        exact, wld, searchmoves or perft";

fn named<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table
        .iter()
        .find(|(name, _)| *name == word)
        .map(|&(_, entry)| entry)
}

/// Blanks and a word that is not a keyword of `go`.
fn plain_word(input: &str) -> ParseResult<'_, &str> {
    let is_plain = |word: &str| {
        named(&LIMITS, word).is_none() && named(&MODES, word).is_none() && word != SEARCH_MOVES
    };
    verify(next_word, is_plain).parse_complete(input)
}

/// Parses the arguments.
pub fn go<'l>(ugi: &mut Ugi, mut rest: &'l str) -> ParseResult<'l, Parsed<'l>> {
    let mut go = Go::default();
    let mut errors = Vec::new();
    while let (after, Some(word)) = opt(next_word).parse_complete(rest)? {
        rest = after;
        if let Some(set) = named(&LIMITS, word) {
            match preceded(blanks, number).parse_complete(rest) {
                Ok((after, number)) => {
                    set(&mut go, number);
                    rest = after;
                }
                Err(_) => {
                    errors.push(SyntaxError {
                        at: opt(blanks).parse_complete(rest)?.0,
                        expected: "a whole number",
                    });
                    // The word in place of the number is ignored together with its limit.
                    rest = opt(plain_word).parse_complete(rest)?.0;
                    if word == "perft" {
                        go.perft.get_or_insert(1);
                    }
                }
            }
        } else if let Some(set) = named(&MODES, word) {
            set(&mut go);
        } else if word == SEARCH_MOVES {
            let (after, moves) = many0(plain_word.map(String::from)).parse_complete(rest)?;
            go.moves.extend(moves);
            rest = after;
        } else {
            errors.push(SyntaxError {
                at: word,
                expected: EXPECTED,
            });
        }
    }
    go.ponder &= ugi.ponders;
    go.has_unread = !errors.is_empty();
    Ok((
        rest,
        Parsed {
            requests: vec![Request::Go(go)],
            errors,
        },
    ))
}
