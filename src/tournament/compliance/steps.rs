//! The steps of the compliance check, in the order in which they run.

use std::time::{Duration, Instant};

use super::{Finding, PATIENCE, SLOW, Search, Session, latency, random_course, send_raw};
use crate::game::{Outcome, quoted};
use crate::protocol::client::{Course, Info};
use crate::protocol::dialect::Protocol;
use crate::rng::Rng;

/// A named step.
pub struct Step {
    pub name: &'static str,
    pub run: fn(&mut Session) -> Finding,
}

/// The steps for a protocol.
pub fn all(protocol: Protocol) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![
        Step { name: "handshake: id name, id author, exact closing word", run: handshake },
        Step { name: "options are well-formed", run: options },
        Step { name: "isready is answered by exactly readyok", run: |session| latency("answer", session.ready()?) },
        Step { name: "new game, start position, a move", run: first_move },
        Step { name: "isready while searching", run: ready_while_searching },
        Step { name: "no bestmove before stop in go infinite, then at once", run: stop },
        Step { name: "stop when idle is silent", run: idle_stop },
        Step { name: "info lines are well-formed", run: info_lines },
        Step { name: "depth, nodes and time never fall", run: monotonic },
        Step { name: "every PV is legal and bestmove is its first move", run: pv },
        Step { name: "go depth is obeyed", run: depth },
        Step { name: "go nodes is obeyed", run: nodes },
        Step { name: "go movetime is obeyed", run: movetime },
        Step { name: "clocks of both players are obeyed", run: clocks },
        Step { name: "empty and negative clocks are survived", run: bad_clocks },
        Step { name: "a whole game against itself", run: whole_game },
        Step { name: "a side that must pass", run: forced_pass },
        Step { name: "a finished game", run: finished },
        Step { name: "the same search after a new game", run: repeated },
        Step { name: "garbage is survived", run: garbage },
        Step { name: "bad positions and illegal moves are survived", run: bad_positions },
        Step { name: "bad options are survived", run: bad_options },
        Step { name: "quit while searching", run: quit },
        Step { name: "end of input when idle", run: end_of_input },
        Step { name: "end of input while searching", run: end_while_searching },
    ];
    if protocol == Protocol::Ugi {
        steps.insert(4, Step { name: "queries agree with the rules", run: queries });
    }
    steps
}

fn handshake(session: &mut Session) -> Finding {
    let closing = if session.is_ugi() { "ugiok" } else { "uciok" };
    match session.greeting.last() {
        Some(last) if last == closing => {}
        last => return Err(format!("the closing line is \"{}\"", quoted(last.map_or("", String::as_str)))),
    }
    if session.identity.name.is_empty() {
        return Err("no id name".into());
    }
    if session.identity.author.is_empty() {
        return Err("no id author".into());
    }
    Ok(format!("{}, {:.0} ms after its start", session.identity.name, session.started.as_secs_f64() * 1e3))
}

fn options(session: &mut Session) -> Finding {
    let declared = session.greeting.iter().filter(|line| line.starts_with("option ")).count();
    if declared != session.identity.options.len() {
        return Err("an option line has no name".into());
    }
    for option in &session.identity.options {
        let bad = |what: &str| Err(format!("option {}: {what}", option.name));
        match option.kind.as_str() {
            "check" if !matches!(option.default.as_str(), "true" | "false") => {
                return bad("default is neither true nor false");
            }
            "spin" if option.default.parse::<i64>().is_err() => return bad("default is no whole number"),
            "combo" if !option.values.contains(&option.default) => return bad("default is not among its values"),
            "check" | "spin" | "combo" | "button" | "string" => {}
            kind => return bad(&format!("unknown type \"{}\"", quoted(kind))),
        }
    }
    let line = session.greeting.iter().find(|line| *line != line.trim_end());
    match line {
        Some(line) => Err(format!("blanks at the end of \"{}\"", quoted(line))),
        None => Ok(format!("{declared} options")),
    }
}

/// Checks that a search ended with a legal move, alone on its line in UGI.
fn legal(session: &Session, course: &Course, search: &Search) -> Result<(), String> {
    let [best, more @ ..] = search.best.as_slice() else { return Err("bestmove without a move".into()) };
    if session.is_ugi() && !more.is_empty() {
        return Err(format!("bestmove is followed by \"{}\"", quoted(&more.join(" "))));
    }
    match course.legal_move(best) {
        Some(_) => Ok(()),
        None => Err(format!("bestmove \"{}\" is no legal move in {}", quoted(best), course.game().write_position())),
    }
}

fn first_move(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("depth 2")?;
    legal(session, &course, &search)?;
    if search.infos.is_empty() {
        return Err("no info line before bestmove".into());
    }
    latency("go depth 2", search.took)
}

fn queries(session: &mut Session) -> Finding {
    let mut rng = Rng::new(2);
    let mut asked = 0;
    for plies in 0..200 {
        let Some(course) = random_course(&session.game, plies, &mut rng) else { break };
        if plies == 0 {
            session.set(&course)?;
        }
        let deadline = Instant::now() + PATIENCE;
        match course.outcome() {
            Some(outcome) => session.talk(|client, link| client.game_over(link, &course, outcome, deadline))?,
            None => session.talk(|client, link| client.prepare(link, &course, deadline))?,
        }
        asked += 2;
    }
    Ok(format!("{asked} answers"))
}

fn infinite(session: &mut Session) -> Result<Course, String> {
    let course = session.course()?;
    session.set(&course)?;
    session.ready()?;
    session.send("go infinite")?;
    Ok(course)
}

/// Nothing that is awaited may come unasked: waits a moment for a bestmove.
fn no_bestmove(session: &mut Session, pause: Duration) -> Result<(), String> {
    let until = Instant::now() + pause;
    while let Some(line) = session.line(until.saturating_duration_since(Instant::now()))? {
        if line.text.starts_with("bestmove") {
            return Err(format!("\"{}\" came unasked", quoted(&line.text)));
        }
    }
    Ok(())
}

fn ready_while_searching(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    let mut worst = Duration::ZERO;
    for _ in 0..10 {
        session.send("isready")?;
        let (line, took) = session.wait("readyok", |line| line == "readyok" || line.starts_with("bestmove"))?;
        if line != "readyok" {
            return Err("bestmove came before stop".into());
        }
        worst = worst.max(took);
    }
    session.stop()?;
    latency("slowest of 10 answers", worst)
}

fn stop(session: &mut Session) -> Finding {
    let course = infinite(session)?;
    no_bestmove(session, Duration::from_millis(200))?;
    let search = session.stop()?;
    legal(session, &course, &search)?;
    // Also where nothing is left to search: one ply before the end of the game.
    let mut last = course;
    let mut rng = Rng::new(3);
    while let Some(next) = step_towards_the_end(&last, &mut rng) {
        last = next;
    }
    session.position(&last)?;
    session.send("go infinite")?;
    no_bestmove(session, Duration::from_millis(200))?;
    let solved = session.stop()?;
    legal(session, &last, &solved)?;
    latency("bestmove after stop", search.took.max(solved.took))
}

/// The course one random ply on, unless that ends the game.
fn step_towards_the_end(course: &Course, rng: &mut Rng) -> Option<Course> {
    let mut next = course.clone();
    let moves: Vec<_> = course.game().moves().to_vec();
    next.play(*rng.choose(&moves)?);
    next.outcome().is_none().then_some(next)
}

fn idle_stop(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    session.send("stop")?;
    no_bestmove(session, Duration::from_millis(100))?;
    // And it must not stop the next search.
    session.send("stop")?;
    let search = session.search("depth 3")?;
    legal(session, &course, &search)?;
    match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
        Some(reached) if reached < 3 => Err(format!("the next search ended at depth {reached} of 3")),
        _ => Ok(String::new()),
    }
}

/// A search of a moment in the middle of a game.
fn middle_search(session: &mut Session) -> Result<(Course, Search), String> {
    let mut rng = Rng::new(4);
    let course = (0..1000)
        .find_map(|_| {
            let plies = if session.game == "tictactoe" { 2 } else { 6 };
            random_course(&session.game, plies, &mut rng)
                .filter(|course| course.outcome().is_none() && !course.must_pass())
        })
        .ok_or("no position")?;
    session.set(&course)?;
    let search = session.search("movetime 300")?;
    Ok((course, search))
}

fn info_lines(session: &mut Session) -> Finding {
    let (_, search) = middle_search(session)?;
    let finished: Vec<_> =
        search.infos.iter().filter(|(_, info)| info.depth.is_some() && !info.pv.is_empty()).collect();
    if finished.is_empty() {
        return Err("no info line with depth and pv".into());
    }
    for (line, _) in &search.infos {
        well_formed(line).map_err(|what| format!("{what} in \"{}\"", quoted(line)))?;
    }
    for (line, info) in &finished {
        for (name, there) in
            [("score", info.score.is_some()), ("nodes", info.nodes.is_some()), ("time", info.time_ms.is_some())]
        {
            if !there {
                return Err(format!("no {name} in \"{}\"", quoted(line)));
            }
        }
    }
    Ok(format!("{} lines", search.infos.len()))
}

/// Whether every value of an info line is a whole number where one belongs.
fn well_formed(line: &str) -> Result<(), String> {
    if line != line.trim() || line.contains("  ") {
        return Err("stray blanks".into());
    }
    let mut words = line.split(' ').skip(1);
    while let Some(word) = words.next() {
        match word {
            "depth" | "seldepth" | "multipv" | "nodes" | "time" | "nps" | "hashfull" | "tbhits" | "currmovenumber"
            | "cp" | "mate" => {
                let value = words.next().unwrap_or("");
                if value.parse::<i64>().is_err() {
                    return Err(format!("{word} \"{}\" is no whole number", quoted(value)));
                }
            }
            "score" | "lowerbound" | "upperbound" => {}
            "currmove" => {
                words.next();
            }
            "pv" | "string" | "refutation" | "currline" => return Ok(()),
            "wdl" => {
                words.nth(2);
            }
            _ => return Err(format!("unknown word \"{}\"", quoted(word))),
        }
    }
    Ok(())
}

fn monotonic(session: &mut Session) -> Finding {
    let (_, search) = middle_search(session)?;
    let mut before = Info::default();
    for (line, info) in &search.infos {
        let falls = |now: Option<u64>, then: Option<u64>| now.zip(then).is_some_and(|(now, then)| now < then);
        for (name, fell) in [
            ("depth", falls(info.depth.map(u64::from), before.depth.map(u64::from))),
            ("nodes", falls(info.nodes, before.nodes)),
            ("time", falls(info.time_ms, before.time_ms)),
        ] {
            if fell {
                return Err(format!("{name} falls in \"{}\"", quoted(line)));
            }
        }
        before.depth = info.depth.or(before.depth);
        before.nodes = info.nodes.or(before.nodes);
        before.time_ms = info.time_ms.or(before.time_ms);
    }
    Ok(format!("to depth {}", before.depth.unwrap_or(0)))
}

fn pv(session: &mut Session) -> Finding {
    let (course, search) = middle_search(session)?;
    let mut last = None;
    for (line, info) in search.infos.iter().filter(|(_, info)| !info.pv.is_empty()) {
        let mut ahead = course.clone();
        for word in &info.pv {
            match ahead.legal_move(word) {
                Some(played) => ahead.play(played),
                None => return Err(format!("\"{}\" cannot be played in \"{}\"", quoted(word), quoted(line))),
            };
        }
        last = Some(info);
    }
    legal(session, &course, &search)?;
    let last = last.ok_or("no PV")?;
    if last.pv.first() != search.best.first() {
        return Err(format!(
            "bestmove {:?} is not the first move of the last PV {:?}",
            search.best.first(),
            last.pv.first()
        ));
    }
    Ok(format!("{} moves in the last", last.pv.len()))
}

fn depth(session: &mut Session) -> Finding {
    let course = session.course()?;
    for wanted in [1, 2, 4] {
        session.set(&course)?;
        let search = session.search(&format!("depth {wanted}"))?;
        legal(session, &course, &search)?;
        match search.infos.iter().filter_map(|(_, info)| info.depth).max() {
            Some(reached) if reached == wanted => {}
            reached => return Err(format!("depth {reached:?} for go depth {wanted}")),
        }
    }
    Ok(String::new())
}

fn nodes(session: &mut Session) -> Finding {
    let course = session.course()?;
    let mut shown = Vec::new();
    for wanted in [100u64, 20_000] {
        session.set(&course)?;
        let search = session.search(&format!("nodes {wanted}"))?;
        legal(session, &course, &search)?;
        let used = search.infos.iter().filter_map(|(_, info)| info.nodes).max().ok_or("no nodes are told")?;
        // Counters are looked at every thousand nodes or so.
        if used > wanted + 1_100 {
            return Err(format!("{used} nodes for go nodes {wanted}"));
        }
        shown.push(format!("{used} for {wanted}"));
    }
    Ok(shown.join(", "))
}

fn movetime(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let search = session.search("movetime 200")?;
    legal(session, &course, &search)?;
    latency("beyond 200 ms:", search.took.saturating_sub(Duration::from_millis(200)))
}

fn clocks(session: &mut Session) -> Finding {
    let mut course = session.course()?;
    session.set(&course)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 300 p2time 60000 p1inc 0 p2inc 0", "p2inc 0 p1inc 0 p2time 300 p1time 60000"] {
        let search = session.search(words)?;
        legal(session, &course, &search)?;
        if search.took > Duration::from_millis(300) + SLOW {
            return Err(format!("{} ms with 300 ms on the clock", search.took.as_millis()));
        }
        slowest = slowest.max(search.took);
        if let Some(played) = search.best.first().and_then(|word| course.legal_move(word)) {
            course.play(played);
        }
        session.position(&course)?;
    }
    Ok(format!("{} ms used of 300", slowest.as_millis()))
}

fn bad_clocks(session: &mut Session) -> Finding {
    let course = session.course()?;
    session.set(&course)?;
    let mut slowest = Duration::ZERO;
    for words in ["p1time 0 p2time 0", "p1time -50 p2time 100 p1inc 0 p2inc 0", "p1time 1 p2time 1", "movetime 0"] {
        let search = session.search(words).map_err(|what| format!("go {words}: {what}"))?;
        legal(session, &course, &search)?;
        slowest = slowest.max(search.took);
    }
    latency("slowest answer", slowest)
}

fn whole_game(session: &mut Session) -> Finding {
    let mut course = session.course()?;
    session.set(&course)?;
    while course.outcome().is_none() {
        let search = session.search("depth 2")?;
        legal(session, &course, &search)?;
        if let Some(played) = search.best.first().and_then(|word| course.legal_move(word)) {
            course.play(played);
        }
        session.position(&course)?;
        if course.plies().len() > 200 {
            return Err("the game does not end".into());
        }
    }
    check_end(session, &course)?;
    Ok(format!("{} plies", course.plies().len()))
}

/// The engine must know that the game is over, and answer a `go` there.
fn check_end(session: &mut Session, course: &Course) -> Result<(), String> {
    let outcome = course.outcome().ok_or("the game goes on")?;
    let deadline = Instant::now() + PATIENCE;
    session.talk(|client, link| client.game_over(link, course, outcome, deadline))?;
    let search = session.search("depth 3")?;
    match search.best.first().map(String::as_str) {
        Some("0000" | "(none)") => Ok(()),
        best => Err(format!("bestmove {best:?} in a finished game")),
    }
}

fn forced_pass(session: &mut Session) -> Finding {
    let mut rng = Rng::new(5);
    for _ in 0..2000 {
        let Ok(mut course) = session.course() else { break };
        while let Some(next) = step_towards_the_end(&course, &mut rng) {
            course = next;
            if course.must_pass() {
                session.set(&course)?;
                let search = session.search("depth 3")?;
                legal(session, &course, &search)?;
                return Ok(format!("\"{}\" after {} plies", search.best.join(" "), course.plies().len()));
            }
        }
        if course.game().discs().is_none() {
            break;
        }
    }
    Ok("this game has none".into())
}

fn finished(session: &mut Session) -> Finding {
    let mut rng = Rng::new(6);
    let mut seen = Vec::new();
    for _ in 0..300 {
        let Some(mut course) = random_course(&session.game, 0, &mut rng) else { break };
        while course.outcome().is_none() {
            let moves = course.game().moves();
            if let Some(&played) = rng.choose(&moves) {
                course.play(played);
            }
        }
        let outcome = course.outcome();
        if seen.contains(&outcome) {
            continue;
        }
        seen.push(outcome);
        session.set(&course)?;
        check_end(session, &course)?;
        // UGI: nothing is left to think about, so it does not wait for stop. UCI lets it wait.
        let search = if session.is_ugi() {
            session.search("infinite")?
        } else {
            session.send("go infinite")?;
            session.stop()?
        };
        if search.took > SLOW {
            return Err(format!("go infinite took {} ms", search.took.as_millis()));
        }
    }
    let name = |outcome: &Option<Outcome>| match outcome {
        Some(Outcome::FirstWins) => "p1win",
        Some(Outcome::SecondWins) => "p2win",
        _ => "draw",
    };
    Ok(seen.iter().map(name).collect::<Vec<_>>().join(", "))
}

fn repeated(session: &mut Session) -> Finding {
    let course = session.course()?;
    let mut runs = Vec::new();
    for _ in 0..2 {
        session.set(&course)?;
        let search = session.search("depth 5")?;
        let nodes = search.infos.iter().filter_map(|(_, info)| info.nodes).next_back();
        runs.push((search.best, nodes));
    }
    if runs[0] != runs[1] {
        return Err(format!("{:?}, then {:?}", runs[0], runs[1]));
    }
    Ok(runs[0].1.map_or(String::new(), |nodes| format!("{nodes} nodes")))
}

fn garbage(session: &mut Session) -> Finding {
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

fn bad_positions(session: &mut Session) -> Finding {
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

fn bad_options(session: &mut Session) -> Finding {
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

fn left(session: &mut Session, by: &str) -> Finding {
    let began = Instant::now();
    let status = session
        .process
        .wait_for_exit()
        .ok_or_else(|| format!("it is still there {:.1} s after {by}", began.elapsed().as_secs_f64()))?;
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    latency("gone after", began.elapsed())
}

fn quit(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    session.send("quit")?;
    left(session, "quit")
}

fn end_of_input(session: &mut Session) -> Finding {
    session.ready()?;
    session.process.close_input();
    left(session, "the end of its input")
}

fn end_while_searching(session: &mut Session) -> Finding {
    infinite(session)?;
    no_bestmove(session, Duration::from_millis(50))?;
    session.process.close_input();
    left(session, "the end of its input")
}
