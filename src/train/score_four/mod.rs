//! Learning Score Four: who plays the games ([`play`]) the fit of the evaluation to them ([`fit`]), and that of the
//! statistical cut ([`prob_cut`]).

pub mod fit;
pub mod play;
pub mod prob_cut;
