#!/usr/bin/env python3
"""Compares the moves of two engines position by position: where they differ, both moves are solved.

    scripts/compare-moves.py FILE NEW OLD [--nodes 589000] [--option NAME=VALUE] [--every N/M]

FILE has a position per line (OBF; `nullwindow problems` generates positions), NEW and OLD are the commands of two engines that speak
UGI. Every search begins without memory of the ones before. NEW solves the moves that differ. Prints a line for each position with
different moves: its number, both moves, and their exact scores in discs; then how often either move is better, the p-value of a
two-sided sign test, and the mean gain of NEW in discs a position with its standard error. `--every 1/2` and `--every 2/2` divide the
positions between two processes.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import engine_command, input_file, named_value, obf_positions, part, run_main, whole  # noqa: E402
from nullwindow.engine import Engine, Limit  # noqa: E402

LONGEST_SOLUTION = 3600.0  # seconds


def chosen(engine: Engine, position: str, nodes: int) -> str:
    """The move that an engine plays."""
    engine.new_game()
    engine.position(position)
    return engine.go(Limit(nodes=nodes), LONGEST_SOLUTION).move


def exact(engine: Engine, position: str, move: str) -> float:
    """The exact score of a move in discs."""
    engine.new_game()
    engine.position(position)
    score = engine.go(Limit(exact=True, searchmoves=(move,)), LONGEST_SOLUTION).info.score
    assert score is not None, "a solution has a score"
    return score / 100


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of these numbers, if both are equally likely."""
    count, rare = better + worse, min(better, worse)
    return min(1.0, 2 * sum(math.comb(count, k) for k in range(rare + 1)) / 2**count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=input_file, metavar="FILE")
    parser.add_argument("new", type=engine_command, metavar="NEW")
    parser.add_argument("old", type=engine_command, metavar="OLD")
    parser.add_argument("--nodes", type=whole(1), default=589_000, help="nodes per move (default: %(default)s)")
    parser.add_argument("--option", type=named_value, action="append", default=[], help="an option of both engines")
    parser.add_argument("--every", type=part, default=(1, 1), metavar="N/M")
    arguments = parser.parse_args()
    first, step = arguments.every
    gains: list[float] = []
    with Engine(arguments.new, options=dict(arguments.option)) as new, Engine(arguments.old, options=dict(arguments.option)) as old:
        for number, position in list(enumerate(obf_positions(arguments.file), 1))[first - 1 :: step]:
            moves = [chosen(engine, position, arguments.nodes) for engine in (new, old)]
            scores = [0.0, 0.0]
            if moves[0] != moves[1]:
                scores = [exact(new, position, move) for move in moves]
                print(f"{number:>5}  {moves[0]} {moves[1]}  {scores[0]:+.0f} {scores[1]:+.0f}", flush=True)
            gains.append(scores[0] - scores[1])
    better, worse = (sum(sign * gain > 0 for gain in gains) for sign in (1, -1))
    mean = sum(gains) / max(1, len(gains))
    variance = sum((gain - mean) ** 2 for gain in gains) / max(1, len(gains) - 1)
    print(f"{len(gains)} positions: better in {better}, worse in {worse}, p = {sign_test(better, worse):.2g}; "
          f"gain {mean:+.3f} +- {math.sqrt(variance / max(1, len(gains))):.3f} discs")  # fmt: skip
    return 0


if __name__ == "__main__":
    run_main(main)
