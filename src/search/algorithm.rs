//! The algorithms that a user can choose from (option `Algorithm`).

/// The algorithms: `auto` is the production search; the others search full width to exactly the requested depth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub enum Algorithm {
    /// The production search with all its techniques.
    #[default]
    Auto,
    /// Full minimax, no pruning.
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
    /// All algorithms, in the order of the option's listing.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::Minimax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];

    /// The value of option `Algorithm`.
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

    /// The algorithm with this name, ignoring case.
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name().eq_ignore_ascii_case(name))
    }
}
