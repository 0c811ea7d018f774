#!/usr/bin/env bash
# Learns the evaluation of Score Four from document 003's: generation k plays by what generation k-1 learnt, its games are fitted.
#
#   scripts/train-scorefour.sh [FOLDER [THREADS [SCALE]]]      (default: data/scorefour, 1 thread, 1)
#
# SCALE 1 is 61,239 games, 1.65 M positions: some four minutes of a free core (SCALE 0.03 takes 6.5 s of CPU time). Whatever ends it,
# the same command goes on, and ends with the same files to the byte. A weight file is taken over by hand after it has won a match;
# src/games/score_four/eval/weights.txt is generation 2 of SCALE 1.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-data/scorefour} threads=${2:-1} scale=${3:-1}
engine=${NULLWINDOW:-target/release/nullwindow}
[ -x "$engine" ] || cargo build --release
mkdir -p "$folder"

# generation NUMBER DEPTH GAMES SEED WEIGHTS FILES...: plays by the weights, fits those files
generation() {
    local number=$1 depth=$2 games seed=$4 before=$5
    games=$(awk "BEGIN { print int($3 * $scale) }")
    shift 5
    local weights=$folder/gen$number.txt
    if [ -s "$weights" ]; then
        echo "== generation $number is there"
        return
    fi
    "$engine" selfplay --game scorefour --out "$folder/gen$number.rec" --games "$games" --depth "$depth" \
        --seed "$seed" --threads "$threads" --option "EvalFile=$before"
    "$engine" train eval --game scorefour --lambda 0.9 --ridge 200 --epochs 4 --out "$weights.new" "$@" |
        tee "$folder/gen$number.fit"
    mv "$weights.new" "$weights"
    echo "== generation $number is there (${SECONDS}s in all)"
}

generation 0 3 24000 100 src/games/score_four/eval/plain.txt "$folder/gen0.rec"
generation 1 4 30000 101 "$folder/gen0.txt" "$folder/gen1.rec"
generation 2 4 7239 103 "$folder/gen1.txt" "$folder/gen2.rec" "$folder/gen1.rec"
echo "== all done after ${SECONDS}s"
