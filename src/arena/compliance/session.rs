//! The session of a check: one engine process, its searches, and what checks have in common.

use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};

use crate::arena::client::{GameHistory, GoLimits, Link, LinkError, SearchInfo};
use crate::arena::config::Timeouts;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::play::referee::{ask_one, judge};
use crate::arena::play::session::{EngineSession, EngineSlot, RunContext};
use crate::game::rng::Rng;
use crate::game::{Player, quoted};
use crate::games::any::AnyGame;
use crate::protocol::Protocol;

/// The time after which a reply counts as missing.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The handshake may take longer.
pub const TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(30),
    reply: TIMEOUT,
    new_game: TIMEOUT,
    late_move: TIMEOUT,
    silence: TIMEOUT,
};
/// The maximum latency.
pub const MAX_LATENCY: Duration = Duration::from_secs(1);

/// The result of a check: details to print, or the failure.
pub type CheckResult = Result<String>;

/// An engine under test.
pub struct Session {
    pub engine: EngineSession,
    /// The game at its start position.
    pub start: GameHistory,
    /// The game whose position was last sent.
    pub game: GameHistory,
    pub start_time: Duration,
}

/// The output of one search.
pub struct SearchOutput {
    pub infos: Vec<(String, SearchInfo)>,
    /// The words after `bestmove`.
    pub best: Vec<String>,
    pub latency: Duration,
}

impl SearchOutput {
    /// The best move, or an empty word.
    pub fn best(&self) -> &str {
        self.best.first().map_or("", String::as_str)
    }

    /// The greatest depth of its info lines.
    pub fn depth(&self) -> u32 {
        self.infos
            .iter()
            .filter_map(|(_, info)| info.depth)
            .max()
            .unwrap_or(0)
    }

    /// The greatest number of nodes of its info lines.
    pub fn nodes(&self) -> Option<u64> {
        self.infos.iter().filter_map(|(_, info)| info.nodes).max()
    }
}

impl Session {
    /// Starts the engine, performs the handshake and sets the options.
    pub fn start(spec: &EngineSpec, start: &GameHistory, context: &RunContext) -> Result<Session> {
        let began = Instant::now();
        let mut engine = EngineSlot::new(spec.clone(), context.clone()).greet()?;
        let start_time = began.elapsed();
        engine.process.begin_waits();
        Ok(Session {
            engine: engine.set_up()?,
            start: start.clone(),
            game: start.clone(),
            start_time,
        })
    }

    pub fn is_ugi(&self) -> bool {
        self.engine.spec.protocol == Protocol::Ugi
    }

    pub fn send(&mut self, line: &str) -> Result<()> {
        Ok(self.engine.call(|_, exchange| exchange.send(line))?)
    }

    /// The first line within some time that `accept` accepts, with its latency.
    pub fn find_line(
        &mut self,
        time: Duration,
        mut accept: impl FnMut(&str) -> bool,
    ) -> Result<Option<(String, Duration)>> {
        let began = Instant::now();
        loop {
            match self.engine.process.receive(began + time) {
                Ok(line) if accept(&line.text) => {
                    return Ok(Some((line.text, line.at.saturating_duration_since(began))));
                }
                Ok(_) => {}
                Err(LinkError::Timeout) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for a line that `accept` accepts; returns it with its latency.
    pub fn wait(
        &mut self,
        awaited: &str,
        accept: impl FnMut(&str) -> bool,
    ) -> Result<(String, Duration)> {
        let found = self.find_line(TIMEOUT, accept)?;
        found.with_context(|| format!("no {awaited} within {} s", TIMEOUT.as_secs()))
    }

    /// Sends `isready` and returns the latency of the reply, which must be exactly `readyok`.
    pub fn ready(&mut self) -> Result<Duration> {
        self.send("isready")?;
        self.wait("readyok", |line| line == "readyok")
            .map(|(_, latency)| latency)
    }

    /// Starts a new game from the start position.
    pub fn start_game(&mut self) -> Result<()> {
        self.new_game(self.start.clone())
    }

    /// A game after `plies` random plies; `None` if it ends earlier, or its rules are unknown.
    pub fn random_game(&self, plies: usize, rng: &mut Rng) -> Option<AnyGame> {
        let mut game = self.start.rules().ok()?.clone();
        (0..plies)
            .all(|_| play_random(&mut game, rng))
            .then_some(game)
    }

    /// Starts a new game and sends its position.
    pub fn new_game(&mut self, game: impl Into<GameHistory>) -> Result<()> {
        let (game, limits) = (game.into(), GoLimits::default());
        self.engine
            .call(|client, exchange| client.new_game(exchange, &game, Player::First, &limits))?;
        self.position(game)
    }

    /// Sends a position.
    pub fn position(&mut self, game: impl Into<GameHistory>) -> Result<()> {
        self.game = game.into();
        let engine = &mut self.engine;
        judge(&mut self.game, |query, game| ask_one(engine, query, game))?;
        Ok(engine.call(|client, exchange| client.position(exchange, &self.game))?)
    }

    /// Plays the best move of a search and sends the new position.
    pub fn play_best(&mut self, search: &SearchOutput) -> Result<()> {
        let mut game = self.game.clone();
        game.play(search.best());
        self.position(game)
    }

    /// Plays a game against itself, up to `plies` plies. Returns the number of plies.
    pub fn play_itself(&mut self, limits: &str, plies: usize) -> Result<usize> {
        self.start_game()?;
        let mut played = 0;
        while played < plies && self.game.outcome().is_none() {
            let search = self.search(limits)?;
            self.play_best(&search)?;
            played += 1;
        }
        Ok(played)
    }

    /// Searches and checks that the best move is legal. The clocks in `arguments` have their UGI
    /// names.
    pub fn search(&mut self, arguments: &str) -> Result<SearchOutput> {
        let search = self.go(arguments)?;
        self.check_bestmove(&search)?;
        Ok(search)
    }

    /// Checks that a search ended with a legal move (UGI: and nothing else).
    pub fn check_bestmove(&mut self, search: &SearchOutput) -> Result<()> {
        let [best, more @ ..] = search.best.as_slice() else {
            bail!("bestmove without a move")
        };
        ensure!(
            !self.is_ugi() || more.is_empty(),
            "bestmove is followed by \"{}\"",
            quoted(&more.join(" "))
        );
        let position = self.game.position_text();
        let is_legal = match &self.game {
            GameHistory::Rules(game) => game.legal_move(best).is_some(),
            game => ask_one(&mut self.engine, &format!("islegal {best}"), game)? == "true",
        };
        ensure!(
            is_legal,
            "bestmove \"{}\" is illegal in {position}",
            quoted(best)
        );
        Ok(())
    }

    /// Sends `go` and waits for the end of the search.
    pub fn go(&mut self, arguments: &str) -> Result<SearchOutput> {
        let mut line = format!("go {arguments}");
        if !self.is_ugi() {
            line = line.replace("p1", "w").replace("p2", "b");
        }
        self.send(&line)?;
        self.read_search(&line)
    }

    /// Sends `stop` and reads the rest of the search.
    pub fn stop(&mut self) -> Result<SearchOutput> {
        self.send("stop")?;
        self.read_search("stop")
    }

    /// Reads the output of a search up to its bestmove; errors name `command`.
    pub fn read_search(&mut self, command: &str) -> Result<SearchOutput> {
        let mut infos = Vec::new();
        let (line, latency) = self.wait(&format!("bestmove after \"{command}\""), |line| {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if word == "info" && !rest.starts_with("string") {
                infos.push((line.to_string(), SearchInfo::parse(rest)));
            }
            word == "bestmove"
        })?;
        Ok(SearchOutput {
            infos,
            best: line.split(' ').skip(1).map(String::from).collect(),
            latency,
        })
    }

    /// Checks a latency: an error if it is too large, after subtracting CPU waits since the
    /// handshake.
    pub fn check_latency(&mut self, name: &str, latency: Duration) -> CheckResult {
        let details = format!("{name} {:.2} ms", latency.as_secs_f64() * 1e3);
        if latency <= MAX_LATENCY {
            return Ok(details);
        }
        let waited: Duration = self.engine.process.waits().into_iter().flatten().sum();
        let details = format!(
            "{details}, {:.2} ms of it waiting for a CPU",
            waited.as_secs_f64() * 1e3
        );
        ensure!(latency.saturating_sub(waited) <= MAX_LATENCY, details);
        Ok(details)
    }

    /// Appends the exit status and the last line of standard error to an error, if the engine has
    /// exited.
    pub fn with_exit(&mut self, error: Error) -> Error {
        let process = &mut self.engine.process;
        // The output ends shortly before the process exits.
        let Some(status) = process.wait_for_exit_within(Duration::from_millis(200)) else {
            return error;
        };
        process.wait_for_stderr();
        let stderr = process.stderr();
        let last = stderr
            .lines()
            .last()
            .map_or(String::new(), |line| format!(", stderr: {}", quoted(line)));
        anyhow!("{error:#} ({status}{last})")
    }
}

/// Plays a random legal move; `false` if the game is over.
pub fn play_random(game: &mut AnyGame, rng: &mut Rng) -> bool {
    rng.choose(&game.moves())
        .is_some_and(|&m| game.play(m).is_ok())
}

/// Sets the number of threads, if the engine lists the option `Threads`.
pub fn set_threads(session: &mut Session, threads: usize) -> Result<()> {
    if session.engine.identity.option("Threads").is_some() {
        session.engine.call(|client, exchange| {
            client.set_option(exchange, "Threads", Some(&threads.to_string()))
        })?;
    }
    Ok(())
}

/// Starts an infinite search of the start position, which must not end within `time`.
pub fn go_infinite(session: &mut Session, milliseconds: u64) -> Result<()> {
    session.start_game()?;
    session.ready()?;
    session.send("go infinite")?;
    no_bestmove_for(session, milliseconds)
}

/// Checks that no bestmove arrives within some time.
pub fn no_bestmove_for(session: &mut Session, milliseconds: u64) -> Result<()> {
    let time = Duration::from_millis(milliseconds);
    match session.find_line(time, |line| line.starts_with("bestmove"))? {
        Some((line, _)) => bail!("unexpected \"{}\"", quoted(&line)),
        None => Ok(()),
    }
}
