"""`nullwindow-cluster`: large jobs of nullwindow on the cores of this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from distributed import Client, LocalCluster

from .engine import EngineFailed, identity
from .expand import Expand
from .folder import Results, Row
from .jobs import Analyze, Selfplay, Solve, TaskList, Tournament
from .pool import Pool

JOBS = {"solve": Solve, "analyze": Analyze, "selfplay": Selfplay, "tournament": Tournament, "expand": Expand}
# Arguments that do not change the results: they may differ when a job is resumed.
FREE = ("engine", "workers", "scheduler", "out", "retries", "shards", "games", "task_games", "file", "value")

# The program that each local worker runs first: the driver handles Ctrl-C, and ends running tasks without a warning.
IN_WORKER = """import logging, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
logging.getLogger("distributed.worker.state_machine").setLevel(logging.ERROR)
"""


def at_least(least: int, most: int | None = None) -> Callable[[str], int]:
    """A parser of whole numbers in a range."""
    span = f"{least} or more" if most is None else f"{least} to {most}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"{text}: expected a whole number, {span}")
        return number

    return parse


def nodes(text: str) -> float:
    """A parser of node counts."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number, 0 or more")
    return number


def score(text: str) -> int:
    """A parser of scores."""
    try:
        number = int(text)
    except ValueError:
        number = 65
    if not -64 <= number <= 64:
        raise argparse.ArgumentTypeError(f"{text}: expected a score from -64 to 64")
    return number


def name_and_value(text: str) -> str:
    """A parser of engine options."""
    if not text.partition("=")[0].strip() or "=" not in text:
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=VALUE")
    return text


def match_argument(text: str) -> str:
    """A parser of arguments of `nullwindow tournament`, without those of every job."""
    name = text.partition("=")[0]
    if name in ("--game", "--option", "--seed"):
        raise argparse.ArgumentTypeError(f"{name} precedes the --")
    return text


def existing_file(text: str) -> Path:
    """A parser of files that are read."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text}: no such file")
    return Path(text)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the job; with an existing one, resume the job")
    where = shared.add_mutually_exclusive_group()
    where.add_argument("--workers", type=at_least(1, 1024), default=1, metavar="N", help="number of worker processes on this machine (default: 1)")
    where.add_argument("--scheduler", metavar="ADDRESS", help="use the workers of a running Dask scheduler")
    shared.add_argument("--engine", default="nullwindow", metavar="PATH", help="command of the engine, here and on the workers (default: nullwindow)")
    shared.add_argument("--game", default="othello")
    shared.add_argument("--option", action="append", default=[], type=name_and_value, metavar="NAME=VALUE", help="set an engine option; may be repeated")
    shared.add_argument("--retries", type=at_least(0), default=2, metavar="N", help="number of retries of a failed task (default: 2)")
    where.add_argument("--shards", action="store_true", help="write the remaining shards to DIR/shards instead of running them")
    top = argparse.ArgumentParser(prog="nullwindow-cluster", description=__doc__)
    jobs = top.add_subparsers(dest="job", required=True)
    solve = jobs.add_parser("solve", parents=[shared], help="solve the positions of a file")
    solve.add_argument("file", type=existing_file)
    solve.add_argument("--wld", action="store_true", help="solve for win, loss or draw only")
    analyze = jobs.add_parser("analyze", parents=[shared], help="analyze the games of a file")
    analyze.add_argument("file", type=existing_file)
    limit = analyze.add_mutually_exclusive_group()
    limit.add_argument("--depth", type=at_least(1, 64), metavar="N", help="search every position to this depth")
    limit.add_argument("--movetime", type=at_least(1), metavar="MS", help="search every position for this time")
    limit.add_argument("--nodes", type=at_least(1), metavar="N", help="search every position with this node limit")
    analyze.add_argument("--exact", type=at_least(0, 64), metavar="N", help="solve positions with at most N plies left")
    order = "whose result comes first where a game does not define it: the first player's, or White's"
    analyze.add_argument("--result-order", choices=("first", "white"), help=order)
    analyze.add_argument("--multipv", type=at_least(1, 255), metavar="K", help="score the K best moves of every position")
    play = jobs.add_parser("selfplay", parents=[shared], help="play training games")
    play.add_argument("--games", type=at_least(1), default=10_000)
    play.add_argument("--depth", type=at_least(1, 20), default=4)
    play.add_argument("--mobility", action="store_true", help="use the mobility evaluation")
    match = jobs.add_parser("tournament", parents=[shared], help="play a match: nullwindow-cluster tournament ... -- ARGUMENTS")
    about = "arguments of `nullwindow tournament`; --game, --option and --seed precede the --"
    match.add_argument("tournament", nargs="+", type=match_argument, metavar="ARGUMENTS", help=about)
    expand = jobs.add_parser("expand", parents=[shared], help="solve one position in pieces")
    expand.add_argument("--position", default="startpos", metavar="TEXT")
    expand.add_argument("--plies", type=at_least(0, 64), default=6, help="largest distance from the position to a piece, in plies (default: 6)")
    expand.add_argument("--guess", type=at_least(1), default=20_000, metavar="N", help="nodes for the first guess of each score (default: 20000)")
    expand.add_argument("--value", type=score, metavar="S", help="the known score, used as the first guess; exit status 1 if the result differs")
    claim = expand.add_mutually_exclusive_group()
    for option, word in (("--at-least", "least"), ("--at-most", "most")):
        about = f"decide only whether the value for the side to move is at {word} S, by a proof tree"
        claim.add_argument(option, type=score, metavar="S", help=about)
    for sub in (solve, expand):
        about = "estimated cost of a task in midgame nodes; a million take about one second (default: 1e6)"
        sub.add_argument("--task-nodes", type=nodes, default=1e6, metavar="N", help=about)
    for sub, games, seed in ((play, 100, 1), (match, 2, 1)):
        sub.add_argument("--task-games", type=at_least(1), default=games, metavar="N", help="games per task")
        sub.add_argument("--seed", type=at_least(0), default=seed)
    return top


def write_shards(source: TaskList | Expand, folder: Path) -> None:
    """Writes the tasks as shards, to be run without Dask, and removes those written before, but not their output."""
    if isinstance(source, Expand):
        raise ValueError("--shards: expand has no independent shards, because its tasks depend on earlier results")
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.json"):
        if re.fullmatch(r"[a-z]+(-\d+)+\.json", path.name):
            path.unlink()
    while task := source.next():
        (folder / f"{task.name}.json").write_text(json.dumps(task.shard) + "\n", encoding="utf-8")


def main(words: list[str] | None = None) -> int:
    """Runs a job. Returns the exit status: 0 success, 1 a wrong score or a failed task, 2 unusable arguments or files."""
    try:
        return run(parser().parse_args(words))
    except (OSError, ValueError, EngineFailed, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: run the same command to resume", file=sys.stderr)
        return 130


def run(arguments: argparse.Namespace) -> int:
    """Runs the job of the parsed arguments."""
    if arguments.out.exists() and not arguments.out.is_dir():
        raise ValueError(f"--out {arguments.out}: expected a folder")
    engine = identity(arguments.engine)
    options = dict(option.split("=", 1) for option in arguments.option)
    base: Row = {**engine, "game": arguments.game, "options": options, "seed": getattr(arguments, "seed", 1)}
    # The size of tasks, which shapes the tree of `expand`.
    free = (*FREE, "option") if arguments.job == "expand" else (*FREE, "option", "task_nodes")
    job = {**base, **{name: value for name, value in vars(arguments).items() if name not in free}}
    results = Results(arguments.out, job)
    try:
        return work(arguments, base, job, results)
    finally:
        results.close()


def workers(arguments: argparse.Namespace) -> AbstractContextManager[LocalCluster | str]:
    """The workers of the given scheduler (its address), or of this machine."""
    if arguments.scheduler:
        return nullcontext(arguments.scheduler)
    return LocalCluster(n_workers=arguments.workers, threads_per_worker=1, preload=[IN_WORKER])


def work(arguments: argparse.Namespace, base: Row, job: Row, results: Results) -> int:
    """Runs the unfinished tasks of the job."""
    source = JOBS[arguments.job](arguments, base, results)
    results.begin(job)
    if arguments.shards:
        write_shards(source, arguments.out / "shards")
        return 0
    failures: list[str] = []
    if source.left():
        with workers(arguments) as where, Client(where) as client:
            print(f"dashboard: {client.dashboard_link}", file=sys.stderr)
            client.wait_for_workers(1)
            pool = Pool(client, arguments.engine, arguments.retries)
            pool.run(source)
            failures = pool.failures
            if pool.stopped:
                print(f"{pool.stopped} unneeded tasks stopped", file=sys.stderr)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return max(source.finish(), int(bool(failures)))


if __name__ == "__main__":
    sys.exit(main())
