#!/usr/bin/env bash
# Installs the packages that scripts/cluster needs (once, to target/cluster) and tests it with target/release/nullwindow.
# What cannot be installed is a skipped check, unless NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/skip.sh
source scripts/skip.sh
venv=target/cluster/venv

if ! cmp -s scripts/cluster/pyproject.toml "$venv/installed"; then
    mkdir -p target/cluster
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "scripts/cluster[test]"; }; then
        [ "${NULLWINDOW_CLIENTS:-}" != required ] || exit 1
        skip "Dask could not be installed"
        exit
    fi
    cp scripts/cluster/pyproject.toml "$venv/installed"
fi
# The working tree is tested, not the copy that was installed with its dependencies.
PYTHONPATH=scripts/cluster "$venv/bin/python" -m pytest --quiet -p no:cacheprovider scripts/cluster/tests
