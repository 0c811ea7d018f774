//! Weights as they are learnt and stored: one row of numbers for each index that is not another's mirror image.
//!
//! The file: a header of 64 bytes (magic, version, kind, hash of the shapes, length and checksum of the body), then little-endian the
//! body: constants, heads or anchors, a bit for each row that is not all zero, and those rows.

use thiserror::Error;

use super::patterns::{self, SHAPES, SIZES};

/// The largest number of plies played before a position: constants are one more.
pub const PLIES: usize = 61;
/// Hidden units of the network: numbers in its rows.
pub const UNITS: usize = 16;
/// Output heads of the network, one for every four plies.
pub const HEADS: usize = 15;

const MAGIC: &[u8; 8] = b"NWOTHELO";
const VERSION: u16 = 1;
const HEADER: usize = 64;

/// The weights of an evaluation.
#[derive(Clone, PartialEq, Debug)]
pub enum Weights {
    /// A sum of one number per pattern.
    Linear(LinearWeights),
    /// The pattern-sum network.
    Network(Box<NetworkWeights>),
}

/// The weights of the linear sum, in 128ths of a disc.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearWeights {
    /// The numbers of plies played at which the rows say what a pattern is worth, rising; in between it is interpolated.
    pub anchors: Vec<u8>,
    /// What each number of plies played is worth by itself.
    pub constants: [i16; PLIES],
    /// Row after row, one number for each anchor.
    pub rows: Vec<i16>,
}

/// The weights of the network; what they mean is said where they are used ([`super::network`]).
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkWeights {
    /// What each number of plies played is worth by itself, in 128ths of a disc.
    pub constants: [i16; PLIES],
    /// A head for every four plies.
    pub heads: [Head; HEADS],
    /// One row for each shared index.
    pub rows: Vec<[i8; UNITS]>,
}

/// How one phase of the game reads the hidden units.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Head {
    /// Added to the rows, in 256ths.
    pub biases: [i16; UNITS],
    /// What a full unit is worth, in 64ths of a disc.
    pub outputs: [i16; UNITS],
}

/// Why a file is no evaluation.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightsError {
    /// The first bytes are not those of a weight file.
    #[error("no weight file of nullwindow")]
    Foreign,
    /// Written by another version of the program.
    #[error("a weight file of version {0}, expected {VERSION}")]
    Version(u16),
    /// Made for other patterns.
    #[error("made for other patterns")]
    OtherShapes,
    /// The file ends early, or there is more than there should be.
    #[error("{found} bytes behind the header, expected {expected}")]
    Length {
        /// Bytes that are there.
        found: usize,
        /// Bytes that the header promises.
        expected: usize,
    },
    /// The checksum is not that of the bytes.
    #[error("damaged: the checksum is {found:016x}, expected {expected:016x}")]
    Checksum {
        /// Of the bytes.
        found: u64,
        /// In the header.
        expected: u64,
    },
    /// The checksum holds, but the content makes no sense.
    #[error("damaged: {0}")]
    Content(&'static str),
}

impl Weights {
    /// Reads a weight file.
    pub fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let (header, body) = bytes.split_at_checked(HEADER).ok_or(WeightsError::Foreign)?;
        let mut header = Reader(header);
        if header.take::<8>()? != *MAGIC {
            return Err(WeightsError::Foreign);
        }
        let version = u16::from_le_bytes(header.take()?);
        if version != VERSION {
            return Err(WeightsError::Version(version));
        }
        let kind = u16::from_le_bytes(header.take()?);
        let expected = u32::from_le_bytes(header.take()?) as usize;
        let (shapes, expected_sum) = (u64::from_le_bytes(header.take()?), u64::from_le_bytes(header.take()?));
        if shapes != shapes_hash() {
            return Err(WeightsError::OtherShapes);
        }
        if body.len() != expected {
            return Err(WeightsError::Length { found: body.len(), expected });
        }
        let found = checksum(body);
        if found != expected_sum {
            return Err(WeightsError::Checksum { found, expected: expected_sum });
        }
        let mut body = Reader(body);
        let weights = match kind {
            1 => Weights::Linear(LinearWeights::read(&mut body)?),
            2 => Weights::Network(Box::new(NetworkWeights::read(&mut body)?)),
            _ => return Err(WeightsError::Content("neither linear sum nor network")),
        };
        if body.0.is_empty() { Ok(weights) } else { Err(WeightsError::Content("more rows than patterns")) }
    }

    /// The weight file.
    pub fn write(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let kind: u16 = match self {
            Weights::Linear(linear) => {
                linear.write(&mut body);
                1
            }
            Weights::Network(network) => {
                network.write(&mut body);
                2
            }
        };
        let mut file = Vec::with_capacity(HEADER + body.len());
        file.extend(MAGIC);
        file.extend(VERSION.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend((body.len() as u32).to_le_bytes());
        file.extend(shapes_hash().to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.resize(HEADER, 0);
        file.extend(body);
        file
    }
}

impl LinearWeights {
    fn read(body: &mut Reader<'_>) -> Result<LinearWeights, WeightsError> {
        let constants = body.numbers()?;
        let count = usize::from(body.take::<1>()?[0]);
        let anchors = body.bytes(count)?.to_vec();
        let rising = anchors.windows(2).all(|pair| pair[0] < pair[1]);
        if anchors.is_empty() || !rising || usize::from(anchors[count - 1]) >= PLIES {
            return Err(WeightsError::Content("anchors out of order"));
        }
        let rows = body.rows(2 * count)?;
        let rows = rows.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        Ok(LinearWeights { anchors, constants, rows })
    }

    fn write(&self, body: &mut Vec<u8>) {
        write_numbers(body, &self.constants);
        body.push(self.anchors.len() as u8);
        body.extend(&self.anchors);
        let bytes: Vec<u8> = self.rows.iter().flat_map(|number| number.to_le_bytes()).collect();
        write_rows(body, &bytes, 2 * self.anchors.len());
    }
}

impl NetworkWeights {
    fn read(body: &mut Reader<'_>) -> Result<NetworkWeights, WeightsError> {
        let constants = body.numbers()?;
        let mut heads = [Head::default(); HEADS];
        for head in &mut heads {
            *head = Head { biases: body.numbers()?, outputs: body.numbers()? };
        }
        let rows = body.rows(UNITS)?;
        let row = |bytes: &[u8]| std::array::from_fn(|unit| bytes[unit] as i8);
        Ok(NetworkWeights { constants, heads, rows: rows.chunks_exact(UNITS).map(row).collect() })
    }

    fn write(&self, body: &mut Vec<u8>) {
        write_numbers(body, &self.constants);
        for head in &self.heads {
            write_numbers(body, &head.biases);
            write_numbers(body, &head.outputs);
        }
        let bytes: Vec<u8> = self.rows.iter().flatten().map(|&number| number as u8).collect();
        write_rows(body, &bytes, UNITS);
    }
}

fn write_numbers(body: &mut Vec<u8>, numbers: &[i16]) {
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// A bit for each row, set where it is not all zero, then those rows.
fn write_rows(body: &mut Vec<u8>, bytes: &[u8], width: usize) {
    let rows: Vec<&[u8]> = bytes.chunks_exact(width).collect();
    let used = |row: &&[u8]| row.iter().any(|&byte| byte != 0);
    let mark = |rows: &[&[u8]]| rows.iter().enumerate().fold(0, |bits, (i, row)| bits | u8::from(used(row)) << i);
    body.extend(rows.chunks(8).map(mark));
    rows.iter().filter(|row| used(row)).for_each(|row| body.extend(*row));
}

/// The part of a body that is not read yet.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn bytes(&mut self, count: usize) -> Result<&'b [u8], WeightsError> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(WeightsError::Content("too short"))?;
        self.0 = rest;
        Ok(head)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[i16; N], WeightsError> {
        let bytes = self.bytes(2 * N)?;
        Ok(std::array::from_fn(|i| i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])))
    }

    fn rows(&mut self, width: usize) -> Result<Vec<u8>, WeightsError> {
        let count = patterns::shared_count();
        let marks = self.bytes(count.div_ceil(8))?;
        let mut rows = vec![0; count * width];
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            if marks[i / 8] >> (i % 8) & 1 != 0 {
                row.copy_from_slice(self.bytes(width)?);
            }
        }
        Ok(rows)
    }
}

/// A checksum that sees any damage that is no malice: each eight bytes turn, join and multiply what came before.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().chain([&last]).fold(bytes.len() as u64, |sum, word| {
        (sum.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// A hash of the shapes: another set of patterns is another kind of file.
fn shapes_hash() -> u64 {
    let shapes = (0..SHAPES).flat_map(|shape| {
        let squares = patterns::instance(patterns::PLACES * shape).iter().copied();
        (SIZES[shape] as u32).to_le_bytes().into_iter().chain(squares)
    });
    checksum(&shapes.collect::<Vec<u8>>())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::rng::Rng;

    /// Weights of either kind with noise in every tenth row.
    pub fn noise(seed: u64) -> [Weights; 2] {
        let mut rng = Rng::new(seed);
        let count = patterns::shared_count();
        let mut number = |reach: u64| rng.below(2 * reach + 1) as i16 - reach as i16;
        let anchors = vec![8, 30, 56];
        let constants = [0; PLIES].map(|_| number(300));
        let rows = (0..3 * count).map(|_| number(200)).collect();
        let linear = LinearWeights { anchors, constants, rows };
        let heads = [Head::default(); HEADS]
            .map(|_| Head { biases: [0; UNITS].map(|_| number(250)), outputs: [0; UNITS].map(|_| number(500)) });
        let rows = (0..count)
            .map(|row| if row % 10 == 0 { [0; UNITS].map(|_| number(127) as i8) } else { [0; UNITS] })
            .collect();
        [Weights::Linear(linear), Weights::Network(Box::new(NetworkWeights { constants, heads, rows }))]
    }

    #[test]
    fn files_round_trip_and_damage_is_seen() {
        for weights in noise(1) {
            let file = weights.write();
            assert_eq!(Weights::read(&file).as_ref(), Ok(&weights));
            assert_eq!(Weights::read(b"P6 640 480"), Err(WeightsError::Foreign));
            assert_eq!(Weights::read(&[0; 100]), Err(WeightsError::Foreign));
            let short = Weights::read(&file[..file.len() - 1]).unwrap_err();
            assert_eq!(short, WeightsError::Length { found: file.len() - HEADER - 1, expected: file.len() - HEADER });
            let damaged = |at: usize| {
                let mut file = file.clone();
                file[at] ^= 4;
                Weights::read(&file).unwrap_err()
            };
            assert!(matches!(damaged(file.len() / 2), WeightsError::Checksum { .. }));
            assert_eq!(damaged(8), WeightsError::Version(5));
            assert_eq!(damaged(16), WeightsError::OtherShapes);
        }
    }
}
