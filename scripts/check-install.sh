#!/usr/bin/env bash
# Installs the program and the Python package from the working tree, tests them there, and checks that uninstalling leaves nothing:
# `cargo install` into an empty folder, then a wheel into a fresh virtual environment, with pytest, all examples, and mypy. If pip
# cannot install maturin, the wheel is skipped, or fails with NULLWINDOW_CLIENTS=required. All files are below target/install.
#
#   scripts/check-install.sh [WHEEL]          test this wheel alone
#   PYTHON=python3.9 scripts/check-install.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
. scripts/release/session.sh
wheel=${1:-}
target=${CARGO_TARGET_DIR:-$PWD/target}
work=$target/install
package=scripts/python
unset NULLWINDOW
mkdir -p "$work"

listing() { (cd "$1" && find . -type f -o -type l | LC_ALL=C sort); }

if [ -z "$wheel" ]; then
    rm -rf "$work/cargo"
    cargo install --quiet --locked --path . --root "$work/cargo"
    try_session "$work/cargo/bin/nullwindow"
    cargo uninstall --quiet --root "$work/cargo" nullwindow
    # cargo keeps its lists of installed programs, which are empty now.
    listing "$work/cargo" | grep -v '^\./\.crates2\?\.\(toml\|json\)$' && fail "cargo uninstall left these files"
    echo "cargo install, a session, cargo uninstall: nothing left (${SECONDS}s)"

    if ! cmp -s "$package/requirements.lock" "$work/tools/installed"; then
        if ! { python3 -m venv --clear "$work/tools" && "$work/tools/bin/pip" install --quiet -r "$package/requirements.lock"; }; then
            [ "${NULLWINDOW_CLIENTS:-}" != required ] || exit 1
            skip "cannot install maturin"
            exit
        fi
        cp "$package/requirements.lock" "$work/tools/installed"
    fi
    cmp LICENSE "$package/LICENSE"
    rm -rf "$work/wheels"
    (cd "$package" && CARGO_TARGET_DIR=$target "$work/tools/bin/python" -m maturin build --quiet --release --out "$work/wheels")
    wheel=$(ls "$work"/wheels/*.whl)
    "$work/tools/bin/mypy" --config-file "$package/pyproject.toml" --cache-dir "$work/mypy" "$package/nullwindow" "$package/tests"
fi

rm -rf "$work/venv"
"${PYTHON:-python3}" -m venv "$work/venv"
bin=$work/venv/bin
[ -d "$bin" ] || bin=$work/venv/Scripts
"$bin/python" -m pip install --quiet pytest
before=$(listing "$work/venv" | grep -v __pycache__)
"$bin/python" -m pip install --quiet --no-index "$wheel"
try_session "$bin/nullwindow"
# In a folder from which Python does not import the working tree.
(cd "$work" && "$bin/python" -m pytest --quiet -p no:cacheprovider -c "$OLDPWD/$package/pyproject.toml" --pyargs nullwindow \
    "$OLDPWD/$package/tests" "$OLDPWD/$package/README.md")
"$bin/python" -m pip uninstall --quiet --yes nullwindow
left=$(listing "$work/venv" | grep -v __pycache__ | LC_ALL=C comm -13 <(echo "$before") -)
[ -z "$left" ] || fail "pip uninstall left: $left"
echo "$(basename "$wheel"): installed, tested, uninstalled: nothing left (${SECONDS}s)"
