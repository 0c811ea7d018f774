"""Hands shards to Dask's workers, as many as they have threads, and takes their results as they come."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future, as_completed
from tqdm import tqdm

from .engine import run_shard, stop

# Seconds after which the threads of all workers are counted again: workers come and go.
COUNT_AGAIN = 2.0


@dataclass(eq=False)
class Task:
    """A shard, and the estimated cost by which tasks are ordered."""

    name: str
    shard: dict[str, Any]
    cost: float = 0.0
    tries: int = 0
    about: Any = None


@dataclass
class Pool:
    """The workers of a scheduler."""

    client: Client
    engine: str
    retries: int
    failures: list[str] = field(default_factory=list)
    stopped: int = 0

    def start(self, task: Task) -> Future:
        """Hands a task to the scheduler. Each try has a key of its own."""
        key = f"{task.name}-try-{task.tries}"
        task.tries += 1
        return self.client.submit(run_shard, self.engine, task.name, task.shard, key=key, pure=False)

    def run(self, source: Any) -> None:
        """Runs the tasks of a source: `next()` is the task to start now, if there is one, `take(task, lines)` gets its
        result and returns running tasks that it has made needless, `left()` says how many are not started. What fails is
        tried again, and listed in `failures` if it never succeeds."""
        finished, running, threads, counted = as_completed(), {}, 1, -COUNT_AGAIN
        with tqdm(total=source.left(), unit="task", smoothing=0.1) as bar:
            while True:
                if time.monotonic() > counted + COUNT_AGAIN:
                    threads, counted = sum(self.client.nthreads().values()) or 1, time.monotonic()
                while len(running) < threads and (task := source.next()):
                    running[future := self.start(task)] = task
                    finished.add(future)
                if not running:
                    return
                future = next(finished)
                task = running.pop(future, None)
                if task is None:
                    continue  # needless and stopped
                if future.status == "finished":
                    self.stop(source.take(task, future.result()), running)
                elif task.tries <= self.retries:
                    bar.write(f"{task.name}: {future.exception()}; tried again", file=sys.stderr)
                    running[future := self.start(task)] = task
                    finished.add(future)
                    continue
                else:
                    self.failures.append(f"{task.name}: {future.exception()}")
                bar.total = bar.n + 1 + len(running) + source.left()
                bar.update()

    def stop(self, needless: list[Task], running: dict[Future, Task]) -> None:
        """Stops running tasks: their engines are killed, their workers free."""
        futures = [future for future, task in running.items() if task in needless]
        if not futures:
            return
        for future in futures:
            del running[future]
        self.stopped += len(futures)
        self.client.cancel(futures)
        self.client.run(stop, [task.name for task in needless], on_error="ignore")
