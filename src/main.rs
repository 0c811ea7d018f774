//! The binary: logger, panic hook, arguments, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A dead worker must kill the process: a match runner would wait for its answer for ever.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::abort();
    }));
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    nullwindow::commands::main()
}
