//! The binary: logger, arguments, exit code.

fn main() {}
