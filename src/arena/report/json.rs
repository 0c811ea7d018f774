//! `--json`: the results of a tournament as one object. The fields are stable (see protocol.md).

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::arena::config::TournamentConfig;
use crate::arena::config::engine_spec::EngineSpec;
use crate::arena::elo::SprtVerdict;
use crate::arena::play::runner_times::RunTimes;
use crate::arena::results::match_plan::{EventKind, PlanReview};
use crate::arena::results::standings::Standings;

/// What a tournament has come to.
pub struct Results<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// Its configuration.
    pub config: &'a TournamentConfig,
    /// Its standings.
    pub standings: &'a Standings,
    /// The runner's own times, and latencies of the engines.
    pub times: &'a RunTimes,
    /// Its history.
    pub review: &'a PlanReview,
    /// The warnings about the results.
    pub warnings: Vec<String>,
}

impl Results<'_> {
    /// Whether there was no fault, late move, warning or deviation from the plan.
    pub fn is_clean(&self) -> bool {
        self.standings.is_clean() && self.warnings.is_empty() && self.review.changes.is_empty()
    }
}

/// The results of a tournament with this ending.
pub fn summary(results: &Results<'_>, ending: EventKind) -> Value {
    let Results {
        folder,
        config,
        standings,
        times,
        review,
        warnings,
    } = results;
    let settings = config.differing_settings();
    let engine = |(index, spec): (usize, &EngineSpec)| {
        let tally = &standings.engines[index];
        let total = &tally.total;
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
    json!({
        "game": config.game,
        "folder": folder.to_string_lossy(),
        "ending": ending,
        "games": standings.games,
        "distinct_games": standings.distinct_games(),
        "of": config.rounds.map(|_| config.schedule().games()),
        "seed": config.seed,
        "engines": config.engines.iter().enumerate().map(engine).collect::<Vec<_>>(),
        "referee_faults": standings.referee.faults,
        "sprt": sprt,
        "clean": results.is_clean(),
        "warnings": warnings,
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
    })
}
