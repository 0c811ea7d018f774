//! UGI: the engine holds the rules too, and is asked at every move whether it agrees with ours.

use std::time::Instant;

use super::words::{self, Readiness};
use super::{
    Client, ClientError, Course, GoLimits, Heard, Identity, Link, PassStyle, outcome_word, send_all, wait_for,
};
use crate::game::{Outcome, Player};

/// A client of UGI engines.
pub struct Ugi {
    pass: PassStyle,
    identity: Identity,
    told_game: bool,
    readiness: Readiness,
}

impl Ugi {
    /// A client that tells passes in this style.
    pub fn new(pass: PassStyle) -> Ugi {
        Ugi { pass, identity: Identity::default(), told_game: false, readiness: Readiness::default() }
    }

    /// The line that tells a course.
    pub fn position(&self, course: &Course) -> String {
        words::position(course, &self.pass)
    }

    /// Sends the position and queries in one go and compares the answers with the rules.
    fn ask(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        queries: &[(&str, &str)],
        deadline: Instant,
    ) -> Result<(), ClientError> {
        send_all(link, [self.position(course)])?;
        send_all(link, queries.iter().map(|(query, _)| format!("query {query}")))?;
        self.readiness.ask(link)?;
        let mut answers = Vec::new();
        let awaited = format!("response to query {}", queries.first().map_or("", |(query, _)| query));
        wait_for(link, deadline, &awaited, |line| {
            let line = line.trim();
            if line == "response" || line.starts_with("response ") {
                answers.push(line["response".len()..].trim().to_string());
            }
            self.readiness.is_answered_by(line).then_some(())
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

impl Client for Ugi {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.identity = words::greet(link, "ugi", "ugiok", deadline)?;
        Ok(self.identity.clone())
    }

    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        words::set_option(link, name, value)
    }

    fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.readiness.synchronise(link, deadline)
    }

    fn new_game(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        _side: Player,
        _limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let name = course.game().name();
        if let Some(option) = self.identity.option("Game").filter(|_| !self.told_game) {
            if !option.values.is_empty() && !option.values.iter().any(|value| value == name) {
                return Err(ClientError::Unable(format!("its option Game does not offer {name}")));
            }
            words::set_option(link, &option.name, Some(name))?;
            self.told_game = true;
        }
        send_all(link, ["uginewgame"])?;
        self.readiness.synchronise(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, course: &Course, deadline: Instant) -> Result<(), ClientError> {
        let p1_turn = if course.to_move() == Player::First { "true" } else { "false" };
        self.ask(link, course, &[("p1turn", p1_turn), ("gameover", "false")], deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _course: &Course, limits: &GoLimits) -> Result<(), ClientError> {
        words::go(link, limits, ["p1time", "p2time"], ["p1inc", "p2inc"])
    }

    fn hear(&mut self, line: &str) -> Heard {
        words::hear(line, &mut self.readiness)
    }

    fn probe(&mut self, link: &mut dyn Link) -> Result<bool, ClientError> {
        self.readiness.ask(link).map(|()| true)
    }

    fn stop(&mut self, link: &mut dyn Link) -> Result<bool, ClientError> {
        send_all(link, ["stop"]).map(|()| true)
    }

    fn game_over(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        // A game that was cut short is not over by the rules: there is nothing to ask.
        if course.outcome().is_none() {
            return Ok(());
        }
        self.ask(link, course, &[("gameover", "true"), ("result", outcome_word(outcome))], deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Script;
    use super::super::{ClockView, LinkError};
    use super::*;
    use crate::games::any::by_name;

    fn course(moves: &str) -> Course {
        let mut course = Course::from_start(by_name("tictactoe").unwrap());
        for word in moves.split_whitespace() {
            let played = course.legal_move(word).unwrap();
            assert!(course.play(played));
        }
        course
    }

    fn client() -> Ugi {
        Ugi::new(PassStyle::Word("pass".into()))
    }

    #[test]
    fn a_game_is_told_and_checked() {
        let mut script = Script::new(
            "> ugi\n< hello\n< id name A B\n< id author C\n< option name Game type combo default othello var othello var tictactoe\n\
             < ugiok \n> setoption name Hash value 8\n> isready\n< noise\n< readyok\n\
             > setoption name Game value tictactoe\n> uginewgame\n> isready\n< readyok\n\
             > position startpos moves b2\n> query p1turn\n> query gameover\n> isready\n\
             < response false\n< info string x\n< response false\n< readyok\n\
             > go p1time 990 p2time 1000 p1inc 10 p2inc 10\n> uginewgame\n> isready\n< readyok\n> quit",
        );
        let (mut client, now) = (client(), Instant::now());
        let identity = client.greet(&mut script, now).unwrap();
        assert_eq!((identity.name.as_str(), identity.author.as_str()), ("A B", "C"));
        client.set_option(&mut script, "Hash", Some("8")).unwrap();
        client.synchronise(&mut script, now).unwrap();
        let limits = GoLimits {
            clocks: [
                Some(ClockView { left_ms: 990, increment_ms: 10, moves_to_go: None }),
                Some(ClockView { left_ms: 1000, increment_ms: 10, moves_to_go: None }),
            ],
            ..GoLimits::default()
        };
        client.new_game(&mut script, &course(""), Player::First, &limits, now).unwrap();
        client.prepare(&mut script, &course("b2"), now).unwrap();
        client.go(&mut script, &course("b2"), &limits).unwrap();
        client.new_game(&mut script, &course(""), Player::First, &limits, now).unwrap();
        client.quit(&mut script);
        script.finish();
    }

    #[test]
    fn wrong_answers_are_named() {
        let mut script = Script::new(
            "> position startpos\n> query p1turn\n> query gameover\n> isready\n< response true\n< response true\n< readyok",
        );
        let error = client().prepare(&mut script, &course(""), Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "query gameover answered \"true\", expected false");
        let mut script = Script::new("> position startpos\n> query p1turn\n> query gameover\n> isready\n< readyok");
        let error = client().prepare(&mut script, &course(""), Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "query p1turn answered \"nothing\", expected true");
        let mut script = Script::new(
            "> position startpos moves a1 b1 a2 b2 a3\n> query gameover\n> query result\n> isready\n\
             < response true\n< response p2win\n< readyok",
        );
        let error =
            client().game_over(&mut script, &course("a1 b1 a2 b2 a3"), Outcome::FirstWins, Instant::now()).unwrap_err();
        assert_eq!(error.to_string(), "query result answered \"p2win\", expected p1win");
    }

    #[test]
    fn silence_is_a_link_error() {
        let mut script = Script::new("> isready");
        let error = client().synchronise(&mut script, Instant::now()).unwrap_err();
        assert!(matches!(error, ClientError::Link { error: LinkError::Timeout, .. }), "{error:?}");
        assert_eq!(error.to_string(), "no answer in time (waiting for readyok)");
    }
}
