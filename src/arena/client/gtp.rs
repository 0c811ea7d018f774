//! GTP client for Othello: colors and squares (`play black F5`, A1 top left), one response per
//! command, no ids.
//!
//! Forced passes are omitted by default, as Quarry does: GRhino refuses `play white pass`, other
//! engines accept both. Only positions reached by moves from the start can be sent. `final_score`
//! is not used: GRhino subtracts komi.

use super::history::GameHistory;
use super::interface::{Client, EngineReply, GoLimits, Identity, seconds};
use super::link::{ClientError, Exchange, Result};
use super::search_info::SearchInfo;
use crate::game::{Game, Player, quoted};

/// A client of GTP engines.
#[derive(Default)]
pub struct GtpClient {
    /// The word for a pass; `None`: passes are omitted.
    pass: Option<String>,
    /// The answer to `name`.
    name: String,
    commands: Vec<String>,
    /// Plies of the current game already sent.
    plies_sent: usize,
    /// Outstanding answers to commands sent before `genmove`.
    pending_answers: usize,
}

fn color(player: Player) -> &'static str {
    player.ordered("black", "white").0
}

impl GtpClient {
    /// A client that sends passes as this word, or not at all.
    pub fn new(pass: Option<String>) -> GtpClient {
        GtpClient {
            pass,
            ..GtpClient::default()
        }
    }

    fn supports(&self, command: &str) -> bool {
        self.commands.iter().any(|listed| listed == command)
    }
}

/// Sends a command and returns its complete answer, lines joined by newlines.
fn ask(exchange: &mut Exchange, command: impl AsRef<str>) -> Result<String> {
    let command = command.as_ref();
    exchange.send(command)?;
    let mut lines: Vec<String> = Vec::new();
    // The empty line that ends the previous answer may still arrive; an answer starts with `=` or
    // `?`.
    exchange.wait_for(&format!("the answer to \"{command}\""), |line| {
        let has_begun = !lines.is_empty();
        if has_begun && line.is_empty() {
            return Some(());
        }
        if has_begun || line.starts_with(['=', '?']) {
            lines.push(line.into());
        }
        None
    })?;
    let answer = lines.join("\n");
    match answer.strip_prefix('=') {
        Some(text) => Ok(text.trim().into()),
        None => Err(ClientError::Refused(format!(
            "\"{command}\" answered \"{}\"",
            quoted(&answer)
        ))),
    }
}

impl Client for GtpClient {
    fn greet(&mut self, exchange: &mut Exchange) -> Result<Identity> {
        ask(exchange, "protocol_version")?;
        self.name = ask(exchange, "name")?;
        let version = ask(exchange, "version")?;
        self.commands = ask(exchange, "list_commands")?
            .split_ascii_whitespace()
            .map(String::from)
            .collect();
        Ok(Identity {
            name: format!("{} {version}", self.name).trim().into(),
            ..Identity::default()
        })
    }

    fn set_option(&mut self, exchange: &mut Exchange, name: &str, value: Option<&str>) -> Result {
        // GTP has no options; an option is sent as a command of the engine.
        exchange.send(format!("{name} {}", value.unwrap_or("")).trim())
    }

    fn refusal(&self) -> &'static str {
        "?"
    }

    fn synchronize(&mut self, exchange: &mut Exchange) -> Result {
        // Answers to commands sent as options may still arrive first; this answer is recognized by
        // its text, which is the one of the handshake and unlike a number.
        exchange.send("name")?;
        let name = self.name.lines().next().unwrap_or_default().trim();
        exchange.wait_for("the answer to \"name\"", |line| {
            (line.strip_prefix('=')?.trim() == name).then_some(())
        })
    }

    fn new_game(
        &mut self,
        exchange: &mut Exchange,
        game: &GameHistory,
        side: Player,
        limits: &GoLimits,
    ) -> Result {
        let game = game.rules()?;
        let Some(grid) = game
            .discs()
            .map(|discs| discs.grid)
            .filter(|grid| grid.is_square())
        else {
            return Err(ClientError::Unable(format!(
                "the GTP client supports Othello only, not {}",
                game.name()
            )));
        };
        if !game.is_from_start() {
            return Err(ClientError::Unable(
                "GTP cannot set up a position: use openings that are move lists".into(),
            ));
        }
        if self.supports("set_game") {
            ask(exchange, "set_game Othello")?;
        }
        ask(exchange, format!("boardsize {}", grid.size))?;
        ask(exchange, "clear_board")?;
        if let Some(settings) =
            time_settings(limits, side).filter(|_| self.supports("time_settings"))
        {
            ask(exchange, settings)?;
        }
        self.plies_sent = 0;
        Ok(())
    }

    fn position(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        for (position, played) in game.rules()?.plies().skip(self.plies_sent) {
            self.plies_sent += 1;
            let word = match &self.pass {
                pass if played.is_pass() => pass.clone(),
                _ => Some(position.write_move(played).to_ascii_uppercase()),
            };
            if let Some(word) = word {
                ask(
                    exchange,
                    format!("play {} {word}", color(position.to_move())),
                )?;
            }
        }
        Ok(())
    }

    fn prepare(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        self.position(exchange, game)
    }

    fn go(&mut self, exchange: &mut Exchange, game: &GameHistory, limits: &GoLimits) -> Result {
        let side = game.to_move();
        self.pending_answers = 0;
        if let Some(clock) = limits.clocks[side as usize].filter(|_| self.supports("time_left")) {
            let seconds = clock.left_ms / 1000;
            // An increment is a byo-yomi period of one stone; 0 seconds with 0 stones would mean a
            // new full period.
            let in_byo_yomi = u32::from(seconds == 0 && clock.increment_ms >= 1000);
            let stones = clock.moves_to_go.unwrap_or(in_byo_yomi);
            exchange.send(format!("time_left {} {seconds} {stones}", color(side)))?;
            self.pending_answers = 1;
        }
        // genmove plays the move on the engine's board.
        self.plies_sent = game.rules()?.history().len() + 1;
        exchange.send(format!("genmove {}", color(side)))
    }

    fn parse_reply(&mut self, line: &str) -> EngineReply {
        let line = line.trim();
        let Some((sign, text)) = line
            .split_at_checked(1)
            .filter(|(sign, _)| ["=", "?"].contains(sign))
        else {
            return EngineReply::Ignored;
        };
        if self.pending_answers > 0 {
            self.pending_answers -= 1;
            return EngineReply::Ignored;
        }
        match text.trim() {
            text if sign == "?" => EngineReply::Error(text.into()),
            word if word.eq_ignore_ascii_case("resign") => EngineReply::Resign,
            word => EngineReply::Move {
                word: word
                    .split_ascii_whitespace()
                    .next()
                    .map(str::to_ascii_lowercase),
                ponder: None,
                info: SearchInfo::default(),
            },
        }
    }

    /// GTP times are in whole seconds, without an increment if there are moves per period; it has
    /// no depth and no nodes.
    fn unsupported_limits(&self, limits: &GoLimits) -> Vec<String> {
        let rounded = |what: &str, ms: u64| {
            (!ms.is_multiple_of(1000))
                .then(|| format!("{what} {} s (sent as {} s)", seconds(ms), ms / 1000))
        };
        let clock = limits.clocks.iter().flatten().next();
        let increment = clock.and_then(|clock| match clock.moves_to_go {
            Some(_) => (clock.increment_ms > 0)
                .then(|| format!("increment {} s", seconds(clock.increment_ms))),
            None => rounded("increment", clock.increment_ms),
        });
        [
            clock.and_then(|clock| rounded("clock", clock.left_ms)),
            increment,
            limits
                .move_time_ms
                .and_then(|ms| rounded("time per move", ms)),
            limits.depth.map(|depth| format!("depth {depth}")),
            limits.nodes.map(|nodes| format!("nodes {nodes}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The `time_settings` command (main time, byo-yomi time, byo-yomi stones; whole seconds), if there
/// is a clock.
fn time_settings(limits: &GoLimits, side: Player) -> Option<String> {
    let (main, byo_yomi, stones) = match limits.clocks[side as usize] {
        None => (0, limits.move_time_ms? / 1000, 1),
        Some(clock) => match clock.moves_to_go {
            Some(moves) => (0, clock.left_ms / 1000, moves),
            None => (
                clock.left_ms / 1000,
                clock.increment_ms / 1000,
                u32::from(clock.increment_ms >= 1000),
            ),
        },
    };
    (main > 0 || byo_yomi > 0).then(|| format!("time_settings {main} {byo_yomi} {stones}"))
}

#[cfg(test)]
mod tests {
    use super::super::interface::ClockView;
    use super::super::link::testing::ScriptedLink;
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn grhino_plays_a_game() {
        let mut script = ScriptedLink::new(
            "> protocol_version\n< = 2\n<\n> name\n< = GTP GRhino\n<\n> version\n< = 0.16.1\n<\n> list_commands\n\
             < = name\n< play\n< set_game\n< time_left\n< time_settings\n<\n\
             > set_game Othello\n< =\n<\n> boardsize 8\n< =\n<\n> clear_board\n< =\n<\n> time_settings 60 0 0\n< =\n<\n\
             > play black F5\n< =\n<\n> time_left white 59 0\n> genmove white",
        );
        let mut client = GtpClient::new(None);
        assert_eq!(
            client.greet(&mut script.exchange()).unwrap().name,
            "GTP GRhino 0.16.1"
        );
        let mut history: GameHistory = by_name("othello").unwrap().into();
        let clock = |left_ms| {
            Some(ClockView {
                left_ms,
                increment_ms: 0,
                moves_to_go: None,
            })
        };
        let limits = GoLimits {
            clocks: [clock(60_000), clock(60_000)],
            ..GoLimits::default()
        };
        client
            .new_game(&mut script.exchange(), &history, Player::Second, &limits)
            .unwrap();
        assert!(history.play("f5").is_some());
        client.prepare(&mut script.exchange(), &history).unwrap();
        let limits = GoLimits {
            clocks: [clock(60_000), clock(59_900)],
            ..GoLimits::default()
        };
        client
            .go(&mut script.exchange(), &history, &limits)
            .unwrap();
        script.finish();
        // The answer to time_left comes first and is ignored.
        assert_eq!(client.parse_reply("= "), EngineReply::Ignored);
        assert_eq!(client.parse_reply(""), EngineReply::Ignored);
        assert_eq!(
            client.parse_reply("= D6"),
            EngineReply::Move {
                word: Some("d6".into()),
                ponder: None,
                info: SearchInfo::default()
            }
        );
        assert_eq!(
            client.parse_reply("? cannot"),
            EngineReply::Error("cannot".into())
        );
        assert_eq!(client.parse_reply("= resign"), EngineReply::Resign);
    }

    #[test]
    fn replies_to_options_are_skipped_and_an_unexpected_reply_is_quoted() {
        let greeting = |version: &str| {
            format!(
                "> protocol_version\n< = {version}\n<\n> name\n< = Egaroucid\n<\n> version\n< = 7.5.1\n<\n\
                 > list_commands\n< = play\n<\n"
            )
        };
        let mut script = ScriptedLink::new(
            &(greeting("2.0") + "> level 2.0\n> name\n< =\n<\n< = 2.0 \n<\n< = Egaroucid \n<"),
        );
        let mut client = GtpClient::new(None);
        assert_eq!(
            client.greet(&mut script.exchange()).unwrap().name,
            "Egaroucid 7.5.1"
        );
        client
            .set_option(&mut script.exchange(), "level", Some("2.0"))
            .unwrap();
        client.synchronize(&mut script.exchange()).unwrap();
        let mut script = ScriptedLink::new(&(greeting("2") + "> name\n< = two point zero\n<"));
        client.greet(&mut script.exchange()).unwrap();
        let error = client
            .synchronize(&mut script.exchange())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("\"name\"") && error.contains("\"= two point zero\""),
            "{error}"
        );
        let mut script = ScriptedLink::new("> protocol_version\n< hello");
        let error = client
            .greet(&mut script.exchange())
            .unwrap_err()
            .to_string();
        assert!(error.contains("the last line was \"hello\""), "{error}");
    }

    #[test]
    fn less_than_a_second_does_not_start_a_new_period() {
        let mut client = GtpClient::new(None);
        client.commands = vec!["time_left".into()];
        let history = by_name("othello").unwrap().into();
        for (left_ms, increment_ms, arguments) in [
            (900, 0, "0 0"),
            (900, 1_000, "0 1"),
            (1_900, 1_000, "1 0"),
            (900, 10, "0 0"),
        ] {
            let mut script =
                ScriptedLink::new(&format!("> time_left black {arguments}\n> genmove black"));
            let clock = Some(ClockView {
                left_ms,
                increment_ms,
                moves_to_go: None,
            });
            let limits = GoLimits {
                clocks: [clock; 2],
                ..GoLimits::default()
            };
            client
                .go(&mut script.exchange(), &history, &limits)
                .unwrap();
            script.finish();
        }
    }

    #[test]
    fn gtp_names_the_limits_that_it_cannot_express() {
        let unsupported_limits = |clock: Option<(u64, u64, Option<u32>)>, limits: GoLimits| {
            let view = clock.map(|(left_ms, increment_ms, moves_to_go)| ClockView {
                left_ms,
                increment_ms,
                moves_to_go,
            });
            GtpClient::new(None)
                .unsupported_limits(&GoLimits {
                    clocks: [view; 2],
                    ..limits
                })
                .join(", ")
        };
        let none = GoLimits::default();
        assert_eq!(unsupported_limits(Some((60_000, 2_000, None)), none), "");
        assert_eq!(unsupported_limits(Some((60_000, 0, Some(40))), none), "");
        assert_eq!(
            unsupported_limits(Some((500, 10, None)), none),
            "clock 0.5 s (sent as 0 s), increment 0.01 s (sent as 0 s)"
        );
        assert_eq!(
            unsupported_limits(Some((60_000, 1_000, Some(40))), none),
            "increment 1 s"
        );
        let other = GoLimits {
            move_time_ms: Some(1_500),
            depth: Some(8),
            nodes: Some(1_000),
            ..none
        };
        assert_eq!(
            unsupported_limits(None, other),
            "time per move 1.5 s (sent as 1 s), depth 8, nodes 1000"
        );
    }

    #[test]
    fn a_refused_command_is_quoted_in_the_error() {
        let mut script = ScriptedLink::new("> play white PASS\n< ? syntax error\n<");
        let mut game = by_name("othello").unwrap();
        game.set_position("xo6/8/8/8/8/8/8/8 o").unwrap();
        assert!(game.must_pass());
        assert!(game.play_legal("pass").is_some());
        let history = game.into();
        let mut client = GtpClient::new(Some("PASS".into()));
        let error = client
            .prepare(&mut script.exchange(), &history)
            .unwrap_err();
        assert_eq!(
            error,
            ClientError::Refused("\"play white PASS\" answered \"? syntax error\"".into())
        );
        let mut empty = ScriptedLink::new("");
        let mut client = GtpClient::new(None);
        client.prepare(&mut empty.exchange(), &history).unwrap();
    }
}
