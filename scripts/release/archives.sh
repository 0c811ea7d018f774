#!/usr/bin/env bash
# Builds and tests the two Linux archives of this machine's CPU, and compares the static program with the one for glibc: at most 1 % more
# instructions in a search (valgrind).
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/skip.sh
fail() { echo "FAILED: $*" && exit 1; }
cpu=$(uname -m)
venv=target/release-tools

if ! cmp -s scripts/release/requirements.lock "$venv/installed"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet -r scripts/release/requirements.lock
    cp scripts/release/requirements.lock "$venv/installed"
fi
PATH=$PWD/$venv/bin:$PATH
rustup target add "$cpu-unknown-linux-musl" "$cpu-unknown-linux-gnu" 2>/dev/null

# Thousands of instructions of a search, without the start of the program.
instructions() { # PROGRAM
    local counts=() depth
    for depth in 1 14; do
        counts+=("$(printf 'position startpos moves f5d6c3d3c4f4\ngo depth %s\n' "$depth" |
            valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" 2>&1 | sed -n 's/.*Collected : //p')")
    done
    echo $(((counts[1] - counts[0]) / 1000))
}

declare -A count
for libc in musl gnu; do
    target=$cpu-unknown-linux-$libc
    scripts/release/build.sh "$target"
    scripts/release/try.sh target/dist/nullwindow-*-"$target".tar.gz
    if command -v valgrind >/dev/null; then count[$libc]=$(instructions "target/$target/release/nullwindow"); fi
done
if [ ${#count[@]} = 0 ]; then
    skip "the static program is not compared with the other: no valgrind"
    exit
fi
echo "instructions of a search, in thousands: static ${count[musl]}, glibc ${count[gnu]}"
[ $((count[musl] * 100)) -le $((count[gnu] * 101)) ] || fail "the static program needs over 1 % more instructions"
