//! Plays one game: the runner enforces the rules and the clocks.
//!
//! A turn sends the position, checks the engine's view of it (UGI queries), measures the time from
//! just before `go` to the arrival of the reply, and checks the move. The runner itself plays
//! forced passes, since protocols write them differently. The [`Referee`] decides whether a move
//! is legal and the game over.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::process::LogEntry;
use super::referee::{Referee, judge};
use super::runner_times::RunTimes;
use super::search_check::{ProofTracker, ProvenResult};
use super::session::{EngineMove, EngineSession, EngineSlot};
use crate::arena::client::{GameHistory, GoLimits};
use crate::arena::config::TournamentConfig;
use crate::arena::config::openings::Opening;
use crate::arena::config::pairings::ScheduledGame;
use crate::arena::results::files::{Annulled, EarlierAttempts, PlyJournal, PlyRecord};
use crate::arena::results::record::{AtPly, GameRecord, MatchFields};
use crate::arena::rules::adjudicate::{Adjudicator, solve_position};
use crate::arena::rules::clock::{GameClock, record_ms};
use crate::arena::rules::fault::{Fault, Termination};
use crate::arena::rules::warning::ReportWarning;
use crate::game::{Move, Outcome, Player, counted, is_unprintable, quoted};
use crate::games::record::{LateMove, MoveOrigin, MoveRecord};
use crate::logging::date;
use crate::platform::processor_wait::thread_wait;

/// A finished game.
pub struct FinishedGame {
    /// Its record.
    pub record: GameRecord,
    /// The log, if the game has a fault.
    pub log: Option<String>,
    /// The runner's own times, and latencies of the engines.
    pub times: RunTimes,
}

/// Plays a game; the first slot is the first player's, `third` that of a referee. Each ply goes to
/// `journal` as soon as it is played. After an annulled forfeit the game is played again.
///
/// # Errors
/// If an engine cannot start, a ply cannot be recorded, or the tournament is interrupted.
pub fn play_game(
    config: &TournamentConfig,
    scheduled: &ScheduledGame,
    opening: &Opening,
    journal: &PlyJournal,
    [first, second]: [&mut EngineSlot; 2],
    mut third: Option<&mut EngineSlot>,
) -> Result<FinishedGame> {
    let mut earlier = journal.attempts(scheduled.game);
    let mut logs = String::new();
    loop {
        let slots = [&mut *first, &mut *second];
        let third = third.as_deref_mut();
        let (mut game, annulled) =
            play_attempt(config, scheduled, opening, journal, &earlier, slots, third)?;
        logs += game.log.as_deref().unwrap_or_default();
        let Some(annulled) = annulled else {
            game.record.own.warnings.splice(..0, earlier.annulled);
            game.log = Some(logs).filter(|logs| !logs.is_empty());
            return Ok(game);
        };
        logs += "\n";
        earlier.last += 1;
        earlier.annulled.push(annulled);
    }
}

/// Plays one attempt at a game. Returns a warning if its forfeit is annulled.
fn play_attempt(
    config: &TournamentConfig,
    scheduled: &ScheduledGame,
    opening: &Opening,
    journal: &PlyJournal,
    earlier: &EarlierAttempts,
    slots: [&mut EngineSlot; 2],
    third: Option<&mut EngineSlot>,
) -> Result<(FinishedGame, Option<AtPly<ReportWarning>>)> {
    let [first, second] = [&slots[0].spec, &slots[1].spec];
    let history = config.game_after(opening)?;
    let record = GameRecord {
        own: MatchFields {
            game: scheduled.game,
            round: scheduled.round,
            pair: scheduled.pair,
            referee: config.referee_name(),
            limits: [first.limits(), second.limits()],
            attempt: Some(earlier.last + 1).filter(|&attempt| attempt > 1),
            ..MatchFields::default()
        },
        variant: config.game.clone(),
        p1: first.name.clone(),
        p2: second.name.clone(),
        discs: None,
        began: date::now(),
        start: opening.position.clone(),
        moves: Vec::new(),
    };
    let began = Instant::now();
    let mut game = MatchGame {
        config,
        clocks: [first.clock(), second.clock()],
        slots,
        record,
        journal,
        history,
        referee: Referee {
            third,
            failed: None,
            has_begun: false,
        },
        opening,
        charged: None,
        verdict: None,
        adjudicator: Adjudicator::new(*config.resign, *config.draw),
        proofs: ProofTracker::default(),
        acting: Player::First,
        search_began: None,
        restarted: [false; 2],
        replied: None,
        times: RunTimes::new(2),
        replays: earlier.annulled.len(),
        annulled: None,
    };
    game.run()?;
    let ended = game.slots.each_mut().map(|slot| {
        // The game is over: a failure to stop pondering now is not a fault in any game.
        let session = slot.session.as_mut();
        session.is_none_or(|session| session.end_pondering().is_ok())
    });
    game.check_proofs();
    game.record.own.seconds = (began.elapsed().as_secs_f64() * 1e6).round() / 1e6;
    let overhead = game.times.overhead.spread();
    game.record.own.overhead_us = overhead.map(|spread| [spread.median, spread.maximum]);
    let log = game.record.is_abnormal().then(|| game.log(began));
    let MatchGame {
        record,
        slots,
        referee,
        times,
        annulled,
        ..
    } = game;
    if let (Some(slot), Termination::RefereeFault) = (referee.third, record.own.reason) {
        slot.session = None;
    }
    for ((side, slot), has_ended) in Player::BOTH.into_iter().zip(slots).zip(ended) {
        let failed = record.own.fault_by == Some(side) && record.own.reason.ends_process();
        if failed || !has_ended {
            slot.session = None;
        } else if slot.spec.restart {
            slot.quit();
        }
    }
    Ok((FinishedGame { record, log, times }, annulled))
}

/// The arrival of a reply.
struct ReplyArrival {
    at: Instant,
    /// The CPU waits of this thread before it, if known.
    cpu_wait: Option<Duration>,
}

/// A game in progress.
struct MatchGame<'a> {
    config: &'a TournamentConfig,
    slots: [&'a mut EngineSlot; 2],
    clocks: [GameClock; 2],
    history: GameHistory,
    referee: Referee<'a>,
    opening: &'a Opening,
    /// A move whose time is charged and that is not yet judged, with its record.
    charged: Option<(EngineMove, MoveRecord)>,
    /// The result by the engines' scores, unless the game is over.
    verdict: Option<(Outcome, Termination)>,
    record: GameRecord,
    journal: &'a PlyJournal,
    adjudicator: Adjudicator,
    proofs: ProofTracker,
    /// The side whose engine was used last; a [`Fault`] is its fault.
    acting: Player,
    /// When its search began, while it searches.
    search_began: Option<Instant>,
    /// Whether a side's process was replaced since its last move.
    restarted: [bool; 2],
    /// The arrival of the last reply; the time until the next `go`, without waits for engines, is
    /// overhead.
    replied: Option<ReplyArrival>,
    times: RunTimes,
    /// The number of earlier attempts that were annulled.
    replays: usize,
    /// The warning about this attempt, if it is annulled.
    annulled: Option<AtPly<ReportWarning>>,
}

impl MatchGame<'_> {
    /// Plays the game to its end.
    fn run(&mut self) -> Result<()> {
        for slot in self.slots.iter_mut().chain(&mut self.referee.third) {
            slot.log.begin_game(self.record.own.game);
            slot.start()?;
        }
        if let Ok(game) = self.history.rules() {
            for word in game.write_moves(game.history()) {
                self.add_unsearched(word, MoveOrigin::Opening)?;
            }
        }
        let mut begun = [false; 2];
        loop {
            match self.turn(&mut begun) {
                Ok(false) => {}
                Ok(true) => return Ok(()),
                Err(error) => {
                    let fault = error.downcast::<Fault>()?;
                    let side = self.acting;
                    // Not the time in which the runner found out why.
                    let ended = self.slots[side as usize]
                        .session
                        .as_ref()
                        .and_then(|session| session.process.failed_at);
                    let ended = ended.unwrap_or_else(Instant::now);
                    let spent = self.search_began.take().map_or(Duration::ZERO, |began| {
                        ended.saturating_duration_since(began)
                    });
                    if fault.reason.is_unjudged() {
                        self.record.own.detail = Some(fault.detail);
                        self.record.own.reason = fault.reason;
                        return Ok(());
                    }
                    if !self.may_recover(side, &fault, spent) {
                        self.record.own.fault_by = Some(side);
                        self.record.own.detail = Some(fault.detail);
                        // A finished game is decided by its moves.
                        let finished = self.final_result();
                        let result = finished.unwrap_or(Outcome::win(side.other()));
                        self.end(result, fault.reason);
                        return Ok(());
                    }
                    self.restart(side, fault, spent)?;
                    begun[side as usize] = false;
                }
            }
        }
    }

    /// The result of a finished game; sets its discs.
    fn final_result(&mut self) -> Option<Outcome> {
        let outcome = self.history.outcome()?;
        let rules = self.history.rules().ok();
        let score = rules.and_then(|game| game.final_score());
        self.record.discs = score.and_then(|score| self.history.discs_of(score));
        Some(outcome)
    }

    /// Ends the game; returns `true`.
    fn end(&mut self, result: Outcome, reason: Termination) -> bool {
        (self.record.own.result, self.record.own.reason) = (Some(result), reason);
        true
    }

    /// One ply: starts the game on engines where it has not begun, plays a move or a pass, or ends
    /// the game. Returns whether the game is over.
    fn turn(&mut self, begun: &mut [bool; 2]) -> Result<bool> {
        for side in Player::BOTH {
            if !begun[side as usize] {
                self.begin(side)?;
                begun[side as usize] = true;
            }
        }
        judge(&mut self.history, |query, history| {
            self.referee
                .ask(query, history, &mut self.slots, &mut self.acting)
        })?;
        if let Some((side, fault)) = self.referee.failed.take() {
            self.acting = side;
            return Err(fault.into());
        }
        if let Some((found, record)) = self.charged.clone() {
            return self.play_move(found, record);
        }
        if self.history.outcome().is_some() {
            for side in Player::BOTH {
                let (session, history) = self.session(side)?;
                session.prepare(history)?;
            }
        }
        if let Some(outcome) = self.final_result() {
            return Ok(self.end(outcome, Termination::Normal));
        }
        if let Some((result, reason)) = self.verdict {
            return Ok(self.end(result, reason));
        }
        if let Some(moves) = self.config.max_moves
            && self.record.moves.len() as u64 >= 2 * moves
        {
            self.record.own.detail = Some(format!("after {}", counted(moves, "move", "moves")));
            return Ok(self.end(Outcome::Draw, Termination::AdjudicatedDraw));
        }
        // A game by the rules has begun with all moves of the opening, a judged game plays them here.
        if let Some(word) = self.opening.moves.get(self.record.moves.len()) {
            ensure!(
                self.legal_move(word)?.is_some(),
                "the move \"{word}\" of an opening is illegal in {}",
                self.history.position_text()
            );
            self.add_unsearched(word.clone(), MoveOrigin::Opening)?;
            self.history.play(word);
            return Ok(false);
        }
        if let Some(empties) = self.config.exact
            && let Some(score) = solve_position(self.history.rules()?, empties)
        {
            self.replied = None; // the time of the solver is not overhead
            self.record.discs = self.history.discs_of(score);
            return Ok(self.end(
                Outcome::of_score(score, self.history.to_move()),
                Termination::AdjudicatedExact,
            ));
        }
        if let Ok(game) = self.history.rules()
            && game.must_pass()
        {
            let word = game.write_move(Move::PASS);
            self.add_unsearched(word.clone(), MoveOrigin::Forced)?;
            self.history.play(&word);
            return Ok(false);
        }
        self.search()
    }

    /// The move as it is recorded, if it is legal.
    fn legal_move(&mut self, word: &str) -> Result<Option<String>> {
        let history = &self.history;
        if let Ok(game) = history.rules() {
            return Ok(game.legal_move(word).map(|played| game.write_move(played)));
        }
        // No control character is sent to an engine.
        let query = format!("islegal {word}");
        let players = &mut self.slots;
        let is_legal = !word.contains(is_unprintable)
            && self
                .referee
                .ask(&query, history, players, &mut self.acting)?
                == "true";
        Ok(is_legal.then(|| word.into()))
    }

    /// Records a ply that no engine searched.
    fn add_unsearched(&mut self, word: String, origin: MoveOrigin) -> Result<()> {
        let played = MoveRecord {
            word,
            origin,
            ..MoveRecord::default()
        };
        let ply = self.ply(played);
        self.add_ply(ply)
    }

    /// Records a ply.
    fn add_ply(&mut self, mut ply: PlyRecord) -> Result<()> {
        let is_text = self.history.rules().is_err();
        ply.played.by = is_text.then(|| self.history.to_move());
        self.record.moves.push(ply.played.clone());
        self.journal.add(&ply).map(drop)
    }

    /// A line of `plies.jsonl` about the next ply.
    fn ply(&self, played: MoveRecord) -> PlyRecord {
        PlyRecord {
            game: self.record.own.game,
            attempt: self.record.own.attempt.unwrap_or(1),
            ply: self.record.moves.len() + 1,
            played,
            ..PlyRecord::default()
        }
    }

    /// The running engine of a side, which acts now, and the history to send to it.
    fn session(&mut self, side: Player) -> Result<(&mut EngineSession, &GameHistory)> {
        self.acting = side;
        let session = self.slots[side as usize].start()?;
        Ok((session, &self.history))
    }

    /// The limits of a side's next search.
    fn limits(&self, side: Player) -> GoLimits {
        self.slots[side as usize].spec.limits_of(side, &self.clocks)
    }

    /// Starts a new game on the engine of a side.
    fn begin(&mut self, side: Player) -> Result<()> {
        let limits = self.limits(side);
        let game = self.record.own.game;
        let (session, history) = self.session(side)?;
        session.new_game(history, side, &limits)?;
        if session.seed_book(game)? {
            self.record.own.book_seed = Some(game);
        }
        Ok(())
    }

    /// Searches with the engine to move and plays its move.
    fn search(&mut self) -> Result<bool> {
        let side = self.history.to_move();
        let limits = self.limits(side);
        let allowance = self.clocks[side as usize].allowance();
        let replied = self.replied.take();
        let (session, history) = self.session(side)?;
        session.process.take_wait_time();
        let round_trip = session.prepare(history)?;
        let engine_wait = session.process.take_wait_time();
        let cpu_wait = thread_wait();
        self.search_began = Some(Instant::now());
        let (session, history) = self.session(side)?;
        let found = session.search(history, &limits, allowance)?;
        let warnings = std::mem::take(&mut session.warnings);
        self.search_began = None;
        if let Some(replied) = replied {
            let since = found.began.saturating_duration_since(replied.at);
            let overhead = since.saturating_sub(engine_wait);
            self.times.overhead.add(overhead);
            if let (Some(before), Some(now)) = (replied.cpu_wait, cpu_wait) {
                let own = overhead.saturating_sub(now.saturating_sub(before));
                self.times.own_overhead.add(own);
            }
        }
        self.times.delay.add(found.lateness);
        let [replies, excesses] = &mut self.times.engines[side as usize];
        if let Some(round_trip) = round_trip {
            replies.add(round_trip);
        }
        if let Some(ms) = found.info.time_ms.filter(|_| !found.ponder_hit) {
            excesses.add(found.elapsed.saturating_sub(Duration::from_millis(ms)));
        }
        self.replied = Some(ReplyArrival {
            at: found.began + found.elapsed,
            cpu_wait: found.cpu_wait,
        });
        self.warn(self.record.moves.len() + 1, side, warnings);
        let record = self.charge(side, &found)?;
        self.charged = Some((found.clone(), record.clone()));
        self.play_move(found, record)
    }

    /// Charges the clock. Returns the record of the move, with its word as the engine wrote it.
    fn charge(&mut self, side: Player, found: &EngineMove) -> Result<MoveRecord> {
        let clock = &mut self.clocks[side as usize];
        let late = clock.charge(found.elapsed);
        let lateness = late.map(|late| {
            let session = self.slots[side as usize].session.as_mut();
            LateMove::new(
                late,
                found.sending,
                session.map_or([None; 2], |session| session.process.waits()),
                found.gap,
            )
        });
        let record = MoveRecord {
            ms: Some(record_ms(found.elapsed)),
            lateness,
            ..MoveRecord::searched(found.word.clone().unwrap_or_default(), &found.info)
        };
        let over = late.and_then(|late| clock.beyond_margin(late));
        if let (Some(over), Some(lateness)) = (over, lateness) {
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let mut detail = format!(
                "its move took {:.1} ms, {:.1} ms too long ({lateness})",
                ms(found.elapsed),
                ms(over)
            );
            if let Some(rule) = self.config.annulment
                && let Some(cause) = rule.cause(&lateness, over)
            {
                let replays = rule.replays;
                if self.replays < replays {
                    detail += &format!("; annulled: {cause}");
                    let annulled = Annulled {
                        by: side,
                        detail: detail.clone(),
                    };
                    self.annulled = self.journal.add(&PlyRecord {
                        annulled: Some(annulled),
                        ..self.ply(record)
                    })?;
                } else {
                    detail += &format!("; not annulled after {replays} replays: {cause}");
                }
            }
            self.record.own.lateness = Some(lateness);
            return Err(Fault::new(Termination::TimeForfeit, detail).into());
        }
        Ok(MoveRecord {
            clock_ms: clock.left().map(|left| left.as_millis() as u64),
            late: late.is_some(),
            stopped: found.stopped,
            ponderhit: found.ponder_hit,
            ..record
        })
    }

    /// Checks the move and plays it.
    fn play_move(&mut self, found: EngineMove, mut record: MoveRecord) -> Result<bool> {
        let side = self.history.to_move();
        let Some(word) = found.word else {
            return Ok(self.end(Outcome::win(side.other()), Termination::Resign));
        };
        let legal = self.legal_move(&word)?;
        self.acting = side;
        self.charged = None;
        let Some(legal) = legal else {
            let position = self.history.position_text();
            let detail = format!(
                "\"{}\" in {position}, from the line \"{}\"",
                quoted(&word),
                quoted(found.line.trim())
            );
            return Err(Fault::new(Termination::IllegalMove, detail).into());
        };
        record.word = legal;
        let game = self.history.rules();
        let has_discs = game.is_ok_and(|game| game.discs().is_some());
        let proven = |score| ProvenResult::of_score(score, found.info.proven, has_discs);
        let [now, declined] =
            [found.info.exact_score(), found.declined].map(|score| score.and_then(proven));
        let lost = self.proofs.add(side, now, declined);
        self.warn(self.record.moves.len() + 1, side, lost);
        let pv = (!found.info.pv.is_empty()).then(|| found.info.pv.join(" "));
        let ply = PlyRecord {
            pv,
            restarted: std::mem::take(&mut self.restarted[side as usize]),
            ..self.ply(record)
        };
        self.add_ply(ply)?;
        self.history.play(&word);
        // The rules take precedence over adjudication.
        self.verdict = self
            .adjudicator
            .add_score(side, found.info.score, self.record.moves.len());
        if let Some(reply) = found.ponder.filter(|_| self.verdict.is_none()) {
            self.start_pondering(side, &reply)?;
        }
        Ok(false)
    }

    /// Starts pondering on the expected reply, if it is legal and the side is to move after it.
    fn start_pondering(&mut self, side: Player, reply: &str) -> Result<()> {
        let spec = &self.slots[side as usize].spec;
        if !spec.ponder {
            return Ok(());
        }
        let mut expected = self.history.rules()?.clone();
        if expected.play_legal(reply).is_none()
            || expected.to_move() != side
            || expected.outcome().is_some()
            || expected.must_pass()
        {
            return Ok(());
        }
        let limits = self.limits(side);
        let (session, _) = self.session(side)?;
        session.start_pondering(expected, &limits)
    }

    fn may_recover(&self, side: Player, fault: &Fault, spent: Duration) -> bool {
        // At most one recovery per side and game, and none after the flag has fallen.
        let again = self
            .record
            .own
            .recovered
            .iter()
            .any(|fault| fault.by == side);
        let flag_fell = self.clocks[side as usize]
            .allowance()
            .is_some_and(|allowance| spent >= allowance);
        self.config.recover && fault.reason.can_be_recovered() && !again && !flag_fell
    }

    fn restart(&mut self, side: Player, fault: Fault, spent: Duration) -> Result<()> {
        self.record.own.recovered.push(AtPly {
            ply: self.record.moves.len() + 1,
            by: side,
            what: fault,
        });
        self.clocks[side as usize].charge_without_move(spent);
        self.restarted[side as usize] = true;
        self.replied = None;
        let slot = &mut self.slots[side as usize];
        slot.session = None;
        slot.start().map(drop)
    }

    /// Adds the warnings about a side's search at a ply.
    fn warn(&mut self, ply: usize, by: Player, warnings: impl IntoIterator<Item = ReportWarning>) {
        self.record
            .own
            .warnings
            .extend(warnings.into_iter().map(|what| AtPly { ply, by, what }));
    }

    /// Takes the engines' last warnings, and compares the result of a game that was played to its
    /// end or solved with their proofs.
    fn check_proofs(&mut self) {
        let ply = self.record.moves.len();
        for side in Player::BOTH {
            let session = self.slots[side as usize].session.as_mut();
            let warnings =
                session.map_or_else(Vec::new, |session| std::mem::take(&mut session.warnings));
            self.warn(ply, side, warnings);
            if let Some(result) = self.record.own.result
                && matches!(
                    self.record.own.reason,
                    Termination::Normal | Termination::AdjudicatedExact
                )
            {
                let own = self.record.discs.map(|discs| i64::from(side.signed(discs)));
                let result = ProvenResult::of_game(result.half_points(side), own);
                let lost = self.proofs.add(side, Some(result), None);
                self.warn(ply, side, lost);
            }
        }
    }

    /// The log of the game. Times are in milliseconds since it began.
    fn log(&self, began: Instant) -> String {
        let record = &self.record;
        let mut text = format!(
            "game {} ({}): {}\n",
            record.own.game, record.variant, record.own.reason
        );
        if let (Some(by), Some(detail)) = (record.own.fault_by, &record.own.detail) {
            text += &format!(
                "fault of {} (p{}): {detail}\n",
                record.name(by),
                by as usize + 1
            );
        }
        for AtPly {
            ply,
            by,
            what: Fault { reason, detail },
        } in &record.own.recovered
        {
            text += &format!(
                "recovered at ply {ply}: {}: {reason}: {detail}\n",
                record.name(*by)
            );
        }
        let mut lines: Vec<(LogEntry, &str)> = Vec::new();
        let slots = self.slots.iter().chain(&self.referee.third);
        for (number, slot) in ["p1", "p2", "referee"].into_iter().zip(slots) {
            text += &format!(
                "{number} {}: {}\n",
                slot.spec.name,
                slot.spec.command_line()
            );
            let (entries, dropped) = slot.log.entries();
            if dropped > 0 {
                text += &format!("{number}: {dropped} older lines dropped\n");
            }
            lines.extend(entries.into_iter().map(|entry| (entry, number)));
        }
        let _ = writeln!(
            text,
            "position: {}\n\n(ms since the start of the game; < sent to the engine, > received from it, ! its standard \
             error)",
            self.history.position_text()
        );
        lines.sort_by_key(|(entry, _)| entry.at);
        for (entry, number) in lines {
            let since = entry.at.saturating_duration_since(began).as_secs_f64() * 1e3;
            let sign = entry.stream.sign();
            let _ = writeln!(text, "{since:12.3} {number} {sign} {}", entry.text);
        }
        text
    }
}
