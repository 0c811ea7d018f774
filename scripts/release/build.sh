#!/usr/bin/env bash
# Builds the release archive of one target, target/dist/nullwindow-VERSION-TARGET.tar.gz (Windows: .zip), and its SHA-256 file: for
# musl a static program, with the C library of the Rust target; for glibc 2.28 one built by cargo-zigbuild. The machine must be able
# to run the program.
#
#   scripts/release/build.sh x86_64-unknown-linux-musl
#
# Needs the standard library of the target (rustup target add) and, for glibc, cargo-zigbuild and ziglang from PyPI.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?usage: scripts/release/build.sh TARGET}
python=$(command -v python3 || command -v python)
# The name that cargo binstall expects.
name=$(cargo metadata --format-version 1 --no-deps --offline | "$python" -c 'if True:
    import json, sys
    package = next(found for found in json.load(sys.stdin)["packages"] if found["name"] == "nullwindow")
    folder = package["metadata"]["binstall"]["bin-dir"].split("/")[0]
    print(folder.replace("{ version }", package["version"]).replace("{ target }", sys.argv[1]))' "$target")

case $target in
    *-linux-gnu) build=(zigbuild --target "$target.2.28") ;;
    *) build=(build --target "$target") ;;
esac
cargo "${build[@]}" --quiet --release --locked
program=target/$target/release/nullwindow
[ -f "$program" ] || program=$program.exe

folder=target/dist/$name
rm -rf "$folder" && mkdir -p "$folder/completions"
# The scripts for users of a release; the others need the source code.
git ls-files scripts | grep -v -E '^scripts/(check-|count-tokens|picture|release|test_|versus-|skip|.*/tests?/|cluster/(bench|test)|.*test_)' |
    while read -r file; do
        mkdir -p "$folder/$(dirname "$file")"
        cp -p "$file" "$folder/$file"
    done
cp "$program" README.md CHANGELOG.md protocol.md LICENSE "$folder/"
program=$folder/$(basename "$program")
"$program" man >"$folder/nullwindow.1"
for shell in bash elvish fish powershell zsh; do "$program" completions "$shell" >"$folder/completions/nullwindow.$shell"; done

cd target/dist
case $target in
    *-windows-*) archive=$name.zip && rm -f "$archive" && 7z a -bso0 "$archive" "$name" ;;
    *) archive=$name.tar.gz && tar --owner=0 --group=0 -czf "$archive" "$name" 2>/dev/null || tar -czf "$archive" "$name" ;;
esac
if command -v sha256sum >/dev/null; then sha256sum --text "$archive"; else shasum -a 256 "$archive"; fi >"$archive.sha256"
rm -rf "$name"
echo "target/dist/$archive"
