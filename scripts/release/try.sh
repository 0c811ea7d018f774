#!/usr/bin/env bash
# Installs a release archive into an empty folder and tests it: checksum, contents, the libraries that the program needs, the bench
# total, a session, and the scripts.
#
#   scripts/release/try.sh ARCHIVE
set -euo pipefail
. "$(dirname "$0")/session.sh"
archive=${1:?usage: scripts/release/try.sh ARCHIVE}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$(dirname "$archive")"
archive=$(basename "$archive")
if command -v sha256sum >/dev/null; then sha256sum --quiet --check "$archive.sha256"; else shasum -a 256 --check "$archive.sha256"; fi
case $archive in
    *.zip) 7z x -bso0 -o"$folder" "$archive" ;;
    *) tar -xzf "$archive" -C "$folder" ;;
esac
cd "$folder"/nullwindow-*
program=$PWD/nullwindow
[ -f "$program" ] || program=$program.exe

for file in README.md CHANGELOG.md protocol.md LICENSE nullwindow.1 completions/nullwindow.{bash,elvish,fish,powershell,zsh} \
    $(grep -o -E 'scripts/[a-z][a-z/_-]*(\.[a-z]+)?' README.md | sort -u); do
    [ -s "$file" ] || [ -d "$file" ] || fail "$archive: no $file"
done

case $archive in
    *-linux-musl*)
        readelf --program-headers "$program" | grep -q INTERP && fail "$archive: the program is not static"
        echo "$archive: static"
        ;;
    *-linux-gnu*)
        newest=$(readelf --dyn-syms --wide "$program" | grep -o 'GLIBC_[0-9.]*' | sort -V -u | tail -n 1)
        [ "$(printf '%s\n' "$newest" GLIBC_2.28 | sort -V | tail -n 1)" = GLIBC_2.28 ] || fail "$archive: needs $newest"
        echo "$archive: needs $newest"
        ;;
esac

"$program" bench --check | tail -n 2
try_session "$program"
echo f5d6c3 | "$program" analyze - --depth 4 | grep -q '^total: 1 game,' || fail "analyze"
if [ "$program" = "$PWD/nullwindow" ]; then scripts/play.sh othello4 "depth 12" | grep -q 'result: p2win' || fail "scripts/play.sh"; fi
echo "$archive: a session, the scripts"
