//! NBoard client (protocol 2) for Othello 8x8. The engine's board changes only by `move`, also for
//! its own moves. Nothing is sent during a search: a ping would abort it.

use super::history::GameHistory;
use super::interface::{Client, EngineReply, GoLimits, Identity, seconds, split_word};
use super::link::{ClientError, Exchange, Result};
use super::search_info::SearchInfo;
use crate::game::Player;
use crate::games::record::ReportedScore;
use crate::games::reversi::ggf::GgfGame;

/// A client of NBoard engines.
#[derive(Default)]
pub struct NBoardClient {
    pings: u32,
    /// Plies of the current game already sent.
    plies_sent: usize,
}

impl NBoardClient {
    /// Sends a ping, waits for its answer, and passes the lines before it to `take`.
    fn ping(&mut self, exchange: &mut Exchange, mut take: impl FnMut(&str)) -> Result {
        self.pings += 1;
        exchange.send(format!("ping {}", self.pings))?;
        let pong = format!("pong {}", self.pings);
        exchange.wait_for(&pong, |line| {
            take(line);
            (line == pong).then_some(())
        })
    }
}

impl Client for NBoardClient {
    fn greet(&mut self, exchange: &mut Exchange) -> Result<Identity> {
        let mut identity = Identity::default();
        exchange.send("nboard 2")?;
        self.ping(exchange, |line| {
            if let Some(name) = line.strip_prefix("set myname ") {
                identity.name = name.trim().into();
            }
        })?;
        Ok(identity)
    }

    fn set_option(&mut self, exchange: &mut Exchange, name: &str, value: Option<&str>) -> Result {
        exchange.send(format!("set {name} {}", value.unwrap_or("")).trim_end())
    }

    fn refusal(&self) -> &'static str {
        "status error"
    }

    fn synchronize(&mut self, exchange: &mut Exchange) -> Result {
        self.ping(exchange, |_| {})
    }

    fn new_game(
        &mut self,
        exchange: &mut Exchange,
        game: &GameHistory,
        _side: Player,
        limits: &GoLimits,
    ) -> Result {
        let game = game.rules()?;
        let Some(start) = game.start().discs().filter(|_| game.name() == "othello") else {
            return Err(ClientError::Unable(format!(
                "the NBoard client supports othello only, not {}",
                game.name()
            )));
        };
        let mut start = GgfGame::new(start);
        for (tag, value) in [
            ("PC", "nullwindow"),
            ("PB", "black"),
            ("PW", "white"),
            ("RE", "?"),
            ("TI", "0"),
            ("TY", "8"),
        ] {
            start.add_tag(tag, value);
        }
        exchange.send(format!("set game {}", start.write()))?;
        if let Some(depth) = limits.depth {
            exchange.send(format!("set depth {depth}"))?;
        }
        self.plies_sent = 0;
        self.synchronize(exchange)
    }

    fn position(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        let game = game.rules()?;
        for (position, played) in game.plies().skip(self.plies_sent) {
            let word = if played.is_pass() {
                "PA".into()
            } else {
                position.write_move(played).to_ascii_uppercase()
            };
            exchange.send(format!("move {word}"))?;
        }
        self.plies_sent = game.history().len();
        Ok(())
    }

    fn go(&mut self, exchange: &mut Exchange, _game: &GameHistory, _limits: &GoLimits) -> Result {
        exchange.send("go")
    }

    fn parse_reply(&mut self, line: &str) -> EngineReply {
        match split_word(line.trim()) {
            ("===", rest) => {
                let (word, rest) = split_field(rest);
                let word = Some(word.to_ascii_lowercase()).filter(|word| !word.is_empty());
                let eval = split_field(rest)
                    .0
                    .parse::<f64>()
                    .ok()
                    .filter(|eval| eval.is_finite());
                let score = eval.map(ReportedScore::of_points);
                EngineReply::Move {
                    word,
                    ponder: None,
                    info: SearchInfo {
                        score,
                        ..SearchInfo::default()
                    },
                }
            }
            ("nodestats", rest) => {
                let nodes = split_word(rest).0.parse().ok();
                EngineReply::Info(SearchInfo {
                    nodes,
                    ..SearchInfo::default()
                })
            }
            ("status", _) => EngineReply::Info(SearchInfo::default()),
            ("pong", _) => EngineReply::Ready,
            _ => EngineReply::Ignored,
        }
    }

    /// The NBoard protocol has a depth limit only.
    fn unsupported_limits(&self, limits: &GoLimits) -> Vec<String> {
        let clock = limits.clocks.iter().flatten().next().map(|clock| {
            let increment = match clock.increment_ms {
                0 => String::new(),
                ms => format!("+{}", seconds(ms)),
            };
            format!("clock {}{increment}", seconds(clock.left_ms))
        });
        let move_time = limits
            .move_time_ms
            .map(|ms| format!("time per move {} s", seconds(ms)));
        [
            clock,
            move_time,
            limits.nodes.map(|nodes| format!("nodes {nodes}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Splits off the first field of `F5/1.5/0.25` or of Edax's `f5 1.50 0.2`.
fn split_field(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| c == '/' || c.is_ascii_whitespace())
        .unwrap_or(text.len());
    let (field, rest) = text.split_at(end);
    let rest = rest.trim_start();
    (field, rest.strip_prefix('/').unwrap_or(rest).trim_start())
}

#[cfg(test)]
mod tests {
    use super::super::link::testing::ScriptedLink;
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
        let mut client = NBoardClient::default();
        assert_eq!(client.greet(&mut script.exchange()).unwrap().name, "Toy");
        let mut history: GameHistory = by_name("othello").unwrap().into();
        let limits = GoLimits {
            depth: Some(4),
            ..GoLimits::default()
        };
        client
            .new_game(&mut script.exchange(), &history, Player::Second, &limits)
            .unwrap();
        assert!(history.play("f5").is_some());
        client.prepare(&mut script.exchange(), &history).unwrap();
        client
            .go(&mut script.exchange(), &history, &limits)
            .unwrap();
        let EngineReply::Move {
            word: Some(word),
            info,
            ..
        } = client.parse_reply("=== D6/-1.5/0.25")
        else {
            panic!("no move")
        };
        assert_eq!(info.score, Some(ReportedScore::Cp(-150)));
        assert!(history.play(&word).is_some());
        client.prepare(&mut script.exchange(), &history).unwrap();
        script.finish();
        assert!(
            matches!(client.parse_reply("=== PA"), EngineReply::Move { word: Some(word), .. } if word == "pa")
        );
        assert!(
            matches!(client.parse_reply("=== F5//3.1"), EngineReply::Move { info, .. } if info.score.is_none())
        );
        for line in [
            "=== e8 0.50 0.0",
            "===  E8\t0.5",
            "=== e8 / 0.50 / 0.0",
            "=== E8/0.5",
        ] {
            let EngineReply::Move {
                word: Some(word),
                info,
                ..
            } = client.parse_reply(line)
            else {
                panic!("no move")
            };
            assert_eq!(
                (word.as_str(), info.score),
                ("e8", Some(ReportedScore::Cp(50))),
                "{line}"
            );
        }
        let thinking = EngineReply::Info(SearchInfo::default());
        assert_eq!(client.parse_reply("status Thinking..."), thinking);
        assert!(matches!(
            client.parse_reply("==="),
            EngineReply::Move { word: None, .. }
        ));
    }
}
