#!/usr/bin/env bash
# Checks the package of the crate: `cargo package` prints no warning (but that it leaves out the tests), and the package has at most
# 9 MB. Packs the working tree without building it.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=9000000

said=$(cargo package --allow-dirty --no-verify --offline 2>&1) || { echo "$said"; exit 1; }
if grep '^warning' <<<"$said" | grep -v -q 'warning: ignoring test '; then
    echo "$said"
    exit 1
fi
target=$(cargo metadata --format-version 1 --no-deps --offline | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
package=$(ls -t "$target"/package/nullwindow-*.crate | head -n 1)
bytes=$(wc -c <"$package")
echo "$(basename "$package"): $bytes bytes, at most $limit"
[ "$bytes" -le "$limit" ]
