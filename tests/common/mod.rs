//! Shared test support: the binary as a child process (send lines, expect lines with timeouts), the
//! record of skipped checks, the available instruction sets, and an exact solver as the oracle
//! ([`oracle`]).

pub mod browser;
pub mod oracle;
pub mod plain_loops;
pub mod with_isa;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nullwindow::search::core::isa::IsaChoice;

/// A timeout longer than any test takes, even on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder for the files of a test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder whose name contains `name`.
    pub fn new(name: &str) -> Folder {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let name = name.replace('/', "-");
        let name = format!("nullwindow-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file and returns its path. An earlier one is removed first: some file systems write a
    /// file that is overwritten to the disk at once.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let _ = fs::remove_file(self.0.join(name));
        fs::write(self.0.join(name), bytes).expect("a file in a temporary folder");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Tests each case on a thread of its own: for cases that mostly wait.
pub fn at_once<C: Send>(cases: impl IntoIterator<Item = C>, test: impl Fn(C) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || test(case));
        }
    });
}

/// The command that starts the binary.
pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_nullwindow"))
}

/// Runs the binary with these words and this standard input.
pub fn nullwindow(words: &[&str], input: &(impl AsRef<[u8]> + ?Sized)) -> Output {
    let mut command = command();
    command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let _ = child
        .stdin
        .take()
        .expect("its input is piped")
        .write_all(input.as_ref()); // a usage error ends it unread
    child.wait_with_output().expect("its output can be read")
}

/// The subcommands that `--help` lists.
pub fn subcommands() -> Vec<String> {
    let help = String::from_utf8(nullwindow(&["--help"], "").stdout).unwrap();
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    listed
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(String::from)
        .collect()
}

/// The words that select each command that does something, those of subcommands included
/// (`lab train eval`).
pub fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut walk = vec![Vec::<String>::new()];
    while let Some(words) = walk.pop() {
        let line: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = String::from_utf8(nullwindow(&line, "").stdout).unwrap();
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty());
        for name in listed.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()) {
            if name != "help"
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            {
                let command = [&words[..], &[name.to_owned()]].concat();
                found.push(command.clone());
                walk.push(command);
            }
        }
    }
    found
}

/// Records a skipped check: prints it and appends a line to the file named by `NULLWINDOW_SKIPS`,
/// which `.ci/run` lists.
#[allow(clippy::print_stdout, reason = "a skip must be visible")]
pub fn skip(reason: &str) {
    let thread = thread::current();
    let line = format!(
        "{}::{}: {reason}",
        env!("CARGO_CRATE_NAME"),
        thread.name().unwrap_or("?")
    );
    println!("skipped: {line}");
    if let Some(file) = std::env::var_os("NULLWINDOW_SKIPS") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)
            .expect("the list of skips is writable");
        file.write_all(format!("{line}\n").as_bytes())
            .expect("the list of skips is writable");
    }
}

/// Whether the tests run on an emulated system (wine) or processor (qemu).
pub fn is_emulated() -> bool {
    std::env::var_os("NULLWINDOW_EMULATED").is_some()
}

/// The instruction sets of this processor; the others are recorded as skipped.
pub fn instruction_sets() -> Vec<IsaChoice> {
    for choice in IsaChoice::ALL
        .into_iter()
        .filter(|choice| !choice.is_available())
    {
        skip(&format!("this processor has no {}", choice.name()));
    }
    IsaChoice::available().collect()
}

/// The text of a data file that is not part of the repository (folder `NULLWINDOW_DATA`, default
/// `../shared`); `None` is recorded as skipped.
pub fn shared_data(file: &str) -> Option<String> {
    let folder = std::env::var("NULLWINDOW_DATA").unwrap_or_else(|_| "../shared".into());
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        skip(&format!("no {}", path.display()));
    }
    text
}

/// A running engine.
pub struct Engine {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    /// Starts it with these arguments.
    pub fn start(arguments: &[&str]) -> Engine {
        let mut child = command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Engine {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .expect("the engine reads");
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        self.line_within(PATIENCE).expect("a line in time")
    }

    /// The next line, if one comes in time.
    pub fn line_within(&mut self, patience: Duration) -> Option<String> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the output has ended"),
        }
    }

    /// All lines up to the first that begins so, that one included.
    pub fn until(&mut self, beginning: &str) -> Vec<String> {
        self.lines_to(beginning, |line| line.starts_with(beginning))
    }

    /// All lines up to this one, included.
    pub fn until_line(&mut self, last: &str) -> Vec<String> {
        self.lines_to(last, |line| line == last)
    }

    fn lines_to(&mut self, awaited: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let end = Instant::now() + PATIENCE; // keep-alive lines may continue forever
        let mut lines = Vec::new();
        loop {
            let line = self.line_within(end.saturating_duration_since(Instant::now()));
            let line = line.unwrap_or_else(|| panic!("no \"{awaited}\" after {lines:?}"));
            let last = is_last(&line);
            lines.push(line);
            if last {
                return lines;
            }
        }
    }

    /// Sends a line and returns the last of its answer, which begins so.
    pub fn ask(&mut self, line: &str, beginning: &str) -> String {
        self.send(line);
        self.until(beginning)
            .pop()
            .expect("until returns at least one line")
    }

    /// Asks for the best move.
    pub fn best_move(&mut self, go: &str) -> String {
        let line = self.ask(go, "bestmove");
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!(words.len(), 2, "{line}");
        words[1].into()
    }

    /// Asks for the best move, which the expected reply may follow.
    pub fn best_move_and_reply(&mut self, go: &str) -> String {
        let line = self.ask(go, "bestmove");
        let words: Vec<_> = line.split(' ').collect();
        assert!(
            words.len() == 2 || words.len() == 4 && words[2] == "ponder",
            "{line}"
        );
        words[1].into()
    }

    /// Closes the input.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// All lines up to the end of output.
    pub fn rest(&mut self) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => return lines,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the engine does not exit; it printed {lines:?}")
                }
            }
        }
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process to end.
pub fn wait(child: &mut Child) -> ExitStatus {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        assert!(Instant::now() < end, "the process does not end");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a condition holds; `missing` describes what is missing if it never does.
#[track_caller]
pub fn wait_until(missing: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{missing}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process as soon as a condition holds, before which the process must not end.
#[track_caller]
pub fn signal_when(child: &mut Child, name: &str, missing: &str, mut holds: impl FnMut() -> bool) {
    wait_until(missing, || {
        let status = child.try_wait().expect("a child can be waited for");
        assert_eq!(status, None, "{missing}: the process has ended");
        holds()
    });
    signal(child, name);
}

/// Sends a signal (`INT`, `TERM`, `HUP`, `STOP` or `CONT`) to a process; Unix only.
pub fn signal(child: &Child, name: &str) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let signal = match name {
            "INT" => Signal::INT,
            "TERM" => Signal::TERM,
            "HUP" => Signal::HUP,
            "STOP" => Signal::STOP,
            "CONT" => Signal::CONT,
            _ => panic!("no signal {name}"),
        };
        kill_process(Pid::from_child(child), signal).expect("the process exists");
    }
    #[cfg(not(unix))]
    panic!("no signal {name} for process {} here", child.id());
}

/// A pseudoterminal: the end of the test, and a function that opens the end of the process.
#[cfg(unix)]
pub fn terminal() -> (fs::File, impl Fn() -> Stdio) {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudoterminal");
    grantpt(&terminal).expect("access to it");
    unlockpt(&terminal).expect("it is unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("its name");
    let side = move || {
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        Stdio::from(open(&name, flags, Mode::empty()).expect("its other end"))
    };
    (terminal.into(), side)
}

/// The lines that the binary prints for an input that then ends, and its exit status.
pub fn converse(arguments: &[&str], input: &[u8]) -> (Vec<String>, ExitStatus) {
    let mut engine = Engine::start(arguments);
    engine.send_bytes(input);
    engine.end_input();
    (engine.rest(), engine.wait())
}

/// A line with what differs from run to run replaced: times, and nodes per second.
pub fn normalized(line: &str) -> String {
    let mut previous = "";
    let words = line.split(' ').map(|word| {
        let varies =
            matches!(previous, "nps" | "time") && word.bytes().all(|byte| byte.is_ascii_digit());
        previous = word;
        if varies { "N" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Recognizes the lines that a search sends only because it takes long: on a slow machine they may
/// appear between any others.
#[derive(Default)]
pub struct KeepAlive {
    /// Whether the last command ranks the moves, which has no other lines with depths.
    is_ranking: bool,
    /// The last other line with a score, without its counters.
    score: String,
}

impl KeepAlive {
    /// After this command.
    pub fn after(command: &str) -> KeepAlive {
        KeepAlive {
            is_ranking: command.starts_with("moves "),
            ..KeepAlive::default()
        }
    }

    /// The other lines.
    pub fn removed_from(mut self, mut lines: Vec<String>) -> Vec<String> {
        lines.retain(|line| !self.is(line));
        lines
    }

    /// Whether the next line is one of these.
    pub fn is(&mut self, line: &str) -> bool {
        if line.contains(" currmove ")
            || line.starts_with("info depth 0 ") && line.contains(" pv ")
            || line.starts_with("info string perft ") && line.contains(" counting, time ")
            || line.starts_with("status depth ")
            || self.is_ranking && line.starts_with("info depth ")
        {
            return true;
        }
        if !(line.starts_with("info depth ") && line.contains(" score ")) {
            return false;
        }
        // The same line with new counters.
        let (mut score, mut previous) = (String::new(), "");
        for word in line.split(' ') {
            if !matches!(previous, "nodes" | "nps" | "hashfull" | "time") {
                score += word;
            }
            previous = word;
        }
        let is_repeated = score == self.score;
        self.score = score;
        is_repeated
    }
}

/// The lines that a session would also print on a fast machine.
pub fn without_keep_alive(lines: Vec<String>) -> Vec<String> {
    KeepAlive::default().removed_from(lines)
}
