//! Checks a recorded game when its tournament is resumed or reported: it must be the scheduled game
//! with its opening, all moves must be legal, and the result must be that of the rules, of the
//! faulty side, or of the adjudication.

use anyhow::{Context, Result, bail, ensure};

use super::record::{GameRecord, result_name};
use crate::arena::client::GameHistory;
use crate::arena::config::TournamentConfig;
use crate::arena::config::openings::RoundOpenings;
use crate::arena::rules::adjudicate::{Adjudicator, solve_position};
use crate::arena::rules::fault::Termination;
use crate::game::score::Score;
use crate::game::{Outcome, Player, quoted};
use crate::games::any::AnyGame;
use crate::games::record::MoveOrigin;

/// Positions with more empties are not solved again: the recorded discs and the result must agree.
const SOLVED_EMPTIES: u8 = 14;

/// Replays a recorded game by the rules.
///
/// # Errors
/// The first difference, with the number of the game.
pub fn check(
    record: &GameRecord,
    config: &TournamentConfig,
    openings: &RoundOpenings,
) -> Result<(), String> {
    let number = record.own.game;
    check_game(record, config, openings).map_err(|error| format!("game {number}: {error:#}"))
}

fn check_game(
    record: &GameRecord,
    config: &TournamentConfig,
    openings: &RoundOpenings,
) -> Result<()> {
    let schedule = config.schedule();
    let scheduled = schedule
        .game(record.own.game)
        .context("the schedule has no game of this number")?;
    let [p1, p2] = scheduled.players.map(|engine| &config.engines[engine].name);
    let expected = (scheduled.round, scheduled.pair, &config.game, p1, p2);
    let own = &record.own;
    let found = (own.round, own.pair, &record.variant, &record.p1, &record.p2);
    ensure!(
        found == expected,
        "(round, pair, game, p1, p2) are {found:?}, but the schedule has {expected:?}"
    );
    let opening = openings.of_round(scheduled.round)?;
    ensure!(
        record.start == opening.position,
        "its start position is not that of the opening"
    );
    let mut game = config.game_after(&opening)?;
    let mut book = opening.moves;
    if let GameHistory::Rules(after) = &game {
        book = after.write_moves(after.history());
        game = AnyGame::from(after.start()).into();
    }
    let mut adjudicator = Adjudicator::new(*config.resign, *config.draw);
    let mut verdict = None;
    for (ply, (played, by)) in (1..).zip(record.plies()) {
        let word = &played.word;
        if let GameHistory::Text(game) = &mut game {
            ensure!(
                played.by.is_some(),
                "ply {ply}: the side to move is missing"
            );
            game.to_move = by;
        }
        ensure!(
            verdict.is_none(),
            "the game goes on after ply {}, at which it was adjudicated",
            ply - 1
        );
        let is_opening = played.origin == MoveOrigin::Opening;
        ensure!(
            book.get(ply - 1) == is_opening.then_some(word),
            "ply {ply}, \"{}\", is not that of the opening",
            quoted(word)
        );
        let is_forced = game.rules().is_ok_and(AnyGame::must_pass) && !is_opening;
        ensure!(
            is_forced == (played.origin == MoveOrigin::Forced),
            "ply {ply}, \"{}\": a pass is forced where there is no other move",
            quoted(word)
        );
        let position = game.position_text();
        game.play(word).with_context(|| {
            format!("ply {ply}, \"{}\", is illegal in {position}", quoted(word))
        })?;
        // What queries answered cannot be checked: an engine may fail before or after the end, but
        // not in a search after it.
        if let GameHistory::Text(game) = &mut game
            && ply == record.moves.len()
        {
            let lost = own.fault_by.map(|by| Outcome::win(by.other()));
            let is_over = match own.reason {
                Termination::Normal => true,
                Termination::TimeForfeit
                | Termination::IllegalMove
                | Termination::MissingBestmove => false,
                reason => reason.is_abnormal() && own.result != lost,
            };
            game.outcome = own.result.filter(|_| is_over);
        }
        if played.origin.is_of_engine() {
            verdict = adjudicator
                .add_score(by, played.score, ply)
                .filter(|_| game.outcome().is_none());
        }
    }
    ensure!(
        record.moves.len() >= book.len(),
        "the opening is incomplete"
    );
    check_end(record, config, &game, verdict)
}

/// Checks the result of a game that ended here.
fn check_end(
    record: &GameRecord,
    config: &TournamentConfig,
    game: &GameHistory,
    verdict: Option<(Outcome, Termination)>,
) -> Result<()> {
    use Termination::*;

    let own = &record.own;
    let rules = game.rules().ok();
    let final_score = rules.and_then(|game| game.final_score());
    let final_discs = final_score.and_then(|score| game.discs_of(score));
    let plies = record.moves.len();
    if own.reason.is_unjudged() {
        let has_result = own.result.is_some() || own.fault_by.is_some();
        ensure!(!has_result, "{} leaves no result", own.reason);
        return Ok(());
    }
    // A query may fail after the move with the last score.
    let verdict = verdict.filter(|_| rules.is_some() || !own.reason.is_abnormal());
    let (result, discs) = match (own.reason, verdict) {
        (AdjudicatedResign | AdjudicatedDraw, Some((result, reason))) if reason == own.reason => {
            (result, None)
        }
        (AdjudicatedDraw, None)
            if game.outcome().is_none()
                && config
                    .max_moves
                    .is_some_and(|moves| plies as u64 == 2 * moves) =>
        {
            (Outcome::Draw, None)
        }
        (reason @ (AdjudicatedResign | AdjudicatedDraw), _) => {
            bail!("after {plies} plies its scores are not those of an {reason}")
        }
        (_, Some((_, reason))) => bail!("after {plies} plies it is an {reason}"),
        (Normal, None) => {
            let result = game.outcome();
            let result = result.with_context(|| format!("it is not over after {plies} plies"))?;
            (result, final_discs)
        }
        (AdjudicatedExact, None) => {
            let last = game.rules()?;
            let empties = config
                .exact
                .filter(|&empties| last.plies_left() <= empties && last.outcome().is_none());
            let empties =
                empties.context("its last position is not one that --exact adjudicates")?;
            if last.plies_left() <= SOLVED_EMPTIES {
                let score = solve_position(last, empties).context("it cannot be solved")?;
                let discs = game.discs_of(score);
                (Outcome::of_score(score, last.to_move()), discs)
            } else {
                let discs = record.discs.context("the discs are missing")?;
                let score = Score(discs.signum());
                (Outcome::of_score(score, Player::First), Some(discs))
            }
        }
        (Resign, None) => {
            ensure!(game.outcome().is_none(), "a side resigns after the end");
            (Outcome::win(game.to_move().other()), None)
        }
        (reason, None) => {
            let by = own.fault_by.context("fault_by is missing")?;
            // Only replies to queries and the like can still fail when the game is over.
            let is_search = matches!(reason, TimeForfeit | IllegalMove | MissingBestmove);
            ensure!(
                !is_search || rules.is_none() || game.outcome().is_none() && by == game.to_move(),
                "{reason}: p{} is not to move",
                by as usize + 1
            );
            let lost = Outcome::win(by.other());
            (game.outcome().unwrap_or(lost), final_discs)
        }
    };
    ensure!(
        own.reason.is_abnormal() == own.fault_by.is_some(),
        "fault_by does not match the reason {}",
        own.reason
    );
    ensure!(
        own.result == Some(result),
        "its result is {}, but by its moves and its reason {} it is {}",
        result_name(own.result),
        own.reason,
        result.name()
    );
    let text = |discs: Option<i32>| discs.map_or("unknown".into(), |discs| discs.to_string());
    ensure!(
        record.discs == discs,
        "its discs are {}, but by its moves {}",
        text(record.discs),
        text(discs)
    );
    Ok(())
}
