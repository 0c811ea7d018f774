//! Plays one game: the runner enforces the rules and the clocks.
//!
//! A turn sends the position, checks the engine's view of it (UGI queries), measures the time from just before `go` to
//! the arrival of the reply, and checks the move. The runner itself plays forced passes, since protocols write them
//! differently.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::adjudicate::{Adjudicator, solve_position};
use super::clock::{ClockCharge, GameClock, LateMove};
use super::fault::{Abort, ExchangeError, Fault, StartError, Termination};
use super::process::{LogEntry, StreamKind};
use super::search_check::{ProofTracker, ProvenResult, ReportWarning};
use super::session::{EngineMove, EngineSession, EngineSlot};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::config::TournamentConfig;
use crate::arena::openings::Opening;
use crate::arena::pairings::ScheduledGame;
use crate::arena::results::files::GamePlies;
use crate::arena::results::record::{AtPly, GameRecord, MoveOrigin, MoveRecord};
use crate::game::score::Score;
use crate::game::{Move, Outcome, Player, quoted};
use crate::logging::date::Date;

/// A finished game.
pub struct FinishedGame {
    /// Its record.
    pub record: GameRecord,
    /// The log, if the game has a fault.
    pub log: Option<String>,
    /// Its measurements and warnings.
    pub diagnostics: GameDiagnostics,
}

/// Plays a game; `first` is the first player. Each ply goes to `plies` as soon as it is played.
///
/// # Errors
/// If an engine cannot start, a ply cannot be recorded, or the tournament is interrupted.
pub fn play_game(
    config: &TournamentConfig,
    scheduled: &ScheduledGame,
    opening: &Opening,
    plies: GamePlies<'_>,
    slots: [&mut EngineSlot; 2],
) -> Result<FinishedGame, Abort> {
    let history = opening
        .history(&config.game)
        .map_err(|error| Abort::CannotStart(StartError::new(&slots[0].spec, format!("{error:#}"), String::new())))?;
    let began = Instant::now();
    let mut game = MatchGame {
        config,
        clocks: [slots[0].spec.clock(), slots[1].spec.clock()],
        slots,
        moves: Vec::new(),
        plies,
        history,
        adjudicator: Adjudicator::new(config.resign, config.draw),
        recovered: Vec::new(),
        restarted: [false; 2],
        replied: None,
        diagnostics: GameDiagnostics::default(),
        old_entries: Default::default(),
    };
    let date = Date::now();
    let end = game.run()?;
    game.check_proofs(&end);
    let record = game.record(scheduled, opening, &end, date, began.elapsed());
    let log = record.is_abnormal().then(|| {
        let position = game.history.game().write_position();
        write_game_log(&record, &position, &game.slots, &game.old_entries, began)
    });
    for (side, slot) in [Player::First, Player::Second].into_iter().zip(&mut game.slots) {
        let failed = end.fault_by == Some(side) && end.reason.ends_process();
        // The game is over: a failure to stop pondering now is not a fault in any game.
        let mut ponders_on = || slot.session.as_mut().is_some_and(|session| session.end_pondering().is_err());
        if failed || ponders_on() {
            slot.session = None;
        } else if slot.spec.restart {
            slot.quit();
        }
    }
    Ok(FinishedGame { record, log, diagnostics: game.diagnostics })
}

/// Why a turn was not completed.
enum TurnError {
    /// A fault of this side, and the time that it used.
    Fault(Player, Fault, Duration),
    Abort(Abort),
}

/// A game in progress.
struct MatchGame<'a> {
    config: &'a TournamentConfig,
    slots: [&'a mut EngineSlot; 2],
    clocks: [GameClock; 2],
    history: GameHistory,
    moves: Vec<MoveRecord>,
    plies: GamePlies<'a>,
    adjudicator: Adjudicator,
    recovered: Vec<AtPly<Fault>>,
    /// Whether a side's process was replaced since its last move.
    restarted: [bool; 2],
    /// When the last reply arrived; the time until the next `go`, without waits for engines, is overhead.
    replied: Option<Instant>,
    diagnostics: GameDiagnostics,
    /// The logs of processes that were replaced during the game.
    old_entries: [Vec<LogEntry>; 2],
}

impl MatchGame<'_> {
    fn run(&mut self) -> Result<GameEnd, Abort> {
        for slot in &mut self.slots {
            if let Some(session) = &slot.session {
                session.log().clear(); // lines of earlier games
            }
            slot.start(self.config.timeouts())?;
        }
        for word in self.history.plies().iter().map(|ply| ply.word.clone()).collect::<Vec<_>>() {
            self.add_move(MoveRecord { word, origin: MoveOrigin::Opening, ..MoveRecord::default() }, None, false)?;
        }
        let mut begun = [false; 2];
        loop {
            match self.turn(&mut begun) {
                Ok(None) => {}
                Ok(Some(end)) => return Ok(end),
                Err(TurnError::Abort(abort)) => return Err(abort),
                Err(TurnError::Fault(side, fault, spent)) => {
                    if !self.may_recover(side, &fault, spent) {
                        return Ok(GameEnd::by_fault(side, fault));
                    }
                    self.restart(side, fault, spent)?;
                    begun[side as usize] = false;
                }
            }
        }
    }

    /// One ply: starts the game on engines where it has not begun, plays a move or a pass, or ends the game.
    fn turn(&mut self, begun: &mut [bool; 2]) -> Result<Option<GameEnd>, TurnError> {
        for side in [Player::First, Player::Second] {
            if !begun[side as usize] {
                self.begin(side)?;
                begun[side as usize] = true;
            }
        }
        if let Some(outcome) = self.history.outcome() {
            for side in [Player::First, Player::Second] {
                let (session, history) = self.session(side)?;
                session.game_over(history, outcome).map_err(|error| turn_error(side, error, Duration::ZERO))?;
            }
            let score = self.history.game().final_score();
            return Ok(Some(GameEnd { score, ..GameEnd::new(outcome, Termination::Normal) }));
        }
        if let Some(score) = self.config.exact.and_then(|empties| solve_position(self.history.game(), empties)) {
            self.replied = None; // the time of the solver is not overhead
            let result = Outcome::of_score(score, self.history.to_move());
            return Ok(Some(GameEnd { score: Some(score), ..GameEnd::new(result, Termination::AdjudicatedExact) }));
        }
        if self.history.must_pass() {
            let word = self.history.game().write_move(Move::PASS);
            let forced = MoveRecord { word, origin: MoveOrigin::Forced, ..MoveRecord::default() };
            self.add_move(forced, None, false).map_err(TurnError::Abort)?;
            self.history.play(Move::PASS);
            return Ok(None);
        }
        self.search()
    }

    /// Records a ply.
    fn add_move(&mut self, played: MoveRecord, pv: Option<String>, restarted: bool) -> Result<(), Abort> {
        let added = self.plies.add(&played, pv, restarted);
        self.moves.push(played);
        added.map_err(|error| Abort::CannotRecord(format!("{error:#}")))
    }

    /// The running engine of a side, and the history to send to it.
    fn session(&mut self, side: Player) -> Result<(&mut EngineSession, &GameHistory), TurnError> {
        let session = self.slots[side as usize].start(self.config.timeouts()).map_err(TurnError::Abort)?;
        Ok((session, &self.history))
    }

    /// Starts a new game on the engine of a side.
    fn begin(&mut self, side: Player) -> Result<(), TurnError> {
        let limits = self.limits(side);
        let spec = self.slots[side as usize].spec.clone();
        let (session, history) = self.session(side)?;
        match session.new_game(&spec, history, side, &limits) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(fault)) => Err(TurnError::Fault(side, fault, Duration::ZERO)),
            Err(abort) => Err(TurnError::Abort(abort)),
        }
    }

    /// The limits of a side's next search.
    fn limits(&self, side: Player) -> GoLimits {
        let own = &self.clocks[side as usize];
        let clocks = if own.view().is_some() { [self.clocks[0].view(), self.clocks[1].view()] } else { [None, None] };
        GoLimits { clocks, ..self.slots[side as usize].spec.go_limits(own) }
    }

    /// Searches with the engine to move and plays its move.
    fn search(&mut self) -> Result<Option<GameEnd>, TurnError> {
        let side = self.history.to_move();
        let limits = self.limits(side);
        let allowance = self.clocks[side as usize].allowance();
        let replied = self.replied.take();
        let (session, history) = self.session(side)?;
        session.take_wait_time();
        session.prepare(history).map_err(|error| turn_error(side, error, Duration::ZERO))?;
        let overhead = replied.map(|at| at.elapsed().saturating_sub(session.take_wait_time()));
        let found =
            session.search(history, &limits, allowance).map_err(|(error, elapsed)| turn_error(side, error, elapsed))?;
        let warnings = session.take_warnings();
        self.replied = Some(Instant::now() - found.lateness);
        self.diagnostics.overheads.extend(overhead);
        self.diagnostics.delays.push(found.lateness);
        self.diagnostics.warn(self.moves.len() + 1, side, warnings);
        self.play_move(side, found)
    }

    /// Charges the clock, checks the move and plays it.
    fn play_move(&mut self, side: Player, found: EngineMove) -> Result<Option<GameEnd>, TurnError> {
        let lateness = self.clocks[side as usize].late_by(found.elapsed).map(|late| {
            let session = self.slots[side as usize].session.as_mut();
            LateMove::new(late, found.sending, session.map_or([None; 2], EngineSession::waits))
        });
        let clock = &mut self.clocks[side as usize];
        let charge = clock.charge(found.elapsed);
        if let ClockCharge::TooLate(over) = charge {
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let mut detail = format!("its move took {:.1} ms, {:.1} ms too long", ms(found.elapsed), ms(over));
            if let Some(lateness) = lateness {
                detail += &format!(" ({lateness})");
            }
            self.diagnostics.forfeit = lateness;
            return Err(TurnError::Fault(side, Fault::new(Termination::TimeForfeit, detail), found.elapsed));
        }
        let Some(word) = found.word else {
            return Ok(Some(GameEnd::new(Outcome::win(side.other()), Termination::Resign)));
        };
        let Some(played) = self.history.legal_move(&word) else {
            let position = self.history.game().write_position();
            let detail =
                format!("\"{}\" in {position}, from the line \"{}\"", quoted(&word), quoted(found.line.trim()));
            return Err(TurnError::Fault(side, Fault::new(Termination::IllegalMove, detail), found.elapsed));
        };
        let has_discs = self.history.game().discs().is_some();
        match ProvenResult::of(&found.info, has_discs) {
            Some(proven) => {
                let better = |score| ProvenResult::of_score(score, found.info.proven, has_discs);
                self.diagnostics.prove(self.moves.len() + 1, side, proven, found.declined.and_then(better));
            }
            None => self.diagnostics.forget_proof(side),
        }
        let record = MoveRecord {
            word: self.history.game().write_move(played),
            origin: MoveOrigin::Engine,
            ms: Some((found.elapsed.as_secs_f64() * 1e6).round() / 1e3),
            clock_ms: clock.left().map(|left| left.as_millis() as u64),
            late: charge == ClockCharge::WithinMargin || found.stopped,
            lateness,
            ponderhit: found.ponder_hit,
            depth: found.info.depth,
            seldepth: found.info.seldepth,
            score: found.info.score,
            nodes: found.info.nodes,
        };
        let pv = Some(found.info.pv.join(" ")).filter(|pv| !pv.is_empty());
        let restarted = std::mem::take(&mut self.restarted[side as usize]);
        self.add_move(record, pv, restarted).map_err(TurnError::Abort)?;
        self.history.play(played);
        let verdict = self.adjudicator.add_score(side, found.info.score, self.moves.len());
        // The rules take precedence over adjudication.
        let verdict = verdict.filter(|_| self.history.outcome().is_none());
        if let (None, Some(reply)) = (verdict, found.ponder) {
            self.start_pondering(side, &reply)?;
        }
        Ok(verdict.map(|(result, reason)| GameEnd::new(result, reason)))
    }

    /// Starts pondering on the expected reply, if it is legal and the side is to move after it.
    fn start_pondering(&mut self, side: Player, reply: &str) -> Result<(), TurnError> {
        if !self.slots[side as usize].spec.ponder {
            return Ok(());
        }
        let mut expected = self.history.clone();
        let Some(reply) = expected.legal_move(reply) else { return Ok(()) };
        expected.play(reply);
        if expected.to_move() != side || expected.outcome().is_some() || expected.must_pass() {
            return Ok(());
        }
        let limits = self.limits(side);
        let (session, _) = self.session(side)?;
        session.start_pondering(&expected, &limits).map_err(|error| turn_error(side, error, Duration::ZERO))
    }

    fn may_recover(&self, side: Player, fault: &Fault, spent: Duration) -> bool {
        // At most one recovery per side and game, and none after the flag has fallen.
        let again = self.recovered.iter().any(|fault| fault.by == side);
        let flag_fell = self.clocks[side as usize].allowance().is_some_and(|allowance| spent >= allowance);
        self.config.recover && fault.reason.can_be_recovered() && !again && !flag_fell
    }

    fn restart(&mut self, side: Player, fault: Fault, spent: Duration) -> Result<(), Abort> {
        self.recovered.push(AtPly { ply: self.moves.len() + 1, by: side, what: fault });
        self.clocks[side as usize].charge_without_move(spent);
        self.restarted[side as usize] = true;
        self.replied = None;
        let slot = &mut self.slots[side as usize];
        if let Some(session) = slot.session.take() {
            self.old_entries[side as usize].extend(session.log().entries().0);
        }
        slot.start(self.config.timeouts()).map(|_| ())
    }

    /// The first player's final score in discs, if the game was played to its end or solved.
    fn final_discs(&self, end: &GameEnd) -> Option<i32> {
        let score = end.score.filter(|_| self.history.game().discs().is_some())?;
        let first = if self.history.to_move() == Player::First { score } else { -score };
        Some(first.0 / 100)
    }

    /// Takes the engines' last warnings, and compares the result of a game that was played to its end or solved with
    /// their proofs.
    fn check_proofs(&mut self, end: &GameEnd) {
        let (ply, discs) = (self.moves.len(), self.final_discs(end).map(i64::from));
        for side in [Player::First, Player::Second] {
            let session = self.slots[side as usize].session.as_mut();
            let warnings = session.map_or_else(Vec::new, EngineSession::take_warnings);
            self.diagnostics.warn(ply, side, warnings);
            if matches!(end.reason, Termination::Normal | Termination::AdjudicatedExact) {
                let own = discs.map(|discs| if side == Player::First { discs } else { -discs });
                let result = ProvenResult::of_game(end.result.half_points(side), own);
                self.diagnostics.prove(ply, side, result, None);
            }
        }
    }

    fn record(
        &self,
        scheduled: &ScheduledGame,
        opening: &Opening,
        end: &GameEnd,
        date: Date,
        elapsed: Duration,
    ) -> GameRecord {
        let discs = self.final_discs(end);
        GameRecord {
            game: scheduled.game,
            round: scheduled.round,
            pair: scheduled.pair,
            variant: self.config.game.clone(),
            p1: self.slots[0].spec.name.clone(),
            p2: self.slots[1].spec.name.clone(),
            result: end.result,
            reason: end.reason,
            fault_by: end.fault_by,
            detail: end.detail.clone(),
            discs,
            began: date.rfc3339(),
            seconds: (elapsed.as_secs_f64() * 1e6).round() / 1e6,
            limits: [self.slots[0].spec.limits(), self.slots[1].spec.limits()],
            start: opening.position.clone(),
            moves: self.moves.clone(),
            warnings: self.diagnostics.warnings.clone(),
            attempt: Some(self.plies.attempt()).filter(|&attempt| attempt > 1),
            lateness: self.diagnostics.forfeit,
            recovered: self.recovered.clone(),
            overhead_us: self.diagnostics.overhead_us(),
            log: None,
        }
    }
}

fn turn_error(side: Player, error: ExchangeError, elapsed: Duration) -> TurnError {
    match error {
        ExchangeError::Fault(fault) => TurnError::Fault(side, fault, elapsed),
        ExchangeError::Interrupted => TurnError::Abort(Abort::Interrupted),
    }
}

/// How a game ended.
pub struct GameEnd {
    /// The result.
    pub result: Outcome,
    /// Why it ended.
    pub reason: Termination,
    /// The side at fault.
    pub fault_by: Option<Player>,
    /// Details for the user.
    pub detail: Option<String>,
    /// The final score of the side to move, if played out or solved.
    pub score: Option<Score>,
}

impl GameEnd {
    /// An end without a fault.
    pub fn new(result: Outcome, reason: Termination) -> GameEnd {
        GameEnd { result, reason, fault_by: None, detail: None, score: None }
    }

    /// An end by a fault of a side.
    pub fn by_fault(by: Player, fault: Fault) -> GameEnd {
        GameEnd {
            fault_by: Some(by),
            detail: Some(fault.detail),
            ..GameEnd::new(Outcome::win(by.other()), fault.reason)
        }
    }
}

/// Measurements and warnings of one game.
#[derive(Clone, Default, Debug)]
pub struct GameDiagnostics {
    /// The runner's overhead per move: from one engine's reply to the other engine's `go`.
    pub overheads: Vec<Duration>,
    /// The delay from the arrival of each reply to its processing.
    pub delays: Vec<Duration>,
    /// The warnings about search reports.
    pub warnings: Vec<AtPly<ReportWarning>>,
    /// The move that lost the game on time.
    pub forfeit: Option<LateMove>,
    proofs: ProofTracker,
}

impl GameDiagnostics {
    /// Adds the warnings about a side's search at a ply.
    pub fn warn(&mut self, ply: usize, by: Player, warnings: impl IntoIterator<Item = ReportWarning>) {
        self.warnings.extend(warnings.into_iter().map(|what| AtPly { ply, by, what }));
    }

    /// Compares a proven result, or the result of the game, with the side's earlier proof; `declined` is the result of
    /// a better move that the side deliberately did not play.
    pub fn prove(&mut self, ply: usize, by: Player, result: ProvenResult, declined: Option<ProvenResult>) {
        let lost = self.proofs.add(by, result, declined);
        self.warn(ply, by, lost);
    }

    /// Drops the side's proof after an unproven move, which may give the proven result away.
    pub fn forget_proof(&mut self, by: Player) {
        self.proofs.forget(by);
    }

    /// The overhead in microseconds: median and maximum.
    pub fn overhead_us(&self) -> Option<[u64; 2]> {
        let mut all: Vec<u64> = self.overheads.iter().map(|time| time.as_micros() as u64).collect();
        all.sort_unstable();
        all.last().map(|&maximum| [all[all.len() / 2], maximum])
    }
}

/// Writes the log of a game. `old_entries` holds the lines of processes that were replaced during the game. Times are
/// in milliseconds since the game began.
pub fn write_game_log(
    record: &GameRecord,
    position: &str,
    slots: &[&mut EngineSlot; 2],
    old_entries: &[Vec<LogEntry>; 2],
    began: Instant,
) -> String {
    let mut text = format!("game {} ({}): {}\n", record.game, record.variant, record.reason);
    if let (Some(by), Some(detail)) = (record.fault_by, &record.detail) {
        let _ = writeln!(text, "fault of {} (p{}): {detail}", record.name(by), by as usize + 1);
    }
    for AtPly { ply, by, what: Fault { reason, detail } } in &record.recovered {
        let _ = writeln!(text, "recovered at ply {ply}: {}: {reason}: {detail}", record.name(*by));
    }
    let mut lines: Vec<(LogEntry, usize)> = Vec::new();
    for (index, slot) in slots.iter().enumerate() {
        let _ = writeln!(text, "p{} {}: {}", index + 1, slot.spec.name, slot.spec.command_line());
        lines.extend(old_entries[index].iter().map(|entry| (entry.clone(), index)));
        if let Some(session) = &slot.session {
            let (entries, dropped) = session.log().entries();
            if dropped > 0 {
                let _ = writeln!(text, "p{}: {dropped} older lines dropped", index + 1);
            }
            lines.extend(entries.into_iter().map(|entry| (entry, index)));
        }
    }
    let _ = writeln!(text, "position: {position}");
    let _ = writeln!(
        text,
        "\n(ms since the start of the game; < sent to the engine, > received from it, ! its standard error)"
    );
    lines.sort_by_key(|(entry, _)| entry.at);
    for (entry, index) in lines {
        let since = match entry.at.checked_duration_since(began) {
            Some(after) => after.as_secs_f64() * 1e3,
            None => -(began - entry.at).as_secs_f64() * 1e3,
        };
        let sign = match entry.stream {
            StreamKind::Input => '<',
            StreamKind::Output => '>',
            StreamKind::Error => '!',
        };
        let _ = writeln!(text, "{since:12.3} p{} {sign} {}", index + 1, entry.text);
    }
    text
}
