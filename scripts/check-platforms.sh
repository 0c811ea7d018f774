#!/usr/bin/env bash
# Builds the engine for other operating systems and CPUs and runs it with wine or qemu: the bench total, a session, a solved
# problem, a match with clocks in which an engine is killed, and an interrupted match. The tests are compiled; --full runs them.
# Targets that this machine cannot build or run are listed as skipped.
#
#   scripts/check-platforms.sh [--full] [TARGET...]
#
# A target needs its standard library (installed, or its sources and RUSTC_BOOTSTRAP=1), a linker and a runner. Debian packages:
# rustc cargo rust-src gcc-mingw-w64-x86-64 wine64 libstd-rust-dev:arm64 gcc-aarch64-linux-gnu
# libc6-dev:arm64 qemu-user (and binfmt_misc for qemu, since engines are child processes).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
. scripts/platform.sh
full=
if [ "${1:-}" = --full ]; then full=yes && shift; fi
targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-pc-windows-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin)
scratch=$(mktemp -d)
match_runner=
trap '[ -z "$match_runner" ] || kill "$match_runner"; rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*" && exit 1; }
say() { printf '%s: %s (%ss)\n' "$target" "$*" "$SECONDS"; }

try_session() {
    "${run[@]}" bench --check >"$scratch/bench" || fail "$target: $(tail -n 2 "$scratch/bench")"
    say "$(grep '^nodes' "$scratch/bench")"
    printf 'position startpos moves f5\r\ngo depth 8\r\nquery p1turn\r\n' | "${run[@]}" >"$scratch/session"
    grep -q '^bestmove d6' "$scratch/session" && grep -q '^response false' "$scratch/session" ||
        fail "$target: wrong output of a session: $(cat "$scratch/session")"
    "${run[@]}" solve tests/data/endgames-12.obf >"$scratch/solved" || fail "$target: $(cat "$scratch/solved")"
    say "a session; $(tail -n 1 "$scratch/solved" | tr -d '\r')"
}

# Prints the processes whose program (run directly or by an emulator) is `victim`; fails if there is none.
victims() {
    local found=1 process words
    for process in /proc/[0-9]*; do
        mapfile -d '' -n 2 -t words 2>/dev/null <"$process/cmdline" || continue
        case "${words[*]} " in *[/\\]victim\ * | *[/\\]victim.exe\ *) basename "$process" && found=0 ;; esac
    done
    return $found
}

# Sends Ctrl-C to a process.
interrupt() { kill -INT "$1"; }

wait_for_games() { # FOLDER NUMBER PID
    for _ in $(seq 600); do
        [ "$(cat "$1/games.jsonl" 2>/dev/null | wc -l)" -ge "$2" ] && return
        kill -0 "$3" 2>/dev/null || break
        sleep 0.1
    done
    fail "$target: fewer than $2 games in $1: $(cat "$scratch/match")"
}

try_match() {
    local victim="$scratch/victim${binary##*nullwindow}" games=$scratch/games.$target
    cp "$binary" "$victim"
    play() { # FOLDER ROUNDS
        exec "${run[@]}" tournament --engine cmd="$victim" name=victim --engine cmd="$victim" name=other \
            --each tc=60+1 depth=6 option.Hash=1 --game othello6 --concurrency 2 --rounds "$2" --out "$1"
    }
    play "$games" 10 >"$scratch/match" 2>&1 &
    match_runner=$!
    wait_for_games "$games" 4 "$match_runner"
    kill -KILL "$(victims | head -n 1)"
    wait "$match_runner" || fail "$target: $(cat "$scratch/match")"
    [ "$(wc -l <"$games/games.jsonl")" = 20 ] || fail "$target: expected 20 games in $games"
    [ "$(grep -c '"reason":"normal"' "$games/games.jsonl")" = 19 ] || fail "$target: $(cat "$scratch/match")"
    grep -q '"reason":"crash"' "$games/games.jsonl" || fail "$target: $games does not record the killed engine as a crash"
    match_runner=
    ! victims || fail "$target: engines are still running"
    say "20 games, a killed engine, none still running"
    play "$games.stopped" 500 >"$scratch/match" 2>&1 &
    match_runner=$!
    wait_for_games "$games.stopped" 4 "$match_runner"
    interrupt "$match_runner"
    # wine sometimes loses the exit status of an interrupted process.
    wait "$match_runner" && [ -z "$suffix" ] && fail "$target: an interrupted match exits with status 0"
    grep -q -- "--resume" "$scratch/match" || fail "$target: an interrupted match does not print --resume: $(cat "$scratch/match")"
    match_runner=
    ! victims || fail "$target: engines are still running"
    say "an interrupt"
}

for target in "${targets[@]}"; do
    read -ra library <<<"$(standard_library "$target")"
    if [ ${#library[@]} = 0 ]; then
        skip "$target: no standard library, and no sources with RUSTC_BOOTSTRAP=1"
        continue
    fi
    case $target in
        x86_64-pc-windows-gnu) linker=$(first_of x86_64-w64-mingw32-gcc) suffix=.exe ;;
        aarch64-unknown-linux-gnu) linker=$(first_of aarch64-linux-gnu-gcc) suffix= ;;
        *) linker='' suffix= ;;
    esac
    cargo check --quiet --all-targets "${library[@]}" --target "$target" || fail "$target: cargo check failed"
    say "compiles with its tests"
    if [ -z "$linker" ]; then
        skip "$target: no linker: compiled, not run"
        continue
    fi
    variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$target")
    export "${variable}_LINKER=$linker" WINEDEBUG=-all NULLWINDOW_EMULATED=1
    cargo build --quiet --release "${library[@]}" --target "$target"
    say "release build"
    binary=$PWD/${CARGO_TARGET_DIR:-target}/$target/release/nullwindow$suffix
    if ! emulator=$(runner "$target"); then
        skip "$target: no runner: built, not run"
        continue
    fi
    read -ra run <<<"$emulator"
    run+=("$binary")
    try_session
    if [ -z "$suffix" ] && [ ${#run[@]} -gt 1 ]; then
        skip "$target: no match and no tests: binfmt_misc is not set up for ${run[0]}, so engines cannot start"
        continue
    fi
    try_match
    if [ -n "$full" ]; then
        [ ${#run[@]} = 1 ] || export "${variable}_RUNNER=${run[0]}"
        cargo test --quiet "${library[@]}" --target "$target" || fail "$target: cargo test"
        say "cargo test"
    fi
done
