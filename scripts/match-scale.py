#!/usr/bin/env python3
"""Measures how the match runner scales: its own times per move, and its memory, by the number of games.

    scripts/match-scale.py target/release/nullwindow --rounds 500 --concurrency 16
    scripts/match-scale.py target/release/nullwindow --rounds 1000,10000 --game othello4 --concurrency 2

Each number of rounds is a match of the engine against itself at one and two nodes per move. The memory is the peak of the runner's own
resident set, without its engines (Linux). The overhead without CPU waits is the time between two moves that the runner itself needs.
Arguments after `--` are passed to `nullwindow tournament`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arguments import program, run_main, whole


def peak(process: subprocess.Popen[str]) -> int:
    """The peak of a process's own resident set in KiB, when it has ended."""
    highest = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                highest = int(line.split()[1])
        time.sleep(0.02)
    return highest


def rounds(text: str) -> list[int]:
    """`1000,10000`"""
    return [whole(1)(part) for part in text.split(",")]


def play(arguments: argparse.Namespace, number: int, folder: Path) -> int:
    """Plays a match, prints its figures and returns the runner's peak memory in KiB."""
    command = [arguments.engine, "tournament"]
    for name, nodes in (("one", 1), ("two", 2)):
        command += ["--engine", f"cmd={shlex.quote(arguments.engine)}", f"name={name}", f"nodes={nodes}", "option.Hash=1"]
    command += ["--game", arguments.game, "--seed", "1", "--json", "--out", str(folder / str(number))]
    command += ["--rounds", str(number), "--concurrency", str(arguments.concurrency), *arguments.more]
    output = folder / "output.json"
    with output.open("w") as out, (folder / "lines").open("w") as lines:
        process = subprocess.Popen(command, stdout=out, stderr=lines, text=True)
        memory = peak(process)
    if process.returncode != 0:
        sys.exit((folder / "lines").read_text())
    summary = json.loads(output.read_text())
    print(f"{summary['games']} games, {arguments.concurrency} at once: peak memory of the runner {memory} KiB")
    for name, field in (
        ("overhead per move", "overhead_us"),
        ("without CPU waits", "own_overhead_us"),
        ("delay of a reply", "delay_us"),
    ):
        times = summary[field]
        if times:
            print(f"  {name}: median {times['median']} us, 99 % {times['p99']} us, maximum {times['maximum']} us")
    return memory


def main() -> int:
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", type=program, help="the nullwindow program")
    parser.add_argument("--game", default="othello", help="the game (default: %(default)s)")
    parser.add_argument("--rounds", type=rounds, default=[500], metavar="N,..", help="rounds of each match, of two games (default: 500)")
    parser.add_argument("--concurrency", type=whole(1), default=16, help="games at once (default: %(default)s)")
    arguments = parser.parse_args(own)
    arguments.more = more
    with tempfile.TemporaryDirectory() as folder:
        memory = [play(arguments, number, Path(folder)) for number in arguments.rounds]
    if len(memory) > 1 and memory[0]:
        print(f"memory: {100 * (memory[-1] / memory[0] - 1):+.1f} % from the first to the last match")
    return 0


if __name__ == "__main__":
    run_main(main)
