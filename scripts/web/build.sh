#!/usr/bin/env bash
# Builds the npm package in target/web/package, and in target/web/page the page, which any server of static files can serve.
#
#   scripts/web/build.sh
set -euo pipefail
cd "$(dirname "$0")"
target=wasm32-unknown-unknown root=../.. build=../../target/web
RUSTFLAGS="-C target-feature=+simd128" cargo build --locked --quiet --release --target "$target" --target-dir "$build"
rm -rf "$build/package" "$build/page" && mkdir "$build/package" "$build/page"

cp index.mjs nullwindow.js "$root/LICENSE" "$build/page"
cp "$build/$target/release/nullwindow_web.wasm" "$build/page/nullwindow.wasm"
gzip --best --no-name --stdout "$root/src/games/reversi/eval/weights.bin" >"$build/page/nullwindow.weights"
cp "$build/page/"* index.d.ts package.json README.md "$build/package"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
sed -i.old "s/\"version\": \".*\"/\"version\": \"$version\"/" "$build/package/package.json" && rm "$build/package/package.json.old"
cp page/* "$root/src/html/base.css" "$root/src/html/board.js" "$build/page"
