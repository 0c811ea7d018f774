//! `--json`: the results of a tournament as one object. The fields are stable (see protocol.md).

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::arena::results::elo::{Estimate, NoEstimate, Sprt, SprtVerdict};
use crate::arena::results::match_plan::PlanReview;
use crate::arena::results::standings::Standings;
use crate::arena::runner::{Ending, Tournament};

/// The results of a tournament with this ending.
///
/// # Errors
/// If the history of the tournament cannot be read.
pub fn summary(tournament: &Tournament, ending: Ending) -> Result<Value> {
    let (config, standings) = (tournament.config(), tournament.standings());
    let duplicates = standings.duplicate_warning();
    let review = PlanReview::of(tournament.folder())?;
    let warnings: Vec<&String> = tournament.warnings().iter().chain(&duplicates).collect();
    let [overhead, delay] = tournament.times().spreads();
    let engine = |index: usize| {
        let mut result = engine_result(standings, index);
        result["limits"] = config.engines[index].limits().into();
        result
    };
    let engines: Vec<Value> = (0..standings.names().len()).map(engine).collect();
    let sprt = standings.sprt().map(|sprt| sprt_state(sprt, standings));
    Ok(json!({
        "game": config.game,
        "folder": tournament.folder(),
        "ending": ending,
        "games": standings.games(),
        "distinct_games": standings.distinct_games(),
        "of": config.rounds.map(|_| config.schedule().games()),
        "seed": config.seed,
        "engines": engines,
        "sprt": sprt,
        "clean": tournament.is_clean(),
        "warnings": warnings,
        "overhead_us": overhead,
        "delay_us": delay,
        "plan": {
            "sha256": review.plan,
            "ended_as_planned": review.ended_as_planned(),
            "changes": review.changes,
            "reports": review.reports,
            "resumptions": review.resumptions,
        },
    }))
}

/// One engine against all others.
fn engine_result(standings: &Standings, engine: usize) -> Value {
    let total = standings.total(engine);
    let sample = total.sample();
    let pairs = total.pairs;
    let faults = standings.faults(engine).iter().map(|(reason, &count)| (reason.to_string(), count.into()));
    let warnings = standings.warnings(engine).iter().map(|(fault, &count)| (fault.to_string(), count.into()));
    json!({
        "name": standings.names()[engine],
        "wins": total.games.wins,
        "draws": total.games.draws,
        "losses": total.games.losses,
        "points": total.games.points(),
        "pairs": {
            "ll": pairs.ll, "ld": pairs.ld, "wl": pairs.wl, "dd": pairs.dd, "wd": pairs.wd, "ww": pairs.ww,
        },
        "elo": estimate(sample.elo()),
        "normalised_elo": estimate(sample.normalized_elo()),
        "los": sample.los().ok(),
        "discs": total.mean_discs(),
        "faults": faults.collect::<Map<String, Value>>(),
        "warnings": warnings.collect::<Map<String, Value>>(),
        "late": standings.late_causes(engine),
    })
}

/// An estimate with its 95 % interval; `null` without one, and for a bound that is infinite.
fn estimate(estimate: std::result::Result<Estimate, NoEstimate>) -> Value {
    estimate.map_or(Value::Null, |Estimate { value, low, high }| json!({"value": value, "low": low, "high": high}))
}

/// The state of the SPRT; the first decision is final.
fn sprt_state(sprt: &Sprt, standings: &Standings) -> Value {
    let ratio = sprt.test(&standings.match_score(0, 1).pairs.sample()).0;
    let verdict = standings.decision().map_or(SprtVerdict::Continue, |decision| decision.verdict);
    let (lower, upper) = sprt.bounds();
    let verdict = match verdict {
        SprtVerdict::Continue => "continue",
        SprtVerdict::AcceptH0 => "h0",
        SprtVerdict::AcceptH1 => "h1",
    };
    json!({"elo0": sprt.elo0, "elo1": sprt.elo1, "llr": ratio, "lower": lower, "upper": upper, "verdict": verdict})
}
