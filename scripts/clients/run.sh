#!/usr/bin/env bash
# Installs other people's clients, engines and judges (once) and plays with them: python-chess and pyffish from PyPI,
# Fairy-Stockfish from npm, gtp-rhino and Chromium from Debian. Everything but the Debian packages goes to target/clients.
# usage: scripts/clients/run.sh [--install-only]
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=target/clients

# What cannot be installed is named and its tests are skipped, unless NULLWINDOW_CLIENTS=required.
give_up() {
    echo "scripts/clients/run.sh: $1 could not be installed" >&2
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
if ! command -v chromium >/dev/null; then # reads the pages of tournament and explain in tests of their own
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
        >/dev/null 2>&1 || give_up chromium
fi
[ "${1:-}" = --install-only ] && exit

python=$clients/venv/bin/python
[ -x "$python" ] || python=python3
PATH=$PATH:/usr/games "$python" -m unittest discover -s scripts/clients
