//! The binary: logger, panic hook, arguments, exit code.

use std::process::ExitCode;

use nullwindow::logging;

fn main() -> ExitCode {
    // Abort on a panic of any thread; otherwise a match runner would wait for an answer forever.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        log::error!(target: logging::PROTOCOL, "{panic}");
        std::process::abort();
    }));
    logging::start();
    nullwindow::cli::main()
}
