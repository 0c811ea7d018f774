#!/usr/bin/env bash
# Looks into the release binary: no intrinsic may survive as a function of its own (one that was not inlined costs a factor of
# twenty), and the copies stamped for AVX2 must count bits in one instruction.
#
#   scripts/check-stamped.sh [BINARY]
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${1:-target/release/nullwindow}
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null; then
    echo "skipped: needs an x86-64 binary and objdump"
    # In CI it must run wherever it can.
    if [ -n "${CI:-}" ] && [ "$(uname -m)" = x86_64 ]; then exit 1; fi
    exit 0
fi
code=$(mktemp)
trap 'rm -f "$code"' EXIT
objdump --disassemble --demangle --no-show-raw-insn "$binary" >"$code"

# `std_detect` asks the processor what it has, once; `memchr` is not ours.
survivors=$(awk '/^[0-9a-f]+ <.*>:$/ { caller = $0 } /call.*<core::core_arch::/ && caller !~ /std_detect|<memchr::/ { print caller; print "    " $0 }' "$code")
if [ -n "$survivors" ]; then
    printf 'intrinsics called as functions:\n%s\n' "$survivors"
    exit 1
fi
for function in last_3 shallow middle deep; do
    awk -v name="Avx2 as nullwindow::othello::kernel::stamped::Stamped>::$function::stamp" '
        /^[0-9a-f]+ <.*>:$/ { inside = index($0, name) }
        inside && /popcnt/ { found = 1 }
        END { exit !found }' "$code" || { echo "no popcnt in the AVX2 copy of $function"; exit 1; }
done
echo "no intrinsic survives, and bits are counted in one instruction"
