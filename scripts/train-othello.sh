#!/usr/bin/env bash
# Trains the evaluation of Othello from nothing: each generation plays games with the weights of the previous one, fits new weights
# to them, and plays a match against it.
#
#   scripts/train-othello.sh [FOLDER [THREADS [SCALE]]]      (default: data/othello, 1 thread, 1)
#
# Generation 0 plays with the mobility evaluation. The network is fitted to the games of the last two generations. After each fit: 400
# games at depth 6 against the previous generation; after the last one also 400 games at 30 ms a move.
#
# SCALE 1 is 890,000 games with 36 M positions. It took 5,540 s on one core, half of it for the games of the last generation, and
# reached a mean error of 5.33 discs on 2,000 positions of 24 empties (network of 16 neurons; generations 0 and 1 were then fitted by
# a linear sum). Time is proportional to SCALE.
#
# After an interruption, the same command continues. The weight files are in FOLDER, a path relative to the caller's folder. To adopt one
# that has won its matches, copy it to src/games/reversi/eval/weights.bin.
set -euo pipefail
folder=${1:-data/othello} threads=${2:-1} scale=${3:-1}
. "$(dirname "$0")/engine.sh"
check=${NULLWINDOW_DATA:-$root/../shared}/othello/wthor-24-empties.obf
mkdir -p "$folder"

# part NUMBER: prints the number times SCALE, at least 1
part() { awk "BEGIN { n = int($1 * $scale); print n < 1 ? 1 : n }"; }

# match NAME GENERATION LIMIT...: plays a generation against the previous one, 200 pairs of games
match() {
    local record=$folder/$1 number=$2 before=$(($2 - 1)) rounds
    rounds=$(part 200)
    shift 2
    if [ -s "$record.result" ]; then
        echo "== $(basename "$record"): already played"
        return
    fi
    echo "== match of generation $number against $before, $* ($(date +%T))"
    local how=(--game othello --rounds "$rounds" --out "$record" --seed "$number" --exact 10 --each option.Hash=16 "$@"
        --engine "cmd=$(printf %q "$engine")" "name=gen$number" "option.EvalFile=$folder/gen$number.weights"
        --engine "cmd=$(printf %q "$engine")" "name=gen$before" "option.EvalFile=$folder/gen$before.weights")
    if [ -s "$record/tournament.json" ]; then how=(--resume "$record"); fi
    "$engine" tournament "${how[@]}" >"$record.log"
    sed -n '/ against .*:$/,$p' "$record.log" | tee "$record.new"
    mv "$record.new" "$record.result"
}

# generation NUMBER DEPTH GAMES [OPTIONS OF THE FIT...]
generation() {
    local number=$1 depth=$2 games before=$(($1 - 1))
    games=$(part "$3")
    shift 3
    local weights=$folder/gen$number.weights
    if [ -s "$weights" ]; then
        echo "== generation $number: already trained"
        return
    fi
    local by=(--mobility) records=("$folder/gen$number.rec")
    if [ "$number" -gt 0 ]; then by=(--option "EvalFile=$folder/gen$before.weights"); fi
    if [ "$number" -gt 1 ]; then records+=("$folder/gen$before.rec"); fi
    echo "== generation $number: self-play ($(date +%T))"
    "$engine" lab selfplay --out "${records[0]}" --games "$games" --depth "$depth" --seed "$((100 + number))" \
        --threads "$threads" "${by[@]}"
    echo "== generation $number: fit ($(date +%T))"
    local checks=()
    if [ -r "$check" ]; then checks=(--check "$check"); fi
    "$engine" lab train eval --out "$weights.new" --plot "$folder/gen$number.svg" \
        "${checks[@]}" "$@" "${records[@]}" | tee "$folder/gen$number.fit"
    mv "$weights.new" "$weights"
    echo "== generation $number: done ($(date +%T), ${SECONDS}s in total)"
}

generation 0 3 80000 --lambda 1
generation 1 3 60000
match depth1 1 depth=6
generation 2 4 150000
match depth2 2 depth=6
generation 3 4 300000
match depth3 3 depth=6
generation 4 5 300000
match depth4 4 depth=6
match time4 4 st=0.03 timemargin=1000
echo "== done in ${SECONDS}s"
