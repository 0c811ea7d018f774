#!/usr/bin/env bash
# Tests the checker of proofs: its rules and its solver, proofs of the engine for every game, and every kind of damage. NULLWINDOW is
# the engine, by default the release build, which is built first.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./engine.sh ''
cd check-proof
NULLWINDOW=$(realpath "$engine") exec cargo test --quiet --locked
