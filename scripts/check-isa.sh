#!/usr/bin/env bash
# Disassembles the release binary and checks that every intrinsic is inlined (one call costs a factor of twenty), that the AVX2 and
# AVX-512 copies use the instructions of their instruction set, and that they call no iterator adaptor, which would be compiled without
# it (src/games/reversi/eval/measurements.md#loops-by-index).
#
#   scripts/check-isa.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
binary=${1:-target/release/nullwindow}
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null; then
    skip "needs an x86-64 binary and objdump"
    # In CI, an x86-64 machine must have objdump.
    if [ -n "${CI:-}" ] && [ "$(uname -m)" = x86_64 ]; then exit 1; fi
    exit 0
fi
code=$(mktemp)
trap 'rm -f "$code"' EXIT
objdump --disassemble --demangle --no-show-raw-insn "$binary" >"$code"

# Only functions of this crate count: dependencies are compiled without optimization.
survivors=$(awk '/^[0-9a-f]+ <.*>:$/ { caller = $0 } /call.*<core::core_arch::/ && caller ~ /nullwindow::/ { print caller; print "    " $0 }' "$code")
if [ -n "$survivors" ]; then
    printf 'intrinsics that are not inlined:\n%s\n' "$survivors"
    exit 1
fi
adaptors=$(awk '/^[0-9a-f]+ <.*>:$/ { caller = $0 }
    /call.*core::iter::adapters::/ && caller ~ /isa::(Avx2|Avx512) as nullwindow.*::dispatch/ { print "    " $0 }' "$code" | sort -u)
if [ -n "$adaptors" ]; then
    printf 'iterator adaptors that are not inlined in multiversioned code; write the loop by index:\n%s\n' "$adaptors"
    exit 1
fi
# Every multiversioned function is `dispatch` inside `Isa::call` (tasks) or `Isa::search` (the production loop).
has() { # ISA FUNCTION INSTRUCTION: checks that a copy of the function for this ISA contains the instruction
    awk -v name="isa::$1 as nullwindow::internal::search::core::isa::Isa>::$2::dispatch" -v instruction="$3" '
        /^[0-9a-f]+ <.*>:$/ { inside = index($0, name) }
        inside && $0 ~ instruction { found = 1 }
        END { exit !found }' "$code" || { echo "the $1 copies of $2 contain no $3"; exit 1; }
}
for function in call search; do
    has Avx2 "$function" popcnt
    has Avx512 "$function" popcnt
    has Avx512 "$function" vplzcntq
done
echo "all intrinsics and iterators are inlined, and each copy uses its instruction set"
