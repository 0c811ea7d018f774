//! Code that depends on the operating system. It uses no other module (`tests/tidy.rs`).
//!
//! | | Linux | other Unix | Windows |
//! |---|---|---|---|
//! | `cpu_time` | thread clock | thread clock, or wall time with a note | `GetThreadTimes` |
//! | `interrupt` | SIGINT, SIGTERM, SIGHUP | the same | Ctrl-C, Ctrl-Break, closing of the console |
//! | `child_process` | process group, pipe, parent-death signal | the first two | job object, writer thread |
//! | its CPU affinity | `sched_setaffinity` | none, with an error | affinity mask of the process |
//! | `file_lock` | `flock` | the same | a file that others cannot open for writing |
//! | `memory` | large pages, free memory | neither | free memory |
//! | `streams` | hang-up by `poll` | the same | found by the next write |
//! | `processor_wait` | `schedstat` of each thread | unknown | unknown |
//! | `wake_up` | short time slice (6.12 or later) | none | priority above normal |
//! | `command_line` | shell words | the same | backslashes are part of paths |
//! | `files` | opened non-blocking, kind checked | the same | kind checked |

#[cfg(feature = "cli")]
pub mod child_process;
pub mod clock;
#[cfg(feature = "cli")]
pub mod command_line;
pub mod cpu_time;
#[cfg(feature = "cli")]
pub mod file_lock;
pub mod files;
#[cfg(feature = "cli")]
pub mod interrupt;
pub mod memory;
#[cfg(feature = "cli")]
pub mod process_guard;
#[cfg(feature = "cli")]
pub mod processor_wait;
pub mod streams;
pub mod wake_up;
