#!/usr/bin/env bash
# Builds and tests the two Linux archives of this machine's CPU, and compares the static program with the one for glibc: at most 1 % more
# instructions in a search (valgrind), and 3 % more user time in interleaved runs of the endgame bench.
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
    for depth in 1 18; do
        counts+=("$(printf 'position startpos moves f5d6c3d3c4f4\ngo depth %s\n' "$depth" |
            valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" 2>&1 | sed -n 's/.*Collected : //p')")
    done
    echo $(((counts[1] - counts[0]) / 1000))
}

# The median of user seconds, and that of system seconds, from a file of both.
medians() { echo "$(cut -d ' ' -f 1 "$1" | sort -n | sed -n 4p) $(cut -d ' ' -f 2 "$1" | sort -n | sed -n 4p)"; }

declare -A count
for libc in musl gnu; do
    target=$cpu-unknown-linux-$libc
    scripts/release/build.sh "$target"
    scripts/release/try.sh target/dist/nullwindow-*-"$target".tar.gz
    if command -v valgrind >/dev/null; then count[$libc]=$(instructions "target/$target/release/nullwindow"); fi
done
rm -f "$venv"/times.*
TIMEFORMAT='%U %S'
for _ in 1 2 3 4 5 6 7; do
    for libc in musl gnu; do
        { time "target/$cpu-unknown-linux-$libc/release/nullwindow" bench endgame >/dev/null 2>&1; } 2>>"$venv/times.$libc"
    done
done
echo "user and system seconds of bench endgame: static $(medians "$venv/times.musl"), glibc $(medians "$venv/times.gnu")"
awk 'BEGIN { exit !(ARGV[1] <= ARGV[3] * 1.03) }' $(medians "$venv/times.musl") $(medians "$venv/times.gnu") ||
    fail "the static program needs over 3 % more user time"
if [ ${#count[@]} = 0 ]; then
    skip "the static program is not compared with the other: no valgrind"
    exit
fi
echo "instructions of a search, in thousands: static ${count[musl]}, glibc ${count[gnu]}"
[ $((count[musl] * 100)) -le $((count[gnu] * 101)) ] || fail "the static program needs over 1 % more instructions"
