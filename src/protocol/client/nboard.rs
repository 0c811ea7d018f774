//! NBoard, protocol 2, for Othello 8x8: the engine keeps the game, a move it finds is played by the `move` that follows. While it
//! thinks it is not spoken to: a ping would make it drop its search.

use std::time::Instant;

use super::{
    Client, ClientError, Course, GoLimits, Heard, Identity, Info, Link, SaidScore, seconds, send_all, wait_for,
};
use crate::game::Player;
use crate::games::ggf;

/// A client of NBoard engines.
#[derive(Default)]
pub struct NBoard {
    pings: u32,
    /// Plies of the present game that the engine knows.
    told: usize,
}

impl NBoard {
    /// A client.
    pub fn new() -> NBoard {
        NBoard::default()
    }
}

impl Client for NBoard {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.pings += 1;
        send_all(link, ["nboard 2".to_string(), format!("ping {}", self.pings)])?;
        let (mut identity, pong) = (Identity::default(), format!("pong {}", self.pings));
        wait_for(link, deadline, &pong, |line| {
            if let Some(name) = line.trim().strip_prefix("set myname ") {
                identity.name = name.trim().into();
            }
            (line.trim() == pong).then_some(())
        })?;
        Ok(identity)
    }

    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        send_all(link, [format!("set {name} {}", value.unwrap_or("")).trim_end().to_string()])
    }

    fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        send_all(link, [format!("ping {}", self.pings)])?;
        wait_for(link, deadline, &pong, |line| (line.trim() == pong).then_some(()))
    }

    fn new_game(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        _side: Player,
        limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let beginning = beginning(course).filter(|_| course.game().name() == "othello");
        let Some(beginning) = beginning else {
            return Err(ClientError::Unable(format!("NBoard plays othello, not {}", course.game().name())));
        };
        send_all(link, [format!("set game {beginning}")])?;
        if let Some(depth) = limits.depth {
            send_all(link, [format!("set depth {depth}")])?;
        }
        self.told = 0;
        self.synchronise(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, course: &Course, deadline: Instant) -> Result<(), ClientError> {
        for ply in course.plies().iter().skip(self.told) {
            let word = if ply.played.is_pass() { "PA".into() } else { ply.word.to_ascii_uppercase() };
            send_all(link, [format!("move {word}")])?;
        }
        self.told = course.plies().len();
        self.synchronise(link, deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _course: &Course, _limits: &GoLimits) -> Result<(), ClientError> {
        send_all(link, ["go"])
    }

    /// NBoard's protocol has a depth alone.
    fn not_told(&self, limits: &GoLimits) -> Vec<String> {
        let clock = limits.clocks.iter().flatten().next().map(|clock| format!("clock {}", clock.control()));
        let move_time = limits.move_time_ms.map(|ms| format!("time per move {} s", seconds(ms)));
        [clock, move_time, limits.nodes.map(|nodes| format!("nodes {nodes}"))].into_iter().flatten().collect()
    }

    fn hear(&mut self, line: &str) -> Heard {
        let line = line.trim();
        let (first, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        match first {
            "===" => {
                let (word, behind) = field(rest);
                let word = Some(word.to_ascii_lowercase()).filter(|word| !word.is_empty());
                let eval = field(behind).0.parse::<f64>().ok().filter(|eval| eval.is_finite());
                let score = eval.map(|discs| SaidScore::Cp((discs * 100.0).round() as i64));
                Heard::Move { word, info: Info { score, ..Info::default() } }
            }
            "nodestats" => {
                let nodes = rest.split_ascii_whitespace().next().and_then(|nodes| nodes.parse::<u64>().ok());
                Heard::Info(Info { nodes, ..Info::default() })
            }
            "pong" => Heard::Ready,
            _ => Heard::Noise,
        }
    }
}

/// The first field of `F5/1.5/0.25`, or of Edax's `f5 1.50 0.2`, and what stands behind its separator.
fn field(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| c == '/' || c.is_ascii_whitespace()).unwrap_or(text.len());
    let (field, behind) = text.split_at(end);
    let behind = behind.trim_start();
    (field, behind.strip_prefix('/').unwrap_or(behind))
}

/// The game without its moves, in GGF; `None` if it is no game of discs.
fn beginning(course: &Course) -> Option<String> {
    let mut start = course.game().boxed_clone();
    while start.undo() {}
    let mut game = ggf::GameRecord::new(start.discs()?);
    for (name, value) in [("PC", "nullwindow"), ("PB", "black"), ("PW", "white"), ("RE", "?"), ("TI", "0"), ("TY", "8")]
    {
        game.set_tag(name, value);
    }
    Some(game.write())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Script;
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn a_game_is_set_and_moved() {
        let start = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let mut script = Script::new(&format!(
            "> nboard 2\n> ping 1\n< set myname Toy\n< pong 1\n\
             > set game (;GM[Othello]PC[nullwindow]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {start}];)\n> set depth 4\n\
             > ping 2\n< status\n< pong 2\n> move F5\n> ping 3\n< pong 2\n< pong 3\n> go\n> move D6\n> ping 4\n< pong 4"
        ));
        let (mut client, now) = (NBoard::new(), Instant::now());
        assert_eq!(client.greet(&mut script, now).unwrap().name, "Toy");
        let mut course = Course::from_start(by_name("othello").unwrap());
        let limits = GoLimits { depth: Some(4), ..GoLimits::default() };
        client.new_game(&mut script, &course, Player::Second, &limits, now).unwrap();
        let f5 = course.legal_move("f5").unwrap();
        assert!(course.play(f5));
        client.prepare(&mut script, &course, now).unwrap();
        client.go(&mut script, &course, &limits).unwrap();
        let Heard::Move { word: Some(word), info } = client.hear("=== D6/-1.5/0.25") else { panic!("no move") };
        assert_eq!(info.score, Some(SaidScore::Cp(-150)));
        let d6 = course.legal_move(&word).unwrap();
        assert!(course.play(d6));
        client.prepare(&mut script, &course, now).unwrap();
        script.finish();
        assert!(matches!(client.hear("=== PA"), Heard::Move { word: Some(word), .. } if word == "pa"));
        assert!(matches!(client.hear("=== F5//3.1"), Heard::Move { info, .. } if info.score.is_none()));
        for line in ["=== e8 0.50 0.0", "===  E8\t0.5", "=== e8 / 0.50 / 0.0", "=== E8/0.5"] {
            let Heard::Move { word: Some(word), info } = client.hear(line) else { panic!("no move") };
            assert_eq!((word.as_str(), info.score), ("e8", Some(SaidScore::Cp(50))), "{line}");
        }
        assert!(matches!(client.hear("==="), Heard::Move { word: None, .. }));
    }
}
