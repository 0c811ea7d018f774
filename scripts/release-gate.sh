#!/usr/bin/env bash
# Tests that HEAD is not weaker than the last release: an SPRT against the newest tag v* before HEAD, in normalized Elo with elo0 -5,
# elo1 0 and 5 % errors, at most 20,000 games at 0.5 s + 0.005 s.
#
#   scripts/release-gate.sh [REV] [TOURNAMENT FLAGS]          REV instead of the tag
#   scripts/release-gate.sh --game scorefour --concurrency 2
#   ELO0=-10 ELO1=0 scripts/release-gate.sh v0.1.0            other bounds
#
# Exit status: 0 if H1 is accepted, or if there is neither a tag nor REV (nothing is played); 1 if H0 is accepted or the test is
# undecided; 2 if the test cannot run. The record of the match goes to target/release-gate.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release gate: $1" >&2; exit "$2"; }

base=
if [[ $# -gt 0 && $1 != -* ]]; then
    base=$1
    shift
fi
if ! git diff --quiet HEAD --; then fail "the working tree differs from HEAD: commit your changes first" 2; fi
if [[ -z $base ]]; then
    # Tags on HEAD belong to the release under test.
    own=()
    while read -r tag; do own+=("--exclude=$tag"); done < <(git tag --points-at HEAD)
    if ! base=$(git describe --tags --abbrev=0 --match 'v*' ${own[@]+"${own[@]}"} HEAD 2>/dev/null); then
        [[ $(git rev-parse --is-shallow-repository) = false ]] || fail "this clone is shallow: fetch its history and tags (git fetch --unshallow --tags)" 2
        echo "release gate: no tag v* before HEAD: this is the first release, nothing to play."
        echo "release gate: to compare with a commit: scripts/release-gate.sh REV"
        exit 0
    fi
fi
git rev-parse --verify --quiet "$base^{commit}" >/dev/null || fail "no such commit: $base" 2
out=target/release-gate
rm -rf "$out"
mkdir -p target
echo "release gate: HEAD ($(git rev-parse --short=10 HEAD)) against $base ($(git rev-parse --short=10 "$base^{commit}"))"

[[ " $* " =~ \ --?rounds[\ =] ]] || set -- --rounds 10000 "$@"
[[ " $* " =~ \ --?openings[\ =] ]] || set -- --openings random plies=8 "$@"
scripts/versus-commit.sh "$base" -- --sprt "elo0=${ELO0:--5}" "elo1=${ELO1:-0}" alpha=0.05 beta=0.05 model=normalized \
    --out "$out" "$@" | tee target/release-gate.txt
if grep -q 'H1 accepted' target/release-gate.txt; then
    echo "release gate: passed, HEAD is not weaker than $base"
elif grep -q 'H0 accepted' target/release-gate.txt; then
    fail "failed, HEAD is weaker than $base" 1
else
    fail "failed, undecided; to continue: nullwindow tournament --resume $out" 1
fi
