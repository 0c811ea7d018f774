"""The folder of a job: `job.json` says which job it is, `results.jsonl` has a line for all that is done."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Hashable

Row = dict[str, Any]


def identity(row: Row) -> Hashable:
    """What a line is the result of: a game, the head of games, or a question about a position."""
    if "game" in row:
        return row["game"]
    return "head" if "head" in row else (row.get("position"), row.get("n"), row.get("reaches"))


class Results:
    """The lines of a job. In memory are only their places in the file."""

    def __init__(self, folder: Path, job: Row) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, description = folder, folder / "job.json"
        if description.exists() and (other := json.loads(description.read_text(encoding="utf-8"))) != job:
            names = ", ".join(sorted(key for key in {*job, *other} if job.get(key) != other.get(key)))
            raise ValueError(f"{folder} holds the results of another job, which differs in: {names}")
        description.write_text(json.dumps(job, indent=1) + "\n", encoding="utf-8")
        path = folder / "results.jsonl"
        self.file = path.open("r+b" if path.exists() else "w+b")
        self.places: dict[Hashable, int] = {}
        end = 0
        for line in self.file:
            if not line.endswith(b"\n"):
                break  # half a line
            self.places.setdefault(identity(json.loads(line)), end)
            end += len(line)
        self.file.truncate(end)

    def __contains__(self, what: Hashable) -> bool:
        return what in self.places

    def __getitem__(self, what: Hashable) -> Row:
        self.file.seek(self.places[what])
        return json.loads(self.file.readline())

    def rows(self) -> Iterable[Row]:
        """All lines, by number or in the order of their coming."""
        numbers = sorted(what for what in self.places if isinstance(what, int))
        return (self[what] for what in numbers or list(self.places))

    def add(self, lines: list[str]) -> list[Row]:
        """Appends the lines that are new; all are returned."""
        rows = [json.loads(line) for line in lines]
        place = self.file.seek(0, 2)
        for row, line in zip(rows, lines):
            if (what := identity(row)) not in self.places:
                self.places[what] = place
                place += self.file.write(line.encode() + b"\n")
        self.file.flush()
        return rows
