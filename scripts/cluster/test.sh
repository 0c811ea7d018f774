#!/usr/bin/env bash
# Installs the packages that scripts/cluster needs in the versions of requirements.lock (once, to target/cluster) and tests it with target/release/nullwindow.
# What cannot be installed is a skipped check, unless NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/skip.sh
source scripts/skip.sh
venv=target/cluster/venv

inputs=(scripts/cluster/pyproject.toml scripts/cluster/requirements.lock)
if ! cat "${inputs[@]}" | cmp -s - "$venv/installed"; then
    mkdir -p target/cluster
    # The exact versions of the lock file; then the package itself, whose ranges must admit them.
    install() {
        python3 -m venv --clear "$venv" &&
            "$venv/bin/pip" install --quiet --requirement scripts/cluster/requirements.lock &&
            "$venv/bin/pip" install --quiet --no-deps --no-build-isolation scripts/cluster &&
            "$venv/bin/pip" check
    }
    if ! install; then
        [ "${NULLWINDOW_CLIENTS:-}" != required ] || exit 1
        skip "Dask could not be installed"
        exit
    fi
    cat "${inputs[@]}" >"$venv/installed"
fi
# The working tree is tested, not the copy that was installed with its dependencies.
PYTHONPATH=scripts/cluster "$venv/bin/python" -m pytest --quiet -p no:cacheprovider scripts/cluster/tests
