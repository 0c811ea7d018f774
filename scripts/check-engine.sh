#!/usr/bin/env bash
# The library without feature `cli`: lints, unit tests, and the number of crates that it needs on this system, without itself
# and without procedural macros and what these need.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=18

crates=$(cargo tree --locked --no-default-features --edges normal,no-proc-macro --prefix none --format '{p}' |
    cut -d ' ' -f 1 | sort -u | grep -vx nullwindow)
number=$(wc -l <<<"$crates")
echo "$number crates, at most $limit:" $crates
[ "$number" -le "$limit" ]
cargo clippy --locked --no-default-features --lib --quiet -- -D warnings
# Without optimization: the build saves more time than the tests lose.
cargo test --locked --config profile.dev.opt-level=0 --no-default-features --lib --quiet
