#!/usr/bin/env bash
# Trains the evaluation of Score Four, beginning with that of document 003: each generation plays games with the weights of the
# previous one and fits new weights to them.
#
#   scripts/train-scorefour.sh [FOLDER [THREADS [SCALE]]]      (default: data/scorefour, 1 thread, 1)
#
# SCALE 1 is 61,239 games with 1.65 M positions and takes about four minutes on one core. After an interruption, the same command
# continues and produces the same files, byte for byte. FOLDER is relative to the caller's folder. To adopt a weight file that has won a
# match, copy it to src/games/score_four/eval/weights.txt, which is generation 2 of SCALE 1.
set -euo pipefail
folder=${1:-data/scorefour} threads=${2:-1} scale=${3:-1}
. "$(dirname "$0")/engine.sh"
mkdir -p "$folder"

# generation NUMBER DEPTH GAMES SEED WEIGHTS FILE...: plays games with the weights, then fits new weights to the files
generation() {
    local number=$1 depth=$2 games seed=$4 before=$5
    games=$(awk "BEGIN { print int($3 * $scale) }")
    shift 5
    local weights=$folder/gen$number.txt
    if [ -s "$weights" ]; then
        echo "== generation $number: already trained"
        return
    fi
    "$engine" lab selfplay --game scorefour --out "$folder/gen$number.rec" --games "$games" --depth "$depth" \
        --seed "$seed" --threads "$threads" --option "EvalFile=$before"
    "$engine" lab train eval --game scorefour --lambda 0.9 --ridge 200 --epochs 4 --out "$weights.new" "$@" |
        tee "$folder/gen$number.fit"
    mv "$weights.new" "$weights"
    echo "== generation $number: done (${SECONDS}s in total)"
}

generation 0 3 24000 100 "$root/src/games/score_four/eval/plain.txt" "$folder/gen0.rec"
generation 1 4 30000 101 "$folder/gen0.txt" "$folder/gen1.rec"
generation 2 4 7239 103 "$folder/gen1.txt" "$folder/gen2.rec" "$folder/gen1.rec"
echo "== done in ${SECONDS}s"
