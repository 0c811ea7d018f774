//! What an engine must survive: garbage, bad positions, illegal moves, bad options.

use super::super::{Finding, Session, send_raw};
use super::legal;

pub fn garbage(session: &mut Session) -> Finding {
    for line in
        ["hello", "", "   ", "go_", "\t", "position", "setoption", "isready?", "#", "uci ugi", "query", "stop 3"]
    {
        session.send(line)?;
    }
    // A go that is cut short is still a go, and has one answer.
    session.send("go depth")?;
    session.stop()?;
    send_raw(&mut session.process, b"\xff\xfe\x00\x01 caf\xc3\n").map_err(|error| error.to_string())?;
    send_raw(&mut session.process, &[&[b'a'; 200_000][..], b"\n"].concat()).map_err(|error| error.to_string())?;
    send_raw(&mut session.process, b"isready\r\n").map_err(|error| error.to_string())?;
    session.wait("readyok", |line| line == "readyok")?;
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("depth 2")?;
    legal(session, &course, &search)?;
    Ok(String::new())
}

pub fn bad_positions(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
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
        // Whatever is on the board now, a go has its one answer.
        session.search("depth 1").map_err(|what| format!("after \"{line}\": {what}"))?;
    }
    session.ready()?;
    session.position(&course)?;
    let search = session.search("depth 2")?;
    legal(session, &course, &search)?;
    Ok(String::new())
}

pub fn bad_options(session: &mut Session) -> Finding {
    for line in [
        "setoption name Nonsense value 3",
        "setoption name Hash value abc",
        "setoption name Hash value -1",
        "setoption name Hash",
        "setoption value 3",
        "setoption name",
    ] {
        session.send(line)?;
        session.ready().map_err(|what| format!("after \"{line}\": {what}"))?;
    }
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("depth 2")?;
    legal(session, &course, &search)?;
    Ok(String::new())
}
