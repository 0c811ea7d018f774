#!/usr/bin/env bash
# Plays a gauntlet of the working tree against one or more commits, each built from git in a separate folder.
#
#   scripts/versus-commit.sh REV [REV...] [-- TOURNAMENT FLAGS]
#   scripts/versus-commit.sh HEAD~1 HEAD~10 -- --game othello --rounds 100 --each tc=0.5+0.005 timemargin=50
#
# Defaults: 50 rounds (100 games) per commit at 0.5 s + 0.005 s. Builds stay in target/versions.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' scripts/versus-commit.sh; }
revisions=()
while [[ $# -gt 0 && $1 != -- ]]; do
    [[ $1 != -h && $1 != --help ]] || { usage && exit; }
    revisions+=("$(git rev-parse --verify --quiet --short=10 "$1^{commit}")") || { echo "no such commit: $1" >&2; exit 2; }
    shift
done
shift || true
[[ ${#revisions[@]} -gt 0 ]] || { usage >&2; exit 2; }

cargo build --release --quiet
players=(--engine cmd=target/release/nullwindow name=new)
for commit in "${revisions[@]}"; do
    binary=target/versions/$commit/release/nullwindow
    if [[ ! -x $binary ]]; then
        echo "building $commit" >&2
        tree=$(mktemp -d)
        trap 'git worktree remove --force "$tree" 2>/dev/null || true' EXIT
        git worktree add --quiet --detach "$tree" "$commit"
        cargo build --release --quiet --manifest-path "$tree/Cargo.toml" --target-dir "target/versions/$commit"
        git worktree remove --force "$tree"
    fi
    players+=(--engine "cmd=$binary" "name=$commit")
done
[[ " $* " =~ \ --?each[\ =] ]] || set -- --each tc=0.5+0.005 timemargin=50 option.Hash=16 "$@"
[[ " $* " =~ \ --?rounds[\ =] ]] || set -- --rounds 50 "$@"
exec target/release/nullwindow tournament --format gauntlet "${players[@]}" "$@"
