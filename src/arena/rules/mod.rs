//! What the runner enforces, below the games that are played and recorded: [`clock`] (time controls
//! and late moves), [`adjudicate`] (results by scores), [`fault`] (why games end), [`warning`].

pub mod adjudicate;
pub mod clock;
pub mod fault;
pub mod warning;
