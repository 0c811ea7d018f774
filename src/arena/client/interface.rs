//! The interface of the clients: what they send to an engine, and the meaning of its replies.

use super::history::GameHistory;
use super::link::{ClientError, Exchange, Result};
use super::search_info::SearchInfo;
use crate::game::Player;

/// What an engine reports about itself in the handshake.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its name, empty if it gives none.
    pub name: String,
    /// Its author, empty if it gives none.
    pub author: String,
    /// The options it declares.
    pub options: Vec<DeclaredOption>,
}

impl Identity {
    /// The option of that name, ignoring case.
    pub fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// An option as an engine declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredOption {
    /// Its name.
    pub name: String,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: String,
    /// The words after `default`.
    pub default: String,
    /// The values of a combo.
    pub values: Vec<String>,
    /// The smallest value of a spin.
    pub min: Option<i64>,
    /// The largest value of a spin.
    pub max: Option<i64>,
}

/// One side's clock as it is sent to engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockView {
    /// Milliseconds left.
    pub left_ms: u64,
    /// Milliseconds added after each move.
    pub increment_ms: u64,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
}

/// The limits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GoLimits {
    /// The clocks of the first and second player, where they have one.
    pub clocks: [Option<ClockView>; 2],
    /// A fixed time for this move, in milliseconds.
    pub move_time_ms: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

/// The meaning of a line that arrives during a search.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineReply {
    /// A line without meaning for the client.
    Ignored,
    /// Search information; without values, if the line only shows that the engine searches.
    Info(SearchInfo),
    /// The best move.
    Move {
        /// The move as the engine wrote it; `None` if the line has none.
        word: Option<String>,
        /// The expected reply (ponder move).
        ponder: Option<String>,
        /// Search information from the same line.
        info: SearchInfo,
    },
    /// The engine resigns.
    Resign,
    /// The engine answered a probe (`readyok`, `pong`).
    Ready,
    /// The engine reported an error; its text.
    Error(String),
}

/// The client side of one protocol.
pub trait Client: Send {
    /// Performs the handshake.
    fn greet(&mut self, exchange: &mut Exchange) -> Result<Identity>;

    /// Sets an option (button: no value).
    fn set_option(&mut self, exchange: &mut Exchange, name: &str, value: Option<&str>) -> Result;

    /// The beginning, in lower case, of a line by which an engine refuses a command.
    fn refusal(&self) -> &'static str;

    /// Waits until the engine has processed every command.
    fn synchronize(&mut self, exchange: &mut Exchange) -> Result;

    /// Starts a new game with the engine on `side` and waits until it is ready. The limits are
    /// those of its first move.
    fn new_game(
        &mut self,
        exchange: &mut Exchange,
        game: &GameHistory,
        side: Player,
        limits: &GoLimits,
    ) -> Result;

    /// Sends the position.
    fn position(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result;

    /// Sends the position and checks the engine's view of it, also at the end of the game. No clock
    /// is running yet.
    fn prepare(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        self.position(exchange, game)?;
        self.synchronize(exchange)
    }

    /// Sends the position and a query about it, and returns the answer, or `nothing`.
    fn ask(
        &mut self,
        _exchange: &mut Exchange,
        _game: &GameHistory,
        _query: &str,
    ) -> Result<String> {
        Err(ClientError::Unable("its protocol has no queries".into()))
    }

    /// Starts the search.
    fn go(&mut self, exchange: &mut Exchange, game: &GameHistory, limits: &GoLimits) -> Result;

    /// Starts a search for the move after the last one of `game`, which the opponent is expected to
    /// make. Called only for clients whose replies state an expected move.
    fn ponder(
        &mut self,
        _exchange: &mut Exchange,
        _game: &GameHistory,
        _limits: &GoLimits,
    ) -> Result {
        Err(ClientError::Unable("its protocol has no pondering".into()))
    }

    /// Reports that the opponent played the expected move; the engine's clock starts.
    fn ponder_hit(&mut self, _exchange: &mut Exchange) -> Result {
        Ok(())
    }

    /// Parses a line that arrived during a search.
    fn parse_reply(&mut self, line: &str) -> EngineReply;

    /// Whether commands can be sent during a search; otherwise `probe` and `stop` do nothing.
    fn can_interrupt(&self) -> bool {
        false
    }

    /// Asks whether the engine is alive (answered by [`EngineReply::Ready`]).
    fn probe(&mut self, _exchange: &mut Exchange) -> Result {
        Ok(())
    }

    /// Asks the engine to move at once.
    fn stop(&mut self, _exchange: &mut Exchange) -> Result {
        Ok(())
    }

    /// The limits of a game's first move that the protocol cannot express.
    fn unsupported_limits(&self, _limits: &GoLimits) -> Vec<String> {
        Vec::new()
    }
}

/// The first word of a trimmed line, and the rest.
pub(super) fn split_word(line: &str) -> (&str, &str) {
    let (word, rest) = line
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((line, ""));
    (word, rest.trim_start())
}

/// Milliseconds in seconds.
pub fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
