#!/usr/bin/env bash
# Plays a gauntlet of the working tree against one or more commits, each built from git in a separate folder.
#
#   scripts/versus-commit.sh REV [REV...] [-- TOURNAMENT FLAGS]
#   scripts/versus-commit.sh HEAD~1 HEAD~10 -- --game othello --rounds 100 --each tc=0.5+0.005 timemargin=50
#
# Defaults: 50 rounds (100 games) per commit at 0.5 s + 0.005 s. Builds stay in target/versions.
set -euo pipefail
cd "$(dirname "$0")/.."
revisions=()
while [[ $# -gt 0 && $1 != -- ]]; do
    revisions+=("$1")
    shift
done
shift || true
[[ ${#revisions[@]} -gt 0 ]] || { sed -n '2,7s/^# \?//p' "$0" >&2; exit 2; }

cargo build --release --quiet
players=(--engine cmd=target/release/nullwindow name=new)
for revision in "${revisions[@]}"; do
    commit=$(git rev-parse --verify --quiet --short=10 "$revision^{commit}") || { echo "no such commit: $revision" >&2; exit 2; }
    binary=target/versions/$commit/release/nullwindow
    if [[ ! -x $binary ]]; then
        echo "building $revision ($commit)" >&2
        tree=$(mktemp -d)
        trap 'git worktree remove --force "$tree" 2>/dev/null || true' EXIT
        git worktree add --quiet --detach "$tree" "$commit"
        cargo build --release --quiet --manifest-path "$tree/Cargo.toml" --target-dir "target/versions/$commit"
        git worktree remove --force "$tree"
    fi
    players+=(--engine "cmd=$binary" "name=$commit")
done
[[ " $* " == *" --each "* ]] || set -- --each tc=0.5+0.005 timemargin=50 option.Hash=16 "$@"
[[ " $* " == *" --rounds "* ]] || set -- --rounds 50 "$@"
exec target/release/nullwindow tournament --format gauntlet "${players[@]}" "$@"
