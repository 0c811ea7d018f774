"""Solves one position in pieces. Workers search the leaves of a tree with null windows; each result is a bound, and the bounds meet
at the root, as in MTD(f). The bounds so far determine the next leaves and windows:

- The root is tested against the guessed score and the next one. At an expected cut node one move is enough, so its moves are
  searched one after the other; at an expected all node, all moves are searched at once.
- Idle workers search moves speculatively. Tasks that another result makes unnecessary are stopped.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from .folder import Results, Row
from .jobs import survey
from .pool import Task

INFINITE = 1000


class Expand:
    """The tree as a source of tasks."""

    def __init__(self, arguments: Namespace, base: Row, results: Results) -> None:
        self.arguments, self.base, self.results = arguments, base, results
        problem = {"n": 1, "text": arguments.position}
        limits = {"plies": arguments.plies, "nodes": arguments.task_nodes, "guess": arguments.guess}
        rows = survey(arguments, base, {"problems": [problem], **limits})
        if "error" in rows[0]:
            raise ValueError(f"position: {rows[0]['error']}")
        self.nodes = {row["position"]: row for row in rows}
        self.root, self.step, self.wld = rows[0]["position"], rows[0]["step"], rows[0]["wld"]
        self.unit = INFINITE * 10 if self.wld else 100  # unit of guesses
        end = 1 if self.wld else 64
        self.low = {name: row.get("score", -end) for name, row in self.nodes.items()}
        self.high = {name: row.get("score", end) for name, row in self.nodes.items()}
        self.guess: dict[str, float] = {}
        self.inner: list[str] = []  # children first
        self.collect(self.root, set())
        self.begun, self.running = 0, {}
        # The guess of the root is better than the others (a longer search, or the user's value) and shifts them.
        self.shift = 0.0
        self.propagate()
        known = arguments.value
        self.shift = (rows[0].get("guess", 0) / self.unit if known is None else known) - self.guess[self.root]
        for row in results.rows():
            self.bound(row)
        self.propagate()

    def children(self, name: str) -> list[str]:
        """The positions after each move."""
        return [to for _, to in self.nodes[name].get("moves", [])]

    def collect(self, name: str, seen: set[str]) -> None:
        """Collects the inner positions of the tree, children first."""
        if name not in seen and self.children(name):
            seen.add(name)
            for to in self.children(name):
                self.collect(to, seen)
            self.inner.append(name)

    def bound(self, row: Row) -> None:
        """Updates the bounds of a leaf."""
        name, score, bound = row["position"], row["score"], row.get("bound")
        if name in self.nodes and score is not None:
            if bound != "upper":
                self.low[name] = max(self.low[name], score)
            if bound != "lower":
                self.high[name] = min(self.high[name], score)

    def propagate(self) -> None:
        """Propagates bounds and guesses from the leaves to the root."""
        for name, row in self.nodes.items():
            shift = self.shift if name[-1] == self.root[-1] else -self.shift  # the last letter is the side to move
            guess = row.get("score", row.get("guess", 0) / self.unit + shift)
            self.guess[name] = min(max(guess, self.low[name]), self.high[name])
        for name in self.inner:
            children = self.children(name)
            self.low[name] = max(-self.high[to] for to in children)
            self.high[name] = max(-self.low[to] for to in children)
            self.guess[name] = max(-self.guess[to] for to in children)

    def is_open(self, name: str, score: int) -> bool:
        """Whether it is unknown whether the position reaches the score."""
        return self.low[name] < score <= self.high[name]

    def questions(self, name: str, score: int, level: int) -> Iterator[tuple[int, str, int]]:
        """The leaves to ask, and for which score, to know whether the position reaches the score. Level 0 is needed as
        far as guesses are right; others are needed if so many are wrong."""
        if not self.is_open(name, score):
            return
        if not self.children(name):
            yield level, name, score
            return
        against = self.step - score
        open_ = [to for to in self.children(name) if self.is_open(to, against)]
        open_.sort(key=lambda to: (self.guess[to], self.nodes[to].get("nodes") or 0))
        alone = self.guess[name] >= score
        for rank, to in enumerate(dict.fromkeys(open_)):
            yield from self.questions(to, against, level + rank * alone)

    def wanted(self) -> dict[tuple[str, int | None], tuple[int, float]]:
        """All open questions with their ranks, lowest first. Win, draw or loss searches have one question per leaf."""
        grid = [score for score in range(-64, 66, self.step) if self.is_open(self.root, score)]
        grid.sort(key=lambda score: (abs(score - self.step / 2 - self.guess[self.root]), score))
        found: dict[tuple[str, int | None], tuple[int, float]] = {}
        for behind, score in enumerate(grid[:2]):
            for level, name, beta in self.questions(self.root, score, behind):
                question, rank = (name, None if self.wld else beta), (level, -(self.nodes[name].get("nodes") or 0))
                found[question] = min(rank, found.get(question, rank))
        return found

    def next(self) -> Task | None:
        open_ = [(rank, question) for question, rank in self.wanted().items() if question not in self.running]
        if not open_:
            return None
        (_, cost), (name, score) = min(open_)
        reaches = {} if score is None else {"reaches": score}
        job = {"solve": {"problems": [{"n": 1, "text": name, **reaches}], "wld": self.wld}}
        self.begun += 1
        task = Task(f"expand-{self.begun}", {**self.base, "job": job}, -cost, about=(name, score))
        self.running[task.about] = task
        return task

    def left(self) -> int:
        return len(self.wanted().keys() - self.running.keys())

    def take(self, task: Task, lines: list[str]) -> list[Task]:
        del self.running[task.about]
        for row in self.results.add(lines):
            self.bound(row)
        self.propagate()
        wanted = self.wanted()
        unneeded = [other for question, other in self.running.items() if question not in wanted]
        for other in unneeded:
            del self.running[other.about]
        return unneeded

    def finish(self) -> int:
        rows = list(self.results.rows())
        print(f"{len(self.nodes)} positions in the tree, {len(rows)} questions answered, "
              f"{sum(row['nodes'] for row in rows)} nodes, {sum(row['cpu'] for row in rows):.1f} CPU s")  # fmt: skip
        low, high = self.low[self.root], self.high[self.root]
        if low < high:
            print(f"score between {low:+} and {high:+}")
            return 1
        best = [move for move, to in self.nodes[self.root].get("moves", []) if -self.high[to] == low]
        print(f"score {low:+} best {' '.join(best)}")
        expected = self.arguments.value
        return 1 if expected is not None and expected != low else 0
