//! The engine as a WebAssembly module (`nullwindow.js` loads it).
//!
//! Exports: `input(n)` returns the place for n bytes, `weights()` takes them as the weight file and
//! returns 1, or 0 after an error line; `send()` handles them as a line of UTF-8, returns when its
//! search is over, and returns 1 after `quit`. Imports from `nullwindow`: `line(place, n)` receives
//! an output line, `now()` is the time in milliseconds, `stopped()` is not 0 if the running search
//! is to stop.

use std::cell::RefCell;

use nullwindow::Session;

#[link(wasm_import_module = "nullwindow")]
unsafe extern "C" {
    safe fn line(text: *const u8, length: usize);
}

fn write(text: &str) {
    line(text.as_ptr(), text.len());
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// The place for this number of bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Begins the session with these weights.
#[unsafe(no_mangle)]
pub extern "C" fn weights() -> bool {
    let session = Session::with_weights(&INPUT.take(), write)
        .map_err(|error| write(&format!("info string error: weights: {error}")));
    SESSION.set(session.ok());
    SESSION.with_borrow(Option::is_some)
}

/// Handles the line. Returns whether the session is over.
#[unsafe(no_mangle)]
pub extern "C" fn send() -> bool {
    let input = INPUT.take();
    SESSION.with_borrow_mut(|session| match session {
        Some(session) => {
            session.send(&String::from_utf8_lossy(&input));
            session.is_over()
        }
        None => {
            write("info string error: the weights are not loaded: call weights() first");
            false
        }
    })
}
