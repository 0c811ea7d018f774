//! The limits of one search as `go` or a GTP time command sends them: clocks, time per move, depth, nodes.

/// One side's clock as it is sent to engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockView {
    /// Milliseconds left.
    pub left_ms: u64,
    /// Milliseconds added after each move.
    pub increment_ms: u64,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
}

impl ClockView {
    /// The clock in `tc=` notation, without its number of moves.
    pub fn time_control(&self) -> String {
        let increment = if self.increment_ms > 0 { format!("+{}", seconds(self.increment_ms)) } else { String::new() };
        format!("{}{increment}", seconds(self.left_ms))
    }
}

/// The limits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GoLimits {
    /// The clocks of the first and second player, where they have one.
    pub clocks: [Option<ClockView>; 2],
    /// A fixed time for this move, in milliseconds.
    pub move_time_ms: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

impl GoLimits {
    /// The arguments of `go`, given the protocol's names for the two players' times and increments.
    pub fn go_arguments(&self, times: [&str; 2], increments: [&str; 2]) -> String {
        use std::fmt::Write;
        let mut arguments = String::new();
        let clocks =
            || self.clocks.iter().zip(times.iter().zip(increments)).filter_map(|(c, names)| c.map(|c| (c, names)));
        for (clock, (time, _)) in clocks() {
            let _ = write!(arguments, " {time} {}", clock.left_ms);
        }
        for (clock, (_, increment)) in clocks() {
            let _ = write!(arguments, " {increment} {}", clock.increment_ms);
        }
        for (name, value) in [
            ("movestogo", self.clocks.iter().flatten().find_map(|clock| clock.moves_to_go).map(u64::from)),
            ("movetime", self.move_time_ms),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
        ] {
            if let Some(value) = value {
                let _ = write!(arguments, " {name} {value}");
            }
        }
        if arguments.is_empty() { " infinite".into() } else { arguments }
    }
}

/// Milliseconds in seconds.
pub fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
