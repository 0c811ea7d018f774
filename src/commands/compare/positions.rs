//! Searches many positions by every algorithm and prints totals, statistics of the trees, and a
//! summary of which algorithm visits the fewest nodes.
//!
//! The statistics are the branching factor, the share of cut nodes that their first move cuts (the
//! quality of the move ordering), the table hit rate, the change of the value between iterations
//! with the resulting null-window searches of MTD(f), and NegaScout compared with alpha-beta under
//! three orderings (document 001).

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use crate::commands::compare::move_ordering::{Duel, MoveOrdering, duel};
use crate::commands::{mean, open_records, write_json};
use crate::engine::options::Options;
use crate::game::counted;
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch::AnyEvaluator;
use crate::games::record::RecordReader;
use crate::logging::progress::print_line;
use crate::platform::files;
use crate::search::stats::Counters;
use crate::setup::Setup;

use super::tree_shape::TreeShape;
use super::{Args, CompareRow, all_agree, compare};

/// The totals of one algorithm.
#[derive(Debug, Default, Serialize)]
struct AlgorithmTotal {
    name: String,
    #[serde(flatten)]
    counters: Counters,
    /// Positions whose search reached the node limit.
    given_up: usize,
    /// Positions in which it visited the fewest nodes.
    fewest: usize,
    /// The geometric mean of its nodes divided by those of plain alpha-beta.
    ratio: Option<f64>,
    #[serde(skip)]
    logs: Vec<f64>,
    #[serde(skip)]
    shape: TreeShape,
    /// The values of the iterations, by position.
    #[serde(skip)]
    values: Vec<Vec<i32>>,
}

/// The statistics of the trees of a game.
#[derive(Debug, Default, Serialize)]
struct GameFindings {
    /// The mean branching factor.
    branching: f64,
    /// The share of cut nodes that the first move cuts: without and with table and deepening.
    first_move_cuts: [f64; 2],
    /// The table hit rate with deepening.
    table_hits: f64,
    /// The mean change of the value over one and over two plies of depth.
    swing: [Option<f64>; 2],
    /// Null-window searches of MTD(f) per iteration.
    windows_per_iteration: f64,
    /// Leaves of NegaScout divided by those of fail-soft alpha-beta, without a table: good,
    /// natural, random ordering; `None` if every search reached the node limit.
    orderings: [Option<f64>; 3],
}

/// The JSON report.
#[derive(Serialize)]
struct PositionsReport<'a> {
    game: &'static str,
    depth: u8,
    positions: usize,
    rows: &'a [AlgorithmTotal],
    findings: &'a GameFindings,
    summary: &'a [String],
}

/// Runs the comparison on the positions of a file. Returns whether all values agree that must be
/// equal.
pub(super) fn run(
    file: &Path,
    args: &Args,
    setup: &Setup,
    options: &Options,
    out: &mut dyn Write,
) -> Result<bool> {
    let boards = read(file, setup)?;
    let (totals, agree) = search_all(&boards, args, options);
    let findings = findings(&boards, &totals, args)?;
    let summary = summary(&totals, &findings);
    let (game, depth, positions) = (boards[0].name(), args.depth, boards.len());
    if args.json {
        let rows = &totals;
        write_json(
            &PositionsReport {
                game,
                depth,
                positions,
                rows,
                findings: &findings,
                summary: &summary,
            },
            out,
        )?;
    } else {
        let positions = counted(positions, "position", "positions");
        writeln!(out, "{game}, {positions}, depth {depth}")?;
        write_totals(out, &totals)?;
        write_findings(out, &findings)?;
        summary
            .iter()
            .try_for_each(|sentence| writeln!(out, "{sentence}"))?;
    }
    Ok(agree)
}

/// The unfinished positions of a file.
pub fn read(file: &Path, setup: &Setup) -> Result<Vec<AnyGame>> {
    let reader = open_records(file, &setup.board(None)?)?;
    unfinished(reader, &files::display_name(file))
}

/// The unfinished positions of a text that is called `name`.
pub fn parse(text: &str, name: &str, start: &AnyGame) -> Result<Vec<AnyGame>> {
    unfinished(RecordReader::new(text.as_bytes(), name, start), name)
}

fn unfinished(reader: RecordReader<impl BufRead>, name: &str) -> Result<Vec<AnyGame>> {
    let mut boards = Vec::new();
    for record in reader {
        let record = record.with_context(|| format!("cannot read {name}"))?;
        boards.push(record.entry?.game);
    }
    let all = boards.len();
    boards.retain(|board| board.final_score().is_none());
    ensure!(!boards.is_empty(), "{name}: no unfinished position");
    if boards.len() < all {
        let finished = counted(
            all - boards.len(),
            "finished position",
            "finished positions",
        );
        print_line(format!("note: {name}: {finished} left out"));
    }
    Ok(boards)
}

/// The totals of every algorithm, and whether their values agree.
fn search_all(boards: &[AnyGame], args: &Args, options: &Options) -> (Vec<AlgorithmTotal>, bool) {
    let mut totals: Vec<AlgorithmTotal> = Vec::new();
    let mut agree = true;
    for board in boards {
        let rows: Vec<CompareRow> = compare(board, args, options).collect();
        agree &= all_agree(&rows);
        totals.resize_with(rows.len(), AlgorithmTotal::default);
        let finished = rows
            .iter()
            .zip(&mut totals)
            .filter(|(row, _)| row.value.is_some());
        if let Some((_, fewest)) = finished.min_by_key(|(row, _)| row.counters.nodes) {
            fewest.fewest += 1;
        }
        totals
            .iter_mut()
            .zip(rows)
            .for_each(|(total, row)| total.add(row));
    }
    for total in &mut totals {
        total.ratio = (!total.logs.is_empty()).then(|| mean(total.logs.iter().copied()).exp());
    }
    (totals, agree)
}

impl AlgorithmTotal {
    fn add(&mut self, row: CompareRow) {
        self.name = row.name();
        self.counters += row.counters;
        self.given_up += usize::from(row.value.is_none());
        self.logs.extend(row.ratio.map(f64::ln));
        self.shape += row.shape;
        self.values.push(row.values);
    }
}

fn findings(boards: &[AnyGame], totals: &[AlgorithmTotal], args: &Args) -> Result<GameFindings> {
    let of = |name: &str| {
        totals
            .iter()
            .find(|total| total.name == name)
            .with_context(|| format!("no totals of {name}"))
    };
    let plain = of("failsoft")?;
    let ordered = of("failsoft +table +deepening")?;
    let mtdf = of("mtdf +table +deepening")?;
    let iterations: usize = mtdf.values.iter().map(Vec::len).sum();
    let swing = |plies: usize| {
        let pairs = ordered
            .values
            .iter()
            .flat_map(|values| values.iter().zip(values.iter().skip(plies)));
        let differences: Vec<f64> = pairs.map(|(a, b)| f64::from((a - b).abs())).collect();
        (!differences.is_empty()).then(|| mean(differences))
    };
    let positions: Vec<AnyPosition> = boards.iter().map(|board| board.position()).collect();
    let orderings = MoveOrdering::ALL
        .map(|order| duel::<_, AnyEvaluator>(&positions, args.depth, order, args.limit));
    ensure!(
        orderings.iter().all(|duel| duel.unequal == 0),
        "NegaScout and alpha-beta return different values"
    );
    Ok(GameFindings {
        branching: plain.shape.branching(),
        first_move_cuts: [
            plain.shape.first_move_share(),
            ordered.shape.first_move_share(),
        ],
        table_hits: ordered.counters.table_hits as f64 / ordered.counters.nodes.max(1) as f64,
        swing: [swing(1), swing(2)],
        windows_per_iteration: mtdf.counters.null_windows as f64 / iterations.max(1) as f64,
        orderings: orderings.each_ref().map(Duel::ratio),
    })
}

const HEADING: &str = "                                    nodes       leaves   null-win re-search    tt hits   ratio  \
                       fewest    limit";

/// The definition of the ratios, in the table and in the summary.
const LEGEND: &str = "Ratios: geometric means over the positions, relative to plain alphabeta.";

fn write_totals(out: &mut dyn Write, totals: &[AlgorithmTotal]) -> Result<()> {
    writeln!(out, "{HEADING}")?;
    for AlgorithmTotal {
        name,
        counters,
        given_up,
        fewest,
        ratio,
        ..
    } in totals
    {
        let Counters {
            nodes,
            leaves,
            null_windows,
            re_searches,
            table_hits,
        } = counters;
        let ratio = ratio.map_or("-".into(), |ratio| format!("{ratio:.3}"));
        write!(
            out,
            "{name:<28}{nodes:>13}{leaves:>13}{null_windows:>11}{re_searches:>10}{table_hits:>11}"
        )?;
        writeln!(out, "{ratio:>8}{fewest:>8}{given_up:>9}")?;
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn write_findings(out: &mut dyn Write, findings: &GameFindings) -> Result<()> {
    let [natural, ordered] = findings.first_move_cuts.map(percent);
    let [next, after] = findings
        .swing
        .map(|swing| swing.map_or("-".into(), |swing| format!("{swing:.0}")));
    let [good, as_generated, random] = findings
        .orderings
        .map(|ratio| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")));
    writeln!(
        out,
        "{LEGEND}

branching factor                      {:.1}
cut nodes cut by the first move       {natural}; with table and deepening {ordered}
table hit rate                        {}
value change per ply of depth         {next}; per two plies {after}
mtdf null windows per iteration       {:.1}
leaves of negascout / failsoft        good ordering {good}, natural {as_generated}, random {random}
",
        findings.branching,
        percent(findings.table_hits),
        findings.windows_per_iteration,
    )?;
    Ok(())
}

/// The summary: the best algorithm, and why.
fn summary(totals: &[AlgorithmTotal], findings: &GameFindings) -> Vec<String> {
    let finished = totals
        .iter()
        .filter(|total| total.given_up == 0 && total.name != "auto +table +deepening");
    // If plain alpha-beta finished in no position, no algorithm has a ratio.
    let nodes = |total: &AlgorithmTotal| total.ratio.unwrap_or(total.counters.nodes as f64);
    let mut sentences = Vec::new();
    if let Some(best) = finished.min_by(|one, other| nodes(one).total_cmp(&nodes(other))) {
        let ratio = best.ratio.map_or(String::new(), |ratio| {
            format!(", {} of plain alpha-beta", percent(ratio))
        });
        sentences.push(format!("{} visits the fewest nodes{ratio}.", best.name));
    }
    sentences.extend(totals.last().and_then(|auto| auto.ratio).map(|ratio| {
        format!(
            "The production search visits {} of the nodes of plain alpha-beta, including kernel nodes.",
            percent(ratio)
        )
    }));
    let [natural, ordered] = findings.first_move_cuts;
    let ordering = match ordered {
        0.9.. => "good",
        0.75.. => "fair",
        _ => "poor",
    };
    sentences.push(format!(
        "Move ordering is {ordering}: with {:.1} moves per node, the first move cuts {} of the cut nodes, {} without \
         table and deepening.",
        findings.branching,
        percent(ordered),
        percent(natural),
    ));
    let hits = findings.table_hits;
    let table = match hits {
        0.1.. => "The table saves many nodes: transpositions are frequent",
        0.02.. => "The table helps mostly by move ordering",
        _ => "The table helps by move ordering only: transpositions are rare",
    };
    sentences.push(format!("{table} (hit rate {}).", percent(hits)));
    if let [Some(next), after] = findings.swing {
        let windows = findings.windows_per_iteration;
        let cost = match windows {
            ..=4.0 => "few",
            ..=8.0 => "some",
            _ => "many",
        };
        let after = after.map_or(String::new(), |after| {
            format!(" and by {after:.0} per two plies")
        });
        sentences.push(format!(
            "MTD(f) takes {cost} null-window searches, {windows:.1} per iteration: the value changes by {next:.0} per \
             ply of depth{after}."
        ));
    }
    if let [Some(good), Some(natural), Some(random)] = findings.orderings {
        sentences.push(rule_of_001([good, natural, random]));
    }
    sentences
}

/// Compares the ratios of the three orderings with the claim of document 001.
fn rule_of_001(ratios: [f64; 3]) -> String {
    let [good, _, random] = ratios;
    let verdict = match (good < 0.98, random > 1.02) {
        (true, true) => "holds",
        (true, false) | (false, true) => "holds in part",
        (false, false) if good > 1.02 && random < 0.98 => "is reversed",
        (false, false) => "does not hold",
    };
    let effect = |ratio: f64| match ratio {
        ..0.98 => "gains",
        1.02.. => "loses",
        _ => "is equal",
    };
    let [good, natural, random] = ratios.map(|ratio| format!("{} ({ratio:.2})", effect(ratio)));
    format!(
        "The claim of document 001 (NegaScout saves about 10 % with good ordering and loses with random ordering) \
         {verdict}: it {good} with good, {natural} with natural and {random} with random ordering."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn totals_are_the_sums_of_single_comparisons() {
        let options = Options {
            hash: 1,
            ..Options::default()
        };
        let args = Args {
            position: None,
            positions: Some("FILE".into()),
            depth: 3,
            limit: 1_000_000,
            json: false,
        };
        let mut other = by_name("othello6").unwrap();
        other.play(other.moves()[0]).unwrap();
        let boards = vec![by_name("othello6").unwrap(), other];
        let (totals, agree) = search_all(&boards, &args, &options);
        assert!(agree && totals.iter().map(|total| total.fewest).sum::<usize>() == 2);
        for (number, total) in totals.iter().enumerate() {
            let rows = boards
                .iter()
                .filter_map(|board| compare(board, &args, &options).nth(number));
            assert_eq!(
                total.counters.nodes,
                rows.map(|row| row.counters.nodes).sum::<u64>(),
                "{}",
                total.name
            );
        }
        let findings = findings(&boards, &totals, &args).unwrap();
        assert!(
            findings.branching > 2.0
                && findings
                    .first_move_cuts
                    .iter()
                    .all(|share| (0.0..=1.0).contains(share))
        );
        assert!(findings.windows_per_iteration >= 2.0 && findings.swing[0].is_some());
        assert!(
            summary(&totals, &findings)
                .iter()
                .all(|sentence| sentence.ends_with('.'))
        );
    }

    #[test]
    fn the_summary_names_the_least_ratio() {
        let total = |name: &str, nodes, ratio| AlgorithmTotal {
            name: name.into(),
            counters: Counters {
                nodes,
                ..Counters::default()
            },
            ratio,
            ..AlgorithmTotal::default()
        };
        let best = |totals: &[AlgorithmTotal]| summary(totals, &GameFindings::default()).remove(0);
        // Each saves nodes in one of two positions, the second one in the larger.
        let totals = [
            total("alphabeta", 1100, Some(1.0)),
            total("failsoft +table", 1095, Some(0.97)),
            total("mtdf", 1000, Some(1.04)),
        ];
        let expected = "failsoft +table visits the fewest nodes, 97 % of plain alpha-beta.";
        assert_eq!(best(&totals), expected);
        let totals = totals.map(|total| AlgorithmTotal {
            ratio: None,
            ..total
        });
        assert_eq!(best(&totals), "mtdf visits the fewest nodes.");
    }

    #[test]
    fn the_rule_of_document_001_is_judged_by_both_of_its_halves() {
        for (ratios, expected) in [
            ([0.9, 1.0, 1.1], "ordering) holds: it gains (0.90)"),
            ([0.9, 0.8, 0.6], "holds in part: it gains (0.90)"),
            ([1.0, 1.0, 1.3], "holds in part: it is equal (1.00)"),
            ([1.3, 1.0, 0.7], "is reversed: it loses (1.30)"),
            ([1.0, 0.8, 0.7], "does not hold: it is equal"),
        ] {
            assert!(rule_of_001(ratios).contains(expected), "{ratios:?}");
        }
    }
}
