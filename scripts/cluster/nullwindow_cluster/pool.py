"""Runs shards on Dask workers, one per thread, and collects their results."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future, as_completed
from tqdm import tqdm

from .engine import EngineFailed, run_shard, stop

# Seconds between two counts of the threads of all workers, which may join and leave.
COUNT_AGAIN = 2.0


@dataclass(eq=False)
class Task:
    """A shard and its estimated cost, by which tasks are ordered."""

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
        """Submits a task to the scheduler. Each try has a separate key."""
        key = f"{task.name}-try-{task.tries}"
        task.tries += 1
        return self.client.submit(run_shard, self.engine, task.name, task.shard, key=key, pure=False)

    def run(self, source: Any) -> None:
        """Runs the tasks of a source: `next()` returns the task to start, or None; `take(task, lines)` receives its result and
        returns the running tasks that it makes unnecessary; `left()` is the number of tasks not yet started. Failed tasks are
        retried, and listed in `failures` if all tries fail."""
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
                    continue  # unneeded and stopped
                if future.status == "finished":
                    self.stop(source.take(task, future.result()), running)
                elif task.tries <= self.retries:
                    bar.write(f"{failure(task, future)}; tried again", file=sys.stderr)
                    running[future := self.start(task)] = task
                    finished.add(future)
                    continue
                else:
                    self.failures.append(failure(task, future))
                bar.total = bar.n + 1 + len(running) + source.left()
                bar.update()

    def stop(self, unneeded: list[Task], running: dict[Future, Task]) -> None:
        """Stops running tasks by killing their engines."""
        futures = [future for future, task in running.items() if task in unneeded]
        if not futures:
            return
        for future in futures:
            del running[future]
        self.stopped += len(futures)
        self.client.cancel(futures)
        self.client.run(stop, [task.name for task in unneeded], on_error="ignore")


def failure(task: Task, future: Future) -> str:
    """Why a task failed, with its name."""
    error = future.exception()
    return str(error) if isinstance(error, EngineFailed) else f"{task.name}: {error or 'the scheduler lost the task'}"
