//! Standard output: whether its reader has closed it, and whether it supports color.

use std::io::IsTerminal;

/// Whether standard output is a terminal with color that neither `NO_COLOR` nor `TERM=dumb`
/// disables.
pub fn stdout_shows_color() -> bool {
    std::io::stdout().is_terminal()
        && !anstyle_query::no_color()
        && anstyle_query::term_supports_color()
        && anstyle_query::windows::enable_ansi_colors().unwrap_or(true) // `None` elsewhere
}

/// Whether the reader of standard output has closed it.
#[cfg(unix)]
pub fn stdout_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let stdout = std::io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    poll(&mut polled, Some(&Timespec::default())).is_ok()
        && polled
            .iter()
            .any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// Bytes in the pipe of standard output that its reader has not read yet; `None` if unknown.
#[cfg(unix)]
pub fn stdout_unread() -> Option<u64> {
    rustix::io::ioctl_fionread(std::io::stdout()).ok()
}

/// Bytes in the pipe of standard output that its reader has not read yet: unknown here.
#[cfg(not(unix))]
pub fn stdout_unread() -> Option<u64> {
    None
}

/// Whether the reader of standard output has closed it: unknown until the next write fails.
#[cfg(not(unix))]
pub fn stdout_hung_up() -> bool {
    false
}
