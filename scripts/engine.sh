# shellcheck shell=bash
# Sourced by scripts. Sets `root`, the folder above `scripts`, and `engine`: NULLWINDOW, the program in `root` (release archives), or
# this repository's release build, built first.
# With --help, prints the comment of the script.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ ${1:-} = -h || ${1:-} = --help ]]; then
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$root/scripts/$(basename "$0")"
    exit
fi
engine=${NULLWINDOW:-}
if [ -z "$engine" ] && [ -x "$root/nullwindow" ]; then engine=$root/nullwindow; fi
if [ -z "$engine" ]; then
    cargo build --release --quiet --manifest-path "$root/Cargo.toml"
    engine=$root/target/release/nullwindow
fi
