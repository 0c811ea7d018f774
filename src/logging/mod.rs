//! The log: its four targets, and the program's logger (feature `cli`).
//!
//! Nothing is logged per node. Records use the targets below instead of module paths, so that
//! filters such as `RUST_LOG=nullwindow::time=debug` stay valid when code moves.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(feature = "cli")]
pub mod date;
#[cfg_attr(not(feature = "cli"), path = "no_logger.rs")]
pub mod logger;
#[cfg(feature = "cli")]
pub mod progress;

/// Input and output lines, and the driver's handling of them.
pub const PROTOCOL: &str = "nullwindow::protocol";
/// Searches: settings, weights, instruction set, iterations, stop reasons.
pub const SEARCH: &str = "nullwindow::search";
/// The time plan of each move.
pub const TIME: &str = "nullwindow::time";
/// Size and growth of the transposition table.
pub const TABLE: &str = "nullwindow::table";

/// Prefix of input lines; see also [`LINE_OUT`].
pub const LINE_IN: &str = ">>";
/// Prefix of output lines.
pub const LINE_OUT: &str = "<<";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_those_that_protocol_md_names() {
        let text = include_str!("../../protocol.md");
        for target in [PROTOCOL, SEARCH, TIME, TABLE] {
            assert!(
                text.contains(&format!("| `{target}` |")),
                "protocol.md has no row for {target}"
            );
        }
    }
}
