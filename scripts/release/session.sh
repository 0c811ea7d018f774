# shellcheck shell=bash
# Sourced by the checks of installed programs.

fail() { echo "FAILED: $*" && exit 1; }

# try_session PROGRAM: a session, an exact score and a game of 4x4 Othello, none of which may leave files in the home folder.
try_session() {
    local scratch program=$1 output
    scratch=$(mktemp -d)
    in_home() { HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_CACHE_HOME=$scratch APPDATA=$scratch LOCALAPPDATA=$scratch "$program" "$@"; }
    output=$(printf 'position startpos moves f5\r\ngo depth 8\r\nquery p1turn\r\n' | in_home | tr -d '\r')
    grep -q '^bestmove d6' <<<"$output" && grep -q '^response false' <<<"$output" || fail "$program: wrong output of a session: $output"
    output=$(in_home solve --start --game othello4 --json | tr -d '\r')
    grep -q '"score":-8' <<<"$output" || fail "$program: wrong score of 4x4 Othello: $output"
    [ -z "$(ls -A "$scratch")" ] || fail "$program left files in the home folder: $(ls -A "$scratch")"
    rmdir "$scratch"
}
