//! The learned evaluation of 8x8 Othello: implements the search's traits by the weights of a file.
//!
//! Values are expected final disc differences for the side to move. The search gets them in whole
//! discs (MTD(f) pays for every finer step), clamped below a wipe-out.

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use super::evaluator::{OrderingPenalties, ReversiEvaluator};
use super::indices::Indices;
use super::network::Network;
use super::odd_even::OddEvenCorrection;
use super::scale::{DISC, LIMIT, UNIT};
use super::weights::{OthelloWeights, OthelloWeightsError, PLIES, checksum};
use crate::game::Move;
use crate::game::score::Score;
use crate::games::reversi::endgame::middle::MIDDLE;
use crate::games::reversi::kernel::Kernels;
use crate::games::reversi::policy::cuts;
use crate::games::reversi::{Eight, Othello};
use crate::logging::SEARCH;
use crate::search::core::isa::Portable;
use crate::search::core::policy::{Evaluate, SolvingCost};
use crate::search::prob_cut::ProbCut;

/// The learned evaluation of 8x8 Othello; cheap to clone.
#[derive(Clone, Debug)]
pub struct OthelloEvaluator {
    network: Arc<Network>,
    /// The checksum of its file.
    id: u64,
    /// The odd-even correction, added to the biases by ply, in 128ths of a disc.
    correction: [i16; PLIES],
}

/// The model of the statistical cut.
static PROB_CUT: LazyLock<ProbCut> = LazyLock::new(|| cuts::EIGHT.read());

/// The corrections of [`OddEvenCorrection`] as text, fitted by `nullwindow lab train odd-even`.
pub const ODD_EVEN_TEXT: &str = include_str!("odd_even.txt");

/// The built-in correction.
// a test reads it
static ODD_EVEN: LazyLock<Option<OddEvenCorrection>> = LazyLock::new(|| ODD_EVEN_TEXT.parse().ok());

/// The file is valid, but not the one that this version ships with.
const NOT_BUILT_IN: OthelloWeightsError =
    OthelloWeightsError("not the weight file of this version of nullwindow");

/// The built-in weight file.
#[cfg(feature = "weights")]
static BUILT_IN: &[u8] = include_bytes!("weights.bin");

/// The evaluation of the built-in weights, once they are unpacked.
static LEARNED: OnceLock<OthelloEvaluator> = OnceLock::new();

impl Default for OthelloEvaluator {
    /// The evaluation of the built-in weights, unpacked on first use; without feature `weights`,
    /// that of [`OthelloEvaluator::load`], which must come before.
    fn default() -> OthelloEvaluator {
        LEARNED.get_or_init(built_in).clone()
    }
}

#[cfg(feature = "weights")]
fn built_in() -> OthelloEvaluator {
    OthelloEvaluator::from_file(BUILT_IN)
        .unwrap_or_else(|error| unreachable!("the built-in weights: {error}"))
}

#[cfg(not(feature = "weights"))]
fn built_in() -> OthelloEvaluator {
    unreachable!("without feature `weights`, a session begins with the weights")
}

impl OthelloEvaluator {
    /// Sets the built-in weights from the bytes of their file.
    ///
    /// # Errors
    /// If the bytes are not the weight file of this version.
    pub fn load(bytes: &[u8]) -> Result<(), OthelloWeightsError> {
        let evaluator = OthelloEvaluator::from_file(bytes)?;
        let built_in = ODD_EVEN.as_ref().map(|correction| correction.weights);
        if built_in != Some(evaluator.id) {
            return Err(NOT_BUILT_IN);
        }
        LEARNED.get_or_init(|| evaluator);
        Ok(())
    }

    /// The evaluation of a weight file, with the built-in odd-even correction if it is of the same
    /// weights.
    pub fn from_file(bytes: &[u8]) -> Result<OthelloEvaluator, OthelloWeightsError> {
        let (mut network, id) = (Network::new(&OthelloWeights::read(bytes)?), checksum(bytes));
        let correction = ODD_EVEN
            .as_ref()
            .filter(|correction| correction.weights == id)
            .map_or([0; PLIES], |correction| correction.biases);
        network.add_biases(&correction);
        let evaluator = OthelloEvaluator {
            network: Arc::new(network),
            id,
            correction,
        };
        log::debug!(target: SEARCH, "weights of Othello: {} bytes, checksum {:x}", bytes.len(), evaluator.id);
        Ok(evaluator)
    }

    /// The same weights with another correction, in 128ths of a disc by ply.
    pub fn with_correction(&self, correction: [i16; PLIES]) -> OthelloEvaluator {
        let mut network = Network::clone(&self.network);
        network.add_biases(&self.correction.map(|bias| -bias));
        network.add_biases(&correction);
        OthelloEvaluator {
            network: Arc::new(network),
            id: self.id,
            correction,
        }
    }

    /// Its weights.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Identifies its weights: the checksum of its file, 0 if there is none.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The value of a position for the side to move, in discs, not rounded.
    pub fn discs(&self, position: &Othello) -> f64 {
        f64::from(
            self.network
                .value(Portable::token(), position, &Indices::fresh(position)),
        ) / f64::from(UNIT)
    }
}

impl From<&OthelloWeights> for OthelloEvaluator {
    fn from(weights: &OthelloWeights) -> OthelloEvaluator {
        OthelloEvaluator {
            network: Arc::new(Network::new(weights)),
            id: 0,
            correction: [0; PLIES],
        }
    }
}

impl Evaluate<Othello> for OthelloEvaluator {
    type Data = Indices;
    const GRAIN: i32 = DISC;

    #[inline(always)]
    fn fresh(&self, position: &Othello) -> Indices {
        Indices::fresh(position)
    }

    #[inline(always)]
    fn update(&self, parent: &Othello, data: Indices, m: Move, child: &Othello) -> Indices {
        if m.is_pass() {
            data.passed()
        } else {
            data.played(m.square(), parent.opponent & child.opponent)
        }
    }

    #[inline(always)]
    fn score(&self, position: &Othello, data: Indices) -> Score {
        self.score_on(Portable::token(), position, data)
    }

    fn describe(&self, position: &Othello) -> Option<String> {
        Some(self.terms(position))
    }
}

impl ReversiEvaluator<Eight> for OthelloEvaluator {
    // Fitted: see src/search/measurements.md.
    const SOLVING_COST: SolvingCost = SolvingCost {
        nodes: 2.4e6,
        plies_left: 22,
        growth: 2.2,
    };

    fn prob_cut(&self) -> Option<&'static ProbCut> {
        Some(&PROB_CUT)
    }

    #[inline(always)]
    fn ordering(empties: u8, to_end: bool) -> OrderingPenalties {
        if !to_end {
            return OrderingPenalties {
                mobility: 60,
                potential_mobility: 20,
            };
        }
        let mobility = match empties {
            0..=14 => 400,
            15..=16 => 250,
            _ => 200,
        };
        OrderingPenalties {
            mobility,
            potential_mobility: 75,
        }
    }

    // Far from the window nearly every good move cuts, so a long shallow search does not pay. Above
    // 26 empties it does, since a wrong first move costs most there. Tuned:
    // policy/measurements.md#ordering-by-a-shallow-search.
    const WITH_MARGIN: Range<u8> = 17..27;

    #[inline(always)]
    fn shallow_depth(empties: u8, margin: i32) -> u8 {
        match (empties, margin) {
            (..=16, _) | (..=20, 41..) => 0,
            (..=19, _) | (..=26, 29..) => 1,
            (..=21, _) => 2,
            _ => 3,
        }
    }

    // In a large tree the evaluation finds less of its weights in the caches. Tuned:
    // endgame/measurements.md#thirteen-empties-and-a-larger-private-table.
    #[inline(always)]
    fn kernel_empties(root_empties: u8) -> u8 {
        if root_empties < 24 {
            MIDDLE
        } else {
            MIDDLE + 1
        }
    }

    // Far from the window nearly every good move cuts, so the kernel's cheap ordering is good
    // enough. Tuned: endgame/measurements.md#a-larger-kernel-far-from-the-window.
    #[inline(always)]
    fn kernel_margin(empties: u8) -> Option<i32> {
        match empties {
            ..=13 => Some(14),
            14 => Some(24),
            15 => Some(34),
            _ => None,
        }
    }

    #[inline(always)]
    fn score_on<K: Kernels>(&self, kernel: K, position: &Othello, data: Indices) -> Score {
        // Rounded to whole discs, halves away from zero.
        let value = self.network.value(kernel, position, &data);
        let discs = (value + if value < 0 { -UNIT / 2 } else { UNIT / 2 }) / UNIT;
        Score(DISC * discs.clamp(-LIMIT, LIMIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::search::fitted::{Fitted, WEIGHTS};

    #[test]
    fn the_odd_even_correction_and_the_cuts_are_of_the_built_in_weights() {
        let correction: OddEvenCorrection = ODD_EVEN_TEXT.parse().unwrap();
        assert_eq!(
            correction.weights,
            checksum(BUILT_IN),
            "fit anew: nullwindow lab train odd-even, prob-cut, levels"
        );
        for text in [cuts::EIGHT.model, cuts::EIGHT.levels] {
            assert_eq!(
                Fitted::read(text, "").unwrap().checksum(WEIGHTS),
                Ok(correction.weights)
            );
        }
    }

    #[test]
    fn the_odd_even_correction_is_added_for_the_side_to_move() {
        let (built_in, start) = (OthelloEvaluator::default(), Othello::start());
        let mut correction = [0; PLIES];
        let plain = built_in.with_correction(correction);
        assert_eq!(
            built_in.with_correction(built_in.correction).discs(&start),
            built_in.discs(&start)
        );
        correction[0] = 192;
        assert_eq!(
            plain.with_correction(correction).discs(&start),
            plain.discs(&start) + 1.5
        );
        assert_eq!(plain.with_correction(correction).id(), built_in.id());
        let child = start.play(start.moves()[0]);
        assert_eq!(
            plain.with_correction(correction).discs(&child),
            plain.discs(&child)
        );
    }

    #[test]
    fn a_foreign_weight_file_has_no_odd_even_correction() {
        use super::super::weights::random_weights;
        let from_file = OthelloEvaluator::from_file(&random_weights(3).write()).unwrap();
        assert_eq!(from_file.correction, [0; PLIES]);
    }

    #[test]
    fn only_the_weights_of_this_version_can_be_loaded_as_the_built_in_ones() {
        use super::super::weights::random_weights;
        assert_eq!(OthelloEvaluator::load(BUILT_IN), Ok(()));
        let foreign = OthelloEvaluator::load(&random_weights(3).write());
        assert_eq!(foreign, Err(NOT_BUILT_IN));
        let cut = OthelloEvaluator::load(&BUILT_IN[..1000]);
        assert_eq!(
            cut,
            Err(OthelloWeightsError(
                "corrupt file: wrong number of bytes after the header"
            ))
        );
    }
}
