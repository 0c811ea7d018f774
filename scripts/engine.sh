# shellcheck shell=bash
# Sourced by scripts. Sets `root`, the folder above `scripts`, and `engine`: NULLWINDOW, the program in `root` (release archives), or
# this repository's release build, built first.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
engine=${NULLWINDOW:-}
if [ -z "$engine" ] && [ -x "$root/nullwindow" ]; then engine=$root/nullwindow; fi
if [ -z "$engine" ]; then
    cargo build --release --quiet --manifest-path "$root/Cargo.toml"
    engine=$root/target/release/nullwindow
fi
