#!/usr/bin/env bash
# Installs the dependencies of scripts/cluster in the versions of requirements.lock (once, to target/cluster) and tests the package
# with target/release/nullwindow. If they cannot be installed, the check is skipped, or fails with NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/skip.sh
source scripts/skip.sh
venv=target/cluster/venv

inputs=(scripts/cluster/pyproject.toml scripts/cluster/requirements.lock)
if ! cat "${inputs[@]}" | cmp -s - "$venv/installed"; then
    mkdir -p target/cluster
    # The versions of the lock file first, then the package, whose ranges must allow them.
    install() {
        python3 -m venv --clear "$venv" &&
            "$venv/bin/pip" install --quiet --requirement scripts/cluster/requirements.lock &&
            "$venv/bin/pip" install --quiet --no-deps --no-build-isolation scripts/cluster &&
            "$venv/bin/pip" check
    }
    if ! install; then
        skip_missing "cannot install Dask"
        exit
    fi
    cat "${inputs[@]}" >"$venv/installed"
fi
# Tests the working tree, not the installed copy.
PYTHONPATH=scripts/cluster "$venv/bin/python" -m pytest --quiet -p no:cacheprovider scripts/cluster/tests
