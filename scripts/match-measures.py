#!/usr/bin/env python3
"""Compares two measures of a match: how many games do Elo and the disc difference need to separate the two engines?

    scripts/match-measures.py MATCH...

Each MATCH is the folder of a match of two engines with discs, played in pairs of games. For both measures, t is the mean of the pairs
divided by its standard error. A measure needs games in proportion to 1/t^2, so discs need (t of Elo / t of discs)^2 times the games of
Elo. Intervals are 95 % bootstrap intervals over pairs. Several matches are also measured together.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from pathlib import Path

from arguments import run_main

RESAMPLES = 4000
NELO = 800 / math.log(10)  # normalized Elo of one standard deviation

Pair = tuple[float, int]  # points above half and disc difference of the first engine


def pairs(folder: Path) -> list[Pair]:
    """The complete pairs of a match."""
    games: dict[int, list[Pair]] = defaultdict(list)
    first = json.loads((folder / "tournament.json").read_text())["config"]["engines"][0]["name"]
    for line in (folder / "games.jsonl").read_text().splitlines():
        game = json.loads(line)
        side = 1 if game["p1"] == first else -1
        if "discs" in game:
            points = {"p1win": 0.5, "draw": 0.0, "p2win": -0.5}[game["result"]]
            games[game["pair"]].append((side * points, side * game["discs"]))
    return [(sum(p for p, _ in pair), sum(d for _, d in pair)) for pair in games.values() if len(pair) == 2]


def error_of(values: list[float]) -> float:
    """The standard error of the mean."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def t_of(values: list[float]) -> float:
    """The mean divided by its standard error."""
    mean, error = sum(values) / len(values), error_of(values)
    return mean / error if error else math.copysign(math.inf, mean) if mean else 0.0


def games_needed(elo: float, discs: float) -> float:
    """The games that discs need, as a multiple of those that Elo needs."""
    return (elo / discs) ** 2 if discs else math.inf


def both(sample: list[Pair]) -> tuple[float, float]:
    return t_of([points for points, _ in sample]), t_of([discs for _, discs in sample])


def interval(values: list[float]) -> str:
    values = sorted(values)
    return f"[{values[len(values) * 25 // 1000]:.2f}, {values[len(values) * 975 // 1000]:.2f}]"


def show(name: str, sample: list[Pair]) -> None:
    rng = random.Random(1)
    resampled = [both(rng.choices(sample, k=len(sample))) for _ in range(RESAMPLES)]
    elo, discs = both(sample)
    root = math.sqrt(2 * len(sample))
    mean = sum(pair[1] for pair in sample) / len(sample)
    print(f"{name}: {2 * len(sample)} games")
    print(f"  normalized Elo {elo * NELO / root:.1f}, standard error {NELO / root:.1f}: t {elo:.2f}, 95 % {interval([e for e, _ in resampled])}")
    print(f"  discs per pair {mean:+.2f}, standard error {error_of([discs for _, discs in sample]):.2f}: t {discs:.2f}, 95 % {interval([d for _, d in resampled])}")
    print(f"  games needed by discs, Elo 1: {games_needed(elo, discs):.2f}, 95 % {interval([games_needed(e, d) for e, d in resampled])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matches", nargs="+", type=Path, metavar="MATCH", help="the folder of a match")
    arguments = parser.parse_args()
    samples = []
    for folder in arguments.matches:
        try:
            samples.append(pairs(folder))
        except (OSError, ValueError, LookupError, TypeError) as error:
            parser.error(f"{folder}: not the record of a match: {error!r}")
        if len(samples[-1]) < 5:
            parser.error(f"{folder}: fewer than 5 pairs of games with discs")
    for folder, sample in zip(arguments.matches, samples):
        show(folder.name, sample)
    if len(samples) > 1:
        show("together", sum(samples, []))


if __name__ == "__main__":
    run_main(main)
