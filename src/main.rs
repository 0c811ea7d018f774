//! The binary. Its code is in `src/cli`.

fn main() -> std::process::ExitCode {
    nullwindow::main()
}
