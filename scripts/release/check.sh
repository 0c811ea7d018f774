#!/usr/bin/env bash
# Refuses a release whose metadata is incomplete: Cargo.toml needs `repository`, CHANGELOG.md begins with the version and a date, and
# the tag, if given, is the version.
#
#   scripts/release/check.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/../.."
refuse() { echo "release: $*" >&2 && exit 2; }

field() { # NAME: a field of the package, empty if unset
    cargo metadata --format-version 1 --no-deps --offline | python3 -c 'import json, sys
packages = json.load(sys.stdin)["packages"]
print(next(package for package in packages if package["name"] == "nullwindow").get(sys.argv[1]) or "")' "$1"
}
version=$(field version)
[ -n "$(field repository)" ] || refuse "set repository in Cargo.toml: wheels and cargo binstall take the address from there"
grep -m 1 '^## ' CHANGELOG.md | grep -q -E "^## ${version//./\\.} - [0-9]{4}-[0-9]{2}-[0-9]{2}$" || refuse "CHANGELOG.md does not begin with $version and a date"
[ "${1:-v$version}" = "v$version" ] || refuse "the tag is $1, the version of the crate $version"
echo "release: $version, $(field repository)"
