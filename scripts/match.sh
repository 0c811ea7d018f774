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
names=(first second) control=tc=1+0.01 depths=(4 3)
. "$(dirname "$0")/players.sh"
[[ " $* " == *" --rounds "* ]] || set -- --rounds 10 "$@"
exec "$engine" tournament "${players[@]}" "$@"
