//! The search below full strength: a shallow search of all legal moves, the draw, then the main
//! search, which scores the drawn move beside the best one.

use std::time::Duration;

use super::allowance::Allowance;
use super::draw::{ShallowMove, draw, may_err};
use crate::game::Game;
use crate::games::any::AnyPosition;
use crate::games::dispatch;
use crate::search::stats::Counters;
use crate::search::table::Table;
use crate::search::{Answer, Goal, Limits, Observer, Progress, Settings, Stops};

/// The limits of the shallow search: plies, nodes, and the divisor of the nodes and the time of the
/// move.
const DEPTH: u8 = 4;
const NODES: u64 = 4_000;
const PART: u32 = 4;
/// The minimum number of moves that the time on a clock must last for.
const MOVES_ON_CLOCK: u32 = 20;

/// Searches a position as [`dispatch::think`] does; with an allowance [`Answer::extra`] has the move
/// that [`Allowance::played`] may choose.
pub fn think(
    position: AnyPosition,
    settings: &Settings,
    table: &Table,
    limits: &Limits,
    allowance: Option<Allowance>,
    observer: &mut Observer<'_>,
) -> Answer {
    let Some(allowance) = allowance else {
        return dispatch::think(position, settings, table, limits, observer);
    };
    let mut before = Counters::default();
    let mut extra_moves = Vec::new();
    if position.moves().len() > 1 && may_err(&allowance) {
        let settings = Settings {
            threads: 1,
            deepening: true,
            ..settings.clone()
        };
        let mut silent = Observer {
            control: observer.control.clone(),
            ..Observer::default()
        };
        let shallow = dispatch::think(
            position,
            &settings,
            table,
            &shallow_limits(limits, position),
            &mut silent,
        );
        before = shallow.counters;
        extra_moves.extend(draw(
            &shallow_moves(position, &settings, &shallow),
            &allowance,
        ));
        extra_moves.retain(|&m| shallow.best_move() != Some(m));
    }
    let nodes = limits.stops.nodes;
    let limits = Limits {
        extra_moves,
        stops: Stops {
            nodes: nodes.map(|nodes| nodes.saturating_sub(before.nodes)),
            ..limits.stops.clone()
        },
        ..limits.clone()
    };
    let control = observer.control.clone();
    let mut report = |progress: &Progress| {
        let mut progress = progress.clone();
        progress.counters += before;
        observer.report(&progress);
    };
    let mut all = Observer {
        control,
        report: Some(&mut report),
        trace: None,
    };
    let mut answer = dispatch::think(position, settings, table, &limits, &mut all);
    answer.counters += before;
    answer
}

fn shallow_limits(limits: &Limits, position: AnyPosition) -> Limits {
    let part = |time: Duration| time / PART;
    let stops = &limits.stops;
    let on_clock = stops.clock.map(|clock| clock.remaining / MOVES_ON_CLOCK);
    let nodes = stops.nodes.unwrap_or(u64::MAX) / u64::from(PART);
    let stops = Stops {
        depth: Some(stops.depth.unwrap_or(DEPTH).min(DEPTH)),
        nodes: Some(nodes.min(NODES)),
        line_nodes: 0,
        time: [stops.time, on_clock].into_iter().flatten().min().map(part),
        started: stops.started,
        ..Stops::default()
    };
    Limits {
        multi_pv: position.moves().len(),
        moves: limits.moves.clone(),
        ..Limits::new(Goal::BestMove, stops)
    }
}

/// The moves of a shallow search; empty if it completed no iteration.
fn shallow_moves(position: AnyPosition, settings: &Settings, shallow: &Answer) -> Vec<ShallowMove> {
    let Some(best) = shallow.best.first().filter(|_| shallow.depth > 0) else {
        return Vec::new();
    };
    let weights = settings.weights.as_ref();
    let scored = shallow.best.iter().map(|root| ShallowMove {
        m: root.m,
        look: -dispatch::evaluate(position.play(root.m), weights).0,
        cost: best.score.0 - root.score.0,
    });
    scored.collect()
}
