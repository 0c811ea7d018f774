#!/usr/bin/env bash
# Builds the npm package and the page (build.sh), installs the package in a new folder without a network, tests it in Node (20.16 or
# later), and tests the page in headless Chromium. If Node or the standard library for WebAssembly cannot be installed, the check is
# skipped, or fails with NULLWINDOW_CLIENTS=required.
#
#   scripts/web/test.sh
set -euo pipefail
cd "$(dirname "$0")"
. ../skip.sh
target=wasm32-unknown-unknown root=../.. package=../../target/web/package
if ! node -e 'process.exit(Number(!process.getBuiltinModule))' 2>/dev/null; then
    skip_missing "Node 20.16 is not installed"
    exit
fi
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] && ! timeout 60 rustup target add "$target" >/dev/null 2>&1; then
    skip_missing "cannot install the standard library of $target"
    exit
fi

./build.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
archive=$scratch/$(cd "$package" && npm pack --silent --pack-destination "$scratch")
cp test.mjs "$scratch"
(cd "$scratch" && npm init --yes >/dev/null) && npm install --silent --offline --no-audit --no-fund --prefix "$scratch" "$archive"
protocol=$PWD/$root/protocol.md
total=$(sed -n 's/^pub const EXPECTED_NODES: u64 = \([0-9_]*\);.*/\1/p' "$root/src/engine/bench_positions.rs" | tr -d _)
(cd "$scratch" && timeout 300 node test.mjs "$total" "$protocol")
cargo test --locked --quiet --manifest-path "$root/Cargo.toml" --test all web_page:: -- --ignored
wasm=$(gzip -c "$package/nullwindow.wasm" | wc -c)
echo "nullwindow.wasm: $(wc -c <"$package/nullwindow.wasm") bytes, $wasm with gzip; nullwindow.weights: $(wc -c <"$package/nullwindow.weights")"
