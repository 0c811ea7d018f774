#!/usr/bin/env bash
# Looks into the release binary: no intrinsic may survive as a function of its own (one that was not inlined costs a factor of
# twenty), and the copies for AVX2 and AVX-512 must use what these have.
#
#   scripts/check-isa.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
binary=${1:-target/release/nullwindow}
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null; then
    skip "needs an x86-64 binary and objdump"
    # In CI it must run wherever it can.
    if [ -n "${CI:-}" ] && [ "$(uname -m)" = x86_64 ]; then exit 1; fi
    exit 0
fi
code=$(mktemp)
trap 'rm -f "$code"' EXIT
objdump --disassemble --demangle --no-show-raw-insn "$binary" >"$code"

# In this crate's functions: dependencies, which are compiled without optimisation, may call what they like.
survivors=$(awk '/^[0-9a-f]+ <.*>:$/ { caller = $0 } /call.*<core::core_arch::/ && caller ~ /nullwindow::/ { print caller; print "    " $0 }' "$code")
if [ -n "$survivors" ]; then
    printf 'intrinsics called as functions:\n%s\n' "$survivors"
    exit 1
fi
# Every multiversioned function is `dispatch` inside `Isa::call` (tasks) or `Isa::search` (the production loop).
has() { # ISA FUNCTION INSTRUCTION: some copy of the function for this ISA has the instruction
    awk -v name="isa::$1 as nullwindow::search::isa::Isa>::$2::dispatch" -v instruction="$3" '
        /^[0-9a-f]+ <.*>:$/ { inside = index($0, name) }
        inside && $0 ~ instruction { found = 1 }
        END { exit !found }' "$code" || { echo "no $3 in the $1 copies of $2"; exit 1; }
}
for function in call search; do
    has Avx2 "$function" popcnt
    has Avx512 "$function" popcnt
    has Avx512 "$function" vplzcntq
done
echo "no intrinsic survives, and each copy uses its instruction set"
