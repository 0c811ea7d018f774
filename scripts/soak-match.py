#!/usr/bin/env python3
"""Kills, stops and continues the match runner and its engines at random moments, resumes the match each time, and compares its record
with that of an undisturbed match. Linux only.

    scripts/soak-match.py target/release/nullwindow                         ten minutes
    scripts/soak-match.py target/release/nullwindow --minutes 1 --seed 5    a short run

Each round of the soak plays one match twice. Exit status 1 if a game is missing, repeated or different, a process is left, or the runner
fails. A game that ended because its engine was killed twice or stopped for too long must have a record of that; its moves are compared
up to there.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from arguments import command_words, duration, engine_command, run_main, whole  # noqa: E402

GAMES_PER_MATCH = 40
# What happens to whom, and how often.
ACTIONS = [("kill", 2), ("interrupt", 2), ("stop", 4), ("kill engine", 1), ("stop engine", 2)]
LONGEST_STOP = 3.0  # seconds; a stop of the runner may exceed the clock
LONGEST_ENGINE_STOP = 0.4
FIELDS = ["game", "round", "pair", "variant", "p1", "p2", "start", "result", "reason", "discs", "limits"]
MOVE_FIELDS = ["move", "origin", "depth", "score", "nodes"]


def fail(what: str) -> None:
    sys.exit(f"soak-match: {what}")


def children(process: int) -> list[int]:
    """The engines of a runner."""
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(word) for word in file.read_text().split()]
        except OSError:
            pass
    return [child for child in found if b"--end-engines" not in command_of(child)]


def command_of(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def send(process: int, number: int) -> None:
    try:
        Path(f"/proc/{process}/cmdline").read_bytes()
        subprocess.run(["kill", f"-{number}", str(process)], stderr=subprocess.DEVNULL, check=False)
    except OSError:
        pass  # it has ended


def disturb(runner: subprocess.Popen, chance: random.Random) -> str:
    """Does something to the runner or to one of its engines."""
    action = chance.choices([name for name, _ in ACTIONS], [weight for _, weight in ACTIONS])[0]
    if action == "kill":
        runner.kill()
    elif action == "interrupt":
        runner.send_signal(signal.SIGINT)
    elif action == "stop":
        runner.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.05, LONGEST_STOP))
        runner.send_signal(signal.SIGCONT)
    elif engines := children(runner.pid):
        engine = chance.choice(engines)
        if action == "kill engine":
            send(engine, signal.SIGKILL)
        else:
            send(engine, signal.SIGSTOP)
            time.sleep(chance.uniform(0.02, LONGEST_ENGINE_STOP))
            send(engine, signal.SIGCONT)
    return action


def games(folder: Path) -> dict[int, dict]:
    found: dict[int, dict] = {}
    for line in (folder / "games.jsonl").read_text().splitlines():
        game = json.loads(line)
        if game["game"] in found:
            fail(f"{folder}: game {game['game']} is recorded twice")
        found[game["game"]] = game
    return found


def compare(whole_match: dict[int, dict], disturbed: dict[int, dict]) -> tuple[int, int]:
    """The numbers of games that were played again, and that a disturbed engine lost."""
    if sorted(whole_match) != sorted(disturbed):
        fail(f"games {sorted(disturbed)}, expected {sorted(whole_match)}")
    again, lost = 0, 0
    for number, expected in whole_match.items():
        found = disturbed[number]
        again += found.get("attempt", 1) > 1
        moves = [[[move.get(field) for field in MOVE_FIELDS] for move in game["moves"]] for game in (expected, found)]
        if found["reason"] in ("crash", "time-forfeit") and (found.get("recovered") or found.get("lateness")):
            lost += 1
            moves[0] = moves[0][: len(moves[1])]
        elif (expected_fields := [expected.get(field) for field in FIELDS]) != (
            fields := [found.get(field) for field in FIELDS]
        ):
            fail(f"game {number}: {fields}, expected {expected_fields}")
        if moves[0] != moves[1]:
            fail(f"game {number}: moves {moves[1]}, expected {moves[0]}")
    return again, lost


def left_running(folder: Path) -> list[int]:
    own = str(folder).encode()
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and own in command_of(int(path.name))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=engine_command, help="nullwindow")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--interval", type=duration, default=2.0, help="mean seconds between two disturbances")
    parser.add_argument("--seed", type=whole(0), default=1)
    arguments = parser.parse_args()
    program = command_words(arguments.program)
    chance = random.Random(arguments.seed)
    end = time.monotonic() + 60 * arguments.minutes
    done: dict[str, int] = {name: 0 for name, _ in ACTIONS}
    matches = again = lost = 0
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="nullwindow-soak-") as name:
            folder = Path(name)
            # Without a table, a search does not depend on earlier ones.
            engine = shlex.join(program)
            settings = "depth=3 tc=1+0.5 option.Table=false option.Algorithm=alphabeta".split()
            match = f"--game othello6 --openings random plies=4 --seed {chance.randrange(10**6)} --recover --start-timeout 120 --stall-timeout 60 --concurrency 2 --affinity off"
            words = [*program, "tournament", "--engine", f"cmd={engine}", "name=A", "--engine", f"cmd={engine}", "name=B"]
            words += ["--each", *settings, *match.split(), "--rounds", str(GAMES_PER_MATCH // 2), "--out"]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            plain = subprocess.run([*words, str(folder / "plain")], check=False, **quiet)
            if plain.returncode != 0:
                fail(f"the undisturbed match: {plain.stderr.decode()}")
            command = [*words, str(folder / "disturbed")]
            while True:
                runner = subprocess.Popen(command, **quiet)
                while runner.poll() is None:
                    time.sleep(chance.expovariate(1 / arguments.interval))
                    if runner.poll() is None and (folder / "disturbed" / "tournament.json").exists():
                        done[disturb(runner, chance)] += 1
                errors = runner.stderr.read().decode()
                if runner.returncode == 0:
                    break
                # An engine that is killed while it starts ends the match.
                killed = runner.returncode == 2 and "cannot start: its process exited (signal: 9" in errors
                if runner.returncode not in (-signal.SIGKILL, -signal.SIGINT, 130) and not killed:
                    fail(f"status {runner.returncode}: {errors}")
                command = [*program, "tournament", "--resume", str(folder / "disturbed")]
            more = compare(games(folder / "plain"), games(folder / "disturbed"))
            again, lost, matches = again + more[0], lost + more[1], matches + 1
            patience = time.monotonic() + 10
            while left := left_running(folder):
                if time.monotonic() > patience:
                    fail(f"left running: {left}")
                time.sleep(0.05)
    print(f"{matches} matches of {GAMES_PER_MATCH} games equal undisturbed ones; played again: {again}, lost by disturbed engines: {lost}")
    print(", ".join(f"{name}: {count}" for name, count in done.items()))


if __name__ == "__main__":
    run_main(main)
