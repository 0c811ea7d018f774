#!/usr/bin/env bash
# Installs third-party clients and engines (once) and tests the engine with them: python-chess and pyffish from PyPI,
# Fairy-Stockfish from npm, gtp-rhino and Chromium from Debian. All but the Debian packages go to target/clients.
#
#   scripts/clients/run.sh [--install-only]
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=target/clients

# Reports a program that cannot be installed; its tests are skipped, or fail with NULLWINDOW_CLIENTS=required.
give_up() {
    echo "scripts/clients/run.sh: cannot install $1" >&2
    [ "${NULLWINDOW_CLIENTS:-}" != required ] || exit 1
}

mkdir -p "$clients"
if ! "$clients/venv/bin/python" -c 'import chess.engine, pyffish' 2>/dev/null; then
    { python3 -m venv "$clients/venv" && "$clients/venv/bin/pip" install --quiet chess==1.11.2 pyffish==0.0.90; } ||
        give_up "python-chess and pyffish"
fi
if [ ! -f "$clients/node_modules/fairy-stockfish-nnue.wasm/uci.js" ]; then
    npm install --silent --no-audit --no-fund --prefix "$clients" fairy-stockfish-nnue.wasm@1.1.12 >/dev/null ||
        give_up Fairy-Stockfish
fi
if ! PATH=$PATH:/usr/games command -v gtp-rhino >/dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends grhino; } \
        >/dev/null 2>&1 || give_up gtp-rhino
fi
if ! command -v chromium >/dev/null; then # for the tests of HTML pages in tests/
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
        >/dev/null 2>&1 || give_up chromium
fi
[ "${1:-}" = --install-only ] && exit

python=$clients/venv/bin/python
[ -x "$python" ] || python=python3
PATH=$PATH:/usr/games "$python" -m unittest discover -s scripts/clients
