//! The weights of the learned evaluation and their file format.
//!
//! A file has a header of 64 bytes (magic, version, kind, hash of the shapes, length and checksum
//! of the body) and a body, all little-endian: biases by ply, output buckets, weights of the board
//! features, one bit per pattern feature, set if its weights are nonzero, and the nonzero weights.

use thiserror::Error;

use super::board_features::BOARD_FEATURES;
use super::patterns::{self, SHAPES, SIZES};
pub use crate::games::reversi::kernel::{MAX_WEIGHT, NEURONS};
use crate::platform::memory::on_large_pages;

/// Number of values of the ply, 0 included.
pub const PLIES: usize = 61;
/// Output buckets of the network, one for every four plies.
pub const OUTPUT_BUCKETS: usize = 15;

/// Upper limit of the magnitude of board feature weights: three of them and 64 pattern weights of
/// [`MAX_WEIGHT`] fit 16 bits.
pub const MAX_BOARD_WEIGHT: i16 = 4_000;
/// Upper limit of the magnitude of output weights: their products with the largest activations
/// add up within 32 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 2_000;

const MAGIC: &[u8; 8] = b"NWOTHELO";
const VERSION: u16 = 3;
const HEADER: usize = 64;
/// The kind of the network.
const NETWORK: u16 = 2;

/// The weights of the network ([`super::network`]).
#[derive(Clone, PartialEq, Debug)]
pub struct OthelloWeights {
    /// The bias of each ply, in 128ths of a disc.
    pub ply_biases: [i16; PLIES],
    /// A bucket for every four plies.
    pub buckets: [OutputBucket; OUTPUT_BUCKETS],
    /// The weights of the features of the whole board, in 256ths.
    pub board: Box<[[i16; NEURONS]; BOARD_FEATURES]>,
    /// The weights of each pattern, in 256ths, at most [`MAX_WEIGHT`] by amount.
    pub features: Vec<[i8; NEURONS]>,
}

/// The output layer in one phase of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputBucket {
    /// Added to the accumulator, in 256ths.
    pub biases: [i16; NEURONS],
    /// The output weight of each neuron, in 64ths of a disc at full activation.
    pub outputs: [i16; NEURONS],
}

impl OutputBucket {
    const ZERO: OutputBucket = OutputBucket {
        biases: [0; NEURONS],
        outputs: [0; NEURONS],
    };
}

/// The reason why the bytes are no weight file of this version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct OthelloWeightsError(pub(super) &'static str);

const FOREIGN: OthelloWeightsError =
    OthelloWeightsError("not an Othello weight file of nullwindow");
const RANGE: OthelloWeightsError = OthelloWeightsError("corrupt file: a weight is out of range");

impl OthelloWeights {
    /// Reads a weight file.
    pub fn read(bytes: &[u8]) -> Result<OthelloWeights, OthelloWeightsError> {
        let halves = bytes.split_at_checked(HEADER);
        let (header, body) = halves.filter(|_| bytes.starts_with(MAGIC)).ok_or(FOREIGN)?;
        let mut header = Reader(&header[MAGIC.len()..]);
        let version = u16::from_le_bytes(header.take()?);
        let kind = u16::from_le_bytes(header.take()?);
        let length = u32::from_le_bytes(header.take()?) as usize;
        let shapes = u64::from_le_bytes(header.take()?);
        let sum = u64::from_le_bytes(header.take()?);
        for (is_right, error) in [
            (version == VERSION, "a weight file of another version"),
            (shapes == shapes_hash(), "a weight file for other patterns"),
            (
                body.len() == length,
                "corrupt file: wrong number of bytes after the header",
            ),
            (
                checksum(body) == sum,
                "corrupt file: checksum does not match",
            ),
            (kind == NETWORK, "corrupt file: unknown kind of weights"),
        ] {
            if !is_right {
                return Err(OthelloWeightsError(error));
            }
        }
        let mut body = Reader(body);
        let ply_biases = body.numbers()?;
        let mut buckets = [OutputBucket::ZERO; OUTPUT_BUCKETS];
        for bucket in &mut buckets {
            bucket.biases = body.numbers()?;
            bucket.outputs = body.numbers()?;
        }
        let mut board = Box::new([[0; NEURONS]; BOARD_FEATURES]);
        for weights in board.iter_mut() {
            *weights = body.numbers()?;
        }
        let features = body.features()?;
        let within = |numbers: &[i16; NEURONS], most: i16| {
            numbers
                .iter()
                .all(|number| number.unsigned_abs() <= most as u16)
        };
        if !board.iter().all(|row| within(row, MAX_BOARD_WEIGHT))
            || !buckets
                .iter()
                .all(|bucket| within(&bucket.outputs, MAX_OUTPUT_WEIGHT))
        {
            return Err(RANGE);
        }
        if !body.0.is_empty() {
            return Err(OthelloWeightsError(
                "corrupt file: more weights than patterns",
            ));
        }
        Ok(OthelloWeights {
            ply_biases,
            buckets,
            board,
            features,
        })
    }

    /// The weight file.
    pub fn write(&self) -> Vec<u8> {
        let mut body = Vec::new();
        write_numbers(&mut body, &self.ply_biases);
        for bucket in &self.buckets {
            write_numbers(&mut body, &bucket.biases);
            write_numbers(&mut body, &bucket.outputs);
        }
        self.board
            .iter()
            .for_each(|weights| write_numbers(&mut body, weights));
        let is_used = |feature: &&[i8; NEURONS]| **feature != [0; NEURONS];
        let mark = |eight: &[[i8; NEURONS]]| {
            eight.iter().enumerate().fold(0, |bits, (i, feature)| {
                bits | u8::from(is_used(&feature)) << i
            })
        };
        body.extend(self.features.chunks(8).map(mark));
        body.extend(
            self.features
                .iter()
                .filter(is_used)
                .flatten()
                .map(|&weight| weight as u8),
        );
        let mut file = Vec::with_capacity(HEADER + body.len());
        file.extend(MAGIC);
        file.extend(VERSION.to_le_bytes());
        file.extend(NETWORK.to_le_bytes());
        file.extend((body.len() as u32).to_le_bytes());
        file.extend(shapes_hash().to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.resize(HEADER, 0);
        file.extend(body);
        file
    }
}

fn write_numbers(body: &mut Vec<u8>, numbers: &[i16]) {
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// The unread part of a body.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn bytes(&mut self, count: usize) -> Result<&'b [u8], OthelloWeightsError> {
        let (bytes, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(OthelloWeightsError("corrupt file: too short"))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], OthelloWeightsError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[i16; N], OthelloWeightsError> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = i16::from_le_bytes(self.take()?);
        }
        Ok(numbers)
    }

    fn features(&mut self) -> Result<Vec<[i8; NEURONS]>, OthelloWeightsError> {
        let count = patterns::feature_count();
        let marks = self.bytes(count.div_ceil(8))?;
        let mut features = on_large_pages((0..count).map(|_| [0; NEURONS]));
        for (i, feature) in features.iter_mut().enumerate() {
            if marks[i / 8] >> (i % 8) & 1 != 0 {
                for (weight, &byte) in feature.iter_mut().zip(self.bytes(NEURONS)?) {
                    *weight = byte as i8;
                }
                // A fold over numbers is vectorized; `max` of an iterator is not.
                let largest = |most: u8, weight: &i8| most.max(weight.unsigned_abs());
                if feature.iter().fold(0, largest) > MAX_WEIGHT as u8 {
                    return Err(RANGE);
                }
            }
        }
        Ok(features)
    }
}

/// A checksum against accidental damage: rotate, xor and multiply by words of eight bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let add = |sum: u64, word: &[u8; 8]| {
        (sum.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    add(words.iter().fold(bytes.len() as u64, add), &last)
}

/// A hash of the shapes, so that files for other patterns are rejected.
fn shapes_hash() -> u64 {
    let shapes = (0..SHAPES).flat_map(|shape| {
        let squares = patterns::instance(patterns::PLACES * shape).iter().copied();
        (SIZES[shape] as u32)
            .to_le_bytes()
            .into_iter()
            .chain(squares)
    });
    checksum(&shapes.collect::<Vec<u8>>())
}

/// Random weights.
#[cfg(test)]
pub fn random_weights(seed: u64) -> OthelloWeights {
    let mut rng = crate::game::rng::Rng::new(seed);
    let count = patterns::feature_count();
    let mut number = |reach: u64| rng.below(2 * reach + 1) as i16 - reach as i16;
    let ply_biases = [0; PLIES].map(|_| number(300));
    let buckets = [OutputBucket::ZERO; OUTPUT_BUCKETS].map(|_| OutputBucket {
        biases: [0; NEURONS].map(|_| number(250)),
        outputs: [0; NEURONS].map(|_| number(500)),
    });
    let board = Box::new([[0; NEURONS]; BOARD_FEATURES].map(|row| row.map(|_: i16| number(200))));
    let features = (0..count)
        .map(|feature| {
            if feature % 10 == 0 {
                [0; NEURONS].map(|_| number(31) as i8)
            } else {
                [0; NEURONS]
            }
        })
        .collect();
    OthelloWeights {
        ply_biases,
        buckets,
        board,
        features,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_whose_sums_could_overflow_are_refused() {
        let weights = random_weights(2);
        let changed = |change: fn(&mut OthelloWeights, i16), number: i16| {
            let mut weights = weights.clone();
            change(&mut weights, number);
            OthelloWeights::read(&weights.write())
        };
        let feature: fn(&mut OthelloWeights, i16) =
            |weights, number| weights.features[7][3] = number as i8;
        let board: fn(&mut OthelloWeights, i16) = |weights, number| weights.board[1][2] = number;
        let output: fn(&mut OthelloWeights, i16) =
            |weights, number| weights.buckets[1].outputs[2] = number;
        for (change, most) in [
            (feature, i16::from(MAX_WEIGHT)),
            (board, 4_000),
            (output, 2_000),
        ] {
            assert!(changed(change, most).is_ok() && changed(change, -most).is_ok());
            for number in [most + 1, -most - 1] {
                assert_eq!(changed(change, number), Err(RANGE));
            }
        }
        assert_eq!(changed(board, i16::MIN), Err(RANGE));
    }

    #[test]
    fn files_round_trip_and_damage_is_detected() {
        let weights = random_weights(1);
        let file = weights.write();
        assert_eq!(OthelloWeights::read(&file).as_ref(), Ok(&weights));
        assert_eq!(OthelloWeights::read(b"P6 640 480"), Err(FOREIGN));
        assert_eq!(OthelloWeights::read(&[0; 100]), Err(FOREIGN));
        let short = OthelloWeights::read(&file[..file.len() - 1]).unwrap_err();
        assert_eq!(
            short.0,
            "corrupt file: wrong number of bytes after the header"
        );
        let damaged = |at: usize| {
            let mut file = file.clone();
            file[at] ^= 4;
            OthelloWeights::read(&file).unwrap_err().0
        };
        for (at, reason) in [
            (file.len() / 2, "corrupt file: checksum does not match"),
            (8, "a weight file of another version"),
            (16, "a weight file for other patterns"),
            (10, "corrupt file: unknown kind of weights"),
        ] {
            assert_eq!(damaged(at), reason);
        }
    }
}
