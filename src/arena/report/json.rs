//! `--json`: the results of a tournament as one object. The fields are stable (see protocol.md).

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};

use crate::arena::engine_spec::EngineSpec;
use crate::arena::results::elo::SprtVerdict;
use crate::arena::results::match_plan::{EventKind, PlanReview};
use crate::arena::runner::Tournament;

/// The results of a tournament with this ending.
///
/// # Errors
/// If the history of the tournament cannot be read.
pub fn summary(tournament: &Tournament, ending: EventKind) -> Result<Value> {
    let Tournament {
        config,
        standings,
        files,
        ..
    } = tournament;
    let review = PlanReview::of(&files.folder)?;
    let times = &tournament.times;
    let settings = config.differing_settings();
    let engine = |(index, spec): (usize, &EngineSpec)| {
        let (tally, total) = (&standings.engines[index], standings.total(index));
        let sample = total.sample();
        json!({
            "name": tally.name,
            "limits": spec.limits(),
            "wins": total.games.wins,
            "draws": total.games.draws,
            "losses": total.games.losses,
            "points": total.games.points(),
            "pairs": total.pairs,
            "elo": sample.elo().ok(),
            "normalised_elo": sample.normalized_elo().ok(),
            "los": sample.los().ok(),
            "discs": total.mean_discs(),
            "disc_pairs": total.disc_pairs.mean_and_error().map(|(mean, error)| {
                json!({"pairs": total.disc_pairs.pairs, "mean": mean, "standard_error": error})
            }),
            "differing_settings": settings[index].iter().cloned().collect::<BTreeMap<_, _>>(),
            "faults": tally.faults,
            "warnings": tally.warnings,
            "late": tally.late_causes,
            "latency": {
                "reply_us": times.engines[index][0].spread(),
                "excess_us": times.engines[index][1].spread(),
            },
        })
    };
    let sprt = standings.sprt.map(|sprt| {
        let ratio = sprt.test(&standings.test_sample()).0;
        let verdict = standings.decision.map_or(SprtVerdict::Continue, |decision| decision.verdict);
        let (lower, upper) = sprt.bounds();
        json!({"elo0": sprt.elo0, "elo1": sprt.elo1, "llr": ratio, "lower": lower, "upper": upper, "verdict": verdict})
    });
    Ok(json!({
        "game": config.game,
        "folder": files.folder,
        "ending": ending,
        "games": standings.games,
        "distinct_games": standings.distinct_games(),
        "of": config.rounds.map(|_| config.schedule().games()),
        "seed": config.seed,
        "engines": config.engines.iter().enumerate().map(engine).collect::<Vec<_>>(),
        "sprt": sprt,
        "clean": tournament.is_clean(),
        "warnings": tournament.warnings().collect::<Vec<_>>(),
        "overhead_us": times.overhead.spread(),
        "own_overhead_us": times.own_overhead.spread(),
        "delay_us": times.delay.spread(),
        "plan": {
            "sha256": review.plan,
            "ended_as_planned": review.ended_as_planned(),
            "changes": review.changes,
            "reports": review.reports,
            "resumptions": review.resumptions,
        },
    }))
}
