//! The algorithms that a user can choose from (option `Algorithm`).

/// The algorithms by name: `auto` is the production engine, the others search full width to exactly the depth asked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub enum Algorithm {
    /// The production engine with all it has.
    #[default]
    Auto,
    /// Every line.
    Minimax,
    /// Fail-hard alpha-beta.
    AlphaBeta,
    /// Fail-soft alpha-beta.
    FailSoft,
    /// NegaScout (principal variation search).
    NegaScout,
    /// MTD(f).
    Mtdf,
}

impl Algorithm {
    /// All of them, in the order of the listing.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::Minimax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];

    /// The name that option `Algorithm` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Minimax => "minimax",
            Algorithm::AlphaBeta => "alphabeta",
            Algorithm::FailSoft => "failsoft",
            Algorithm::NegaScout => "negascout",
            Algorithm::Mtdf => "mtdf",
        }
    }

    /// The algorithm of that name, in any case.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }
}
