#!/usr/bin/env bash
# Builds the npm package in target/web/package, installs it in a new folder without a network, and tests it in Node (20 or later).
#
#   scripts/web/test.sh
set -euo pipefail
cd "$(dirname "$0")"
. ../skip.sh
target=wasm32-unknown-unknown root=../.. build=../../target/web
node -e 'process.exit(Number(parseInt(process.versions.node) < 20))' 2>/dev/null || { skip "Node 20 is not installed" && exit; }
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] && ! timeout 60 rustup target add "$target" >/dev/null 2>&1; then
    skip "cannot install the standard library of $target" && exit
fi

RUSTFLAGS="-C target-feature=+simd128" cargo build --locked --quiet --release --target "$target" --target-dir "$build"
package=$build/package
rm -rf "$package" && mkdir -p "$package"
cp index.mjs index.d.ts nullwindow.js package.json README.md "$root/LICENSE" "$package"
cp "$build/$target/release/nullwindow_web.wasm" "$package/nullwindow.wasm"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
(cd "$package" && npm version --silent --no-git-tag-version "$version" >/dev/null)
archive=$(cd "$package" && npm pack --silent --pack-destination ..)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp test.mjs "$scratch"
(cd "$scratch" && npm init --yes >/dev/null) && npm install --silent --offline --no-audit --no-fund --prefix "$scratch" "$build/$archive"
total=$(sed -n 's/^pub const EXPECTED_NODES: u64 = \([0-9_]*\);.*/\1/p' "$root/src/engine/bench_positions.rs" | tr -d _)
(cd "$scratch" && timeout 300 node test.mjs "$total")
gzip=$(gzip -c "$package/nullwindow.wasm" | wc -c)
echo "nullwindow.wasm: $(wc -c <"$package/nullwindow.wasm") bytes, $gzip with gzip"
