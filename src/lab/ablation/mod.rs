//! `nullwindow lab ablation`: what each technique contributes to the production search. Searches the
//! same positions by the production search and by variants of it without one technique
//! ([`variant`]), and plays them against each other at equal nodes.
//!
//! Results: measurements.md in this folder.

pub(super) mod variant;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::arena::config::openings::builtin;
use crate::arena::elo::{Estimate, Pentanomial, Trinomial};
use crate::arena::report::text::format_estimate;
use crate::commands::compare::positions;
use crate::commands::{depth, mean, report_check, write_json};
use crate::engine::options::Options;
use crate::game::{Player, counted};
use crate::games::any::AnyGame;
use crate::logging::progress::{ProgressLine, print_line};
use crate::platform::cpu_time::NOTE;
use crate::search::Limits;
use crate::search::table::Table;
use crate::setup::{EVAL, GAME, Setup, positive, uses};
use variant::{BASELINE, SearchVariant, VariantResult, variants};

/// The nodes of a first search that is not counted.
const WARM_UP: u64 = 20_000;

const HEADING: &str =
    "                                            nodes   ratio    CPU s   ratio  windows  other";
const MATCH_HEADING: &str = "                                       wins losses  draws  Elo";
const LEGEND: &str = "\
Ratios: geometric means over the positions, relative to the first row. Windows: null windows of MTD(f) per iteration.
Other: positions whose value differs from that of the first row, although both searches are full width.
Without deepening the first guess is 0. The statistical cuts of Othello include late-move reductions.";

/// Arguments of `ablation`.
#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["Hash", "Selectivity"], EVAL]))]
#[command(after_help = "Games: othello and scorefour.\n\
    With --option Selectivity=100 all searches but one are full width, and their values must be equal.\n\
    Exit status 1: values differ that must be equal.\n\
    Example: nullwindow lab ablation --game scorefour --depth 10 --pairs 60")]
pub struct Args {
    /// Search depth in plies
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = depth())]
    depth: u8,

    /// Positions or games in any format (default: the built-in openings)
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,

    /// Search the first N positions
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<u16>)]
    count: u16,

    /// Also play matches of the variants against the production search: N pairs of games each, with
    /// swapped colors from the first N positions
    #[arg(long, value_name = "N", value_parser = positive::<u16>)]
    pairs: Option<u16>,

    /// Nodes per move of the matches
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        requires = "pairs",
        value_parser = positive::<u64>
    )]
    nodes: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The searches of a variant.
#[derive(Serialize)]
struct VariantRow {
    variant: &'static str,
    nodes: u64,
    /// The geometric mean of its nodes relative to those of the production search.
    nodes_ratio: f64,
    /// CPU time in seconds.
    cpu: f64,
    cpu_ratio: f64,
    /// Null windows per iteration of MTD(f).
    windows: Option<f64>,
    /// Positions in which both searches are full width and their values differ.
    other_values: usize,
    /// The match against the production search.
    #[serde(rename = "match")]
    played: Option<MatchRow>,
}

/// A match of a variant against the production search, from the variant's point of view.
#[derive(Serialize)]
struct MatchRow {
    #[serde(flatten)]
    games: Trinomial,
    /// `null` if the results allow no estimate.
    elo: Option<Estimate>,
    #[serde(flatten)]
    pairs: Pentanomial,
}

/// The measurement as JSON.
#[derive(Serialize)]
struct AblationReport<'a> {
    game: &'static str,
    depth: u8,
    positions: usize,
    /// Nodes per move in matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_per_move: Option<u64>,
    rows: &'a [VariantRow],
}

/// Runs the measurement. Exit status 1 if values differ that must be equal.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let options = setup.options()?;
    let start = setup.board(None)?;
    let boards = match &args.positions {
        Some(file) => positions::read(file, setup)?,
        None => positions::parse(
            builtin(start.name()).unwrap_or_default(),
            "the built-in openings",
            &start,
        )?,
    };
    let (count, pairs) = (
        usize::from(args.count).min(boards.len()),
        usize::from(args.pairs.unwrap_or(0)),
    );
    ensure!(
        pairs <= boards.len(),
        "--pairs {pairs}: there are only {} positions",
        boards.len()
    );
    let limits = Limits::to_depth(args.depth);
    let mut table = Table::new(options.hash as usize);
    // The first search of the process also loads the weights and the code; it is not counted.
    let mut warm_up = limits.clone();
    warm_up.stops.nodes = Some(WARM_UP);
    let first = BASELINE.search(boards[0].position(), &options, &warm_up, &mut table)?;
    let variants = variants(first.is_selective);

    if let Some(note) = NOTE {
        print_line(format!("note: {note}"));
    }
    let mut sink = io::sink();
    let text: &mut dyn Write = if args.json { &mut sink } else { &mut *out };
    writeln!(
        text,
        "{}, {}, depth {}\n{HEADING}",
        start.name(),
        counted(count, "position", "positions"),
        args.depth
    )?;
    text.flush()?; // the first row may take minutes
    let mut rows: Vec<VariantRow> = Vec::new();
    let mut baseline: Vec<VariantResult> = Vec::new();
    let bar = ProgressLine::bar((variants.len() * count) as u64, "searches");
    for variant in variants {
        let mut results = Vec::new();
        for board in &boards[..count] {
            table.clear();
            results.push(variant.search(board.position(), &options, &limits, &mut table)?);
            bar.inc();
        }
        if rows.is_empty() {
            baseline.clone_from(&results);
        }
        let row = VariantRow::new(variant, &results, &baseline);
        write_row(text, &row)?;
        rows.push(row);
    }
    drop(bar);
    writeln!(text, "{LEGEND}")?;
    if pairs > 0 {
        let players = variants.into_iter().zip(&mut rows).skip(1);
        let players = players.filter(|(variant, _)| variant.deepening).collect();
        play(args.nodes, &options, &boards[..pairs], players, text)?;
    }
    if args.json {
        let report = AblationReport {
            game: start.name(),
            depth: args.depth,
            positions: count,
            nodes_per_move: (pairs > 0).then_some(args.nodes),
            rows: &rows,
        };
        write_json(&report, out)?;
    }
    let agree = rows.iter().all(|row| row.other_values == 0);
    report_check(
        agree,
        "full-width searches of the same depth differ in value",
    )
}

/// Plays the matches of these variants and adds them to their rows.
fn play(
    nodes: u64,
    options: &Options,
    openings: &[AnyGame],
    players: Vec<(SearchVariant, &mut VariantRow)>,
    out: &mut dyn Write,
) -> Result<()> {
    writeln!(
        out,
        "\nMatches against the production search, {nodes} nodes per move\n{MATCH_HEADING}"
    )?;
    let limits = Limits::to_nodes(nodes);
    let mut tables = [options.hash as usize; 2].map(Table::new);
    let bar = ProgressLine::bar((players.len() * openings.len()) as u64, "pairs of games");
    for (variant, row) in players {
        let mut pairs = Pentanomial::default();
        for opening in openings {
            let mut points =
                |side| half_points(options, &limits, &mut tables, opening, variant, side);
            pairs.add(points(Player::First)?, points(Player::Second)?);
            bar.inc();
        }
        let games = Trinomial {
            wins: 2 * pairs.ww + pairs.wd + pairs.wl,
            losses: 2 * pairs.ll + pairs.ld + pairs.wl,
            draws: 2 * pairs.dd + pairs.ld + pairs.wd,
        };
        let elo = pairs.sample().elo();
        writeln!(
            out,
            "{:<36}{:>7}{:>7}{:>7}  {}",
            variant.name,
            games.wins,
            games.losses,
            games.draws,
            format_estimate(elo)
        )?;
        out.flush()?; // the next match may take minutes
        row.played = Some(MatchRow {
            games,
            elo: elo.ok(),
            pairs,
        });
    }
    Ok(())
}

/// Plays a game against the production search, in which the variant moves for `side`: its half
/// points. Each player keeps its table during the game.
fn half_points(
    options: &Options,
    limits: &Limits,
    tables: &mut [Table; 2],
    opening: &AnyGame,
    variant: SearchVariant,
    side: Player,
) -> Result<u8> {
    let mut game = opening.clone();
    tables.iter_mut().for_each(Table::clear);
    loop {
        let is_variant = game.to_move() == side;
        if let Some(score) = game.final_score() {
            let score = if is_variant { score } else { -score };
            return Ok((score.0.signum() + 1) as u8);
        }
        let m = match game.moves().as_slice() {
            &[only] => only,
            _ => {
                let player = if is_variant { variant } else { BASELINE };
                let table = &mut tables[usize::from(is_variant)];
                player.search(game.position(), options, limits, table)?.m
            }
        };
        game.play(m)?;
    }
}

impl VariantRow {
    fn new(
        variant: SearchVariant,
        results: &[VariantResult],
        baseline: &[VariantResult],
    ) -> VariantRow {
        let nodes = |result: &VariantResult| result.counters.nodes as f64;
        let cpu = |result: &VariantResult| result.cpu.as_secs_f64();
        let mean_ratio = |of: &dyn Fn(&VariantResult) -> f64| {
            mean(
                results
                    .iter()
                    .zip(baseline)
                    .map(|(one, base)| (of(one).max(1e-9) / of(base).max(1e-9)).ln()),
            )
            .exp()
        };
        let windows: u64 = results
            .iter()
            .map(|result| result.counters.null_windows)
            .sum();
        let iterations: usize = results.iter().map(|result| result.iterations).sum();
        let differs = |(one, base): &(&VariantResult, &VariantResult)| {
            one.is_full_width && base.is_full_width && one.score != base.score
        };
        VariantRow {
            variant: variant.name,
            nodes: results.iter().map(|result| result.counters.nodes).sum(),
            nodes_ratio: mean_ratio(&nodes),
            cpu: results.iter().map(cpu).sum(),
            cpu_ratio: mean_ratio(&cpu),
            windows: (!variant.nega_scout).then(|| windows as f64 / iterations.max(1) as f64),
            other_values: results.iter().zip(baseline).filter(differs).count(),
            played: None,
        }
    }
}

fn write_row(out: &mut dyn Write, row: &VariantRow) -> Result<()> {
    let VariantRow {
        variant,
        nodes,
        nodes_ratio,
        cpu,
        cpu_ratio,
        other_values,
        ..
    } = row;
    let windows = row
        .windows
        .map_or("-".into(), |windows| format!("{windows:.2}"));
    writeln!(
        out,
        "{variant:<36}{nodes:>13}{nodes_ratio:>8.3}{cpu:>9.2}{cpu_ratio:>8.3}{windows:>9}{other_values:>7}"
    )?;
    out.flush()?; // the next row may take minutes
    Ok(())
}
