//! `nullwindow train eval`: fits the weights of the evaluation to records of self-play and writes the weight file. What stands
//! here is Othello's; Score Four's is in [`super::score_four`].
//!
//! After each epoch the error on the held-out games is printed by phase, of the weights as the file would hold them.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::engine::setup::Setup;
use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::Learnt;
use crate::games::reversi::eval::weights::{PLIES, Weights};
use crate::games::score_four::ScoreFour;
use crate::search::isa::Isa;
use crate::search::isa::with_isa;
use crate::train::plot::{Axis, Curve, svg};

use super::data::{Data, Sample, read_problems};
use super::judge::Errors;
use super::score_four::fit;
use super::{linear, network};

/// Plies of a phase in the printed table.
pub const PHASE: usize = 6;
/// Phases in the printed table.
pub const PHASES: usize = PLIES.div_ceil(PHASE);

/// Which evaluation to fit.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A sum of one number per pattern, by conjugate gradients
    Linear,
    /// The pattern-sum network, by Adagrad
    Network,
}

/// Arguments of `train eval`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Records of self-play
    #[arg(required = true, value_name = "FILE")]
    records: Vec<PathBuf>,

    /// The weight file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Which evaluation of Othello to fit [default: network]
    #[arg(long, value_enum)]
    model: Option<Kind>,

    /// How much the next search counts against the present one in a position's target; 1: the result alone
    #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
    lambda: f32,

    /// Walks over all samples [default: 30 for the linear sum, 6 for the network]; Newton's steps for Score Four [default: 8]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// Linear: the plies at which patterns have weights of their own
    #[arg(long, value_name = "PLY,..", value_delimiter = ',', default_values_t = [8u8, 16, 24, 32, 40, 46, 52, 58])]
    anchors: Vec<u8>,

    /// Linear, Score Four: what a squared weight costs
    #[arg(long, value_name = "COST", default_value_t = 50.0)]
    ridge: f32,

    /// Linear: threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Network: the first steps of a row
    #[arg(long, value_name = "STEP", default_value_t = 0.008)]
    rate: f32,

    /// Network: the seed of start and order
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Positions with exact scores (OBF) to be judged by at the end; nothing is learnt from them
    #[arg(long, value_name = "FILE")]
    check: Vec<PathBuf>,

    /// Plot the errors by epoch as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Reads, fits, judges, writes.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<ExitCode> {
    ensure!((0.0..=1.0).contains(&args.lambda), "--lambda {}: expected 0 to 1", args.lambda);
    let options = setup.options()?;
    match options.game {
        Othello::NAME => {}
        ScoreFour::NAME => {
            ensure!(
                args.model.is_none() && args.check.is_empty() && args.plot.is_none(),
                "--model, --check, --plot: for {} only",
                Othello::NAME
            );
            let settings = fit::Settings { lambda: args.lambda, ridge: args.ridge, epochs: args.epochs.unwrap_or(8) };
            fit::run(&args.records, &args.out, &settings, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        other => bail!("{other}: only {} and {} have an evaluation to learn", Othello::NAME, ScoreFour::NAME),
    }
    let rising = args.anchors.windows(2).all(|pair| pair[0] < pair[1]);
    let fits = args.anchors.last().is_some_and(|&last| usize::from(last) < PLIES);
    ensure!(rising && fits, "--anchors: expected rising plies up to {}", PLIES - 1);
    for path in &args.check {
        read_problems(path)?; // an error now, and not after an hour
    }
    let kernel = options.kernel;
    let started = Instant::now();
    let data = Data::load(&args.records, args.lambda)?;
    let (train, held) = (data.train.len(), data.held.len());
    writeln!(out, "{train} positions to learn from, {held} held out; {:.0?}", started.elapsed())?;
    let plies = (0..PHASES).map(|phase| format!("{:>6}", format!("{}-", phase * PHASE)));
    writeln!(out, "mean absolute error in discs\nepoch {}    all", plies.collect::<String>())?;
    out.flush()?;

    let mut history = Vec::new();
    let started = Instant::now();
    let weights = with_isa!(kernel, isa => Fit { args, data, out: &mut *out, history: &mut history }.run(isa))?;
    writeln!(out, "fitted in {:.0?}", started.elapsed())?;
    let evaluation = Learnt::from(weights.clone());
    for path in &args.check {
        let Errors { count, mean, root } = Errors::on(&evaluation, path)?;
        let name = path.display();
        writeln!(out, "{name}: {count} positions, mean error {mean:.2}, root of mean square {root:.2}")?;
    }
    if let Some(path) = &args.plot {
        std::fs::write(path, drawn(&history)).with_context(|| path.display().to_string())?;
    }
    let bytes = weights.write();
    std::fs::write(&args.out, &bytes).with_context(|| args.out.display().to_string())?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(ExitCode::SUCCESS)
}

/// The errors by epoch as curves: one for all positions, and one for each phase of the game that has any.
fn drawn(history: &[Row]) -> String {
    let curve = |phase: usize| Curve {
        name: if phase == PHASES { "all".into() } else { format!("plies from {} on", phase * PHASE) },
        points: (1..).zip(history).map(|(epoch, row)| (f64::from(epoch), row[phase])).collect(),
        dashed: phase < PHASES,
    };
    let axis = |name| Axis { name, logarithmic: false };
    let met = |phase: &usize| *phase == PHASES || history.iter().any(|row| row[*phase] != 0.0);
    let curves: Vec<Curve> = (0..=PHASES).rev().filter(met).map(curve).collect();
    svg("Mean absolute error on games held out", axis("epoch"), axis("discs"), &curves)
}

/// The fit, to be told its instruction set.
struct Fit<'a, 'o> {
    args: &'a Args,
    data: Data,
    out: &'a mut (dyn Write + 'o),
    history: &'a mut Vec<Row>,
}

/// The mean error of each phase, and of all.
pub type Row = [f64; PHASES + 1];

impl Fit<'_, '_> {
    /// Fits on this instruction set.
    fn run<I: Isa>(self, isa: I) -> Result<Weights> {
        let Fit { args, data, out, history } = self;
        let Data { train, held } = data;
        let mut epoch = |number: usize, weights: &Weights| -> Result<()> {
            let row = by_phase(&Learnt::from(weights.clone()), &held);
            let cells = row.map(|error| format!("{error:6.2}"));
            writeln!(out, "{number:5} {} {}", cells[..PHASES].concat(), cells[PHASES])?;
            history.push(row);
            Ok(out.flush()?)
        };
        match args.model.unwrap_or(Kind::Network) {
            Kind::Linear => {
                let settings = linear::Settings {
                    anchors: args.anchors.clone(),
                    ridge: args.ridge,
                    epochs: args.epochs.unwrap_or(30),
                    threads: args.threads.into(),
                };
                linear::fit(isa, train, &settings, &mut epoch)
            }
            Kind::Network => {
                let settings = network::Settings { rate: args.rate, epochs: args.epochs.unwrap_or(6), seed: args.seed };
                network::fit(isa, train, &settings, &mut epoch)
            }
        }
    }
}

fn by_phase(evaluation: &Learnt, samples: &[Sample]) -> Row {
    let (mut sums, mut counts) = ([0.0; PHASES + 1], [0u32; PHASES + 1]);
    for sample in samples {
        let error = (evaluation.discs(&sample.position()) - f64::from(sample.target)).abs();
        for phase in [usize::from(sample.ply) / PHASE, PHASES] {
            sums[phase] += error;
            counts[phase] += 1;
        }
    }
    std::array::from_fn(|phase| sums[phase] / f64::from(counts[phase].max(1)))
}
