//! Elo, normalised Elo and likelihood of superiority (LOS) of match results, and the sequential test (SPRT).
//!
//! Games are counted singly (trinomial) or, better, in pairs played from the same opening with colours swapped
//! (pentanomial): the games of a pair are not independent, so the variance must be that of pairs. Elo is the logistic
//! of the mean score; normalised Elo measures the mean in standard deviations of one game, so it does not depend on the
//! draw ratio (M. Van den Bergh, "Comments on Normalized Elo"). The test is in `sprt.rs`, its likelihoods in
//! `likelihood.rs`.
//!
//! An estimate needs five trials (pairs if any pair is complete, else games); Elo also needs results that are not all
//! equal.
//!
//! Not included: Bayesian Elo, and ratings of several engines by a common fit.

mod likelihood;
mod score_sample;
mod sprt;
#[cfg(test)]
mod testing;

pub use score_sample::{Estimate, MIN_TRIALS, NoEstimate, Pentanomial, ScoreSample, Trinomial};
pub use sprt::{EloModel, Sprt, SprtVerdict};
