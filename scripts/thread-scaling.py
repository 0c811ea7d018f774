#!/usr/bin/env python3
"""Measures thread scaling: nodes, nodes per second and wall time relative to one thread, in interleaved runs.

    scripts/thread-scaling.py solve FILE            solve a problem file, positions in parallel
    scripts/thread-scaling.py solve FILE --apart    the same, with all threads on one position at a time
    scripts/thread-scaling.py search --depth 16     search generated openings of 20 plies

Each round runs each number of threads once, and as many programs of one thread at the same time: cores that share caches, memory and
power reach no more. The last lines are medians over the rounds of the ratios to one thread.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import input_file, own_engine, program, run_main, whole  # noqa: E402
from nullwindow import Engine, Limit  # noqa: E402


def openings(arguments):
    command = [arguments.engine, "openings", "--game", arguments.game, "--plies", str(arguments.plies)]
    command += ["--count", str(arguments.count), "--depth", "6", "--within", "800"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split(";")[0].split("#")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def search(arguments, positions, threads):
    """Nodes and seconds to search every position, each with an empty table."""
    nodes, seconds = 0, 0.0
    with Engine([arguments.engine]) as engine:
        engine.set_option("Game", arguments.game)
        engine.set_option("Hash", arguments.hash)
        engine.set_option("Threads", threads)
        for moves in positions:
            engine.new_game()
            engine.position(moves=moves)
            begun = time.perf_counter()
            result = engine.go(Limit(depth=arguments.depth))
            seconds += time.perf_counter() - begun
            nodes += result.info.nodes
    return nodes, seconds


def solve(arguments, threads):
    """Nodes and seconds of `solve`: all problems in one run, or one run per problem."""
    command = [arguments.engine, "--game", arguments.game, "solve", arguments.file, "--hash", str(arguments.hash)]
    command += ["--threads", str(threads)]
    if not arguments.apart:
        return solve_run(command)
    with open(arguments.file) as file:
        numbers = [number for number, line in enumerate(file, 1) if line.strip() and not line.startswith(("#", "%"))]
    runs = [solve_run([*command, "--only", str(number)]) for number in numbers]
    return sum(nodes for nodes, _ in runs), sum(seconds for _, seconds in runs)


def solve_run(command):
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    total = done.stdout.splitlines()[-1]
    nodes = next(int(part.split()[0]) for part in total.split(";") if part.split()[1].startswith("nodes"))
    return nodes, time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["solve", "search"])
    parser.add_argument("file", nargs="?", type=input_file, help="the problem file to solve")
    parser.add_argument("--apart", action="store_true", help="solve: use all threads on one position at a time")
    parser.add_argument("--engine", type=program, default=own_engine())
    parser.add_argument("--game", default="othello")
    parser.add_argument("--threads", type=whole(2, 256), nargs="+", default=[2])
    parser.add_argument("--rounds", type=whole(1), default=5)
    parser.add_argument("--hash", type=whole(1, 65_536), default=1024, help="MiB")
    parser.add_argument("--depth", type=whole(1, 64), default=16)
    parser.add_argument("--plies", type=whole(1, 60), default=20)
    parser.add_argument("--count", type=whole(1), default=50)
    arguments = parser.parse_intermixed_args()
    if arguments.what == "solve" and not arguments.file:
        parser.error("solve: FILE is missing")
    if arguments.what == "search" and (arguments.file or arguments.apart):
        parser.error("search: FILE and --apart apply to solve only")
    positions = openings(arguments) if arguments.what == "search" else []
    ratios = {threads: [] for threads in arguments.threads}

    def run(threads):
        return solve(arguments, threads) if arguments.what == "solve" else search(arguments, positions, threads)

    for number in range(1, arguments.rounds + 1):
        base_nodes, base_seconds = run(1)
        print(f"round {number}: 1 thread, {base_nodes} nodes, {base_seconds:.2f} s", flush=True)
        for threads in arguments.threads:
            nodes, seconds = run(threads)
            with ThreadPoolExecutor(threads) as pool:
                longest = max(seconds for _, seconds in pool.map(run, [1] * threads))
            print(f"round {number}: {threads} threads, {nodes} nodes, {seconds:.2f} s; {threads} programs {longest:.2f} s", flush=True)
            nodes_ratio, wall = nodes / max(base_nodes, 1), max(seconds, 1e-6) / max(base_seconds, 1e-6)
            ratios[threads].append((nodes_ratio, nodes_ratio / wall, wall, threads * base_seconds / max(longest, 1e-6)))
    for threads, found in ratios.items():
        nodes, speed, wall, programs = (median(column) for column in zip(*found))
        print(
            f"{threads} threads relative to one: nodes {nodes:.3f}, nodes/s {speed:.2f}, wall time {wall:.3f};"
            f" {threads} programs: nodes/s {programs:.2f} (medians of {len(found)})"
        )


if __name__ == "__main__":
    run_main(main)
