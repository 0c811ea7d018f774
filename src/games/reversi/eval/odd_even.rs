//! The odd-even correction of the learned evaluation: it makes the scores of odd and even depths
//! agree.
//!
//! A search maximizes over many noisy leaf values, which favors the side that moves last: scores of
//! odd depths are too high and those of even depths too low (odd-even effect). The correction is a
//! bias for the side to move at the leaf, by ply, measured by `nullwindow lab train odd-even`. In the
//! first plies, which no whole training game has, it is the mean error of the evaluation. It
//! applies only to the weights with the given checksum.

use std::str::FromStr;

use crate::search::fitted::{self, Fitted, FittedError, WEIGHTS};

use super::scale::UNIT;
use super::weights::PLIES;

/// The title of a file.
const TITLE: &str = "odd-even correction";

/// The largest correction, in discs.
const LARGEST: f64 = 16.0;

/// The corrections of an evaluation.
///
/// In a file ([`fitted`]), a row for each ply from 0: the ply and the correction in discs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OddEvenCorrection {
    /// The checksum of the weight file that it applies to.
    pub weights: u64,
    /// By ply: added to the value for the side to move, in 128ths of a disc.
    pub biases: [i16; PLIES],
}

impl FromStr for OddEvenCorrection {
    type Err = FittedError;

    fn from_str(text: &str) -> Result<OddEvenCorrection, FittedError> {
        let file = Fitted::read(text, TITLE)?;
        let mut plies = 0..PLIES;
        let biases = file.rows(&format!("PLY DISCS: {PLIES} plies from 0"), |words| {
            let (&[ply, discs], expected) = (words, plies.next()?) else {
                return None;
            };
            let discs: f64 = discs.parse().ok()?;
            // which a NaN is not
            let is_valid = ply.parse() == Ok(expected) && discs.abs() <= LARGEST;
            is_valid.then(|| (discs * f64::from(UNIT)).round() as i16)
        })?;
        let biases = biases
            .try_into()
            .map_err(|_| file.end_error(format!("expected {PLIES} rows")))?;
        Ok(OddEvenCorrection {
            weights: file.checksum(WEIGHTS)?,
            biases,
        })
    }
}

impl OddEvenCorrection {
    /// The text of the file made by a command.
    pub fn write(&self, made_by: &str) -> String {
        let row =
            |(ply, bias): (usize, &i16)| format!("{ply} {:.3}", f64::from(*bias) / f64::from(UNIT));
        let (title, rows) = (
            format!("{TITLE} of othello"),
            self.biases.iter().enumerate().map(row),
        );
        fitted::write(
            &title,
            made_by,
            &[(WEIGHTS, Some(self.weights))],
            "ply, correction in discs",
            rows,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_round_trip_and_bad_ones_are_refused() {
        let correction = OddEvenCorrection {
            weights: 0xab,
            biases: std::array::from_fn(|ply| 3 * ply as i16 - 20),
        };
        let text = correction.write("a test");
        assert_eq!(text.parse(), Ok(correction));
        let error = |text: &str| text.parse::<OddEvenCorrection>().unwrap_err();
        assert_eq!(error("").line, 1);
        assert!(
            error(&text.replace("00ab", "00xy"))
                .to_string()
                .contains("`weights` is not a checksum")
        );
        for (from, to) in [
            ("\n1 ", "\n2 "),
            ("\n1 -0.133", "\n1 nan"),
            ("\n1 -0.133", "\n1 17.0"),
            ("\n1 -0.133", "\n1"),
        ] {
            assert_eq!(error(&text.replacen(from, to, 1)).line, 6, "{to}");
        }
        assert_eq!(error(&(text.clone() + "61 0.5")).line, 5 + PLIES);
        let short = text.rsplit_once("60 ").unwrap().0;
        assert_eq!(
            error(short).to_string(),
            format!("line {}: expected {PLIES} rows", 3 + PLIES)
        );
    }
}
