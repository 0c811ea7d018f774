# shellcheck shell=bash
# Sourced by the checks: `skip REASON` prints a skipped check and appends it to the file NULLWINDOW_SKIPS, which .ci/run prints at
# its end.
skip() {
    echo "skipped: $*"
    if [ -n "${NULLWINDOW_SKIPS:-}" ]; then
        echo "$(basename "$0" .sh): $*" >>"$NULLWINDOW_SKIPS"
    fi
}
