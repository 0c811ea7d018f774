#!/usr/bin/env python3
"""Compares two engines by the time and nodes of exact endgame searches, position by position, in interleaved rounds (Linux).

    scripts/endgame-times.py NEW OLD [--rounds 3] [--hash 1024] [--threads 1] [--option NAME=VALUE] [--out FILE] [GROUP...]

A GROUP is `A-B`, 40 positions of self-play with A to B empties (`nullwindow problems --unsolved` of the engine in NEW), or an OBF file
with optional lines, `FILE:A-B`. Default: 20-22 23-24 25-26 27-28. NEW and OLD are the commands of two engines that speak UGI. In each
round both engines search each position with an empty table; the engine that begins alternates. Searches are charged with the user and
system time of their process. `--out` appends one line of JSON for each search, and a second run with the same file resumes there.

Prints for each group, NEW in relation to OLD: nodes, user time and nodes per second of user time (geometric means over the positions of
the medians over the rounds, and the range of the rounds' means), totals of user and system time in seconds, and exact scores that differ.
Exit status 1 if scores differ.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterable

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import command_words, engine_command, named_value, obf_positions, output_file, run_main, whole  # noqa: E402
from nullwindow.engine import Engine, Limit  # noqa: E402

LONGEST_SOLUTION = 24 * 3600.0  # seconds
POSITIONS = 40  # of a group that is generated
SEED = 77_000
TICK = 1 / os.sysconf("SC_CLK_TCK")

Record = dict[str, Any]


def generated(program: str, low: int, high: int) -> list[str]:
    """Positions of self-play with `low` to `high` empties, as many of each number as of the others, give or take one."""
    sizes = [POSITIONS // (high - low + 1) + (at < POSITIONS % (high - low + 1)) for at in range(high - low + 1)]
    positions: list[str] = []
    for empties, count in zip(range(low, high + 1), sizes):
        command = [program, "problems", "--unsolved", "--empties", str(empties), "--count", str(count), "--seed", str(SEED + empties)]
        positions += subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return positions


def group(program: str, text: str) -> list[str]:
    """The positions of a group."""
    path, _, lines = text.rpartition(":")
    bounds = [int(number) for number in (lines or text).split("-") if number.isdigit()]
    if path and len(bounds) == 2:
        return obf_positions(Path(path))[bounds[0] - 1 : bounds[1]]
    if len(bounds) == 2 and not Path(text).exists():
        return generated(program, *bounds)
    return obf_positions(Path(text))


def process_times(pid: int) -> tuple[float, float]:
    """The user and system time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) * TICK, int(fields[12]) * TICK


def search(engine: Engine, position: str) -> Record:
    """Solves a position with an empty table."""
    engine.new_game()
    engine.position(position)
    before = process_times(engine.pid)
    info = engine.go(Limit(exact=True), LONGEST_SOLUTION).info
    user, system = (after - start for after, start in zip(process_times(engine.pid), before))
    return {"score": info.score, "nodes": info.nodes, "user": round(user, 3), "system": round(system, 3)}


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def row(name: str, records: list[Record], positions: int, rounds: int) -> str:
    """The comparison of a group."""

    def values(side: str, key: str, number: int) -> list[float]:
        return [r[key] for r in records if r["side"] == side and r["position"] == number]

    def ratio(key: str, pick: Any) -> float:
        # A tick is the least that can be measured.
        least = TICK if key == "user" else 1
        return mean(max(least, pick(values("new", key, n))) / max(least, pick(values("old", key, n))) for n in range(positions))

    nodes, user = ratio("nodes", statistics.median), ratio("user", statistics.median)
    each = sorted(ratio("user", lambda all_rounds, at=at: all_rounds[at]) for at in range(rounds))
    totals = [sum(statistics.median(values(side, key, n)) for n in range(positions)) for key in ("user", "system") for side in ("new", "old")]
    differ = sum(len({r["score"] for r in records if r["position"] == n}) > 1 for n in range(positions))
    return (
        f"{name:<12} nodes {nodes:.3f}  user {user:.3f} ({each[0]:.3f} to {each[-1]:.3f})  nodes/s {nodes / user:.3f}  "
        f"user {totals[0]:.1f} / {totals[1]:.1f} s  system {totals[2]:.1f} / {totals[3]:.1f} s  scores that differ {differ}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("new", type=engine_command, metavar="NEW")
    parser.add_argument("old", type=engine_command, metavar="OLD")
    parser.add_argument("groups", nargs="*", default=["20-22", "23-24", "25-26", "27-28"], metavar="GROUP")
    parser.add_argument("--rounds", type=whole(1), default=3)
    parser.add_argument("--hash", type=whole(1), default=1024, help="MiB (default: %(default)s)")
    parser.add_argument("--threads", type=whole(1), default=1)
    parser.add_argument("--option", type=named_value, action="append", default=[], help="an option of both engines")
    parser.add_argument("--out", type=output_file)
    arguments = parser.parse_intermixed_args()
    options = {"Hash": arguments.hash, "Threads": arguments.threads, **dict(arguments.option)}
    program = command_words(arguments.new)[0]
    groups = {name: group(program, name) for name in arguments.groups}
    for name, positions in groups.items():
        if not positions:
            parser.error(f"{name}: no positions")
    records: list[Record] = []
    if arguments.out and arguments.out.exists():
        records = [json.loads(line) for line in arguments.out.read_text().splitlines()]
    done = {(r["group"], r["round"], r["position"], r["side"]) for r in records}
    with Engine(arguments.new, options=options) as new, Engine(arguments.old, options=options) as old:
        for name, positions in groups.items():
            for number_of_round in range(arguments.rounds):
                for number, position in enumerate(positions):
                    sides = [("new", new), ("old", old)]
                    for side, engine in sides if (number_of_round + number) % 2 == 0 else sides[::-1]:
                        if (name, number_of_round, number, side) in done:
                            continue
                        place = {"group": name, "round": number_of_round, "position": number, "side": side}
                        records.append({**place, **search(engine, position)})
                        if arguments.out:
                            with arguments.out.open("a") as out:
                                print(json.dumps(records[-1]), file=out)
            print(row(name, [r for r in records if r["group"] == name], len(positions), arguments.rounds), flush=True)
    return int(any(len({r["score"] for r in records if (r["group"], r["position"]) == key}) > 1 for key in {(r["group"], r["position"]) for r in records}))


if __name__ == "__main__":
    run_main(main)
