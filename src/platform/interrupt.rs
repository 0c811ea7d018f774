//! Interrupts of long jobs: Ctrl-C, SIGTERM, a closed terminal (SIGHUP, unless ignored as by `nohup`),
//! and on Windows also Ctrl-Break and closing the console. The first asks the job to complete its
//! record; the second ends the process, except a further SIGHUP: terminal and shell send one each.
//! A process that ends removes its unfinished files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};

/// The exit status after an interrupt, by shell convention.
pub const EXIT_INTERRUPTED: u8 = 130;

/// What an interrupt does.
struct Handler {
    is_installed: bool,
    /// The channels that the next interrupt disconnects; without one, it ends the process.
    jobs: Vec<Sender<()>>,
    /// The paths of the [`UnfinishedFile`]s.
    unfinished: Vec<PathBuf>,
}

static HANDLER: Mutex<Handler> = Mutex::new(Handler {
    is_installed: false,
    jobs: Vec::new(),
    unfinished: Vec::new(),
});

impl Handler {
    fn lock() -> MutexGuard<'static, Handler> {
        HANDLER.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handler, installed.
    fn install() -> io::Result<MutexGuard<'static, Handler>> {
        let mut handler = Handler::lock();
        if !handler.is_installed {
            listen_for_interrupts()?;
            handler.is_installed = true;
        }
        Ok(handler)
    }

    fn interrupt(&mut self) {
        if !self.jobs.is_empty() {
            return self.jobs.clear();
        }
        for path in &self.unfinished {
            let _ = fs::remove_file(path);
        }
        // The lock is kept, so that no further file is created.
        std::process::exit(EXIT_INTERRUPTED.into());
    }
}

/// A channel that the first interrupt disconnects, without a message.
///
/// # Errors
/// If the handler cannot be installed.
pub fn channel() -> io::Result<Receiver<()>> {
    let (sender, receiver) = bounded(0);
    Handler::install()?.jobs.push(sender);
    Ok(receiver)
}

/// A temporary file, removed when this is dropped and when an interrupt ends the process.
pub struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Creates the file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: PathBuf) -> io::Result<(File, UnfinishedFile)> {
        let mut handler = Handler::install()?;
        let file = File::create(&path)?;
        handler.unfinished.push(path.clone());
        Ok((file, UnfinishedFile(path)))
    }

    /// Its path; once the file is renamed, nothing is removed.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        Handler::lock().unfinished.retain(|path| *path != self.0);
    }
}

/// Makes a write beyond the file size limit (`ulimit -f`) fail, as on a full disk, instead of
/// ending the process. Programs that this process starts are not affected.
pub fn survive_file_size_limit() {
    // A handler that only sets a flag: unlike an ignored signal, it is not inherited by programs.
    #[cfg(unix)]
    {
        use std::sync::atomic::AtomicBool;

        static EXCEEDED: AtomicBool = AtomicBool::new(false);
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, &EXCEEDED);
    }
}

/// Calls [`Handler::interrupt`] at each interrupt, in a separate thread.
#[cfg(unix)]
fn listen_for_interrupts() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            let mut is_interrupted = false;
            for signal in signals.forever() {
                if signal != SIGHUP || !is_interrupted {
                    Handler::lock().interrupt();
                }
                is_interrupted = true;
            }
        })?;
    Ok(())
}

/// Whether the process ignores a signal, as its parent may have arranged.
#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, the present one is only written to `action`, which is valid when
    // zeroed.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Calls [`Handler::interrupt`] at each interrupt, in a thread that the system starts.
#[cfg(windows)]
#[allow(unsafe_code)]
fn listen_for_interrupts() -> io::Result<()> {
    use std::time::Duration;

    use windows_sys::Win32::System::Console::{
        CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler,
    };

    unsafe extern "system" fn handler(event: u32) -> i32 {
        Handler::lock().interrupt();
        if event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT {
            // The system ends the process when this returns, or after a few seconds.
            std::thread::sleep(Duration::from_secs(60));
        }
        1
    }

    // SAFETY: the handler is a static function and keeps no pointers.
    if unsafe { SetConsoleCtrlHandler(Some(handler), 1) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
