//! `nullwindow lab estimate`: estimates what it costs to prove claims about positions by null-window
//! searches of their late successors, such as the claims of the weak solution of Othello.
//!
//! For each sampled claim, [`knuth`] estimates the size of the proof tree ([`claim_tree`]) and draws
//! some of its leaves, [`leaf_search`] proves them, and [`statistics`] computes the totals.

pub(super) mod claim_tree;
mod knuth;
mod leaf_search;
mod record;
mod report;
mod shared;
mod statistics;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::job_record::{JobRecord, RecordArgs};
use crate::book::after_pass;
use crate::commands::claims::Claim;
use crate::commands::report_resumable;
use crate::commands::solve::problem_file::{self, ProblemEntry};
use crate::engine::options::Options;
use crate::game::Game;
use crate::game::rng::{Rng, split_mix};
use crate::games::any::AnyPosition;
use crate::logging::progress::print_line;
use crate::platform::files;
use crate::setup::{EVAL, GAME, Setup, check_record, positive, uses};
use crate::storage::{checksum, json_lines};
use claim_tree::{ClaimTree, LowerBound, MoveChooser, after};
use knuth::Front;
use leaf_search::LeafSearcher;
use record::{
    ClaimLine, EstimateConditions, EstimateKey, EstimateLine, EstimateRows, SampledLeaf,
    SampledTree, SearchedLeaf, SharedLeaf,
};
use report::{Report, stratum};
use shared::count_trees;

const HELP: &str = "\
Games: all with discs.
Each line of FILE is a position with claims (OBF; >= 2; <= 4;) or a row of a CSV file:
OBF;,count,score,alpha,beta or OBF;,depth,strength,lower,upper,nodes.
A proof tree has one move of the side for which the claim is a lower bound, chosen by a shallow search, and all moves
of its opponent. Its distinct positions are enumerated down to --front-empties and sampled below.
Example: nullwindow lab estimate claims.csv --sample 200 --out record.jsonl --nodes 20000000
With --nodes 300000000 --share 0.25 --resume, it then searches a quarter of the leaves again that reached the limit.
With --shared, it counts the claims of FILE whose trees have a leaf in common, symmetric or not: a leaf of 36 empties
takes half a minute, so a small --sample with a record of its own is enough.
Exit status 1: interrupted, or a claim was refuted.";

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["Hash"], EVAL]))]
#[command(after_help = HELP)]
pub struct Args {
    /// File of claims; - for stdin
    file: PathBuf,

    /// Number of claims, drawn at random; a larger number keeps those already drawn
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = positive::<usize>)]
    sample: usize,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    record: RecordArgs,

    /// Continue an existing record
    #[arg(long)]
    resume: bool,

    /// Most empties of a leaf
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = clap::value_parser!(u8).range(1..=60))]
    leaf_empties: u8,

    /// Enumerate the distinct positions down to this number of empties
    #[arg(long, value_name = "N", default_value_t = 44, value_parser = clap::value_parser!(u8).range(1..=60))]
    front_empties: u8,

    /// Number of random paths per claim
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = positive::<u32>)]
    walks: u32,

    /// Number of leaves to search per claim
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive::<u32>)]
    leaves: u32,

    /// Node limit of each search of a leaf
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = positive::<u64>)]
    nodes: u64,

    /// Share of the leaves to search again that reached the largest smaller limit, drawn at random
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_share)]
    share: f64,

    /// Count the trees that share each leaf
    #[arg(long)]
    shared: bool,

    /// Only print the report of the record, which another process may be writing; needs the options
    /// of the record
    #[arg(long, conflicts_with_all = ["resume", "nodes", "share", "shared", "threads"])]
    report: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Parses a share above 0, at most 1.
fn parse_share(text: &str) -> Result<f64> {
    let share = text.parse().ok();
    share
        .filter(|share| 0.0 < *share && *share <= 1.0)
        .context("expected a number above 0, at most 1")
}

type EstimateRecord = JobRecord<EstimateKey, EstimateLine>;

/// Samples trees, searches leaves and prints the report.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let start = setup.board_with_discs("estimate")?;
    let path = &args.record.out;
    check_record("--out", path, [&args.file])?;
    ensure!(
        args.resume || args.report || !path.exists(),
        "--out {}: the file exists; use --resume to continue it",
        path.display()
    );
    if args.resume && !path.exists() {
        let name = path.display();
        print_line(format!("nothing to resume: there is no {name}"));
    }
    let name = files::display_name(&args.file);
    let text = files::read_stream_text(&args.file).with_context(|| name.clone())?;
    let problems = problem_file::problems_of(&text, &name, &start)?;
    let mut all = Vec::new();
    for problem in problems {
        let problem = problem?;
        let n = problem.number;
        all.push(sampled_claim(problem, args).with_context(|| format!("{name}, line {n}"))?);
    }
    ensure!(!all.is_empty(), "{name}: no claim found");
    Rng::new(args.seed).shuffle(&mut all);
    let claims = &all[..args.sample.min(all.len())];

    let conditions = EstimateConditions {
        version: env!("CARGO_PKG_VERSION").into(),
        game: options.game.into(),
        options: setup.determining_options(&[]),
        claims: checksum::of_text(&text),
        seed: args.seed,
        leaf_empties: args.leaf_empties,
        front_empties: args.front_empties,
        walks: args.walks,
        leaves: args.leaves,
    };
    let keys: Vec<ClaimLine> = claims.iter().map(|claim| claim.key).collect();
    let lines = if args.report {
        let mut lines = Vec::new();
        let found: EstimateConditions = json_lines::read_with(path, |line| {
            lines.push(line);
            Ok(())
        })?;
        json_lines::check_conditions(path, &found, &conditions)?;
        lines
    } else {
        let run = EstimateRun {
            args,
            options: &options,
            claims,
        };
        let mut record = JobRecord::open(path, &conditions, EstimateLine::key)?;
        if !(run.sample_trees(&mut record)?
            && run.search_leaves(&mut record)?
            && (!args.shared || run.count_shared(&all, &mut record)?))
        {
            report_resumable((!args.resume).then_some("--resume"));
            return Ok(false);
        }
        record.results.into_values().collect()
    };
    let report = Report::of(&keys, all.len(), args.seed, &lines)
        .with_context(|| format!("{}: no leaf has been searched", path.display()))?;
    report.write(args.json, out)?;
    Ok(!report.is_refuted())
}

/// A claim of the sample.
#[derive(Clone, Copy, Debug)]
struct RootClaim {
    key: ClaimLine,
    /// The position, after a forced pass.
    root: AnyPosition,
    bound: LowerBound,
}

/// The claim of a problem.
///
/// # Errors
/// If it has none, or too few empties.
fn sampled_claim(problem: ProblemEntry, args: &Args) -> Result<RootClaim> {
    let n = problem.number;
    let claim = problem
        .claim
        .context("no claim, expected >= S or <= S after the position")?;
    let position = problem.entry.game.position();
    let empties = position.plies_left();
    ensure!(
        empties > args.leaf_empties && position.final_score().is_none(),
        "the position has {empties} empties, expected an unfinished game with more than \
         {} (--leaf-empties)",
        args.leaf_empties
    );
    Ok(RootClaim {
        key: ClaimLine { n, claim },
        root: after_pass(position).0,
        bound: LowerBound::of(position, claim),
    })
}

/// A leaf of a sampled tree.
struct TreeLeaf<'c> {
    claim: &'c RootClaim,
    /// Its index among the leaves of the tree.
    number: usize,
    stratum: usize,
    /// The positions from the root to the leaf.
    path: Vec<AnyPosition>,
}

/// A run that extends a record. Its parts return `false` if interrupted.
struct EstimateRun<'a> {
    args: &'a Args,
    options: &'a Options,
    /// The sampled claims.
    claims: &'a [RootClaim],
}

impl EstimateRun<'_> {
    /// Samples the missing trees.
    fn sample_trees(&self, record: &mut EstimateRecord) -> Result<bool> {
        let is_missing = |claim: &&RootClaim| record.lacks(&EstimateKey::Tree(claim.key));
        let missing: Vec<&RootClaim> = self.claims.iter().filter(is_missing).collect();
        record.run(missing, self.args.record.threads, || {
            |claim: &RootClaim| Ok(EstimateLine::Tree(self.sample_tree(claim)))
        })
    }

    fn sample_tree(&self, claim: &RootClaim) -> SampledTree {
        let (args, RootClaim { key, root, bound }) = (self.args, *claim);
        let mut chooser = MoveChooser::new(self.options);
        let mut rng = claim_rng(args.seed, key);
        let mut tree = ClaimTree {
            bound,
            leaf_empties: args.leaf_empties,
            front_empties: args.front_empties,
            chooser: &mut chooser,
        };
        let front = Front::enumerate(&mut tree, root);
        let walks: Vec<_> = (0..args.walks)
            .map(|_| front.walk(&mut tree, &mut rng))
            .collect();
        // Systematic sampling: equidistant points on the line of all weights.
        let total: f64 = walks.iter().map(|walk| walk.distinct).sum();
        let sequences: f64 = walks.iter().map(|walk| walk.sequences).sum();
        let step = total / f64::from(args.leaves);
        let (mut point, mut sum) = (step * rng.unit(), 0.0);
        let mut leaves: Vec<(AnyPosition, SampledLeaf)> = Vec::new();
        for walk in &walks {
            sum += walk.distinct;
            let mut times = 0;
            while point < sum {
                times += 1;
                point += step;
            }
            let Some(&leaf) = walk.path.last().filter(|_| times > 0) else {
                continue;
            };
            if let Some((_, drawn)) = leaves.iter_mut().find(|(position, _)| *position == leaf) {
                drawn.times += times;
                continue;
            }
            let margin = tree.score(leaf).0 - bound.score.0;
            let drawn = SampledLeaf {
                times,
                moves: write_path(&walk.path),
                margin: f64::from(margin) / 100.0,
            };
            leaves.push((leaf, drawn));
        }
        SampledTree {
            key,
            position: root.write_position(),
            front: front.len(),
            sequences: sequences / walks.len() as f64,
            distinct: total / walks.len() as f64,
            leaves: leaves.into_iter().map(|(_, drawn)| drawn).collect(),
            choices: chooser.searches,
            nodes: chooser.nodes,
            cpu: chooser.time.as_secs_f64(),
        }
    }

    /// The leaves of all sampled trees: the first of each tree, then the second, and so on.
    ///
    /// # Errors
    /// If the record lacks a tree or has an illegal move.
    fn leaves(&self, rows: &EstimateRows<'_>) -> Result<Vec<TreeLeaf<'_>>> {
        let mut leaves = Vec::new();
        for number in 0..self.args.leaves as usize {
            for claim in self.claims {
                let tree = rows
                    .trees
                    .get(&claim.key)
                    .context("a claim without a tree")?;
                let Some(leaf) = tree.leaves.get(number) else {
                    continue;
                };
                let name = || {
                    format!(
                        "{}: tree of line {}",
                        self.args.record.out.display(),
                        claim.key.n
                    )
                };
                leaves.push(TreeLeaf {
                    claim,
                    number,
                    stratum: stratum(leaf.margin),
                    path: read_path(claim.root, &leaf.moves).with_context(name)?,
                });
            }
        }
        Ok(leaves)
    }

    /// Searches the leaves that have not been searched, and of those that reached the largest
    /// smaller limit of their stratum the share that is drawn.
    fn search_leaves(&self, record: &mut EstimateRecord) -> Result<bool> {
        let limit = self.args.nodes;
        let rows = EstimateRows::of(record.results.values());
        let mut leaves = self.leaves(&rows)?;
        let last = |leaf: &TreeLeaf| {
            let searches = rows.searches.get(&(leaf.claim.key, leaf.number));
            searches.and_then(BTreeMap::last_key_value)
        };
        // Of each stratum, the leaves searched up to the largest limit represent the others.
        let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
        for leaf in &leaves {
            if let Some((&smaller, _)) = last(leaf).filter(|(smaller, _)| **smaller < limit) {
                let largest = reached.entry(leaf.stratum).or_default();
                *largest = smaller.max(*largest);
            }
        }
        leaves.retain(|leaf| {
            last(leaf).is_none_or(|(smaller, search)| {
                search.proof.is_censored()
                    && reached.get(&leaf.stratum) == Some(smaller)
                    && self.is_drawn(leaf)
            })
        });
        record.run(leaves, self.args.record.threads, || {
            let mut searcher = LeafSearcher::new(self.options);
            move |leaf: TreeLeaf| {
                Ok(EstimateLine::Leaf(SearchedLeaf {
                    key: leaf.claim.key,
                    leaf: leaf.number,
                    limit,
                    position: leaf.path[leaf.path.len() - 1].write_position(),
                    proof: searcher.prove(leaf.claim.bound, &leaf.path, limit),
                }))
            }
        })
    }

    /// Whether a leaf that reached a smaller limit belongs to the share to search again.
    fn is_drawn(&self, leaf: &TreeLeaf) -> bool {
        let Args {
            seed, nodes, share, ..
        } = *self.args;
        let mut state = nodes ^ leaf.number as u64;
        let stream = split_mix(&mut state) ^ claim_rng(seed, leaf.claim.key).next_u64();
        Rng::for_stream(seed, stream).unit() < share
    }

    /// Counts the trees of all claims that share the leaves not yet counted.
    fn count_shared(&self, all: &[RootClaim], record: &mut EstimateRecord) -> Result<bool> {
        let mut leaves = self.leaves(&EstimateRows::of(record.results.values()))?;
        leaves.retain(|leaf| record.lacks(&EstimateKey::Shared(leaf.claim.key, leaf.number)));
        record.run(leaves, self.args.record.threads, || {
            |leaf: TreeLeaf| {
                let mut chooser = MoveChooser::new(self.options);
                let roots = all.iter().map(|claim| (claim.root, claim.bound));
                let (bound, position) = (leaf.claim.bound, leaf.path[leaf.path.len() - 1]);
                let least = self.args.leaf_empties;
                Ok(EstimateLine::Shared(SharedLeaf {
                    key: leaf.claim.key,
                    leaf: leaf.number,
                    trees: count_trees(roots, bound, position, least, &mut chooser),
                }))
            }
        })
    }
}

/// The random numbers of a claim.
fn claim_rng(seed: u64, key: ClaimLine) -> Rng {
    let is_upper = matches!(key.claim, Claim::AtMost(_));
    Rng::for_stream(seed, 2 * key.n as u64 + u64::from(is_upper))
}

/// The moves of a path.
fn write_path(path: &[AnyPosition]) -> String {
    let words = path.windows(2).map(|pair| {
        let moves = pair[0].moves();
        let played = moves.iter().find(|&&m| after(pair[0], m) == pair[1]);
        played.map_or_else(String::new, |&m| pair[0].write_move(m))
    });
    words.collect()
}

/// The positions of a path.
///
/// # Errors
/// If a move is illegal.
fn read_path(root: AnyPosition, moves: &str) -> Result<Vec<AnyPosition>> {
    let mut path = vec![root];
    let mut rest = moves;
    while !rest.is_empty() {
        let position = path[path.len() - 1];
        let (m, behind) = position.parse_glued(rest)?;
        ensure!(
            position.moves().contains(&m),
            "illegal move {}",
            position.write_move(m)
        );
        path.push(after(position, m));
        rest = behind;
    }
    Ok(path)
}
