//! The units of evaluations.

/// A disc, in score units.
pub const DISC: i32 = 100;
/// Values are clamped to this many discs: below every wipe-out.
pub const LIMIT: i32 = 63;
/// A disc, in the units of the learnt weights.
pub const UNIT: i32 = 128;
