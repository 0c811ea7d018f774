#!/usr/bin/env bash
# Runs an SPRT of the first engine against the second: H1 is ELO1, H0 is ELO0, in normalized Elo, with 5 % errors. The match ends
# with the decision, or after --rounds N.
#
#   scripts/sprt.sh [NEW OLD] [TOURNAMENT FLAGS]
#   scripts/sprt.sh ./new ./old --game othello --concurrency 2
#   ELO0=-5 ELO1=0 scripts/sprt.sh ./new ./old          non-regression test of a simplification
#
# Without engines, it plays depth 4 against depth 2 of this engine, which takes less than a minute. An interrupted run prints the
# command that resumes it. NULLWINDOW=PROGRAM runs the test with that program instead of building this one.
set -euo pipefail
names=(new old) control=tc=0.5+0.005 depths=(4 2)
. "$(dirname "$0")/players.sh"
[[ " $* " =~ \ --?openings[\ =] ]] || set -- --openings random plies=8 "$@"
exec "$engine" tournament "${players[@]}" \
    --sprt "elo0=${ELO0:-0}" "elo1=${ELO1:-10}" alpha=0.05 beta=0.05 model=normalized "$@"
