//! The scripted engine of the tests.

use std::fs;
use std::io::{BufRead, BufWriter, Write, stdin, stdout};
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::Duration;

use nullwindow::game::{Outcome, Player};
use nullwindow::games::any::{AnyGame, by_name};
use nullwindow::games::record::play_all;
use nullwindow::platform::command_line::split;

use super::command_of;

/// The prefix of the argument that names the script.
pub const SCRIPT: &str = "script=";

/// The number of info lines per search of the script `flood`.
pub const FLOOD: usize = 20_000;

/// Not a test: with [`SCRIPT`] among its arguments, this process is an engine (UGI, UCI or NBoard)
/// that plays the first legal move until its script makes it fail.
#[test]
fn scripted_engine() {
    let Some(script) =
        std::env::args().find_map(|word| Some(word.strip_prefix(SCRIPT)?.to_owned()))
    else {
        return;
    };
    match script.split_once(':') {
        Some(("parent", file)) => start_grandchild(file),
        Some(("beat", file)) => beat(file),
        _ if script == "sleep" => {
            send("\nasleep");
            sleep_forever();
        }
        _ => {}
    }
    let mut engine = ScriptedEngine {
        script,
        game: by_name("tictactoe").unwrap(),
        searches: 0,
        isreadies: 0,
        games: 0,
        pondering: false,
    };
    for line in stdin().lock().lines() {
        engine.execute(line.unwrap().trim());
    }
    if engine.is("deaf-to-eof") {
        sleep_forever();
    }
    exit(0);
}

struct ScriptedEngine {
    script: String,
    game: AnyGame,
    searches: u32,
    isreadies: u32,
    games: u32,
    pondering: bool,
}

fn send(text: &str) {
    // A single write; the output of this test is not captured (`--nocapture`).
    let mut out = stdout().lock();
    out.write_all(format!("{text}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn sleep_forever() -> ! {
    loop {
        sleep(Duration::from_secs(1000));
    }
}

/// Starts a child that runs [`beat`], and waits for it.
fn start_grandchild(file: &str) {
    let words = split(&command_of(&format!("beat:{file}"))).unwrap();
    let _ = Command::new(&words[0]).args(&words[1..]).status();
}

/// Appends a byte to a file every five milliseconds, for a minute.
fn beat(file: &str) {
    for _ in 0..12_000 {
        append(file, b".");
        sleep(Duration::from_millis(5));
    }
}

fn append(file: &str, bytes: &[u8]) {
    let file = fs::OpenOptions::new().create(true).append(true).open(file);
    let _ = file.and_then(|mut file| file.write_all(bytes));
}

impl ScriptedEngine {
    fn is(&self, script: &str) -> bool {
        self.script == script
    }

    fn execute(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest) {
            ("ponderhit", _) if self.pondering => self.end_pondering(),
            ("stop", _) if self.is("until-stop") => send(&format!("bestmove {}", self.best())),
            ("stop", _) if self.pondering && !self.is("ponders-deaf") => self.end_pondering(),
            ("position" | "go" | "ucinewgame", _) if self.pondering => exit(9),
            ("go", _) if rest.starts_with("ponder") => {
                if self.is("ponders-crash") {
                    std::process::abort();
                }
                if self.is("ponders-illegally") {
                    send("info depth 1 score cp 0 pv a1 a1");
                }
                self.pondering = true;
            }
            ("ugi", _) if self.is("no-ugiok") => {
                eprintln!("no handshake");
                exit(7);
            }
            // Like most engines, it ignores an unknown protocol.
            ("ugi" | "nboard" | "protocol_version" | "ping", _) if self.is("speaks-uci") => {}
            ("ugi", _)
                if self.script.split_once(':').is_some_and(|(script, file)| {
                    script == "styled" && fs::exists(file).unwrap()
                }) =>
            {
                send(
                    "id name Scripted\noption name Style type string default plain\n\
                 option name Game type combo default tictactoe var tictactoe\nugiok",
                )
            }
            ("ugi", _) if self.is("optionless") => send("id name Scripted\nugiok"),
            ("ugi", _) if self.is("hash-only") => {
                send("option name Hash type spin default 1 min 1 max 9\nugiok")
            }
            ("ugi", _) => send(
                "id name Scripted\nid author test\n\
                 option name Game type combo default tictactoe var tictactoe var othello\nugiok",
            ),
            ("uci", _) => send(
                "id name Scripted\noption name Game type combo default tictactoe var tictactoe\nuciok",
            ),
            ("setoption", _) => {
                if let Some((_, name)) = rest.split_once("name Game value ") {
                    self.game = by_name(name).unwrap();
                }
            }
            ("isready", _) => {
                self.isreadies += 1;
                if self.is("exit-at-first-isready")
                    || (self.is("exit-at-isready") && self.isreadies == 4)
                {
                    exit(0);
                }
                if self.is("unready") && self.isreadies == 4
                    || self.is("new-game-unready") && self.games > 0
                {
                    sleep_forever();
                }
                send("readyok");
            }
            ("uginewgame" | "ucinewgame", _) => {
                self.games += 1;
                self.game.set_start();
            }
            ("position", _) => self.position(rest),
            ("query", what) => self.answer(what),
            ("go", _) => {
                if let Some(("note-go", file)) = self.script.split_once(':') {
                    append(file, format!("{line}\n").as_bytes());
                }
                self.go();
            }
            ("nboard", _) => {
                self.game = by_name("othello").unwrap();
                send("set myname Scripted");
            }
            ("set", _) => {
                if let Some(game) = rest.strip_prefix("game ") {
                    self.game.set_position(game).unwrap();
                }
            }
            ("move", _) => {
                play_all(&mut self.game, &rest.to_lowercase()).unwrap();
            }
            ("ping", _) => send(&format!("pong {rest}")),
            ("quit", _) if self.is("ignore-quit") => {}
            ("quit", _) => exit(0),
            _ => {}
        }
    }

    fn position(&mut self, text: &str) {
        let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
        self.game
            .set_position(start.trim_start_matches("fen "))
            .unwrap();
        play_all(&mut self.game, moves).unwrap();
    }

    fn answer(&self, what: &str) {
        let p1_turn = self.game.to_move() == Player::First;
        let over = self.game.outcome();
        let answer = match what {
            "p1turn" if self.is("wrong-p1turn") => (!p1_turn).to_string(),
            "p1turn" => p1_turn.to_string(),
            "gameover" if self.is("wrong-gameover") && self.game.history().len() > 2 => {
                "true".into()
            }
            "gameover" if self.is("invalid-gameover") => "perhaps".into(),
            "gameover" if self.is("unanswered") => return,
            "gameover" => over.is_some().to_string(),
            "result" if self.is("wrong-result") => "p2win".into(),
            "result" => match over {
                Some(Outcome::FirstWins) => "p1win",
                Some(Outcome::SecondWins) => "p2win",
                Some(Outcome::Draw) => "draw",
                None => "none",
            }
            .into(),
            _ => "unknown".into(),
        };
        send(&format!("response {answer}"));
    }

    /// The engine's move, after a ponder hit or a stop.
    fn end_pondering(&mut self) {
        self.pondering = false;
        self.go();
    }

    /// The expected reply: the first legal one, which the opponent plays, or the last one.
    fn reply(&self) -> Option<String> {
        let mut game = self.game.clone();
        game.play(game.moves()[0]).unwrap();
        let replies = game.moves();
        let reply = if self.is("ponders-wrong") || self.is("ponders-deaf") {
            replies.last()
        } else {
            replies.first()
        };
        reply.map(|&reply| game.write_move(reply))
    }

    fn best(&self) -> String {
        self.game.write_move(self.game.moves()[0])
    }

    fn go(&mut self) {
        self.searches += 1;
        let best = self.best();
        let send_best = || {
            send(&format!(
                "info depth 3 score cp 10 nodes 99 time 1 pv {best}\nbestmove {best}"
            ))
        };
        match self.script.as_str() {
            "nboard" => send(&format!(
                "status thinking\n=== {}/1.5/0.01",
                best.to_uppercase()
            )),
            "edax" => send(&format!("=== {best} 1.50 0.0")),
            "edax-illegal" => send("=== A1 0.00 0.0"),
            "crash" => {
                eprintln!("about to crash");
                std::process::abort();
            }
            "crash-once"
                if self.games == 1
                    && std::env::var("NULLWINDOW_ONCE")
                        .is_ok_and(|file| fs::File::create_new(file).is_ok()) =>
            {
                std::process::abort();
            }
            "exit-3" => exit(3),
            "until-stop" => {}
            "endless" => {
                let lines = format!("info depth 3 score cp 10 nodes 99 time 1 pv {best}\n");
                let lines = lines.repeat(100);
                while stdout().write_all(lines.as_bytes()).is_ok() {}
                exit(0);
            }
            "thoughtful" => {
                sleep(Duration::from_millis(300));
                send_best();
            }
            // A child of it holds its output open.
            "exit-3-behind-child" => {
                let words = split(&command_of("sleep")).unwrap();
                Command::new(&words[0]).args(&words[1..]).spawn().unwrap();
                exit(3);
            }
            // A child of it has its own session and none of its pipes.
            "leaves-session" => {
                let words = split(&command_of("sleep")).unwrap();
                let script = "setsid \"$@\" </dev/null >/dev/null 2>&1 &";
                let mut shell = Command::new("sh");
                shell
                    .args(["-c", script, "sh"])
                    .args(&words)
                    .status()
                    .unwrap();
                sleep(Duration::from_millis(20));
                send_best();
            }
            "exit-0" => exit(0),
            "stall" => sleep_forever(),
            script if script.starts_with("stall:") => {
                append(&script["stall:".len()..], b".");
                sleep_forever();
            }
            "no-bestmove" => send("info depth 1 score cp 0 nodes 1 time 1 pv a1"),
            "empty-bestmove" => send("bestmove"),
            _ if self.script.starts_with("ponders-") => match self.reply() {
                Some(reply) if self.is("ponders-badly") => {
                    send(&format!(
                        "info depth 3 score cp 1 pv {best} {best}\nbestmove {best} ponder {reply}"
                    ));
                }
                Some(reply) => send(&format!("bestmove {best} ponder {reply}")),
                None => send_best(),
            },
            "pv-illegal" => send(&format!(
                "info depth 3 score cp 1 nodes 9 pv {best} {best}\nbestmove {best}"
            )),
            "pv-other" => {
                let moves = self.game.moves();
                let other = self.game.write_move(moves[moves.len() - 1]);
                send(&format!(
                    "info depth 3 score cp 1 nodes 9 pv {other}\nbestmove {best}"
                ));
            }
            "depth-falls" => {
                send("info depth 3 score cp 1 nodes 9");
                send(&format!(
                    "info depth 2 score cp 1 nodes 9 pv {best}\nbestmove {best}"
                ));
            }
            "nodes-fall" => {
                send("info depth 3 score cp 1 nodes 9");
                send(&format!(
                    "info depth 3 score cp 1 nodes 8 pv {best}\nbestmove {best}"
                ));
            }
            "reports-error" => {
                send("info string error: Book File: the book is damaged");
                send_best();
            }
            "proves-wins" => {
                send(&format!(
                    "info depth 9 score cp 9990 nodes 9 pv {best}\ninfo string exact\nbestmove {best}"
                ));
            }
            "slow" => {
                sleep(Duration::from_millis(8));
                send_best();
            }
            "none" => send("bestmove (none)"),
            "illegal" if self.game.history().len() > 1 => send("bestmove a1"),
            "garbage" => send("bestmove \u{1}\u{ffff}a1"),
            // Too late for 0.1 s per move, and ignores `stop` in the meantime.
            "late" => {
                sleep(Duration::from_millis(400));
                send_best();
            }
            "megabytes" => {
                let mut out = stdout().lock();
                let noise = vec![b'x'; 1 << 20];
                for _ in 0..4 {
                    out.write_all(&noise).unwrap();
                }
                for n in 0..50_000 {
                    writeln!(out, "\ninfo string noise {n}").unwrap();
                }
                drop(out);
                send_best();
            }
            "flood" => {
                let mut out = BufWriter::new(stdout().lock());
                for n in 0..FLOOD {
                    writeln!(out, "info string flood {n}").unwrap();
                }
                drop(out);
                send_best();
            }
            "cores" => {
                let status = fs::read_to_string("/proc/self/status").unwrap();
                let list = status
                    .lines()
                    .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
                send(&format!("info string cores {}", list.unwrap().trim()));
                send_best();
            }
            "stderr" => {
                for n in 0..100_000 {
                    eprintln!("error message number {n}");
                }
                send_best();
            }
            "losing" => send(&format!(
                "info depth 3 score cp -500 nodes 99 pv {best}\nbestmove {best}"
            )),
            "twice" => {
                send_best();
                send_best();
            }
            // Crashes during the opponent's search.
            "crash-after" if self.searches == 2 => {
                send_best();
                std::process::abort();
            }
            _ => send_best(),
        }
    }
}
