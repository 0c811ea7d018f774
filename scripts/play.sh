#!/usr/bin/env bash
# Plays one game between two UGI engines. Queries the first engine for the side to move and the result.
#
#   scripts/play.sh [GAME [GO [ENGINE1 [ENGINE2]]]]
#   scripts/play.sh scorefour "depth 6"
#
# An engine is a command in shell syntax; default: that of engine.sh.
set -euo pipefail
. "$(dirname "$0")/engine.sh"
game=${1:-othello} go=${2:-movetime 50}
engine1=${3:-$(printf %q "$engine")} engine2=${4:-$engine1}

pipes=$(mktemp -d)
trap 'rm -rf "$pipes"; kill $(jobs -p) 2>/dev/null' EXIT
mkfifo "$pipes"/{in1,out1,in2,out2}
bash -c "exec $engine1" <"$pipes/in1" >"$pipes/out1" &
bash -c "exec $engine2" <"$pipes/in2" >"$pipes/out2" &
exec 3>"$pipes/in1" 4<"$pipes/out1" 5>"$pipes/in2" 6<"$pipes/out2"
trap '' PIPE # an engine that has ended is an error of `tell`

# tell ENGINE LINE: sends the line.
tell() { echo "$2" 2>/dev/null >&$((2 * $1 + 1)) || { echo "engine $1 has ended" >&2; exit 1; }; }

# ask ENGINE LINE WORD: sends the line, waits for a reply that begins with WORD, and prints the rest of it.
ask() {
    local from=$((2 * $1 + 2)) line
    tell "$1" "$2"
    while IFS= read -r -t 60 line <&"$from"; do
        case $line in
            "$3"*) echo "${line#"$3"}" | sed 's/^ //'; return ;;
            *error*) echo "engine $1: $line" >&2; exit 1 ;;
        esac
    done
    echo "engine $1 does not reply to: $2" >&2
    exit 1
}

for engine in 1 2; do
    ask $engine ugi ugiok >/dev/null
    ask $engine "setoption name Game value $game
uginewgame
isready" readyok >/dev/null
done

moves=
while
    for engine in 1 2; do tell $engine "position startpos moves $moves"; done
    [ "$(ask 1 'query gameover' response)" = false ]
do
    if [ "$(ask 1 'query p1turn' response)" = true ]; then mover=1; else mover=2; fi
    moves="$moves $(ask $mover "go $go" bestmove)"
done
echo "moves:$moves"
result=$(ask 1 'query result' response)
[ "$(ask 2 'query result' response)" = "$result" ] || { echo "the engines report different results" >&2; exit 1; }
echo "result: $result"
for engine in 1 2; do tell $engine quit; done
trap 'rm -rf "$pipes"' EXIT
wait
