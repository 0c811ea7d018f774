//! The accuracy table: its rows, its text form (`table.txt`), and the lookup of the row for a
//! score.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::LazyLock;

use crate::games::reversi::eval::OthelloEvaluator;
use crate::games::reversi::eval::othello::ODD_EVEN_TEXT;
use crate::games::reversi::eval::weights::checksum;
use crate::games::reversi::policy::cuts;
use crate::search::fitted::{self, Fitted, FittedError, MADE_BY, WEIGHTS};

/// The title of the file, and its heading of [`fits_id`].
const TITLE: &str = "accuracy table";
const FITS: &str = "fits";

/// The error bounds in discs for which a row has percentages.
pub const WITHIN: [u32; 4] = [1, 3, 5, 9];

/// The index in [`WITHIN`] of the bound that is printed.
pub const CLOSE: usize = 1;

/// The reference of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// The exact score of the position.
    Solved,
    /// The result of the game that the engine played on from the position, with a solved end.
    Played,
}

/// The errors of some scores in discs: a score less its reference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ErrorSummary {
    /// Number of positions.
    pub positions: u32,
    /// The mean error; positive: scores were too high for the side to move.
    pub bias: f64,
    /// The mean absolute error.
    pub mean: f64,
    /// The percentages of errors of at most [`WITHIN`] discs.
    pub within: [f64; WITHIN.len()],
}

impl ErrorSummary {
    /// Of these errors; `None` if there are none.
    pub fn of(errors: &[i32]) -> Option<ErrorSummary> {
        let count = errors.len() as f64;
        let sum = |of: &dyn Fn(&i32) -> f64| errors.iter().map(of).sum::<f64>();
        let share = |discs: u32| {
            100.0 * sum(&|error| f64::from(u8::from(error.unsigned_abs() <= discs))) / count
        };
        (!errors.is_empty()).then(|| ErrorSummary {
            positions: errors.len() as u32,
            bias: sum(&|&error| f64::from(error)) / count,
            mean: sum(&|error| f64::from(error.abs())) / count,
            within: WITHIN.map(share),
        })
    }
}

/// A row: searches of one depth and selectivity level in positions of a range of empties.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AccuracyRow {
    /// The least and the largest number of empties.
    pub empties: (u8, u8),
    /// The reference of the scores.
    pub reference: Reference,
    /// The depth in plies; `None`: to the end of the game.
    pub depth: Option<u8>,
    /// The selectivity level in percent; 100: full width.
    pub selectivity: u8,
    /// The errors.
    pub errors: ErrorSummary,
}

/// The table.
#[derive(Clone, PartialEq, Debug)]
pub struct AccuracyTable {
    /// The checksum of the weights it was measured with.
    pub weights: u64,
    /// The checksum of the fitted parameters of the search ([`fits_id`]).
    pub fits: u64,
    /// How it was made: version and arguments.
    pub made_by: String,
    /// The rows: empties rising, then depth, then level.
    pub rows: Vec<AccuracyRow>,
}

/// The committed table.
static MEASURED: LazyLock<Option<AccuracyTable>> =
    LazyLock::new(|| include_str!("table.txt").parse().ok()); // tested

/// The checksum of the fitted parameters besides the weights: the rows of the cuts, of their levels
/// and of the odd-even correction.
pub fn fits_id() -> u64 {
    let files =
        [cuts::EIGHT.model, cuts::EIGHT.levels, ODD_EVEN_TEXT].map(|text| Fitted::read(text, ""));
    let rows: Vec<&str> = files.iter().flatten().flat_map(Fitted::row_text).collect();
    checksum(rows.join("\n").as_bytes())
}

impl AccuracyTable {
    /// The committed table.
    pub fn measured() -> Option<&'static AccuracyTable> {
        MEASURED.as_ref()
    }

    /// The committed table, if it was measured with this evaluation.
    pub fn of(evaluator: &OthelloEvaluator) -> Option<&'static AccuracyTable> {
        let is_valid =
            |table: &&AccuracyTable| table.weights == evaluator.id() && table.fits == fits_id();
        AccuracyTable::measured().filter(is_valid)
    }

    /// The row for a score: among the rows with these empties that are no deeper and no less
    /// selective than the search, the deepest, then the least selective. `None`: not measured.
    pub fn row(&self, empties: u8, depth: u8, selectivity: u8) -> Option<&AccuracyRow> {
        let described = |row: &&AccuracyRow| {
            let (least, most) = row.empties;
            let reached = row
                .depth
                .map_or(depth >= empties, |measured| measured <= depth);
            (least..=most).contains(&empties) && reached && row.selectivity <= selectivity
        };
        self.rows
            .iter()
            .filter(described)
            .max_by_key(|row| (row.depth.unwrap_or(u8::MAX), row.selectivity))
    }
}

impl Display for AccuracyTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let title = format!("{TITLE} of othello: errors of scores in discs");
        let columns =
            "empties, reference, depth, selectivity, positions, bias, mean error, % within";
        let columns = format!("{columns} {WITHIN:?} discs");
        let checksums = [(WEIGHTS, Some(self.weights)), (FITS, Some(self.fits))];
        f.write_str(&fitted::write(
            &title,
            &self.made_by,
            &checksums,
            &columns,
            &self.rows,
        ))
    }
}

impl Display for AccuracyRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let AccuracyRow {
            empties: (least, most),
            reference,
            depth,
            selectivity,
            errors,
        } = self;
        let empties = format!("{least}-{most}");
        let reference = match reference {
            Reference::Solved => "solved",
            Reference::Played => "played",
        };
        let depth = depth.map_or("end".into(), |depth| depth.to_string());
        let ErrorSummary {
            positions,
            bias,
            mean,
            within,
        } = errors;
        write!(
            f,
            "{empties:>5} {reference} {depth:>3} {selectivity:>3} {positions:>5} {bias:>+6.2} {mean:>6.2}"
        )?;
        within
            .iter()
            .try_for_each(|share| write!(f, " {share:>5.1}"))
    }
}

impl FromStr for AccuracyTable {
    type Err = FittedError;

    fn from_str(text: &str) -> Result<AccuracyTable, FittedError> {
        let file = Fitted::read(text, TITLE)?;
        Ok(AccuracyTable {
            weights: file.checksum(WEIGHTS)?,
            fits: file.checksum(FITS)?,
            made_by: file.heading(MADE_BY)?.into(),
            rows: file.rows("a row of the accuracy table", read_row)?,
        })
    }
}

fn read_row(words: &[&str]) -> Option<AccuracyRow> {
    let [
        empties,
        reference,
        depth,
        selectivity,
        positions,
        bias,
        mean,
        within @ ..,
    ] = words
    else {
        return None;
    };
    let (least, most) = empties.split_once('-')?;
    let shares: Vec<f64> = within
        .iter()
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    Some(AccuracyRow {
        empties: (least.parse().ok()?, most.parse().ok()?),
        reference: match *reference {
            "solved" => Reference::Solved,
            "played" => Reference::Played,
            _ => return None,
        },
        depth: if *depth == "end" {
            None
        } else {
            Some(depth.parse().ok()?)
        },
        selectivity: selectivity.parse().ok()?,
        errors: ErrorSummary {
            positions: positions.parse().ok()?,
            bias: bias.parse().ok()?,
            mean: mean.parse().ok()?,
            within: shares.try_into().ok()?,
        },
    })
}
