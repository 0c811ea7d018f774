//! UCI client for games other than chess, for this engine's dialect and Fairy-Stockfish's, in which option
//! `UCI_Variant` selects the game and moves are drops (`P@e3`, a pass is `e3e3`).

use std::time::Instant;

use super::client_error::ClientError;
use super::exchange::send_all;
use super::game_history::GameHistory;
use super::go_limits::GoLimits;
use super::identity::Identity;
use super::interface::{Client, EngineReply, PassNotation};
use super::link::Link;
use super::ugi_uci::{self, PendingReady};
use crate::game::{Outcome, Player};
use crate::games::any;

/// The names of the two players' clocks.
const TIMES: [&str; 2] = ["wtime", "btime"];
/// The names of their increments.
const INCREMENTS: [&str; 2] = ["winc", "binc"];

/// A client of UCI engines.
pub struct UciClient {
    pass: PassNotation,
    identity: Identity,
    /// Whether the game was selected by `UCI_Variant`, so that moves are drops; `None` before the first game.
    drops: Option<bool>,
    pending_ready: PendingReady,
}

/// The name of a game as a value of `UCI_Variant`.
fn variant(game: &str) -> &str {
    any::entry(game).and_then(|entry| entry.uci).unwrap_or(game)
}

impl UciClient {
    /// A client that sends passes in this notation, unless moves are drops.
    pub fn new(pass: PassNotation) -> UciClient {
        UciClient { pass, identity: Identity::default(), drops: None, pending_ready: PendingReady::default() }
    }

    /// Selects the game by option `UCI_Variant` or `Game`; returns whether moves are drops.
    fn select_game(&mut self, link: &mut dyn Link, game: &str) -> Result<bool, ClientError> {
        let offers = |name: &str, value: &str| {
            self.identity.option(name).map(|option| option.values.iter().any(|offered| offered == value))
        };
        match (offers("UCI_Variant", variant(game)), offers("Game", game)) {
            (Some(true), _) => ugi_uci::set_option(link, "UCI_Variant", Some(variant(game))).map(|()| true),
            (_, Some(true)) => ugi_uci::set_option(link, "Game", Some(game)).map(|()| false),
            (None, None) => Ok(false),
            _ => {
                Err(ClientError::Unable(format!("neither of its options UCI_Variant and Game has a value for {game}")))
            }
        }
    }

    /// The `position` command for a history; the move notation depends on how the game was selected.
    pub fn position_command(&self, history: &GameHistory) -> String {
        if self.drops != Some(true) {
            return ugi_uci::position_command(history, &self.pass);
        }
        let mut line = match history.start() {
            Some(start) => format!("position fen {}", start.write_uci_position()),
            None => "position startpos".into(),
        };
        for (index, ply) in history.plies().iter().enumerate() {
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&ply.uci);
        }
        line
    }
}

impl Client for UciClient {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.identity = ugi_uci::greet(link, "uci", "uciok", deadline)?;
        Ok(self.identity.clone())
    }

    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        ugi_uci::set_option(link, name, value)
    }

    fn synchronize(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.pending_ready.synchronize(link, deadline)
    }

    fn new_game(
        &mut self,
        link: &mut dyn Link,
        history: &GameHistory,
        _side: Player,
        _limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        if self.drops.is_none() {
            self.drops = Some(self.select_game(link, history.game().name())?);
        }
        send_all(link, ["ucinewgame"])?;
        self.pending_ready.synchronize(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, history: &GameHistory, deadline: Instant) -> Result<(), ClientError> {
        send_all(link, [self.position_command(history)])?;
        self.pending_ready.synchronize(link, deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _history: &GameHistory, limits: &GoLimits) -> Result<(), ClientError> {
        ugi_uci::go(link, "go", limits, TIMES, INCREMENTS)
    }

    fn ponder(&mut self, link: &mut dyn Link, history: &GameHistory, limits: &GoLimits) -> Result<bool, ClientError> {
        send_all(link, [self.position_command(history)])?;
        ugi_uci::go(link, "go ponder", limits, TIMES, INCREMENTS).map(|()| true)
    }

    fn ponder_hit(&mut self, link: &mut dyn Link) -> Result<(), ClientError> {
        send_all(link, ["ponderhit"])
    }

    fn parse_reply(&mut self, line: &str) -> EngineReply {
        ugi_uci::parse_reply(line, &mut self.pending_ready)
    }

    fn probe(&mut self, link: &mut dyn Link) -> Result<bool, ClientError> {
        self.pending_ready.ask(link).map(|()| true)
    }

    fn stop(&mut self, link: &mut dyn Link) -> Result<bool, ClientError> {
        send_all(link, ["stop"]).map(|()| true)
    }

    fn game_over(
        &mut self,
        link: &mut dyn Link,
        _history: &GameHistory,
        _outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        // UCI has no query for it; the only possible check is that the engine is still responsive.
        self.pending_ready.synchronize(link, deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::ScriptedLink;
    use super::*;
    use crate::games::any::by_name;

    fn play(history: &mut GameHistory, moves: &str) {
        for word in moves.split_whitespace() {
            let played = history.legal_move(word).unwrap();
            assert!(history.play(played));
        }
    }

    #[test]
    fn fairy_stockfish_gets_its_variant_name_and_drops() {
        let mut script = ScriptedLink::new(&format!(
            "> uci\n< option name UCI_Variant type combo default chess var chess var flipello\n< uciok\n\
             > setoption name UCI_Variant value flipello\n> ucinewgame\n> isready\n< readyok\n\
             > position startpos moves P@f4 P@d3\n> isready\n< readyok\n> go movetime 100\n\
             > position startpos moves P@f4 P@d3 P@c6\n> go ponder movetime 100\n> ponderhit\n\
             > position fen 8/8/8/3pP3/3PP3/3P4/8/8[{}{}] b - - 0 1\n> isready\n< readyok",
            "P".repeat(59),
            "p".repeat(59)
        ));
        let (mut client, now) = (UciClient::new(PassNotation::Word("0000".into())), Instant::now());
        client.greet(&mut script, now).unwrap();
        let mut history = GameHistory::from_start(by_name("othello").unwrap());
        let limits = GoLimits { move_time_ms: Some(100), ..GoLimits::default() };
        client.new_game(&mut script, &history, Player::First, &limits, now).unwrap();
        play(&mut history, "f5 d6");
        client.prepare(&mut script, &history, now).unwrap();
        client.go(&mut script, &history, &limits).unwrap();
        play(&mut history, "c3");
        assert!(client.ponder(&mut script, &history, &limits).unwrap());
        client.ponder_hit(&mut script).unwrap();
        let history = GameHistory::from_position(by_name("othello").unwrap(), "8/8/8/3ox3/3xx3/3x4/8/8 o").unwrap();
        client.prepare(&mut script, &history, now).unwrap();
        script.finish();
        // Its notation is parsed.
        let history = GameHistory::from_start(by_name("othello").unwrap());
        assert_eq!(history.legal_move("P@f4"), history.legal_move("f5"));
    }

    #[test]
    fn option_game_selects_the_game_and_an_unsupported_game_is_an_error() {
        let offer = "> uci\n< option name Game type combo default othello var othello var tictactoe\n< uciok\n";
        let mut script = ScriptedLink::new(&format!(
            "{offer}> setoption name Game value tictactoe\n> ucinewgame\n> isready\n< readyok\n\
             > position startpos moves b2\n> isready\n< readyok"
        ));
        let (mut client, now) = (UciClient::new(PassNotation::Word("pass".into())), Instant::now());
        client.greet(&mut script, now).unwrap();
        let mut history = GameHistory::from_start(by_name("tictactoe").unwrap());
        client.new_game(&mut script, &history, Player::First, &GoLimits::default(), now).unwrap();
        play(&mut history, "P@b2");
        client.prepare(&mut script, &history, now).unwrap();
        script.finish();

        let mut script = ScriptedLink::new(offer);
        let mut client = UciClient::new(PassNotation::Implicit);
        client.greet(&mut script, now).unwrap();
        let history = GameHistory::from_start(by_name("othello6").unwrap());
        let error = client.new_game(&mut script, &history, Player::First, &GoLimits::default(), now).unwrap_err();
        assert!(error.to_string().contains("othello6"), "{error}");
    }
}
