"""Simulates how many workers the driver can keep busy, from measured times.

A worker that is free asks the driver, which serves one worker after the other and takes a constant time for each task; then
it runs its task, which takes the time it took when it was measured, times a factor, and a constant for the engine's start.
The driver hands out the task with the largest estimate first. Tasks are drawn from the measured ones.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

WORKERS = (10, 100, 1000)
# Mean seconds of a task.
SIZES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
TASKS_PER_WORKER = 20


@dataclass(frozen=True)
class Measured:
    """The measurements: estimate and seconds of each task, and overhead per task of a worker and of the driver, in seconds."""

    tasks: list[tuple[float, float]]
    start: float
    driver: float

    @property
    def mean(self) -> float:
        """The mean time of a task in seconds."""
        return sum(seconds for _, seconds in self.tasks) / len(self.tasks)


def makespan(tasks: list[tuple[float, float]], workers: int, start: float, driver: float) -> float:
    """The time until all tasks (estimate, seconds) are done."""
    free = [0.0] * workers
    served = 0.0
    for _, seconds in sorted(tasks, reverse=True):
        served = max(served, heapq.heappop(free)) + driver
        heapq.heappush(free, served + start + seconds)
    return max(free)


def efficiency(measured: Measured, workers: int, size: float, seed: int = 1) -> float:
    """The efficiency for tasks of this mean time: work divided by time and workers."""
    tasks = random.Random(seed).choices(measured.tasks, k=TASKS_PER_WORKER * workers)
    factor = size / (sum(seconds for _, seconds in tasks) / len(tasks))
    tasks = [(estimate, factor * seconds) for estimate, seconds in tasks]
    total = sum(seconds for _, seconds in tasks)
    return total / (workers * makespan(tasks, workers, measured.start, measured.driver))


def table(measured: Measured) -> str:
    """The efficiencies as a table in Markdown."""
    lines = ["| mean task | " + " | ".join(f"{workers:,} workers" for workers in WORKERS) + " | most workers per driver |"]
    lines.append("|---|" + "---|" * (len(WORKERS) + 1))
    for size in SIZES:
        cells = [f"{efficiency(measured, workers, size):.2f}" for workers in WORKERS]
        lines.append(f"| {size:g} s | {' | '.join(cells)} | {(size + measured.start) / measured.driver:,.0f} |")
    return "\n".join(lines)
