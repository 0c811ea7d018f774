//! Standard output: whether its reader has gone, and whether it shows colours.

use std::io::IsTerminal;

/// Whether standard output is a terminal that shows colours, and the user wants them: neither `NO_COLOR` is set nor
/// `TERM=dumb`.
pub fn stdout_shows_colour() -> bool {
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
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&at_once)).is_ok()
        && polled.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// Bytes in the pipe of standard output that its reader has not read yet; `None` if the system does not tell.
#[cfg(unix)]
pub fn stdout_unread() -> Option<u64> {
    rustix::io::ioctl_fionread(std::io::stdout()).ok()
}

/// Bytes in the pipe of standard output that its reader has not read yet: not known here.
#[cfg(not(unix))]
pub fn stdout_unread() -> Option<u64> {
    None
}

/// Whether the reader of standard output has closed it: not known before the next write, which fails.
#[cfg(not(unix))]
pub fn stdout_hung_up() -> bool {
    false
}
