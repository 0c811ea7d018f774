//! Checks that an engine tolerates bad input: garbage, invalid positions, illegal moves, invalid
//! options.

use anyhow::Context;

use crate::arena::compliance::session::{CheckResult, Session};

pub fn garbage(session: &mut Session) -> CheckResult {
    for line in [
        "hello",
        "",
        "   ",
        "go_",
        "position",
        "setoption",
        "isready?",
        "#",
        "uci ugi",
        "query",
        "stop 3",
    ] {
        session.send(line)?;
    }
    // An incomplete go is still a go and has one bestmove.
    session.send("go depth")?;
    session.stop()?;
    for bytes in [
        &b"\t\n"[..],
        b"\xff\xfe\x00\x01 caf\xc3\n",
        &[&[b'a'; 200_000][..], b"\n"].concat()[..],
        b"isready\r\n",
    ] {
        session.engine.process.send_bytes(bytes)?;
    }
    session.wait("readyok", |line| line == "readyok")?;
    still_plays(session)
}

pub fn bad_positions(session: &mut Session) -> CheckResult {
    session.start_game()?;
    for line in [
        "position startpos moves zz9",
        "position startpos moves a1 a1 a1 a1",
        "position fen",
        "position fen //////// q",
        "position fen 8/8/8/8/8/8/8/8",
        "position sideways",
        "position startpos moves",
    ] {
        session.send(line)?;
        // A go has exactly one bestmove, whatever the position is now.
        session
            .go("depth 1")
            .with_context(|| format!("after \"{line}\""))?;
    }
    session.ready()?;
    session.position(session.game.clone())?;
    session.search("depth 2")?;
    Ok(String::new())
}

pub fn bad_options(session: &mut Session) -> CheckResult {
    for line in [
        "setoption name Nonsense value 3",
        "setoption name Hash value abc",
        "setoption name Hash value -1",
        "setoption name Hash",
        "setoption value 3",
        "setoption name",
    ] {
        session.send(line)?;
        session
            .ready()
            .with_context(|| format!("after \"{line}\""))?;
    }
    still_plays(session)
}

/// Checks that the engine can still play.
fn still_plays(session: &mut Session) -> CheckResult {
    session.start_game()?;
    session.search("depth 2")?;
    Ok(String::new())
}
