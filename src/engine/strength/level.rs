//! The strength scale: converts discs lost per game to the budget of a game and the limit of a
//! move, and Elo to discs.

/// The largest value of option `Strength`.
pub const STRENGTH_MAX: u32 = 30;
/// The range of option `UCI_Elo`; full strength is its maximum.
pub const ELO_MIN: u32 = 1_750;
/// See [`ELO_MIN`].
pub const ELO_MAX: u32 = 2_500;

/// A strength below full.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Strength {
    /// The expected loss per game in discs, above 0.
    discs: f64,
}

/// The budget of a game in discs by the expected loss is piecewise linear: from zero to this point
/// and on to the last one. Fitted: see measurements.md#budget.
const MIDDLE: (f64, f64) = (3.0, 7.4);
const LAST: (f64, f64) = (30.0, 37.8);

/// Elo per disc of the expected loss. Fitted: see measurements.md#elo.
const ELO_PER_DISC: f64 = 25.0;

impl Strength {
    /// The strength that loses this number of discs per game; `None` for 0, full strength.
    pub fn by_discs(discs: f64) -> Option<Strength> {
        (discs > 0.0).then_some(Strength { discs })
    }

    /// The strength of a value of `UCI_Elo`; `None` for its maximum, full strength.
    pub fn by_elo(elo: u32) -> Option<Strength> {
        Self::by_discs(f64::from(ELO_MAX.saturating_sub(elo)) / ELO_PER_DISC)
    }

    /// The expected loss per game in discs.
    pub fn discs(self) -> f64 {
        self.discs
    }

    /// The budget of a whole game, in hundredths of a disc.
    pub fn budget(self) -> f64 {
        let ((x0, y0), (x1, y1)) = if self.discs <= MIDDLE.0 {
            ((0.0, 0.0), MIDDLE)
        } else {
            (MIDDLE, LAST)
        };
        100.0 * (y0 + (y1 - y0) * (self.discs - x0) / (x1 - x0))
    }

    /// The maximum cost of a move, in hundredths of a disc.
    pub fn move_limit(self) -> i32 {
        200 + (25.0 * self.discs) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_level_has_a_larger_budget_and_limit() {
        let levels: Vec<Strength> = (1..=STRENGTH_MAX)
            .filter_map(|discs| Strength::by_discs(discs.into()))
            .collect();
        assert_eq!(levels.len(), 30);
        for pair in levels.windows(2) {
            assert!(
                pair[0].budget() < pair[1].budget() && pair[0].move_limit() < pair[1].move_limit(),
                "{pair:?}"
            );
        }
        assert!(levels[0].budget() > 0.0);
        assert_eq!(Strength::by_discs(0.0), None);
    }

    #[test]
    fn elo_falls_with_the_discs_and_ends_at_full_strength() {
        assert_eq!(Strength::by_elo(ELO_MAX), None);
        let discs: Vec<f64> = (ELO_MIN..ELO_MAX)
            .filter_map(Strength::by_elo)
            .map(Strength::discs)
            .collect();
        assert_eq!(discs.len(), (ELO_MAX - ELO_MIN) as usize);
        assert!(discs.windows(2).all(|pair| pair[0] > pair[1]));
        assert_eq!(discs[0], f64::from(STRENGTH_MAX));
    }

    #[test]
    fn the_budget_passes_through_its_points() {
        for (discs, budget) in [(1.5, 370.0), (3.0, 740.0), (16.5, 2_260.0), (30.0, 3_780.0)] {
            let found = Strength::by_discs(discs).unwrap().budget();
            assert!((found - budget).abs() < 1e-9, "{discs}: {found}");
        }
    }
}
