//! One game: the runner holds the rules and the clocks, the engines find the moves.
//!
//! Each turn is told, confirmed (UGI: queries), timed from just before `go` to the arrival of the answer, and checked. A
//! side that has only a pass is not asked: the runner passes for it, since the protocols spell passes in too many ways.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::adjudicate::{Adjudicator, DrawRule, ResignRule, solved};
use super::clock::{Charge, Clock};
use super::date::Date;
use super::fault::{Break, Fault, Reason};
use super::openings::Opening;
use super::player::{Abort, Patience, Player, StartError, Thought};
use super::process::{Entry, Way};
use super::record::{GameRecord, GameResult, Incident, MoveRecord, Origin, SideName};
use super::schedule::Assignment;
use super::spec::EngineSpec;
use crate::game::{Move, Player as Side, quoted};
use crate::protocol::client::{Course, GoLimits};
use crate::score::Score;

/// What all games of a tournament have in common.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The game's name.
    pub game: String,
    /// Whether an engine that dies or stalls is started again (once a game) instead of losing.
    pub recover: bool,
    /// Resigning for the engines.
    pub resign: Option<ResignRule>,
    /// Agreeing draws for the engines.
    pub draw: Option<DrawRule>,
    /// From how many empty squares on a game of discs is solved instead of played.
    pub exact: Option<u8>,
    /// How long engines are waited for.
    pub patience: Patience,
}

/// An engine's place in a worker: its process lives here from game to game.
pub struct Seat {
    /// The engine.
    pub spec: EngineSpec,
    /// Where its process is kept, `None` for anywhere.
    pub cores: Option<Vec<usize>>,
    player: Option<Player>,
    stop: Receiver<()>,
}

impl Seat {
    /// A seat with no process yet.
    pub fn new(spec: EngineSpec, cores: Option<Vec<usize>>, stop: Receiver<()>) -> Seat {
        Seat { spec, cores, player: None, stop }
    }

    /// The running engine, started if need be.
    fn player(&mut self, patience: Patience) -> Result<&mut Player, Abort> {
        match &mut self.player {
            Some(player) => Ok(player),
            empty => {
                let player = Player::start(&self.spec, self.cores.as_deref(), patience, self.stop.clone())?;
                Ok(empty.insert(player))
            }
        }
    }

    /// Lets the engine go, kindly.
    pub fn vacate(&mut self) {
        if let Some(player) = self.player.take() {
            player.quit();
        }
    }
}

/// A game that came to its end.
pub struct Played {
    /// Its record.
    pub record: GameRecord,
    /// What was said, if something went wrong.
    pub log: Option<String>,
    /// The runner's own time of every move, from one engine's answer to the other's `go`.
    pub overheads: Vec<Duration>,
    /// How late the runner looked at each answer.
    pub lateness: Vec<Duration>,
}

/// Plays a game; `first` is the first player.
///
/// # Errors
/// If an engine cannot start, or the tournament stops.
pub fn play(
    rules: &Rules,
    assignment: &Assignment,
    opening: &Opening,
    first: &mut Seat,
    second: &mut Seat,
) -> Result<Played, Abort> {
    let course = opening.course(&rules.game).map_err(|error| {
        Abort::CannotStart(StartError {
            name: first.spec.name.clone(),
            command: first.spec.command_line(),
            what: format!("{error:#}"),
            stderr: String::new(),
        })
    })?;
    let began = Instant::now();
    let mut game = Game {
        rules,
        clocks: [first.spec.clock(), second.spec.clock()],
        seats: [first, second],
        moves: course.plies().iter().map(|ply| opening_move(&ply.word)).collect(),
        course,
        judge: Adjudicator::new(rules.resign, rules.draw),
        incidents: Vec::new(),
        answered: None,
        overheads: Vec::new(),
        lateness: Vec::new(),
        old_logs: Default::default(),
    };
    let date = Date::now();
    let end = game.run()?;
    let record = game.record(assignment, opening, &end, date, began.elapsed());
    let log = record.is_abnormal().then(|| game.log(&record, began));
    for (side, seat) in [Side::First, Side::Second].into_iter().zip(&mut game.seats) {
        let failed = end.fault_by == Some(side) && end.reason.ends_process();
        if failed {
            seat.player = None;
        } else if seat.spec.restart {
            seat.vacate();
        }
    }
    Ok(Played { record, log, overheads: game.overheads, lateness: game.lateness })
}

fn opening_move(word: &str) -> MoveRecord {
    MoveRecord { word: word.into(), origin: Origin::Opening, ..MoveRecord::default() }
}

/// How a game ended.
struct End {
    result: GameResult,
    reason: Reason,
    fault_by: Option<Side>,
    detail: Option<String>,
    /// What the game was worth to the side to move, played out or solved.
    score: Option<Score>,
}

impl End {
    fn of(result: GameResult, reason: Reason) -> End {
        End { result, reason, fault_by: None, detail: None, score: None }
    }

    fn fault(by: Side, fault: Fault) -> End {
        End { fault_by: Some(by), detail: Some(fault.detail), ..End::of(GameResult::win(by.other()), fault.reason) }
    }
}

/// What stops a game before its end.
enum Halt {
    Fault(Side, Fault, Duration),
    Abort(Abort),
}

struct Game<'a> {
    rules: &'a Rules,
    seats: [&'a mut Seat; 2],
    clocks: [Clock; 2],
    course: Course,
    moves: Vec<MoveRecord>,
    judge: Adjudicator,
    incidents: Vec<Incident>,
    /// When the last answer arrived: what passes until the next `go` is the runner's, or waiting for the next engine.
    answered: Option<Instant>,
    overheads: Vec<Duration>,
    lateness: Vec<Duration>,
    /// What was said by processes that have been replaced.
    old_logs: [Vec<Entry>; 2],
}

impl Game<'_> {
    fn run(&mut self) -> Result<End, Abort> {
        for seat in &mut self.seats {
            // A process that has played before brings its old conversation along.
            if let Some(player) = &seat.player {
                player.log().clear();
            }
            seat.player(self.rules.patience)?;
        }
        let mut begun = [false; 2];
        loop {
            match self.turn(&mut begun) {
                Ok(None) => {}
                Ok(Some(end)) => return Ok(end),
                Err(Halt::Abort(abort)) => return Err(abort),
                Err(Halt::Fault(side, fault, spent)) => {
                    if !self.may_recover(side, &fault, spent) {
                        return Ok(End::fault(side, fault));
                    }
                    self.restart(side, fault, spent)?;
                    begun[side as usize] = false;
                }
            }
        }
    }

    /// One ply, or what comes before the first or after the last.
    fn turn(&mut self, begun: &mut [bool; 2]) -> Result<Option<End>, Halt> {
        for side in [Side::First, Side::Second] {
            if !begun[side as usize] {
                self.begin(side)?;
                begun[side as usize] = true;
            }
        }
        if let Some(outcome) = self.course.outcome() {
            for side in [Side::First, Side::Second] {
                let (player, course) = self.at(side)?;
                player.game_over(course, outcome).map_err(|error| halt(side, error, Duration::ZERO))?;
            }
            let score = self.course.game().final_score();
            return Ok(Some(End { score, ..End::of(outcome.into(), Reason::Normal) }));
        }
        if let Some(score) = self.rules.exact.and_then(|empties| solved(self.course.game(), empties)) {
            self.answered = None; // no engine waits for the solver
            let result = GameResult::of(score, self.course.to_move());
            return Ok(Some(End { score: Some(score), ..End::of(result, Reason::AdjudicatedExact) }));
        }
        if self.course.must_pass() {
            let word = self.course.game().write_move(Move::PASS);
            self.moves.push(MoveRecord { word, origin: Origin::Forced, ..MoveRecord::default() });
            self.course.play(Move::PASS);
            return Ok(None);
        }
        self.search()
    }

    /// The running engine of a side, and the course to tell it.
    fn at(&mut self, side: Side) -> Result<(&mut Player, &Course), Halt> {
        let player = self.seats[side as usize].player(self.rules.patience).map_err(Halt::Abort)?;
        Ok((player, &self.course))
    }

    fn begin(&mut self, side: Side) -> Result<(), Halt> {
        let limits = self.limits(side);
        let spec = self.seats[side as usize].spec.clone();
        let (player, course) = self.at(side)?;
        match player.new_game(&spec, course, side, &limits) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(fault)) => Err(Halt::Fault(side, fault, Duration::ZERO)),
            Err(abort) => Err(Halt::Abort(abort)),
        }
    }

    /// What a side's `go` says.
    fn limits(&self, side: Side) -> GoLimits {
        let own = &self.clocks[side as usize];
        let clocks = if own.view().is_some() { [self.clocks[0].view(), self.clocks[1].view()] } else { [None, None] };
        GoLimits { clocks, ..self.seats[side as usize].spec.go_limits(own) }
    }

    /// The side to move thinks, and its move is looked at.
    fn search(&mut self) -> Result<Option<End>, Halt> {
        let side = self.course.to_move();
        let limits = self.limits(side);
        let allowance = self.clocks[side as usize].allowance();
        let answered = self.answered.take();
        let (player, course) = self.at(side)?;
        player.take_waited();
        player.prepare(course).map_err(|error| halt(side, error, Duration::ZERO))?;
        let overhead = answered.map(|at| at.elapsed().saturating_sub(player.take_waited()));
        let thought =
            player.think(course, &limits, allowance).map_err(|(error, elapsed)| halt(side, error, elapsed))?;
        self.answered = Some(Instant::now() - thought.lateness);
        self.overheads.extend(overhead);
        self.lateness.push(thought.lateness);
        self.take(side, thought)
    }

    /// Charges the clock, checks the move and plays it.
    fn take(&mut self, side: Side, thought: Thought) -> Result<Option<End>, Halt> {
        let clock = &mut self.clocks[side as usize];
        let charge = clock.charge(thought.elapsed);
        if let Charge::TooLate(over) = charge {
            let detail = format!(
                "its move came after {:.1} ms, {:.1} ms too late",
                thought.elapsed.as_secs_f64() * 1e3,
                over.as_secs_f64() * 1e3
            );
            return Err(Halt::Fault(side, Fault::new(Reason::TimeForfeit, detail), thought.elapsed));
        }
        let Some(word) = thought.word else {
            return Ok(Some(End::of(GameResult::win(side.other()), Reason::Resign)));
        };
        let Some(played) = self.course.legal_move(&word) else {
            let position = self.course.game().write_position();
            let detail =
                format!("\"{}\" in {position}, its line was \"{}\"", quoted(&word), quoted(thought.line.trim()));
            return Err(Halt::Fault(side, Fault::new(Reason::IllegalMove, detail), thought.elapsed));
        };
        self.moves.push(MoveRecord {
            word: self.course.game().write_move(played),
            origin: Origin::Engine,
            ms: Some((thought.elapsed.as_secs_f64() * 1e6).round() / 1e3),
            clock_ms: clock.left().map(|left| left.as_millis() as u64),
            late: charge == Charge::WithinMargin || thought.stopped,
            depth: thought.info.depth,
            seldepth: thought.info.seldepth,
            score: thought.info.score,
            nodes: thought.info.nodes,
        });
        self.course.play(played);
        let verdict = self.judge.hear(side, thought.info.score, self.moves.len());
        // The rules of the game come first: a finished game needs no judge.
        Ok(verdict.filter(|_| self.course.outcome().is_none()).map(|(result, reason)| End::of(result, reason)))
    }

    fn may_recover(&self, side: Side, fault: &Fault, spent: Duration) -> bool {
        // Twice in one game would only come again; and time that is gone cannot be recovered.
        let again = self.incidents.iter().any(|incident| incident.by == SideName::from(side));
        let flag_fell = self.clocks[side as usize].allowance().is_some_and(|allowance| spent >= allowance);
        self.rules.recover && fault.reason.can_be_recovered() && !again && !flag_fell
    }

    fn restart(&mut self, side: Side, fault: Fault, spent: Duration) -> Result<(), Abort> {
        self.incidents.push(Incident {
            ply: self.moves.len() + 1,
            by: side.into(),
            reason: fault.reason,
            detail: fault.detail,
        });
        self.clocks[side as usize].charge_without_move(spent);
        self.answered = None;
        let seat = &mut self.seats[side as usize];
        if let Some(player) = seat.player.take() {
            self.old_logs[side as usize].extend(player.log().entries().0);
        }
        seat.player(self.rules.patience).map(|_| ())
    }

    fn record(
        &self,
        assignment: &Assignment,
        opening: &Opening,
        end: &End,
        date: Date,
        elapsed: Duration,
    ) -> GameRecord {
        let discs = end.score.filter(|_| self.course.game().discs().is_some()).map(|score| {
            let first = if self.course.to_move() == Side::First { score } else { -score };
            first.0 / 100
        });
        let mut overheads: Vec<u64> = self.overheads.iter().map(|time| time.as_micros() as u64).collect();
        overheads.sort_unstable();
        GameRecord {
            game: assignment.game,
            round: assignment.round,
            pair: assignment.pair,
            variant: self.rules.game.clone(),
            p1: self.seats[0].spec.name.clone(),
            p2: self.seats[1].spec.name.clone(),
            result: end.result,
            reason: end.reason,
            fault_by: end.fault_by.map(SideName::from),
            detail: end.detail.clone(),
            discs,
            began: date.rfc3339(),
            seconds: (elapsed.as_secs_f64() * 1e6).round() / 1e6,
            limits: [self.seats[0].spec.limits(), self.seats[1].spec.limits()],
            start: opening.position.clone(),
            moves: self.moves.clone(),
            recovered: self.incidents.clone(),
            overhead_us: overheads.last().map(|&greatest| [overheads[overheads.len() / 2], greatest]),
            log: None,
        }
    }

    /// Both sides' input, output and standard error in order of time, in milliseconds since the game began.
    fn log(&self, record: &GameRecord, began: Instant) -> String {
        use std::fmt::Write;
        let mut text = format!("game {} ({}): {}\n", record.game, record.variant, record.reason);
        if let (Some(by), Some(detail)) = (record.fault_by, &record.detail) {
            let _ = writeln!(
                text,
                "fault of {} ({}): {detail}",
                record.name(by.into()),
                if by == SideName::P1 { "p1" } else { "p2" }
            );
        }
        for incident in &record.recovered {
            let name = record.name(incident.by.into());
            let _ =
                writeln!(text, "recovered at ply {}: {name}: {}: {}", incident.ply, incident.reason, incident.detail);
        }
        let mut lines: Vec<(Entry, usize)> = Vec::new();
        for (index, seat) in self.seats.iter().enumerate() {
            let _ = writeln!(text, "p{} {}: {}", index + 1, seat.spec.name, seat.spec.command_line());
            lines.extend(self.old_logs[index].iter().map(|entry| (entry.clone(), index)));
            if let Some(player) = &seat.player {
                let (entries, dropped) = player.log().entries();
                if dropped > 0 {
                    let _ = writeln!(text, "p{} said so much that {dropped} older lines are not kept", index + 1);
                }
                lines.extend(entries.into_iter().map(|entry| (entry, index)));
            }
        }
        let _ = writeln!(text, "position: {}", self.course.game().write_position());
        let _ = writeln!(text, "\n(ms since the game began; < to the engine, > from it, ! its standard error)");
        lines.sort_by_key(|(entry, _)| entry.at);
        for (entry, index) in lines {
            let since = match entry.at.checked_duration_since(began) {
                Some(after) => after.as_secs_f64() * 1e3,
                None => -(began - entry.at).as_secs_f64() * 1e3,
            };
            let way = match entry.way {
                Way::Input => '<',
                Way::Output => '>',
                Way::Error => '!',
            };
            let _ = writeln!(text, "{since:12.3} p{} {way} {}", index + 1, entry.text);
        }
        text
    }
}

fn halt(side: Side, error: Break, elapsed: Duration) -> Halt {
    match error {
        Break::Fault(fault) => Halt::Fault(side, fault, elapsed),
        Break::Interrupted => Halt::Abort(Abort::Interrupted),
    }
}
