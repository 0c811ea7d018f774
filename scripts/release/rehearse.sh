#!/usr/bin/env bash
# Rehearses a release: builds all that a release publishes into target/dist, serves it from local indexes, installs each of it into an
# empty environment as a user would, tries it there, uninstalls it, and checks that nothing is left. Publishes nothing; the network is
# used for dependencies and build tools only.
#
#   scripts/release/rehearse.sh [--tag TAG] TARGET...   the packages, and an archive and a wheel for each target
#   scripts/release/rehearse.sh --quick                 the same for this machine, in .ci/run: the crate and the wheel are installed
#                                                       from target/release, and the source package is checked, not installed
#   scripts/release/rehearse.sh --install DIST          installs the archives and wheels in DIST: needs Python, but no Rust
#
# With --tag, an incomplete release is refused first (scripts/release/check.sh). A target needs its standard library (rustup target add,
# or the library's sources and RUSTC_BOOTSTRAP=1); zig, from PyPI, links for glibc 2.28 and for other platforms. pip installs the tools
# to target/release-tools; if it cannot, the rehearsal is skipped, or fails with NULLWINDOW_CLIENTS=required.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/skip.sh
. scripts/platform.sh
# Windows programs take paths with a drive.
native_path() { if command -v cygpath >/dev/null; then cygpath -m "$1"; else echo "$1"; fi; }
root=$(native_path "$PWD")
target_dir=${CARGO_TARGET_DIR:-$root/target}
dist=$target_dir/dist
work=$target_dir/rehearsal
tools=$target_dir/release-tools
package=$root/scripts/python
tag='' mode=full
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' scripts/release/rehearse.sh; }
case ${1:-} in
    --tag) tag=${2:?} && shift 2 ;;
    --quick) mode=quick && shift ;;
    -h | --help) usage && exit ;;
    --install) mode=install dist=$(native_path "$(realpath "${2:?}")") && shift 2 ;;
esac
targets=("$@")
[ "$mode-$#" = full-0 ] && usage && exit 2
unset NULLWINDOW
rm -rf "$work"
mkdir -p "$work" "$dist"

fail() { echo "FAILED: $*" && cat "$work/stderr" 2>/dev/null; exit 1; }
say() { echo "rehearsal: $* (${SECONDS}s)"; }
listing() { (cd "$1" && find . -type f -o -type l | grep -v __pycache__ | LC_ALL=C sort); }
# The files that the texts of an archive link to.
linked() { grep -o -h -E '\]\([^):# ]+' README.md CHANGELOG.md protocol.md | cut -c3- | grep -v -x -E 'https?' | sort -u; }
sha256() { "$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"; }
# The folder of the programs of a virtual environment.
bin() { if [ -d "$1/Scripts" ]; then echo "$1/Scripts"; else echo "$1/bin"; fi; }
python=$(first_of "${PYTHON:-python3}" python)

# try_program COMMAND...: a session, an exact score, an analysis and a match. They leave no files in the home folder.
try_program() {
    local home output line engine="$*"
    home=$(native_path "$(mktemp -d)")
    in_home() { HOME=$home XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home APPDATA=$home LOCALAPPDATA=$home "$@" 2>"$work/stderr" | tr -d '\r'; }
    # Emulators write files there; a program in wine starts others in wine.
    case $1 in *wine*) engine=$2 ;; esac
    if [ $# -gt 1 ]; then in_home() { WINEDEBUG=-all "$@" 2>"$work/stderr" | tr -d '\r'; }; fi
    output=$(printf 'position startpos moves f5\r\ngo depth 8\r\nquery p1turn\r\n' | in_home "$@") || fail "$*: status $? of a session"
    for line in '^bestmove d6' '^response false'; do grep -q "$line" <<<"$output" || fail "$*: wrong output of a session: $output"; done
    output=$(in_home "$@" solve --start --game othello4 --json) || fail "$*: status $? of solve"
    grep -q '"score":-8' <<<"$output" || fail "$*: wrong score of 4x4 Othello: $output"
    output=$(echo f5d6c3 | in_home "$@" analyze - --depth 4) || fail "$*: status $? of analyze"
    grep -q '^total: 1 game,' <<<"$output" || fail "$*: wrong analysis: $output"
    output=$(in_home "$@" tournament --engine cmd="$engine" name=a --engine cmd="$engine" name=b --each depth=4 --game othello4 --rounds 2 \
        --out "$work/match") || fail "$*: status $? of a match: $output"
    grep -q '^no faults' <<<"$output" || fail "$*: a match with faults: $output"
    rm -r "$work/match"
    [ -z "$(ls -A "$home")" ] || fail "$*: left in the home folder: $(ls -A "$home")"
    rmdir "$home"
    rm "$work/stderr"
}

install_tools() {
    # Zig is large.
    local unused='^$'
    [ $mode = full ] || unused='^auditwheel\|^ziglang'
    grep -h -v "$unused" scripts/release/requirements.lock scripts/python/requirements.lock >"$work/tools"
    cmp -s "$work/tools" "$tools/installed" && return
    "$python" -m venv --clear "$tools" && "$(bin "$tools")/python" -m pip install --quiet -r "$work/tools" && cp "$work/tools" "$tools/installed"
}

# The package of the crate, without warnings (but that it has no tests), and a directory source of it and its dependencies.
build_crate() {
    local output crate=$dist/nullwindow-$version.crate limit=9000000
    cargo fetch --locked --quiet
    output=$(cargo package --allow-dirty --no-verify --offline --target-dir "$target_dir" 2>&1) || fail "$output"
    if grep '^warning' <<<"$output" | grep -v 'warning: ignoring test '; then fail "cargo package"; fi
    cp "$target_dir/package/nullwindow-$version.crate" "$crate"
    [ "$(wc -c <"$crate")" -le $limit ] || fail "$crate: $(wc -c <"$crate") bytes, at most $limit"
    cargo vendor --locked --quiet --versioned-dirs "$work/registry" >/dev/null
    tar -xzf "$crate" -C "$work/registry"
    echo "{\"files\":{},\"package\":\"$(sha256 "$crate")\"}" >"$work/registry/nullwindow-$version/.cargo-checksum.json"
    mkdir "$work/cargo-home"
    cat >"$work/cargo-home/config.toml" <<EOF
[source.crates-io]
replace-with = "rehearsal"
[source.rehearsal]
directory = "$work/registry"
EOF
}

# Runs a command that compiles the program of a package, where there is no registry but the local one.
compiling() {
    env CARGO_HOME="$work/cargo-home" CARGO_TARGET_DIR="$target_dir/rehearsal-build" CARGO_NET_OFFLINE=true "$@"
}

install_crate() {
    if [ $mode = full ]; then
        compiling cargo install --quiet --locked nullwindow --root "$work/cargo"
    else
        cargo install --quiet --locked --path . --root "$work/cargo"
    fi
    local program=$work/cargo/bin/nullwindow
    try_program "$program"
    # The texts of the archives.
    mkdir -p "$work/texts/completions"
    "$program" man >"$work/texts/nullwindow.1"
    for shell in bash elvish fish powershell zsh; do "$program" completions "$shell" >"$work/texts/completions/nullwindow.$shell"; done
    cargo uninstall --quiet --root "$work/cargo" nullwindow
    # cargo keeps its lists of installed programs, which are empty now.
    listing "$work/cargo" | grep -v '^\./\.crates2\?\.\(toml\|json\)$' && fail "cargo uninstall left these files"
    say "crate: installed, tried, uninstalled: nothing left"
}

# A wheel, and an archive with the same program and its list of dependencies (SBOM).
build_target() { # TARGET; quick: that of this machine
    local target=$1 arguments=() library=() wheel name folder archive output
    if [ $mode = full ]; then
        read -ra library <<<"$(standard_library "$target")"
        [ ${#library[@]} -gt 0 ] || fail "$target: no standard library, and no sources with RUSTC_BOOTSTRAP=1"
        # A static program takes the C library of musl from the installed standard library.
        [[ $target != *-linux-musl || ${#library[@]} = 1 ]] || fail "$target: install its standard library (rustup target add $target)"
        arguments=(--target "$target" "${library[@]:1}")
        case $target in
            *-linux-gnu) arguments+=(--compatibility manylinux_2_28) ;;
            *-linux-musl) arguments+=(--compatibility musllinux_1_2) ;;
        esac
        if [[ $target = *-windows-gnu ]]; then
            export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
        elif [[ $target = *-linux-gnu || ${#library[@]} -gt 1 || -n $(runner "$target" || echo none) ]]; then
            arguments+=(--zig)
        fi
        # Rust strips with a program of its own, which Debian's does not have.
        if [[ $target = *-apple-* && ${#library[@]} -gt 1 ]]; then export CARGO_PROFILE_RELEASE_STRIP=none; fi
    fi
    rm -rf "$work/wheel"
    # maturin finds zig by the Python of the PATH.
    output=$(cd "$package" && PATH=$(bin "$tools"):$PATH CARGO_TARGET_DIR=$target_dir "$(bin "$tools")/python" -m maturin build --release --out "$work/wheel" ${arguments[@]+"${arguments[@]}"} 2>&1) ||
        fail "$output"
    wheel=$(ls "$work"/wheel/*.whl)
    cp "$wheel" "$dist/"

    name=nullwindow-$version-$target folder=$work/archive/nullwindow-$version-$target
    mkdir -p "$folder" "$work/unpacked"
    "$python" -m zipfile -e "$wheel" "$work/unpacked"
    cp "$work"/unpacked/*.data/scripts/nullwindow* "$folder/"
    chmod +x "$folder"/nullwindow*
    cp "$work"/unpacked/*.dist-info/sboms/nullwindow.cyclonedx.json README.md CHANGELOG.md protocol.md LICENSE "$folder/"
    rm -r "$work/unpacked"
    cp -R "$work"/texts/* "$folder/"
    # What the texts link to, the scripts for users of a release, and a file that one of them reads; the others need the source code.
    { linked; git ls-files scripts src/games/score_four/eval/plain.txt |
        grep -v -E '^scripts/(check-[^/]*$|check-proof/test|clients/(plain_rules|scripted)|count-tokens|deny|picture|platform|release|seeded-faults|test_|versus-|skip|web/[^R]|.*/tests?/|cluster/(bench|test)|.*test_)'; } |
        while read -r file; do
            mkdir -p "$folder/$(dirname "$file")"
            cp -p "$file" "$folder/$file"
        done
    case $target in
        *-windows-*) archive=$name.zip && "$python" -c 'import shutil, sys; shutil.make_archive(*sys.argv[1:])' "$dist/$name" zip "$work/archive" "$name" ;;
        *) archive=$name.tar.gz && tar -czf "$dist/$archive" -C "$work/archive" "$name" ;;
    esac
    echo "$(sha256 "$dist/$archive")  $archive" >"$dist/$archive.sha256"
    rm -r "$work/archive"
    say "$(basename "$wheel"), $archive"
}

# A simple index (PEP 503) of the wheels and the source package, served as files.
make_index() {
    local file
    mkdir -p "$work/index/nullwindow"
    for file in "$dist/nullwindow-$version"-*.whl "$dist/nullwindow-$version.tar.gz"; do
        [ -f "$file" ] || continue
        cp "$file" "$work/index/nullwindow/"
        file=$(basename "$file")
        echo "<a href=\"$file#sha256=$(sha256 "$dist/$file")\">$file</a>"
    done >"$work/index/nullwindow/index.html"
}
file_url() { case $1 in /*) echo "file://$1" ;; *) echo "file:///$1" ;; esac; }

# Installs the package from the index, tries the program and the Python package, and uninstalls it.
install_python() { # WHAT PYTEST_ARGUMENTS... -- PIP_ARGUMENTS...
    local what=$1 tests=() before left
    shift
    while [ "$1" != -- ]; do tests+=("$1") && shift; done
    shift
    before=$(listing "$venv")
    compiling "$venv_python" -m pip install --quiet --index-url "$(file_url "$work/index")" "$@" "nullwindow==$version"
    try_program "$(bin "$venv")/nullwindow"
    # In a folder from which Python does not import the working tree.
    [ ${#tests[@]} = 0 ] || (cd "$work" && "$venv_python" -m pytest --quiet -p no:cacheprovider -c "$package/pyproject.toml" "${tests[@]}")
    "$venv_python" -m pip uninstall --quiet --yes nullwindow
    left=$(listing "$venv" | LC_ALL=C comm -13 <(echo "$before") -)
    [ -z "$left" ] || fail "pip uninstall left: $left"
    say "$what: installed, tried, uninstalled: nothing left"
}

install_wheel() { # WHEEL
    local wheel=$1 file platform shown emulator program
    file=$(basename "$wheel")
    platform=${file##*-none-} && platform=${platform%.whl}
    case $platform in
        *linux_*)
            if [ $mode = full ]; then
                shown=$("$(bin "$tools")/auditwheel" show "$wheel" | tr '\n' ' ')
                grep -q "platform tag: *\"${platform%%.*}\"" <<<"$shown" || fail "$file: $shown"
            fi
            ;;
    esac
    if "$venv_python" -m pip download --quiet --no-index --no-deps --dest "$work/none" "$wheel" 2>/dev/null; then
        install_python "$file" --pyargs nullwindow "$package/tests" "$package/README.md" -- --only-binary nullwindow
        return
    fi
    [ $mode != install ] || fail "$file: not for this platform"
    # Another platform: pip unpacks the wheel, if the tag is one of that platform.
    rm -rf "$work/foreign"
    "$venv_python" -m pip install --quiet --index-url "$(file_url "$work/index")" --only-binary :all: --platform "${platform%%.*}" --target "$work/foreign" "nullwindow==$version"
    case $platform in
        win_amd64) program=x86_64-pc-windows-gnu ;;
        win_arm64) program=aarch64-pc-windows-msvc ;;
        musllinux_*) program=${platform#musllinux_*_*_}-unknown-linux-musl ;;
        manylinux_*) program=${platform##*_2_28_} && program=${program%%.*}-unknown-linux-gnu ;;
        *_arm64) program=aarch64-apple-darwin ;;
        *) program=x86_64-apple-darwin ;;
    esac
    if ! emulator=$(runner "$program"); then
        skip "$file: unpacked, not run: no runner"
        return
    fi
    # shellcheck disable=SC2086  # the emulator has arguments
    try_program $emulator "$(ls "$work"/foreign/bin/nullwindow*)"
    say "$file: unpacked and tried ${emulator:+with ${emulator%% *}}"
}

install_archive() { # ARCHIVE
    local archive=$1 folder=$work/unpacked file target emulator program
    rm -rf "$folder" && mkdir "$folder"
    [ "$(cat "$archive.sha256")" = "$(sha256 "$archive")  $(basename "$archive")" ] || fail "$archive: wrong checksum"
    case $archive in
        *.zip) "$python" -m zipfile -e "$archive" "$folder" ;;
        *) tar -xzf "$archive" -C "$folder" ;;
    esac
    cd "$folder"/nullwindow-*
    for file in README.md CHANGELOG.md protocol.md LICENSE nullwindow.1 nullwindow.cyclonedx.json completions/nullwindow.{bash,elvish,fish,powershell,zsh} \
        $(linked) $(grep -o -E 'scripts/[a-z][a-z/_-]*(\.[a-z]+)?' README.md | sort -u); do
        [ -s "$file" ] || [ -d "$file" ] || fail "$archive: no $file"
    done
    program=$(native_path "$PWD")/nullwindow
    [ -f "$program" ] || program=$program.exe
    archive=$(basename "$archive")
    target=${archive#nullwindow-*-} target=${target%.tar.gz} target=${target%.zip}
    case $target in
        *-linux-musl) ! readelf --program-headers "$program" | grep INTERP || fail "$archive: the program is not static" ;;
    esac
    if ! emulator=$(runner "$target"); then
        skip "$archive: unpacked, not run: no runner"
    else
        # shellcheck disable=SC2086
        $emulator "$program" bench --check | tail -n 1
        # shellcheck disable=SC2086
        try_program $emulator "$program"
        case $emulator-$program in
            -*/nullwindow)
                scripts/play.sh othello4 "depth 12" | grep -q 'result: p2win' || fail "scripts/play.sh"
                scripts/train-scorefour.sh "$work/trained" 1 0.002 >"$work/stderr" 2>&1 || fail "scripts/train-scorefour.sh"
                ;;
        esac
        for file in scripts/*.py; do "$python" "$file" --help >"$work/stderr" 2>&1 || fail "$file"; done
        rm -f "$work/stderr"
        say "$archive: unpacked and tried ${emulator:+with ${emulator%% *}}"
    fi
    cd "$root"
}

if [ $mode = install ]; then
    version=$(basename "$(printf '%s\n' "$dist"/*.whl | head -n 1)" | cut -d - -f 2)
else
    if ! scripts/release/check.sh ${tag:+"$tag"} && [ -n "$tag" ]; then exit 2; fi
    version=$(cargo metadata --format-version 1 --no-deps --offline | "$python" -c 'import json, sys
print(next(package["version"] for package in json.load(sys.stdin)["packages"] if package["name"] == "nullwindow"))')
    if ! install_tools; then
        skip_missing "cannot install maturin"
        exit
    fi
    rm -rf "$dist" && mkdir -p "$dist"
    [ $mode = full ] || targets=("$(rustc -vV | sed -n 's/^host: //p')")
    cmp LICENSE scripts/python/LICENSE
    "$(bin "$tools")/mypy" --config-file "$package/pyproject.toml" --cache-dir "$tools/mypy" "$package/nullwindow" "$package/tests"
    build_crate
    install_crate
    output=$(cd "$package" && "$(bin "$tools")/python" -m maturin sdist --out "$dist" 2>&1) || fail "$output"
    for target in "${targets[@]}"; do build_target "$target"; done
fi
make_index
# Empty except for pip and pytest, and again after each package.
venv=$work/venv
"$python" -m venv "$venv"
venv_python=$(bin "$venv")/python
"$venv_python" -m pip install --quiet --upgrade pip "$(grep ^pytest= "$package/requirements.lock")"
case $mode in
    full)
        "$venv_python" -m pip download --quiet --dest "$work/backend" "$(grep ^maturin= scripts/release/requirements.lock)"
        install_python "source package" "$package/README.md" -- --no-binary nullwindow --find-links "$work/backend"
        ;;
    quick)
        # All that it needs is in it: of the package for Python its metadata, of the program the source. Compiling it takes minutes.
        tar -xzf "$dist/nullwindow-$version.tar.gz" -C "$work"
        output=$(cd "$work/nullwindow-$version" && "$(bin "$tools")/python" -m maturin pep517 write-dist-info --metadata-directory "$work/metadata" --interpreter "$python" 2>&1) ||
            fail "$output"
        cargo check --quiet --locked --offline --target-dir "$target_dir" --manifest-path "$work/nullwindow-$version/Cargo.toml"
        say "source package: checked"
        ;;
esac
for wheel in "$dist"/*.whl; do install_wheel "$wheel"; done
for archive in "$dist/nullwindow-$version"-*.tar.gz "$dist"/*.zip; do [ ! -f "$archive" ] || install_archive "$archive"; done
rm -rf "$work"
say "complete"
