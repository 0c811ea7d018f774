"""Solves one position in pieces. Workers search the leaves of a tree with null windows; each result is a bound, and the bounds meet
at the root, as in MTD(f). The bounds so far determine the next leaves and windows:

- The root is tested against the guessed score and the next one. At an expected cut node one move is enough, so its moves are
  searched one after the other; at an expected all node, all moves are searched at once.
- Idle workers search moves speculatively. Tasks that another result makes unnecessary are stopped.
- With a claim (`--at-least`, `--at-most`) the root is tested against its score only, and the tree is a proof tree: of the moves of the
  side for which the claim is a lower bound it has one, chosen by a shallow search. If this move fails, the tree is built again with another.
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
        claims = [(">=", arguments.at_least), ("<=", arguments.at_most)]
        self.known: dict[str, tuple[int, int]] = {}  # bounds of refuted positions
        self.claim = next(((kind, score) for kind, score in claims if score is not None), None)
        self.refuted: set[str] = set()  # positions after moves that have failed
        self.begun, self.running = 0, {}
        self.build()

    def build(self) -> None:
        """Builds the tree with all results."""
        arguments = self.arguments
        problem = {"n": 1, "text": arguments.position}
        plies = max(arguments.plies, 1)  # the moves of the root show which of them are best
        job: Row = {"problems": [problem], "plies": plies, "nodes": arguments.task_nodes, "guess": arguments.guess}
        if self.claim:
            job |= {"claim": f"{self.claim[0]} {self.claim[1]}", "refuted": sorted(self.refuted)}
        rows = survey(arguments, self.base, job)
        if "error" in rows[0]:
            raise ValueError(f"position: {rows[0]['error']}")
        self.nodes = {row["position"]: row for row in rows}
        self.root, self.step, self.wld = rows[0]["position"], rows[0]["step"], rows[0]["wld"]
        self.unit = INFINITE * 10 if self.wld else 100  # unit of guesses
        self.end = 1 if self.wld else 64
        if abs(arguments.value or 0) > self.end:  # the parser has no game
            raise ValueError(f"--value in {arguments.game} is 1 (win), 0 (draw) or -1 (loss)")
        # The tree lacks the positions below refuted moves.
        for name in self.refuted - self.nodes.keys():
            self.nodes[name] = {"position": name}
        self.low = {name: row.get("score", -self.end) for name, row in self.nodes.items()}
        self.high = {name: row.get("score", self.end) for name, row in self.nodes.items()}
        for name, (low, high) in self.known.items():
            if name in self.nodes:
                self.low[name], self.high[name] = low, high
        self.guess: dict[str, float] = {}
        self.inner: list[str] = []  # children first
        self.collect(self.root, set())
        # The guess of the root is better than the others (a longer search, or the user's value) and shifts them.
        self.shift = 0.0
        self.propagate()
        known = arguments.value
        self.shift = (rows[0].get("guess", 0) / self.unit if known is None else known) - self.guess[self.root]
        for row in self.results.rows():
            self.bound(row)
        self.propagate()

    def try_other_moves(self) -> bool:
        """Builds the tree again without the moves that have failed; whether there was one."""
        failed: set[str] = set()
        if self.claim and self.is_open(self.root, self.thresholds()[0]):
            self.collect_failed(self.root, self.thresholds()[0], failed, set())
        if not failed - self.refuted:
            return False
        self.refuted |= failed
        self.known = {name: (self.low[name], self.high[name]) for name in {*self.known, *self.refuted} if name in self.low}
        self.build()
        return True

    def collect_failed(self, name: str, score: int, failed: set[str], seen: set[str]) -> None:
        """Collects the positions after failed moves in positions with other moves."""
        if name in seen or not self.is_open(name, score):
            return
        seen.add(name)
        against = self.step - score
        for to in self.children(name):
            if self.nodes[name].get("partial") and self.low[to] >= against:
                failed.add(to)
            self.collect_failed(to, against, failed, seen)

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
            if not self.nodes[name].get("partial"):
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

    def thresholds(self) -> list[int]:
        """The scores to test the root against: a claim `<= S` is wrong if the root reaches the next score."""
        if not self.claim:
            return list(range(-64, 66, self.step))
        kind, score = self.claim
        step = self.step  # scores are its multiples
        return [-(-score // step) * step if kind == ">=" else (score // step + 1) * step]

    def wanted(self) -> dict[tuple[str, int | None], tuple[int, float]]:
        """All open questions with their ranks, lowest first. Win, draw or loss searches have one question per leaf."""
        grid = [score for score in self.thresholds() if self.is_open(self.root, score)]
        grid.sort(key=lambda score: (abs(score - self.step / 2 - self.guess[self.root]), score))
        found: dict[tuple[str, int | None], tuple[int, float]] = {}
        for behind, score in enumerate(grid[:2]):
            for level, name, beta in self.questions(self.root, score, behind):
                question, rank = (name, None if self.wld else beta), (level, -(self.nodes[name].get("nodes") or 0))
                found[question] = min(rank, found.get(question, rank))
        return found

    def wanted_in_some_tree(self) -> dict[tuple[str, int | None], tuple[int, float]]:
        """The open questions of this tree, or else of the first tree with other moves that has some."""
        while not (wanted := self.wanted()) and self.try_other_moves():
            pass
        return wanted

    def next(self) -> Task | None:
        open_ = [(rank, question) for question, rank in self.wanted_in_some_tree().items() if question not in self.running]
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
        return len(self.wanted_in_some_tree().keys() - self.running.keys())

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

    def verdict(self, kind: str, score: int) -> str:
        """What the bounds of the root imply about a claim: holds, fails or unknown."""
        low, high = self.low[self.root], self.high[self.root]
        holds, fails = (low >= score, high < score) if kind == ">=" else (high <= score, low > score)
        return "holds" if holds else "fails" if fails else "unknown"

    def finish(self) -> int:
        rows = list(self.results.rows())
        print(f"{len(self.nodes)} positions in the tree, {len(rows)} questions answered, "
              f"{sum(row['nodes'] for row in rows)} nodes, {sum(row['cpu'] for row in rows):.1f} CPU s")  # fmt: skip
        low, high = self.low[self.root], self.high[self.root]
        if self.claim:
            verdict = self.verdict(*self.claim)
            print(f"{self.claim[0]} {self.claim[1]} {verdict}, {len(self.refuted)} moves failed")
            return 0 if verdict == "holds" else 1
        if low < high:
            print(f"score between {low:+} and {high:+}")
            return 1
        best = [move for move, to in self.nodes[self.root].get("moves", []) if -self.high[to] == low]
        print(f"score {low:+} best {' '.join(best)}".removesuffix(" best "))  # a finished game has no moves
        expected = self.arguments.value
        return 1 if expected is not None and expected != low else 0
