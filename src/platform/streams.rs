//! Standard output whose reader has gone.

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

/// Whether the reader of standard output has closed it: not known before the next write, which fails.
#[cfg(not(unix))]
pub fn stdout_hung_up() -> bool {
    false
}
