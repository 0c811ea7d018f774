//! The arguments of `go`, in any order. A `go` is never rejected: arguments that cannot be parsed
//! or that contradict an earlier one are reported and ignored.

use std::mem::discriminant;

use nom::Parser;
use nom::combinator::{opt, verify};
use nom::multi::many0;
use nom::sequence::preceded;

use super::Ugi;
use crate::engine::request::{Go, Request};
use crate::protocol::command::Parsed;
use crate::protocol::tokens::{ParseResult, SyntaxError, blanks, next_word, number};
use crate::search::Goal;

type SetLimit = fn(&mut Go, i64);
type SetMode = fn(&mut Go);

/// The limits by name.
const LIMITS: [(&str, SetLimit); 10] = [
    ("depth", |go, n| go.depth = Some(small(n))),
    ("nodes", |go, n| go.nodes = Some(n as u64)),
    ("mate", |go, n| go.goal = Goal::Mate(small(n))),
    ("perft", |go, n| go.perft = Some(large(n))),
    ("movetime", |go, n| go.movetime = Some(n)),
    // Some clients send 0 where no time control follows.
    ("movestogo", |go, n| go.movestogo = (n > 0).then_some(n)),
    ("p1time", |go, n| go.time[0] = Some(n)),
    ("p2time", |go, n| go.time[1] = Some(n)),
    ("p1inc", |go, n| go.increment[0] = Some(n)),
    ("p2inc", |go, n| go.increment[1] = Some(n)),
];

/// The limit with a name of UGI or UCI. UCI's White is the first player, regardless of its color.
fn limit(word: &str) -> Option<SetLimit> {
    let word = match word {
        "wtime" => "p1time",
        "btime" => "p2time",
        "winc" => "p1inc",
        "binc" => "p2inc",
        word => word,
    };
    named(&LIMITS, word)
}

/// The error of a number that is too small. Times may be negative: clients send what is left on an
/// exceeded clock.
fn too_small(limit: &str, number: i64) -> Option<&'static str> {
    match (limit, number) {
        ("depth" | "nodes" | "movestogo" | "perft", ..0) => Some("a whole number from 0 on"),
        ("mate", ..1) => Some("a whole number from 1 on"),
        _ => None,
    }
}

fn small(number: i64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX) // deeper than any game
}

fn large(number: i64) -> u32 {
    number.clamp(0, u32::MAX.into()) as u32
}

/// The keywords without a number.
const MODES: [(&str, SetMode); 4] = [
    ("infinite", |go| go.infinite = true),
    ("ponder", |go| go.ponder = true),
    ("exact", |go| go.goal = Goal::Exact),
    ("wld", |go| go.goal = Goal::WinLossDraw),
];

/// The most errors that are reported.
const MOST_ERRORS: usize = 10;

const SEARCH_MOVES: &str = "searchmoves";

/// The expected tokens in place of an unknown word.
const EXPECTED: &str = "depth, nodes, movetime, p1time, p2time, p1inc, p2inc, movestogo, mate, infinite, ponder, \
                        exact, wld, searchmoves or perft";

/// What is expected instead of any other word beside `perft`.
const EXPECTED_WITH_PERFT: &str = "no other word with perft";

fn named<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table
        .iter()
        .find(|(name, _)| *name == word)
        .map(|&(_, entry)| entry)
}

/// Blanks and a word that is not a keyword of `go`.
fn plain_word(input: &str) -> ParseResult<'_, &str> {
    let is_plain =
        |word: &str| limit(word).is_none() && named(&MODES, word).is_none() && word != SEARCH_MOVES;
    verify(next_word, is_plain).parse_complete(input)
}

/// Parses the arguments. A `go` without limits is infinite.
pub fn go<'l>(ugi: &mut Ugi, mut rest: &'l str) -> ParseResult<'l, Parsed<'l>> {
    let mut go = Go::default();
    let mut errors = Vec::new();
    let mut report = |error| {
        if errors.len() < MOST_ERRORS {
            errors.push(error);
        }
    };
    let mut is_bare = true;
    // The first word that has no meaning for `perft`.
    let mut of_search = None;
    while let (after, Some(word)) = opt(next_word).parse_complete(rest)? {
        rest = after;
        is_bare &= ["ponder", SEARCH_MOVES].contains(&word);
        let goal = go.goal;
        if let Some(set) = limit(word) {
            match preceded(blanks, number).parse_complete(rest) {
                Ok((after, number)) if too_small(word, number).is_none() => {
                    set(&mut go, number);
                    rest = after;
                }
                found => {
                    let number = found.ok().and_then(|(_, number)| too_small(word, number));
                    report(SyntaxError {
                        at: opt(blanks).parse_complete(rest)?.0,
                        expected: number.unwrap_or("a whole number"),
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
            report(SyntaxError {
                at: word,
                expected: EXPECTED,
            });
            continue;
        }
        if word != "perft" {
            of_search.get_or_insert(word);
        }
        if goal != Goal::BestMove && discriminant(&goal) != discriminant(&go.goal) {
            go.goal = goal;
            report(SyntaxError {
                at: word,
                expected: "only one of exact, wld and mate",
            });
        }
    }
    if let Some(at) = of_search.filter(|_| go.perft.is_some()) {
        let expected = EXPECTED_WITH_PERFT;
        report(SyntaxError { at, expected });
    }
    if go.perft.is_some() {
        errors
            .iter_mut()
            .filter(|error| error.expected == EXPECTED)
            .for_each(|error| error.expected = EXPECTED_WITH_PERFT);
    }
    go.infinite |= is_bare;
    go.ponder &= ugi.ponders;
    Ok((
        rest,
        Parsed {
            requests: vec![Request::Go(go)],
            errors,
        },
    ))
}
