#!/usr/bin/env bash
# The library without feature `cli`: lints, with its unit tests, its public interface, the number of crates that it needs on this
# system, without itself and without procedural macros and what these need, that the programs compile which measure it against other
# searches, and that it compiles for WebAssembly if rustup has or gets that target.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
limit=16

crates=$(cargo tree --locked --no-default-features --edges normal,no-proc-macro --prefix none --format '{p}' |
    cut -d ' ' -f 1 | sort -u | grep -vx nullwindow)
number=$(wc -l <<<"$crates")
echo "$number crates, at most $limit:" $crates
[ "$number" -le "$limit" ]
# The unit tests run with all features in `cargo test`; here they have to compile.
cargo clippy --locked --no-default-features --features weights --lib --tests --quiet -- -D warnings
scripts/check-public-api.py
for program in versus-minimax versus-twin; do
    cargo check --locked --quiet --manifest-path "scripts/$program/Cargo.toml" --target-dir target
done
wasm=wasm32-unknown-unknown
if [ -d "$(rustc --print sysroot)/lib/rustlib/$wasm" ] || timeout 60 rustup target add "$wasm" >/dev/null 2>&1; then
    cargo check --locked --no-default-features --lib --quiet --target "$wasm"
else
    skip_missing "cannot install the standard library of $wasm"
fi
