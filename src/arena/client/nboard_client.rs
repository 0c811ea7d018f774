//! NBoard client (protocol 2) for Othello 8x8. The engine's board changes only by `move`, also for its own moves.
//! Nothing is sent during a search: a ping would abort it.

use std::time::Instant;

use super::client_error::ClientError;
use super::exchange::{send_all, wait_for};
use super::game_history::GameHistory;
use super::go_limits::{GoLimits, seconds};
use super::identity::Identity;
use super::interface::{Client, EngineReply};
use super::link::Link;
use super::search_info::{ReportedScore, SearchInfo};
use crate::game::Player;
use crate::games::reversi::ggf;

/// A client of NBoard engines.
#[derive(Default)]
pub struct NBoardClient {
    pings: u32,
    /// Plies of the current game already sent.
    plies_sent: usize,
}

impl NBoardClient {
    /// A client.
    pub fn new() -> NBoardClient {
        NBoardClient::default()
    }
}

impl Client for NBoardClient {
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

    fn synchronize(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        send_all(link, [format!("ping {}", self.pings)])?;
        wait_for(link, deadline, &pong, |line| (line.trim() == pong).then_some(()))
    }

    fn new_game(
        &mut self,
        link: &mut dyn Link,
        history: &GameHistory,
        _side: Player,
        limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let start = ggf_start(history).filter(|_| history.game().name() == "othello");
        let Some(start) = start else {
            return Err(ClientError::Unable(format!(
                "the NBoard client supports othello only, not {}",
                history.game().name()
            )));
        };
        send_all(link, [format!("set game {start}")])?;
        if let Some(depth) = limits.depth {
            send_all(link, [format!("set depth {depth}")])?;
        }
        self.plies_sent = 0;
        self.synchronize(link, deadline)
    }

    fn prepare(&mut self, link: &mut dyn Link, history: &GameHistory, deadline: Instant) -> Result<(), ClientError> {
        for ply in history.plies().iter().skip(self.plies_sent) {
            let word = if ply.played.is_pass() { "PA".into() } else { ply.word.to_ascii_uppercase() };
            send_all(link, [format!("move {word}")])?;
        }
        self.plies_sent = history.plies().len();
        self.synchronize(link, deadline)
    }

    fn go(&mut self, link: &mut dyn Link, _history: &GameHistory, _limits: &GoLimits) -> Result<(), ClientError> {
        send_all(link, ["go"])
    }

    /// The NBoard protocol has a depth limit only.
    fn unsupported_limits(&self, limits: &GoLimits) -> Vec<String> {
        let clock = limits.clocks.iter().flatten().next().map(|clock| format!("clock {}", clock.time_control()));
        let move_time = limits.move_time_ms.map(|ms| format!("time per move {} s", seconds(ms)));
        [clock, move_time, limits.nodes.map(|nodes| format!("nodes {nodes}"))].into_iter().flatten().collect()
    }

    fn parse_reply(&mut self, line: &str) -> EngineReply {
        let line = line.trim();
        let (first, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        match first {
            "===" => {
                let (word, rest) = split_field(rest);
                let word = Some(word.to_ascii_lowercase()).filter(|word| !word.is_empty());
                let eval = split_field(rest).0.parse::<f64>().ok().filter(|eval| eval.is_finite());
                let score = eval.map(|discs| ReportedScore::Cp((discs * 100.0).round() as i64));
                EngineReply::Move { word, ponder: None, info: SearchInfo { score, ..SearchInfo::default() } }
            }
            "nodestats" => {
                let nodes = rest.split_ascii_whitespace().next().and_then(|nodes| nodes.parse::<u64>().ok());
                EngineReply::Info(SearchInfo { nodes, ..SearchInfo::default() })
            }
            "pong" => EngineReply::Ready,
            _ => EngineReply::Ignored,
        }
    }
}

/// Splits off the first field of `F5/1.5/0.25` or of Edax's `f5 1.50 0.2`.
fn split_field(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| c == '/' || c.is_ascii_whitespace()).unwrap_or(text.len());
    let (field, rest) = text.split_at(end);
    let rest = rest.trim_start();
    (field, rest.strip_prefix('/').unwrap_or(rest))
}

/// The game without its moves in GGF; `None` if it is not an Othello variant.
fn ggf_start(history: &GameHistory) -> Option<String> {
    let mut start = history.game().clone();
    while start.undo() {}
    let mut game = ggf::GgfGame::new(start.discs()?);
    for (name, value) in [("PC", "nullwindow"), ("PB", "black"), ("PW", "white"), ("RE", "?"), ("TI", "0"), ("TY", "8")]
    {
        game.set_tag(name, value);
    }
    Some(game.write())
}

#[cfg(test)]
mod tests {
    use super::super::testing::ScriptedLink;
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn a_game_is_set_up_and_played() {
        let start = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let mut script = ScriptedLink::new(&format!(
            "> nboard 2\n> ping 1\n< set myname Toy\n< pong 1\n\
             > set game (;GM[Othello]PC[nullwindow]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {start}];)\n> set depth 4\n\
             > ping 2\n< status\n< pong 2\n> move F5\n> ping 3\n< pong 2\n< pong 3\n> go\n> move D6\n> ping 4\n< pong 4"
        ));
        let (mut client, now) = (NBoardClient::new(), Instant::now());
        assert_eq!(client.greet(&mut script, now).unwrap().name, "Toy");
        let mut history = GameHistory::from_start(by_name("othello").unwrap());
        let limits = GoLimits { depth: Some(4), ..GoLimits::default() };
        client.new_game(&mut script, &history, Player::Second, &limits, now).unwrap();
        let f5 = history.legal_move("f5").unwrap();
        assert!(history.play(f5));
        client.prepare(&mut script, &history, now).unwrap();
        client.go(&mut script, &history, &limits).unwrap();
        let EngineReply::Move { word: Some(word), info, .. } = client.parse_reply("=== D6/-1.5/0.25") else {
            panic!("no move")
        };
        assert_eq!(info.score, Some(ReportedScore::Cp(-150)));
        let d6 = history.legal_move(&word).unwrap();
        assert!(history.play(d6));
        client.prepare(&mut script, &history, now).unwrap();
        script.finish();
        assert!(matches!(client.parse_reply("=== PA"), EngineReply::Move { word: Some(word), .. } if word == "pa"));
        assert!(matches!(client.parse_reply("=== F5//3.1"), EngineReply::Move { info, .. } if info.score.is_none()));
        for line in ["=== e8 0.50 0.0", "===  E8\t0.5", "=== e8 / 0.50 / 0.0", "=== E8/0.5"] {
            let EngineReply::Move { word: Some(word), info, .. } = client.parse_reply(line) else { panic!("no move") };
            assert_eq!((word.as_str(), info.score), ("e8", Some(ReportedScore::Cp(50))), "{line}");
        }
        assert!(matches!(client.parse_reply("==="), EngineReply::Move { word: None, .. }));
    }
}
