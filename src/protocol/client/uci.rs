//! UCI for games other than chess: our own engine's dialect, and Fairy-Stockfish's, where option `UCI_Variant` chooses the
//! game and moves are drops (`P@e3`, a pass is `e3e3`).

use std::time::Instant;

use super::words::{self, Readiness};
use super::{Client, ClientError, Course, GoLimits, Heard, Identity, Link, PassStyle, send_all};
use crate::game::{Outcome, Player};

/// A client of UCI engines.
pub struct Uci {
    pass: PassStyle,
    identity: Identity,
    /// Whether the engine was told the game as a variant, and so reads and writes drops; `None` before the first game.
    drops: Option<bool>,
    readiness: Readiness,
}

/// The name that a game has as a value of `UCI_Variant`.
fn variant(game: &str) -> &str {
    match game {
        "othello" => "flipello",
        "othello6" => "flipello6",
        "othello4" => "flipello4",
        other => other,
    }
}

impl Uci {
    /// A client that tells passes in this style where the engine reads our own spelling.
    pub fn new(pass: PassStyle) -> Uci {
        Uci { pass, identity: Identity::default(), drops: None, readiness: Readiness::default() }
    }

    /// Chooses the game, by whichever option the engine has for it.
    fn choose(&mut self, link: &mut dyn Link, game: &str) -> Result<bool, ClientError> {
        let offers = |name: &str, value: &str| {
            self.identity.option(name).map(|option| option.values.iter().any(|offered| offered == value))
        };
        match (offers("UCI_Variant", variant(game)), offers("Game", game)) {
            (Some(true), _) => words::set_option(link, "UCI_Variant", Some(variant(game))).map(|()| true),
            (_, Some(true)) => words::set_option(link, "Game", Some(game)).map(|()| false),
            (None, None) => Ok(false),
            _ => Err(ClientError::Unable(format!("neither its UCI_Variant nor its option Game offers {game}"))),
        }
    }

    /// The line that tells a course; how moves are spelled depends on how the first game was chosen.
    pub fn position(&self, course: &Course) -> String {
        if self.drops != Some(true) {
            return words::position(course, &self.pass);
        }
        let mut line = match course.start() {
            Some(start) => format!("position fen {}", start.write_uci_position()),
            None => "position startpos".into(),
        };
        for (index, ply) in course.plies().iter().enumerate() {
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&ply.uci);
        }
        line
    }
}

impl Client for Uci {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.identity = words::greet(link, "uci", "uciok", deadline)?;
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
        if self.drops.is_none() {
            self.drops = Some(self.choose(link, course.game().name())?);
        }
        send_all(link, ["ucinewgame"])?;
        self.readiness.synchronise(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, course: &Course, deadline: Instant) -> Result<(), ClientError> {
        send_all(link, [self.position(course)])?;
        self.readiness.synchronise(link, deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _course: &Course, limits: &GoLimits) -> Result<(), ClientError> {
        words::go(link, limits, ["wtime", "btime"], ["winc", "binc"])
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
        _course: &Course,
        _outcome: Outcome,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        // UCI has no question for it; that the engine is still there is all that can be asked.
        self.readiness.synchronise(link, deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Script;
    use super::*;
    use crate::games::any::by_name;

    fn play(course: &mut Course, moves: &str) {
        for word in moves.split_whitespace() {
            let played = course.legal_move(word).unwrap();
            assert!(course.play(played));
        }
    }

    #[test]
    fn fairy_stockfish_hears_flipello() {
        let mut script = Script::new(&format!(
            "> uci\n< option name UCI_Variant type combo default chess var chess var flipello\n< uciok\n\
             > setoption name UCI_Variant value flipello\n> ucinewgame\n> isready\n< readyok\n\
             > position startpos moves P@f4 P@d3\n> isready\n< readyok\n> go movetime 100\n\
             > position fen 8/8/8/3pP3/3PP3/3P4/8/8[{}{}] b - - 0 1\n> isready\n< readyok",
            "P".repeat(59),
            "p".repeat(59)
        ));
        let (mut client, now) = (Uci::new(PassStyle::Word("0000".into())), Instant::now());
        client.greet(&mut script, now).unwrap();
        let mut course = Course::from_start(by_name("othello").unwrap());
        let limits = GoLimits { move_time_ms: Some(100), ..GoLimits::default() };
        client.new_game(&mut script, &course, Player::First, &limits, now).unwrap();
        play(&mut course, "f5 d6");
        client.prepare(&mut script, &course, now).unwrap();
        client.go(&mut script, &course, &limits).unwrap();
        let course = Course::from_position(by_name("othello").unwrap(), "8/8/8/3ox3/3xx3/3x4/8/8 o").unwrap();
        client.prepare(&mut script, &course, now).unwrap();
        script.finish();
        // Its words are read back.
        let course = Course::from_start(by_name("othello").unwrap());
        assert_eq!(course.legal_move("P@f4"), course.legal_move("f5"));
    }

    #[test]
    fn our_dialect_is_chosen_by_game_and_an_unknown_game_is_refused() {
        let offer = "> uci\n< option name Game type combo default othello var othello var tictactoe\n< uciok\n";
        let mut script = Script::new(&format!(
            "{offer}> setoption name Game value tictactoe\n> ucinewgame\n> isready\n< readyok\n> position startpos moves b2\n> isready\n< readyok"
        ));
        let (mut client, now) = (Uci::new(PassStyle::Word("pass".into())), Instant::now());
        client.greet(&mut script, now).unwrap();
        let mut course = Course::from_start(by_name("tictactoe").unwrap());
        client.new_game(&mut script, &course, Player::First, &GoLimits::default(), now).unwrap();
        play(&mut course, "P@b2");
        client.prepare(&mut script, &course, now).unwrap();
        script.finish();

        let mut script = Script::new(offer);
        let mut client = Uci::new(PassStyle::Implicit);
        client.greet(&mut script, now).unwrap();
        let course = Course::from_start(by_name("othello6").unwrap());
        let error = client.new_game(&mut script, &course, Player::First, &GoLimits::default(), now).unwrap_err();
        assert!(error.to_string().contains("othello6"), "{error}");
    }
}
