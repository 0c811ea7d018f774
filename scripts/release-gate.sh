#!/usr/bin/env bash
# The gate of a release: HEAD must not be weaker than the last release. An SPRT against the newest tag v* before HEAD, by
# normalised Elo with elo0 -5 and elo1 0, 5 % error either way, at most 20,000 games at 0.5 s + 0.005 s.
#
#   scripts/release-gate.sh [REV] [TOURNAMENT FLAGS]          REV in place of the tag
#   scripts/release-gate.sh --game scorefour --concurrency 2
#   ELO0=-10 ELO1=0 scripts/release-gate.sh v0.1.0            other bounds
#
# Exit status: 0 H1 is accepted, or there is no tag yet and no REV (nothing is played, and it says so); 1 H0 is accepted or
# there is no decision; 2 it cannot be tested. The record of the match goes to target/release-gate.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release gate: $1" >&2; exit "$2"; }

base=
if [[ $# -gt 0 && $1 != --* ]]; then
    base=$1
    shift
fi
if ! git diff --quiet HEAD --; then fail "the working tree differs from HEAD: commit first, HEAD is what is tested" 2; fi
if [[ -z $base ]]; then
    # A tag on HEAD itself is the release that is tested.
    own=()
    while read -r tag; do own+=("--exclude=$tag"); done < <(git tag --points-at HEAD)
    if ! base=$(git describe --tags --abbrev=0 --match 'v*' ${own[@]+"${own[@]}"} HEAD 2>/dev/null); then
        [[ $(git rev-parse --is-shallow-repository) = false ]] || fail "a shallow clone: fetch the history and its tags" 2
        echo "release gate: no tag v* before HEAD, so this is the first release: nothing to compare with, nothing played."
        echo "release gate: scripts/release-gate.sh REV compares with a commit."
        exit 0
    fi
fi
git rev-parse --verify --quiet "$base^{commit}" >/dev/null || fail "no such commit: $base" 2
out=target/release-gate
rm -rf "$out"
mkdir -p target
echo "release gate: HEAD ($(git rev-parse --short=10 HEAD)) against $base ($(git rev-parse --short=10 "$base^{commit}"))"

[[ " $* " == *" --rounds "* ]] || set -- --rounds 10000 "$@"
[[ " $* " == *" --openings "* ]] || set -- --openings random plies=8 "$@"
scripts/versus-commit.sh "$base" -- --sprt "elo0=${ELO0:--5}" "elo1=${ELO1:-0}" alpha=0.05 beta=0.05 model=normalized \
    --out "$out" "$@" | tee target/release-gate.txt
if grep -q 'H1 accepted' target/release-gate.txt; then
    echo "release gate: open, HEAD is not weaker than $base"
elif grep -q 'H0 accepted' target/release-gate.txt; then
    fail "closed, HEAD is weaker than $base" 1
else
    fail "closed, no decision; nullwindow tournament --resume $out goes on" 1
fi
