//! What differs between operating systems: every folder may use it, it uses none.

pub mod interrupt;
