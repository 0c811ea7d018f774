//! UGI client. At every move the engine's replies to queries are compared with the rules.

use std::time::Instant;

use super::client_error::ClientError;
use super::exchange::{send_all, wait_for};
use super::game_history::GameHistory;
use super::go_limits::GoLimits;
use super::identity::Identity;
use super::interface::{Client, EngineReply, PassNotation};
use super::link::Link;
use super::ugi_uci::{self, PendingReady};
use crate::game::{Outcome, Player};

/// A client of UGI engines.
pub struct UgiClient {
    pass: PassNotation,
    identity: Identity,
    game_selected: bool,
    pending_ready: PendingReady,
}

impl UgiClient {
    /// A client that sends passes in this notation.
    pub fn new(pass: PassNotation) -> UgiClient {
        UgiClient { pass, identity: Identity::default(), game_selected: false, pending_ready: PendingReady::default() }
    }

    /// The `position` command for a history.
    pub fn position_command(&self, history: &GameHistory) -> String {
        ugi_uci::position_command(history, &self.pass)
    }

    /// Sends the position and all queries, then compares the answers with the expected ones.
    fn check_queries(
        &mut self,
        link: &mut dyn Link,
        history: &GameHistory,
        queries: &[(&str, &str)],
        deadline: Instant,
    ) -> Result<(), ClientError> {
        send_all(link, [self.position_command(history)])?;
        send_all(link, queries.iter().map(|(query, _)| format!("query {query}")))?;
        self.pending_ready.ask(link)?;
        let mut answers = Vec::new();
        let awaited = format!("response to query {}", queries.first().map_or("", |(query, _)| query));
        wait_for(link, deadline, &awaited, |line| {
            let line = line.trim();
            if line == "response" || line.starts_with("response ") {
                answers.push(line["response".len()..].trim().to_string());
            }
            self.pending_ready.is_answered_by(line).then_some(())
        })?;
        for (index, (query, expected)) in queries.iter().enumerate() {
            let answer = answers.get(index).map_or("nothing", String::as_str);
            if answer != *expected {
                return Err(ClientError::WrongAnswer {
                    query: (*query).into(),
                    answer: answer.into(),
                    expected: (*expected).into(),
                });
            }
        }
        Ok(())
    }
}

impl Client for UgiClient {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.identity = ugi_uci::greet(link, "ugi", "ugiok", deadline)?;
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
        let name = history.game().name();
        if let Some(option) = self.identity.option("Game").filter(|_| !self.game_selected) {
            if !option.values.is_empty() && !option.values.iter().any(|value| value == name) {
                return Err(ClientError::Unable(format!("its option Game has no value {name}")));
            }
            ugi_uci::set_option(link, &option.name, Some(name))?;
            self.game_selected = true;
        }
        send_all(link, ["uginewgame"])?;
        self.pending_ready.synchronize(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, history: &GameHistory, deadline: Instant) -> Result<(), ClientError> {
        let p1_turn = if history.to_move() == Player::First { "true" } else { "false" };
        self.check_queries(link, history, &[("p1turn", p1_turn), ("gameover", "false")], deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _history: &GameHistory, limits: &GoLimits) -> Result<(), ClientError> {
        ugi_uci::go(link, "go", limits, ["p1time", "p2time"], ["p1inc", "p2inc"])
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
        history: &GameHistory,
        outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        // An adjudicated game is not over by the rules: there is nothing to query.
        if history.outcome().is_none() {
            return Ok(());
        }
        self.check_queries(link, history, &[("gameover", "true"), ("result", outcome_word(outcome))], deadline)
    }
}

/// The answer to UGI's `query result`.
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::FirstWins => "p1win",
        Outcome::SecondWins => "p2win",
        Outcome::Draw => "draw",
    }
}

#[cfg(test)]
mod tests {
    use super::super::go_limits::ClockView;
    use super::super::link::LinkError;
    use super::super::testing::ScriptedLink;
    use super::*;
    use crate::games::any::by_name;

    fn history(moves: &str) -> GameHistory {
        let mut history = GameHistory::from_start(by_name("tictactoe").unwrap());
        for word in moves.split_whitespace() {
            let played = history.legal_move(word).unwrap();
            assert!(history.play(played));
        }
        history
    }

    fn client() -> UgiClient {
        UgiClient::new(PassNotation::Word("pass".into()))
    }

    #[test]
    fn a_game_is_sent_and_its_queries_are_checked() {
        let mut script = ScriptedLink::new(
            "> ugi\n< hello\n< id name A B\n< id author C\n\
             < option name Game type combo default othello var othello var tictactoe\n< ugiok \n\
             > setoption name Hash value 8\n> isready\n< noise\n< readyok\n\
             > setoption name Game value tictactoe\n> uginewgame\n> isready\n< readyok\n\
             > position startpos moves b2\n> query p1turn\n> query gameover\n> isready\n\
             < response false\n< info string x\n< response false\n< readyok\n\
             > go p1time 990 p2time 1000 p1inc 10 p2inc 10\n> uginewgame\n> isready\n< readyok\n> quit",
        );
        let (mut client, now) = (client(), Instant::now());
        let identity = client.greet(&mut script, now).unwrap();
        assert_eq!((identity.name.as_str(), identity.author.as_str()), ("A B", "C"));
        client.set_option(&mut script, "Hash", Some("8")).unwrap();
        client.synchronize(&mut script, now).unwrap();
        let limits = GoLimits {
            clocks: [
                Some(ClockView { left_ms: 990, increment_ms: 10, moves_to_go: None }),
                Some(ClockView { left_ms: 1000, increment_ms: 10, moves_to_go: None }),
            ],
            ..GoLimits::default()
        };
        client.new_game(&mut script, &history(""), Player::First, &limits, now).unwrap();
        client.prepare(&mut script, &history("b2"), now).unwrap();
        client.go(&mut script, &history("b2"), &limits).unwrap();
        client.new_game(&mut script, &history(""), Player::First, &limits, now).unwrap();
        client.quit(&mut script);
        script.finish();
    }

    #[test]
    fn wrong_answers_are_quoted_in_the_error() {
        let mut script = ScriptedLink::new(
            "> position startpos\n> query p1turn\n> query gameover\n> isready\n\
             < response true\n< response true\n< readyok",
        );
        let error = client().prepare(&mut script, &history(""), Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "query gameover answered \"true\", expected false");
        let mut script =
            ScriptedLink::new("> position startpos\n> query p1turn\n> query gameover\n> isready\n< readyok");
        let error = client().prepare(&mut script, &history(""), Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "query p1turn answered \"nothing\", expected true");
        let mut script = ScriptedLink::new(
            "> position startpos moves a1 b1 a2 b2 a3\n> query gameover\n> query result\n> isready\n\
             < response true\n< response p2win\n< readyok",
        );
        let error = client()
            .game_over(&mut script, &history("a1 b1 a2 b2 a3"), Outcome::FirstWins, Instant::now())
            .unwrap_err();
        assert_eq!(error.to_string(), "query result answered \"p2win\", expected p1win");
    }

    #[test]
    fn a_missing_answer_is_a_link_error() {
        let mut script = ScriptedLink::new("> isready");
        let error = client().synchronize(&mut script, Instant::now()).unwrap_err();
        assert!(matches!(error, ClientError::Link { error: LinkError::Timeout, .. }), "{error:?}");
        assert_eq!(error.to_string(), "no answer in time (waiting for readyok)");
    }
}
