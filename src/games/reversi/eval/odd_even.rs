//! The odd-even correction of the learned evaluation: it makes the scores of odd and even depths agree.
//!
//! A search maximizes over many noisy leaf values, which favors the side that moves last: scores of odd depths are too
//! high and those of even depths too low (odd-even effect). The correction is a bias for the side to move at the leaf,
//! by ply, measured by `nullwindow train odd-even`. It applies only to the weights with the given checksum.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::scale::UNIT;
use super::weights::PLIES;

/// The largest correction, in discs.
const LARGEST: f64 = 8.0;

/// The corrections of an evaluation.
///
/// Text format: a line `weights CHECKSUM`, then for each ply from 0 a line with the ply and the correction in discs.
/// Empty lines and lines that begin with `#` are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OddEvenCorrection {
    /// The checksum of the weight file that it applies to.
    pub weights: u64,
    /// By ply: added to the value for the side to move, in 128ths of a disc.
    pub biases: [i16; PLIES],
}

/// An error in the text of a correction.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OddEvenError {
    /// The first line is invalid.
    #[error("invalid first line \"{}\", expected weights CHECKSUM", crate::game::quoted(.0))]
    Weights(String),
    /// A line is not the expected row.
    #[error("invalid row \"{}\", expected {ply} and the correction in discs", crate::game::quoted(.text))]
    Row {
        /// The line.
        text: String,
        /// The expected ply.
        ply: usize,
    },
    /// Wrong number of rows.
    #[error("found {0} rows, expected {PLIES}")]
    Count(usize),
}

impl FromStr for OddEvenCorrection {
    type Err = OddEvenError;

    fn from_str(text: &str) -> Result<OddEvenCorrection, OddEvenError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.next().unwrap_or_default();
        let weights = first.strip_prefix("weights ").and_then(|word| u64::from_str_radix(word, 16).ok());
        let weights = weights.ok_or_else(|| OddEvenError::Weights(first.into()))?;
        let rows: Vec<&str> = lines.collect();
        let mut biases = [0; PLIES];
        for (ply, (bias, text)) in biases.iter_mut().zip(&rows).enumerate() {
            let words = text.split_once(' ').filter(|(number, _)| number.parse() == Ok(ply));
            let discs = words.and_then(|(_, discs)| discs.trim().parse().ok());
            let discs = discs.filter(|discs: &f64| discs.abs() <= LARGEST); // which a NaN is not
            let discs = discs.ok_or_else(|| OddEvenError::Row { text: (*text).into(), ply })?;
            *bias = (discs * f64::from(UNIT)).round() as i16;
        }
        if rows.len() == PLIES {
            Ok(OddEvenCorrection { weights, biases })
        } else {
            Err(OddEvenError::Count(rows.len()))
        }
    }
}

impl fmt::Display for OddEvenCorrection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "weights {:016x}", self.weights)?;
        for (ply, bias) in self.biases.iter().enumerate() {
            writeln!(f, "{ply} {:.3}", f64::from(*bias) / f64::from(UNIT))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_round_trip_and_bad_ones_are_refused() {
        let correction = OddEvenCorrection { weights: 0xab, biases: std::array::from_fn(|ply| 3 * ply as i16 - 20) };
        let text = correction.to_string();
        assert_eq!(text.parse(), Ok(correction));
        assert_eq!("".parse::<OddEvenCorrection>(), Err(OddEvenError::Weights(String::new())));
        assert_eq!(
            text.replace("00ab", "00xy").parse::<OddEvenCorrection>().unwrap_err(),
            OddEvenError::Weights("weights 00000000000000xy".into())
        );
        for (from, to) in
            [("\n1 ", "\n2 "), ("\n1 -0.133", "\n1 nan"), ("\n1 -0.133", "\n1 9.0"), ("\n1 -0.133", "\n1")]
        {
            assert!(
                matches!(
                    text.replacen(from, to, 1).parse::<OddEvenCorrection>(),
                    Err(OddEvenError::Row { ply: 1, .. })
                ),
                "{to}"
            );
        }
        assert_eq!((text.clone() + "61 0.5").parse::<OddEvenCorrection>(), Err(OddEvenError::Count(PLIES + 1)));
        let short = text.rsplit_once("60 ").unwrap().0;
        assert_eq!(short.parse::<OddEvenCorrection>(), Err(OddEvenError::Count(PLIES - 1)));
    }
}
