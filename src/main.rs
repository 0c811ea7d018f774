//! The binary. Its code is in `src/cli`.

/// See the type: without enough memory the program ends with an error.
#[global_allocator]
static ALLOCATOR: nullwindow::ExitingAllocator = nullwindow::ExitingAllocator;

fn main() -> std::process::ExitCode {
    nullwindow::main()
}
