#!/usr/bin/env bash
# Plays a match between two engines: 20 games in pairs with swapped colors from balanced openings, 1 s + 0.01 s per side.
#
#   scripts/match.sh                                      this engine, depth 4 against depth 3
#   scripts/match.sh ./old ./new                          two engine commands in shell syntax
#   scripts/match.sh ./old ./new --game scorefour --rounds 50 --concurrency 2      with options of `nullwindow tournament`
#
# The run prints the folder of its record; --out DIR sets it. Paths are relative to the caller's folder. NULLWINDOW=PROGRAM runs
# the match with that program instead of building this one.
set -euo pipefail
names=(first second) control=tc=1+0.01 depths=(4 3)
. "$(dirname "$0")/players.sh"
[[ " $* " =~ \ --?rounds[\ =] ]] || set -- --rounds 10 "$@"
exec "$engine" tournament "${players[@]}" "$@"
