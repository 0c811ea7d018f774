#!/usr/bin/env bash
# Model-checks a split point with an owner and two helpers (tests/loom), with loom: all interleavings with at most
# LOOM_MAX_PREEMPTIONS preemptions (default 3). Arguments are passed to the test binary.
set -euo pipefail
cd "$(dirname "$0")/../tests/loom"
target=${CARGO_TARGET_DIR:-$PWD/../../target}
export LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-3}"
RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$target/loom" exec cargo test --quiet --locked -- "$@"
