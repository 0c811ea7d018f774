# shellcheck shell=bash
# Sourced by the checks of other platforms: what this machine needs to build and run programs of a target.

# Prints the path of the first installed program; nothing if there is none.
first_of() { for name in "$@"; do command -v "$name" && return; done; true; }

# Prints the arguments with which cargo finds or builds the standard library of a target; nothing if it cannot.
standard_library() { # TARGET
    local sysroot
    sysroot=$(rustc --print sysroot)
    if compgen -G "$sysroot/lib/rustlib/$1/lib/libstd-*" >/dev/null; then
        echo --locked
    elif [ -d "$sysroot/lib/rustlib/src/rust/library/std" ] && [ -n "${RUSTC_BOOTSTRAP:-}" ]; then
        echo --locked -Zbuild-std=std,panic_abort
    fi
}

# Prints the command that precedes programs of a target: nothing if this machine runs them directly. Fails if it cannot run them.
runner() { # TARGET
    local cpu system emulator
    cpu=$(uname -m) system=$(uname -s)
    case $system-${cpu/arm64/aarch64}/$1 in
        Linux-x86_64/x86_64-*-linux-* | Linux-aarch64/aarch64-*-linux-* | Darwin-aarch64/*-apple-darwin | Darwin-x86_64/x86_64-apple-darwin) ;;
        M[IS]*-*/*-windows-*) ;;
        Linux-*/x86_64-*-windows-*) emulator=$(first_of wine64 wine) && [ -n "$emulator" ] && echo "$emulator" ;;
        # With binfmt_misc, Linux starts the emulator.
        Linux-*/*-linux-*)
            if compgen -G "/proc/sys/fs/binfmt_misc/qemu-${1%%-*}" >/dev/null; then return; fi
            emulator=$(first_of "qemu-${1%%-*}" "qemu-${1%%-*}-static") && [ -n "$emulator" ] && echo "$emulator -L /usr/${1/-unknown/}"
            ;;
        *) return 1 ;;
    esac
}
