#!/usr/bin/env bash
# A sequential test: is the first engine stronger than the second by ELO1 rather than by ELO0 (normalised Elo)? The match
# stops as soon as the answer is known at 5 % error either way, or after --rounds N if they are given.
#
#   scripts/sprt.sh [NEW OLD] [TOURNAMENT FLAGS]
#   scripts/sprt.sh ./new ./old --game othello --concurrency 2
#   ELO0=-5 ELO1=0 scripts/sprt.sh ./new ./old          that a simplification costs nothing
#
# Without engines: depth 4 against depth 2 of this one, decided within a minute. An interrupted run prints how to go on.
# NULLWINDOW=PROGRAM runs the test with that program instead of building this one.
set -euo pipefail
names=(new old) control=tc=0.5+0.005 depths=(4 2)
. "$(dirname "$0")/players.sh"
[[ " $* " == *" --openings "* ]] || set -- --openings random plies=8 "$@"
exec "$engine" tournament "${players[@]}" \
    --sprt "elo0=${ELO0:-0}" "elo1=${ELO1:-10}" alpha=0.05 beta=0.05 model=normalized "$@"
