//! Where the document ends: how much each cut saves at which price, over the cut value `C`.
//!
//! | method | prediction of the deep value |
//! |---|---|
//! | static | the document's: static value and `T_{m,k}` |
//! | slope | a line fitted to the static value |
//! | ProbCut | a line fitted to one shallow search (M. Buro, 1995) |
//! | multi-ProbCut | several shallow searches, one after the other (M. Buro, 1997) |
//!
//! Each on figure 1's alpha-beta and in the production loop with its table, by NegaScout and by MTD(f).
//!
//! The lines are fitted in two ways (`Sample`): to the values that fell inside the window, as the document's own statistics are by the reading
//! that fits, and to full-window searches of nodes taken at random. The first kind is biased: whatever its static value, a node is
//! taken only if the deep one is near the root's, so the slope comes out too flat. Lines of both kinds are fitted on positions of another seed;
//! which kind is used, and which shallow searches ProbCut and multi-ProbCut make, is chosen on positions of a third; the curve is measured on
//! positions that neither has seen.

use std::io::{self, Write};

use serde::Serialize;

use super::cuts::{Check, Cuts};
use super::games::openings;
use super::statistics::gather;
use super::tree::{Figure, Hook, INFINITE, Means, Plain, Position, Visit, WON};
use super::{EXACT, Judged, OTHER, Outcome};
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::line_counts::Lines;
use crate::search::context::{Context, Watch};
use crate::search::deepening::Stage;
use crate::search::isa::Portable;
use crate::search::prob_cut::{LEVELS, ProbCut, Relation, Row};
use crate::search::production::{Driver, Mtdf, NegaScout, Production};
use crate::search::sorted::Sorted;
use crate::search::table::{Draft, Table};
use crate::train::plot::{Axis, Curve, svg};

/// The cut values, in sigmas.
pub const CUT_VALUES: [f64; 8] = [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0];

/// Which shallow searches the candidates of multi-ProbCut make, by the plies left, from one on.
type Pairs = [&'static [u8]; 8];

/// ProbCut as Buro has it, a few plies less and of the same parity, one check each; the static value where nothing else fits.
const PROB_CUT: [Pairs; 3] = [
    [&[], &[], &[], &[0], &[1], &[2], &[3], &[4]],
    [&[], &[0], &[1], &[2], &[1], &[2], &[3], &[2]],
    [&[], &[0], &[1], &[0], &[1], &[2], &[1], &[2]],
];

/// Several checks, the cheapest first.
const MULTI_PROB_CUT: [Pairs; 6] = [
    [&[], &[0], &[1], &[0, 2], &[1], &[0, 2], &[1, 3], &[2, 4]],
    [&[], &[0], &[1], &[0, 2], &[1, 3], &[0, 2, 4], &[1, 3], &[0, 2, 4]],
    [&[0], &[0], &[0, 1], &[0, 2], &[0, 1], &[0, 2], &[0, 1, 3], &[0, 2]],
    [&[0], &[0], &[0, 1], &[0, 1], &[0, 1], &[0, 1, 2], &[0, 1, 2], &[0, 1, 2]],
    [&[0], &[0], &[0], &[0], &[0, 1], &[0, 1], &[0, 1], &[0, 1]],
    [&[0], &[0], &[0], &[0], &[0], &[0, 1], &[0, 2], &[0, 2]],
];

/// The static value alone, by a line.
const SLOPE: [Pairs; 1] = [[&[0], &[0], &[0], &[0], &[0], &[0], &[0], &[0]]];

/// Which nodes' values the lines are fitted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sample {
    /// Those whose value fell inside their window.
    Inside,
    /// Any, each searched again with a full window.
    Any,
}

/// A point of the curve.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Point {
    /// What is predicted from what.
    pub method: &'static str,
    /// The search that cuts.
    pub search: &'static str,
    /// The cut value in sigmas; infinite for no cut.
    pub c: Option<f64>,
    /// Nodes of figure 1 over nodes of this search.
    pub ratio: f64,
    /// How often the move has the value of figure 1's, in percent.
    pub hit_value: f64,
    /// How often it is figure 1's, in percent.
    pub hit_move: f64,
}

/// Nodes sampled with their values, to be searched again more shallowly.
struct Sampler {
    of: Sample,
    /// By `k`: how many were seen, and the sample (reservoir) of positions with their values.
    sample: Vec<(u64, Vec<(Position, i32)>)>,
    rng: Rng,
}

/// Nodes sampled of each depth of all trees together.
const SAMPLE: usize = 2_000;
/// Of those just below the root so many are searched again: each costs a large part of its tree.
const AT_THE_TOP: usize = 300;

impl Hook for Sampler {
    fn searched(&mut self, visit: &Visit, value: i32) {
        let inside = visit.alpha < value && value < visit.beta && value.abs() <= WON;
        if self.of == Sample::Inside && !inside {
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

/// The relation of each shallow depth to the value of nodes `k` plies below the root: `[k][shallow]`.
type Relations = Vec<Vec<Option<Relation>>>;

/// Evaluations as they are: `T` takes up what `M_m` would.
const UNCORRECTED: Means = [0; 65];

fn relations(roots: &[Position], depth: u8, of: Sample) -> Relations {
    let sampler = Sampler { of, sample: vec![(0, Vec::new()); usize::from(depth) + 1], rng: Rng::new(9) };
    let mut figure = Figure::new(sampler, &UNCORRECTED);
    for root in roots {
        figure.choose(root, depth);
    }
    let mut sample = figure.hook.sample;
    let value = |position: &Position, depth: u8| {
        Figure::new(Plain, &UNCORRECTED).value(position, 0, depth, -INFINITE, INFINITE)
    };
    if of == Sample::Any {
        for (k, (_, nodes)) in (0..).zip(&mut sample).skip(1) {
            nodes.truncate(if k == 1 { AT_THE_TOP } else { SAMPLE });
            nodes.iter_mut().for_each(|(position, deep)| *deep = value(position, depth - k));
            nodes.retain(|(_, deep)| deep.abs() <= WON);
        }
    }
    let relation = |k: u8, shallow: u8| {
        let nodes = &sample[usize::from(k)].1;
        let pairs = nodes.iter().map(|(position, deep)| (f64::from(value(position, shallow)), f64::from(*deep)));
        let pairs: Vec<_> = pairs.filter(|pair| pair.0.abs() <= f64::from(WON)).collect();
        Relation::fit(&pairs)
    };
    let below = |k: u8| (0..(depth - k).min(5)).map(|shallow| relation(k, shallow)).collect();
    (0..depth).map(|k| if k == 0 { Vec::new() } else { below(k) }).collect()
}

/// The checks that these pairs make in a tree of `depth`.
fn checks(pairs: &Pairs, relations: &Relations, depth: u8) -> Vec<Vec<Check>> {
    let check = |k: u8, shallow: u8| {
        let relation = *relations.get(usize::from(k))?.get(usize::from(shallow))?;
        Some(Check { shallow, relation: relation? })
    };
    let of = |k: u8| {
        let left = usize::from(depth - k);
        pairs.get(left - 1).map_or(Vec::new(), |pairs| pairs.iter().filter_map(|&shallow| check(k, shallow)).collect())
    };
    (0..depth).map(|k| if k == 0 { Vec::new() } else { of(k) }).collect()
}

/// The hit rate at which methods are compared, in percent.
pub const EQUAL_HIT: f64 = 90.0;

/// The ratio of a curve at a hit rate, between its points by straight lines in the logarithm.
pub fn ratio_at(points: &[Outcome], hit: f64) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    points.windows(2).rev().find_map(|pair| {
        let [sure, bold] = pair else { return None };
        (sure.hit_value >= hit && hit >= bold.hit_value && sure.hit_value > bold.hit_value).then(|| {
            let share = (sure.hit_value - hit) / (sure.hit_value - bold.hit_value);
            (sure.ratio.ln() + share * (bold.ratio.ln() - sure.ratio.ln())).exp()
        })
    })
}

fn curve_of(judged: &Judged<'_>, checks: &[Vec<Check>]) -> Vec<Outcome> {
    let outcome = |c| judged.search(|_| Cuts { checks: checks.to_vec(), c, shallow_nodes: 0 });
    CUT_VALUES.map(outcome).to_vec()
}

/// Of some pairs, with the lines of either fit, those with the best ratio at the common hit rate on these positions.
fn tuned(judged: &Judged<'_>, candidates: &[Pairs], fits: &[Relations]) -> Vec<Vec<Check>> {
    let with = |pairs| fits.iter().map(move |relations| checks(pairs, relations, judged.depth));
    let candidates = candidates.iter().flat_map(with);
    let score = |checks: &Vec<Vec<Check>>| ratio_at(&curve_of(judged, checks), EQUAL_HIT).unwrap_or(0.0);
    let scored = candidates.map(|checks| (score(&checks), checks));
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Vec::new(), |(_, checks)| checks)
}

/// The checks as a model of the production loop for roots of `m` stones, whose boldest level cuts at `c` sigmas.
fn model(checks: &[Vec<Check>], m: usize, c: f64) -> ProbCut {
    let depth = checks.len();
    let rows = checks.iter().enumerate().flat_map(|(k, checks)| {
        checks.iter().map(move |check| Row {
            phase: (m + k) as u8,
            depth: (depth - k) as u8,
            shallow: check.shallow,
            relation: Relation { sigma: check.relation.sigma * c / LEVELS[0].sigmas, ..check.relation },
            doubt: 2.0 * check.relation.sigma,
        })
    });
    ProbCut::new(rows)
}

/// The production loop on all positions, by steps of two plies as the engine goes.
fn production<D: Driver>(judged: &Judged<'_>, model: Option<&'static ProbCut>) -> Outcome {
    let watch = Watch::default();
    let mut table = Table::new(16);
    let mut nodes = 0;
    let mut choose = |root: &Position| {
        table.forget();
        let level = model.map_or(Draft::FULL, |_| LEVELS[0].number);
        let policy = Sorted::<ScoreFour, Lines, _>::new(Lines, Portable::token());
        let policy = model.map_or(policy.clone(), |model| policy.selective(model, level));
        let position = root.game();
        let mut search = Production::<D, _>::new(position, Context::new(&policy, Some(&table), &watch));
        let moves = crate::game::Game::moves(&position);
        let mut found = (Score::ZERO, moves[0]);
        for depth in (1..=judged.depth).filter(|depth| depth % 2 == judged.depth % 2) {
            let stage = Stage { depth, selectivity: level };
            // Nothing stops it: the watch is its own.
            if let Ok(answer) = search.value(stage, found.0, Window::FULL, &moves, &mut |_, _, _, _| ()) {
                found = answer;
            }
        }
        nodes += search.cx.counters.nodes;
        u32::from(position.landing(found.1.square()))
    };
    let cells: Vec<u32> = judged.roots.iter().map(&mut choose).collect();
    judged.outcome(&cells, nodes)
}

/// Measures the curves of all methods on all searches and tells each point.
pub fn measure(seed: u64, positions: usize, depth: u8) -> Vec<Point> {
    let training = openings(seed + OTHER, positions);
    let tuning = openings(seed + 2 * OTHER, positions);
    let test = openings(seed, positions);
    let trained = gather(&training, depth, &UNCORRECTED, seed, false);
    let tuned_on = gather(&tuning, depth, &UNCORRECTED, seed, false);
    let tested = gather(&test, depth, &UNCORRECTED, seed, false);
    let judged = Judged { roots: &test, depth, answers: &tested.answers, nodes: tested.nodes, means: &UNCORRECTED };
    let tuner =
        Judged { roots: &tuning, depth, answers: &tuned_on.answers, nodes: tuned_on.nodes, means: &UNCORRECTED };
    let fits = [Sample::Inside, Sample::Any].map(|of| relations(&training, depth, of));
    let m = super::OPENING;
    let mut document = Cuts::of_statistics(&trained.readings[EXACT], m, 1.0).checks;
    document.truncate(usize::from(depth));
    let methods = [
        ("static", document),
        ("slope", tuned(&tuner, &SLOPE, &fits)),
        ("ProbCut", tuned(&tuner, &PROB_CUT, &fits)),
        ("multi-ProbCut", tuned(&tuner, &MULTI_PROB_CUT, &fits)),
    ];
    let mut points = Vec::new();
    let mut point = |method, search, c, outcome: Outcome| {
        let Outcome { ratio, hit_value, hit_move } = outcome;
        points.push(Point { method, search, c, ratio, hit_value, hit_move });
    };
    point("none", "alpha-beta", None, judged.search(|_| Plain));
    point("none", "NegaScout", None, production::<NegaScout>(&judged, None));
    point("none", "MTD(f)", None, production::<Mtdf>(&judged, None));
    for (method, checks) in &methods {
        for (c, outcome) in CUT_VALUES.into_iter().zip(curve_of(&judged, checks)) {
            point(method, "alpha-beta", Some(c), outcome);
        }
        for c in CUT_VALUES {
            // A policy's model lives as long as the program; these few are small.
            let model: &'static ProbCut = Box::leak(Box::new(model(checks, m, c)));
            point(method, "NegaScout", Some(c), production::<NegaScout>(&judged, Some(model)));
            point(method, "MTD(f)", Some(c), production::<Mtdf>(&judged, Some(model)));
        }
    }
    points
}

/// The curve as a table, and what it says at equal hit rates.
pub fn write_table(points: &[Point], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nnodes of figure 1 over nodes, and hits by equal value in percent, by the cut value in sigmas")?;
    write!(out, "{:14} {:11}", "method", "search")?;
    CUT_VALUES.iter().try_for_each(|c| write!(out, "{c:>13}"))?;
    writeln!(out)?;
    for search in SEARCHES {
        for point in points.iter().filter(|point| point.search == search && point.c.is_none()) {
            writeln!(out, "{:14} {search:11} {:.2}, {:.0} %", "no cut", point.ratio, point.hit_value)?;
        }
        for method in METHODS {
            write!(out, "{method:14} {search:11}")?;
            for point in points.iter().filter(|point| point.search == search && point.method == method) {
                write!(out, "{:>13}", format!("{:.2}, {:.0}", point.ratio, point.hit_value))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(
        out,
        "\nspeed-up at equal hit rate (between the points)\n{:14} {:11}{:>8}{:>8}{:>8}",
        "", "", "95 %", "90 %", "80 %"
    )?;
    for search in SEARCHES {
        for method in METHODS {
            let outcomes = outcomes(points, method, search);
            let at = |hit| ratio_at(&outcomes, hit).map_or("-".into(), |ratio| format!("{ratio:.2}"));
            writeln!(out, "{method:14} {search:11}{:>8}{:>8}{:>8}", at(95.0), at(90.0), at(80.0))?;
        }
    }
    let better = |search| {
        let at = |method| ratio_at(&outcomes(points, method, search), EQUAL_HIT);
        Some((at("static")?, at("multi-ProbCut")?))
    };
    for search in SEARCHES {
        let Some((document, multi)) = better(search) else { continue };
        let verdict = if document > multi { "beats" } else { "does not beat" };
        writeln!(
            out,
            "At {EQUAL_HIT} % hits on {search} the document's static cut {verdict} multi-ProbCut: {document:.1} times fewer nodes than \
             figure 1 against {multi:.1}."
        )?;
    }
    writeln!(
        out,
        "The reason: the static value costs nothing, where a shallow search of sixteen moves costs hundreds of nodes; and it serves at \
         every node, where trees of few plies leave a shallow search room near the root only. A line fitted to any node's \
         value has the smaller sigma but errs where it matters, near the window; the document's statistics are those of nodes \
         there."
    )
}

fn outcomes(points: &[Point], method: &str, search: &str) -> Vec<Outcome> {
    let mine = points.iter().filter(|point| point.method == method && point.search == search);
    mine.map(|point| Outcome { ratio: point.ratio, hit_value: point.hit_value, hit_move: point.hit_move }).collect()
}

/// The curve as SVG: saved nodes to the right, hits upwards.
pub fn draw(points: &[Point]) -> String {
    let curve = |method: &str, search: &str| Curve {
        name: format!("{method}, {search}"),
        points: outcomes(points, method, search)
            .iter()
            .rev()
            .map(|outcome| (outcome.ratio, outcome.hit_value))
            .collect(),
        dashed: search != SEARCHES[0],
    };
    let curves: Vec<Curve> =
        [SEARCHES[0], SEARCHES[2]].iter().flat_map(|search| METHODS.map(|method| curve(method, search))).collect();
    let x = Axis { name: "nodes of figure 1 over nodes", logarithmic: true };
    let y = Axis { name: "moves of equal value, %", logarithmic: false };
    svg("Score Four: statistical cuts", x, y, &curves)
}

/// The searches that cut, by name.
const SEARCHES: [&str; 3] = ["alpha-beta", "NegaScout", "MTD(f)"];
/// The cuts, by name.
const METHODS: [&str; 4] = ["static", "slope", "ProbCut", "multi-ProbCut"];
