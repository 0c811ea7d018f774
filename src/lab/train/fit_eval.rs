//! `nullwindow lab train eval`: fits the weights of an evaluation to self-play games and writes the
//! weight file. Score Four is in [`super::fit_score_four`].
//!
//! After each epoch it prints the error of the quantized weights on the held-out games, by phase.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::commands::check_replaced;
use crate::game::Game;
use crate::games::reversi::Othello;
use crate::games::reversi::eval::weights::{OthelloWeights, PLIES};
use crate::games::reversi::eval::{OthelloEvaluator, ply};
use crate::games::score_four::ScoreFour;
use crate::html::plot::{Axis, Curve, svg};
use crate::platform::files;
use crate::search::core::isa::{IsaChoice, with_isa};
use crate::setup::{GAME, Setup, not_negative, positive, uses};
use crate::storage::whole_file::replace_file;

use super::fit_network::NetworkFitSettings;
use super::judge::eval_errors;
use super::training_set::{TrainingSample, othello_samples, read_problems, sizes};
use super::{fit_network, fit_score_four, only_for};

/// Plies per phase in the printed table.
const PHASE_PLIES: usize = 6;
/// Phases in the printed table.
const PHASES: usize = PLIES.div_ceil(PHASE_PLIES);

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, &["Kernel", "Debug Log File"]]))]
pub struct Args {
    /// Self-play files to train on
    #[arg(required = true, value_name = "FILE")]
    records: Vec<PathBuf>,

    /// Weight file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Lambda of the TD(lambda) targets, 0 to 1; 1 uses the game result only
    #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
    lambda: f32,

    /// Number of epochs or Newton steps [default: Othello 6, Score Four 8]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    epochs: Option<usize>,

    /// Score Four: L2 regularization [default: 50]
    #[arg(long, value_name = "COST", value_parser = not_negative)]
    ridge: Option<f32>,

    /// Othello: start from these weights; use new games and a lower --rate such as 0.003
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,

    /// Othello: initial learning rate [default: 0.008]
    #[arg(long, value_name = "STEP", value_parser = not_negative)]
    rate: Option<f32>,

    /// Othello: random seed of initialization and sample order [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Othello: give no weights to patterns that occur less often [default: 1, with --start 0]
    #[arg(long, value_name = "N")]
    min_occurrences: Option<u32>,

    /// Also print the error on the solved positions in FILE (Othello)
    #[arg(long, value_name = "FILE")]
    check: Vec<PathBuf>,

    /// Write a plot of the errors by epoch as SVG (Othello)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Loads the games, fits the model, prints its errors and writes the weight file.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    ensure!(
        (0.0..=1.0).contains(&args.lambda),
        "--lambda {}: expected 0 to 1",
        args.lambda
    );
    let inputs = || args.records.iter().chain(&args.check).chain(&args.start);
    check_replaced("--out", &args.out, inputs())?;
    if let Some(plot) = &args.plot {
        check_replaced("--plot", plot, inputs().chain([&args.out]))?;
    }
    let options = setup.options()?;
    only_for(
        Othello::NAME,
        options.game,
        &[
            ("--check", !args.check.is_empty()),
            ("--plot", args.plot.is_some()),
            ("--start", args.start.is_some()),
            ("--rate", args.rate.is_some()),
            ("--seed", args.seed.is_some()),
            ("--min-occurrences", args.min_occurrences.is_some()),
        ],
    )?;
    only_for(
        ScoreFour::NAME,
        options.game,
        &[("--ridge", args.ridge.is_some())],
    )?;
    let bytes = match options.game {
        Othello::NAME => fit_othello(args, options.settings.isa, out)?,
        ScoreFour::NAME => {
            let (ridge, steps) = (args.ridge.unwrap_or(50.0), args.epochs.unwrap_or(8));
            fit_score_four::fit(&args.records, args.lambda, ridge.into(), steps, out)?.into_bytes()
        }
        other => bail!(
            "{other} has no trainable evaluation: expected {} or {}",
            Othello::NAME,
            ScoreFour::NAME
        ),
    };
    replace_file(&args.out, [&bytes])?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(true)
}

/// Fits the network of Othello; returns the weight file.
fn fit_othello(args: &Args, kernel: IsaChoice, out: &mut dyn Write) -> Result<Vec<u8>> {
    // Fails before the fit, not after it.
    let checks = args.check.iter().map(|path| read_problems(path));
    let checks = checks.collect::<Result<Vec<_>>>()?;
    let start = args.start.as_deref().map(start_weights).transpose()?;
    let started = Instant::now();
    let [train, held_out] = othello_samples(&args.records, args.lambda)?;
    let sizes = sizes(train.len(), held_out.len());
    ensure!(
        args.plot.is_none() || !held_out.is_empty(),
        "--plot: no game is held out to measure errors: give more games"
    );
    writeln!(out, "{sizes}; loaded in {:.0?}", started.elapsed())?;
    let plies = (0..PHASES).map(|phase| format!("{:>6}", format!("{}-", phase * PHASE_PLIES)));
    writeln!(
        out,
        "mean absolute error in discs\nepoch {}    all",
        plies.collect::<String>()
    )?;
    out.flush()?;

    let mut history = Vec::new();
    let mut report_epoch = |number: usize, weights: &OthelloWeights| -> Result<()> {
        let errors = phase_errors(&OthelloEvaluator::from(weights), &held_out);
        let cells =
            errors.map(|error| error.map_or("     -".into(), |error| format!("{error:6.2}")));
        writeln!(
            out,
            "{number:5} {} {}",
            cells[..PHASES].concat(),
            cells[PHASES]
        )?;
        history.push(errors);
        Ok(out.flush()?)
    };
    let settings = NetworkFitSettings {
        rate: args.rate.unwrap_or(0.008),
        epochs: args.epochs.unwrap_or(6),
        seed: args.seed.unwrap_or(1),
        min_occurrences: args.min_occurrences.unwrap_or(start.is_none().into()),
        start,
    };
    let started = Instant::now();
    let weights =
        with_isa!(kernel, isa => fit_network::fit(isa, train, &settings, &mut report_epoch))?;
    writeln!(out, "fitted in {:.0?}", started.elapsed())?;
    let evaluation = OthelloEvaluator::from(&weights);
    for (path, problems) in args.check.iter().zip(&checks) {
        let errors = eval_errors(&evaluation, problems);
        writeln!(out, "{}: {errors}", path.display())?;
    }
    if let Some(path) = &args.plot {
        replace_file(path, [plot_errors(&history)])?;
    }
    Ok(weights.write())
}

/// The weights of `--start`.
fn start_weights(path: &Path) -> Result<OthelloWeights> {
    let name = || format!("--start {}", path.display());
    let bytes = files::read_regular(path, files::WEIGHTS_LIMIT).with_context(name)?;
    OthelloWeights::read(&bytes).with_context(name)
}

/// The errors by epoch as curves: one for all positions, and one for each phase that has any.
fn plot_errors(history: &[PhaseErrors]) -> String {
    let curve = |phase: usize| Curve {
        name: if phase == PHASES {
            "all".into()
        } else {
            format!("from ply {}", phase * PHASE_PLIES)
        },
        points: (1..)
            .zip(history)
            .filter_map(|(epoch, errors)| Some((f64::from(epoch), errors[phase]?)))
            .collect(),
        dashed: phase < PHASES,
    };
    let axis = |name| Axis {
        name,
        logarithmic: false,
    };
    let curves: Vec<Curve> = (0..=PHASES)
        .rev()
        .map(curve)
        .filter(|curve| !curve.points.is_empty())
        .collect();
    svg(
        "Mean absolute error on held-out games",
        axis("epoch"),
        axis("discs"),
        &curves,
    )
}

/// The mean absolute error of each phase, and of all positions; `None` without positions.
type PhaseErrors = [Option<f64>; PHASES + 1];

fn phase_errors(evaluation: &OthelloEvaluator, samples: &[TrainingSample]) -> PhaseErrors {
    let (mut sums, mut counts) = ([0.0; PHASES + 1], [0u32; PHASES + 1]);
    for sample in samples {
        let position = sample.position();
        let error = (evaluation.discs(&position) - f64::from(sample.target)).abs();
        for phase in [ply(&position) / PHASE_PLIES, PHASES] {
            sums[phase] += error;
            counts[phase] += 1;
        }
    }
    std::array::from_fn(|phase| (counts[phase] > 0).then(|| sums[phase] / f64::from(counts[phase])))
}
