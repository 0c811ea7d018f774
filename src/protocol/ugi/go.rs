//! The arguments of `go`, in any order. A `go` is never rejected: arguments that cannot be parsed are reported and
//! ignored.

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{map, map_opt, opt, verify};
use nom::multi::many0;
use nom::sequence::preceded;

use crate::engine::request::{Go, Reply, Request, ToEnd};
use crate::protocol::tokens::{ParseResult, SyntaxError, blanks, end, keyword, next_word, number, word};

/// A limit with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NumericLimit {
    Depth,
    Nodes,
    MoveTime,
    /// Time on the clock of the first (0) or second (1) player.
    Time(usize),
    Increment(usize),
    MovesToGo,
    Mate,
    Perft,
}

/// The limits by name. UCI's White is the first player, regardless of its color.
const LIMITS: [(&str, NumericLimit); 14] = [
    ("depth", NumericLimit::Depth),
    ("nodes", NumericLimit::Nodes),
    ("movetime", NumericLimit::MoveTime),
    ("p1time", NumericLimit::Time(0)),
    ("p2time", NumericLimit::Time(1)),
    ("p1inc", NumericLimit::Increment(0)),
    ("p2inc", NumericLimit::Increment(1)),
    ("wtime", NumericLimit::Time(0)),
    ("btime", NumericLimit::Time(1)),
    ("winc", NumericLimit::Increment(0)),
    ("binc", NumericLimit::Increment(1)),
    ("movestogo", NumericLimit::MovesToGo),
    ("mate", NumericLimit::Mate),
    ("perft", NumericLimit::Perft),
];

/// The expected tokens in place of an unknown word.
const EXPECTED: &str = "depth, nodes, movetime, p1time, p2time, p1inc, p2inc, movestogo, mate, infinite, ponder, \
                        exact, wld, searchmoves or perft";

enum Item<'l> {
    Limit(NumericLimit, i64),
    Infinite,
    Ponder,
    ToEnd(ToEnd),
    SearchMoves(Vec<&'l str>),
    /// A syntax error, and the limit whose number is missing or malformed.
    Invalid(Option<NumericLimit>, SyntaxError<'l>),
}

fn limit_named(word: &str) -> Option<NumericLimit> {
    LIMITS.iter().find(|(name, _)| *name == word).map(|&(_, limit)| limit)
}

fn is_keyword(word: &str) -> bool {
    limit_named(word).is_some() || ["infinite", "ponder", "exact", "wld", "searchmoves"].contains(&word)
}

/// Blanks and a word that is not a keyword of `go`.
fn plain_word(input: &str) -> ParseResult<'_, &str> {
    verify(next_word, |word: &str| !is_keyword(word)).parse_complete(input)
}

fn limit(input: &str) -> ParseResult<'_, Item<'_>> {
    let (rest, limit) = map_opt(word, limit_named).parse_complete(input)?;
    match preceded(blanks, number).parse_complete(rest) {
        Ok((rest, number)) => Ok((rest, Item::Limit(limit, number))),
        Err(_) => {
            // The word in place of the number is ignored together with its limit.
            let (at, _) = opt(blanks).parse_complete(rest)?;
            let (rest, _) = opt(plain_word).parse_complete(rest)?;
            Ok((rest, Item::Invalid(Some(limit), SyntaxError { at, expected: "a whole number" })))
        }
    }
}

fn item(input: &str) -> ParseResult<'_, Item<'_>> {
    alt((
        limit,
        map(keyword("infinite"), |_| Item::Infinite),
        map(keyword("ponder"), |_| Item::Ponder),
        map(keyword("exact"), |_| Item::ToEnd(ToEnd::Exact)),
        map(keyword("wld"), |_| Item::ToEnd(ToEnd::WinLossDraw)),
        map(preceded(keyword("searchmoves"), many0(plain_word)), Item::SearchMoves),
        map(word, |at| Item::Invalid(None, SyntaxError { at, expected: EXPECTED })),
    ))
    .parse_complete(input)
}

/// Parses the arguments; `line` is the whole line, for the columns of errors.
pub fn go<'l>(line: &'l str, rest: &'l str) -> ParseResult<'l, Vec<Request>> {
    let (rest, items) = many0(preceded(blanks, item)).parse_complete(rest)?;
    let (rest, ()) = end("the end of the line").parse_complete(rest)?;
    let mut go = Go::default();
    let mut perft = None;
    let mut unread_perft = None; // `perft` without a valid number counts one ply
    let mut errors = Vec::new();
    for item in items {
        match item {
            Item::Limit(NumericLimit::Depth, number) => go.depth = Some(number),
            Item::Limit(NumericLimit::Nodes, number) => go.nodes = Some(number),
            Item::Limit(NumericLimit::MoveTime, number) => go.movetime = Some(number),
            Item::Limit(NumericLimit::Time(player), number) => set(&mut go.time, player, number),
            Item::Limit(NumericLimit::Increment(player), number) => set(&mut go.increment, player, number),
            Item::Limit(NumericLimit::MovesToGo, number) => go.movestogo = Some(number),
            Item::Limit(NumericLimit::Mate, number) => go.mate = Some(number),
            Item::Limit(NumericLimit::Perft, number) => perft = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
            Item::Infinite => go.infinite = true,
            Item::Ponder => go.ponder = true,
            Item::ToEnd(goal) => go.to_end = Some(goal),
            Item::SearchMoves(words) => go.moves.extend(words.into_iter().map(String::from)),
            Item::Invalid(limit, syntax) => {
                if limit == Some(NumericLimit::Perft) {
                    unread_perft = Some(1);
                }
                errors.push(syntax.describe(line));
            }
        }
    }
    let mut requests = Vec::new();
    if !errors.is_empty() {
        go.has_unread = true;
        requests.push(Request::Reply(Reply::Error(format!("go: {}", errors.join("; ")))));
    }
    requests.push(perft.or(unread_perft).map_or(Request::Go(go), Request::Perft));
    Ok((rest, requests))
}

fn set(clocks: &mut [Option<i64>; 2], player: usize, number: i64) {
    if let Some(clock) = clocks.get_mut(player) {
        *clock = Some(number);
    }
}
