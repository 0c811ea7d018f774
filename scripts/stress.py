#!/usr/bin/env python3
"""Tests the engine under load with several threads: stops at random times, `isready` during a search, memory, rejected table sizes,
and process exits.

    scripts/stress.py                             1,000 stops per row, 10,000 games: a few minutes
    scripts/stress.py --stops 50 --games 300      a short run
    scripts/stress.py --only stops --threads 1 2 8

Prints response times in milliseconds. Exit status 1 if a reply is missing or wrong. There is no limit on times, because they depend
on the load of the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import duration, own_engine, program, run_main, whole  # noqa: E402
from nullwindow import Engine, EngineError, Limit  # noqa: E402

PATIENCE = 30.0  # seconds until a reply counts as missing

# The searched positions: name of the row, game, random plies from the start.
PLACES = [("midgame", "othello", 16), ("endgame", "othello", 38), ("score four", "scorefour", 14)]


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"stress: {what}")


def table_row(name: str, seconds: list[float]) -> None:
    """Prints percentiles of latencies."""
    ordered = sorted(1000 * second for second in seconds)
    p50, p99 = (ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] for percent in (50, 99))
    print(f"{name:34} {len(ordered):6} times, p50 {p50:7.2f}, p99 {p99:7.2f}, max {ordered[-1]:7.2f} ms", flush=True)


def random_game(engine: Engine, rng: random.Random, plies: int) -> list[str]:
    """Sets up an unfinished position after random moves."""
    while True:
        moves: list[str] = []
        engine.position()
        for _ in range(plies):
            moves.append(rng.choice(engine.legal_moves()))
            engine.position(moves=moves)
            if engine.game_over():
                break
        else:
            return moves


def started(arguments: argparse.Namespace, game: str, threads: int) -> Engine:
    engine = Engine([arguments.engine], timeout=PATIENCE)
    for name, value in (("Game", game), ("Threads", threads), ("Hash", 16)):
        engine.set_option(name, value)
    return engine


def stops(arguments: argparse.Namespace) -> None:
    """Stops infinite searches at random times; sends `isready` first to every other one."""
    rng = random.Random(arguments.seed)
    for name, game, plies in PLACES:
        for threads in arguments.threads:
            answered: list[float] = []
            ready: list[float] = []
            with started(arguments, game, threads) as engine:
                for number in range(arguments.stops):
                    if number % 20 == 0:
                        random_game(engine, rng, plies)
                        legal = engine.legal_moves()
                    with engine.analysis(Limit(infinite=True)) as analysis:
                        time.sleep(rng.random() * arguments.longest)
                        if number % 2:
                            ready.append(ready_time(engine))
                        begun = time.perf_counter()
                        move = analysis.stop().move
                        answered.append(time.perf_counter() - begun)
                    check(move in legal, f"{name}, {threads} threads: bestmove {move}")
            table_row(f"{name}, {threads} threads: stop", answered)
            if ready:
                table_row(f"{name}, {threads} threads: isready", ready)


def ready_time(engine: Engine) -> float:
    """The response time of `isready` during a search."""
    begun = time.monotonic()
    engine._process.answer(["isready"], "readyok", begun + PATIENCE)
    return time.monotonic() - begun


def resident(engine: Engine) -> int:
    """The resident memory of the process in KiB."""
    with open(f"/proc/{engine.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def memory(arguments: argparse.Namespace) -> None:
    """Plays short games, each with a cleared table; compares the memory after a tenth of them and at the end."""
    rng = random.Random(arguments.seed)
    threads = max(arguments.threads)
    with started(arguments, "othello", threads) as engine:
        first = 0
        for number in range(arguments.games):
            engine.new_game()
            moves = [rng.choice(engine.legal_moves())]
            for _ in range(4):
                engine.position(moves=moves)
                move = engine.go(Limit(nodes=3000)).move
                check(move is not None, "no bestmove in an unfinished game")
                moves.append(str(move))
            if number == arguments.games // 10:
                first = resident(engine)
        last = resident(engine)
    print(f"memory, {threads} threads: {first} KiB after {arguments.games // 10} games, {last} KiB after {arguments.games}")
    check(last < first + 4096, "memory grows")


def refused(arguments: argparse.Namespace) -> None:
    """Requests a table larger than the free memory: expects an error line, and that the old table is kept."""
    with Engine([arguments.engine], timeout=PATIENCE) as engine:
        engine.set_option("Threads", 2)
        before = engine.go(Limit(depth=12)).info
        try:
            engine.set_option("Hash", 65536)
        except EngineError as error:
            print(f"rejected Hash: {error}")
        else:
            print("rejected Hash: skipped, this machine has 64 GiB")
            return
        after = engine.go(Limit(depth=12)).info
        check(after.score == before.score, f"score {after.score} after a rejected table size, {before.score} before")
        check((after.nodes or 0) < (before.nodes or 0) / 2, f"the old table is lost: {after.nodes} nodes of {before.nodes}")


def ends(arguments: argparse.Namespace) -> None:
    """Ends the process during a search with several threads."""

    def close_input(process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        process.stdin.close()

    def close_output(process: subprocess.Popen[bytes]) -> None:
        assert process.stdout and process.stdin
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):  # it may have exited by the closed output
            process.stdin.write(b"stop\n")
            process.stdin.flush()

    def terminate(process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGTERM)

    ways: list[tuple[str, Callable[[subprocess.Popen[bytes]], None]]] = [
        ("closed input", close_input),
        ("closed output", close_output),
        ("SIGTERM", terminate),
    ]
    rng = random.Random(arguments.seed)
    for name, way in ways:
        seconds = []
        statuses = set()
        for _ in range(max(1, arguments.stops // 20)):
            command = [arguments.engine, "--option", f"Threads={max(arguments.threads)}"]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            assert process.stdin
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(b"go infinite\n")
                process.stdin.flush()
            time.sleep(0.05 + rng.random() * arguments.longest)
            check(process.poll() is None, f"{name}: the process has ended before, status {process.returncode}")
            begun = time.perf_counter()
            way(process)
            try:
                statuses.add(process.wait(PATIENCE))
            except subprocess.TimeoutExpired:
                process.kill()
                check(False, f"{name}: the process does not exit")
            seconds.append(time.perf_counter() - begun)
        table_row(f"{name}, status {sorted(statuses)}", seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", type=program, default=own_engine())
    parser.add_argument("--threads", type=whole(1, 256), nargs="+", default=[1, 2, 8])
    parser.add_argument("--stops", type=whole(1), default=1000, help="stops per row (default: %(default)s)")
    parser.add_argument("--longest", type=duration, default=0.1, help="longest time in seconds before a stop (default: %(default)s)")
    parser.add_argument("--games", type=whole(1), default=10_000)
    parser.add_argument("--seed", type=whole(0), default=1)
    parts = {"stops": stops, "memory": memory, "refused": refused, "ends": ends}
    parser.add_argument("--only", choices=list(parts), nargs="+", default=list(parts))
    arguments = parser.parse_args()
    for name in arguments.only:
        parts[name](arguments)


if __name__ == "__main__":
    run_main(main)
