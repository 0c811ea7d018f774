//! Engines as child processes: output lines, a full pipe, interrupts, kills and CPU affinity.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, never};
use nullwindow::arena::client::{Link, LinkError};
use nullwindow::arena::play::process::{EngineProcess, StreamKind};
use nullwindow::platform::child_process::available_cores;
use nullwindow::platform::command_line::split;

use super::{Scratch, command_of, has_shell};
use crate::common::skip;

/// Bytes kept of one line.
const LONGEST_LINE: usize = 64 << 10;

/// A process of this test binary that follows a script.
fn scripted(script: &str, stop: Receiver<()>) -> EngineProcess {
    let words = split(&command_of(script)).unwrap();
    EngineProcess::spawn(&words, None, None, stop, Arc::default(), None).unwrap()
}

fn shell(script: &str, cores: Option<&[usize]>) -> Option<EngineProcess> {
    let words = ["sh", "-c", script].map(String::from);
    let log = Arc::default();
    has_shell().then(|| EngineProcess::spawn(&words, None, cores, never(), log, None).unwrap())
}

fn send(process: &mut EngineProcess, line: &str) -> Result<(), LinkError> {
    process.send_all(&[line.into()])
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn lines_are_timestamped_and_logged() {
    let script = "read line; echo \"got $line\"; echo oops >&2; printf 'last'; exit 3";
    let Some(mut process) = shell(script, None) else {
        return;
    };
    let sent = Instant::now();
    send(&mut process, "hello").unwrap();
    let line = process.receive(soon()).unwrap();
    assert_eq!(line.text, "got hello");
    assert!(line.at >= sent && line.at <= Instant::now());
    assert_eq!(process.receive(soon()).unwrap().text, "last");
    assert_eq!(process.receive(soon()).unwrap_err(), LinkError::Closed);
    assert_eq!(
        process.wait_for_exit().and_then(|status| status.code()),
        Some(3)
    );
    process.wait_for_stderr();
    assert_eq!(process.stderr(), "oops");
    let (entries, dropped) = process.log.entries();
    assert_eq!((entries.len(), dropped), (4, 0));
    assert_eq!(
        (entries[0].stream, entries[0].text.as_str()),
        (StreamKind::Input, "hello")
    );
    assert_eq!(send(&mut process, "more").unwrap_err(), LinkError::Closed);
}

#[test]
fn megabytes_of_output_do_not_block() {
    // Four megabytes without a newline, thousands of lines, then the awaited one.
    let script =
        "head -c 4000000 /dev/zero | tr '\\0' x; echo; yes noise | head -n 100000; echo done";
    let Some(mut process) = shell(script, None) else {
        return;
    };
    let first = process.receive(soon()).unwrap();
    assert_eq!(first.text.len(), LONGEST_LINE);
    while process.receive(soon()).unwrap().text != "done" {}
    assert!(process.log.entries().1 > 0);
}

#[test]
fn an_engine_that_does_not_read_its_input_is_an_error() {
    let mut process = scripted("sleep", never());
    let line = "x".repeat(16 << 10);
    let error = (0..100).find_map(|_| send(&mut process, &line).err());
    assert_eq!(error, Some(LinkError::Blocked));
}

#[test]
fn deadline_and_interrupt_end_a_wait() {
    let (stopper, stop) = bounded(0);
    let mut process = scripted("sleep", stop);
    // The test harness prints lines first.
    while process.receive(soon()).unwrap().text != "asleep" {}
    process.take_wait_time();
    assert_eq!(
        process
            .receive(Instant::now() + Duration::from_millis(200))
            .unwrap_err(),
        LinkError::Timeout
    );
    assert_ne!(process.take_wait_time(), Duration::ZERO);
    drop(stopper);
    assert_eq!(process.receive(soon()).unwrap_err(), LinkError::Interrupted);
}

#[test]
fn a_kill_reaches_grandchildren() {
    let scratch = Scratch::new("grandchild");
    fs::create_dir_all(&scratch.0).unwrap();
    let beats = scratch.0.join("beats");
    let beaten = || fs::metadata(&beats).map_or(0, |file| file.len());
    let process = scripted(&format!("parent:{}", beats.display()), never());
    let deadline = soon();
    while beaten() < 3 {
        assert!(Instant::now() < deadline, "the grandchild does not run");
        sleep(Duration::from_millis(5));
    }
    drop(process);
    // It writes every five milliseconds; a killed process may take a moment to exit.
    loop {
        let before = beaten();
        sleep(Duration::from_millis(500));
        if beaten() == before {
            break;
        }
        assert!(Instant::now() < deadline, "the grandchild still runs");
    }
}

#[test]
fn children_of_an_engine_are_killed_after_its_exit() {
    let scratch = Scratch::new("left-running");
    fs::create_dir_all(&scratch.0).unwrap();
    let beats = scratch.0.join("beats");
    let beaten = || fs::metadata(&beats).map_or(0, |file| file.len());
    // It holds none of the engine's pipes.
    let beat = format!("while :; do echo >>'{}'; sleep 0.01; done", beats.display());
    let script = format!("({beat}) </dev/null >/dev/null 2>&1 & read line; exit 0");
    let Some(mut process) = shell(&script, None) else {
        return;
    };
    let deadline = soon();
    while beaten() < 3 {
        assert!(Instant::now() < deadline, "it does not run");
        sleep(Duration::from_millis(5));
    }
    send(&mut process, "quit").unwrap();
    process.close_input();
    process.wait_for_exit();
    drop(process);
    loop {
        let before = beaten();
        sleep(Duration::from_millis(500));
        if beaten() == before {
            break;
        }
        assert!(Instant::now() < deadline, "it still runs");
    }
}

#[test]
fn a_child_runs_on_its_cores() {
    let Some(cores) = available_cores() else {
        return skip("this system cannot bind processes to cores");
    };
    if !Path::new("/proc/self/status").exists() {
        return skip("no /proc/self/status to read the cores of a process from");
    }
    let core = cores[0];
    let Some(mut process) = shell("grep Cpus_allowed_list /proc/self/status", Some(&[core])) else {
        return;
    };
    let line = process.receive(soon()).unwrap().text;
    assert_eq!(
        line.split_whitespace().last(),
        Some(core.to_string().as_str())
    );
    assert_eq!(available_cores(), Some(cores));
}
