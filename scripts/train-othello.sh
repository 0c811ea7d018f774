#!/usr/bin/env bash
# Learns the evaluation of Othello from nothing: generation k plays by what generation k-1 learnt, its games are fitted, and a
# match says whether it is better.
#
#   scripts/train-othello.sh [FOLDER [THREADS [SCALE]]]      (default: data/othello, 1 thread, 1)
#
# Generation 0 plays by mobility; 0 and 1 fit the linear sum, all later ones the network, on the last two generations. After each fit
# there are 400 games at depth 6 against the generation before, after the last one also 400 at 30 ms a move. SCALE 1
# is 890,000 games, 36 M positions: 5,540 s in one go on one of two cores, with other work on the other, half of it the games of the
# last generation (by generation 1,050, 410, 260, 300 and 110 games a second), five minutes the matches. It came to a mean error of
# 5.33 discs on 2,000 positions of 24 empties, with a network of 16 neurons. All in proportion to SCALE, but for seconds: 0.05 took 285 s of CPU time,
# stopped three times on the way, by kill -9 once.
# Whatever ends it, the same command goes on. Weight files lie in FOLDER; one is taken over by hand
# (src/games/reversi/eval/weights.bin) after it has won its matches.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-data/othello} threads=${2:-1} scale=${3:-1}
engine=${NULLWINDOW:-target/release/nullwindow}
check=${NULLWINDOW_DATA:-../shared}/othello/wthor-24-empties.obf
[ -x "$engine" ] || cargo build --release
mkdir -p "$folder"

# part NUMBER: so much of a number as SCALE says
part() { awk "BEGIN { n = int($1 * $scale); print n < 1 ? 1 : n }"; }

# match NAME GENERATION LIMIT...: plays a generation against the one before, in 200 pairs of games
match() {
    local record=$folder/$1 number=$2 before=$(($2 - 1)) rounds
    rounds=$(part 200)
    shift 2
    if [ -s "$record.result" ]; then
        echo "== $(basename "$record") is played"
        return
    fi
    echo "== generation $number against $before, $* ($(date +%T))"
    local how=(--game othello --rounds "$rounds" --out "$record" --seed "$number" --exact 10 --each option.Hash=16 "$@"
        --engine "cmd=$engine" "name=gen$number" "option.EvalFile=$folder/gen$number.weights"
        --engine "cmd=$engine" "name=gen$before" "option.EvalFile=$folder/gen$before.weights")
    if [ -s "$record/tournament.json" ]; then how=(--resume "$record"); fi
    "$engine" tournament "${how[@]}" >"$record.log"
    sed -n '/ against .*:$/,$p' "$record.log" | tee "$record.new"
    mv "$record.new" "$record.result"
}

# generation NUMBER DEPTH GAMES MODEL [OPTIONS OF THE FIT...]
generation() {
    local number=$1 depth=$2 games model=$4 before=$(($1 - 1))
    games=$(part "$3")
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
    local fit=(--model "$model")
    if [ "$model" = linear ]; then fit+=(--threads "$threads"); fi
    "$engine" train eval "${fit[@]}" --out "$weights.new" --plot "$folder/gen$number.svg" \
        "${checks[@]}" "$@" "${records[@]}" | tee "$folder/gen$number.fit"
    mv "$weights.new" "$weights"
    echo "== generation $number is there ($(date +%T), ${SECONDS}s in all)"
}

generation 0 3 80000 linear --lambda 1 --anchors 10,24,36,46,56 --epochs 12
generation 1 3 60000 linear --anchors 10,24,36,46,56 --epochs 12
match depth1 1 depth=6
generation 2 4 150000 network
match depth2 2 depth=6
generation 3 4 300000 network
match depth3 3 depth=6
generation 4 5 300000 network
match depth4 4 depth=6
match time4 4 st=0.03 timemargin=1000
echo "== all done after ${SECONDS}s"
