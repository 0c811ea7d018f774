//! Extension of the document: speed-up and hit rate of each cut method as curves over the cut value `C`.
//!
//! | method | prediction of the deep value |
//! |---|---|
//! | static | the document's: static value and `T_{m,k}` |
//! | slope | a line fitted to the static value |
//! | ProbCut | a line fitted to one shallow search (M. Buro, 1995) |
//! | multi-ProbCut | several shallow searches, one after the other (M. Buro, 1997) |
//!
//! Each with figure 1's alpha-beta, and with NegaScout and MTD(f) in the production loop with its table.
//!
//! The regressions are fitted on positions of a second seed, to one of two samples (`Sample`); sample and shallow
//! depths are chosen on positions of a third seed; the curves are measured on positions of the first.

use std::io::{self, Write};

use super::OTHER;
use super::cuts::{CutCheck, Cuts};
use super::games::{OPENING, openings};
use super::statistics::{CutOutcome, EXACT, Judged, READINGS, undecided};
use super::tree::{Figure, Hook, INFINITE, NodeVisit, Plain, TreePosition, UNCORRECTED};
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::line_counts::LineCounts;
use crate::html::plot::{Axis, Curve, svg};
use crate::search::context::Context;
use crate::search::generic_policy::GenericPolicy;
use crate::search::isa::Portable;
use crate::search::levels::{LEVELS, Thresholds};
use crate::search::prob_cut::{ProbCut, Regression, Relation};
use crate::search::production::{Driver, Mtdf, NegaScout, Production};
use crate::search::schedule::Iteration;
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};

/// The cut values, in sigmas.
const CUT_VALUES: [f64; 8] = [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0];

/// Depths of the shallow searches, by plies left from one on.
type Pairs = [&'static [u8]; 8];

/// Candidates of ProbCut: one check, a few plies less and of the same parity as Buro has it, else the static value.
const PROB_CUT: [Pairs; 3] = [
    [&[], &[], &[], &[0], &[1], &[2], &[3], &[4]],
    [&[], &[0], &[1], &[2], &[1], &[2], &[3], &[2]],
    [&[], &[0], &[1], &[0], &[1], &[2], &[1], &[2]],
];

/// Candidates of multi-ProbCut: several checks, the cheapest first.
const MULTI_PROB_CUT: [Pairs; 6] = [
    [&[], &[0], &[1], &[0, 2], &[1], &[0, 2], &[1, 3], &[2, 4]],
    [&[], &[0], &[1], &[0, 2], &[1, 3], &[0, 2, 4], &[1, 3], &[0, 2, 4]],
    [&[0], &[0], &[0, 1], &[0, 2], &[0, 1], &[0, 2], &[0, 1, 3], &[0, 2]],
    [&[0], &[0], &[0, 1], &[0, 1], &[0, 1], &[0, 1, 2], &[0, 1, 2], &[0, 1, 2]],
    [&[0], &[0], &[0], &[0], &[0, 1], &[0, 1], &[0, 1], &[0, 1]],
    [&[0], &[0], &[0], &[0], &[0], &[0, 1], &[0, 2], &[0, 2]],
];

/// The static value alone, with a slope.
const SLOPE: [Pairs; 1] = [[&[0], &[0], &[0], &[0], &[0], &[0], &[0], &[0]]];

/// The nodes that the lines are fitted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sample {
    /// Nodes whose value is inside their window, as in the document's statistics. The sample is biased towards values
    /// near the root's, so the slope is too flat.
    Inside,
    /// Random nodes, searched again with a full window.
    Any,
}

/// A point of the curve.
pub struct Point {
    /// The kind of cut.
    method: &'static str,
    /// The search algorithm.
    search: &'static str,
    outcome: CutOutcome,
}

/// Samples nodes with their values.
struct Sampler {
    of: Sample,
    /// By `k`: the number of nodes seen, and a reservoir sample of positions with values.
    sample: Vec<(u64, Vec<(TreePosition, i32)>)>,
    rng: Rng,
}

/// The sample size of each depth.
const SAMPLE: usize = 2_000;
/// The sample size just below the root, where each search costs a large part of its tree.
const AT_THE_TOP: usize = 300;

impl Hook for Sampler {
    fn searched(&mut self, visit: &NodeVisit, value: i32) {
        if self.of == Sample::Inside && READINGS[EXACT].1(visit, value).is_none() {
            return;
        }
        let (seen, sample) = &mut self.sample[usize::from(visit.k)];
        *seen += 1;
        let place = self.rng.below(*seen) as usize;
        if sample.len() < SAMPLE {
            sample.push((visit.position, value));
        } else if place < SAMPLE {
            sample[place] = (visit.position, value);
        }
    }
}

/// The relation of each shallow depth to the value of nodes `k` plies below the root, by `k` and shallow depth.
type Relations = Vec<Vec<Option<Relation>>>;

fn relations(roots: &[TreePosition], depth: u8, of: Sample) -> Relations {
    let sampler = Sampler { of, sample: vec![(0, Vec::new()); usize::from(depth) + 1], rng: Rng::new(9) };
    let mut figure = Figure::new(sampler, &UNCORRECTED);
    for root in roots {
        figure.choose(root, depth);
    }
    let mut sample = figure.hook.sample;
    let value = |position: &TreePosition, depth: u8| {
        Figure::new(Plain, &UNCORRECTED).value(position, 0, depth, -INFINITE, INFINITE)
    };
    if of == Sample::Any {
        for (k, (_, nodes)) in (0..).zip(&mut sample).skip(1) {
            nodes.truncate(if k == 1 { AT_THE_TOP } else { SAMPLE });
            nodes.iter_mut().for_each(|(position, deep)| *deep = value(position, depth - k));
            nodes.retain(|&(_, deep)| undecided(deep).is_some());
        }
    }
    let relation = |k: u8, shallow: u8| {
        let nodes = &sample[usize::from(k)].1;
        let pair = |(position, deep): &_| Some((f64::from(undecided(value(position, shallow))?), f64::from(*deep)));
        Relation::fit(&nodes.iter().filter_map(pair).collect::<Vec<_>>())
    };
    let below = |k: u8| (0..(depth - k).min(5)).map(|shallow| relation(k, shallow)).collect();
    (0..depth).map(|k| if k == 0 { Vec::new() } else { below(k) }).collect()
}

/// The checks of these shallow depths in a tree of `depth` plies.
fn checks(pairs: &Pairs, relations: &Relations, depth: u8) -> Vec<Vec<CutCheck>> {
    let check = |k: u8, shallow: u8| {
        let relation = *relations.get(usize::from(k))?.get(usize::from(shallow))?;
        Some(CutCheck { shallow, relation: relation? })
    };
    let of = |k: u8| {
        let left = usize::from(depth - k);
        pairs.get(left - 1).map_or(Vec::new(), |pairs| pairs.iter().filter_map(|&shallow| check(k, shallow)).collect())
    };
    (0..depth).map(|k| if k == 0 { Vec::new() } else { of(k) }).collect()
}

/// The hit rate at which methods are compared, in percent.
const EQUAL_HIT: f64 = 90.0;

/// The ratio of a curve at a hit rate, by linear interpolation of its logarithm.
fn ratio_at(points: &[CutOutcome], hit: f64) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    points.windows(2).rev().find_map(|pair| {
        let [higher, lower] = pair else { return None };
        (higher.hit_value >= hit && hit >= lower.hit_value && higher.hit_value > lower.hit_value).then(|| {
            let share = (higher.hit_value - hit) / (higher.hit_value - lower.hit_value);
            (higher.ratio.ln() + share * (lower.ratio.ln() - higher.ratio.ln())).exp()
        })
    })
}

fn curve_of(judged: &Judged, checks: &[Vec<CutCheck>]) -> Vec<CutOutcome> {
    let outcome = |c| judged.search(|_| Cuts { checks: checks.to_vec(), c, shallow_nodes: 0 });
    CUT_VALUES.map(outcome).to_vec()
}

/// The candidate and fit with the best ratio at the common hit rate on these positions.
fn tuned(judged: &Judged, candidates: &[Pairs], fits: &[Relations]) -> Vec<Vec<CutCheck>> {
    let with = |pairs| fits.iter().map(move |relations| checks(pairs, relations, judged.depth));
    let candidates = candidates.iter().flat_map(with);
    let score = |checks: &Vec<Vec<CutCheck>>| ratio_at(&curve_of(judged, checks), EQUAL_HIT).unwrap_or(0.0);
    let scored = candidates.map(|checks| (score(&checks), checks));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Vec::new(), |(_, checks)| checks)
}

/// The checks as a model of the production search for roots of `m` stones; its first level cuts at `c` sigmas.
fn model(checks: &[Vec<CutCheck>], m: usize, c: f64) -> ProbCut {
    let depth = checks.len();
    let rows = checks.iter().enumerate().flat_map(|(k, checks)| {
        checks.iter().map(move |check| Regression {
            phase: (m + k) as u8,
            depth: (depth - k) as u8,
            shallow: check.shallow,
            relation: Relation { sigma: check.relation.sigma * c / LEVELS[0].sigmas, ..check.relation },
            margin: 2.0 * check.relation.sigma,
        })
    });
    ProbCut::new(rows, &Thresholds::default())
}

/// Searches all positions by the production loop, deepening by two plies as the engine does.
fn production<D: Driver>(judged: &Judged, model: Option<&'static ProbCut>) -> CutOutcome {
    let control = SearchControl::default();
    let mut table = Table::new(16);
    let mut nodes = 0;
    let mut choose = |root: &TreePosition| {
        table.clear();
        let level = model.map_or(Draft::FULL, |_| LEVELS[0].number);
        let policy = GenericPolicy::<ScoreFour, LineCounts, _>::new(LineCounts, Portable::token());
        let policy = model.map_or(policy.clone(), |model| policy.selective(model, level));
        let position = root.game;
        let mut search = Production::<D, _>::new(position, Context::new(&policy, Some(&table), &control));
        let moves = crate::game::Game::moves(&position);
        let mut found = (Score::ZERO, moves[0]);
        for depth in (1..=judged.depth).filter(|depth| depth % 2 == judged.depth % 2) {
            let iteration = Iteration { depth, selectivity: level };
            // The search is never stopped.
            if let Ok(answer) = search.value(iteration, found.0, Window::FULL, &moves, &mut |_, _| ()) {
                found = answer;
            }
        }
        nodes += search.cx.counters.nodes;
        u32::from(position.landing(found.1.square()))
    };
    let cells: Vec<u32> = judged.roots.iter().map(&mut choose).collect();
    judged.outcome(&cells, nodes)
}

/// Measures the curves of all methods with all searches. `T` absorbs `M_m`.
pub fn measure(seed: u64, positions: usize, depth: u8) -> Vec<Point> {
    let [test, training, tuning] = [0, 1, 2].map(|number| {
        let seed = seed + number * OTHER;
        Judged::new(openings(seed, positions), depth, UNCORRECTED, seed, false)
    });
    let fits = [Sample::Inside, Sample::Any].map(|of| relations(&training.roots, depth, of));
    let mut document = Cuts::of_statistics(&training.readings[EXACT], OPENING, 1.0).checks;
    document.truncate(usize::from(depth));
    let methods = [
        document,
        tuned(&tuning, &SLOPE, &fits),
        tuned(&tuning, &PROB_CUT, &fits),
        tuned(&tuning, &MULTI_PROB_CUT, &fits),
    ];
    let searches: [(&str, fn(&Judged, Option<&'static ProbCut>) -> CutOutcome); 2] =
        [(SEARCHES[1], production::<NegaScout>), (SEARCHES[2], production::<Mtdf>)];
    let mut points = vec![Point { method: NO_CUT, search: SEARCHES[0], outcome: test.search(|_| Plain) }];
    points.extend(searches.map(|(search, run)| Point { method: NO_CUT, search, outcome: run(&test, None) }));
    for (method, checks) in METHODS.into_iter().zip(&methods) {
        points.extend(curve_of(&test, checks).into_iter().map(|outcome| Point {
            method,
            search: SEARCHES[0],
            outcome,
        }));
        for c in CUT_VALUES {
            // The model of a policy must be static; these are few and small.
            let model: &'static ProbCut = Box::leak(Box::new(model(checks, OPENING, c)));
            points.extend(searches.map(|(search, run)| Point { method, search, outcome: run(&test, Some(model)) }));
        }
    }
    points
}

/// Writes the curves as a table, and the speed-ups at equal hit rates.
pub fn write_table(points: &[Point], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nspeed-up (nodes of figure 1 / nodes) and hit rate (moves of equal value, %) by cut value in sigmas\n{:14} \
         {:11}{}",
        "method",
        "search",
        CUT_VALUES.map(|c| format!("{c:>13}")).concat()
    )?;
    for search in SEARCHES {
        for CutOutcome { ratio, hit_value, .. } in outcomes(points, NO_CUT, search) {
            writeln!(out, "{NO_CUT:14} {search:11} {ratio:.2}, {hit_value:.0} %")?;
        }
        for method in METHODS {
            write!(out, "{method:14} {search:11}")?;
            for CutOutcome { ratio, hit_value, .. } in outcomes(points, method, search) {
                write!(out, "{:>13}", format!("{ratio:.2}, {hit_value:.0}"))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(
        out,
        "\nspeed-up at equal hit rate (interpolated)\n{:14} {:11}{:>8}{:>8}{:>8}",
        "", "", "95 %", "90 %", "80 %"
    )?;
    let at = |method, search, hit| ratio_at(&outcomes(points, method, search), hit);
    for search in SEARCHES {
        for method in METHODS {
            let [most, equal, least] = [95.0, EQUAL_HIT, 80.0]
                .map(|hit| at(method, search, hit).map_or("-".into(), |ratio| format!("{ratio:.2}")));
            writeln!(out, "{method:14} {search:11}{most:>8}{equal:>8}{least:>8}")?;
        }
    }
    for search in SEARCHES {
        let [document, .., multi] = METHODS.map(|method| at(method, search, EQUAL_HIT));
        let (Some(document), Some(multi)) = (document, multi) else { continue };
        let verdict = if document > multi { "beats" } else { "does not beat" };
        writeln!(
            out,
            "At a hit rate of {EQUAL_HIT} % with {search}, the document's static cut {verdict} multi-ProbCut: speed-up \
             {document:.1} against {multi:.1}."
        )?;
    }
    writeln!(
        out,
        "Reason: the static value is free and applies at every node. A shallow search costs hundreds of nodes (sixteen \
         moves per node) and applies only near the root of a tree this shallow. A regression over all nodes has a \
         smaller sigma but a larger error near the window; the document's statistics are of nodes near the window."
    )
}

fn outcomes(points: &[Point], method: &str, search: &str) -> Vec<CutOutcome> {
    let mine = points.iter().filter(|point| point.method == method && point.search == search);
    mine.map(|point| point.outcome).collect()
}

/// The curves as SVG: hit rate over speed-up.
pub fn draw(points: &[Point]) -> String {
    let curve = |method: &str, search: &str| Curve {
        name: format!("{method}, {search}"),
        points: outcomes(points, method, search).iter().rev().map(|point| (point.ratio, point.hit_value)).collect(),
        dashed: search != SEARCHES[0],
    };
    let curves: Vec<Curve> =
        [SEARCHES[0], SEARCHES[2]].iter().flat_map(|search| METHODS.map(|method| curve(method, search))).collect();
    let x = Axis { name: "speed-up: nodes of figure 1 / nodes", logarithmic: true };
    let y = Axis { name: "moves of equal value, %", logarithmic: false };
    svg("Score Four: statistical cuts", x, y, &curves)
}

/// The names of the searches.
const SEARCHES: [&str; 3] = ["alpha-beta", "NegaScout", "MTD(f)"];
/// The name of the searches without cuts.
const NO_CUT: &str = "no cut";
/// The names of the methods.
const METHODS: [&str; 4] = ["static", "slope", "ProbCut", "multi-ProbCut"];
