"""Jobs with independent tasks: solving or analyzing a file, self-play, a tournament."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from .engine import command_words, run_shard
from .folder import Results, Row
from .pool import Task
from .record import RecordLock, replaced

# Fields that a shard adds to the record of a game.
SHARD_FIELDS = ("key", "engine", "bench", "abnormal")


def survey(arguments: Namespace, base: Row, expand: Row) -> list[Row]:
    """The positions of a job with their estimated costs, and the tree of `expand`; kept in the folder of the job."""
    shard = {**base, "job": {"expand": expand}}
    file = arguments.out.resolve() / "positions.jsonl"
    if "claim" in expand or "guess" not in expand:
        file.unlink(missing_ok=True)  # it may have another proof tree, or positions that the file no longer has
    lines = run_shard(arguments.engine, arguments.job, shard, file)
    return [json.loads(line) for line in lines]


class TaskList:
    """A source of independent tasks, longest first. `make` lists the unfinished tasks, `finish` combines the results and returns
    the exit status."""

    make: Callable[[], list[Task]]

    def __init__(self, arguments: Namespace, base: Row, results: Results) -> None:
        self.arguments, self.base, self.results = arguments, base, results
        self.tasks = sorted(self.make(), key=lambda task: task.cost)  # the next one is last

    def next(self) -> Task | None:
        return self.tasks.pop() if self.tasks else None

    def left(self) -> int:
        return len(self.tasks)

    def take(self, _task: Task, lines: list[str]) -> list[Task]:
        self.results.add(lines)
        return []

    def add_head(self, job: str, more: Row) -> None:
        """Adds the head of the games, if missing, by a shard without games, which fails if the arguments are unusable."""
        if "head" not in self.results:
            shard = {**self.base, "job": {job: {"first": 1, "count": 0, **more}}}
            self.results.add(run_shard(self.arguments.engine, self.arguments.job, shard))

    def missing_games(self, first: int, last: int, job: str, more: Row) -> list[Task]:
        """Tasks for the ranges of games without a result."""
        size, tasks = self.arguments.task_games, []
        for start in range(first, last + 1, size):
            games = [game for game in range(start, min(start + size, last + 1)) if game not in self.results]
            if games:
                count = games[-1] - games[0] + 1
                shard = {**self.base, "job": {job: {"first": games[0], "count": count, **more}}}
                tasks.append(Task(f"{job}-{games[0]}-{games[-1]}", shard, len(games)))
        return tasks


class Solve(TaskList):
    """Solves the positions of a file."""

    def make(self) -> list[Task]:
        text = self.arguments.file.read_text(encoding="utf-8-sig", errors="replace")
        entries = run_shard(self.arguments.engine, str(self.arguments.file), {**self.base, "job": {"entries": {"text": text}}})
        problems = [{"n": row["n"], "text": row["text"].strip()} for row in map(json.loads, entries)]
        self.lines = {problem["n"]: problem for problem in problems}
        self.surveyed = {row["n"]: row for row in survey(self.arguments, self.base, {"problems": problems})}
        left = [row for row in self.surveyed.values() if "error" not in row and self.question(row) not in self.results]
        left.sort(key=lambda row: -(row.get("nodes") or 0))
        tasks: list[Task] = []
        for row in left:  # cheap positions share a task
            cost = row.get("nodes") or 0.0
            if not tasks or tasks[-1].cost + cost > self.arguments.task_nodes:
                shard = {**self.base, "job": {"solve": {"problems": [], "wld": self.arguments.wld}}}
                tasks.append(Task(f"solve-{row['n']}", shard))
            tasks[-1].shard["job"]["solve"]["problems"].append(self.lines[row["n"]])
            tasks[-1].cost += cost
        return tasks

    def question(self, row: Row) -> Any:
        """The key of the result of a surveyed position."""
        return (row["position"], self.lines[row["n"]]["text"], row["n"], None)

    def finish(self) -> int:
        wrong = [row for row in self.surveyed.values() if "error" in row]
        for row in wrong:
            print(f"line {row['n']}: {row['error']}", file=sys.stderr)
        solved = [self.results[self.question(row)] for row in self.surveyed.values() if row not in wrong
                  and self.question(row) in self.results]  # fmt: skip
        for row in solved:
            if row["ok"] is False:
                wrong.append(row)
                stated = ", ".join(row.get("wrong", [f"{row['expected']:+}"]))
                print(f"line {row['n']}: score {row['score']:+}, the file states wrongly: {stated}")
        nodes, cpu = (sum(row[name] for row in solved) for name in ("nodes", "cpu"))
        print(f"{len(solved)} of {len(self.surveyed)} positions solved, {len(wrong)} wrong or unreadable; "
              f"{nodes} nodes, {cpu:.1f} CPU s")  # fmt: skip
        return 1 if wrong or len(solved) < len(self.surveyed) else 0


class Analyze(TaskList):
    """Analyzes the games of a file, one task per game."""

    def make(self) -> list[Task]:
        file = self.arguments.file
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        # Options of a search have no effect on entries; a shard without games fails if the arguments are unusable.
        shard = {**self.base, "options": {}, "job": {"entries": {"text": text}}}
        entries = run_shard(self.arguments.engine, str(file), shard)
        names = ("depth", "movetime", "nodes", "exact", "multipv")
        limits = {name: value for name in names if (value := getattr(self.arguments, name)) is not None}
        check = {"analyze": {"file": str(file), "games": [], "limits": limits}}
        run_shard(self.arguments.engine, self.arguments.job, {**self.base, "job": check})
        self.games = [{"n": number, "text": json.loads(line)["text"]} for number, line in enumerate(entries, 1)]
        tasks = []
        for game in self.games:
            if self.key(game["n"]) not in self.results:
                job = {"analyze": {"file": str(file), "games": [game], "limits": limits}}
                if self.arguments.result_order is not None:
                    job["analyze"]["result_order"] = self.arguments.result_order
                tasks.append(Task(f"analyze-{game['n']}", {**self.base, "job": job}, len(game["text"])))
            elif not self.is_of(self.results[self.key(game["n"])], game["text"]):
                raise ValueError(f"{file}: game {game['n']} is not the one that {self.results.path} has: use another folder")
        return tasks

    def is_of(self, row: Row, text: str) -> bool:
        """Whether a result is that of the game with this text, which stands between limits and options in the key of the result."""
        order = f"{self.arguments.result_order} " if self.arguments.result_order else ""
        rest = row["key"].partition("} ")[2].removeprefix(order)
        return re.fullmatch(re.escape(text.strip()) + r"( \w[\w ]*=.*)?", rest) is not None

    @staticmethod
    def key(number: int) -> Any:
        """The key of the result of a game."""
        return (None, None, number, None)

    def finish(self) -> int:
        rows = [self.results[self.key(game["n"])] for game in self.games if self.key(game["n"]) in self.results]
        players: dict[str, list[float]] = {}
        invalid = 0
        for row in rows:
            if "error" in row:
                invalid += 1
                print(f"game {row['n']}: {row['error']}", file=sys.stderr)
                continue
            for side, name, summary in zip(("p1", "p2"), row["players"], row["summary"]):
                totals = players.setdefault(name or side, [0, 0, 0, 0.0])
                found = (1, summary["all"]["moves"], summary["all"]["best"], summary["all"]["lost"])
                players[name or side] = [one + other for one, other in zip(totals, found)]
        for name, (games, moves, best, lost) in sorted(players.items(), key=lambda item: (-item[1][0], item[0])):
            share = 100 * best / moves if moves else 0.0
            print(f"{name}: {games} games, {moves} moves, {share:.0f} % best, lost {lost / games:.2f} a game")
        nodes = sum(move["nodes"] for row in rows for move in row.get("moves", ()))
        print(f"{len(rows) - invalid} of {len(self.games)} games analyzed, {invalid} invalid; {nodes} nodes")
        return 1 if invalid or len(rows) < len(self.games) else 0


class Selfplay(TaskList):
    """Training games, combined into the file that `nullwindow lab selfplay` writes."""

    def make(self) -> list[Task]:
        more = {"depth": self.arguments.depth, "mobility": self.arguments.mobility}
        self.add_head("selfplay", more)
        return self.missing_games(0, self.arguments.games - 1, "selfplay", more)

    def finish(self) -> int:
        if any(game not in self.results for game in range(self.arguments.games)):
            return 1
        path = self.arguments.out / "games.bin"
        with RecordLock(path), replaced(path) as file:
            file.write(base64.b64decode(self.results["head"]["head"]))
            for game in range(self.arguments.games):
                file.write(base64.b64decode(self.results[game]["records"]))
        print(f"{self.arguments.games} games: {path}")
        return 0


class Tournament(TaskList):
    """The games of a tournament, combined into a folder of `nullwindow tournament`, which prints the standings."""

    def make(self) -> list[Task]:
        more = {"arguments": self.arguments.tournament}
        self.add_head("tournament", more)
        return self.missing_games(1, self.results["head"]["games"], "tournament", more)

    def finish(self) -> int:
        out, head = self.arguments.out, self.results["head"]
        played = [row for row in self.results.rows() if "head" not in row]
        games = out / "games.jsonl"
        with RecordLock(games), replaced(games) as file, replaced(out / "tournament.json") as plan:
            plan.write((json.dumps(head["head"], indent=2) + "\n").encode())
            for row in played:
                if row["abnormal"]:
                    row["log"] = f"abnormal/game-{row['game']:06}.log"
                    (out / "abnormal").mkdir(exist_ok=True)
                    (out / row["log"]).write_text(row["abnormal"], encoding="utf-8")
                record = {name: value for name, value in row.items() if name not in SHARD_FIELDS}
                file.write((json.dumps(record) + "\n").encode())
        if len(played) < head["games"]:
            return 1
        command = [*command_words(self.arguments.engine), "tournament", "--resume", str(out)]
        return subprocess.run(command, check=False).returncode
