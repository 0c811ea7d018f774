//! Extension of the document: speed-up and hit rate of each cut method, by cut value `C`.
//!
//! | method | prediction of the deep value |
//! |---|---|
//! | static | the document's: static value and `T_{m,k}` |
//! | slope | a line fitted to the static value |
//! | ProbCut | a line fitted to one shallow search (M. Buro, 1995) |
//! | multi-ProbCut | several shallow searches, one after the other (M. Buro, 1997) |
//!
//! Each with figure 1's alpha-beta, and with NegaScout and MTD(f) in the production loop.
//!
//! The regressions are fitted on positions of a second seed, to one of two samples (`Sample`);
//! sample and shallow depths are chosen on positions of a third seed; the curves are measured on
//! positions of the first.

use std::io::{self, Write};

use super::OTHER;
use super::cuts::{Checks, CutCheck, Cuts};
use super::games::{OPENING, openings};
use super::line_counts::LineCounts;
use super::statistics::{BaselineSearches, CutOutcome, EXACT, INTERPRETATIONS, undecided};
use super::tree::{Figure, Hook, NodeVisit, Plain, TreePosition, UNCORRECTED, exact_value};
use crate::game::Game;
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::games::score_four::ScoreFour;
use crate::html::plot::{Axis, Curve, svg};
use crate::search::core::context::Context;
use crate::search::core::isa::Portable;
use crate::search::core::policy::Policy;
use crate::search::generic_policy::GenericPolicy;
use crate::search::levels::{LEVELS, Thresholds};
use crate::search::prob_cut::{ProbCut, Regression, Relation};
use crate::search::production::{Driver, Mtdf, NegaScout, Production};
use crate::search::schedule::{Objective, deepen};
use crate::search::stop::SearchControl;
use crate::search::table::Table;

/// The cut values, in sigmas.
const CUT_VALUES: [f64; 8] = [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0];

/// Candidates of ProbCut: one check, a few plies less and of the same parity as Buro has it, else
/// the static value. A row has the depths of the shallow searches (a digit each, `-` for none) with
/// one ply left, with two, and so on.
const PROB_CUT: [&str; 3] = [
    "-  -  -  0  1  2  3  4",
    "-  0  1  2  1  2  3  2",
    "-  0  1  0  1  2  1  2",
];

/// Candidates of multi-ProbCut: several checks, the cheapest first.
const MULTI_PROB_CUT: [&str; 6] = [
    "-  0  1   02  1   02   13   24",
    "-  0  1   02  13  024  13   024",
    "0  0  01  02  01  02   013  02",
    "0  0  01  01  01  012  012  012",
    "0  0  0   0   01  01   01   01",
    "0  0  0   0   0   01   02   02",
];

/// The static value alone, with a slope.
const SLOPE: [&str; 1] = ["0  0  0  0  0  0  0  0"];

/// The nodes that the lines are fitted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sample {
    /// Nodes whose value is inside their window, as in the document's statistics. The sample is
    /// biased towards values near the root's, so the slope is too flat.
    Inside,
    /// Random nodes, searched again with a full window.
    Any,
}

/// A search of positions without cuts, or with checks at a cut value in sigmas.
type CutSearch = fn(&BaselineSearches, Option<(&Checks, f64)>) -> CutOutcome;

/// The searches.
const SEARCHES: [(&str, CutSearch); 3] = [
    ("alpha-beta", alpha_beta),
    ("NegaScout", production::<NegaScout>),
    ("MTD(f)", production::<Mtdf>),
];
/// The outcomes of a search.
pub struct SearchCurves {
    search: &'static str,
    without_cuts: CutOutcome,
    /// The methods from the document's to multi-ProbCut, each with its outcomes by cut value.
    methods: [(&'static str, Vec<CutOutcome>); 4],
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
        if self.of == Sample::Inside && INTERPRETATIONS[EXACT].1(visit, value).is_none() {
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

/// The relation of each shallow depth to the value of nodes `k` plies below the root, by `k` and
/// shallow depth.
type Relations = Vec<Vec<Option<Relation>>>;

fn relations(roots: &[TreePosition], depth: u8, of: Sample) -> Relations {
    let sampler = Sampler {
        of,
        sample: vec![(0, Vec::new()); usize::from(depth) + 1],
        rng: Rng::new(9),
    };
    let mut figure = Figure::new(sampler, &UNCORRECTED);
    for root in roots {
        figure.choose(root, depth);
    }
    let mut sample = figure.hook.sample;
    let value = |position: &_, depth: u8| exact_value(position, depth, &UNCORRECTED);
    if of == Sample::Any {
        for (k, (_, nodes)) in (0..).zip(&mut sample).skip(1) {
            nodes.truncate(if k == 1 { AT_THE_TOP } else { SAMPLE });
            nodes
                .iter_mut()
                .for_each(|(position, deep)| *deep = value(position, depth - k));
            nodes.retain(|&(_, deep)| undecided(deep).is_some());
        }
    }
    let relation = |k: u8, shallow: u8| {
        let nodes = &sample[usize::from(k)].1;
        let pair = |(position, deep): &_| {
            Some((
                f64::from(undecided(value(position, shallow))?),
                f64::from(*deep),
            ))
        };
        Relation::fit(&nodes.iter().filter_map(pair).collect::<Vec<_>>())
    };
    (0..depth)
        .map(|k| {
            (0..(depth - k).min(5))
                .map(|shallow| relation(k, shallow))
                .collect()
        })
        .collect()
}

/// The checks of these shallow depths in a tree of `depth` plies.
fn checks(row: &str, relations: &Relations, depth: u8) -> Checks {
    let check = |k: u8, shallow: u8| {
        let relation = *relations.get(usize::from(k))?.get(usize::from(shallow))?;
        Some(CutCheck {
            shallow,
            relation: relation?,
        })
    };
    let of = |k: u8| {
        let depths = row.split_whitespace().nth(usize::from(depth - k) - 1);
        let depths = depths.unwrap_or_default().chars();
        depths
            .filter_map(|digit| check(k, digit.to_digit(10)? as u8))
            .collect()
    };
    (0..depth).map(of).collect()
}

/// The hit rate at which methods are compared, in percent.
const EQUAL_HIT: f64 = 90.0;

/// The ratio of a curve at a hit rate, by linear interpolation of its logarithm.
fn ratio_at(points: &[CutOutcome], hit: f64) -> Option<f64> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    points.windows(2).rev().find_map(|pair| {
        let [higher, lower] = pair else { return None };
        (higher.hit_value >= hit && hit >= lower.hit_value && higher.hit_value > lower.hit_value)
            .then(|| {
                let share = (higher.hit_value - hit) / (higher.hit_value - lower.hit_value);
                (higher.ratio.ln() + share * (lower.ratio.ln() - higher.ratio.ln())).exp()
            })
    })
}

/// The candidate and fit with the best ratio at the common hit rate on these positions.
fn tuned(baseline: &BaselineSearches, candidates: &[&str], fits: &[Relations]) -> Checks {
    let with = |row| {
        fits.iter()
            .map(move |relations| checks(row, relations, baseline.depth))
    };
    let score =
        |checks: &Checks| ratio_at(&curve(alpha_beta, baseline, checks), EQUAL_HIT).unwrap_or(0.0);
    let scored = candidates
        .iter()
        .copied()
        .flat_map(with)
        .map(|checks| (score(&checks), checks));
    scored
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(Vec::new(), |(_, checks)| checks)
}

/// The outcomes by cut value.
fn curve(search: CutSearch, baseline: &BaselineSearches, checks: &Checks) -> Vec<CutOutcome> {
    CUT_VALUES
        .map(|c| search(baseline, Some((checks, c))))
        .to_vec()
}

/// Figure 1 or 2.
fn alpha_beta(baseline: &BaselineSearches, cuts: Option<(&Checks, f64)>) -> CutOutcome {
    match cuts {
        None => baseline.search(|_| Plain),
        Some((checks, c)) => baseline.search(|_| Cuts {
            checks: checks.clone(),
            c,
        }),
    }
}

/// The checks as a model of the production search; its first level cuts at `c` sigmas.
fn model(checks: &Checks, c: f64) -> ProbCut {
    let depth = checks.len();
    let rows = checks.iter().enumerate().flat_map(|(k, checks)| {
        checks
            .iter()
            .map(move |&CutCheck { shallow, relation }| Regression {
                phase: (OPENING + k) as u8,
                depth: (depth - k) as u8,
                shallow,
                relation: Relation {
                    sigma: relation.sigma * c / LEVELS[0].sigmas,
                    ..relation
                },
                margin: 2.0 * relation.sigma,
            })
    });
    ProbCut::new(rows, &Thresholds::default())
}

/// The production search, which deepens by two plies as the engine does.
fn production<D: Driver>(baseline: &BaselineSearches, cuts: Option<(&Checks, f64)>) -> CutOutcome {
    let policy = GenericPolicy::<ScoreFour, LineCounts, _>::new(LineCounts, Portable::token());
    let policy = match cuts {
        None => policy,
        // The model of a policy must be static; these are few and small.
        Some((checks, c)) => {
            policy.selective(Box::leak(Box::new(model(checks, c))), LEVELS[0].number)
        }
    };
    let (mut table, control) = (Table::new(16), SearchControl::default());
    baseline.compare(|root| {
        table.clear();
        let game = root.game;
        let depth = baseline.depth.min(game.plies_left());
        let schedule = policy.schedule(&game, depth, Objective::BestMove);
        let moves = game.moves();
        let cx = Context::new(&policy, Some(&table), &control);
        let mut search = Production::<D, _>::new(game, cx);
        let found = deepen(schedule, Score::ZERO, |iteration, guess| {
            search.value(iteration, guess, Window::FULL, &moves, &mut |_, _| ())
        })
        .last();
        let best = found.map_or(moves[0], |(_, _, m)| m);
        (
            u32::from(game.landing(best.square())),
            search.cx.counters.nodes,
        )
    })
}

/// Measures the curves of all methods with all searches. `T` absorbs `M_m`.
pub fn measure(seed: u64, positions: usize, depth: u8) -> [SearchCurves; 3] {
    let [test, training, tuning] = [0, 1, 2].map(|number| {
        let seed = seed + number * OTHER;
        BaselineSearches::new(openings(seed, positions), depth, UNCORRECTED, seed, false)
    });
    let fits = [Sample::Inside, Sample::Any].map(|of| relations(&training.roots, depth, of));
    let mut document = Cuts::of_statistics(&training.interpretations[EXACT], OPENING, 1.0).checks;
    document.truncate(usize::from(depth));
    let tuned = |candidates| tuned(&tuning, candidates, &fits);
    let methods = [
        ("static", document),
        ("slope", tuned(&SLOPE)),
        ("ProbCut", tuned(&PROB_CUT)),
        ("multi-ProbCut", tuned(&MULTI_PROB_CUT)),
    ];
    SEARCHES.map(|(search, run)| SearchCurves {
        search,
        without_cuts: run(&test, None),
        methods: methods
            .each_ref()
            .map(|(method, checks)| (*method, curve(run, &test, checks))),
    })
}

/// Writes the curves as a table, and the speed-ups at equal hit rates.
pub fn write_table(searches: &[SearchCurves], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nspeed-up (nodes of figure 1 / nodes) and hit rate (moves of equal value, %) by cut value in sigmas\n{:14} \
         {:11}{}",
        "method",
        "search",
        CUT_VALUES.map(|c| format!("{c:>13}")).concat()
    )?;
    let text = |outcome: &CutOutcome| format!("{:.2}, {:.0}", outcome.ratio, outcome.hit_value);
    for SearchCurves {
        search,
        without_cuts,
        methods,
    } in searches
    {
        writeln!(out, "no cut         {search:11} {} %", text(without_cuts))?;
        for (method, points) in methods {
            let points: String = points
                .iter()
                .map(|point| format!("{:>13}", text(point)))
                .collect();
            writeln!(out, "{method:14} {search:11}{points}")?;
        }
    }
    writeln!(
        out,
        "\nspeed-up at equal hit rate (interpolated)\n{:14} {:11}{:>8}{:>8}{:>8}",
        "", "", "95 %", "90 %", "80 %"
    )?;
    for SearchCurves {
        search, methods, ..
    } in searches
    {
        for (method, points) in methods {
            let [most, equal, least] = [95.0, EQUAL_HIT, 80.0]
                .map(|hit| ratio_at(points, hit).map_or("-".into(), |ratio| format!("{ratio:.2}")));
            writeln!(out, "{method:14} {search:11}{most:>8}{equal:>8}{least:>8}")?;
        }
    }
    for SearchCurves {
        search, methods, ..
    } in searches
    {
        let [document, .., multi] = methods
            .each_ref()
            .map(|(_, points)| ratio_at(points, EQUAL_HIT));
        let (Some(document), Some(multi)) = (document, multi) else {
            continue;
        };
        let verdict = if document > multi {
            "beats"
        } else {
            "does not beat"
        };
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

/// The curves of alpha-beta and MTD(f) as SVG: hit rate over speed-up.
pub fn draw([alpha_beta, _, mtdf]: &[SearchCurves; 3]) -> String {
    let mut curves = Vec::new();
    for (
        SearchCurves {
            search, methods, ..
        },
        dashed,
    ) in [(alpha_beta, false), (mtdf, true)]
    {
        curves.extend(methods.iter().map(|(method, points)| {
            Curve {
                name: format!("{method}, {search}"),
                points: points
                    .iter()
                    .rev()
                    .map(|point| (point.ratio, point.hit_value))
                    .collect(),
                dashed,
            }
        }));
    }
    let x = Axis {
        name: "speed-up: nodes of figure 1 / nodes",
        logarithmic: true,
    };
    let y = Axis {
        name: "moves of equal value, %",
        logarithmic: false,
    };
    svg("Score Four: statistical cuts", x, y, &curves)
}
