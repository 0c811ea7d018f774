//! The fitted statistical cuts of the boards, built in: regressions by `nullwindow lab train prob-cut`,
//! the thresholds of the selectivity levels by `nullwindow lab train levels`.

use crate::search::levels::Thresholds;
use crate::search::prob_cut::{ProbCut, Regression, read_rows};

use super::{ENDGAME_PHASE, ENDGAME_PHASES};

/// The model and the levels of a board, as text.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInCuts {
    /// The regressions ([`crate::search::prob_cut::Regression`]).
    pub model: &'static str,
    /// The thresholds ([`Thresholds`]).
    pub levels: &'static str,
}

/// The cuts of the 8x8 board.
pub const EIGHT: BuiltInCuts = BuiltInCuts {
    model: include_str!("prob_cut.txt"),
    levels: include_str!("levels.txt"),
};

/// The cuts of the 6x6 board.
pub const SIX: BuiltInCuts = BuiltInCuts {
    model: include_str!("prob_cut_six.txt"),
    levels: include_str!("levels_six.txt"),
};

impl BuiltInCuts {
    /// The model with its levels.
    pub fn read(&self) -> ProbCut {
        let levels = Thresholds::read(self.levels).unwrap_or_default(); // a test reads both texts
        model(read_rows(self.model).unwrap_or_default(), &levels)
    }
}

/// The model of these rows. Those of phase [`ENDGAME_PHASE`] serve all phases of searches to the
/// end of the game.
pub fn model(rows: impl IntoIterator<Item = Regression>, thresholds: &Thresholds) -> ProbCut {
    let of_phases = |row: Regression| {
        let phases = if usize::from(row.phase) == ENDGAME_PHASE {
            ENDGAME_PHASES as u8
        } else {
            1
        };
        (row.phase..row.phase + phases).map(move |phase| Regression { phase, ..row })
    };
    ProbCut::new(rows.into_iter().flat_map(of_phases), thresholds)
}
