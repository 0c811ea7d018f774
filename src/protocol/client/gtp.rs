//! GTP for Othello: colours and squares (`play black F5`, A1 top left), one answer to each command, no ids.
//!
//! Forced passes are left out by default, as Quarry does it: GRhino refuses `play white pass`, and the others take both.
//! Only positions reached by moves from the start can be told. The engine's own count is not asked for: GRhino takes komi off.

use std::time::Instant;

use super::{
    Client, ClientError, Course, GoLimits, Heard, Identity, Info, Link, PassStyle, seconds, send_all, wait_for,
};
use crate::game::Player;

/// A client of GTP engines.
pub struct Gtp {
    pass: PassStyle,
    /// What it answers to `protocol_version`: `2`, Egaroucid says `2.0`.
    version: String,
    commands: Vec<String>,
    /// Plies of the present game that the engine knows.
    told: usize,
    /// Answers still to come that belong to commands before `genmove`.
    owed: usize,
}

fn colour(player: Player) -> &'static str {
    if player == Player::First { "black" } else { "white" }
}

impl Gtp {
    /// A client that tells passes in this style.
    pub fn new(pass: PassStyle) -> Gtp {
        Gtp { pass, version: String::new(), commands: Vec::new(), told: 0, owed: 0 }
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Sends a command and returns its whole answer, lines joined by newlines.
    fn ask(link: &mut dyn Link, command: &str, deadline: Instant) -> Result<String, ClientError> {
        send_all(link, [command])?;
        let mut answer: Option<String> = None;
        // The empty line that ends the previous answer may still come; the answer begins with its sign.
        wait_for(link, deadline, &format!("the answer to \"{command}\""), |line| {
            let line = line.trim_end();
            match &mut answer {
                None if line.starts_with(['=', '?']) => answer = Some(line.into()),
                None => {}
                Some(_) if line.is_empty() => return Some(()),
                Some(text) => {
                    text.push('\n');
                    text.push_str(line);
                }
            }
            None
        })?;
        let answer = answer.unwrap_or_default();
        match answer.strip_prefix('=') {
            Some(text) => Ok(text.trim().into()),
            None => Err(ClientError::Refused { command: command.into(), answer }),
        }
    }
}

impl Client for Gtp {
    fn greet(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<Identity, ClientError> {
        self.version = Self::ask(link, "protocol_version", deadline)?;
        let name = Self::ask(link, "name", deadline)?;
        let version = Self::ask(link, "version", deadline)?;
        let commands = Self::ask(link, "list_commands", deadline)?;
        self.commands = commands.split_ascii_whitespace().map(String::from).collect();
        Ok(Identity { name: format!("{name} {version}").trim().into(), ..Identity::default() })
    }

    fn set_option(&mut self, link: &mut dyn Link, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        // GTP has no options; a name given as one is a command of the engine's own.
        send_all(link, [format!("{name} {}", value.unwrap_or("")).trim().to_string()])
    }

    fn synchronise(&mut self, link: &mut dyn Link, deadline: Instant) -> Result<(), ClientError> {
        // Answers to commands sent as options may still come before this one, which is known by its text: the same as at
        // the greeting.
        send_all(link, ["protocol_version"])?;
        let version = self.version.lines().next().unwrap_or_default().trim();
        wait_for(link, deadline, "the answer to \"protocol_version\"", |line| {
            (line.trim_end().strip_prefix('=')?.trim() == version).then_some(())
        })
    }

    fn new_game(
        &mut self,
        link: &mut dyn Link,
        course: &Course,
        side: Player,
        limits: &GoLimits,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let size = match course.game().name() {
            "othello" => 8,
            "othello6" => 6,
            "othello4" => 4,
            other => return Err(ClientError::Unable(format!("GTP here is for Othello, not for {other}"))),
        };
        if course.start().is_some() {
            return Err(ClientError::Unable("GTP cannot be given a position: use openings that are moves".into()));
        }
        if self.knows("set_game") {
            Self::ask(link, "set_game Othello", deadline)?;
        }
        Self::ask(link, &format!("boardsize {size}"), deadline)?;
        Self::ask(link, "clear_board", deadline)?;
        if let Some(settings) = time_settings(limits, side).filter(|_| self.knows("time_settings")) {
            Self::ask(link, &settings, deadline)?;
        }
        self.told = 0;
        Ok(())
    }

    fn prepare(&mut self, link: &mut dyn Link, course: &Course, deadline: Instant) -> Result<(), ClientError> {
        for ply in course.plies().iter().skip(self.told) {
            self.told += 1;
            let word = match &self.pass {
                PassStyle::Implicit if ply.played.is_pass() => continue,
                PassStyle::Word(word) if ply.played.is_pass() => word.clone(),
                _ => ply.word.to_ascii_uppercase(),
            };
            Self::ask(link, &format!("play {} {word}", colour(ply.player)), deadline)?;
        }
        Ok(())
    }

    fn go(&mut self, link: &mut dyn Link, course: &Course, limits: &GoLimits) -> Result<(), ClientError> {
        let side = course.to_move();
        self.owed = 0;
        if let Some(clock) = limits.clocks[side as usize].filter(|_| self.knows("time_left")) {
            let seconds = clock.left_ms / 1000;
            // An increment is told as a period of one move, and a time of 0 without stones would be a whole new period.
            let ends = u32::from(seconds == 0 && clock.increment_ms >= 1000);
            let stones = clock.moves_to_go.unwrap_or(ends);
            send_all(link, [format!("time_left {} {seconds} {stones}", colour(side))])?;
            self.owed = 1;
        }
        send_all(link, [format!("genmove {}", colour(side))])?;
        // The engine puts its own move on its board.
        self.told = course.plies().len() + 1;
        Ok(())
    }

    fn hear(&mut self, line: &str) -> Heard {
        let line = line.trim();
        if self.owed > 0 && line.starts_with(['=', '?']) {
            self.owed -= 1;
            return Heard::Noise;
        }
        if let Some(text) = line.strip_prefix('?') {
            return Heard::Failed(text.trim().into());
        }
        match line.strip_prefix('=').map(str::trim) {
            None => Heard::Noise,
            Some(word) if word.eq_ignore_ascii_case("resign") => Heard::Resigns,
            Some(word) => Heard::Move {
                word: word.split_ascii_whitespace().next().map(str::to_ascii_lowercase),
                info: Info::default(),
            },
        }
    }

    /// GTP has times in whole seconds, and with a number of moves to a period no increment; no depth, and no nodes.
    fn not_told(&self, limits: &GoLimits) -> Vec<String> {
        let rounded = |what: &str, ms: u64| {
            (!ms.is_multiple_of(1000)).then(|| format!("{what} {} s (told as {} s)", seconds(ms), ms / 1000))
        };
        let clock = limits.clocks.iter().flatten().next();
        let increment = clock.and_then(|clock| match clock.moves_to_go {
            Some(_) => (clock.increment_ms > 0).then(|| format!("increment {} s", seconds(clock.increment_ms))),
            None => rounded("increment", clock.increment_ms),
        });
        [
            clock.and_then(|clock| rounded("clock", clock.left_ms)),
            increment,
            limits.move_time_ms.and_then(|ms| rounded("time per move", ms)),
            limits.depth.map(|depth| format!("depth {depth}")),
            limits.nodes.map(|nodes| format!("nodes {nodes}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn takes_positions(&self) -> bool {
        false
    }
}

/// The clock in GTP's terms (main time, byo-yomi time, byo-yomi stones, whole seconds), if it has any.
fn time_settings(limits: &GoLimits, side: Player) -> Option<String> {
    let (main, byo_yomi, stones) = match (limits.clocks[side as usize], limits.move_time_ms) {
        (Some(clock), _) => match clock.moves_to_go {
            Some(moves) => (0, clock.left_ms / 1000, moves),
            None => (clock.left_ms / 1000, clock.increment_ms / 1000, u32::from(clock.increment_ms >= 1000)),
        },
        (None, Some(milliseconds)) => (0, milliseconds / 1000, 1),
        (None, None) => return None,
    };
    (main > 0 || byo_yomi > 0).then(|| format!("time_settings {main} {byo_yomi} {stones}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Script;
    use super::super::{ClientError, ClockView};
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn a_game_with_grhino() {
        let mut script = Script::new(
            "> protocol_version\n< = 2\n<\n> name\n< = GTP GRhino\n<\n> version\n< = 0.16.1\n<\n> list_commands\n\
             < = name\n< play\n< set_game\n< time_left\n< time_settings\n<\n\
             > set_game Othello\n< =\n<\n> boardsize 8\n< =\n<\n> clear_board\n< =\n<\n> time_settings 60 0 0\n< =\n<\n\
             > play black F5\n< =\n<\n> time_left white 59 0\n> genmove white",
        );
        let (mut client, now) = (Gtp::new(PassStyle::Implicit), Instant::now());
        assert_eq!(client.greet(&mut script, now).unwrap().name, "GTP GRhino 0.16.1");
        let mut course = Course::from_start(by_name("othello").unwrap());
        let clock = |left_ms| Some(ClockView { left_ms, increment_ms: 0, moves_to_go: None });
        let limits = GoLimits { clocks: [clock(60_000), clock(60_000)], ..GoLimits::default() };
        client.new_game(&mut script, &course, Player::Second, &limits, now).unwrap();
        let played = course.legal_move("f5").unwrap();
        assert!(course.play(played));
        client.prepare(&mut script, &course, now).unwrap();
        let limits = GoLimits { clocks: [clock(60_000), clock(59_900)], ..GoLimits::default() };
        client.go(&mut script, &course, &limits).unwrap();
        script.finish();
        // The answer to time_left comes first and says nothing.
        assert_eq!(client.hear("= "), Heard::Noise);
        assert_eq!(client.hear(""), Heard::Noise);
        assert_eq!(client.hear("= D6"), Heard::Move { word: Some("d6".into()), info: Info::default() });
        assert_eq!(client.hear("? cannot"), Heard::Failed("cannot".into()));
        assert_eq!(client.hear("= resign"), Heard::Resigns);
    }

    #[test]
    fn any_version_is_read_and_an_answer_that_is_not_understood_is_named() {
        let greeting = |version: &str| {
            format!(
                "> protocol_version\n< = {version}\n<\n> name\n< = Egaroucid\n<\n> version\n< = 7.5.1\n<\n> list_commands\n< = play\n<\n"
            )
        };
        let now = Instant::now();
        let mut script =
            Script::new(&(greeting("2.0") + "> setup x\n> protocol_version\n< =\n<\n< ? setup\n<\n< = 2.0 \n<"));
        let mut client = Gtp::new(PassStyle::Implicit);
        assert_eq!(client.greet(&mut script, now).unwrap().name, "Egaroucid 7.5.1");
        client.set_option(&mut script, "setup", Some("x")).unwrap();
        client.synchronise(&mut script, now).unwrap();
        let mut script = Script::new(&(greeting("2") + "> protocol_version\n< = two point zero\n<"));
        client.greet(&mut script, now).unwrap();
        let error = client.synchronise(&mut script, now).unwrap_err().to_string();
        assert!(error.contains("protocol_version") && error.contains("\"= two point zero\""), "{error}");
        let mut script = Script::new("> protocol_version\n< hello");
        let error = client.greet(&mut script, now).unwrap_err().to_string();
        assert!(error.contains("the last line was \"hello\""), "{error}");
    }

    #[test]
    fn less_than_a_second_is_no_new_period() {
        let mut client = Gtp::new(PassStyle::Implicit);
        client.commands = vec!["time_left".into()];
        let course = Course::from_start(by_name("othello").unwrap());
        for (left_ms, increment_ms, told) in
            [(900, 0, "0 0"), (900, 1_000, "0 1"), (1_900, 1_000, "1 0"), (900, 10, "0 0")]
        {
            let mut script = Script::new(&format!("> time_left black {told}\n> genmove black"));
            let clock = Some(ClockView { left_ms, increment_ms, moves_to_go: None });
            let limits = GoLimits { clocks: [clock; 2], ..GoLimits::default() };
            client.go(&mut script, &course, &limits).unwrap();
            script.finish();
        }
    }

    #[test]
    fn limits_that_gtp_has_no_words_for() {
        let not_told = |clock: Option<(u64, u64, Option<u32>)>, limits: GoLimits| {
            let view =
                clock.map(|(left_ms, increment_ms, moves_to_go)| ClockView { left_ms, increment_ms, moves_to_go });
            Gtp::new(PassStyle::Implicit).not_told(&GoLimits { clocks: [view; 2], ..limits }).join(", ")
        };
        let none = GoLimits::default();
        assert_eq!(not_told(Some((60_000, 2_000, None)), none), "");
        assert_eq!(not_told(Some((60_000, 0, Some(40))), none), "");
        assert_eq!(not_told(Some((500, 10, None)), none), "clock 0.5 s (told as 0 s), increment 0.01 s (told as 0 s)");
        assert_eq!(not_told(Some((60_000, 1_000, Some(40))), none), "increment 1 s");
        let other = GoLimits { move_time_ms: Some(1_500), depth: Some(8), nodes: Some(1_000), ..none };
        assert_eq!(not_told(None, other), "time per move 1.5 s (told as 1 s), depth 8, nodes 1000");
    }

    #[test]
    fn a_refused_command_is_named() {
        let mut script = Script::new("> play white PASS\n< ? syntax error\n<");
        let mut course = Course::from_position(by_name("othello").unwrap(), "xo6/8/8/8/8/8/8/8 o").unwrap();
        assert!(course.must_pass());
        let played = course.legal_move("pass").unwrap();
        assert!(course.play(played));
        let mut client = Gtp::new(PassStyle::Word("PASS".into()));
        let error = client.prepare(&mut script, &course, Instant::now()).unwrap_err();
        assert_eq!(error, ClientError::Refused { command: "play white PASS".into(), answer: "? syntax error".into() });
        let mut silent = Script::new("");
        let mut client = Gtp::new(PassStyle::Implicit);
        client.prepare(&mut silent, &course, Instant::now()).unwrap();
    }
}
