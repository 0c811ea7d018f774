//! Elo, normalized Elo and likelihood of superiority (LOS) of match results, and the sequential
//! probability ratio test (SPRT).
//!
//! Games are counted singly (trinomial) or, better, in pairs played from the same opening with
//! colors swapped (pentanomial): the games of a pair are not independent, so the variance must be
//! that of pairs. Elo is the logistic of the mean score; normalized Elo measures the mean in
//! standard deviations of one game, so it does not depend on the draw ratio (M. Van den Bergh,
//! "Comments on Normalized Elo").
//!
//! An estimate requires five trials (pairs if any is complete, else games); Elo also requires that
//! not all results are equal.
//!
//! Not included: Bayesian Elo and joint ratings of several engines.

mod score_sample;
mod sprt;
#[cfg(test)]
mod tests;

pub use score_sample::{Estimate, MIN_TRIALS, NoEstimate, Pentanomial, ScoreSample, Trinomial};
#[cfg(test)]
pub use sprt::EloModel;
pub use sprt::{Sprt, SprtVerdict};
