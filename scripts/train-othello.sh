#!/usr/bin/env bash
# Learns the evaluation of Othello from nothing: generation k plays by what generation k-1 learnt, its games are fitted.
#
#   scripts/train-othello.sh [FOLDER [THREADS [SCALE]]]      (default: data/othello, 1 thread, 1)
#
# Generation 0 plays by mobility; 0 and 1 fit the linear sum, all later ones the network, on the last two generations. SCALE 1
# is 890,000 games, 36 M positions. By the rates seen on a shared machine (a game at depth 4 by the network: 3.5 to 10 ms)
# that is one to three hours of one core, most of it the last generation; all in proportion to SCALE. Whatever ends
# it, the same command goes on. Weight files lie in FOLDER; one is taken over by hand (src/othello/eval/weights.bin) after it has
# won a match.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-data/othello} threads=${2:-1} scale=${3:-1}
engine=${NULLWINDOW:-target/release/nullwindow}
check=${NULLWINDOW_DATA:-../shared}/othello/wthor-24-empties.obf
[ -x "$engine" ] || cargo build --release
mkdir -p "$folder"

# generation NUMBER DEPTH GAMES MODEL [OPTIONS OF THE FIT...]
generation() {
    local number=$1 depth=$2 games model=$4 before=$(($1 - 1))
    games=$(awk "BEGIN { print int($3 * $scale) }")
    shift 4
    local weights=$folder/gen$number.weights
    if [ -s "$weights" ]; then
        echo "== generation $number is there"
        return
    fi
    local by=(--mobility) records=("$folder/gen$number.rec")
    if [ "$number" -gt 0 ]; then by=(--option "EvalFile=$folder/gen$before.weights"); fi
    if [ "$number" -gt 1 ]; then records+=("$folder/gen$before.rec"); fi
    echo "== generation $number plays ($(date +%T))"
    "$engine" selfplay --out "${records[0]}" --games "$games" --depth "$depth" --seed "$((100 + number))" \
        --threads "$threads" "${by[@]}"
    echo "== generation $number is fitted ($(date +%T))"
    local checks=()
    if [ -r "$check" ]; then checks=(--check "$check"); fi
    "$engine" train eval --model "$model" --threads "$threads" --out "$weights.new" --plot "$folder/gen$number.svg" \
        "${checks[@]}" "$@" "${records[@]}" | tee "$folder/gen$number.fit"
    mv "$weights.new" "$weights"
    echo "== generation $number is there ($(date +%T), ${SECONDS}s in all)"
}

generation 0 3 80000 linear --lambda 1 --anchors 10,24,36,46,56 --epochs 12
generation 1 3 60000 linear --anchors 10,24,36,46,56 --epochs 12
generation 2 4 150000 network
generation 3 4 300000 network
generation 4 5 300000 network
