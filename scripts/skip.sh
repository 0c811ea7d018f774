# shellcheck shell=bash
# To be sourced: `skip REASON` reports a skipped check and appends it to the file named by NULLWINDOW_SKIPS, which .ci/run
# lists at its end.
skip() {
    echo "skipped: $*"
    if [ -n "${NULLWINDOW_SKIPS:-}" ]; then
        echo "$(basename "$0" .sh): $*" >>"$NULLWINDOW_SKIPS"
    fi
}
