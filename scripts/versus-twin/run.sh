#!/usr/bin/env bash
# Compares the instruction counts of the generic production loop and of a hand-written search that visits the same nodes. Needs
# valgrind. Exit status 1 if the nodes differ or the loop needs more than 3 % more instructions.
#
#   scripts/versus-twin/run.sh [DEPTH [PLIES]]
set -euo pipefail
cd "$(dirname "$0")"
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 2; }
cargo build --release --quiet
status=0

measure() { # WHO SET DEPTH PLIES: "NODES-AND-VALUES INSTRUCTIONS"
    local log
    log=$(mktemp)
    found=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/versus-twin "$@" 2>"$log")
    instructions=$(sed -n 's/.*Collected : //p' "$log")
    rm "$log"
}

for set in portable avx2; do
    target/release/versus-twin twin "$set" 2 >/dev/null 2>&1 || { echo "$set: not supported by this CPU"; continue; }
    measure twin "$set" "$@"
    twin=$instructions nodes=$found
    measure generic "$set" "$@"
    [[ $nodes == "$found" ]] || { echo "$set: the twin printed \"$nodes\", the loop \"$found\""; exit 1; }
    ratio=$(awk -v loop="$instructions" -v twin="$twin" 'BEGIN { printf "%.3f", loop / twin }')
    echo "$set: $found; instructions: twin $twin, loop $instructions, ratio $ratio"
    awk -v ratio="$ratio" 'BEGIN { exit ratio > 1.03 }' || status=1
done
exit $status
