//! `nullwindow play`: a game between the user and the engine at a terminal.
//!
//! The engine is used as by a protocol, through requests and events, so that `Strength` and the
//! options have the same meaning as there.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::engine::Engine;
use crate::engine::event::{Certainty, Event, RankedMove};
use crate::engine::request::{Go, Request};
use crate::engine::strength::STRENGTH_MAX;
use crate::game::score::Score;
use crate::game::{Move, Outcome, Player, counted, quoted};
use crate::games::any::AnyGame;
use crate::setup::{EVAL, GAME, SEARCH, Setup, seconds, uses};

/// What the user can enter, beside moves.
const COMMANDS: &str = "undo, hint, moves, quit";

/// The arguments of `nullwindow play`.
#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCH, EVAL, &["Hash", "Strength"]]))]
pub struct Args {
    /// The discs that the engine loses per game on average on 8x8, fewer on smaller boards; 0 is full
    /// strength (disc games)
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u32).range(0..=i64::from(STRENGTH_MAX)))]
    strength: Option<u32>,

    /// Your side: the first player is Black, or X in games without discs
    #[arg(long = "as", value_name = "SIDE", value_enum, default_value = "first")]
    side: Side,

    /// Begin here: a position or moves from the start (default: the start)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    position: Option<String>,

    /// The engine's time for each move and hint
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    time: Duration,
}

#[derive(Clone, ValueEnum, Debug)]
enum Side {
    First,
    Second,
}

/// Plays a game on standard input and `out`.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let game = setup.board(args.position.as_deref())?;
    let mut options = setup.options()?;
    if let Some(discs) = args.strength {
        options.set("Strength", Some(&discs.to_string()))?;
    }
    ensure!(
        options.strength().is_none() || game.discs().is_some(),
        "--strength applies to disc games: {} is played at full strength",
        game.name()
    );
    let mut table = GameTable {
        engine: Engine::new(options)?,
        user: match args.side {
            Side::First => Player::First,
            Side::Second => Player::Second,
        },
        time: args.time,
        game,
    };
    table.play(&mut io::stdin().lock(), out)?;
    Ok(true)
}

struct GameTable {
    engine: Engine,
    game: AnyGame,
    user: Player,
    time: Duration,
}

impl GameTable {
    fn play(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<()> {
        writeln!(
            out,
            "You play {}. Enter a move or {COMMANDS}.\n",
            self.name(self.user)
        )?;
        loop {
            writeln!(out, "{}", self.game.diagram().trim_end())?;
            if let Some(outcome) = self.game.outcome() {
                writeln!(out, "\n{}", self.result(outcome))?;
                return Ok(());
            }
            if self.game.to_move() != self.user {
                out.flush()?;
                let m = self.engine_move()?;
                self.play_move(m, out)?;
            } else if self.game.must_pass() {
                self.play_move(Move::PASS, out)?;
            } else if self.ask(input, out)? {
                return Ok(());
            }
        }
    }

    /// Reads commands up to the next move. Returns whether the user quits or the input ends.
    fn ask(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<bool> {
        loop {
            write!(out, "{}: ", self.name(self.user))?;
            out.flush()?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                writeln!(out)?;
                return Ok(true);
            }
            match String::from_utf8_lossy(&line).trim() {
                "" => {}
                "quit" => return Ok(true),
                "moves" => writeln!(out, "{}", self.legal_moves())?,
                "hint" => self.hint(out)?,
                "undo" if self.undo() => {
                    writeln!(out)?;
                    return Ok(false);
                }
                "undo" => writeln!(out, "there is no move of yours to undo")?,
                word => match self.game.legal_move(word) {
                    Some(m) => {
                        self.play_move(m, out)?;
                        return Ok(false);
                    }
                    None => writeln!(
                        out,
                        "\"{}\" is not a legal move: enter {}, or {COMMANDS}",
                        quoted(word),
                        self.legal_moves()
                    )?,
                },
            }
        }
    }

    fn play_move(&mut self, m: Move, out: &mut dyn Write) -> Result<()> {
        let name = self.name(self.game.to_move());
        if m.is_pass() {
            writeln!(out, "\n{name} has no legal move and passes.\n")?;
        } else {
            writeln!(out, "\n{name} plays {}.\n", self.game.write_move(m))?;
        }
        Ok(self.game.play(m)?)
    }

    /// Undoes the user's last move and everything after it; false if there is none.
    fn undo(&mut self) -> bool {
        let is_choice = |game: &AnyGame| game.to_move() == self.user && !game.must_pass();
        let mut earlier = self.game.clone();
        while earlier.undo() {
            if is_choice(&earlier) {
                self.game = earlier;
                return true;
            }
        }
        false
    }

    /// Prints the score of each legal move, best first.
    fn hint(&mut self, out: &mut dyn Write) -> Result<()> {
        let lines = self.game.moves().len();
        let go = Go {
            lines: Some(lines),
            is_hint: true,
            ..self.limits()
        };
        let mut ranked = Vec::new();
        self.request(Request::Rank(go), &mut |event| {
            if let Event::Ranked { moves, .. } = event {
                ranked = moves;
            }
        })?;
        let is_partial = ranked.len() < lines;
        for RankedMove {
            score,
            pv,
            certainty,
        } in ranked
        {
            let score = self.score_text(score);
            let exact = match certainty {
                Certainty::Exact => ", exact",
                _ => "",
            };
            let line = format!("{:<4} {score}{exact}   {}", pv[0], pv[1..].join(" "));
            writeln!(out, "{}", line.trim_end())?;
        }
        if is_partial {
            writeln!(
                out,
                "The search did not finish: the other moves have no score."
            )?;
        }
        Ok(())
    }

    fn engine_move(&mut self) -> Result<Move> {
        if self.game.must_pass() {
            return Ok(Move::PASS);
        }
        let mut best = None;
        let go = self.limits();
        self.request(Request::Go(go), &mut |event| {
            if let Event::Best { word, .. } = event {
                best = word;
            }
        })?;
        let best = best.and_then(|word| self.game.legal_move(&word));
        best.context("the engine has no move")
    }

    fn limits(&self) -> Go {
        Go {
            movetime: Some(self.time.as_millis() as i64),
            ..Go::default()
        }
    }

    /// Sends the position and a request to the engine, and passes the events of the request on.
    fn request(&mut self, request: Request, take: &mut dyn FnMut(Event)) -> Result<()> {
        let position = Request::Position {
            text: self.game.start().write_position(),
            before: 0,
            moves: self.words(self.game.history()),
        };
        for request in [position, request] {
            let mut error = None;
            let mut sink = |event| match event {
                Event::Failed(text) => error = Some(text),
                event => take(event),
            };
            self.engine.handle(request, Instant::now(), &mut sink);
            while self.engine.is_busy() {
                let report = self.engine.reports().recv()?;
                self.engine.report(report, &mut sink);
            }
            if let Some(error) = error {
                bail!("{error}");
            }
        }
        Ok(())
    }

    fn legal_moves(&self) -> String {
        self.words(&self.game.moves())
    }

    fn words(&self, moves: &[Move]) -> String {
        self.game.write_moves(moves).join(" ")
    }

    /// The name of a player and, in disc games, its letter in diagrams.
    fn name(&self, player: Player) -> &'static str {
        match (self.game.discs().is_some(), player) {
            (true, Player::First) => "Black (x)",
            (true, Player::Second) => "White (o)",
            (false, Player::First) => "X",
            (false, Player::Second) => "O",
        }
    }

    /// A score for the side to move, in centipoints, for display.
    fn score_text(&self, score: i32) -> String {
        match score {
            _ if self.game.discs().is_some() => format!("{:+.2} discs", f64::from(score) / 100.0),
            0 => "even".into(),
            _ if !Score(score).is_decided() => format!("{score:+}"),
            _ => {
                let verb = if score > 0 { "wins" } else { "loses" };
                let plies = Score::DECIDED.0 - score.abs();
                format!("{verb} in {}", counted(plies, "ply", "plies"))
            }
        }
    }

    fn result(&self, outcome: Outcome) -> String {
        let winner = match outcome {
            Outcome::Draw => "Draw".into(),
            _ if outcome == Outcome::win(self.user) => "You win".into(),
            _ => format!("{} wins", self.name(self.user.other())),
        };
        match self.game.discs() {
            Some(discs) => {
                let (black, white) = (discs.black.count_ones(), discs.white.count_ones());
                format!("{winner}: Black {black}, White {white}.")
            }
            None => format!("{winner}."),
        }
    }
}
