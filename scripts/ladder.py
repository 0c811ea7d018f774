#!/usr/bin/env python3
"""Measures the value of two plies: each depth plays a match against two plies less. Prints a table of costs and results.

    scripts/ladder.py target/release/nullwindow --depths 3-10 --rounds 100
    scripts/ladder.py target/release/nullwindow --depths 6,8,10 --rounds 50 --options Hash=1 Selectivity=100

A row shows the deeper side: nodes and CPU time per move (of the whole process, minus its start-up), and the result of the match.
`Hash` is 1 MiB by default, because clearing a large table before each game would dominate the cost of shallow moves. Arguments after
`--` are passed to `nullwindow tournament`.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from arguments import output_folder, program, run_main, whole


def depths(text: str) -> list[int]:
    """`3-10`, `6,8,10`, or both."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            numbers = range(int(first), int(last or first) + 1)
        except ValueError:
            numbers = range(0)
        if not numbers or numbers[0] < 3 or numbers[-1] > 60:
            raise argparse.ArgumentTypeError(f"{part}: expected a depth or a range N-N, 3 to 60")
        found.extend(numbers)
    return found


def timed(engine: str, log: Path) -> str:
    """A command that runs the engine and writes its CPU time in seconds to a file."""
    inner = f"TIMEFORMAT='%U %S'; {{ time {engine} 2>&3; }} 3>&2 2>{shlex.quote(str(log))}"
    return f"bash -c {shlex.quote(inner)}"


def seconds(log: Path) -> float:
    """The CPU time written by `timed`."""
    return sum(float(word) for word in log.read_text().split())


def start(engine: str, options: list[str], folder: Path) -> float:
    """The CPU time of a process that searches one ply."""
    log = folder / "start.cpu"
    lines = [f"setoption name {name} value {value}" for name, value in (option.split("=", 1) for option in options)]
    text = "\n".join(["ugi", *lines, "isready", "position startpos", "go depth 1", "quit", ""])
    subprocess.run(timed(engine, log), shell=True, input=text, text=True, stdout=subprocess.DEVNULL, check=True)
    return seconds(log)


def row(arguments: argparse.Namespace, depth: int, folder: Path) -> str:
    """Plays one match and returns its row of the table."""
    record, log = folder / f"depth{depth}", folder / f"depth{depth}.cpu"
    players = [("deep", timed(arguments.engine, log), depth), ("flat", shlex.quote(arguments.engine), depth - 2)]
    command = [arguments.engine, "tournament", "--out", str(record), "--rounds", str(arguments.rounds)]
    for name, line, plies in players:
        command += ["--engine", f"cmd={line}", f"name={name}", f"depth={plies}"]
    command += ["--each", "tc=inf", *(f"option.{option}" for option in arguments.options), *arguments.more]
    shown = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    won, drawn, lost = map(int, re.search(r"won (\d+), drawn (\d+), lost (\d+)", shown).groups())
    found = re.search(r"^ +Elo (\S+) (\+- \S+|\(.*?\))", shown, re.MULTILINE)
    elo = f"{float(found[1]):+.0f} {found[2]}" if found else "-"
    moves, nodes = 0, 0
    for line in (record / "games.jsonl").read_text().splitlines():
        game = json.loads(line)
        for ply, played in enumerate(game["moves"]):
            mover = "p1" if ply % 2 == 0 else "p2"  # a pass is a ply too
            if "nodes" in played and game[mover] == "deep":
                moves, nodes = moves + 1, nodes + played["nodes"]
    games = won + drawn + lost
    if not games or not moves:
        raise SystemExit(f"depth {depth}: no games, or no node counts in {record}")
    cost = 1e3 * (seconds(log) - start(arguments.engine, arguments.options, folder)) / moves
    score = 100 * (won + drawn / 2) / games
    return f"| {depth} | {nodes / moves:,.0f} | {cost:.2f} | {won}-{drawn}-{lost}, {score:.1f} % | {elo} |"


def main() -> int:
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", type=program, help="the nullwindow program")
    parser.add_argument("--depths", type=depths, default=depths("3-10"), metavar="N-N,..", help="depths of the deeper side (default: 3-10)")
    parser.add_argument("--rounds", type=whole(1), default=100, help="pairs of games per match (default: %(default)s)")
    parser.add_argument("--options", nargs="*", default=["Hash=1"], metavar="NAME=VALUE", help="engine options of both sides (default: Hash=1)")
    parser.add_argument("--folder", type=output_folder, help="keep the records of the matches in this folder")
    arguments = parser.parse_args(own)
    arguments.more = more or ["--exact", "10", "--seed", "1"]
    print("| depth | nodes per move | CPU ms per move | won-drawn-lost against two plies less | Elo |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for depth in arguments.depths:
            print(row(arguments, depth, folder), flush=True)
    return 0


if __name__ == "__main__":
    run_main(main)
