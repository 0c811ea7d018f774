"""The folder of a job: `job.json` says which job it is, `results.jsonl` has a line for all that is done. One process at a
time works on it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Hashable

from .record import RecordLock, replaced, scan

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
        self.folder, self.path, description = folder, folder / "results.jsonl", folder / "job.json"
        self.lock = RecordLock(self.path)
        try:
            self.open(description, job)
        except BaseException:
            self.lock.release()
            raise

    def open(self, description: Path, job: Row) -> None:
        """Compares the job with the one of the folder, and reads what is done."""
        if description.exists():
            try:
                other = json.loads(description.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(f"{description}: {error}: delete it if {self.path} holds the results of this job") from None
            if other != job:
                names = ", ".join(sorted(key for key in {*job, *other} if job.get(key) != other.get(key)))
                raise ValueError(f"{self.folder} holds the results of another job, which differs in: {names}")
        else:
            with replaced(description) as file:
                file.write((json.dumps(job, indent=1) + "\n").encode())
        self.places: dict[Hashable, int] = {}
        self.path.touch()
        self.end, open_ended = scan(self.path, self.know)
        os.truncate(self.path, self.end)
        self.reader, self.writer = self.path.open("rb"), self.path.open("ab", buffering=0)
        if open_ended:
            self.write(b"\n")

    def know(self, place: int, row: Row) -> None:
        """Takes a line of the file in. Lines of shards may have been appended twice."""
        self.places.setdefault(identity(row), place)

    def __contains__(self, what: Hashable) -> bool:
        return what in self.places

    def __getitem__(self, what: Hashable) -> Row:
        self.reader.seek(self.places[what])
        return json.loads(self.reader.readline())

    def rows(self) -> Iterable[Row]:
        """All lines, by number or in the order of their coming."""
        numbers = sorted(what for what in self.places if isinstance(what, int))
        return (self[what] for what in numbers or list(self.places))

    def write(self, text: bytes) -> None:
        """Appends to the file; after a failed write it is as it was before, or ends with an incomplete line."""
        written = 0
        try:
            while written < len(text):
                written += self.writer.write(text[written:])
        except OSError:
            os.truncate(self.path, self.end)
            raise
        self.end += len(text)

    def add(self, lines: list[str]) -> list[Row]:
        """Appends the lines that are new; all are returned."""
        rows = [json.loads(line) for line in lines]
        for row, line in zip(rows, lines):
            if (what := identity(row)) not in self.places:
                place = self.end
                self.write(line.encode() + b"\n")
                self.places[what] = place
        return rows

    def close(self) -> None:
        """Lets other processes work on the folder."""
        self.reader.close()
        self.writer.close()
        self.lock.release()
