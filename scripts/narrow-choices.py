#!/usr/bin/env python3
"""Generates positions in which the best move is ahead of all others by exactly two discs, for paired tests of the choice of the move.

    scripts/narrow-choices.py OUT [--empties 24-27] [--count 500] [--seed 1] [--hash 256] [--seconds 60] [--every N/M] [--engine PATH]

Positions come from `nullwindow problems --unsolved`: batch K of E empties has the seed SEED + 100 * K + E. A search of 100,000 nodes drops those
whose best two moves seem to be further apart than the search can err; the rest are solved for both scores. Appends to OUT, after each batch, the positions that
qualify, in OBF with the scores of both moves, and a line `# batch K`; a second run resumes after the last batch. Positions that take longer than
`--seconds` of wall time are dropped. `--every 1/2` and `--every 2/2` divide the batches between two processes with files of their own.

`scripts/compare-moves.py OUT NEW OLD` compares two engines on these positions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Optional

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import output_file, own_engine, part, program, run_main, whole  # noqa: E402
from nullwindow.engine import Engine, EngineTimeout, Limit, Result  # noqa: E402

BATCH = 5  # positions of each number of empties
PRESELECTION = 100_000  # nodes
GAP = 2.0  # discs by which the best move is ahead
MARGIN = 1.5  # discs by which the preselection may err


def span(text: str) -> tuple[int, int]:
    """The numbers of empties A-B."""
    low, _, high = text.partition("-")
    if not (low.isdigit() and high.isdigit() and 1 <= int(low) <= int(high) <= 60):
        raise argparse.ArgumentTypeError(f"{text}: expected A-B with 1 <= A <= B <= 60")
    return int(low), int(high)


def best_two(result: Result) -> Optional[list[tuple[str, float]]]:
    """The moves and scores in discs of the first two lines."""
    lines = [result.lines.get(number) for number in (1, 2)]
    if any(line is None or line.score is None for line in lines):
        return None
    return [(line.pv[0], line.score / 100) for line in lines if line and line.score is not None]


def narrow(engine: Engine, position: str, seconds: float) -> Optional[str]:
    """The position with the scores of its best two moves, if these are two discs apart."""
    engine.new_game()
    engine.position(position)
    guess = best_two(engine.go(Limit(nodes=PRESELECTION)))
    if guess is None or not 0.0 <= guess[0][1] - guess[1][1] <= GAP + MARGIN:
        return None
    try:
        solution = best_two(engine.go(Limit(exact=True), seconds))
    except EngineTimeout:
        return None
    if solution is None or solution[0][1] - solution[1][1] != GAP:
        return None
    return position + "".join(f" {move}:{score:+.0f};" for move, score in solution)


def batches(out: Path, first: int, step: int) -> Iterator[int]:
    """The numbers of the batches that are not yet in the file."""
    done = {int(line.split()[2]) for line in out.read_text().splitlines() if line.startswith("# batch ")} if out.exists() else set()
    number = first - 1
    while True:
        if number not in done:
            yield number
        number += step


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=output_file, metavar="OUT")
    parser.add_argument("--empties", type=span, default=(24, 27), metavar="A-B")
    parser.add_argument("--count", type=whole(1), default=500, help="positions in the file (default: %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=1)
    parser.add_argument("--hash", type=whole(1), default=256, help="MiB (default: %(default)s)")
    parser.add_argument("--seconds", type=whole(1), default=60, help="longest solution (default: %(default)s)")
    parser.add_argument("--every", type=part, default=(1, 1), metavar="N/M")
    parser.add_argument("--engine", type=program, default=own_engine())
    arguments = parser.parse_args()
    low, high = arguments.empties
    with Engine([arguments.engine], options={"Hash": arguments.hash, "MultiPV": 2}) as engine, arguments.out.open("a") as out:
        found = sum(line[:1] in "XO-" for line in arguments.out.read_text().splitlines())
        for batch in batches(arguments.out, *arguments.every):
            if found >= arguments.count:
                break
            lines = []
            for empties in range(low, high + 1):
                seed = arguments.seed + 100 * batch + empties
                command = [arguments.engine, "problems", "--unsolved", "--empties", str(empties), "--count", str(BATCH), "--seed", str(seed)]
                for position in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
                    line = narrow(engine, position, arguments.seconds)
                    if line:
                        lines.append(line)
            found += len(lines)
            out.write("".join(f"{line}\n" for line in [*lines, f"# batch {batch}"]))
            out.flush()
    return 0


if __name__ == "__main__":
    run_main(main)
