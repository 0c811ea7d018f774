//! The engine as a WebAssembly module (`nullwindow.js` loads it).
//!
//! Exports: `input(n)` returns the place for the UTF-8 text of a line of n bytes, `send()` handles
//! that line and returns when its search is over. Imports from `nullwindow`: `line(place, n)`
//! receives an output line, `now()` is the time in milliseconds, `stopped()` is not 0 if the running
//! search is to stop.

use std::cell::RefCell;

use nullwindow::Session;

#[link(wasm_import_module = "nullwindow")]
unsafe extern "C" {
    safe fn line(text: *const u8, length: usize);
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Session> =
        RefCell::new(Session::new(|text| line(text.as_ptr(), text.len())));
}

/// The place for a line of this length.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Handles the line.
#[unsafe(no_mangle)]
pub extern "C" fn send() {
    let input = INPUT.take();
    SESSION.with_borrow_mut(|session| session.send(&String::from_utf8_lossy(&input)));
}
