# shellcheck shell=bash
# Sourced by the checks. `skip REASON` prints a skipped check and appends it to the file NULLWINDOW_SKIPS, which .ci/run prints at
# its end.
skip() {
    echo "skipped: $*"
    if [ -n "${NULLWINDOW_SKIPS:-}" ]; then
        echo "$(basename "$0" .sh): $*" >>"$NULLWINDOW_SKIPS"
    fi
}

# The same if a program cannot be installed, which is an error with NULLWINDOW_CLIENTS=required.
skip_missing() {
    if [ "${NULLWINDOW_CLIENTS:-}" = required ]; then
        echo "$0: $*" >&2
        exit 1
    fi
    skip "$@"
}
