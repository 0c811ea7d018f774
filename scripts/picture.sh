#!/usr/bin/env bash
# Makes the picture of README.md, .github/report.png: plays depth 10 against depth 8 (the same games every time), writes the match
# report, and takes a screenshot of its beginning with one game. Needs Chromium. NULLWINDOW=PROGRAM plays with that program instead
# of building this one.
#
#   scripts/picture.sh
set -euo pipefail
cd "$(dirname "$0")/.."
picture=.github/report.png game=3 ply=45
engine=${NULLWINDOW:-target/release/nullwindow}
[[ -n ${NULLWINDOW:-} ]] || cargo build --release --quiet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$engine" tournament --engine cmd="$engine" name=depth-10 depth=10 --engine cmd="$engine" name=depth-8 depth=8 \
    --each tc=inf option.Hash=16 --rounds 10 --seed 1 --out "$folder/match" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2 && exit 1; }
"$engine" tournament --report "$folder/match" >/dev/null
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1240,980 \
    --screenshot="$picture" "file://$folder/match/report.html#game=$game&ply=$ply" 2>/dev/null
ls -l "$picture"
