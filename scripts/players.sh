# shellcheck shell=bash
# Sourced by match.sh and sprt.sh. Sets `engine`, the program that runs the match (engine.sh).
# Sets `players` from the two engine commands that precede the flags, with `names` and the time control `control`; without
# commands, the program plays itself at the two `depths`.
. "$(dirname "${BASH_SOURCE[0]}")/engine.sh"

if [[ $# -ge 2 && $1 != -* && $2 != -* ]]; then
    players=(--engine "cmd=$1" "name=${names[0]}" --engine "cmd=$2" "name=${names[1]}")
    limits=("$control" timemargin=50)
    shift 2
else
    players=()
    for depth in "${depths[@]}"; do
        players+=(--engine "cmd=$(printf %q "$engine")" "name=depth-$depth" "depth=$depth")
    done
    limits=(tc=inf)
fi
[[ " $* " =~ \ --?each[\ =] ]] || set -- --each "${limits[@]}" option.Hash=16 "$@"
