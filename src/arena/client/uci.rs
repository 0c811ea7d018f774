//! The client of UGI and UCI engines, which share the handshake, options, `isready`, `go`, `info`
//! and `bestmove`.
//!
//! In UGI the engine's replies to queries are compared with the rules at every move. UCI is used
//! for games other than chess, in the dialects of this engine and of Fairy-Stockfish: option
//! `UCI_Variant` selects the game and moves are drops (`P@e3`, a pass is `e3e3`).

use super::history::{GameHistory, position_arguments};
use super::interface::{Client, DeclaredOption, EngineReply, GoLimits, Identity, split_word};
use super::link::{ClientError, Exchange, Result};
use super::search_info::SearchInfo;
use crate::game::{Player, quoted};
use crate::games::any::entry;
use crate::protocol::Protocol;

/// A client of UGI or UCI engines.
pub struct UciClient {
    protocol: Protocol,
    /// The word for a pass, unless moves are drops; `None`: passes are omitted.
    pass: Option<String>,
    identity: Identity,
    /// Whether the game was selected by `UCI_Variant`, so that moves are drops; `None` before the
    /// first game.
    drops: Option<bool>,
    /// The number of unanswered `isready`. The answer to a probe during a search may arrive after
    /// the move and must not be taken for the answer to a later `isready`.
    pending_ready: u32,
}

impl UciClient {
    /// A client for [`Protocol::Ugi`] or [`Protocol::Uci`].
    pub fn new(protocol: Protocol, pass: Option<String>) -> UciClient {
        UciClient {
            protocol,
            pass,
            identity: Identity::default(),
            drops: None,
            pending_ready: 0,
        }
    }

    fn is_ugi(&self) -> bool {
        self.protocol == Protocol::Ugi
    }

    /// Selects the game by the first option for it that the engine declares; returns whether moves
    /// are drops.
    fn select_game(&mut self, exchange: &mut Exchange, game: &str) -> Result<bool> {
        let variant = entry(game).and_then(|entry| entry.uci).unwrap_or(game);
        let ways = [("UCI_Variant", variant), ("Game", game)];
        let ways = &ways[usize::from(self.is_ugi())..];
        let mut declared = Vec::new();
        for &(name, value) in ways {
            let Some(option) = self.identity.option(name) else {
                continue;
            };
            if option.values.is_empty() || option.values.iter().any(|offered| offered == value) {
                self.set_option(exchange, name, Some(value))?;
                return Ok(name == "UCI_Variant");
            }
            declared.push(name);
        }
        match declared.as_slice() {
            [] => Ok(false),
            names => Err(ClientError::Unable(format!(
                "its option {} has no value for {game}",
                names.join(" or ")
            ))),
        }
    }

    /// Whether a line answers the last pending `isready`.
    fn is_ready(&mut self, line: &str) -> bool {
        let is_answer = line == "readyok";
        self.pending_ready = self.pending_ready.saturating_sub(is_answer.into());
        is_answer && self.pending_ready == 0
    }

    /// Sends the queries, waits until the engine is ready, and returns its answers, or `nothing`.
    fn answers(&mut self, exchange: &mut Exchange, queries: &[&str]) -> Result<Vec<String>> {
        for query in queries {
            exchange.queue(format!("query {query}"));
        }
        self.probe(exchange)?;
        let mut answers = Vec::new();
        loop {
            let awaited = match queries.get(answers.len()) {
                Some(query) => format!("response to query {query}"),
                None => "readyok".into(),
            };
            let answer = exchange.wait_for(&awaited, |line| match split_word(line) {
                ("response", answer) => Some(Some(answer.to_owned())),
                _ => self.is_ready(line).then_some(None),
            })?;
            match answer {
                Some(answer) => answers.push(answer),
                None => break,
            }
        }
        // One for each query, without surplus ones.
        answers.resize(queries.len(), "nothing".into());
        Ok(answers)
    }

    /// Compares the engine's answers to queries with the expected ones.
    fn check_queries(&mut self, exchange: &mut Exchange, queries: &[(&str, &str)]) -> Result {
        let names: Vec<&str> = queries.iter().map(|(query, _)| *query).collect();
        for ((query, expected), answer) in queries.iter().zip(self.answers(exchange, &names)?) {
            if answer != *expected {
                let answer = quoted(&answer);
                let what = format!("query {query} answered \"{answer}\", expected {expected}");
                return Err(ClientError::WrongAnswer(what));
            }
        }
        Ok(())
    }

    /// The command that sends a game.
    fn position_line(&self, game: &GameHistory) -> String {
        let GameHistory::Rules(game) = game else {
            return format!("position {}", game.position_text());
        };
        let drops = self.drops == Some(true);
        let start = game.start();
        let start = match drops {
            _ if game.is_from_start() => None,
            true => Some(start.write_uci_position()),
            false => Some(start.write_position()),
        };
        let words = game
            .plies()
            .filter_map(|(position, played)| match &self.pass {
                _ if drops => Some(position.write_uci_move(played)),
                pass if played.is_pass() => pass.clone(),
                _ => Some(position.write_move(played)),
            });
        let words: Vec<String> = words.collect();
        format!("position {}", position_arguments(start.as_deref(), &words))
    }

    /// Sends a command (`go`, `go ponder`) with the limits of the side to move.
    fn send_go(
        &self,
        exchange: &mut Exchange,
        command: &str,
        side: Player,
        limits: &GoLimits,
    ) -> Result {
        let [first, second] = match self.protocol {
            Protocol::Ugi => ["p1", "p2"],
            _ => ["w", "b"],
        };
        let left = limits.clocks.map(|clock| Some(clock?.left_ms));
        let increment = limits.clocks.map(|clock| Some(clock?.increment_ms));
        let to_go = limits.clocks[side as usize].and_then(|clock| clock.moves_to_go);
        let mut arguments: String = [
            (first, "time", left[0]),
            (second, "time", left[1]),
            (first, "inc", increment[0]),
            (second, "inc", increment[1]),
            ("", "movestogo", to_go.map(u64::from)),
            ("", "movetime", limits.move_time_ms),
            ("", "depth", limits.depth.map(u64::from)),
            ("", "nodes", limits.nodes),
        ]
        .into_iter()
        .filter_map(|(player, name, value)| Some(format!(" {player}{name} {}", value?)))
        .collect();
        if arguments.is_empty() {
            arguments = " infinite".into();
        }
        exchange.send(format!("{command}{arguments}"))
    }
}

impl Client for UciClient {
    fn greet(&mut self, exchange: &mut Exchange) -> Result<Identity> {
        let greeting = self.protocol.name();
        let closing = format!("{greeting}ok");
        exchange.send(greeting)?;
        let identity = &mut self.identity;
        exchange.wait_for(&closing, |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                identity.name = name.trim().into();
            } else if let Some(author) = line.strip_prefix("id author ") {
                identity.author = author.trim().into();
            } else if let Some(declaration) = line.strip_prefix("option ") {
                identity.options.extend(parse_option(declaration));
            }
            (line == closing).then_some(())
        })?;
        Ok(self.identity.clone())
    }

    fn set_option(&mut self, exchange: &mut Exchange, name: &str, value: Option<&str>) -> Result {
        let value = value.map_or(String::new(), |value| format!(" value {value}"));
        exchange.send(format!("setoption name {name}{value}"))
    }

    fn refusal(&self) -> &'static str {
        REPORTED_ERROR
    }

    fn synchronize(&mut self, exchange: &mut Exchange) -> Result {
        self.answers(exchange, &[]).map(drop)
    }

    fn new_game(
        &mut self,
        exchange: &mut Exchange,
        game: &GameHistory,
        _side: Player,
        _limits: &GoLimits,
    ) -> Result {
        if self.drops.is_none() {
            self.drops = Some(self.select_game(exchange, game.name())?);
        }
        exchange.send(format!("{}newgame", self.protocol.name()))?;
        self.synchronize(exchange)
    }

    fn position(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        let line = self.position_line(game);
        exchange.send(line)
    }

    fn prepare(&mut self, exchange: &mut Exchange, game: &GameHistory) -> Result {
        // UCI has no queries: at the end of a game, the only possible check is that the engine is
        // still responsive.
        if self.is_ugi() || game.outcome().is_none() {
            exchange.queue(self.position_line(game));
        }
        let p1_turn = (game.to_move() == Player::First).to_string();
        match game.outcome() {
            _ if !self.is_ugi() || game.rules().is_err() => self.synchronize(exchange),
            None => self.check_queries(exchange, &[("p1turn", &p1_turn), ("gameover", "false")]),
            Some(outcome) => self.check_queries(
                exchange,
                &[("gameover", "true"), ("result", outcome.name())],
            ),
        }
    }

    fn ask(&mut self, exchange: &mut Exchange, game: &GameHistory, query: &str) -> Result<String> {
        exchange.queue(self.position_line(game));
        Ok(self.answers(exchange, &[query])?.swap_remove(0))
    }

    fn go(&mut self, exchange: &mut Exchange, game: &GameHistory, limits: &GoLimits) -> Result {
        self.send_go(exchange, "go", game.to_move(), limits)
    }

    fn ponder(&mut self, exchange: &mut Exchange, game: &GameHistory, limits: &GoLimits) -> Result {
        exchange.queue(self.position_line(game));
        self.send_go(exchange, "go ponder", game.to_move(), limits)
    }

    fn ponder_hit(&mut self, exchange: &mut Exchange) -> Result {
        exchange.send("ponderhit")
    }

    fn parse_reply(&mut self, line: &str) -> EngineReply {
        let line = line.trim();
        match split_word(line) {
            ("bestmove", rest) => {
                let mut words = rest.split_ascii_whitespace().map(String::from);
                let word = words.next();
                let ponder = words
                    .next()
                    .filter(|word| word == "ponder")
                    .and_then(|_| words.next());
                EngineReply::Move {
                    word,
                    ponder,
                    info: SearchInfo::default(),
                }
            }
            ("info", rest) => EngineReply::Info(SearchInfo::parse(rest)),
            ("readyok", "") => {
                self.is_ready(line);
                EngineReply::Ready
            }
            _ => EngineReply::Ignored,
        }
    }

    fn can_interrupt(&self) -> bool {
        true
    }

    fn probe(&mut self, exchange: &mut Exchange) -> Result {
        self.pending_ready += 1;
        exchange.send("isready")
    }

    fn stop(&mut self, exchange: &mut Exchange) -> Result {
        exchange.send("stop")
    }
}

/// The beginning of a line that reports an error.
pub const REPORTED_ERROR: &str = "info string error";

/// Parses the words after `option`; names and values may contain blanks, and names also the other
/// keywords.
fn parse_option(declaration: &str) -> Option<DeclaredOption> {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in declaration.split_ascii_whitespace() {
        let has_type = fields.iter().any(|(field, _)| *field == "type");
        let is_field = match word {
            "name" => fields.is_empty(),
            "type" => !has_type,
            "default" | "var" | "min" | "max" => has_type,
            _ => false,
        };
        if is_field {
            fields.push((word, Vec::new()));
        } else if let Some((_, words)) = fields.last_mut() {
            words.push(word);
        }
    }
    let values = |name| {
        fields
            .iter()
            .filter(move |(field, _)| *field == name)
            .map(|(_, words)| words.join(" "))
    };
    let value = |name| values(name).next().unwrap_or_default();
    let option = DeclaredOption {
        name: value("name"),
        kind: value("type"),
        default: value("default"),
        values: values("var").collect(),
        min: value("min").parse().ok(),
        max: value("max").parse().ok(),
    };
    (!option.name.is_empty()).then_some(option)
}

#[cfg(test)]
mod tests {
    use super::super::interface::ClockView;
    use super::super::link::LinkError;
    use super::super::link::testing::ScriptedLink;
    use super::*;
    use crate::games::any::by_name;

    fn start(game: &str) -> GameHistory {
        by_name(game).unwrap().into()
    }

    fn play(game: &mut GameHistory, moves: &str) {
        moves
            .split_whitespace()
            .for_each(|word| assert!(game.play(word).is_some()));
    }

    fn history(moves: &str) -> GameHistory {
        let mut game = start("tictactoe");
        play(&mut game, moves);
        game
    }

    fn client() -> UciClient {
        UciClient::new(Protocol::Ugi, Some("pass".into()))
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
             > go p1time 990 p2time 1000 p1inc 10 p2inc 10\n> uginewgame\n> isready\n< readyok",
        );
        let mut client = client();
        let identity = client.greet(&mut script.exchange()).unwrap();
        assert_eq!(
            (identity.name.as_str(), identity.author.as_str()),
            ("A B", "C")
        );
        client
            .set_option(&mut script.exchange(), "Hash", Some("8"))
            .unwrap();
        client.synchronize(&mut script.exchange()).unwrap();
        let limits = GoLimits {
            clocks: [
                Some(ClockView {
                    left_ms: 990,
                    increment_ms: 10,
                    moves_to_go: None,
                }),
                Some(ClockView {
                    left_ms: 1000,
                    increment_ms: 10,
                    moves_to_go: None,
                }),
            ],
            ..GoLimits::default()
        };
        client
            .new_game(&mut script.exchange(), &history(""), Player::First, &limits)
            .unwrap();
        client
            .prepare(&mut script.exchange(), &history("b2"))
            .unwrap();
        client
            .go(&mut script.exchange(), &history("b2"), &limits)
            .unwrap();
        client
            .new_game(&mut script.exchange(), &history(""), Player::First, &limits)
            .unwrap();
        script.finish();
    }

    #[test]
    fn moves_to_go_are_those_of_the_side_to_move() {
        let clock = |left_ms, moves_to_go| {
            Some(ClockView {
                left_ms,
                increment_ms: 0,
                moves_to_go,
            })
        };
        let limits = GoLimits {
            clocks: [clock(500, Some(19)), clock(900, Some(20))],
            ..GoLimits::default()
        };
        let go = "> go p1time 500 p2time 900 p1inc 0 p2inc 0";
        let mut script = ScriptedLink::new(&format!("{go} movestogo 19\n{go} movestogo 20"));
        for moves in ["", "b2"] {
            client()
                .go(&mut script.exchange(), &history(moves), &limits)
                .unwrap();
        }
        let limits = GoLimits {
            clocks: [clock(500, Some(19)), clock(900, None)],
            ..GoLimits::default()
        };
        script.finish();
        let mut script = ScriptedLink::new(go);
        client()
            .go(&mut script.exchange(), &history("b2"), &limits)
            .unwrap();
        script.finish();
    }

    #[test]
    fn wrong_answers_are_quoted_in_the_error() {
        let mut script = ScriptedLink::new(
            "> position startpos\n> query p1turn\n> query gameover\n> isready\n\
             < response true\n< response true\n< readyok",
        );
        let error = client()
            .prepare(&mut script.exchange(), &history(""))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "query gameover answered \"true\", expected false"
        );
        let mut script = ScriptedLink::new(
            "> position startpos\n> query p1turn\n> query gameover\n> isready\n< readyok",
        );
        let error = client()
            .prepare(&mut script.exchange(), &history(""))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "query p1turn answered \"nothing\", expected true"
        );
        let mut script = ScriptedLink::new(
            "> position startpos moves a1 b1 a2 b2 a3\n> query gameover\n> query result\n> isready\n\
             < response true\n< response p2win\n< readyok",
        );
        let error = client()
            .prepare(&mut script.exchange(), &history("a1 b1 a2 b2 a3"))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "query result answered \"p2win\", expected p1win"
        );
    }

    #[test]
    fn a_missing_answer_is_a_link_error() {
        let mut script = ScriptedLink::new("> isready");
        let error = client().synchronize(&mut script.exchange()).unwrap_err();
        assert!(
            matches!(
                error,
                ClientError::Link {
                    error: LinkError::Timeout,
                    ..
                }
            ),
            "{error:?}"
        );
        assert_eq!(error.to_string(), "no answer in time (waiting for readyok)");
        for (answers, awaited) in [
            ("", "response to query p1turn"),
            ("< response true", "response to query gameover"),
            ("< response true\n< response false", "readyok"),
        ] {
            let mut script = ScriptedLink::new(&format!(
                "> position startpos\n> query p1turn\n> query gameover\n> isready\n{answers}"
            ));
            let error = client().prepare(&mut script.exchange(), &history(""));
            let error = error.unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("no answer in time (waiting for {awaited}")),
                "{error}"
            );
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
        let mut client = UciClient::new(Protocol::Uci, Some("0000".into()));
        client.greet(&mut script.exchange()).unwrap();
        let mut history = start("othello");
        let limits = GoLimits {
            move_time_ms: Some(100),
            ..GoLimits::default()
        };
        client
            .new_game(&mut script.exchange(), &history, Player::First, &limits)
            .unwrap();
        play(&mut history, "f5 d6");
        client.prepare(&mut script.exchange(), &history).unwrap();
        client
            .go(&mut script.exchange(), &history, &limits)
            .unwrap();
        play(&mut history, "c3");
        client
            .ponder(&mut script.exchange(), &history, &limits)
            .unwrap();
        client.ponder_hit(&mut script.exchange()).unwrap();
        let mut game = by_name("othello").unwrap();
        game.set_position("8/8/8/3ox3/3xx3/3x4/8/8 o").unwrap();
        client
            .prepare(&mut script.exchange(), &game.into())
            .unwrap();
        script.finish();
        // Its notation is parsed.
        let history = by_name("othello").unwrap();
        assert_eq!(history.legal_move("P@f4"), history.legal_move("f5"));
    }

    #[test]
    fn option_game_selects_the_game_and_an_unsupported_game_is_an_error() {
        let offer = "> uci\n< option name Game type combo default othello var othello var tictactoe\n< uciok\n";
        let mut script = ScriptedLink::new(&format!(
            "{offer}> setoption name Game value tictactoe\n> ucinewgame\n> isready\n< readyok\n\
             > position startpos moves b2\n> isready\n< readyok"
        ));
        let mut client = UciClient::new(Protocol::Uci, Some("pass".into()));
        client.greet(&mut script.exchange()).unwrap();
        let mut history = start("tictactoe");
        client
            .new_game(
                &mut script.exchange(),
                &history,
                Player::First,
                &GoLimits::default(),
            )
            .unwrap();
        play(&mut history, "P@b2");
        client.prepare(&mut script.exchange(), &history).unwrap();
        script.finish();

        let mut script = ScriptedLink::new(offer);
        let mut client = UciClient::new(Protocol::Uci, None);
        client.greet(&mut script.exchange()).unwrap();
        let history = start("othello6");
        let error = client
            .new_game(
                &mut script.exchange(),
                &history,
                Player::First,
                &GoLimits::default(),
            )
            .unwrap_err();
        assert!(error.to_string().contains("othello6"), "{error}");
    }

    #[test]
    fn option_declarations_with_blanks_are_parsed() {
        let option =
            parse_option("name Move Overhead type spin default 10 min 0 max 5000").unwrap();
        assert_eq!(
            (
                option.name.as_str(),
                option.kind.as_str(),
                option.default.as_str()
            ),
            ("Move Overhead", "spin", "10")
        );
        assert_eq!((option.min, option.max), (Some(0), Some(5000)));
        let option =
            parse_option("name Style type combo default Very Solid var Very Solid var Risky")
                .unwrap();
        assert_eq!(option.values, ["Very Solid", "Risky"]);
        assert_eq!(option.default, "Very Solid");
        assert_eq!(
            parse_option("name EvalFile type string default <empty>")
                .unwrap()
                .default,
            "<empty>"
        );
        assert_eq!(parse_option("name Path type string").unwrap().default, "");
        assert!(parse_option("type spin").is_none());
    }

    #[test]
    fn lines_during_a_search_are_parsed() {
        let parse = |line| client().parse_reply(line);
        let best = |word: Option<&str>, ponder: Option<&str>| EngineReply::Move {
            word: word.map(String::from),
            ponder: ponder.map(String::from),
            info: SearchInfo::default(),
        };
        assert_eq!(parse("bestmove c4"), best(Some("c4"), None));
        assert_eq!(
            parse(" bestmove  c4 ponder d3\r"),
            best(Some("c4"), Some("d3"))
        );
        assert_eq!(parse("bestmove c4 d3 ponder"), best(Some("c4"), None));
        assert_eq!(parse("bestmove"), best(None, None));
        assert_eq!(parse("bestmover c4"), EngineReply::Ignored);
        // No values, but the engine is not silent.
        for line in ["info string depth 3", "info depth 9 currmove c4"] {
            assert_eq!(parse(line), EngineReply::Info(SearchInfo::default()));
        }
        assert!(
            matches!(parse("info depth 3 nodes 7"), EngineReply::Info(info) if info.depth == Some(3))
        );
        assert_eq!(parse("readyok"), EngineReply::Ready);
        assert_eq!(parse("\u{1}\u{fffd}"), EngineReply::Ignored);
    }
}
