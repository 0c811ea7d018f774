"""Measures nullwindow-cluster with the real engine on this machine.

    python scripts/cluster/bench --engine target/release/nullwindow --out DIR

- efficiency: Othello endgames of heavy-tailed cost, one per task, relative to the lower bound of any schedule.
- overhead: tasks without work.
- kill: kills a worker with SIGKILL at 30 %, the driver at 60 %, and resumes the job.
- folders: two workers that share no folder: separate working folders, temporary folders and copies of the engine.
- simulate: a table for many workers, based on efficiency and overhead.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).parent.parent))

from nullwindow_cluster.cli import main as cluster  # noqa: E402
from nullwindow_cluster.cli import parser  # noqa: E402
from nullwindow_cluster.engine import identity  # noqa: E402
from nullwindow_cluster.folder import Results  # noqa: E402
from nullwindow_cluster.jobs import Solve  # noqa: E402
from nullwindow_cluster.pool import Pool  # noqa: E402
from simulate import Measured, table  # noqa: E402

WORKERS = 2
CLUSTER = [sys.executable, "-m", "nullwindow_cluster.cli"]


class Bench:
    """The measurements. Each adds its results to `measured.json`."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments, self.out = arguments, arguments.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.engine = str(Path(arguments.engine).resolve())
        os.environ["PYTHONPATH"] = str(Path(__file__).parent.parent)

    def measured(self, **new: object) -> dict:
        """Adds results to `measured.json` and returns all of them."""
        path = self.out / "measured.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(known | new))
        return known | new

    def problems(self, name: str, empties: range, count: int) -> Path:
        """Writes a file of endgames, the same number for each number of empties."""
        file = self.out / f"{name}.obf"
        each = [count // len(empties) + (index < count % len(empties)) for index in range(len(empties))]
        with file.open("w") as lines:
            for left, number in zip(empties, each):
                words = ["--empties", str(left), "--count", str(number), "--seed", str(2500 + left), "--unsolved"]
                subprocess.run([self.engine, "problems", *words], stdout=lines, stderr=subprocess.DEVNULL, check=True)
        return file

    def solve(self, file: Path, name: str) -> tuple[list[dict], list[dict], float, float]:
        """Solves a file with one task per line. Returns the surveyed and the solved rows, the wall time without the start of the
        cluster, and the CPU time of the driver."""
        shutil.rmtree(self.out / name, ignore_errors=True)
        words = ["solve", file, "--out", self.out / name, "--engine", self.engine, "--task-nodes", "0"]
        arguments = parser().parse_args([str(word) for word in words])
        base = {**identity(self.engine), "game": "othello", "options": {}, "seed": 1}
        source = Solve(arguments, base, Results(arguments.out, {}))
        with LocalCluster(n_workers=WORKERS, threads_per_worker=1) as local, Client(local) as client:
            client.wait_for_workers(WORKERS)
            wall, cpu = time.monotonic(), time.process_time()
            Pool(client, self.engine, 0).run(source)
            wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        if source.finish():
            sys.exit("not all positions were solved")
        surveyed = list(source.surveyed.values())
        return surveyed, [source.results[source.question(row)] for row in surveyed], wall, cpu

    def efficiency(self) -> None:
        first, last = map(int, self.arguments.empties.split("-"))
        file = self.problems("endgames", range(first, last + 1), self.arguments.count)
        surveyed, solved, wall, _ = self.solve(file, "efficiency")
        seconds = [row["seconds"] for row in solved]
        bound = max(sum(seconds) / WORKERS, max(seconds))
        self.measured(tasks=[(row["nodes"], row2["seconds"]) for row, row2 in zip(surveyed, solved)])
        ranked = sorted(seconds)
        print(f"efficiency: {len(seconds)} tasks of {ranked[0]:.3f} to {ranked[-1]:.2f} s, median {ranked[len(ranked) // 2]:.3f} s, "
              f"on {WORKERS} workers: {wall:.2f} s, lower bound {bound:.2f} s, efficiency {bound / wall:.3f}")  # fmt: skip

    def overhead(self) -> None:
        count = self.arguments.trivial_count
        _, solved, wall, cpu = self.solve(self.problems("trivial", range(4, 5), count), "overhead")
        work = sum(row["seconds"] for row in solved)
        start, driver = (WORKERS * wall - work) / count, cpu / count
        self.measured(start=start, driver=driver)
        print(f"overhead: {count} tasks without work in {wall:.2f} s: {1e3 * start:.1f} ms of worker time per task, "
              f"{1e3 * driver:.1f} ms of the driver's CPU time")  # fmt: skip

    def reference(self, file: Path) -> list[tuple]:
        """The scores of a file, solved without a cluster."""
        shown = subprocess.run([self.engine, "solve", str(file), "--json"], capture_output=True, text=True, check=True).stdout
        return [(row["n"], row["score"]) for row in map(json.loads, shown.splitlines()[:-1])]

    @staticmethod
    def scores(folder: Path) -> list[tuple]:
        rows = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
        return sorted((row["n"], row["score"]) for row in rows)

    def kill(self) -> None:
        count, folder = self.arguments.kill_count, self.out / "kill"
        file = self.problems("kill", range(17, 21), count)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        # An engine that notes the lines of each shard of positions that it begins.
        noting, calls = folder / "engine.sh", folder / "calls"
        note = f"""[ "$3" = --identity ] || printf '%s\\n' "$(cat "$3")" >>{shlex.quote(str(calls))}"""
        noting.write_text(f'#!/bin/sh\n{note}\nexec {shlex.quote(self.engine)} "$@"\n')
        noting.chmod(0o755)
        words = ["solve", str(file), "--out", str(folder / "out"), "--engine", str(noting), "--workers", "2", "--task-nodes", "0"]
        driver = subprocess.Popen([*CLUSTER, *words], stderr=subprocess.DEVNULL)
        results = folder / "out/results.jsonl"

        def wait(share: float) -> None:
            while not results.exists() or results.read_bytes().count(b"\n") < share * count:
                if driver.poll() is not None:
                    sys.exit("the driver has ended")
                time.sleep(0.01)

        wait(0.3)
        workers = [child for child in psutil.Process(driver.pid).children() if "spawn_main" in " ".join(child.cmdline())]
        workers[0].send_signal(signal.SIGKILL)
        wait(0.6)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        time.sleep(2)  # the engines of its workers end with their standard input
        before = results.read_bytes()
        finished = {json.loads(line)["n"] for line in before[: before.rfind(b"\n") + 1].splitlines()}

        def begun() -> list[int]:
            shards = [json.loads(line)["job"] for line in calls.read_text().splitlines()]
            return [problem["n"] for shard in shards if "solve" in shard for problem in shard["solve"]["problems"]]

        old = len(begun())
        status = cluster(words)
        again = begun()[old:]
        twice = finished & set(again)
        same = self.scores(folder / "out") == self.reference(file)
        print(f"kill: worker at 30 %, driver at 60 % ({len(finished)} of {count} finished); the rerun began {len(again)} tasks, "
              f"{len(twice)} of them finished before; status {status}, results the same: {same}")  # fmt: skip
        if status or twice or not same or len(finished) + len(again) != count:
            sys.exit(1)

    def folders(self) -> None:
        file, root = self.problems("folders", range(14, 16), 20), self.out / "folders"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        scheduler = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
                                      "--scheduler-file", str(root / "scheduler.json")], stderr=subprocess.DEVNULL)  # fmt: skip
        while not (root / "scheduler.json").exists():
            time.sleep(0.1)
        address, started = json.loads((root / "scheduler.json").read_text())["address"], [scheduler]

        def own_folder(name: str) -> Path:
            (root / name / "tmp").mkdir(parents=True)
            shutil.copy(self.engine, root / name / "nullwindow")
            return root / name

        try:
            for name in ("one", "two"):
                own = own_folder(name)
                environment = {**os.environ, "TMPDIR": str(own / "tmp"), "PATH": f"{own}:{os.environ['PATH']}"}
                line = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard",
                        "--local-directory", str(own)]  # fmt: skip
                started.append(subprocess.Popen(line, cwd=own, env=environment, stderr=subprocess.DEVNULL))
            os.environ["PATH"] = f"{own_folder('driver')}:{os.environ['PATH']}"
            status = cluster(["solve", str(file), "--out", str(root / "out"), "--scheduler", address, "--task-nodes", "0"])
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()
        same = self.scores(root / "out") == self.reference(file)
        print(f"folders: two workers without shared folders; status {status}, equal results: {same}")
        if status or not same:
            sys.exit(1)

    def simulate(self) -> None:
        found = self.measured()
        measured = Measured([tuple(task) for task in found["tasks"]], found["start"], found["driver"])
        print(f"simulation: start {1e3 * measured.start:.1f} ms, driver {1e3 * measured.driver:.1f} ms per task\n{table(measured)}")


PARTS = ("efficiency", "overhead", "kill", "folders", "simulate")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    arguments.add_argument("--engine", required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--count", type=int, default=200, help="tasks of the part `efficiency`")
    arguments.add_argument("--empties", default="18-24")
    arguments.add_argument("--kill-count", type=int, default=60, help="tasks of the part `kill`")
    arguments.add_argument("--trivial-count", type=int, default=300, help="tasks of the part `overhead`")
    parsed = arguments.parse_args()
    bench = Bench(parsed)
    for part in parsed.parts or PARTS:
        getattr(bench, part)()


if __name__ == "__main__":
    main()
