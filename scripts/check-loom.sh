#!/usr/bin/env bash
# The interleavings of an owner and two helpers at a split point (tests/loom), by the model checker loom: all with at most
# LOOM_MAX_PREEMPTIONS preemptions, by default three. Further arguments are those of the test binary.
set -euo pipefail
cd "$(dirname "$0")/../tests/loom"
target=${CARGO_TARGET_DIR:-$PWD/../../target}
export LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-3}"
RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$target/loom" exec cargo test --quiet --locked -- "$@"
