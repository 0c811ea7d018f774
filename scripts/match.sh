#!/usr/bin/env bash
# A match between two engines: 20 games in pairs with swapped colours from balanced openings, 1 s + 0.01 s a side.
#
#   scripts/match.sh                                      this engine at depth 4 against itself at depth 3
#   scripts/match.sh ./old ./new                          two engine commands, as a shell would split them
#   scripts/match.sh ./old ./new --game scorefour --rounds 50 --concurrency 2      and what `tournament` understands
#
# The record (games.jsonl, games as text) goes to the folder that the run names; --out DIR chooses it. Relative paths start in
# the caller's folder. NULLWINDOW=PROGRAM runs the match with that program instead of building this one.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
engine=${NULLWINDOW:-$root/target/release/nullwindow}
[[ -n ${NULLWINDOW:-} ]] || cargo build --release --quiet --manifest-path "$root/Cargo.toml"

if [[ $# -ge 2 && $1 != --* && $2 != --* ]]; then
    players=(--engine "cmd=$1" name=first --engine "cmd=$2" name=second)
    limits=(tc=1+0.01 timemargin=50)
    shift 2
else
    quoted=$(printf %q "$engine")
    players=(--engine "cmd=$quoted" name=depth-4 depth=4 --engine "cmd=$quoted" name=depth-3 depth=3)
    limits=(tc=inf)
fi
[[ " $* " == *" --each "* ]] || set -- --each "${limits[@]}" option.Hash=16 "$@"
[[ " $* " == *" --rounds "* ]] || set -- --rounds 10 "$@"
exec "$engine" tournament "${players[@]}" "$@"
